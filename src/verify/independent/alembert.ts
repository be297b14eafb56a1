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
import type { CarriedFrame, DeformableBody, Link, RigidBody, Robot } from '../../description/model/robot.ts';
import type { Water } from '../../description/model/water.ts';
import { decimalOfPrecision, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { tick } from '../../common/work-limit.ts';
import { decimalForFormulas } from '../arithmetic/trigonometry.ts';
import { multiplyPoses, rotationOf, translationOf, type Pose } from '../arithmetic/decimal-pose.ts';
import {
  evaluateFrame,
  isSampledInDecimals,
  jointPose,
  sampleBody,
  type Bindings,
  type MaterialBody,
} from '../written/local-kinematics.ts';
import { differentiateMotion, partialsOf, type Motion } from '../arithmetic/motion.ts';
import { coordinateForces, hasCoordinateForces } from './coordinate-energies.ts';
import type { PassiveResult } from './passive-result.ts';
import { PointBody, type MassMoments, type SamplingLimits, type Visit } from './point-body.ts';
import { WaterForces, type WaterResult } from './water-forces.ts';
import { WrittenPlaces } from './written-places.ts';

/** Formulas and difference quotients. */
const Fine = decimalForFormulas(110);
/** Everything after the difference quotients. */
const Coarse = decimalOfPrecision(40);
const NUDGE = 1e-20;

export interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
  /** Seconds; 0 when missing. */
  readonly t?: number;
}

/**
 * Terms of M q̈ + c + g = τ in SI units. About 20 digits are good where all bodies are sampled in decimals (nudged
 * coordinates: an error of 1e-20 in q), 15 with bodies of many points.
 */
export interface AlembertResult {
  /** n × n, by rows. */
  readonly massMatrix: readonly (readonly Decimal[])[];
  readonly coriolis: readonly Decimal[];
  readonly gravity: readonly Decimal[];
  readonly torque: readonly Decimal[];
  /** +∂V/∂q of elastic energies, and +∂R/∂q̇; zero without. */
  readonly elastic: readonly Decimal[];
  readonly damping: readonly Decimal[];
  /** Drag and buoyancy of water; zero without. */
  readonly fluid: readonly Decimal[];
  /** How far these are from sums of few points along rods. */
  readonly unsettled: readonly number[];
  /** What c and g of every coordinate consist of. */
  readonly terms: readonly ForceTerms[];
  /** J */
  readonly kineticEnergy: Decimal;
  /** J, zero for mass at the world origin. */
  readonly potentialEnergy: Decimal;
  /** J */
  readonly elasticEnergy: Decimal;
  /** In the order of the robot's frames; absent on a body without distal frame. */
  readonly frames: readonly (FrameResult | undefined)[];
  /** The one of them that is the tip. */
  readonly tip: FrameResult | undefined;
}

/**
 * Sums over bodies that bound |c_a| and |g_a| by Cauchy and Schwarz, and do not cancel where these do, in their units:
 * √(∫ |∂P/∂q_a|² dm ∫ |P̈|² dm) with q̈ = 0, and √(∫ (gravity · ∂P/∂q_a)² dm ∫ dm).
 */
export interface ForceTerms {
  readonly motion: number;
  readonly gravity: number;
}

/** World axes. */
export interface FrameResult {
  readonly position: readonly Decimal[];
  /** By rows. */
  readonly rotation: readonly Decimal[];
  /** 6 × n by rows: angular velocity, then velocity of the origin, per unit rate of each coordinate. */
  readonly jacobian: readonly (readonly Decimal[])[];
}

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

/** A pose with its derivatives; `partials` by index of the robot's coordinate. */
interface MovingPose {
  readonly value: Pose;
  readonly partials: ReadonlyMap<number, Pose>;
  readonly rate: Pose;
  readonly acceleration: Pose;
}

