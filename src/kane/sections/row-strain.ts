/** What the rows of a rod know of its strain. */
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import type { Twist } from '../rod-points/rod-twist.ts';

export interface RowStrain {
  /** ξ times the length of the row. */
  readonly value: Twist;
  /** ∂ξ/∂q_a times the length of the row, for every coordinate; then ∂ξ/∂time. */
  readonly partial: readonly Twist[];
  /** The rest of ξ̈: second derivatives along the velocity. */
  readonly bias: Twist;
  /** α_1, α_2, … of the curvature over each half of the row. */
  readonly alpha: readonly (readonly Vector3[])[];
  /** ξ̇ times the length of the row. */
  rate(): Twist;
  /** The part of ξ̈ that q̈ causes, times the length of the row. */
  driven(): Twist;
}
