/**
 * The structure of a document held against the schema: every wrong key and shape as an error that says where it is, what is
 * due there and what to write instead.
 */
import * as z from 'zod';
import type { KanegenError } from '../../common/error.ts';
import { nearest } from '../../common/nearest.ts';
import { robotFile, type RobotFile } from './schema.ts';
import { FORMULA } from './schema-values.ts';
import { takenApart } from './taken-apart.ts';
import { wrongLength } from '../values/scope.ts';
import { collected } from '../source/diagnostics.ts';
import { Place, type Path, type SourceDocument } from '../source/source.ts';

/** Parts of the language that are designed and not there yet. */
const PLANNED: ReadonlyMap<string, string> = new Map([['shape', 'sections of arbitrary shape']]);

type Issue = z.core.$ZodIssue;

function isContainer(data: unknown): data is object {
  return typeof data === 'object' && data !== null;
}

function dataAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      isContainer(inner) && Object.hasOwn(inner, key) ? (inner as Record<string | number, unknown>)[key] : undefined,
    data,
  );
}

function kindOf(data: unknown): string {
  if (data === undefined) return 'nothing';
  if (data === null) return 'an empty value';
  if (Array.isArray(data)) return `a list of ${data.length}`;
  if (typeof data === 'object') return 'a map';
  return typeof data === 'boolean' ? `\`${String(data)}\`` : `the ${typeof data} \`${String(data).slice(0, 40)}\``;
}

/** A kind of file: what it is held against. */
export interface FileKind<T> {
  readonly schema: z.ZodType<T>;
  /** `robot file` */
  readonly name: string;
  /** The key that gives the version of the format, 1 by now. */
  readonly version: string;
  /** By keys of the file that take no map: what to write where one is given, because another key is meant. */
  readonly maps?: Readonly<Record<string, string>>;
}

const ROBOT_FILE: FileKind<RobotFile> = { schema: robotFile, name: 'robot file', version: 'kanegen' };

/** Keys that tell kinds of files apart. */
const VERSIONS: readonly (readonly [version: string, name: string])[] = [
  ['kanegen', 'robot file'],
  ['kanegen-scenario', 'scenario file'],
];

/** A document as a file of some kind. */
interface Inspection {
  readonly kind: FileKind<unknown>;
  readonly place: Place;
  readonly data: unknown;
}

/** The keys a strict object at `path` may have, read from the schema itself. */
function knownKeys(root: unknown, path: Path): string[] {
  let schema = root;
  for (const key of path) schema = descend(schema, key);
  return objectsOf(schema).flatMap((object) => Object.keys(object.shape));
}

function unwrap(schema: unknown): z.ZodType[] {
  if (schema instanceof z.ZodOptional) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unwrap(option));
  return schema instanceof z.ZodType ? [schema] : [];
}

function objectsOf(schema: unknown): z.ZodObject[] {
  return unwrap(schema).filter((part): part is z.ZodObject => part instanceof z.ZodObject);
}

function descend(schema: unknown, key: string | number): unknown {
  for (const part of unwrap(schema)) {
    if (part instanceof z.ZodObject && Object.hasOwn(part.shape, key)) return part.shape[key];
    if (part instanceof z.ZodRecord) return part.valueType;
    if (part instanceof z.ZodArray) return part.element;
  }
  return undefined;
}

const LIKE_A_FORMULA = /\s\?|[<>(*+]/;

function unknownKey({ kind, place, data }: Inspection, key: string, path: Path): KanegenError {
  const at = place.at(...path, key);
  const planned = PLANNED.get(key);
  if (planned)
    return at.keyError('not-supported', `\`${key}\`: ${planned} are not supported yet`, 'remove this key for now');
  if (LIKE_A_FORMULA.test(key)) return unquoted(place.at(...path));
  return at.keyError('unknown-key', `unknown key \`${key}\``, remedyForKey(kind.schema, data, key, path));
}

function remedyForKey(schema: unknown, data: unknown, key: string, path: Path): string {
  const known = knownKeys(schema, path);
  const elsewhere = elsewhereFor(schema, data, key, path);
  if (elsewhere) return elsewhere;
  const close = nearest(key, known);
  return close ? `did you mean \`${close}\`?` : `known here: ${known.join(', ')}`;
}

/** Where a key belongs that is unknown where it stands; undefined where it is none of the keys around. */
function elsewhereFor(schema: unknown, data: unknown, key: string, path: Path): string | undefined {
  const inner = knownKeys(schema, path).filter((outer) => knownKeys(schema, [...path, outer]).includes(key));
  if (inner.length > 0 && inner.length < 4)
    return `write it within ${inner.map((outer) => `\`${outer}:\``).join(' or ')}`;
  const parent = path.at(-1);
  const outside = path.slice(0, -1);
  // What stands there already is not meant a second time.
  const isFree = !Object.hasOwn(Object(dataAt(data, outside)) as object, key);
  const isOutside = typeof parent === 'string' && isFree && knownKeys(schema, outside).includes(key);
  return isOutside ? `write it beside \`${parent}:\`, not within` : undefined;
}

