/**
 * Robots that were compiled before: their code in the memory of the process, and in a folder where one is given. Found by
 * what a robot says and by the version of kanegen, so that nothing in the folder is ever out of date.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { Robot } from '../../description/model/robot.ts';
import { KanegenError } from '../../common/error.ts';
import { RecentMap } from '../../common/recent-map.ts';
import { robotDigest } from '../modules/robot-digest.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { loadModules, modulesOf, type LoadedRobot } from './load.ts';

/** So many are at hand: studies that change what is compiled go through thousands. */
const inMemory = new RecentMap<string, Promise<() => LoadedRobot>>(64);

/**
 * The factory of a robot, each call of which gives one with a workspace of its own.
 * @param generate makes the TypeScript of the robot.
 * @param folder where JavaScript is kept from one process to the next; what stands there is run.
 * @throws KanegenError of `generate`, or `cannot-write` where the folder cannot be written.
 */
export function loadCached(
  robot: Robot,
  generate: () => Promise<readonly GeneratedFile[]>,
  folder?: string,
  variant = '',
): Promise<() => LoadedRobot> {
  const digest = `${robotDigest(robot)}${variant}`;
  const known = inMemory.get(digest);
  if (known) return known;
  const loaded = load(digest, generate, folder);
  inMemory.set(digest, loaded);
  // What failed is tried again.
  loaded.catch(() => {
    inMemory.delete(digest);
  });
  return loaded;
}

async function load(
  digest: string,
  generate: () => Promise<readonly GeneratedFile[]>,
  folder: string | undefined,
): Promise<() => LoadedRobot> {
  const place = folder === undefined ? undefined : join(folder, `${digest}.json`);
  const found = place === undefined ? undefined : read(place);
  if (found) return loadModules(found);
  const modules = modulesOf(await generate());
  if (place !== undefined) write(folder!, place, JSON.stringify({ checksum: checksum(modules), modules }));
  return loadModules(modules);
}

/** The modules in a file; undefined where there is none, or not what was written. */
function read(place: string): readonly GeneratedFile[] | undefined {
  try {
    const kept = JSON.parse(readFileSync(place, 'utf8')) as { readonly checksum: unknown; readonly modules: unknown };
    return isModules(kept.modules) && checksum(kept.modules) === kept.checksum ? kept.modules : undefined;
  } catch {
    return undefined;
  }
}

/** Of damage; it keeps nobody out who may write there. */
function checksum(modules: readonly GeneratedFile[]): string {
  const hash = createHash('sha256');
  for (const { path, text } of modules) hash.update(`${path}\0${text}\0`);
  return hash.digest('hex');
}

function isModules(value: unknown): value is readonly GeneratedFile[] {
  const isText = (part: unknown): boolean => typeof part === 'string';
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part: Partial<GeneratedFile> | null) => isText(part?.path) && isText(part?.text))
  );
}

/** Never half a file: others may read it at the same time. */
function write(folder: string, place: string, text: string): void {
  // Threads of a process are others, too.
  const partial = `${place}.${process.pid}.${threadId}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(partial, text);
    renameSync(partial, place);
  } catch (error) {
    if (existsSync(partial)) rmSync(partial);
    throw new KanegenError('cannot-write', `the cache ${folder} cannot be written: ${(error as Error).message}`, {
      remedy: 'give a folder that may be written as `cache`, or none',
    });
  }
}
