/**
 * Sine and cosine to many digits, both at once: Taylor series at x/2^k, then k doublings of (sin x, 1 − cos x), in whole numbers
 * of 2^-p. Ten times faster and more than the functions of decimal.js at the precision that difference quotients need.
 */
import { Decimal } from 'decimal.js';
import { decimalOfPrecision, type DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';

/** Of arguments below one; of larger ones as many more as make them as small. */
const HALVINGS = 12;
const GUARD = 12;
const BITS_OF_DIGIT = Math.log2(10);

interface SineAndCosine {
  readonly sine: Decimal;
  readonly cosine: Decimal;
}

/** @param digits significant ones of the sine of a small x; decimals of all else. */
function sineAndCosine(x: Decimal, digits: number, Number_: DecimalConstructor): SineAndCosine {
  if (!x.isFinite()) return { sine: new Number_(NaN), cosine: new Number_(NaN) };
  const decimals = digits + GUARD + Math.max(0, -x.e);
  const halvings = HALVINGS + Math.ceil(Math.max(0, x.e + 1) * BITS_OF_DIGIT);
  // A doubling makes errors of 1 − cos x four times as large.
  const bits = BigInt(Math.ceil(decimals * BITS_OF_DIGIT) + 2 * halvings);
  const unit = 10n ** BigInt(decimals);
  const small = ((BigInt(x.abs().toFixed(decimals).replace('.', '')) << bits) / unit) >> BigInt(halvings);
  let term = small;
  let sine = small;
  let versine = 0n;
  // sin x = x − x³/3! + …, 1 − cos x = x²/2! − x⁴/4! + …: the terms of the one and the other by turns.
  for (let n = 2; term > 0n; n++) {
    term = ((term * small) >> bits) / BigInt(n);
    const isAdded = n % 4 < 2;
    if (n % 2 === 1) sine += isAdded ? term : -term;
    else versine += isAdded ? -term : term;
  }
  for (let i = 0; i < halvings; i++) {
    const doubled = sine << 1n;
    const next = doubled - ((doubled * versine) >> bits);
    versine = (doubled * sine) >> bits;
    sine = next;
  }
  const decimal = (value: bigint): Decimal => new Number_(`${(value * unit) >> bits}e-${decimals}`);
  return { sine: decimal(x.isNegative() ? -sine : sine), cosine: decimal((1n << bits) - versine) };
}

/** A decimal type of its own whose `sin` and `cos` are the ones above; formulas that use both pay once. */
export function decimalForFormulas(digits: number): DecimalConstructor {
  const Number_ = decimalOfPrecision(digits);
  const Wide = decimalOfPrecision(digits + GUARD);
  const round = (x: Decimal): Decimal => new Number_(x.toSignificantDigits(digits));
  let lastArgument: Decimal | undefined;
  let last: SineAndCosine | undefined;
  const both = (x: Decimal): SineAndCosine => {
    if (!last || lastArgument !== x) {
      const wide = sineAndCosine(x, digits, Wide);
      last = { sine: round(wide.sine), cosine: round(wide.cosine) };
      lastArgument = x;
    }
    return last;
  };
  const functions = {
    sin: (x: Decimal.Value) => both(x instanceof Decimal ? x : new Number_(x)).sine,
    cos: (x: Decimal.Value) => both(x instanceof Decimal ? x : new Number_(x)).cosine,
  };
  return Object.assign(Number_, functions);
}
