/**
 * Measured coordinates as splines by least squares, with rates or accelerations where they are measured as well. How long the
 * pieces are, and how large the noise of each sensor is, comes from the data.
 */
import { BandedNormalEquations } from './banded-cholesky.ts';
import type { Measurements } from '../measurements.ts';
import { DEGREE, SplineBasis, type SplineValues } from './splines.ts';

export interface SmoothMotion {
  readonly basis: SplineBasis;
  /** By instant. */
  readonly at: readonly SplineValues[];
  /** Functions × n, row-major. */
  readonly coefficients: Float64Array;
  /** Standard deviations of measured coordinates, rates and accelerations, by coordinate; zeros of coordinates at rest. */
  readonly noise: readonly (readonly number[] | undefined)[];
}

/** Arrays in the order of the coordinates. */
export interface SmoothState {
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
}

/** Instants per piece: with fewer, one sensor could be met exactly, which then counts as free of noise. */
export const SHORTEST_WINDOW = 2;
/** From one number of them that is tried to the next. */
const LONGER = 1.25;
/** Of the pieces that describe the data best those taken have half the length: what they smooth away is then below what noise hides. */
const UNDERSMOOTHING = 2;
/** Of what is measured: noise below is rounding. */
const LEAST_NOISE = 1e-9;
/** In which the shares of rates and accelerations find their weights. */
const ROUNDS = 4;

/** What is measured of the motion, by order of the derivative. */
export function measuredOrders({ q, qd, qdd }: Measurements): readonly (Measurements['q'] | undefined)[] {
  return [q, qd, qdd];
}

/** Splines over pieces of so many instants. */
export function smoothMotion(data: Measurements, window: number): SmoothMotion {
  return fittedSplines(data, window).motion;
}

/**
 * Instants per piece, by the data: half of the number with the least of Akaike's criterion for small samples (Hurvich & Tsai 1989,
 * Biometrika 76(2)), N log σ² of every sensor plus what the number of unknowns costs.
 */
export function chosenWindow(data: Measurements): number {
  let [best, least] = [SHORTEST_WINDOW, Infinity];
  for (let window = SHORTEST_WINDOW; window < data.times.length / 2; window = Math.ceil(LONGER * window)) {
    const criterion = fittedSplines(data, window).criterion;
    if (criterion < least) [best, least] = [window, criterion];
  }
  return Math.max(Math.round(best / UNDERSMOOTHING), SHORTEST_WINDOW);
}

/** The motion at one of the instants; what is at rest has no rates but for rounding, and gets none. */
export function stateOf({ at, coefficients, noise }: SmoothMotion, sample: number): SmoothState {
  const n = noise[0]!.length;
  const { first, orders } = at[sample]!;
  const of = (order: 0 | 1 | 2): Float64Array =>
    Float64Array.from({ length: n }, (_, a) =>
      order > 0 && noise[0]![a] === 0
        ? 0
        : orders[order].reduce((sum, value, j) => sum + value * coefficients[(first + j) * n + a]!, 0),
    );
  return { q: of(0), qd: of(1), qdd: of(2) };
}

function fittedSplines(data: Measurements, window: number): { motion: SmoothMotion; criterion: number } {
  const { times, q } = data;
  const pieces = Math.max(Math.round((times.length - 1) / window), 1);
  const basis = new SplineBasis(times[0]!, times.at(-1)!, pieces);
  const at = times.map((t) => basis.at(t));
  const columns = q[0]!.map((_, a) => fittedColumn(data, a, basis, at));
  const coefficients = new Float64Array(basis.size * columns.length);
  columns.forEach((own, a) => own.values.forEach((x, k) => (coefficients[k * columns.length + a] = x)));
  return {
    motion: {
      basis,
      at,
      coefficients,
      noise: measuredOrders(data).map((rows, order) => rows && columns.map(({ noise }) => noise[order]!)),
    },
    criterion: columns.reduce((sum, own) => sum + own.criterion, 0),
  };
}

interface FittedColumn {
  readonly values: Float64Array;
  /** By order; zeros of a coordinate at rest. */
  readonly noise: readonly number[];
  readonly criterion: number;
}

/** One coordinate; where more than it is measured, each weighted by the spread of what is left of it. */
function fittedColumn(
  data: Measurements,
  coordinate: number,
  basis: SplineBasis,
  at: readonly SplineValues[],
): FittedColumn {
  const orders = measuredOrders(data).map((rows) => rows?.map((row) => row[coordinate]!));
  const own = orders[0]!;
  if (own.every((x) => x === own[0]))
    return { values: new Float64Array(basis.size).fill(own[0]!), noise: [0, 0, 0], criterion: 0 };
  const least = orders.map((values) => LEAST_NOISE * (values ? Math.hypot(...spread(values)) : 0) || LEAST_NOISE);
  const measured = orders.filter((values) => values !== undefined).length;
  const count = at.length * measured;
  const freedom = Math.max(at.length - basis.size / measured, 1);
  let noise = least;
  let values = new Float64Array(basis.size);
  let squares: number[] = [];
  for (let round = 0; round < (measured > 1 ? ROUNDS : 1); round++) {
    values = solved(orders, noise, basis, at);
    squares = orders.map((rows, order) =>
      (rows ?? []).reduce((sum, x, i) => sum + (x - valueAt(values, at[i]!, order)) ** 2, 0),
    );
    noise = squares.map((sum, order) => Math.max(Math.sqrt(sum / freedom), least[order]!));
  }
  const logarithms = orders.map((rows, order) =>
    rows ? at.length * Math.log(Math.max(squares[order]! / at.length, least[order]! ** 2)) : 0,
  );
  const cost = (2 * basis.size * count) / Math.max(count - basis.size - 1, 1e-9);
  return { values, noise, criterion: logarithms.reduce((sum, x) => sum + x, cost) };
}

/** Distances from the mean, over the root of their number. */
function spread(values: readonly number[]): number[] {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  return values.map((x) => (x - mean) / Math.sqrt(values.length));
}

function valueAt(values: Float64Array, { first, orders }: SplineValues, order: number): number {
  return orders[order]!.reduce((sum, value, j) => sum + value * values[first + j]!, 0);
}

function solved(
  orders: readonly (readonly number[] | undefined)[],
  noise: readonly number[],
  basis: SplineBasis,
  at: readonly SplineValues[],
): Float64Array<ArrayBuffer> {
  const equations = new BandedNormalEquations(basis.size, DEGREE + 1);
  const right = new Float64Array(basis.size);
  orders.forEach((values, order) => {
    const weight = 1 / noise[order]!;
    values?.forEach((x, i) => {
      const { first, orders: functions } = at[i]!;
      const row = functions[order]!.map((value) => weight * value);
      equations.add(row, first);
      row.forEach((value, j) => (right[first + j]! += weight * x * value));
    });
  });
  equations.factor();
  return equations.solve(right);
}
