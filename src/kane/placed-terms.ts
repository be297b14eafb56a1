/**
 * Terms of actuators that reach from link to link, and frames that are reported, placed on frames of links: on the base, on
 * distal frames, on ends of bodies whose sections there are rigid; or on material points and frames within bodies, which move on
 * their own.
 */
import { evaluate, foldConstants } from '../symbolic/evaluation/evaluate.ts';
import { directionalDerivative } from '../symbolic/graph/differentiate.ts';
import { fraction, zero, type Expr } from '../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../symbolic/graph/traverse.ts';
import {
  composeFrames,
  identityFrame,
  multiplyTransposed,
  subtractVectors,
  type Frame,
  type Vector3,
  vector3,
} from '../symbolic/graph/vector.ts';
import { KanegenError } from '../common/error.ts';
import { heldSymbols, type Anchor, type MaterialAnchor, type ReachingTerm } from '../description/model/frame-terms.ts';
import type { BodyType, DeformableBody, Link, Robot } from '../description/model/robot.ts';
import type { CarriedFrame, MaterialPoint } from '../description/model/reference-volume.ts';
import type { CompiledBody } from './compile-body.ts';
import { sectionPoint } from './kinematics/material-point.ts';
import { coordinateRanges, sampleConfigurations, type ParameterValues } from './kinematics/sample-configurations.ts';
import type { MutualContact } from '../description/model/contact.ts';
import { bristleSymbols, mutualContact } from './fluid/mutual-contact.ts';
import { cancels, frameTerm, sees, type FrameTerm } from './equations/frame-terms.ts';
import type { PlacedLoop, PlacedTerm, Placement, Reaching } from './kernels/link-type.ts';
import { MeetingPlaces } from './meeting-places.ts';
import { rodVolumes } from './rods/rod-section.ts';
import type { PointOnBody } from './points-on-bodies.ts';

/** With the points that places ride on, whose indices follow those of the links. */
export interface PlacedReaching extends Reaching {
  readonly points: readonly PointOnBody[];
}

/** The points of bodies that places of a robot ride on, each once. */
class Holder {
  readonly points: PointOnBody[] = [];
  private readonly robot: Robot;
  readonly bodies: ReadonlyMap<BodyType, CompiledBody>;

  constructor(robot: Robot, bodies: ReadonlyMap<BodyType, CompiledBody>) {
    this.robot = robot;
    this.bodies = bodies;
  }

  /** @param needsAxes whether a point alone will not do. */
  place(anchor: Anchor, needsAxes: boolean): Placement {
    if (anchor.kind === 'frame') return { link: anchor.link, offset: anchor.offset };
    if (anchor.offset) return this.within(anchor.link, anchor, anchor.offset, false);
    const own = placed(this.robot, this.bodies, anchor);
    if (!('at' in own)) return own;
    const { location } = anchor;
    const point = needsAxes ? { ...own, turning: { isReported: false, location } } : own;
    return { link: this.held(point), offset: identityFrame };
  }

  /** A frame within the body of a link. */
  within(link: number, { at, axes, location }: CarriedFrame, offset: Frame, isReported: boolean): Placement {
    const body = this.robot.links[link]!.body as DeformableBody;
    // Areas that stay rigid are told by parameters of the body.
    const own = axes ? at : overRobot(body, at);
    return { link: this.held({ link, at: own, turning: { ...(axes && { axes }), isReported, location } }), offset };
  }

  private held(own: PointOnBody): number {
    const known = this.points.findIndex((point) => samePoint(this.robot, point, own));
    return this.robot.links.length + (known < 0 ? this.points.push(own) - 1 : known);
  }
}

/** Frames that generated code reports, in the order of the robot, and what its actuators reach. */
export function placeRobot(
  robot: Robot,
  bodies: ReadonlyMap<BodyType, CompiledBody>,
): PlacedReaching & { readonly frames: readonly Placement[] } {
  const holder = new Holder(robot, bodies);
  const frames = robot.frames.map(({ link, within, offset }) =>
    within ? holder.within(link, within, offset, true) : { link, offset },
  );
  return { frames, ...placeTerms(robot, holder) };
}

export function placeReaching(robot: Robot, bodies: ReadonlyMap<BodyType, CompiledBody>): PlacedReaching {
  return placeTerms(robot, new Holder(robot, bodies));
}

