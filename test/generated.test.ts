/** What stands in generated/ is what the sources produce, and it compiles without a word. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { STRICT_FLAGS } from '../src/codegen/build-c.ts';
import { generateFolder } from '../src/codegen/folder.ts';
import { generatedCost } from '../src/codegen/straight-cost.ts';
import { loadRobotFile } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { compileStraight } from '../src/straight/compile.ts';
import { COMPILERS, SANITIZERS } from './compilers.ts';

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
