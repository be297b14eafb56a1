/**
 * A material point of a body as it moves, seen from the proximal frame and in its axes, whatever way the body has to its
 * inertial terms: what tendons, loads, contact, markers and pictures ask of a body.
 *
 * Its material coordinates are given by expressions: numbers and parameters of the body, or symbols that stand for
 * arguments of a call. Volumes may have section coordinates of their own; a point is given in those of one of them.
 */
import type { MaterialPoint } from '../../description/model/robot.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
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

export interface PointRequest {
  /** By the symbols of the material coordinates; what is missing is zero. */
  readonly at: MaterialPoint;
  /** Symbols in them that are known with the parameters of the body; any other comes with a call. */
  readonly known?: ReadonlySet<Expr>;
  /** Identifier-safe and unique within the link type: names of loops and of their results begin with it. */
  readonly name: string;
}
