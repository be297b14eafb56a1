/**
 * Where the surfaces of a robot's bodies and its rigid parts are at a state, for pictures: from its formulas in double precision, many
 * points at a time, frame by frame from the base.
 */
import { eachAxis } from '../common/tuples.ts';
import { ROUTE_SHARE, type Route } from '../description/model/actuator.ts';
import type { BodyType, Link, Robot } from '../description/model/robot.ts';
import { jointSteps } from '../kane/equations/joint.ts';
import { evaluate } from '../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../symbolic/graph/expr.ts';
import { frameEntries, isZeroVector, type Frame } from '../symbolic/graph/vector.ts';
import { materialSymbols } from '../verify/written/material-field.ts';
import { BodyFormulas, type BodyPlaces, type Pose, type Sample } from './drawing/body-places.ts';
import { pointsAlong, INSIDE, volumeSurface, type VolumeSurface } from './volume-surface.ts';

export interface RobotPlaces {
  /** Of every vertex of every surface x, y, z in m, world axes; in the order of `surfaces`. */
  readonly vertices: readonly Float64Array[];
  /** The same of the points of every tendon, in the order of `tendons`. */
  readonly tendons: readonly Float64Array[];
  /** Corners of the lines of rigid parts: what carries a link, from its parent through its joint, and the length of rigid links. */
  readonly lines: readonly (readonly Point[])[];
  /** Origin of the distal frame of every link; of bodies without one their proximal frame. */
  readonly ends: readonly Point[];
}

type Point = readonly [number, number, number];
type Scalars = ReadonlyMap<Expr, number>;

interface Body {
  readonly places: BodyPlaces;
  /** The first points are those of surfaces, the others those of tendons. */
  readonly surfaces: number;
  readonly parameters: Scalars;
}

/** Sections of rods in a whole robot, and of one rod. */
const SECTIONS = 120;
const LEAST = 5;
const MOST = 25;
/** Points along a tendon in one body. */
const ALONG_TENDON = 40;

export class RobotShape {
  /** By body and volume: the link it belongs to, and triangles between vertices. */
  readonly surfaces: readonly { readonly link: string; readonly triangles: readonly number[] }[];
  /** What is drawn coarser than it is. */
  readonly notes: readonly string[];
  /** Names of the actuators whose tendons run through bodies, a name for each body. */
  readonly tendons: readonly string[];
  private readonly robot: Robot;
  private readonly parameters: Scalars;
  private readonly bodies: ReadonlyMap<number, Body>;

  /** Run-time parameters take their defaults. */
  constructor(robot: Robot) {
    this.robot = robot;
    this.parameters = new Map(robot.parameters.map(({ symbol, value }) => [symbol, evaluate([value])[0]!]));
    const rods = robot.links.filter(({ body }) => body.kind === 'deformable').length;
    const along = Math.min(MOST, Math.max(LEAST, Math.ceil(SECTIONS / Math.max(1, rods))));
    const bodies = new Map<number, Body>();
    const formulas = new Map<BodyType, BodyFormulas>();
    const surfaces: RobotShape['surfaces'][number][] = [];
    const tendons: string[] = [];
    const notes: string[] = [];
    robot.links.forEach(({ name, body }, link) => {
      if (body.kind === 'rigid') return;
      const values = evaluate(body.parameters, this.parameters);
      const scalars = new Map<Expr, number>(body.type.parameters.map((p, i) => [p.symbol, values[i]!]));
      const drawn: VolumeSurface[] = body.type.volumes.map((volume) => volumeSurface(volume, scalars, along));
      for (const { triangles, coarsened, points } of drawn) {
        surfaces.push({ link: name, triangles });
        if (coarsened !== undefined)
          notes.push(`${name} is drawn with ${points.rows} of the ${coarsened} vertices of its surface`);
      }
      const routes = robot.actuators.flatMap(({ name: actuator, terms }) =>
        terms.flatMap((term) => (term.kind === 'route' && term.link === link ? [{ actuator, route: term.route }] : [])),
      );
      tendons.push(...routes.map(({ actuator }) => actuator));
      const own = new Map([...this.parameters, ...scalars]);
      const samples = [
        ...body.type.volumes.map((volume, i) => ({ volume, points: drawn[i]!.points })),
        ...routes.map(({ route }) => routeSample(body.type, route, own)),
      ];
      const known = formulas.get(body.type) ?? new BodyFormulas(body.type);
      formulas.set(body.type, known);
      bodies.set(link, { places: known.places(samples, scalars), surfaces: drawn.length, parameters: scalars });
    });
    this.bodies = bodies;
    this.surfaces = surfaces;
    this.tendons = tendons;
    this.notes = notes;
  }

