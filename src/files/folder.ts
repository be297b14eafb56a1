/** Folders that are made with those above them, and what is said where something cannot be written. */
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { KanegenError } from '../common/error.ts';

/**
 * One by one: where the system makes no folders at all (/proc), Node tries for ever to make them at a time.
 * @returns the first that was made, undefined where all are there.
 * @throws what the file system says.
 */
export function makeFolder(folder: string): string | undefined {
  if (lstatSync(folder, { throwIfNoEntry: false })) return undefined;
  const above = path.dirname(folder);
  const first = above === folder ? undefined : makeFolder(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been faster.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
  return first ?? folder;
}

/** The error for what the file system says. @param option that gave the target. */
export function cannotWrite(target: string, error: unknown, option = '--out'): KanegenError {
  const reason = error instanceof Error ? error.message : String(error);
  return new KanegenError('cannot-write', `cannot write ${target}: ${reason}`, {
    remedy: `choose another place with ${option}`,
  });
}
