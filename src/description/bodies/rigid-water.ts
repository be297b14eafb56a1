/** `rigid:` of a `water:`: drag, added mass and buoyancy of rigid bodies, by matrices of the user. */
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { zeroVector } from '../../symbolic/graph/vector.ts';
import type { RawRigidWater } from '../language/water.ts';
import type { Matrix6, RigidWater } from '../model/surroundings.ts';
import type { Place } from '../source/source.ts';
import { dues, knownNumber, readScalar, readVector, type RawValue, type Scope } from '../values/scope.ts';
import type { Dimension } from '../values/units.ts';

interface Context {
  readonly scope: Scope;
  readonly defaults: ReadonlyMap<Expr, number>;
}

const VOLUME: Dimension = [0, 3, 0, 0, 0];
/** Of kg, with a factor of m for every angular velocity and every moment, over these: what a matrix is multiplied by. */
const OF: Readonly<Record<'drag' | 'linear-drag' | 'added-mass', Dimension>> = {
  drag: [1, -1, 0, 0, 0],
  'linear-drag': [1, 0, -1, 0, 0],
  'added-mass': [1, 0, 0, 0, 0],
};

/** @throws KanegenError `wrong-shape`, `wrong-value`, `missing-key`, or what reading values throws. */
export function readRigidWater(place: Place, raw: RawRigidWater, density: Expr, context: Context): RigidWater {
  const { scope, defaults } = context;
  const matrix = (key: keyof typeof OF): Matrix6 | undefined =>
    raw[key] === undefined ? undefined : readMatrix(place.at(key), raw[key], key, context);
  const [drag, linearDrag, addedMass] = [matrix('drag'), matrix('linear-drag'), matrix('added-mass')];
  const volume =
    raw.volume === undefined
      ? undefined
      : readScalar(place.at('volume'), raw.volume, { what: 'the volume', dimension: VOLUME }, scope).value;
  if (raw.centre !== undefined && !volume)
    throw place.at('centre').keyError('missing-key', '`centre` is that of a `volume`', 'add `volume`, or remove `centre`');
  const known = volume && knownNumber(volume, defaults);
  if (known !== undefined && !(known > 0))
    throw place.at('volume').error('wrong-value', `the volume is ${known}`, 'write a volume above zero, or leave it out');
  if (!drag && !linearDrag && !addedMass && !volume)
    throw place.error(
      'missing-key',
      'this water does nothing to the body',
      'write `volume`, `drag`, `linear-drag` or `added-mass`',
    );
  const point = (key: 'at' | 'centre') =>
    raw[key] === undefined ? zeroVector : readVector(place.at(key), raw[key], dues.position, scope);
  return {
    density,
    at: point('at'),
    ...(drag && { drag }),
    ...(linearDrag && { linearDrag }),
    ...(addedMass && { addedMass }),
    ...(volume && { buoyancy: { volume, centre: point('centre') } }),
    location: place.location,
  };
}

/** Six numbers of a diagonal, or six rows of six. */
function readMatrix(
  place: Place,
  raw: readonly RawValue[] | readonly (readonly RawValue[])[],
  key: keyof typeof OF,
  { scope, defaults }: Context,
): Matrix6 {
  const read = (at: Place, value: RawValue, i: number, j: number): Expr => {
    const [mass, length, ...others] = OF[key];
    const further = (i < 3 ? 1 : 0) + (j < 3 ? 1 : 0);
    const dimension = [mass, length + further, ...others] as unknown as Dimension;
    return readScalar(at, value, { what: `this entry of \`${key}\``, dimension }, scope).value;
  };
  const isDiagonal = (raw as readonly unknown[]).every((own) => !Array.isArray(own));
  const entries = isDiagonal
    ? (raw as readonly RawValue[]).flatMap((value, i) =>
        Array.from({ length: 6 }, (_, j) => (i === j ? read(place.at(i), value, i, j) : zero)),
      )
    : (raw as readonly (readonly RawValue[])[]).flatMap((row, i) =>
        row.map((value, j) => read(place.at(i, j), value, i, j)),
      );
  const numbers = entries.map((e) => knownNumber(e, defaults));
  if (numbers.every((x) => x !== undefined)) refuseIndefinite(place, numbers, key);
  return entries;
}

/** Water neither drives a body nor has negative inertia: the symmetric part has no negative eigenvalue; added mass is symmetric. */
function refuseIndefinite(place: Place, entries: readonly number[], key: keyof typeof OF): void {
  const at = (i: number, j: number): number => entries[6 * i + j]!;
  const indices = [0, 1, 2, 3, 4, 5];
  const size = Math.max(...entries.map(Math.abs));
  const skewed = indices.flatMap((i) => indices.map((j) => Math.abs(at(i, j) - at(j, i))));
  if (key === 'added-mass' && Math.max(...skewed) > 1e-12 * size)
    throw place.error('wrong-value', 'added mass is a symmetric matrix', 'write the same number on both sides of the diagonal');
  // Elimination without exchanges; scaled, so that units do not matter.
  const scale = indices.map((i) => Math.sqrt(Math.abs(at(i, i))) || 1);
  const rows = indices.map((i) => indices.map((j) => (at(i, j) + at(j, i)) / 2 / (scale[i]! * scale[j]!)));
  for (const k of indices) {
    const pivot = rows[k]![k]!;
    const isLeft = rows.slice(k + 1).some((row) => Math.abs(row[k]!) > 1e-9);
    if (pivot < -1e-12 || (pivot < 1e-12 && isLeft))
      throw place.error(
        'wrong-value',
        `\`${key}\` has a direction in which it is negative`,
        'write a matrix without negative eigenvalues: water takes energy, it gives none',
      );
    if (pivot < 1e-12) continue;
    for (let i = k + 1; i < 6; i++) {
      const factor = rows[i]![k]! / pivot;
      for (let j = k; j < 6; j++) rows[i]![j]! -= factor * rows[k]![j]!;
    }
  }
}