function unquoted(place: Place): KanegenError {
  return place.error('unquoted-formula', 'YAML read this formula as a map or a list', 'quote this formula: "…"');
}

/** What is missing where a key like it is unknown is told once. */
function problemsOfAll(issues: readonly Issue[], base: Path, inspection: Inspection): KanegenError[] {
  const { kind, data } = inspection;
  const pathOf = (issue: Issue): Path => [...base, ...(issue.path as Path)];
  const meant = issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [];
    const path = pathOf(issue);
    const misspelt = issue.keys.filter((key) => elsewhereFor(kind.schema, data, key, path) === undefined);
    return misspelt.map((key) => [...path, nearest(key, knownKeys(kind.schema, path))].join('\n'));
  });
  /** Bounds of another type say nothing beside it. */
  const isTyped = ({ code, path }: Issue): boolean =>
    !code.startsWith('too_') ||
    issues.every((other) => other.code !== 'invalid_type' || other.path.join('\n') !== path.join('\n'));
  return issues
    .filter(isTyped)
    .filter((issue) => !meant.includes(pathOf(issue).join('\n')) || dataAt(data, pathOf(issue)) !== undefined)
    .flatMap((issue) => problemsOf(issue, base, inspection));
}

/** Every problem behind one issue: unions are followed into the alternative that was meant. */
function problemsOf(issue: Issue, base: Path, inspection: Inspection): KanegenError[] {
  const { kind, place, data } = inspection;
  const path: Path = [...base, ...(issue.path as Path)];
  const input = dataAt(data, path);
  const at = place.at(...path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(inspection, key, path));
    case 'invalid_union':
      return unionProblems(issue, path, inspection, at, input);
    case 'too_big':
    case 'too_small':
      if (Array.isArray(input) && issue.origin === 'array')
        return [wrongLength(at, input, Number('maximum' in issue ? issue.maximum : issue.minimum))];
      return [outOfRange(issue, at, input)];
    case 'invalid_value': {
      const choices = issue.values.map((choice) => `\`${String(choice)}\``).join(', ');
      if (path.length === 1 && path[0] === kind.version) return [formatVersion(kind, at, input)];
      if (input === undefined) return [wrongType(at, path, input, `one of ${choices}`)];
      const close = typeof input === 'string' ? nearest(input, issue.values.map(String)) : undefined;
      const remedy =
        close === undefined ? `write \`${String(issue.values[0])}\`, for example` : `did you mean \`${close}\`?`;
      return [at.error('wrong-value', `expected one of ${choices}, not ${kindOf(input)}`, remedy)];
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_type':
    case 'not_multiple_of': {
      const expected = expectedText(issue);
      const known = expected === 'a map' ? knownKeys(kind.schema, path) : [];
      return [
        wrongType(
          at,
          path,
          input,
          expected,
          known.length > 0 ? `keys of it: ${known.join(', ')}` : shapeRemedy(expected, input),
        ),
      ];
    }
  }
}

function outOfRange(issue: Issue & { code: 'too_big' | 'too_small' }, at: Place, input: unknown): KanegenError {
  const isSmall = issue.code === 'too_small';
  const bound = isSmall ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  return at.error(
    'wrong-value',
    `${kindOf(input)} is out of range: expected ${bound}`,
    isSmall ? `write ${issue.minimum} or more` : `write ${issue.maximum} or less`,
  );
}

/** How to write the shape that is due. */
function shapeRemedy(expected: string, input: unknown): string | undefined {
  if (expected === 'a list') {
    if (isContainer(input)) return 'begin each entry with `- `, or write [{ … }, { … }]';
    return input === null || input === undefined ? 'write [ … ]' : `write [${String(input).slice(0, 40)}]`;
  }
  const remedies: Readonly<Record<string, string>> = {
    'a map': Array.isArray(input) ? 'give each entry a name, `NAME: …` instead of `- …`' : 'write { NAME: … }',
    'a text': 'write one text; quote numbers and texts with commas',
    'true or false': 'write true or false, without quotes',
    'a whole number': 'write a whole number, without a unit or quotes',
  };
  return remedies[expected];
}

