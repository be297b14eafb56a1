import { describe, expect, it } from 'vitest';
import { loadRobotFile, loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { startBudget } from '../../src/lagrange/budget.ts';
import { compileLagrange } from '../../src/lagrange/compile.ts';
import type { LagrangeMethod } from '../../src/lagrange/equations.ts';
import type { StraightRobot } from '../../src/straight/straight-robot.ts';
import { KanegenError } from '../../src/common/error.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';
import { freeSymbols } from '../../src/symbolic/graph/traverse.ts';
import { deviations } from '../../src/verify/generated/deviation.ts';
import { evaluateRobot, rows, type Evaluation, type State } from '../../src/verify/generated/evaluation.ts';
import { sampleStates } from '../../src/verify/independent/sample-states.ts';

const METHODS: readonly LagrangeMethod[] = ['algorithmic', 'christoffel'];

const arm = (count: number, more: object = {}): Robot =>
  loadRobotObject({
    kanegen: 1,
    name: `arm-${count}`,
    links: [{ name: 'seg', body: 'planar-cc', repeat: count, parameters: { L: 0.2, R: 0.02, rho: 1062 } }],
    ...more,
  });

/** Joints about or along the axes named, full inertia tensors, offsets in all directions. */
const rigidChain = (joints: readonly object[], more: object = {}): Robot =>
  loadRobotObject({
    kanegen: 1,
    name: 'rigid-chain',
    links: joints.map((joint, i) => ({
      name: `l${i + 1}`,
      offset: { xyz: [0.1, 0, 0.3 + 0.1 * i], rpy: [0.2, 0, 0.4 * i] },
      joint,
      rigid: {
        mass: 1.5 + i,
        com: [0.02, -0.03, 0.15],
        inertia: { xx: 0.021, yy: 0.019, zz: 0.011, xy: 0.001, xz: -0.002, yz: 0.0015 },
        distal: { xyz: [0.01, 0.05, 0.3] },
      },
    })),
    ...more,
  });

const values = (straight: StraightRobot, name: string, bindings: ReadonlyMap<Expr, number>): number[][] =>
  straight.functions.find((f) => f.name === name)!.outputs.map((output) => evaluate(output.values, bindings));

/** What the baseline's expressions give at a state; energies and tip, which it does not have, as expected. */
function evaluateLagrange(straight: StraightRobot, { q, qd, qdd }: State, expected: Evaluation): Evaluation {
  const { inputs, parameters } = straight;
  const bindings = new Map<Expr, number>(parameters.map((p) => [p.symbol, p.value]));
  const bind = (symbols: readonly Expr[], numbers: readonly number[]): void =>
    symbols.forEach((s, i) => bindings.set(s, numbers[i]!));
  bind(inputs.q, q);
  bind(inputs.qd, qd);
  bind(inputs.qdd, qdd);
  const n = q.length;
  const [tau] = values(straight, 'inverseDynamics', bindings);
  const [g] = values(straight, 'gravity', bindings);
  const [M, forcing] = values(straight, 'massMatrixAndForcing', bindings);
  return { ...expected, tau: tau!, g: g!, c: forcing!.map((f, i) => -f - g![i]!), M: rows(M!, n) };
}

async function worstDeviation(robot: Robot, method: LagrangeMethod): Promise<number> {
  const straight = compileLagrange(robot, { method });
  const states = sampleStates(robot, 4, 7, 0.3);
  const expected = await evaluateRobot(robot, compileRobot(robot), states, { target: 'ts', precision: 'double' });
  return Math.max(
    ...states.flatMap((state, i) =>
      deviations(evaluateLagrange(straight, state, expected[i]!), expected[i]!, state, 1, 1).map((d) => d.error),
    ),
  );
}

describe('the Euler–Lagrange baseline', () => {
  const robots: readonly (readonly [string, () => Robot])[] = [
    ['one planar constant-curvature segment', () => arm(1)],
    ['two planar constant-curvature segments', () => arm(2)],
    ['three segments that hang in a slanted field', () => arm(3, { gravity: [3, -1, 9] })],
    ['two turning links', () => rigidChain([{ revolute: 'z' }, { revolute: 'y' }])],
    [
      'three turning links on a tilted base',
      () =>
        rigidChain([{ revolute: 'y' }, { revolute: 'y' }, { revolute: 'x' }], {
          base: { xyz: [0, 0, 1], rpy: [0.3, 0.5, -0.2] },
          gravity: [1, 2, -9],
        }),
    ],
    [
      'a sliding link between turning ones',
      () => rigidChain([{ revolute: 'z', armature: 0.07 }, { prismatic: 'y', armature: 0.4 }, { revolute: 'x' }]),
    ],
    ['a spherical joint', () => rigidChain([{ spherical: null }, { revolute: 'x' }])],
    [
      'one spatial constant-curvature segment',
      () => loadRobotObject({ kanegen: 1, name: 'spatial', links: [{ body: 'pcc-3d' }] }),
    ],
    ['a run-time payload on two links', () => loadRobotFile('examples/two-link.robot.yaml')],
  ];

  for (const method of METHODS)
    it.each(robots)(
      `agrees with the recursion for %s, straight configurations included (${method})`,
      async (_, make) => {
        expect(await worstDeviation(make(), method)).toBeLessThan(2e-13);
      },
    );

  it('has a mass matrix that depends on nothing but the configuration', () => {
    const straight = compileLagrange(arm(3), { functions: ['massMatrix'] });
    const [M] = straight.functions[0]!.outputs;
    const configuration = new Set<Expr>(straight.inputs.q);
    expect(freeSymbols(M!.values).every((s) => configuration.has(s))).toBe(true);
  });

  it('needs closed forms, and names the body that has none', () => {
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'conical',
      'body-types': {
        cone: {
          coordinates: { b: { unit: 'rad' } },
          parameters: { L: '0.2 m', R: '20 mm' },
          volume: { rod: { s: [0, 'L'] }, section: { disc: 'R*(1 - s/L/2)' }, density: 1000 },
          strain: { 'bend-y': 'b*s/L^2' },
        },
      },
      links: [{ body: 'cone' }],
    });
    expect(() => compileLagrange(robot)).toThrow('code by Lagrange’s equations needs closed forms, and cone has none');
  });

  it('stops when its budget of time is spent, and says how far it came', () => {
    const checkpoint = startBudget({ seconds: 0, megabytes: Infinity });
    const derive = (): StraightRobot => compileLagrange(arm(3), { method: 'christoffel', checkpoint });
    expect(derive).toThrow(KanegenError);
    expect(derive).toThrow(/limit of 0 s after the energies of frame 1 of \d+ \(\d+\.\d s, \d+ MB, \d+ expressions\)/);
  });

  it('stops when its budget of memory is spent', () => {
    const checkpoint = startBudget({ seconds: Infinity, megabytes: 1 });
    expect(() => compileLagrange(arm(2), { checkpoint })).toThrow(/limit of 1 MB after/);
  });

  it('derives only what is asked for', () => {
    const steps: string[] = [];
    compileLagrange(arm(2), { functions: ['gravity'], checkpoint: (step) => steps.push(step) });
    expect(steps.every((step) => step.startsWith('the energies of frame'))).toBe(true);
  });
});
