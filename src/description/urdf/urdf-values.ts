/**
 * Values of URDF: numbers as exact decimals, poses, axes, limits, what acts along a joint. Angles that were meant as multiples of
 * a right angle are made so.
 */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import {
  decimal,
  divide,
  integer,
  isZero,
  pi,
  plus,
  rational,
  scale,
  sqrt,
  square,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { ratio, Rational, ZERO } from '../../symbolic/graph/rational.ts';
import {
  identityFrame,
  isIdentityFrame,
  multiplyMatrices,
  unitVectors,
  zeroVector,
  type Matrix3,
  type Vector3,
  vector3,
  symmetric3,
  matrix3,
} from '../../symbolic/graph/vector.ts';
import { rotationOfQuaternion, rotationX, rotationY, rotationZ } from '../bodies/pose.ts';
import { NEGLIGIBLE_INERTIA } from '../bodies/rigid-body.ts';
import { DRIVE_LIMITS, type CoordinateForces, type DriveLimits } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { SMOOTH_BELOW } from '../imported/imported-robot.ts';
import type { XmlElement } from '../imported/xml-document.ts';
import { required, single, type UrdfVersion } from './urdf-elements.ts';
import type { UrdfInertia, UrdfJoint, UrdfMimic, UrdfOrigin, UrdfRemark } from './urdf-contents.ts';

/** Longer literals than any program prints. */
const LONGEST_NUMBER = 64;

function readToken(place: Place, token: string, offset: number): Rational {
  const fail = (message: string, remedy: string): never => {
    throw place.error('not-a-number', message, remedy, offset);
  };
  const value = token.length > LONGEST_NUMBER ? undefined : Rational.parse(token);
  if (!value) return fail(`\`${token.slice(0, 40)}\` is not a number`, 'write a decimal number such as -0.25 or 1e-3');
  const size = Math.abs(Number(token));
  if (!Number.isFinite(size) || (size < 1e-300 && !Rational.isZero(value)))
    fail(`\`${token}\` is out of range`, 'write a finite number, or 0');
  return value;
}

function refuseXacro(place: Place, text: string): void {
  const at = text.search(/\$[{(]/);
  if (at < 0) return;
  const token = text.slice(at, at + 40);
  throw place.error('not-a-number', `\`${token}\` is an expression of xacro`, 'expand the file with xacro first', at);
}

export function readNumber(element: XmlElement, attribute: string): Rational {
  const text = element.attribute(attribute);
  if (text === undefined)
    throw element.place.error('malformed-urdf', `<${element.name}> has no \`${attribute}\``, `write ${attribute}="…"`);
  refuseXacro(element.at(attribute), text);
  return readToken(element.at(attribute), text.trim(), text.length - text.trimStart().length);
}

/** So many numbers in one attribute. */
function readNumbers(element: XmlElement, attribute: string, count: number): Rational[] {
  const text = element.attribute(attribute)!;
  refuseXacro(element.at(attribute), text);
  const tokens = [...text.matchAll(/[^\s,]+/g)];
  if (tokens.length !== count)
    throw element
      .at(attribute)
      .error(
        'wrong-shape',
        `${count === 3 ? 'three' : 'four'} numbers expected, not ${tokens.length}`,
        `write ${attribute}="${count === 3 ? '0 0 1' : '0 0 0 1'}"`,
      );
  return tokens.map((match) => readToken(element.at(attribute), match[0], match.index));
}

const RIGHT_ANGLE = Math.PI / 2;
/** Angles as near as this to a multiple of a right angle were meant to be one. */
const ANGLE_TOLERANCE = 1e-9;

/** An angle, exact where it is within 1e-9 of a multiple of π/2. */
function readAngle(value: Rational): { angle: Expr; snapped: boolean } {
  const turns = Math.round(Rational.toNumber(value) / RIGHT_ANGLE);
  const near = Math.abs(Rational.toNumber(value) - turns * RIGHT_ANGLE) <= ANGLE_TOLERANCE;
  if (Rational.isZero(value) || !near) return { angle: rational(value), snapped: false };
  return { angle: scale(ratio(turns, 2), pi), snapped: true };
}

/**
 * A pose, by roll, pitch and yaw or by a quaternion of any length.
 * @throws KanegenError `malformed-urdf` when both are given, `not-a-rotation`.
 */
export function readOrigin(element: XmlElement | undefined, { major, minor }: UrdfVersion): UrdfOrigin {
  const none = { angles: zeroVector, snapped: undefined, early: undefined };
  if (!element) return { frame: identityFrame, ...none };
  const given = (key: string, count: number): Rational[] | undefined =>
    element.attribute(key) === undefined ? undefined : readNumbers(element, key, count);
  const translation = (given('xyz', 3)?.map((value) => rational(value)) ?? zeroVector) as Vector3;
  const rpy = given('rpy', 3)?.map(readAngle);
  const quaternion = given('quat_xyzw', 4);
  if (quaternion) {
    const at = element.at('quat_xyzw');
    if (rpy)
      throw at.error('malformed-urdf', '<origin> has two rotations, `rpy` and `quat_xyzw`', 'remove one of them');
    const { rotation, snapped } = readQuaternion(at, quaternion);
    const isNone = isIdentityFrame({ rotation, translation: zeroVector });
    return {
      frame: { rotation, translation },
      angles: isNone ? zeroVector : undefined,
      snapped: snapped ? at : undefined,
      early: !isNone && major <= 1 && minor === 0 ? at : undefined,
    };
  }
  if (!rpy) return { frame: { ...identityFrame, translation }, ...none };
  const angles = vector3(rpy.map(({ angle }) => angle));
  const [roll, pitch, yaw] = angles;
  const rotation = multiplyMatrices(rotationZ(yaw), multiplyMatrices(rotationY(pitch), rotationX(roll)));
  const snapped = rpy.some((each) => each.snapped) ? element.place.at('rpy') : undefined;
  return { ...none, frame: { rotation, translation }, angles, snapped };
}

/** Entries as near as {@link ANGLE_TOLERANCE} to those of a rotation by right angles are those. */
function readQuaternion(place: Place, xyzw: readonly Rational[]): { rotation: Matrix3; snapped: boolean } {
  const [x, y, z, w] = xyzw.map((value) => rational(value)) as [Expr, Expr, Expr, Expr];
  if (xyzw.every(Rational.isZero))
    throw place.error('not-a-rotation', 'the quaternion is zero', 'write x y z w: "0 0 0 1" for no rotation');
  const rotation = rotationOfQuaternion([w, x, y, z]);
  const entries = evaluate(rotation);
  const isRight = entries.every((entry) => Math.abs(entry - Math.round(entry)) <= ANGLE_TOLERANCE);
  if (!isRight) return { rotation, snapped: false };
  const exact = matrix3(entries.map((entry) => integer(Math.round(entry))));
  return { rotation: exact, snapped: exact.some((entry, i) => entry !== rotation[i]) };
}

/** A unit vector, exactly: the length stays a square root. */
export function readAxis(joint: XmlElement): Vector3 {
  const element = single(joint, 'axis');
  if (!element || element.attribute('xyz') === undefined) return unitVectors[0];
  const direction = readNumbers(element, 'xyz', 3).map((value) => rational(value));
  if (direction.every(isZero))
    throw element.at('xyz').error('zero-axis', 'the axis is the zero vector', 'write for example xyz="0 0 1"');
  const length = sqrt(plus(...direction.map(square)));
  return vector3(direction.map((entry) => divide(entry, length)));
}

const ENDLESS = /^\s*[+-]?inf(inity)?\s*$/i;

/**
 * Without both limits there is none; one that is missing beside the other is zero, as URDF defines. A range that is empty, or
 * has no end, is written for none.
 */
export function readBounds(element: XmlElement | undefined, joint: string): Pick<UrdfJoint, 'bounds' | 'notes'> {
  const none = { bounds: {}, notes: [] };
  if (!element || (element.attribute('lower') === undefined && element.attribute('upper') === undefined)) return none;
  const read = (key: 'lower' | 'upper'): number => {
    const text = element.attribute(key);
    if (text === undefined) return 0;
    if (ENDLESS.test(text)) return text.includes('-') ? -Infinity : Infinity;
    return evaluate([rational(readNumber(element, key))])[0]!;
  };
  const [lower, upper] = [read('lower'), read('upper')];
  if (lower < upper) return { ...none, bounds: Number.isFinite(upper - lower) ? { lower, upper } : {} };
  const message = `the limits of ${joint}, ${lower} to ${upper}, leave no room and are ignored`;
  return { ...none, notes: [{ location: element.place.location, message }] };
}

/** What the drive can do either way. Zero, infinity and what is negative are written for no limit. */
export function readDriveLimits(element: XmlElement | undefined): DriveLimits {
  const read = (key: keyof DriveLimits): DriveLimits => {
    const text = element?.attribute(key);
    if (text === undefined || ENDLESS.test(text) || /^\s*[+-]?nan\s*$/i.test(text)) return {};
    const value = Rational.toNumber(readNumber(element!, key));
    return value > 0 ? { [key]: value } : {};
  };
  return Object.assign({}, ...DRIVE_LIMITS.map(read)) as DriveLimits;
}

export function readMimic(element: XmlElement | undefined): UrdfMimic | undefined {
  if (!element) return undefined;
  const number = (key: 'multiplier' | 'offset', standard: string): string => {
    if (element.attribute(key) === undefined) return standard;
    readNumber(element, key);
    return element.attribute(key)!.trim();
  };
  const joint = required(element, 'joint', 'mimic joint="…"');
  return { place: element.place, joint, multiplier: number('multiplier', '1'), offset: number('offset', '0') };
}

/** `<dynamics damping="…" friction="…"/>`, as far as it is positive: what feeds energy is no damping. */
export function readDynamics(
  element: XmlElement | undefined,
  joint: string,
  isSliding: boolean,
): { readonly forces: Partial<CoordinateForces>; readonly warnings: readonly UrdfRemark[] } {
  const warnings: UrdfRemark[] = [];
  const read = (key: string): Expr | undefined => {
    const value = element?.attribute(key) === undefined ? undefined : readNumber(element, key);
    if (!value || Rational.isZero(value)) return undefined;
    if (!Rational.isNegative(value)) return rational(value);
    warnings.push({
      place: element!.at(key),
      message: `the ${key} of ${joint} is negative and ignored: such a joint would feed energy into the robot`,
    });
    return undefined;
  };
  const [damping, friction] = [read('damping'), read('friction')];
  const slowness = decimal(isSliding ? SMOOTH_BELOW.sliding : SMOOTH_BELOW.turning);
  return { forces: { ...(damping && { damping }), ...(friction && { friction, slowness }) }, warnings };
}

const MATRIX_ENTRIES = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'] as const;

/**
 * About the centre of mass, in the axes of <origin>: the entries of <inertia>, zero without it. What rounding left of a moment of
 * zero is zero.
 */
export function readInertia(
  inertia: XmlElement | undefined,
  kilograms: Rational,
): { readonly entries: UrdfInertia['inertia']; readonly rounded: boolean } {
  let rounded = false;
  const entries = MATRIX_ENTRIES.map((key, i) => {
    if (!inertia || (inertia.attribute(key) === undefined && i >= 3)) return zero;
    const value = readNumber(inertia, key);
    const number = Rational.toNumber(value);
    const isRounding = i < 3 && number < 0 && -number <= NEGLIGIBLE_INERTIA * Rational.toNumber(kilograms);
    rounded ||= isRounding;
    return rational(isRounding ? ZERO : value);
  });
  return { entries: symmetric3(entries), rounded };
}
