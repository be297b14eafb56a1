/**
 * kanegen in a page or a worker: robots from texts or addresses, with the verbs that they have on Node. What needs a file system or other programs (C
 * compilers, nerdamer, encoders of films) is missing and throws `not-in-browser`.
 *
 * ```ts
 * import { load } from 'kanegen/browser';
 * const robot = await load(text, { fileName: 'arm.robot.yaml' });
 * const files = await (await robot.compile()).files({ target: 'c' });
 * ```
 * @module
 */
import { KanegenError } from '../common/error.ts';
import { demandOptions } from '../common/options.ts';
import { robotFrom, type RobotOptions } from '../api/load.ts';
import type { SymbolicRobot } from '../api/robot.ts';
import { giveFiles, missedFiles } from '../host/browser.ts';

/** How a robot is loaded in a page. */
export interface BrowserOptions extends RobotOptions {
  /** Files that the robot names (imports, meshes, networks, URDF files), by their paths relative to its own. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Where a text would be: files that it names and that are not among `files` are fetched from beside it. */
  readonly base?: URL;
}

/** Files of one robot that are fetched, at most. */
const MOST_FILES = 100;

/**
 * Loads a robot.
 * @param source its text, the same thing as an object, or an address: the files that it names are then fetched from beside it.
 * @throws KanegenError with every problem of the robot, each with its place; `missing-file` of an address that answers nothing.
 */
export async function load(source: string | object | URL, options: BrowserOptions = {}): Promise<SymbolicRobot> {
  demandOptions(options);
  const base = source instanceof URL ? source : options.base;
  if (!base) return given(source, options);
  const { fileName = decodeURIComponent(base.pathname.replace(/^.*\//, '')) || 'robot.yaml' } = options;
  const robot = source instanceof URL ? new TextDecoder().decode(await bytesAt(source)) : source;
  const files: Record<string, string | Uint8Array> = { ...options.files };
  for (let count = 0; ; count++) {
    try {
      return given(robot, { ...options, fileName, files });
    } catch (error) {
      const missing = missedFiles();
      if (missing.length === 0 || count >= MOST_FILES) throw error;
      for (const path of missing)
        try {
          files[path] = await bytesAt(new URL(`.${encodeURI(path)}`, base));
        } catch {
          // The problem that was found says which file is missing, and where it is named.
          throw error;
        }
    }
  }
}

function given(source: string | object, { files = {}, ...options }: BrowserOptions): SymbolicRobot {
  const { fileName = 'robot.yaml' } = options;
  const all = new Map(Object.entries(files));
  if (typeof source !== 'string') {
    giveFiles(all);
    return robotFrom(source, options);
  }
  giveFiles(all.set(fileName, source));
  // A text has more than one line: a single one would be the path of a file.
  return robotFrom(source.includes('\n') ? source : `${source}\n`, { ...options, fileName });
}

/** @throws KanegenError `missing-file` */
async function bytesAt(url: URL): Promise<Uint8Array> {
  const missing = (reason: string): KanegenError =>
    new KanegenError('missing-file', `${url.href}: ${reason}`, { remedy: 'check the address' });
  const response = await fetch(url).catch((error: unknown) => {
    throw missing((error as Error).message);
  });
  if (!response.ok) throw missing(`the server answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export { KanegenError, type ErrorOptions, type SourceLocation } from '../common/error.ts';
export { formatError } from '../description/source/diagnostics.ts';
export { robotFileJsonSchema } from '../description/language/json-schema.ts';
export { RobotShape } from '../report/robot-shape.ts';
export type { RobotOptions } from '../api/load.ts';
export type { SymbolicRobot } from '../api/robot.ts';
export type { RobotCode, CompileOptions, FileOptions, RunningRobot } from '../api/code.ts';
export type { GeneratedFile } from '../codegen/modules/robot-model.ts';
