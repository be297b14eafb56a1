/** Coordinates that brakes hold: the same as a robot that has a rigid piece in their place. */
import { Matrix } from 'ml-matrix';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomNumbers } from '../../src/common/random.ts';
import { loadRobot } from '../../src/index.ts';
import { solve } from '../../src/simulation/equilibria/balance.ts';
import { inverseStatics } from '../../src/simulation/equilibria/inverse-statics.ts';
import { linearise } from '../../src/simulation/small-motions/linearise.ts';
import type { StaticWrench } from '../../src/simulation/equilibria/static-loads.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';

type Loaded = Awaited<ReturnType<typeof loadRobot>>;

const [HEIGHT, ANGLE] = [0.15, 0.4];

/** A hanging rod between a slide that turns and a hinge without a spring that carries a hand; with joints, or pieces of their sizes. */
function arm(isWelded: boolean): Promise<Loaded> {
  const rigid = { mass: 0.4, com: [0.01, 0.02, 0.03], inertia: { xx: 2e-3, yy: 1e-3, zz: 1e-3, xy: 2e-4 } };
  const joint = (axis: object): object => (isWelded ? {} : { joint: axis });
  const piece = (pose: object): object => (isWelded ? { offset: pose } : {});
  return loadRobot(
    {
      kanegen: 1,
      name: 'held-arm',
      base: { xyz: [0, 0, 1], rpy: [2.8, 0.1, 0] },
      links: [
        { name: 'slide', ...joint({ prismatic: 'z' }), ...piece({ xyz: [0, 0, HEIGHT] }), rigid },
        { name: 'rod', body: 'elastic' },
        {
          name: 'hand',
          ...joint({ revolute: 'y' }),
          ...piece({ rpy: [0, ANGLE, 0] }),
          rigid: { ...rigid, mass: 0.02, distal: { xyz: [0, 0, 0.05] } },
        },
        { name: 'finger', joint: { revolute: 'x', stiffness: 0.3, damping: 0.01 }, rigid: { ...rigid, mass: 0.03 } },
      ],
      'body-types': {
        elastic: {
          extends: 'pcc-3d',
          parameters: { c: '0.8 N m', k: '600 N/m', d: '0.01 N m s' },
          potential: 'c/2*(q1^2 + q2^2) + k/2*q3^2',
          dissipation: 'd/2*(q1_dot^2 + q2_dot^2)',
        },
      },
      actuators: {
        pull: { tendon: { through: 'rod', route: { x: '0.8*R', y: 0 } } },
        ...(!isWelded && { lift: { motor: 'slide.displacement', limits: [-5, 5] } }),
      },
    },
    { derivatives: true },
  );
}

let [held, welded]: (Loaded | undefined)[] = [];
const [SLIDE, HAND] = [0, 4];
const PULL = 3;
const wrenches = (robot: Loaded['robot']): readonly StaticWrench[] => [
  { frame: robot.tip, wrench: [0.01, 0.02, 0, 0.1, -0.2, 0.1] },
];
/** Numbers of the coordinates that both robots have. */
const shared = <Value>(values: readonly Value[]): Value[] => values.filter((_, i) => i !== SLIDE && i !== HAND);

beforeAll(async () => {
  [held, welded] = await Promise.all([arm(false), arm(true)]);
});

function equilibria() {
  const [own, other] = [held!, welded!];
  expect(own.robot.coordinates.map(({ name }) => name)).toEqual([
    'slide.displacement',
    'rod.q1',
    'rod.q2',
    'rod.q3',
    'hand.angle',
    'finger.angle',
  ]);
  const start = [HEIGHT, 0, 0, 0, ANGLE, 0];
  const acting = { inputs: [PULL, 0], wrenches: wrenches(own.robot), held: [SLIDE, HAND] };
  return {
    own,
    other,
    acting,
    found: equilibrium(own.robot, own.dynamics, acting, start),
    expected: equilibrium(other.robot, other.dynamics, { inputs: [PULL], wrenches: wrenches(other.robot) }),
  };
}

