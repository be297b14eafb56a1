/**
 * Reads the mechanics of a URDF file (`urdf-contents.ts`). Everything else of URDF (shapes, materials, transmissions, extensions of
 * simulators) is not read.
 */
import { rational } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { rotateSymmetric, zeroVector } from '../../symbolic/graph/vector.ts';
import { Problems } from '../source/diagnostics.ts';
import {
  jointTypes,
  type UrdfInertia,
  type UrdfJoint,
  type UrdfJointType,
  type UrdfLink,
  type UrdfRobot,
} from './urdf-contents.ts';
import { xmlDocument, type XmlElement } from '../imported/xml-document.ts';
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
