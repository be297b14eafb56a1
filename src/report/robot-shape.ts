/**
 * Where the surfaces of a robot's bodies, their chambers and tendons, and its rigid parts are at a state, for pictures: from its formulas
 * in double precision, many points at a time, frame by frame from the base.
 */
import { ROUTE_SHARE, type Route } from '../description/model/actuator.ts';
import type { Anchor, MaterialAnchor } from '../description/model/frame-terms.ts';
import type { MaterialPoint } from '../description/model/reference-volume.ts';
import type { BodyType, Link, Robot } from '../description/model/robot.ts';
import { jointSteps } from '../kane/equations/joint.ts';
import { evaluate } from '../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../symbolic/graph/expr.ts';
import { isZeroVector } from '../symbolic/graph/vector.ts';
import { withLoads } from '../kane/loaded/loads-in-balance.ts';
import { materialSymbols } from '../verify/written/material-field.ts';
import { BodyFormulas, type BodyPlaces, type Sample } from './drawing/body-places.ts';
import { chamberSurface } from './drawing/chamber-surface.ts';
import { composed, movedPoints, originOf, type Point, type Pose } from '../common/poses.ts';
import { poseOf, solidsOf, type SeatedSolid } from './drawing/solids.ts';
import type { Solid } from './viewer/animation-data.ts';
import { pointsAlong, INSIDE, volumeSurface, type VolumeSurface } from './volume-surface.ts';

export interface RobotPlaces {
  /** Of every vertex of every surface x, y, z in m, world axes; in the order of `surfaces`. */
  readonly vertices: readonly Float64Array[];
  /** The same of the points of every tendon, in the order of `tendons`. */
  readonly tendons: readonly Float64Array[];
  /** The same of the vertices of chambers. */
  readonly chambers: readonly Float64Array[];
  /** Corners of the lines of rigid parts: what carries a link, from its parent through its joint, the length of rigid links, and where loops hold them. */
  readonly lines: readonly (readonly Point[])[];
  /** In the order of `frames`. */
  readonly poses: readonly Pose[];
  /** Distal frame of every link; of bodies without one their proximal frame. */
  readonly distal: readonly Pose[];
}

type Scalars = ReadonlyMap<Expr, number>;

interface Body {
  readonly places: BodyPlaces;
  /** The first points are those of surfaces, then those of tendons, of chambers, and of ends of straight pieces. */
  readonly surfaces: number;
  readonly tendons: number;
  readonly chambers: number;
  readonly held: readonly MaterialAnchor[];
  readonly parameters: Scalars;
}

/** Sections of rods in a whole robot, and of one rod. */
const SECTIONS = 120;
const LEAST = 5;
const MOST = 25;
/** Points along a tendon in one body. */
const ALONG_TENDON = 40;
/** m: no straight piece of a tendon. */
const SHORTEST = 1e-9;

export class RobotShape {
  /** By body and volume: the link it belongs to, triangles between vertices, and where those are when nothing is strained. */
  readonly surfaces: readonly {
    readonly link: string;
    readonly triangles: readonly number[];
    readonly reference: Float64Array;
  }[];
  readonly chambers: readonly {
    readonly name: string;
    readonly actuator: string | undefined;
    readonly triangles: readonly number[];
  }[];
  /** What keeps its shape. */
  readonly solids: readonly Solid[];
  /** Frames that are reported, by their names, and others that carry solids. */
  readonly frames: readonly { readonly name?: string }[];
  /** What is drawn coarser than it is, or in another way. */
  readonly notes: readonly string[];
  /** Names of the actuators whose tendons run through bodies, a name for each body. */
  readonly tendons: readonly string[];
  private readonly robot: Robot;
  private readonly parameters: Scalars;
  private readonly bodies: ReadonlyMap<number, Body>;
  private readonly pieces: readonly Piece[];
  /** Where the poses of frames come from. */
  private readonly seats: readonly NonNullable<SeatedSolid['seat']>[];
  private readonly offsets: readonly (Pose | undefined)[];
  /** Links that something else shows than their lines. */
  private readonly shown: ReadonlySet<number>;

