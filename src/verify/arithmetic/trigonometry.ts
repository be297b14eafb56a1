/**
 * Sine and cosine to many digits, both at once: Taylor series at x/2^k, then k doublings of (sin x, 1 − cos x). Several times
 * faster than the functions of decimal.js at the precision that difference quotients need.
 */
import { Decimal } from 'decimal.js';
import { decimalOfPrecision, type DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';

const HALVINGS = 20;
const GUARD = 12;

interface SineAndCosine {
  readonly sine: Decimal;
  readonly cosine: Decimal;
}

function sineAndCosine(x: Decimal, Wide: DecimalConstructor): SineAndCosine {
  const small = new Wide(x).div(2 ** HALVINGS);
  const negligible = small.abs().times(Wide.pow(10, -Wide.precision));
  let term = small;
  let sine = small;
  let versine: Decimal = new Wide(0);
  // sin x = x − x³/3! + …, 1 − cos x = x²/2! − x⁴/4! + …: the terms of the one and the other by turns.
  for (let n = 2; term.abs().gt(negligible); n++) {
    term = term.times(small).div(n);
    const sign = n % 4 < 2 ? 1 : -1;
    if (n % 2 === 1) sine = sine.plus(term.times(sign));
    else versine = versine.plus(term.times(-sign));
  }
  for (let i = 0; i < HALVINGS; i++) {
    const doubled = sine.times(2);
    const next = doubled.minus(doubled.times(versine));
    versine = doubled.times(sine);
    sine = next;
  }
  return { sine, cosine: versine.neg().plus(1) };
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
      const wide = sineAndCosine(x, Wide);
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
