/**
 * Volumes of pressure chambers for the independent check, from places of material points as the file states them, in
 * double-double arithmetic: regions by sums of det ∂p/∂ξ over their own coordinates ξ, walls by the flux ⅓ ∫∫ p · (p_φ × p_s)
 * through them, all derivatives by difference quotients. Rods given by their strain have p_s = R (ν + κ × d + d_s) and plane
 * sections, whose area and moments follow from their rim. Nothing of the compiler's derivation is used.
 */
import type { Chamber, ChamberWall } from '../../description/model/chamber.ts';
import type { ChamberTerm } from '../../description/model/actuator.ts';
import type { DeformableBody, Robot } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import { decimalOfPrecision, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { integer, pi, times as multiplied, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { cross, dot, minus, negated, plus, times } from '../arithmetic/algebra.ts';
import {
  combine,
  combineRow,
  constantColumn,
  decimalColumn,
  FIRST_DERIVATIVE,
  newColumn,
  OFFSETS,
  SECOND_DERIVATIVE,
  STEP,
  type Column,
} from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import { add, divide, multiply, result } from '../arithmetic/double-double.ts';
import type { State } from '../generated/evaluation.ts';
import {
  bodyWithVolume,
  DisplacedPoints,
  gaussPoints,
  meshPoints,
  reciprocal,
  regionPoints,
  type Fineness,
  type Points,
} from './chamber-points.ts';
import { displaced, MaterialField, sectionPlace } from '../written/material-field.ts';
import type { Scalars } from '../written/material-points.ts';
import { valuesAtPoints } from '../written/written-formulas.ts';

/** Of one chamber at one state, m³ and derivatives; one partial per coordinate of the robot. */
export interface ChamberMotion {
  readonly value: number;
  readonly rate: number;
  readonly acceleration: number;
  readonly partials: readonly number[];
}

/** Nodes per panel and direction, of which the others have few while one is chosen; orders of rules over tetrahedra. */
const NODES = [3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64];
const FEW = 3;
const ORDERS = [1, 2, 3, 4, 5];
/** Step of coordinates for partial derivatives: CLOSE² and the rounding errors 1e-27/CLOSE are both nothing. */
const CLOSE = 1e-9;
/** Rates are compared on at least this part of the volume for a unit of the coordinates. */
const LEAST_RATE = 0.05;

const Digits = decimalOfPrecision(60);

/**
 * @param settled relative change that is as good as none when points are added.
 * @returns a text where there is no result, why.
 */
export function chamberMotion(robot: Robot, term: ChamberTerm, state: State, settled: number): ChamberMotion | string {
  const { joint, body } = robot.links[term.link]!;
  const { type, parameters } = body as DeformableBody;
  const first = robot.coordinates.findIndex(({ link }) => link === term.link) + joint.coordinates.length;
  const own = (values: readonly number[]): number[] => type.coordinates.map((_, i) => values[first + i]!);
  const defaults = new Map<Expr, ReturnType<typeof exactDecimal>>(
    robot.parameters.map((p) => [p.symbol, evaluateDecimal([p.value], new Map(), Digits)[0]!]),
  );
  const numbers = evaluateDecimal(parameters, defaults, Digits);
  const scalars = new Map<Expr, Column>(type.parameters.map((p, i) => [p.symbol, decimalColumn([numbers[i]!])]));
  const q = own(state.q).map((x) => exactDecimal(x, Digits));
  const at = (direction: readonly number[], seconds: number, step: number): Scalars =>
    displaced(type, scalars, q, direction, state.t ?? 0, seconds, step);
  const motion = new ChamberVolume(body as DeformableBody, term.chamber, scalars).motion(at, own(state.qd), settled);
  if (typeof motion === 'string') return motion;
  return { ...motion, partials: robot.coordinates.map((_, a) => motion.partials[a - first] ?? 0) };
}

type Displacement = (direction: readonly number[], seconds: number, step: number) => Scalars;

class ChamberVolume {
  private readonly body: DeformableBody;
  private readonly chamber: Chamber;
  private readonly parameters: Scalars;
  private readonly sums = new Map<string, VolumeSum>();

  constructor(body: DeformableBody, chamber: Chamber, parameters: Scalars) {
    this.body = body;
    this.chamber = chamber;
    this.parameters = parameters;
  }

  motion(at: Displacement, qd: readonly number[], settled: number): ChamberMotion | string {
    const path = [...OFFSETS, 0].map((k) => at(qd, 1, k * STEP));
    const alongPath = (fineness: Fineness): number[] => {
      const volumes = path.map((scalars) => this.sum(fineness)(scalars));
      return [
        volumes[4]!.high[0]!,
        quotient(volumes.slice(0, 4), FIRST_DERIVATIVE, STEP),
        quotient(volumes, SECOND_DERIVATIVE, STEP * STEP),
      ];
    };
    const speed = Math.max(...qd.map(Math.abs), 0);
    const change = (before: readonly number[], now: readonly number[]): number => {
      const [volume, rate, acceleration] = now.map(Math.abs) as [number, number, number];
      const scales = [volume, rate + LEAST_RATE * volume * speed];
      scales.push(acceleration + scales[1]! * speed);
      return Math.max(...now.map((x, i) => (x === before[i] ? 0 : Math.abs(x - before[i]!) / scales[i]!)));
    };
    const found = this.settle(alongPath, change, settled);
    if (typeof found === 'string') return found;
    const { fineness, values } = found;
    const volume = this.sum(fineness);
    const partials = qd.map((_, a) => {
      const unit = qd.map((__, b) => (a === b ? 1 : 0));
      const [after, before] = [1, -1].map((sign) => volume(at(unit, 0, sign * CLOSE))) as [Column, Column];
      return minus(after, before).high[0]! / (2 * CLOSE);
    });
    const [value, rate, acceleration] = values as [number, number, number];
    return { value, rate, acceleration, partials };
  }

  /**
   * Refines each direction alone, then all of them, until values along the path stand still.
   * @returns values of the finest rule, and one that is good enough.
   */
  private settle(
    measure: (fineness: Fineness) => readonly number[],
    change: (before: readonly number[], now: readonly number[]) => number,
    settled: number,
  ): { fineness: Fineness; values: readonly number[] } | string {
    const { choices, directions } = this;
    const few = directions.map(() => FEW);
    const alone = (direction: number): number => {
      let before: readonly number[] | undefined;
      for (const [i, count] of choices.entries()) {
        const now = measure(few.map((own, k) => (k === direction ? count : own)));
        if (before && change(before, now) < settled) return i - 1;
        before = now;
      }
      return choices.length - 1;
    };
    let levels = directions.length > 1 ? directions.map((_, direction) => alone(direction)) : [0];
    const countsOf = (own: readonly number[]): number[] => own.map((level) => choices[level]!);
    let before = measure(countsOf(levels));
    while (levels.every((level) => level + 1 < choices.length)) {
      levels = levels.map((level) => level + 1);
      const now = measure(countsOf(levels));
      if (change(before, now) < settled) return { fineness: countsOf(levels.map((level) => level - 1)), values: now };
      before = now;
    }
    return 'the independent volume of a chamber does not settle';
  }

  private get choices(): readonly number[] {
    return this.chamber.shape.kind === 'mesh' ? ORDERS : NODES;
  }

  /** One entry per direction that rules are chosen in. */
  private get directions(): readonly number[] {
    const { kind } = this.chamber.shape;
    return Array.from({ length: kind === 'mesh' ? 1 : kind === 'wall' ? 2 : 3 }, (_, i) => i);
  }

  private sum(fineness: Fineness): VolumeSum {
    const key = fineness.join(' ');
    const known = this.sums.get(key);
    if (known) return known;
    const { body, parameters } = this;
    const { shape } = this.chamber;
    const made =
      shape.kind === 'wall'
        ? withinWall(body, shape, parameters, fineness)
        : regionSum(
            body,
            shape.kind === 'mesh'
              ? meshPoints(shape, parameters, fineness)
              : regionPoints(body, shape, parameters, fineness),
            parameters,
          );
    this.sums.set(key, made);
    return made;
  }
}

/** V at a configuration, one row. */
type VolumeSum = (scalars: Scalars) => Column;

// ---------------------------------------------------------------------------------------------- volumes

/** ∫ p_1 · (p_2 × p_3) dξ; axes are an even permutation of right-handed ones. */
function regionSum(body: DeformableBody, points: Points, parameters: Scalars): VolumeSum {
  const { type, volume } = bodyWithVolume(body);
  const displacedPoints = new DisplacedPoints(points, parameters);
  const { rows, total } = displacedPoints;
  const { kinematics } = type;
  if (kinematics.kind === 'strain') {
    const strain = strainAlong(body, points);
    return (scalars) => {
      const { values, along } = displacedPoints.slopes(sectionPlaces(body, scalars, displacedPoints));
      const [place, [angular, linear]] = [values as [Column, Column], strain(scalars)];
      const axial = points.axes.indexOf((volume as RodVolume).axial);
      const zeros = constantColumn(0);
      // In axes of the section: p_s has κ × d + ν in addition.
      const turned = cross(angular, [place[0], place[1], zeros]);
      const tangents = along.map(([x, y], k) =>
        k === axial ? [x!, y!, zeros].map((e, i) => plus(e, plus(turned[i]!, linear[i]!))) : [x!, y!, newColumn(rows)],
      );
      return summed(tripleProduct(tangents), points.weights);
    };
  }
  const field = new MaterialField(type, []);
  return (scalars) => {
    const { along } = displacedPoints.slopes(
      field.positionsAt(volume, scalars, displacedPoints.columns(scalars), total),
    );
    return summed(tripleProduct(along), points.weights);
  };
}

/** Places of material points in their section: (X, Y). */
function sectionPlaces(body: DeformableBody, scalars: Scalars, points: DisplacedPoints): readonly Column[] {
  const { type, volume } = bodyWithVolume(body);
  const [columns, rows] = [points.columns(scalars), points.total];
  const own = type.kinematics.kind === 'strain' ? type.kinematics.sectionPosition : undefined;
  return own
    ? valuesAtPoints(type, own, scalars, columns, rows)
    : sectionPlace(volume as RodVolume, new Map([...scalars, ...columns]), rows);
}

/** (κ, ν) at points. */
function strainAlong(
  { type }: DeformableBody,
  { axes, columns, weights }: Points,
): (scalars: Scalars) => readonly [Column[], Column[]] {
  if (type.kinematics.kind !== 'strain') throw new Error('not a strain field');
  const formulas = [...type.kinematics.angular, ...type.kinematics.linear];
  const here = new Map<Expr, Column>(axes.map((axis, k) => [axis, columns[k]!]));
  return (scalars) => {
    const values = valuesAtPoints(type, formulas, scalars, here, weights.length);
    return [values.slice(0, 3), values.slice(3)];
  };
}

/** ⅓ ∫∫ p · (p_φ × p_s) dφ ds, and at both rims the cone to its mean point; plane sections by area and moments. */
function withinWall(body: DeformableBody, wall: ChamberWall, parameters: Scalars, fineness: Fineness): VolumeSum {
  const { type, volume } = bodyWithVolume(body);
  const { axial, angle, range, breaks, material } = wall;
  const around: readonly [Expr, Expr] = [zero, multiplied(integer(2), pi)];
  const surface = { axes: [axial, angle], ranges: [range, around], breaks, material };
  const points = gaussPoints(bodyWithVolume(body), surface, parameters, fineness);
  const side = new DisplacedPoints(points, parameters);
  if (type.kinematics.kind === 'strain') {
    const strain = strainAlong(body, points);
    return (scalars) => {
      const { values, along } = side.slopes(sectionPlaces(body, scalars, side));
      const [[X, Y], [X_phi, Y_phi]] = [values, along[1]!] as [[Column, Column], [Column, Column]];
      const [angular, linear] = strain(scalars);
      const half = constantColumn(0.5);
      const area = times(half, minus(times(X, Y_phi), times(Y, X_phi)));
      const ofX = times(half, times(times(X, X), Y_phi));
      const ofY = negated(times(half, times(times(Y, Y), X_phi)));
      const flux = [times(linear[2]!, area), times(angular[0]!, ofY), negated(times(angular[1]!, ofX))].reduce(plus);
      return summed(flux, points.weights);
    };
  }
  const rims = range.map((end) => {
    const ring = gaussPoints(
      bodyWithVolume(body),
      { axes: [angle], ranges: [around], breaks, material },
      parameters,
      fineness.slice(1),
    );
    const [place] = evaluateColumns([end], parameters, 1) as [Column];
    const scalars = new Map(parameters).set(axial, place);
    return { ring, place, points: new DisplacedPoints(ring, scalars) };
  });
  const field = new MaterialField(type, []);
  const third = reciprocal(3, 1);
  const perTurn = combine(divide, constantColumn(1), evaluateColumns([around[1]], parameters, 1)[0]!);
  return (scalars) => {
    const { values, along } = side.slopes(field.positionsAt(volume, scalars, side.columns(scalars), side.total));
    const flux = times(third, tripleProduct([values, along[1]!, along[0]!]));
    let sum = summed(flux, points.weights);
    rims.forEach(({ ring, place, points: own }, i) => {
      const columns = new Map(own.columns(scalars)).set(axial, repeated(place, own.total));
      const rim = own.slopes(field.positionsAt(volume, scalars, columns, own.total));
      const over = (column: Column): Column => summed(column, ring.weights);
      const mean = rim.values.map((e) => times(over(e), perTurn));
      const areas = cross(rim.values, rim.along[0]!).map(over);
      const cone = times(reciprocal(i === 0 ? -6 : 6, 1), dot(mean, areas));
      sum = plus(sum, cone);
    });
    return sum;
  };
}

function repeated({ high, low }: Column, rows: number): Column {
  return { high: new Float64Array(rows).fill(high[0]!), low: new Float64Array(rows).fill(low[0]!) };
}

// ---------------------------------------------------------------------------------------------- columns

const tripleProduct = ([a, b, c]: readonly (readonly Column[])[]): Column => dot(a!, cross(b!, c!));

/** Σ weight · value, one row. */
function summed(values: Column, weights: Float64Array): Column {
  let [high, low] = [0, 0];
  weights.forEach((weight, row) => {
    const i = values.high.length === 1 ? 0 : row;
    multiply(values.high[i]!, values.low[i]!, weight, 0);
    add(high, low, result.high, result.low);
    [high, low] = [result.high, result.low];
  });
  return constantColumn(high, low);
}

/** Of one row: Σ twelfths · columns / (12 divisor). */
function quotient(columns: readonly Column[], twelfths: readonly number[], divisor: number): number {
  combineRow(columns, twelfths, 0);
  return (result.high + result.low) / divisor;
}