function placeTerms(robot: Robot, holder: Holder): PlacedReaching {
  const places: Placement[] = [];
  const { points } = holder;
  const meetings = new MeetingPlaces(robot, holder.bodies);
  const shapes = new Map<string, FrameTerm>();
  const shapeOf = (shape: FrameTerm): number => {
    const key = [shape.axes, ...[shape.value, ...shape.wrenches.flat()].map(({ id }) => id)].join(' ');
    if (!shapes.has(key)) shapes.set(key, shape);
    return [...shapes.keys()].indexOf(key);
  };
  const terms = robot.actuators.flatMap((own, actuator) =>
    own.terms.flatMap((term): PlacedTerm[] => {
      // Others are within links, or of coordinates alone.
      return term.kind === 'reaching' ? placedTerm(term, actuator, own.name) : [];
    }),
  );
  const forces = (robot.forces ?? []).flatMap(({ name, terms: own }) =>
    own.flatMap((term) => placedTerm(term, undefined, name)),
  );
  const pushes = (robot.touching ?? []).map(placedPush);
  const { loops, closures } = placedLoops();
  return { places, terms, forces, pushes, points, shapes: [...shapes.values()], loops, closures };

  function placedLoops(): Pick<Reaching, 'loops' | 'closures'> {
    const known = new Map<string, readonly FrameTerm[]>();
    let row = 0;
    const placedParts = (robot.loops ?? []).flatMap(({ parts, rows, time, location }) => {
      const first = row;
      row += rows.length;
      return parts.map(({ frames, values }): PlacedLoop => {
        const closure = values.map((value, j): FrameTerm => {
          const { yields } = rows[j]!;
          return { ...frameTerm({ kind: 'formula', value }, frames.length), ...(yields && { yields }) };
        });
        const held = frames.map((anchor, k) =>
          holder.place(
            anchor,
            closure.some((own) => needsAxes(own, k)),
          ),
        );
        const poses = meetings.defaultPoses(held, points);
        for (const own of closure) requireFinite(own, location, poses, robot, time);
        const key = closure
          .flatMap(({ value, yields }) => [value, ...(yields ? [yields.compliance, yields.damping] : [])])
          .map(({ id }) => id)
          .join(' ');
        if (!known.has(key)) known.set(key, closure);
        return {
          closure: [...known.keys()].indexOf(key),
          places: held.map((own) => places.push(own) - 1),
          stop: closure.every(cancels) ? commonAncestor(robot.links, held.map(carrierOf)) : -1,
          row: first,
        };
      });
    });
    return { loops: placedParts, closures: [...known.values()] };
  }

  function placedPush(contact: MutualContact): PlacedTerm {
    const held = contact.frames.map((anchor, k) => holder.place(anchor, k === 1 || !contact.isSection));
    return {
      shape: shapeOf(mutualContact(contact)),
      ...(contact.bristles && { held: bristleSymbols(contact) }),
      places: held.map((own) => places.push(own) - 1),
      stop: commonAncestor(robot.links, held.map(carrierOf)),
    };
  }

  /** None where it is a piece whose ends stay together. */
  function placedTerm(term: ReachingTerm, actuator: number | undefined, name: string): PlacedTerm[] {
    const shape = frameTerm(term.action, term.frames.length);
    const held = term.frames.map((anchor, k) => holder.place(anchor, needsAxes(shape, k)));
    if (!term.isPiece) requireFinite(shape, term.location, meetings.defaultPoses(held, points), robot);
    const stop = cancels(shape) ? commonAncestor(robot.links, held.map(carrierOf)) : -1;
    if (term.isPiece)
      for (const [k, to] of held.slice(1).entries()) {
        const from = held[k]!;
        const met = coincide(robot, from, to)
          ? 'always'
          : from.link === to.link
            ? 'apart'
            : meetings.meeting([from, to], points, stop);
        if (met === 'always' && term.action.kind !== 'sliding') return [];
        if (met !== 'apart') throw withoutDirection(term, name);
      }
    return [
      {
        ...(actuator !== undefined && { actuator }),
        shape: shapeOf(shape),
        places: held.map((own) => places.push(own) - 1),
        stop,
      },
    ];
  }

  /** The link that a place rides on, the parent of that whose coordinates it moves by. */
  function carrierOf({ link }: Placement): number {
    const point = points[link - robot.links.length];
    return point ? robot.links[point.link]!.parent : link;
  }
}

