/**
 * Rotations along a rod: R' = R κ^ from one place to the next by a Magnus step, as unit quaternions. Values alone are wanted:
 * rates and accelerations of the sections are integrals of their own (rod-motion.ts).
 * Over a step of length h around its middle κ enters by α_j = h^j a_(j−1), with Σ a_j t^j the polynomial through κ at the
 * Gauss–Legendre nodes of the step. With C = [α_1, α_2], brackets of later factors to the left:
 *   order 4: Ω = α_1 − C/12
 *   order 6: Ω = α_1 + α_3/12 + [−20 α_1 − α_3 + C, α_2 − [α_1, 2 α_3 + C]/60]/240
 *   order 8: Ω = α_1 + α_3/12 − 7 s_2/120 + s_3/360 with six brackets, below.
 * Source: S. Blanes, F. Casas, J. A. Oteo, J. Ros, "The Magnus expansion and some of its applications", Physics Reports 470
 * (2009), section 5.5; S. Blanes, F. Casas, J. Ros, "Improved high order integrators based on the Magnus expansion", BIT 40
 * (2000). Their matrices stand to the left of what they turn: every bracket [a, b] is b × a here.
 */
import {
  fraction,
  half,
  integer,
  minus,
  one,
  plus,
  square,
  stumpff,
  times,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { addVectors, cross, scaleVector, type Matrix3, type Vector3 } from '../../symbolic/graph/vector.ts';

export type MagnusOrder = 4 | 6 | 8;

export const MAGNUS_ORDERS: readonly MagnusOrder[] = [4, 6, 8];

/** Real part first. */
export type Quaternion = readonly [Expr, Expr, Expr, Expr];

export const quaternionFrom = ([w, x, y, z]: readonly Expr[]): Quaternion => [w!, x!, y!, z!];

/** [a, b] */
function bracket(a: Vector3, b: Vector3): Vector3 {
  return cross(b, a);
}

/** Σ factor_i v_i */
function sum(...terms: readonly (readonly [Expr, Vector3])[]): Vector3 {
  return addVectors(...terms.map(([factor, v]) => scaleVector(factor, v)));
}

/**
 * The rotation vector Ω of a step.
 * @param alpha two vectors for order 4, three for order 6, four for order 8.
 * @param keep gives a value a name and a place.
 */
export function rotationVector(
  alpha: readonly Vector3[],
  keep: (label: string, v: Vector3) => Vector3 = (_label, v) => v,
): Vector3 {
  const [a1, a2, a3, a4] = alpha as [Vector3, Vector3, Vector3 | undefined, Vector3 | undefined];
  if (!a3) return sum([one, a1], [fraction(-1, 12), bracket(a1, a2)]);
  if (!a4) {
    const C = keep('bracket', bracket(a1, a2));
    const inner = sum([one, a2], [fraction(-1, 60), bracket(a1, sum([integer(2), a3], [one, C]))]);
    const outer = bracket(sum([integer(-20), a1], [integer(-1), a3], [one, C]), inner);
    return sum([one, a1], [fraction(1, 12), a3], [fraction(1, 240), outer]);
  }
  const even = sum([one, a1], [fraction(1, 28), a3]);
  const odd = sum([one, a2], [fraction(3, 28), a4]);
  const s1 = keep('bracket_1', scaleVector(fraction(-1, 28), bracket(even, odd)));
  const r1 = keep('bracket_2', scaleVector(fraction(1, 3), bracket(a1, sum([fraction(-1, 14), a3], [one, s1]))));
  const s2 = keep('bracket_3', bracket(sum([one, even], [one, s1]), sum([one, odd], [one, r1])));
  const s2b = keep('bracket_4', bracket(a2, s1));
  const r2 = keep(
    'bracket_5',
    bracket(sum([one, a1], [fraction(5, 4), s1]), sum([integer(2), a3], [one, s2], [half, s2b])),
  );
  const s3 = bracket(
    sum([one, a1], [fraction(1, 12), a3], [fraction(-7, 3), s1], [fraction(-1, 6), s2]),
    sum([integer(-9), a2], [fraction(-9, 4), a4], [integer(63), r1], [one, r2]),
  );
  return sum([one, a1], [fraction(1, 12), a3], [fraction(-7, 120), s2], [fraction(1, 360), s3]);
}

/** The unit quaternion of a rotation vector: cos(θ/2), sin(θ/2)/θ Ω by Stumpff functions of θ²/4, regular at zero. */
export function quaternionOf(omega: Vector3): Quaternion {
  const argument = times(fraction(1, 4), plus(...omega.map(square)));
  const factor = times(half, stumpff(1, argument));
  return [stumpff(0, argument), ...scaleVector(factor, omega)];
}

export function multiplyQuaternions([a, ...v]: Quaternion, [b, ...w]: Quaternion): Quaternion {
  const dot = plus(...v.map((e, i) => times(e, w[i]!)));
  return [minus(times(a, b), dot), ...addVectors(scaleVector(a, w), scaleVector(b, v), cross(v, w))];
}

export function rotationMatrix([w, x, y, z]: Quaternion): Matrix3 {
  const [x2, y2, z2] = [x, y, z].map((e) => plus(e, e)) as [Expr, Expr, Expr];
  const [xx, yy, zz] = [times(x, x2), times(y, y2), times(z, z2)];
  const [xy, xz, yz] = [times(x, y2), times(x, z2), times(y, z2)];
  const [wx, wy, wz] = [times(w, x2), times(w, y2), times(w, z2)];
  const diagonal = (a: Expr, b: Expr): Expr => minus(one, plus(a, b));
  return [
    diagonal(yy, zz),
    minus(xy, wz),
    plus(xz, wy),
    plus(xy, wz),
    diagonal(xx, zz),
    minus(yz, wx),
    minus(xz, wy),
    plus(yz, wx),
    diagonal(xx, yy),
  ];
}