describe('held coordinates', () => {
  it('stay, and the others come to rest as if pieces stood in place of the joints', () => {
    const { found, expected } = equilibria();
    expect(found.q[SLIDE]).toBe(HEIGHT);
    expect(found.q[HAND]).toBe(ANGLE);
    shared(found.q).forEach((x, i) => expect(Math.abs(x - expected.q[i]!)).toBeLessThan(1e-11));
    expect(Math.abs(found.smallestEigenvalue / expected.smallestEigenvalue - 1)).toBeLessThan(1e-9);
    expect(found.smallestEigenvalue).toBeGreaterThan(0);
  });

  it('stay without the dust of rounding, whatever stands around them', () => {
    const random = randomNumbers(3);
    for (let trial = 0; trial < 30; trial++) {
      const held = [trial % 7, (3 * trial + 2) % 7];
      const entry = (i: number, j: number): number => (held.includes(i) || held.includes(j) ? 0 : random() - 0.5);
      const K = new Matrix(Array.from({ length: 7 }, (_, i) => Array.from({ length: 7 }, (__, j) => entry(i, j))));
      const step = solve(
        K,
        Array.from({ length: 7 }, (_, i) => (held.includes(i) ? 0 : random())),
      )!;
      step.forEach((x, i) => expect(x === 0, `${trial}: ${i}`).toBe(held.includes(i)));
    }
  });

  it('are held by the force that makes it an equilibrium of the free robot', () => {
    const { own, found, acting } = equilibria();
    expect(shared(found.holding)).toEqual([0, 0, 0, 0]);
    expect(Math.abs(found.holding[SLIDE]!)).toBeGreaterThan(1);
    const { dynamics } = own;
    const forces = Float64Array.from(found.holding);
    dynamics.update(found.q, new Float64Array(6));
    dynamics.actuate(acting.inputs, forces);
    dynamics.external(own.robot.tip, acting.wrenches[0]!.wrench, forces);
    const qdd = new Float64Array(6);
    dynamics.forwardDynamics(forces, qdd);
    expect(Math.max(...qdd.map(Math.abs))).toBeLessThan(1e-9);
  });

  it.each([0, 1])('leave the small motions of the others as they are (speed %d)', (speed) => {
    const { own, other, acting, found, expected } = equilibria();
    const rates = [0.3, -0.2, 0.05, 0.7].map((x) => x * speed);
    const full = [0, ...rates.slice(0, 3), 0, rates[3]!];
    const small = linearise(own.robot, own.dynamics, { q: found.q, qd: full }, acting);
    const same = linearise(
      other.robot,
      other.dynamics,
      { q: expected.q, qd: rates },
      { inputs: [PULL], wrenches: wrenches(other.robot) },
    );
    expect(small.free).toEqual([1, 2, 3, 5]);
    const near = (a: readonly number[], b: readonly number[]): void => {
      const scale = Math.max(...b.map(Math.abs), 1);
      expect(a).toHaveLength(b.length);
      a.forEach((x, i) => expect(Math.abs(x - b[i]!), `entry ${i}`).toBeLessThan(1e-9 * scale));
    };
    near(small.A.flat(), same.A.flat());
    near(
      small.B.map((row) => row[0]!),
      same.B.flat(),
    );
    // The motor of the brake moves nothing.
    near(
      small.B.map((row) => row[1]!),
      small.free.flatMap(() => [0, 0]),
    );
    near(shared(small.drift), same.drift);
    expect(Math.max(Math.abs(small.drift[SLIDE]!), Math.abs(small.drift[HAND]!))).toBeLessThan(1e-9);
    expect(small.modes.map(({ frequency }) => frequency.toPrecision(8))).toEqual(
      same.modes.map(({ frequency }) => frequency.toPrecision(8)),
    );
    expect(small.modes[0]!.shape[SLIDE]).toBe(0);
  });

  it('leave the search of inputs to actuators that move something', () => {
    const { own, found, acting } = equilibria();
    const { robot, dynamics } = own;
    const [R, t, J] = [new Float64Array(9), new Float64Array(3), new Float64Array(36)];
    dynamics.update(found.q, new Float64Array(6));
    dynamics.frame(robot.tip, R, t, J);
    const { wrenches: pushing, held: brakes } = acting;
    const searched = inverseStatics(
      robot,
      dynamics,
      { position: [...t] as [number, number, number] },
      { start: [HEIGHT, 0, 0, 0, ANGLE, 0], loads: { wrenches: pushing, held: brakes }, restarts: 3 },
    );
    expect(searched.reached).toBe(true);
    expect(searched.inputs[0]).toBeCloseTo(PULL, 6);
    expect(searched.inputs[1]).toBe(0);
  });
});
