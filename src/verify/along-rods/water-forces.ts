/**
 * Forces of water on a rod by D'Alembert's principle, for the independent check: positions of the centreline from formulas as they
 * were written, derivatives by difference quotients, and everything else point by point in world axes. The axis of the rod is
 * d1 × d2 of section points where sections are rigid by description, else the direction of neighbours on the centreline.
 */
import type { Decimal } from 'decimal.js';
import { one, type Expr } from '../../symbolic/graph/expr.ts';
import { evaluateDecimal, decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import type { DeformableBody } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { Water } from '../../description/model/surroundings.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import type { Bindings } from '../written/local-kinematics.ts';
import { CentrelinePoints, type CentrelineMotion, type ProximalMotion } from './centreline-points.ts';
import { cross, dot, minus, plus, scaled, type Vector } from './plain-vectors.ts';

/** Nodes along the rod between two breaks. */
const NODES = 64;
/** The fewest points that a rod by strain has, and those of other bodies, unless the water says how many. */
const FEWEST = { strain: 8, formula: 16 };
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
  private readonly water: Readonly<Record<string, number>>;
  private readonly effects: Effects;
  private readonly current: Vector;
  private readonly gravity: Vector;
  private readonly line: CentrelinePoints;
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
    this.effects = water;
    this.water = numbersOf(water, wide, Wide);
    ({ gravity: this.gravity, current: this.current } = world);
    this.isRigid = type.kinematics.kind === 'strain' || type.kinematics.kind === 'pose';
    this.line = new CentrelinePoints(body, robot, this.isRigid, nodes);
    const { places, parameters } = this.line;
    const scalars = new Map(parameters).set(rod.axial, places);
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
    const motion = this.line.at(frame, q, qd, time, first);
    const { coordinates } = motion;
    const sums = {
      fluid: coordinates.map(() => 0),
      massMatrix: coordinates.map(() => coordinates.map(() => 0)),
      coriolis: coordinates.map(() => 0),
      kineticEnergy: 0,
    };
    this.line.weights.forEach((weight, row) => {
      const point = this.centrePoint(motion, row);
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

  private centrePoint(motion: CentrelineMotion, row: number): CentrePoint {
    const { partials, velocity, acceleration } = motion.point(row);
    if (this.isRigid) {
      const [d1, d2] = [motion.direction(row, 0), motion.direction(row, 1)];
      return {
        ...{ partials, velocity, acceleration },
        axis: cross(d1.position, d2.position),
        axisPartials: partials.map((_, a) =>
          plus(cross(d1.partials[a]!, d2.position), cross(d1.position, d2.partials[a]!)),
        ),
        axisRate: plus(cross(d1.velocity, d2.position), cross(d1.position, d2.velocity)),
      };
    }
    const tangent = motion.direction(row, 0);
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
