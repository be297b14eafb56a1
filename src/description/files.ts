/**
 * Files that robot files mention by path: found relative to the file that mentions them, read once, and part of the sources
 * of the robot.
 */
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Place } from './source.ts';

export interface MentionedFile {
  /** As messages show it. */
  readonly shown: string;
  /** Identity of the file, whatever way it was mentioned. */
  readonly path: string;
}

/** All that went into one robot, in order of first use. */
export class SourceFiles {
  private readonly parts: (string | Uint8Array)[] = [];
  private readonly binary = new Map<string, Uint8Array>();

  /** Texts and bytes of which the hash of the robot's sources is made. */
  get contents(): readonly (string | Uint8Array)[] {
    return this.parts;
  }

  /** Notes a text that is part of the robot. */
  add(text: string): void {
    this.parts.push(text);
  }

  /**
   * The file that `at` mentions.
   * @throws KanegenError `not-supported` for addresses.
   */
  find(at: Place, file: string): MentionedFile {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(file))
      throw at.error('not-supported', `${file} is an address, not a file`, 'write a path relative to this file');
    const shown = isAbsolute(file) ? file : join(dirname(at.document.file || '.'), file);
    return { shown, path: resolve(shown) };
  }

  /** @throws KanegenError `missing-file`. */
  text(at: Place, file: string): string {
    return Buffer.from(read(at, file, this.find(at, file).path)).toString('utf8');
  }

  /**
   * The bytes of a file that is not text of the language: a mesh, a network. Part of the sources.
   * @throws KanegenError `missing-file`, `not-supported` for addresses.
   */
  bytes(at: Place, file: string): Uint8Array {
    const { path } = this.find(at, file);
    const known = this.binary.get(path);
    if (known) return known;
    const bytes = read(at, file, path);
    this.binary.set(path, bytes);
    this.parts.push(bytes);
    return bytes;
  }
}

function read(at: Place, file: string, path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as { code?: string };
    throw at.error(
      'missing-file',
      `${file} cannot be read (${code ?? 'unknown reason'})`,
      'files are relative to the file that names them',
    );
  }
}
