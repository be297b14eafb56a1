/**
 * Where the surfaces of a robot's bodies and its rigid parts are at a state, for pictures: from its formulas as they were
 * written, frame by frame from the base. Nothing generated is asked.
 */
import { eachAxis } from '../common/tuples.ts';
import { ROUTE_SHARE, type Route } from '../description/model/actuator.ts';
import type { BodyType, Link, Robot } from '../description/model/robot.ts';
import { jointSteps } from '../kane/equations/joint.ts';
import { evaluate } from '../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../symbolic/graph/expr.ts';
import { frameEntries, isZeroVector, type Frame } from '../symbolic/graph/vector.ts';
import { constantColumn, type Column } from '../verify/arithmetic/columns.ts';
import { MaterialField } from '../verify/written/material-field.ts';
import { curvePoints, INSIDE, volumeSurface, type VolumeSurface } from './volume-surface.ts';

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
/** Rotation by rows, then translation. */
type Pose = readonly number[];
type Scalars = ReadonlyMap<Expr, number>;

interface Body {
  readonly field: MaterialField;
  /** Of the parts of tendons that run through it. */
  readonly tendons: readonly MaterialField[];
  readonly parameters: ReadonlyMap<Expr, Column>;
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
    const surfaces: RobotShape['surfaces'][number][] = [];
    const tendons: string[] = [];
    robot.links.forEach(({ name, body }, link) => {
      if (body.kind === 'rigid') return;
      const values = evaluate(body.parameters, this.parameters);
      const scalars = new Map<Expr, number>(body.type.parameters.map((p, i) => [p.symbol, values[i]!]));
      const drawn: VolumeSurface[] = body.type.volumes.map((volume) => volumeSurface(volume, scalars, along));
      for (const { triangles } of drawn) surfaces.push({ link: name, triangles });
      const routes = robot.actuators.flatMap(({ name: actuator, terms }) =>
        terms.flatMap((term) => (term.kind === 'route' && term.link === link ? [{ actuator, route: term.route }] : [])),
      );
      tendons.push(...routes.map(({ actuator }) => actuator));
      bodies.set(link, {
        tendons: routes.map(({ route }) => routeField(body.type, route, new Map([...this.parameters, ...scalars]))),
        field: new MaterialField(
          body.type,
          drawn.map(({ points }) => points),
        ),
        parameters: new Map([...scalars].map(([symbol, value]) => [symbol, constantColumn(value)])),
      });
    });
    this.bodies = bodies;
    this.surfaces = surfaces;
    this.tendons = tendons;
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
      const proximal = proximalPose(link, parent, parameters, q, first);
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
      type.coordinates.forEach(({ symbol }, i) => scalars.set(symbol, constantColumn(q[first + i]!)));
      if (type.time) scalars.set(type.time, constantColumn(t));
      first += type.coordinates.length;
      const placed = body.field.place(scalars);
      for (const columns of placed.points) vertices.push(inWorld(proximal, columns));
      for (const tendon of body.tendons) tendons.push(inWorld(proximal, tendon.place(scalars).points[0]!));
      const end = placed.distal?.map(({ high }) => high[0]!);
      distal.push(end ? compose(proximal, end) : proximal);
    });
    return { vertices, tendons, lines, ends: distal.map(origin) };
  }
}

/** Points of a tendon in a body. @param scalars parameters of the body and of the robot. */
function routeField(type: BodyType, { axial, across, from, to, share }: Route, scalars: Scalars): MaterialField {
  const volume = type.volumes.find((one) => one.kind === 'rod' && one.axial === axial);
  if (volume?.kind !== 'rod') throw new Error('tendons run along rods');
  const [start, end, low, slope, origin, length] = evaluate(
    [from, to, share.start, share.slope, volume.start, volume.end],
    scalars,
  ) as [number, number, number, number, number, number];
  const nodes = Array.from({ length: ALONG_TENDON }, (_, k) => start + ((end - start) * k) / (ALONG_TENDON - 1));
  // The first pose of a rod is nowhere listed.
  nodes[0] = Math.max(start, origin + INSIDE * (length - origin));
  const points = curvePoints(volume, scalars, nodes, (s) => {
    const here = new Map(scalars).set(axial, s).set(ROUTE_SHARE, low + slope * (s - start));
    return volume.section.map((symbol) => evaluate([across.get(symbol)!], here)[0]!) as [number, number];
  });
  return new MaterialField({ ...type, volumes: [volume] }, [points]);
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
): Pose {
  const bindings = new Map(parameters);
  joint.coordinates.forEach(({ symbol }, i) => bindings.set(symbol, q[first + i]!));
  if (joint.prescribed) bindings.set(joint.prescribed.time, 0);
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

function inWorld(pose: Pose, columns: readonly Column[]): Float64Array {
  const [x, y, z] = columns.map(({ high }) => high) as [Float64Array, Float64Array, Float64Array];
  const out = new Float64Array(3 * Math.max(x.length, y.length, z.length));
  for (let i = 0; 3 * i < out.length; i++) {
    const at = (column: Float64Array): number => column[column.length === 1 ? 0 : i]!;
    out.set(moved(pose, [at(x), at(y), at(z)]), 3 * i);
  }
  return out;
}
