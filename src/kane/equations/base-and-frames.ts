/**
 * Both ends of a recursion over links: what the base hands to the first links, and what becomes of what the links hand over
 * for a frame attached to one of them.
 */
import { negate, plus, times, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  dot,
  frameEntries,
  multiplyTransposed,
  multiplyVector,
  negateVector,
  subtractVectors,
  zeroVector,
  type Frame,
  type Matrix3,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';

/** What the base can hand to its children. */
export const BASE_MOTIONS = {
  velocity: 'Angular velocity of the base, which does not turn.',
  acceleration: 'Acceleration of the base: it stands for gravity.',
  rest: 'Acceleration of the base without gravity.',
  gravity: 'Acceleration of the base that stands for gravity alone.',
  pose: 'World pose of the base.',
  placement: 'World pose of the base, beside its motion.',
  biasMotion: 'Motion of the base, which rests, without gravity.',
  velocityInWater: 'Motion of the base against the water, and gravity.',
  motionInWater: 'Motion of the base against the water, without gravity.',
  accelerationInWater:
    'Acceleration of the base, which stands for gravity, its velocity against the water, and gravity.',
  velocityAndPotential: 'Motion of the base, gravity and potential per unit mass.',
} as const;

export type BaseMotion = keyof typeof BASE_MOTIONS;

/**
 * What the base is to its children, which see it as the distal frame of their parent. In base axes.
 * @param base world → base.
 * @param gravity gravitational acceleration, world axes.
 * @param current velocity of the water, world axes.
 */
export function baseMotions(
  base: Frame,
  gravity: Vector3,
  current: Vector3 = zeroVector,
): Record<BaseMotion, readonly Expr[]> {
  const own = multiplyTransposed(base.rotation, gravity);
  const against = negateVector(multiplyTransposed(base.rotation, current));
  return {
    velocity: [...zeroVector],
    acceleration: [...zeroVector, ...negateVector(own)],
    rest: [...zeroVector, ...zeroVector],
    gravity: [...negateVector(own)],
    pose: frameEntries(base),
    placement: frameEntries(base),
    biasMotion: [...zeroVector, ...zeroVector, ...zeroVector, ...zeroVector],
    velocityInWater: [...zeroVector, ...against, ...own],
    motionInWater: [...zeroVector, ...against, ...zeroVector, ...zeroVector],
    accelerationInWater: [...zeroVector, ...negateVector(own), ...against, ...own],
    velocityAndPotential: [...zeroVector, ...zeroVector, ...own, negate(dot(gravity, base.translation))],
  } satisfies Record<BaseMotion, readonly Expr[]>;
}

/**
 * A wrench on a frame that rides on a link, as a force and a moment about the link's origin in its axes.
 * @param axes rotation of the axes that the wrench is given in from those of the link.
 * @param origin of the frame in the link.
 * @param wrench moment about the frame's origin, and force.
 */
export function wrenchOnLink(axes: Matrix3, origin: Vector3, wrench: readonly Expr[]): readonly Expr[] {
  const moment = multiplyVector(axes, vector3(wrench.slice(0, 3)));
  const force = multiplyVector(axes, vector3(wrench.slice(3, 6)));
  return [...force, ...addVectors(moment, cross(origin, force))];
}

/** A wrench at a frame, its axes, as force and moment about the origin of another, in axes of that. @param pose there. */
export function wrenchInFrame({ rotation, translation }: Frame, wrench: readonly Expr[]): readonly Expr[] {
  const force = multiplyVector(rotation, vector3(wrench.slice(0, 3)));
  const moment = multiplyVector(rotation, vector3(wrench.slice(3, 6)));
  return [...force, ...addVectors(moment, cross(translation, force))];
}

/**
 * Momentum as angular about a point and linear, in the axes of that point. @param frame where it is given, in these axes.
 * @param momentum linear, and angular about the origin of the frame, its axes: as a wrench.
 */
export function momentumAbout(
  point: readonly Expr[],
  { rotation, translation }: Frame,
  momentum: readonly Expr[],
): readonly Expr[] {
  const arm = subtractVectors(translation, vector3(point));
  const moved = wrenchInFrame({ rotation, translation: arm }, momentum);
  return [...moved.slice(3), ...moved.slice(0, 3)];
}

/** What force and moment do along an angular velocity and a velocity. */
export function work(motion: readonly Expr[], wrench: readonly Expr[]): Expr {
  return plus(...motion.map((e, k) => times(e, wrench[(k + 3) % 6]!)));
}

/**
 * Twist of a frame that rides on a link, and what its acceleration is while the coordinates do not accelerate, world axes.
 * @param pose rotation of the link from world axes.
 * @param origin of the frame in the link.
 * @param drift ω, v, α and a of the link, its axes.
 */
export function motionOfFrame(
  pose: Matrix3,
  origin: Vector3,
  drift: readonly Expr[],
): { readonly velocity: readonly Expr[]; readonly bias: readonly Expr[] } {
  const [w, v, alpha, a] = [0, 3, 6, 9].map((from) => vector3(drift.slice(from, from + 3))) as [
    Vector3,
    Vector3,
    Vector3,
    Vector3,
  ];
  const around = cross(w, origin);
  const inWorld = (vector: Vector3): Vector3 => multiplyVector(pose, vector);
  return {
    velocity: [...inWorld(w), ...inWorld(addVectors(v, around))],
    bias: [...inWorld(alpha), ...inWorld(addVectors(a, cross(alpha, origin), cross(w, around)))],
  };
}

/** Velocity of a point per unit rate. @param column angular velocity, and velocity of the point at the world origin. */
export function columnAtPoint(column: readonly Expr[], point: Vector3): readonly Expr[] {
  const angular = vector3(column.slice(0, 3));
  const linear = vector3(column.slice(3, 6));
  return [...angular, ...addVectors(linear, cross(angular, point))];
}