interface PreparedLink {
  readonly link: Link;
  readonly offset: Pose;
  readonly mount: Pose;
  readonly first: number;
  readonly jointCount: number;
  readonly bodyCount: number;
  /** Moments of generators p_x, p_y, p_z, 1, then ∂p/∂q_a (3 each), ṗ, p̈; of rigid bodies the first four. */
  /** Around it. */
  readonly water?: WaterForces | undefined;
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
      water: link.water && link.body.kind !== 'rigid' ? waterAround(robot, link.body, link.water, bindings) : undefined,
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
  const current = robot.current ? evaluateDecimal(robot.current, bindings, Fine).map(Number) : [0, 0, 0];
  return new WaterForces(body, water, { gravity: robot.gravity, current }, bindings);
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
  const total = new Accumulator(q.length, robot.gravity);
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
    const jointMotion = differentiateMotion(
      (x) =>
        multiplyPoses(multiplyPoses(prepared.offset, jointPose(link.joint, x, bindings, Fine), 1), prepared.mount, 1),
      joint.q,
      joint.qd,
      Fine,
      Coarse,
    );
    const proximal = composeMotion(parent, jointMotion, prepared.first);
    proximals.push(proximal);
    const bodyFirst = prepared.first + prepared.jointCount;
    const whole = range(prepared.first, prepared.jointCount + prepared.bodyCount);
    if (hasCoordinateForces(link)) {
      const along = coordinateForces(link, whole, bindings, Fine, Coarse);
      total.addForces(along, prepared.first);
      total.addDrives(along.armature, whole.qd, prepared.first);
    }
    if ('moments' in prepared.body) {
      total.add(proximal, prepared.body.moments, bodyFirst, 0);
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
    if (prepared.water) total.addWater(prepared.water.at(proximal, part.q, part.qd, seconds, bodyFirst));
    distal.push(motion.distal && composeMotion(proximal, motion.distal, bodyFirst));
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
  return { ...total.finish(state.qdd), frames, tip: frames[robot.tip] };
}

/** Columns of the Jacobian from ∂T/∂q_a: the translation, and the axial vector of ∂R/∂q_a Rᵀ. */
function frameResult(carrier: MovingPose, offset: Pose, n: number): FrameResult {
  const pose = multiplyPoses(carrier.value, offset, 1);
  const jacobian = Array.from({ length: 6 }, () => Array.from({ length: n }, () => new Coarse(0) as Decimal));
  for (const [a, own] of carrier.partials) {
    const partial = multiplyPoses(own, offset, 1);
    const spin = (i: number, j: number): Decimal =>
      [0, 1, 2].reduce((sum, k) => sum.plus(partial[4 * i + k]!.times(pose[4 * j + k]!)), new Coarse(0) as Decimal);
    const column = [spin(2, 1), spin(0, 2), spin(1, 0), ...translationOf(partial)];
    column.forEach((value, row) => (jacobian[row]![a] = value));
  }
  return { position: translationOf(pose), rotation: rotationOf(pose), jacobian };
}

const coarsePose = (pose: Pose): Pose => pose.map((x) => new Coarse(x.toSignificantDigits(Coarse.precision)));
const zeroPose: Pose = Array.from({ length: 12 }, () => new Coarse(0));

function fixedPose(pose: Pose): MovingPose {
  return { value: coarsePose(pose), partials: new Map(), rate: zeroPose, acceleration: zeroPose };
}

function constantMotion(pose: Pose): Motion {
  return { value: coarsePose(pose), partials: [], rate: zeroPose, acceleration: zeroPose };
}

const addPoses = (...poses: readonly Pose[]): Pose => poses.reduce((sum, pose) => sum.map((x, i) => x.plus(pose[i]!)));

/** The product rule, twice: (A B)¨ = Ä B + 2 Ȧ Ḃ + A B̈. The coordinates of `child` start at `first`. */
function composeMotion(parent: MovingPose, child: Motion, first: number): MovingPose {
  const partials = new Map<number, Pose>();
  for (const [a, partial] of parent.partials) partials.set(a, multiplyPoses(partial, child.value, 1));
  child.partials.forEach((partial, i) => partials.set(first + i, multiplyPoses(parent.value, partial, 0)));
  const mixed = multiplyPoses(parent.rate, child.rate, 0);
  return {
    value: multiplyPoses(parent.value, child.value, 1),
    partials,
    rate: addPoses(multiplyPoses(parent.rate, child.value, 1), multiplyPoses(parent.value, child.rate, 0)),
    acceleration: addPoses(
      multiplyPoses(parent.acceleration, child.value, 1),
      mixed,
      mixed,
      multiplyPoses(parent.value, child.acceleration, 0),
    ),
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

/** A vector field over a body as a combination of its generators: three rows of `size` coefficients, sparse. */
type Combination = ReadonlyMap<number, Decimal>[];

/** pose · (p, 1) placed at generator 0, and factor · rotation(pose) at the generator `slot`. */
function combine(
  parts: readonly { readonly pose: Pose; readonly slot: number; readonly factor: number }[],
): Combination {
  return [0, 1, 2].map((row) => {
    const coefficients = new Map<number, Decimal>();
    for (const { pose, slot, factor } of parts)
      for (let column = 0; column < (slot === 0 ? 4 : 3); column++) {
        const value = pose[4 * row + column]!;
        if (!value.isZero()) coefficients.set(slot + column, value.times(factor));
      }
    return coefficients;
  });
}

/** Sums M, c, g and the energies over bodies. */
class Accumulator {
  readonly size: number;
  readonly gravityVector: readonly Decimal[];
  readonly massMatrix: Decimal[][];
  readonly coriolis: Decimal[];
  readonly gravity: Decimal[];
  readonly elastic: Decimal[];
  readonly damping: Decimal[];
  readonly fluid: Decimal[];
  readonly unsettled: number[];
  /** Both parts of `terms`. */
  readonly motions: Decimal[];
  readonly weights: Decimal[];
  kineticEnergy: Decimal = new Coarse(0);
  potentialEnergy: Decimal = new Coarse(0);
  elasticEnergy: Decimal = new Coarse(0);

  constructor(size: number, gravityVector: readonly number[]) {
    const zeros = (): Decimal[] => Array.from({ length: size }, () => new Coarse(0));
    this.size = size;
    this.gravityVector = gravityVector.map((x) => exactDecimal(x, Coarse));
    this.massMatrix = zeros().map(zeros);
    this.coriolis = zeros();
    this.gravity = zeros();
    this.elastic = zeros();
    this.damping = zeros();
    this.fluid = zeros();
    this.unsettled = Array.from({ length: size }, () => 0);
    this.motions = zeros();
    this.weights = zeros();
  }

  addForces({ stored, elastic, damping }: PassiveResult, first: number): void {
    this.elasticEnergy = this.elasticEnergy.plus(stored);
    elastic.forEach((force, i) => (this.elastic[first + i] = this.elastic[first + i]!.plus(force)));
    damping.forEach((force, i) => (this.damping[first + i] = this.damping[first + i]!.plus(force)));
  }

  addWater({ coordinates, fluid, unsettled, massMatrix, coriolis, kineticEnergy }: WaterResult): void {
    this.kineticEnergy = this.kineticEnergy.plus(kineticEnergy);
    coordinates.forEach((a, i) => {
      this.fluid[a] = this.fluid[a]!.plus(fluid[i]!);
      this.unsettled[a] = this.unsettled[a]! + unsettled[i]!;
      this.coriolis[a] = this.coriolis[a]!.plus(coriolis[i]!);
      this.motions[a] = this.motions[a]!.plus(Math.abs(coriolis[i]!));
      coordinates.forEach((b, j) => {
        const row = this.massMatrix[a]!;
        row[b] = row[b]!.plus(massMatrix[i]![j]!);
      });
    });
  }

  /** Adds what turns with single coordinates only. */
  addDrives(inertias: readonly Decimal[], rates: readonly Decimal[], first: number): void {
    inertias.forEach((inertia, i) => {
      const row = this.massMatrix[first + i]!;
      row[first + i] = row[first + i]!.plus(inertia);
      this.kineticEnergy = this.kineticEnergy.plus(inertia.times(rates[i]!.pow(2)).div(2));
    });
  }

  /** Adds a body with proximal frame `frame`, whose own coordinates start at `first`. */
  add(frame: MovingPose, moments: MassMoments, first: number, count: number): void {
    const rateSlot = 4 + 3 * count;
    const deforms = count > 0;
    const fields = new Map<number, Combination>();
    for (const [a, partial] of frame.partials) fields.set(a, combine([{ pose: partial, slot: 0, factor: 1 }]));
    for (let i = 0; i < count; i++) fields.set(first + i, combine([{ pose: frame.value, slot: 4 + 3 * i, factor: 1 }]));
    const velocity = combine([
      { pose: frame.rate, slot: 0, factor: 1 },
      ...(deforms ? [{ pose: frame.value, slot: rateSlot, factor: 1 }] : []),
    ]);
    const acceleration = combine([
      { pose: frame.acceleration, slot: 0, factor: 1 },
      ...(deforms
        ? [
            { pose: frame.rate, slot: rateSlot, factor: 2 },
            { pose: frame.value, slot: rateSlot + 3, factor: 1 },
          ]
        : []),
    ]);
    const mass = moments.entries[3 * moments.size + 3]!;
    const motion = square(acceleration, moments);
    for (const [a, field] of fields) {
      const weighted = applyMoments(field, moments);
      const pull = square(this.alongGravity(field), moments);
      // Weights of a rule may be negative.
      this.motions[a] = this.motions[a]!.plus(contract(weighted, field).times(motion).abs().sqrt());
      this.weights[a] = this.weights[a]!.plus(pull.times(mass).abs().sqrt());
      for (const [b, other] of fields)
        if (b <= a) {
          const value = contract(weighted, other);
          this.massMatrix[a]![b] = this.massMatrix[a]![b]!.plus(value);
          if (a !== b) this.massMatrix[b]![a] = this.massMatrix[b]![a]!.plus(value);
        }
      this.coriolis[a] = this.coriolis[a]!.plus(contract(weighted, acceleration));
      this.gravity[a] = this.gravity[a]!.minus(this.weight(weighted));
    }
    const half = contract(applyMoments(velocity, moments), velocity).div(2);
    this.kineticEnergy = this.kineticEnergy.plus(half);
    const place = combine([{ pose: frame.value, slot: 0, factor: 1 }]);
    this.potentialEnergy = this.potentialEnergy.minus(this.weight(applyMoments(place, moments)));
  }

  /** gravity · field */
  private alongGravity(field: Combination): Combination {
    const sum = new Map<number, Decimal>();
    field.forEach((row, i) =>
      row.forEach((x, slot) => sum.set(slot, x.times(this.gravityVector[i]!).plus(sum.get(slot) ?? 0))),
    );
    return [sum];
  }

  /** gravity · ∫ field dm: generator 3 is the constant 1. */
  private weight(weighted: readonly (readonly Decimal[])[]): Decimal {
    return weighted.reduce((sum, row, i) => sum.plus(row[3]!.times(this.gravityVector[i]!)), new Coarse(0) as Decimal);
  }

  finish(qdd: readonly number[]): Omit<AlembertResult, 'frames' | 'tip'> {
    const accelerations = qdd.map((x) => exactDecimal(x, Coarse));
    const torque = this.massMatrix.map((row, a) =>
      row.reduce((sum, m, b) => sum.plus(m.times(accelerations[b]!)), this.coriolis[a]!.plus(this.gravity[a]!)),
    );
    return {
      massMatrix: this.massMatrix,
      coriolis: this.coriolis,
      gravity: this.gravity,
      torque,
      elastic: this.elastic,
      damping: this.damping,
      fluid: this.fluid,
      unsettled: this.unsettled,
      terms: this.motions.map((motion, a) => ({ motion: motion.toNumber(), gravity: this.weights[a]!.toNumber() })),
      kineticEnergy: this.kineticEnergy,
      potentialEnergy: this.potentialEnergy,
      elasticEnergy: this.elasticEnergy,
    };
  }
}

/** Coefficients times moments: three rows, one entry per generator. */
function applyMoments(field: Combination, moments: MassMoments): Decimal[][] {
  const { size, entries } = moments;
  return field.map((coefficients) => {
    const row: Decimal[] = Array.from({ length: size }, () => new Coarse(0));
    tick(coefficients.size * size);
    for (const [i, value] of coefficients)
      for (let j = 0; j < size; j++) row[j] = row[j]!.plus(value.times(entries[size * i + j]!));
    return row;
  });
}

/** ∫ |field|² dm */
const square = (field: Combination, moments: MassMoments): Decimal => contract(applyMoments(field, moments), field);

function contract(weighted: readonly (readonly Decimal[])[], field: Combination): Decimal {
  let total: Decimal = new Coarse(0);
  field.forEach((coefficients, row) => {
    for (const [j, value] of coefficients) total = total.plus(value.times(weighted[row]![j]!));
  });
  return total;
}
