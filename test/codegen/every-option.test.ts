/**
 * The C of examples of every kind with every option of `compile`, and so with every pair of options: compilers take it without
 * a word. (Without any option they see that of all examples in test/generated.test.ts.) With KANEGEN_FULL=1 all examples and
 * straight-line functions of large robots are among it, both compilers see all, and every example is generated twice, the
 * second time with the options that it had not at first; which ones those are is an orthogonal array over the examples.
 */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../scripts/generated-examples.ts';
import { STRICT_FLAGS } from '../../src/codegen/c/build-c.ts';
import { chooseFunctions } from '../../src/codegen/choice.ts';
import { generateFolder } from '../../src/codegen/folder.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { COMPILERS, messagesOf } from '../compilers.ts';

const OPTIONS = ['straight', 'derivatives', 'points', 'lineDirectives', 'sourceMap', 'keepGravity'] as const;
type Option = (typeof OPTIONS)[number];

const isFull = process.env['KANEGEN_FULL'] === '1';

/** Their straight-line functions take seconds; those of the others up to minutes. */
const SMALL = ['iiwa', 'panda', 'planar-cc', 'planar-cc-elongation', 'rubber-finger', 'two-link', 'ur10e'];
/** Others of their kind are among the rest: serial arms, rods whose strain is constant, chains of equal segments. */
const ALIKE = ['iiwa', 'panda', 'pcc-3d', 'pcs', 'planar-cc-20'];
/** A learned map, and a strain that is solved for, have no straight-line form. */
const NEVER_STRAIGHT = ['implicit-arm', 'learned'];
/** Points of bodies with modes are found when the file is read, not in calls. */
const OF_MODES = ['fem-cantilever'];
/** Up to minutes of processor time, with derivatives. */
const DEAR = ['implicit-arm', 'lvp', 'fem-cantilever', 'tendon-arm'];
/** All options in seconds, of every kind. */
const QUICK = ['eel', 'learned', 'planar-cc', 'planar-cc-elongation', 'two-link', 'ur10e'];
const SEEN = EXAMPLES.filter((name) => isFull || !ALIKE.includes(name));
const ordered = [...SMALL, ...EXAMPLES.filter((name) => !SMALL.includes(name))];

function has(name: string, option: Option): boolean {
  const isStraight = !NEVER_STRAIGHT.includes(name) && (isFull || SMALL.includes(name));
  if (option === 'straight') return isStraight;
  // Gravity that is folded leaves other constants than gravity that is not.
  if (option === 'keepGravity') return isStraight && (isFull || SMALL.indexOf(name) % 2 === 0);
  if (option === 'points' && OF_MODES.includes(name)) return false;
  return isFull || !DEAR.includes(name);
}

const parity = (bits: number): number => [1, 2, 4].filter((bit) => (bits & bit) !== 0).length % 2;

/** Options of the runs of an example. Columns of parities with different masks are orthogonal over eight rows. */
function runsOf(name: string): readonly (readonly Option[])[] {
  const all = OPTIONS.filter((option) => has(name, option));
  if (!isFull) return all.length > 0 ? [all] : [];
  const row = ordered.indexOf(name) % 8;
  const isOn = (option: Option): boolean => parity(row & (OPTIONS.indexOf(option) + 1)) === 1;
  return [true, false].map((side) => OPTIONS.filter((option) => has(name, option) && isOn(option) === side));
}

async function generate(name: string, options: readonly Option[]): Promise<readonly GeneratedFile[]> {
  const on = (option: Option): boolean => options.includes(option);
  const robot = loadRobotFile(`examples/${name}.robot.yaml`);
  const compiled = compileRobot(robot, { derivatives: on('derivatives'), points: on('points') });
  const straight = on('straight')
    ? compileStraight(robot, { count: generatedCost, keepGravity: on('keepGravity') })
    : undefined;
  const chosen = { sourceMap: on('sourceMap'), lineDirectives: on('lineDirectives') };
  const files = await generateFolder(robot, chooseFunctions(robot, compiled, ['all']), ['c'], straight, chosen);
  return files.map((file) => ({ ...file, path: path.basename(file.path) })).filter((file) => /\.[ch]$/.test(file.path));
}

describe('the options of compile', () => {
  it('are given to examples of every kind, and each with each other to some', () => {
    for (const name of SEEN)
      expect(runsOf(name).flat().sort()).toEqual(OPTIONS.filter((option) => has(name, option)).sort());
    const runs = SEEN.flatMap(runsOf);
    for (const a of OPTIONS)
      for (const b of OPTIONS)
        expect(
          runs.some((options) => options.includes(a) && options.includes(b)),
          `${a} and ${b}`,
        ).toBe(true);
  });

  const [gcc, clang] = COMPILERS;
  const compilersOf = (name: string): string[] =>
    [gcc!, ...(isFull || ordered.indexOf(name) % 4 === 0 ? [clang!] : [])]
      .filter(({ missing }) => !missing)
      .map(({ compiler }) => compiler);

  const tested = SEEN.filter((name) => runsOf(name).length > 0 && (isFull || QUICK.includes(name)));
  it.skipIf(gcc!.missing).each(tested)('leave C that compilers take: %s (needs gcc; clang of some)', async (name) => {
    for (const options of runsOf(name)) {
      const files = await generate(name, options);
      for (const compiler of compilersOf(name))
        expect(await messagesOf(compiler, STRICT_FLAGS, files), `${compiler}: ${name} with ${options.join(', ')}`).toBe(
          '',
        );
    }
  });
});
