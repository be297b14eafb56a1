/** Least squares: deviations by closed formulas, noise without bias, what is known when some unknowns are not; memory of errors. */
import { inverse, Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { autoregression, innovations } from '../../src/identification/motion/autoregression.ts';
import { leastSquares, marginalRows, TriangularRows, weightedFit } from '../../src/identification/least-squares.ts';
import { normalNumbers } from './motions.ts';

/** A straight line measured with noise of deviation 1. */
function line(seed: number, abscissas: readonly number[]): TriangularRows {
  const normal = normalNumbers(seed);
  const rows = new TriangularRows(2);
  for (const x of abscissas) rows.add([1, x, 2 - 3 * x + normal()]);
  return rows;
}

describe('a straight line through noisy points', () => {
  const abscissas = [0, 1, 2, 4, 8];
  const mean = abscissas.reduce((sum, x) => sum + x, 0) / abscissas.length;
  const spread = abscissas.reduce((sum, x) => sum + (x - mean) ** 2, 0);

  it('has the deviations of the textbook', () => {
    // σ √(1/N + x̄²/S) and σ/√S (Draper & Smith 1998, Applied regression analysis, 1.4).
    const { deviations, noise } = weightedFit([line(5, abscissas)], [1]);
    expect(deviations[0]! / noise[0]!).toBeCloseTo(Math.sqrt(1 / abscissas.length + mean ** 2 / spread), 12);
    expect(deviations[1]! / noise[0]!).toBeCloseTo(1 / Math.sqrt(spread), 12);
  });

  it('tells the square of the noise without bias, few as the points are', () => {
    const count = 4000;
    let [sum, hits] = [0, 0];
    for (let seed = 1; seed <= count; seed++) {
      const { noise, values } = weightedFit([line(seed, abscissas)], [1]);
      sum += noise[0]! ** 2;
      hits += Math.abs(values[1]! + 3) < (2 * 1) / Math.sqrt(spread) ? 1 : 0;
    }
    // The mean of χ²/3 with three degrees of freedom, within four of its deviations.
    expect(Math.abs(sum / count - 1)).toBeLessThan(4 * Math.sqrt(2 / 3 / count));
    expect(Math.abs(hits / count - 0.9545)).toBeLessThan(4 * Math.sqrt((0.0455 * 0.9545) / count));
  });

  it('weighs two kinds of points by the noise of each', () => {
    const many = Array.from({ length: 200 }, (_, i) => i / 100);
    const loud = new TriangularRows(2);
    const normal = normalNumbers(77);
    for (const x of many) loud.add([1, x, 2 - 3 * x + 10 * normal()]);
    const { noise, deviations } = weightedFit([line(6, many), loud], [1, 1]);
    expect(noise[0]).toBeCloseTo(1, 0);
    expect(noise[1]! / 10).toBeCloseTo(1, 0);
    const information = 1 / noise[0]! ** 2 + 1 / noise[1]! ** 2;
    const slopes = many.reduce((sum, x) => sum + (x - 0.995) ** 2, 0);
    expect(deviations[1]! * Math.sqrt(slopes * information)).toBeCloseTo(1, 9);
  });
});

describe('rows without some of their unknowns', () => {
  it('tell of the others what is known when nothing is known of those', () => {
    const normal = normalNumbers(3);
    const rows = Array.from({ length: 30 }, () => Array.from({ length: 5 }, () => normal()));
    const kept = [3, 1];
    const [all, some] = [leastSquares(rows), leastSquares(marginalRows(rows, kept))];
    kept.forEach((j, i) => {
      expect(some.values[i]).toBeCloseTo(all.values[j]!, 10);
      expect(some.deviations[i]).toBeCloseTo(all.deviations[j]!, 10);
    });
    const A = new Matrix(rows.map((row) => row.slice(0, 4)));
    const covariance = inverse(A.transpose().mmul(A));
    all.deviations.forEach((own, j) => expect(own ** 2).toBeCloseTo(covariance.get(j, j), 10));
  });
});

describe('errors that remember', () => {
  const normal = normalNumbers(11);
  const white = Array.from({ length: 4000 }, () => normal());

  it('are told from those that do not', () => {
    const errors: number[] = [];
    white.forEach((own, i) => errors.push(1.2 * (errors[i - 1] ?? 0) - 0.5 * (errors[i - 2] ?? 0) + own));
    const phi = autoregression([errors]);
    expect(phi).toHaveLength(2);
    expect(phi[0]).toBeCloseTo(1.2, 1);
    expect(phi[1]).toBeCloseTo(-0.5, 1);
    expect(autoregression([white])).toEqual([]);
    innovations(errors, [1.2, -0.5]).forEach((own, i) => expect(own).toBeCloseTo(white[i + 2]!, 10));
  });
});
