/**
 * Parts of URDF trees as links of a robot: names, what each part is put on, and what several parts of one file have in common.
 */
import { evaluate, foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { divide, sqrt, type Expr } from '../../symbolic/graph/expr.ts';
import {
  composeFrames,
  cross,
  dot,
  frameEntries,
  identityFrame,
  inverseFrame,
  mapVector,
  scaleVector,
  subtractVectors,
  unitVectors,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { fixedJoint, jointWith } from '../joints/joint.ts';
import { hasPossibleInertia, UNPHYSICAL, type LinkContext } from '../bodies/rigid-body.ts';
import type { Joint, Link, Location, NamedFrame, UrdfPlace } from '../model/robot.ts';
import type { Warning } from '../model/warnings.ts';
import type { Place } from '../source/source.ts';
import { hasMass, rigidBodyOf, type UrdfBranch, type UrdfMember, type UrdfPart } from './urdf-part.ts';
import type { UrdfJoint, UrdfLink } from './urdf-contents.ts';
import { ImportedNames } from '../imported/imported-names.ts';

/** One `urdf:` of a robot file. */
export interface UrdfEntry {
  readonly name: string;
  readonly part: UrdfPart;
  /** Where the joint in front of `from` sits: a frame on a link, −1 for the base. */
  readonly mounted: { readonly link: number; readonly offset: Frame };
  /** The joint in front of `from`. */
  readonly joint: Joint;
  /** The links of the robot so far; those of this part follow. */
  readonly links: readonly Link[];
  readonly place: Place;
  readonly context: LinkContext;
  /** Inertias that no body has are meant so. */
  readonly unphysical: boolean;
}

export interface UrdfLinks {
  /** With the names of the coordinates of its joint. */
  readonly links: readonly { readonly link: Link; readonly coordinates: readonly string[] }[];
  /** Every URDF link of the part that is not the distal frame of a link; link −1 for those fixed to the base. */
  readonly references: readonly NamedFrame[];
  /** All of them, wherever they are. */
  readonly places: readonly UrdfPlace[];
}

/** A frame on a link of the robot, −1 for the base. */
interface Spot {
  readonly on: number;
  readonly frame: Frame;
}

/** The same, with everything that is fixed to the same moving link seen from that one, in numbers. */
interface Anchor {
  readonly on: number;
  readonly entries: readonly number[];
}

/** Found out when it is asked for: most robots name a file once. */
type LazyAnchor = () => Anchor;

interface PlacedJoint {
  readonly seat: LazyAnchor;
  /** Of the link that the joint carries. */
  readonly link: number;
  /** Distal frame of that link → URDF link behind the joint. */
  readonly head: Frame;
}

/** Two frames are the same when no entry differs by more. */
const SAME_PLACE = 1e-12;

function isSame(first: LazyAnchor, second: LazyAnchor): boolean {
  const [a, b] = [first(), second()];
  const isNear = (entry: number, i: number): boolean =>
    Math.abs(entry - b.entries[i]!) <= SAME_PLACE * (1 + Math.abs(entry));
  return a.on === b.on && a.entries.every(isNear);
}

/** What a robot has already of the links and joints of URDF files, and where. */
class Inventory {
  private readonly bodies = new Map<UrdfLink, LazyAnchor[]>();
  private readonly joints = new Map<UrdfJoint, PlacedJoint[]>();

  has(link: UrdfLink, at: LazyAnchor): boolean {
    return this.bodies.get(link)?.some((other) => isSame(other, at)) ?? false;
  }

  jointAt(joint: UrdfJoint, seat: LazyAnchor): PlacedJoint | undefined {
    return this.joints.get(joint)?.find((other) => isSame(other.seat, seat));
  }

  addBody(link: UrdfLink, at: LazyAnchor): void {
    this.bodies.set(link, [...(this.bodies.get(link) ?? []), at]);
  }

  addJoint(joint: UrdfJoint, placed: PlacedJoint): void {
    this.joints.set(joint, [...(this.joints.get(joint) ?? []), placed]);
  }
}

/** All parts of URDF files that a robot takes. What two of them share is there once. */
export class UrdfParts {
  private readonly inventory = new Inventory();
  private readonly cuts: { readonly entry: UrdfEntry; readonly joint: UrdfJoint; readonly seat: LazyAnchor }[] = [];

  /** @throws KanegenError `negative-inertia`. */
  add(entry: UrdfEntry): UrdfLinks {
    checkInertias(entry);
    const builder = new PartBuilder(entry, this.inventory);
    const result = builder.build();
    for (const { joint, seat } of builder.leftOut) this.cuts.push({ entry, joint, seat });
    return result;
  }

  /** What stays out of the robot although its URDF file has it, for every part. */
  get leftOut(): Warning[] {
    const missing = this.cuts.filter(({ joint, seat }) => !this.inventory.jointAt(joint, seat));
    return [...new Set(missing.map(({ entry }) => entry))].map((entry) => {
      const cuts = missing.filter((cut) => cut.entry === entry).map(({ joint }) => joint);
      const list = cuts.map(({ name, parent, child }) => `${name} (${parent.name} → ${child.name})`).join(', ');
      return {
        name: 'urdf-left-out',
        location: entry.place.location,
        message: `\`${entry.name}\` leaves out the joints ${list} and the masses behind them`,
      };
    });
  }
}

function checkInertias({ part, context, unphysical, place }: UrdfEntry): void {
  const members = [part.base, ...part.branches.map(({ body }) => body)].flatMap((body) => body.members);
  const wrong = members.flatMap(({ link: { inertial } }) =>
    inertial && !hasPossibleInertia(inertial.place, inertial, context, 'check the values of this link')
      ? [inertial.place]
      : [],
  );
  if (!unphysical) wrong.forEach((at) => context.warn(at, 'inertia-no-body-has', UNPHYSICAL));
  else if (wrong.length === 0)
    context.warn(place.at('unphysical-inertia'), 'needless-unphysical', 'a body can have every inertia of this part');
}

/** Parts of one file are put together at every value that run-time parameters may have, not where they happen to meet. */
function scattered(defaults: ReadonlyMap<Expr, number>): ReadonlyMap<Expr, number> {
  return new Map(
    [...defaults].map(([own, value], i) => [own, value * (1 + 0.1 * Math.sin(i + 1)) + Math.sin(3 * i + 1)]),
  );
}

class PartBuilder {
  /** Joints of the file that sit on bodies of the part without being part of it. */
  readonly leftOut: { readonly joint: UrdfJoint; readonly seat: LazyAnchor }[] = [];
  private readonly entry: UrdfEntry;
  private readonly inventory: Inventory;
  private readonly links: { link: Link; coordinates: readonly string[] }[] = [];
  private readonly references: NamedFrame[] = [];
  private readonly places: UrdfPlace[] = [];
  private readonly linkNames: ImportedNames;
  private readonly jointNames: ImportedNames;

  constructor(entry: UrdfEntry, inventory: Inventory) {
    this.entry = entry;
    this.inventory = inventory;
    this.linkNames = new ImportedNames('link', `${entry.name}.`);
    this.jointNames = new ImportedNames('joint', `${entry.name}.`);
  }

  build(): UrdfLinks {
    const { part, context } = this.entry;
    part.notes.forEach((note) => context.note(note));
    part.warnings.forEach(({ place, message }) => context.warn(place, 'urdf-left-out', message));
    const spots = [this.base()];
    const shared: UrdfJoint[] = [];
    for (const [i, branch] of part.branches.entries()) {
      const seat = seatOf(branch, spots);
      const placed = this.inventory.jointAt(branch.joint, this.anchor(seat));
      if (placed) shared.push(branch.joint);
      spots.push(placed ? this.sharedBody(branch, placed, i === part.end) : this.ownBody(branch, seat));
    }
    for (const branch of part.leftOut)
      this.leftOut.push({ joint: branch.joint, seat: this.anchor(seatOf(branch, spots)) });
    this.noteShared(shared);
    for (const note of [...this.linkNames.notes, ...this.jointNames.notes]) context.note(note);
    return { links: this.links, references: this.references, places: this.places };
  }

  /** @returns where the link `from` is. */
  private base(): Spot {
    const { part, mounted, joint, name, place } = this.entry;
    const { members, named } = part.base;
    const spot = { on: mounted.link, frame: mounted.offset };
    if (joint.coordinates.length > 0) {
      const coordinates = joint.coordinates.map((quantity) => `${name}.${quantity.name}`);
      return this.addLink({ members, named, spot, joint, coordinates, place });
    }
    const own = this.notYetThere(members, spot);
    // What is fixed to the base of the robot moves nothing, so its mass has no effect.
    const weighs = mounted.link >= 0 && hasMass(own);
    if (weighs || part.branches.length === 0) return this.addFixed(part.base.members, own, named, spot);
    for (const member of members) this.addMember(member, spot, true);
    return spot;
  }

  /** A body that another part brought with it. @returns where its first link is. */
  private sharedBody({ body }: UrdfBranch, placed: PlacedJoint, isEnd: boolean): Spot {
    const spot = { on: placed.link, frame: placed.head };
    // What follows sits on the end of the part, which needs a link for that.
    if (isEnd) return this.addFixed(body.members, [], body.named, spot);
    for (const member of body.members) this.addMember(member, spot, true);
    return spot;
  }

  private ownBody({ joint, body }: UrdfBranch, seat: Spot): Spot {
    const spot = { on: seat.on, frame: composeFrames(seat.frame, joint.origin.frame) };
    const motion = motionOf(joint);
    const name = this.jointNames.of(joint);
    const coordinates =
      motion.coordinates.length === 1 ? [name] : motion.coordinates.map((quantity) => `${name}.${quantity.name}`);
    const at = this.addLink({ ...body, spot, joint: motion, coordinates, place: joint.place });
    this.inventory.addJoint(joint, { seat: this.anchor(seat), link: at.on, head: at.frame });
    return at;
  }

  private addFixed(
    members: readonly UrdfMember[],
    massive: readonly UrdfMember[],
    named: UrdfMember,
    spot: Spot,
  ): Spot {
    return this.addLink({ members, massive, named, spot, joint: fixedJoint, coordinates: [], place: this.entry.place });
  }

  /** @returns where the first of the members is. */
  private addLink(own: {
    readonly members: readonly UrdfMember[];
    /** Those that weigh something; all when missing. */
    readonly massive?: readonly UrdfMember[];
    readonly named: UrdfMember;
    /** Where the joint sits. */
    readonly spot: Spot;
    readonly joint: Joint;
    readonly coordinates: readonly string[];
    readonly place: Place;
  }): Spot {
    const { members, massive = members, named, spot } = own;
    const on = this.entry.links.length + this.links.length;
    const location: Location = own.place.location;
    const name = this.linkNames.of(named.link);
    const link: Link = {
      name,
      parent: spot.on,
      offset: spot.frame,
      joint: own.joint,
      mount: identityFrame,
      body: rigidBodyOf(massive, named.frame),
      location,
    };
    this.links.push({ link, coordinates: own.coordinates });
    const here = { on, frame: inverseFrame(named.frame) };
    for (const member of members) this.addMember(member, here, member !== named);
    return here;
  }

  private addMember({ link, frame }: UrdfMember, spot: Spot, isReference: boolean): void {
    const here = { on: spot.on, frame: composeFrames(spot.frame, frame) };
    this.inventory.addBody(link, this.anchor(here));
    this.places.push({ file: link.place.document.file, name: link.name, link: here.on, offset: here.frame });
    if (isReference) this.references.push({ name: this.linkNames.of(link), link: here.on, offset: here.frame });
  }

  private notYetThere(members: readonly UrdfMember[], { on, frame }: Spot): UrdfMember[] {
    return members.filter(
      (member) => !this.inventory.has(member.link, this.anchor({ on, frame: composeFrames(frame, member.frame) })),
    );
  }

  private anchor(spot: Spot): LazyAnchor {
    let known: Anchor | undefined;
    return () => (known ??= this.anchored(spot));
  }

  private anchored(spot: Spot): Anchor {
    const { links, context } = this.entry;
    let { on, frame } = spot;
    for (;;) {
      const link = on < links.length ? links[on] : this.links[on - links.length]!.link;
      if (!link || link.body.kind !== 'rigid' || link.joint.coordinates.length > 0) break;
      frame = [link.offset, link.mount, link.body.distal, frame].reduce(composeFrames);
      on = link.parent;
    }
    const entries = frameEntries(frame);
    return { on, entries: [context.defaults, scattered(context.defaults)].flatMap((at) => evaluate(entries, at)) };
  }

  private noteShared(joints: readonly UrdfJoint[]): void {
    if (joints.length === 0) return;
    const { place, name, context } = this.entry;
    const list = joints.map((joint) => joint.name).join(', ');
    context.note({
      location: place.location,
      message: `\`${name}\` shares joints with an earlier part of the same file; they exist once: ${list}`,
    });
  }
}

/** The link of the robot on which the joint of a branch sits. */
function seatOf({ carrier, seat }: Omit<UrdfBranch, 'body'>, spots: readonly Spot[]): Spot {
  const { on, frame } = spots[carrier + 1]!;
  return { on, frame: composeFrames(frame, seat.frame) };
}

function motionOf({ type, axis, bounds, forces, driveLimits, place }: UrdfJoint): Joint {
  switch (type) {
    case 'floating':
      return jointWith('free', {}, {}, {}, {}, place);
    case 'spherical':
      return jointWith('spherical', {}, {}, {}, {}, place);
    case 'planar': {
      const [first, second] = planeAcross(axis);
      return jointWith('planar', { first, second }, {}, {}, {}, place);
    }
    case 'continuous':
    case 'fixed':
    case 'prismatic':
    case 'revolute':
      return jointWith(type === 'prismatic' ? 'prismatic' : 'revolute', { axis }, bounds, forces, driveLimits, place);
  }
}

/** Two perpendicular unit vectors across a third: x and y for z, y and z for x, z and x for y. */
export function planeAcross(axis: Vector3): readonly [Vector3, Vector3] {
  const sizes = foldConstants(axis).map(Math.abs);
  const largest = sizes.indexOf(Math.max(...sizes));
  const other = unitVectors[(largest + 1) % 3]!;
  const across = subtractVectors(other, scaleVector(dot(axis, other), axis));
  const first = mapVector(across, (entry) => divide(entry, sqrt(dot(across, across))));
  return [first, cross(axis, first)];
}
