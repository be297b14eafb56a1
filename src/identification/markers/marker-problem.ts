/** What a fit to places of markers asks of a model: where markers are under values of the parameters, and how they move with these. */
import type { Matrix } from 'ml-matrix';

/** Lines of the table, from the first on, times its columns: in this order. */
export interface Misfit {
  /** What markers are away from where they should be, m; zero where nothing was seen. */
  readonly left: readonly number[];
  readonly squares: number;
}

export interface MarkerProblem {
  /** @param lines of the table, from the first on. @throws KanegenError where the model has no places. */
  at(values: readonly number[], lines: number): Misfit;
  /** ∂ places/∂ values at the values that `at` was asked for last, in units of `sizes`; a row for each number of `left`. */
  sensitivities(values: readonly number[], sizes: readonly number[], lines: number): Matrix;
  /** Shares of the lines that are fitted one after the other, each from the values of the one before; the last is 1. */
  readonly stages: readonly number[];
  /** Of a parameter relative to its size: changes below are rounding of the places. */
  readonly settled: number;
  readonly notes: readonly string[];
}

/** Slope at zero from values at −2, −1, 1 and 2, to fourth order. */
export function slope([a, b, c, d]: readonly (readonly number[])[]): number[] {
  return a!.map((first, k) => (first - 8 * b![k]! + 8 * c![k]! - d![k]!) / 12);
}

/** Of those numbers of a table that were seen. */
export function misfit(seen: readonly number[], found: readonly number[]): Misfit {
  const left = seen.map((x, k) => (Number.isFinite(x) ? x - found[k]! : 0));
  return { left, squares: left.reduce((sum, x) => sum + x * x, 0) };
}
