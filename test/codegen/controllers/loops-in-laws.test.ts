/**
 * Laws of robots whose loops are closed: multipliers do their share of what actuators do, so that inputs that moved the robot are those
 * that a law gives for this motion, and the error of a law follows its equation along the loops.
 */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../../src/description/load.ts';
import { KG_OK, type Loops } from '../../../src/runtime/driver.ts';
import { COMPILER, inC, inTypeScript, numbers, prepare, type Prepared } from './controllers-at-work.ts';

const CONTROLLERS = `controllers:
  track: { computed-torque: { kp: 100 1/s^2, kd: 20 1/s } }
  hold: { pd: { kp: 4, kd: 0.3 } }
  feed: { feed-forward: {} }
`;

const bar = (name: string, rows: string, more = ''): string => `kanegen: 1
name: ${name}
gravity: [0.5, -9.81, 0]
links:
  - { name: crank, joint: { revolute: z, damping: 0.01 N m s/rad }, rigid: { mass: 0.3, com: [0.05, 0, 0], inertia: { xx: 2e-4, yy: 4e-4, zz: 5e-4 }, distal: { xyz: [0.1, 0, 0] } } }
  - { name: coupler, joint: { revolute: z, stiffness: 0.2 N m/rad }, rigid: { mass: 0.5, com: [0.15, 0.02, 0], inertia: { xx: 1e-3, yy: 4e-3, zz: 4e-3 }, distal: { xyz: [0.3, 0, 0] } } }
  - { name: rocker, parent: base, offset: { xyz: [0.25, 0, 0] }, joint: { revolute: z }, rigid: { mass: 0.4, com: [0.1, 0, 0], inertia: { xx: 1e-3, yy: 2e-3, zz: 2e-3 }, distal: { xyz: [0.2, 0, 0] } } }
loops: { pin: { spherical: { a: coupler, b: rocker${rows} } } }
actuators: { drive: { motor: crank.angle, ratio: -2 }${more} }
${CONTROLLERS}`;

const soft = `kanegen: 1
name: soft-bar
links:
  - { name: crank, joint: { revolute: y }, rigid: { mass: 0.3, com: [0, 0, 0.05], inertia: { xx: 4e-4, yy: 5e-4, zz: 2e-4 }, distal: { xyz: [0, 0, 0.1] } } }
  - { name: arm, body: planar-cc-elongation, parameters: { L: 0.25 } }
  - { name: rocker, parent: base, offset: { xyz: [0.2, 0, 0] }, joint: { revolute: y }, rigid: { mass: 0.4, com: [0, 0, 0.1], inertia: { xx: 2e-3, yy: 2e-3, zz: 1e-3 }, distal: { xyz: [0, 0, 0.2] } } }
loops: { pin: { point-on-line: { a: rocker, b: arm, axis: y } } }
actuators: { drive: { motor: crank.angle }, pull: { tendon: { through: arm, route: { x: R/2, y: 0 } } } }
${CONTROLLERS}`;

/** Newton's steps onto the loops, for places and then for rates. */
function closed({ dynamics, robot }: Prepared, q: number[], qd: number[]): { q: number[]; qd: number[] } {
  const n = robot.coordinates.length;
  const [dq, dqd] = [new Float64Array(n), new Float64Array(n)];
  let found = { q, qd };
  for (let i = 0; i < 30; i++) {
    expect(dynamics.update(found.q, found.qd)).toBe(KG_OK);
    expect((dynamics as typeof dynamics & Loops).constraintCorrection(dq, dqd)).toBe(KG_OK);
    found = { q: found.q.map((x, a) => x + dq[a]!), qd: found.qd.map((x, a) => x + dqd[a]!) };
  }
  expect(Math.max(...dq.map(Math.abs))).toBeLessThan(1e-12);
  return found;
}

/** B u at a state. */
function forces({ dynamics, robot }: Prepared, q: number[], qd: number[], u: readonly number[]): Float64Array {
  const [n, all] = [robot.coordinates.length, robot.actuators.length];
  const B = new Float64Array(n * all);
  expect(dynamics.update(q, qd)).toBe(KG_OK);
  expect(dynamics.actuation(null, null, null, B)).toBe(KG_OK);
  return Float64Array.from({ length: n }, (_, a) => u.reduce((sum, x, j) => sum + B[all * a + j]! * x, 0));
}

function accelerations(of: Prepared, q: number[], qd: number[], u: readonly number[]): number[] {
  const qdd = new Float64Array(q.length);
  const tau = forces(of, q, qd, u);
  expect(of.dynamics.forwardDynamics(tau, qdd)).toBe(KG_OK);
  return [...qdd];
}

