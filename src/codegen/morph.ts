/**
 * ts-morph, loaded when code is emitted: it brings the TypeScript compiler, most of a second of start-up.
 *
 * The build leaves a bundle of it beside the command line with the machine code that V8 made of it (`morph.cjs`,
 * `morph.cache`), which loads in a fifth of the time. Code of another V8 is refused by V8 itself, and then the bundle is
 * compiled as usual. From the sources, the package is required as it is: as a CommonJS module, since importing one of
 * this size as an ES module scans its text for exports first.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import type * as morph from 'ts-morph';

export type Morph = typeof morph;

const require = createRequire(import.meta.url);
let loaded: Morph | undefined;

export function loadMorph(): Morph {
  const bundle = fileURLToPath(new URL('./morph.cjs', import.meta.url));
  return (loaded ??= existsSync(bundle) ? loadBundle(bundle) : (require('ts-morph') as Morph));
}

type ModuleFunction = (exports: object, require: NodeJS.Require, module: object, file: string, folder: string) => void;

function loadBundle(bundle: string): Morph {
  const cache = bundle.replace(/\.cjs$/, '.cache');
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(bundle, 'utf8')}\n})`;
  const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
  const script = new Script(source, { filename: bundle, ...(cachedData && { cachedData }) });
  const module = { exports: {} };
  (script.runInThisContext() as ModuleFunction)(module.exports, require, module, bundle, dirname(bundle));
  return module.exports as Morph;
}
