/**
 * Frames of rotating joints moved to where the fewest numbers are needed. A frame may slide along its joint's axis and
 * turn about it without changing the mechanism: its origin is put at the foot of the common normal with the next axis (or
 * the one before), its x-axis along that normal, so that the constant part of each step is a turn about x and at most two
 * lengths (the parameters of Denavit and Hartenberg, found from any description). What is left of the turn goes into the
 * joint's angle. Frames of sliding joints may be moved anywhere.
 */
import { fixedStep, stepMassMoments, type MassMoments } from '../../kane/equations/recursion.ts';
import { exactUnit, isConstant } from '../../symbolic/evaluation/evaluate.ts';
import {
  call,
  divide,
  half,
  minus,
  minusOne,
  negate,
  one,
  pi,
  plus,
  sqrt,
  square,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import {
  composeFrames,
  frameEntries,
  identityFrame,
  inverseFrame,
  isZeroVector,
  zeroVector,
  type Frame,
  type Matrix3,
} from '../../symbolic/graph/vector.ts';
import { exactFrame, type Mechanism, type MechanismFrame } from './mechanism.ts';

/** Where the origin of a rotating frame goes along its axis. */
export type OriginChoice =
  /** Foot of the common normal with the axis before. */
  | 'before'
  /** Foot of the common normal with the next axis. */
  | 'after';

/** The same mechanism with its rotating and sliding frames in other places; masses are seen from the new frames. */
export function normalForm(mechanism: Mechanism, origins: OriginChoice): Mechanism {
  const { frames } = mechanism;
  const primary = primaryChildren(frames);
  const isPlaced = frames.some(({ water }) => water?.isPlaced);
  // T_i: the new frame seen from the old one; T_i' before its joint moves.
  const shifted: Frame[] = frames.map(() => identityFrame);
  const results: MechanismFrame[] = [];
  const normals = frames.map((_, i) => commonNormal(frames, i, primary[i]!));
  frames.forEach((frame, i) => {
    const parentShift = frame.parent < 0 ? identityFrame : shifted[frame.parent]!;
    const constant = composeFrames(inverseFrame(parentShift), frame.constant);
    const { own, before, angleOffset } = placement(frame, i, frames, primary, normals, origins);
    shifted[i] = own;
    results.push({
      ...frame,
      constant: isPlaced
        ? exactFrame(composeFrames(constant, before))
        : rooted(frame, exactFrame(composeFrames(constant, before))),
      motion: offsetMotion(frame, angleOffset),
      moments: frame.moments && seenFrom(frame.moments, own),
    });
  });
  return { ...mechanism, frames: results };
}

/** On the ground only the direction of gravity matters, not where a frame stands. */
function rooted(frame: MechanismFrame, constant: Frame): Frame {
  return frame.parent < 0 && frame.motion.kind !== 'general' ? { ...constant, translation: zeroVector } : constant;
}

/** The child that decides where a frame is put: the first that rotates. */
function primaryChildren(frames: readonly MechanismFrame[]): number[] {
  return frames.map((_, i) => frames.findIndex((child) => child.parent === i && child.motion.kind === 'rotation'));
}

/** Between the z-axis of a rotating frame and that of its primary child. */
interface CommonNormal {
  /** Foot on the parent's axis and on the child's, from their origins along z. */
  readonly onParent: Expr;
  readonly onChild: Expr;
  /** x-axis of the parent, turned about z to the normal: cosine and sine. */
  readonly turn: readonly [Expr, Expr];
  /** The same on the child's side. */
  readonly childTurn: readonly [Expr, Expr];
  readonly isParallel: boolean;
}

function commonNormal(frames: readonly MechanismFrame[], parent: number, child: number): CommonNormal | undefined {
  if (child < 0 || frames[parent]!.motion.kind !== 'rotation') return undefined;
  const { rotation: R, translation: t } = frames[child]!.constant;
  if (!frameEntries(frames[child]!.constant).every(isConstant)) return undefined;
  const [rx, ry, rz] = [R[2], R[5], R[8]];
  const sine = exactUnit(sqrt(plus(square(rx), square(ry))));
  const isParallel = sine === zero;
  let turn: readonly [Expr, Expr];
  let onParent: Expr = zero;
  let onChild: Expr = zero;
  if (isParallel) {
    const distance = exactUnit(sqrt(plus(square(t[0]), square(t[1]))));
    turn = distance === zero ? [one, zero] : [exactUnit(divide(t[0], distance)), exactUnit(divide(t[1], distance))];
    // The axes share a direction: the child's origin slides to the parent's height.
    onChild = exactUnit(negate(times(t[2], rz)));
  } else {
    // n = z × r / |z × r|
    turn = [exactUnit(negate(divide(ry, sine))), exactUnit(divide(rx, sine))];
    onChild = exactUnit(negate(divide(plus(times(t[0], rx), times(t[1], ry)), square(sine))));
    onParent = exactUnit(plus(t[2], times(onChild, rz)));
  }
  // The normal in the child's axes: Rᵀ (cos, sin, 0).
  const [c, s] = turn;
  const childTurn = [
    exactUnit(plus(times(R[0], c), times(R[3], s))),
    exactUnit(plus(times(R[1], c), times(R[4], s))),
  ] as const;
  return { onParent, onChild, turn, childTurn, isParallel };
}

interface Placement {
  /** New frame seen from the old. */
  readonly own: Frame;
  /** The same as far as it is done before the joint's motion. */
  readonly before: Frame;
  /** Cosine and sine of what the motion has to add. */
  readonly angleOffset: readonly [Expr, Expr];
}

function placement(
  frame: MechanismFrame,
  index: number,
  frames: readonly MechanismFrame[],
  primary: readonly number[],
  normals: readonly (CommonNormal | undefined)[],
  origins: OriginChoice,
): Placement {
  const none: Placement = { own: identityFrame, before: identityFrame, angleOffset: [one, zero] };
  if (frame.motion.kind === 'translation') return slidingPlacement(frames, index) ?? none;
  if (frame.motion.kind !== 'rotation') return none;
  const after = normals[index];
  const before = frame.parent >= 0 && primary[frame.parent] === index ? normals[frame.parent] : undefined;
  const slide = slideOf(before, after, origins);
  const turnAfter = after?.turn ?? before?.childTurn ?? [one, zero];
  // On the ground the turn is free; else the constant part ends at the normal with the axis before.
  const turnBefore = frame.parent < 0 ? turnAfter : (before?.childTurn ?? turnAfter);
  const offset = subtractTurns(turnAfter, turnBefore);
  return { own: turnAndSlide(turnAfter, slide), before: turnAndSlide(turnBefore, slide), angleOffset: offset };
}

function slideOf(before: CommonNormal | undefined, after: CommonNormal | undefined, origins: OriginChoice): Expr {
  if (origins === 'before' && before) return before.onChild;
  if (after && !(after.isParallel && before)) return after.onParent;
  return before?.onChild ?? zero;
}

/** The origin of a sliding frame goes where its child needs no translation. */
function slidingPlacement(frames: readonly MechanismFrame[], index: number): Placement | undefined {
  const child = frames.find((f) => f.parent === index);
  if (!child || isZeroVector(child.constant.translation)) return undefined;
  const own: Frame = { ...identityFrame, translation: child.constant.translation };
  return { own, before: own, angleOffset: [one, zero] };
}

function turnAndSlide([c, s]: readonly [Expr, Expr], slide: Expr): Frame {
  const rotation: Matrix3 = [c, negate(s), zero, s, c, zero, zero, zero, one];
  return { rotation, translation: [zero, zero, slide] };
}

function subtractTurns(a: readonly [Expr, Expr], b: readonly [Expr, Expr]): readonly [Expr, Expr] {
  return [
    exactUnit(plus(times(a[0], b[0]), times(a[1], b[1]))),
    exactUnit(minus(times(a[1], b[0]), times(a[0], b[1]))),
  ];
}

/** angle + offset, with quarter turns as exact multiples of π/2. */
function offsetMotion(frame: MechanismFrame, [c, s]: readonly [Expr, Expr]): MechanismFrame['motion'] {
  if (frame.motion.kind !== 'rotation' || c === one) return frame.motion;
  let offset: Expr;
  if (c === minusOne) offset = pi;
  else if (s === one) offset = times(half, pi);
  else if (s === minusOne) offset = negate(times(half, pi));
  else offset = call('atan2', s, c);
  return { ...frame.motion, angle: plus(frame.motion.angle, offset) };
}

/** Moments given in the old frame, about the new origin and in the new axes. */
function seenFrom(moments: MassMoments, own: Frame): MassMoments {
  return stepMassMoments(fixedStep(exactFrame(inverseFrame(own))), moments).atParent;
}
