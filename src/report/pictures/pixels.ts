/** Postures as pixels: lit surfaces, tendons, the trace of the tip, and a floor with a soft shadow; no browser, no system library. */
import { eachAxis } from '../../common/tuples.ts';
import { OBSTACLE, type Posture } from './posture.ts';
import { dot } from '../../common/poses.ts';
import { finer, rangeAlong, roundLength, type Camera, type Triple } from './camera.ts';
import type { Corner } from './contours.ts';
import { arrowCurves, CAVITY_STRENGTH, curveIn, tonesOf, TRAIL, type Tones } from './drawing.ts';
import { rasterOf } from './raster.ts';

/** Red, green and blue of every pixel, row by row from the top. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** A posture in front of others. */
export interface Layer {
  readonly posture: Posture;
  /** 1 hides what is behind it. */
  readonly strength: number;
}

type Colour = readonly [number, number, number];

/** Pixels of the renderer for one of the picture, in each direction. */
const FINENESS = 2;
const GROUND: Colour = [255, 255, 255];
const GRID: Colour = [205, 211, 217];
const SHADOW: Colour = [96, 104, 116];
const DARKEST_SHADOW = 0.32;

/** `#rrggbb` or `rgb(r,g,b)`. */
function colourOf(text: string): Colour {
  const decimals = /^rgb\((\d+),(\d+),(\d+)\)$/.exec(text);
  return eachAxis((i) => (decimals ? Number(decimals[i + 1]) : parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16)));
}

const mixed = (a: Colour, b: Colour, share: number): Colour => eachAxis((i) => a[i] + share * (b[i] - a[i]));

/** Colours of a part by its light, from 0 to 255. */
function rampOf(tones: Tones): readonly Colour[] {
  const [dark, middle, bright, outline] = [tones[0], tones[1], tones[2], tones[3]].map(colourOf) as [Colour, Colour, Colour, Colour]; // prettier-ignore
  const stops: readonly (readonly [number, Colour])[] = [
    [0, mixed(dark, outline, 0.6)],
    [0.35, dark],
    [0.7, middle],
    [0.93, bright],
    [1, mixed(bright, [255, 255, 255], 0.55)],
  ];
  return Array.from({ length: 256 }, (_, k) => {
    const light = k / 255;
    const after = Math.max(
      1,
      stops.findIndex(([at]) => at >= light),
    );
    const [[low, from], [high, to]] = [stops[after - 1]!, stops[after]!];
    return mixed(from, to, (light - low) / (high - low));
  });
}

function blend(image: Float32Array, pixel: number, colour: Colour, share: number): void {
  for (let k = 0; k < 3; k++) image[3 * pixel + k]! += share * (colour[k]! - image[3 * pixel + k]!);
}

/** Draws postures of one robot as one camera sees them. */
export class Painter {
  private readonly camera: Camera;
  /** In pixels of the picture. */
  private readonly view: Camera;
  private readonly ground: Float32Array;
  private readonly floor: Floor | undefined;
  private readonly ramps = new Map<number, readonly Colour[]>();

  /**
   * @param up against gravity. @param points of all postures, which stand on the floor.
   */
  constructor(camera: Camera, up: Triple, points: readonly Float64Array[]) {
    this.view = camera;
    this.camera = finer(camera, FINENESS);
    const { low, high } = rangeAlong(points, up);
    const level = low - 0.02 * (high - low);
    // Seen from above only.
    this.floor = dot(camera.view.out, up) > 0.05 ? { up, level } : undefined;
    this.ground = groundOf(this.camera, this.floor, points);
  }

