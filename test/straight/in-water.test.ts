/**
 * Straight-line functions of robots in water and in fields: against the driver, which sums along the rods in loops, and derivatives against difference
 * quotients. Reference data and D'Alembert's principle: test/verify.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK } from '../../src/runtime/driver.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import type { StraightFunctionName, StraightRobot } from '../../src/straight/straight-robot.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';

const rigid = (mass: number, x: number) => ({
  mass,
  com: [x, 0.02, 0.1],
  inertia: { xx: 0.03, yy: 0.04, zz: 0.02, xy: 0.003, xz: -0.002, yz: 0.001 },
  distal: { xyz: [0.1, 0.03, 0.3], rpy: [0.2, 0, -0.4] },
});

const rod = { L: 0.2, R: 0.02, rho: 1100 };

/** Two arms on a slanted base: one of bending bodies, one with a joint between bodies that stretch. */
const robot = (water: object, second: string, forces: object = {}) => ({
  kanegen: 1,
  name: 'wet-arms',
  gravity: [1, -9, 2],
  base: { xyz: [0.1, 0, 0], rpy: [0.3, -0.2, 0.5] },
  parameters: {
    flow: { value: 0.4, unit: 'm/s', runtime: true },
    dense: { value: 1025, unit: 'kg/m^3', runtime: true },
    ...(Object.keys(forces).length > 0 && FURTHER),
  },
  forces,
  links: [
    { name: 'trunk', joint: { revolute: [0, 0.6, 0.8], armature: 0.02, damping: 0.1 }, rigid: rigid(1, 0.05) },
    { name: 'hand', joint: { prismatic: [0.6, 0, 0.8] }, rigid: rigid(0.1, 0.01) },
    { name: 'bent', body: 'planar-cc', parameters: rod },
    {
      name: 'side',
      parent: 'trunk',
      joint: { revolute: 'x' },
      offset: { rpy: [0, 0.7, 0.2] },
      body: second,
      parameters: rod,
    },
  ],
  water: { density: 'dense', current: [0.2, 'flow', -0.1], points: 3, ...water },
});

const FIELDS = {
  wind: { through: ['bent', 'side'], force: ['0.3*flow*c', 0, 'flow*c*S'], points: 3 },
  magnet: { through: 'side', moment: 'cross(m*tangent, [B, 0, 0.3*B]) + dot(place, [1, 2, 3])*[f, 0, f]', points: 3 },
};
const FURTHER = {
  c: { value: 2, unit: 'N s/m^2' },
  m: { value: 0.4, unit: 'A m' },
  B: { value: 0.5, unit: 'T' },
  f: { value: 0.3, unit: 'N/m' },
};
const WATERS = {
  'separate drag, added mass in the form of Lagrange': robot(
    { drag: { normal: 1.1, tangential: 0.3 }, 'added-mass': 0.8 },
    'planar-cc-elongation',
  ),
  'drag by a common speed and linear, added mass by the normal acceleration, no buoyancy, fields along rods': robot(
    {
      drag: { normal: 1.1, tangential: 0.3, form: 'common' },
      'linear-drag': { normal: 2, tangential: 1 },
      'added-mass': { coefficient: 0.7, form: 'normal-acceleration' },
      buoyancy: false,
    },
    'planar-cc',
    FIELDS,
  ),
  'drag and buoyancy alone': robot({ drag: { normal: 1.1 } }, 'planar-cc'),
};

const FUNCTIONS: readonly StraightFunctionName[] = [
  ...(['inverseDynamics', 'massMatrix', 'gravity', 'dynamicsTerms', 'forwardDynamics', 'implicitStep'] as const),
  ...(['fluid', 'activeInverseDynamics', 'inverseDynamicsDerivatives', 'fluidDerivatives', 'passiveForces'] as const),
];

const wave = (n: number, phase: number, size = 1): number[] =>
  Array.from({ length: n }, (_, i) => size * Math.sin(1.7 * i + phase));

