/** Poses in numbers: the rotation by rows, then the origin in m. */
import { eachAxis } from '../../common/tuples.ts';

export type Pose = ArrayLike<number>;
export type Point = readonly [number, number, number];

export function composed(a: Pose, b: Pose): Pose {
  const rotated = [0, 1, 2].flatMap((row) =>
    [0, 1, 2].map((column) => [0, 1, 2].reduce((sum, k) => sum + a[3 * row + k]! * b[3 * k + column]!, 0)),
  );
  return [...rotated, ...movedPoint(a, [b[9]!, b[10]!, b[11]!])];
}

function movedPoint(pose: Pose, point: Point): Point {
  return eachAxis((row) => pose[9 + row]! + turned(pose, point)[row]);
}

/** A direction. */
export function turned(pose: Pose, vector: Point): Point {
  return eachAxis((row) => [0, 1, 2].reduce((sum, k) => sum + pose[3 * row + k]! * vector[k]!, 0));
}

export const originOf = (pose: Pose): Point => [pose[9]!, pose[10]!, pose[11]!];

/** x, y, z of points one after the other. */
export function movedPoints(pose: Pose, points: ArrayLike<number>): Float64Array {
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

/** A frame with z along an axis. */
export function poseAlong(axis: readonly number[], origin: readonly number[]): Pose {
  const size = Math.hypot(...axis);
  const z = size > 0 ? axis.map((a) => a / size) : [0, 0, 1];
  const other = Math.abs(z[0]!) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const share = other.reduce((sum, a, i) => sum + a * z[i]!, 0);
  const flat = other.map((a, i) => a - share * z[i]!);
  const x = flat.map((a) => a / Math.hypot(...flat));
  const y = eachAxis((i) => z[(i + 1) % 3]! * x[(i + 2) % 3]! - z[(i + 2) % 3]! * x[(i + 1) % 3]!);
  return [...[0, 1, 2].flatMap((row) => [x[row]!, y[row]!, z[row]!]), ...origin];
}
