/**
 * Folders of generated files. A manifest, `.kanegen`, lists what kanegen wrote, with a hash of each file (as `sha256sum -c`
 * reads it). Only what it lists is replaced or removed, and only where nobody changed it; everything else in the folder
 * stays, the files of other targets among it. A run replaces its files together or not at all.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { KanegenError } from '../common/error.ts';
import { cannotWrite, makeFolder } from './folder.ts';
import { withStaging } from './staging.ts';

export interface OutputFile {
  /** Relative to the output directory, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text stands for bytes. */
  readonly encoding?: 'base64';
}

const bytesOf = ({ text, encoding = 'utf8' }: { text: string; encoding?: 'utf8' | 'base64' }): Buffer =>
  Buffer.from(text, encoding);

const MANIFEST = '.kanegen';

/** Hashes that a file may have by its path; none, as in manifests of old, when every content is kanegen's. */
type Manifest = Map<string, readonly string[]>;

/**
 * Writes generated files into a folder in place of those that an earlier run wrote for the same targets. The folders on
 * the first level are the targets.
 * @throws KanegenError `not-a-directory`; `foreign-files` naming files that would be overwritten though kanegen did not
 *   write them, or that were changed since; `cannot-write`. The folder is then as it was.
 */
export function writeGeneratedFolder(folder: string, files: readonly OutputFile[]): void {
  const { root, created } = openFolder(folder);
  try {
    const manifest = readManifest(root);
    const replaced = ownFilesReplacedBy(files, manifest);
    refuseForeign(folder, root, files, replaced, manifest);
    replace(root, files, replaced, manifest);
  } catch (error) {
    if (created !== undefined) rmSync(created, { recursive: true, force: true });
    throw error instanceof KanegenError ? error : cannotWrite(folder, error);
  }
}

/**
 * What is wrong with a folder before anything is computed for it.
 * @throws KanegenError `not-a-directory`, `cannot-write` without a name.
 */
export function checkFolder(folder: string): void {
  if (folder === '') throw cannotWrite('to a folder', 'its name is empty; . is the current one');
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory())
    throw new KanegenError('not-a-directory', `${folder} exists and is not a directory`, {
      remedy: 'choose a directory with --out',
    });
}

