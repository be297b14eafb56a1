/**
 * Rotations by quaternions (w, v), as matrices that are quadratic in them: R(Q) = (w² − v · v) 1 + 2 v vᵀ + 2 w v^, by rows. They turn by
 * Q' = ½ Q ∘ (0, κ), κ in axes of the section. Lengths are kept by collocation at Gauss points, up to rounding.
 */
import { cross, rotationOfQuaternion } from '../../common/poses.ts';

export type Numbers = readonly number[];

/** a^, 3 × 3 by rows: a^ b = a × b. */
const skew = ([x, y, z]: Numbers): number[][] => [
  [0, -z!, y!],
  [z!, 0, -x!],
  [-y!, x!, 0],
];

export const times = (matrix: readonly Numbers[], v: Numbers): number[] =>
  matrix.map((row) => row.reduce((sum, e, i) => sum + e * v[i]!, 0));

export const transposed = (matrix: readonly Numbers[]): number[][] =>
  matrix[0]!.map((_, k) => matrix.map((row) => row[k]!));

/** 3 × 3. */
export function rotationOf(q: Numbers): number[][] {
  const R = rotationOfQuaternion(q);
  return [R.slice(0, 3), R.slice(3, 6), R.slice(6)];
}

const conjugate = ([w, x, y, z]: Numbers): number[] => [w!, -x!, -y!, -z!];

/** ∂(R(Q) a)/∂Q, 3 × 4. */
function rotationSlope([w, x, y, z]: Numbers, a: Numbers): number[][] {
  const v = [x!, y!, z!];
  const along = v.reduce((sum, e, i) => sum + e * a[i]!, 0);
  const side = cross(v, a);
  const turned = skew(a);
  return v.map((own, i) => [
    2 * (w! * a[i]! + side[i]!),
    ...v.map((other, k) => 2 * (own * a[k]! - a[i]! * other - w! * turned[i]![k]! + (i === k ? along : 0))),
  ]);
}

/** ∂(R(Q)ᵀ a)/∂Q, 3 × 4. */
export const transposedSlope = (q: Numbers, a: Numbers): number[][] =>
  rotationSlope(conjugate(q), a).map(([first, ...others]) => [first!, ...others.map((e) => -e)]);
