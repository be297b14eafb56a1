/**
 * Friction that sticks: a bristle between places a on the surface of the first body and b on that of the second. From the point of
 * contact c the way to a along the first surface less that to b along the second is what one has slipped on the other,
 *   z = arc₁(a − c) − arc₂(b − c),   f = −cut(cut(k z) + b v),   cut: no longer than μ f_N,
 * so that bodies that roll on each other do not slip. Of a core with radius R an arc that spans the angle φ is R φ = R sin φ · 3/(2 + cos φ)
 * (Snell's approximation, of error φ⁵/180). A section of a rod is held at its middle, a = c, which moves on the surface that is parallel to the
 * other body, farther from its core by the radius of the section: the force does work where the middle moves. After a step a lies at c, and b where the spring is what the cut left of it. The inner cut
 * lets the damper alone decide where slipping turns back within a step, so that integrators see that.
 */
import type { Bristle, Friction, Shape } from '../../description/model/contact.ts';
import { LEAST_LENGTH } from '../../description/model/contact.ts';
import {
  compare,
  divide,
  integer,
  minus,
  negate,
  one,
  plus,
  select,
  sqrt,
  square,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  dot,
  multiplyTransposed,
  negateVector,
  scaleVector,
  subtractVectors,
  transformPoint,
  zeroVector,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { Nearest } from './nearest-points.ts';

/** A bristle, seen from where the pair is seen from. */
export interface HeldPair {
  readonly bristle: Bristle;
  /** In which its places are given. */
  readonly frames: readonly [Frame, Frame];
  /** On whose surfaces they are. */
  readonly shapes: readonly [Shape, Shape];
  /** The place on the first one that is nearest to the second. */
  readonly point: Vector3;
}

/** Of the middle of a section of a rod, which is a ball, against another shape. */
export function heldSection(
  bristle: Bristle,
  frames: readonly [Frame, Frame],
  [ball, met]: readonly [Shape, Shape],
): HeldPair {
  const radius = met.radius && (met.kind === 'tube' ? minus(met.radius, ball.radius!) : plus(met.radius, ball.radius!));
  return { bristle, frames, shapes: [ball, { ...met, ...(radius && { radius }) }], point: ball.place };
}

/**
 * @param velocity of the first surface against the second, across the normal.
 * @param most size of the force, μ f_N.
 * @returns the force on the first body, and what `BRISTLE_PARTS` become after a step.
 */
export function bristleForce(
  { stiffness, damping }: Friction & { readonly kind: 'bristle' },
  { bristle, frames, shapes, point }: HeldPair,
  { gap, normal }: Nearest,
  velocity: Vector3,
  most: Expr,
): { readonly force: Vector3; readonly next: readonly Expr[] } {
  const opposite = subtractVectors(point, scaleVector(gap, normal));
  const own = bristle.own
    ? arc(transformPoint(frames[0], bristle.own), point, negateVector(normal), shapes[0])
    : zeroVector;
  const other = arc(transformPoint(frames[1], bristle.other), opposite, normal, shapes[1]);
  const slip = scaleVector(bristle.isHeld, subtractVectors(own, other));
  const left = scaleVector(share(scaleVector(stiffness, slip), most), slip);
  const pull = addVectors(scaleVector(stiffness, left), scaleVector(damping, velocity));
  const ownNext = bristle.own ? from(frames[0], point) : zeroVector;
  const next = [...ownNext, ...from(frames[1], subtractVectors(opposite, left))];
  return { force: scaleVector(negate(share(pull, most)), pull), next: [one, ...next] };
}

/** Of a force, so that no more than `most` is left. */
function share(force: Vector3, most: Expr): Expr {
  const size = sqrt(plus(dot(force, force), square(LEAST_LENGTH)));
  return select(compare('<', most, size), divide(most, size), one);
}

/** The way along a surface to a place on it. @param out of the surface at the point. */
function arc(place: Vector3, point: Vector3, out: Vector3, { kind, radius, axis }: Shape): Vector3 {
  const apart = subtractVectors(place, point);
  const height = dot(out, apart);
  const chord = subtractVectors(apart, scaleVector(height, out));
  if (!radius || radius === zero) return chord;
  // cos φ − 1, a tube rises towards its axis; beyond a quarter of the way round no step is that long.
  const fall = divide(kind === 'tube' ? negate(height) : height, radius);
  const bent = select(compare('<', negate(one), fall), fall, negate(one));
  const along = axis ? scaleVector(dot(axis, chord), axis) : zeroVector;
  return addVectors(scaleVector(divide(integer(3), plus(integer(3), bent)), subtractVectors(chord, along)), along);
}

/** A point in axes of a frame. */
const from = ({ rotation, translation }: Frame, point: Vector3): Vector3 =>
  multiplyTransposed(rotation, subtractVectors(point, translation));
