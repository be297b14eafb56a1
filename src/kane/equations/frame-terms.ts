/**
 * What terms do that are functions of the poses of a few frames, or wrenches on one: wrenches on these frames, rates, and changes of
 * both, all from the function by differentiation. World axes unless said otherwise; wrenches and twists are moment or turn first.
 */
import { heldFrame, type FrameAction } from '../../description/model/frame-terms.ts';
import type { LoopYield } from '../../description/model/loop.ts';
import { adjoints, directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { decimal, one, plus, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { isIdenticallyZero } from '../../symbolic/evaluation/identically-zero.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  column,
  cross,
  dot,
  frameEntries,
  fromColumns,
  multiplyVector,
  vector3,
  type Frame,
  type Matrix3,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { slidingTendon } from './sliding-tendon.ts';

/** A term over `heldFrame`s, for a unit input: its wrenches are the gradient of y, unless they depend on motions. */
export interface FrameTerm {
  /** How many frames it holds. */
  readonly count: number;
  /** y; zero where it has none. */
  readonly value: Expr;
  /** Of the wrenches: a wrench that follows its frame is constant in the axes of that. */
  readonly axes: 'world' | 'frame';
  /** On each of the frames, about its origin. */
  readonly wrenches: readonly (readonly Expr[])[];
  /** Do they depend on `heldTwist`s, too? */
  readonly isMoving?: true;
  /** Of a row of a loop that gives way. */
  readonly yields?: LoopYield;
  /** Of contacts of two bodies: what is reported of them, over the same. */
  readonly pairs?: readonly Expr[];
  /** Stand for run-time parameters of each term, see `PlacedTerm.held`. */
  readonly held?: readonly SymbolExpr[];
}

/** Twist of a frame, and its acceleration where the coordinates do not accelerate. */
export interface FrameMotion {
  readonly twist: readonly Expr[];
  readonly bias: readonly Expr[];
}

const angular = (v: readonly Expr[]): Vector3 => vector3(v.slice(0, 3));
const linear = (v: readonly Expr[]): Vector3 => vector3(v.slice(3, 6));
const columnsOf = (m: Matrix3): Vector3[] => [0, 1, 2].map((j) => column(m, j));

/** @param count of frames that it holds. */
export function frameTerm(action: FrameAction, count: number): FrameTerm {
  if (action.kind === 'wrench') {
    const wrenches = [action.wrench.map(decimal)];
    return { count, value: zero, axes: action.axes, wrenches };
  }
  if (action.kind === 'sliding')
    return { count, axes: 'world', isMoving: true, ...slidingTendon(action.friction, count) };
  const frames = Array.from({ length: count }, (_, k) => heldFrame(k));
  const slopes = adjoints([action.value], [one], frames.flatMap(frameEntries));
  const wrenches = frames.map((_, k) => gradientByPose(slopes, k).flat());
  return { count, value: action.value, axes: 'world', wrenches };
}

/** Moment and force on a held frame that do the work of a change. @param slopes derivatives by the entries of the poses of all frames. */
export function gradientByPose(slopes: readonly Expr[], index: number): readonly [Vector3, Vector3] {
  const own = slopes.slice(12 * index, 12 * index + 12);
  const byAxes = [0, 1, 2].map((j) => vector3([0, 3, 6].map((row) => own[row + j]!)));
  // Axes turn as φ × axis: the moment is Σ axis × slope.
  const moment = addVectors(...columnsOf(heldFrame(index).rotation).map((axis, j) => cross(axis, byAxes[j]!)));
  return [moment, vector3(own.slice(9))];
}

/** Do values ask for the axes of the frame, or for its origin? */
export function sees(values: readonly Expr[], index: number): { readonly axes: boolean; readonly origin: boolean } {
  const { rotation, translation } = heldFrame(index);
  const known = new Set<Expr>(freeSymbols(values));
  return { axes: rotation.some((s) => known.has(s)), origin: translation.some((s) => known.has(s)) };
}

/** How the pose of a frame changes along a twist. */
function turned(frame: Frame, twist: readonly Expr[]): Frame {
  const [x, y, z] = columnsOf(frame.rotation).map((axis) => cross(angular(twist), axis)) as [Vector3, Vector3, Vector3];
  return { rotation: fromColumns(x, y, z), translation: linear(twist) };
}

/**
 * ẏ, and ÿ where the coordinates do not accelerate; of a wrench the rate of its work, e·v, and e·a + ė·v.
 * @param motions of the frames.
 * @param time that the term may depend on by itself.
 */
export function ratesOf(
  term: FrameTerm,
  motions: readonly FrameMotion[],
  time?: SymbolExpr,
): { readonly rate: Expr; readonly bias: Expr } {
  const moving = new Map<Expr, Expr>(time ? [[time, one]] : []);
  motions.forEach(({ twist }, k) => {
    const entries = frameEntries(turned(heldFrame(k), twist));
    frameEntries(heldFrame(k)).forEach((s, i) => moving.set(s, entries[i]!));
  });
  if (term.value !== zero) {
    const [rate] = directionalDerivative([term.value], moving);
    motions.forEach(({ twist, bias }) => twist.forEach((s, i) => moving.set(s, bias[i]!)));
    const [bias] = directionalDerivative([rate!], moving);
    return { rate: rate!, bias: bias! };
  }
  const parts = term.wrenches.flatMap((wrench, k) => {
    const { twist, bias } = motions[k]!;
    const isTurning = term.axes === 'frame';
    return [angular, linear].map((part) => {
      const direction = isTurning ? multiplyVector(heldFrame(k).rotation, part(wrench)) : part(wrench);
      const turning = isTurning ? [dot(cross(angular(twist), direction), part(twist))] : [];
      return { rate: dot(direction, part(twist)), bias: plus(dot(direction, part(bias)), ...turning) };
    });
  });
  return { rate: plus(...parts.map(({ rate }) => rate)), bias: plus(...parts.map(({ bias }) => bias)) };
}

/** Do its wrenches cancel on a body that carries all its frames? Exact where the formula says so by itself. */
export function cancels({ axes, wrenches }: FrameTerm): boolean {
  if (axes === 'frame') return false;
  const forces = wrenches.map(linear);
  const moments = wrenches.map((wrench, k) =>
    addVectors(angular(wrench), cross(heldFrame(k).translation, linear(wrench))),
  );
  const sums = [...addVectors(...forces), ...addVectors(...moments)];
  return sums.every(isIdenticallyZero);
}
