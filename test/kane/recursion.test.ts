import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, square, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  multiplySymmetric,
  multiplyVector,
  rotateSymmetric,
  scaleVector,
  zeroVector,
  type Symmetric3,
  type Vector3,
} from '../../src/symbolic/graph/vector.ts';
import {
  gyroscopicMoment,
  relativeMotion,
  rigidWrench,
  spinMatrix,
  stepMassMoments,
  unitWrench,
  type FrameStep,
} from '../../src/kane/equations/recursion.ts';
import { rotationAbout } from '../../src/kane/equations/joint.ts';

const vector = (name: string): Vector3 =>
  ['x', 'y', 'z'].map((axis) => symbol(`${name}.${axis}`)) as unknown as Vector3;
const generic = (roots: readonly Expr[]): number[] => {
  const names = new Map<Expr, number>();
  let next = 0.37;
  const visit = (e: Expr): void => {
    if (e.kind === 'symbol' && !names.has(e)) names.set(e, Math.sin((next += 1.13)));
  };
  for (const list of [...vectors, inertia]) list.forEach(visit);
  return evaluate(roots, names);
};
const [w, alpha, a, p] = [vector('w'), vector('alpha'), vector('a'), vector('p')];
const vectors = [w, alpha, a, p];
const inertia = ['xx', 'yy', 'zz', 'xy', 'xz', 'yz'].map((n) => symbol(`I.${n}`)) as unknown as Symmetric3;
const motion = { angularVelocity: w, angularAcceleration: alpha, acceleration: a };
const close = (left: readonly Expr[], right: readonly Expr[]): void =>
  generic(left).forEach((value, i) => expect(value).toBeCloseTo(generic(right)[i]!, 13));

