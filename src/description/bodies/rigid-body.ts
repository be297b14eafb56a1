/**
 * Rigid bodies: mass data in either frame, carried exactly to the centre of mass in proximal axes.
 */
import { minus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  identityMatrix,
  pointInertia,
  rotateSymmetric,
  subtractVectors,
  transformPoint,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
  symmetric3,
} from '../../symbolic/graph/vector.ts';
import { readPose } from './pose.ts';
import { notFinite } from '../values/requirement.ts';
import type { RigidBody } from '../model/robot.ts';
import type { Remark, WarningName } from '../model/warnings.ts';
import type { RawInertia, RawRigid } from '../language/schema.ts';
import { dues, knownNumber, readScalar, readVector, type Scope } from '../values/scope.ts';
import type { Place } from '../source/source.ts';

/** What reading a link needs to know about the robot. */
export interface LinkContext {
  readonly scope: Scope;
  /** Defaults of run-time parameters, for checks with numbers. */
  readonly defaults: ReadonlyMap<Expr, number>;
  warn(place: Place, name: WarningName, message: string): void;
  /** Something that was decided on the way and is worth knowing. */
  note(note: Remark): void;
}

const ENTRIES = ['xx', 'yy', 'zz', 'xy', 'xz', 'yz'] as const;

/** @throws KanegenError `negative-mass`, `negative-inertia`, or what reading the values throws. */
export function readRigidBody(place: Place, raw: RawRigid, context: LinkContext): RigidBody {
  const { scope } = context;
  const distal = readPose(place.at('distal'), raw.distal, scope);
  const mass = raw.mass === undefined ? zero : readScalar(place.at('mass'), raw.mass, dues.mass, scope).value;
  const known = knownNumber(mass, context.defaults);
  if (known !== undefined && !Number.isFinite(known)) throw notFinite(place.at('mass'));
  if (known !== undefined && known < 0)
    throw place.at('mass').error('negative-mass', `the mass is ${known} kg`, 'write a mass of zero or more');
  const com = raw.com === undefined ? zeroVector : readVector(place.at('com'), raw.com, dues.position, scope);
  const given = readInertia(place.at('inertia'), raw.inertia ?? {}, scope);
  const stated: Frame = raw.frame === 'distal' ? distal : { rotation: identityMatrix, translation: zeroVector };
  const centreOfMass = transformPoint(stated, com);
  const about = referencePoint(raw.inertia?.about ?? 'com', centreOfMass, distal);
  const inertia = shiftToCentre(rotateSymmetric(stated.rotation, given), mass, subtractVectors(centreOfMass, about));
  const isPossible = hasPossibleInertia(place.at('inertia'), { mass, inertia }, context);
  const isMeantSo = raw.inertia?.unphysical === true;
  if (!isPossible && !isMeantSo)
    context.warn(
      place.at('inertia'),
      'inertia-no-body-has',
      `${UNPHYSICAL}; \`unphysical: true\` in \`inertia\` says that it is intended`,
    );
  if (isPossible && isMeantSo)
    context.warn(
      place.at('inertia', 'unphysical'),
      'needless-unphysical',
      'a body can have this inertia: remove `unphysical`',
    );
  return { kind: 'rigid', mass, centreOfMass, inertia, distal };
}

function readInertia(place: Place, raw: RawInertia, scope: Scope): Symmetric3 {
  return symmetric3(
    ENTRIES.map((key) => {
      const entry = raw[key];
      return entry === undefined ? zero : readScalar(place.at(key), entry, dues.inertia, scope).value;
    }),
  );
}

function referencePoint(about: 'com' | 'proximal' | 'distal', centreOfMass: Vector3, distal: Frame): Vector3 {
  if (about === 'com') return centreOfMass;
  return about === 'proximal' ? zeroVector : distal.translation;
}

/** I_com = I_o − m (r·r 1 − r rᵀ), r = o → centre of mass. */
function shiftToCentre(inertia: Symmetric3, mass: Expr, offset: Vector3): Symmetric3 {
  const moved = pointInertia(offset);
  return symmetric3(inertia.map((entry, i) => minus(entry, times(mass, moved[i]!))));
}

/** What is said of published data that no body can have. */
export const UNPHYSICAL = 'no body has this inertia tensor: it breaks the triangle inequality (used as given)';

/** Inertia per kilogram, in m², that rounding leaves where there is none: that of a body of a tenth of a micrometre. */
export const NEGLIGIBLE_INERTIA = 1e-14;

/**
 * Could a body have this inertia (I_xx ≤ I_yy + I_zz)? Not known is yes.
 * @param body - its inertia about the centre of mass, in any axes.
 * @throws KanegenError `negative-inertia`: negative moments are mistakes.
 */
export function hasPossibleInertia(
  place: Place,
  { mass, inertia }: Pick<RigidBody, 'mass' | 'inertia'>,
  context: LinkContext,
  remedy = 'check the values, and that `about:` and `frame:` name the right point and axes',
): boolean {
  const values = inertia.map((entry) => knownNumber(entry, context.defaults));
  if (values.some((v) => v === undefined)) return true;
  if (!values.every(Number.isFinite)) throw notFinite(place);
  const negligible = NEGLIGIBLE_INERTIA * (knownNumber(mass, context.defaults) ?? 0);
  const counted = values.map((value) => (Math.abs(value!) <= negligible ? 0 : value!));
  const [xx, yy, zz, xy, xz, yz] = counted as [number, number, number, number, number, number];
  const size = Math.abs(xx) + Math.abs(yy) + Math.abs(zz) + Math.abs(xy) + Math.abs(xz) + Math.abs(yz);
  const tolerance = 1e-12 * size;
  for (const [i, moment] of [xx, yy, zz].entries())
    if (!(moment >= -tolerance))
      throw place.error(
        'negative-inertia',
        `the moment of inertia about the ${'xyz'[i]!} axis through the centre of mass is ${moment}`,
        remedy,
      );
  // A body's ∫ r rᵀ dm = ½ tr(I) 1 − I has no negative eigenvalue.
  const half = (xx + yy + zz) / 2;
  return isSemidefinite(half - xx, half - yy, half - zz, -xy, -xz, -yz, size);
}

function isSemidefinite(a: number, b: number, c: number, ab: number, ac: number, bc: number, size: number): boolean {
  const small = -1e-9;
  const minors = [a * b - ab * ab, a * c - ac * ac, b * c - bc * bc];
  const determinant = a * (b * c - bc * bc) - ab * (ab * c - bc * ac) + ac * (ab * bc - b * ac);
  return (
    [a, b, c].every((entry) => entry >= small * size) &&
    minors.every((minor) => minor >= small * size ** 2) &&
    determinant >= small * size ** 3
  );
}
