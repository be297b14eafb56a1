/**
 * Builds dist/: the bundled command line and library, the data files they read, the JSON Schema and the declarations.
 * Runs as the package's `prepare`, so that `npx kanegen` works after `npm ci`.
 */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';
import { build } from 'esbuild';
import { buildForBrowsers } from './browser-build.mjs';
import { writeDeclarations } from './declarations.mjs';
import { billOfMaterials } from './sbom.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');

const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

// Declarations outlive a build without them, which the tests make: they are replaced, never missing.
mkdirSync(dist, { recursive: true });
for (const entry of readdirSync(dist))
  if (entry !== 'types') rmSync(path.join(dist, entry), { recursive: true, force: true });

/** Beside the bundles, of which it needs nothing. */
const declarations = process.argv.includes('--no-types') ? undefined : writeDeclarations(root, true);
// What stops the build before it is waited for is the reason that the build gives.
declarations?.catch(() => undefined);

/** Of all sources of the package: what one build keeps in a cache, another one must not take for its own. */
function sourcesHash() {
  const hash = createHash('sha256');
  for (const folder of ['src', 'templates'])
    for (const entry of readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true }).sort((a, b) =>
      path.join(a.parentPath, a.name) < path.join(b.parentPath, b.name) ? -1 : 1,
    ))
      if (entry.isFile()) {
        const file = path.join(entry.parentPath, entry.name);
        hash.update(`${path.relative(root, file)}\0`).update(readFileSync(file));
      }
  return hash
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16);
}

const digest = sourcesHash();
const { metafile } = await build({
  absWorkingDir: root,
  define: { KANEGEN_BUILD: JSON.stringify(digest) },
  entryPoints: { cli: 'src/cli/start.ts', index: 'src/index.ts', 'run-thread': 'src/cli/runs/run-thread.ts' },
  outdir: 'dist',
  bundle: true,
  // Commands are loaded when they run; without splitting they would drag all of mathjs in.
  splitting: true,
  chunkNames: 'chunk-[hash]',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Every package travels once: dependencies are loaded from node_modules, all others are part of the bundle.
  external: Object.keys(own.dependencies).flatMap((name) => [name, `${name}/*`]),
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  legalComments: 'none',
  // Stack traces name functions and lines that can be read.
  minify: false,
  metafile: true,
  logLevel: 'warning',
});
/** The script of the pages that `simulate --report` and `view` write. */
const viewer = await build({
  absWorkingDir: root,
  entryPoints: { viewer: 'src/report/viewer/page.ts' },
  outdir: 'dist',
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  charset: 'utf8',
  legalComments: 'none',
  minify: true,
  metafile: true,
  logLevel: 'warning',
});
/** `kanegen/browser`, its worker, and `<kanegen-robot>`, which finds the script of the view beside itself. */
const browser = await buildForBrowsers(
  root,
  'dist/browser',
  {
    index: 'src/browser/index.ts',
    worker: 'src/browser/worker.ts',
    'kanegen-robot': 'src/browser/page/kanegen-robot.ts',
  },
  { digest },
);
writeFileSync(path.join(dist, 'browser/live-viewer.js'), "import '../viewer.js';\n");
const cli = path.join(dist, 'cli.js');
writeFileSync(cli, `#!/usr/bin/env node\n${readFileSync(cli, 'utf8')}`);
chmodSync(cli, 0o755);
writeFileSync(path.join(dist, 'third-party-licences.txt'), bundledLicences());

const bundled = new Set(bundledPackages().map(({ name, version }) => `${name}@${version}`));
writeFileSync(path.join(dist, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(root, own, bundled), null, 2)}\n`);

/** The library is read from files beside the bundle; templates and run time from the package itself. */
for (const folder of ['bodies', 'joints', 'materials'])
  cpSync(path.join(root, 'src/library', folder), path.join(dist, folder), { recursive: true });

const { interfaceJsonSchema, robotFileJsonSchema, scenarioFileJsonSchema } = await import(
  pathToFileURL(path.join(dist, 'index.js')).href
);
writeFileSync(path.join(dist, 'robot.schema.json'), `${JSON.stringify(robotFileJsonSchema(), null, 2)}\n`);
writeFileSync(path.join(dist, 'scenario.schema.json'), `${JSON.stringify(scenarioFileJsonSchema(), null, 2)}\n`);
writeFileSync(path.join(dist, 'interface.schema.json'), `${JSON.stringify(interfaceJsonSchema(), null, 2)}\n`);

await declarations;

/** Folders, names, versions and licences of the packages in the bundle. */
function bundledPackages() {
  const folders = Object.keys({ ...metafile.inputs, ...viewer.metafile.inputs, ...browser.inputs }).flatMap(
    (input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) }));
}

/** What their licences ask to go with the bundle. */
function bundledLicences() {
  return bundledPackages()
    .map(({ folder, name, version, license }) => {
      const file = readdirSync(path.join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file ? readFileSync(path.join(root, folder, file), 'utf8').trim() : `Licence: ${license}`;
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