  /** Run-time parameters take their defaults. */
  constructor(given: Robot) {
    const robot = withLoads(given);
    this.robot = robot;
    this.parameters = new Map(robot.parameters.map(({ symbol, value }) => [symbol, evaluate([value])[0]!]));
    const rods = robot.links.filter(({ body }) => body.kind === 'deformable').length;
    const along = Math.min(MOST, Math.max(LEAST, Math.ceil(SECTIONS / Math.max(1, rods))));
    const bodies = new Map<number, Body>();
    const formulas = new Map<BodyType, BodyFormulas>();
    const surfaces: RobotShape['surfaces'][number][] = [];
    const chambers: RobotShape['chambers'][number][] = [];
    const tendons: string[] = [];
    const notes: string[] = [];
    this.pieces = piecesOf(robot);
    const ends = this.pieces.flatMap(({ frames }) => frames);
    robot.links.forEach(({ name, body }, link) => {
      if (body.kind === 'rigid') return;
      const values = evaluate(body.parameters, this.parameters);
      const scalars = new Map<Expr, number>(body.type.parameters.map((p, i) => [p.symbol, values[i]!]));
      const drawn: VolumeSurface[] = body.type.volumes.map((volume) => volumeSurface(volume, scalars, along));
      const routes = robot.actuators.flatMap(({ name: actuator, terms }) =>
        terms.flatMap((term) => (term.kind === 'route' && term.link === link ? [{ actuator, route: term.route }] : [])),
      );
      tendons.push(...routes.map(({ actuator }) => actuator));
      const cavities = (body.type.chambers ?? []).map((chamber) => {
        const holds = ({ terms }: Robot['actuators'][number]): boolean =>
          terms.some((term) => term.kind === 'chamber' && term.link === link && term.chamber.name === chamber.name);
        const { surface, ...sample } = chamberSurface(chamber, body.type.volumes, scalars, along);
        const actuator = robot.actuators.find(holds)?.name;
        chambers.push({ name: `${name}.${chamber.name}`, actuator, triangles: surface.triangles });
        return { ...sample, points: surface.points };
      });
      const own = new Map([...this.parameters, ...scalars]);
      const held = ends.flatMap((end) => (end.kind === 'material' && end.link === link ? [end] : []));
      const samples: Sample[] = [
        ...body.type.volumes.map((volume, i) => ({ volume, points: drawn[i]!.points })),
        ...routes.map(({ route }) => routeSample(body.type, route, own)),
        ...cavities,
        ...held.map(({ at }) => pointSample(body.type, at, own)),
      ];
      const known = formulas.get(body.type) ?? new BodyFormulas(body.type);
      formulas.set(body.type, known);
      const places = known.places(samples, scalars);
      const unstrained = new Map(scalars);
      body.type.coordinates.forEach(({ symbol }) => unstrained.set(symbol, 0));
      if (body.type.time) unstrained.set(body.type.time, 0);
      drawn.forEach(({ triangles, coarsened, points }, i) => {
        surfaces.push({ link: name, triangles, reference: places.reference(i, unstrained) });
        if (coarsened !== undefined)
          notes.push(`${name} is drawn with ${points.rows} of the ${coarsened} vertices of its surface`);
      });
      const counts = { surfaces: drawn.length, tendons: routes.length, chambers: cavities.length };
      bodies.set(link, { places, ...counts, held, parameters: scalars });
    });
    this.bodies = bodies;
    this.surfaces = surfaces;
    this.chambers = chambers;
    const { solids, shown, notes: ofSolids } = solidsOf(robot, this.parameters);
    this.notes = [...notes, ...ofSolids];
    this.shown = shown;
    const named = robot.frames.filter(({ within }) => within === undefined);
    const seats: NonNullable<SeatedSolid['seat']>[] = named.map(({ link }) => ({ link, on: 'distal' }));
    this.offsets = named.map(({ offset }) => poseOf(offset, this.parameters));
    const frames: { name?: string }[] = named.map(({ name }) => ({ name }));
    this.solids = solids.map(({ seat, ...solid }): Solid => {
      if (!seat) return solid;
      let frame = seats.findIndex(({ link, on }, i) => i >= named.length && link === seat.link && on === seat.on);
      if (frame < 0) {
        frame = seats.length;
        seats.push(seat);
        frames.push({});
      }
      return { ...solid, frame };
    });
    this.seats = seats;
    this.frames = frames;
    // Between bodies that follow each other a tendon has pieces without length.
    const atRest = this.place(
      robot.coordinates.map(({ value }) => value),
      0,
    ).tendons.slice(tendons.length);
    this.pieces = this.pieces.filter((_, i) => !(lengthOf(atRest[i]!) < SHORTEST));
    this.tendons = [...tendons, ...this.pieces.map(({ name }) => name)];
  }

