/** Are files as they were when a robot was read from them? */
import { readFile, type ReadFile } from './files.ts';
import { MOST_BYTES, readRegularFile, UnreadableFile } from './read-file.ts';

/** @param files with their hashes of then. */
export function sameFiles(files: readonly ReadFile[]): boolean {
  return files.every(({ path, hash }) => {
    try {
      return readFile(path, readRegularFile(path, Math.max(...Object.values(MOST_BYTES)))).hash === hash;
    } catch (error) {
      if (error instanceof UnreadableFile) return false;
      throw error;
    }
  });
}
