/** Node as the compiler has it. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { compileFunction } from 'node:vm';
import type * as morph from 'ts-morph';
import { KanegenError } from '../common/error.ts';
import type { Host, Shelf } from './host.ts';
import { askNerdamer } from './nerdamer-process.ts';
import { packagePath } from './package-root.ts';
import { readRegularFile } from './read-file.ts';

/** The library of the source tree, or that beside the bundle. */
const shelves = ['../library/', './']
  .map((way) => new URL(way, import.meta.url))
  .find((url) => existsSync(new URL('bodies/', url)))!;
const library = new Map<Shelf, ReadonlyMap<string, string>>();
const require = createRequire(import.meta.url);

export const host: Host = {
  paths: path,
  pathOf: fileURLToPath,
  readFile: readRegularFile,
  exists: existsSync,
  realPath(given) {
    try {
      return realpathSync(given);
    } catch {
      return given;
    }
  },
  sha256: () => createHash('sha256'),
  library(shelf) {
    const known = library.get(shelf) ?? readShelf(shelf);
    library.set(shelf, known);
    return known;
  },
  packageFile,
  translated: () => undefined,
  processorTime() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  memory() {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return { used: used / 1e6, limit: limit / 1e6 };
  },
  askNerdamer,
  // Lines are those of the module, one before them for what it is wrapped in.
  functionOf: (body, parameters, filename) =>
    compileFunction(body, parameters, { filename, lineOffset: -1 }) as ReturnType<Host['functionOf']>,
  async format(text) {
    const [prettier, babel, estree] = await Promise.all([
      import('prettier/standalone'),
      import('prettier/plugins/babel'),
      import('prettier/plugins/estree'),
    ]);
    const plugins = [babel, estree.default ?? estree] as never[];
    return prettier.format(text, { parser: 'babel-ts', plugins, singleQuote: true, printWidth: 120 });
  },
  loadTypescript: () => Promise.resolve(),
  // A third of a second of start-up. Required as a CommonJS module: importing one of this size as an ES module scans its text for exports first.
  typescript: () => (require('ts-morph') as typeof morph).ts,
};

function packageFile(file: string): string {
  const full = packagePath(file);
  if (file.startsWith('dist/') && !existsSync(full))
    throw new KanegenError('not-built', `${file} is missing: scripts of pages are made by the build`, {
      remedy: 'in a checkout of the sources: npm run build',
    });
  return readFileSync(full, 'utf8');
}

function readShelf(shelf: Shelf): ReadonlyMap<string, string> {
  const folder = new URL(`${shelf}/`, shelves);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return new Map(
    files.sort().map((file) => [file.slice(0, -'.yaml'.length), readFileSync(new URL(file, folder), 'utf8')]),
  );
}
