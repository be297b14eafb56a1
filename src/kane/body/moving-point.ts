/**
 * A material point of a body as it moves, or the frame that the material carries there, seen from the proximal frame and in its axes, whatever way the body has to its
 * inertial terms: what tendons, loads, contact, markers and pictures ask of a body.
 *
 * Its material coordinates are given by expressions: numbers and parameters of the body, or symbols that stand for
 * arguments of a call. Volumes may have section coordinates of their own; a point is given in those of one of them.
 */
import type { ContactFrame, MaterialPoint } from '../../description/model/reference-volume.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { identityFrame, zeroVector, type Frame, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { RelativeMotion } from '../equations/recursion.ts';
import type { Loop } from '../loops/loop.ts';

export interface MovingPoint {
  readonly position: Vector3;
  /** ∂p/∂q_a per coordinate of the body. */
  readonly partials: readonly Vector3[];
  /** ṗ = Σ p_a q̇_a + ∂p/∂t */
  readonly velocity: Vector3;
  /** What the velocities cause: p̈ = Σ p_a q̈_a + bias. */
  readonly bias: Vector3;
  /** Loops whose results these mention, in an order in which each needs only those before it. */
  readonly loops: readonly Loop[];
}

/** A frame within a body, in the proximal frame. */
export interface FrameInBody {
  readonly frame: Frame;
  /** Motion per unit rate of each coordinate of the body: velocity of the origin, angular velocity. */
  readonly linear: readonly Vector3[];
  readonly angular: readonly Vector3[];
  /** While the coordinates do not accelerate. */
  readonly relative: RelativeMotion;
  readonly loops: readonly Loop[];
}

/** A point with axes that do not turn. */
export function unturned({ position, partials, velocity, bias, loops }: MovingPoint): FrameInBody {
  return {
    frame: { ...identityFrame, translation: position },
    linear: partials,
    angular: partials.map(() => zeroVector),
    relative: { angularVelocity: zeroVector, velocity, angularAcceleration: zeroVector, acceleration: bias },
    loops,
  };
}

/** The origin of a frame alone. */
export function originOf({ frame, linear, relative, loops }: FrameInBody): MovingPoint {
  const { velocity, acceleration: bias } = relative;
  return { position: frame.translation, partials: linear, velocity, bias, loops };
}

/** See `CarriedFrame`; with `axes` all points are over parameters of the body. */
export interface FrameRequest extends PointRequest {
  readonly axes?: ContactFrame['axes'];
}

export interface PointRequest {
  /** By the symbols of the material coordinates; what is missing is zero. */
  readonly at: MaterialPoint;
  /** Symbols in them that are known with the parameters of the body; any other comes with a call. */
  readonly known?: ReadonlySet<Expr>;
  /** Identifier-safe and unique within the link type: names of loops and of their results begin with it. */
  readonly name: string;
}
