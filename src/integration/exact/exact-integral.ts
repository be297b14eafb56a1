/**
 * Exact definite integrals along one variable of polynomials times sines and cosines of it; everything else is a constant.
 */
import { KanegenError } from '../../common/error.ts';
import {
  call,
  divide,
  integer,
  minus,
  plus,
  power,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { harmonicPrimitive } from './general-integrals.ts';
import { separate, type Harmonic } from './separated-form.ts';

const nowhere: readonly [SymbolExpr, SymbolExpr] = [symbol('unused.x'), symbol('unused.y')];

/** ∫ f dv from `from` to `to`, or undefined where f is no such function of the variable. */
export function exactIntegral(f: Expr, variable: SymbolExpr, from: Expr, to: Expr): Expr | undefined {
  try {
    const terms = [...separate(f, { axial: variable, section: nowhere }).values()];
    return plus(
      ...terms.map(({ s, harmonic, coefficient }) =>
        times(coefficient, minus(primitive(s, harmonic, to), primitive(s, harmonic, from))),
      ),
    );
  } catch (error) {
    if (error instanceof KanegenError) return undefined;
    throw error;
  }
}

/** An antiderivative of v^j {1, cos, sin}(a v), at `limit`. */
function primitive(power_: number, harmonic: Harmonic | undefined, limit: Expr): Expr {
  // Frequencies that are numbers keep sines and cosines, which have exact values at parts of a turn.
  return harmonic?.frequency.kind === 'rational' && !Rational.isZero(harmonic.frequency.value)
    ? byParts(power_, harmonic, limit)
    : harmonicPrimitive(power_, harmonic, limit);
}

/** ∫ v^j cos a v = v^j sin(a v)/a − j/a ∫ v^(j−1) sin a v,   ∫ v^j sin a v = −v^j cos(a v)/a + j/a ∫ v^(j−1) cos a v */
function byParts(power_: number, { kind, frequency }: Harmonic, limit: Expr): Expr {
  const isCosine = kind === 'cos';
  const other = isCosine ? 'sin' : 'cos';
  const sign = integer(isCosine ? 1 : -1);
  const end = times(sign, power(limit, power_), divide(call(other, times(frequency, limit)), frequency));
  if (power_ === 0) return end;
  const rest = byParts(power_ - 1, { kind: other, frequency }, limit);
  return rest === zero ? end : minus(end, times(sign, divide(integer(power_), frequency), rest));
}
