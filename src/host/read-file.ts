/**
 * Reading of files that users name: regular ones of bounded size. Pipes and devices are refused before a byte is read, since
 * nobody says that they end; a file that grows while it is read is met by the same bound.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { UnreadableFile } from './host.ts';

/** @throws UnreadableFile @see Host.readFile */
export function readRegularFile(path: string, most: number): Buffer {
  // `-` stands for standard input.
  if (path === '-') return standardInput(most);
  let descriptor: number | undefined;
  try {
    // Opening a pipe would wait for its writer.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(descriptor);
    if (found.isDirectory()) throw new UnreadableFile('missing-file', 'it is a directory');
    if (!found.isFile()) throw new UnreadableFile('missing-file', 'it is a pipe or a device, not a file');
    return readAtMost(descriptor, found.size, most);
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const { code } = error as { code?: string };
    throw new UnreadableFile(
      'missing-file',
      code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? 'unknown reason'})`,
    );
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

let fromStandardInput: Buffer | undefined;

/** Read once: commands read a robot more often. */
function standardInput(most: number): Buffer {
  try {
    fromStandardInput ??= readAtMost(0, 0, most);
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const { code } = error as { code?: string };
    throw new UnreadableFile('missing-file', `standard input cannot be read (${code ?? 'unknown reason'})`);
  }
  return fromStandardInput;
}

/** @param size what the file system says; 0 for files that the system makes up while they are read. */
function readAtMost(descriptor: number, size: number, most: number): Buffer {
  if (size > most) throw UnreadableFile.tooLarge(most);
  const parts: Buffer[] = [];
  let total = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(Math.max(size - total, 65_536));
    const count = readSync(descriptor, part, 0, part.length, null);
    if (count === 0) return Buffer.concat(parts, total);
    parts.push(part.subarray(0, count));
    total += count;
    if (total > most) throw UnreadableFile.tooLarge(most);
  }
}
