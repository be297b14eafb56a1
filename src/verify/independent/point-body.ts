/**
 * The motion of a body with many material points, for the independent check: positions in double-double arithmetic, their
 * derivatives by difference quotients of fourth order (good to about eighteen digits), sums over points in double precision.
 * The points are refined, direction by direction, until integrals at two configurations do not change any more.
 */
import type { Decimal } from 'decimal.js';
import type { BodyType, DeformableBody, Quantity } from '../../description/model/robot.ts';
import type { Volume } from '../../description/model/reference-volume.ts';
import { decimalOfPrecision, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { constantColumn, decimalColumn, differenceQuotient, OFFSETS, type Column } from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import { tick } from '../../common/work-limit.ts';
import { fieldFormulas, MaterialField, type Placement } from '../written/material-field.ts';
import { sampleMaterial, type Fineness, type MaterialPoints, type Scalars } from '../written/material-points.ts';
import { motionFields, type Difference } from '../written/motion-fields.ts';
import type { Motion } from '../arithmetic/motion.ts';
import { RodEnergies } from '../energies/rod-energies.ts';
import { SolidEnergies } from '../energies/solid-energies.ts';
import { rangeOf, soundConfiguration } from './sample-states.ts';

type Bindings = ReadonlyMap<Expr, Decimal>;

/** ∫ β_i β_j dm of a body's generators, see `alembert.ts`. */
export interface MassMoments {
  readonly size: number;
  /** size × size, row-major, symmetric. */
  readonly entries: readonly Decimal[];
}

export interface PointMotion {
  readonly distal: Motion | undefined;
  readonly moments: MassMoments;
}

/** How bodies with many points are sampled, where the defaults are too good or not good enough. */
export interface SamplingLimits {
  /** Relative change of integrals that is as good as none; the tolerance that the body is asked to meet when missing. */
  readonly settled?: (type: BodyType) => number;
  /** Points of one volume, beyond which it is not refined. */
  readonly mostPoints?: number;
  /** Configurations of the robot that will be visited: points are chosen for the hardest of each body as well. */
  readonly visits?: readonly Visit[];
}

/** A configuration, of the robot or of one body. */
export interface Visit {
  readonly q: readonly number[];
  /** s */
  readonly t?: number;
}

const Coarse = decimalOfPrecision(40);

export class PointBody {
  /** Largest relative change of an integral when the rule was refined for the last time. */
  readonly ruleError: number;
  /** For reports: number of material points. */
  readonly rows: number;
  /** Operations of one call of `motion`, in double-double arithmetic. */
  readonly work: number;
  /** kg */
  readonly mass: number;
  readonly energies: RodEnergies | SolidEnergies | undefined;
  private readonly type: BodyType;
  private readonly parameters: Scalars;
  private readonly samples: readonly MaterialPoints[];
  private readonly field: MaterialField;
  /** Of a rod that slides out of its base, whose points are chosen anew for each place of the border. */
  private readonly sliding: readonly (readonly [Fineness, Fineness, Fineness])[] | undefined;

  /** @param visits configurations of the body. */
  constructor(body: DeformableBody, robot: Bindings, limits: Omit<SamplingLimits, 'visits'>, visits: readonly Visit[]) {
    const { type } = body;
    this.type = type;
    const Wide = decimalOfPrecision(60);
    const values = evaluateDecimal(body.parameters, new Map([...robot].map(([s, x]) => [s, new Wide(x)])), Wide);
    this.parameters = new Map(type.parameters.map((p, i) => [p.symbol, decimalColumn([values[i]!])]));
    const hard = hardest(type, this.parameters, visits);
    const chosen = type.volumes.map((volume) => refine(type, volume, this.parameters, limits, hard));
    this.samples = chosen.map((choice) => choice.points);
    if (isSliding(type)) this.sliding = chosen.map((choice) => choice.fineness!);
    if (type.materials ?? type.solids) {
      const configurations = [...genericConfigurations(type, this.parameters, type.volumes[0]!), ...hard];
      const settled = settledOf(type, limits);
      this.energies = type.solids
        ? new SolidEnergies(type, this.parameters, configurations, settled, limits.mostPoints ?? MOST_POINTS)
        : new RodEnergies(type, this.parameters, configurations, settled);
    }
    this.ruleError = Math.max(this.energies?.ruleError ?? 0, ...chosen.map((choice) => choice.error));
    this.rows = this.samples.reduce((sum, points) => sum + points.rows, 0);
    const operations = type.volumes.map((volume) => postorder(fieldFormulas(type, volume)).length);
    const placements = 1 + OFFSETS.length * (type.coordinates.length + 1);
    this.work = this.samples.reduce((sum, { rows }, i) => sum + placements * rows * operations[i]!, 0);
    this.mass = this.samples.reduce((sum, { masses }) => sum + masses.reduce((a, b) => a + b, 0), 0);
    this.field = new MaterialField(type, this.samples);
  }

  /** Distal frame and moments at (q, q̇), with accelerations zero. @param time s */
  motion(q: readonly Decimal[], qd: readonly Decimal[], time: number): PointMotion {
    const samples = this.sliding ? this.sampledAt(q, this.sliding) : this.samples;
    const field = this.sliding ? new MaterialField(this.type, samples) : this.field;
    const fields = motionFields(this.type, this.parameters, field, q, qd, time);
    if (!fields.every(isFinite)) throw new NotFinite(`${this.type.name}: its formulas have no finite value`);
    return { distal: distalMotion(fields), moments: moments(fields, samples) };
  }

  private sampledAt(
    q: readonly Decimal[],
    finenesses: readonly (readonly [Fineness, Fineness, Fineness])[],
  ): readonly MaterialPoints[] {
    const { type } = this;
    const scalars = new Map(this.parameters);
    type.coordinates.forEach((c, i) => scalars.set(c.symbol, decimalColumn([q[i]!])));
    return type.volumes.map((volume, k) =>
      sampleMaterial({ volume, formulas: fieldFormulas(type, volume), scalars, fineness: finenesses[k]! }),
    );
  }
}

const isSliding = ({ kinematics }: BodyType): boolean =>
  kinematics.kind === 'strain' && kinematics.slides !== undefined;

/** The independent evaluation has no value at a configuration. */
export class NotFinite extends Error {
  override readonly name = 'NotFinite';
}

const isFinite = ({ points, distal }: Difference): boolean =>
  points.every((axes) => axes.every((column) => column.every(Number.isFinite))) &&
  (distal ?? []).every((x) => x.isFinite());

function distalMotion(fields: readonly Difference[]): Motion | undefined {
  if (!fields[0]!.distal) return undefined;
  // [R | t] row-major, as poses are kept.
  const pose = ({ distal }: Difference): Decimal[] =>
    [0, 1, 2].flatMap((row) => [...distal!.slice(3 * row, 3 * row + 3), distal![9 + row]!]);
  const [value, ...rest] = fields.map(pose);
  return { value: value!, partials: rest.slice(0, -2), rate: rest.at(-2)!, acceleration: rest.at(-1)! };
}

/** Sums over points in blocks, so that rounding errors grow slowly. */
const BLOCK = 256;

function moments(fields: readonly Difference[], samples: readonly MaterialPoints[]): MassMoments {
  const size = 3 * fields.length + 1;
  const totals = new Float64Array(size * size);
  samples.forEach(({ masses, rows }, volume) => {
    const [position, ...others] = fields.map((field) => field.points[volume]!);
    const generators = [...position!, new Float64Array(rows).fill(1), ...others.flat()];
    for (let i = 0; i < size; i++)
      for (let j = i; j < size; j++) {
        const [a, b] = [generators[i]!, generators[j]!];
        tick(rows);
        let total = 0;
        for (let first = 0; first < rows; first += BLOCK) {
          let sum = 0;
          for (let row = first; row < Math.min(rows, first + BLOCK); row++) sum += masses[row]! * a[row]! * b[row]!;
          total += sum;
        }
        totals[size * i + j]! += total;
      }
  });
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) totals[size * i + j] = totals[size * j + i]!;
  return { size, entries: Array.from(totals, (x) => exactDecimal(x, Coarse)) };
}

