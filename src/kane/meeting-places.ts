/**
 * Whether places that ride on different frames of a robot fall together all the same, in whatever configuration: a point on the
 * axis of a joint, seen from either side. Straight pieces of tendons between such places have no length and no direction.
 */
import { evaluate, foldConstants } from '../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../symbolic/graph/expr.ts';
import { composeFrames, frameEntries, identityFrame, type Frame } from '../symbolic/graph/vector.ts';
import { freeSymbols } from '../symbolic/graph/traverse.ts';
import type { BodyType, Link, Robot, RobotCoordinate } from '../description/model/robot.ts';
import { unturned } from './body/moving-point.ts';
import type { CompiledBody } from './compile-body.ts';
import { jointSteps } from './equations/joint.ts';
import { coordinateRanges, sampleConfigurations, type CoordinateRange } from './kinematics/sample-configurations.ts';
import type { Placement } from './kernels/link-type.ts';
import { LoopProgram } from './loops/evaluate-loops.ts';
import type { Loop } from './loops/loop.ts';
import type { PointOnBody } from './points-on-bodies.ts';

/** A rotation, row-major, and a translation. */
type Pose = readonly number[];
type Numbers = ReadonlyMap<Expr, number>;

/** `always` is in all configurations that were looked at, the defaults of the coordinates among them. */
export type Meeting = 'always' | 'at the defaults' | 'apart';

/** Configurations at which places are compared. */
const SAMPLES = 6;
/** Of the size of the way to the places. */
const SLACK = 1e-10;
/** How far coordinates of joints without limits are taken to go from their defaults: rad, or m. */
const TURN = 1.5;
const WAY = 0.2;

export class MeetingPlaces {
  private readonly robot: Robot;
  private readonly bodies: ReadonlyMap<BodyType, CompiledBody>;
  private readonly defaults: ReadonlyMap<Expr, Expr>;
  private readonly parameters: Numbers;

  constructor(robot: Robot, bodies: ReadonlyMap<BodyType, CompiledBody>) {
    this.robot = robot;
    this.bodies = bodies;
    this.defaults = new Map<Expr, Expr>(robot.parameters.map((p) => [p.symbol, p.value]));
    const values = foldConstants([...this.defaults.values()]);
    this.parameters = new Map([...this.defaults.keys()].map((symbol, i) => [symbol, values[i]!]));
  }

  /**
   * Run-time parameters count with their defaults. Places on learned maps are taken to be apart.
   * @param points of the placements whose index lies behind the links.
   * @param stop the last link that carries both.
   */
  meeting([a, b]: readonly [Placement, Placement], points: readonly PointOnBody[], stop: number): Meeting {
    const ways = [a, b].map((place) => this.way(place, points, stop)) as [Way, Way];
    const moving = new Set(ways.flatMap(({ links, point }) => [...links, ...(point ? [point.link] : [])]));
    const owns = this.robot.coordinates.flatMap(({ link }, i) => (moving.has(link) ? [i] : []));
    const samples = sampleConfigurations(this.ranges(owns), SAMPLES);
    for (const [k, sample] of samples.entries()) {
      const q = new Map(owns.map((index, i) => [index, sample[i]!]));
      const [p, r] = ways.map((way) => this.poseOf(way, q, 0.37 * k)?.slice(9)) as [Pose?, Pose?];
      if (!p || !r) return 'apart';
      const scale = Math.max(...ways.map(({ size }) => size), ...[...p, ...r].map(Math.abs));
      if (p.every((x, i) => Math.abs(x - r[i]!) <= SLACK * scale)) continue;
      return k === 0 ? 'apart' : 'at the defaults';
    }
    return 'always';
  }

  /** World poses, as entries of rotations and origins, at the default coordinates; undefined where a learned map is on the way. */
  defaultPoses(
    places: readonly Placement[],
    points: readonly PointOnBody[],
  ): readonly (readonly number[])[] | undefined {
    const base = evaluate(frameEntries(this.robot.base), this.parameters);
    const q = new Map(this.robot.coordinates.map(({ value }, i) => [i, value]));
    const poses = places.map((place) => compose(base, this.poseOf(this.way(place, points, -1), q, 0)));
    return poses.every((pose) => pose !== undefined) ? poses : undefined;
  }

  private way({ link, offset }: Placement, points: readonly PointOnBody[], stop: number): Way {
    const { links } = this.robot;
    const point = points[link - links.length];
    const chain: number[] = [];
    for (let on = point ? links[point.link]!.parent : link; on !== stop; on = links[on]!.parent) chain.unshift(on);
    const ownEntries = evaluate(frameEntries(offset), this.parameters);
    return { links: chain, ...(point && { point }), offset: ownEntries, size: Math.hypot(...ownEntries.slice(9)) };
  }

  /** Of coordinates of the robot by their indices, for samples. */
  private ranges(owns: readonly number[]): CoordinateRange[] {
    const ofBodies = new Map<number, readonly CoordinateRange[]>();
    return owns.map((index): CoordinateRange => {
      const coordinate = this.robot.coordinates[index]!;
      const { link, part } = coordinate;
      if (part === 'joint') return jointRange(coordinate);
      const known = ofBodies.get(link) ?? this.bodyRanges(this.robot.links[link]!);
      ofBodies.set(link, known);
      const first = this.robot.coordinates.findIndex((other) => other.link === link && other.part === 'body');
      return known[index - first]!;
    });
  }

