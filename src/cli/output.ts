/**
 * Files are written aside and renamed: a failure or Ctrl-C leaves what was there before, never half of something.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { KanegenError } from '../symbolic/error.ts';

export interface OutputFile {
  /** Relative to the output directory, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/**
 * Writes by way of a directory beside the target that is gone afterwards, whatever happens. Ctrl-C and termination wait
 * for the end and then take effect; at any other time they end the process at once, which a handler would prevent while
 * long computations run.
 */
function writeAside(target: string, write: (directory: string) => void): void {
  const ends = (['SIGINT', 'SIGTERM'] as const).map(
    (signal) => [signal, () => process.exit(128 + constants.signals[signal])] as const,
  );
  for (const [signal, end] of ends) process.on(signal, end);
  let directory: string | undefined;
  try {
    mkdirSync(path.dirname(target), { recursive: true });
    directory = mkdtempSync(path.join(path.dirname(target), `.${path.basename(target)}-`));
    write(directory);
  } catch (error) {
    throw failure(target, error);
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    // A signal that came meanwhile is delivered by the next round of the event loop.
    setImmediate(() => setImmediate(() => ends.forEach(([signal, end]) => process.off(signal, end))));
  }
}

function failure(target: string, error: unknown): KanegenError {
  const reason = error instanceof Error ? error.message : String(error);
  return new KanegenError('cannot-write', `cannot write ${target}: ${reason}`, {
    remedy: 'choose another place with --out',
  });
}

/** Writes one file whole or not at all. */
export function writeFileWhole(target: string, text: string): void {
  writeAside(target, (directory) => {
    const aside = path.join(directory, 'file');
    writeFileSync(aside, text);
    renameSync(aside, target);
  });
}

/** The mark of directories that kanegen wrote, and may therefore replace. */
const MARK = '.kanegen';

/**
 * Replaces a directory of generated files by another, whole or not at all.
 * @throws KanegenError `foreign-directory` when the target holds files that kanegen did not write.
 */
export function writeDirectoryWhole(target: string, files: readonly OutputFile[]): void {
  if (existsSync(target) && readdirSync(target).length > 0 && !existsSync(path.join(target, MARK)))
    throw new KanegenError('foreign-directory', `${target} exists and was not written by kanegen`, {
      remedy: 'choose an empty or new directory with --out; directories that kanegen wrote are replaced',
    });
  writeAside(target, (directory) => {
    const aside = path.join(directory, 'new');
    for (const file of [...files, { path: MARK, text: manifest(files) }]) {
      const place = path.join(aside, file.path);
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, file.text);
    }
    const old = path.join(directory, 'old');
    const replaces = existsSync(target);
    if (replaces) renameSync(target, old);
    try {
      renameSync(aside, target);
    } catch (error) {
      if (replaces) renameSync(old, target);
      throw error;
    }
  });
}

function manifest(files: readonly OutputFile[]): string {
  return `${['# Written by kanegen: this directory is replaced as a whole.', ...files.map((f) => f.path)].join('\n')}\n`;
}

/** Reads a text file. @throws KanegenError `cannot-read`. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message;
    throw new KanegenError('cannot-read', `cannot read ${file}: ${reason}`, { remedy: 'check the path' });
  }
}