describe.each(Object.entries(WATERS))('a robot in water, %s', (_, described) => {
  let own: Robot;
  let straight: StraightRobot;
  let driver: LoadedRobot;
  let n: number;
  let state: Record<'q' | 'qd' | 'qdd', number[]>;
  beforeAll(async () => {
    own = loadRobotObject(described);
    straight = compileStraight(own, { functions: FUNCTIONS, count: (outputs) => outputs.length });
    driver = (await loadGenerated(await generateTypeScript(own, compileRobot(own))))();
    n = own.coordinates.length;
    state = { q: wave(n, 1, 0.4), qd: wave(n, 2), qdd: wave(n, 3, 2) };
    driver.parameters['flow'] = 0.7;
    driver.parameters['dense'] = 990;
    driver.update(state.q, state.qd);
  });

  function valuesAt(name: StraightFunctionName, further: object = {}): readonly number[][] {
    const at = new Map<Expr, number>(straight.parameters.map((p) => [p.symbol, p.name === 'flow' ? 0.7 : 990]));
    for (const [buffer, numbers] of Object.entries({ ...state, ...further }))
      straight.inputs[buffer as 'q'].forEach((symbol, i) => at.set(symbol, numbers[i]!));
    return straight.functions.find((f) => f.name === name)!.outputs.map((o) => evaluate(o.values, at));
  }

  /** By the driver: `count` numbers each. */
  function byDriver(call: (...outputs: Float64Array[]) => number, ...counts: number[]): number[][] {
    const outputs = counts.map((count) => new Float64Array(count));
    expect(call(...outputs)).toBe(KG_OK);
    return outputs.map((own) => [...own]);
  }

  function expectSame(found: readonly number[], due: readonly number[], tolerance = 1e-12): void {
    expect(found).toHaveLength(due.length);
    const size = Math.max(...due.map(Math.abs));
    found.forEach((x, i) => expect(Math.abs(x - due[i]!) / size).toBeLessThan(tolerance));
  }

  it('has the forces and the mass matrix of the driver', () => {
    const { qdd } = state;
    const [fluid] = byDriver((out) => driver.fluid(out), n);
    expect(Math.min(...fluid!.map(Math.abs))).toBeGreaterThan(1e-3);
    expectSame(valuesAt('fluid')[0]!, fluid!);
    const [tau] = byDriver((out) => driver.inverseDynamics(qdd, out), n);
    expectSame(valuesAt('inverseDynamics')[0]!, tau!);
    const [active] = byDriver((out) => driver.activeInverseDynamics(qdd, out), n);
    expectSame(valuesAt('activeInverseDynamics')[0]!, active!);
    const [M] = byDriver((out) => driver.massMatrix(out), n * n);
    expectSame(valuesAt('massMatrix')[0]!, M!);
    const [c, g] = byDriver((...out) => driver.terms(out[0]!, out[1]!, null, null), n, n);
    expectSame(valuesAt('gravity')[0]!, g!);
    [M, c, g].forEach((due, i) => expectSame(valuesAt('dynamicsTerms')[i]!, due!));
  });

  it('has the accelerations and implicit steps of the driver', () => {
    const tau = wave(n, 0.3, 3);
    const [qdd] = byDriver((out) => driver.forwardDynamics(tau, out), n);
    expectSame(valuesAt('forwardDynamics', { tau })[0]!, qdd!, 1e-11);
    const [q, qd] = byDriver((...out) => driver.implicitStep(0.05, tau, out[0]!, out[1]!), n, n);
    const found = valuesAt('implicitStep', { h: [0.05], tau });
    expectSame(found[0]!, q!, 1e-11);
    expectSame(found[1]!, qd!, 1e-11);
  });

  it.each([
    ['inverseDynamicsDerivatives', 'inverseDynamics'],
    ['fluidDerivatives', 'fluid'],
  ] as const)('has %s that are difference quotients of %s', (derivatives, forces) => {
    const step = 1e-3;
    const direction = wave(n, 5);
    (['q', 'qd'] as const).forEach((buffer, which) => {
      const terms = valuesAt(derivatives)[which]!.map((x, k) => x * direction[k % n]!);
      const largest = Math.max(...terms.map(Math.abs));
      const along = (by: number): readonly number[] =>
        valuesAt(forces, { [buffer]: state[buffer].map((x, b) => x + by * direction[b]!) })[0]!;
      const [far, near, after, beyond] = [-2, -1, 1, 2].map((k) => along(k * step));
      for (let i = 0; i < n; i++) {
        const quotient = (far![i]! - 8 * near![i]! + 8 * after![i]! - beyond![i]!) / (12 * step);
        const found = terms.slice(i * n, (i + 1) * n).reduce((sum, x) => sum + x, 0);
        expect(Math.abs(found - quotient) / largest).toBeLessThan(1e-8);
      }
    });
  });
});

describe('straight-line functions of water', () => {
  it('are refused where there is none, and are not among the usual ones of other robots', () => {
    const { water, ...dry } = WATERS['drag and buoyancy alone'];
    expect(water).toBeDefined();
    const { current, points, density } = water as { current: unknown; points: number; density: string };
    const count = (outputs: readonly Expr[]): number => outputs.length;
    const links = [dry.links[2]];
    for (const functions of [['fluid'], ['fluidDerivatives']] as const)
      expect(() => compileStraight(loadRobotObject({ ...dry, links }), { functions, count })).toThrow(
        'the robot has no drag, no buoyancy and no fields',
      );
    const usual = (robot_: object): readonly string[] =>
      compileStraight(loadRobotObject(robot_), { count }).functions.map(({ name }) => name);
    expect(usual({ ...dry, links })).not.toContain('fluid');
    const moved = { buoyancy: false, 'added-mass': 1, current, points, density };
    expect(usual({ ...dry, links, water: moved })).not.toContain('fluid');
  });
});
