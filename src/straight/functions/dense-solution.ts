/**
 * The solution of a symmetric positive definite system of expressions, M x = b, by M = Lᵀ D L with unit lower triangular L: no
 * roots, coordinates eliminated from the last to the first, so that branches of a tree stay apart (R. Featherstone, "Rigid Body
 * Dynamics Algorithms", 2008, section 6.4).
 */
import { divide, negate, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';

/** Right-hand sides through coordinates that are eliminated: a system with M in two halves, M = Lᵀ D L. */
export interface Elimination {
  /** D, by coordinate. */
  readonly pivots: readonly Expr[];
  /** D⁻¹ L⁻ᵀ b of a right-hand side b. */
  reduce(right: readonly Expr[]): readonly Expr[];
  /** L⁻¹ z: x of M x = b for z = D⁻¹ L⁻ᵀ b. */
  restore(quotients: readonly Expr[]): readonly Expr[];
}

/** @param matrix - n × n rows; only the lower triangle is read. */
export function factoriseSymmetric(matrix: readonly (readonly Expr[])[]): Elimination {
  const n = matrix.length;
  const lower = matrix.map((row) => [...row]);
  for (let k = n - 1; k >= 0; k--) {
    const factors = lower[k]!.slice(0, k).map((entry) => divide(entry, lower[k]![k]!));
    for (let i = k - 1; i >= 0; i--)
      for (let j = i; j >= 0; j--) lower[i]![j] = minus(lower[i]![j]!, times(factors[i]!, lower[k]![j]!));
    factors.forEach((factor, i) => (lower[k]![i] = factor));
  }
  return {
    pivots: lower.map((row, k) => row[k]!),
    reduce: (right) => {
      const x = [...right];
      for (let k = n - 1; k >= 0; k--)
        for (let i = k - 1; i >= 0; i--) x[i] = minus(x[i]!, times(lower[k]![i]!, x[k]!));
      return x.map((e, k) => divide(e, lower[k]![k]!));
    },
    restore: (quotients) => {
      const x = [...quotients];
      for (let k = 0; k < n; k++) {
        const before = lower[k]!.slice(0, k).map((factor, i) => negate(times(factor, x[i]!)));
        x[k] = plus(x[k]!, ...before);
      }
      return x;
    },
  };
}

/**
 * @param matrix - n × n rows; only the lower triangle is read.
 * @param right - b, n numbers.
 */
export function solveSymmetric(matrix: readonly (readonly Expr[])[], right: readonly Expr[]): readonly Expr[] {
  const { reduce, restore } = factoriseSymmetric(matrix);
  return restore(reduce(right));
}

function minus(a: Expr, b: Expr): Expr {
  return b === zero ? a : plus(a, negate(b));
}
