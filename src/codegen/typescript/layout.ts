/**
 * Layout of TypeScript that is printed a statement to a line: indentation, and lines that are too long broken where
 * prettier breaks them. It knows the statements that drivers and robot modules consist of and leaves others to prettier,
 * which takes longer than the compilation of a small robot.
 */

import { wrapped } from '../naming/identifiers.ts';

const WIDTH = 120;
const OPENING = '([{';
const CLOSING = ')]}';

/**
 * @param text comments over several lines begin and end on lines of their own.
 * @returns undefined where a line is too long in a way that is not known here.
 */
export function layOut(text: string): string | undefined {
  const lines: string[] = [];
  /** Of what stands in brackets that are open. */
  const levels: number[] = [];
  /** How many brackets are open around the labels of a `switch`. */
  const switches = new Set<number>();
  let isComment = false;
  let isContinued = false;
  for (const line of text.split('\n').map((own) => own.trim())) {
    const last = lines.at(-1);
    if (isComment || line.startsWith('/*')) {
      if (!isComment && last === '' && opens(lines.at(-2) ?? '')) lines.pop();
      lines.push(indented(levels.at(-1) ?? 0, isComment ? ` ${line}` : line));
      isComment = !line.endsWith('*/');
    } else if (line === '') {
      if (last !== '' && last !== undefined && !opens(last)) lines.push('');
    } else {
      const closers = /^[)\]}]*/.exec(line)![0].length;
      const isLabel = /^(?:case .*|default):$/.test(line);
      if (isLabel) switches.add(levels.length);
      const within = (levels.at(-1) ?? 0) + (!isLabel && switches.has(levels.length) ? 1 : 0);
      const level = closers > 0 ? levels.at(-closers)! - 1 : within;
      if (closers > 0 && last === '') lines.pop();
      const own = broken(line, isContinued && closers === 0 ? level + 1 : level);
      if (!own) return undefined;
      // Tables of more entries than a call takes arguments.
      for (const part of own) lines.push(part);
      for (const { isOpening } of bracketsOf(line))
        if (isOpening) levels.push(level + 1);
        else {
          switches.delete(levels.length);
          levels.pop();
        }
      isContinued = !/[;,{}([:]$|\*\/$|^\/\//.test(line);
    }
  }
  return `${lines.join('\n').trim()}\n`;
}

/** Long lines of comments of a text that is laid out, broken at spaces: prettier leaves them as they are. */
export function commentsWithinColumns(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const [, indent, single, within] = /^( *)(?:\/\*\* (.*) \*\/| \* (.*))$/.exec(line) ?? [];
      if (line.length <= WIDTH || indent === undefined) return [line];
      const parts = wrapped((single ?? within)!, WIDTH - indent.length - 3).map((part) => `${indent} * ${part}`);
      return single === undefined ? parts : [`${indent}/**`, ...parts, `${indent} */`];
    })
    .join('\n');
}

function indented(level: number, line: string): string {
  return line === '' ? '' : '  '.repeat(level) + line;
}

/** Does something begin at the end of the line? */
function opens(line: string): boolean {
  const last = bracketsOf(line).at(-1);
  return last !== undefined && last.isOpening && last.index === line.length - 1;
}

interface Bracket {
  readonly index: number;
  readonly isOpening: boolean;
}

/** Brackets outside of texts and comments. */
function bracketsOf(line: string): Bracket[] {
  const brackets: Bracket[] = [];
  for (const { 0: found, index } of line.matchAll(
    /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/.*|[()[\]{}]/g,
  ))
    if (OPENING.includes(found)) brackets.push({ index, isOpening: true });
    else if (CLOSING.includes(found)) brackets.push({ index, isOpening: false });
  return brackets;
}

/** Where the bracket at `from` is closed; undefined when that is not on this line. */
function closingOf(line: string, from: number): number | undefined {
  let depth = 0;
  for (const { index, isOpening } of bracketsOf(line)) {
    if (index < from) continue;
    depth += isOpening ? 1 : -1;
    if (depth === 0) return index;
  }
  return undefined;
}

