/**
 * Terms of actuators that reach from link to link, with their points placed on frames of links: on the base, on distal
 * frames, on ends of bodies whose sections there are rigid; or on material points that move on their own.
 */
import { KanegenError } from '../common/error.ts';
import { evaluate, foldConstants } from '../symbolic/evaluation/evaluate.ts';
import { zero, type Expr } from '../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../symbolic/graph/traverse.ts';
import {
  composeFrames,
  identityFrame,
  multiplyTransposed,
  subtractVectors,
  type Frame,
  type Vector3,
} from '../symbolic/graph/vector.ts';
import type { Anchor, MaterialAnchor, WrenchTerm } from '../description/model/reaching.ts';
import type { BodyType, DeformableBody, Link, MaterialPoint, Robot } from '../description/model/robot.ts';
import type { CompiledBody } from './compile-body.ts';
import { sectionPoint } from './kinematics/material-point.ts';
import { coordinateRanges, sampleConfigurations, type ParameterValues } from './kinematics/sample-configurations.ts';
import type { PlacedTerm, Placement, Reaching } from './link/link-type.ts';
import { rodVolumes } from './rods/rod-section.ts';

/** A material point that moves with the coordinates of the link on whose body it is, over parameters of the robot. */
export interface PointOnBody {
  readonly link: number;
  readonly at: MaterialPoint;
}

/** With the points that places ride on, whose indices follow those of the links. */
export interface PlacedReaching extends Reaching {
  readonly points: readonly PointOnBody[];
}

/** @throws KanegenError `not-supported` where a wrench needs axes and its point has none. */
export function placeReaching(robot: Robot, bodies: ReadonlyMap<BodyType, CompiledBody>): PlacedReaching {
  const places: Placement[] = [];
  const points: PointOnBody[] = [];
  const place = (anchor: Anchor): Placement => {
    const own = placed(robot, bodies, anchor);
    if (!('at' in own)) return own;
    const known = points.findIndex((point) => samePoint(robot, point, own));
    return { link: robot.links.length + (known < 0 ? points.push(own) - 1 : known), offset: identityFrame };
  };
  const add = (placement: Placement): number => places.push(placement) - 1;
  const terms = robot.actuators.flatMap((own, actuator) =>
    own.terms.flatMap((term): PlacedTerm[] => {
      if (term.kind === 'wrench') {
        const { axes, wrench: unit } = term;
        const on = place(term.on);
        if (on.link >= robot.links.length) requireNoAxes(term);
        return [{ kind: 'wrench', actuator, on: add(on), axes, unit }];
      }
      if (term.kind !== 'segment') return [];
      const [from, to] = [place(term.from), place(term.to)];
      if (coincide(robot, from, to)) return [];
      const stop = commonAncestor(robot.links, carrierOf(from), carrierOf(to));
      return [{ kind: 'segment', actuator, from: add(from), to: add(to), stop }];
    }),
  );
  return { places, terms, points };

  /** The link that a place rides on, the parent of that whose coordinates it moves by. */
  function carrierOf({ link }: Placement): number {
    const point = points[link - robot.links.length];
    return point ? robot.links[point.link]!.parent : link;
  }
}

/** A point of a body that deforms has a place and no axes. */
function requireNoAxes({ axes, wrench, on }: WrenchTerm): void {
  if (axes === 'world' && wrench.slice(0, 3).every((e) => e === 0)) return;
  throw new KanegenError(
    'not-supported',
    `${axes === 'world' ? 'a moment' : 'a force in axes of its own'} needs a frame, and a point within a body has none`,
    {
      remedy: 'write a force with `axes: world`, or take a point at an end of the body, where its section is rigid',
      ...(on.kind === 'material' && { location: on.location }),
    },
  );
}

/** The last link that carries both, or is one of them; −1: the base. Beyond it, opposite wrenches cancel. */
function commonAncestor(links: readonly Link[], a: number, b: number): number {
  const above = new Set<number>();
  for (let link = a; link >= 0; link = links[link]!.parent) above.add(link);
  let link = b;
  while (link >= 0 && !above.has(link)) link = links[link]!.parent;
  return link;
}

// ---------------------------------------------------------------------------------------------- places

function placed(robot: Robot, bodies: ReadonlyMap<BodyType, CompiledBody>, anchor: Anchor): Placement | PointOnBody {
  if (anchor.kind === 'frame') return { link: anchor.link, offset: anchor.offset };
  const link = robot.links[anchor.link]!;
  const body = link.body as DeformableBody;
  const end = endOf(bodies.get(body.type)!, anchor, numbersOf(robot, body));
  const own = new Map<Expr, Expr>(body.type.parameters.map((p, i) => [p.symbol, body.parameters[i]!]));
  const at = (v: Vector3): Frame => ({ ...identityFrame, translation: substitute(v, own) as unknown as Vector3 });
  if (end?.frame === 'distal') return { link: anchor.link, offset: at(end.point) };
  if (end?.frame === 'proximal' && link.joint.motions.length === 0)
    return { link: link.parent, offset: composeFrames(composeFrames(link.offset, link.mount), at(end.point)) };
  const values = substitute([...anchor.at.values()], own);
  return { link: anchor.link, at: new Map([...anchor.at.keys()].map((axis, i) => [axis, values[i]!])) };
}

/** At numbers that are the same by other formulas, too; run-time parameters may part what is together at their defaults. */
function samePoint(robot: Robot, a: PointOnBody, b: PointOnBody): boolean {
  if (a.link !== b.link) return false;
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
  if (type.kinematics.kind === 'strain') {
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
  return substitute(point, defaults) as unknown as Vector3;
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
