/**
 * Builds dist/: the bundled command line and library, the data files they read, the JSON Schema and the declarations.
 * Runs as the package's `prepare`, so that `npx kanegen` works after `npm ci`.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Loaded only when code is emitted or drawn, from node_modules.
  external: ['ts-morph', 'prettier', 'prettier/*', 'vega', 'vega-lite'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  legalComments: 'none',
  minify: true,
  logLevel: 'warning',
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
await build({
  ...common,
  entryPoints: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir: 'dist',
  chunkNames: 'chunk-[hash]',
  // Commands are loaded when they run; without splitting they would drag all of mathjs in.
  splitting: true,
});
const cli = path.join(dist, 'cli.js');
writeFileSync(cli, `#!/usr/bin/env node\n${readFileSync(cli, 'utf8')}`);
chmodSync(path.join(dist, 'cli.js'), 0o755);

await buildMorph();

/** The library is read from files beside the bundle; templates and run time from the package itself. */
for (const folder of ['bodies', 'joints'])
  cpSync(path.join(root, 'src/library', folder), path.join(dist, folder), { recursive: true });

const { robotFileJsonSchema } = await import(pathToFileURL(path.join(dist, 'index.js')).href);
writeFileSync(path.join(dist, 'robot.schema.json'), `${JSON.stringify(robotFileJsonSchema(), null, 2)}\n`);

if (!process.argv.includes('--no-types'))
  execFileSync(
    process.execPath,
    [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', path.join(root, 'tsconfig.build.json')],
    { stdio: 'inherit' },
  );

/** ts-morph as one file, and what V8 makes of it: see src/codegen/morph.ts. */
async function buildMorph() {
  const bundle = path.join(dist, 'morph.cjs');
  await build({
    absWorkingDir: root,
    stdin: { contents: "module.exports = require('ts-morph');", resolveDir: root },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    logLevel: 'error',
    outfile: bundle,
  });
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(bundle, 'utf8')}\n})`;
  const script = new Script(source, { filename: bundle });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(import.meta.url), module, bundle, dist);
  // Use it once, so that the functions that emitting needs are compiled and cached.
  const project = new module.exports.Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  project.createSourceFile('a.ts', { statements: ['const a = 1;'] }).getFullText();
  writeFileSync(bundle.replace(/\.cjs$/, '.cache'), script.createCachedData());
}
