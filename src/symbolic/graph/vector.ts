/**
 * Vectors, rotations and frames of expressions. Matrices are row-major.
 * A Frame {rotation, translation} carries coordinates of its child into its parent: p_parent = R p_child + t.
 */
import { minus, minusOne, negate, one, plus, times, zero, type Expr } from './expr.ts';

export type Vector3 = readonly [Expr, Expr, Expr];
/** Row-major 3 × 3. */
export type Matrix3 = readonly [Expr, Expr, Expr, Expr, Expr, Expr, Expr, Expr, Expr];
/** Symmetric 3 × 3 by its entries xx, yy, zz, xy, xz, yz (matrix entries, not products of inertia with flipped sign). */
export type Symmetric3 = readonly [Expr, Expr, Expr, Expr, Expr, Expr];

export const vector3 = (entries: readonly Expr[]): Vector3 => counted(entries, 3) as Vector3;

export const matrix3 = (entries: readonly Expr[]): Matrix3 => counted(entries, 9) as Matrix3;

export const symmetric3 = (entries: readonly Expr[]): Symmetric3 => counted(entries, 6) as Symmetric3;

/** By its entries in row i and column j. */
export const symmetricOf = (entry: (i: number, j: number) => Expr): Symmetric3 =>
  symmetric3(
    (
      [
        [0, 0],
        [1, 1],
        [2, 2],
        [0, 1],
        [0, 2],
        [1, 2],
      ] as const
    ).map(([i, j]) => entry(i, j)),
  );

/** The same list. @throws Error where it is longer or shorter. */
function counted(entries: readonly Expr[], due: number): readonly Expr[] {
  if (entries.length !== due) throw new Error(`${entries.length} entries where ${due} are due`);
  return entries;
}

/**
 * R T Rᵀ. A turn about an axis of coordinates leaves the trace and the skew part of the block across the axis alone: with
 * e = s (T_xx − T_yy) + c (T_xy + T_yx), T_xx − s e, T_yy + s e, c e − T_yx, c e − T_xy are its entries.
 */
export function rotateMatrix(R: Matrix3, T: Matrix3): Matrix3 {
  if (R === identityMatrix || T.every((e) => e === zero)) return T;
  const fixed = R.findIndex((e) => e === one || e === minusOne);
  const general = (): Matrix3 => multiplyMatrices(multiplyMatrices(R, T), transpose(R));
  if (fixed < 0) return general();
  const [to, from] = [Math.floor(fixed / 3), fixed % 3];
  const sign = R[fixed]!;
  const [i, j] = [(from + 1) % 3, (from + 2) % 3];
  const [k, l] = [(to + 1) % 3, (to + 2) % 3];
  // Rows k and l over columns i and j are (c, −s) and ±(s, c).
  const c = R[3 * k + i]!;
  const s = negate(R[3 * k + j]!);
  if (c === zero || s === zero) return general();
  const at = (row: number, col: number): Expr => T[3 * row + col]!;
  const e = plus(times(s, minus(at(i, i), at(j, j))), times(c, plus(at(i, j), at(j, i))));
  const turn = (x: Expr, y: Expr): readonly [Expr, Expr] => [
    minus(times(c, x), times(s, y)),
    times(sign, plus(times(s, x), times(c, y))),
  ];
  const result: Expr[] = Array.from({ length: 9 }, () => zero);
  const set = (row: number, col: number, value: Expr): void => void (result[3 * row + col] = value);
  set(to, to, at(from, from));
  const [tk, tl] = turn(at(from, i), at(from, j));
  set(to, k, times(sign, tk));
  set(to, l, times(sign, tl));
  const [kt, lt] = turn(at(i, from), at(j, from));
  set(k, to, times(sign, kt));
  set(l, to, times(sign, lt));
  set(k, k, minus(at(i, i), times(s, e)));
  set(l, l, plus(at(j, j), times(s, e)));
  set(k, l, times(sign, minus(times(c, e), at(j, i))));
  set(l, k, times(sign, minus(times(c, e), at(i, j))));
  return matrix3(result);
}

export interface Frame {
  readonly rotation: Matrix3;
  readonly translation: Vector3;
}

