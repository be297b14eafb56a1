/** The parts of dist/ that run in pages: `kanegen/browser`, its worker, the element `<kanegen-robot>`. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { build } from 'esbuild';

/** Modules that need files or other programs, or more room than a page has for them: what is asked of them throws. */
const MACHINE = [
  'src/api/straight.ts',
  'src/api/verification.ts',
  'src/codegen/amalgamation/amalgamate.ts',
  'src/codegen/assembled/assembled-c.ts',
  'src/codegen/assembled/assembled-typescript.ts',
  'src/codegen/c/build-c.ts',
  'src/codegen/c/straight-batch-c.ts',
  'src/codegen/c/shared-objects.ts',
  'src/codegen/doors/fmu/fmu.ts',
  'src/codegen/doors/matlab/matlab.ts',
  'src/codegen/doors/python/wheel.ts',
  'src/codegen/doors/python/python.ts',
  'src/codegen/doors/ros2.ts',
  'src/codegen/doors/rust/rust.ts',
  'src/codegen/gpu/cuda.ts',
  'src/codegen/gpu/wgsl.ts',
  'src/codegen/rod-statics/rod-statics-c.ts',
  'src/codegen/rod-statics/rod-statics-model.ts',
  'src/codegen/rod-statics/rod-statics-typescript.ts',
  'src/codegen/wasm/straight-batch-wasm.ts',
  'src/files/cache-folder.ts',
  'src/files/generated-folder.ts',
  'src/identification/base-parameters.ts',
  'src/identification/identify.ts',
  'src/identification/measurements.ts',
  'src/identification/regressor.ts',
  'src/report/comparison.ts',
  'src/report/pictures/pictures.ts',
  'src/simulation/run/run-in-c.ts',
];

const UNUSED_OF_SUCRASE =
  /sucrase\/dist\/esm\/(?:CJSImportProcessor|transformers\/(?:CJSImport|JSX|JestHoist|ReactDisplayName|ReactHotLoader)Transformer)\.js$/;

/** A module whose exports have the names of another one's, and throw. */
function refusing(source) {
  const names = [...source.matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)].map(([, name]) => name);
  return `
import { KanegenError } from '../common/error.ts';
const refuse = (name) => function () {
  throw new KanegenError('not-in-browser', name + ' is not part of the browser build', { remedy: 'use kanegen on Node' });
};
${names.map((name) => `export const ${name} = refuse('${name}');`).join('\n')}
`;
}

/** C headers that are translated from the run time: they spare pages the TypeScript compiler. */
async function translatedHeaders(root) {
  // Bundles find the files of the package from two folders below its root.
  const outfile = path.join(root, `node_modules/.cache/kanegen-translate-${process.pid}.mjs`);
  await build({
    absWorkingDir: root,
    stdin: { contents: "export * from './src/codegen/c/elimination-c.ts';", resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['ts-morph', 'prettier', 'decimal.js', 'nerdamer-prime'],
    logLevel: 'warning',
  });
  const { eliminationC, loopsC } = await import(pathToFileURL(outfile).href);
  const headers = [eliminationC(), loopsC()].map(({ path: name, text }) => [name, text]);
  rmSync(outfile);
  return Object.fromEntries(headers);
}

/** Deflated, in base 64: comments and templates are most of it. */
const packed = (object) => deflateRawSync(JSON.stringify(object), { level: 9 }).toString('base64');

/** Templates and run time of what pages refuse: statics of rods, runs in C, evaluations, straight-line functions, robots that are put together. */
const OF_REFUSED = /^(?:rod-|motion\.|evaluate\.|straight-test\.|straight_batch\.|kanegen_driver\.|module\.h)/;

/** Texts that the compiler reads: templates and run time of generated code, and the library. */
function texts(root) {
  const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const files = { 'package.json': JSON.stringify({ version: own.version }) };
  for (const folder of ['templates/c', 'src/runtime'])
    for (const name of readdirSync(path.join(root, folder)).filter((own) => !OF_REFUSED.test(own)))
      files[`${folder}/${name}`] = readFileSync(path.join(root, folder, name), 'utf8');
  const shelf = (name) => {
    const folder = path.join(root, 'src/library', name);
    const found = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
    return Object.fromEntries(
      found.sort().map((file) => [file.slice(0, -'.yaml'.length), readFileSync(path.join(folder, file), 'utf8')]),
    );
  };
  return { files, library: { bodies: shelf('bodies'), joints: shelf('joints'), materials: shelf('materials') } };
}

/**
 * @param root of the repository.
 * @param entryPoints by the names of their outputs.
 * @param external packages that are left to those who bundle.
 * @returns esbuild's metafile.
 */
export async function buildForBrowsers(root, outdir, entryPoints, { digest, external = ['ts-morph'], alias = {} }) {
  const translated = await translatedHeaders(root);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: '[hash]',
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    charset: 'utf8',
    legalComments: 'none',
    minify: true,
    external,
    // Its modules one by one: the file of all of them is not shaken.
    alias: { 'ml-matrix': path.join(root, 'node_modules/ml-matrix/src/index.js'), ...alias },
    define: {
      KANEGEN_BUILD: JSON.stringify(digest),
      KANEGEN_TEXTS: JSON.stringify(packed({ ...texts(root), translated })),
    },
    plugins: [
      {
        name: 'machine',
        setup({ onLoad, onResolve }) {
          const names = new Set(MACHINE.map((file) => path.join(root, file)));
          onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path: file, resolveDir }) => {
            const wanted = path.resolve(resolveDir, file);
            return names.has(wanted) ? { path: wanted, namespace: 'machine' } : undefined;
          });
          // Options of sucrase are those of this compiler: nothing has to check them.
          onLoad({ filter: /sucrase\/dist\/esm\/Options\.js$/ }, () => ({
            contents: 'export function validateOptions() {}',
          }));
          // Of sucrase only types are asked to go: JSX, CommonJS and what React wants have no place here.
          onLoad({ filter: UNUSED_OF_SUCRASE }, () => ({
            contents: 'export default class {}\nexport const startsWithLowerCase = (s) => /^[a-z]/.test(s);',
          }));
          onLoad({ filter: /.*/, namespace: 'machine' }, ({ path: file }) => ({
            contents: refusing(readFileSync(file, 'utf8')),
            resolveDir: path.join(root, 'src/browser'),
          }));
        },
      },
    ],
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
