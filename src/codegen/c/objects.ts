/**
 * Objects of C sources, kept from one build to the next in the folder that KANEGEN_OBJECTS names, if any (the tests name one). An
 * object is found by all that it is made from: the source, the files that it includes, flags, compiler and processor.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, rename, utimes } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { GeneratedFile } from '../modules/robot-model.ts';

/** The name of the object of a source: in the folder of objects, or beside the source where there is none. */
export async function objectPlaces(
  compiler: string,
  flags: readonly string[],
  files: readonly GeneratedFile[],
): Promise<(source: string) => string> {
  const folder = process.env['KANEGEN_OBJECTS'];
  if (!folder) return (source) => source.replace(/\.c$/, '.o');
  await mkdir(folder, { recursive: true });
  const version = await versionOf(compiler);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const texts = new Map<string, string>();
  return (source) => {
    const key = JSON.stringify([version, flags, ...withIncluded(source, byPath, texts)]);
    return resolve(join(folder, `${createHash('sha256').update(key).digest('hex')}.o`));
  };
}

/**
 * @param compile writes the object of a source.
 * @returns the place of the object.
 */
export async function compileObject(
  source: string,
  place: string,
  compile: (source: string, object: string) => Promise<unknown>,
): Promise<string> {
  const isKept = place !== source.replace(/\.c$/, '.o');
  if (!isKept) await compile(source, place);
  else if (existsSync(place)) await utimes(place, new Date(), new Date());
  else {
    // Never half an object: others may read it at the same time.
    const partial = `${place}.${process.pid}.${(serial += 1)}`;
    await compile(source, partial);
    await rename(partial, place);
  }
  return place;
}

let serial = 0;

/** Paths and digests of a file and of all that it includes, in the order in which they are found. */
function withIncluded(
  source: string,
  files: ReadonlyMap<string, GeneratedFile>,
  digests: Map<string, string>,
): string[] {
  const found = [source];
  for (const path of found)
    for (const [, included] of files.get(path)!.text.matchAll(/^\s*#\s*include "(.*)"/gm))
      if (files.has(included!) && !found.includes(included!)) found.push(included!);
  return found.map((path) => {
    const known = digests.get(path) ?? createHash('sha256').update(files.get(path)!.text).digest('hex');
    digests.set(path, known);
    return `${path} ${known}`;
  });
}

const versions = new Map<string, Promise<string>>();

/** Of a compiler, of the headers of the system, and of the processor for which `-march=native` compiles. */
function versionOf(compiler: string): Promise<string> {
  const known = versions.get(compiler) ?? askVersion(compiler);
  versions.set(compiler, known);
  return known;
}

async function askVersion(compiler: string): Promise<string> {
  const { stdout = '' } = await promisify(execFile)(compiler, ['--version']).catch(() => ({ stdout: '' }));
  const headers = ['/usr/include/math.h', '/usr/include/stdio.h'].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs,
  );
  return JSON.stringify([compiler, stdout, headers, cpus()[0]?.model]);
}
