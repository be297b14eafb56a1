/**
 * A software renderer: triangles into pixels, each with the part that is nearest to the eye there, its depth and its light.
 * Curved surfaces are lit by the normals of their vertices, edges between faces by those of the faces.
 */
import { eachAxis } from '../../common/tuples.ts';
import { dot } from '../../common/poses.ts';
import { seen, unit, type Camera, type Triple } from './camera.ts';

/** Triangles of one part, as `Surface` has them; `part` is any number from 0. */
export interface RasterPart {
  readonly position: Float64Array;
  readonly triangles: readonly number[];
  readonly part: number;
}

/** Row by row from the top. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** −1 where there is nothing. */
  readonly parts: Int16Array;
  /** Distance towards the eye, m. */
  readonly depths: Float32Array;
  /** From 0, turned away from the light, to 1. */
  readonly lights: Float32Array;
}

/** Between a normal of a vertex and of a face, beyond which there is an edge: 50°. */
const EDGE = Math.cos((50 * Math.PI) / 180);

export function rasterOf(camera: Camera, surfaces: readonly RasterPart[]): Raster {
  const { width, height } = camera;
  const raster: Raster = {
    width,
    height,
    parts: new Int16Array(width * height).fill(-1),
    depths: new Float32Array(width * height).fill(-Infinity),
    lights: new Float32Array(width * height),
  };
  for (const surface of surfaces) drawSurface(raster, camera, surface);
  return raster;
}

function drawSurface(raster: Raster, camera: Camera, { position, triangles, part }: RasterPart): void {
  const count = position.length / 3;
  const at = (i: number): Triple => [position[3 * i]!, position[3 * i + 1]!, position[3 * i + 2]!];
  const places = Array.from({ length: count }, (_, i) => seen(camera, at(i)));
  const faces: Triple[] = [];
  const sums = new Float64Array(3 * count);
  for (let k = 0; k < triangles.length; k += 3) {
    const normal = normalOf(at(triangles[k]!), at(triangles[k + 1]!), at(triangles[k + 2]!));
    faces.push(normal);
    // Corners without a place, where a formula is not defined, have no share in those beside them.
    if (!normal.every(Number.isFinite)) continue;
    for (let corner = 0; corner < 3; corner++)
      for (let axis = 0; axis < 3; axis++) sums[3 * triangles[k + corner]! + axis]! += normal[axis]!;
  }
  // A light from the upper left, a little in front.
  const { right, top, out } = camera.view;
  const sun = unit(eachAxis((i) => -0.45 * right[i] + 0.75 * top[i] + 0.6 * out[i]));
  const lightOf = (vertex: number, face: Triple): number => {
    const smooth = unit([sums[3 * vertex]!, sums[3 * vertex + 1]!, sums[3 * vertex + 2]!]);
    const normal = dot(smooth, unit(face)) > EDGE ? smooth : unit(face);
    const towards = dot(normal, out) < 0 ? -1 : 1;
    return 0.5 + (towards * dot(normal, sun)) / 2;
  };
  faces.forEach((face, k) => {
    const corners = [0, 1, 2].map((corner) => triangles[3 * k + corner]!);
    const [a, b, c] = corners.map((i) => places[i]!) as [Triple, Triple, Triple];
    const lights = corners.map((i) => lightOf(i, face)) as [number, number, number];
    drawTriangle(raster, a, b, c, lights, part);
  });
}

function normalOf(a: Triple, b: Triple, c: Triple): Triple {
  const [x, y, z] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [u, v, w] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  return [y * w - z * v, z * u - x * w, x * v - y * u];
}

/** A pixel belongs to a triangle where its middle is within. */
function drawTriangle(
  { width, height, parts, depths, lights }: Raster,
  a: Triple,
  b: Triple,
  c: Triple,
  light: readonly [number, number, number],
  part: number,
): void {
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area === 0 || !Number.isFinite(area)) return;
  const top = Math.max(0, Math.ceil(Math.min(a[1], b[1], c[1]) - 0.5));
  const bottom = Math.min(height - 1, Math.floor(Math.max(a[1], b[1], c[1]) - 0.5));
  const left = Math.max(0, Math.ceil(Math.min(a[0], b[0], c[0]) - 0.5));
  const right = Math.min(width - 1, Math.floor(Math.max(a[0], b[0], c[0]) - 0.5));
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++) {
      const [x, y] = [column + 0.5, row + 0.5];
      const u = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area;
      const v = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area;
      const w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) continue;
      const depth = u * a[2] + v * b[2] + w * c[2];
      const pixel = row * width + column;
      if (depth <= depths[pixel]!) continue;
      depths[pixel] = depth;
      parts[pixel] = part;
      lights[pixel] = u * light[0] + v * light[1] + w * light[2];
    }
}