describe('the recursion', () => {
  it('writes the acceleration of a fixed point by the spin matrix', () => {
    close(multiplyVector(spinMatrix(motion), p), addVectors(cross(alpha, p), cross(w, cross(w, p))));
  });

  it('writes the gyroscopic moment by the spin matrix', () => {
    const direct = addVectors(multiplySymmetric(inertia, alpha), cross(w, multiplySymmetric(inertia, w)));
    close(gyroscopicMoment(inertia, motion, spinMatrix(motion)), direct);
  });

  it('moves the inertia of a set of point masses like the points themselves', () => {
    const points = [
      [0.1, -0.2, 0.3],
      [0.5, 0.1, -0.4],
      [-0.3, 0.25, 0.2],
    ];
    const masses = [0.7, 1.3, 0.4];
    const moments = (list: number[][]) => {
      const sum = (f: (r: number[]) => number) => list.reduce((total, r, i) => total + masses[i]! * f(r), 0);
      return {
        mass: decimal(sum(() => 1)),
        first: [0, 1, 2].map((i) => decimal(sum((r) => r[i]!))) as unknown as Vector3,
        inertia: [
          sum(([, b, c]) => b! * b! + c! * c!),
          sum(([a_, , c]) => a_! * a_! + c! * c!),
          sum(([a_, b]) => a_! * a_! + b! * b!),
          sum(([a_, b]) => -a_! * b!),
          sum(([a_, , c]) => -a_! * c!),
          sum(([, b, c]) => -b! * c!),
        ].map(decimal) as unknown as Symmetric3,
      };
    };
    const rotation = rotationAbout([decimal(0.6), zero, decimal(0.8)], decimal(0.9));
    const translation = [decimal(0.2), decimal(-0.5), decimal(0.1)] as unknown as Vector3;
    const R = evaluate(rotation);
    const t = evaluate(translation);
    const moved = points.map((r) => [0, 1, 2].map((i) => t[i]! + r.reduce((sum, e, j) => sum + R[3 * i + j]! * e, 0)));
    const step: FrameStep = { frame: { rotation, translation }, coordinates: [], linear: [], angular: [] };
    const { atParent } = stepMassMoments(step, moments(points));
    const expected = moments(moved);
    const flat = (m: typeof expected) => evaluate([m.mass, ...m.first, ...m.inertia]);
    flat(atParent).forEach((value, i) => expect(value).toBeCloseTo(flat(expected)[i]!, 14));
  });

  it('gives the unit wrench of a turning body as its angular momentum per unit rate', () => {
    const body = { mass: decimal(2), first: p, inertia };
    const axis: Vector3 = [zero, zero, decimal(1)];
    const step: FrameStep = {
      frame: { rotation: rotationAbout(axis, zero), translation: [zero, zero, zero] },
      coordinates: [0],
      linear: [[zero, zero, zero]],
      angular: [axis],
    };
    const wrench = unitWrench(step, 0, body);
    close([...wrench.force, ...wrench.moment], [...cross(axis, p), ...multiplySymmetric(inertia, axis)]);
  });

  it('rotates symmetric matrices without losing their trace', () => {
    const turned = rotateSymmetric(rotationAbout([decimal(0.36), decimal(0.48), decimal(0.8)], decimal(1.1)), inertia);
    const trace = (m: Symmetric3): number => generic([m[0], m[1], m[2]]).reduce((sum, e) => sum + e, 0);
    expect(trace(turned)).toBeCloseTo(trace(inertia), 13);
  });

  it('writes the wrench of a rigid body by second moments, whatever of its motion is zero', () => {
    const mass = decimal(1.7);
    const first = p;
    const own = { mass, first, inertia };
    const [wx, wy, wz] = w;
    for (const angularVelocity of [w, zeroVector, [zero, zero, wz], [zero, wy, zero], [wx, wy, zero]] as const) {
      const some = { angularVelocity, angularAcceleration: alpha, acceleration: a };
      const { force, moment } = rigidWrench(own, some, spinMatrix(some));
      const turning = addVectors(cross(alpha, first), cross(angularVelocity, cross(angularVelocity, first)));
      close(force, addVectors(scaleVector(mass, a), turning));
      const gyroscopic = cross(angularVelocity, multiplySymmetric(inertia, angularVelocity));
      close(moment, addVectors(cross(first, a), multiplySymmetric(inertia, alpha), gyroscopic));
    }
  });

  it('leaves the moments of a body alone where nothing moves, and shares the work where the origin stays', () => {
    const rotation = rotationAbout([zero, zero, decimal(1)], symbol('w.x'));
    const step: FrameStep = { frame: { rotation, translation: zeroVector }, coordinates: [], linear: [], angular: [] };
    const { atParent, atChild } = stepMassMoments(step, { mass: decimal(2), first: p, inertia });
    expect(atParent).toBe(atChild);
  });

  it('moves a child by its coordinates and by what depends on time alone', () => {
    const [q, qd, qdd, time] = ['q', 'qd', 'qdd', 'time'].map((name) => symbol(`step.${name}`)) as [
      Expr,
      Expr,
      Expr,
      ReturnType<typeof symbol>,
    ];
    const other = symbol('step.other');
    // t = (q² time, 0, time²), a turn about z by q time; another coordinate of the link does not move it.
    const symbols = { q: [other, q], qd: [other, qd], qdd: [other, qdd], time };
    const step: FrameStep = {
      frame: { rotation: rotationAbout([zero, zero, decimal(1)], times(q, time)), translation: zeroVector },
      coordinates: [1],
      linear: [[times(decimal(2), q, time), zero, zero]],
      angular: [[zero, zero, time]],
      explicit: { linear: [square(q), zero, times(decimal(2), time)], angular: [zero, zero, q] },
    };
    const at = new Map<Expr, number>([
      [q, 0.4],
      [qd, -0.7],
      [qdd, 1.1],
      [time, 0.9],
      [other, NaN],
    ]);
    const motionOf = relativeMotion(step, symbols);
    const numbers = (v: Vector3): number[] => evaluate(v, at);
    const [Q, V, A, T] = [0.4, -0.7, 1.1, 0.9];
    const expectEach = (v: Vector3, expected: number[]): void =>
      numbers(v).forEach((value, i) => expect(value).toBeCloseTo(expected[i]!, 14));
    expectEach(motionOf.velocity, [2 * Q * T * V + Q * Q, 0, 2 * T]);
    expectEach(motionOf.acceleration, [2 * T * (V * V + Q * A) + 4 * Q * V, 0, 2]);
    expectEach(motionOf.angularVelocity, [0, 0, T * V + Q]);
    expectEach(motionOf.angularAcceleration, [0, 0, T * A + 2 * V]);
    const fixed = relativeMotion(
      { ...step, coordinates: [], linear: [], angular: [], explicit: undefined } as never,
      symbols,
    );
    for (const v of Object.values(fixed)) expect(v).toEqual(zeroVector);
  });

  it('keeps second moments that are zero out of the wrench', () => {
    const [m, r] = [symbol('I.xx'), symbol('I.yy')];
    // Points on the z-axis: P has one entry, and the moment mentions neither P_xx nor P_yy.
    const line = times(m, square(r));
    const own = { mass: m, first: zeroVector, inertia: [line, line, zero, zero, zero, zero] as unknown as Symmetric3 };
    const { moment } = rigidWrench(own, motion, spinMatrix(motion));
    const [, , z] = moment;
    expect(evaluate([z], new Map([...generalBindings(), [m, 0.7], [r, 0.3]]))[0]).toBeCloseTo(0, 15);
  });
});

function generalBindings(): [Expr, number][] {
  return [...w, ...alpha, ...a].map((e, i) => [e, Math.sin(i + 1)]);
}
