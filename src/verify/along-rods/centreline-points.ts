/**
 * Points of the centreline of a rod for the independent check, with what moves with them: positions from formulas as they were written,
 * derivatives by difference quotients, in world axes. Sections that are rigid are seen by points of theirs beside the centreline,
 * others by neighbours on it.
 */
import type { Decimal } from 'decimal.js';
import { decimal, type Expr } from '../../symbolic/graph/expr.ts';
import { evaluateDecimal, decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import type { BodyType, DeformableBody } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import { addScaled, combine, constantColumn, decimalColumn, newColumn, type Column } from '../arithmetic/columns.ts';
import type { Pose } from '../arithmetic/decimal-pose.ts';
import { add } from '../arithmetic/double-double.ts';
import type { Bindings } from '../written/local-kinematics.ts';
import { MaterialField } from '../written/material-field.ts';
import { sampleMaterial, type MaterialPoints, type Scalars } from '../written/material-points.ts';
import { motionFields, type Difference } from '../written/motion-fields.ts';
import { apply, plus, type Vector } from './plain-vectors.ts';

/** Side of the section points about the centreline, m: any, where sections are rigid. */
const ASIDE = 1e-3;
/** Of the length of the rod, between neighbours on the centreline. */
const NEIGHBOUR = 2e-5;
const NEIGHBOURS = [-2, -1, 1, 2];
const QUOTIENT = [1, -8, 8, -1];

/** Motion of the proximal frame in the world; `partials` by index of the robot's coordinate. */
export interface ProximalMotion {
  readonly value: Pose;
  readonly partials: ReadonlyMap<number, Pose>;
  readonly rate: Pose;
  readonly acceleration: Pose;
}

/** Something that is carried along, in the world: a point, or a direction. */
export interface Carried {
  readonly position: Vector;
  readonly partials: readonly Vector[];
  readonly velocity: Vector;
  readonly acceleration: Vector;
}

/** At one state. */
export interface CentrelineMotion {
  /** Indices of the robot's coordinates, in the order of partial derivatives. */
  readonly coordinates: readonly number[];
  /** @param row of the points. */
  point(row: number): Carried;
  /** d1 and d2 of rigid sections, else the tangent, not normalised. */
  direction(row: number, index: number): Carried;
}

export class CentrelinePoints {
  /** Lengths that points stand for, and their places. */
  readonly weights: Float64Array;
  readonly places: Column;
  /** Of the body's parameters. */
  readonly parameters: Scalars;
  private readonly type: BodyType;
  /** The centreline, then d1 and d2, or its tangent. */
  private readonly field: Pick<MaterialField, 'place'>;

  /**
   * @param isRigid do sections show their axes?
   * @param nodes along the rod between two breaks.
   */
  constructor(body: DeformableBody, robot: Bindings, isRigid: boolean, nodes: number) {
    const Wide = decimalOfPrecision(60);
    const wide = new Map([...robot].map(([s, x]) => [s, new Wide(x)]));
    const { type } = body;
    const [rod] = type.volumes as readonly [RodVolume];
    const values = evaluateDecimal(body.parameters, wide, Wide);
    this.parameters = new Map(type.parameters.map((p, i) => [p.symbol, decimalColumn([values[i]!])]));
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
    const { nodes: places, breaks } = centre.axial!;
    const step = NEIGHBOUR * (breaks.at(-1)! - breaks[0]!);
    const moved = (symbol: Expr, by: number): MaterialPoints => ({
      ...centre,
      columns: new Map([...centre.columns].map(([s, column]) => [s, s === symbol ? shifted(column, by) : column])),
    });
    const variants = isRigid
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
    const directions = isRigid
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
    this.places = places;
  }

  at(
    { value, partials, rate, acceleration }: ProximalMotion,
    q: readonly Decimal[],
    qd: readonly Decimal[],
    time: number,
    first: number,
  ): CentrelineMotion {
    const fields = motionFields(this.type, this.parameters, this.field, q, qd, time);
    const frame = {
      value: value.map(Number),
      partials: [...partials.values()].map((pose) => pose.map(Number)),
      rate: rate.map(Number),
      acceleration: acceleration.map(Number),
    };
    return {
      coordinates: [...partials.keys(), ...q.map((_, i) => first + i)],
      point: (row) => carried(fields, row, 0, frame),
      direction: (row, index) => carried(fields, row, 1 + index, frame),
    };
  }
}

interface NumberMotion {
  readonly value: Vector;
  readonly partials: readonly Vector[];
  readonly rate: Vector;
  readonly acceleration: Vector;
}

/** @param variant 0: a point, others: directions. */
function carried(fields: readonly Difference[], row: number, variant: number, frame: NumberMotion): Carried {
  const w = variant === 0 ? 1 : 0;
  /** Position, ∂p/∂q_a, ṗ and p̈ relative to the frame. */
  const local: readonly Vector[] = fields.map(({ points }) => points[variant]!.map((column) => column[row]!));
  const [p, ...rest] = local as [Vector, ...Vector[]];
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