function withoutDirection({ location }: ReachingTerm, actuator: string): KanegenError {
  return new KanegenError(
    'not-finite',
    `this piece of the tendon \`${actuator}\` has no length at the default coordinates, and so no direction`,
    {
      ...(location && { location }),
      remedy: 'place its ends apart, or part them by the `offset` of a link or the default of a coordinate',
    },
  );
}

/** A formula with its forces, and changes of these, at the default coordinates. */
function requireFinite(
  { value, wrenches }: FrameTerm,
  location: ReachingTerm['location'],
  poses: readonly (readonly number[])[] | undefined,
  { parameters }: Robot,
  time?: Expr,
): void {
  if (!poses) return;
  const here = new Map<Expr, number>(time ? [[time, 0]] : []);
  const defaults = foldConstants(parameters.map((p) => p.value));
  parameters.forEach(({ symbol }, i) => here.set(symbol, defaults[i]!));
  poses.forEach((pose, k) => heldSymbols(k).forEach((s, i) => here.set(s, pose[i]!)));
  const direction = new Map<Expr, Expr>(
    poses.flatMap((_, k) => heldSymbols(k).map((s, i): [Expr, Expr] => [s, fraction(12 * k + i + 7, i + 5)])),
  );
  const forces = wrenches.flat();
  if (evaluate([value, ...forces, ...directionalDerivative(forces, direction)], here).every(Number.isFinite)) return;
  throw new KanegenError(
    'not-finite',
    'this formula of frames, or one of its first two derivatives, is not finite at the default coordinates',
    {
      ...(location && { location }),
      remedy:
        'frames whose distance it takes must be apart there, and ends of `around` outside of the cylinder: move one, or give a coordinate another default',
    },
  );
}

/** A force in world axes sees no turn of its point. */
function needsAxes(shape: FrameTerm, index: number): boolean {
  const moment = shape.wrenches[index]!.slice(0, 3);
  return (
    shape.axes === 'frame' ||
    sees([shape.value, ...shape.wrenches.flat()], index).axes ||
    moment.some((e) => e !== zero)
  );
}

/** The last link that carries them all, or is one of them; −1: the base. Beyond it, opposite wrenches cancel. */
function commonAncestor(links: readonly Link[], carriers: readonly number[]): number {
  const above = (a: number, b: number): number => {
    const known = new Set<number>();
    for (let link = a; link >= 0; link = links[link]!.parent) known.add(link);
    let link = b;
    while (link >= 0 && !known.has(link)) link = links[link]!.parent;
    return link;
  };
  return carriers.reduce(above);
}

// ---------------------------------------------------------------------------------------------- places

function placed(
  robot: Robot,
  bodies: ReadonlyMap<BodyType, CompiledBody>,
  anchor: MaterialAnchor,
): Placement | PointOnBody {
  const link = robot.links[anchor.link]!;
  const body = link.body as DeformableBody;
  const end = endOf(bodies.get(body.type)!, anchor, numbersOf(robot, body));
  const own = new Map<Expr, Expr>(body.type.parameters.map((p, i) => [p.symbol, body.parameters[i]!]));
  const at = (v: Vector3): Frame => ({ ...identityFrame, translation: vector3(substitute(v, own)) });
  if (end?.frame === 'distal') return { link: anchor.link, offset: at(end.point) };
  if (end?.frame === 'proximal' && link.joint.motions.length === 0)
    return { link: link.parent, offset: composeFrames(composeFrames(link.offset, link.mount), at(end.point)) };
  return { link: anchor.link, at: overRobot(body, anchor.at) };
}

/** A material point over parameters of the robot. */
function overRobot({ type, parameters }: DeformableBody, at: MaterialPoint): MaterialPoint {
  const own = new Map<Expr, Expr>(type.parameters.map((p, i) => [p.symbol, parameters[i]!]));
  const values = substitute([...at.values()], own);
  return new Map([...at.keys()].map((axis, i) => [axis, values[i]!]));
}

/** What frames of equal place differ by. */
function sameAxes({ turning }: PointOnBody): string {
  if (!turning) return '';
  const axes = Object.entries(turning.axes ?? {}).map(([name, point]) =>
    [name, ...[...point].map(([axis, e]) => `${axis.id}=${e.id}`)].join(' '),
  );
  return ['axes', ...axes].join('|');
}

