/**
 * Refuses volumes that no body has, where their sizes are known as numbers: lengths and radii that are not positive,
 * negative densities, breaks outside of the body.
 */
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import { half, integer, minus, negate, pi, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { interiorPoints } from './reference-shape.ts';
import { notFinite, numberUnder, type Requirement } from '../values/requirement.ts';
import type { BodyType } from '../model/robot.ts';
import {
  radialRange,
  type BoxVolume,
  type CrossSection,
  type RodVolume,
  type Volume,
} from '../model/reference-volume.ts';
import type { Place } from '../source/source.ts';
import type { VolumeReading } from './volume.ts';

type Values = ReadonlyMap<Expr, number>;

/** @param place where the numbers of the link are given. @throws KanegenError `wrong-size`, `negative-mass`. */
export function checkVolumes(place: Place, { volumes }: Pick<BodyType, 'volumes'>, values: Values): void {
  for (const volume of volumes) {
    if (volume.kind === 'rod') checkRod(place, volume, values);
    if (volume.kind === 'box') checkBox(place, volume, values);
    const density = leastDensity(volume, values);
    if (density !== undefined && !Number.isFinite(density)) throw notFinite(place);
    if (density !== undefined && density < 0)
      throw place.error('negative-mass', `the density is ${density} kg/m^3`, 'write a density of zero or more');
  }
}

/** Smallest of some points of the volume; unknown where a number is. */
function leastDensity(volume: Volume, values: Values): number | undefined {
  const everywhere = numberUnder(volume.density, values);
  if (everywhere !== undefined) return everywhere;
  const { columns, rows } = interiorPoints(volume, values);
  const known = new Set<Expr>([...values.keys(), ...columns.keys()]);
  if (rows === 0 || freeSymbols([volume.density]).some((s) => !known.has(s))) return undefined;
  const [densities] = evaluateRows([volume.density], columns, values, rows);
  return densities!.reduce((least, value) => (value >= least ? least : value), Infinity);
}

function checkRod(place: Place, volume: RodVolume, values: Values): void {
  const start = numberUnder(volume.start, values);
  const end = numberUnder(volume.end, values);
  if (start === undefined || end === undefined) return;
  if (!Number.isFinite(end - start)) throw notFinite(place);
  if (!(end > start))
    throw place.error('wrong-size', `the rod has the length ${end - start} m`, 'give it a positive length');
  for (const [what, size] of positiveSizes(volume.shape))
    for (const s of [start, (start + end) / 2, end]) {
      const value = numberUnder(size, new Map([...values, [volume.axial, s]]));
      // A cone may end in a point.
      if (value === undefined || value > 0 || (value === 0 && s !== (start + end) / 2)) continue;
      if (!Number.isFinite(value)) throw notFinite(place);
      throw place.error(
        'wrong-size',
        `the ${what} is ${value} m at s = ${s} m`,
        'make it positive along the entire rod',
      );
    }
}

function checkBox(place: Place, { axes, ranges }: BoxVolume, values: Values): void {
  for (const [i, [from, to]] of ranges.entries()) {
    const length = numberUnder(minus(to, from), values);
    if (length === undefined || length > 0) continue;
    if (!Number.isFinite(length)) throw notFinite(place);
    const name = axes[i]!.name.replace('material.', '');
    throw place.error('wrong-size', `the box has the length ${length} m along ${name}`, 'write [lower, upper]');
  }
}

/** Dimensions of a section that are positive, with what they are called. */
export function positiveSizes(shape: CrossSection): (readonly [string, Expr])[] {
  switch (shape.shape) {
    case 'disc':
      return [['radius', shape.radius]];
    case 'annulus':
      return [
        ['outer radius', shape.outerRadius],
        ['wall thickness', minus(shape.outerRadius, shape.innerRadius)],
      ];
    case 'rectangle':
      return [
        ['width', shape.width],
        ['height', shape.height],
      ];
    case 'ellipse':
      return [
        ['semi-axis along x', shape.semiAxisX],
        ['semi-axis along y', shape.semiAxisY],
      ];
  }
}

// ---------------------------------------------------------------------------------------------- breaks

/** That every break lies inside of its volume, as far as its range is the same all over the volume. */
export function breakRequirements({ volume, place, coordinates }: VolumeReading): Requirement[] {
  if (volume.kind === 'mesh') return [];
  return [...volume.breaks].flatMap(([coordinate, values]) => {
    const range = rangeOf(volume, coordinate);
    const name = coordinates.find((own) => own.symbol === coordinate)!.name;
    if (!range) return [];
    const [from, to] = range;
    return values.flatMap((value, i) =>
      [minus(value, from), minus(to, value)].map((distance) => ({
        place: place.at('breaks', name, i),
        value: distance,
        holds: (number: number) => number > 0,
        code: 'wrong-value',
        message: (number: number) => `this break lies ${-number} outside the range of ${name}, or at its end`,
        remedy: 'place breaks inside the body',
      })),
    );
  });
}

function rangeOf(volume: RodVolume | BoxVolume, coordinate: Expr): readonly [Expr, Expr] | undefined {
  if (volume.kind === 'box') return volume.ranges[volume.axes.findIndex((axis) => axis === coordinate)];
  if (coordinate === volume.axial) return [volume.start, volume.end];
  const first = coordinate === volume.section[0];
  const { shape } = volume;
  if (volume.coordinates === 'polar' && shape.shape !== 'rectangle')
    return first ? radialRange(shape) : [zero, times(integer(2), pi)];
  const size = halfWidth(shape, first);
  return [negate(size), size];
}

function halfWidth(shape: CrossSection, alongX: boolean): Expr {
  switch (shape.shape) {
    case 'disc':
      return shape.radius;
    case 'annulus':
      return shape.outerRadius;
    case 'ellipse':
      return alongX ? shape.semiAxisX : shape.semiAxisY;
    case 'rectangle':
      return times(half, alongX ? shape.width : shape.height);
  }
}
