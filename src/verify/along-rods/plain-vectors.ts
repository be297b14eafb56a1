/** Vectors as lists of three numbers, poses as three rows of four. */

export type Vector = readonly number[];

/** @param w 1: a point, 0: a vector. */
export function apply(pose: Vector, v: Vector, w: 0 | 1): Vector {
  return [0, 4, 8].map(
    (row) => pose[row]! * v[0]! + pose[row + 1]! * v[1]! + pose[row + 2]! * v[2]! + w * pose[row + 3]!,
  );
}

export const dot = (a: Vector, b: Vector): number => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
export const plus = (a: Vector, b: Vector): Vector => a.map((x, i) => x + b[i]!);
export const minus = (a: Vector, b: Vector): Vector => a.map((x, i) => x - b[i]!);
export const scaled = (factor: number, v: Vector): Vector => v.map((x) => factor * x);
export const cross = (a: Vector, b: Vector): Vector =>
  [0, 1, 2].map((i) => a[(i + 1) % 3]! * b[(i + 2) % 3]! - a[(i + 2) % 3]! * b[(i + 1) % 3]!);
