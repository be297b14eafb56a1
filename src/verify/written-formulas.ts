/**
 * Formulas that divide by coordinates, for the independent check of bodies with many points: as the user wrote them they may
 * read 0/0 where coordinates are zero, and lose digits nearby. They are evaluated in many digits a little beside that place.
 */
import type { Decimal } from 'decimal.js';
import type { BodyType } from '../description/robot.ts';
import { evaluateDecimal, exactDecimal } from '../symbolic/evaluate.ts';
import type { Expr } from '../symbolic/expr.ts';
import { decimalColumn, evaluateColumns, type Column } from './columns.ts';
import { smallestDenominator } from './local-kinematics.ts';
import type { Scalars } from './material-points.ts';
import { decimalForFormulas } from './trigonometry.ts';

const Wide = decimalForFormulas(140);
/** Less than the last digits of double-double numbers. */
const NUDGE = 1e-34;

/** Denominators above this cost double-double numbers no digits that matter. */
const SMALL = 1e-4;

/** Values of formulas without material coordinates, one row each. */
export function writtenValues(type: BodyType, formulas: readonly Expr[], scalars: Scalars): Column[] {
  return evaluateDecimal(formulas, besideZero(type, scalars), Wide).map((value) => decimalColumn([value]));
}

/** Values of formulas at places along a rod. */
export function valuesAlong(
  type: BodyType,
  formulas: readonly Expr[],
  scalars: Scalars,
  axial: Expr,
  places: Column,
): Column[] {
  const middle = places.high[places.high.length >> 1]!;
  const values = new Map([...scalars].map(([name, { high }]) => [name, high[0]!] as const)).set(axial, middle);
  if (smallestDenominator(formulas, values) > SMALL)
    return evaluateColumns(formulas, new Map(scalars).set(axial, places), places.high.length);
  const bindings = besideZero(type, scalars);
  const rows = Array.from(places.high, (high, i) => {
    bindings.set(axial, exactDecimal(high, Wide).plus(exactDecimal(places.low[i]!, Wide)));
    return evaluateDecimal(formulas, bindings, Wide);
  });
  return formulas.map((_, i) => decimalColumn(rows.map((row) => row[i]!)));
}

/** Coordinates displaced by √1, √2, √3, … times the nudge. */
function besideZero(type: BodyType, scalars: Scalars): Map<Expr, Decimal> {
  const coordinates = type.coordinates.map((c) => c.symbol as Expr);
  return new Map(
    [...scalars].map(([name, { high, low }]) => {
      const offset = new Wide(coordinates.indexOf(name) + 1).sqrt().times(NUDGE);
      return [name, exactDecimal(high[0]!, Wide).plus(exactDecimal(low[0]!, Wide)).plus(offset)] as const;
    }),
  );
}
