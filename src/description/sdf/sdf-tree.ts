/**
 * Links and joints of SDF as a tree of bodies: what fixed joints hold together is one body, each body has one joint on the way from the
 * world, or is free; all other joints close loops. Gearboxes and mimics are equations between coordinates.
 */
import {
  cross,
  dot,
  minus,
  originOf,
  poseAlong,
  poseOf,
  relative,
  rotationOfColumns,
  transposed,
  turned,
} from '../../common/poses.ts';
import type { TreeBody, TreeEnd, TreeEquation, TreeJoint, TreeSite } from '../imported/body-tree.ts';
import { NO_MASS, type MassProperties } from '../imported/mass-of-shapes.ts';
import { meantRotation } from '../imported/meant-rotations.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import { isLimited, isLoaded, type Carrier, type SdfJoint } from './sdf-joints.ts';
import { WORLD, type SdfLink } from './sdf-scopes.ts';
import type { Tell } from './sdf-values.ts';

/** What the file has, each seen from the world where all joints are at zero. */
export interface SdfContents {
  readonly place: Place;
  readonly links: readonly {
    readonly link: SdfLink;
    readonly name: string;
    readonly pose: readonly number[];
    readonly mass: MassProperties;
    readonly isStatic: boolean;
  }[];
  readonly joints: readonly SdfJoint[];
  readonly frames: readonly {
    readonly name: string;
    readonly place: Place;
    readonly on: Carrier;
    readonly pose: readonly number[];
  }[];
}

/** Sets of links that hold together. */
class Groups {
  private readonly over = new Map<Carrier, Carrier>();

  of(link: Carrier): Carrier {
    let at = link;
    for (let next = this.over.get(at); next !== undefined; next = this.over.get(at)) at = next;
    return at;
  }

  /** @returns false where they hold together already. */
  join(a: Carrier, b: Carrier): boolean {
    const [one, other] = [this.of(a), this.of(b)];
    if (one === other) return false;
    // The world stays what its group is called by.
    if (one === WORLD) this.over.set(other, one);
    else this.over.set(one, other);
    return true;
  }
}

/** A joint as the tree takes it. */
interface Step {
  readonly joint: SdfJoint;
  readonly from: Carrier;
  readonly to: SdfLink;
  /** From child to parent: axes point the other way, coordinates stay. */
  readonly isReversed: boolean;
}

export class SdfTree {
  private readonly contents: SdfContents;
  private readonly problems: Problems;
  private readonly warn: Tell;
  private readonly note: Tell;
  private readonly rigid = new Groups();
  private readonly poses = new Map<Carrier, readonly number[]>();
  private readonly bodies = new Map<Carrier, TreeBody>();
  /** Of one axis each. */
  private readonly coordinates = new Map<SdfJoint, readonly TreeJoint[]>();
  private readonly steps = new Map<SdfJoint, Step>();

  constructor(contents: SdfContents, problems: Problems, tell: { readonly warn: Tell; readonly note: Tell }) {
    this.contents = contents;
    this.problems = problems;
    this.warn = tell.warn;
    this.note = tell.note;
    for (const { link, pose } of contents.links) this.poses.set(link, pose);
  }

  read(): { readonly world: TreeBody; readonly equations: readonly TreeEquation[] } {
    const { links, joints } = this.contents;
    for (const { link, isStatic } of links) if (isStatic) this.rigid.join(WORLD, link);
    for (const { type, parent, child } of joints) if (type === 'fixed') this.rigid.join(parent, child);
    const moving = joints.filter((joint) => this.moves(joint));
    const closing = this.span(moving);
    const world = this.tree(moving.filter((joint) => !closing.includes(joint)));
    this.problems.finish();
    const equations = [
      ...closing.map((joint) => this.problems.attempt(() => this.loop(joint))),
      ...joints.flatMap((joint) => this.couplings(joint)),
    ].filter((equation) => equation !== undefined);
    return { world, equations };
  }

