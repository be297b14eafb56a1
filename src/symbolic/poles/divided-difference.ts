/**
 * Divided differences at zero: D f = (f − f(0))/k for functions f of a scalar k, as formulas in which nothing is divided by k.
 *
 * D takes one power of k out of whatever vanishes with it, exactly, and D f is as regular as f: rules for sums, products,
 * powers and every function (docs/mathematics.md, "Removable poles") make it an operation on the DAG like a derivative.
 * Quotients of entire functions become Stumpff functions, those of logarithms and arctangents remainders of their series.
 */
import { arctangentRemainder, arctangentRemainderOf } from '../graph/arctangent-remainder.ts';
import {
  call,
  compare,
  cos,
  divide,
  half,
  integer,
  minus,
  negate,
  one,
  plus,
  power,
  rational,
  scale,
  select,
  sin,
  sqrt,
  square,
  stumpff,
  times,
  zero,
  type CallExpr,
  type Expr,
  type Factor,
  type SymbolExpr,
} from '../graph/expr.ts';
import { isIdenticallyZero } from '../evaluation/identically-zero.ts';
import { HALF, MINUS_ONE, Rational, ratio } from '../graph/rational.ts';
import { dependsOn, substituteOne } from '../graph/traverse.ts';

/** A pole that these rules do not remove. The message says why. */
export class NotRemovable extends Error {}

export class DividedDifferences {
  private readonly k: SymbolExpr;
  private readonly dependent = new Map<Expr, boolean>();
  private readonly values = new Map<Expr, Expr>();
  private readonly quotients = new Map<Expr, Expr>();

  constructor(k: SymbolExpr) {
    this.k = k;
  }

  depends(e: Expr): boolean {
    let known = this.dependent.get(e);
    if (known === undefined) this.dependent.set(e, (known = dependsOn(e, new Set<Expr>([this.k]))));
    return known;
  }

  /** f(0), the exact zero where it vanishes for all values of its symbols. @throws NotRemovable where f(0) does not exist. */
  atZero(e: Expr): Expr {
    const known = this.values.get(e);
    if (known) return known;
    let value: Expr;
    try {
      value = substituteOne(e, new Map([[this.k, zero]]));
    } catch (error) {
      if (error instanceof RangeError) throw new NotRemovable('it divides by zero where the scalar vanishes');
      throw error;
    }
    if (isIdenticallyZero(value)) value = zero;
    this.values.set(e, value);
    return value;
  }

  /** (f − f(0))/k @throws NotRemovable */
  of(e: Expr): Expr {
    if (!this.depends(e)) return zero;
    let known = this.quotients.get(e);
    if (!known) this.quotients.set(e, (known = this.quotient(e)));
    return known;
  }

  private quotient(e: Expr): Expr {
    const remainder = arctangentRemainderOf(e);
    if (remainder) return this.ofRemainder(remainder.order, remainder.argument);
    switch (e.kind) {
      case 'symbol':
        return one;
      case 'sum':
        return plus(...e.terms.map((t) => scale(t.coefficient, this.of(t.term))));
      case 'product':
        return this.ofProduct(e);
      case 'stumpff':
        return this.ofStumpff(e.order, e.argument);
      case 'call':
        return this.ofCall(e);
      case 'select':
        if (this.depends(e.condition)) throw new NotRemovable('a condition depends on it');
        return select(e.condition, this.of(e.then), this.of(e.otherwise));
      case 'compare':
      case 'constant':
      case 'logic':
      case 'rational':
        throw new NotRemovable('a condition depends on it');
    }
  }

