/**
 * What the recursion needs to know of a body with a distal frame in closed form: provided by shape integrals, by contraction
 * or by sums over points.
 * All vectors in proximal axes about the proximal origin.
 */
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Matrix3, Vector3 } from '../../symbolic/graph/vector.ts';
import type { Loop } from '../loops/loop.ts';
import type { BodyWrench, MassMoments, Motion } from '../equations/recursion.ts';

export interface BodyModel {
  /** How the inertial terms are computed: for headers and `explain`. */
  readonly method: string;
  readonly moments: MassMoments;
  /** Inertial force, moment and π_a for the motion of the proximal frame and the body's own q̇, q̈. `spin` is its spin matrix. */
  wrench(motion: Motion, spin: Matrix3): BodyWrench;
  /** The same with less work when velocities were not dealt with before; `wrench` when missing. */
  directWrench?(motion: Motion): BodyWrench;
  /** The same at rest: only the acceleration of the proximal origin (−gravity) acts. */
  weight(acceleration: Vector3): BodyWrench;
  /** Per body coordinate: wrench of a unit q̈_a at rest, c_a and H_a, and the row G_ab of the local mass matrix. */
  readonly unitWrenches: readonly BodyWrench[];
  /** Loops whose results the terms asked for so far mention; none when missing. */
  loops?(): readonly Loop[];
  kineticEnergy(angularVelocity: Vector3, velocity: Vector3): Expr;
  /** Quantities that its terms are made of, by name: values of generated code that are one of them are called so. */
  quantities?(): ReadonlyMap<Expr, string>;
}
