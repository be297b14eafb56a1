/**
 * Remainders of the series of the arctangent: A_n(z) = Σ_j (−z)^j/(2n + 1 + 2j), regular for z > −1.
 *
 *   A_0(z²) = atan(z)/z    A_0(−z²) = artanh(z)/z    z A_(n+1)(z) = 1/(2n + 1) − A_n(z)
 *
 * As expressions: a polynomial where z is small, the functions themselves elsewhere.
 */
import {
  call,
  compare,
  divide,
  fraction,
  minus,
  negate,
  one,
  plus,
  select,
  sqrt,
  square,
  times,
  zero,
} from './expr.ts';
import type { Expr } from './expr.ts';
import { postorder, rebuild } from './traverse.ts';

/** Largest |z| of the polynomial, and terms with which even its third derivative is good to double precision. */
const SMALL = fraction(1, 4);
const TERMS = 36;
/** Terms that leave less than 1e-55. */
const TERMS_OF_PROOFS = 92;

/** Order and argument of the expressions that were made here. */
const remainders = new WeakMap<Expr, { readonly order: number; readonly argument: Expr }>();
let areThereAny = false;

/** What an expression is the remainder of, if it is one. */
export function arctangentRemainderOf(e: Expr): { readonly order: number; readonly argument: Expr } | undefined {
  return remainders.get(e);
}

/** A_order(argument) */
export function arctangentRemainder(order: number, argument: Expr): Expr {
  const e = remainder(order, argument, TERMS);
  if (argument !== zero) {
    remainders.set(e, { order, argument });
    areThereAny = true;
  }
  return e;
}

/** The same expressions with remainders good to fifty digits: for what asks, in that many digits, whether they are zero. */
export function withExactRemainders(expressions: readonly Expr[]): readonly Expr[] {
  return withRemainders(expressions, (order, argument) => remainder(order, argument, TERMS_OF_PROOFS));
}

/** The same expressions with the arguments of remainders in the place of these: what is in them is regular. */
export function withoutRemainders(expressions: readonly Expr[]): readonly Expr[] {
  return withRemainders(expressions, (_, argument) => argument);
}

function withRemainders(expressions: readonly Expr[], make: (order: number, argument: Expr) => Expr): readonly Expr[] {
  if (!areThereAny) return expressions;
  const made = new Map<Expr, Expr>();
  const get = (e: Expr): Expr => made.get(e)!;
  for (const e of postorder(expressions)) {
    const own = remainders.get(e);
    made.set(e, own ? make(own.order, get(own.argument)) : rebuild(e, get));
  }
  return expressions.map(get);
}

function remainder(order: number, argument: Expr, terms: number): Expr {
  if (argument === zero) return fraction(1, 2 * order + 1);
  let polynomial: Expr = zero;
  for (let j = terms; j >= 0; j--)
    polynomial = plus(fraction(1, 2 * order + 1 + 2 * j), negate(times(argument, polynomial)));
  const root = sqrt(argument);
  const imaginary = sqrt(negate(argument));
  const turning = divide(call('atan', root), root);
  const quotient = divide(plus(one, imaginary), minus(one, imaginary));
  const stretching = divide(times(fraction(1, 2), call('log', quotient)), imaginary);
  let whole = select(compare('<', zero, argument), turning, stretching);
  for (let n = 0; n < order; n++) whole = divide(minus(fraction(1, 2 * n + 1), whole), argument);
  return select(compare('<=', square(argument), square(SMALL)), polynomial, whole);
}
