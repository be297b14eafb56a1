/**
 * Fields along a rod for the independent check: their virtual work, point by point in world axes, of displacements of the centreline and
 * of rotations of the sections, both from positions as they were written.
 */
import type { Decimal } from 'decimal.js';
import { evaluate, evaluateDecimal, decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { DeformableBody } from '../../description/model/robot.ts';
import { FIELD_SYMBOLS, type RodField } from '../../description/model/surroundings.ts';
import type { Bindings } from '../written/local-kinematics.ts';
import { CentrelinePoints, type Carried, type ProximalMotion } from './centreline-points.ts';
import { cross, dot, plus, scaled, type Vector } from './plain-vectors.ts';

/** Along the rod between two breaks. */
const NODES = 64;

const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** On the left-hand side, by index of the robot's coordinate. */
export interface FieldResult {
  readonly coordinates: readonly number[];
  readonly fluid: readonly number[];
}

export class FieldForces {
  private readonly fields: readonly RodField[];
  private readonly line: CentrelinePoints;
  private readonly body: DeformableBody;
  private readonly known: ReadonlyMap<Expr, number>;

  constructor(body: DeformableBody, fields: readonly RodField[], robot: Bindings) {
    const Wide = decimalOfPrecision(60);
    const wide = new Map([...robot].map(([s, x]) => [s, new Wide(x)]));
    const values = evaluateDecimal(body.parameters, wide, Wide);
    this.body = body;
    this.fields = fields;
    this.line = new CentrelinePoints(body, robot, true, NODES);
    this.known = new Map<Expr, number>([
      ...[...robot].map(([s, x]) => [s, x.toNumber()] as const),
      ...body.type.parameters.map((p, i) => [p.symbol, values[i]!.toNumber()] as const),
    ]);
  }

  /** @param first index of the body's first coordinate among the robot's. */
  at(frame: ProximalMotion, q: readonly Decimal[], qd: readonly Decimal[], time: number, first: number): FieldResult {
    const motion = this.line.at(frame, q, qd, time, first);
    const { coordinates } = motion;
    const fluid = coordinates.map(() => 0);
    const known = new Map(this.known);
    this.body.type.coordinates.forEach(({ symbol }, i) => known.set(symbol, q[i]!.toNumber()));
    const { high } = this.line.places;
    this.line.weights.forEach((weight, row) => {
      const point = motion.point(row);
      const axes = [motion.direction(row, 0), motion.direction(row, 1)] as const;
      const { force, moment } = this.fieldAt(point.position, axes, time, new Map(known).set(this.axial, high[row]!));
      coordinates.forEach((_, a) => {
        const work = dot(force, point.partials[a]!) + dot(moment, rotationOf(axes, a));
        fluid[a] = fluid[a]! - weight * work;
      });
    });
    return { coordinates, fluid };
  }

  private get axial(): Expr {
    return (this.body.type.volumes[0] as RodVolume).axial;
  }

  /** All fields together, world axes. */
  private fieldAt(
    place: Vector,
    [first, second]: readonly [Carried, Carried],
    time: number,
    known: Map<Expr, number>,
  ): { readonly force: Vector; readonly moment: Vector } {
    const [d1, d2] = [first.position, second.position];
    const d3 = cross(d1, d2);
    const rotation = [0, 1, 2].flatMap((i) => [d1[i]!, d2[i]!, d3[i]!]);
    let [force, moment]: Vector[] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    for (const field of this.fields) {
      const written = field.axes === 'world' ? IDENTITY : rotation;
      const standing = [...written, ...rotation, ...place];
      FIELD_SYMBOLS.forEach((s, i) => known.set(s, standing[i]!));
      if (field.time) known.set(field.time, time);
      const values = evaluate([...field.force, ...field.moment], known);
      force = plus(force!, values.slice(0, 3));
      moment = plus(moment!, values.slice(3));
    }
    return { force: force!, moment: moment! };
  }
}

/** Rotation of a section per unit change of a coordinate: half of Σ d × ∂d of its axes. */
function rotationOf([first, second]: readonly [Carried, Carried], a: number): Vector {
  const [d1, d2] = [first.position, second.position];
  const [e1, e2] = [first.partials[a]!, second.partials[a]!];
  const third = plus(cross(e1, d2), cross(d1, e2));
  return scaled(0.5, [cross(d1, e1), cross(d2, e2), cross(cross(d1, d2), third)].reduce(plus));
}
