/** Momenta of robots about points, their matrices and centres of mass: laws that hold whatever they are computed by. `verify` holds them against sums over mass points. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { branchedRobot } from './sample-robots.ts';

const dynamicsOf = async (robot: Robot): Promise<LoadedRobot> =>
  (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();

const numbers = (count: number, phase: number): number[] =>
  Array.from({ length: count }, (_, i) => 0.4 * Math.sin(1.7 * i + phase));

function expectClose(found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(found).toHaveLength(expected.length);
  const scale = Math.max(1e-3, ...Array.from(expected, Math.abs));
  Array.from(found).forEach((x, i) => expect(Math.abs(x - expected[i]!)).toBeLessThanOrEqual(tolerance * scale));
}

/** Soft and rigid links that float freely, armature on a joint. */
const floating = {
  kanegen: 1,
  name: 'floating',
  gravity: [0, 0, 0],
  base: { xyz: [0.3, -0.2, 0.1], rpy: [0.2, 0.4, -0.3] },
  links: [
    {
      name: 'hull',
      joint: 'free',
      rigid: { mass: 3, com: [0.02, 0.01, -0.03], inertia: { xx: 0.02, yy: 0.03, zz: 0.01, xy: 0.002 } },
    },
    {
      name: 'arm',
      parent: 'hull',
      joint: { revolute: 'y', armature: 0.2 },
      rigid: { mass: 1, com: [0, 0, 0.1], distal: { xyz: [0, 0.02, 0.2] } },
    },
    { name: 'tail', parent: 'hull', body: 'pcc-3d', parameters: { L: 0.2, R: 0.02, rho: 1070 } },
  ],
};

describe.each([
  ['of soft and rigid links that float', () => loadRobotObject(floating)],
  ['of a tree', branchedRobot],
])('momenta %s', (_, load) => {
  let dynamics: LoadedRobot;
  beforeAll(async () => {
    dynamics = await dynamicsOf(load());
  });

  const about = [0.3, -0.5, 0.7];
  const momentumAt = (q: readonly number[], qd: readonly number[], point = about): Float64Array => {
    const h = new Float64Array(6);
    dynamics.update(q, qd);
    expect(dynamics.momentum!(point, h)).toBe(0);
    return h;
  };
  const centreAt = (q: readonly number[], qd: readonly number[]): Float64Array => {
    const centre = new Float64Array(3);
    dynamics.update(q, qd);
    expect(dynamics.centreOfMass!(null, centre, null)).toBe(0);
    return centre;
  };

  it('are A q̇, and A is what unit rates have', () => {
    const n = dynamics.coordinates;
    const [q, qd] = [numbers(n, 1), numbers(n, 2)];
    const A = new Float64Array(6 * n);
    const h = momentumAt(q, qd);
    expect(dynamics.momentumMatrix!(about, A)).toBe(0);
    const product = [0, 1, 2, 3, 4, 5].map((i) => qd.reduce((sum, rate, a) => sum + A[i * n + a]! * rate, 0));
    expectClose(h, product, 1e-14);
    qd.forEach((__, a) => {
      const unit = qd.map((___, b) => Number(b === a));
      expectClose(
        momentumAt(q, unit),
        [0, 1, 2, 3, 4, 5].map((i) => A[i * n + a]!),
        1e-13,
      );
    });
  });

  it('about another point differ by its arm, and are the mass times the velocity of its centre', () => {
    const n = dynamics.coordinates;
    const [q, qd] = [numbers(n, 1), numbers(n, 2)];
    const [h, other] = [momentumAt(q, qd), momentumAt(q, qd, [0, 0, 0])];
    const [x, y, z] = about as [number, number, number];
    const [px, py, pz] = h.subarray(3) as unknown as [number, number, number];
    const arm = [y * pz - z * py, z * px - x * pz, x * py - y * px];
    expectClose(
      h.subarray(0, 3),
      arm.map((e, i) => other[i]! - e),
      1e-13,
    );
    const [mass, J, step] = [new Float64Array(1), new Float64Array(3 * n), 1e-6];
    expect(dynamics.centreOfMass!(mass, null, J)).toBe(0);
    const moved = (by: number): number[] => q.map((value, a) => value + by * qd[a]!);
    const [before, after] = [centreAt(moved(-step), qd), centreAt(moved(step), qd)];
    const quotient = Array.from(after, (value, i) => (value - before[i]!) / (2 * step));
    expectClose(
      quotient,
      h.subarray(3).map((p) => p / mass[0]!),
      1e-8,
    );
    const product = [0, 1, 2].map((i) => qd.reduce((sum, rate, a) => sum + J[i * n + a]! * rate, 0));
    expectClose(
      product,
      h.subarray(3).map((p) => p / mass[0]!),
      1e-13,
    );
  });
});

it('the momentum of a body that floats is conserved: its accelerations change nothing but its velocities', async () => {
  const dynamics = await dynamicsOf(loadRobotObject(floating));
  const n = dynamics.coordinates;
  const [q, qd, qdd] = [numbers(n, 1), numbers(n, 2), new Float64Array(n)];
  dynamics.update(q, qd);
  // Of joint and body alone.
  const tau = new Float64Array(n).map((_, a) => (a < 6 ? 0 : 1e-3 * a));
  expect(dynamics.forwardDynamics(tau, qdd)).toBe(0);
  const [step, h] = [1e-6, [new Float64Array(6), new Float64Array(6)]];
  [-step, step].forEach((t, i) => {
    dynamics.update(
      q.map((value, a) => value + t * qd[a]! + (t * t * qdd[a]!) / 2),
      qd.map((value, a) => value + t * qdd[a]!),
    );
    dynamics.momentum!([0, 0, 0], h[i]!);
  });
  const size = Math.max(...h[0]!.map(Math.abs));
  const arms = h[0]!.map((before, i) => (h[1]![i]! - before) / (2 * step));
  arms.forEach((rate) => expect(Math.abs(rate)).toBeLessThan(1e-6 * size));
});

it('robots without mass have no centre, and robots whose bodies depend on the time none of these functions', async () => {
  const massless = await dynamicsOf(
    loadRobotObject({
      kanegen: 1,
      name: 'nothing',
      links: [{ name: 'a', joint: { revolute: 'x' }, rigid: { mass: 0 } }],
    }),
  );
  massless.update([0.1], [0.2]);
  const centre = new Float64Array(3);
  expect(massless.centreOfMass!(null, centre, null)).toBe(3);
  expect([...centre].every(Number.isNaN)).toBe(true);
  const tail = {
    parameters: { L: '0.2 m', R: '10 mm', rho: 1000, w: '3 rad/s' },
    coordinates: { b: { unit: 'rad', limits: [-1, 1] } },
    volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
    strain: { 'bend-y': 'b/L + sin(w*t)/L' },
  };
  const swimmer = { kanegen: 1, name: 'swimmer', 'body-types': { tail }, links: [{ name: 'tail', body: 'tail' }] };
  const inTime = await dynamicsOf(loadRobotObject(swimmer));
  expect([inTime.momentum, inTime.momentumMatrix, inTime.centreOfMass]).toEqual([undefined, undefined, undefined]);
});
