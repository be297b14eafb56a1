/** A run as a moving picture: the points of surfaces, rigid parts and the tip at a few hundred times, for the viewer. */
import { base64 } from '../common/bytes.ts';
import { eachAxis, mapTuple, triple } from '../common/tuples.ts';
import type { Robot } from '../description/model/robot.ts';
import { RobotShape, type RobotPlaces } from './robot-shape.ts';
import type { Animation, Bounds, Pictures, Structure, Triple } from './viewer/animation-data.ts';

const MOST_TIMES = 240;
const STEPS = 65535;

/** What is needed of a sample of a run. */
export interface Posture {
  readonly t: number;
  readonly q: readonly number[];
}

/** @param tip position of the tip at every posture, m. */
export function animate(
  robot: Robot,
  postures: readonly Posture[],
  tip: (index: number) => readonly number[] | undefined,
  panel: Animation['panel'],
): Animation {
  const shape = new RobotShape(robot);
  const shown = evenly(postures.length, MOST_TIMES);
  const frames = shown.map((index) => {
    const { t, q } = postures[index]!;
    return pointsOf(shape.place(q, t), tip(index));
  });
  const structure = structureOf(shape, shape.place(postures[0]!.q, postures[0]!.t), robot.gravity);
  return {
    ...structure,
    ...boundsOf(frames, structure.up),
    ...picturesOf(frames),
    count: frames[0]!.length / 3,
    times: shown.map((index) => postures[index]!.t),
    tip: tip(0) === undefined ? undefined : structure.count,
    panel,
  };
}

/** The parts that are drawn. */
export function structureOf(shape: RobotShape, places: RobotPlaces, gravity: Triple): Structure {
  const surfaces = shape.surfaces.map((surface, i) => ({ ...surface, count: places.vertices[i]!.length / 3 }));
  const tendons = places.tendons.map((points, i) => ({ name: shape.tendons[i]!, count: points.length / 3 }));
  const lines: [number, number][] = [];
  let next = [...surfaces, ...tendons].reduce((sum, { count }) => sum + count, 0);
  for (const { length } of places.lines) {
    for (let i = 0; i + 1 < length; i++) lines.push([next + i, next + i + 1]);
    next += length;
  }
  return { count: next, surfaces, tendons, lines, up: upOf(gravity) };
}

/** Of pictures that belong together; the origin of the world belongs to them. */
export function boundsOf(pictures: readonly Float64Array[], up: Triple): Bounds {
  const { least, most } = boxOf(pictures);
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
export function pointsOf({ vertices, tendons, lines }: RobotPlaces, tip?: readonly number[]): Float64Array {
  return Float64Array.from([...[...vertices, ...tendons].map((own) => [...own]), ...lines.flat(), tip ?? []].flat());
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

function boxOf(pictures: readonly Float64Array[]): { readonly least: Triple; readonly most: Triple } {
  const [least, most] = [
    [0, 0, 0],
    [0, 0, 0],
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
