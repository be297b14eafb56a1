/**
 * How the centreline of a rod is strained whose points have positions, for the independent check: by difference quotients
 * along the rod of the places of three fibres, in double-double arithmetic. Sections stay rigid: two steps within a
 * section are its axes, however large.
 */
import type { BodyType } from '../../description/model/robot.ts';
import { sectionDimensions, type RodVolume } from '../../description/model/reference-volume.ts';
import { exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { cross, dot, minus, plus, times } from '../arithmetic/algebra.ts';
import { combine, constantColumn, FIRST_DERIVATIVE, OFFSETS, STEP, type Column } from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import { divide } from '../arithmetic/double-double.ts';
import { MaterialField } from '../written/material-field.ts';
import type { MaterialPoints, Scalars } from '../written/material-points.ts';
import { Coarse } from './passive-result.ts';

const half = constantColumn(0.5);
/** Of the slope: 1/(12 STEP). */
const PER_STEP = (() => {
  const scale = exactDecimal(1, Coarse).div(12).div(exactDecimal(STEP, Coarse));
  const high = scale.toNumber();
  return constantColumn(high, scale.minus(exactDecimal(high, Coarse)).toNumber());
})();

interface Section {
  readonly centre: readonly Column[];
  readonly first: readonly Column[];
  readonly second: readonly Column[];
}

/** ξ − ξ* with the straight rod at rest. @param places along it, in m. */
export function centrelineStrain(
  type: BodyType,
  points: MaterialPoints,
  scalars: Scalars,
  places: Column,
): readonly Column[] {
  const rod = type.volumes[0] as RodVolume;
  const field = new MaterialField(type, [points]);
  const { first, second } = sectionAt(field, rod, scalars, places);
  const around = OFFSETS.map((k) => sectionAt(field, rod, scalars, plus(places, constantColumn(k * STEP))));
  const slope = (key: keyof Section): Column[] =>
    [0, 1, 2].map((i) => {
      const weighted = around.map((own, k) => times(own[key][i]!, constantColumn(FIRST_DERIVATIVE[k]!)));
      return times(weighted.reduce(plus), PER_STEP);
    });
  const third = cross(first, second);
  const [rate, turnFirst, turnSecond] = [slope('centre'), slope('first'), slope('second')];
  return [
    dot(third, turnSecond),
    times(constantColumn(-1), dot(third, turnFirst)),
    dot(second, turnFirst),
    dot(first, rate),
    dot(second, rate),
    plus(dot(third, rate), constantColumn(-1)),
  ];
}

/** From fibres at x, at y and at −x; in polar coordinates none of them is the axis. */
function sectionAt(field: MaterialField, rod: RodVolume, scalars: Scalars, places: Column): Section {
  const rows = places.high.length;
  const bindings = new Map(scalars).set(rod.axial, places);
  const sizes = evaluateColumns(sectionDimensions(rod.shape), bindings, rows);
  const [a, b] = [sizes[0]!, sizes[sizes.length - 1]!];
  const isPolar = rod.coordinates === 'polar';
  const one = constantColumn(1);
  const pi = constantColumn(Math.PI, 1.2246467991473532e-16);
  const quarter = constantColumn(Math.PI / 2, 6.123233995736766e-17);
  const zero = constantColumn(0);
  // Sizes of ellipses scale r.
  const reach = isPolar && rod.shape.shape === 'ellipse' ? one : b;
  const placeOf = (first: Column, second: Column): readonly Column[] => {
    const wide = (column: Column): Column =>
      plus(column, { high: new Float64Array(rows), low: new Float64Array(rows) });
    const columns: Scalars = new Map([
      [rod.axial, places],
      [rod.section[0], wide(first)],
      [rod.section[1], wide(second)],
    ]);
    return field.positionsAt(rod, scalars, columns, rows);
  };
  const [right, up, left] = isPolar
    ? [placeOf(reach, zero), placeOf(reach, quarter), placeOf(reach, pi)]
    : [placeOf(reach, zero), placeOf(zero, reach), placeOf(times(constantColumn(-1), reach), zero)];
  const [acrossX, acrossY] = isPolar && rod.shape.shape === 'ellipse' ? [a, b] : [reach, reach];
  const centre = right.map((x, i) => times(half, plus(x, left[i]!)));
  const over = (v: Column, size: Column): Column => combine(divide, v, size);
  return {
    centre,
    first: right.map((x, i) => over(times(half, minus(x, left[i]!)), acrossX)),
    second: up.map((x, i) => over(minus(x, centre[i]!), acrossY)),
  };
}
