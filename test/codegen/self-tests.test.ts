/**
 * The generated self-test of every example and scenario robot, derivatives included, as their users build it: as C99, and as GNU C for the
 * processor at hand with fused multiplications, in double and single precision. Some in every run, all with KANEGEN_FULL=1.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { snakeCase } from '../../src/codegen/naming/identifiers.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { supports } from '../compilers.ts';

const isFull = process.env['KANEGEN_FULL'] === '1';
const ENDING = '.robot.yaml';
const ROBOTS = readdirSync('examples', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length))
  .sort();
/** Loops, and bending segments. */
const IN_EVERY_RUN = ['mechanisms/four-bar', 'scenarios/swing'];

const NATIVE = ['-std=gnu17', '-march=native', '-ffp-contract=fast'];
const BUILDS = [
  { name: 'C99', flags: [], precision: 'double' },
  { name: 'C99, single precision', flags: [], precision: 'single' },
  { name: 'for this processor', flags: NATIVE, precision: 'double' },
  { name: 'for this processor, single precision', flags: NATIVE, precision: 'single' },
] as const;

describe.skipIf(!supports('gcc', ...NATIVE))('self-tests in C (need gcc)', () => {
  it('are of all robots of the examples', () => {
    expect(ROBOTS.length).toBeGreaterThan(30);
    expect(ROBOTS).toEqual(expect.arrayContaining(IN_EVERY_RUN));
  });

  it.each(isFull ? ROBOTS : IN_EVERY_RUN)('pass: %s', { timeout: 1_800_000 }, async (name) => {
    const robot = loadRobotFile(path.join('examples', `${name}${ENDING}`));
    const files: readonly GeneratedFile[] = await generateC(
      robot,
      compileRobot(robot, { derivatives: true, points: true }),
    );
    // Loops need double precision.
    const builds = BUILDS.filter(({ precision }) => precision === 'double' || !robot.loops);
    for (const { name: how, flags, precision } of isFull ? builds : builds.slice(-1)) {
      const program = await buildC(files, { compiler: 'gcc', precision, flags: [...flags, '-O1'] });
      try {
        expect(await runProgram(program), how).toBe(`${snakeCase(robot.name)}: ok\n`);
      } finally {
        await program.dispose();
      }
    }
  });
});
