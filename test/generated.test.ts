/** What stands in generated/ is what the sources produce, and it compiles without a word. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { STRICT_FLAGS } from '../src/codegen/c/build-c.ts';
import { generateFolder } from '../src/codegen/folder.ts';
import { generatedCost } from '../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotFile } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { compileStraight } from '../src/straight/compile.ts';
import { COMPILERS, isInstalled, SANITIZERS, supports } from './compilers.ts';

const names = readdirSync('examples')
  .filter((file) => file.endsWith('.robot.yaml'))
  .map((file) => file.replace('.robot.yaml', ''));

const withStraight = JSON.parse(readFileSync('examples/straight.json', 'utf8')) as string[];

function committedFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.kanegen')
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort();
}

describe('generated/', () => {
  it.each(names)('%s is byte for byte what its example compiles to', async (name) => {
    const robot = loadRobotFile(`examples/${name}.robot.yaml`);
    const straight = withStraight.includes(name) ? compileStraight(robot, { count: generatedCost }) : undefined;
    const files = await generateFolder(robot, compileRobot(robot), ['ts', 'c'], straight);
    const directory = path.join('generated', name);
    expect(files.map((f) => f.path).sort()).toEqual(committedFiles(directory));
    for (const file of files)
      expect(
        readFileSync(path.join(directory, file.path), 'utf8') === file.text,
        `${file.path} is out of date: npm run generate`,
      ).toBe(true);
  });

  it('has a folder for every example and no other', () => {
    expect(readdirSync('generated').sort()).toEqual([...names].sort());
  });
});

const run = promisify(execFile);

/** What the self-test of an example says, built from the committed sources. @throws when it fails. */
async function selfTest(name: string, compiler: string, flags: readonly string[]): Promise<string> {
  const directory = path.resolve('generated', name, 'c');
  const out = mkdtempSync(path.join(tmpdir(), 'kanegen-generated-'));
  try {
    const sources = readdirSync(directory).filter((file) => file.endsWith('.c'));
    const program = path.join(out, 'selftest');
    await run(compiler, [...flags, ...sources, '-lm', '-o', program], { cwd: directory });
    return (await run(program)).stdout;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

describe.each(COMPILERS)('with $compiler', ({ compiler, missing, unsanitary }) => {
  it.skipIf(missing).each(names)(
    `%s compiles silently in double and single precision (needs ${compiler})`,
    async (name) => {
      const directory = path.resolve('generated', name, 'c');
      const sources = readdirSync(directory).filter((file) => file.endsWith('.c'));
      for (const precision of [[], ['-DKG_SINGLE']]) {
        const { stderr } = await run(compiler, [...STRICT_FLAGS, ...precision, '-fsyntax-only', ...sources], {
          cwd: directory,
        });
        expect(stderr).toBe('');
      }
    },
  );

  // All compilers and flags with KANEGEN_FULL; otherwise each example once a compiler, precisions and standards in turn.
  const isFull = process.env['KANEGEN_FULL'] !== undefined;
  const native = ['-std=gnu17', '-march=native'];
  const ways = [['-std=c99'], native, ...(process.arch === 'x64' ? [['-march=haswell']] : [])].flatMap((flags) =>
    [[], ['-DKG_SINGLE']].map((precision) => [...flags, ...precision]),
  );
  const turns = [[...native], ['-std=c99', '-DKG_SINGLE'], [...native, '-DKG_SINGLE'], ['-std=c99']];
  const selfTests = names.flatMap((name, i) => {
    const chosen = isFull
      ? ways.map((way) => ['-O2', ...way])
      : [['-O1', ...turns[(i + (compiler === 'gcc' ? 0 : 1)) % 4]!]];
    return chosen.map((flags) => ({ name, flags, text: flags.join(' ') }));
  });
  it.skipIf(missing).each(selfTests)(
    `the self-test of $name passes with $text (needs ${compiler})`,
    async ({ name, flags }) => {
      expect(await selfTest(name, compiler, flags)).toMatch(/: ok\n$/);
    },
  );

  it.skipIf(unsanitary).each(['planar-cc', 'ur10e'])(
    `the self-test of %s passes under sanitizers (needs ${compiler} with ASan and UBSan)`,
    async (name) => {
      const directory = path.resolve('generated', name, 'c');
      const out = mkdtempSync(path.join(tmpdir(), 'kanegen-generated-'));
      try {
        const sources = readdirSync(directory).filter((file) => file.endsWith('.c'));
        const program = path.join(out, 'selftest');
        await run(compiler, [...STRICT_FLAGS, ...SANITIZERS, ...sources, '-lm', '-o', program], { cwd: directory });
        const { stdout } = await run(program);
        expect(stdout).toMatch(/passed|ok/i);
      } finally {
        rmSync(out, { recursive: true, force: true });
      }
    },
  );
});

describe('other compilers', () => {
  const isFull = process.env['KANEGEN_FULL'] !== undefined;
  /** Loops in lanes, batches, learned maps, elasticity. */
  const varied = isFull ? names : ['planar-cc', 'helicoid', 'learned', 'ur10e'];

  it.skipIf(!supports('gcc', '-m32')).each(varied)(
    'gcc -m32 -std=c99 takes %s, and its self-test passes (needs gcc with 32-bit libraries)',
    async (name) => {
      const flags = ['-m32', '-std=c99', '-O1', '-pedantic', '-Wall', '-Wextra', '-Werror'];
      expect(await selfTest(name, 'gcc', flags)).toMatch(/: ok\n$/);
    },
  );

  it.skipIf(!isInstalled('tcc')).each(names)('tcc takes %s, and its self-test passes (needs tcc)', async (name) => {
    expect(await selfTest(name, 'tcc', ['-Wall', '-Werror'])).toMatch(/: ok\n$/);
  });

  it.skipIf(!isInstalled('g++'))('g++ -std=c++17 takes all headers, together (needs g++)', () => {
    const headers = names.flatMap((name) => {
      const directory = path.resolve('generated', name, 'c');
      return readdirSync(directory).flatMap((file) => (file.endsWith('.h') ? [path.join(directory, file)] : []));
    });
    const source = headers.map((header) => `#include "${header}"`).join('\n');
    const flags = ['-std=c++17', '-pedantic', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', '-x', 'c++', '-'];
    const { status, stderr } = spawnSync('g++', flags, { input: `${source}\n`, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});
