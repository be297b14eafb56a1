/** Rotations of files in decimals: those by right angles are meant exactly. */
import { rotationOfQuaternion, type Rotation } from '../../common/poses.ts';

/** Entries that rounding left beside 0 and ±1 are these, where that is so for all. */
export function meantRotation(R: Rotation): number[] {
  const entries = Array.from({ length: 9 }, (_, i) => R[i]!);
  const isRight = entries.every((x) => Math.abs(x - Math.round(x)) <= 1e-9);
  return isRight ? entries.map((x) => Math.round(x)) : entries;
}

/** @param quaternion w, x, y, z, of any length but zero. */
export function meantRotationOfQuaternion(quaternion: readonly number[]): number[] {
  const length = Math.hypot(...quaternion);
  return meantRotation(rotationOfQuaternion(quaternion.map((x) => x / length)));
}
