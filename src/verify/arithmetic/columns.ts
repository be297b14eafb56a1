/** Columns of double-double numbers, one per material point, operations on all rows, and difference quotients of them. */
import type { Decimal } from 'decimal.js';
import { decimalOfPrecision, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { tick } from '../../common/work-limit.ts';
import { add, addRows, divide, multiply, multiplyRows, result } from './double-double.ts';

/** Double-double numbers, one per row; a column of one row stands for all rows. */
export interface Column {
  readonly high: Float64Array;
  readonly low: Float64Array;
}

export function newColumn(rows: number): Column {
  return { high: new Float64Array(rows), low: new Float64Array(rows) };
}

export function columnOf(values: readonly number[]): Column {
  return { high: Float64Array.from(values), low: new Float64Array(values.length) };
}

const Exact = decimalOfPrecision(60);

export function decimalColumn(values: readonly Decimal[]): Column {
  const high = Float64Array.from(values, (x) => x.toNumber());
  return { high, low: Float64Array.from(values, (x, i) => x.minus(exactDecimal(high[i]!, Exact)).toNumber()) };
}

export const constantColumn = (high: number, low = 0): Column => ({
  high: Float64Array.of(high),
  low: Float64Array.of(low),
});

/** Applies an operation of the register to every row. */
export function combine(
  operation: (ah: number, al: number, bh: number, bl: number) => void,
  a: Column,
  b: Column,
): Column {
  const rows = Math.max(a.high.length, b.high.length);
  const [sa, sb] = [a.high.length === 1 ? 0 : 1, b.high.length === 1 ? 0 : 1];
  const out = newColumn(rows);
  tick(rows);
  if (operation === add || operation === multiply) {
    (operation === add ? addRows : multiplyRows)(a, b, out);
    return out;
  }
  for (let i = 0; i < rows; i++) {
    operation(a.high[sa * i]!, a.low[sa * i]!, b.high[sb * i]!, b.low[sb * i]!);
    out.high[i] = result.high;
    out.low[i] = result.low;
  }
  return out;
}

export function apply(operation: (h: number, l: number) => void, a: Column): Column {
  const out = newColumn(a.high.length);
  tick(a.high.length);
  for (let i = 0; i < a.high.length; i++) {
    operation(a.high[i]!, a.low[i]!);
    out.high[i] = result.high;
    out.low[i] = result.low;
  }
  return out;
}

/** a + factor·b for a double that is exact. */
export function addScaled(a: Column, factor: number, b: Column): Column {
  return combine(add, a, factor === 1 ? b : combine(multiply, constantColumn(factor), b));
}

/** Offsets of difference quotients of fourth order, in steps, and their weights in twelfths. */
export const OFFSETS = [-2, -1, 1, 2] as const;
export const FIRST_DERIVATIVE = [1, -8, 8, -1] as const;
/** With the value in the middle as the fifth. */
export const SECOND_DERIVATIVE = [-1, 16, 16, -1, -30] as const;
/**
 * Step of the quotients: h⁴ and the rounding errors 1e-32/h² are both far below what a double resolves.
 */
export const STEP = 2e-6;

/** What steps along a coordinate are scaled by: `usual`, or the distance of its limits where that is less. All in its unit. */
export const roomBetween = (usual: number, lower = -Infinity, upper = Infinity): number =>
  upper > lower ? Math.min(usual, upper - lower) : usual;

/** Σ weights · columns / 12 in one row, left in the register. */
export function combineRow(columns: readonly Column[], twelfths: readonly number[], row: number): void {
  let [high, low] = [0, 0];
  columns.forEach((column, k) => {
    const i = column.high.length === 1 ? 0 : row;
    multiply(column.high[i]!, column.low[i]!, twelfths[k]!, 0);
    add(high, low, result.high, result.low);
    [high, low] = [result.high, result.low];
  });
  divide(high, low, 12, 0);
}

/** Σ weights · columns / (12 divisor), rounded to doubles at the end. */
export function differenceQuotient(
  columns: readonly Column[],
  twelfths: readonly number[],
  divisor: number,
): Float64Array {
  return Float64Array.from(columns[0]!.high, (_, row) => {
    combineRow(columns, twelfths, row);
    return (result.high + result.low) / divisor;
  });
}
