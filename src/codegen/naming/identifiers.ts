/**
 * Names of generated things. Whatever a robot file calls its parts, what reaches code is an identifier made here.
 */
import { printable } from '../../common/printable.ts';

/** `hybrid arm-2` → `hybrid_arm_2`; never empty, never starting with a digit. */
export function snakeCase(name: string): string {
  const words = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(words) ? words.toLowerCase() : `robot_${words.toLowerCase()}`;
}

/** `massMatrixAt` → `mass_matrix_at`. */
export function snakeCaseOf(camelCased: string): string {
  return camelCased.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `hybrid_arm_2` → `HybridArm2`. */
export function pascalCase(name: string): string {
  return snakeCase(name)
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** `hybrid_arm_2` → `hybridArm2`. */
export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

/** Identifiers for a list of names, each once: later ones that would repeat an earlier one get a number. */
export function distinct(names: readonly string[], form: (name: string) => string): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const base = form(name);
    let candidate = base;
    for (let i = 2; taken.has(candidate); i++) candidate = `${base}_${i}`;
    taken.add(candidate);
    return candidate;
  });
}

/** A name of a quantity as an identifier, letters kept as they are (`E`, `soft1.q` → `soft1_q`). */
export function identifier(name: string): string {
  const text = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/_+$/, '');
  return /^[A-Za-z]/.test(text) ? text : `v${text}`;
}

/** Text that is safe inside a block comment. */
export function commentText(text: string): string {
  return printable(text.replace(/\*\//g, '* /').replace(/\/\*/g, '/ *').replace(/\s+/g, ' ').trim());
}

/** Words wrapped to lines of at most `width` characters. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  if (line) lines.push(line);
  return lines;
}

/** Items with commas, in lines of at most `width` characters. */
export function listed(items: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const item of items.map((own) => `${own},`)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + item.length > width) lines.push(item);
    else lines[lines.length - 1] = `${last} ${item}`;
  }
  return lines;
}

/** Of run-time parameters in generated code, in their order; `gravity` is one of its own. */
export function parameterIdentifiers(parameters: readonly { readonly name: string }[]): string[] {
  return distinct(['gravity', ...parameters.map(({ name }) => name)], identifier).slice(1);
}