const close = (found: readonly number[], due: readonly number[], digits: number): void =>
  found.forEach((x, i) =>
    expect(Math.abs(x - due[i]!), `${i}`).toBeLessThan(digits * Math.max(1, ...due.map(Math.abs))),
  );

const START = [1.05, -0.5, 1.6];

describe.each([
  ['one row for each coordinate that loops take', bar('bar', ', rows: [x, y]'), START],
  ['a row that says nothing', bar('redundant', ''), START],
  ['a soft arm between', soft, [0.3, 0.4, 0.01, 0.2]],
] as const)('laws through loops: %s', (_, text, start) => {
  const made = prepare(loadRobotText(text, 'bar.yaml'));

  it('computed torque gives the inputs of a motion along the loops', async () => {
    const of = await made;
    const { q, qd } = closed(of, [...start], numbers(start.length, 0.4));
    const u = numbers(of.robot.actuators.length, 2, 0.7);
    const ydd = accelerations(of, q, qd, u);
    const step = await inTypeScript(of, 'track')(q, qd, { y: q, yd: qd, ydd });
    expect(step.status).toBe(KG_OK);
    close(step.u, u, 1e-10);
  });

  it('its error follows its equation along the loops', async () => {
    const of = await made;
    const { q, qd } = closed(of, [...start], numbers(start.length, 0.4));
    const ydd = accelerations(of, q, qd, numbers(of.robot.actuators.length, 2, 0.7));
    // A reference that is nearly there, on the loops as well: e'' + kd e' + kp e = 0 to first order.
    const size = 1e-5;
    const y = closed(
      of,
      q.map((x, i) => x + size * Math.cos(i)),
      qd,
    );
    const step = await inTypeScript(of, 'track')(q, qd, { y: y.q, yd: qd, ydd });
    const found = accelerations(of, q, qd, step.u);
    close(
      found.map((x, i) => x - ydd[i]!),
      q.map((x, i) => 100 * (y.q[i]! - x)),
      2e-7,
    );
    expect(Math.max(...q.map((x, i) => Math.abs(y.q[i]! - x)))).toBeGreaterThan(size / 10);
  });

  it('PD and feed-forward hold the robot at rest', async () => {
    const of = await made;
    const still = start.map(() => 0);
    const { q } = closed(of, [...start], still);
    for (const name of ['hold', 'feed']) {
      const { status, u } = await inTypeScript(of, name)(q, still, { y: q, yd: still, ydd: still });
      expect(status).toBe(KG_OK);
      close(accelerations(of, q, still, u), still, 1e-9);
      expect(Math.max(...u.map(Math.abs))).toBeGreaterThan(0.01);
    }
  });
});

describe.skipIf(!COMPILER)('laws through loops, in C (needs a compiler)', () => {
  let of: Prepared;
  const built = inC(() => of, { track: [3, 3, 3], hold: [3, 3, 3], feed: [3, 3, 3] });

  it('have the numbers of TypeScript', async () => {
    of = await prepare(loadRobotText(bar('bar-in-c', ''), 'bar.yaml'));
    const { q, qd } = closed(of, [...START], numbers(3, 0.4));
    const reference = { y: q.map((x) => x + 0.1), yd: numbers(3, 5), ydd: numbers(3, 6) };
    for (const name of ['track', 'hold', 'feed']) {
      const [own, due] = [await (await built(name))(q, qd, reference), await inTypeScript(of, name)(q, qd, reference)];
      expect(own).toEqual(due);
      expect(own.status).toBe(KG_OK);
    }
  });
});

describe('laws of other loops', () => {
  const refused = (text: string): string => {
    try {
      loadRobotText(text, 'bar.yaml');
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it.each([
    [
      bar('few', ', rows: [x]'),
      'computed torque needs an actuator for each coordinate that loops leave: 1 actuator, 1 row of loops, 3 coordinates',
    ],
    [
      bar('partly', '').replace(/track: .*/, 'track: { partial-feedback-linearisation: { kp: 1 1/s^2, kd: 1 1/s } }'),
      '`partial-feedback-linearisation` is made for trees of links, and the robot has loops',
    ],
    [
      bar('led', '').replace('loops: {', 'loops: { gear: { constraint: "crank.angle - t" },'),
      'does not know where the loop `gear` is, which follows the time or holds an actuator',
    ],
    [
      bar('rope', '').replace(
        'loops: {',
        'loops: { line: { distance: { a: base, b: rocker, length: 1, unilateral: true } },',
      ),
      'takes the rope `line` for a rod',
    ],
  ])('are refused', (text, message) => {
    expect(refused(text)).toContain(message);
  });
});
