/**
 * What a URDF file says about mechanics: links with their inertia, joints with origin, axis and limits. Numbers are
 * exact decimals; angles that were meant as multiples of a right angle are made so. Everything else of URDF (shapes,
 * materials, transmissions, extensions of simulators) is not read.
 */
import { evaluate } from '../symbolic/evaluate.ts';
import { divide, isZero, pi, plus, rational, scale, sqrt, square, zero, type Expr } from '../symbolic/expr.ts';
import { nearest } from '../symbolic/nearest.ts';
import { ratio, Rational } from '../symbolic/rational.ts';
import { toText } from '../symbolic/print.ts';
import {
  identityFrame,
  multiplyMatrices,
  rotateSymmetric,
  unitVectors,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
} from '../symbolic/vector.ts';
import { Problems } from './diagnostics.ts';
import { rotationX, rotationY, rotationZ } from './pose.ts';
import type { Warning } from './robot.ts';
import type { Place, SourceDocument } from './source.ts';
import { xmlDocument, type XmlElement } from './urdf-document.ts';

/** A pose as URDF gives it, with what was changed while reading it. */
export interface UrdfOrigin {
  readonly frame: Frame;
  readonly notes: readonly Warning[];
}

export interface UrdfInertia {
  readonly mass: Expr;
  /** In the axes of the link, from its origin. */
  readonly centreOfMass: Vector3;
  /** About the centre of mass, in the axes of the link. */
  readonly inertia: Symmetric3;
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

export const jointTypes = ['revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar'] as const;
export type UrdfJointType = (typeof jointTypes)[number];

export interface UrdfJoint {
  readonly name: string;
  readonly type: UrdfJointType;
  readonly place: Place;
  readonly parent: UrdfLink;
  readonly child: UrdfLink;
  /** Link `parent` → joint, which is link `child` when the joint is at zero. */
  readonly origin: UrdfOrigin;
  /** Unit vector in the axes of the joint; of moving joints only. */
  readonly axis: Vector3;
  readonly bounds: { readonly lower?: number; readonly upper?: number };
  readonly mimic: Place | undefined;
  /** Damping or friction that is not zero. */
  readonly losses: Place | undefined;
}

export interface UrdfRobot {
  readonly document: SourceDocument;
  readonly root: UrdfLink;
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
  return { document, links, root: rootOf(root, links) };
}

function checkKind(root: XmlElement): void {
  if (root.name !== 'robot')
    throw root.place.error(
      'not-urdf',
      `this is not URDF: the file begins with <${root.name}>, not with <robot>`,
      'convert the model to URDF first',
    );
  const unexpanded = root.children.find((element) => element.name.startsWith('xacro:'));
  if (unexpanded)
    throw unexpanded.place.error(
      'not-supported',
      `<${unexpanded.name}>: this file is xacro, which has to be expanded before it is URDF`,
      'run `xacro FILE.urdf.xacro > FILE.urdf` and name the result here',
    );
}

/** The one link that no joint carries. Every link has at most one joint, so that a missing root means a circle. */
function rootOf(robot: XmlElement, links: ReadonlyMap<string, UrdfLink>): UrdfLink {
  const roots = [...links.values()].filter((link) => link.joint === undefined);
  const [root, second] = roots;
  if (!root)
    throw robot.place.error(
      'malformed-urdf',
      links.size === 0 ? 'the robot has no links' : 'the joints form a circle: no link is the root',
      'check `parent` and `child` of the joints',
    );
  if (second)
    throw second.place.error(
      'malformed-urdf',
      `\`${root.name}\` and \`${second.name}\` are both roots: no joint carries them`,
      'connect them by a joint, or remove the one that is not part of the robot',
    );
  const reached = new Set<UrdfLink>();
  for (const pending = [root]; pending.length > 0;) {
    const link = pending.pop()!;
    reached.add(link);
    pending.push(...link.outgoing.map((joint) => joint.child));
  }
  const lost = [...links.values()].find((link) => !reached.has(link));
  if (lost)
    throw lost.place.error(
      'malformed-urdf',
      `\`${lost.name}\` hangs on a circle of joints that never reaches the root \`${root.name}\``,
      'check `parent` and `child` of the joints',
    );
  return root;
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
    if (!mass || !inertia)
      throw element.place.error(
        'malformed-urdf',
        `<inertial> has no <${mass ? 'inertia' : 'mass'}>`,
        mass ? 'write <inertia ixx="…" iyy="…" izz="…" ixy="…" ixz="…" iyz="…"/>' : 'write <mass value="…"/>',
      );
    const kilograms = readNumber(mass, 'value');
    if (Rational.isNegative(kilograms))
      throw mass.at('value').error('negative-mass', 'the mass is negative', 'write a mass of zero or more');
    checkAttributes(inertia, MATRIX_ENTRIES);
    const entries = MATRIX_ENTRIES.map((key) =>
      inertia.attribute(key) === undefined && !['ixx', 'iyy', 'izz'].includes(key)
        ? zero
        : rational(readNumber(inertia, key)),
    ) as unknown as Symmetric3;
    return {
      mass: rational(kilograms),
      centreOfMass: origin.frame.translation,
      inertia: rotateSymmetric(origin.frame.rotation, entries),
      notes: origin.notes,
      place: inertia.place,
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
    const losses = single(element, 'dynamics');
    const lossy = ['damping', 'friction'].some(
      (key) => losses?.attribute(key) !== undefined && !Rational.isZero(readNumber(losses, key)),
    );
    const origin = single(element, 'origin');
    return {
      name,
      type,
      place: element.place,
      parent: end('parent'),
      child: end('child'),
      origin: readOrigin(origin),
      axis: type === 'revolute' || type === 'continuous' || type === 'prismatic' ? readAxis(element) : zeroVector,
      bounds: type === 'revolute' || type === 'prismatic' ? readBounds(single(element, 'limit')) : {},
      mimic: single(element, 'mimic')?.place,
      losses: lossy ? losses!.place : undefined,
    };
  }
}

// ---------------------------------------------------------------------------------------------- elements

function duplicate(place: Place, message: string): Error {
  return place.error('duplicate-name', message, 'rename one of them');
}

function required(element: XmlElement, attribute: string, example: string): string {
  const text = element.attribute(attribute)?.trim();
  if (text) return text;
  throw element.place.error('malformed-urdf', `<${element.name}> has no \`${attribute}\``, `write <${example}>`);
}

/** The child of that name, undefined without one. */
function single(element: XmlElement, name: string): XmlElement | undefined {
  const [first, second] = element.children.filter((child) => child.name === name);
  if (second) throw second.place.error('malformed-urdf', `<${element.name}> has two <${name}>`, 'remove one of them');
  return first;
}

/** URDF is full of extensions, so unknown elements are skipped; but not those that are a misspelled known one. */
function checkElements(element: XmlElement, problems: Problems): void {
  const known = KNOWN_ELEMENTS[element.name]!;
  for (const child of element.children) {
    const close = known.includes(child.name) ? undefined : nearest(child.name, known);
    if (close)
      problems.add(child.place.error('unknown-element', `unknown element <${child.name}>`, `did you mean <${close}>?`));
  }
}

function checkAttributes(element: XmlElement, known: readonly string[]): void {
  for (const name of element.attributeNames)
    if (!known.includes(name))
      throw element.place
        .at(name)
        .keyError(
          'unknown-attribute',
          `<${element.name}> has no attribute \`${name}\``,
          `its attributes: ${known.join(', ')}`,
        );
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
  if (token.includes('${')) fail(`\`${token}\` is an expression of xacro`, 'expand the file with xacro first');
  const value = token.length > LONGEST_NUMBER ? undefined : Rational.parse(token);
  if (!value) return fail(`\`${token.slice(0, 40)}\` is not a number`, 'write a decimal number such as -0.25 or 1e-3');
  const size = Math.abs(Number(token));
  if (!Number.isFinite(size) || (size < 1e-300 && !Rational.isZero(value)))
    fail(`\`${token}\` is out of range`, 'write a finite number, or 0');
  return value;
}

function readNumber(element: XmlElement, attribute: string): Rational {
  const text = element.attribute(attribute);
  if (text === undefined)
    throw element.place.error('malformed-urdf', `<${element.name}> has no \`${attribute}\``, `write ${attribute}="…"`);
  return readToken(element.at(attribute), text.trim(), text.length - text.trimStart().length);
}

/** Three numbers, with their texts. */
function readTriple(element: XmlElement, attribute: string): { value: Rational; text: string }[] {
  const text = element.attribute(attribute)!;
  const tokens = [...text.matchAll(/\S+/g)];
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
  if (!element) return { frame: identityFrame, notes: [] };
  checkAttributes(element, ['xyz', 'rpy']);
  const translation =
    element.attribute('xyz') === undefined
      ? zeroVector
      : (readTriple(element, 'xyz').map(({ value }) => rational(value)) as unknown as Vector3);
  if (element.attribute('rpy') === undefined) return { frame: { ...identityFrame, translation }, notes: [] };
  const written = readTriple(element, 'rpy');
  const angles = written.map(({ value }) => readAngle(value));
  const [roll, pitch, yaw] = angles.map(({ angle }) => angle) as [Expr, Expr, Expr];
  const snapped = angles.flatMap(({ angle, snapped: changed }, i) =>
    changed ? [`${written[i]!.text} is read as ${toText(angle)}`] : [],
  );
  const notes =
    snapped.length === 0 ? [] : [{ location: element.place.at('rpy').location, message: snapped.join(', ') }];
  const rotation = multiplyMatrices(rotationZ(yaw), multiplyMatrices(rotationY(pitch), rotationX(roll)));
  return { frame: { rotation, translation }, notes };
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

/** Without both limits there is none; one that is missing beside the other is zero, as URDF defines. */
function readBounds(element: XmlElement | undefined): { lower?: number; upper?: number } {
  if (!element || (element.attribute('lower') === undefined && element.attribute('upper') === undefined)) return {};
  const read = (key: 'lower' | 'upper'): number =>
    element.attribute(key) === undefined ? 0 : evaluate([rational(readNumber(element, key))])[0]!;
  const bounds = { lower: read('lower'), upper: read('upper') };
  if (bounds.lower > bounds.upper)
    throw element
      .at('lower')
      .error('wrong-value', `the lower limit ${bounds.lower} exceeds the upper one ${bounds.upper}`, 'swap them');
  return bounds;
}