// ---------------------------------------------------------------------------------------------- refinement

const SMOOTH = [2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48];
const GRADED = [25, 37, 49, 61, 73, 85, 97, 129];
/** Orders of rules in tetrahedra, and points beyond which a mesh is not refined. */
const MESH_ORDERS = [1, 2, 3, 4, 5, 6];
const MOST_POINTS = 150_000;
const SETTLED = 6e-15;
/** Graded rules converge so fast that the last change is far above the error that is left; points are dear there. */
const GRADED_SETTLED = 1e-11;

interface Choice {
  readonly points: MaterialPoints;
  /** Of each direction; none of a mesh. */
  readonly fineness?: readonly [Fineness, Fineness, Fineness];
  readonly error: number;
}

/** Of the ranges of coordinates, where integrals are compared. */
const SHARES = [0.37, 0.71];

function settledOf(type: BodyType, { settled = ({ integration }) => integration.tolerance }: SamplingLimits): number {
  return Math.max(SETTLED, settled(type));
}

/** A sampling of the volume that further points do not change. */
function refine(
  type: BodyType,
  volume: Volume,
  parameters: Scalars,
  limits: SamplingLimits,
  hard: readonly Scalars[],
): Choice {
  const formulas = fieldFormulas(type, volume);
  const configurations = [...genericConfigurations(type, parameters, volume), ...hard];
  const one = { ...type, volumes: [volume] };
  const measure = (fineness: readonly [Fineness, Fineness, Fineness]) => {
    const sampled = (scalars: Scalars): MaterialPoints => sampleMaterial({ volume, formulas, scalars, fineness });
    const points = sampled(parameters);
    // Second moments are of two configurations.
    const integrals = isSliding(type)
      ? configurations.map((scalars) => integralsOf(one, sampled(scalars), [scalars, scalars]))
      : [integralsOf(one, points, configurations)];
    return { points, integrals };
  };
  // The last change is well above the error that is left: no digits are needed beyond those that the body itself is asked for.
  const settled = settledOf(type, limits);
  const { mostPoints = MOST_POINTS } = limits;
  if (volume.kind === 'mesh') return refineMesh(measure, volume.mesh.tetrahedra.length / 4, settled, mostPoints);
  // The middle among them: there modes are often largest, and integrands least smooth in the other directions.
  const few: Fineness = { count: 3, graded: false };
  const chosen: [Fineness, Fineness, Fineness] = [few, few, few];
  let error = 0;
  for (const direction of [0, 1, 2]) {
    const rule = (fineness: Fineness): [Fineness, Fineness, Fineness] => {
      const all: [Fineness, Fineness, Fineness] = [few, few, few];
      all[direction] = fineness;
      return all;
    };
    const found = settle((fineness) => measure(rule(fineness)).integrals, settled);
    chosen[direction] = found.fineness;
    error = Math.max(error, found.change);
  }
  return {
    points: sampleMaterial({ volume, formulas, scalars: parameters, fineness: chosen }),
    fineness: chosen,
    error,
  };
}

