/** A run as a moving picture: the points of surfaces, rigid parts and the tip at a few hundred times, for the viewer. */
import { eachAxis, mapTuple, triple } from '../common/tuples.ts';
import type { Robot } from '../description/model/robot.ts';
import { RobotShape, type RobotPlaces } from './robot-shape.ts';
import type { Animation, Triple } from './viewer/animation-data.ts';

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
  const first = shape.place(postures[0]!.q, postures[0]!.t);
  const surfaces = shape.surfaces.map((surface, i) => ({ ...surface, count: first.vertices[i]!.length / 3 }));
  const lines: [number, number][] = [];
  const tendons = first.tendons.map((points, i) => ({ name: shape.tendons[i]!, count: points.length / 3 }));
  let next = [...surfaces, ...tendons].reduce((sum, { count }) => sum + count, 0);
  for (const { length } of first.lines) {
    for (let i = 0; i + 1 < length; i++) lines.push([next + i, next + i + 1]);
    next += length;
  }
  const { least, scale, quantised } = quantise(frames);
  const up = upOf(robot.gravity);
  return {
    times: shown.map((index) => postures[index]!.t),
    count: frames[0]!.length / 3,
    points: Buffer.from(quantised.buffer).toString('base64'),
    least,
    scale,
    surfaces,
    tendons,
    lines,
    tip: tip(0) === undefined ? undefined : next,
    up,
    low: Math.min(...frames.map((points) => lowest(points, up))),
    extent: eachAxis((axis) => scale * extent(quantised, axis)),
    panel,
  };
}

/** At most `most` of `count` indices, the first and the last among them. */
function evenly(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}

function pointsOf({ vertices, tendons, lines }: RobotPlaces, tip: readonly number[] | undefined): Float64Array {
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

function quantise(frames: readonly Float64Array[]): { least: Triple; scale: number; quantised: Uint16Array } {
  // The origin of the world belongs to the picture.
  const [least, most] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (const points of frames)
    points.forEach((x, i) => {
      least[i % 3] = Math.min(least[i % 3]!, x);
      most[i % 3] = Math.max(most[i % 3]!, x);
    });
  const scale = Math.max(1e-9, ...most.map((high, axis) => high - least[axis]!)) / STEPS;
  const quantised = new Uint16Array(frames.length * frames[0]!.length);
  frames.forEach((points, k) =>
    points.forEach((x, i) => (quantised[k * points.length + i] = Math.round((x - least[i % 3]!) / scale))),
  );
  return { least: triple(least), scale, quantised };
}

function extent(quantised: Uint16Array, axis: number): number {
  let most = 0;
  for (let i = axis; i < quantised.length; i += 3) most = Math.max(most, quantised[i]!);
  return most;
}
