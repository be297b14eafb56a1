/**
 * Braces about every body in C (MISRA C:2012, 15.6), whoever wrote the text: `if (c)` and `return s;` below it become
 * `if (c) { return s; }` where that fits a line, else braces stand on lines of their own.
 */
import type { GeneratedFile } from '../modules/robot-model.ts';

const WIDTH = 118;

/** What a statement with a body begins with, on a line of its own or behind the brace of the statement before. */
const HEAD = /^\s*(?:\} )?(?:else )?(?:KG_UNROLLED )?(?:if|for|while) \(/;
const ELSE = /^\s*(?:\} )?else(?= |$)/;

export function bracedFile(file: GeneratedFile): GeneratedFile {
  return /\.[ch]$/.test(file.path) ? { ...file, text: braced(file.text) } : file;
}

/** The text with braces about the bodies of `if`, `else`, `for` and `while`. */
export function braced(text: string): string {
  const lines = text.split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const end = endOfComment(lines, at) ?? endOfDirective(lines, at);
    if (end === undefined) {
      const [own, next] = statement(lines, at);
      out.push(...own);
      at = next;
    } else {
      out.push(...lines.slice(at, end));
      at = end;
    }
  }
  return out.join('\n');
}

/** The line after a comment that begins on a line; undefined where none does. */
function endOfComment(lines: readonly string[], at: number): number | undefined {
  if (!lines[at]!.trimStart().startsWith('/*')) return undefined;
  let end = at;
  while (end < lines.length - 1 && !lines[end]!.includes('*/')) end++;
  return end + 1;
}

function endOfDirective(lines: readonly string[], at: number): number | undefined {
  if (!lines[at]!.startsWith('#')) return undefined;
  let end = at;
  while (lines[end]!.endsWith('\\')) end++;
  return end + 1;
}

/** A line, or a statement whose body has no braces, with all that belongs to it; and where the next one begins. */
function statement(lines: readonly string[], at: number): readonly [string[], number] {
  const head = headAt(lines, at);
  if (!head || head.rest.startsWith('{') || head.rest.startsWith(';')) return [[lines[at]!], at + 1];
  const indent = /^\s*/.exec(lines[at]!)![0];
  const [body, next] = head.rest === '' ? bodyAt(lines, head.next) : [[`${indent}  ${head.rest}`], head.next];
  const follows = ELSE.test(lines[next] ?? '') && !lines[next]!.includes('}');
  const short = `${head.lines[0]!} { ${body[0]!.trim()} }`;
  // A loop of a loop, or of a branch, stands on lines of its own.
  const fits =
    head.lines.length === 1 &&
    body.length === 1 &&
    !HEAD.test(body[0]!) &&
    short.length <= WIDTH &&
    !/\/[*/]/.test(short);
  const isPart = ELSE.test(lines[at]!);
  if (fits && !follows && !isPart) return [[short], next];
  const last = head.lines.at(-1)!;
  const opened = last.length + 2 <= WIDTH + 2 ? [`${last} {`] : [last, `${indent}{`];
  const own = [...head.lines.slice(0, -1), ...opened, ...body];
  if (!follows) return [[...own, `${indent}}`], next];
  // What follows stands behind the brace.
  const [first, ...others] = lines.slice(next);
  const [rest, used] = statement([`${indent}} ${first!.trimStart()}`, ...others], 0);
  return [[...own, ...rest], next + used];
}

interface Head {
  readonly lines: readonly string[];
  /** What stands behind its parentheses. */
  readonly rest: string;
  readonly next: number;
}

function headAt(lines: readonly string[], at: number): Head | undefined {
  const line = lines[at]!;
  if (HEAD.test(line)) {
    let depth = 0;
    for (let end = at; end < lines.length; end++) {
      const own = lines[end]!;
      for (let i = end === at ? own.indexOf('(') : 0; i < own.length; i++) {
        depth += own[i] === '(' ? 1 : own[i] === ')' ? -1 : 0;
        if (depth === 0 && own[i] === ')')
          return {
            lines: [...lines.slice(at, end), own.slice(0, i + 1)],
            rest: own.slice(i + 1).trim(),
            next: end + 1,
          };
      }
    }
  }
  const match = ELSE.exec(line);
  if (!match || HEAD.test(line)) return undefined;
  return { lines: [match[0]], rest: line.slice(match[0].length).trim(), next: at + 1 };
}

/** One statement, comments before it included, and where the next one begins. */
function bodyAt(lines: readonly string[], at: number): readonly [string[], number] {
  const comment = endOfComment(lines, at);
  if (comment !== undefined) {
    const [own, next] = bodyAt(lines, comment);
    return [[...lines.slice(at, comment), ...own], next];
  }
  const head = headAt(lines, at);
  if (head && !head.rest.startsWith('{')) return statement(lines, at);
  let end = at;
  let depth = 0;
  do {
    for (const letter of lines[end]!) depth += /[({]/.test(letter) ? 1 : /[)}]/.test(letter) ? -1 : 0;
    end++;
  } while (
    end < lines.length &&
    (depth > 0 || !/[;}]$/.test(withoutComment(lines[end - 1]!)) || (head && ELSE.test(lines[end]!)))
  );
  return [braced(lines.slice(at, end).join('\n')).split('\n'), end];
}

const withoutComment = (line: string): string => line.replace(/\s*\/\*[^*]*\*\/$/, '').trimEnd();
