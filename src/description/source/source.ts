/**
 * Robot files as text: YAML (and so JSON) with the line and column of every key, value and character of a formula.
 */
import {
  Lexer,
  LineCounter,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
  type YAMLError,
} from 'yaml';
import { KanegenError, type SourceLocation } from '../../common/error.ts';
import { collected } from './diagnostics.ts';
import type { Macro } from '../../symbolic/formulas/formula.ts';

export type Path = readonly (string | number)[];

/** One file (or one object from TypeScript) with its contents and its functions. */
export interface SourceDocument {
  /** As messages show it; empty for objects. */
  readonly file: string;
  readonly text: string;
  readonly data: unknown;
  /** `functions:` of this file, by name. */
  readonly macros: Map<string, Macro>;
  /** Where the value at `path` stands, `offset` characters into it; or its key. */
  locate(path: Path, part: 'key' | 'value', offset?: number): SourceLocation;
}

/** `body-types.cc.position[0]` */
function pathText(path: Path): string {
  return path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('');
}

/** A value within a document: carries its position wherever it goes. */
export class Place {
  readonly document: SourceDocument;
  readonly path: Path;

  constructor(document: SourceDocument, path: Path = []) {
    this.document = document;
    this.path = path;
  }

  at(...keys: Path): Place {
    return new Place(this.document, [...this.path, ...keys]);
  }

  /** The list or map that this value is in. */
  get parentValue(): unknown {
    return this.path.slice(0, -1).reduce<unknown>((inner, key) => {
      const holds = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key);
      return holds ? (inner as Record<string | number, unknown>)[key] : undefined;
    }, this.document.data);
  }

  /** Where the value stands. */
  get location(): SourceLocation {
    return this.document.locate(this.path, 'value');
  }

  error(code: string, message: string, remedy?: string, offset?: number): KanegenError {
    return new KanegenError(code, message, { remedy, location: this.document.locate(this.path, 'value', offset) });
  }

  /** An error about the key itself: a name that may not be used, a key that is unknown. */
  keyError(code: string, message: string, remedy?: string): KanegenError {
    return new KanegenError(code, message, { remedy, location: this.document.locate(this.path, 'key') });
  }

  /** An error from reading the text of this value, at the character it is about. */
  located(error: KanegenError): KanegenError {
    if (error.location) return error;
    return error.at(this.document.locate(this.path, 'value', error.offset));
  }
}

/** The result of `work`; errors that it throws without a position stand at `place`. */
export function within<T>(place: Place, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof KanegenError ? place.located(error) : error;
  }
}

// ---------------------------------------------------------------------------------------------- objects

/**
 * A robot given as an object. Formulas are strings, quantities strings or SI numbers, exactly as in a file.
 * @throws KanegenError `wrong-shape` where that is no data: objects that hold themselves, properties that cannot be read.
 */
export function objectDocument(object: unknown): SourceDocument {
  const data = plainData(object, []);
  const locate = (path: Path): SourceLocation => ({ file: '', line: 0, column: 0, path: pathText(path) });
  return { file: '', text: JSON.stringify(data) ?? '', data, macros: new Map(), locate };
}

/** Lists, maps and values, read once: what a file could have said. */
function plainData(value: unknown, path: Path): unknown {
  const refused = (what: string, remedy: string): KanegenError =>
    new KanegenError('wrong-shape', what, { remedy, location: { file: '', line: 0, column: 0, path: pathText(path) } });
  if (typeof value === 'bigint') throw refused(`the bigint \`${value}\` is not a number`, `write ${value}`);
  if (typeof value === 'function' || typeof value === 'symbol')
    throw refused(`a ${typeof value} is not a value of a robot file`, 'write numbers, texts, lists and maps');
  if (typeof value !== 'object' || value === null) return value;
  if (path.length > DEEPEST_NESTING)
    throw refused(`this object is nested more than ${DEEPEST_NESTING} deep`, 'remove the circular reference');
  try {
    if (Array.isArray(value)) return Array.from(value, (part, i) => plainData(part, [...path, i]));
    if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw refused('this is an object of a class', 'give a plain object, { … }');
    const entries = Object.entries(value).filter(([, part]) => part !== undefined);
    return Object.fromEntries(entries.map(([key, part]) => [key, plainData(part, [...path, key])]));
  } catch (error) {
    if (error instanceof KanegenError) throw error;
    throw refused(
      `this object cannot be read: ${error instanceof Error ? error.message : 'it throws'}`,
      'give plain data',
    );
  }
}

// ---------------------------------------------------------------------------------------------- YAML

/** Aliases may repeat a value, not explode into billions of copies. */
const MOST_ALIASES = 100;
const LONGEST_FILE = 1_000_000;
/** Deeper than any robot, and far from what exhausts the stack of the YAML parser. */
const DEEPEST_NESTING = 100;

/** @throws KanegenError `malformed-yaml` or `duplicate-name`, all mistakes of the file at once. */
export function yamlDocument(text: string, file: string): SourceDocument {
  const start: SourceLocation = { file, line: 1, column: 1, path: '' };
  if (text.length > LONGEST_FILE)
    throw new KanegenError('file-too-large', `the file has ${text.length} characters`, { location: start });
  checkNesting(text, file);
  const lines = new LineCounter();
  const document = parseYaml(text, lines, start);
  if (document.errors.length > 0) {
    const errors = document.errors.map((error) => yamlError(error, text, file));
    throw collected(errors);
  }
  demandNames(document, lines, file);
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    throw new KanegenError(
      'malformed-yaml',
      `the aliases of this file cannot be expanded: ${(error as Error).message}`,
      {
        location: start,
        remedy: 'write out the repeated part, or make it a body type',
      },
    );
  }
  return {
    file,
    text,
    data,
    macros: new Map(),
    locate: (path, part, offset) => locate(document, lines, text, file, path, part, offset),
  };
}

