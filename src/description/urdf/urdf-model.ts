/**
 * What a URDF file says about mechanics: links with their inertia, joints with origin, axis and limits. Numbers are
 * exact decimals; angles that were meant as multiples of a right angle are made so. Everything else of URDF (shapes,
 * materials, transmissions, extensions of simulators) is not read.
 */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import {
  decimal,
  divide,
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
import { nearest } from '../../common/nearest.ts';
import { ratio, Rational } from '../../symbolic/graph/rational.ts';
import {
  identityFrame,
  multiplyMatrices,
  rotateSymmetric,
  unitVectors,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { Problems } from '../source/diagnostics.ts';
import { rotationX, rotationY, rotationZ } from '../bodies/pose.ts';
import type { CoordinateForces, Warning } from '../model/robot.ts';
import type { Place, SourceDocument } from '../source/source.ts';
import { xmlDocument, type XmlElement } from './urdf-document.ts';

/** A pose as URDF gives it. */
export interface UrdfOrigin {
  readonly frame: Frame;
  /** Roll, pitch and yaw; exact where they were meant as multiples of a right angle. */
  readonly angles: Vector3;
  /** Where angles were made multiples of a right angle. */
  readonly snapped: Place | undefined;
}

export interface UrdfInertia {
  readonly mass: Expr;
  /** In the axes of the link, from its origin. */
  readonly centreOfMass: Vector3;
  /** About the centre of mass, in the axes of the link. */
  readonly inertia: Symmetric3;
  readonly snapped: Place | undefined;
  /** What was missing or ignored. */
  readonly notes: readonly Warning[];
  /** Where the inertia stands. */
  readonly place: Place;
}

export interface UrdfLink {
  readonly name: string;
  readonly place: Place;
  /** Undefined: no mass. */
  readonly inertial: UrdfInertia | undefined;
  /** The joint this link hangs on; undefined for the root. */
  joint: UrdfJoint | undefined;
  /** The joints that leave this link, in the order of the file. */
  readonly outgoing: UrdfJoint[];
}

/** Those of URDF, and `spherical`, which simulators add. */
const jointTypes = ['revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar', 'spherical'] as const;
export type UrdfJointType = (typeof jointTypes)[number];

export interface UrdfJoint {
  readonly name: string;
  readonly type: UrdfJointType;
  readonly place: Place;
  readonly parent: UrdfLink;
  readonly child: UrdfLink;
  /** Link `parent` → joint, which is link `child` when the joint is at zero. */
  readonly origin: UrdfOrigin;
  /** Unit vector in the axes of the joint, of joints that have an axis. */
  readonly axis: Vector3;
  readonly bounds: { readonly lower?: number; readonly upper?: number };
  readonly mimic: UrdfMimic | undefined;
  /** Damping and friction, of joints with one axis. */
  readonly forces: Partial<CoordinateForces>;
  /** Damping or friction of other joints, which is left out. */
  readonly losses: Place | undefined;
  /** What was ignored. */
  readonly notes: readonly Warning[];
}

/** A joint that moves as another one does: position = multiplier × position of `joint` + offset. Numbers as they are written. */
export interface UrdfMimic {
  readonly place: Place;
  readonly joint: string;
  readonly multiplier: string;
  readonly offset: string;
}

export interface UrdfRobot {
  readonly document: SourceDocument;
  /** As the file calls the robot. */
  readonly name: string;
  /** The links that no joint carries, at least one. */
  readonly roots: readonly UrdfLink[];
  readonly links: ReadonlyMap<string, UrdfLink>;
}

/**
 * @param file - as messages show it.
 * @throws KanegenError with all problems of the file: `malformed-xml`, `not-urdf`, `malformed-urdf`, `not-a-number`, …
 */
export function readUrdf(text: string, file: string): UrdfRobot {
  const { document, root } = xmlDocument(text, file);
  checkKind(root);
  const reader = new Reader();
  const links = reader.readLinks(root);
  reader.readJoints(root, links);
  reader.problems.finish();
  return { document, name: root.attribute('name') ?? '', links, roots: rootsOf(root, links) };
}

function checkKind(root: XmlElement): void {
  if (root.name !== 'robot')
    throw root.place.error(
      'not-urdf',
      `this is not URDF: the file begins with <${root.name}>, not with <robot>`,
      'convert the model to URDF first',
    );
  // A property that is left over does no harm: numbers that use it are refused where they stand.
  const unexpanded = root.children.find((element) => /^xacro:(?!property$|arg$)/.test(element.name));
  if (unexpanded)
    throw unexpanded.place.error(
      'not-supported',
      `<${unexpanded.name}>: this file is xacro, which has to be expanded before it is URDF`,
      'run `xacro FILE.urdf.xacro > FILE.urdf` and name the result here',
    );
}

/** Every link has at most one joint, so that a missing root means a circle. */
function rootsOf(robot: XmlElement, links: ReadonlyMap<string, UrdfLink>): UrdfLink[] {
  const roots = [...links.values()].filter((link) => link.joint === undefined);
  if (roots.length === 0)
    throw robot.place.error(
      'malformed-urdf',
      links.size === 0 ? 'the robot has no links' : 'the joints form a circle: no link is the root',
      'check `parent` and `child` of the joints',
    );
  const reached = new Set<UrdfLink>();
  for (const pending = [...roots]; pending.length > 0;) {
    const link = pending.pop()!;
    reached.add(link);
    pending.push(...link.outgoing.map((joint) => joint.child));
  }
  const lost = [...links.values()].find((link) => !reached.has(link));
  if (lost)
    throw lost.place.error(
      'malformed-urdf',
      `\`${lost.name}\` hangs on a circle of joints that never reaches a root`,
      'check `parent` and `child` of the joints',
    );
  return roots;
}

/** Elements with a meaning here or elsewhere; what is close to one of them is a misspelling. */
const KNOWN_ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  robot: ['link', 'joint', 'material', 'transmission', 'gazebo'],
  link: ['inertial', 'visual', 'collision'],
  inertial: ['origin', 'mass', 'inertia'],
  joint: ['origin', 'parent', 'child', 'axis', 'calibration', 'dynamics', 'limit', 'mimic', 'safety_controller'],
};
const MATRIX_ENTRIES = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'] as const;

class Reader {
  readonly problems = new Problems();

  readLinks(robot: XmlElement): Map<string, UrdfLink> {
    checkElements(robot, this.problems);
    const links = new Map<string, UrdfLink>();
    for (const element of robot.children.filter((child) => child.name === 'link'))
      this.problems.attempt(() => {
        const name = required(element, 'name', 'link name="upper_arm"');
        if (links.has(name)) throw duplicate(element.at('name'), `there are two links called \`${name}\``);
        const link: UrdfLink = {
          name,
          place: element.place,
          inertial: this.problems.attempt(() => this.readInertial(element)),
          joint: undefined,
          outgoing: [],
        };
        links.set(name, link);
      });
    return links;
  }

  readJoints(robot: XmlElement, links: ReadonlyMap<string, UrdfLink>): void {
    const names = new Set<string>();
    for (const element of robot.children.filter((child) => child.name === 'joint'))
      this.problems.attempt(() => {
        const name = required(element, 'name', 'joint name="elbow" type="revolute"');
        if (names.has(name)) throw duplicate(element.at('name'), `there are two joints called \`${name}\``);
        names.add(name);
        const joint = this.readJoint(element, name, links);
        if (joint.child.joint)
          throw element.place.error(
            'malformed-urdf',
            `\`${joint.child.name}\` is carried by two joints, \`${joint.child.joint.name}\` and \`${name}\``,
            'URDF describes trees: remove one of the joints',
          );
        joint.child.joint = joint;
        joint.parent.outgoing.push(joint);
      });
  }

  private readInertial(link: XmlElement): UrdfInertia | undefined {
    checkElements(link, this.problems);
    const element = single(link, 'inertial');
    if (!element) return undefined;
    checkElements(element, this.problems);
    const origin = readOrigin(single(element, 'origin'));
    const mass = single(element, 'mass');
    const inertia = single(element, 'inertia');
    if (!mass) throw element.place.error('malformed-urdf', '<inertial> has no <mass>', 'write <mass value="…"/>');
    const kilograms = readNumber(mass, 'value');
    if (Rational.isNegative(kilograms))
      throw mass.at('value').error('negative-mass', 'the mass is negative', 'write a mass of zero or more');
    if (inertia) checkAttributes(inertia, MATRIX_ENTRIES);
    const entries = MATRIX_ENTRIES.map((key) =>
      inertia && (inertia.attribute(key) !== undefined || ['ixx', 'iyy', 'izz'].includes(key))
        ? rational(readNumber(inertia, key))
        : zero,
    ) as unknown as Symmetric3;
    const missing =
      inertia || Rational.isZero(kilograms) ? [] : ['there is no <inertia>: the mass is taken as a point'];
    return {
      mass: rational(kilograms),
      centreOfMass: origin.frame.translation,
      inertia: rotateSymmetric(origin.frame.rotation, entries),
      snapped: origin.snapped,
      notes: missing.map((message) => ({ location: element.place.location, message })),
      place: (inertia ?? element).place,
    };
  }

  private readJoint(element: XmlElement, name: string, links: ReadonlyMap<string, UrdfLink>): UrdfJoint {
    checkElements(element, this.problems);
    const type = readJointType(element);
    const end = (key: 'parent' | 'child'): UrdfLink => {
      const at = single(element, key);
      if (!at) throw element.place.error('malformed-urdf', `the joint \`${name}\` has no <${key} link="…"/>`, 'add it');
      const link = required(at, 'link', `${key} link="…"`);
      const found = links.get(link);
      if (found) return found;
      const close = nearest(link, [...links.keys()]);
      throw at
        .at('link')
        .error('unknown-link', `unknown link \`${link}\``, close ? `did you mean \`${close}\`?` : 'add the link');
    };
    const hasOneAxis = type === 'revolute' || type === 'continuous' || type === 'prismatic';
    const dynamics = single(element, 'dynamics');
    const { forces, notes: ignored } = readDynamics(dynamics, name, type === 'prismatic');
    const isLossy = Object.keys(forces).length > 0;
    const origin = single(element, 'origin');
    const { bounds, notes: unbounded } = readBounds(single(element, 'limit'), name);
    const isBounded = type === 'revolute' || type === 'prismatic';
    return {
      name,
      type,
      place: element.place,
      parent: end('parent'),
      child: end('child'),
      origin: readOrigin(origin),
      axis: ['revolute', 'continuous', 'prismatic', 'planar'].includes(type) ? readAxis(element) : zeroVector,
      bounds: isBounded ? bounds : {},
      notes: [...(isBounded ? unbounded : []), ...ignored],
      mimic: readMimic(single(element, 'mimic')),
      forces: hasOneAxis ? forces : {},
      losses: isLossy && !hasOneAxis ? dynamics!.place : undefined,
    };
  }
}

// ---------------------------------------------------------------------------------------------- elements

/** Speeds below which dry friction is smooth, in rad/s and m/s: URDF knows no such speed. */
const SLOWNESS = { turning: decimal(0.01), sliding: decimal(0.001) };

/** `<dynamics damping="…" friction="…"/>`, as far as it is positive. */
function readDynamics(
  element: XmlElement | undefined,
  joint: string,
  isSliding: boolean,
): { readonly forces: Partial<CoordinateForces>; readonly notes: readonly Warning[] } {
  const notes: Warning[] = [];
  const read = (key: string): Expr | undefined => {
    const value = element?.attribute(key) === undefined ? undefined : readNumber(element, key);
    if (!value || Rational.isZero(value)) return undefined;
    if (!Rational.isNegative(value)) return rational(value);
    notes.push({ location: element!.at(key).location, message: `the ${key} of ${joint} is negative and ignored` });
    return undefined;
  };
  const [damping, friction] = [read('damping'), read('friction')];
  const slowness = isSliding ? SLOWNESS.sliding : SLOWNESS.turning;
  return { forces: { ...(damping && { damping }), ...(friction && { friction, slowness }) }, notes };
}

function duplicate(place: Place, message: string): Error {
  return place.error('duplicate-name', message, 'rename one of them');
}

function required(element: XmlElement, attribute: string, example: string): string {
  const text = element.attribute(attribute)?.trim();
  if (text) return text;
  throw element.place.error('malformed-urdf', `<${element.name}> has no \`${attribute}\``, `write <${example}>`);
}

/** The child of that name, undefined without one. Two that say the same are one. */
function single(element: XmlElement, name: string): XmlElement | undefined {
  const [first, ...others] = element.children.filter((child) => child.name === name);
  const other = others.find((each) => !each.equals(first!));
  if (other) throw other.place.error('malformed-urdf', `<${element.name}> has two <${name}>`, 'remove one of them');
  return first;
}

/** URDF is full of extensions, so unknown elements are skipped; but not those that are a misspelled known one. */
function checkElements(element: XmlElement, problems: Problems): void {
  const known = KNOWN_ELEMENTS[element.name]!;
  for (const child of element.children) {
    const close = known.includes(child.name) || child.name.includes(':') ? undefined : nearest(child.name, known);
    if (close)
      problems.add(child.place.error('unknown-element', `unknown element <${child.name}>`, `did you mean <${close}>?`));
  }
}

/** The same for attributes. */
function checkAttributes(element: XmlElement, known: readonly string[]): void {
  for (const name of element.attributeNames) {
    const close = known.includes(name) ? undefined : nearest(name, known);
    if (close)
      throw element.place
        .at(name)
        .keyError(
          'unknown-attribute',
          `<${element.name}> has no attribute \`${name}\``,
          `did you mean \`${close}\`? Its attributes: ${known.join(', ')}`,
        );
  }
}

function readJointType(element: XmlElement): UrdfJointType {
  const written = required(element, 'type', 'joint name="elbow" type="revolute"');
  const known = jointTypes.find((type) => type === written);
  if (known) return known;
  const close = nearest(written, jointTypes);
  throw element
    .at('type')
    .error(
      'unknown-joint',
      `unknown type of joint \`${written}\``,
      close ? `did you mean \`${close}\`?` : `types: ${jointTypes.join(', ')}`,
    );
}

// ---------------------------------------------------------------------------------------------- values

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

function readNumber(element: XmlElement, attribute: string): Rational {
  const text = element.attribute(attribute);
  if (text === undefined)
    throw element.place.error('malformed-urdf', `<${element.name}> has no \`${attribute}\``, `write ${attribute}="…"`);
  refuseXacro(element.at(attribute), text);
  return readToken(element.at(attribute), text.trim(), text.length - text.trimStart().length);
}

/** Three numbers, with their texts. */
function readTriple(element: XmlElement, attribute: string): { value: Rational; text: string }[] {
  const text = element.attribute(attribute)!;
  refuseXacro(element.at(attribute), text);
  const tokens = [...text.matchAll(/[^\s,]+/g)];
  if (tokens.length !== 3)
    throw element
      .at(attribute)
      .error('wrong-shape', `three numbers are due here, not ${tokens.length}`, `write ${attribute}="0 0 1"`);
  return tokens.map((match) => ({
    value: readToken(element.at(attribute), match[0], match.index),
    text: match[0],
  }));
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

function readOrigin(element: XmlElement | undefined): UrdfOrigin {
  if (!element) return { frame: identityFrame, angles: zeroVector, snapped: undefined };
  checkAttributes(element, ['xyz', 'rpy']);
  const given = (key: 'xyz' | 'rpy'): { value: Rational; text: string }[] | undefined =>
    element.attribute(key) === undefined ? undefined : readTriple(element, key);
  const translation = (given('xyz')?.map(({ value }) => rational(value)) ?? zeroVector) as Vector3;
  const read = given('rpy')?.map(({ value }) => readAngle(value));
  if (!read) return { frame: { ...identityFrame, translation }, angles: zeroVector, snapped: undefined };
  const angles = read.map(({ angle }) => angle) as unknown as Vector3;
  const [roll, pitch, yaw] = angles;
  const rotation = multiplyMatrices(rotationZ(yaw), multiplyMatrices(rotationY(pitch), rotationX(roll)));
  const snapped = read.some((each) => each.snapped) ? element.place.at('rpy') : undefined;
  return { frame: { rotation, translation }, angles, snapped };
}

/** A unit vector, exactly: the length stays a square root. */
function readAxis(joint: XmlElement): Vector3 {
  const element = single(joint, 'axis');
  if (!element || element.attribute('xyz') === undefined) return unitVectors[0];
  checkAttributes(element, ['xyz']);
  const direction = readTriple(element, 'xyz').map(({ value }) => rational(value));
  if (direction.every(isZero))
    throw element.at('xyz').error('zero-axis', 'the axis is the zero vector', 'write for example xyz="0 0 1"');
  const length = sqrt(plus(...direction.map(square)));
  return direction.map((entry) => divide(entry, length)) as unknown as Vector3;
}

/**
 * Without both limits there is none; one that is missing beside the other is zero, as URDF defines. A range that is empty, or
 * has no end, is written for none.
 */
function readBounds(element: XmlElement | undefined, joint: string): Pick<UrdfJoint, 'bounds' | 'notes'> {
  const none = { bounds: {}, notes: [] };
  if (!element || (element.attribute('lower') === undefined && element.attribute('upper') === undefined)) return none;
  const read = (key: 'lower' | 'upper'): number => {
    const text = element.attribute(key);
    if (text === undefined) return 0;
    if (/^\s*[+-]?inf(inity)?\s*$/i.test(text)) return text.includes('-') ? -Infinity : Infinity;
    return evaluate([rational(readNumber(element, key))])[0]!;
  };
  const [lower, upper] = [read('lower'), read('upper')];
  if (lower < upper) return { ...none, bounds: Number.isFinite(upper - lower) ? { lower, upper } : {} };
  const message = `the limits of ${joint}, ${lower} to ${upper}, leave no room and are ignored`;
  return { ...none, notes: [{ location: element.place.location, message }] };
}

function readMimic(element: XmlElement | undefined): UrdfMimic | undefined {
  if (!element) return undefined;
  const number = (key: 'multiplier' | 'offset', standard: string): string => {
    if (element.attribute(key) === undefined) return standard;
    readNumber(element, key);
    return element.attribute(key)!.trim();
  };
  const joint = required(element, 'joint', 'mimic joint="…"');
  return { place: element.place, joint, multiplier: number('multiplier', '1'), offset: number('offset', '0') };
}
