/** Weighted least squares over any number of rows: of each coordinate only a triangle is kept, from which all fits are made. */
import { Matrix, QrDecomposition, SingularValueDecomposition } from 'ml-matrix';

/** Rows that are taken together before they become a triangle. */
const ROWS_AT_ONCE = 4;

/** The rows (a, b) of one coordinate: as good as all of them for any least squares ‖A x − b‖. */
export class TriangularRows {
  count = 0;
  private readonly columns: number;
  private held: number[][] = [];

  /** @param size number of unknowns. */
  constructor(size: number) {
    this.columns = size + 1;
  }

  /** @param row of the unknowns, then what it should make. */
  add(row: readonly number[]): void {
    this.count++;
    this.held.push([...row]);
    if (this.held.length > ROWS_AT_ONCE * this.columns) this.held = triangle(this.held);
  }

  /** At most one row more than unknowns, the right-hand side as last column. */
  get rows(): readonly (readonly number[])[] {
    if (this.held.length > this.columns) this.held = triangle(this.held);
    return this.held;
  }

  /** Square of ‖A x − b‖. */
  squaredResidual(x: readonly number[]): number {
    return this.rows.reduce((sum, row) => sum + (product(row, x) - row[x.length]!) ** 2, 0);
  }
}

/** Σ of the products of entries. */
export function product(row: readonly number[], x: readonly number[]): number {
  return x.reduce((sum, value, i) => sum + row[i]! * value, 0);
}

/** The R of a matrix of at least as many rows as columns. */
function triangle(rows: readonly (readonly number[])[]): number[][] {
  const columns = rows[0]!.length;
  return rows.length <= columns ? rows.map((row) => [...row]) : factor(rows);
}

function factor(rows: readonly (readonly number[])[]): number[][] {
  return new QrDecomposition(new Matrix(rows)).upperTriangularMatrix.to2DArray();
}

export interface LeastSquares {
  readonly values: readonly number[];
  /** Standard deviations, where errors are independent and of deviation 1. */
  readonly deviations: readonly number[];
  /** Of the matrix, columns scaled to length 1. */
  readonly condition: number;
}

export interface LinearFit extends LeastSquares {
  /** Standard deviation of the errors of a coordinate. */
  readonly noise: readonly number[];
}

/** Relative to the forces of a coordinate: errors below are rounding. */
const LEAST_NOISE = 1e-13;
const MOST_ROUNDS = 8;

/**
 * Fits the unknowns, rows of a coordinate weighted by the spread of their residuals (feasible generalised least squares).
 * @param scales force that is large, by coordinate.
 */
export function weightedFit(coordinates: readonly TriangularRows[], scales: readonly number[]): LinearFit {
  let noise = [...scales];
  let fit = leastSquares(weightedRows(coordinates, noise));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = coordinates.map((rows, k) => {
      const freedom = Math.max(rows.count - fit.values.length / coordinates.length, 1);
      return Math.max(Math.sqrt(rows.squaredResidual(fit.values) / freedom), LEAST_NOISE * scales[k]!);
    });
    const isSettled = next.every((value, k) => Math.abs(value - noise[k]!) < 1e-6 * value);
    noise = next;
    fit = leastSquares(weightedRows(coordinates, noise));
    if (isSettled) break;
  }
  return { ...fit, noise };
}

/** All rows, each divided by the noise of its coordinate. */
export function weightedRows(coordinates: readonly TriangularRows[], noise: readonly number[]): number[][] {
  return triangle(coordinates.flatMap(({ rows }, k) => rows.map((row) => row.map((x) => x / noise[k]!))));
}

/** What rows (A, b) tell of some unknowns when nothing is known of the others. */
export function marginalRows(rows: readonly (readonly number[])[], kept: readonly number[]): number[][] {
  const size = rows[0]!.length - 1;
  const left = Array.from({ length: size }, (_, j) => j).filter((j) => !kept.includes(j));
  if (left.length === 0) return rows.map((row) => [...row]);
  const ordered = rows.map((row) => [...left, ...kept, size].map((j) => row[j]!));
  while (ordered.length < size + 1) ordered.push(new Array<number>(size + 1).fill(0));
  return factor(ordered)
    .slice(left.length)
    .map((row) => row.slice(left.length));
}

/** @param rows of (A, b), in units of their errors. */
export function leastSquares(rows: readonly (readonly number[])[]): LeastSquares {
  const size = rows[0]!.length - 1;
  const lengths = Array.from({ length: size }, (_, i) => Math.hypot(...rows.map((row) => row[i]!)) || 1);
  const A = new Matrix(rows.map((row) => lengths.map((length, i) => row[i]! / length)));
  const svd = new SingularValueDecomposition(A, { autoTranspose: true });
  const [U, V, s] = [svd.leftSingularVectors, svd.rightSingularVectors, svd.diagonal];
  const shares = s.map((value, j) => rows.reduce((sum, row, r) => sum + U.get(r, j) * row[size]!, 0) / value);
  const entry = (i: number, f: (j: number) => number): number => s.reduce((sum, _, j) => sum + f(j) * V.get(i, j), 0);
  return {
    values: lengths.map((length, i) => entry(i, (j) => shares[j]!) / length),
    deviations: lengths.map((length, i) => Math.sqrt(entry(i, (j) => V.get(i, j) / s[j]! ** 2)) / length),
    condition: Math.max(...s) / Math.min(...s),
  };
}

/**
 * Unknowns that rows do not tell apart: those with a share in a combination that changes next to nothing.
 * @param scales force that is large, by coordinate.
 * @param effects of each unknown where it acts well, in units of these forces.
 * @param least share of that effect.
 */
export function undetermined(
  coordinates: readonly TriangularRows[],
  { scales, effects, least }: { scales: readonly number[]; effects: readonly number[]; least: number },
): number[] {
  const count = coordinates.reduce((sum, rows) => sum + rows.count, 0);
  const rows = weightedRows(coordinates, scales).map((row) => effects.map((effect, i) => row[i]! / effect));
  while (rows.length < effects.length) rows.push(effects.map(() => 0));
  const svd = new SingularValueDecomposition(new Matrix(rows), { autoTranspose: true });
  const found = new Set<number>();
  svd.diagonal.forEach((value, j) => {
    if (value > least * Math.sqrt(count)) return;
    const shares = effects.map((_, i) => Math.abs(svd.rightSingularVectors.get(i, j)));
    const largest = Math.max(...shares);
    shares.forEach((share, i) => share > 0.1 * largest && found.add(i));
  });
  return [...found].sort((a, b) => a - b);
}
