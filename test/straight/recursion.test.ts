/** The whole robot traced in every form that the compiler may choose, against the generated driver code. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRobot } from '../../src/kane/compile.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { alignAxes } from '../../src/straight/mechanism/align.ts';
import { exactFrame, mechanismOf, type Mechanism } from '../../src/straight/mechanism/mechanism.ts';
import { frameTreeOf, parallelFrames } from '../../src/straight/mechanism/frame-tree.ts';
import { lump } from '../../src/straight/mechanism/lump.ts';
import { normalForm } from '../../src/straight/mechanism/normal-form.ts';
import { gravityForces, inverseDynamics, massMatrix } from '../../src/straight/functions/trace.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, negate, type Expr } from '../../src/symbolic/graph/expr.ts';
import { multiplyTransposed, type Vector3 } from '../../src/symbolic/graph/vector.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';
import { randomRobot, stateOf } from './random-robots.ts';

function largestDifference(actual: readonly number[], expected: readonly number[]): number {
  const scale = Math.max(1, ...expected.map(Math.abs));
  return Math.max(0, ...actual.map((a, i) => Math.abs(a - expected[i]!))) / scale;
}

/** Every way in which the compiler writes a mechanism. */
function forms(plain: Mechanism): { name: string; mechanism: Mechanism; unturned: ReadonlySet<number> }[] {
  const aligned = alignAxes(plain);
  const origins = { given: aligned, before: normalForm(aligned, 'before'), after: normalForm(aligned, 'after') };
  return Object.entries(origins).flatMap(([origin, moved]) =>
    (['none', 'second-moment', 'diagonal'] as const).flatMap((choice) => {
      const mechanism = choice === 'none' ? moved : lump(moved, choice);
      const turning = new Set(mechanism.frames.flatMap((f, i) => (f.motion.kind === 'rotation' ? [i] : [])));
      const every = new Set([...turning].filter((i) => i % 2 === 0));
      const sets = { none: new Set<number>(), parallel: parallelFrames(mechanism), all: turning, some: every };
      return Object.entries(sets).map(([set, unturned]) => ({
        name: `${origin} ${choice} ${set}`,
        mechanism,
        unturned,
      }));
    }),
  );
}

async function worstDifference(robot: Robot): Promise<{ worst: number; where: string }> {
  const state = stateOf(robot);
  const [reference] = await evaluateRobot(robot, compileRobot(robot), [state], { target: 'ts', precision: 'double' });
  const gravity = robot.gravity.map((g) => negate(decimal(g))) as unknown as Vector3;
  const baseAcceleration = multiplyTransposed(exactFrame(robot.base).rotation, gravity);
  let result = { worst: 0, where: '' };
  for (const { name, mechanism, unturned } of forms(mechanismOf(robot))) {
    const tree = frameTreeOf(mechanism, unturned);
    const bindings = new Map<Expr, number>();
    for (const set of ['q', 'qd', 'qdd'] as const) tree.symbols[set].forEach((s, i) => bindings.set(s, state[set][i]!));
    const pairs = [
      [evaluate(inverseDynamics(tree, baseAcceleration), bindings), reference!.tau],
      [evaluate(gravityForces(tree, baseAcceleration), bindings), reference!.g],
      [evaluate(massMatrix(tree).flat(), bindings), reference!.M.flat()],
    ] as const;
    pairs.forEach(([actual, expected], i) => {
      const worst = largestDifference(actual, expected);
      if (!(worst <= result.worst)) result = { worst, where: `${name} ${['tau', 'g', 'M'][i]!}` };
    });
  }
  return result;
}

describe('the straight-line recursion', () => {
  test('gives the torques, gravity forces and mass matrix of the driver in every form, for random robots', async () => {
    await fc.assert(
      fc.asyncProperty(randomRobot(5), async (robot) => {
        const { worst, where } = await worstDifference(robot);
        expect(worst, where).toBeLessThan(1e-12);
      }),
      { numRuns: process.env.KANEGEN_FULL ? 200 : 2, seed: 7 },
    );
  }, 3_600_000);
});