  /** D(f g) = D f · g + f(0) D g, with the factors that vanish first. */
  private ofProduct(e: Expr & { kind: 'product' }): Expr {
    const still = e.factors.filter((f) => !this.depends(f.base));
    const moving = e.factors.filter((f) => this.depends(f.base));
    const atZero = (f: Factor): Expr => power(this.atZero(f.base), f.exponent);
    const vanishes = (f: Factor): boolean => !Rational.isNegative(f.exponent) && this.atZero(f.base) === zero;
    const ordered = [...moving.filter(vanishes), ...moving.filter((f) => !vanishes(f))];
    const terms: Expr[] = [];
    let before: Expr = one;
    for (const [i, f] of ordered.entries()) {
      const after = ordered.slice(i + 1).map((g) => power(g.base, g.exponent));
      terms.push(times(before, this.ofPower(f.base, f.exponent), ...after));
      if (vanishes(f)) break;
      before = times(before, atZero(f));
    }
    return times(rational(e.coefficient), ...still.map((f) => power(f.base, f.exponent)), plus(...terms));
  }

  private ofPower(base: Expr, exponent: Rational): Expr {
    if (base === this.k && !Rational.isNegative(exponent)) return power(base, Rational.subtract(exponent, ratio(1)));
    const start = this.atZero(base);
    const difference = this.of(base);
    if (Rational.isNegative(exponent)) {
      if (start === zero) throw new NotRemovable('it divides by a term that vanishes');
      const positive = Rational.negate(exponent);
      const inverse = times(power(base, exponent), power(start, exponent));
      return negate(times(inverse, this.ofPower(base, positive)));
    }
    // f^(m/n) = (f^(1/n))^m, and a^n − b^n = (a − b)(a^(n−1) + … + b^(n−1)).
    const [m, n] = [Number(exponent.numerator), Number(exponent.denominator)];
    if (n > 1 && start === zero) throw new NotRemovable('it stands below a root');
    if (m > MOST_FACTORS || n > MOST_FACTORS) throw new NotRemovable('a power of it is too high');
    const [root, rootAtStart] = [power(base, ratio(1, n)), power(start, ratio(1, n))];
    return times(difference, homogeneous(root, rootAtStart, m), power(homogeneous(root, rootAtStart, n), -1));
  }

  /** c_k(x) = 1/k! − x c_(k+2)(x) */
  private ofStumpff(order: number, x: Expr): Expr {
    const start = this.atZero(x);
    if (start === zero) return negate(times(this.of(x), stumpff(order + 2, x)));
    const [root, rootAtStart] = [squareRoot(x), squareRoot(start)];
    if (order > 0 || !root || !rootAtStart) throw new NotRemovable('a Stumpff function of it does not start at zero');
    // cos a − cos b = −(a² − b²)/2 · c_1((a + b)²/4) c_1((a − b)²/4)
    const shape = (e: Expr): Expr => stumpff(1, scale(ratio(1, 4), square(e)));
    return scale(ratio(-1, 2), times(this.of(x), shape(plus(root, rootAtStart)), shape(minus(root, rootAtStart))));
  }

  /** A_n(z) = 1/(2n + 1) − z A_(n+1)(z) */
  private ofRemainder(order: number, z: Expr): Expr {
    if (this.atZero(z) !== zero) throw new NotRemovable('an arctangent of it does not start at zero');
    return negate(times(this.of(z), arctangentRemainder(order + 1, z)));
  }

