/**
 * Generated TypeScript and JavaScript as projects use them: by Node with and without types, by the compiler in strict
 * projects, by tsx and by a bundler. All of them compute the same.
 */
import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateFolder, parseTargets } from '../../src/codegen/folder.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';

const robot = loadRobotFile('examples/two-link.robot.yaml');
const compiled = compileRobot(robot);
const state = { q: [0.3, -0.7], qd: [1, 2], qdd: [0.5, -0.25] };
const isFull = process.env['KANEGEN_FULL'] === '1';
let folder = '';
let expected = '';

/** Prints the torques that the driver, the straight-line function and the batch give. */
const program = (from: string, extension: string): string => `
import { createTwoLink, type TwoLink } from '${from}/two_link.${extension}';
import { inverseDynamics } from '${from}/two_link_straight.${extension}';
import { createTwoLinkBatch } from '${from}/two_link_straight_batch.${extension}';

const [q, qd, qdd] = [${String(state.q)}, ${String(state.qd)}, ${String(state.qdd)}].reduce<Float64Array[]>((vectors, value, i) => {
  vectors[i >> 1]![i & 1] = value;
  return vectors;
}, [new Float64Array(2), new Float64Array(2), new Float64Array(2)]) as [Float64Array, Float64Array, Float64Array];
const [tau, straight] = [new Float64Array(2), new Float64Array(2)];
const arm: TwoLink = createTwoLink();
arm.inverseDynamicsAt(q, qd, qdd, tau);
inverseDynamics(arm.parameters, q, qd, qdd, straight);
const batch = await createTwoLinkBatch(2);
for (let i = 0; i < 2; i++)
  for (const [all, one] of [[batch.q, q], [batch.qd, qd], [batch.qdd, qdd]] as const) all[i * batch.capacity] = one[i]!;
batch.inverseDynamics(arm.parameters, 1);
const difference = Math.max(...[0, 1].map((i) => Math.abs(straight[i]! - tau[i]!) + Math.abs(batch.tau[i * batch.capacity]! - tau[i]!)));
if (!(difference < 1e-12)) throw new Error(String(difference));
console.log(JSON.stringify([...tau]));
`;

