/** Whether a place lies within a volume, at numbers of its material coordinates and of all parameters. */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import type { RodVolume, Volume } from '../model/reference-volume.ts';

/** Of the size of the volume. */
const SLACK = 1e-9;

type Numbers = ReadonlyMap<Expr, number>;

/** Meshes are not looked at. */
export function contains(volume: Volume, here: Numbers): boolean {
  if (leftAlong(volume, here)) return false;
  return volume.kind !== 'rod' || (withinOutline(volume, here) && !inHole(volume, here));
}

/** A coordinate of a box, or the axial one of a rod, that is out of its range. */
export function leftAlong(
  volume: Volume,
  here: Numbers,
): { readonly axis: SymbolExpr; readonly range: readonly [number, number] } | undefined {
  const ranges: readonly (readonly [SymbolExpr, Expr, Expr])[] =
    volume.kind === 'rod'
      ? [[volume.axial, volume.start, volume.end]]
      : volume.kind === 'box'
        ? volume.axes.map((axis, i) => [axis, ...volume.ranges[i]!])
        : [];
  for (const [axis, low, high] of ranges) {
    const [value, lower, upper] = evaluate([axis, low, high], here) as [number, number, number];
    const slack = SLACK * Math.abs(upper - lower);
    if (!(value >= lower - slack && value <= upper + slack)) return { axis, range: [lower, upper] };
  }
  return undefined;
}

/** Is the place within the outer boundary of the section? */
export function withinOutline(volume: RodVolume, here: Numbers): boolean {
  const { shape } = volume;
  const [u, v] = volume.section.map((s) => here.get(s)!) as [number, number];
  const number = (e: Expr): number => evaluate([e], here)[0]!;
  switch (shape.shape) {
    case 'disc':
      return below(radiusOf(volume, here), number(shape.radius));
    case 'annulus':
      return below(radiusOf(volume, here), number(shape.outerRadius));
    case 'rectangle':
      return below(2 * Math.abs(u), number(shape.width)) && below(2 * Math.abs(v), number(shape.height));
    case 'ellipse': {
      const isShare = volume.coordinates === 'polar';
      return below(isShare ? Math.abs(u) : Math.hypot(u / number(shape.semiAxisX), v / number(shape.semiAxisY)), 1);
    }
  }
}

function inHole(volume: RodVolume, here: Numbers): boolean {
  const { shape } = volume;
  return shape.shape === 'annulus' && !below(evaluate([shape.innerRadius], here)[0]!, radiusOf(volume, here));
}

/** Of a place from the axis of a rod, m. */
export function distanceFromAxis(volume: RodVolume, here: Numbers): number {
  const { shape, coordinates, section } = volume;
  if (coordinates === 'cartesian' || shape.shape !== 'ellipse') return radiusOf(volume, here);
  const [share, angle] = section.map((s) => here.get(s)!) as [number, number];
  const [a, b] = evaluate([shape.semiAxisX, shape.semiAxisY], here) as [number, number];
  return Math.abs(share) * Math.hypot(a * Math.cos(angle), b * Math.sin(angle));
}

function radiusOf({ section, coordinates }: RodVolume, here: Numbers): number {
  const [u, v] = section.map((s) => here.get(s)!) as [number, number];
  return coordinates === 'polar' ? Math.abs(u) : Math.hypot(u, v);
}

const below = (value: number, most: number): boolean => value <= most * (1 + SLACK);
