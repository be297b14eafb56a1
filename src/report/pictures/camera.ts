/** From where a robot is looked at: views by name or by angles, and where points of the world stand in the picture. */
import { KanegenError } from '../../common/error.ts';
import { cross, dot } from '../../common/poses.ts';
import { eachAxis } from '../../common/tuples.ts';

export type Triple = readonly [number, number, number];

/** Directions of the world in a picture: unit vectors to its right, to its top and out of it, towards the eye. */
export interface View {
  readonly right: Triple;
  readonly top: Triple;
  readonly out: Triple;
}

export const VIEW_NAMES = ['front', 'side', 'top', 'iso', 'back'] as const;

/** Turn about the vertical and height of the eye, degrees. */
const ANGLES: Readonly<Record<(typeof VIEW_NAMES)[number], readonly [number, number]>> = {
  front: [0, 0],
  side: [90, 0],
  back: [180, 0],
  top: [0, 90],
  iso: [35, 25],
};

export const unit = (a: Triple): Triple => {
  const size = Math.hypot(...a);
  return size > 0 ? eachAxis((i) => a[i] / size) : a;
};

/** The direction against gravity; +z without gravity. */
export function upOf(gravity: Triple): Triple {
  return Math.hypot(...gravity) > 0 ? unit(eachAxis((i) => -gravity[i])) : [0, 0, 1];
}

/**
 * A view by its name, or by two angles in degrees: the turn of the eye about the vertical, from `front` towards `side`, and its height.
 * `front` has the first world axis that is not vertical to its right.
 * @param up a unit vector. @throws KanegenError `unknown-view`.
 */
export function viewOf(text: string, up: Triple): View {
  const named = VIEW_NAMES.find((name) => name === text);
  const angles = named ? ANGLES[named] : text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  const [turn, height] = angles;
  if (angles.length !== 2 || turn === undefined || height === undefined || !angles.every(Number.isFinite))
    throw new KanegenError('unknown-view', `--view takes ${VIEW_NAMES.join(', ')}, not ${JSON.stringify(text)}`, {
      remedy: 'or write two angles in degrees, turn and height: --view 35,25',
    });
  return turned(up, (turn * Math.PI) / 180, (height * Math.PI) / 180);
}

function turned(up: Triple, turn: number, height: number): View {
  const first = ([[1, 0, 0], [0, 1, 0]] as const).find((axis) => Math.abs(dot(axis, up)) < 0.9)!; // prettier-ignore
  const level = unit(eachAxis((i) => first[i] - dot(first, up) * up[i]));
  const towards = cross(level, up);
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  const right = eachAxis((i) => c * level[i] - s * towards[i]);
  const away = eachAxis((i) => c * towards[i] + s * level[i]);
  const out = eachAxis((i) => Math.cos(height) * away[i] + Math.sin(height) * up[i]);
  return { right, top: cross(out, right), out };
}

/**
 * The view that shows most of a motion: along the axis in which next to nothing happens, else `iso`.
 * @param points x, y, z of all points of all times.
 */
export function viewFor(points: readonly Float64Array[], up: Triple): View {
  const views = (['front', 'side', 'top'] as const)
    .map((name) => viewOf(name, up))
    .map((view) => ({ view, thickness: span(points, view.out) }))
    .sort((a, b) => a.thickness - b.thickness);
  const [thinnest, next] = [views[0]!, views[1]!];
  return thinnest.thickness < 0.2 * next.thickness ? thinnest.view : viewOf('iso', up);
}

function span(points: readonly Float64Array[], along: Triple): number {
  const { low, high } = rangeAlong(points, along);
  return high - low;
}

/** The least and the largest place of points along a direction; points without a place, where a formula is not defined, do not count. */
export function rangeAlong(points: readonly Float64Array[], along: Triple): { low: number; high: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const own of points)
    for (let i = 0; i + 2 < own.length; i += 3) {
      const place = along[0] * own[i]! + along[1] * own[i + 1]! + along[2] * own[i + 2]!;
      if (!Number.isFinite(place)) continue;
      low = Math.min(low, place);
      high = Math.max(high, place);
    }
  return low <= high ? { low, high } : { low: 0, high: 0 };
}

/** A picture without perspective: `scale` pixels are 1 m. */
export interface Camera {
  readonly view: View;
  readonly scale: number;
  /** Of the picture, pixels. */
  readonly width: number;
  readonly height: number;
  /** Place of the world's origin in the picture: x to the right, y down. */
  readonly origin: readonly [number, number];
}

export interface Size {
  readonly width: number;
  /** By what is seen when missing. */
  readonly height?: number;
}

/** Margins in pixels. */
export interface Margins {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Shares of the width between which the height of a picture lies that is not given. */
const [FLATTEST, TALLEST] = [0.35, 1.1];

/** A camera that sees all points, with margins around them. */
export function cameraFor(points: readonly Float64Array[], view: View, size: Size, margins: Margins): Camera {
  const [x, y] = [rangeAlong(points, view.right), rangeAlong(points, view.top)];
  const [wide, tall] = [Math.max(x.high - x.low, 1e-9), Math.max(y.high - y.low, 1e-9)];
  const inWidth = Math.max(size.width - margins.left - margins.right, 10);
  const upright = margins.top + margins.bottom;
  const height =
    size.height ??
    2 *
      Math.round(
        Math.min(TALLEST * size.width, Math.max(FLATTEST * size.width, (inWidth * tall) / wide + upright)) / 2,
      );
  const scale = Math.min(inWidth / wide, Math.max(height - upright, 10) / tall);
  return {
    view,
    scale,
    width: size.width,
    height,
    origin: [
      margins.left + inWidth / 2 - (scale * (x.low + x.high)) / 2,
      margins.top + (height - upright) / 2 + (scale * (y.low + y.high)) / 2,
    ],
  };
}

/** Place in the picture of a point, x to the right and y down in pixels, and its distance towards the eye, m. */
export function seen({ view, scale, origin }: Camera, point: Triple): Triple {
  return [origin[0] + scale * dot(view.right, point), origin[1] - scale * dot(view.top, point), dot(view.out, point)];
}

/** The same picture with so many pixels for one. */
export function finer(camera: Camera, by: number): Camera {
  const { view, scale, width, height, origin } = camera;
  return { view, scale: by * scale, width: by * width, height: by * height, origin: [by * origin[0], by * origin[1]] };
}

/** The largest of 1, 2 and 5 times a power of ten that is not above a length. */
export function roundLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const digit = [5, 2, 1].find((one) => one * power <= most * (1 + 1e-9)) ?? 1;
  return digit * power;
}
