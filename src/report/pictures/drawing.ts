/** Postures as SVG: visible parts by their outlines, in three tones, with lines where one part passes in front of another. */
import { eachAxis } from '../../common/tuples.ts';
import { dot } from '../../common/poses.ts';
import { finer, rangeAlong, seen, type Camera, type Triple } from './camera.ts';
import { OBSTACLE, type Posture } from './posture.ts';
import { areaOf, linesWithin, outlinesOf, simplified, type Corner } from './contours.ts';
import { rasterOf, type Raster } from './raster.ts';

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
const BODY_TONES = [
  ['#3b76ad', '#5b9bd0', '#8abfe8', '#173f63'],
  ['#c46f34', '#e5965a', '#f5b98a', '#6b3510'],
  ['#3d8c6f', '#5fb093', '#8fd0b8', '#154734'],
  ['#9c6a8e', '#c093b3', '#dbb9d2', '#4f2a45'],
  ['#b98d2b', '#dcb250', '#efd18a', '#5e4408'],
  ['#4c9a9c', '#74bfc0', '#a3dcdd', '#134a4c'],
] as const;
const METAL_TONES = ['#7b838b', '#a2aab2', '#c9d0d6', '#3d444b'] as const;
const OBSTACLE_TONES = ['#a58b6f', '#c4ab90', '#ddc9b3', '#5e4c38'] as const;
/** How much of what is behind a chamber it hides. */
export const CAVITY_STRENGTH = 0.5;
export const TRAIL = '#d1495b';

export type Tones = readonly [string, string, string, string];

export function tonesOf(part: number): Tones {
  if (part === OBSTACLE) return OBSTACLE_TONES;
  return part === 0 ? METAL_TONES : BODY_TONES[(part - 1) % BODY_TONES.length]!;
}

/** Elements of SVG that show a posture. */
export function drawn(posture: Posture, camera: Camera): string {
  const { window, at } = windowOf(posture, finer(camera, FINENESS));
  const raster = rasterOf(window, posture.surfaces);
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
  for (const { surface, colour } of posture.cavities) {
    const labels = rasterOf(window, [surface]).parts;
    const loops = [...outlinesBy(labels).values()].flat().map(closed);
    if (loops.length > 0)
      elements.push(
        `<path fill="${colour}" fill-opacity="${CAVITY_STRENGTH}" fill-rule="evenodd" d="${loops.join('')}"/>`,
      );
  }
  const curve = (points: Float64Array): string => open(simplified(curveIn(window, points), TOLERANCE));
  for (const points of posture.planes) stroke([curve(points)], OBSTACLE_TONES[0], 0.9);
  for (const { points, colour } of posture.tendons) stroke([curve(points)], colour, 1.1);
  for (const { from, to, colour } of posture.arrows)
    stroke(
      arrowCurves(camera, from, to).map((points) => curve(points)),
      colour,
      1.8,
    );
  return elements.join('\n');
}

/** Pixels of the head of an arrow. */
const HEAD = 8;

/** The shaft of an arrow and its head, in the plane of the picture; x, y, z. */
export function arrowCurves({ view, scale }: Camera, from: Triple, to: Triple): Float64Array[] {
  const along = eachAxis((axis) => to[axis] - from[axis]);
  const [x, y] = [dot(along, view.right), dot(along, view.top)];
  const size = Math.hypot(x, y);
  const shaft = Float64Array.from([...from, ...to]);
  if (size * scale < 1) return [shaft];
  const reach = Math.min(HEAD / scale, size / 2) / size;
  const corner = (side: 1 | -1): number[] => {
    const [u, v] = [-x + side * 0.45 * y, -y - side * 0.45 * x];
    return to.map((place, axis) => place + reach * (u * view.right[axis]! + v * view.top[axis]!));
  };
  return [shaft, Float64Array.from([...corner(1), ...to, ...corner(-1)])];
}

/** The part of a picture in which a posture is, and where it begins. */
function windowOf(posture: Posture, camera: Camera): { readonly window: Camera; readonly at: Corner } {
  const points = [
    ...posture.surfaces.map(({ position }) => position),
    ...posture.arrows.map(({ from, to }) => Float64Array.from([...from, ...to])),
    ...posture.planes,
  ];
  const [x, y] = [rangeAlong(points, camera.view.right), rangeAlong(points, camera.view.top)];
  const range = (low: number, high: number, most: number): [number, number] => [
    Math.max(0, Math.floor(low) - 1),
    Math.min(most, Math.ceil(high) + 1),
  ];
  const { origin: at, scale } = camera;
  const [left, right] = range(at[0] + scale * x.low, at[0] + scale * x.high, camera.width);
  const [top, bottom] = range(at[1] - scale * y.high, at[1] - scale * y.low, camera.height);
  const [width, height] = [Math.max(1, right - left), Math.max(1, bottom - top)];
  const origin = [at[0] - left, at[1] - top] as const;
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