  /** Fixed joints and gearboxes carry nothing; nor do joints whose links are fixed to each other. */
  private moves(joint: SdfJoint): boolean {
    if (joint.type === 'fixed' || joint.type === 'gearbox') return false;
    if (this.rigid.of(joint.parent) !== this.rigid.of(joint.child)) return true;
    this.note(joint.place, `\`${joint.name}\` is left out: its links are fixed to each other`);
    return false;
  }

  /**
   * Joints that close loops: of each loop one whose part a loop can take, which nothing acts along and which has no limits, if there is one,
   * that stands last in the file.
   */
  private span(moving: readonly SdfJoint[]): readonly SdfJoint[] {
    const led = new Set(
      moving.flatMap((joint) => joint.axes.flatMap(({ mimic }) => (mimic ? [mimic.joint, joint.name] : []))),
    );
    const rank = (joint: SdfJoint): number => {
      if (joint.mustClose) return 4;
      if (joint.type === 'screw' || joint.type === 'revolute2' || led.has(joint.name)) return 0;
      return isLoaded(joint) ? 1 : isLimited(joint) ? 2 : 3;
    };
    const together = new Groups();
    const isTaken = (joint: SdfJoint): boolean =>
      together.join(this.rigid.of(joint.parent), this.rigid.of(joint.child));
    const ranked = moving.map((joint, i) => ({ joint, i, rank: rank(joint) }));
    ranked.sort((a, b) => a.rank - b.rank || a.i - b.i);
    return ranked.filter(({ joint }) => !isTaken(joint)).map(({ joint }) => joint);
  }

  /** From the world outwards; what it does not reach is free, beginning with a link that no joint carries. */
  private tree(joints: readonly SdfJoint[]): TreeBody {
    const reached = new Set<Carrier>();
    const world = this.body(WORLD, WORLD, [], joints, reached);
    const children = [...world.children];
    for (const { link } of [...this.roots(joints), ...this.contents.links]) {
      if (reached.has(this.rigid.of(link))) continue;
      this.note(
        link.element.place,
        `\`${link.fullName}\` is free, as the file has it: a fixed joint from the world would hold it`,
      );
      const free = {
        ...nothing(link.element.place),
        kind: 'free',
        name: '',
        anchor: [0, 0, 0],
        axis: [0, 0, 1],
      } as const;
      children.push(this.body(link, WORLD, [free], joints, reached));
    }
    const whole = { ...world, children };
    this.bodies.set(WORLD, whole);
    return whole;
  }

  private roots(joints: readonly SdfJoint[]): SdfContents['links'] {
    const carried = new Set(joints.map(({ child }) => this.rigid.of(child)));
    const children = new Set(this.contents.joints.map(({ child }) => child));
    return this.contents.links.filter(({ link }) => !carried.has(this.rigid.of(link)) && !children.has(link));
  }

  /**
   * @param link that its group hangs on.
   * @param around the link that carries it.
   * @param reached groups that have a place in the tree.
   */
  private body(
    link: Carrier,
    around: Carrier,
    own: readonly TreeJoint[],
    joints: readonly SdfJoint[],
    reached: Set<Carrier>,
  ): TreeBody {
    const group = this.rigid.of(link);
    reached.add(group);
    const members = this.contents.links
      .map((each) => each.link)
      .filter((each) => this.rigid.of(each) === group && each !== link);
    // A joint leads away from the group when what is behind it has no place yet.
    const outwards = (on: Carrier): TreeBody[] =>
      joints.flatMap((joint) => {
        const isReversed = joint.child === on;
        if (!isReversed && joint.parent !== on) return [];
        const to = isReversed ? joint.parent : joint.child;
        if (reached.has(this.rigid.of(to))) return [];
        const step: Step = { joint, from: on, to: to as SdfLink, isReversed };
        this.steps.set(joint, step);
        return [this.body(to, on, this.treeJoints(step), joints, reached)];
      });
    const fixed = members.map((member) => this.plain(member, link, [], outwards(member)));
    return this.plain(link, around, own, [...fixed, ...outwards(link)]);
  }

