/** Matrices of sections in numbers. */
import { symmetricEigen } from '../../common/symmetric-eigen.ts';

/** Divides vectors. */
export type NumericFactor = (right: readonly number[]) => number[];

/** @param entry lower triangle. @returns none of a matrix that is not positive definite. */
export function choleskyOf(size: number, entry: (i: number, k: number) => number): NumericFactor | undefined {
  const factor: number[][] = [];
  for (let i = 0; i < size; i++) {
    const own: number[] = [];
    for (let k = 0; k <= i; k++) {
      let e = entry(i, k);
      for (let m = 0; m < k; m++) e -= own[m]! * (k === i ? own[m]! : factor[k]![m]!);
      if (k < i) own.push(e / factor[k]![k]!);
      else if (e > 0) own.push(Math.sqrt(e));
      else return undefined;
    }
    factor.push(own);
  }
  return (right) => {
    const x = [...right];
    for (let i = 0; i < size; i++) {
      for (let k = 0; k < i; k++) x[i]! -= factor[i]![k]! * x[k]!;
      x[i]! /= factor[i]![i]!;
    }
    for (let i = size - 1; i >= 0; i--) {
      for (let k = i + 1; k < size; k++) x[i]! -= factor[k]![i]! * x[k]!;
      x[i]! /= factor[i]![i]!;
    }
    return x;
  };
}

/** Pivots below this, of the largest entry of their row, are none. */
const LEAST_PIVOT = 1e-9;

/**
 * Elimination in the order of the rows, as generated code does it, or with the largest pivots.
 * @returns none of a matrix without pivots; `order` of the rows.
 */
export function eliminationOf(
  size: number,
  entry: (i: number, k: number) => number,
  exchanges: boolean,
): { readonly solve: NumericFactor; readonly order: readonly number[] } | undefined {
  const a = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (__, k) => entry(i, k)));
  const scales = a.map((row) => Math.max(...row.map(Math.abs)));
  const order = a.map((_, i) => i);
  const relative = (row: number, k: number): number => Math.abs(a[row]![k]!) / scales[order[row]!]!;
  for (let k = 0; k < size; k++) {
    let best = k;
    if (exchanges) for (let row = k + 1; row < size; row++) if (relative(row, k) > relative(best, k)) best = row;
    [a[k], a[best]] = [a[best]!, a[k]!];
    [order[k], order[best]] = [order[best]!, order[k]!];
    if (!(relative(k, k) > LEAST_PIVOT)) return undefined;
    for (let row = k + 1; row < size; row++) {
      const factor = (a[row]![k]! /= a[k]![k]!);
      for (let c = k + 1; c < size; c++) a[row]![c]! -= factor * a[k]![c]!;
    }
  }
  const solve: NumericFactor = (right) => {
    const x = order.map((from) => right[from]!);
    for (let i = 0; i < size; i++) for (let k = 0; k < i; k++) x[i]! -= a[i]![k]! * x[k]!;
    for (let i = size - 1; i >= 0; i--) {
      for (let k = i + 1; k < size; k++) x[i]! -= a[i]![k]! * x[k]!;
      x[i]! /= a[i]![i]!;
    }
    return x;
  };
  return { solve, order };
}

/** Of a symmetric matrix. */
export function smallestEigenvector(matrix: readonly (readonly number[])[]): { value: number; vector: number[] } {
  const { values, vectors } = symmetricEigen(matrix);
  const least = values.indexOf(Math.min(...values));
  return { value: values[least]!, vector: vectors.map((row) => row[least]!) };
}
