/** Robots with loops: equilibria and nearest closed points against others' data, motions and checks of a robot with every kind of end. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { load, simulate } from '../../src/index.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { KG_OK } from '../../src/runtime/driver.ts';
import { assemble } from '../../src/simulation/equilibria/assembly.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';
import { referenceRobot } from '../../src/verify/reference/reference-robot.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const numbers = (texts: readonly string[]): number[] => texts.map(Number);
const apart = (a: readonly number[], b: readonly number[]): number => Math.max(...a.map((x, i) => Math.abs(x - b[i]!)));

interface LoopFile {
  readonly parameters: unknown;
  readonly equilibria: readonly {
    readonly name: string;
    readonly load: readonly unknown[];
    readonly q_star: readonly string[];
    readonly multipliers: readonly string[];
    readonly load_force: readonly string[];
    readonly smallest_eigenvalue_in_null_space: string;
  }[];
  readonly states: readonly {
    readonly q: readonly number[];
    readonly M: readonly (readonly string[])[];
    readonly nearest_q?: readonly string[];
  }[];
}

const fileOf = (name: string): LoopFile =>
  JSON.parse(readFileSync(here(`../reference/loops/${name}.json`), 'utf8')) as LoopFile;

async function compiled(name: string, derivatives: boolean): Promise<{ robot: Robot; dynamics: LoadedRobot }> {
  const found = referenceRobot(fileOf(name).parameters);
  if (!('robot' in found)) throw new Error(found.unsupported);
  const robot = loadRobotObject(found.robot);
  const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot, { derivatives })));
  return { robot, dynamics: create() };
}

const full = process.env['KANEGEN_FULL'] === '1';

describe('robots with loops', () => {
  it.each(['Q2_two_arms_pin', 'Q4_rod_on_line'])('come to rest as 25 digits say: %s', async (name) => {
    const { equilibria } = fileOf(name);
    const { robot, dynamics } = await compiled(name, true);
    expect(equilibria.length).toBeGreaterThan(0);
    for (const due of equilibria) {
      // Loads on tips act by their generalized forces at the equilibrium: the same equations are met there.
      const forces = numbers(due.load_force);
      const found = equilibrium(
        robot,
        dynamics,
        { forces },
        numbers(due.q_star).map((x) => x + 0.01),
      );
      expect(apart(found.q, numbers(due.q_star))).toBeLessThan(1e-11);
      expect(apart(found.multipliers!, numbers(due.multipliers))).toBeLessThan(1e-10);
      if (due.load.length > 0) continue;
      // The metric of the eigenvalue is that of the coordinates.
      expect(found.smallestEigenvalue).toBeCloseTo(Number(due.smallest_eigenvalue_in_null_space), 6);
      // Loops stay closed along its motion.
      expect(Math.hypot(...found.softest)).toBeCloseTo(1, 12);
      const [n, rows] = [found.q.length, found.multipliers!.length];
      const J = new Float64Array(rows * n);
      dynamics.update(found.q, new Float64Array(n));
      dynamics.constraintJacobian!(J);
      for (let row = 0; row < rows; row++)
        expect(found.softest.reduce((sum, x, i) => sum + x * J[n * row + i]!, 0)).toBeCloseTo(0, 9);
    }
  });

  it.each(['Q1_fourbar_pin', 'Q2_two_arms_weld', 'Q4_rods_on_cable'])(
    'are assembled at the nearest closed point: %s',
    async (name) => {
      const state = fileOf(name).states.find((own) => own.nearest_q !== undefined)!;
      const { robot, dynamics } = await compiled(name, false);
      const { q, residual } = assemble(robot, dynamics, state.q);
      expect(residual).toBeLessThan(1e-13);
      const distance = (x: readonly number[]): number => {
        const d = x.map((value, a) => value - state.q[a]!);
        return Math.sqrt(
          state.M.reduce((sum, row, a) => sum + row.reduce((t, m, b) => t + Number(m) * d[b]!, 0) * d[a]!, 0),
        );
      };
      expect(distance(q)).toBeLessThan(1.001 * distance(numbers(state.nearest_q!)));
    },
  );

  it('hold coordinates while they close, and say what stays open', async () => {
    const { robot, dynamics } = await compiled('Q1_fourbar_pin', false);
    const start = fileOf('Q1_fourbar_pin').states[0]!.q;
    const turned = start.map((x, a) => (a === 0 ? x + 0.2 : x));
    const { q, moved, rank } = assemble(robot, dynamics, turned, [0]);
    expect(q[0]).toBe(turned[0]);
    expect(moved[0]).toBe(0);
    expect(rank).toBe(2);
    expect(() => assemble(robot, dynamics, turned, [0, 1, 2])).toThrow(/do not close/);
  });

  it.runIf(full)('move with every kind of end, and verify', async () => {
    const robot = await load(here('many-loops.robot.yaml'));
    const report = await robot.verify();
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    expect(report.checks.filter(({ name }) => /loops/.test(name)).map(({ outcome }) => outcome)).not.toContain(
      'unchecked',
    );
    const run = await simulate(here('many-loops.scenario.yaml'));
    expect(run.failure).toBeUndefined();
    expect(run.balance!.defect).toBeLessThan(1e-7 * run.balance!.exchanged);
    const dynamics = await (await robot.compile()).run();
    const phi = new Float64Array(7);
    const rate = new Float64Array(7);
    const last = run.samples.at(-1)!;
    dynamics.update(last.q, last.qd);
    dynamics.constraint!(phi, rate, null);
    expect(Math.max(...phi.map(Math.abs))).toBeLessThan(1e-12);
    expect(Math.max(...rate.map(Math.abs))).toBeLessThan(1e-11);
  });
});

describe('equilibria of scenarios with loops', () => {
  /** Two sliders on springs, pulled by their weight and tied at a distance. */
  const robot = `kanegen: 1
name: tied
gravity: [3, 0, 0]
parameters: { d: 0.3 m }
links:
  - { name: a, parent: base, joint: { prismatic: x, stiffness: 100 N/m }, rigid: { mass: 1 kg } }
  - { name: b, parent: base, joint: { prismatic: x, stiffness: 50 N/m }, rigid: { mass: 2 kg } }
loops: { tie: { constraint: a.displacement - b.displacement - d } }
`;
  const outcomes = async (text: string): Promise<readonly string[]> => {
    const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-tied-'));
    try {
      writeFileSync(path.join(folder, 'tied.robot.yaml'), robot);
      const file = path.join(folder, 'run.scenario.yaml');
      writeFileSync(file, `kanegen-scenario: 1\nrobot: tied.robot.yaml\n${text}`);
      return (await simulate(file)).comparisons.map(({ outcome }) => outcome);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const due = 'within: 1e-9, kind: exact, source: by hand';

  // 100 a + 50 (a − d) = 3 (1 + 2); the tie carries 100 a − 3, and 6 − 50 b where something holds a.
  it.each([
    ['', 0.16, 13],
    ['hold: [a], coordinates: { a.displacement: 0.1 }', 0.1, 16],
  ])('are where forces balance, with what rows carry: { %s }', async (initial, a, force) => {
    const scenario = (carried: number): string => `initial: { ${initial} }
statics: true
expect:
  - { coordinates: { a.displacement: ${a}, b.displacement: ${a - 0.3} }, ${due} }
  - { multipliers: { tie: ${carried} }, ${due} }
`;
    expect(await outcomes(scenario(force))).toEqual(['ok', 'ok', 'ok']);
    expect(await outcomes(scenario(-force))).toEqual(['ok', 'ok', 'FAILED']);
  });

  it('begin motions, which a state beside them does not rest in', async () => {
    const motion = (initial: string): string => `initial: { ${initial} }
duration: 0.1 s
outputs: { every: 0.05 s }
expect: [{ coordinates: { a.displacement: 0.16 }, ${due} }]
`;
    expect(await outcomes(motion('equilibrium: true'))).toEqual(['ok']);
    expect(await outcomes(motion(''))).toEqual(['FAILED']);
  });
});

