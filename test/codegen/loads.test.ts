/**
 * Wrenches on frames and motions of frames, by drivers in TypeScript, for bodies in closed form, by points and along rods:
 * against Jacobians, and against difference quotients of poses along a motion at constant rates.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

/** All turn about one axis: kernels lose half of every wrench and motion. */
const PLANAR = `
kanegen: 1
name: planar
links:
  - { name: arm, joint: { revolute: y }, rigid: { mass: 1, distal: { xyz: [0.1, 0, 0.2] } } }
  - { name: soft, body: planar-cc, repeat: 2 }
  - { name: hand, joint: { prismatic: x }, rigid: { mass: 1 } }
frames: { tcp: { on: hand, offset: { xyz: [0.1, 0.2, -0.3], rpy: [0.4, -0.2, 1] } } }
`;

/** Rods by Newton–Euler and by Jacobians, a body by points, each with a joint that turns it out of the plane. */
const SPATIAL = `
kanegen: 1
name: spatial
base: { xyz: [0.3, -0.2, 1], rpy: [0.3, 0.2, -0.4] }
body-types:
  stem:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { a: { unit: rad, limits: [-1, 1] }, b: { unit: rad, limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-y: a/L, bend-x: b*s/L^2, stretch: 0.2*a*b, shear-x: 0.1*b }
    integration: { recursion: newton-euler }
  twig: { extends: stem, integration: { recursion: jacobian } }
  sum:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1000 kg/m^3 }
    coordinates: { q: { unit: rad, limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    integration: { method: quadrature }
    let: { theta: q*(s/L)^2 }
    position: [x*cos(theta) + s*sin(theta/2), y, s*cos(theta/2) - x*sin(theta)]
    distal: { at: { s: L } }
links:
  - { name: a, joint: { revolute: x }, body: stem }
  - { name: b, joint: { revolute: z }, mount: { rpy: [0.2, 0.1, 0] }, body: twig }
  - { name: c, body: sum }
  - { name: d, parent: b, joint: { revolute: y }, rigid: { mass: 1, distal: { xyz: [0, 0.1, 0] } } }
frames: { tcp: { on: c, offset: { xyz: [0.1, 0.2, -0.3], rpy: [0.4, -0.2, 1] } } }
`;

const TIMED = `
kanegen: 1
name: timed
body-types:
  wag:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, w: 1 rad/s }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-y: (q + 0.4*sin(3*w*t))/L, bend-x: q*cos(w*t)/L, stretch: 0.1*sin(2*w*t) }
  sway:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, w: 1 rad/s }
    coordinates: { q: {} }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    let: { shift: q + 0.1*sin(3*w*t) }
    position: [x + s*shift, y, s + x*shift]
    distal: { pose: { xyz: [L*shift, 0, L], rpy: [0, shift, 0] } }
links: [ { name: a, joint: { revolute: x }, body: wag }, { name: b, body: sway }, { name: c, joint: { revolute: z }, rigid: { mass: 1 } } ]
`;

interface Pose {
  readonly R: Float64Array;
  readonly t: Float64Array;
}

/** Weights of values at −3h … 3h in the derivative of sixth order. */
const WEIGHTS = [-1 / 60, 3 / 20, -3 / 4, 0, 3 / 4, -3 / 20, 1 / 60];
const STEP = 5e-3;

