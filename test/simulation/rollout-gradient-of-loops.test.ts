/** Gradients of rollouts of robots whose loops are closed in every step, and of a bounce, against difference quotients of the rollouts. */
import { describe, expect, it } from 'vitest';
import { loadRobot } from '../../src/index.ts';
import { rolloutGradient, type Rollout, type RolloutCost } from '../../src/simulation/integrators/rollout-gradient.ts';

type Dynamics = Awaited<ReturnType<typeof loadRobot>>['dynamics'];

const rigid = (mass: number, length: number) => ({
  mass,
  com: [length / 2, 0, 0],
  inertia: { xx: 1e-4, yy: 2e-3, zz: 2e-3 },
  distal: { xyz: [length, 0, 0] },
});

const crank = { name: 'crank', joint: { revolute: 'z' }, rigid: rigid(0.4, 0.15) };
const coupler = {
  name: 'coupler',
  joint: { revolute: 'z', stiffness: '0.7 N m/rad', damping: '0.02 N m s/rad' },
  rigid: rigid(0.9, 0.45),
};
const rocker = {
  name: 'rocker',
  parent: 'base',
  offset: { xyz: [0.5, 0, 0] },
  joint: { revolute: 'z' },
  rigid: rigid(0.7, 0.35),
};
const bars = { kanegen: 1, gravity: [0, -9.81, 0], links: [crank, coupler, rocker] };
const arm = (name: string, x: number, angle: number) => [
  { name: `${name}1`, parent: 'base', offset: { xyz: [x, 0, 0], rpy: [0, angle, 0] }, body: 'planar-cc' },
  { name: `${name}2`, joint: { revolute: 'y' }, body: 'planar-cc' },
];

const ROBOTS = {
  'a four-bar, its pin a redundant hinge': {
    robot: {
      ...bars,
      name: 'four-bar',
      loops: { pin: { revolute: { a: 'coupler', b: 'rocker', axis: 'z' } } },
      actuators: { motor: { along: 'sin(crank.angle)', unit: '1' } },
    },
    rows: 5,
    q: [0.9177284600455726, -0.3808286480920385, 1.6341868044194696],
  },
  'a soft closed chain': {
    robot: {
      kanegen: 1,
      name: 'soft-chain',
      gravity: [0, 0, -9.81],
      links: [...arm('left', 0, 0.2), ...arm('right', 0.1, -0.2)],
      loops: { pin: { 'point-on-line': { a: 'left2', b: 'right2', axis: 'y' } } },
    },
    rows: 2,
    q: [0.3, 0.1, -0.2, -0.25, -0.15, 0.3],
  },
  'a spring and a rope, and a formula that follows the time': {
    robot: {
      ...bars,
      name: 'driven-bars',
      loops: {
        pin: {
          'point-on-line': { a: 'coupler', b: 'rocker', axis: 'z' },
          compliance: { translation: '1e-4 m/N' },
          damping: { translation: '5 N s/m' },
        },
        rope: { distance: { a: 'base', b: 'coupler', length: '0.45 m', unilateral: true } },
        drive: { constraint: 'crank.angle*cos(t) + 0.3*crank.angle*rocker.angle - 1.2 + 0.1*t' },
      },
    },
    rows: 4,
    q: [0.9177284600455726, -0.3808286480920385, 1.6341868044194696],
  },
} as const;

const values = (n: number, phase: number, scale: number): number[] =>
  Array.from({ length: n }, (_, i) => scale * Math.sin(1.7 * i + phase));

/** The nearest state on the loops, and rates along them. */
function assembled(dynamics: Dynamics, from: readonly number[], rates: readonly number[]): [number[], number[]] {
  const [dq, dqd] = [new Float64Array(from.length), new Float64Array(from.length)];
  let [q, qd] = [[...from], [...rates]];
  for (let round = 0; round < 8; round++) {
    expect(dynamics.update(q, qd)).toBe(0);
    expect(dynamics.constraintCorrection!(dq, dqd)).toBe(0);
    q = q.map((own, i) => own + dq[i]!);
    qd = qd.map((own, i) => own + dqd[i]!);
  }
  return [q, qd];
}

/** Sines of the last coordinates, and squares of rates on the way. */
const cost: RolloutCost = {
  final: (q, qd, byQ, byQd) => {
    let value = 0;
    q.forEach((own, i) => {
      value += (i + 1) * Math.sin(own) + 0.1 * qd[i]!;
      byQ[i]! += (i + 1) * Math.cos(own);
      byQd[i]! += 0.1;
    });
    return value;
  },
  running: (_step, _q, qd, _byQ, byQd) => {
    let value = 0;
    qd.forEach((rate, i) => {
      value += 0.01 * rate ** 2;
      byQd[i]! += 0.02 * rate;
    });
    return value;
  },
};