function settle(
  integrals: (fineness: Fineness) => readonly Integrals[],
  settled: number,
): { fineness: Fineness; change: number } {
  let best: { fineness: Fineness; change: number } | undefined;
  for (const [counts, graded] of [
    [SMOOTH, false],
    [GRADED, true],
  ] as const) {
    let before: readonly Integrals[] | undefined;
    for (const count of counts) {
      const fineness = { count, graded };
      const now = integrals(fineness);
      const change = before ? largestChange(before, now) : Infinity;
      if (!best || change < best.change) best = { fineness, change };
      if (change < (graded ? Math.max(GRADED_SETTLED, settled) : settled)) return { fineness, change };
      before = now;
    }
  }
  return best!;
}

function refineMesh(
  measure: (fineness: readonly [Fineness, Fineness, Fineness]) => {
    points: MaterialPoints;
    integrals: readonly Integrals[];
  },
  tetrahedra: number,
  settled: number,
  mostPoints: number,
): Choice {
  const rule = (count: number) => {
    const fineness: Fineness = { count, graded: false };
    return measure([fineness, fineness, fineness]);
  };
  let before = rule(MESH_ORDERS[0]!);
  let error = Infinity;
  for (const order of MESH_ORDERS.slice(1)) {
    if (tetrahedra * pointsPerTetrahedron(order) > mostPoints) break;
    const now = rule(order);
    error = largestChange(before.integrals, now.integrals);
    before = now;
    if (error < settled) break;
  }
  return { points: before.points, error };
}

