/** Elastic and damping forces of a body, as its link meets them. */
import type { Expr } from '../../symbolic/expr.ts';
import type { Loop } from '../loops/loop.ts';

/** Generalized elastic forces +∂V/∂q and damping forces +∂R/∂q̇ with the loops that they need. */
export interface PassiveForces {
  readonly elastic: readonly Expr[] | null;
  readonly damping: readonly Expr[] | null;
  readonly loops: readonly Loop[];
}

export const NO_PASSIVE_FORCES: PassiveForces = { elastic: null, damping: null, loops: [] };
