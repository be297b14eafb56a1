/** Factors of the small matrices of sections, as expressions. */
import { negate, plus, power, times, type Expr } from '../../symbolic/graph/expr.ts';

/** L D U of a matrix without exchange of rows: L below its diagonal of ones by rows, 1/D, and U above its diagonal of ones by columns, Lᵀ where it is missing. */
export interface Factor {
  readonly lower: readonly (readonly Expr[])[];
  readonly inverse: readonly Expr[];
  readonly upper?: readonly (readonly Expr[])[];
}

/** @param matrix by rows: the lower triangle of a symmetric one. */
export function factorise(matrix: readonly (readonly Expr[])[], isSymmetric: boolean): Factor {
  const [lower, upper]: [Expr[][], Expr[][]] = [[], []];
  const inverse: Expr[] = [];
  matrix.forEach((entries, i) => {
    // L_ik D_k and D_k U_ki.
    const [left, above]: [Expr[], Expr[]] = [[], []];
    const [own, column]: [Expr[], Expr[]] = [[], []];
    for (let k = 0; k < i; k++) {
      const known = (upper[k] ?? []) as readonly Expr[];
      const value = plus(entries[k]!, ...own.map((_, m) => negate(times(left[m]!, known[m]!))));
      left.push(value);
      own.push(times(value, inverse[k]!));
      if (isSymmetric) continue;
      const other = plus(matrix[k]![i]!, ...column.map((_, m) => negate(times(lower[k]![m]!, above[m]!))));
      above.push(other);
      column.push(times(other, inverse[k]!));
    }
    const [products, factors] = isSymmetric ? [left, own] : [left, column];
    lower.push(own);
    upper.push(isSymmetric ? own : column);
    inverse.push(power(plus(entries[i]!, ...products.map((e, k) => negate(times(e, factors[k]!)))), -1));
  });
  return isSymmetric ? { lower, inverse } : { lower, inverse, upper };
}

/** The matrix divides a vector. */
export function solve({ lower, inverse, upper = lower }: Factor, right: readonly Expr[]): readonly Expr[] {
  const half: Expr[] = [];
  right.forEach((e, i) => half.push(plus(e, ...half.map((h, k) => negate(times(lower[i]![k]!, h))))));
  const result = half.map((e, i) => times(e, inverse[i]!));
  for (let i = result.length - 1; i >= 0; i--)
    result[i] = plus(result[i]!, ...result.flatMap((e, k) => (k > i ? [negate(times(upper[k]![i]!, e))] : [])));
  return result;
}

/** The transposed matrix divides a vector. */
export function solveTransposed({ lower, inverse, upper = lower }: Factor, right: readonly Expr[]): readonly Expr[] {
  return solve({ lower: upper, inverse, upper: lower }, right);
}

/** The entries of a factor in one list, and back. */
export function factorEntries({ lower, inverse, upper = [] }: Factor): readonly Expr[] {
  return [...lower.flat(), ...upper.flat(), ...inverse];
}

export function factorFrom(entries: readonly Expr[], size: number, isSymmetric: boolean): Factor {
  const below = (size * (size - 1)) / 2;
  const triangle = (from: number): readonly Expr[][] =>
    Array.from({ length: size }, (_, i) => entries.slice(from + (i * (i - 1)) / 2, from + (i * (i - 1)) / 2 + i));
  const diagonal = isSymmetric ? below : 2 * below;
  const inverse = entries.slice(diagonal, diagonal + size);
  return { lower: triangle(0), inverse, ...(!isSymmetric && { upper: triangle(below) }) };
}
