/**
 * Files that robot files mention by path: found relative to the file that mentions them, read once, and part of the sources
 * of the robot.
 */
import { host } from '#host';
import { UnreadableFile } from '../../host/host.ts';
import { MOST_BYTES, textOf } from './read-file.ts';
import type { Place } from './source.ts';

export interface MentionedFile {
  /** As messages show it. */
  readonly shown: string;
  /** Identity of the file, whatever way it was mentioned. */
  readonly path: string;
}

/** A file that went into a robot, as it was then. */
export interface ReadFile {
  /** Absolute. */
  readonly path: string;
  /** SHA-256 of its bytes in hexadecimal. */
  readonly hash: string;
}

export function readFile(path: string, bytes: Uint8Array): ReadFile {
  return { path: host.paths.resolve(path), hash: host.sha256().update(bytes).digest('hex') };
}

/** Are files as they were when a robot was read from them? */
export function sameFiles(files: readonly ReadFile[]): boolean {
  return files.every(({ path, hash }) => {
    try {
      return readFile(path, host.readFile(path, MOST_BYTES.data)).hash === hash;
    } catch (error) {
      if (error instanceof UnreadableFile) return false;
      throw error;
    }
  });
}

/** All that went into one robot, in order of first use. */
export class SourceFiles {
  private readonly parts: (string | Uint8Array)[] = [];
  private readonly files: ReadFile[] = [];
  private readonly binary = new Map<string, Uint8Array>();
  /** The folder that they must lie in, symbolic links followed; undefined: anywhere. */
  private readonly within: string | undefined;

  constructor(within?: string) {
    this.within = within === undefined ? undefined : host.realPath(host.paths.resolve(within));
  }

  /** Texts and bytes of which the hash of the robot's sources is made. */
  get contents(): readonly (string | Uint8Array)[] {
    return this.parts;
  }

  /** The files, without those of the library. */
  get read(): readonly ReadFile[] {
    return this.files;
  }

  /** Notes a file that somebody else read. */
  note(file: ReadFile): void {
    this.files.push(file);
  }

  /** Notes a text that is part of the robot. */
  add(text: string): void {
    this.parts.push(text);
  }

  /**
   * The file that `at` mentions.
   * @throws KanegenError `not-supported` for addresses, `outside` where it may not lie.
   */
  find(at: Place, file: string): MentionedFile {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(file))
      throw at.error('not-supported', `${file} is an address, not a file`, 'write a path relative to this file');
    const { dirname, isAbsolute, join, relative, resolve, sep } = host.paths;
    const shown = isAbsolute(file) ? file : join(dirname(at.document.file || '.'), file);
    const path = host.realPath(resolve(shown));
    const way = this.within === undefined ? '' : relative(this.within, path);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
      throw at.error('outside', `${file} is outside ${this.within}`, 'name a file in this folder');
    return { shown, path };
  }

  /** @throws KanegenError `missing-file`, `file-too-large`. */
  text(at: Place, file: string, kind: 'robot' | 'urdf' = 'robot'): string {
    return textOf(this.open(at, file, MOST_BYTES[kind]));
  }

  /**
   * The bytes of a file that is not text of the language: a mesh, a network. Part of the sources.
   * @throws KanegenError `missing-file`, `file-too-large`, `not-supported` for addresses.
   */
  bytes(at: Place, file: string): Uint8Array {
    const { path } = this.find(at, file);
    const known = this.binary.get(path);
    if (known) return known;
    const bytes = this.open(at, file, MOST_BYTES.data);
    this.binary.set(path, bytes);
    this.parts.push(bytes);
    return bytes;
  }

  private open(at: Place, file: string, most: number): Uint8Array {
    const { path, shown } = this.find(at, file);
    try {
      const bytes = host.readFile(path, most);
      // By the way that was taken: links may lead elsewhere later.
      this.files.push(readFile(shown, bytes));
      return bytes;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      throw at.error(error.code, `${file}: ${error.message}`, 'files are relative to the file that names them');
    }
  }
}
