/** Formulas that hold a root only by its even powers, with the root gone: what hypot(q1, q2) needs to be smooth at zero. */
import { NotRemovable } from './divided-difference.ts';
import {
  call,
  children,
  cos,
  minus,
  negate,
  one,
  plus,
  power,
  rational,
  scale,
  select,
  sin,
  square,
  stumpff,
  times,
  zero,
  type CallExpr,
  type Expr,
  type SymbolExpr,
} from '../graph/expr.ts';
import { isIdenticallyZero } from '../evaluation/identically-zero.ts';
import { Rational } from '../graph/rational.ts';
import { postorder, rebuild } from '../graph/traverse.ts';

/** even + root · odd, both functions of the square of the root. */
interface Split {
  readonly even: Expr;
  readonly odd: Expr;
}

const MOST_FACTORS = 12n;

/**
 * The formulas without the root.
 * @param root stands for √radicand.
 * @throws NotRemovable where an odd power is left: the formula is not smooth where the radicand vanishes.
 */
export function withoutRoot(roots: readonly Expr[], root: SymbolExpr, radicand: Expr): Expr[] {
  const splits = new Map<Expr, Split>([[root, { even: zero, odd: one }]]);
  const get = (e: Expr): Split => splits.get(e) ?? { even: e, odd: zero };
  for (const e of postorder(roots))
    if (e !== root && children(e).some((o) => splits.has(o))) splits.set(e, split(e, get, radicand));
  return roots.map((e) => {
    const { even, odd } = get(e);
    if (!isIdenticallyZero(odd)) throw new NotRemovable('an odd power of a square root is left');
    return even;
  });
}

function split(e: Expr, get: (e: Expr) => Split, radicand: Expr): Split {
  const multiply = (a: Split, b: Split): Split => ({
    even: plus(times(a.even, b.even), times(radicand, a.odd, b.odd)),
    odd: plus(times(a.even, b.odd), times(a.odd, b.even)),
  });
  switch (e.kind) {
    case 'sum':
      return {
        even: plus(rational(e.constant), ...e.terms.map((t) => scale(t.coefficient, get(t.term).even))),
        odd: plus(...e.terms.map((t) => scale(t.coefficient, get(t.term).odd))),
      };
    case 'product': {
      let result: Split = { even: rational(e.coefficient), odd: zero };
      for (const { base, exponent } of e.factors) {
        const { even, odd } = get(base);
        if (odd === zero) {
          result = multiply(result, { even: power(even, exponent), odd: zero });
          continue;
        }
        const { numerator } = exponent;
        if (!Rational.isInteger(exponent) || numerator > MOST_FACTORS || -numerator > MOST_FACTORS)
          throw new NotRemovable('a square root stands below another');
        let factor = { even, odd };
        if (even === zero) {
          // (root · odd)^n
          const halves = numerator >= 0n ? numerator / 2n : (numerator - 1n) / 2n;
          const scaled = times(power(radicand, Number(halves)), power(odd, exponent));
          factor = numerator % 2n === 0n ? { even: scaled, odd: zero } : { even: zero, odd: scaled };
          result = multiply(result, factor);
          continue;
        }
        if (Rational.isNegative(exponent)) {
          // 1/(a + r b) = (a − r b)/(a² − r² b²)
          const inverse = power(minus(square(even), times(radicand, square(odd))), -1);
          factor = { even: times(even, inverse), odd: negate(times(odd, inverse)) };
        }
        for (let i = 0n; i < (numerator < 0n ? -numerator : numerator); i++) result = multiply(result, factor);
      }
      return result;
    }
    case 'select': {
      const [condition, then, otherwise] = [get(e.condition), get(e.then), get(e.otherwise)];
      return {
        even: select(condition.even, then.even, otherwise.even),
        odd: select(condition.even, then.odd, otherwise.odd),
      };
    }
    case 'call':
    case 'compare':
    case 'constant':
    case 'logic':
    case 'rational':
    case 'stumpff':
    case 'symbol': {
      if (children(e).every((o) => get(o).odd === zero)) return { even: rebuild(e, (o) => get(o).even), odd: zero };
      if (e.kind === 'call') return splitCall(e, get(e.arguments[0]!), radicand);
      throw new NotRemovable('an odd power of a square root is left');
    }
  }
}

/** Functions of a + r b by their addition theorems. */
function splitCall(e: CallExpr, { even, odd }: Split, radicand: Expr): Split {
  const squared = times(radicand, square(odd));
  switch (e.name) {
    case 'sin':
      return { even: times(sin(even), stumpff(0, squared)), odd: times(cos(even), odd, stumpff(1, squared)) };
    case 'cos':
      return { even: times(cos(even), stumpff(0, squared)), odd: negate(times(sin(even), odd, stumpff(1, squared))) };
    case 'sinh':
    case 'cosh': {
      const [same, other] = e.name === 'sinh' ? (['sinh', 'cosh'] as const) : (['cosh', 'sinh'] as const);
      return {
        even: times(call(same, even), stumpff(0, negate(squared))),
        odd: times(call(other, even), odd, stumpff(1, negate(squared))),
      };
    }
    case 'exp':
      return {
        even: times(call('exp', even), stumpff(0, negate(squared))),
        odd: times(call('exp', even), odd, stumpff(1, negate(squared))),
      };
    case 'abs':
    case 'acos':
    case 'asin':
    case 'atan':
    case 'atan2':
    case 'log':
    case 'pow':
    case 'sign':
    case 'tan':
    case 'tanh':
      throw new NotRemovable(`${e.name}(…) of a square root`);
  }
}
