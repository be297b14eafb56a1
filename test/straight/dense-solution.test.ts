/** Symmetric systems of expressions against their right-hand sides, and what zeros cost. */
import { describe, expect, it } from 'vitest';
import { factoriseSymmetric } from '../../src/straight/functions/dense-solution.ts';
import { countOperations, totalOperations } from '../../src/symbolic/graph/cost.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { symbol, zero, type Expr } from '../../src/symbolic/graph/expr.ts';

const solveSymmetric = (matrix: readonly (readonly Expr[])[], right: readonly Expr[]): readonly Expr[] => {
  const { reduce, restore } = factoriseSymmetric(matrix);
  return restore(reduce(right));
};

const n = 5;
const right = Array.from({ length: n }, (_, i) => symbol(`b${i}`));

/** Entries of the lower triangle, zero where `isZero` says so; what is above the diagonal must not be read. */
function system(isZero: (i: number, j: number) => boolean = () => false): Expr[][] {
  return right.map((_, i) =>
    right.map((__, j) => (j > i ? symbol('unread') : isZero(i, j) ? zero : symbol(`m${i}${j}`))),
  );
}

describe('symmetric systems', () => {
  it('are solved', () => {
    const matrix = system();
    const number = (i: number, j: number): number =>
      i === j ? 4 + i : Math.sin(3 * Math.min(i, j) + 5 * Math.max(i, j));
    const values = new Map<Expr, number>(right.map((b, i) => [b, Math.cos(2 * i)]));
    matrix.forEach((row, i) => row.slice(0, i + 1).forEach((entry, j) => values.set(entry, number(i, j))));
    const x = evaluate(solveSymmetric(matrix, right), values);
    right.forEach((b, i) => {
      const sum = x.reduce((total, xj, j) => total + number(i, j) * xj, 0);
      expect(Math.abs(sum - values.get(b)!)).toBeLessThan(1e-14);
    });
  });

  it('keep the branches of a tree apart', () => {
    // Coordinates 1, 2 and 3, 4 are branches on coordinate 0: nothing is filled in between them.
    const apart = (i: number, j: number): boolean => i >= 3 && (j === 1 || j === 2);
    const cost = (matrix: Expr[][]): number => totalOperations(countOperations(solveSymmetric(matrix, right)));
    expect(cost(system(apart))).toBeLessThan(0.7 * cost(system()));
  });
});
