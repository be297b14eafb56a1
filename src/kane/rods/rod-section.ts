/**
 * Sections of a rod: mass and second moments per length, and stiffness, from exact moments of their shapes.
 */
import { KanegenError } from '../../common/error.ts';
import { negate, plus, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { densityMoment, sectionMoment } from '../../integration/exact/section.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { MassMoments } from '../equations/recursion.ts';

/**
 * The rods that a body given by its strain is made of: one inside the other, over the same length.
 * @throws KanegenError `not-supported` at the volume.
 */
export function rodVolumes(type: BodyType): readonly [RodVolume, ...RodVolume[]] {
  const rods = type.volumes.filter((volume) => volume.kind === 'rod');
  const [first, ...others] = rods;
  const alike = rods.every((rod) => rod.axial === first?.axial && rod.start === first.start && rod.end === first.end);
  if (first && alike && rods.length === type.volumes.length) return [first, ...others];
  throw new KanegenError('not-supported', 'a body given by its strain consists of rods over the same length', {
    remedy: 'give every volume as a `rod:` with the same range of the axial coordinate, or split the body',
  }).at(type.locations.volume);
}

/** ∫ density x^a y^b over the section at the axial coordinate. */
function massMoment(type: BodyType, volume: RodVolume, a: number, b: number): Expr {
  const isPolar = volume.coordinates === 'polar' && dependsOn(volume.density, new Set<Expr>(volume.section));
  const moment = isPolar ? undefined : densityMoment(volume, volume.section, a, b);
  if (moment) return moment;
  throw new KanegenError('not-supported', `the density ${toText(volume.density)} is not a polynomial in x and y`, {
    remedy: 'make it a polynomial in the Cartesian coordinates of the section, or use several volumes',
  }).at(type.locations.volume);
}

/** Moments of the section per length about its own centre; plane and rigid. */
export function sectionMoments(type: BodyType): MassMoments {
  const volumes = rodVolumes(type);
  const moment = (a: number, b: number): Expr => plus(...volumes.map((volume) => massMoment(type, volume, a, b)));
  const [xx, yy, xy] = [moment(2, 0), moment(0, 2), moment(1, 1)];
  return {
    mass: moment(0, 0),
    first: [moment(1, 0), moment(0, 1), zero],
    inertia: [yy, xx, plus(xx, yy), negate(xy), zero, zero],
  };
}

/** Area, ∫ x² and ∫ y² of the section of one volume. */
export function sectionArea({ shape }: RodVolume): { readonly area: Expr; readonly xx: Expr; readonly yy: Expr } {
  const moment = (a: number, b: number): Expr => sectionMoment(shape, a, b);
  return { area: moment(0, 0), xx: moment(2, 0), yy: moment(0, 2) };
}
