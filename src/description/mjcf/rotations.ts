/** Rotations and poses in numbers: rotations 3 × 3 by rows, whose columns are the axes of the inner frame seen from the outer one; places in m. */

import { quaternion } from '../imported/file-text.ts';

export type Rotation = readonly number[];
export type Vector = readonly number[];

export interface Pose {
  readonly translation: Vector;
  readonly rotation: Rotation;
}

export const NO_ROTATION: Rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1];
export const NO_POSE: Pose = { translation: [0, 0, 0], rotation: NO_ROTATION };

const AXES: readonly number[] = [0, 1, 2];

export const plus = (a: Vector, b: Vector): Vector => a.map((x, i) => x + b[i]!);
export const minus = (a: Vector, b: Vector): Vector => a.map((x, i) => x - b[i]!);
export const scaled = (s: number, a: Vector): Vector => a.map((x) => s * x);
export const cross = (a: Vector, b: Vector): Vector => [
  a[1]! * b[2]! - a[2]! * b[1]!,
  a[2]! * b[0]! - a[0]! * b[2]!,
  a[0]! * b[1]! - a[1]! * b[0]!,
];

/** Of the length 1. @returns undefined for the zero vector. */
export function unit(a: Vector): Vector | undefined {
  const length = Math.hypot(...a);
  return length === 0 ? undefined : a.map((x) => x / length);
}

export const turned = (R: Rotation, a: Vector): Vector =>
  AXES.map((i) => AXES.reduce((sum, k) => sum + R[3 * i + k]! * a[k]!, 0));

export const product = (A: Rotation, B: Rotation): Rotation =>
  AXES.flatMap((i) => AXES.map((j) => AXES.reduce((sum, k) => sum + A[3 * i + k]! * B[3 * k + j]!, 0)));

export const transposed = (R: Rotation): Rotation => AXES.flatMap((i) => AXES.map((j) => R[3 * j + i]!));

/** The frame b, given in a, seen from where a is. */
export const composed = (a: Pose, b: Pose): Pose => ({
  translation: plus(a.translation, turned(a.rotation, b.translation)),
  rotation: product(a.rotation, b.rotation),
});

/** b as a sees it. */
export function relative(a: Pose, b: Pose): Pose {
  const back = transposed(a.rotation);
  return { translation: turned(back, minus(b.translation, a.translation)), rotation: product(back, b.rotation) };
}

/** @param columns unit vectors across each other. */
export const rotationOfColumns = (columns: readonly Vector[]): Rotation =>
  AXES.flatMap((i) => AXES.map((j) => columns[j]![i]!));

/** @param quaternion w, x, y, z, of any length but zero. */
export function rotationOfQuaternion(quaternion: Vector): Rotation {
  const [w, x, y, z] = unit(quaternion)! as [number, number, number, number];
  return settled([
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  ]);
}

/** By `angle` about the unit vector `axis`. */
export function rotationAbout(axis: Vector, angle: number): Rotation {
  const s = Math.sin(angle / 2);
  return rotationOfQuaternion([Math.cos(angle / 2), ...axis.map((x) => s * x)]);
}

/** Axis times angle of a rotation by half a turn at most. */
export function rotationVectorOf(R: Rotation): Vector {
  const [w, ...vector] = quaternion(R) as [number, number, number, number];
  const sine = Math.hypot(...vector);
  if (sine === 0) return [0, 0, 0];
  return scaled(((w < 0 ? -1 : 1) * 2 * Math.atan2(sine, Math.abs(w))) / sine, vector);
}

/** Entries that rounding left beside 0 and ±1 are these, where that is so for all: rotations by right angles are meant as such. */
function settled(R: Rotation): Rotation {
  const isRight = R.every((x) => Math.abs(x - Math.round(x)) <= 1e-9);
  return isRight ? R.map((x) => Math.round(x)) : R;
}
