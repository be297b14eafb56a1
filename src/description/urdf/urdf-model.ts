/**
 * What a URDF file says about mechanics: links with their inertia, joints with origin, axis and limits. Numbers are
 * exact decimals; angles that were meant as multiples of a right angle are made so. Everything else of URDF (shapes,
 * materials, transmissions, extensions of simulators) is not read.
 */
import { rational, type Expr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { rotateSymmetric, zeroVector, type Frame, type Symmetric3, type Vector3 } from '../../symbolic/graph/vector.ts';
import { Problems } from '../source/diagnostics.ts';
import type { CoordinateForces, DriveLimits } from '../model/robot.ts';
import type { Remark } from '../model/warnings.ts';
import type { Place, SourceDocument } from '../source/source.ts';
import { xmlDocument, type XmlElement } from './urdf-document.ts';
import {
  checkElements,
  checkMechanics,
  duplicate,
  passedOver,
  required,
  single,
  versionOf,
  type UrdfVersion,
} from './urdf-elements.ts';
import {
  readAxis,
  readBounds,
  readDriveLimits,
  readDynamics,
  readInertia,
  readMimic,
  readNumber,
  readOrigin,
} from './urdf-values.ts';

/** Something to be said about a place of the file. */
export interface UrdfRemark {
  readonly place: Place;
  readonly message: string;
}

/** A pose as URDF gives it. */
export interface UrdfOrigin {
  readonly frame: Frame;
  /** Roll, pitch and yaw; exact where they were meant as multiples of a right angle. Undefined: the file gives a quaternion. */
  readonly angles: Vector3 | undefined;
  /** Where angles were made multiples of a right angle. */
  readonly snapped: Place | undefined;
  /** A quaternion in a file that does not say that it is URDF 1.1, where others read none. */
  readonly early: Place | undefined;
}

export interface UrdfInertia {
  readonly mass: Expr;
  /** In the axes of the link, from its origin. */
  readonly centreOfMass: Vector3;
  /** About the centre of mass, in the axes of the link. */
  readonly inertia: Symmetric3;
  readonly origin: UrdfOrigin;
  /** What was missing or ignored. */
  readonly notes: readonly Remark[];
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
type UrdfJointType = (typeof jointTypes)[number];

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
  /** What the drive can do, of joints with one axis. */
  readonly driveLimits: DriveLimits;
  /** What the file says about the joint beside what is read. */
  readonly passedOver: readonly { readonly place: Place; readonly what: string }[];
  /** What was ignored. */
  readonly notes: readonly Remark[];
  /** What is not as the file says. */
  readonly warnings: readonly UrdfRemark[];
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
  const reader = new Reader(versionOf(root));
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
      `<${unexpanded.name}>: this file is xacro: expand it to URDF first`,
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

class Reader {
  readonly problems = new Problems();
  private readonly version: UrdfVersion;

  constructor(version: UrdfVersion) {
    this.version = version;
  }

  readLinks(robot: XmlElement): Map<string, UrdfLink> {
    checkElements(robot, this.problems);
    const links = new Map<string, UrdfLink>();
    for (const element of robot.children.filter((child) => child.name === 'link'))
      this.problems.attempt(() => {
        const name = required(element, 'name', 'link name="upper_arm"');
        if (links.has(name)) throw duplicate(element.at('name'), `two links have the name \`${name}\``);
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
        if (names.has(name)) throw duplicate(element.at('name'), `two joints have the name \`${name}\``);
        names.add(name);
        const joint = this.readJoint(element, name, links);
        if (joint.child.joint)
          throw element.place.error(
            'malformed-urdf',
            `\`${joint.child.name}\` has two joints as parents, \`${joint.child.joint.name}\` and \`${name}\``,
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
    checkMechanics(element);
    const origin = readOrigin(single(element, 'origin'), this.version);
    const mass = single(element, 'mass');
    const inertia = single(element, 'inertia');
    if (!mass) throw element.place.error('malformed-urdf', '<inertial> has no <mass>', 'write <mass value="…"/>');
    const kilograms = readNumber(mass, 'value');
    if (Rational.isNegative(kilograms))
      throw mass.at('value').error('negative-mass', 'the mass is negative', 'write a mass of zero or more');
    const { entries, rounded } = readInertia(inertia, kilograms);
    const place = (inertia ?? element).place;
    const notes = [
      ...(inertia || Rational.isZero(kilograms) ? [] : ['<inertia> is missing: the mass is a point']),
      ...(rounded ? ['moments of inertia that rounding left below zero become zero'] : []),
    ];
    return {
      mass: rational(kilograms),
      centreOfMass: origin.frame.translation,
      inertia: rotateSymmetric(origin.frame.rotation, entries),
      origin,
      notes: notes.map((message) => ({ location: place.location, message })),
      place,
    };
  }

  private readJoint(element: XmlElement, name: string, links: ReadonlyMap<string, UrdfLink>): UrdfJoint {
    checkElements(element, this.problems);
    checkMechanics(element);
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
    const { forces, warnings } = readDynamics(dynamics, name, type === 'prismatic');
    const isLossy = Object.keys(forces).length > 0;
    const limit = single(element, 'limit');
    const { bounds, notes } = readBounds(limit, name);
    const isBounded = type === 'revolute' || type === 'prismatic';
    return {
      name,
      type,
      place: element.place,
      parent: end('parent'),
      child: end('child'),
      origin: readOrigin(single(element, 'origin'), this.version),
      axis: ['revolute', 'continuous', 'prismatic', 'planar'].includes(type) ? readAxis(element) : zeroVector,
      bounds: isBounded ? bounds : {},
      mimic: readMimic(single(element, 'mimic')),
      forces: hasOneAxis ? forces : {},
      losses: isLossy && !hasOneAxis ? dynamics!.place : undefined,
      driveLimits: hasOneAxis ? readDriveLimits(limit) : {},
      notes: isBounded ? notes : [],
      passedOver: passedOver(element),
      warnings,
    };
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
