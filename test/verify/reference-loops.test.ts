/**
 * Loops of generated code against reference data that others computed in 256-bit arithmetic: residuals, J, ranks, accelerations
 * and multipliers on the loops and off them, with feedback; corrections of q and of its rate.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildEvaluator } from '../../src/codegen/c/build-c.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateState } from '../../src/verify/generated/evaluation.ts';
import {
  compareReference,
  readReferenceDirectory,
  type ReferenceFile,
} from '../../src/verify/reference/compare-reference.ts';
import type { ReferenceState } from '../../src/verify/reference/reference-state.ts';
import { isInstalled } from '../compilers.ts';

const directory = fileURLToPath(new URL('../reference', import.meta.url));
const files = readReferenceDirectory(path.join(directory, 'loops'));
const read = (name: string): ReferenceFile => files.find(({ file }) => file === `${name}.json`)!;
const full = process.env['KANEGEN_FULL'] === '1';

/** Joints, dependent rows, formulas, ends on the base; others and more of C with everything else that is asked for. */
const SOME = /pin|revolute|cranks|weld|formula|cable/;
const IN_C = /weld/;
const targets = isInstalled('cc') ? (['ts', 'c'] as const) : (['ts'] as const);
const runs = files.flatMap(({ file }) =>
  targets
    .filter((target) => full || (target === 'ts' ? SOME : IN_C).test(file))
    .map((target) => ({ target, name: file.replace('.json', '') })),
);

/** Dependent rows, springs; ends within bodies, half a minute in C, where everything is asked for. */
const STRAIGHT = { ts: /revolute|cranks|formula/, c: /pin/ } as const;
const straightRuns = files.flatMap(({ file }) =>
  targets
    .filter((target) => full || STRAIGHT[target].test(file))
    .map((target) => ({ target, name: file.replace('.json', '') })),
);

describe('loops', () => {
  it('are in twelve files', () => {
    expect(files).toHaveLength(12);
  });

  it.each(runs)('in $target meet $name', { timeout: 600_000 }, async ({ target, name }) => {
    const result = await compareReference(read(name), { target, precision: 'double' });
    expect(result).toMatchObject({ outcome: 'passed' });
  });

  it.each(straightRuns)(
    'as straight-line functions in $target meet $name',
    { timeout: 600_000 },
    async ({ target, name }) => {
      const result = await compareReference(read(name), { target, precision: 'double', straight: true });
      expect(result).toMatchObject({ outcome: 'passed' });
    },
  );

  it.each([
    ['qdd', /M qdd|qdd\[/],
    ['multipliers', /, multipliers/],
    ['constraint_force', /J' multipliers/],
    ['J', /J\[1\]/],
    ['bias', /bias/],
    ['phi', /phi\[/],
    ['phi_rate', /phi_rate/],
    ['nearest_qd', /nearest_qd/],
    ['nearest_q', /distance of corrections/],
    ['rank', /rank 2/],
    ['baumgarte', /qdd|multipliers/],
    ['potential_energy', /energy/],
  ] as const)('are wrong where %s is', async (key, where) => {
    const file = read('Q1_fourbar_pin');
    const state = file.states.at(-1)!;
    // The last entry of each list.
    const off = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map((e, i) => (i === value.length - 1 ? off(e) : (e as unknown)));
      return String(Number(value) * (1 + 1e-11));
    };
    const changed: Partial<Record<string, unknown>> = {
      rank: 1,
      // Against the length of the robot: residuals are small.
      phi: state.phi!.map((x) => Number(x) * (1 + 1e-9)),
      baumgarte: { ...state.baumgarte!, beta: state.baumgarte!.beta * (1 + 1e-10) },
      // Nearer by a hundredth than any point of the loops is.
      nearest_q: state.nearest_q!.map((x, a) => Number(x) + 0.01 * (Number(state.q![a]) - Number(x))),
    };
    const states = [{ ...state, [key]: changed[key] ?? off(state[key as keyof ReferenceState]) }];
    const result = await compareReference({ ...file, states }, { target: 'ts', precision: 'double' });
    expect(result).toMatchObject({ outcome: 'failed', where: expect.stringMatching(where) as string });
  });
});

it.skipIf(!isInstalled('cc'))('accelerations that rows refuse are left out in C as in TypeScript', async () => {
  const robot = loadRobotFile('examples/mechanisms/four-bar.robot.yaml');
  const compiled = compileRobot(robot);
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
  const evaluator = await buildEvaluator(robot, compiled);
  // Stretched along a line: nothing moves along it, and rates ask for that.
  const still = { q: [0, 0, 0], qd: [0.3, -0.2, 0.5], qdd: [1, -2, 3] };
  const states = [still, { ...still, feedback: { alpha: 5, beta: 5 } }, { ...still, q: [0.9, -0.4, 1.6] }];
  try {
    const inC = await evaluator.evaluate(states);
    const known = (terms: readonly { readonly qdd?: readonly number[] }[]): boolean[] =>
      terms.map(({ qdd }) => qdd !== undefined);
    expect(known(inC)).toEqual([false, true, true]);
    expect(known(states.map((state) => evaluateState(dynamics, robot.tip, state, false, [], 2)))).toEqual(known(inC));
  } finally {
    await evaluator.dispose();
  }
});
