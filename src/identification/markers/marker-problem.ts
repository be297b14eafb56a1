/** What a fit to places of markers asks of a model: where markers are under values of the parameters, and how they move with these. */
import type { Matrix } from 'ml-matrix';

/** Lines of the table, from the first on, times its columns: in this order. */
export interface Misfit {
  /** What markers are away from where they should be, m; zero where nothing was seen. */
  readonly left: readonly number[];
  readonly squares: number;
}

/** Of a parameter. */
export interface Bound {
  readonly lower: number;
  readonly upper: number;
}

/** By parameter: in which unit it changes, and within which bounds, which hold its value. */
export interface Changes {
  readonly sizes: readonly number[];
  readonly bounds: readonly Bound[];
}

export interface MarkerProblem {
  /** @param lines of the table, from the first on. @throws KanegenError where the model has no places. */
  at(values: readonly number[], lines: number): Misfit;
  /** ∂ places/∂ values at the values that `at` was asked for last, in units of `sizes`; a row for each number of `left`. */
  sensitivities(values: readonly number[], by: Changes, lines: number): Matrix;
  /** Shares of the lines that are fitted one after the other, each from the values of the one before; the last is 1. */
  readonly stages: readonly number[];
  /** Of a parameter relative to its size: changes below are rounding of the places. */
  readonly settled: number;
  readonly notes: readonly string[];
}

/** By how much a value changes, and what results count for in a slope there. */
interface Sample {
  readonly change: number;
  readonly weight: number;
}

const STENCIL = [-2, -1, 0, 1, 2];

/**
 * Samples whose weighted results are the slope at a value: that of the polynomial of degree four through values at equal distances, in the
 * middle of them unless a bound is near. None is beyond a bound.
 */
export function samplesWithin(value: number, distance: number, { lower, upper }: Bound): Sample[] {
  const h = Math.min(distance, (upper - lower) / 4);
  const middle = Math.max(lower + 2 * h, Math.min(upper - 2 * h, value));
  const at = (value - middle) / h;
  return STENCIL.map((node) => {
    const others = STENCIL.filter((own) => own !== node);
    const without = (left: number): number => others.reduce((all, own) => (own === left ? all : all * (at - own)), 1);
    const slope = others.reduce((sum, own) => sum + without(own), 0);
    const weight = slope / others.reduce((all, own) => all * (node - own), 1) / h;
    return { change: Math.max(lower, Math.min(upper, middle + node * h)) - value, weight };
  }).filter(({ weight }) => weight !== 0);
}

/** Of results at samples, number by number. */
export function slopeOf(samples: readonly Sample[], results: readonly (readonly number[])[]): number[] {
  return results[0]!.map((_, k) => samples.reduce((sum, { weight }, i) => sum + weight * results[i]![k]!, 0));
}

/** Of those numbers of a table that were seen. */
export function misfit(seen: readonly number[], found: readonly number[]): Misfit {
  const left = seen.map((x, k) => (Number.isFinite(x) ? x - found[k]! : 0));
  return { left, squares: left.reduce((sum, x) => sum + x * x, 0) };
}