  /** @param around what the body is on. */
  private plain(link: Carrier, around: Carrier, joints: readonly TreeJoint[], children: readonly TreeBody[]): TreeBody {
    const data = this.contents.links.find((each) => each.link === link);
    const pose = this.poseOf(link);
    const body: TreeBody = {
      name: data?.name ?? '',
      place: link === WORLD ? this.contents.place : link.element.place,
      pose: seen(this.poseOf(around), pose),
      joints,
      mass: data?.mass ?? NO_MASS,
      sites: this.contents.frames.flatMap(({ on, name, place, pose: own }): TreeSite[] =>
        on === link ? [{ name, place, pose: seen(pose, own) }] : [],
      ),
      children,
    };
    this.bodies.set(link, body);
    return body;
  }

  private poseOf(link: Carrier): readonly number[] {
    return link === WORLD ? poseOf([1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0]) : this.poses.get(link)!;
  }

  private treeJoints({ joint, to, isReversed }: Step): readonly TreeJoint[] {
    const { type, place, axes, pitch, name } = joint;
    const pose = this.poseOf(to);
    const back = transposed(pose);
    const anchor = withoutDust(turned(back, minus(joint.anchor, originOf(pose))));
    if (type === 'ball') return [{ ...nothing(place), kind: 'ball', name, anchor, axis: [0, 0, 1] }];
    const kind = type === 'prismatic' ? 'slide' : type === 'screw' ? 'screw' : 'hinge';
    const made = axes.map((axis, i): TreeJoint => {
      const direction = settledAxis(turned(back, axis.direction));
      const { stiffness, damping, friction, rest, limits, driveLimits } = axis;
      return {
        ...nothing(axis.place),
        ...{ kind, anchor, stiffness, damping, friction, rest, limits, driveLimits },
        name: axes.length === 1 ? name : `${name}_${i + 1}`,
        axis: isReversed ? direction.map((x) => -x) : direction,
        ...(pitch !== undefined && { pitch }),
      };
    });
    this.coordinates.set(joint, made);
    return isReversed ? [...made].reverse() : made;
  }

  // -------------------------------------------------------------------------------------------- equations

  private loop(joint: SdfJoint): TreeEquation {
    const { type, name, place, parent, child } = joint;
    const remedy = 'make another joint of the loop the one that closes it: <must_be_loop_joint>';
    if (type === 'screw' || type === 'revolute2')
      throw place.error('not-supported', `\`${name}\` closes a loop: a ${type} joint cannot`, remedy);
    if (isLoaded(joint))
      throw place.error('not-supported', `\`${name}\` closes a loop: nothing can act along its axes`, remedy);
    if (isLimited(joint)) this.warn(place, `\`${name}\` closes a loop and has no coordinate: its limits are left out`);
    this.note(place, `\`${name}\` closes a loop`);
    const frame = loopFrame(joint);
    const end = (link: Carrier): TreeEnd => ({ body: this.bodies.get(link)!, pose: seen(this.poseOf(link), frame) });
    const kind =
      type === 'ball'
        ? 'spherical'
        : type === 'prismatic'
          ? 'prismatic'
          : type === 'universal'
            ? 'universal'
            : 'revolute';
    return { name, place, kind, a: end(parent), b: end(child) };
  }

  /** Equations between coordinates that a joint states. */
  private couplings(joint: SdfJoint): TreeEquation[] {
    const mimics = joint.axes.flatMap(({ mimic }, i) => (mimic ? [{ mimic, i }] : []));
    const made = mimics.flatMap(({ mimic, i }) => {
      const equation = this.problems.attempt((): TreeEquation => {
        const leader = this.contents.joints.find(({ scope, name }) => scope === joint.scope && name === mimic.joint);
        const followed = leader && this.coordinates.get(leader)?.[mimic.axis === 'axis' ? 0 : 1];
        const own = this.coordinates.get(joint)?.[i];
        if (!followed || !own)
          throw mimic.place.error(
            'unknown-joint',
            `\`${joint.name}\` cannot follow \`${mimic.joint}\`: one of them has no such coordinate`,
            'name a joint of the same model that moves, and closes no loop',
          );
        const { multiplier, offset, reference } = mimic;
        const coefficients = [offset - multiplier * reference, multiplier];
        return {
          name: `${joint.name}_mimic`,
          place: mimic.place,
          kind: 'joint',
          joint: own,
          other: followed,
          coefficients,
        };
      });
      return equation ? [equation] : [];
    });
    const gear = joint.gear && this.problems.attempt(() => this.gearbox(joint));
    return gear ? [...made, gear] : made;
  }

