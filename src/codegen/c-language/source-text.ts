/** Pieces of C source: comments, strings, limits, tables of numbers. */
import { wrapped } from '../naming/identifiers.ts';
import { onLines, packed } from '../naming/statement-lines.ts';
import { signedLiteral } from './target.ts';

/** Comments may hold anything but the end of a comment; keep to what every compiler reads. */
export function commentLine(line: string): string {
  return line.replace(/\*\//g, '* /').replace(/\/\*/g, '/ *');
}

/** A comment of its own before what it is about, within 120 columns; nothing where there is no text. */
export function commentBlock(...lines: readonly string[]): string {
  const text = lines.flatMap((line) => wrapped(commentLine(line), 114));
  if (text.length === 0) return '';
  return `${text.map((line, i) => (i === 0 ? `/* ${line}` : ` * ${line}`)).join('\n')} */`;
}

export function quoted(text: string): string {
  const escaped = [...text]
    .map((c) => (/[ -~]/.test(c) && c !== '"' && c !== '\\' && c !== '?' ? c : octal(c)))
    .join('');
  return `"${escaped}"`;
}

function octal(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

export function limit(value: number | undefined, missing: string): string {
  return value === undefined ? missing : signedLiteral(value);
}

/** Of characters, with room for an indent. */
const LONGEST_ROW = 116;

/** Values in rows of so many at most, with a comma at the end of each. */
export function rowsOf(values: readonly string[], most: number): string[] {
  return packed(values, LONGEST_ROW - 1, most).map((row) => `${row},`);
}

export function tableC({ name, values }: { readonly name: string; readonly values: readonly number[] }): string {
  const rows = rowsOf(values.map(signedLiteral), 6).map((line) => `  ${line}`);
  return `static const kg_real ${name}[${values.length}] = {\n${rows.join('\n')}\n};\n`;
}

/** Long lines of a file broken within them, but for comments and what the preprocessor reads line by line. */
export function withinColumns(text: string): string {
  const isFixed = (line: string): boolean => /^\s*(#|\/?\*)|\\$/.test(line);
  return text
    .split('\n')
    .flatMap((line) => (isFixed(line) ? [line] : onLines(line)))
    .join('\n');
}
