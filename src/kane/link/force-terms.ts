/**
 * Forces beside inertia and weight: terms of the equations of motion that a body or a joint offers, each of a kind by which
 * drivers and straight-line functions ask for it. All of them stand on the left-hand side,
 *   M q̈ + c + g + Σ terms = τ,
 * so that a term is what τ has to overcome. How inertial terms are computed does not matter to them: they lie beside the
 * part of a body, not in it.
 */
import type { Expr } from '../../symbolic/expr.ts';
import type { Loop, LoopStage } from '../loops/loop.ts';

/** Every kind is a kernel of the links that have such terms, and an output of its own. */
export type ForceKind = 'elastic' | 'damping';

/** What the terms of a kind are, and when they can be computed: they read nothing of a later stage. */
export const FORCE_KINDS: Readonly<Record<ForceKind, { readonly meaning: string; readonly stage: LoopStage }>> = {
  elastic: { meaning: '+∂V/∂q of the energy V(q) that is stored', stage: 1 },
  damping: { meaning: '+∂R/∂q̇ of the dissipation R(q, q̇)', stage: 2 },
};

export interface ForceTerm {
  /** What it comes from, for reports: `rod elasticity`. */
  readonly name: string;
  readonly kind: ForceKind;
  /** One force per coordinate of what offers the term, over its symbols and results of `loops`. */
  readonly generalized: readonly Expr[];
  /** Loops that the forces need, in an order in which each needs only those before it; terms may share them. */
  readonly loops: readonly Loop[];
}

/** A term at its place in a link. */
export interface LinkForce {
  readonly term: ForceTerm;
  /** Index among the link's coordinates of each coordinate of the term. */
  readonly coordinates: readonly number[];
}
