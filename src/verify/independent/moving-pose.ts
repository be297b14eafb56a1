/** Poses that move, multiplied along a chain: with their partial derivatives by coordinates, rates and accelerations. */
import type { Decimal } from 'decimal.js';
import { decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import { multiplyPoses, rotationOf, translationOf, type Pose } from '../arithmetic/decimal-pose.ts';
import type { Motion } from '../arithmetic/motion.ts';
import type { FrameResult } from './alembert-result.ts';

/** Everything after the difference quotients. */
export const Coarse = decimalOfPrecision(40);

/** A pose with its derivatives; `partials` by index of the robot's coordinate. */
export interface MovingPose {
  readonly value: Pose;
  readonly partials: ReadonlyMap<number, Pose>;
  readonly rate: Pose;
  readonly acceleration: Pose;
}

/** Columns of the Jacobian from ∂T/∂q_a: the translation, and the axial vector of ∂R/∂q_a Rᵀ. */
export function frameResult(carrier: MovingPose, offset: Pose, n: number): FrameResult {
  const pose = multiplyPoses(carrier.value, offset, 1);
  const jacobian = Array.from({ length: 6 }, () => Array.from({ length: n }, () => new Coarse(0)));
  for (const [a, own] of carrier.partials) {
    if (a >= n) continue; // follows the time
    const partial = multiplyPoses(own, offset, 1);
    const spin = (i: number, j: number): Decimal =>
      [0, 1, 2].reduce((sum, k) => sum.plus(partial[4 * i + k]!.times(pose[4 * j + k]!)), new Coarse(0));
    const column = [spin(2, 1), spin(0, 2), spin(1, 0), ...translationOf(partial)];
    column.forEach((value, row) => (jacobian[row]![a] = value));
  }
  return { position: translationOf(pose), rotation: rotationOf(pose), jacobian };
}

export const coarsePose = (pose: Pose): Pose => pose.map((x) => new Coarse(x.toSignificantDigits(Coarse.precision)));
export const zeroPose: Pose = Array.from({ length: 12 }, () => new Coarse(0));

export function fixedPose(pose: Pose): MovingPose {
  return { value: coarsePose(pose), partials: new Map(), rate: zeroPose, acceleration: zeroPose };
}

export function constantMotion(pose: Pose): Motion {
  return { value: coarsePose(pose), partials: [], rate: zeroPose, acceleration: zeroPose };
}

const addPoses = (...poses: readonly Pose[]): Pose => poses.reduce((sum, pose) => sum.map((x, i) => x.plus(pose[i]!)));

/**
 * The product rule, twice: (A B)¨ = Ä B + 2 Ȧ Ḃ + A B̈. The coordinates of `child` start at `first`, those behind the first `count` of them
 * at `others`.
 */
export function composeMotion(
  parent: MovingPose,
  child: Motion,
  first: number,
  count = child.partials.length,
  others = 0,
): MovingPose {
  const partials = new Map<number, Pose>();
  for (const [a, partial] of parent.partials) partials.set(a, multiplyPoses(partial, child.value, 1));
  child.partials.forEach((partial, i) =>
    partials.set(i < count ? first + i : others + i - count, multiplyPoses(parent.value, partial, 0)),
  );
  const mixed = multiplyPoses(parent.rate, child.rate, 0);
  return {
    value: multiplyPoses(parent.value, child.value, 1),
    partials,
    rate: addPoses(multiplyPoses(parent.rate, child.value, 1), multiplyPoses(parent.value, child.rate, 0)),
    acceleration: addPoses(
      multiplyPoses(parent.acceleration, child.value, 1),
      mixed,
      mixed,
      multiplyPoses(parent.value, child.acceleration, 0),
    ),
  };
}
