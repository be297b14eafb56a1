/**
 * Sines and cosines of angles that are offset by right angles: sin(q + π) = −sin q, cos(q + π/2) = −sin q.
 */
import { call, negate, pi, plus, rational, scale, type Expr } from '../../symbolic/graph/expr.ts';
import { Rational, ratio } from '../../symbolic/graph/rational.ts';

/** The same value without multiples of π/2 in the angle; the expression itself when there are none. */
export function withoutQuarterTurns(e: Expr): Expr {
  if (e.kind !== 'call' || (e.name !== 'sin' && e.name !== 'cos')) return e;
  const [angle] = e.arguments;
  if (angle?.kind !== 'sum') return e;
  const offset = angle.terms.find(({ term }) => term === pi);
  if (!offset) return e;
  const quarters = Rational.multiply(offset.coefficient, ratio(2n));
  if (!Rational.isInteger(quarters)) return e;
  const others = angle.terms.filter((term) => term !== offset);
  const rest = plus(rational(angle.constant), ...others.map(({ coefficient, term }) => scale(coefficient, term)));
  // cos is sin a quarter turn later.
  const turn = (((quarters.numerator + (e.name === 'cos' ? 1n : 0n)) % 4n) + 4n) % 4n;
  const value = call(turn % 2n === 0n ? 'sin' : 'cos', rest);
  return turn < 2n ? value : negate(value);
}