  /** @param layers one in front of the other. @param trail x, y, z of the tip up to now. */
  paint(layers: readonly Layer[], trail?: Float64Array): Pixels {
    const { camera, floor } = this;
    const image = Float32Array.from(this.ground);
    if (floor) for (const layer of layers) castShadow(image, camera, floor, layer);
    for (const { posture, strength } of layers) {
      const { parts, lights } = rasterOf(camera, posture.surfaces);
      for (let i = 0; i < parts.length; i++) {
        if (parts[i]! < 0) continue;
        const colour = this.rampOf(parts[i]!)[Math.round(255 * Math.min(1, Math.max(0, lights[i]!)))]!;
        blend(image, i, colour, strength);
      }
      for (const { surface, colour } of posture.cavities)
        rasterOf(camera, [surface]).parts.forEach((part, i) => {
          if (part >= 0) blend(image, i, colourOf(colour), CAVITY_STRENGTH * strength);
        });
      const draw = (points: Float64Array, colour: string, thick: number): void =>
        drawCurve(image, camera, curveIn(camera, points), colourOf(colour), { thick, strength });
      for (const points of posture.planes) draw(points, tonesOf(OBSTACLE)[0], 0.9);
      for (const { points, colour } of posture.tendons) draw(points, colour, 1.3);
      for (const { from, to, colour } of posture.arrows)
        for (const points of arrowCurves(this.view, from, to)) draw(points, colour, 1.8);
    }
    if (trail) drawCurve(image, camera, curveIn(camera, trail), colourOf(TRAIL), { thick: 1.1, strength: 1 });
    return coarser(image, camera);
  }

  private rampOf(part: number): readonly Colour[] {
    let known = this.ramps.get(part);
    if (!known) {
      known = rampOf(tonesOf(part));
      this.ramps.set(part, known);
    }
    return known;
  }
}

interface Floor {
  readonly up: Triple;
  readonly level: number;
}

/** White, with a grid on the floor that fades away from the robot. */
function groundOf(camera: Camera, floor: Floor | undefined, points: readonly Float64Array[]): Float32Array {
  const { view, scale, width, height, origin } = camera;
  const image = new Float32Array(3 * width * height);
  for (let i = 0; i < width * height; i++) image.set(GROUND, 3 * i);
  if (!floor) return image;
  const { up, level } = floor;
  // Two level directions: one to the right of the picture, the other away from the eye.
  const axes = ([[1, 0, 0], [0, 1, 0], [0, 0, 1]] as const).filter((axis) => Math.abs(dot(axis, up)) < 0.9).slice(0, 2); // prettier-ignore
  const ranges = axes.map((axis) => rangeAlong(points, axis));
  const size = Math.max(...ranges.map(({ low, high }) => high - low), width / scale / 2);
  const cell = roundLength(size / 5);
  const middle = ranges.map(({ low, high }) => (low + high) / 2);
  const steep = dot(view.out, up);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const [a, b] = [(column + 0.5 - origin[0]) / scale, (origin[1] - row - 0.5) / scale];
      const depth = (level - a * dot(view.right, up) - b * dot(view.top, up)) / steep;
      const place = eachAxis((i) => a * view.right[i] + b * view.top[i] + depth * view.out[i]);
      let strength = 0;
      axes.forEach((axis) => {
        const along = dot(axis, place) / cell;
        // Width of a pixel in that direction, in cells: lines are as wide as one pixel of the picture.
        const pixel = (Math.hypot(dot(axis, view.right), dot(axis, view.top) + (dot(axis, view.out) * -dot(view.top, up)) / steep) * FINENESS) / (scale * cell); // prettier-ignore
        strength = Math.max(strength, 1 - Math.abs(along - Math.round(along)) / pixel);
      });
      const away = Math.hypot(...axes.map((axis, i) => dot(axis, place) - middle[i]!)) / size;
      const share = Math.max(0, strength) * Math.max(0, Math.min(1, 1.6 - 1.4 * away));
      if (share > 0) image.set(mixed(GROUND, GRID, share), 3 * (row * width + column));
    }
  return image;
}

