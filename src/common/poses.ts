/**
 * Rotations and poses in numbers. A rotation is 3 × 3 by rows: its columns are the axes of the inner frame seen from the outer one. A pose
 * is that, then its origin, m: 12 numbers, whatever takes a rotation takes a pose as well.
 */
import { eachAxis } from './tuples.ts';

export type Pose = ArrayLike<number>;
export type Rotation = ArrayLike<number>;
export type Point = readonly [number, number, number];
/** Three numbers. */
export type Vector = ArrayLike<number>;

const AXES: readonly number[] = [0, 1, 2];

export const NO_ROTATION: readonly number[] = [1, 0, 0, 0, 1, 0, 0, 0, 1];
export const NO_POSE: readonly number[] = [...NO_ROTATION, 0, 0, 0];

// ---------------------------------------------------------------------------------------------- vectors

export const plus = (a: Vector, b: Vector): Point => eachAxis((i) => a[i]! + b[i]!);
export const minus = (a: Vector, b: Vector): Point => eachAxis((i) => a[i]! - b[i]!);
export const scaled = (s: number, a: Vector): Point => eachAxis((i) => s * a[i]!);
export const dot = (a: Vector, b: Vector): number => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
export const cross = (a: Vector, b: Vector): [number, number, number] => [
  a[1]! * b[2]! - a[2]! * b[1]!,
  a[2]! * b[0]! - a[0]! * b[2]!,
  a[0]! * b[1]! - a[1]! * b[0]!,
];

/** Of the length 1. @returns undefined for the zero vector. */
export function unit(a: Vector): Point | undefined {
  const length = Math.hypot(a[0]!, a[1]!, a[2]!);
  return length === 0 ? undefined : eachAxis((i) => a[i]! / length);
}

// ---------------------------------------------------------------------------------------------- rotations

/** A direction. */
export const turned = (R: Rotation, a: Vector): Point =>
  eachAxis((row) => AXES.reduce((sum, k) => sum + R[3 * row + k]! * a[k]!, 0));

export const product = (A: Rotation, B: Rotation): number[] =>
  AXES.flatMap((i) => AXES.map((j) => AXES.reduce((sum, k) => sum + A[3 * i + k]! * B[3 * k + j]!, 0)));

export const transposed = (R: Rotation): number[] => AXES.flatMap((i) => AXES.map((j) => R[3 * j + i]!));

/** @param columns unit vectors across each other. */
export const rotationOfColumns = (columns: readonly Vector[]): number[] =>
  AXES.flatMap((i) => AXES.map((j) => columns[j]![i]!));

/** R(Q) = (w² − v · v) 1 + 2 v vᵀ + 2 w v^, a rotation for Q = (w, v) of length 1. */
export function rotationOfQuaternion([w, x, y, z]: readonly number[]): number[] {
  const scale = w! * w! - (x! * x! + y! * y! + z! * z!);
  const v = [x!, y!, z!];
  const turn = [0, -z!, y!, z!, 0, -x!, -y!, x!, 0];
  return v.flatMap((a, i) => v.map((b, k) => 2 * a * b + 2 * w! * turn[3 * i + k]! + (i === k ? scale : 0)));
}

/** By `angle` about the unit vector `axis`. */
export function rotationAbout(axis: Vector, angle: number): number[] {
  return rotationOfQuaternion([Math.cos(angle / 2), ...scaled(Math.sin(angle / 2), axis)]);
}

/** @param angles roll, pitch and yaw about x, y and z of the outer frame, in this order. */
export function rotationOfAngles(angles: Vector): number[] {
  const [[cr, cp, cy], [sr, sp, sy]] = [Math.cos, Math.sin].map((f) => eachAxis((i) => f(angles[i]!))) as [
    Point,
    Point,
  ];
  return [
    ...[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
    ...[sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
    ...[-sp, cp * sr, cp * cr],
  ];
}

/** (w, x, y, z) of length 1, from its largest component, which is positive. */
export function quaternionOf(R: Rotation): number[] {
  const [xx, yy, zz] = [R[0]!, R[4]!, R[8]!];
  const [wx, wy, wz] = [R[7]! - R[5]!, R[2]! - R[6]!, R[3]! - R[1]!];
  const [xy, xz, yz] = [R[1]! + R[3]!, R[2]! + R[6]!, R[5]! + R[7]!];
  // Four times the products of one component with all of them.
  const rows = [
    [1 + xx + yy + zz, wx, wy, wz],
    [wx, 1 + xx - yy - zz, xy, xz],
    [wy, xy, 1 - xx + yy - zz, yz],
    [wz, xz, yz, 1 - xx - yy + zz],
  ];
  const largest = rows.map((row, i) => row[i]!).reduce((best, value, i, all) => (value > all[best]! ? i : best), 0);
  const row = rows[largest]!;
  return row.map((value) => value / Math.hypot(...row));
}

/** Axis times angle of a rotation by half a turn at most. */
export function rotationVectorOf(R: Rotation): Point {
  const [w, ...vector] = quaternionOf(R) as [number, number, number, number];
  const sine = Math.hypot(...vector);
  if (sine === 0) return [0, 0, 0];
  return scaled(((w < 0 ? -1 : 1) * 2 * Math.atan2(sine, Math.abs(w))) / sine, vector);
}

// ---------------------------------------------------------------------------------------------- poses

export const poseOf = (R: Rotation, origin: Vector): number[] => [
  ...Array.from({ length: 9 }, (_, i) => R[i]!),
  ...Array.from({ length: 3 }, (_, i) => origin[i]!),
];

export const originOf = (pose: Pose): Point => [pose[9]!, pose[10]!, pose[11]!];

/** The frame b, given in a, seen from where a is. */
export const composed = (a: Pose, b: Pose): number[] => [
  ...product(a, b),
  ...plus(originOf(a), turned(a, originOf(b))),
];

/** The frame b, seen from where both are, as a sees it. */
export function relative(a: Pose, b: Pose): number[] {
  const back = transposed(a);
  return [...product(back, b), ...turned(back, minus(originOf(b), originOf(a)))];
}

/** x, y, z of points one after the other. */
export function movedPoints(pose: Pose, points: ArrayLike<number>): Float64Array {
  const out = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 3)
    for (let row = 0; row < 3; row++)
      out[i + row] =
        pose[9 + row]! +
        pose[3 * row]! * points[i]! +
        pose[3 * row + 1]! * points[i + 1]! +
        pose[3 * row + 2]! * points[i + 2]!;
  return out;
}

/** A frame with z along an axis; that of the outer frame without one. */
export function poseAlong(axis: Vector, origin: Vector): number[] {
  const z = unit(axis) ?? [0, 0, 1];
  const other: Point = Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const x = unit(minus(other, scaled(dot(other, z), z)))!;
  return poseOf(rotationOfColumns([x, cross(z, x), z]), origin);
}
