/**
 * B-splines of degree 5 over pieces of even length: motion with continuous accelerations and jerks, and four derivatives without corners.
 * Source: de Boor 1978, A practical guide to splines, ch. IX and X.
 */

export const DEGREE = 5;

/** The functions that are not zero at an instant: `DEGREE` + 1 of them, from `first` on. */
export interface SplineValues {
  readonly first: number;
  /** Their values, first and second derivatives. */
  readonly orders: readonly [readonly number[], readonly number[], readonly number[]];
}

export class SplineBasis {
  readonly pieces: number;
  private readonly from: number;
  private readonly length: number;

  /** @param pieces into which the time from `from` to `to` is cut, s. */
  constructor(from: number, to: number, pieces: number) {
    this.pieces = pieces;
    this.from = from;
    this.length = (to - from) / pieces;
  }

  /** Number of functions. */
  get size(): number {
    return this.pieces + DEGREE;
  }

  at(t: number): SplineValues {
    const x = (t - this.from) / this.length;
    const first = Math.min(Math.max(Math.floor(x), 0), this.pieces - 1);
    const rates = differences(uniformSplines(x - first, DEGREE - 1));
    const accelerations = differences(differences(uniformSplines(x - first, DEGREE - 2)));
    return {
      first,
      orders: [
        uniformSplines(x - first, DEGREE),
        rates.map((value) => value / this.length),
        accelerations.map((value) => value / this.length ** 2),
      ],
    };
  }
}

/** The `degree` + 1 splines over pieces of length 1 that are not zero from 0 to 1, there at x (de Boor 1978, eq. X.5). */
function uniformSplines(x: number, degree: number): number[] {
  let values = [1];
  for (let k = 1; k <= degree; k++)
    values = Array.from({ length: k + 1 }, (_, j) => {
      const rising = j > 0 ? ((x + k - j) / k) * values[j - 1]! : 0;
      const falling = j < k ? ((1 + j - x) / k) * values[j]! : 0;
      return rising + falling;
    });
  return values;
}

/** The derivative of a spline is the difference of two of one degree less (de Boor 1978, eq. X.10). */
function differences(values: readonly number[]): number[] {
  return Array.from({ length: values.length + 1 }, (_, j) => (values[j - 1] ?? 0) - (values[j] ?? 0));
}
