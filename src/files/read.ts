/** Text files that are read whole. */
import { UnreadableFile } from '../host/host.ts';
import { MOST_BYTES, readRegularText } from '../description/source/read-file.ts';
import { KanegenError } from '../common/error.ts';

/** Reads a text file of states or measurements. @throws KanegenError `cannot-read`. */
export function readText(file: string): string {
  try {
    return readRegularText(file, MOST_BYTES.states);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new KanegenError('cannot-read', `cannot read ${file}: ${error.message}`, { remedy: 'check the path' });
  }
}
