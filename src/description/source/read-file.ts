/** Reading of files that users name: regular ones of bounded size. */
import { host } from '#host';

/** Most bytes of each kind of file: far more than any of them needs, and little enough to hold in memory. */
export const MOST_BYTES = { robot: 4e6, urdf: 64e6, data: 256e6, states: 256e6 } as const;

/** What stands for standard input among files; `./-` is a file of that name. */
export const STANDARD_INPUT = '-';

/** The text of bytes: UTF-8, or UTF-16 by its byte order mark, which some editors and shells begin files with. */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** The text of a file. @throws UnreadableFile */
export function readRegularText(path: string, most: number): string {
  return textOf(host.readFile(path, most));
}