export const zeroVector: Vector3 = [zero, zero, zero];
export const identityMatrix: Matrix3 = [one, zero, zero, zero, one, zero, zero, zero, one];
export const identityFrame: Frame = { rotation: identityMatrix, translation: zeroVector };
export const unitVectors: readonly [Vector3, Vector3, Vector3] = [
  [one, zero, zero],
  [zero, one, zero],
  [zero, zero, one],
];

export function mapVector(v: Vector3, f: (e: Expr) => Expr): Vector3 {
  return [f(v[0]), f(v[1]), f(v[2])];
}

export function addVectors(...vectors: readonly Vector3[]): Vector3 {
  return [plus(...vectors.map((v) => v[0])), plus(...vectors.map((v) => v[1])), plus(...vectors.map((v) => v[2]))];
}

export function subtractVectors(a: Vector3, b: Vector3): Vector3 {
  return [minus(a[0], b[0]), minus(a[1], b[1]), minus(a[2], b[2])];
}

export function negateVector(v: Vector3): Vector3 {
  return mapVector(v, negate);
}

export function scaleVector(factor: Expr, v: Vector3): Vector3 {
  return mapVector(v, (e) => times(factor, e));
}

export function dot(a: Vector3, b: Vector3): Expr {
  return plus(times(a[0], b[0]), times(a[1], b[1]), times(a[2], b[2]));
}

export function cross(a: Vector3, b: Vector3): Vector3 {
  return [
    minus(times(a[1], b[2]), times(a[2], b[1])),
    minus(times(a[2], b[0]), times(a[0], b[2])),
    minus(times(a[0], b[1]), times(a[1], b[0])),
  ];
}

export function isZeroVector(v: Vector3): boolean {
  return v.every((e) => e === zero);
}

export function multiplyVector(m: Matrix3, v: Vector3): Vector3 {
  return [dot([m[0], m[1], m[2]], v), dot([m[3], m[4], m[5]], v), dot([m[6], m[7], m[8]], v)];
}

/** mᵀ v */
export function multiplyTransposed(m: Matrix3, v: Vector3): Vector3 {
  return multiplyVector(transpose(m), v);
}

export function multiplyMatrices(a: Matrix3, b: Matrix3): Matrix3 {
  const columns = [column(b, 0), column(b, 1), column(b, 2)].map((c) => multiplyVector(a, c));
  return fromColumns(columns[0]!, columns[1]!, columns[2]!);
}

export function addMatrices(...matrices: readonly Matrix3[]): Matrix3 {
  return matrix3(matrices[0]!.map((_, i) => plus(...matrices.map((m) => m[i]!))));
}

export function mapMatrix(m: Matrix3, f: (e: Expr) => Expr): Matrix3 {
  return matrix3(m.map(f));
}

