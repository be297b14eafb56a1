/**
 * Water around rigid bodies: a free body in still water keeps its impulse and its moment of impulse (Kirchhoff's equations), whose own
 * integration in axes of the body, by another code and other variables, gives the same motion.
 */
import { describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

const MASS = 2;
const INERTIA = [0.02, 0.03, 0.04];
const ADDED = [0.01, 0.02, 0.015, 1, 2, 3];
const robotText = (rigid: string): string => `
kanegen: 1
name: ellipsoid
gravity: [0, 0, 0]
links: [ { name: body, joint: free, rigid: { mass: ${MASS} kg, inertia: { xx: ${INERTIA[0]}, yy: ${INERTIA[1]}, zz: ${INERTIA[2]} } } } ]
water: { density: 1000 kg/m^3, on: body, rigid: ${rigid} }
`;

async function load(text: string): Promise<LoadedRobot> {
  const robot = loadRobotText(text, 'ellipsoid.yaml');
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
}

type Slope = (y: readonly number[]) => number[];

/** Runge and Kutta's method of order four. */
function integrated(slope: Slope, start: readonly number[], h: number, steps: number): number[] {
  let y = [...start];
  const plus = (by: readonly number[], factor: number): number[] => y.map((x, i) => x + factor * by[i]!);
  for (let k = 0; k < steps; k++) {
    const k1 = slope(y);
    const k2 = slope(plus(k1, h / 2));
    const k3 = slope(plus(k2, h / 2));
    const k4 = slope(plus(k3, h));
    y = y.map((x, i) => x + (h / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!));
  }
  return y;
}

const cross = (a: readonly number[], b: readonly number[]): number[] => [
  a[1]! * b[2]! - a[2]! * b[1]!,
  a[2]! * b[0]! - a[0]! * b[2]!,
  a[0]! * b[1]! - a[1]! * b[0]!,
];

/** Kirchhoff's equations of a body whose matrices are diagonal, in its axes: (h, k, R, x) by (ω, v) = M⁻¹(h, k). */
function kirchhoff(y: readonly number[]): number[] {
  const [h, k, R] = [y.slice(0, 3), y.slice(3, 6), y.slice(6, 15)];
  const w = h.map((e, i) => e / (INERTIA[i]! + ADDED[i]!));
  const v = k.map((e, i) => e / (MASS + ADDED[3 + i]!));
  const hRate = cross(h, w).map((e, i) => e + cross(k, v)[i]!);
  // Ṙ = R [ω]×, ẋ = R v.
  const rows = [0, 1, 2].map((i) => R.slice(3 * i, 3 * i + 3));
  const turned = rows.flatMap((row) => cross(row, w));
  const moved = rows.map((row) => row.reduce((sum, e, j) => sum + e * v[j]!, 0));
  return [...hRate, ...cross(k, w), ...turned, ...moved];
}

describe('water around rigid bodies', () => {
  it("moves a free body as Kirchhoff's equations do, and keeps impulse and moment of impulse for 10 s", async () => {
    const robot = await load(robotText(`{ added-mass: [${ADDED.join(', ')}] }`));
    const slope: Slope = (y) => {
      robot.update(y.slice(0, 6), y.slice(6));
      const qdd = new Float64Array(6);
      robot.forwardDynamics(new Float64Array(6), qdd);
      return [...y.slice(6), ...qdd];
    };
    // At rest in its axes the twist is that of the world: rates of displacement and rotation vector.
    const start = [0, 0, 0, 0, 0, 0, 0.05, 0.02, -0.03, 0.15, -0.1, 0.12];
    const [v, w] = [start.slice(6, 9), start.slice(9)];
    const h = w.map((e, i) => e * (INERTIA[i]! + ADDED[i]!));
    const k = v.map((e, i) => e * (MASS + ADDED[3 + i]!));
    const free = integrated(kirchhoff, [...h, ...k, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], 5e-3, 2000);
    const end = integrated(slope, start, 5e-3, 2000);
    robot.update(end.slice(0, 6), end.slice(6));
    const [R, t, velocity] = [new Float64Array(9), new Float64Array(3), new Float64Array(6)];
    robot.frame(0, R, t, null);
    robot.frameMotion(0, velocity, null);
    [...R].forEach((e, i) => expect(Math.abs(e - free[6 + i]!)).toBeLessThan(1e-9));
    [...t].forEach((e, i) => expect(Math.abs(e - free[15 + i]!)).toBeLessThan(1e-9));
    const inWorld = (own: readonly number[]): number[] =>
      [0, 1, 2].map((i) => own.reduce((sum, e, j) => sum + R[3 * i + j]! * e, 0));
    const inBody = (own: readonly number[]): number[] =>
      [0, 1, 2].map((j) => own.reduce((sum, e, i) => sum + R[3 * i + j]! * e, 0));
    const impulse = inWorld(inBody([...velocity.subarray(3)]).map((e, i) => e * (MASS + ADDED[3 + i]!)));
    const own = inWorld(inBody([...velocity.subarray(0, 3)]).map((e, i) => e * (INERTIA[i]! + ADDED[i]!)));
    const moment = own.map((e, i) => e + cross([...t], impulse)[i]!);
    impulse.forEach((e, i) => expect(Math.abs(e - k[i]!)).toBeLessThan(1e-9));
    moment.forEach((e, i) => expect(Math.abs(e - h[i]!)).toBeLessThan(1e-9));
    expect(Math.hypot(...t)).toBeGreaterThan(0.3);
  });

  it('drags and lifts at its point and its centre', async () => {
    const robot = await load(
      robotText('{ at: [0.1, 0, 0], volume: 1e-3 m^3, centre: [0, 0.2, 0], drag: [0, 0, 0.5, 1, 2, 3] }').replace(
        'gravity: [0, 0, 0]',
        'gravity: [0, 0, -10]',
      ),
    );
    const fluid = new Float64Array(6);
    // Still: 10 N upwards, 0.2 m along y, so 2 N m about x.
    robot.update(new Float64Array(6), new Float64Array(6));
    robot.fluid(fluid);
    [0, 0, -10, -2, 0, 0].forEach((e, i) => expect(fluid[i]).toBeCloseTo(e, 12));
    // About z at 3 rad/s and along y at 0.1 m/s: the point goes at 0.4 m/s; 0.4 · 2 · 0.4 N against it, 0.1 m from the origin.
    robot.update(new Float64Array(6), [0, 0.1, 0, 0, 0, 3]);
    robot.fluid(fluid);
    [0, 0.32, -10, -2, 0, 0.4 * 0.5 * 3 + 0.032].forEach((e, i) => expect(fluid[i]).toBeCloseTo(e, 12));
  });

  it.each([
    ['{ drag: [0, 0, 0, -1, 0, 0] }', '`drag` has a direction in which it is negative'],
    [
      '{ added-mass: [[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0.1,0],[0,0,0,0.2,1,0],[0,0,0,0,0,1]] }',
      'added mass is a symmetric matrix',
    ],
    ['{ centre: [0, 0, 0.1], drag: [0, 0, 0, 1, 1, 1] }', '`centre` is that of a `volume`'],
    ['{ volume: 1 m }', 'the volume must be'],
    ['{ at: [0, 0, 1] }', 'this water does nothing to the body'],
  ])('%s is refused', (rigid, message) => {
    expect(() => loadRobotText(robotText(rigid), 'wrong.yaml')).toThrow(message);
  });
});
