/** Forward dynamics and implicit steps in straight-line form against inverse dynamics, which shares nothing with them but motions at rest. */
import { describe, expect, it } from 'vitest';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import type { StraightRobot } from '../../src/straight/straight-robot.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';

const rigid = (mass: number, x: number) => ({
  mass,
  com: [x, 0.02, 0.1],
  inertia: { xx: 0.03, yy: 0.04, zz: 0.02, xy: 0.003, xz: -0.002, yz: 0.001 },
  distal: { xyz: [0.1, 0.03, 0.3], rpy: [0.2, 0, -0.4] },
});

/** A trunk with two arms; a slide, a joint about a slanted axis, an armature, springs, and bodies that bend. */
const robot = {
  kanegen: 1,
  name: 'arms',
  links: [
    { name: 'trunk', joint: { revolute: 'z', armature: '0.2 kg m^2' }, rigid: rigid(3, 0.05) },
    { name: 'slide', joint: { prismatic: [1, 2, 2] }, rigid: rigid(1, -0.1) },
    {
      name: 'soft',
      parent: 'slide',
      joint: { revolute: 'x', stiffness: '2 N m/rad', damping: '0.3 N m s/rad' },
      body: 'planar-cc',
    },
    { name: 'tilt', parent: 'trunk', joint: { revolute: [1, 1, 0] }, rigid: rigid(0.8, 0.2) },
    { name: 'bent', parent: 'tilt', body: 'planar-cc', repeat: 2 },
    { name: 'elbow', parent: 'bent2', joint: { revolute: 'y' }, rigid: rigid(0.5, 0.1) },
  ],
};

const values = (n: number, phase: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(1.7 * i + phase));

function valuesAt(
  straight: StraightRobot,
  state: Partial<Record<'h' | 'q' | 'qd' | 'qdd' | 'tau', readonly number[]>>,
  name: string,
) {
  const at = new Map<Expr, number>();
  for (const [buffer, numbers] of Object.entries(state))
    straight.inputs[buffer as 'q'].forEach((symbol, i) => at.set(symbol, numbers[i]!));
  const { outputs } = straight.functions.find((f) => f.name === name)!;
  return outputs.map((output) => evaluate(output.values, at));
}

const count = (outputs: readonly Expr[]): number => outputs.length;

describe('forward dynamics in straight-line form', () => {
  it('finds the accelerations of which inverse dynamics has the forces, springs and dampers included', () => {
    const straight = compileStraight(loadRobotObject(robot), {
      functions: ['inverseDynamics', 'forwardDynamics', 'passiveForces'],
      count,
    });
    const n = straight.inputs.q.length;
    const motion = { q: values(n, 1), qd: values(n, 2), qdd: values(n, 3), tau: values(n, 0) };
    const [inertial] = valuesAt(straight, motion, 'inverseDynamics');
    const [elastic, damping] = valuesAt(straight, motion, 'passiveForces');
    expect(Math.max(...elastic!.map(Math.abs), ...damping!.map(Math.abs))).toBeGreaterThan(0.1);
    const tau = inertial!.map((x, a) => x + elastic![a]! + damping![a]!);
    const [found] = valuesAt(straight, { ...motion, tau }, 'forwardDynamics');
    found!.forEach((x, a) => expect(Math.abs(x - motion.qdd[a]!)).toBeLessThan(1e-11));
  });

  it('solves the mass matrix as a whole where that costs less, to the same accelerations', () => {
    const links = [{ name: 'bent', body: 'planar-cc', repeat: 3 }];
    const arm = loadRobotObject({ kanegen: 1, name: 'arm', links });
    const functions = ['inverseDynamics', 'forwardDynamics'] as const;
    const [whole, eliminated] = [generatedCost, count].map((by) => compileStraight(arm, { functions, count: by }));
    const costs = [whole!, eliminated!].map(({ functions: [, forward], inputs }) =>
      generatedCost(forward!.outputs[0]!.values, Object.values(inputs).flat(), 'exact'),
    );
    expect(costs[0]).toBeLessThan(costs[1]!);
    const motion = { q: values(3, 1), qd: values(3, 2), qdd: values(3, 3), tau: values(3, 0) };
    for (const straight of [whole!, eliminated!]) {
      const [tau] = valuesAt(straight, motion, 'inverseDynamics');
      const [found] = valuesAt(straight, { ...motion, tau: tau! }, 'forwardDynamics');
      found!.forEach((x, a) => expect(Math.abs(x - motion.qdd[a]!)).toBeLessThan(1e-11));
    }
  });

  it('is not among the usual functions of a robot with a coordinate that moves no mass, and says which', () => {
    const bare = { name: 'bare', joint: { revolute: 'x' }, rigid: { mass: 0, distal: { xyz: [0, 0, 1] } } };
    const massless = loadRobotObject({ ...robot, links: [robot.links[0], bare] });
    const names = compileStraight(massless, { count }).functions.map((f) => f.name);
    expect(names).toContain('inverseDynamics');
    expect(names).not.toContain('forwardDynamics');
    expect(() => compileStraight(massless, { functions: ['forwardDynamics'], count })).toThrow(
      'the coordinate bare.angle moves no mass',
    );
  });
});

