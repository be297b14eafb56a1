/**
 * Expansion into sums of monomials, on demand and bounded, and the normal form modulo the Stumpff relations
 *   x c_{k+2}(x) = 1/k! − c_k(x)   and   x c_1(x)² = 1 − c_0(x)²
 * where the argument x is a monomial such as q². Used where an expression is small and a closed form is known to be short.
 */
import { call, inverseFactorial, plus, power, rational, stumpff, times, type Expr, type Factor } from './expr.ts';
import { ONE, Rational, ZERO, ratio } from './rational.ts';
import { tick } from '../../common/work-limit.ts';

/** In nodes of expressions, with the numbers that are multiplied on the way. */
const COST_OF_MONOMIAL = 4;

/** coefficient · Π base^exponent; bases are anything but positive integer powers of sums. */
export interface Monomial {
  readonly coefficient: Rational;
  readonly factors: ReadonlyMap<Expr, Rational>;
}

function keyOf(factors: ReadonlyMap<Expr, Rational>): string {
  return [...factors]
    .map(([base, exponent]) => `${base.id}^${Rational.toString(exponent)}`)
    .sort()
    .join(' ');
}

class Polynomial {
  readonly terms = new Map<string, Monomial>();

  add(monomial: Monomial): void {
    tick(COST_OF_MONOMIAL);
    if (Rational.isZero(monomial.coefficient)) return;
    const key = keyOf(monomial.factors);
    const before = this.terms.get(key);
    const coefficient = before ? Rational.add(before.coefficient, monomial.coefficient) : monomial.coefficient;
    if (Rational.isZero(coefficient)) this.terms.delete(key);
    else this.terms.set(key, { coefficient, factors: monomial.factors });
  }
}

function multiplyMonomials(a: Monomial, b: Monomial): Monomial {
  const factors = new Map(a.factors);
  for (const [base, exponent] of b.factors) {
    const sum = Rational.add(factors.get(base) ?? ZERO, exponent);
    if (Rational.isZero(sum)) factors.delete(base);
    else factors.set(base, sum);
  }
  return { coefficient: Rational.multiply(a.coefficient, b.coefficient), factors };
}

/** @returns the monomials of e, or undefined when there would be more than `limit`. */
export function expandToMonomials(e: Expr, limit: number): Monomial[] | undefined {
  const expanded = expandPolynomial(e, limit);
  return expanded && [...expanded.terms.values()];
}

const expandPolynomial = (e: Expr, limit: number): Polynomial | undefined => new Expansion(limit).of(e);

/** What occurs in many places, as polynomials by a recurrence do, is expanded once. */
class Expansion {
  private readonly limit: number;
  private readonly known = new Map<Expr, Polynomial | undefined>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Undefined when there would be more monomials than `limit`. */
  of(e: Expr): Polynomial | undefined {
    if (this.known.has(e)) return this.known.get(e);
    const expanded = this.expanded(e);
    this.known.set(e, expanded);
    return expanded;
  }

  private expanded(e: Expr): Polynomial | undefined {
    const result = new Polynomial();
    if (e.kind === 'rational') {
      result.add({ coefficient: e.value, factors: new Map() });
      return result;
    }
    if (e.kind === 'sum') {
      result.add({ coefficient: e.constant, factors: new Map() });
      for (const t of e.terms) {
        const inner = this.of(t.term);
        if (!inner) return undefined;
        for (const m of inner.terms.values())
          result.add({ coefficient: Rational.multiply(t.coefficient, m.coefficient), factors: m.factors });
        if (result.terms.size > this.limit) return undefined;
      }
      return result;
    }
    if (e.kind !== 'product') {
      result.add({ coefficient: ONE, factors: new Map([[e, ONE]]) });
      return result;
    }
    return this.product(e.coefficient, e.factors);
  }

