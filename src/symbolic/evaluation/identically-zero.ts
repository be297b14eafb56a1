/** Whether an expression is zero for all values of its symbols: asked of numbers without structure, in many digits. */
import { decimalOfPrecision, evaluate, evaluateDecimal } from './evaluate.ts';
import { withExactRemainders } from '../graph/arctangent-remainder.ts';
import { one, scale, zero, type Expr } from '../graph/expr.ts';
import { rational } from '../graph/expr.ts';
import { Rational } from '../graph/rational.ts';
import { freeSymbols } from '../graph/traverse.ts';

const Wide = decimalOfPrecision(60);
/** Of the size of the summands: what sixty digits leave of a zero. */
const NOTHING = 1e-45;
/** Of the size of the summands: what double precision cannot make of a zero. */
const SOMETHING = 1e-8;
/** Points that are looked at where the expression has no value at the first ones. */
const MOST_POINTS = 32;
const ENOUGH_POINTS = 2;
/** From this one on, numbers differ by more: a radius is smaller than a distance. */
const SPREAD_POINTS = 8;

/** Positive numbers well below one, as lengths, angles and curvatures of robots are: roots and logarithms mostly exist there. */
function coordinateOf(index: number, point: number): number {
  const share = ((index + 1) * 0.6180339887498949 + point * 0.3819660112501051) % 1;
  return point < SPREAD_POINTS ? 0.04 + 0.3 * share : 2 ** (-8 * share);
}

/** Is e zero wherever it has a value? Where none is found it is not. */
export function isIdenticallyZero(expression: Expr): boolean {
  if (expression === zero) return true;
  const { kind } = expression;
  if (kind === 'rational' || kind === 'symbol' || kind === 'constant') return false;
  const e = withExactRemainders([expression])[0]!;
  const symbols = freeSymbols([e]);
  const parts = summandsOf(e);
  let found = 0;
  for (let point = 0; point < MOST_POINTS && found < ENOUGH_POINTS; point++) {
    const place = symbols.map((s, i) => [s as Expr, coordinateOf(i, point)] as const);
    const [rough, ...roughParts] = evaluate([e, ...parts], new Map(place));
    if (!Number.isFinite(rough)) continue;
    if (Math.abs(rough!) > SOMETHING * sumOfMagnitudes(roughParts)) return false;
    const exact = evaluateDecimal([e, ...parts], new Map(place.map(([s, x]) => [s, new Wide(x)])), Wide);
    const [value, ...sizes] = exact.map((x) => x.abs());
    const size = sizes.reduce((a, b) => a.plus(b), new Wide(0));
    if (value!.isNaN() || value!.gt(size.times(NOTHING))) return false;
    found++;
  }
  return found > 0;
}

function sumOfMagnitudes(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + Math.abs(x), 0);
}

/** What e is the sum of; of a product, its factors' magnitudes count as one. */
function summandsOf(e: Expr): Expr[] {
  if (e.kind !== 'sum') return [one];
  const terms = e.terms.map((t) => scale(t.coefficient, t.term));
  return Rational.isZero(e.constant) ? terms : [rational(e.constant), ...terms];
}