/** The folder behind symbolic links, made when it is missing; `created` is then the first of the folders made. */
function openFolder(folder: string): { readonly root: string; readonly created: string | undefined } {
  checkFolder(folder);
  try {
    const exists = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
    const created = exists ? undefined : makeFolder(folder);
    return { root: realpathSync(folder), created };
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

// ---------------------------------------------------------------------------------------------- manifest

function readManifest(root: string): Manifest {
  const file = path.join(root, MANIFEST);
  const manifest: Manifest = new Map();
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return manifest;
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
    const [, hash, name] = /^(?:([0-9a-f]{64}) {2})?([^#].*)$/.exec(line) ?? [];
    // A manifest is a file like any other: it must not lead out of its folder.
    if (name === undefined || path.isAbsolute(name) || /(^|[/\\])\.\.([/\\]|$)|^\.kanegen|:/.test(name)) continue;
    manifest.set(name, [...(manifest.get(name) ?? []), ...(hash === undefined ? [] : [hash])]);
  }
  return manifest;
}

function manifestText(manifest: Manifest): string {
  const lines = [...manifest].flatMap(([name, hashes]) =>
    hashes.length === 0 ? [name] : hashes.map((hash) => `${hash}  ${name}`),
  );
  return `${['# Written by kanegen, which replaces these files and no others.', ...lines.sort()].join('\n')}\n`;
}

/** Of text, whose line ends may have become those of another system, or of bytes with a zero among them. */
function hashOf(bytes: Buffer): string {
  const isText = !bytes.includes(0);
  const kept = isText ? Buffer.from(bytes.toString('latin1').replace(/\r\n/g, '\n'), 'latin1') : bytes;
  return createHash('sha256').update(kept).digest('hex');
}

/** The first folder of a path, '' for files beside the manifest. */
function targetOf(name: string): string {
  return name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
}

/**
 * Files of earlier runs that this run replaces or makes obsolete: those of its targets. What stands beside the targets
 * speaks of all of them, and stays while there are others.
 */
function ownFilesReplacedBy(files: readonly OutputFile[], manifest: Manifest): string[] {
  const written = new Set(files.map((file) => file.path));
  const targets = new Set(files.map((file) => targetOf(file.path)));
  const others = [...manifest.keys()].some((name) => targetOf(name) !== '' && !targets.has(targetOf(name)));
  return [...manifest.keys()].filter((name) =>
    targetOf(name) === '' ? written.has(name) || !others : targets.has(targetOf(name)),
  );
}

// ---------------------------------------------------------------------------------------------- refusals

/** The content of a file, null where something else stands in its place, undefined where nothing does. */
function contentAt(file: string): Buffer | null | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  return found.isFile() ? readFileSync(file) : null;
}

function refuseForeign(
  folder: string,
  root: string,
  files: readonly OutputFile[],
  replaced: readonly string[],
  manifest: Manifest,
): void {
  const wanted = new Map(files.map((file) => [file.path, hashOf(bytesOf(file))]));
  const foreign: string[] = [];
  const changed: string[] = [];
  for (const name of new Set([...replaced, ...wanted.keys()])) {
    const content = contentAt(path.join(root, name));
    if (content === undefined) continue;
    const hashes = manifest.get(name);
    if (content !== null && (hashes?.length === 0 || [...(hashes ?? []), wanted.get(name)].includes(hashOf(content))))
      continue;
    (hashes ? changed : foreign).push(name);
  }
  if (foreign.length + changed.length === 0) return;
  const what = [
    ...(changed.length > 0
      ? [`${listOf(changed)} changed since kanegen wrote ${changed.length > 1 ? 'them' : 'it'}`]
      : []),
    ...(foreign.length > 0 ? [`${listOf(foreign)} not written by kanegen`] : []),
  ];
  throw new KanegenError('foreign-files', `nothing was written to ${folder}: ${what.join('; ')}`, {
    remedy: 'move these files elsewhere, delete them, or choose another directory with --out',
  });
}

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return `${shown}${more} ${names.length > 1 ? 'were' : 'was'}`;
}

// ---------------------------------------------------------------------------------------------- replacement

function replace(root: string, files: readonly OutputFile[], replaced: readonly string[], manifest: Manifest): void {
  const obsolete = new Set(replaced.filter((name) => existsSync(path.join(root, name))));
  const news = new Map<string, Buffer>();
  const after: Manifest = new Map([...manifest].filter(([name]) => existsSync(path.join(root, name))));
  for (const name of replaced) after.delete(name);
  for (const file of files) {
    const { path: name } = file;
    const content = bytesOf(file);
    after.set(name, [hashOf(content)]);
    // A file that would not change keeps its time, so that nothing is built again for it.
    if (contentAt(path.join(root, name))?.equals(content)) obsolete.delete(name);
    else news.set(name, content);
  }
  const during: Manifest = new Map(after);
  for (const [name, hashes] of manifest) {
    const both = hashes.length === 0 ? [] : [...new Set([...hashes, ...(after.get(name) ?? [])])];
    during.set(name, both);
  }
  withStaging(root, (staging) => {
    for (const [name, content] of news) writeBelow(staging, `new/${name}`, content);
    writeBelow(staging, 'during', manifestText(during));
    writeBelow(staging, 'after', manifestText(after));
    const undo: (() => void)[] = [];
    const move = (from: string, to: string): void => {
      makeFolder(path.dirname(to));
      renameSync(from, to);
      undo.push(() => renameSync(to, from));
    };
    try {
      // A process killed between here and the end leaves old and new files, all of which the next run knows as its own.
      if (existsSync(path.join(root, MANIFEST))) move(path.join(root, MANIFEST), path.join(staging, 'before'));
      move(path.join(staging, 'during'), path.join(root, MANIFEST));
      for (const name of obsolete) move(path.join(root, name), path.join(staging, 'old', name));
      for (const name of news.keys()) {
        if (existsSync(path.join(root, name))) move(path.join(root, name), path.join(staging, 'old', name));
        move(path.join(staging, 'new', name), path.join(root, name));
      }
      renameSync(path.join(staging, 'after'), path.join(root, MANIFEST));
    } catch (error) {
      for (const step of undo.reverse()) step();
      removeEmptyFolders(root, [...news.keys()]);
      throw error;
    }
    removeEmptyFolders(root, [...obsolete]);
  });
}

function writeBelow(folder: string, name: string, content: string | Buffer): void {
  const place = path.join(folder, name);
  makeFolder(path.dirname(place));
  writeFileSync(place, content);
}

/** Folders of these files that hold nothing any more. */
function removeEmptyFolders(root: string, names: readonly string[]): void {
  for (const name of names)
    for (let folder = path.dirname(name); folder !== '.'; folder = path.dirname(folder)) {
      const place = path.join(root, folder);
      if (!existsSync(place)) continue;
      if (readdirSync(place).length > 0) break;
      rmdirSync(place);
    }
}