  private bodyRanges({ body }: Link): readonly CoordinateRange[] {
    if (body.kind === 'rigid') return [];
    const numbers = foldConstants(body.parameters, this.defaults);
    return coordinateRanges(body.type, new Map(body.type.parameters.map((p, i) => [p.symbol, numbers[i]!])));
  }

  /** From the frame where the way begins. */
  private poseOf(way: Way, q: ReadonlyMap<number, number>, time: number): Pose | undefined {
    let pose: Pose | undefined = IDENTITY;
    for (const link of way.links) {
      pose = compose(pose, this.proximal(link, q, time));
      pose = compose(pose, this.distal(link, q, time));
    }
    if (way.point) {
      pose = compose(pose, this.proximal(way.point.link, q, time));
      pose = compose(pose, this.held(way.point, q, time));
    }
    return compose(pose, way.offset);
  }

  private proximal(index: number, q: ReadonlyMap<number, number>, time: number): Pose {
    const { offset, joint, mount } = this.robot.links[index]!;
    const numbers = new Map(this.parameters);
    const own = this.coordinatesOf(index, 'joint', q);
    joint.coordinates.forEach(({ symbol }, i) => numbers.set(symbol, own[i]!));
    if (joint.prescribed) numbers.set(joint.prescribed.time, time);
    const frame = [...jointSteps(joint).map((step) => step.frame), mount].reduce(composeFrames, offset);
    return evaluate(frameEntries(frame), numbers);
  }

  private distal(index: number, q: ReadonlyMap<number, number>, time: number): Pose | undefined {
    const { body } = this.robot.links[index]!;
    if (body.kind === 'rigid') return evaluate(frameEntries(body.distal), this.parameters);
    const part = this.bodies.get(body.type)!.chosen.part();
    const frame = part.pose(identityFrame);
    return this.inBody(index, frame, part.loops(), q, time);
  }

  private held({ link, at, turning }: PointOnBody, q: ReadonlyMap<number, number>, time: number): Pose | undefined {
    const { body } = this.robot.links[link]!;
    if (body.kind === 'rigid') return undefined;
    const { chosen } = this.bodies.get(body.type)!;
    const request = { at, known: new Set<Expr>(freeSymbols([...at.values()])), name: 'meeting' };
    const { frame, loops } = turning
      ? chosen.frame({ ...request, ...(turning.axes && { axes: turning.axes }) })
      : unturned(chosen.point(request));
    return this.inBody(link, frame, loops, q, time);
  }

  private inBody(
    index: number,
    frame: Frame,
    loops: readonly Loop[],
    q: ReadonlyMap<number, number>,
    time: number,
  ): Pose | undefined {
    const { body } = this.robot.links[index]!;
    if (body.kind === 'rigid' || loops.some(({ networks }) => networks.length > 0)) return undefined;
    const { symbols } = this.bodies.get(body.type)!;
    const numbers = new Map(this.parameters);
    const values = foldConstants(body.parameters, this.defaults);
    body.type.parameters.forEach(({ symbol }, i) => numbers.set(symbol, values[i]!));
    const own = this.coordinatesOf(index, 'body', q);
    symbols.q.forEach((symbol, i) => numbers.set(symbol, own[i]!));
    if (symbols.time) numbers.set(symbols.time, time);
    const program = new LoopProgram(loops, frameEntries(frame));
    const one = new Map([...numbers].map(([symbol, value]): [Expr, Float64Array] => [symbol, Float64Array.of(value)]));
    return program.run(one, 1).map(([value]) => value!);
  }

  private coordinatesOf(index: number, part: 'joint' | 'body', q: ReadonlyMap<number, number>): readonly number[] {
    return this.robot.coordinates.flatMap((own, i) => (own.link === index && own.part === part ? [q.get(i)!] : []));
  }
}

/** From the link that carries two places to one of them. */
interface Way {
  readonly links: readonly number[];
  /** In the body of the link that follows. */
  readonly point?: PointOnBody;
  readonly offset: Pose;
  /** Of the offset, m. */
  readonly size: number;
}

function jointRange({ name, unit, value, lower, upper }: RobotCoordinate): CoordinateRange {
  const reach = unit === 'm' ? WAY : TURN;
  return { name, unit, value, low: lower ?? value - reach, high: upper ?? value + reach, stated: lower !== undefined };
}

const IDENTITY: Pose = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

function compose(a: Pose | undefined, b: Pose | undefined): Pose | undefined {
  if (!a || !b) return undefined;
  const turned = (row: number, v: readonly number[]): number =>
    a[3 * row]! * v[0]! + a[3 * row + 1]! * v[1]! + a[3 * row + 2]! * v[2]!;
  const rotation = [0, 1, 2].flatMap((row) =>
    [0, 1, 2].map((column) => turned(row, [b[column]!, b[3 + column]!, b[6 + column]!])),
  );
  return [...rotation, ...[0, 1, 2].map((row) => a[9 + row]! + turned(row, b.slice(9)))];
}