  private product(coefficient: Rational, factors: readonly Factor[]): Polynomial | undefined {
    let partial: Monomial[] = [{ coefficient, factors: new Map() }];
    for (const { base, exponent } of factors) {
      const repeat = base.kind === 'sum' && Rational.isInteger(exponent) && !Rational.isNegative(exponent);
      if (!repeat) {
        partial = partial.map((m) => multiplyMonomials(m, { coefficient: ONE, factors: new Map([[base, exponent]]) }));
        continue;
      }
      const inner = this.of(base);
      if (!inner) return undefined;
      for (let i = 0n; i < exponent.numerator; i++) {
        const next = new Polynomial();
        for (const a of partial) for (const b of inner.terms.values()) next.add(multiplyMonomials(a, b));
        if (next.terms.size > this.limit) return undefined;
        partial = [...next.terms.values()];
      }
    }
    const result = new Polynomial();
    for (const m of partial) result.add(m);
    return result;
  }
}

export function monomialToExpr(m: Monomial): Expr {
  return times(rational(m.coefficient), ...[...m.factors].map(([base, exponent]) => power(base, exponent)));
}

/** The expanded sum, or e itself when it has more than `limit` monomials. */
export function expand(e: Expr, limit = 200): Expr {
  const monomials = expandToMonomials(e, limit);
  return monomials ? plus(...monomials.map(monomialToExpr)) : e;
}

/** The expanded sum with sin² = 1 − cos² of every angle, or e itself where it is no shorter or has too many monomials. */
export function reduceSquaredSines(e: Expr, limit = 400): Expr {
  const monomials = expandToMonomials(e, limit);
  if (!monomials) return e;
  const result = new Polynomial();
  const pending = [...monomials];
  for (let m = pending.pop(); m; m = pending.pop()) {
    const squared = [...m.factors].find(
      ([base, exponent]) =>
        base.kind === 'call' &&
        base.name === 'sin' &&
        Rational.isInteger(exponent) &&
        Rational.compare(exponent, ratio(2)) >= 0,
    );
    if (!squared) {
      result.add(m);
      continue;
    }
    const [sine] = squared as [Expr & { kind: 'call' }, Rational];
    const cosine = call('cos', ...sine.arguments);
    const rest = withFactors(m, [[sine, -2]], ONE);
    pending.push(rest, withFactors(rest, [[cosine, 2]], ratio(-1)));
  }
  return result.terms.size < monomials.length ? plus(...[...result.terms.values()].map(monomialToExpr)) : e;
}

/** x as coefficient · Π base^exponent when it is a single monomial with positive integer exponents. */
function asMonomial(x: Expr): Monomial | undefined {
  if (x.kind === 'symbol') return { coefficient: ONE, factors: new Map([[x, ONE]]) };
  if (x.kind !== 'product') return undefined;
  if (x.factors.some((f) => f.base.kind === 'sum')) return undefined;
  return { coefficient: x.coefficient, factors: new Map(x.factors.map((f) => [f.base, f.exponent])) };
}

/** m / x when x divides m with its positive exponents, else undefined. */
function divideMonomial(m: Monomial, x: Monomial): Monomial | undefined {
  const factors = new Map(m.factors);
  for (const [base, exponent] of x.factors) {
    const left = Rational.subtract(factors.get(base) ?? ZERO, exponent);
    if (!Rational.isNegative(exponent) && Rational.isNegative(left)) return undefined;
    if (Rational.isZero(left)) factors.delete(base);
    else factors.set(base, left);
  }
  return { coefficient: Rational.divide(m.coefficient, x.coefficient), factors };
}

function withFactors(m: Monomial, changes: readonly (readonly [Expr, number])[], coefficient: Rational): Monomial {
  const factors = new Map(m.factors);
  for (const [node, change] of changes) {
    const exponent = Rational.add(factors.get(node) ?? ZERO, ratio(change));
    if (Rational.isZero(exponent)) factors.delete(node);
    else factors.set(node, exponent);
  }
  return { coefficient: Rational.multiply(m.coefficient, coefficient), factors };
}