describe('a link that hangs on a loop', () => {
  it('has corrections that do not depend on what was asked before', async () => {
    const rod = (length: number): object => ({
      mass: 0.5,
      com: [length / 2, 0.01, 0],
      inertia: { xx: 1e-4, yy: 1e-3, zz: 1e-3 },
      distal: { xyz: [length, 0, 0] },
    });
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'hanging',
      links: [
        { name: 'crank', joint: { revolute: 'z' }, rigid: rod(0.1) },
        { name: 'coupler', joint: { revolute: 'z' }, rigid: rod(0.3) },
        { name: 'slide', parent: 'base', offset: { xyz: [0.28, 0, 0] }, joint: { prismatic: 'x' }, rigid: rod(0.1) },
        { name: 'pendulum', parent: 'slide', joint: { revolute: 'z' }, rigid: rod(0.2) },
      ],
      loops: { pin: { 'point-on-line': { a: 'coupler', b: 'slide', axis: 'z' } } },
    });
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const correction = (): number[] => {
      const [dq, dqd] = [new Float64Array(4), new Float64Array(4)];
      expect(dynamics.constraintCorrection!(dq, dqd)).toBe(KG_OK);
      return [...dq, ...dqd];
    };
    dynamics.update([0.3, -0.2, 0.01, 0.4], [1, 2, 0.3, -1]);
    const first = correction();
    expect(Math.max(...first.map(Math.abs))).toBeGreaterThan(1e-3);
    dynamics.constrainedForwardDynamics!(3, 3, [5, 1, 2, 7], new Float64Array(4), new Float64Array(2));
    expect(correction()).toEqual(first);
  });
});
