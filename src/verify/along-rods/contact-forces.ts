/**
 * Contacts for the independent check: virtual work of forces at points of bodies, in world axes. Nearest points of cores are found by
 * projecting onto one after the other.
 */
import type { Decimal } from 'decimal.js';
import type { Bristle, Contact, MutualContact, Shape } from '../../description/model/contact.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { DeformableBody, Link } from '../../description/model/robot.ts';
import { evaluateDecimal, decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import { one } from '../../symbolic/graph/expr.ts';
import { identityFrame } from '../../symbolic/graph/vector.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
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
  /** How far `fluid`, a sum of as few points as the rod may have, is from one of more, or from its own rounding. */
  readonly unsettled: readonly number[];
  /** Errors of places, relative to their distance from the origin, change `fluid` by these times as much. */
  readonly steepness: readonly number[];
}

/** A relative error of places by which `steepness` is found: half of the digits of a double. */
const SMALL = 1e-9;
/** And one that rounding makes: a hundred units in the last place. */
const ROUNDING = 100 * Number.EPSILON;

/** In numbers; a missing half: a line. */
interface Solid {
  readonly kind: Shape['kind'];
  readonly place: Vector;
  readonly axis: Vector | undefined;
  readonly half: number;
  readonly radius: number;
  /** Of a piece of a rod. */
  readonly ends: Shape['ends'];
}

interface Law {
  readonly kind: Contact['law']['kind'];
  readonly stiffness: number;
  readonly damping: number;
  readonly coefficient: number;
  readonly friction: { readonly speed: number } | { readonly stiffness: number; readonly damping: number };
}

/** Places at which a pair is held, in the axes that the model says. */
interface Held {
  readonly isHeld: number;
  /** Missing: the middle of the section of a rod. */
  readonly own: Vector | undefined;
  readonly other: Vector;
}

interface Pair {
  readonly touching: Contact['touching'];
  readonly obstacle: Solid;
  readonly law: Law;
  readonly held: readonly Held[] | undefined;
}

export class ContactForces {
  private readonly pairs: readonly Pair[];
  private readonly numbers: (solid: Shape) => Solid;
  private readonly lines: readonly RodLine[];

