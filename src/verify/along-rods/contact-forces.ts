/**
 * Contacts for the independent check: virtual work of forces at points of bodies, in world axes. Nearest points of cores are found by
 * projecting onto one after the other.
 */
import type { Decimal } from 'decimal.js';
import type { Contact, Shape } from '../../description/model/contact.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { DeformableBody, Link } from '../../description/model/robot.ts';
import { evaluateDecimal, decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import { one } from '../../symbolic/graph/expr.ts';
import { evaluateColumns } from '../arithmetic/columns.ts';
import type { Bindings } from '../written/local-kinematics.ts';
import { CentrelinePoints, type ProximalMotion } from './centreline-points.ts';
import { apply, cross, dot, minus, plus, scaled, type Vector } from './plain-vectors.ts';

/** Times the points that a rod has at least; it may have more. */
const FINER = 4;
const PROJECTIONS = 20_000;

/** On the left-hand side, by index of the robot's coordinate. */
export interface ContactResult {
  readonly coordinates: readonly number[];
  readonly fluid: readonly number[];
  /** How far `fluid`, a sum of as few points as the rod may have, is from one of more. */
  readonly unsettled: readonly number[];
}

/** In numbers; a missing half: a line. */
interface Solid {
  readonly kind: Shape['kind'];
  readonly place: Vector;
  readonly axis: Vector | undefined;
  readonly half: number;
  readonly radius: number;
}

interface Law {
  readonly kind: Contact['law']['kind'];
  readonly stiffness: number;
  readonly damping: number;
  readonly coefficient: number;
  readonly speed: number;
}

interface Pair {
  readonly touching: Contact['touching'];
  readonly obstacle: Solid;
  readonly law: Law;
}

export class ContactForces {
  private readonly pairs: readonly Pair[];
  private readonly numbers: (solid: Shape) => Solid;
  private readonly lines: readonly RodLine[];

  constructor({ body, contacts = [] }: Link, robot: Bindings) {
    const Wide = decimalOfPrecision(60);
    const wide = new Map([...robot].map(([s, x]) => [s, new Wide(x)]));
    const number = (e: Shape['radius']): number => (e ? evaluateDecimal([e], wide, Wide)[0]!.toNumber() : 0);
    this.numbers = ({ kind, place, axis, half, radius }) => ({
      kind,
      place: place.map(number),
      axis: axis?.map(number),
      half: axis && !half ? Infinity : number(half),
      radius: number(radius),
    });
    this.pairs = contacts.map(({ touching, obstacle, law }) => ({
      touching,
      obstacle: this.numbers(obstacle),
      law: {
        kind: law.kind,
        stiffness: number(law.stiffness),
        damping: number(law.damping),
        coefficient: number(law.friction?.coefficient),
        speed: number(law.friction?.speed),
      },
    }));
    const most = Math.max(...this.pairs.map(({ touching }) => (touching.kind === 'rod' ? touching.points : 0)));
    this.lines =
      body.kind === 'rigid'
        ? []
        : this.pairs.flatMap((pair) => {
            if (pair.touching.kind !== 'rod') return [];
            const { perPoint, radius } = pair.touching;
            const own = radius && number(radius);
            const nodes = perPoint ? [most] : [most, FINER * most];
            return nodes.map((count, k) => new RodLine(body, robot, pair, own, count, k > 0));
          });
  }

  /** @param first index of the body's first coordinate among the robot's. */
  at(frame: ProximalMotion, q: readonly Decimal[], qd: readonly Decimal[], time: number, first: number): ContactResult {
    const coordinates = [...frame.partials.keys(), ...q.map((_, i) => first + i)];
    const fluid = coordinates.map(() => 0);
    const fine = coordinates.map(() => 0);
    for (const { touching, obstacle, law } of this.pairs)
      for (const shape of touching.kind === 'shapes' ? touching.shapes : [])
        this.addShape(frame, this.numbers(shape), obstacle, law, fluid);
    fine.forEach((_, a) => (fine[a] = fluid[a]!));
    for (const line of this.lines) {
      const own = line.at(frame, q, qd, time, first);
      own.forEach((x, a) => {
        if (!line.isFine) fluid[a]! += x;
        if (line.isFine || line.isOnly) fine[a]! += x;
      });
    }
    return { coordinates, fluid, unsettled: fluid.map((x, a) => Math.abs(x - fine[a]!)) };
  }

  private addShape(frame: ProximalMotion, shape: Solid, obstacle: Solid, law: Law, fluid: number[]): void {
    const value = frame.value.map(Number);
    const moved = {
      ...shape,
      place: apply(value, shape.place, 1),
      axis: shape.axis && apply(value, shape.axis, 0),
    };
    for (const { point, normal, overlap } of meetings(moved, obstacle)) {
      const local = back(value, point);
      const velocity = apply(frame.rate.map(Number), local, 1);
      const force = forceOf(law, normal, overlap, velocity);
      [...frame.partials.values()].forEach((partial, a) => {
        fluid[a] = fluid[a]! - dot(force, apply(partial.map(Number), local, 1));
      });
    }
  }
}

/** The sections of a rod against one obstacle. */
class RodLine {
  readonly isFine: boolean;
  /** Is it the sum that is meant, to the point? */
  readonly isOnly: boolean;
  private readonly pair: Pair;
  private readonly line: CentrelinePoints;
  private readonly radii: readonly number[];

  constructor(
    body: DeformableBody,
    robot: Bindings,
    pair: Pair,
    radius: number | undefined,
    nodes: number,
    isFine: boolean,
  ) {
    const { kind } = body.type.kinematics;
    this.pair = pair;
    this.isFine = isFine;
    this.isOnly = pair.touching.kind === 'rod' && pair.touching.perPoint;
    this.line = new CentrelinePoints(body, robot, kind === 'strain' || kind === 'pose', nodes);
    const { places, parameters } = this.line;
    const [rod] = body.type.volumes as readonly [RodVolume];
    const { shape } = rod;
    const round = shape.shape === 'annulus' ? shape.outerRadius : shape.shape === 'disc' ? shape.radius : one;
    const own = evaluateColumns([round], new Map(parameters).set(rod.axial, places), places.high.length)[0]!.high;
    this.radii = [...places.high].map((_, row) => radius ?? own[own.length === 1 ? 0 : row]!);
  }

  at(frame: ProximalMotion, q: readonly Decimal[], qd: readonly Decimal[], time: number, first: number): number[] {
    const { obstacle, law } = this.pair;
    const motion = this.line.at(frame, q, qd, time, first);
    const taken = motion.coordinates.map(() => 0);
    this.line.weights.forEach((weight, row) => {
      const { position, velocity, partials } = motion.point(row);
      const section = { kind: 'sphere', place: position, axis: undefined, half: 0, radius: this.radii[row]! } as const;
      const [{ normal, overlap }] = meetings(section, obstacle) as [Meeting];
      const force = scaled(this.isOnly ? 1 : weight, forceOf(law, normal, overlap, velocity));
      partials.forEach((partial, a) => (taken[a] = taken[a]! - dot(force, partial)));
    });
    return taken;
  }
}

interface Meeting {
  /** On the surface of the body. */
  readonly point: Vector;
  /** Out of the obstacle. */
  readonly normal: Vector;
  readonly overlap: number;
}

function forceOf({ kind, stiffness, damping, coefficient, speed }: Law, n: Vector, overlap: number, v: Vector): Vector {
  if (overlap <= 0) return [0, 0, 0];
  const speedOut = dot(n, v);
  const size =
    kind === 'spring-damper'
      ? stiffness * overlap - damping * Math.min(0, speedOut)
      : stiffness * overlap * Math.max(0, 1 - damping * speedOut);
  const slip = cross(cross(n, v), n);
  const rubbing = coefficient === 0 ? 0 : (-coefficient * size) / Math.hypot(...slip, speed);
  return plus(scaled(size, n), scaled(rubbing, slip));
}

function meetings(body: Solid, obstacle: Solid): readonly Meeting[] {
  if (obstacle.kind === 'plane' || body.kind === 'plane') {
    const [plane, other] = obstacle.kind === 'plane' ? [obstacle, body] : [body, obstacle];
    const isBodyFlat = plane === body;
    return endsOf(other).map((end) => {
      const height = dot(plane.axis!, minus(end, plane.place));
      return {
        normal: scaled(isBodyFlat ? -1 : 1, plane.axis!),
        overlap: other.radius - height,
        point: minus(end, scaled(isBodyFlat ? height : other.radius, plane.axis!)),
      };
    });
  }
  let [a, b] = [body.place, obstacle.place];
  for (let k = 0; k < PROJECTIONS; k++) {
    const before = a;
    b = onCore(obstacle, a);
    a = onCore(body, b);
    if (a.every((x, i) => x === before[i])) break;
  }
  const apart = minus(a, b);
  const distance = Math.hypot(...apart);
  // Cores that meet push nowhere.
  const normal = scaled(distance > 0 ? 1 / distance : 0, apart);
  return [{ normal, overlap: body.radius + obstacle.radius - distance, point: minus(a, scaled(body.radius, normal)) }];
}

function endsOf({ place, axis, half }: Solid): readonly Vector[] {
  return axis ? [plus(place, scaled(half, axis)), minus(place, scaled(half, axis))] : [place];
}

/** The place on a core nearest to a point. */
function onCore({ place, axis, half }: Solid, point: Vector): Vector {
  if (!axis) return place;
  const along = Math.min(Math.max(dot(axis, minus(point, place)), -half), half);
  return plus(place, scaled(along, axis));
}

/** A point of the world in axes of a pose. */
function back(pose: Vector, point: Vector): Vector {
  const apart = [0, 1, 2].map((i) => point[i]! - pose[4 * i + 3]!);
  return [0, 1, 2].map((j) => [0, 1, 2].reduce((sum, i) => sum + pose[4 * i + j]! * apart[i]!, 0));
}
