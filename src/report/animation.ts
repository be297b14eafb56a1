/** A run as a moving picture: the points of surfaces, rigid parts and the tip at a few hundred times, for the viewer. */
import { base64 } from '../common/bytes.ts';
import { eachAxis, mapTuple, triple } from '../common/tuples.ts';
import type { Robot } from '../description/model/robot.ts';
import type { Sample } from '../simulation/run/simulate.ts';
import type { Scenario } from '../simulation/scenario/scenario.ts';
import { evaluate } from '../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../symbolic/graph/expr.ts';
import { arrowsOf, type ActingForces } from './drawing/arrows.ts';
import { RobotShape, type RobotPlaces } from './robot-shape.ts';
import type { Animation, Bounds, Pictures, Structure, Triple } from './viewer/animation-data.ts';

const MOST_TIMES = 240;
const STEPS = 65535;

/** @param tip position of the tip at every sample, m. */
export function animate(
  { robot, loads }: Pick<Scenario, 'robot' | 'loads'>,
  samples: readonly Sample[],
  tip: (index: number) => readonly number[] | undefined,
  panel: Animation['panel'],
): Animation {
  const shape = new RobotShape(robot);
  const shown = evenly(samples.length, MOST_TIMES);
  const places = shown.map((index) => shape.place(samples[index]!.q, samples[index]!.t));
  const frames = places.map((own, k) => pointsOf(own, tip(shown[k]!)));
  const structure = structureOf(shape, places[0]!, robot.gravity);
  const arrows = places.map((own, k) => arrowsOf(robot, shape, own, actingAt(samples[shown[k]!]!, loads)));
  const current = currentOf(robot);
  return {
    ...structure,
    ...boundsOf(frames, structure.up),
    ...picturesOf(frames),
    poses: textOf(Float32Array.from(places.flatMap(posesOf))),
    arrows: arrows.map((own) => own.map((arrow) => ({ ...arrow, at: short(arrow.at), force: short(arrow.force) }))),
    inputs: shown.map((index) => samples[index]!.u),
    actuators: robot.actuators.map(({ name, unit }) => ({ name, unit })),
    gravity: robot.gravity,
    ...(current && { current }),
    count: frames[0]!.length / 3,
    times: shown.map((index) => samples[index]!.t),
    tip: tip(0) === undefined ? undefined : structure.count,
    panel,
  };
}

const short = (vector: Triple): Triple => mapTuple(vector, (x) => Number(x.toPrecision(5)));

/** What acted when a sample was taken. */
export function actingAt(
  { t, u, contacts, multipliers }: Pick<Sample, 't' | 'u' | 'contacts' | 'multipliers'>,
  loads: Scenario['loads'],
): ActingForces {
  return {
    inputs: u,
    ...(contacts && { contacts }),
    ...(multipliers && { multipliers }),
    loads: loads.map(({ frame, force, follows }) => ({ frame, follows, force: force.map((own) => own(t)) })),
  };
}

/** Of the water, m/s; undefined where it rests. */
export function currentOf({ current, parameters }: Robot): Triple | undefined {
  if (!current) return undefined;
  const values = new Map<Expr, number>(parameters.map(({ symbol, value }) => [symbol, evaluate([value])[0]!]));
  return triple(evaluate(current, values));
}

/** Numbers of a picture behind its points. */
export const posesOf = ({ poses }: RobotPlaces): number[] => poses.flatMap((pose) => Array.from(pose));

/** 32-bit numbers, little-endian, in base 64. */
export const textOf = (numbers: Float32Array): string =>
  base64(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));

/** The parts that are drawn. */
export function structureOf(shape: RobotShape, places: RobotPlaces, gravity: Triple): Structure {
  const surfaces = shape.surfaces.map(({ reference, ...surface }, i) => ({
    ...surface,
    count: places.vertices[i]!.length / 3,
    reference: textOf(Float32Array.from(reference)),
  }));
  const tendons = places.tendons.map((points, i) => ({ name: shape.tendons[i]!, count: points.length / 3 }));
  const chambers = shape.chambers.map(({ actuator, ...chamber }, i) => ({
    ...chamber,
    ...(actuator !== undefined && { actuator }),
    count: places.chambers[i]!.length / 3,
  }));
  const lines: [number, number][] = [];
  let next = [...surfaces, ...tendons, ...chambers].reduce((sum, { count }) => sum + count, 0);
  for (const { length } of places.lines) {
    for (let i = 0; i + 1 < length; i++) lines.push([next + i, next + i + 1]);
    next += length;
  }
  const { frames, solids } = shape;
  return { count: next, surfaces, tendons, chambers, lines, frames, solids, up: upOf(gravity) };
}

/** Of pictures that belong together; the origin of the world belongs to them where it is near: no further away than their largest extent. */
export function boundsOf(pictures: readonly Float64Array[], up: Triple): Bounds {
  const own = boxOf(pictures);
  const outside = eachAxis((axis) => Math.max(own.least[axis], -own.most[axis], 0));
  const isNear = Math.hypot(...outside) <= Math.max(...eachAxis((axis) => own.most[axis] - own.least[axis]));
  const { least, most } = isNear ? boxOf([...pictures, new Float64Array(3)]) : own;
  return {
    least,
    extent: eachAxis((axis) => most[axis] - least[axis]),
    low: Math.min(...pictures.map((points) => lowest(points, up))),
  };
}

/** At most `most` of `count` indices, the first and the last among them. */
function evenly(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}

/** All of them in the order of the parts, then the tip. */
export function pointsOf(
  { vertices, tendons, chambers, lines }: RobotPlaces,
  tip: readonly number[] = [],
): Float64Array {
  const parts: readonly ArrayLike<number>[] = [...vertices, ...tendons, ...chambers, ...lines.flat(), tip];
  const points = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const part of parts) {
    points.set(part, next);
    next += part.length;
  }
  return points;
}

/** The direction against gravity; z without. */
function upOf(gravity: Robot['gravity']): Triple {
  const size = Math.hypot(...gravity);
  return size > 0 ? mapTuple(gravity, (g) => -g / size) : [0, 0, 1];
}

function lowest(points: Float64Array, up: Triple): number {
  let low = Infinity;
  for (let i = 0; i < points.length; i += 3)
    low = Math.min(low, up[0] * points[i]! + up[1] * points[i + 1]! + up[2] * points[i + 2]!);
  return low;
}

/** Of nothing the origin. */
function boxOf(pictures: readonly Float64Array[]): { readonly least: Triple; readonly most: Triple } {
  if (pictures.every((points) => points.length === 0)) return { least: [0, 0, 0], most: [0, 0, 0] };
  const [least, most] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  for (const points of pictures)
    points.forEach((x, i) => {
      least[i % 3] = Math.min(least[i % 3]!, x);
      most[i % 3] = Math.max(most[i % 3]!, x);
    });
  return { least: triple(least), most: triple(most) };
}

/** As text. */
function picturesOf(pictures: readonly Float64Array[]): Pictures {
  const { least, most } = boxOf(pictures);
  const scale = Math.max(1e-9, ...most.map((high, axis) => high - least[axis]!)) / STEPS;
  const quantised = new Uint16Array(pictures.length * pictures[0]!.length);
  pictures.forEach((points, k) =>
    points.forEach((x, i) => (quantised[k * points.length + i] = Math.round((x - least[i % 3]!) / scale))),
  );
  return { points: base64(new Uint8Array(quantised.buffer)), least, scale };
}
