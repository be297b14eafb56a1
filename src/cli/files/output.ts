/** Single files that commands read and write: whole or not at all. */
import { lstatSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MOST_BYTES, readRegularText, UnreadableFile } from '../../description/source/read-file.ts';
import { KanegenError } from '../../common/error.ts';
import { UsageError } from '../terminal/failure.ts';
import { makeFolder } from './folder.ts';
import { withStaging } from './staging.ts';

/** The error for what the file system says. */
export function cannotWrite(target: string, error: unknown): KanegenError {
  const reason = error instanceof Error ? error.message : String(error);
  return new KanegenError('cannot-write', `cannot write ${target}: ${reason}`, {
    remedy: 'choose another place with --out',
  });
}

/** Writes one file whole or not at all; behind a symbolic link, the file that it leads to. */
export function writeFileWhole(target: string, text: string): void {
  if (target === '') throw new UsageError('--out takes the name of a file, not an empty one');
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
    throw cannotWrite(target, error);
  }
}

/** Reads a text file of states. @throws KanegenError `cannot-read`. */
export function readText(file: string): string {
  try {
    return readRegularText(file, MOST_BYTES.states);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new KanegenError('cannot-read', `cannot read ${file}: ${error.message}`, { remedy: 'check the path' });
  }
}
