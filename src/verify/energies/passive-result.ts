/** What the independent check says of forces beside inertia and weight, and how double-double numbers become it. */
import type { Decimal } from 'decimal.js';
import type { Column } from '../arithmetic/columns.ts';
import { decimalOfPrecision, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';

export interface PassiveResult {
  /** V, J. */
  readonly stored: Decimal;
  /** +∂V/∂q and +∂R/∂q̇, one per coordinate. */
  readonly elastic: readonly Decimal[];
  readonly damping: readonly Decimal[];
}

/** Digits of the results of sampled bodies. */
export const Coarse = decimalOfPrecision(40);

/** (high + low)/divisor; not a number where the sum is not finite. */
export function doubleDoubleDecimal(high: number, low: number, divisor = 1): Decimal {
  if (!Number.isFinite(high)) return new Coarse(NaN);
  return exactDecimal(high, Coarse).plus(exactDecimal(low, Coarse)).div(divisor);
}

/** The number in the only row of a column. */
export const onlyDecimal = ({ high, low }: Column): Decimal => doubleDoubleDecimal(high[0]!, low[0]!);