function formatVersion({ version }: FileKind<unknown>, at: Place, input: unknown): KanegenError {
  return input === undefined
    ? at.error('missing-key', 'the version of the format is missing', `begin the file with \`${version}: 1\``)
    : at.error(
        'unsupported-version',
        input === null
          ? 'no format version is given'
          : typeof input === 'number'
            ? `format version ${input} is not known`
            : `the format version must be a number, not ${kindOf(input)}`,
        `write \`${version}: 1\``,
      );
}

function expectedText(issue: Issue): string {
  const names: Record<string, string> = {
    object: 'a map',
    record: 'a map',
    array: 'a list',
    string: 'a text',
    boolean: 'true or false',
    int: 'a whole number',
  };
  return issue.code === 'invalid_type' ? (names[issue.expected] ?? `a ${issue.expected}`) : issue.message;
}

function wrongType(at: Place, path: Path, input: unknown, expected: string, remedy?: string): KanegenError {
  const key = path[path.length - 1];
  if (input === undefined)
    return at.error('missing-key', `\`${String(key)}\` is missing`, `give \`${String(key)}\`: ${expected}`);
  if (typeof input === 'number' && !Number.isFinite(input))
    return at.error('not-finite', `${input} is not a finite number`, 'write a finite number');
  return at.error('wrong-shape', `expected ${expected}, not ${kindOf(input)}`, remedy);
}

function unionProblems(
  issue: Issue & { code: 'invalid_union' },
  path: Path,
  inspection: Inspection,
  at: Place,
  input: unknown,
): KanegenError[] {
  if (isContainer(input)) {
    // The alternative whose outer shape fits is the one that was meant; among several the one with fewest mistakes.
    const mayBeFormula = [issue, ...issue.errors.flat()].some((own) => own.message === FORMULA);
    if (mayBeFormula && Object.keys(input).some((key) => LIKE_A_FORMULA.test(key))) return [unquoted(at)];
    const fitting = issue.errors.filter(fits);
    fitting.sort((a, b) => weight(a) - weight(b));
    if (fitting[0]) return problemsOfAll(fitting[0], path, inspection);
    // Formulas in braces are keys without values.
    if (mayBeFormula && (Array.isArray(input) || Object.values(input).includes(null))) return [unquoted(at)];
  }
  const { maps } = inspection.kind;
  const [key, ...deeper] = path;
  return [
    wrongType(at, path, input, issue.message, deeper.length === 0 && isContainer(input) ? maps?.[key!] : undefined),
  ];
}

/** Is what is wrong with this alternative somewhere inside of it? */
function fits(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every((own) => {
    if (own.path.length > 0) return true;
    if (own.code === 'invalid_union') return own.errors.some(fits);
    return own.code !== 'invalid_type' && own.code !== 'invalid_value';
  });
}

function weight(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((total, issue) => total + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

/**
 * The data of a document as a robot file.
 * @throws KanegenError with every problem of structure: `unknown-key`, `not-supported`, `wrong-shape`, `missing-key`,
 * `unquoted-formula`, `wrong-value`, `unsupported-version`.
 */
export function checkStructure(document: SourceDocument): RobotFile {
  return checkFile(document, ROBOT_FILE);
}

/** The same for a kind of file. */
export function checkFile<T>(document: SourceDocument, kind: FileKind<T>): T {
  const place = new Place(document);
  const { data } = document;
  if (typeof data === 'string' && /^\s*</.test(data))
    throw place.error(
      'wrong-shape',
      `a ${kind.name} is YAML; this is XML`,
      'convert URDF to a robot file with `kanegen import FILE.urdf`',
    );
  if (!isContainer(data) || Array.isArray(data))
    throw place.error(
      'wrong-shape',
      `a ${kind.name} is a map of keys, not ${kindOf(data)}`,
      `begin the file with \`${kind.version}: 1\``,
    );
  const other = VERSIONS.find(([version]) => version !== kind.version && Object.hasOwn(data, version));
  if (other && !Object.hasOwn(data, kind.version)) {
    const [version, name] = other;
    throw place
      .at(version)
      .keyError(
        'wrong-shape',
        `expected a ${kind.name}, not a ${name}`,
        `give a file that begins with \`${kind.version}: 1\``,
      );
  }
  const apart = takenApart(place, data);
  const result = kind.schema.safeParse(data);
  // The data itself, not the copy of the schema: nothing is transformed, and no key may get lost on the way.
  if (result.success && apart.length === 0) return data as T;
  const isWithin = (path: Path): boolean => apart.some((map) => map.path.every((key, i) => path[i] === key));
  const issues = result.error?.issues.filter(({ path }) => !isWithin(path as Path)) ?? [];
  throw collected([...apart.map(({ problem }) => problem), ...problemsOfAll(issues, [], { kind, place, data })]);
}