  constructor({ body, contacts = [] }: Link, robot: Bindings) {
    const number = numberOf(robot);
    this.numbers = (shape) => solidOf(shape, number);
    this.pairs = contacts.map(({ touching, obstacle, law, bristles }) => ({
      held: bristles?.map((bristle) => heldOf(bristle, number)),
      touching,
      obstacle: this.numbers(obstacle),
      law: lawOf(law, number),
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
    const steepness = coordinates.map(() => 0);
    for (const { touching, obstacle, law, held } of this.pairs) {
      const value = frame.value.map(Number);
      const shapes = touching.kind === 'shapes' ? touching.shapes.map(this.numbers) : [];
      const met = shapes.flatMap((shape) => meetings(movedBy(value, shape), obstacle));
      met.forEach((meeting, k) => this.addMeeting(frame, meeting, law, held?.[k], { fluid, steepness }));
    }
    fine.forEach((_, a) => (fine[a] = fluid[a]!));
    for (const line of this.lines) {
      const own = line.at(frame, q, qd, time, first);
      own.steepness.forEach((x, a) => (steepness[a]! += x));
      own.taken.forEach((x, a) => {
        if (!line.isFine) fluid[a]! += x;
        if (line.isFine || line.isOnly) fine[a]! += x;
      });
    }
    const unsettled = fluid.map((x, a) => Math.abs(x - fine[a]!) + ROUNDING * steepness[a]!);
    return { coordinates, fluid, unsettled, steepness };
  }

  private addMeeting(
    frame: ProximalMotion,
    meeting: Meeting,
    law: Law,
    held: Held | undefined,
    { fluid, steepness }: Record<'fluid' | 'steepness', number[]>,
  ): void {
    const value = frame.value.map(Number);
    const local = back(value, meeting.point);
    const velocity = apply(frame.rate.map(Number), local, 1);
    const slip = held ? slipOf(held, meeting, [apply(value, held.own!, 1), held.other]) : NO_SLIP;
    const force = forceOf(law, meeting, velocity, slip);
    const steep = steepnessOf(force, (own) => forceOf(law, own, velocity, slip), meeting);
    [...frame.partials.values()].forEach((partial, a) => {
      const moved = apply(partial.map(Number), local, 1);
      fluid[a] = fluid[a]! - dot(force, moved);
      steepness[a] = steepness[a]! + Math.abs(dot(steep, moved));
    });
  }
}

/** Contacts of bodies that both move. */
export class MutualForces {
  private readonly pairs: readonly {
    readonly frames: MutualContact['frames'];
    readonly isSection: boolean;
    readonly offsets: readonly [Vector, Vector];
    readonly solids: readonly [Solid, Solid];
    readonly law: Law;
    readonly held: readonly Held[] | undefined;
  }[];

  constructor(contacts: readonly MutualContact[], robot: Bindings) {
    const number = numberOf(robot);
    this.pairs = contacts.map(({ frames, shapes, law, bristles, isSection = false }) => ({
      held: bristles?.map((bristle) => heldOf(bristle, number)),
      ...{ frames, isSection },
      offsets: [poseOf(frames[0], number), poseOf(frames[1], number)],
      solids: [solidOf(shapes[0], number), solidOf(shapes[1], number)],
      law: lawOf(law, number),
    }));
  }

  /**
   * @param carried motions of the frames that anchors ride on: distal ones of links, points of rods.
   * @param n coordinates of the robot; those that follow the time come after them.
   */
  at(carried: (anchor: MutualContact['frames'][0]) => ProximalMotion, n: number): ContactResult {
    const fluid = Array.from({ length: n }, () => 0);
    const steepness = fluid.map(() => 0);
    for (const { frames, isSection, offsets, solids, law, held } of this.pairs) {
      const motions = frames.map(carried);
      const values = motions.map(({ value }) => value.map(Number));
      const [a, b] = solids.map((solid, k) => movedBy(values[k]!, movedBy(offsets[k]!, solid))) as [Solid, Solid];
      const seen = (k: 0 | 1, place: Vector): Vector => apply(values[k]!, apply(offsets[k], place, 1), 1);
      for (const [k, meeting] of meetings(a, b).entries()) {
        const locals = values.map((value) => back(value, isSection ? a.place : meeting.point));
        const own = held?.[k];
        const met = isSection ? ofMiddle(meeting, a, b) : meeting;
        const slip = own ? slipOf(own, met, [own.own ? seen(0, own.own) : a.place, seen(1, own.other)]) : NO_SLIP;
        const [v, w] = motions.map(({ rate }, k) => apply(rate.map(Number), locals[k]!, 1)) as [Vector, Vector];
        const given = (own: Meeting): Vector => shared(b, a.place, law, own, forceOf(law, own, minus(v, w), slip));
        const force = given(meeting);
        const steep = steepnessOf(force, given, meeting);
        motions.forEach(({ partials }, k) =>
          partials.forEach((partial, coordinate) => {
            if (coordinate >= n) return;
            const moved = apply(partial.map(Number), locals[k]!, 1);
            const work = dot(force, moved);
            fluid[coordinate] = fluid[coordinate]! + (k === 0 ? -work : work);
            steepness[coordinate] = steepness[coordinate]! + Math.abs(dot(steep, moved));
          }),
        );
      }
    }
    return { coordinates: fluid.map((_, a) => a), fluid, unsettled: steepness.map((x) => ROUNDING * x), steepness };
  }
}

/** Row by row, three times four numbers. */
function poseOf({ offset }: MutualContact['frames'][0], number: NumberOf): Vector {
  const { rotation, translation } = offset ?? identityFrame;
  return [0, 1, 2].flatMap((i) => [...[0, 1, 2].map((j) => number(rotation[3 * i + j])), number(translation[i])]);
}

function movedBy(pose: Vector, solid: Solid): Solid {
  return { ...solid, place: apply(pose, solid.place, 1), axis: solid.axis && apply(pose, solid.axis, 0) };
}

type NumberOf = (e: Shape['radius']) => number;

function numberOf(robot: Bindings): NumberOf {
  const Wide = decimalOfPrecision(60);
  const wide = new Map([...robot].map(([s, x]) => [s, new Wide(x)]));
  return (e) => (e ? evaluateDecimal([e], wide, Wide)[0]!.toNumber() : 0);
}

const solidOf = ({ kind, place, axis, half, radius, ends }: Shape, number: NumberOf): Solid => ({
  kind,
  place: place.map(number),
  axis: axis?.map(number),
  half: axis && !half ? Infinity : number(half),
  radius: number(radius),
  ends,
});

const lawOf = ({ kind, stiffness, damping, friction }: Contact['law'], number: NumberOf): Law => ({
  kind,
  stiffness: number(stiffness),
  damping: number(damping),
  coefficient: number(friction?.coefficient),
  friction:
    friction?.kind === 'bristle'
      ? { stiffness: number(friction.stiffness), damping: number(friction.damping) }
      : { speed: number(friction?.speed) },
});

const heldOf = ({ isHeld, own, other }: Bristle, number: NumberOf): Held => ({
  isHeld: number(isHeld),
  own: own?.map(number),
  other: other.map(number),
});

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

  at(
    frame: ProximalMotion,
    q: readonly Decimal[],
    qd: readonly Decimal[],
    time: number,
    first: number,
  ): Record<'taken' | 'steepness', number[]> {
    const { obstacle, law } = this.pair;
    const motion = this.line.at(frame, q, qd, time, first);
    const taken = motion.coordinates.map(() => 0);
    const steepness = motion.coordinates.map(() => 0);
    this.line.weights.forEach((weight, row) => {
      const { position, velocity, partials } = motion.point(row);
      const section = { place: position, axis: undefined, half: 0, radius: this.radii[row]! };
      const [meeting] = meetings({ ...section, kind: 'sphere', ends: undefined }, obstacle) as [Meeting];
      const given = (own: Meeting): Vector => scaled(this.isOnly ? 1 : weight, forceOf(law, own, velocity, NO_SLIP));
      const force = given(meeting);
      const steep = steepnessOf(force, given, meeting);
      partials.forEach((partial, a) => {
        taken[a] = taken[a]! - dot(force, partial);
        steepness[a] = steepness[a]! + Math.abs(dot(steep, partial));
      });
    });
    return { taken, steepness };
  }
}

interface Meeting {
  /** On the surface of the body. */
  readonly point: Vector;
  /** Out of the obstacle. */
  readonly normal: Vector;
  readonly overlap: number;
  readonly solids: readonly [Solid, Solid];
}

const NO_SLIP: Vector = [0, 0, 0];

/** How a force changes with errors of places relative to their distance from the origin. */
function steepnessOf(force: Vector, given: (meeting: Meeting) => Vector, meeting: Meeting): Vector {
  if (meeting.overlap <= 0) return NO_SLIP;
  const distance = Math.hypot(...meeting.point);
  return scaled(1 / SMALL, minus(given({ ...meeting, overlap: meeting.overlap + SMALL * distance }), force));
}

/** The middle of a section against the surface that it moves on where the ball about it touches. */
function ofMiddle(meeting: Meeting, ball: Solid, met: Solid): Meeting {
  const radius = met.kind === 'plane' ? 0 : met.radius + (met.kind === 'tube' ? -ball.radius : ball.radius);
  return {
    ...meeting,
    point: ball.place,
    solids: [
      { ...ball, radius: 0 },
      { ...met, radius },
    ],
  };
}

/** What the body has slipped: the arcs from the point of contact to where either surface is held, less each other. @param places world axes. */
function slipOf(
  { isHeld }: Held,
  { point, normal, overlap, solids }: Meeting,
  places: readonly [Vector, Vector],
): Vector {
  // Places that nothing is held at may lie anywhere.
  if (isHeld === 0) return NO_SLIP;
  const points = [point, plus(point, scaled(overlap, normal))] as const;
  const [own, other] = places.map((place, k) => {
    const apart = minus(place, points[k]!);
    const out = scaled(k === 0 ? -1 : 1, normal);
    const height = dot(out, apart);
    const fall = solids[k]!.kind === 'tube' ? height : -height;
    const chord = minus(apart, scaled(height, out));
    const { radius, axis } = solids[k]!;
    const along = axis && radius > 0 ? scaled(dot(axis, chord), axis) : NO_SLIP;
    // By how far the surface falls; a spring that is stretched ends beside it, where nothing falls.
    const angle = radius > 0 ? 2 * Math.asin(Math.sqrt(Math.max(0, fall / (2 * radius)))) : 0;
    return angle === 0 ? chord : plus(along, scaled(angle / Math.sin(angle), minus(chord, along)));
  }) as [Vector, Vector];
  return scaled(isHeld, minus(own, other));
}

/** Of a piece of a rod the part that its fading share leaves, and the force by which energy is kept as the share changes. */
function shared(piece: Solid, place: Vector, law: Law, { overlap }: Meeting, force: Vector): Vector {
  if (piece.kind !== 'piece' || !piece.ends) return force;
  const along = dot(piece.axis!, minus(place, piece.place));
  if (piece.ends[along < 0 ? 0 : 1]) return force;
  const [a, most] = [Math.abs(along), 2 * piece.half];
  if (a >= most) return [0, 0, 0];
  const size = 1 - (3 * a ** 2) / most ** 2 + (2 * a ** 3) / most ** 3;
  const slope = (6 * a * (a - most)) / most ** 3;
  const stored = overlap > 0 ? (law.stiffness * overlap ** 2) / 2 : 0;
  return plus(scaled(size, force), scaled(-stored * slope * Math.sign(along), piece.axis!));
}

function forceOf(law: Law, { normal: n, overlap }: Meeting, v: Vector, slipped: Vector): Vector {
  const { kind, stiffness, damping, coefficient, friction } = law;
  if (overlap <= 0) return [0, 0, 0];
  const speedOut = dot(n, v);
  const size =
    kind === 'spring-damper'
      ? stiffness * overlap - damping * Math.min(0, speedOut)
      : stiffness * overlap * Math.max(0, 1 - damping * speedOut);
  const slip = cross(cross(n, v), n);
  if ('stiffness' in friction) {
    const most = coefficient * size;
    const cut = (f: Vector): Vector => (Math.hypot(...f) > most ? scaled(most / Math.hypot(...f), f) : f);
    const spring = cut(scaled(friction.stiffness, slipped));
    return minus(scaled(size, n), cut(plus(spring, scaled(friction.damping, slip))));
  }
  const rubbing = coefficient === 0 ? 0 : (-coefficient * size) / Math.hypot(...slip, friction.speed);
  return plus(scaled(size, n), scaled(rubbing, slip));
}

function meetings(body: Solid, obstacle: Solid): readonly Meeting[] {
  if (obstacle.kind === 'tube' || body.kind === 'tube') return inTube(body, obstacle);
  if (obstacle.kind === 'plane' || body.kind === 'plane') {
    const [plane, other] = obstacle.kind === 'plane' ? [obstacle, body] : [body, obstacle];
    const isBodyFlat = plane === body;
    return endsOf(other).map((end) => {
      const height = dot(plane.axis!, minus(end, plane.place));
      return {
        normal: scaled(isBodyFlat ? -1 : 1, plane.axis!),
        overlap: other.radius - height,
        solids: [body, obstacle],
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
  const overlap = body.radius + obstacle.radius - distance;
  return [{ normal, overlap, solids: [body, obstacle], point: minus(a, scaled(body.radius, normal)) }];
}

/** Points of the wall are as far from the axis as the bore is wide, along the line from the axis through each end. */
function inTube(body: Solid, obstacle: Solid): readonly Meeting[] {
  const isBody = body.kind === 'tube';
  const [tube, other] = isBody ? [body, obstacle] : [obstacle, body];
  return endsOf(other).map((end) => {
    const foot = onCore(tube, end);
    const distance = Math.hypot(...minus(end, foot));
    const outwards = scaled(distance > 0 ? 1 / distance : 0, minus(end, foot));
    const [wall, surface] = [tube.radius, distance + other.radius].map((r) => plus(foot, scaled(r, outwards))) as [
      Vector,
      Vector,
    ];
    return {
      normal: scaled(isBody ? 1 : -1, outwards),
      overlap: distance + other.radius - tube.radius,
      solids: [body, obstacle],
      point: isBody ? wall : surface,
    };
  });
}

function endsOf({ place, axis, half }: Solid): readonly Vector[] {
  return axis ? [plus(place, scaled(half, axis)), minus(place, scaled(half, axis))] : [place];
}

/** The place on a core nearest to a point. */
function onCore({ place, axis, half, ends }: Solid, point: Vector): Vector {
  if (!axis) return place;
  const [low, high] = (ends ?? [true, true]).map((isEnd) => (isEnd ? half : 2 * half)) as [number, number];
  const along = Math.min(Math.max(dot(axis, minus(point, place)), -low), high);
  return plus(place, scaled(along, axis));
}

/** A point of the world in axes of a pose. */
function back(pose: Vector, point: Vector): Vector {
  const apart = [0, 1, 2].map((i) => point[i]! - pose[4 * i + 3]!);
  return [0, 1, 2].map((j) => [0, 1, 2].reduce((sum, i) => sum + pose[4 * i + j]! * apart[i]!, 0));
}
