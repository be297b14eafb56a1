/**
 * What the recursion needs to know of a body, and the two ways to provide it: shape integrals and contraction.
 * All vectors in proximal axes about the proximal origin.
 */
import type { Expr } from '../symbolic/expr.ts';
import type { Matrix3, Vector3 } from '../symbolic/vector.ts';
import type { BodyWrench, MassMoments, Motion } from './recursion.ts';

export interface BodyModel {
  /** How the inertial terms are computed: for headers and `explain`. */
  readonly method: string;
  readonly moments: MassMoments;
  /** Inertial force, moment and π_a for the motion of the proximal frame and the body's own q̇, q̈. `spin` is its spin matrix. */
  wrench(motion: Motion, spin: Matrix3): BodyWrench;
  /** The same at rest: only the acceleration of the proximal origin (−gravity) acts. */
  weight(acceleration: Vector3): BodyWrench;
  /** Per body coordinate: wrench of a unit q̈_a at rest, c_a and H_a, and the row G_ab of the local mass matrix. */
  readonly unitWrenches: readonly BodyWrench[];
  kineticEnergy(angularVelocity: Vector3, velocity: Vector3): Expr;
}
