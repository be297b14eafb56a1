/** A robot at one time as triangles and curves: surfaces of its bodies, rods and balls for its rigid parts, its tendons. */
import type { Robot } from '../../description/model/robot.ts';
import { RobotShape, type RobotPlaces } from '../robot-shape.ts';
import { cross, unit, type Triple } from './camera.ts';

/** A surface: `position` has x, y, z of its vertices in m, `triangles` three indices each. */
interface Surface {
  readonly position: Float64Array;
  readonly triangles: readonly number[];
  /** Of the surfaces of deformable bodies their number, of rigid parts undefined. */
  readonly body: number | undefined;
}

/** A robot at one time. */
export interface Posture {
  readonly t: number;
  readonly surfaces: readonly Surface[];
  /** x, y, z along a tendon, with the number of its actuator. */
  readonly tendons: readonly { readonly points: Float64Array; readonly actuator: number }[];
}

/** What a picture needs of a sample of a run. */
export interface Sample {
  readonly t: number;
  readonly q: readonly number[];
}

/** Thickness of rigid parts as a share of the robot's size. */
const THICKNESS = 0.012;
const AROUND = 12;

/**
 * @param samples at rising times.
 * @returns the robot at these times.
 */
export function posturesOf(robot: Robot, samples: readonly Sample[]): Posture[] {
  const shape = new RobotShape(robot);
  const actuators = [...new Set(shape.tendons)];
  const places = samples.map(({ t, q }) => shape.place(q, t));
  const radius = THICKNESS * sizeOf(places);
  return places.map(({ vertices, tendons, lines }, k) => ({
    t: samples[k]!.t,
    surfaces: [
      ...vertices.map((position, i) => ({ position, triangles: shape.surfaces[i]!.triangles, body: i })),
      ...lines.flatMap((corners) => rigidParts(corners, radius)),
    ],
    tendons: tendons.map((points, i) => ({ points, actuator: actuators.indexOf(shape.tendons[i]!) })),
  }));
}

/** All points of postures, to see them all. */
export function pointsOf(postures: readonly Posture[]): Float64Array[] {
  return postures.flatMap(({ surfaces, tendons }) => [
    ...surfaces.map(({ position }) => position),
    ...tendons.map(({ points }) => points),
  ]);
}

/** The sample at a time, between two of a run by a straight line. @param samples at rising times. */
export function sampleAt(samples: readonly Sample[], t: number): Sample {
  let after = samples.findIndex((sample) => sample.t >= t);
  if (after < 0) after = samples.length - 1;
  const [a, b] = [samples[Math.max(after - 1, 0)]!, samples[after]!];
  const share = b.t > a.t ? Math.min(1, Math.max(0, (t - a.t) / (b.t - a.t))) : 1;
  return { t, q: b.q.map((value, i) => a.q[i]! + share * (value - a.q[i]!)) };
}

/** Diagonal of the box around a robot at its first time. */
function sizeOf(places: readonly RobotPlaces[]): number {
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  const take = (value: number, axis: number): void => {
    low[axis] = Math.min(low[axis]!, value);
    high[axis] = Math.max(high[axis]!, value);
  };
  for (const { vertices, lines } of places.slice(0, 1)) {
    for (const own of vertices) own.forEach((value, i) => take(value, i % 3));
    for (const point of lines.flat()) point.forEach(take);
  }
  return Math.max(...high.map((value, i) => value - low[i]!), 1e-6);
}

/** Rods between corners and balls on them. */
function rigidParts(corners: readonly Triple[], radius: number): Surface[] {
  const parts: Surface[] = corners.map((corner) => ball(corner, 1.5 * radius));
  for (let i = 0; i + 1 < corners.length; i++) {
    const [a, b] = [corners[i]!, corners[i + 1]!];
    if (Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) > radius / 10) parts.push(rod(a, b, radius));
  }
  return parts;
}

function rod(a: Triple, b: Triple, radius: number): Surface {
  const along = unit([b[0] - a[0], b[1] - a[1], b[2] - a[2]]);
  const u = unit(cross(along, Math.abs(along[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0]));
  const v = cross(along, u);
  const position = new Float64Array(6 * AROUND);
  const triangles: number[] = [];
  for (let i = 0; i < AROUND; i++) {
    const [c, s] = [Math.cos((2 * Math.PI * i) / AROUND), Math.sin((2 * Math.PI * i) / AROUND)];
    [a, b].forEach((end, side) => {
      for (const axis of [0, 1, 2] as const)
        position[3 * (2 * i + side) + axis] = end[axis] + radius * (c * u[axis] + s * v[axis]);
    });
    const [p, next] = [2 * i, (2 * i + 2) % (2 * AROUND)];
    triangles.push(p, next, next + 1, p, next + 1, p + 1);
  }
  return { position, triangles, body: undefined };
}

function ball(centre: Triple, radius: number): Surface {
  const rings = AROUND / 2;
  const position: number[] = [];
  const triangles: number[] = [];
  for (let j = 0; j <= rings; j++)
    for (let i = 0; i < AROUND; i++) {
      const [theta, phi] = [(Math.PI * j) / rings, (2 * Math.PI * i) / AROUND];
      position.push(
        centre[0] + radius * Math.sin(theta) * Math.cos(phi),
        centre[1] + radius * Math.sin(theta) * Math.sin(phi),
        centre[2] + radius * Math.cos(theta),
      );
      if (j === rings) continue;
      const [p, next] = [j * AROUND + i, j * AROUND + ((i + 1) % AROUND)];
      triangles.push(p, p + AROUND, next + AROUND, p, next + AROUND, next);
    }
  return { position: Float64Array.from(position), triangles, body: undefined };
}
