/** Surfaces of pressure chambers for pictures: closed, by material coordinates of the body that they are in. */
import type { Chamber, ChamberRegion, ChamberWall } from '../../description/model/chamber.ts';
import type { RodVolume, Volume } from '../../description/model/reference-volume.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import { materialSymbols } from '../../verify/written/material-field.ts';
import { INSIDE, lofted, pointsOnRings, volumeSurface, type VolumeSurface } from '../volume-surface.ts';

type Scalars = ReadonlyMap<Expr, number>;

/** Points along a side of a range, and around a wall. */
const PER_SIDE = 6;
const AROUND = 24;

/** @param along rings along a rod. */
export function chamberSurface(
  { shape }: Chamber,
  volumes: readonly Volume[],
  scalars: Scalars,
  along: number,
): { readonly volume: Volume; readonly surface: VolumeSurface; readonly material?: ChamberRegion['material'] } {
  if (shape.kind === 'mesh') return { volume: shape.mesh, surface: volumeSurface(shape.mesh, scalars, along) };
  const axial = shape.kind === 'wall' ? shape.axial : shape.axes[0];
  const volume = volumes.find((own) => materialSymbols(own).includes(axial));
  if (!volume) throw new Error('a chamber runs along a material coordinate of its body');
  if (volume.kind === 'box') {
    const region = shape as ChamberRegion;
    const surface = volumeSurface({ ...volume, axes: region.axes, ranges: region.ranges }, scalars, along);
    return { volume, surface, ...(region.moves && { material: region.material }) };
  }
  const range = shape.kind === 'wall' ? shape.range : shape.ranges[0];
  const [from, to] = evaluate(range, scalars) as [number, number];
  const nodes = Array.from({ length: along }, (_, k) => {
    const share = Math.min(1 - INSIDE, Math.max(INSIDE, k / (along - 1)));
    return from + (to - from) * share;
  });
  const moving = shape.kind === 'region' && shape.moves ? shape : undefined;
  // Points of a region that moves keep their places in its own coordinates.
  const rod: RodVolume = moving
    ? { ...(volume as RodVolume), section: [moving.axes[1], moving.axes[2]] }
    : (volume as RodVolume);
  const rings = nodes.map((s) => {
    const here = new Map(scalars).set(axial, s);
    return shape.kind === 'wall' ? wallRing(shape, rod, here) : regionRing(shape, rod, here);
  });
  const count = rings[0]!.length;
  const surface = { points: pointsOnRings(rod, scalars, nodes, rings), triangles: lofted(along, count) };
  return { volume, surface, ...(moving && { material: moving.material }) };
}

/** Section coordinates of the rod from those of the chamber. */
function inSection(
  { section }: RodVolume,
  material: ReadonlyMap<SymbolExpr, Expr>,
  scalars: Scalars,
): readonly [number, number] {
  return evaluate(
    section.map((axis) => material.get(axis) ?? axis),
    scalars,
  ) as [number, number];
}

/** The outline, then a point in its middle. */
function regionRing(
  { axes, ranges, turn, material }: ChamberRegion,
  rod: RodVolume,
  here: Scalars,
): (readonly [number, number])[] {
  // prettier-ignore
  const [, a, b] = axes;
  const [low, high] = evaluate(ranges[1], here) as [number, number];
  const at = (u: number, v: number): readonly [number, number] =>
    inSection(rod, material, new Map(here).set(a, u).set(b, v));
  const ends = (u: number): [number, number] => evaluate(ranges[2], new Map(here).set(a, u)) as [number, number];
  const share = (k: number): number => Math.min(1 - INSIDE, Math.max(INSIDE, k));
  const within = (u: number, k: number): readonly [number, number] => {
    const [from, to] = ends(u);
    return at(u, from + (to - from) * share(k));
  };
  if (turn === b)
    return [...Array.from({ length: AROUND }, (_, i) => within(high, i / AROUND + INSIDE)), within(low, 0.5)];
  const u = (k: number): number => low + (high - low) * share(k);
  const sides = Array.from({ length: PER_SIDE }, (_, k) => k / PER_SIDE);
  // Curved sides take more points.
  const curved = Array.from({ length: 2 * PER_SIDE }, (_, k) => k / (2 * PER_SIDE));
  return [
    ...sides.map((k) => within(u(k), 0)),
    ...curved.map((k) => within(u(1), k)),
    ...sides.map((k) => within(u(1 - k), 1)),
    ...curved.map((k) => within(u(0), 1 - k)),
    within(u(0.5), 0.5),
  ];
}

function wallRing({ angle, material }: ChamberWall, rod: RodVolume, here: Scalars): (readonly [number, number])[] {
  const ring = Array.from({ length: AROUND }, (_, i) =>
    inSection(rod, material, new Map(here).set(angle, 2 * Math.PI * (i / AROUND + INSIDE))),
  );
  const [u] = ring[0]!;
  // The middle: of polar coordinates radius zero, of the others their mean.
  const middle: readonly [number, number] = rod.coordinates === 'polar' ? [u * INSIDE, 0] : [0, 0];
  return [...ring, middle];
}
