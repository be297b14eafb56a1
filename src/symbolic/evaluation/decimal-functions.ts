/**
 * Sines, cosines, tangents and hyperbolic functions of decimals of any size: those of decimal.js give up at angles of more
 * digits than the precision leaves room for, and add up hyperbolic series that do not end where arguments are large.
 */
import type { Decimal } from 'decimal.js';

type DecimalConstructor = typeof Decimal;

export type CircularName = 'sin' | 'cos' | 'tan';
export type HyperbolicName = 'sinh' | 'cosh' | 'tanh';

/** Angles below 10 to this power are left to decimal.js. */
const PLAIN_EXPONENT = 2;
/** As many digits of π there are. */
const MOST_DIGITS = 1000;
const GUARD = 10;

/** @returns NaN for angles so large that π has not digits enough to reduce them (beyond 1e800, in practice). */
export function circular(name: CircularName, x: Decimal, Number_: DecimalConstructor): Decimal {
  return Number_[name](x.e < PLAIN_EXPONENT ? x : withinTurn(x, Number_));
}

/** x without whole turns, to the precision of `Number_`. */
function withinTurn(x: Decimal, Number_: DecimalConstructor): Decimal {
  const digits = Number_.precision + x.e + GUARD;
  if (!x.isFinite() || digits > MOST_DIGITS) return new Number_(NaN);
  const Wide = Number_.clone({ precision: digits });
  const turn = Wide.acos(-1).times(2);
  const turns = new Wide(x).div(turn).round();
  return new Number_(new Wide(x).minus(turns.times(turn)).toSignificantDigits(Number_.precision));
}

/** By the exponential function from 1 on, where nothing cancels. */
export function hyperbolic(name: HyperbolicName, x: Decimal, Number_: DecimalConstructor): Decimal {
  const size = x.abs();
  if (!size.gte(1)) return Number_[name](x);
  const sign = name === 'cosh' ? 1 : x.s;
  if (name === 'tanh') return new Number_(1).minus(new Number_(2).div(size.times(2).exp().plus(1))).times(sign);
  const growing = size.exp();
  const fading = new Number_(1).div(growing);
  return (name === 'sinh' ? growing.minus(fading) : growing.plus(fading)).div(2).times(sign);
}