  /** @param t s */
  place(q: readonly number[], t: number): RobotPlaces {
    const { robot, parameters } = this;
    const base = poseOf(robot.base, parameters);
    const proximal: Pose[] = [];
    const distal: Pose[] = [];
    const vertices: Float64Array[] = [];
    const tendons: Float64Array[] = [];
    const chambers: Float64Array[] = [];
    const lines: Point[][] = [];
    const held = new Map<Anchor, Float64Array>();
    let first = 0;
    robot.links.forEach((link, index) => {
      const parent = link.parent < 0 ? base : distal[link.parent]!;
      const near = proximalPose(link, parent, parameters, q, first, t);
      proximal.push(near);
      first += link.joint.coordinates.length;
      // Nothing carries what flies.
      const carrier = link.joint.type === 'free' ? [] : [originOf(parent)];
      if (link.body.kind === 'rigid') {
        const end = composed(near, poseOf(link.body.distal, parameters));
        if (!this.shown.has(index)) lines.push([...carrier, originOf(near), originOf(end)]);
        distal.push(end);
        return;
      }
      if (carrier.length > 0 && isCarried(link)) lines.push([...carrier, originOf(near)]);
      const { type } = link.body;
      const body = this.bodies.get(index)!;
      const scalars = new Map(body.parameters);
      type.coordinates.forEach(({ symbol }, i) => scalars.set(symbol, q[first + i]!));
      if (type.time) scalars.set(type.time, t);
      first += type.coordinates.length;
      const { points, distal: end } = body.places.at(scalars);
      const kinds = [
        ...Array.from({ length: body.surfaces }, () => vertices),
        ...Array.from({ length: body.tendons }, () => tendons),
        ...Array.from({ length: body.chambers }, () => chambers),
      ];
      points.forEach((own, i) => {
        const placed = movedPoints(near, own);
        const list = kinds[i];
        if (list) list.push(placed);
        else held.set(body.held[i - kinds.length]!, placed);
      });
      distal.push(composed(near, end));
    });
    const poses = this.seats.map(({ link, on }, i) => {
      const pose = link < 0 ? base : (on === 'distal' ? distal : proximal)[link]!;
      const offset = this.offsets[i];
      return offset ? composed(pose, offset) : pose;
    });
    for (const { frames } of this.pieces)
      tendons.push(
        Float64Array.from(
          frames.flatMap((end) => [
            ...(end.kind === 'frame' ? originOf(this.anchored(end, { distal })) : held.get(end)!),
          ]),
        ),
      );
    // To where loops hold a rigid body.
    for (const { parts } of robot.loops ?? [])
      for (const end of parts.flatMap(({ frames }) => frames)) {
        if (end.kind !== 'frame' || end.link < 0) continue;
        if (robot.links[end.link]!.body.kind !== 'rigid' || this.shown.has(end.link)) continue;
        lines.push([originOf(distal[end.link]!), originOf(this.anchored(end, { distal }))]);
      }
    return { vertices, tendons, chambers, lines, poses, distal };
  }

  /** Where an anchor is, of those on frames. */
  anchored(anchor: Extract<Anchor, { kind: 'frame' }>, { distal }: Pick<RobotPlaces, 'distal'>): Pose {
    const { robot, parameters } = this;
    const pose = anchor.link < 0 ? poseOf(robot.base, parameters) : distal[anchor.link]!;
    return composed(pose, poseOf(anchor.offset, parameters));
  }
}

const lengthOf = ([x, y, z, u, v, w]: Float64Array): number => Math.hypot(u! - x!, v! - y!, w! - z!);

/** Straight pieces of a tendon from end to end. */
interface Piece {
  readonly name: string;
  readonly frames: readonly Anchor[];
}

/** Those whose ends are frames, or points of bodies themselves. */
function piecesOf({ actuators }: Robot): Piece[] {
  const isPlaced = (end: Anchor): boolean => end.kind === 'frame' || end.offset === undefined;
  return actuators.flatMap(({ name, terms }) =>
    terms.flatMap((term) =>
      term.kind === 'reaching' && term.isPiece && term.frames.every(isPlaced) ? [{ name, frames: term.frames }] : [],
    ),
  );
}

/** One material point; coordinates that it does not give are zero. */
function pointSample(type: BodyType, at: MaterialPoint, scalars: Scalars): Sample {
  const volume = type.volumes.find((own) => [...at.keys()].every((e) => materialSymbols(own).includes(e)))!;
  const symbols = materialSymbols(volume);
  const place = symbols.map((own) => {
    const given = at.get(own);
    return given ? evaluate([given], scalars)[0]! : 0;
  });
  if (volume.kind === 'rod') {
    const [start, end] = evaluate([volume.start, volume.end], scalars) as [number, number];
    place[0] = Math.max(place[0]!, start + INSIDE * (end - start));
  }
  return { volume, points: pointsAlong(volume, scalars, symbols, [place]) };
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
  return frames.reduce((pose, frame) => composed(pose, poseOf(frame, bindings)), parent);
}

/** Is a link away from the distal frame of its parent, at some coordinates at least? */
function isCarried({ offset, joint, mount }: Link): boolean {
  const frames = [offset, mount, ...jointSteps(joint).map(({ frame }) => frame)];
  return frames.some(({ translation }) => !isZeroVector(translation));
}