  private ofCall(e: CallExpr): Expr {
    const [f, g] = e.arguments as [Expr, Expr];
    if (e.name === 'pow') return this.of(call('exp', times(g, call('log', f))));
    if (e.name === 'atan2') return this.ofAngle(f, g);
    const start = this.atZero(f);
    const difference = this.of(f);
    /** (f − f(0))², so written that it vanishes with k. */
    const squared = times(square(this.k), square(difference));
    /** c_k of ±(f − f(0))² */
    const circular = (order: number): Expr => stumpff(order, squared);
    const hyperbolic = (order: number): Expr => stumpff(order, negate(squared));
    const middle = start === zero ? times(half, f) : times(half, plus(f, start));
    const quarter = scale(ratio(1, 4), squared);
    const startsAtZero = start === zero;
    switch (e.name) {
      case 'sin':
        if (startsAtZero) return times(difference, circular(1));
        return times(difference, cos(middle), stumpff(1, quarter));
      case 'cos':
        if (startsAtZero) return negate(times(this.k, square(difference), circular(2)));
        return negate(times(difference, sin(middle), stumpff(1, quarter)));
      case 'sinh':
        if (startsAtZero) return times(difference, hyperbolic(1));
        return times(difference, call('cosh', middle), stumpff(1, negate(quarter)));
      case 'cosh':
        if (startsAtZero) return times(this.k, square(difference), hyperbolic(2));
        return times(difference, call('sinh', middle), stumpff(1, negate(quarter)));
      case 'exp':
        return times(difference, call('exp', middle), stumpff(1, negate(quarter)));
      case 'tan':
        return divide(times(difference, circular(1)), times(cos(f), cos(start)));
      case 'tanh':
        return divide(times(difference, hyperbolic(1)), times(call('cosh', f), call('cosh', start)));
      case 'log': {
        // log a − log b = 2 artanh((a − b)/(a + b))
        const sum = plus(f, start);
        const ratioSquared = times(squared, power(sum, -2));
        return times(integer(2), difference, power(sum, -1), arctangentRemainder(0, negate(ratioSquared)));
      }
      case 'atan': {
        if (startsAtZero) return times(difference, arctangentRemainder(0, squared));
        // atan a − atan b = atan((a − b)/(1 + a b)) for a b > −1, which is so near zero.
        const denominator = plus(one, times(f, start));
        const near = times(
          divide(difference, denominator),
          arctangentRemainder(0, divide(squared, square(denominator))),
        );
        return select(compare('<', half, denominator), near, this.plain(e));
      }
      case 'asin':
        if (startsAtZero) return this.ofArcsine(f, difference, squared);
        throw new NotRemovable('an arcsine of it does not start at zero');
      case 'acos':
        if (startsAtZero) return negate(this.ofArcsine(f, difference, squared));
        throw new NotRemovable('an arccosine of it does not start at zero');
      case 'abs':
      case 'sign':
        throw new NotRemovable(`${e.name}(…) depends on it`);
    }
  }

  /** asin f = atan(f/√(1 − f²)) */
  private ofArcsine(f: Expr, difference: Expr, squared: Expr): Expr {
    const cosine = minus(one, square(f));
    return times(
      difference,
      power(cosine, Rational.multiply(HALF, MINUS_ONE)),
      arctangentRemainder(0, divide(squared, cosine)),
    );
  }

  /** atan2(y, x) = atan(y/x) for x > 0, which is so near zero where it starts there. */
  private ofAngle(y: Expr, x: Expr): Expr {
    const start = this.atZero(x);
    if (this.atZero(y) !== zero || start === zero) throw new NotRemovable('an angle of it does not start at zero');
    const slope = divide(this.of(y), x);
    const near = times(slope, arctangentRemainder(0, times(square(this.k), square(slope))));
    return select(compare('<', times(half, start), x), near, this.plain(call('atan2', y, x)));
  }

  /** As it is defined: for places that are away from zero. */
  private plain(e: Expr): Expr {
    return divide(minus(e, this.atZero(e)), this.k);
  }
}

/** Powers and roots beyond this are no kinematics. */
const MOST_FACTORS = 12;

/** a^(n−1) + a^(n−2) b + … + b^(n−1) */
function homogeneous(a: Expr, b: Expr, n: number): Expr {
  if (b === zero) return power(a, n - 1);
  return plus(...Array.from({ length: n }, (_, i) => times(power(a, i), power(b, n - 1 - i))));
}

/** The root of a product of squares. */
function squareRoot(e: Expr): Expr | undefined {
  const factors = e.kind === 'product' ? e.factors : [{ base: e, exponent: ratio(1) }];
  const coefficient = e.kind === 'product' ? e.coefficient : ratio(1);
  const halves = factors.map((f) => ({ base: f.base, exponent: Rational.multiply(HALF, f.exponent) }));
  if (Rational.isNegative(coefficient) || !halves.every((f) => Rational.isInteger(f.exponent))) return undefined;
  return times(sqrt(rational(coefficient)), ...halves.map((f) => power(f.base, f.exponent)));
}
