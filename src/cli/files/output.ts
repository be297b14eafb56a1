/** Single files that commands read and write: whole or not at all. */
import {
  accessSync,
  constants,
  lstatSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KanegenError } from '../../common/error.ts';
import { UsageError } from '../terminal/failure.ts';
import { cannotWrite, makeFolder } from '../../files/folder.ts';
import { checkFolder } from '../../files/generated-folder.ts';
import { withStaging } from '../../files/staging.ts';

/**
 * What is wrong with a place for a file before anything is computed for it: nothing is written.
 * @throws KanegenError `cannot-write`. @throws UsageError without a name.
 */
export function checkFile(target: string, option = '--out'): void {
  if (target === '') throw new UsageError(`${option} takes the name of a file, not an empty one`);
  try {
    const found = statSync(target, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Error('it is a directory');
    if (found && !found.isFile()) return accessSync(target, constants.W_OK);
    // A file that is replaced whole needs its folder, and one that is missing the first folder above that is there.
    let folder = path.dirname(found ? realpathSync(target) : path.resolve(target));
    while (!statSync(folder, { throwIfNoEntry: false })) folder = path.dirname(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw cannotWrite(target, error, option);
  }
}

/** Do both names lead to one file that is there? */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => statSync(name, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** Writes one file whole or not at all; behind a symbolic link, the file that it leads to. */
export function writeFileWhole(target: string, text: string | Uint8Array, option = '--out'): void {
  if (target === '') throw new UsageError(`${option} takes the name of a file, not an empty one`);
  try {
    const place = lstatSync(target, { throwIfNoEntry: false }) ? realpathSync(target) : path.resolve(target);
    const found = statSync(place, { throwIfNoEntry: false });
    // A device or a pipe is written to, not replaced.
    if (found && !found.isFile()) return writeFileSync(place, text);
    makeFolder(path.dirname(place));
    withStaging(path.dirname(place), (staging) => {
      const aside = path.join(staging, 'file');
      writeFileSync(aside, text);
      renameSync(aside, place);
    });
  } catch (error) {
    throw cannotWrite(target, error, option);
  }
}

/**
 * The same for what took long to compute: where it cannot be written, it is kept in a folder of its own for temporary files.
 * @throws KanegenError `cannot-write` naming that.
 */
export function writeFileOrKeep(target: string, text: string | Uint8Array, option: string): void {
  try {
    writeFileWhole(target, text, option);
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    let kept: string;
    try {
      kept = path.join(mkdtempSync(path.join(tmpdir(), 'kanegen-')), path.basename(target));
      writeFileSync(kept, text);
    } catch {
      throw error;
    }
    throw new KanegenError(error.code, error.message, { remedy: `the content is in ${kept}` });
  }
}

/** What is wrong with the folder of `--out` before anything is computed for it. @throws KanegenError `not-a-directory`. @throws UsageError without a name. */
export function checkOutFolder(folder: string): void {
  if (folder === '') throw new UsageError('--out takes a directory, not an empty name; . is the current one');
  checkFolder(folder);
}