describe('implicit steps in straight-line form', () => {
  const functions = [
    ...(['inverseDynamics', 'implicitStep', 'massMatrix', 'stiffness', 'dissipation', 'passiveForces'] as const),
  ];

  /** Largest of (M + h D + h² K)(v⁺ − v) − h (τ − c − g − elastic − damping − h K v), with all terms from functions of their own. */
  function residual(straight: StraightRobot, h: number): number {
    const n = straight.inputs.q.length;
    const state = { h: [h], q: values(n, 1), qd: values(n, 2), qdd: values(n, 3).map(() => 0), tau: values(n, 0) };
    const [next, rates] = valuesAt(straight, state, 'implicitStep');
    const [bias] = valuesAt(straight, state, 'inverseDynamics');
    const [M] = valuesAt(straight, state, 'massMatrix');
    const [K] = valuesAt(straight, state, 'stiffness');
    const [D] = valuesAt(straight, state, 'dissipation');
    const [elastic, damping] = valuesAt(straight, state, 'passiveForces');
    state.q.forEach((x, a) => expect(next![a]).toBeCloseTo(x + h * rates![a]!, 13));
    return Math.max(
      ...state.tau.map((force, a) => {
        const sum = (of: (b: number) => number): number => state.q.reduce((total, _, b) => total + of(b), 0);
        const left = sum(
          (b) => (M![a * n + b]! + h * D![a * n + b]! + h * h * K![a * n + b]!) * (rates![b]! - state.qd[b]!),
        );
        const pull = sum((b) => K![a * n + b]! * state.qd[b]!);
        return Math.abs(left - h * (force - bias![a]! - elastic![a]! - damping![a]! - h * pull));
      }),
    );
  }

  it('solve with M, h D and h² K, coordinates eliminated or all at once', () => {
    // Two bendings share a coordinate, so that K and D have entries beside the diagonal.
    const rod = {
      parameters: { L: '0.3 m', R: '20 mm', rho: '1062 kg/m^3' },
      coordinates: { a: { unit: 'rad' }, b: { unit: 'rad' }, e: { unit: 'm' } },
      volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
      strain: { 'bend-x': 'a/L', 'bend-y': '(0.5*a + b)/L', stretch: 'e/L' },
      material: { 'rod-elasticity': { E: '0.1 MPa', nu: 0.4 }, viscosity: '300 Pa s' },
    };
    const arm = loadRobotObject({
      kanegen: 1,
      name: 'arm',
      'body-types': { rod },
      links: [
        { name: 'swivel', joint: { revolute: 'z', damping: '0.2 N m s/rad', armature: 0.1 }, body: 'rod' },
        { name: 'tip', joint: { prismatic: 'x', stiffness: '30 N/m' }, rigid: rigid(0.4, 0.1) },
      ],
    });
    // What is counted later costs more: that is elimination, after the matrix as a whole.
    let calls = 0;
    const whole = compileStraight(arm, { functions, count: () => calls++ });
    const eliminated = compileStraight(arm, { functions, count });
    const branched = compileStraight(loadRobotObject(robot), { functions, count });
    const isWhole = [whole, eliminated, branched].map(({ functions: own }) => own[1]!.summary.includes('as a whole'));
    expect(isWhole).toEqual([true, false, false]);
    for (const straight of [whole, eliminated, branched])
      for (const h of [1e-3, 0.2]) expect(residual(straight, h)).toBeLessThan(1e-11);
  });

  it('move a coordinate without mass that has a spring, and refuse one without', () => {
    const bare = (joint: object) =>
      loadRobotObject({
        ...robot,
        links: [robot.links[0], { name: 'bare', joint, rigid: { mass: 0, distal: { xyz: [0, 0, 1] } } }],
      });
    const sprung = compileStraight(bare({ revolute: 'x', stiffness: '2 N m/rad' }), { functions, count });
    expect(residual(sprung, 0.1)).toBeLessThan(1e-12);
    expect(() => compileStraight(bare({ revolute: 'x' }), { functions: ['implicitStep'], count })).toThrow(
      'the coordinate bare.angle moves no mass',
    );
  });
});
