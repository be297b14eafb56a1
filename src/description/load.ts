/**
 * Loading: a robot file, its text, or the same thing as an object → Robot, or every mistake in it at once.
 */
import { host } from '#host';
import { KanegenError } from '../common/error.ts';
import { withinTime } from '../common/work-limit.ts';
import { UnreadableFile } from '../host/host.ts';
import { Assembly } from './assembly.ts';
import { Catalogue } from './catalogue.ts';
import { Problems } from './source/diagnostics.ts';
import { readFile, type ReadFile } from './source/files.ts';
import { MOST_BYTES, textOf } from './source/read-file.ts';
import type { Robot } from './model/robot.ts';
import { objectDocument, yamlDocument, type SourceDocument } from './source/source.ts';

export interface LoadOptions {
  /**
   * Folder that all files must lie in that the robot file names, and those that these name: imports, URDF files, meshes, networks,
   * symbolic links followed. For files of people who are not trusted; anywhere when missing.
   */
  readonly within?: string;
  /** Values of robot parameters in place of those in the file: `{ E: '2 MPa' }`. */
  readonly set?: Readonly<Record<string, string>>;
  /** Parameters of the robot that are known at run time only, as if the file said `runtime: true`. */
  readonly keep?: readonly string[];
  /** Names of kinds of warnings that are meant so, beside those that the file names. */
  readonly silence?: readonly string[];
}

/** @throws KanegenError with all problems of the file and of the files it imports. */
export function loadRobotFile(path: string, options: LoadOptions = {}): Robot {
  let bytes: Uint8Array;
  try {
    bytes = host.readFile(path, MOST_BYTES.robot);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new KanegenError(error.code, `${path}: ${error.message}`, {
      remedy: 'give the path of a robot file, such as arm.robot.yaml',
    });
  }
  return load(yamlDocument(textOf(bytes), path), options, readFile(path, bytes));
}

/**
 * @param fileName - shown in messages; imports are relative to its directory.
 * @throws KanegenError with all problems of the text and of the files it imports.
 */
export function loadRobotText(text: string, fileName: string, options: LoadOptions = {}): Robot {
  if (typeof text !== 'string')
    throw new KanegenError(
      'wrong-shape',
      `expected the text of a robot file, not ${text === null ? 'null' : `a ${typeof text}`}`,
    );
  return load(yamlDocument(text, fileName), options);
}

/**
 * The same language from TypeScript: formulas and quantities are strings, bare numbers SI.
 * @throws KanegenError whose locations have a path of keys only.
 */
export function loadRobotObject(object: unknown, options: LoadOptions = {}): Robot {
  return load(objectDocument(object), options);
}

/** @throws KanegenError where options are not what they should be: those of JavaScript may be anything. */
function checked({ set, keep, within }: LoadOptions): void {
  const wrong = (path: string, due: string): KanegenError =>
    new KanegenError('wrong-shape', `\`${path}\` takes ${due}`, { location: { file: '', line: 0, column: 0, path } });
  const isMap = typeof set === 'object' && set !== null && !Array.isArray(set);
  if (set !== undefined && !(isMap && Object.values(set).every((value) => ['string', 'number'].includes(typeof value))))
    throw wrong('set', 'a map of values by the names of parameters');
  if (within !== undefined && typeof within !== 'string') throw wrong('within', 'the path of a folder');
  if (keep !== undefined && !(Array.isArray(keep) && keep.every((name) => typeof name === 'string')))
    throw wrong('keep', 'a list of names of parameters');
}

function load(document: SourceDocument, given: LoadOptions | null, main?: ReadFile): Robot {
  const options = given ?? {};
  checked(options);
  const tooSlow = (seconds: number): KanegenError =>
    new KanegenError('too-slow', `reading this file takes more than ${seconds} s of the processor`, {
      remedy: 'write shorter formulas, or allow more time with --max-seconds',
      location: document.locate([], 'value'),
    });
  return withinTime(tooSlow, () => loadWithinTime(document, options, main));
}

function loadWithinTime(document: SourceDocument, options: LoadOptions, main?: ReadFile): Robot {
  const problems = new Problems();
  const { catalogue, files } = Catalogue.forRobot(document, problems, options.within);
  if (main) files.note(main);
  const assembly = new Assembly(
    catalogue,
    document,
    problems,
    {
      settings: new Map(Object.entries(options.set ?? {})),
      kept: new Set(options.keep),
    },
    options.silence,
  );
  const robot = assembly.build();
  problems.finish();
  const hash = sourceHash(files.contents, options);
  // Of a text or an object nobody can say later whether it is the same.
  return { ...robot!, source: { file: host.paths.basename(document.file), hash, ...(main && { read: files.read }) } };
}

/** SHA-256 over all files that went into the robot, and what was set from outside. */
function sourceHash(contents: readonly (string | Uint8Array)[], { set = {}, keep = [] }: LoadOptions): string {
  const hash = host.sha256();
  for (const part of contents) hash.update(typeof part === 'string' ? part.replace(/\r\n/g, '\n') : part).update('\0');
  for (const [name, value] of Object.entries(set).sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${name}=${value}\0`);
  for (const name of [...keep].sort()) hash.update(`${name}\0`);
  return hash.digest('hex');
}
