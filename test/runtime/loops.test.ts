/**
 * Multipliers of loops against dense algebra: random mass matrices, rows that are independent, combinations of others, or that
 * nothing moves; ranks by singular values.
 */
import { CholeskyDecomposition, inverse, Matrix, SingularValueDecomposition } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../src/common/random.ts';
import { closeLoops } from '../../src/runtime/loops.ts';

interface Case {
  readonly M: Matrix;
  readonly J: Matrix;
  /** J x = −targets is wanted of M x = right + Jᵀ multipliers. */
  readonly targets: number[];
  readonly right: number[];
  readonly rank: number;
}

/** Rows: `free` independent ones, then combinations of them, then zeros; all of them in units of their own. */
function randomCase(seed: number, n: number, free: number, combined: number, idle: number): Case {
  const uniform = randomNumbers(seed);
  const next = (): number => 2 * uniform() - 1;
  const random = (rows: number, columns: number): Matrix =>
    new Matrix(Array.from({ length: rows }, () => Array.from({ length: columns }, next)));
  const root = random(n, n);
  const M = root.mmul(root.transpose()).add(Matrix.eye(n).mul(0.1));
  const base = random(free, n);
  const x = random(n, 1);
  const rows = [...base.to2DArray()];
  if (combined > 0) rows.push(...random(combined, free).mmul(base).to2DArray());
  for (let j = 0; j < idle; j++) rows.push(new Array<number>(n).fill(0));
  const J = new Matrix(
    rows.map((row) => {
      const unit = 10 ** (3 * next());
      return row.map((own) => own * unit);
    }),
  );
  const targets = J.mmul(x)
    .to1DArray()
    .map((own) => -own);
  return { M, J, targets, right: random(1, n).to1DArray(), rank: free };
}

/** What a driver does: L and D of M, rows and right-hand side through them; x by back substitution. */
function closed(
  { M, J, targets, right }: Case,
  isStrict: boolean,
): { readonly rank: number; readonly x: Matrix; readonly multipliers: Float64Array } {
  const [n, rows] = [M.rows, J.rows];
  const factor = new CholeskyDecomposition(M).lowerTriangularMatrix;
  const pivots = factor.diagonal().map((d) => d * d);
  const L = new Matrix(factor.to2DArray().map((row) => row.map((entry, a) => entry / factor.get(a, a))));
  const quotient = (vector: readonly number[]): number[] =>
    inverse(L)
      .mmul(Matrix.columnVector([...vector]))
      .to1DArray()
      .map((u, a) => u / pivots[a]!);
  const columns = Float64Array.from(J.to2DArray().flatMap(quotient));
  const quotients = Float64Array.from(quotient(right));
  const work = new Float64Array(2 * rows * rows + 6 * rows + n).fill(NaN);
  const multipliers = new Float64Array(rows).fill(NaN);
  const rank = closeLoops(
    rows,
    n,
    columns,
    pivots,
    quotients,
    targets,
    isStrict,
    false,
    targets,
    targets,
    work,
    multipliers,
  );
  const x = inverse(L.transpose()).mmul(Matrix.columnVector([...quotients]));
  return { rank, x, multipliers };
}

/** Of rows and columns in units in which M is one. */
function singularRank({ M, J }: Case): number {
  const factor = new CholeskyDecomposition(M).lowerTriangularMatrix;
  const rows = inverse(factor).mmul(J.transpose()).transpose().to2DArray();
  const units = rows.map((row) => row.map((x) => x / (Math.hypot(...row) || 1)));
  return new SingularValueDecomposition(new Matrix(units), { autoTranspose: true }).diagonal.filter((s) => s > 1e-5)
    .length;
}

const CASES = Array.from({ length: 40 }, (_, seed) => {
  const n = 3 + (seed % 7);
  return [seed, n, 1 + (seed % (n - 1)), seed % 4, seed % 3] as const;
});

describe('multipliers of loops', () => {
  it.each(CASES)(
    'case %i: %i coordinates, %i rows, %i combinations of them, %i zeros',
    (seed, n, free, combined, idle) => {
      const own = randomCase(seed + 1, n, free, combined, idle);
      const { rank, x, multipliers } = closed(own, true);
      expect(rank).toBe(own.rank);
      expect(rank).toBe(singularRank(own));
      own.J.to2DArray().forEach((row, j) => {
        const terms = row.map((entry, a) => entry * x.get(a, 0));
        const size = terms.reduce((sum, term) => sum + Math.abs(term), Math.abs(own.targets[j]!));
        expect(Math.abs(terms.reduce((sum, term) => sum + term, own.targets[j]!))).toBeLessThanOrEqual(1e-9 * size);
      });
      const forces = own.J.transpose().mmul(Matrix.columnVector([...multipliers]));
      const due = Matrix.columnVector(own.right).add(forces);
      const left = Matrix.sub(own.M.mmul(x), due);
      expect(left.norm()).toBeLessThanOrEqual(1e-11 * (due.norm() + forces.norm()));
      // Rows that are independent of those before them, dense.
      const J = own.J.subMatrix(0, free - 1, 0, n - 1);
      const scaled = Matrix.diag(J.to2DArray().map((row) => 1 / Math.hypot(...row))).mmul(J);
      const targets = own.targets.slice(0, free).map((t, j) => t / Math.hypot(...J.getRow(j)));
      const saddle = Matrix.zeros(n + free, n + free);
      saddle.setSubMatrix(own.M, 0, 0);
      saddle.setSubMatrix(Matrix.mul(scaled.transpose(), -1), 0, n);
      saddle.setSubMatrix(scaled, n, 0);
      const solution = inverse(saddle).mmul(Matrix.columnVector([...own.right, ...targets.map((t) => -t)]));
      const exact = solution.subMatrix(0, n - 1, 0, 0);
      expect(Matrix.sub(exact, x).norm()).toBeLessThanOrEqual(1e-8 * (exact.norm() + 1));
    },
  );

  it('do not exist for rows that contradict others, or that nothing moves, where they are wanted strictly', () => {
    const own = randomCase(7, 6, 3, 1, 0);
    const contradicted = {
      ...own,
      targets: own.targets.map((t, j) => (j === 3 ? t + Math.hypot(...own.J.getRow(3)) : t)),
    };
    expect(closed(contradicted, true).rank).toBeLessThan(0);
    expect(closed(contradicted, false).rank).toBe(3);
    const idle = randomCase(8, 5, 2, 0, 1);
    const moved = { ...idle, targets: idle.targets.map((t, j) => (j === 2 ? 1e3 : t)) };
    expect(closed(moved, true).rank).toBe(-3);
    expect(closed(moved, false).rank).toBe(2);
  });

  it('are zero for rows that depend on others', () => {
    const { multipliers } = closed(randomCase(9, 6, 2, 2, 1), true);
    expect([...multipliers].filter((x) => x !== 0)).toHaveLength(2);
    expect([...multipliers].every(Number.isFinite)).toBe(true);
  });
});