/** Of Grundmann and Möller's rule: combinations of four barycentric coordinates that sum to at most the order. */
const pointsPerTetrahedron = (order: number): number => ((order + 1) * (order + 2) * (order + 3) * (order + 4)) / 24;

/** Of the mass, and the first and second moments at so many configurations. */
const wholes = (configurations: number): number => 1 + 3 * configurations + 9 * (configurations - 1);
/** Steps of difference quotients in relation to what a coordinate is. */
const ASIDE = 1e-6;

/** What `integralsOf` has, and how many configurations it is of. */
interface Integrals {
  readonly sums: Float64Array;
  readonly configurations: number;
}

function largestChange(before: readonly Integrals[], now: readonly Integrals[]): number {
  return Math.max(...now.map((own, i) => relativeChange(before[i]!, own)));
}

/** Largest relative change of an integral. */
function relativeChange({ sums: before }: Integrals, { sums: now, configurations }: Integrals): number {
  let worst = 0;
  // Blocks of one dimension: mass, first moments, second moments; then one integral per coordinate.
  const [first, whole] = [1 + 3 * configurations, wholes(configurations)];
  const single = Array.from({ length: now.length - whole }, (_, k) => [whole + k, whole + k + 1] as const);
  for (const [from, to] of [[0, 1], [1, first], [first, whole], ...single] as const) {
    const scale = Math.max(...now.subarray(from, to).map(Math.abs));
    for (let i = from; i < to; i++) {
      const change = Math.abs(now[i]! - before[i]!);
      if (change !== 0) worst = Math.max(worst, Number.isNaN(change) ? Infinity : change / scale);
    }
  }
  return worst;
}

/**
 * ∫ dm, ∫ p of every configuration, ∫ p_i p'_j of each and the next, and ∫ |∂p/∂q_a|² of all: what a coordinate moves counts by
 * itself, however little it is, and on both sides of its default.
 */
function integralsOf(type: BodyType, points: MaterialPoints, configurations: readonly Scalars[]): Integrals {
  const field = new MaterialField(type, [points]);
  const place = (scalars: Scalars): readonly Column[] => field.points(scalars)[0]!;
  const places = configurations.map(place);
  const values = places.map((columns) => columns.map((column) => column.high));
  // Formed in double-double: small differences of positions keep their digits.
  const partials = configurations.flatMap((scalars, k) =>
    type.coordinates.map((c) => {
      const from = scalars.get(c.symbol)!;
      const step = ASIDE * Math.max(Math.abs(from.high[0]!), ASIDE);
      const displaced = place(new Map(scalars).set(c.symbol, constantColumn(from.high[0]! + step)));
      return displaced.map((column, i) => differenceQuotient([column, places[k]![i]!], [12, -12], step));
    }),
  );
  const whole = wholes(configurations.length);
  const sums = new Float64Array(whole + partials.length);
  const { masses } = points;
  for (let row = 0; row < points.rows; row++) {
    const m = masses[row]!;
    let next = 0;
    sums[next++]! += m;
    for (const p of values) for (let i = 0; i < 3; i++) sums[next++]! += m * p[i]![row]!;
    for (let k = 0; k + 1 < values.length; k++)
      for (let i = 0; i < 3; i++)
        for (let j = 0; j < 3; j++) sums[next++]! += m * values[k]![i]![row]! * values[k + 1]![j]![row]!;
    partials.forEach((partial, k) => {
      for (let i = 0; i < 3; i++) sums[whole + k]! += m * partial[i]![row]! ** 2;
    });
  }
  return { sums, configurations: configurations.length };
}

/** Nodes per direction of the two samplings by which visits are told apart; of meshes the orders of two rules. */
const LOOKS = { lines: [4, 6], mesh: [MESH_ORDERS[0]!, MESH_ORDERS[1]!] } as const;

