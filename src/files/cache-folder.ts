/**
 * A folder of texts that are kept from one process to the next: of bounded size, safe for several processes at once. Files of
 * other programs in it stay as they are.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { KanegenError } from '../common/error.ts';
import type { KeptTexts } from '../common/kept-texts.ts';
import { makeFolder } from './folder.ts';

/** Limits, and where failures are told. */
export interface CacheChoice {
  /** Bytes of all entries; 256 MB when missing. */
  readonly most?: number;
  /** Is told once of a folder that cannot be written, and of every damaged entry. Without it the first is thrown, the second is silent. */
  readonly say?: (message: string) => void;
}

interface Entry {
  readonly path: string;
  readonly bytes: number;
  /** Of the last use, ms. */
  readonly used: number;
}

const MOST = 256e6;
const ENDING = '.kanegen';
/** An entry, or the part of one that a process is writing. */
const OWN = /^[\w-]+\.kanegen(\.\d+\.\d+)?$/;
/** Parts of entries that are older were left by a process that ended. */
const ABANDONED = 3_600_000;

/** Every entry begins with a checksum: it finds damage, and keeps nobody out who may write there. */
export class CacheFolder implements KeptTexts {
  readonly folder: string;
  /** Bytes of all entries. */
  readonly most: number;
  private readonly say: CacheChoice['say'];
  private isClosed = false;

  constructor(folder: string, { most = MOST, say }: CacheChoice = {}) {
    this.folder = folder;
    this.most = most;
    this.say = say;
  }

  /** An entry that was used stays longest. @param name letters, digits, `-` and `_`. */
  read(name: string): string | undefined {
    const path = this.pathOf(name);
    let kept: string;
    try {
      kept = readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
    const text = kept.slice(65);
    if (kept.length < 65 || kept.slice(0, 64) !== checksum(text)) {
      this.say?.(`the entry ${path} of the cache is damaged: it is made again`);
      return undefined;
    }
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // Of a folder that may be read only.
    }
    return text;
  }

  /** Never half an entry: others may read it at the same time. @throws KanegenError `cannot-write` unless failures are told. */
  write(name: string, text: string): void {
    if (this.isClosed) return;
    const path = this.pathOf(name);
    const partial = `${path}.${process.pid}.${threadId}`;
    try {
      makeFolder(this.folder);
      writeFileSync(partial, `${checksum(text)}\n${text}`);
      renameSync(partial, path);
      this.shrink(path);
    } catch (error) {
      if (existsSync(partial)) rmSync(partial);
      this.isClosed = true;
      this.fail(error as Error);
    }
  }

  /** Number and size (bytes) of the entries. */
  size(): { readonly entries: number; readonly bytes: number } {
    const entries = this.entries();
    return { entries: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /** Removes all entries. @throws what the file system says. */
  clear(): void {
    for (const { path } of this.entries()) rmSync(path, { force: true });
  }

  private pathOf(name: string): string {
    return join(this.folder, `${name}${ENDING}`);
  }

  /** The entries that were not used longest go, down to three quarters of the limit. */
  private shrink(written: string): void {
    const entries = this.entries().sort((a, b) => a.used - b.used);
    let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    const goal = bytes > this.most ? 0.75 * this.most : Infinity;
    for (const entry of entries) {
      const isAbandoned = !entry.path.endsWith(ENDING) && Date.now() - entry.used > ABANDONED;
      if (!isAbandoned && (bytes <= goal || entry.path === written)) continue;
      rmSync(entry.path, { force: true });
      bytes -= entry.bytes;
    }
  }

  private entries(): Entry[] {
    let names: string[];
    try {
      names = readdirSync(this.folder);
    } catch {
      return [];
    }
    return names.flatMap((name) => {
      if (!OWN.test(name)) return [];
      const path = join(this.folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? [{ path, bytes: found.size, used: found.mtimeMs }] : [];
    });
  }

  private fail(error: Error): void {
    const message = `the cache ${this.folder} cannot be written: ${error.message}`;
    if (!this.say)
      throw new KanegenError('cannot-write', message, {
        remedy: 'give a folder that may be written as `cache`, or none',
      });
    this.say(`${message}; this run goes on without it`);
  }
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
