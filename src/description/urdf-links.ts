/**
 * URDF chains as links of a robot: names, what each chain is put on, and what several chains of one file have in common.
 */
import type { KanegenError } from '../symbolic/error.ts';
import { evaluate } from '../symbolic/evaluate.ts';
import { composeFrames, frameEntries, identityFrame, inverseFrame, type Frame } from '../symbolic/vector.ts';
import { fixedJoint, jointAbout } from './joint.ts';
import { checkInertia, type LinkContext } from './rigid-body.ts';
import type { Joint, Link, Location, NamedFrame, Warning } from './robot.ts';
import type { Place } from './source.ts';
import { hasMass, rigidBodyOf, type UrdfBody, type UrdfChain, type UrdfMember } from './urdf-chain.ts';
import type { UrdfJoint, UrdfLink } from './urdf-model.ts';

/** One `urdf:` of a robot file. */
export interface UrdfEntry {
  readonly name: string;
  readonly chain: UrdfChain;
  /** Where `from` sits: a frame on a link, −1 for the base. */
  readonly mounted: { readonly link: number; readonly offset: Frame };
  /** Index that the first link of the chain gets. */
  readonly first: number;
  readonly place: Place;
  readonly context: LinkContext;
}

export interface UrdfLinks {
  readonly links: readonly { readonly link: Link; readonly coordinate: string | undefined }[];
  /** Every URDF link of the chain that is not the distal frame of a link; link −1 for those fixed to the base. */
  readonly references: readonly NamedFrame[];
}

/** Two frames are the same when no entry differs by more. */
const SAME_PLACE = 1e-12;

interface Placed {
  readonly link: UrdfLink;
  readonly on: number;
  readonly frame: readonly number[];
}

/** All chains that a robot takes from URDF files. */
export class UrdfChains {
  private readonly placed: Placed[] = [];
  private readonly joints = new Set<UrdfJoint>();
  private readonly entries: UrdfEntry[] = [];

  /** @throws KanegenError `malformed-name`, `duplicate-name` or `negative-inertia`. */
  add(entry: UrdfEntry): UrdfLinks {
    const { chain } = entry;
    const bodies = [chain.base, ...chain.moving.map(({ body }) => body)];
    for (const { inertial } of bodies.flatMap(({ members }) => members.map(({ link }) => link)))
      if (inertial) checkInertia(inertial.place, inertial.inertia, entry.context, 'check the values of this link');
    const result = new ChainBuilder(entry, this.isPlaced(entry)).build();
    this.entries.push(entry);
    for (const { joint } of chain.moving) this.joints.add(joint);
    const { mounted } = entry;
    for (const { link, frame } of chain.base.members)
      this.place(entry, link, mounted.link, composeFrames(mounted.offset, frame));
    for (const { link, on, frame } of result.members) this.place(entry, link, on, frame);
    return result;
  }

  /** What stays out of the robot although its URDF file has it, for every chain. */
  get leftOut(): Warning[] {
    return this.entries.flatMap(({ name, chain, place }) => {
      const missing = chain.leftOut.filter((joint) => !this.joints.has(joint));
      if (missing.length === 0) return [];
      const list = missing.map((joint) => `${joint.name} (${joint.parent.name} → ${joint.child.name})`).join(', ');
      const message = `\`${name}\` leaves out the joints ${list} and the masses behind them`;
      return [{ location: place.location, message }];
    });
  }

  private place({ context }: UrdfEntry, link: UrdfLink, on: number, frame: Frame): void {
    this.placed.push({ link, on, frame: evaluate(frameEntries(frame), context.defaults) });
  }

  /** Is the link where this chain begins, with its mass, there already, as part of another chain? */
  private isPlaced({ chain, mounted, context }: UrdfEntry): boolean {
    const { link } = chain.base.members[0]!;
    const here = evaluate(frameEntries(mounted.offset), context.defaults);
    return this.placed.some(
      (other) =>
        other.link === link &&
        other.on === mounted.link &&
        other.frame.every((entry, i) => Math.abs(entry - here[i]!) <= SAME_PLACE),
    );
  }
}

interface PlacedMember {
  readonly link: UrdfLink;
  readonly on: number;
  /** Distal frame of link `on` → URDF link. */
  readonly frame: Frame;
}