/** One rewriting step of a monomial, or undefined when no relation applies. */
function rewriteMonomial(m: Monomial): Monomial[] | undefined {
  for (const [node, exponent] of m.factors) {
    if (node.kind !== 'stumpff' || Rational.isNegative(exponent) || !Rational.isInteger(exponent)) continue;
    const argument = asMonomial(node.argument);
    if (!argument) continue;
    const quotient = divideMonomial(m, argument);
    if (!quotient) continue;
    if (node.order >= 2) {
      const lower = stumpff(node.order - 2, node.argument);
      return [
        withFactors(quotient, [[node, -1]], inverseFactorial(node.order - 2)),
        withFactors(
          quotient,
          [
            [node, -1],
            [lower, 1],
          ],
          ratio(-1),
        ),
      ];
    }
    if (node.order === 1 && exponent.numerator >= 2n) {
      const cosine = stumpff(0, node.argument);
      return [
        withFactors(quotient, [[node, -2]], ONE),
        withFactors(
          quotient,
          [
            [node, -2],
            [cosine, 2],
          ],
          ratio(-1),
        ),
      ];
    }
  }
  return undefined;
}

/**
 * Normal form modulo the Stumpff relations: powers of the argument are absorbed by lowering the index.
 * @returns the rewritten sum; e itself when it has more than `limit` monomials.
 */
export function reduceStumpff(e: Expr, limit = 120): Expr {
  const expanded = expandPolynomial(e, limit);
  if (!expanded) return e;
  const done = new Polynomial();
  const pending = [...expanded.terms.values()];
  for (let steps = 0; pending.length > 0; steps++) {
    if (steps > 40 * limit) return e;
    const m = pending.pop()!;
    const rewritten = rewriteMonomial(m);
    if (rewritten) pending.push(...rewritten);
    else done.add(m);
  }
  return collectByFactors([...done.terms.values()]);
}

/** Σ over the non-Stumpff part of the monomials of (part · Σ of their Stumpff parts): one multiplication per part. */
function collectByFactors(monomials: readonly Monomial[]): Expr {
  const groups = new Map<string, { part: Monomial; inner: Expr[] }>();
  for (const m of monomials) {
    const outer = new Map<Expr, Rational>();
    const inner = new Map<Expr, Rational>();
    for (const [base, exponent] of m.factors) (base.kind === 'stumpff' ? inner : outer).set(base, exponent);
    const key = keyOf(outer);
    const group = groups.get(key) ?? { part: { coefficient: ONE, factors: outer }, inner: [] };
    group.inner.push(monomialToExpr({ coefficient: m.coefficient, factors: inner }));
    groups.set(key, group);
  }
  return plus(...[...groups.values()].map((g) => times(monomialToExpr(g.part), plus(...g.inner))));
}

/** Value at argument zero of the Stumpff part of each group vanishes? Then the form cancels near zero. */
function cancelsNearZero(e: Expr): boolean {
  if (e.kind === 'sum' && sumOfStumpffVanishes(e)) return true;
  const terms = e.kind === 'sum' ? e.terms.map((t) => t.term) : [e];
  return terms.some((term) => {
    const bases = term.kind === 'product' ? term.factors.map((f) => f.base) : [term];
    return bases.some((base) => base.kind === 'sum' && sumOfStumpffVanishes(base));
  });
}

function sumOfStumpffVanishes(e: Expr & { kind: 'sum' }): boolean {
  let total = e.constant;
  for (const t of e.terms) {
    const factors = t.term.kind === 'product' ? t.term.factors : [{ base: t.term, exponent: ONE }];
    let value = t.coefficient;
    for (const f of factors) {
      if (f.base.kind !== 'stumpff' || !Rational.isInteger(f.exponent)) return false;
      value = Rational.multiply(value, Rational.power(inverseFactorial(f.base.order), f.exponent.numerator));
    }
    if (t.term.kind === 'product') value = Rational.multiply(value, t.term.coefficient);
    total = Rational.add(total, value);
  }
  return Rational.isZero(total);
}

/**
 * The reduced form of e when it is accurate: a difference of Stumpff functions that vanishes at zero and stands alone
 * as a factor (5 c_3 − 8 c_4 − c_2) would lose its digits near the straight configuration, and is not used.
 */
export function reduceStumpffSafely(e: Expr, limit?: number): Expr {
  const reduced = reduceStumpff(e, limit);
  return cancelsNearZero(reduced) ? e : reduced;
}
