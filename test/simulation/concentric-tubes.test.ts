/**
 * Two precurved tubes, one in the other: how far they are turned against each other at their end, against the boundary-value problem
 * alpha'' = (1 + nu) kappa1 kappa2 sin(alpha), alpha(0) = alpha0, alpha'(L) = 0 by shooting from the end.
 */
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';

const FULL = process.env['KANEGEN_FULL'] === '1';
const STEPS = 2000;

/** alpha at the base where it is `end` at the end, along a length of `reach`: Runge-Kutta of fourth order from the end. */
function atBase(end: number, reach: number): number {
  const h = reach / STEPS;
  let [alpha, slope] = [end, 0];
  for (let k = 0; k < STEPS; k++) {
    const [v1, a1] = [slope, Math.sin(alpha)];
    const [v2, a2] = [slope + (h / 2) * a1, Math.sin(alpha + (h / 2) * v1)];
    const [v3, a3] = [slope + (h / 2) * a2, Math.sin(alpha + (h / 2) * v2)];
    const [v4, a4] = [slope + h * a3, Math.sin(alpha + h * v3)];
    alpha += (h / 6) * (v1 + 2 * v2 + 2 * v3 + v4);
    slope += (h / 6) * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return alpha;
}

/** alpha at the end, between `low` and `high`. */
function shot(alpha0: number, reach: number, [low, high]: readonly [number, number]): number {
  const isBelow = (end: number): boolean => atBase(end, reach) < alpha0;
  expect(isBelow(low)).not.toBe(isBelow(high));
  const rises = isBelow(low);
  let [a, b] = [low, high];
  for (let k = 0; k < 60; k++) {
    const middle = (a + b) / 2;
    if (isBelow(middle) === rises) a = middle;
    else b = middle;
  }
  return (a + b) / 2;
}

/** Coordinates of alpha: a u and integrals of Legendre polynomials, which vanish at both ends. */
function tubes(count: number, points: number): string {
  const waves = Array.from({ length: count - 1 }, (_, i) => i + 2).map(
    (k) => `a${k}*(legendre(${k}, u) - legendre(${k - 2}, u))/${2 * (2 * k - 1)}`,
  );
  return `kanegen: 1
name: tubes
gravity: [0, 0, 0]
body-types:
  tubes:
    parameters: { reach: { value: 1.2 }, alpha0: 180 deg, kappa1: 10 1/m, kappa2: 10 1/m, nu: 0.3, L: reach/sqrt((1 + nu)*kappa1*kappa2), EI: 0.02 N m^2 }
    coordinates: { a: { count: ${count}, unit: rad, limits: [-4 rad, 4 rad] } }
    volume: { rod: { s: [0, L] }, section: { disc: 1 mm, cartesian: [x, y] }, density: 6450 kg/m^3 }
    let: { u: s/L, alpha: '${['alpha0 + a1*u', ...waves].join(' + ')}' }
    rest: { bend-x: kappa2 }
    strain: { bend-x: (kappa1*cos(alpha) - kappa2)/2, bend-y: -kappa1*sin(alpha)/2, twist: { basis: legendre, coordinates: a, scale: 1/(2*L) } }
    material: { section-stiffness: [2*EI, 2*EI, 2*EI/(1 + nu), 1e5 N, 1e5 N, 1e5 N] }
    integration: { points: ${points} }
links:
  - { name: eighth, parent: base, body: tubes, parameters: { alpha0: 45 deg } }
  - { name: half, parent: base, body: tubes, parameters: { reach: 2 } }
`;
}

const COUNT = 5;
const SNAPPED: readonly [number, number] = [0.05, Math.PI - 0.3];

describe('concentric tubes', () => {
  let robot: Robot;
  let dynamics: LoadedRobot;
  beforeAll(async () => {
    robot = loadRobotText(tubes(COUNT, 10), 'tubes.robot.yaml');
    dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  });

  const from = (half: number): ReturnType<typeof equilibrium> =>
    equilibrium(
      robot,
      dynamics,
      {},
      robot.coordinates.map((_, i) => (i === COUNT ? half : 0)),
    );

  it('untwist as the boundary-value problem has it', () => {
    const { q } = from(0);
    expect(Math.abs(Math.PI / 4 + q[0]! - shot(Math.PI / 4, 1.2, [0, Math.PI / 4]))).toBeLessThan(1e-9);
  });

  it('are not stable half a turn apart beyond the length at which they snap', () => {
    const opposed = from(0);
    opposed.q.slice(COUNT).forEach((a) => expect(Math.abs(a)).toBeLessThan(1e-12));
    expect(opposed.smallestEigenvalue).toBeLessThan(0);
  });

  it.each([-1, 1])('snap to either side (%i)', (side) => {
    const { q, smallestEigenvalue } = from(2 * side);
    expect(smallestEigenvalue).toBeGreaterThan(0);
    // Five coordinates are good to 7e-7 there; shot between 0 and half a turn, and mirrored.
    expect(Math.abs(side * q[COUNT]! - (Math.PI - shot(Math.PI, 2, SNAPPED)))).toBeLessThan(1e-6);
  });

  it.skipIf(!FULL)('of the examples agree with it to 1e-9 at four angles and where they snap', async () => {
    const ends = async (name: string, start: readonly number[]): Promise<number[]> => {
      const file = path.join(import.meta.dirname, `../../examples/scenarios/${name}.robot.yaml`);
      const example = loadRobotFile(file);
      const code = (await loadGenerated(await generateTypeScript(example, compileRobot(example))))();
      const { q } = equilibrium(
        example,
        code,
        {},
        start.flatMap((a) => [a, 0, 0, 0, 0, 0, 0, 0]),
      );
      return start.map((_, k) => q[8 * k]!);
    };
    const turned = [45, 90, 135, 170].map((angle) => (angle * Math.PI) / 180);
    const short = await ends('concentric-tubes', [0, 0, 0, 0]);
    turned.forEach((angle, k) => expect(Math.abs(angle + short[k]! - shot(angle, 1.2, [0, angle]))).toBeLessThan(1e-9));
    const due = Math.PI - shot(Math.PI, 2, SNAPPED);
    const [opposed, left, right] = await ends('concentric-tubes-snap', [0, -2, 2]);
    expect(Math.abs(opposed!)).toBeLessThan(1e-12);
    expect(Math.abs(left! + due)).toBeLessThan(1e-9);
    expect(Math.abs(right! - due)).toBeLessThan(1e-9);
  });
});
