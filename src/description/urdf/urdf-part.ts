/**
 * The part of a URDF tree that a robot takes: everything that one link carries, or the chain from it to another link. What
 * fixed joints hold together is one rigid body.
 */
import { isZero } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { composeFrames, identityFrame, zeroVector, type Frame, type Vector3 } from '../../symbolic/graph/vector.ts';
import { rigidTogether } from '../imported/rigid-together.ts';
import type { RigidBody } from '../model/robot.ts';
import type { Remark } from '../model/warnings.ts';
import type { Place } from '../source/source.ts';
import type { UrdfJoint, UrdfLink, UrdfRemark, UrdfRobot } from './urdf-contents.ts';

/** A link of the URDF that belongs to a rigid body, seen from the frame of that body. */
export interface UrdfMember {
  readonly link: UrdfLink;
  readonly frame: Frame;
  /** Roll, pitch and yaw of the frame, where the file says them in one place. */
  readonly angles: Vector3 | undefined;
}

/** Links that fixed joints hold together. */
export interface UrdfBody {
  /** The first is the link that the joint before carries; its frame is that of the body. */
  readonly members: readonly UrdfMember[];
  /** The link after which the body is called: the first, or where the robot ends, the one that carries no other. */
  readonly named: UrdfMember;
}

/** A joint that moves, and what it carries. */
export interface UrdfBranch {
  readonly joint: UrdfJoint;
  /** The body it sits on: an index into `branches`, −1 for `base`. */
  readonly carrier: number;
  /** The link it sits on, as part of that body. */
  readonly seat: UrdfMember;
  readonly body: UrdfBody;
}

export interface UrdfPart {
  /** What `from` stands for: it is part of whatever the part is put on. */
  readonly base: UrdfBody;
  /** Carriers before what they carry, in the order of the file. */
  readonly branches: readonly UrdfBranch[];
  /** Index into `branches` of the one body that carries no other (−1: `base`); undefined when there are several. */
  readonly end: number | undefined;
  /** Moving joints that sit on bodies of the part and are not part of it, nor is anything behind them. */
  readonly leftOut: readonly { readonly joint: UrdfJoint; readonly carrier: number; readonly seat: UrdfMember }[];
  /** What was changed or ignored while reading these bodies and joints. */
  readonly notes: readonly Remark[];
  /** What is not as the file says. */
  readonly warnings: readonly UrdfRemark[];
}