describe.each([
  ['a planar arm', PLANAR, undefined],
  ['rods in space', SPATIAL, undefined],
  ['bodies that depend on the time', TIMED, 0.7],
] as const)('loads on and motions of the frames of %s', (name, text, time) => {
  let robot: LoadedRobot;
  let n: number;
  let frames: number;
  let state: { q: number[]; qd: number[] };
  const numbers = (phase: number, count: number): number[] =>
    Array.from({ length: count }, (_, i) => 0.7 * Math.sin(1.7 * i + phase));

  beforeAll(async () => {
    const described = loadRobotText(text, `${name}.robot.yaml`);
    robot = (await loadGenerated(await generateTypeScript(described, compileRobot(described))))();
    n = robot.coordinates;
    frames = described.frames.length;
    state = { q: numbers(1, n), qd: numbers(2, n) };
  });

  /** At a time after that of the state, at constant rates. */
  function at(h: number): void {
    if (time !== undefined) robot.parameters['time'] = time + h;
    const q = state.q.map((value, i) => value + h * state.qd[i]!);
    expect(robot.update(q, state.qd)).toBe(0);
  }

  function pose(frame: number): Pose {
    const [R, t] = [new Float64Array(9), new Float64Array(3)];
    expect(robot.frame(frame, R, t, null)).toBe(0);
    return { R, t };
  }

  function motion(frame: number): { velocity: Float64Array; bias: Float64Array } {
    const [velocity, bias] = [new Float64Array(6), new Float64Array(6)];
    expect(robot.frameMotion(frame, velocity, bias)).toBe(0);
    return { velocity, bias };
  }

  /** Derivative along the motion of numbers that are read at each time. */
  function rate(read: () => ArrayLike<number>): number[] {
    let sum: number[] = [];
    WEIGHTS.forEach((weight, k) => {
      at((k - 3) * STEP);
      sum = Array.from(read(), (value, i) => (sum[i] ?? 0) + (weight * value) / STEP);
    });
    at(0);
    return sum;
  }

  function expectClose(found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
    const scale = Math.max(1, ...Array.from(expected, Math.abs));
    Array.from(expected).forEach((value, i) =>
      expect(Math.abs(found[i]! - value), `entry ${i}`).toBeLessThan(tolerance * scale),
    );
  }

  it('add Jᵀw to forces', () => {
    at(0);
    for (let frame = 0; frame < frames; frame++) {
      const J = new Float64Array(6 * n);
      const { R } = pose(frame);
      robot.frame(frame, null, null, J);
      const wrench = numbers(frame, 6);
      const before = numbers(5, n);
      const expected = before.map((value, a) => wrench.reduce((sum, w, row) => sum + w * J[row * n + a]!, value));
      const tau = Float64Array.from(before);
      robot.external(frame, wrench, tau);
      expectClose(tau, expected, 1e-14);
      const inFrame = [0, 1, 2, 3, 4, 5].map((row) =>
        [0, 1, 2].reduce((sum, i) => sum + R[3 * i + (row % 3)]! * wrench[row - (row % 3) + i]!, 0),
      );
      tau.set(before);
      robot.externalInFrame(frame, inFrame, tau);
      expectClose(tau, expected, 1e-14);
    }
  });

  it('move as poses do', () => {
    at(0);
    for (let frame = 0; frame < frames; frame++) {
      const turned = rate(() => pose(frame).R);
      const { R } = pose(frame);
      const spin = (i: number, j: number): number =>
        [0, 1, 2].reduce((sum, k) => sum + turned[3 * i + k]! * R[3 * j + k]!, 0);
      const expected = [spin(2, 1), spin(0, 2), spin(1, 0), ...rate(() => pose(frame).t)];
      const { velocity } = motion(frame);
      expectClose(velocity, expected, 1e-11);
      if (time !== undefined) continue;
      const J = new Float64Array(6 * n);
      robot.frame(frame, null, null, J);
      expectClose(
        velocity,
        [0, 1, 2, 3, 4, 5].map((row) => state.qd.reduce((sum, qd, a) => sum + J[row * n + a]! * qd, 0)),
        1e-14,
      );
    }
  });

  it('have the accelerations that velocities cause', () => {
    at(0);
    for (let frame = 0; frame < frames; frame++) {
      const expected = rate(() => motion(frame).velocity);
      const { bias } = motion(frame);
      expect(Math.hypot(...bias)).toBeGreaterThan(0.01);
      expectClose(bias, expected, 1e-10);
    }
  });

  it('leave out what is not wanted', () => {
    at(0);
    const both = motion(frames - 1);
    const [velocity, bias] = [new Float64Array(6), new Float64Array(6)];
    robot.frameMotion(frames - 1, velocity, null);
    robot.frameMotion(frames - 1, null, bias);
    expect({ velocity, bias }).toEqual(both);
  });
});
