/**
 * The one pose idiom of robot files: `{ xyz, rpy }`, `quaternion`, `matrix`, `dh`, `modified-dh` → Frame.
 */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import {
  cos,
  divide,
  integer,
  minus,
  negate,
  one,
  plus,
  scale,
  sin,
  square,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { ratio } from '../../symbolic/graph/rational.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import {
  composeFrames,
  identityFrame,
  identityMatrix,
  multiplyMatrices,
  zeroVector,
  type Frame,
  type Matrix3,
  matrix3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { RawPose } from '../language/schema.ts';
import { dues, readScalar, readVector, type RawValue, type Scope } from '../values/scope.ts';
import type { Place } from '../source/source.ts';

export function rotationX(angle: Expr): Matrix3 {
  return [one, zero, zero, zero, cos(angle), negate(sin(angle)), zero, sin(angle), cos(angle)];
}

export function rotationY(angle: Expr): Matrix3 {
  return [cos(angle), zero, sin(angle), zero, one, zero, negate(sin(angle)), zero, cos(angle)];
}

export function rotationZ(angle: Expr): Matrix3 {
  return [cos(angle), negate(sin(angle)), zero, sin(angle), cos(angle), zero, zero, zero, one];
}

const ROTATIONS = ['rpy', 'quaternion', 'matrix', 'dh', 'modified-dh'] as const;

/**
 * @param raw - undefined means the identity.
 * @throws KanegenError `several-rotations`, `not-a-rotation`, `wrong-shape`, or what reading the values throws.
 */
export function readPose(place: Place, raw: RawPose | undefined, scope: Scope): Frame {
  if (raw === undefined) return identityFrame;
  const given = ROTATIONS.filter((key) => raw[key] !== undefined);
  if (given.length > 1)
    throw place
      .at(given[1]!)
      .keyError('several-rotations', `a pose has one rotation, not \`${given.join('` and `')}\``, `keep one of them`);
  const [kind] = given;
  if ((kind === 'dh' || kind === 'modified-dh') && raw.xyz !== undefined)
    throw place.at('xyz').keyError('several-translations', `\`${kind}\` already gives the origin`, 'remove `xyz`');
  if (kind === 'dh' || kind === 'modified-dh') return readDenavitHartenberg(place.at(kind), raw[kind]!, kind, scope);
  if (kind === 'matrix' && raw.matrix!.length === 4) return readWholeMatrix(place, raw, scope);
  const translation = raw.xyz === undefined ? zeroVector : readVector(place.at('xyz'), raw.xyz, dues.length, scope);
  return { rotation: readRotation(place, raw, kind, scope), translation };
}

function readRotation(
  place: Place,
  raw: RawPose,
  kind: 'rpy' | 'quaternion' | 'matrix' | undefined,
  scope: Scope,
): Matrix3 {
  switch (kind) {
    case undefined:
      return identityMatrix;
    case 'rpy': {
      const [roll, pitch, yaw] = readVector(place.at('rpy'), raw.rpy!, dues.angle, scope);
      return multiplyMatrices(rotationZ(yaw), multiplyMatrices(rotationY(pitch), rotationX(roll)));
    }
    case 'quaternion':
      return readQuaternion(place.at('quaternion'), raw.quaternion!, scope);
    case 'matrix': {
      const rows = readRows(place.at('matrix'), raw.matrix!, 3, scope);
      return checkedRotation(place.at('matrix'), matrix3(rows.flat()));
    }
  }
}

function readQuaternion(place: Place, raw: readonly RawValue[], scope: Scope): Matrix3 {
  const entries = raw.map((entry, i) => readScalar(place.at(i), entry, dues.rotation, scope).value);
  if (entries.every((entry) => entry === zero))
    throw place.error('not-a-rotation', 'the quaternion is zero', 'write [1, 0, 0, 0] for no rotation');
  return rotationOfQuaternion(entries as [Expr, Expr, Expr, Expr]);
}

/** Exact without a square root: the quadratic forms are divided by w² + x² + y² + z², which is not zero. */
export function rotationOfQuaternion([w, x, y, z]: readonly [w: Expr, x: Expr, y: Expr, z: Expr]): Matrix3 {
  const norm = plus(square(w), square(x), square(y), square(z));
  const twice = (e: Expr): Expr => divide(scale(ratio(2), e), norm);
  const diagonal = (a: Expr, b: Expr): Expr => minus(one, twice(plus(square(a), square(b))));
  return [
    diagonal(y, z),
    twice(minus(times(x, y), times(w, z))),
    twice(plus(times(x, z), times(w, y))),
    twice(plus(times(x, y), times(w, z))),
    diagonal(x, z),
    twice(minus(times(y, z), times(w, x))),
    twice(minus(times(x, z), times(w, y))),
    twice(plus(times(y, z), times(w, x))),
    diagonal(x, y),
  ];
}

function readRows(place: Place, raw: readonly (string | readonly RawValue[])[], size: number, scope: Scope): Expr[][] {
  if (raw.length !== size)
    throw place.error(
      'wrong-shape',
      `a matrix has 3 rows, or 4 for a complete pose, not ${raw.length}`,
      'write [[1, 0, 0], [0, 1, 0], [0, 0, 1]]',
    );
  return raw.map((row, i) => {
    if (!Array.isArray(row) || size === 3) {
      const entries = row;
      return [...readVector(place.at(i), entries, dues.rotation, scope)];
    }
    if (row.length !== 4) throw place.at(i).error('wrong-shape', `this row has ${row.length} entries instead of 4`);
    return row.map(
      (entry: RawValue, j) =>
        readScalar(place.at(i, j), entry, j === 3 && i < 3 ? dues.length : dues.rotation, scope).value,
    );
  });
}

function readWholeMatrix(place: Place, raw: RawPose, scope: Scope): Frame {
  if (raw.xyz !== undefined)
    throw place.at('xyz').keyError('several-translations', 'the 4 x 4 matrix already gives the origin', 'remove `xyz`');
  const at = place.at('matrix');
  const rows = readRows(at, raw.matrix!, 4, scope);
  if (rows[3]!.some((e, j) => e !== integer(j === 3 ? 1 : 0)))
    throw at.at(3).error('not-a-rotation', 'the last row of a pose is [0, 0, 0, 1]');
  const rotation = matrix3(rows.slice(0, 3).flatMap((row) => row.slice(0, 3)));
  return {
    rotation: checkedRotation(at, rotation),
    translation: vector3(rows.slice(0, 3).map((row) => row[3]!)),
  };
}

/** How far a matrix of decimals may be from a rotation. */
const ORTHONORMAL = 1e-9;

/** Constant matrices must be rotations; matrices of formulas are tried where all their symbols have ordinary values. */
function checkedRotation(place: Place, m: Matrix3): Matrix3 {
  const sample = new Map<Expr, number>(freeSymbols(m).map((name, i) => [name, 0.31 + 0.17 * i]));
  const v = evaluate(m, sample);
  if (v.some((entry) => !Number.isFinite(entry)) && sample.size > 0) return m;
  const rows = [v.slice(0, 3), v.slice(3, 6), v.slice(6, 9)] as [number[], number[], number[]];
  const product = (a: number[], b: number[]): number => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
  let worst = 0;
  for (let i = 0; i < 3; i++)
    for (let j = 0; j <= i; j++) worst = Math.max(worst, Math.abs(product(rows[i]!, rows[j]!) - (i === j ? 1 : 0)));
  const [a, b, c] = rows;
  const determinant =
    a[0]! * (b[1]! * c[2]! - b[2]! * c[1]!) -
    a[1]! * (b[0]! * c[2]! - b[2]! * c[0]!) +
    a[2]! * (b[0]! * c[1]! - b[1]! * c[0]!);
  // Negated so that NaN counts as wrong.
  if (!(worst <= ORTHONORMAL))
    throw place.error(
      'not-a-rotation',
      `the rows are not orthonormal (off by ${worst.toPrecision(2)})`,
      'give more digits, or use rpy or quaternion',
    );
  if (determinant < 0)
    throw place.error('not-a-rotation', 'this matrix mirrors: its determinant is -1', 'check the signs of one axis');
  return m;
}

function readDenavitHartenberg(
  place: Place,
  raw: NonNullable<RawPose['dh']>,
  kind: 'dh' | 'modified-dh',
  scope: Scope,
): Frame {
  const read = (key: 'a' | 'd' | 'alpha' | 'theta'): Expr => {
    const entry = raw[key];
    const due = key === 'a' || key === 'd' ? dues.length : dues.angle;
    return entry === undefined ? zero : readScalar(place.at(key), entry, due, scope).value;
  };
  const alongX: Frame = { rotation: rotationX(read('alpha')), translation: [read('a'), zero, zero] };
  const aboutZ: Frame = { rotation: rotationZ(read('theta')), translation: [zero, zero, read('d')] };
  return kind === 'dh' ? composeFrames(aboutZ, alongX) : composeFrames(alongX, aboutZ);
}