class ChainBuilder {
  readonly members: PlacedMember[] = [];
  private readonly entry: UrdfEntry;
  private readonly baseCounted: boolean;
  private readonly links: { link: Link; coordinate: string | undefined }[] = [];
  private readonly references: NamedFrame[] = [];
  private readonly linkNames: Names;
  private readonly jointNames: Names;

  constructor(entry: UrdfEntry, baseCounted: boolean) {
    this.entry = entry;
    this.baseCounted = baseCounted;
    this.linkNames = new Names(entry);
    this.jointNames = new Names(entry);
  }

  build(): UrdfLinks & { readonly members: readonly PlacedMember[] } {
    const { chain, mounted, context } = this.entry;
    for (const { location, message } of chain.notes) context.note({ location, message });
    let on = mounted.link;
    let offset = this.base();
    if (this.links.length > 0) on = this.entry.first;
    for (const { joint, body } of chain.moving) {
      const last = body === chain.moving.at(-1)!.body;
      on = this.addLink(body, on, offset, axisJoint(joint), last, joint);
      offset = body.exit;
    }
    return { links: this.links, references: this.references, members: this.members };
  }

  /** @returns where the first joint sits, on what the chain is put on. */
  private base(): Frame {
    const { chain, mounted } = this.entry;
    const { base } = chain;
    // What is fixed to the base of the robot moves nothing, so its mass has no effect.
    const weighs = mounted.link >= 0 && hasMass(base) && !this.baseCounted;
    if (weighs || chain.moving.length === 0) {
      this.addLink(base, mounted.link, mounted.offset, fixedJoint, chain.moving.length === 0, undefined);
      return base.exit;
    }
    for (const member of base.members)
      this.addMember(member, mounted.link, composeFrames(mounted.offset, member.frame), true);
    return composeFrames(mounted.offset, base.exit);
  }

  private addLink(
    body: UrdfBody,
    parent: number,
    offset: Frame,
    joint: Joint,
    last: boolean,
    urdfJoint: UrdfJoint | undefined,
  ): number {
    const { first } = this.entry;
    const head = last ? body.exitLink : body.members[0]!.link;
    const distal = last ? body.exit : identityFrame;
    const index = first + this.links.length;
    const location: Location = urdfJoint?.place.location ?? this.entry.place.location;
    const link: Link = {
      name: this.linkNames.of(head),
      parent,
      offset,
      joint,
      mount: identityFrame,
      body: rigidBodyOf(body.members, distal),
      location,
    };
    const coordinate = urdfJoint && this.jointNames.of(urdfJoint);
    this.links.push({ link, coordinate });
    const back = inverseFrame(distal);
    for (const member of body.members)
      this.addMember(member, index, last ? composeFrames(back, member.frame) : member.frame, member.link !== head);
    return index;
  }

  private addMember({ link }: UrdfMember, on: number, frame: Frame, named: boolean): void {
    this.members.push({ link, on, frame });
    if (named) this.references.push({ name: this.linkNames.of(link), link: on, offset: frame });
  }
}

/** URDF allows any text as a name; what is no letter, digit or _ becomes _. */
class Names {
  private readonly entry: UrdfEntry;
  private readonly places = new Map<string, Place>();

  constructor(entry: UrdfEntry) {
    this.entry = entry;
  }

  /** @throws KanegenError when nothing is left of the name, or another one became the same. */
  of({ name, place }: { readonly name: string; readonly place: Place }): string {
    const safe = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
    if (safe === '' || safe.length > LONGEST_NAME) throw unusable(name, place);
    const full = `${this.entry.name}.${safe}`;
    const holder = this.places.get(safe);
    if (holder === undefined) {
      this.places.set(safe, place);
      if (safe !== name)
        this.entry.context.note({ location: place.location, message: `\`${name}\` is called \`${full}\`` });
    } else if (holder !== place)
      throw place.error('duplicate-name', `\`${name}\` would be called \`${full}\`, like another one`, 'rename it');
    return full;
  }
}

const LONGEST_NAME = 64;

function unusable(name: string, place: Place): KanegenError {
  return place.error(
    'malformed-name',
    `\`${name.slice(0, LONGEST_NAME)}\` cannot be made a name`,
    `use letters, digits and _, at most ${LONGEST_NAME}`,
  );
}

function axisJoint({ type, axis, bounds, place }: UrdfJoint): Joint {
  return jointAbout(type === 'prismatic' ? 'prismatic' : 'revolute', axis, bounds, place);
}
