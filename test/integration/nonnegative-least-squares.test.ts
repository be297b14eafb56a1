/** Lawson and Hanson's method against trying every set of columns. */
import { describe, expect, it } from 'vitest';
import { positiveCombinations, type ColumnMatrix } from '../../src/integration/rules/nonnegative-least-squares.ts';

/** The same numbers in [−1, 1) in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
}

function randomMatrix(height: number, columns: number, random: () => number): ColumnMatrix {
  return { height, columns, values: Float64Array.from({ length: height * columns }, random) };
}

/** |target − Σ w column| / |target| of the best w without regard to signs, and that w, by normal equations. */
function leastSquares(columns: readonly number[][], target: readonly number[]): { w: number[]; residual: number } {
  const n = columns.length;
  const product = (a: readonly number[], b: readonly number[]): number => a.reduce((s, x, i) => s + x * b[i]!, 0);
  const rows = columns.map((a) => [...columns.map((b) => product(a, b)), product(a, target)]);
  for (let k = 0; k < n; k++)
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const f = rows[i]![k]! / rows[k]![k]!;
      rows[i] = rows[i]!.map((x, j) => x - f * rows[k]![j]!);
    }
  const w = rows.map((row, k) => row[n]! / row[k]!);
  const rest = target.map((t, i) => t - columns.reduce((s, c, k) => s + c[i]! * w[k]!, 0));
  return { w, residual: Math.sqrt(product(rest, rest) / product(target, target)) };
}

describe('positive combinations', () => {
  it('end at the best of all sets of columns', () => {
    const random = randomNumbers(7);
    for (let round = 0; round < 60; round++) {
      const [height, count] = [5, 8];
      const matrix = randomMatrix(height, count, random);
      const target = Float64Array.from({ length: height }, random);
      const columns = Array.from({ length: count }, (_, j) => [
        ...matrix.values.subarray(j * height, (j + 1) * height),
      ]);
      let best = 1;
      for (let set = 1; set < 1 << count; set++) {
        const chosen = columns.filter((_, j) => (set >> j) & 1);
        if (chosen.length > height) continue;
        const { w, residual } = leastSquares(chosen, [...target]);
        if (w.every((x) => x >= 0)) best = Math.min(best, residual);
      }
      const last = [...positiveCombinations(matrix, target)].at(-1);
      expect(last?.residual ?? 1).toBeCloseTo(best, 9);
    }
  });

  it('have positive weights, the residual they claim, and become better all the time', () => {
    const random = randomNumbers(11);
    const matrix = randomMatrix(12, 40, random);
    const target = Float64Array.from({ length: 12 }, random);
    const size = Math.hypot(...target);
    let before = 1;
    for (const { indices, weights, residual } of positiveCombinations(matrix, target)) {
      expect(Math.min(...weights)).toBeGreaterThan(0);
      const rest = [...target].map(
        (t, i) => t - indices.reduce((s, j, k) => s + weights[k]! * matrix.values[12 * j + i]!, 0),
      );
      expect(Math.hypot(...rest) / size).toBeCloseTo(residual, 12);
      expect(residual).toBeLessThan(before);
      before = residual;
    }
  });

  it('reach small residuals of ill-conditioned columns without loss', () => {
    // Powers of x up to 15 on 400 points: condition 1e11 and more.
    const [height, columns] = [16, 400];
    const values = new Float64Array(height * columns);
    const target = new Float64Array(height);
    for (let j = 0; j < columns; j++)
      for (let i = 0; i < height; i++) {
        values[height * j + i] = ((j + 0.5) / columns) ** i;
        target[i] = target[i]! + values[height * j + i]!;
      }
    const last = [...positiveCombinations({ height, columns, values }, target)].at(-1)!;
    expect(last.residual).toBeLessThan(1e-13);
    expect(last.indices.length).toBeLessThanOrEqual(height);
  });

  it('do not exist for a vector that no column points to', () => {
    const matrix = { height: 2, columns: 2, values: Float64Array.of(1, 0, 0, 1) };
    expect([...positiveCombinations(matrix, Float64Array.of(-1, -1))]).toEqual([]);
    expect([...positiveCombinations(matrix, Float64Array.of(0, 0))]).toEqual([]);
  });
});
