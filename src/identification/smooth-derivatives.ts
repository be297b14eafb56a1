/**
 * Derivatives of noisy samples: a polynomial by least squares through the instants around each (Savitzky & Golay 1964, Analytical
 * Chemistry 36(8), for steps of any size).
 */
import { Matrix, QrDecomposition } from 'ml-matrix';

export interface Sampled {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

export const DEGREE = 4;

/**
 * @param window odd number of instants, more than `DEGREE`; derivatives are NaN where there are not as many around.
 */
export function smoothed(times: readonly number[], values: readonly number[], window: number): Sampled {
  const reach = (window - 1) / 2;
  const first = values.map(() => NaN);
  const second = values.map(() => NaN);
  for (let i = reach; i + reach < values.length; i++) {
    const around = Array.from({ length: window }, (_, j) => i - reach + j);
    const half = (times[i + reach]! - times[i - reach]!) / 2;
    const powers = around.map((j) =>
      Array.from({ length: DEGREE + 1 }, (_, k) => ((times[j]! - times[i]!) / half) ** k),
    );
    const coefficients = new QrDecomposition(new Matrix(powers)).solve(
      Matrix.columnVector(around.map((j) => values[j]!)),
    );
    first[i] = coefficients.get(1, 0) / half;
    second[i] = (2 * coefficients.get(2, 0)) / half ** 2;
  }
  return { first, second };
}
