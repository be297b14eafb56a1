/**
 * dist/types: the declarations that those of the package's entries lead to; the others are of no use to anybody. All are made in a cache,
 * where the next call makes what changed. Run with the package's folder as the working directory, or called by the build.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ENTRIES = ['index.d.ts', 'browser/index.d.ts'];

/** @param isWhole whether all are made anew, whatever is in the cache. */
export async function writeDeclarations(root, isWhole) {
  const cache = path.join(root, 'node_modules/.cache');
  const made = path.join(cache, 'kanegen-types');
  const state = path.join(cache, 'tsbuildinfo-types');
  if (isWhole) rmSync(made, { recursive: true, force: true });
  if (!existsSync(made)) rmSync(state, { force: true });
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json')]);
  } catch (error) {
    process.stdout.write(error.stdout);
    throw error;
  }
  // They are replaced, never missing for long.
  const [types, next] = ['types', 'types-next'].map((name) => path.join(root, 'dist', name));
  rmSync(next, { recursive: true, force: true });
  for (const file of reached(made)) cpSync(file, path.join(next, path.relative(made, file)));
  rmSync(types, { recursive: true, force: true });
  renameSync(next, types);
}

function reached(made) {
  const kept = new Set();
  const due = ENTRIES.map((entry) => path.join(made, entry));
  while (due.length > 0) {
    const file = due.pop();
    if (kept.has(file)) continue;
    kept.add(file);
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g))
      due.push(path.resolve(path.dirname(file), target.replace(/\.[jt]s$/, '.d.ts')));
  }
  return kept;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeDeclarations(process.cwd(), false);
