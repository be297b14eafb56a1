/** Postures as SVG: visible parts by their outlines, in three tones, with lines where one part passes in front of another. */
import { finer, seen, type Camera } from './camera.ts';
import { type Posture } from './bodies.ts';
import { areaOf, linesWithin, outlinesOf, simplified, type Corner } from './contours.ts';
import { rasterOf, type Raster, type RasterPart } from './raster.ts';

/** Pixels of the renderer for one of the picture, in each direction. */
const FINENESS = 3;
/** Of outlines, in pixels of the renderer. */
const TOLERANCE = 0.75;
/** Tones of smaller areas, in pixels of the renderer, are left out. */
const SPECK = 60;
/** Light from which on a part has its middle tone, and its bright one. */
const BRIGHTER = [0.45, 0.82] as const;
/** Depth by which a part passes in front of itself, as a share of the picture. */
const FOLD = 0.02;

/** Colours that stand apart in both colour schemes; each in three tones and that of its outline. */
export const BODY_TONES = [
  ['#3b76ad', '#5b9bd0', '#8abfe8', '#173f63'],
  ['#c46f34', '#e5965a', '#f5b98a', '#6b3510'],
  ['#3d8c6f', '#5fb093', '#8fd0b8', '#154734'],
  ['#9c6a8e', '#c093b3', '#dbb9d2', '#4f2a45'],
  ['#b98d2b', '#dcb250', '#efd18a', '#5e4408'],
  ['#4c9a9c', '#74bfc0', '#a3dcdd', '#134a4c'],
] as const;
export const METAL_TONES = ['#7b838b', '#a2aab2', '#c9d0d6', '#3d444b'] as const;
export const TENDON_COLOURS = ['#d62f4b', '#7b3fb5', '#0e8a5c', '#b36b00', '#2456c2'] as const;
export const TRAIL = '#d1495b';

/** Tones of a part: of a body by its number, of a rigid part without one. */
const tonesOf = (part: number): readonly [string, string, string, string] =>
  part === 0 ? METAL_TONES : BODY_TONES[(part - 1) % BODY_TONES.length]!;

/** Surfaces with the numbers by which a renderer tells them apart: 0 for rigid parts, then the bodies. */
export function partsOf({ surfaces }: Posture): RasterPart[] {
  return surfaces.map(({ position, triangles, body }) => ({
    position,
    triangles,
    part: body === undefined ? 0 : body + 1,
  }));
}

/** Elements of SVG that show a posture. */
export function drawn(posture: Posture, camera: Camera): string {
  const { window, at } = windowOf(posture, finer(camera, FINENESS));
  const raster = rasterOf(window, partsOf(posture));
  const { parts, lights } = raster;
  const outlinesBy = (labels: Int16Array) => outlinesOf({ ...raster, labels }, TOLERANCE);
  const open = (corners: readonly Corner[]): string => pathOf(corners, FINENESS, at);
  const closed = (corners: readonly Corner[]): string => `${open(corners)}z`;
  const elements: string[] = [];
  const fill = (loops: readonly Corner[][], colour: string): void => {
    if (loops.length > 0)
      elements.push(`<path fill="${colour}" fill-rule="evenodd" d="${loops.map(closed).join('')}"/>`);
  };
  const stroke = (paths: readonly string[], colour: string, width: number): void => {
    const ends = 'stroke-linejoin="round" stroke-linecap="round"';
    if (paths.length > 0)
      elements.push(`<path fill="none" stroke="${colour}" stroke-width="${width}" ${ends} d="${paths.join('')}"/>`);
  };
  const outlines = [...outlinesBy(parts)].sort(([a], [b]) => a - b);
  for (const [part, loops] of outlines) fill(loops, tonesOf(part)[0]);
  BRIGHTER.forEach((least, k) => {
    const bright = Int16Array.from(parts);
    lights.forEach((light, i) => light < least && (bright[i] = -1));
    for (const [part, loops] of outlinesBy(bright))
      fill(
        loops.filter((loop) => Math.abs(areaOf(loop)) > SPECK),
        tonesOf(part)[k + 1]!,
      );
  });
  for (const [part, loops] of outlines) stroke(loops.map(closed), tonesOf(part)[3], 0.9);
  for (const [part, lines] of foldsOf(raster, window)) stroke(lines.map(open), tonesOf(part)[3], 0.7);
  for (const { points, actuator } of posture.tendons) {
    const line = open(simplified(curveIn(window, points), TOLERANCE));
    stroke([line], TENDON_COLOURS[actuator % TENDON_COLOURS.length]!, 1.1);
  }
  return elements.join('\n');
}

/** The part of a picture in which a posture is, and where it begins. */
function windowOf(posture: Posture, camera: Camera): { readonly window: Camera; readonly at: Corner } {
  const corners = posture.surfaces.flatMap(({ position }) => curveIn(camera, position));
  const range = (axis: 0 | 1, most: number): [number, number] => {
    const [low, high] = corners.reduce(
      ([least, greatest], corner) => [Math.min(least, corner[axis]), Math.max(greatest, corner[axis])],
      [most, 0],
    );
    return [Math.max(0, Math.floor(low) - 1), Math.min(most, Math.ceil(high) + 1)];
  };
  const [left, right] = range(0, camera.width);
  const [top, bottom] = range(1, camera.height);
  const [width, height] = [Math.max(1, right - left), Math.max(1, bottom - top)];
  const origin = [camera.origin[0] - left, camera.origin[1] - top] as const;
  return { window: { ...camera, width, height, origin }, at: [left, top] };
}

/** Lines where a part passes in front of itself. */
function foldsOf(raster: Raster, { scale }: Camera): ReadonlyMap<number, readonly Corner[][]> {
  const { width, height, parts, depths } = raster;
  const jump = (FOLD * Math.max(width, height)) / scale;
  return linesWithin({ ...raster, labels: parts }, (a, b) => Math.abs(depths[a]! - depths[b]!) > jump, TOLERANCE);
}

/** x, y of a curve in the picture. @param points x, y, z. */
export function curveIn(camera: Camera, points: Float64Array): Corner[] {
  return Array.from({ length: points.length / 3 }, (_, i) => {
    const [x, y] = seen(camera, [points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!]);
    return [x, y] as const;
  });
}

/** A path with a digit behind the point, each corner relative to the one before it. @param at place of the corners' origin. */
function pathOf(corners: readonly Corner[], fineness: number, at: Corner): string {
  let [lastX, lastY] = [0, 0];
  const place = (value: number, from: number): number => Math.round((10 * (value + from)) / fineness);
  return corners
    .map(([x, y], i) => {
      const [nextX, nextY] = [place(x, at[0]), place(y, at[1])];
      const [dx, dy] = [nextX - lastX, nextY - lastY];
      [lastX, lastY] = [nextX, nextY];
      return `${i === 0 ? 'M' : i === 1 ? 'l' : ' '}${dx / 10} ${dy / 10}`;
    })
    .join('')
    .replace(/(?<!\d)0\./g, '.')
    .replaceAll(' -', '-');
}

/** A path through points of the world, for curves beside a robot. */
export function curvePath(camera: Camera, points: Float64Array): string {
  return pathOf(simplified(curveIn(camera, points), TOLERANCE / FINENESS), 1, [0, 0]);
}