/** The YAML parser is recursive: brackets and one-line lists in lists are counted before it sees them. */
function checkNesting(text: string, file: string): void {
  let brackets = 0;
  let onLine = 0;
  let line = 1;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') brackets++;
    else if (token === ']' || token === '}') brackets--;
    else if (token === '-' || token === '?') onLine++;
    if (token.includes('\n')) {
      line += token.split('\n').length - 1;
      onLine = 0;
    }
    if (brackets <= DEEPEST_NESTING && onLine <= DEEPEST_NESTING) continue;
    throw new KanegenError('malformed-yaml', `lists and maps are nested more than ${DEEPEST_NESTING} deep`, {
      location: { file, line, column: 1, path: '' },
      remedy: 'check the brackets of this line',
    });
  }
}

function parseYaml(text: string, lines: LineCounter, location: SourceLocation): Document {
  try {
    return parseDocument(text, { lineCounter: lines, prettyErrors: true });
  } catch (error) {
    // Nesting deep enough to exhaust the stack of the YAML parser.
    throw new KanegenError('malformed-yaml', `the file cannot be read: ${(error as Error).message}`, { location });
  }
}

/** Keys are names: lists and maps in their place are refused, of which the YAML library would make text, with a warning of its own. */
function demandNames(document: Document, lines: LineCounter, file: string): void {
  const problems: KanegenError[] = [];
  visit(document, {
    Pair(_, { key }) {
      const node = resolved(document, key);
      if (!isCollection(node)) return;
      const { line, col: column } = lines.linePos((key as Node).range?.[0] ?? 0);
      problems.push(
        new KanegenError('malformed-yaml', `a ${isMap(node) ? 'map' : 'list'} cannot be a key`, {
          location: { file, line, column, path: '' },
          remedy: 'write a name before the colon; if this is a formula, quote it: "…"',
        }),
      );
    },
  });
  if (problems.length > 0) throw collected(problems);
}

function yamlError(error: YAMLError, text: string, file: string): KanegenError {
  const position = error.linePos?.[0] ?? { line: 1, col: 1 };
  const location = { file, line: position.line, column: position.col, path: '' };
  const message = error.message.replace(/ at line \d+, column \d+:[\s\S]*$/, '').replace(/^./, (c) => c.toLowerCase());
  if (error.code === 'DUPLICATE_KEY')
    return new KanegenError('duplicate-name', 'this key appears twice', {
      location,
      remedy: 'remove one of them, or rename it',
    });
  const line = text.split('\n')[position.line - 1] ?? '';
  const looksLikeFormula = /\?.*:|[[{].*\(/.test(line);
  const remedy = looksLikeFormula
    ? 'YAML splits this formula: quote this formula, "…"'
    : error.code === 'TAB_AS_INDENT'
      ? 'indent with spaces'
      : 'check the indentation, the brackets and the quotes of this line';
  return new KanegenError('malformed-yaml', `malformed YAML: ${message}`, { location, remedy });
}

function locate(
  document: Document,
  lines: LineCounter,
  text: string,
  file: string,
  path: Path,
  part: 'key' | 'value',
  offset?: number,
): SourceLocation {
  let node: unknown = document.contents;
  let key: unknown;
  let reached: unknown = node;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => keyText(item.key) === String(step));
      if (!pair) break;
      key = pair.key;
      node = resolved(document, pair.value);
    } else if (isSeq(node) && typeof step === 'number' && node.items[step] !== undefined) {
      node = resolved(document, node.items[step]);
      key = node;
    } else break;
    reached = node ?? key;
  }
  const target = (part === 'key' && key ? key : (reached ?? key)) as Node | undefined;
  const start = target?.range?.[0] ?? 0;
  const at = offset === undefined ? start : start + offsetInSource(target, text, offset);
  const { line, col } = lines.linePos(at);
  return { file, line: Math.max(line, 1), column: Math.max(col, 1), path: pathText(path) };
}

/** A key as it becomes the name of a property. */
function keyText(key: unknown): string {
  const value: unknown = isScalar(key) ? key.value : key;
  return value === null ? '' : String(value);
}

function resolved(document: Document, node: unknown): unknown {
  const alias = node as { resolve?: (document: Document) => Node | undefined } | null;
  return alias && typeof alias.resolve === 'function' ? alias.resolve(document) : node;
}

/** From an offset in the value of a scalar to one in its source: quotes, block headers and folded lines in between. */
function offsetInSource(node: Node | undefined, text: string, offset: number): number {
  if (!node?.range || !isScalar(node) || typeof node.value !== 'string') return 0;
  const [start, end] = node.range;
  const source = text.slice(start, end);
  const { value } = node;
  const direct = source.indexOf(value);
  if (direct >= 0) return direct + offset;
  // Line folding changes white space only: count the other characters.
  const header = /^[|>][^\n]*\n/.exec(source)?.[0].length ?? (/^['"]/.test(source) ? 1 : 0);
  const before = value.slice(0, offset).replace(/\s/g, '').length;
  let seen = 0;
  for (let i = header; i < source.length; i++) {
    if (/\s/.test(source[i]!)) continue;
    if (seen === before) return i;
    seen++;
  }
  return 0;
}
