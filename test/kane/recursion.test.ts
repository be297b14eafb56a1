import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/symbolic/evaluate.ts';
import { decimal, symbol, zero, type Expr } from '../../src/symbolic/expr.ts';
import {
  addVectors,
  cross,
  multiplySymmetric,
  multiplyVector,
  rotateSymmetric,
  type Symmetric3,
  type Vector3,
} from '../../src/symbolic/vector.ts';
import { gyroscopicMoment, spinMatrix, stepMassMoments, unitWrench, type FrameStep } from '../../src/kane/recursion.ts';
import { rotationAbout } from '../../src/kane/joint.ts';

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
});
