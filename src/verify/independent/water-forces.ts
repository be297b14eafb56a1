/**
 * Forces of water on a rod by D'Alembert's principle, for the independent check: positions of the centreline from formulas as they
 * were written, derivatives by difference quotients, and everything else point by point in world axes. The axis of the rod is
 * d1 × d2 of section points where sections are rigid by description, else the direction of neighbours on the centreline.
 */
import type { Decimal } from 'decimal.js';
import { decimal, one, type Expr } from '../../symbolic/graph/expr.ts';
import { evaluateDecimal, decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import type { BodyType, DeformableBody } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { Water } from '../../description/model/water.ts';
import {
  addScaled,
  combine,
  constantColumn,
  decimalColumn,
  evaluateColumns,
  newColumn,
  type Column,
} from '../arithmetic/columns.ts';
import type { Pose } from '../arithmetic/decimal-pose.ts';
import { add } from '../arithmetic/double-double.ts';
import type { Bindings } from '../written/local-kinematics.ts';
import { MaterialField } from '../written/material-field.ts';
import { sampleMaterial, type MaterialPoints, type Scalars } from '../written/material-points.ts';
import { motionFields, type Difference } from './point-body.ts';

/** Nodes along the rod between two breaks. */
const NODES = 64;
/** The fewest points that a rod by strain has, and those of other bodies, unless the water says how many. */
const FEWEST = { strain: 8, formula: 16 };
/** Side of the section points about the centreline, m: any, where sections are rigid. */
const ASIDE = 1e-3;
/** Of the length of the rod, between neighbours on the centreline. */
const NEIGHBOUR = 2e-5;
const NEIGHBOURS = [-2, -1, 1, 2];
const QUOTIENT = [1, -8, 8, -1];

type Vector = readonly number[];

/** Motion of the proximal frame in the world; `partials` by index of the robot's coordinate. */
export interface ProximalMotion {
  readonly value: Pose;
  readonly partials: ReadonlyMap<number, Pose>;
  readonly rate: Pose;
  readonly acceleration: Pose;
}

/** On the left-hand side; M and c of added mass. Indices are those of the robot's coordinates. */
export interface WaterResult {
  readonly coordinates: readonly number[];
  readonly fluid: readonly number[];
  /** How far `fluid` is from a sum of as few points as a robot may have, which kinks of |v_t| v_t and |v_n| v_n decide. */
  readonly unsettled: readonly number[];
  readonly massMatrix: readonly (readonly number[])[];
  readonly coriolis: readonly number[];
  readonly kineticEnergy: number;
}

/** A point of the centreline and its axis, and their derivatives, in the world. */
interface CentrePoint {
  readonly partials: readonly Vector[];
  readonly velocity: Vector;
  readonly acceleration: Vector;
  readonly axis: Vector;
  readonly axisPartials: readonly Vector[];
  readonly axisRate: Vector;
}

/** Water around one rod. */
export class WaterForces {
  private readonly fine: WaterSums;
  private readonly coarse: WaterSums;

  constructor(body: DeformableBody, water: Water, world: { gravity: Vector; current: Vector }, robot: Bindings) {
    const few = water.points ?? FEWEST[body.type.kinematics.kind === 'strain' ? 'strain' : 'formula'];
    this.fine = new WaterSums(body, water, world, robot, Math.max(NODES, 2 * few));
    this.coarse = new WaterSums(body, { ...water, addedMass: undefined }, world, robot, few);
  }

  /** @param first index of the body's first coordinate among the robot's. */
  at(frame: ProximalMotion, q: readonly Decimal[], qd: readonly Decimal[], time: number, first: number): WaterResult {
    const result = this.fine.at(frame, q, qd, time, first);
    const { fluid } = this.coarse.at(frame, q, qd, time, first);
    return { ...result, unsettled: result.fluid.map((x, a) => Math.abs(x - fluid[a]!)) };
  }
}

/** Effects may be missing; those of added mass in particular. */
type Effects = Omit<Water, 'addedMass'> & { readonly addedMass?: Water['addedMass'] | undefined };

class WaterSums {
  private readonly type: BodyType;
  private readonly water: Readonly<Record<string, number>>;
  private readonly effects: Effects;
  private readonly current: Vector;
  private readonly gravity: Vector;
  private readonly parameters: Scalars;
  /** The centreline, then d1 and d2, or its tangent. */
  private readonly field: Pick<MaterialField, 'place'>;
  private readonly weights: Float64Array;
  private readonly radii: Float64Array;
  private readonly isRigid: boolean;

  constructor(
    body: DeformableBody,
    water: Effects,
    world: { gravity: Vector; current: Vector },
    robot: Bindings,
    nodes: number,
  ) {
    const Wide = decimalOfPrecision(60);
    const wide = new Map([...robot].map(([s, x]) => [s, new Wide(x)]));
    const { type } = body;
    const [rod] = type.volumes as readonly [RodVolume];
    const values = evaluateDecimal(body.parameters, wide, Wide);
    this.parameters = new Map(type.parameters.map((p, i) => [p.symbol, decimalColumn([values[i]!])]));
    this.effects = water;
    this.water = numbersOf(water, wide, Wide);
    ({ gravity: this.gravity, current: this.current } = world);
    // A thread of unit density: its masses are lengths.
    const side = decimal(2 ** -20);
    const thread: RodVolume = {
      ...rod,
      coordinates: 'cartesian',
      shape: { shape: 'rectangle', width: side, height: side },
      density: decimal(2 ** 40),
    };
    const single = { count: 1, graded: false };
    const formulas = type.kinematics.kind === 'strain' ? [...type.kinematics.angular, ...type.kinematics.linear] : [];
    const centre = sampleMaterial({
      volume: thread,
      formulas,
      scalars: this.parameters,
      fineness: [{ count: nodes, graded: false }, single, single],
    });
    this.isRigid = type.kinematics.kind === 'strain' || type.kinematics.kind === 'pose';
    const { nodes: places, breaks } = centre.axial!;
    const step = NEIGHBOUR * (breaks.at(-1)! - breaks[0]!);
    const moved = (symbol: Expr, by: number): MaterialPoints => ({
      ...centre,
      columns: new Map([...centre.columns].map(([s, column]) => [s, s === symbol ? shifted(column, by) : column])),
    });
    const variants = this.isRigid
      ? rod.section.map((s) => moved(s, ASIDE))
      : NEIGHBOURS.map((k) => moved(rod.axial, k * step));
    const all = [centre, ...variants];
    // The map alone.
    const { name, summary, parameters, coordinates, kinematics, integration, time, provenance, locations } = type;
    this.type = {
      ...{ name, summary, parameters, coordinates, kinematics, integration, provenance, locations },
      ...(time && { time }),
      volumes: all.map(() => thread),
    };
    const field = new MaterialField(this.type, all);
    const directions = this.isRigid
      ? variants.map((_, k) => ({ weights: [-1, ...variants.map((__, i) => (i === k ? 1 : 0))], divisor: ASIDE }))
      : [{ weights: [0, ...QUOTIENT], divisor: 12 * step }];
    this.field = {
      place: (scalars) => {
        const { points } = field.place(scalars);
        const differences = directions.map(({ weights, divisor }) =>
          [0, 1, 2].map((axis) =>
            weighted(
              points.map((variant) => variant[axis]!),
              weights,
              divisor,
            ),
          ),
        );
        return { points: [points[0]!, ...differences], distal: undefined };
      },
    };
    this.weights = centre.masses;
    const scalars = new Map(this.parameters).set(rod.axial, places);
    const radius =
      rod.shape.shape === 'annulus' ? rod.shape.outerRadius : rod.shape.shape === 'disc' ? rod.shape.radius : one;
    this.radii =
      this.water['radius'] === undefined
        ? evaluateColumns([radius], scalars, places.high.length)[0]!.high
        : places.high.map(() => this.water['radius']!);
    if (this.radii.length === 1) this.radii = places.high.map(() => this.radii[0]!);
  }

  at(
    frame: ProximalMotion,
    q: readonly Decimal[],
    qd: readonly Decimal[],
    time: number,
    first: number,
  ): Omit<WaterResult, 'unsettled'> {
    const fields = motionFields(this.type, this.parameters, this.field, q, qd, time);
    const own = q.map((_, i) => first + i);
    const coordinates = [...frame.partials.keys(), ...own];
    const sums = {
      fluid: coordinates.map(() => 0),
      massMatrix: coordinates.map(() => coordinates.map(() => 0)),
      coriolis: coordinates.map(() => 0),
      kineticEnergy: 0,
    };
    const motion = {
      value: frame.value.map(Number),
      partials: [...frame.partials.values()].map((pose) => pose.map(Number)),
      rate: frame.rate.map(Number),
      acceleration: frame.acceleration.map(Number),
    };
    this.weights.forEach((weight, row) => {
      const point = this.centrePoint(fields, row, motion);
      const { density } = this.water;
      const R = this.radii[row]!;
      const relative = minus(point.velocity, this.current);
      const along = dot(relative, point.axis);
      const across = minus(relative, scaled(along, point.axis));
      const force = this.force(R, along, across, point.axis);
      point.partials.forEach((partial, a) => (sums.fluid[a]! -= weight * dot(force, partial)));
      const mass = (this.water['addedMass'] ?? 0) * density! * Math.PI * R * R * weight;
      if (mass === 0) return;
      const normal = (v: Vector): Vector => minus(v, scaled(dot(v, point.axis), point.axis));
      sums.kineticEnergy += (mass * dot(across, across)) / 2;
      point.partials.forEach((partial, a) => {
        const share = normal(partial);
        point.partials.forEach((other, b) => (sums.massMatrix[a]![b]! += mass * dot(share, other)));
        sums.coriolis[a]! += mass * dot(share, point.acceleration);
        if (this.effects.addedMass!.form !== 'lagrange') return;
        const turn = plus(scaled(dot(point.axisRate, relative), point.axis), scaled(along, point.axisRate));
        sums.coriolis[a]! += mass * (along * dot(across, point.axisPartials[a]!) - dot(turn, partial));
      });
    });
    return { coordinates, ...sums };
  }

  /** Per length, on the rod. */
  private force(R: number, along: number, across: Vector, axis: Vector): Vector {
    const {
      density: rho,
      normal,
      tangential,
      lift,
      linearNormal,
      linearTangential,
    } = this.water as Record<string, number>;
    const { drag, linearDrag, buoyancy } = this.effects;
    const [speedAcross, speed] = [Math.hypot(...across), Math.hypot(along, ...across)];
    const parts: Vector[] = [];
    if (drag?.form === 'separate')
      parts.push(
        scaled(-rho! * R * normal! * speedAcross, across),
        scaled(-rho! * R * Math.PI * tangential! * Math.abs(along) * along, axis),
      );
    if (drag?.form === 'common')
      parts.push(
        scaled(-rho! * R * speed * normal!, across),
        scaled((-rho! * R * speed * Math.PI * tangential! * along) / 2, axis),
      );
    if (drag && lift !== undefined) {
      const size = drag.form === 'common' ? speed : speedAcross;
      parts.push(scaled(rho! * R * lift * size, cross(axis, plus(across, scaled(along, axis)))));
    }
    if (linearDrag) parts.push(scaled(-linearNormal!, across), scaled(-linearTangential! * along, axis));
    if (buoyancy) parts.push(scaled(-rho! * Math.PI * R * R, this.gravity));
    return parts.reduce(plus, [0, 0, 0]);
  }

  private centrePoint(fields: readonly Difference[], row: number, frame: NumberMotion): CentrePoint {
    /** Position, ∂p/∂q_a, ṗ and p̈ of the centreline, or of a direction, relative to the frame. */
    const local = (variant: number): Vector[] =>
      fields.map(({ points }) => points[variant]!.map((column) => column[row]!));
    const inWorld = (
      list: readonly Vector[],
      w: 0 | 1,
    ): Omit<CentrePoint, 'axis' | 'axisPartials' | 'axisRate'> & { position: Vector } => {
      const [p, ...rest] = list as [Vector, ...Vector[]];
      const [rate, second] = rest.slice(-2) as [Vector, Vector];
      const twice = apply(frame.rate, rate, 0);
      return {
        position: apply(frame.value, p, w),
        partials: [
          ...frame.partials.map((pose) => apply(pose, p, w)),
          ...rest.slice(0, -2).map((partial) => apply(frame.value, partial, 0)),
        ],
        velocity: plus(apply(frame.rate, p, w), apply(frame.value, rate, 0)),
        acceleration: [apply(frame.acceleration, p, w), twice, twice, apply(frame.value, second, 0)].reduce(plus),
      };
    };
    const { partials, velocity, acceleration } = inWorld(local(0), 1);
    const along = (direction: number) => inWorld(local(direction), 0);
    if (this.isRigid) {
      const [d1, d2] = [along(1), along(2)];
      return {
        ...{ partials, velocity, acceleration },
        axis: cross(d1.position, d2.position),
        axisPartials: partials.map((_, a) =>
          plus(cross(d1.partials[a]!, d2.position), cross(d1.position, d2.partials[a]!)),
        ),
        axisRate: plus(cross(d1.velocity, d2.position), cross(d1.position, d2.velocity)),
      };
    }
    const tangent = along(1);
    const length = Math.hypot(...tangent.position);
    const axis = scaled(1 / length, tangent.position);
    const turned = (v: Vector): Vector => scaled(1 / length, minus(v, scaled(dot(v, axis), axis)));
    return {
      ...{ partials, velocity, acceleration, axis },
      axisPartials: tangent.partials.map(turned),
      axisRate: turned(tangent.velocity),
    };
  }
}

interface NumberMotion {
  readonly value: Vector;
  readonly partials: readonly Vector[];
  readonly rate: Vector;
  readonly acceleration: Vector;
}

function numbersOf(
  water: Effects,
  bindings: Bindings,
  Wide: ReturnType<typeof decimalOfPrecision>,
): Record<string, number> {
  const { density, drag, linearDrag, addedMass, radius } = water;
  const given: Record<string, Expr | undefined> = {
    density,
    normal: drag?.normal,
    tangential: drag?.tangential,
    lift: drag?.lift,
    linearNormal: linearDrag?.normal,
    linearTangential: linearDrag?.tangential,
    addedMass: addedMass?.coefficient,
    radius,
  };
  const known = Object.entries(given).filter((entry): entry is [string, Expr] => entry[1] !== undefined);
  return Object.fromEntries(known.map(([name, e]) => [name, evaluateDecimal([e], bindings, Wide)[0]!.toNumber()]));
}

/** Σ weights · columns / divisor, in double-double. */
function weighted(columns: readonly Column[], weights: readonly number[], divisor: number): Column {
  const zero = newColumn(columns[0]!.high.length);
  const sum = columns.reduce((total, column, k) => addScaled(total, weights[k]!, column), zero);
  return addScaled(zero, 1 / divisor, sum);
}

function shifted(column: Column, by: number): Column {
  return combine(add, column, constantColumn(by));
}

/** @param w 1: a point, 0: a vector. */
function apply(pose: Vector, v: Vector, w: 0 | 1): Vector {
  return [0, 4, 8].map(
    (row) => pose[row]! * v[0]! + pose[row + 1]! * v[1]! + pose[row + 2]! * v[2]! + w * pose[row + 3]!,
  );
}

const dot = (a: Vector, b: Vector): number => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
const plus = (a: Vector, b: Vector): Vector => a.map((x, i) => x + b[i]!);
const minus = (a: Vector, b: Vector): Vector => a.map((x, i) => x - b[i]!);
const scaled = (factor: number, v: Vector): Vector => v.map((x) => factor * x);
const cross = (a: Vector, b: Vector): Vector =>
  [0, 1, 2].map((i) => a[(i + 1) % 3]! * b[(i + 2) % 3]! - a[(i + 2) % 3]! * b[(i + 1) % 3]!);
