/**
 * A serial chain out of a URDF tree: from one link to another, what fixed joints hold together made one rigid body.
 */
import type { KanegenError } from '../symbolic/error.ts';
import { divide, isZero, plus, times, zero } from '../symbolic/expr.ts';
import { nearest } from '../symbolic/nearest.ts';
import {
  addSymmetric,
  addVectors,
  composeFrames,
  identityFrame,
  mapSymmetric,
  mapVector,
  pointInertia,
  rotateSymmetric,
  scaleVector,
  subtractVectors,
  transformPoint,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
} from '../symbolic/vector.ts';
import type { RigidBody, Warning } from './robot.ts';
import type { Place } from './source.ts';
import type { UrdfInertia, UrdfJoint, UrdfLink, UrdfRobot } from './urdf-model.ts';

/** A link of the URDF that belongs to a rigid body, seen from the frame of that body. */
export interface UrdfMember {
  readonly link: UrdfLink;
  readonly frame: Frame;
}

/** Links that fixed joints hold together. */
export interface UrdfBody {
  /** The first is the link that the joint before carries; its frame is that of the body. */
  readonly members: readonly UrdfMember[];
  /** Where the next body's joint sits, or the last link of the chain. */
  readonly exit: Frame;
  /** The last link of the chain that belongs to this body. */
  readonly exitLink: UrdfLink;
}

export interface UrdfChain {
  /** What `from` stands for: it is part of whatever the chain is put on. */
  readonly base: UrdfBody;
  /** From base to tip: a moving joint and what it carries. */
  readonly moving: readonly { readonly joint: UrdfJoint; readonly body: UrdfBody }[];
  /** Moving joints at either end that are not part of the chain, and everything behind them. */
  readonly leftOut: readonly UrdfJoint[];
  /** What was changed or ignored while reading the parts of this chain. */
  readonly notes: readonly Warning[];
}

