/** A robot at one time as triangles and curves, from the numbers of a picture: bodies, rods and balls for rigid parts, solids, tendons, forces. */
import type { Arrow, Solid, Structure } from '../viewer/animation-data.ts';
import { ARROW_COLOURS, LONGEST_ARROW, planeSquare } from '../viewer/space/shown-robot.ts';
import { cross, movedPoints } from '../../common/poses.ts';
import { unit, type Triple } from './camera.ts';

/** A surface: `position` has x, y, z of its vertices in m, `triangles` three indices each. */
interface Surface {
  readonly position: Float64Array;
  readonly triangles: readonly number[];
  /** Of rigid parts and of obstacles as below, of deformable bodies a number from 1 on. */
  readonly part: number;
}

const RIGID = 0;
export const OBSTACLE = 10_000;

/** A robot at one time. */
export interface Posture {
  readonly t: number;
  readonly surfaces: readonly Surface[];
  /** x, y, z along a tendon. */
  readonly tendons: readonly { readonly points: Float64Array; readonly colour: string }[];
  /** Pressure chambers, seen through bodies. */
  readonly cavities: readonly { readonly surface: Surface; readonly colour: string }[];
  /** Closed curves around planes. */
  readonly planes: readonly Float64Array[];
  readonly arrows: readonly { readonly from: Triple; readonly to: Triple; readonly colour: string }[];
}

/** What a posture needs beside its numbers. */
interface PostureLook {
  readonly t: number;
  /** Of the robot, m. */
  readonly size: number;
  /** Of the actuator of a tendon or a chamber. */
  readonly colourOf: (actuator: string) => string | undefined;
  readonly arrows: readonly Arrow[];
  /** N: what the longest arrow stands for. */
  readonly mostForce: number;
}

const TENDON_COLOURS = ['#d62f4b', '#7b3fb5', '#0e8a5c', '#b36b00', '#2456c2'] as const;
const CAVITY = '#8a94a3';
/** Thickness of rigid parts as a share of the robot's size. */
const THICKNESS = 0.012;
const AROUND = 12;

/** @param numbers of a picture, in the order of the structure. */
export function postureOf(structure: Structure, numbers: ArrayLike<number>, look: PostureLook): Posture {
  const { surfaces, tendons, chambers, lines, solids } = structure;
  let next = 0;
  const take = (count: number): Float64Array => {
    const own = Float64Array.from({ length: 3 * count }, (_, i) => numbers[next + i]!);
    next += 3 * count;
    return own;
  };
  const bodies = surfaces.map(({ count, triangles }, i): Surface => ({
    position: take(count),
    triangles,
    part: i + 1,
  }));
  const names = [...new Set(tendons.map(({ name }) => name))];
  const cords = tendons.map(({ name, count }) => ({
    points: take(count),
    colour: look.colourOf(name) ?? TENDON_COLOURS[names.indexOf(name) % TENDON_COLOURS.length]!,
  }));
  const cavities = chambers.map(({ actuator, count, triangles }) => ({
    surface: { position: take(count), triangles, part: RIGID },
    colour: (actuator === undefined ? undefined : look.colourOf(actuator)) ?? CAVITY,
  }));
  const point = (index: number): Triple => [numbers[3 * index]!, numbers[3 * index + 1]!, numbers[3 * index + 2]!];
  const radius = THICKNESS * look.size;
  const rigid = [
    ...[...new Set(lines.flat())].map((corner) => ball(point(corner), 1.5 * radius)),
    ...lines.flatMap(([from, to]) => {
      const [a, b] = [point(from), point(to)];
      return Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) > radius / 10 ? [rod(a, b, radius)] : [];
    }),
  ];
  const pose = (frame: number): ArrayLike<number> =>
    Array.from({ length: 12 }, (_, k) => numbers[3 * structure.count + 12 * frame + k]!);
  const scale = look.mostForce > 0 ? (LONGEST_ARROW * look.size) / look.mostForce : 0;
  return {
    t: look.t,
    surfaces: [...bodies, ...rigid, ...solids.flatMap((solid) => solidSurface(solid, pose))],
    tendons: cords,
    cavities,
    planes: solids.flatMap(({ plane }) => {
      if (!plane) return [];
      const corners = planeSquare(plane, point(0), 0.6 * look.size);
      return [Float64Array.from([...corners, corners[0]!].flat())];
    }),
    arrows: look.arrows.map(({ at, force, kind }) => {
      const along: Triple = [scale * force[0], scale * force[1], scale * force[2]];
      const [from, to] =
        kind === 'contact'
          ? [[at[0] - along[0], at[1] - along[1], at[2] - along[2]] as const, at]
          : [at, [at[0] + along[0], at[1] + along[1], at[2] + along[2]] as const];
      return { from, to, colour: ARROW_COLOURS[kind] };
    }),
  };
}

function solidSurface(
  { look, frame, position, triangles, plane }: Solid,
  pose: (frame: number) => ArrayLike<number>,
): Surface[] {
  // prettier-ignore
  // What of a rigid body touches stands within the picture of that body.
  if (plane || look === 'shape') return [];
  const part = look === 'mesh' ? RIGID : OBSTACLE;
  if (frame === undefined) return [{ position: Float64Array.from(position), triangles, part }];
  return [{ position: movedPoints(pose(frame), position), triangles, part }];
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
  return { position, triangles, part: RIGID };
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
  return { position: Float64Array.from(position), triangles, part: RIGID };
}
