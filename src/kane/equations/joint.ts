/**
 * Frame steps of joints: one step per elementary motion.
 */
import { cos, minus, one, plus, sin, stumpff, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
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
  type Frame,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { ElementaryMotion, Joint } from '../../description/model/robot.ts';
import type { FrameStep, Screw } from './recursion.ts';

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
  return joint.motions.map((motion, i) => {
    const { explicit, prescribed } = followed(joint, i);
    return { ...motionStep(motion, joint, offset), ...(explicit && { explicit }), ...(prescribed && { prescribed }) };
  });
}

function motionStep(motion: ElementaryMotion, joint: Joint, offset: number): FrameStep {
  const symbols = joint.coordinates.map((c) => c.symbol);
  const moving = formulasOf(motion);
  const involved = symbols
    .map((_, i) => i)
    .filter((i) => moving.some((e) => dependsOn(e, new Set<Expr>([symbols[i]!]))));
  const screws = involved.map((i) => screwOf(motion, differentiateAll(moving, symbols[i]!)));
  return {
    frame: frameOf(motion),
    coordinates: involved.map((i) => offset + i),
    linear: screws.map(({ linear }) => linear),
    angular: screws.map(({ angular }) => angular),
  };
}

export function formulasOf(motion: ElementaryMotion): readonly Expr[] {
  if (motion.kind === 'rotation') return [motion.angle];
  return motion.kind === 'translation' ? motion.displacement : motion.vector;
}

function frameOf(motion: ElementaryMotion): Frame {
  switch (motion.kind) {
    case 'translation':
      return { rotation: identityMatrix, translation: motion.displacement };
    case 'rotation':
      return { rotation: rotationAbout(motion.axis, motion.angle), translation: zeroVector };
    case 'rotation-vector':
      return { rotation: rotationByVector(motion.vector).rotation, translation: zeroVector };
  }
}

/** The velocity of a motion whose formulas change at these rates. */
function screwOf(motion: ElementaryMotion, rates: readonly Expr[]): Screw {
  switch (motion.kind) {
    case 'translation':
      return { linear: vector3(rates), angular: zeroVector };
    case 'rotation':
      return { linear: zeroVector, angular: scaleVector(rates[0]!, motion.axis) };
    case 'rotation-vector':
      return { linear: zeroVector, angular: rotationByVector(motion.vector).jacobian(vector3(rates)) };
  }
}

/** What coordinates that follow the time do in the i-th motion of a joint. */
function followed({ motions, prescribed }: Joint, i: number): Pick<FrameStep, 'explicit' | 'prescribed'> {
  if (!prescribed) return {};
  const { coordinates, released, time } = prescribed;
  const [motion, free] = [motions[i]!, formulasOf(released[i]!)];
  const values = new Map<Expr, Expr>(coordinates.map(({ quantity, value }) => [quantity.symbol, value]));
  const moving = coordinates.flatMap(({ quantity: { symbol } }, index) => {
    if (!free.some((e) => dependsOn(e, new Set<Expr>([symbol])))) return [];
    return [{ index, screw: screwOf(motion, substitute(differentiateAll(free, symbol), values)) }];
  });
  if (moving.length === 0) return {};
  return { explicit: screwOf(motion, differentiateAll(formulasOf(motion), time)), prescribed: moving };
}