export function transpose(m: Matrix3): Matrix3 {
  return [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
}

export function column(m: Matrix3, index: number): Vector3 {
  return [m[index]!, m[3 + index]!, m[6 + index]!];
}

export function fromColumns(x: Vector3, y: Vector3, z: Vector3): Matrix3 {
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}

/** The matrix of v × · */
export function skew(v: Vector3): Matrix3 {
  return [zero, negate(v[2]), v[1], v[2], zero, negate(v[0]), negate(v[1]), v[0], zero];
}

/** The vector v with skew(v) = (m − mᵀ)/2 for a skew matrix m, read from the lower triangle. */
export function unskew(m: Matrix3): Vector3 {
  return [m[7], m[2], m[3]];
}

/** S v for a symmetric matrix by its six entries. */
export function multiplySymmetric(s: Symmetric3, v: Vector3): Vector3 {
  const [xx, yy, zz, xy, xz, yz] = s;
  return [dot([xx, xy, xz], v), dot([xy, yy, yz], v), dot([xz, yz, zz], v)];
}

/** All nine entries. */
export function fullMatrix([xx, yy, zz, xy, xz, yz]: Symmetric3): Matrix3 {
  return [xx, xy, xz, xy, yy, yz, xz, yz, zz];
}

/** v·v 1 − v vᵀ: the inertia about the origin of a unit point mass at v. */
export function pointInertia(v: Vector3): Symmetric3 {
  const [x, y, z] = v;
  const [xx, yy, zz] = [times(x, x), times(y, y), times(z, z)];
  return [plus(yy, zz), plus(xx, zz), plus(xx, yy), negate(times(x, y)), negate(times(x, z)), negate(times(y, z))];
}

export function addSymmetric(...terms: readonly Symmetric3[]): Symmetric3 {
  return symmetric3(terms[0]!.map((_, i) => plus(...terms.map((s) => s[i]!))));
}

export function mapSymmetric(s: Symmetric3, f: (e: Expr) => Expr): Symmetric3 {
  return symmetric3(s.map(f));
}

/** R S Rᵀ */
export function rotateSymmetric(rotation: Matrix3, s: Symmetric3): Symmetric3 {
  const about = axisOfRotation(rotation);
  if (about) return rotateAboutAxis(rotation, about, s);
  const m = multiplyMatrices(multiplyMatrices(rotation, fullMatrix(s)), transpose(rotation));
  return [m[0], m[4], m[8], m[1], m[2], m[5]];
}

/**
 * A rotation that carries one axis of coordinates to ± an axis: `from` goes to `sign`·`to`. The other four entries that
 * are not zero are sine and cosine.
 */
interface AxisRotation {
  readonly from: number;
  readonly to: number;
  readonly sign: Expr;
}

function axisOfRotation(R: Matrix3): AxisRotation | undefined {
  for (let from = 0; from < 3; from++)
    for (let to = 0; to < 3; to++) {
      const entry = R[3 * to + from]!;
      if (entry === one || entry === minusOne) return { from, to, sign: entry };
    }
  return undefined;
}

/**
 * With w = s·(xx − yy) + 2 c·xy: xx' = xx − s·w, yy' = yy + s·w, xy' = c·w − xy for a turn about z, whatever the labels and
 * signs of the axes: half the multiplications of R S Rᵀ.
 */
function rotateAboutAxis(R: Matrix3, { from, to, sign }: AxisRotation, s: Symmetric3): Symmetric3 {
  const S = (i: number, j: number): Expr => s[i === j ? i : 2 + i + j]!;
  const [i, j] = [(from + 1) % 3, (from + 2) % 3];
  const [k, l] = [(to + 1) % 3, (to + 2) % 3];
  // Row k of R is (c, −sn) over the columns i, j.
  const c = R[3 * k + i]!;
  const sn = negate(R[3 * k + j]!);
  // Row l is ±(sn, c); the sign is that of the axis carried along.
  const w = plus(times(sn, minus(S(i, i), S(j, j))), times(c, plus(S(i, j), S(i, j))));
  const across = minus(times(c, w), S(i, j));
  const result: Expr[] = [zero, zero, zero, zero, zero, zero];
  const set = (a: number, b: number, value: Expr): void => {
    result[a === b ? a : 2 + a + b] = value;
  };
  set(to, to, S(from, from));
  set(k, k, minus(S(i, i), times(sn, w)));
  set(l, l, plus(S(j, j), times(sn, w)));
  set(k, l, times(sign, across));
  set(to, k, times(sign, minus(times(c, S(from, i)), times(sn, S(from, j)))));
  set(to, l, plus(times(sn, S(from, i)), times(c, S(from, j))));
  return symmetric3(result);
}

/** frame `inner` given in the child axes of `outer`, carried into the parent of `outer`. */
export function composeFrames(outer: Frame, inner: Frame): Frame {
  return {
    rotation: multiplyMatrices(outer.rotation, inner.rotation),
    translation: addVectors(outer.translation, multiplyVector(outer.rotation, inner.translation)),
  };
}

/** The parent of a frame as its child sees it. */
export function inverseFrame({ rotation, translation }: Frame): Frame {
  return { rotation: transpose(rotation), translation: negateVector(multiplyTransposed(rotation, translation)) };
}

export function isIdentityFrame(frame: Frame): boolean {
  return frameEntries(frame).every((e, i) => e === frameEntries(identityFrame)[i]);
}

export function transformPoint(frame: Frame, point: Vector3): Vector3 {
  return addVectors(frame.translation, multiplyVector(frame.rotation, point));
}

export function frameEntries(frame: Frame): readonly Expr[] {
  return [...frame.rotation, ...frame.translation];
}

/** Inverse of frameEntries: nine rotation entries, row-major, then the translation. */
export function frameFromEntries(entries: readonly Expr[]): Frame {
  return {
    rotation: matrix3(entries.slice(0, 9)),
    translation: vector3(entries.slice(9, 12)),
  };
}