  /** θ₂ = −ratio θ₁: of both shafts, seen from the body that they turn in. */
  private gearbox(joint: SdfJoint): TreeEquation {
    const { name, place, gear, parent, child, axes } = joint;
    if (isLoaded(joint)) throw place.error('not-supported', 'nothing can act along axes of a gearbox', SHAFTS);
    const shaft = (link: Carrier, axis: readonly number[]): { readonly own: TreeJoint; readonly sign: number } => {
      const body = this.rigid.of(gear!.body);
      for (const [shaftJoint, coordinates] of this.coordinates) {
        const ends = [this.rigid.of(shaftJoint.parent), this.rigid.of(shaftJoint.child)];
        if (!ends.includes(body) || !ends.includes(this.rigid.of(link)) || coordinates.length !== 1) continue;
        const along = dot(shaftJoint.axes[0]!.direction, axis);
        if (coordinates[0]!.kind !== 'hinge' || Math.abs(Math.abs(along) - 1) > 1e-9) continue;
        return { own: coordinates[0]!, sign: (ends[0] === body ? 1 : -1) * Math.sign(along) };
      }
      throw place.error(
        'not-supported',
        `a shaft of the gearbox \`${name}\` is not a revolute joint of its body about its axis`,
        SHAFTS,
      );
    };
    const first = shaft(parent, axes[0]!.direction);
    const second = shaft(child, axes[1]!.direction);
    const ratio = -gear!.ratio * first.sign * second.sign;
    return { name, place, kind: 'joint', joint: second.own, other: first.own, coefficients: [0, ratio] };
  }
}

const SHAFTS = 'write two revolute joints between the shafts and <gearbox_reference_body>, and forces there';

/** Below this, m or of unit vectors, poses through the world are rounding. */
const DUST = 1e-15;
const withoutDust = (entries: readonly number[]): readonly number[] =>
  entries.map((x) => (Math.abs(x) <= DUST ? 0 : x));

/** b as a sees it, both seen from the world; rotations by right angles exactly. */
function seen(a: readonly number[], b: readonly number[]): readonly number[] {
  const own = relative(a, b);
  return withoutDust([...meantRotation(own), ...own.slice(9)]);
}

/** Unit vectors along axes exactly. */
function settledAxis(direction: readonly number[]): readonly number[] {
  const isAxis = direction.every((x) => Math.abs(x - Math.round(x)) <= 1e-12);
  return isAxis ? direction.map((x) => Math.round(x)) : withoutDust(direction);
}

/** Where the joint stands, seen from the world: z along its axis, or x and y along both. */
function loopFrame({ type, axes, anchor, place }: SdfJoint): readonly number[] {
  if (type === 'ball') return poseOf([1, 0, 0, 0, 1, 0, 0, 0, 1], anchor);
  const [first, second] = axes.map(({ direction }) => direction) as [readonly number[], readonly number[] | undefined];
  if (!second) return poseAlong(first, anchor);
  if (Math.abs(dot(first, second)) > 1e-9)
    throw place.error(
      'not-supported',
      'both axes of a universal joint that closes a loop are perpendicular',
      'make them so',
    );
  return poseOf(rotationOfColumns([first, second, cross(first, second)]), anchor);
}

/** A joint that nothing acts along. */
const nothing = (
  place: Place,
): Pick<
  TreeJoint,
  'place' | 'reference' | 'limits' | 'stiffness' | 'rest' | 'damping' | 'friction' | 'armature' | 'effort'
> => ({
  place,
  ...{
    reference: 0,
    limits: undefined,
    stiffness: 0,
    rest: 0,
    damping: 0,
    friction: 0,
    armature: 0,
    effort: undefined,
  },
});
