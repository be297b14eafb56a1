/**
 * Forces beside inertia and weight: terms of the equations of motion that a body or a joint offers, each of a kind by which
 * drivers and straight-line functions ask for it. All of them stand on the left-hand side,
 *   M q̈ + c + g + Σ terms = τ,
 * so that a term is what τ has to overcome. How inertial terms are computed does not matter to them: they lie beside the
 * part of a body, not in it.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { simplest } from '../equations/rates.ts';
import type { Loop, LoopStage } from '../loops/loop.ts';

/** Every kind is a kernel of the links that have such terms, and an output of its own. */
export type ForceKind = 'elastic' | 'damping';

/** Matrices of the same terms, kernels as well. */
type ForceMatrix = 'stiffness' | 'dissipation';

interface ForceKindRecord {
  readonly meaning: string;
  /** When the terms can be computed: they read nothing of a later stage. */
  readonly stage: LoopStage;
  readonly matrix: ForceMatrix;
}

export const FORCE_KINDS: Readonly<Record<ForceKind, ForceKindRecord>> = {
  elastic: { meaning: '+∂V/∂q of the energy V(q) that is stored', stage: 1, matrix: 'stiffness' },
  damping: { meaning: '+∂R/∂q̇ of the dissipation R(q, q̇)', stage: 2, matrix: 'dissipation' },
};

export interface ForceTerm {
  /** What it comes from, for reports: `rod elasticity`. */
  readonly name: string;
  readonly kind: ForceKind;
  /** One force per coordinate of what offers the term, over its symbols and results of `loops`. */
  readonly generalized: readonly Expr[];
  /**
   * The derivatives of the forces as they are computed, row-major and symmetric: ∂/∂q of elastic ones, ∂/∂q̇ of damping
   * ones.
   */
  readonly matrix: readonly Expr[];
  /** V of elastic terms, J. */
  readonly energy?: Expr;
  /** Loops that forces, matrix and energy need, in an order in which each needs only those before it; terms may share them. */
  readonly loops: readonly Loop[];
}

/** A term at its place in a link. */
export interface LinkForce {
  readonly term: ForceTerm;
  /** Index among the link's coordinates of each coordinate of the term. */
  readonly coordinates: readonly number[];
}

/** A symmetric matrix, row-major, from the entries of its lower triangle. */
export function symmetricMatrix(size: number, entry: (row: number, column: number) => Expr): readonly Expr[] {
  const lower = Array.from({ length: size }, (_, a) => Array.from({ length: a + 1 }, (_b, b) => entry(a, b)));
  return lower.flatMap((_, a) => lower.map((_b, b) => lower[Math.max(a, b)]![Math.min(a, b)]!));
}

/** ∂(generalized)/∂(variables) of forces that are a gradient: the matrix of a term without loops. */
export function forceMatrix(generalized: readonly Expr[], variables: readonly Expr[]): readonly Expr[] {
  const columns = variables.map((variable) => differentiateAll(generalized, variable));
  return symmetricMatrix(variables.length, (a, b) => simplest(columns[b]![a]!));
}

/** Coordinates a ≤ b whose forces depend on each other. */
export function coupledPairs(forces: readonly LinkForce[], count: number): readonly (readonly [number, number])[] {
  const isCoupled = (a: number, b: number): boolean =>
    forces.some(({ term, coordinates }) => {
      const [row, column] = [coordinates.indexOf(a), coordinates.indexOf(b)];
      return row >= 0 && column >= 0 && term.matrix[row * coordinates.length + column] !== zero;
    });
  const all = Array.from({ length: count }, (_, a) =>
    Array.from({ length: count - a }, (__, k) => [a, a + k] as const),
  );
  return all.flat().filter(([a, b]) => isCoupled(a, b));
}