const write = (name: string, text: string): string => {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

async function run(...parameters: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: folder }).catch(
    (error: unknown) => {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${stdout}${stderr}`);
    },
  );
  return stdout.trim();
}

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kanegen-javascript-')));
  const straight = compileStraight(robot, { count: generatedCost, functions: ['inverseDynamics'] });
  for (const file of await generateFolder(robot, compiled, ['ts', 'js', 'wasm'], straight))
    write(`generated/${file.path}`, file.text);
  const [result] = await evaluateRobot(robot, compiled, [state], { target: 'ts', precision: 'double' });
  expected = JSON.stringify(result!.tau);
  write('package.json', '{ "type": "module" }');
  write('console.d.ts', 'declare const console: { log(text: unknown): void };');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('targets', () => {
  it('are a list in a fixed order, WebAssembly with the modules around it', () => {
    expect(parseTargets('c, js,ts')).toEqual(['ts', 'js', 'c']);
    expect(parseTargets('wasm')).toEqual(['ts', 'wasm']);
    expect(parseTargets('wasm,js')).toEqual(['js', 'wasm']);
    expect(parseTargets('js,pascal')).toBeUndefined();
  });
});

describe('generated JavaScript', () => {
  it('runs in Node, in a project of CommonJS modules too', async () => {
    write('old/package.json', '{}');
    cpSync(path.join(folder, 'generated'), path.join(folder, 'old/generated'), { recursive: true });
    write(
      'old/main.cjs',
      `import('./generated/javascript/two_link.js').then(({ createTwoLink }) => {
        const tau = new Float64Array(2);
        createTwoLink().inverseDynamicsAt(${JSON.stringify(state.q)}, ${JSON.stringify(state.qd)}, ${JSON.stringify(state.qdd)}, tau);
        console.log(JSON.stringify([...tau]));
      });`,
    );
    expect(await run('old/main.cjs')).toBe(expected);
  });

  it('holds no types, and declarations that say the same', () => {
    const text = (name: string): string => readFileSync(path.join(folder, 'generated/javascript', name), 'utf8');
    expect(text('two_link.js')).not.toMatch(/^(export )?interface |\): void|import type/m);
    expect(text('two_link.d.ts')).toContain('export declare function createTwoLink(): TwoLink;');
    // Written as the TypeScript is: two spaces, comments, and an empty line before them.
    expect(text('two_link_straight.js')).toMatch(
      /\n\n\/\*\*\n[^\n]*\n(?: \*[^\n]*\n)+export function inverseDynamics\(/,
    );
    expect(text('runtime/driver.js')).toMatch(/^ {2}\S/m);
  });
});

describe('generated TypeScript', () => {
  it.each(isFull ? ['node16', 'nodenext'] : ['nodenext'])(
    'compiles in a project of CommonJS modules that keeps imports as they are (%s)',
    async (module) => {
      write('kept/package.json', '{}');
      cpSync(path.join(folder, 'generated/typescript'), path.join(folder, 'kept/typescript'), { recursive: true });
      write(
        'kept/main.cts',
        `declare const console: { log(text: unknown): void };
async function main(): Promise<void> {
  const { createTwoLink } = await import('./typescript/two_link.js');
  const tau = new Float64Array(2);
  createTwoLink().inverseDynamicsAt(${JSON.stringify(state.q)}, ${JSON.stringify(state.qd)}, ${JSON.stringify(state.qdd)}, tau);
  console.log(JSON.stringify([...tau]));
}
void main();
export = {};
`,
      );
      const compilerOptions = {
        ...{ module, target: 'es2022', lib: ['es2022'], types: [], strict: true, verbatimModuleSyntax: true },
        ...{ outDir: 'out', rootDir: '.' },
      };
      const project = write('kept/tsconfig.json', JSON.stringify({ compilerOptions, files: ['main.cts'] }));
      expect(await run(path.resolve('node_modules/typescript/bin/tsc'), '-p', project)).toBe('');
      // The compiler does not copy what says so.
      write(
        'kept/out/typescript/package.json',
        readFileSync(path.join(folder, 'kept/typescript/package.json'), 'utf8'),
      );
      expect(await run('kept/out/main.cjs')).toBe(expected);
    },
  );

  it('has a module by the name ending in .js beside each', () => {
    const own = path.join(folder, 'generated/typescript');
    const names = readdirSync(own, { recursive: true, encoding: 'utf8' });
    const modules = names.filter((name) => name.endsWith('.ts'));
    expect(modules).toContain('two_link.ts');
    for (const name of modules) expect(names).toContain(name.replace(/\.ts$/, '.js'));
  });
});

describe.each([
  ['typescript', 'ts'],
  ['javascript', 'js'],
])('generated %s', (target, extension) => {
  const from = `./generated/${target}`;

  const projects = [
    ['node16', { module: 'node16' }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ] as const;
  // One kind of project for each language, unless everything is asked for.
  it.each(projects.filter((_, i) => isFull || (i === 0) === (extension === 'ts')))(
    'compiles in a strict project (%s), and what comes out runs',
    async (name, options) => {
      const out = `out-${target}-${name}`;
      const file = write(`main-${target}-${name}.ts`, program(from, 'js'));
      const strict = {
        ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
        ...{ noImplicitReturns: true, noUnusedLocals: true, noUnusedParameters: true, isolatedModules: true },
      };
      const compilerOptions = {
        ...strict,
        ...options,
        target: 'es2022',
        lib: ['es2022'],
        types: [],
        outDir: out,
        rootDir: '.',
      };
      const project = write(
        `tsconfig-${target}-${name}.json`,
        JSON.stringify({ compilerOptions, files: [path.basename(file), 'console.d.ts'] }),
      );
      expect(await run(path.resolve('node_modules/typescript/bin/tsc'), '-p', project)).toBe('');
      // JavaScript is not copied by the compiler: it stays where it was generated.
      if (target === 'javascript')
        cpSync(path.join(folder, 'generated/javascript'), path.join(folder, out, 'generated/javascript'), {
          recursive: true,
        });
      expect(await run(`${out}/${path.basename(file, '.ts')}.js`)).toBe(expected);
    },
  );

  it('runs under tsx', async () => {
    const file = write(`tsx-${target}.ts`, program(from, extension));
    const tsx = pathToFileURL(path.resolve('node_modules/tsx/dist/esm/index.mjs')).href;
    expect(await run('--import', tsx, file)).toBe(expected);
  });

  it('is bundled', async () => {
    const entry = write(`bundle-${target}.ts`, program(from, extension));
    const outfile = path.join(folder, `bundle-${target}.js`);
    await build({
      entryPoints: [entry],
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      outfile,
      logLevel: 'silent',
    });
    expect(await run(outfile)).toBe(expected);
  });

  const takesTypesOut = 'typescript' in process.features && Boolean(process.features.typescript);
  it.skipIf(!takesTypesOut)('runs in Node from a program with types (needs Node 22.18)', async () => {
    expect(await run(write(`node-${target}.ts`, program(from, extension)))).toBe(expected);
  });

  const hasDeno = spawnSync('deno', ['--version']).status === 0;
  it.skipIf(!hasDeno).each([...new Set([extension, 'js'])])(
    'runs in Deno, its types checked, by names ending in %s (needs Deno)',
    async (end) => {
      const file = write(
        `deno-${target}-${end}.ts`,
        program(from, end).replace(
          /^/,
          "import process from 'node:process';\nconst console = { log: (text: string) => void process.stdout.write(text) };\n",
        ),
      );
      const { stdout } = await promisify(execFile)('deno', ['run', '--check', '--allow-read', '--no-config', file], {
        cwd: folder,
      });
      expect(stdout.trim()).toBe(expected);
    },
  );

  it('has no name that Node itself does not find', () => {
    // What Node does with types taken out, on any version: every import that remains leads to a file that is there.
    const seen = new Set<string>();
    const follow = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      for (const [, name] of text.matchAll(/^(?:import (?!type\b)[^;]*?|export \*) from '(\.[^']+)';/gm))
        follow(path.resolve(path.dirname(file), name!));
    };
    for (const name of ['two_link', 'two_link_straight', 'two_link_straight_batch'])
      follow(path.join(folder, from, `${name}.${extension}`));
    expect([...seen].filter((file) => file.endsWith(`runtime/driver.${extension}`))).toHaveLength(1);
  });
});