/** The robot's shadow under a light from above, with soft edges. */
function castShadow(image: Float32Array, camera: Camera, { up, level }: Floor, { posture, strength }: Layer): void {
  const flat = posture.surfaces.map((part) => {
    const position = Float64Array.from(part.position);
    for (let i = 0; i < position.length; i += 3) {
      const above = up[0] * position[i]! + up[1] * position[i + 1]! + up[2] * position[i + 2]! - level;
      for (let axis = 0; axis < 3; axis++) position[i + axis]! -= above * up[axis]!;
    }
    return { ...part, position };
  });
  const { parts, width, height } = rasterOf(camera, flat);
  const covered = new Float32Array(parts.length);
  for (let i = 0; i < parts.length; i++) if (parts[i]! >= 0) covered[i] = DARKEST_SHADOW * strength;
  const radius = Math.max(2, Math.round(width / 160));
  const soft = blurred(blurred(covered, width, height, radius), width, height, radius);
  for (let i = 0; i < soft.length; i++) if (soft[i]! > 1e-3) blend(image, i, SHADOW, soft[i]!);
}

/** Means over squares. */
function blurred(values: Float32Array, width: number, height: number, radius: number): Float32Array {
  const along = (from: Float32Array, count: number, step: number, lines: number, lineStep: number): Float32Array => {
    const out = new Float32Array(from.length);
    for (let line = 0; line < lines; line++) {
      let sum = 0;
      const start = line * lineStep;
      for (let i = -radius; i < count; i++) {
        if (i + radius < count) sum += from[start + (i + radius) * step]!;
        if (i - radius - 1 >= 0) sum -= from[start + (i - radius - 1) * step]!;
        if (i >= 0) out[start + i * step] = sum / (2 * radius + 1);
      }
    }
    return out;
  };
  return along(along(values, width, 1, height, width), height, width, width, 1);
}

/** Segments with soft edges. @param thick pixels of the picture */
function drawCurve(
  image: Float32Array,
  { width, height }: Camera,
  corners: readonly Corner[],
  colour: Colour,
  { thick, strength }: { readonly thick: number; readonly strength: number },
): void {
  const radius = (thick * FINENESS) / 2;
  const cover = new Map<number, number>();
  for (let k = 0; k + 1 < corners.length; k++) {
    const [[ax, ay], [bx, by]] = [corners[k]!, corners[k + 1]!];
    const [dx, dy] = [bx - ax, by - ay];
    const length = dx * dx + dy * dy;
    const [left, right] = [Math.min(ax, bx) - radius - 1, Math.max(ax, bx) + radius + 1];
    const [top, bottom] = [Math.min(ay, by) - radius - 1, Math.max(ay, by) + radius + 1];
    for (let row = Math.max(0, Math.floor(top)); row <= Math.min(height - 1, bottom); row++)
      for (let column = Math.max(0, Math.floor(left)); column <= Math.min(width - 1, right); column++) {
        const [x, y] = [column + 0.5 - ax, row + 0.5 - ay];
        const share = length > 0 ? Math.min(1, Math.max(0, (x * dx + y * dy) / length)) : 0;
        const covered = Math.min(1, radius + 0.5 - Math.hypot(x - share * dx, y - share * dy));
        const pixel = row * width + column;
        if (covered > (cover.get(pixel) ?? 0)) cover.set(pixel, covered);
      }
  }
  for (const [pixel, share] of cover) blend(image, pixel, colour, share * strength);
}

/** Pixels of the picture are means of those of the renderer. */
function coarser(image: Float32Array, { width, height }: Camera): Pixels {
  const [columns, rows] = [Math.floor(width / FINENESS), Math.floor(height / FINENESS)];
  const rgb = new Uint8Array(3 * columns * rows);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      for (let k = 0; k < 3; k++) {
        let sum = 0;
        for (let y = 0; y < FINENESS; y++)
          for (let x = 0; x < FINENESS; x++)
            sum += image[3 * ((FINENESS * row + y) * width + FINENESS * column + x) + k]!;
        rgb[3 * (row * columns + column) + k] = Math.round(sum / FINENESS ** 2);
      }
  return { width: columns, height: rows, rgb };
}