/** At numbers that are the same by other formulas, too; run-time parameters may part what is together at their defaults. */
function samePoint(robot: Robot, a: PointOnBody, b: PointOnBody): boolean {
  if (a.link !== b.link || sameAxes(a) !== sameAxes(b)) return false;
  const defaults = new Map<Expr, Expr>(robot.parameters.map((p) => [p.symbol, p.value]));
  return [...new Set([...a.at.keys(), ...b.at.keys()])].every((axis) => {
    const own = [a, b].map(({ at }) => at.get(axis) ?? zero) as [Expr, Expr];
    if (own[0] === own[1]) return true;
    const [x, y] = foldConstants(own, defaults) as [number, number];
    return freeSymbols(own).length === 0 && Math.abs(x - y) <= SLACK * Math.max(Math.abs(x), Math.abs(y));
  });
}

/** Parameters of a body and of the robot, those of the run time at their defaults. */
function numbersOf({ parameters }: Robot, body: DeformableBody): ParameterValues {
  const defaults = new Map<Expr, Expr>(parameters.map((p) => [p.symbol, p.value]));
  const values = foldConstants([...body.parameters, ...parameters.map((p) => p.value)], defaults);
  const symbols = [...body.type.parameters, ...parameters].map((p) => p.symbol);
  return new Map(symbols.map((s, i) => [s, values[i]!]));
}

/** A point that stays where it is in one of the frames at the ends of a body. */
interface EndPoint {
  readonly frame: 'proximal' | 'distal';
  /** There, over parameters of the type. */
  readonly point: Vector3;
}

/** Configurations at which points are compared. */
const SAMPLES = 6;
/** Of the size of the place. */
const SLACK = 1e-10;

function endOf(
  { type, chosen }: CompiledBody,
  { at }: MaterialAnchor,
  parameters: ParameterValues,
): EndPoint | undefined {
  if (type.kinematics.kind === 'strain' && !type.kinematics.sectionPosition) {
    const volumes = rodVolumes(type);
    const { axial, start, end } = volumes[0];
    const [s, first, last] = evaluate([at.get(axial) ?? zero, start, end], parameters) as [number, number, number];
    const near = (x: number): boolean => Math.abs(s - x) <= SLACK * (last - first);
    const point = sectionPoint(volumes, at);
    return near(first) ? { frame: 'proximal', point } : near(last) ? { frame: 'distal', point } : undefined;
  }
  const { position, loops } = chosen.point({ at, name: 'anchor' });
  if (loops.length > 0) return undefined;
  const distal = chosen.part().pose(identityFrame);
  const inDistal = multiplyTransposed(distal.rotation, subtractVectors(position, distal.translation));
  for (const [frame, point] of [
    ['proximal', position],
    ['distal', inDistal],
  ] as const)
    if (isConstant(type, point, parameters)) return { frame, point: atDefault(type, point) };
  return undefined;
}

function atDefault(type: BodyType, point: Vector3): Vector3 {
  const defaults = new Map<Expr, Expr>(type.coordinates.map((c) => [c.symbol, c.value]));
  return vector3(substitute(point, defaults));
}

function isConstant(type: BodyType, point: Vector3, parameters: ParameterValues): boolean {
  const coordinates = type.coordinates.map((c) => c.symbol);
  const known = new Set<Expr>([...parameters.keys(), ...coordinates]);
  if (!freeSymbols(point).every((s) => known.has(s))) return false;
  const configurations = sampleConfigurations(coordinateRanges(type, parameters), SAMPLES);
  const values = configurations.map((q) =>
    evaluate(point, new Map([...parameters, ...coordinates.map((s, i): [Expr, number] => [s, q[i]!])])),
  );
  const scale = Math.max(...values.flat().map(Math.abs));
  return values.every((own) => own.every((x, i) => Math.abs(x - values[0]![i]!) <= SLACK * scale));
}

/** Do two places stay where they are in the same frame, and fall together? */
function coincide(robot: Robot, a: Placement, b: Placement): boolean {
  if (a.link !== b.link) return false;
  const defaults = new Map<Expr, Expr>(robot.parameters.map((p) => [p.symbol, p.value]));
  const [p, r] = [a, b].map(({ offset }) => foldConstants(offset.translation, defaults)) as [number[], number[]];
  const scale = Math.max(...p.map(Math.abs), ...r.map(Math.abs));
  return p.every((x, i) => Math.abs(x - r[i]!) <= SLACK * scale);
}
