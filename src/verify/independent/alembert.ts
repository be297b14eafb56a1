/**
 * The equations of motion by D'Alembert's principle, an independent check of everything the compiler derives: every
 * material point's position is evaluated from the robot's own formulas, differentiated by difference quotients in
 * 110-digit arithmetic, and ∫ ∂P/∂q_a · (P̈ − g) dm is summed over the bodies in world axes.
 *
 * No shape integral, no angular velocity, no recursion of wrenches, no symbolic derivative: link by link the poses are
 * multiplied as 4 × 4 matrices with their first and second derivatives, and the mass of a body enters through the
 * moments ∫ β_i β_j dm of the entries of its points' positions, partial derivatives, rates and accelerations.
 */
import type { Decimal } from 'decimal.js';
import {
  prescribedNames,
  type DeformableBody,
  type Link,
  type RigidBody,
  type Robot,
} from '../../description/model/robot.ts';
import type { Anchor, MaterialAnchor } from '../../description/model/frame-terms.ts';
import type { CarriedFrame } from '../../description/model/reference-volume.ts';
import type { Water } from '../../description/model/surroundings.ts';
import { evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { tick } from '../../common/work-limit.ts';
import { decimalForFormulas } from '../arithmetic/trigonometry.ts';
import { multiplyPoses, type Pose } from '../arithmetic/decimal-pose.ts';
import {
  evaluateFrame,
  isSampledInDecimals,
  jointPose,
  sampleBody,
  type Bindings,
  type MaterialBody,
} from '../written/local-kinematics.ts';
import { differentiateMotion, partialsOf, type Motion } from '../arithmetic/motion.ts';
import { coordinateForces, hasCoordinateForces } from '../energies/coordinate-energies.ts';
import type { AlembertResult, State } from './alembert-result.ts';
import { MassSums } from './mass-sums.ts';
import {
  Coarse,
  coarsePose,
  composeMotion,
  constantMotion,
  fixedPose,
  frameResult,
  zeroPose,
  type MovingPose,
} from './moving-pose.ts';
import { PointBody, type MassMoments, type SamplingLimits, type Visit } from './point-body.ts';
import { frameEnergies } from './frame-terms.ts';
import { ContactForces, MutualForces } from '../along-rods/contact-forces.ts';
import { FieldForces } from '../along-rods/field-forces.ts';
import type { Vector } from '../along-rods/plain-vectors.ts';
import { RigidWaterForces } from '../along-rods/rigid-water.ts';
import { WaterForces } from '../along-rods/water-forces.ts';
import { WrittenPlaces } from './written-places.ts';

/** Formulas and difference quotients. */
const Fine = decimalForFormulas(110);
const NUDGE = 1e-20;
export interface Alembert {
  /** One sentence per kind of body with many points: how it was sampled, and to which accuracy. */
  readonly notes: readonly string[];
  /** Relative error that the rules over material points may have, at most. */
  readonly ruleError: number;
  /** Material points of all kinds of bodies, and operations on them at one state. */
  readonly rows: number;
  readonly work: number;
  evaluate(state: State): AlembertResult;
}

interface PreparedLink {
  readonly link: Link;
  readonly offset: Pose;
  readonly mount: Pose;
  readonly first: number;
  readonly jointCount: number;
  readonly bodyCount: number;
  /** Around the body. */
  readonly water?: WaterForces | undefined;
  readonly rigidWater?: RigidWaterForces | undefined;
  readonly fields?: FieldForces | undefined;
  readonly contacts?: ContactForces | undefined;
  /** Moments of generators p_x, p_y, p_z, 1, then ∂p/∂q_a (3 each), ṗ, p̈; of rigid bodies the first four. */
  readonly body: MaterialBody | PointBody | { readonly moments: MassMoments; readonly distal: Pose };
}

/**
 * Prepares the check of a robot: bodies sampled, rigid masses turned into moments. Run-time parameters take the values in
 * `parameters` (by name) or their defaults.
 * @param plan how well and with how many points bodies are sampled.
 */
export function prepareAlembert(
  robot: Robot,
  parameters: Readonly<Record<string, number>> = {},
  plan: SamplingLimits = {},
): Alembert {
  const bindings = new Map<Expr, Decimal>();
  for (const p of robot.parameters) {
    const given = parameters[p.name];
    const value = given === undefined ? evaluateDecimal([p.value], new Map(), Fine)[0]! : exactDecimal(given, Fine);
    bindings.set(p.symbol, value);
  }
  let first = 0;
  const pointBodies = new PointBodies(robot, bindings, plan);
  const links = robot.links.map((link) => {
    const prepared = {
      ...prepareLink(link, first, bindings, pointBodies),
      fields: link.fields && link.body.kind !== 'rigid' ? new FieldForces(link.body, link.fields, bindings) : undefined,
      contacts: link.contacts && new ContactForces(link, bindings),
      water: link.water && link.body.kind !== 'rigid' ? waterAround(robot, link.body, link.water, bindings) : undefined,
      rigidWater: link.rigidWater && new RigidWaterForces(link.rigidWater, worldOf(robot, bindings), bindings),
    };
    first += prepared.jointCount + prepared.bodyCount;
    return prepared;
  });
  const bodies = new Map(
    links.flatMap(({ link, body }) =>
      body instanceof PointBody && link.body.kind === 'deformable' ? [[link.body.type.name, body] as const] : [],
    ),
  );
  return {
    notes: [...bodies].map(
      ([name, { rows, ruleError }]) =>
        `${name}: ${rows} material points in double-double arithmetic, integrals settled to ${ruleError.toExponential(0)}`,
    ),
    ruleError: Math.max(0, ...[...bodies.values()].map((body) => body.ruleError)),
    rows: [...bodies.values()].reduce((sum, body) => sum + body.rows, 0),
    work: links.reduce((sum, { body }) => sum + (body instanceof PointBody ? body.work : 0), 0),
    evaluate: (state) => evaluateState(robot, parameters, links, bindings, state),
  };
}

function prepareLink(link: Link, first: number, bindings: Bindings, pointBodies: PointBodies): PreparedLink {
  const { body } = link;
  return {
    link,
    offset: evaluateFrame(link.offset, bindings, Fine),
    mount: evaluateFrame(link.mount, bindings, Fine),
    first,
    jointCount: link.joint.coordinates.length,
    bodyCount: body.kind === 'rigid' ? 0 : body.type.coordinates.length,
    body:
      body.kind === 'rigid'
        ? { moments: rigidMoments(body, bindings), distal: evaluateFrame(body.distal, bindings, Fine) }
        : isSampledInDecimals(body.type)
          ? sampleBody(body satisfies DeformableBody, bindings, NUDGE, Fine)
          : pointBodies.of(body),
  };
}

function waterAround(robot: Robot, body: DeformableBody, water: Water, bindings: Bindings): WaterForces {
  return new WaterForces(body, water, worldOf(robot, bindings), bindings);
}

function worldOf({ gravity, current }: Robot, bindings: Bindings): { gravity: Vector; current: Vector } {
  return {
    gravity,
    current: current ? evaluateDecimal(current, bindings, Fine).map(Number) : [0, 0, 0],
  };
}

/** Links of one type with the same parameters share their points. */
class PointBodies {
  private readonly robot: Robot;
  private readonly bindings: Bindings;
  private readonly plan: SamplingLimits;
  private readonly known: { readonly body: DeformableBody; readonly points: PointBody }[] = [];

  constructor(robot: Robot, bindings: Bindings, plan: SamplingLimits) {
    this.robot = robot;
    this.bindings = bindings;
    this.plan = plan;
  }

  of(body: DeformableBody): PointBody {
    const equal = this.known.find(({ body: other }) => areEqual(other, body));
    if (equal) return equal.points;
    const points = new PointBody(body, this.bindings, this.plan, this.visitsOf(body));
    this.known.push({ body, points });
    return points;
  }

  /** Configurations of all links with this body. */
  private visitsOf(body: DeformableBody): Visit[] {
    const { visits = [] } = this.plan;
    let first = 0;
    return this.robot.links.flatMap(({ joint, body: own }) => {
      const start = first + joint.coordinates.length;
      const end = start + (own.kind === 'rigid' ? 0 : own.type.coordinates.length);
      first = end;
      if (own.kind === 'rigid' || !areEqual(own, body)) return [];
      return visits.map(({ q, ...time }) => ({ ...time, q: q.slice(start, end) }));
    });
  }
}

function areEqual(a: DeformableBody, b: DeformableBody): boolean {
  return a.type === b.type && a.parameters.every((p, i) => p === b.parameters[i]);
}

/** ∫ p pᵀ dm = ½ tr(I) 1 − I for the inertia I about the proximal origin. */
function rigidMoments(body: RigidBody, bindings: Bindings): MassMoments {
  const values = evaluateDecimal([body.mass, ...body.centreOfMass, ...body.inertia], bindings, Coarse);
  const mass = values[0]!;
  const centre = values.slice(1, 4);
  const [xx, yy, zz, xy, xz, yz] = values.slice(4) as [Decimal, Decimal, Decimal, Decimal, Decimal, Decimal];
  const halfTrace = xx.plus(yy).plus(zz).div(2);
  const central = [
    [halfTrace.minus(xx), xy.neg(), xz.neg()],
    [xy.neg(), halfTrace.minus(yy), yz.neg()],
    [xz.neg(), yz.neg(), halfTrace.minus(zz)],
  ];
  const extended = [...centre, new Coarse(1)];
  const entries = extended.flatMap((a, i) =>
    extended.map((b, j) =>
      mass
        .times(a)
        .times(b)
        .plus(central[i]?.[j] ?? 0),
    ),
  );
  return { size: 4, entries };
}

function evaluateState(
  robot: Robot,
  parameters: Readonly<Record<string, number>>,
  links: readonly PreparedLink[],
  bindings: Bindings,
  state: State,
): AlembertResult {
  const q = state.q.map((x) => exactDecimal(x, Fine));
  const qd = state.qd.map((x) => exactDecimal(x, Fine));
  const followed = prescribedNames(robot).length;
  const total = new MassSums(q.length + followed, robot.gravity);
  let held = q.length;
  const base = fixedPose(evaluateFrame(robot.base, bindings, Fine));
  const distal: (MovingPose | undefined)[] = [];
  const [proximals, seconds]: [MovingPose[], number] = [[], state.t ?? 0];
  for (const prepared of links) {
    const { link } = prepared;
    const parent = link.parent < 0 ? base : distal[link.parent];
    if (!parent) throw new Error(`link ${link.name} hangs on a body without distal frame`);
    const range = (from: number, count: number) => ({
      q: q.slice(from, from + count),
      qd: qd.slice(from, from + count),
    });
    const joint = range(prepared.first, prepared.jointCount);
    const proximal = composeMotion(
      parent,
      jointMotion(prepared, joint, exactDecimal(seconds, Fine), bindings),
      prepared.first,
      prepared.jointCount,
      held,
    );
    held += link.joint.prescribed?.coordinates.length ?? 0;
    proximals.push(proximal);
    const bodyFirst = prepared.first + prepared.jointCount;
    const whole = range(prepared.first, prepared.jointCount + prepared.bodyCount);
    if (hasCoordinateForces(link)) {
      const along = coordinateForces(link, whole, bindings, Fine, Coarse);
      total.addForces(along, prepared.first);
      total.addDrives(along.armature, whole.qd, prepared.first);
    }
    const touching = (body: typeof joint): void => {
      if (prepared.contacts) total.addContacts(prepared.contacts.at(proximal, body.q, body.qd, seconds, bodyFirst));
    };
    if ('moments' in prepared.body) {
      touching({ q: [], qd: [] });
      total.add(proximal, prepared.body.moments, bodyFirst, 0);
      if (prepared.rigidWater) total.addWater(prepared.rigidWater.at(proximal));
      distal.push(composeMotion(proximal, constantMotion(prepared.body.distal), bodyFirst));
      continue;
    }
    const part = range(bodyFirst, prepared.bodyCount);
    const motion =
      prepared.body instanceof PointBody
        ? prepared.body.motion(part.q, part.qd, seconds)
        : bodyMotion(prepared.body, part.q, part.qd);
    if (prepared.body instanceof PointBody && prepared.body.energies)
      total.addForces(prepared.body.energies.forces(part.q, part.qd, seconds), bodyFirst);
    total.add(proximal, motion.moments, bodyFirst, prepared.bodyCount);
    touching(part);
    if (prepared.fields) total.addFields(prepared.fields.at(proximal, part.q, part.qd, seconds, bodyFirst));
    if (prepared.water) total.addWater(prepared.water.at(proximal, part.q, part.qd, seconds, bodyFirst));
    distal.push(motion.distal && composeMotion(proximal, motion.distal, bodyFirst));
  }
  if (robot.touching) {
    const places = new WrittenPlaces(robot, parameters);
    const section = (anchor: MaterialAnchor): MovingPose => {
      const { first, jointCount, bodyCount } = links[anchor.link]!;
      const start = first + jointCount;
      const pose = (x: readonly Decimal[]): Pose => {
        const [time, ...own] = [...x].reverse();
        const all = [...q.slice(0, start), ...own.reverse(), ...q.slice(start + bodyCount), time!];
        if (anchor.offset) return places.carriedInProximal(anchor.link, anchor, all);
        return places
          .pointInProximal(anchor, all)
          .flatMap((place, i) => [...[0, 1, 2].map((j) => new Fine(i === j ? 1 : 0)), place]);
      };
      const range = [start, start + bodyCount] as const;
      const { value, partials } = partialsOf(pose, [...q.slice(...range), exactDecimal(seconds, Fine)], Coarse);
      const rates = [...qd.slice(...range), new Fine(1)];
      const rate = value.map((_, i) => Coarse.sum(0, ...partials.map((own, a) => own[i]!.times(rates[a]!))));
      const own = { value, partials: partials.slice(0, -1), rate, acceleration: zeroPose };
      return composeMotion(proximals[anchor.link]!, own, start);
    };
    const mutual = new MutualForces(robot.touching, bindings);
    const carried = (anchor: Anchor): MovingPose =>
      anchor.kind === 'material' ? section(anchor) : anchor.link < 0 ? base : distal[anchor.link]!;
    total.addContacts(mutual.at(carried, q.length));
  }
  if (robot.forces) {
    const { stored, elastic } = frameEnergies(robot, parameters, state, Coarse);
    total.addForces({ stored, elastic, damping: elastic.map(() => new Coarse(0)) }, 0);
  }
  const carriedMotion = (link: number, within: CarriedFrame): MovingPose => {
    const { first, jointCount, bodyCount } = links[link]!;
    const [start, places] = [first + jointCount, new WrittenPlaces(robot, parameters)] as const;
    const whole = (x: readonly Decimal[]): readonly Decimal[] => [
      ...[...q.slice(0, start), ...x, ...q.slice(start + bodyCount)],
      exactDecimal(seconds, Fine),
    ];
    const pose = (x: readonly Decimal[]): Pose => places.carriedInProximal(link, within, whole(x));
    const own = partialsOf(pose, q.slice(start, start + bodyCount), Coarse);
    return composeMotion(proximals[link]!, { ...own, rate: zeroPose, acceleration: zeroPose }, start);
  };
  const frames = robot.frames.map(({ link, within, offset }) => {
    const carrier = link < 0 ? base : within ? carriedMotion(link, within) : distal[link];
    return carrier && frameResult(carrier, coarsePose(evaluateFrame(offset, bindings, Fine)), q.length);
  });
  const still = Array.from({ length: followed }, () => 0);
  return { ...withoutFollowed(total.finish([...state.qdd, ...still]), state.qdd), frames, tip: frames[robot.tip] };
}

/**
 * Motion of a joint between the distal frame of the parent and the proximal frame of the body; behind the coordinates its partial
 * derivatives by those that follow the time.
 */
function jointMotion(
  { link: { joint }, offset, mount }: PreparedLink,
  { q, qd }: { readonly q: readonly Decimal[]; readonly qd: readonly Decimal[] },
  time: Decimal,
  bindings: Bindings,
): Motion {
  const pose = (x: readonly Decimal[], shifts: readonly Decimal[] = []): Pose =>
    multiplyPoses(multiplyPoses(offset, jointPose(joint, x, bindings, Fine, shifts), 1), mount, 1);
  if (!joint.prescribed) return differentiateMotion(pose, q, qd, Fine, Coarse);
  const whole = [...q, time];
  const { partials, ...motion } = differentiateMotion(pose, whole, [...qd, new Fine(1)], Fine, Coarse);
  const none = joint.prescribed.coordinates.map(() => new Fine(0));
  const followed = differentiateMotion((shifts) => pose(whole, shifts), none, none, Fine, Coarse);
  return { ...motion, partials: [...partials.slice(0, q.length), ...followed.partials] };
}

/** What is of the coordinates of the robot, and apart from them the forces on those that follow the time. */
function withoutFollowed(
  all: Omit<AlembertResult, 'frames' | 'tip' | 'followed'>,
  qdd: readonly number[],
): Omit<AlembertResult, 'frames' | 'tip'> {
  const n = qdd.length;
  const scales = all.massMatrix.map((row, a) => Math.sqrt(Math.abs(Number(row[a]))));
  const own = <T>(values: readonly T[]): readonly T[] => values.slice(0, n);
  return {
    ...all,
    massMatrix: own(all.massMatrix).map(own),
    coriolis: own(all.coriolis),
    gravity: own(all.gravity),
    torque: own(all.torque),
    elastic: own(all.elastic),
    damping: own(all.damping),
    fluid: own(all.fluid),
    unsettled: own(all.unsettled),
    steepness: own(all.steepness),
    terms: own(all.terms),
    momentumColumns: own(all.momentumColumns),
    followed: all.torque.slice(n).map((torque, k) => ({
      force: torque.plus(all.fluid[n + k]!),
      fluid: all.fluid[n + k]!,
      size: qdd.reduce(
        (sum, rate, b) => sum + scales[n + k]! * scales[b]! * Math.abs(rate),
        all.terms[n + k]!.motion + all.terms[n + k]!.gravity + Math.abs(Number(all.fluid[n + k])),
      ),
      unsettled: all.unsettled[n + k]!,
    })),
  };
}

/** Motion of the distal frame, and the moments of all generators of the material points. */
function bodyMotion(
  body: MaterialBody,
  q: readonly Decimal[],
  qd: readonly Decimal[],
): { distal: Motion | undefined; moments: MassMoments } {
  let hasDistal = false;
  const flat = (x: readonly Decimal[]): Decimal[] => {
    const { distal, points } = body.configuration(x);
    hasDistal = distal !== undefined;
    return [...(distal ?? []), ...points.flat()];
  };
  const motion = differentiateMotion(flat, q, qd, Fine, Coarse);
  const skipped = hasDistal ? 12 : 0;
  const fields = [motion.value, ...motion.partials, motion.rate, motion.acceleration];
  const point = (values: readonly Decimal[], k: number) => values.slice(skipped + 3 * k, skipped + 3 * k + 3);
  const size = 4 + 3 * (q.length + 2);
  const entries: Decimal[] = Array.from({ length: size * size }, () => new Coarse(0));
  body.masses.forEach((mass, k) => {
    const [position, ...others] = fields.map((values) => point(values, k));
    const generators = [...position!, new Coarse(1), ...others.flat()];
    const weighted = generators.map((x) => x.times(mass));
    tick(size * size);
    for (let i = 0; i < size; i++)
      for (let j = i; j < size; j++)
        entries[size * i + j] = entries[size * i + j]!.plus(weighted[i]!.times(generators[j]!));
  });
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) entries[size * i + j] = entries[size * j + i]!;
  const head = (values: readonly Decimal[]): Decimal[] => values.slice(0, 12);
  const distal = hasDistal
    ? {
        value: head(motion.value),
        partials: motion.partials.map(head),
        rate: head(motion.rate),
        acceleration: head(motion.acceleration),
      }
    : undefined;
  return { distal, moments: { size, entries } };
}
