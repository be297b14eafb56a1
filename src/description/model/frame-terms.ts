/**
 * Terms that reach from link to link, or act on one from the world: functions of the poses of a few frames (lengths of straight
 * pieces of tendons, places along an axis, energies between frames), and wrenches that are the gradient of none. They act by wrenches
 * on those frames, which are carried towards the base.
 */
import type { SourceLocation } from '../../common/error.ts';
import {
  call,
  compare,
  decimal,
  half,
  integer,
  minus,
  minusOne,
  negate,
  pi,
  plus,
  select,
  sqrt,
  square,
  symbols,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import {
  dot,
  frameFromEntries,
  multiplyTransposed,
  negateVector,
  addVectors,
  subtractVectors,
  vector3,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { CarriedFrame } from './reference-volume.ts';

/** A frame that rides on the distal frame of a link; −1 is the base. Its offset may depend on run-time parameters. */
interface FrameAnchor {
  readonly kind: 'frame';
  readonly link: number;
  readonly offset: Frame;
}

/** A material point of the deformable body of a link; with `offset` a place in the frame that the material carries there. */
export interface MaterialAnchor extends CarriedFrame {
  readonly kind: 'material';
  readonly link: number;
  readonly offset?: Frame;
}

export type Anchor = FrameAnchor | MaterialAnchor;

/** What a term does on the frames that it holds. */
export type FrameAction =
  /** y, a function of `heldFrame`s and run-time parameters; its wrenches are its gradient. */
  | { readonly kind: 'formula'; readonly value: Expr }
  /** A unit wrench (moment, then force) on the only frame that is the gradient of nothing: y is left at zero, only its rate exists. */
  | { readonly kind: 'wrench'; readonly axes: 'world' | 'frame'; readonly wrench: readonly number[] }
  /**
   * A tendon from origin to origin that slides over those between with friction: y is minus its length, its wrenches depend on
   * `heldTwist`s and are its gradient at rest.
   */
  | { readonly kind: 'sliding'; readonly friction: BendFriction };

/**
 * Of a tendon that passes points. The tension behind a bend by the angle θ is that before it times e^(−μ θ tanh(v/v_s)), v the speed at
 * which the tendon slides towards its first end: Euler's and Eytelwein's formula, smooth about v = 0.
 */
export interface BendFriction {
  /** μ */
  readonly coefficient: Expr;
  /** v_s, m/s. */
  readonly speed: Expr;
}

/** All that it depends on beside the motions of its frames. */
export function formulasOfAction(action: FrameAction): readonly Expr[] {
  switch (action.kind) {
    case 'formula':
      return [action.value];
    case 'sliding':
      return [action.friction.coefficient, action.friction.speed];
    case 'wrench':
      return [];
  }
}

export interface ReachingTerm {
  readonly kind: 'reaching';
  readonly frames: readonly Anchor[];
  readonly action: FrameAction;
  /** Where it stands. */
  readonly location?: SourceLocation;
  /** Straight pieces of a tendon from frame to frame, which have no direction where their ends meet. */
  readonly isPiece?: true;
}

/** An energy of the poses of frames, whose gradient acts on them. */
export interface FrameForce {
  readonly name: string;
  readonly summary: string;
  /** The energy, in J, is the sum of their values. */
  readonly terms: readonly ReachingTerm[];
  readonly location: SourceLocation;
}

/** Frames that one formula may hold. */
export const MOST_FRAMES = 4;

/** Points of a tendon with friction, its ends among them: the tension behind one depends on all before it. */
export const MOST_POINTS = 16;

const HELD = Array.from({ length: MOST_POINTS }, (_, k) => symbols(`held.frame${k + 1}`, 12));

/** Stands for the world pose of the frame with this index among those that a term holds. */
export const heldFrame = (index: number): Frame => frameFromEntries(HELD[index]!);

/** Its entries: the rotation, row-major, and the origin. */
export const heldSymbols = (index: number): readonly SymbolExpr[] => HELD[index]!;

const TWISTS = Array.from({ length: MOST_POINTS }, (_, k) => symbols(`held.twist${k + 1}`, 6));

/** Stand for ω of that frame and the velocity of its origin, world axes. */
export const heldTwist = (index: number): readonly SymbolExpr[] => TWISTS[index]!;

/** Minus the distance of two points, so that it grows as a tendon between them shortens. */
const minusDistance = (a: Vector3, b: Vector3): Expr => {
  const apart = addVectors(b, negateVector(a));
  return negate(sqrt(dot(apart, apart)));
};

/** Minus the length of a straight piece of a tendon between two frames. */
export const MINUS_LENGTH = minusDistance(heldFrame(0).translation, heldFrame(1).translation);

/** A straight piece of a tendon. */
export function straightPiece(from: Anchor, to: Anchor, location: SourceLocation): ReachingTerm {
  const action: FrameAction = { kind: 'formula', value: MINUS_LENGTH };
  return { kind: 'reaching', frames: [from, to], action, location, isPiece: true };
}

/** A tendon whose input is the tension at the first of its points. */
export function slidingTendon(
  frames: readonly Anchor[],
  friction: BendFriction,
  location: SourceLocation,
): ReachingTerm {
  return { kind: 'reaching', frames, action: { kind: 'sliding', friction }, location, isPiece: true };
}

/**
 * A force or a moment at the origin of a frame. The coordinate of a force that keeps its direction in world axes is the place of the
 * origin along it; any other has none.
 * @param wrench moment, then force, of a unit input.
 */
export function unitWrench(on: Anchor, axes: 'world' | 'frame', wrench: readonly number[]): ReachingTerm {
  const isForce = wrench.slice(0, 3).every((e) => e === 0);
  const along = vector3(wrench.slice(3).map(decimal));
  const action: FrameAction =
    axes === 'world' && isForce
      ? { kind: 'formula', value: dot(along, heldFrame(0).translation) }
      : { kind: 'wrench', axes, wrench };
  return { kind: 'reaching', frames: [on], action };
}

/**
 * Length of the string round a cylinder from the origin of `a` to that of `b`, m: straight to it, along it on a helix, straight
 * on, or straight altogether where it leaves it. It passes the cylinder so that it turns about the z-axis of `drum` by the
 * right hand; other sides by other orders of the ends. In the plane across the axis the tangents from both ends have lengths tₐ, t_b, and
 * the angle of contact is φ = θ − atan(tₐ/r) − atan(t_b/r), with θ the angle from `a` to `b` about the axis. Unrolled, the way is a
 * straight line: ((tₐ + t_b + rφ)² + h²)^½, h along the axis. At φ = 0 both forms have the same gradient. φ is determined up to whole
 * turns, and taken between −90° and 270°.
 * @param a @param b @param drum poses in the same axes. @param radius of the cylinder, m. Within it the length is not finite.
 */
export function lengthAround(a: Frame, b: Frame, drum: Frame, radius: Expr): Expr {
  const seen = ({ translation }: Frame) =>
    multiplyTransposed(drum.rotation, subtractVectors(translation, drum.translation));
  const [[ax, ay, az], [bx, by, bz]] = [seen(a), seen(b)];
  const tangent = (x: Expr, y: Expr): Expr => sqrt(minus(plus(square(x), square(y)), square(radius)));
  const [ta, tb] = [tangent(ax, ay), tangent(bx, by)];
  // Three arcs, not one of a product of complex numbers: their derivatives are short.
  const between = call('atan2', minus(times(ax, by), times(ay, bx)), plus(times(ax, bx), times(ay, by)));
  const arc = minus(between, plus(call('atan2', ta, radius), call('atan2', tb, radius)));
  const contact = plus(arc, select(compare('<', arc, times(minusOne, half, pi)), times(integer(2), pi), zero));
  const unrolled = plus(ta, tb, times(radius, contact));
  // Both in axes of the drum: wrenches on the three frames then cancel term by term below what carries all of them.
  const rise = minus(bz, az);
  const straight = plus(square(minus(bx, ax)), square(minus(by, ay)), square(rise));
  // What is not a number compares as false: within the cylinder there is no length, not a straight one.
  return select(compare('<', contact, zero), sqrt(straight), sqrt(plus(square(unrolled), square(rise))));
}
