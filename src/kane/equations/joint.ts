/**
 * Frame steps of joints: one step per elementary motion.
 */
import { cos, minus, one, plus, sin, stumpff, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import {
  addMatrices,
  addVectors,
  cross,
  dot,
  identityMatrix,
  mapMatrix,
  multiplyMatrices,
  scaleVector,
  skew,
  zeroVector,
  type Matrix3,
  type Vector3,
  matrix3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { ElementaryMotion, Joint } from '../../description/model/robot.ts';
import type { FrameStep } from './recursion.ts';

/** Rotation by `angle` about the unit vector `axis` (Rodrigues). */
export function rotationAbout(axis: Vector3, angle: Expr): Matrix3 {
  const [c, s] = [cos(angle), sin(angle)];
  const K = skew(axis);
  if (axis.filter((e) => e !== zero).length === 1)
    // About a coordinate axis: 1 + sin K + (1 − cos) K², where the entries of K² are 0 or −1.
    return matrix3(
      identityMatrix.map((e, i) => {
        const squared = multiplyMatrices(K, K)[i]!;
        return squared === zero ? plus(e, times(s, K[i]!)) : c;
      }),
    );
  const versine = minus(one, c);
  return addMatrices(
    identityMatrix,
    mapMatrix(K, (e) => times(s, e)),
    mapMatrix(multiplyMatrices(K, K), (e) => times(versine, e)),
  );
}

/** exp(v^) and its left Jacobian, in Stumpff functions of |v|². */
function rotationByVector(v: Vector3): { rotation: Matrix3; jacobian: (rate: Vector3) => Vector3 } {
  const x = dot(v, v);
  const K = skew(v);
  const scaled = (m: Matrix3, factor: Expr): Matrix3 => mapMatrix(m, (e) => times(factor, e));
  const rotation = addMatrices(identityMatrix, scaled(K, stumpff(1, x)), scaled(multiplyMatrices(K, K), stumpff(2, x)));
  const jacobian = (rate: Vector3): Vector3 => {
    const turned = cross(v, rate);
    return addVectors(rate, scaleVector(stumpff(2, x), turned), scaleVector(stumpff(3, x), cross(v, turned)));
  };
  return { rotation, jacobian };
}

/** Steps of the joint's motions; `offset` is the index of its first coordinate in the link. */
export function jointSteps(joint: Joint, offset = 0): FrameStep[] {
  return joint.motions.map((motion) => motionStep(motion, joint, offset));
}

function motionStep(motion: ElementaryMotion, joint: Joint, offset: number): FrameStep {
  const symbols = joint.coordinates.map((c) => c.symbol);
  const moving =
    motion.kind === 'rotation' ? [motion.angle] : motion.kind === 'translation' ? motion.displacement : motion.vector;
  const involved = symbols
    .map((_, i) => i)
    .filter((i) => moving.some((e) => dependsOn(e, new Set<Expr>([symbols[i]!]))));
  const coordinates = involved.map((i) => offset + i);
  const rates = involved.map((i) => differentiateAll(moving, symbols[i]!));
  const none = involved.map(() => zeroVector);
  if (motion.kind === 'translation')
    return {
      frame: { rotation: identityMatrix, translation: motion.displacement },
      coordinates,
      linear: rates.map(vector3),
      angular: none,
    };
  if (motion.kind === 'rotation')
    return {
      frame: { rotation: rotationAbout(motion.axis, motion.angle), translation: zeroVector },
      coordinates,
      linear: none,
      angular: rates.map(([rate]) => scaleVector(rate!, motion.axis)),
    };
  const { rotation, jacobian } = rotationByVector(motion.vector);
  return {
    frame: { rotation, translation: zeroVector },
    coordinates,
    linear: none,
    angular: rates.map((rate) => jacobian(vector3(rate))),
  };
}