/** The visit at which sums over few points change most when there are some more; none where none has a finite value. */
function hardest(type: BodyType, parameters: Scalars, visits: readonly Visit[]): Scalars[] {
  const looks = ([0, 1] as const).map((look) => {
    const samples = type.volumes.map((volume) => {
      const fineness = { count: LOOKS[volume.kind === 'mesh' ? 'mesh' : 'lines'][look], graded: false };
      const formulas = fieldFormulas(type, volume);
      return sampleMaterial({ volume, formulas, scalars: parameters, fineness: [fineness, fineness, fineness] });
    });
    return { samples, field: new MaterialField(type, samples) };
  });
  let worst: { scalars: Scalars; change: number } | undefined;
  for (const { q, t = 0 } of visits) {
    const scalars = new Map(parameters);
    type.coordinates.forEach((c, i) => scalars.set(c.symbol, constantColumn(q[i]!)));
    if (type.time) scalars.set(type.time, constantColumn(t));
    const [few, more] = looks.map(({ samples, field }) => secondMoments(samples, field.points(scalars)));
    const scale = Math.max(...more!.map(Math.abs));
    const change = Math.max(...more!.map((x, i) => Math.abs(x - few![i]!))) / scale;
    if (Number.isFinite(change) && change > (worst?.change ?? 0)) worst = { scalars, change };
  }
  return worst ? [worst.scalars] : [];
}

/** ∫ p_i p_j dm */
function secondMoments(samples: readonly MaterialPoints[], places: Placement['points']): number[] {
  const sums = Array.from({ length: 9 }, () => 0);
  samples.forEach(({ rows, masses }, part) => {
    const p = places[part]!.map(({ high }) => high);
    for (let row = 0; row < rows; row++)
      for (let k = 0; k < 9; k++) sums[k]! += masses[row]! * p[Math.floor(k / 3)]![row]! * p[k % 3]![row]!;
  });
  return sums;
}

/** On different sides of the defaults, well within the ranges. */
function genericConfigurations(type: BodyType, parameters: Scalars, volume: Volume): Scalars[] {
  return SHARES.map((share) => genericConfiguration(type, parameters, volume, share));
}

/** Every coordinate at a share of its range, on the other side of the middle than its neighbours, as far as the formulas go. */
function genericConfiguration(type: BodyType, parameters: Scalars, volume: Volume, share: number): Scalars {
  const size = extentOf(volume, parameters);
  const wanted = type.coordinates.map((c: Quantity, i) => {
    const [value] = evaluateColumns([c.value], parameters, 1) as [Column];
    const [low, high] = rangeOf(c, value.high[0]!, size);
    const sign = (i + (share > 0.5 ? 1 : 0)) % 2 === 0 ? 1 : -1;
    return (low + high) / 2 + (sign * share * (high - low)) / 2;
  });
  const numbers = new Map([...parameters].map(([symbol, column]) => [symbol, column.high[0]!]));
  const reached = soundConfiguration(type, numbers, wanted);
  const scalars = new Map(parameters);
  type.coordinates.forEach((c, i) => scalars.set(c.symbol, constantColumn(reached[i]!)));
  if (type.time) scalars.set(type.time, constantColumn(share));
  return scalars;
}

/** Largest extent of a volume, m. */
export function extentOf(volume: Volume, parameters: Scalars): number {
  if (volume.kind === 'mesh') {
    const { nodes } = volume.mesh;
    const extents = [0, 1, 2].map((axis) => {
      let [low, high] = [Infinity, -Infinity];
      for (let i = axis; i < nodes.length; i += 3) [low, high] = [Math.min(low, nodes[i]!), Math.max(high, nodes[i]!)];
      return high - low;
    });
    return Math.max(...extents);
  }
  const ranges = volume.kind === 'rod' ? [[volume.start, volume.end]] : volume.ranges;
  const lengths = ranges.map((range) => {
    const [low, high] = evaluateColumns(range, parameters, 1) as [Column, Column];
    return Math.abs(high.high[0]! - low.high[0]!);
  });
  return Math.max(...lengths);
}