/** What a robot file says about the chain, with the places where it says so. */
export interface UrdfRequest {
  readonly place: Place;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const isMoving = (joint: UrdfJoint): boolean => joint.type !== 'fixed';

/**
 * @throws KanegenError `unknown-link`, `not-a-chain`, `branched` or `not-supported`, in the robot file where a name is
 * wrong and in the URDF file where a joint is.
 */
export function chainOf(urdf: UrdfRobot, request: UrdfRequest): UrdfChain {
  const from = request.from === undefined ? urdf.root : linkNamed(urdf, request, 'from');
  const to = request.to === undefined ? onlyLeaf(from) : linkNamed(urdf, request, 'to');
  const path = pathBetween(from, to, request);
  for (const joint of path) checkJoint(joint);
  const bodies = rigidBodies(from, to, path);
  const leftOut = branches(bodies, path);
  return {
    base: bodies[0]!,
    moving: path.filter(isMoving).map((joint, i) => ({ joint, body: bodies[i + 1]! })),
    leftOut,
    notes: notesOf(bodies, path),
  };
}

function linkNamed(urdf: UrdfRobot, { place, from, to }: UrdfRequest, key: 'from' | 'to'): UrdfLink {
  const name = (key === 'from' ? from : to)!;
  const found = urdf.links.get(name);
  if (found) return found;
  const known = [...urdf.links.keys()];
  const close = nearest(name, known);
  throw place
    .at(key)
    .error(
      'unknown-link',
      `${urdf.document.file} has no link \`${name}\``,
      close ? `did you mean \`${close}\`?` : `its links: ${known.slice(0, 30).join(', ')}`,
    );
}

/** The joints from one link down to the other. */
function pathBetween(from: UrdfLink, to: UrdfLink, { place }: UrdfRequest): UrdfJoint[] {
  const path: UrdfJoint[] = [];
  for (let link = to; link !== from; link = path[0]!.parent) {
    if (link.joint) {
      path.unshift(link.joint);
      continue;
    }
    const reversed = isBelow(from, to);
    throw place
      .at('to')
      .error(
        'not-a-chain',
        `\`${to.name}\` is not carried by \`${from.name}\``,
        reversed
          ? `swap them: \`from: ${to.name}\`, \`to: ${from.name}\``
          : 'give as `from` a link between the root and `to`',
      );
  }
  return path;
}

function isBelow(link: UrdfLink, ancestor: UrdfLink): boolean {
  for (let at: UrdfLink | undefined = link; at; at = at.joint?.parent) if (at === ancestor) return true;
  return false;
}

// ---------------------------------------------------------------------------------------------- the end of the chain

/** Where a chain that begins at `from` ends. @throws KanegenError `branched` when there are several ends. */
function onlyLeaf(from: UrdfLink): UrdfLink {
  let body = membersOf(from);
  let first = from;
  for (;;) {
    const exits = body.flatMap(({ link }) => link.outgoing.filter(isMoving));
    if (exits.length > 1) throw branched(first, exits);
    if (exits.length === 0) return lastLink(first, body);
    first = exits[0]!.child;
    body = membersOf(first);
  }
}

/** The end of a body that no joint leaves: the one link that carries no other. */
function lastLink(first: UrdfLink, body: readonly UrdfMember[]): UrdfLink {
  const leaves = body.map(({ link }) => link).filter((link) => link.outgoing.length === 0);
  if (leaves.length === 1) return leaves[0]!;
  const names = leaves.map((link) => `\`${link.name}\``).join(' and ');
  throw leaves[1]!.place.error(
    'branched',
    `the chain has no single end: ${names} are all fixed to \`${first.name}\``,
    `say where it ends: \`to: ${leaves[0]!.name}\``,
  );
}

function branched(link: UrdfLink, exits: readonly UrdfJoint[]): KanegenError {
  const joints = exits.map((joint) => `\`${joint.name}\` (to \`${joint.child.name}\`)`).join(', ');
  const ends = exits.map((joint) => `\`to: ${firstLeaf(joint.child).name}\``).join(', ');
  return exits[1]!.place.error(
    'branched',
    `the robot branches at \`${link.name}\`: ${joints}`,
    `write a link with \`urdf:\` for each branch, side by side on the same \`parent:\`, and say where each ends: ${ends}`,
  );
}

function firstLeaf(link: UrdfLink): UrdfLink {
  let leaf = link;
  while (leaf.outgoing[0]) leaf = leaf.outgoing[0].child;
  return leaf;
}

// ---------------------------------------------------------------------------------------------- rigid bodies

/** `link` and everything that fixed joints attach to it, seen from `link`; fixed joints before the others. */
function membersOf(link: UrdfLink): UrdfMember[] {
  const members: UrdfMember[] = [{ link, frame: identityFrame }];
  for (const { link: at, frame } of members)
    for (const joint of at.outgoing)
      if (!isMoving(joint)) members.push({ link: joint.child, frame: composeFrames(frame, joint.origin.frame) });
  return members;
}

function rigidBodies(from: UrdfLink, to: UrdfLink, path: readonly UrdfJoint[]): UrdfBody[] {
  const moving = path.filter(isMoving);
  const heads = [from, ...moving.map((joint) => joint.child)];
  return heads.map((head, i) => {
    const members = membersOf(head);
    const next = moving[i];
    const exitLink = next ? next.parent : to;
    const { frame } = members.find(({ link }) => link === exitLink)!;
    return { members, exitLink, exit: next ? composeFrames(frame, next.origin.frame) : frame };
  });
}

/** Joints that leave the chain: allowed at its ends, where a robot may be cut. */
function branches(bodies: readonly UrdfBody[], path: readonly UrdfJoint[]): UrdfJoint[] {
  return bodies.flatMap((body, i) => {
    const leaving = body.members.flatMap(({ link }) => link.outgoing.filter((j) => isMoving(j) && !path.includes(j)));
    const [first] = leaving;
    if (!first || i === 0 || i === bodies.length - 1) return leaving;
    throw first.place.error(
      'branched',
      `the joint \`${first.name}\` (to \`${first.child.name}\`) leaves the chain at \`${first.parent.name}\``,
      `end this chain there, \`to: ${first.parent.name}\`, and write a link for each branch, ` +
        `\`urdf: { …, from: ${first.parent.name}, to: … }\`, on \`parent: NAME.${first.parent.name}\``,
    );
  });
}

function checkJoint(joint: UrdfJoint): void {
  if (joint.type === 'floating' || joint.type === 'planar')
    throw joint.place.error(
      'not-supported',
      `\`${joint.name}\`: joints of type ${joint.type} are not read from URDF files`,
      `begin the chain behind it, \`from: ${joint.child.name}\`, on a link with \`joint: ${joint.type === 'planar' ? 'planar' : 'free'}\``,
    );
  if (joint.mimic)
    throw joint.mimic.error(
      'not-supported',
      `\`${joint.name}\` copies the motion of another joint (<mimic>), which is not supported yet`,
      'remove <mimic> to make it a joint of its own, or make the joint fixed',
    );
}

function notesOf(bodies: readonly UrdfBody[], path: readonly UrdfJoint[]): Warning[] {
  const links = bodies.flatMap((body) => body.members.map(({ link }) => link));
  const fixed = links.flatMap(({ joint }) => (joint && !path.includes(joint) && joint.type === 'fixed' ? [joint] : []));
  const angles = [...path, ...fixed].flatMap((joint) =>
    joint.origin.notes.map((note) => ({ ...note, message: `joint ${joint.name}: ${note.message}` })),
  );
  const inertias = links.flatMap(({ name, inertial }) =>
    (inertial?.notes ?? []).map((note) => ({ ...note, message: `inertia of ${name}: ${note.message}` })),
  );
  const lossy = path.filter((joint) => isMoving(joint) && joint.losses);
  const losses = lossy[0]
    ? [
        {
          location: lossy[0].losses!.location,
          message: `damping and friction are left out: ${lossy.map((joint) => joint.name).join(', ')}`,
        },
      ]
    : [];
  return [...angles, ...inertias, ...losses];
}

// ---------------------------------------------------------------------------------------------- mass

/** An inertia in the axes of a body, from its frame. */
interface PlacedInertia {
  readonly mass: UrdfInertia['mass'];
  readonly centre: Vector3;
  readonly inertia: Symmetric3;
}

/**
 * Everything that is fixed together as one rigid body.
 * @param distal - body frame → distal frame of the link.
 */
export function rigidBodyOf(members: readonly UrdfMember[], distal: Frame): RigidBody {
  const placed = members.flatMap(({ link: { inertial }, frame }) =>
    inertial
      ? [
          {
            mass: inertial.mass,
            centre: transformPoint(frame, inertial.centreOfMass),
            inertia: rotateSymmetric(frame.rotation, inertial.inertia),
          },
        ]
      : [],
  );
  const whole = placed.length === 1 ? placed[0]! : together(placed);
  return { kind: 'rigid', mass: whole.mass, centreOfMass: whole.centre, inertia: whole.inertia, distal };
}

/** Masses add, and inertias about the common centre of mass. */
function together(parts: readonly PlacedInertia[]): PlacedInertia {
  const mass = plus(...parts.map((part) => part.mass));
  const noInertia: Symmetric3 = [zero, zero, zero, zero, zero, zero];
  const first = addVectors(zeroVector, ...parts.map((part) => scaleVector(part.mass, part.centre)));
  const centre = isZero(mass) ? zeroVector : mapVector(first, (e) => divide(e, mass));
  const shifted = parts.map((part) => {
    const offset = subtractVectors(part.centre, centre);
    return addSymmetric(
      part.inertia,
      mapSymmetric(pointInertia(offset), (e) => times(part.mass, e)),
    );
  });
  return { mass, centre, inertia: addSymmetric(noInertia, ...shifted) };
}

export function hasMass({ members }: UrdfBody): boolean {
  return members.some(
    ({ link: { inertial } }) => inertial && [inertial.mass, ...inertial.inertia].some((e) => !isZero(e)),
  );
}