  /** @param t s */
  place(q: readonly number[], t: number): RobotPlaces {
    const { robot, parameters } = this;
    const base = poseOf(robot.base, parameters);
    const distal: Pose[] = [];
    const vertices: Float64Array[] = [];
    const tendons: Float64Array[] = [];
    const lines: Point[][] = [];
    let first = 0;
    robot.links.forEach((link, index) => {
      const parent = link.parent < 0 ? base : distal[link.parent]!;
      const proximal = proximalPose(link, parent, parameters, q, first, t);
      first += link.joint.coordinates.length;
      // Nothing carries what flies.
      const carrier = link.joint.type === 'free' ? [] : [origin(parent)];
      if (link.body.kind === 'rigid') {
        const end = compose(proximal, poseOf(link.body.distal, parameters));
        lines.push([...carrier, origin(proximal), origin(end)]);
        distal.push(end);
        return;
      }
      if (carrier.length > 0 && isCarried(link)) lines.push([...carrier, origin(proximal)]);
      const { type } = link.body;
      const body = this.bodies.get(index)!;
      const scalars = new Map(body.parameters);
      type.coordinates.forEach(({ symbol }, i) => scalars.set(symbol, q[first + i]!));
      if (type.time) scalars.set(type.time, t);
      first += type.coordinates.length;
      const { points, distal: end } = body.places.at(scalars);
      points.forEach((own, i) => (i < body.surfaces ? vertices : tendons).push(inWorld(proximal, own)));
      distal.push(compose(proximal, end));
    });
    return { vertices, tendons, lines, ends: distal.map(origin) };
  }
}

/** Points of a tendon in a body. @param scalars parameters of the body and of the robot. */
function routeSample(type: BodyType, { axial, across, from, to, share }: Route, scalars: Scalars): Sample {
  const volume = type.volumes.find((own) => materialSymbols(own).includes(axial));
  if (!volume) throw new Error('a tendon runs along a material coordinate');
  const [start, end, low, slope] = evaluate([from, to, share.start, share.slope], scalars) as [
    number,
    number,
    number,
    number,
  ];
  const values = Array.from({ length: ALONG_TENDON }, (_, k) => start + ((end - start) * k) / (ALONG_TENDON - 1));
  if (volume.kind === 'rod') {
    // The first pose of a rod is nowhere listed.
    const [origin, length] = evaluate([volume.start, volume.end], scalars) as [number, number];
    values[0] = Math.max(start, origin + INSIDE * (length - origin));
  }
  const places = values.map((s) => {
    const here = new Map(scalars).set(axial, s).set(ROUTE_SHARE, low + slope * (s - start));
    return [s, ...evaluate([...across.values()], here)];
  });
  return { volume, points: pointsAlong(volume, scalars, [axial, ...across.keys()], places) };
}

function poseOf(frame: Frame, bindings: Scalars): Pose {
  return evaluate(frameEntries(frame), bindings);
}

function proximalPose(
  { offset, joint, mount }: Link,
  parent: Pose,
  parameters: Scalars,
  q: readonly number[],
  first: number,
  t: number,
): Pose {
  const bindings = new Map(parameters);
  joint.coordinates.forEach(({ symbol }, i) => bindings.set(symbol, q[first + i]!));
  if (joint.prescribed) bindings.set(joint.prescribed.time, t);
  const frames = [offset, ...jointSteps(joint).map(({ frame }) => frame), mount];
  return frames.reduce((pose, frame) => compose(pose, poseOf(frame, bindings)), parent);
}

/** Is a link away from the distal frame of its parent, at some coordinates at least? */
function isCarried({ offset, joint, mount }: Link): boolean {
  const frames = [offset, mount, ...jointSteps(joint).map(({ frame }) => frame)];
  return frames.some(({ translation }) => !isZeroVector(translation));
}

function compose(a: Pose, b: Pose): Pose {
  const rotated = [0, 1, 2].flatMap((row) =>
    [0, 1, 2].map((column) => [0, 1, 2].reduce((sum, k) => sum + a[3 * row + k]! * b[3 * k + column]!, 0)),
  );
  return [...rotated, ...moved(a, [b[9]!, b[10]!, b[11]!])];
}

function moved(pose: Pose, point: Point): Point {
  return eachAxis((row) => pose[9 + row]! + [0, 1, 2].reduce((sum, k) => sum + pose[3 * row + k]! * point[k]!, 0));
}

const origin = (pose: Pose): Point => [pose[9]!, pose[10]!, pose[11]!];

function inWorld(pose: Pose, points: Float64Array): Float64Array {
  const out = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 3)
    for (let row = 0; row < 3; row++)
      out[i + row] =
        pose[9 + row]! +
        pose[3 * row]! * points[i]! +
        pose[3 * row + 1]! * points[i + 1]! +
        pose[3 * row + 2]! * points[i + 2]!;
  return out;
}
