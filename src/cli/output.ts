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
import path from 'node:path';
import { KanegenError } from '../symbolic/error.ts';

export interface OutputFile {
  /** Relative to the output directory, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const unfinished = new Set<string>();
process.once('exit', () => unfinished.forEach((directory) => rmSync(directory, { recursive: true, force: true })));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

function besides(target: string): string {
  mkdirSync(path.dirname(target), { recursive: true });
  const directory = mkdtempSync(path.join(path.dirname(target), `.${path.basename(target)}-`));
  unfinished.add(directory);
  return directory;
}

function failure(target: string, error: unknown): KanegenError {
  const reason = error instanceof Error ? error.message : String(error);
  return new KanegenError('cannot-write', `cannot write ${target}: ${reason}`, {
    remedy: 'choose another place with --out',
  });
}

/** Writes one file whole or not at all. */
export function writeFileWhole(target: string, text: string): void {
  try {
    const directory = besides(target);
    const aside = path.join(directory, 'file');
    writeFileSync(aside, text);
    renameSync(aside, target);
    rmSync(directory, { recursive: true, force: true });
    unfinished.delete(directory);
  } catch (error) {
    throw failure(target, error);
  }
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
  try {
    const directory = besides(target);
    const aside = path.join(directory, 'new');
    for (const file of [...files, { path: MARK, text: manifest(files) }]) {
      const place = path.join(aside, file.path);
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, file.text);
    }
    if (existsSync(target)) renameSync(target, path.join(directory, 'old'));
    renameSync(aside, target);
    rmSync(directory, { recursive: true, force: true });
    unfinished.delete(directory);
  } catch (error) {
    throw failure(target, error);
  }
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