/** d/dx at 0 of the cost, to sixth order. */
function quotient(dynamics: Dynamics, moved: (x: number) => Rollout, step: number): number {
  const at = (x: number): number => rolloutGradient(dynamics, moved(x), cost).value;
  const central = (k: number): number => at(k * step) - at(-k * step);
  return (45 * central(1) - 9 * central(2) + central(3)) / (60 * step);
}

describe('gradients of rollouts with loops', () => {
  it.each(Object.keys(ROBOTS) as (keyof typeof ROBOTS)[])('%s', { timeout: 240_000 }, async (name) => {
    const { robot, rows, q: near } = ROBOTS[name];
    const { dynamics } = await loadRobot(robot, { derivatives: true });
    const [n, u, steps, h] = [dynamics.coordinates, dynamics.actuators, 11, 0.01];
    const [q, qd] = assembled(dynamics, near, values(n, 2, 0.5));
    const rollout: Rollout = {
      q,
      qd,
      h,
      steps,
      rows,
      ...(u > 0 && { inputs: values(u * steps, 3, 2) }),
      forces: values(n * steps, 4, 0.2),
    };
    const found = rolloutGradient(dynamics, rollout, cost);
    // With checkpoints the same.
    expect(rolloutGradient(dynamics, rollout, cost, 4)).toEqual(found);
    const parts = [
      ['q', found.byQ],
      ['qd', found.byQd],
      ['forces', found.byForces],
      ['inputs', found.byInputs],
    ] as const;
    for (const [key, gradient] of parts)
      for (const i of [...gradient.keys()].filter((k) => k < n || k % 7 === 3)) {
        const own = rollout[key] as readonly number[];
        const moved = (x: number): Rollout => ({ ...rollout, [key]: own.with(i, own[i]! + x) });
        const scale = Math.max(...gradient.map(Math.abs));
        const expected = quotient(dynamics, moved, 2e-4);
        expect(Math.abs(gradient[i]! - expected) / scale, `${key}[${i}]: ${gradient[i]}, not ${expected}`).toBeLessThan(
          1e-8,
        );
      }
  });
});

/** A ball with spin falls on a plane, and leaves it again. */
const BALL = {
  kanegen: 1,
  name: 'ball',
  gravity: [0, 0, -9.81],
  links: [
    { name: 'along', joint: { prismatic: 'x' }, rigid: { mass: '1 g' } },
    { name: 'up', joint: { prismatic: 'z' }, rigid: { mass: '1 g' } },
    {
      name: 'ball',
      joint: { revolute: 'y' },
      rigid: { mass: 0.1, inertia: { xx: 2e-5, yy: 2e-5, zz: 2e-5 } },
    },
  ],
  contacts: {
    floor: {
      between: [{ sphere: { on: 'ball', radius: '20 mm' } }, { plane: { on: 'base', axis: 'z' } }],
      law: { 'hunt-crossley': { stiffness: '2 kN/m', damping: '0.3 s/m' } },
      friction: { coefficient: 0.3, at: '0.2 m/s' },
    },
  },
};

it('the gradient of a bounce, away from the touch', { timeout: 240_000 }, async () => {
  const { dynamics } = await loadRobot(BALL, { derivatives: true });
  const rollout: Rollout = { q: [0, 0.0231, 0], qd: [0.4, -0.7, 3], h: 1e-3, steps: 60 };
  const found = rolloutGradient(dynamics, rollout, cost);
  // It has been on the floor, and is off it.
  expect(found.qd[1]).toBeGreaterThan(0.1);
  expect(found.q[1]).toBeGreaterThan(0.021);
  for (const [key, gradient] of [
    ['q', found.byQ],
    ['qd', found.byQd],
  ] as const)
    gradient.forEach((own, i) => {
      const start = rollout[key] as readonly number[];
      const moved = (x: number): Rollout => ({ ...rollout, [key]: start.with(i, start[i]! + x) });
      const expected = quotient(dynamics, moved, 1e-6);
      const scale = Math.max(...gradient.map(Math.abs));
      expect(Math.abs(own - expected) / scale, `${key}[${i}]: ${own}, not ${expected}`).toBeLessThan(1e-6);
    });
});