/** What a robot file says about the part, with the places where it says so. */
export interface UrdfRequest {
  readonly place: Place;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const isMoving = (joint: UrdfJoint): boolean => joint.type !== 'fixed';

/** @throws KanegenError `unknown-link` or `not-a-chain` in the robot file, `several-roots` in the URDF file. */
export function partOf(urdf: UrdfRobot, request: UrdfRequest): UrdfPart {
  const to = request.to === undefined ? undefined : linkNamed(urdf, request, 'to');
  const from = request.from === undefined ? rootOf(urdf, to) : linkNamed(urdf, request, 'from');
  const path = to && new Set(pathBetween(from, to, request));
  const bodies: UrdfBody[] = [bodyAt(from)];
  const branches: Omit<UrdfBranch, 'body'>[] = [];
  const leftOut: Omit<UrdfBranch, 'body'>[] = [];
  const exits = (carrier: number): Omit<UrdfBranch, 'body'>[] =>
    bodies[carrier + 1]!.members.flatMap((seat) =>
      seat.link.outgoing.filter(isMoving).map((joint) => ({ joint, carrier, seat })),
    );
  for (const pending = exits(-1).reverse(); pending.length > 0;) {
    const branch = pending.pop()!;
    if (path && !path.has(branch.joint)) {
      leftOut.push(branch);
      continue;
    }
    branches.push(branch);
    bodies.push(bodyAt(branch.joint.child));
    pending.push(...exits(branches.length - 1).reverse());
  }
  const carriers = new Set(branches.map(({ carrier }) => carrier));
  const ends = bodies.flatMap((_, i) => (carriers.has(i - 1) ? [] : [i]));
  for (const i of ends) bodies[i] = { ...bodies[i]!, named: to ? memberOf(bodies[i]!, to) : endOf(bodies[i]!) };
  return {
    base: bodies[0]!,
    branches: branches.map((branch, i) => ({ ...branch, body: bodies[i + 1]! })),
    end: ends.length === 1 ? ends[0]! - 1 : undefined,
    leftOut,
    ...remarks(
      bodies,
      branches.map(({ joint }) => joint),
    ),
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

/** The root that carries `to`, or the only one. */
function rootOf(urdf: UrdfRobot, to: UrdfLink | undefined): UrdfLink {
  let link = to;
  while (link?.joint) link = link.joint.parent;
  if (link) return link;
  const [root, second] = urdf.roots;
  if (!second) return root!;
  const names = urdf.roots.map(({ name }) => `\`${name}\``);
  throw second.place.error(
    'several-roots',
    `the file holds ${names.length} robots: no joint carries ${names.slice(0, 10).join(', ')}`,
    `choose one, for example \`from: ${root!.name}\`, or connect them by a joint`,
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
        `\`${to.name}\` does not follow \`${from.name}\``,
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

// ---------------------------------------------------------------------------------------------- rigid bodies

/** `link` and everything that fixed joints attach to it, seen from `link`. */
function bodyAt(link: UrdfLink): UrdfBody {
  const members: UrdfMember[] = [{ link, frame: identityFrame, angles: zeroVector }];
  for (const { link: at, frame, angles } of members)
    for (const joint of at.outgoing)
      if (!isMoving(joint))
        members.push({
          link: joint.child,
          frame: composeFrames(frame, joint.origin.frame),
          angles: composeAngles(angles, joint.origin.angles),
        });
  return { members, named: members[0]! };
}

/** Of two rotations one after the other, where one of them is none. */
export function composeAngles(outer: Vector3 | undefined, inner: Vector3 | undefined): Vector3 | undefined {
  if (inner?.every(isZero)) return outer;
  return outer?.every(isZero) ? inner : undefined;
}

function memberOf({ members }: UrdfBody, link: UrdfLink): UrdfMember {
  return members.find((member) => member.link === link)!;
}

/** The one link of a body that carries no other; the first where there are several. */
function endOf({ members }: UrdfBody): UrdfMember {
  const leaves = members.filter(({ link }) => link.outgoing.length === 0);
  return leaves.length === 1 ? leaves[0]! : members[0]!;
}

/** Joints by name, in one line of bearable length. */
function listOf(names: readonly string[]): string {
  const shown = 12;
  return names.length <= shown
    ? names.join(', ')
    : `${names.slice(0, shown).join(', ')} and ${names.length - shown} more`;
}

/** One warning about several joints, at the first. */
function collected(found: readonly { readonly what: string; readonly place: Place }[], message: string): UrdfRemark[] {
  return found[0] ? [{ place: found[0].place, message: `${message}: ${listOf(found.map(({ what }) => what))}` }] : [];
}

function remarks(bodies: readonly UrdfBody[], moving: readonly UrdfJoint[]): Pick<UrdfPart, 'notes' | 'warnings'> {
  const links = bodies.flatMap((body) => body.members.map(({ link }) => link));
  const inner = new Set(bodies.flatMap((body) => body.members.slice(1).map(({ link }) => link.joint!)));
  const joints = [...moving, ...inner];
  const origins = [
    ...joints.map(({ name, origin }) => ({ what: name, origin })),
    ...links.map(({ name, inertial }) => ({ what: `the inertia of ${name}`, origin: inertial?.origin })),
  ];
  const turned = origins.flatMap(({ what, origin }) =>
    origin?.snapped ? [{ what, location: origin.snapped.location }] : [],
  );
  const early = origins.flatMap(({ what, origin }) => (origin?.early ? [{ what, place: origin.early }] : []));
  const passed = joints.flatMap(({ name, passedOver }) => passedOver.map(({ what, place }) => ({ what, name, place })));
  const foreign = [...new Set(passed.map(({ what }) => what))].map(
    (what) =>
      [what, passed.flatMap((own) => (own.what === what ? [{ what: own.name, place: own.place }] : []))] as const,
  );
  const lossy = moving.flatMap(({ name, losses }) => (losses ? [{ what: name, location: losses.location }] : []));
  const dry = moving.flatMap(({ name, forces, place }) =>
    forces.friction ? [{ what: name, location: place.location }] : [],
  );
  const remark = (found: readonly { what: string; location: Remark['location'] }[], message: string): Remark[] =>
    found[0] ? [{ location: found[0].location, message: `${message}: ${listOf(found.map(({ what }) => what))}` }] : [];
  return {
    notes: [
      ...remark(turned, 'angles within 1e-9 of a multiple of pi/2 are read as that multiple'),
      ...remark(dry, 'dry friction is smooth below 0.01 rad/s or 1 mm/s'),
      ...remark(lossy, 'damping and friction of joints with several coordinates are left out'),
      ...joints.flatMap((joint) => joint.notes),
      ...links.flatMap(({ inertial }) => inertial?.notes ?? []),
    ],
    warnings: [
      ...collected(
        early,
        '`quat_xyzw` is of URDF 1.1: it counts here, but not for other readers, as <robot> does not say version="1.1"',
      ),
      ...foreign.flatMap(([what, found]) => collected(found, `${what} is not read here`)),
      ...joints.flatMap((joint) => joint.warnings),
      ...moving.flatMap(({ name, mimic }) =>
        mimic
          ? [
              {
                place: mimic.place,
                message:
                  `\`${name}\` copies \`${mimic.joint}\` (<mimic>) and is a coordinate of its own here: ` +
                  `set it to ${mimic.multiplier}*${mimic.joint}${mimic.offset === '0' ? '' : ` + ${mimic.offset}`} ` +
                  `and add ${mimic.multiplier} times its force to that of ${mimic.joint}`,
              },
            ]
          : [],
      ),
    ],
  };
}

// ---------------------------------------------------------------------------------------------- mass

/**
 * Everything that is fixed together as one rigid body.
 * @param distal - body frame → distal frame of the link.
 */
export function rigidBodyOf(members: readonly UrdfMember[], distal: Frame): RigidBody {
  const parts = members.flatMap(({ link: { inertial }, frame }) => (inertial ? [{ ...inertial, frame }] : []));
  const { mass, centreOfMass, inertia } = rigidTogether(parts);
  return { kind: 'rigid', mass, centreOfMass, inertia, distal };
}

export function hasMass(members: readonly UrdfMember[]): boolean {
  return members.some(
    ({ link: { inertial } }) => inertial && [inertial.mass, ...inertial.inertia].some((e) => !isZero(e)),
  );
}