/** A line as one or, where it is too long, as several; undefined where it is not known how. */
function broken(line: string, level: number): readonly string[] | undefined {
  if (2 * level + line.length <= WIDTH || line.startsWith('//')) return [indented(level, line)];
  const head = /^(?:if|for|while) (?=\()/.exec(line)?.[0].length;
  if (head !== undefined) {
    const end = closingOf(line, head);
    const then = end === undefined ? '' : line.slice(end + 1).trim();
    if (then !== '' && then !== '{') return joined([broken(line.slice(0, end! + 1), level), broken(then, level + 1)]);
  }
  const alternatives = /^if \(!\(([^()]*)\)\) \{$/.exec(line)?.[1]?.split(' || ');
  if (alternatives)
    return [
      indented(level, 'if (!('),
      ...alternatives.map((own, i) => indented(level + 1, i < alternatives.length - 1 ? `${own} ||` : own)),
      indented(level, ')) {'),
    ];
  const assigned = /^(\S+(?: \w+)? =) (.*;)$/.exec(line);
  if (assigned && hasOperator(assigned[2]!)) {
    const [, target = '', value = ''] = assigned;
    if (2 * level + 2 + value.length <= WIDTH) return [indented(level, target), indented(level + 1, value)];
    const summands = /^[\w\s[\]!*.+]+;$/.test(value) ? value.split(/(?<= \+) /) : [];
    return summands.length > 1
      ? [target, ...summands].map((own, i) => indented(level + Number(i > 0), own))
      : undefined;
  }
  const parts = outermost(line);
  if (!parts || hasOperator(line)) return undefined;
  const { before, inside, after } = parts;
  const items = itemsOf(inside);
  const within = !/[^-\d., e+]/.test(inside)
    ? filled(items, level + 1)
    : joined(items.map((item) => broken(`${item},`, level + 1)));
  return joined([[indented(level, before)], within, [indented(level, after)]]);
}

function joined(parts: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  return parts.every((own) => own !== undefined) ? parts.flat() : undefined;
}

/** Outside of brackets, but for assignments and arrows. */
function hasOperator(line: string): boolean {
  const brackets = bracketsOf(line);
  let [depth, next] = [0, 0];
  for (const { index } of line.matchAll(/ (?:[-+*/<>?]|&&|\|\||[<>=!]==?) /g)) {
    while (next < brackets.length && brackets[next]!.index < index) depth += brackets[next++]!.isOpening ? 1 : -1;
    if (depth === 0) return true;
  }
  return false;
}

/** The last brackets of a line that are not within others and hold something. */
function outermost(line: string): { before: string; inside: string; after: string } | undefined {
  let found: { before: string; inside: string; after: string } | undefined;
  let depth = 0;
  let start = 0;
  for (const { index, isOpening } of bracketsOf(line)) {
    if (isOpening && depth++ === 0) start = index;
    if (isOpening || --depth !== 0) continue;
    const inside = line.slice(start + 1, index).trim();
    if (inside !== '') found = { before: line.slice(0, start + 1), inside, after: line.slice(index) };
  }
  if (!found) return undefined;
  // Brackets that hold nothing but other brackets stay with these.
  const only = /^(?:new \w+)?[([{]/.exec(found.inside)?.[0];
  if (only !== undefined && closingOf(found.inside, only.length - 1) === found.inside.length - 1 && only.length > 0)
    return {
      before: found.before + only,
      inside: found.inside.slice(only.length, -1).trim(),
      after: found.inside.at(-1)! + found.after,
    };
  return found;
}

/** What commas separate. */
function itemsOf(text: string): string[] {
  const items: string[] = [];
  const brackets = bracketsOf(text);
  const commas = [...text.matchAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|,/g)].filter(
    ({ 0: own }) => own === ',',
  );
  let from = 0;
  let depth = 0;
  let next = 0;
  for (const { index } of commas) {
    while (next < brackets.length && brackets[next]!.index < index) depth += brackets[next++]!.isOpening ? 1 : -1;
    if (depth > 0) continue;
    items.push(text.slice(from, index).trim());
    from = index + 1;
  }
  const rest = text.slice(from).trim();
  return rest === '' ? items : [...items, rest];
}

/** Numbers, as many to a line as there is room for. */
function filled(items: readonly string[], level: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const item of items.map((own) => `${own},`))
    if (line !== '' && 2 * level + line.length + 1 + item.length <= WIDTH) line += ` ${item}`;
    else {
      if (line !== '') lines.push(indented(level, line));
      line = item;
    }
  return [...lines, indented(level, line)];
}
