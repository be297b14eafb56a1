import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  call,
  compare,
  cos,
  divide,
  fraction,
  integer,
  logic,
  minus,
  negate,
  one,
  pi,
  plus,
  power,
  rational,
  scale,
  select,
  sin,
  sqrt,
  stumpff,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { Rational, ratio } from '../../src/symbolic/graph/rational.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { postorder, substituteOne } from '../../src/symbolic/graph/traverse.ts';
import { toLatex, toText } from '../../src/symbolic/formulas/print.ts';
import { expand, reduceStumpff, reduceStumpffSafely } from '../../src/symbolic/graph/expand.ts';
import { point, smoothExpression, variables } from './expressions.ts';

const [a, b, c] = variables;
const at = (values: readonly number[]) => new Map<Expr, number>(variables.map((v, i) => [v, values[i]!]));

describe('the canonical form of expressions', () => {
  it.each([
    ['beyond 32 bits', 10n ** 12n, 1n],
    ['whose lowest 32 bits are alike', 2n ** 200n, 3n ** 150n],
    ['beyond all doubles', 10n ** 400n, 7n ** 500n],
  ])('finds numbers %s without a comparison with many others', (_, step, below) => {
    const compared = vi.spyOn(Rational, 'equals');
    const count = 500;
    const numbers = Array.from({ length: count }, (_, i) => rational(ratio(step * BigInt(i) + 1n, below)));
    expect(new Set(numbers).size).toBe(count);
    expect(compared.mock.calls.length).toBeLessThan(2 * count);
    compared.mockRestore();
  });

  it('makes equal formulas the same object whatever order they are written in', () => {
    expect(plus(a, times(b, c))).toBe(plus(times(c, b), a));
    expect(times(a, b, c)).toBe(times(times(c, a), b));
    expect(minus(a, b)).toBe(negate(minus(b, a)));
  });

  it('knows nodes again, and no others in their place, where there are many', () => {
    // Of this many, some have the number by which they are found in common, and some are older than what is looked through first.
    const powers = (base: Expr): readonly Expr[] => Array.from({ length: 400 }, (_, k) => power(base, k + 2));
    const [left, right] = [powers(a), powers(b)];
    const all = (): Expr[] => left.flatMap((p) => right.map((q) => plus(p, q)));
    const nodes = all();
    expect(new Set(nodes).size).toBe(160_000);
    expect(all().every((node, i) => node === nodes[i])).toBe(true);
    const terms = (e: Expr): readonly Expr[] => (e.kind === 'sum' ? e.terms.map(({ term }) => term) : []);
    const isRight = (e: Expr, i: number): boolean =>
      terms(e).includes(left[Math.floor(i / 400)]!) && terms(e).includes(right[i % 400]!);
    expect(nodes.every(isRight)).toBe(true);
  });

  it('multiplies two as it does any number', () => {
    const powers = [sqrt(times(integer(2), a, b)), sqrt(integer(3)), power(plus(a, b), ratio(1, 3))];
    const bases: readonly Expr[] = [a, b, c, plus(a, b), integer(6), ...powers];
    const factor = fc.tuple(fc.nat(bases.length - 1), fc.integer({ min: -3, max: 3 }));
    const product = fc
      .array(factor, { maxLength: 4 })
      .map((list) => times(one, one, ...list.map(([base, exponent]) => power(bases[base]!, exponent))));
    fc.assert(fc.property(product, product, (p, q) => times(p, q) === times(one, p, q)));
  });

  it('folds constants exactly', () => {
    expect(plus(fraction(1, 10), fraction(2, 10))).toBe(fraction(3, 10));
    expect(times(integer(6), fraction(1, 3))).toBe(integer(2));
    expect(power(fraction(2, 3), -2)).toBe(fraction(9, 4));
    expect(sqrt(fraction(9, 4))).toBe(fraction(3, 2));
    expect(cos(times(pi, fraction(1, 3)))).toBe(fraction(1, 2));
    expect(sin(times(pi, fraction(7, 6)))).toBe(fraction(-1, 2));
    expect(cos(times(pi, fraction(1, 2)))).toBe(zero);
  });

  it('cancels like terms and powers', () => {
    expect(minus(plus(a, b), plus(b, a))).toBe(zero);
    expect(divide(times(a, b), a)).toBe(b);
    expect(times(sqrt(plus(a, b)), sqrt(plus(a, b)))).toBe(plus(a, b));
    expect(times(power(times(a, b), ratio(1, 2)), power(times(a, b), ratio(1, 2)))).toBe(times(a, b));
  });

  it('keeps partial sums shared instead of flattening them', () => {
    const partial = plus(a, b);
    const total = plus(partial, c);
    expect(total.kind === 'sum' && total.terms.some((t) => t.term === partial)).toBe(true);
  });

  it('does not take the square root of a square for the number itself', () => {
    const root = sqrt(power(a, 2));
    expect(evaluate([root], new Map([[a as Expr, -3]]))).toEqual([3]);
  });

  it('normalises the sign of odd and even functions', () => {
    expect(sin(negate(a))).toBe(negate(sin(a)));
    expect(cos(minus(a, b))).toBe(cos(minus(b, a)));
    expect(call('abs', negate(a))).toBe(call('abs', a));
  });

  it('decides conditions between constants and keeps the others', () => {
    expect(select(compare('<', one, integer(2)), a, b)).toBe(a);
    expect(select(logic('not', compare('<=', one, integer(2))), a, b)).toBe(b);
    expect(select(compare('<', a, b), c, c)).toBe(c);
    expect(select(compare('<', a, b), a, b).kind).toBe('select');
  });

  it('gives Stumpff functions their exact values at zero', () => {
    expect(stumpff(5, zero)).toBe(fraction(1, 120));
    expect(() => stumpff(-1, a)).toThrow(RangeError);
  });

  it('handles expressions of a hundred thousand nodes without recursion', () => {
    let e: Expr = a;
    for (let i = 0; i < 50_000; i++) e = plus(times(e, b), one);
    expect(postorder([e]).length).toBeGreaterThan(100_000);
    expect(evaluate([e], at([1, 0.5, 0]))[0]).toBeCloseTo(2, 12);
    expect(substituteOne(e, new Map([[b as Expr, zero]]))).toBe(one);
    expect(toText(e).length).toBeGreaterThan(0);
  });

  it('evaluates to what the same arithmetic on numbers gives', () => {
    fc.assert(
      fc.property(smoothExpression, smoothExpression, point, (e, f, p) => {
        const [x, y, sum, product, difference] = evaluate([e, f, plus(e, f), times(e, f), minus(e, f)], at(p)) as [
          number,
          number,
          number,
          number,
          number,
        ];
        const size = 1 + Math.abs(x) + Math.abs(y);
        expect(Math.abs(sum - (x + y))).toBeLessThan(1e-9 * size);
        expect(Math.abs(product - x * y)).toBeLessThan(1e-9 * size * size);
        expect(Math.abs(difference - (x - y))).toBeLessThan(1e-9 * size);
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});

describe('printing', () => {
  it('writes mathematics', () => {
    expect(toText(divide(times(integer(2), plus(a, b)), c))).toBe('2*(a + b)/c');
    expect(toText(negate(power(a, 2)))).toBe('-a^2');
    expect(toText(stumpff(2, power(a, 2)))).toBe('c2(a^2)');
    expect(toLatex(divide(sin(a), symbol('test.theta1')))).toBe('\\frac{\\sin\\left(a\\right)}{\\theta_{1}}');
    expect(toText(scale(ratio(-1, 2), a))).toBe('-a/2');
  });
});

describe('expansion', () => {
  it('multiplies out and collects', () => {
    expect(expand(times(plus(a, b), minus(a, b)))).toBe(minus(power(a, 2), power(b, 2)));
  });

  it('returns the expression itself when there would be too many monomials', () => {
    const e = power(plus(a, b, c), 30);
    expect(expand(e, 50)).toBe(e);
  });

  it('expands what a recurrence writes twice as large every step, once each', () => {
    // Chebyshev polynomials of the second kind: Σ_k (−1)^k C(n − k, k) (2 x)^(n − 2k).
    let [before, current]: [Expr, Expr] = [one, times(integer(2), a)];
    for (let n = 1; n < 60; n++) [before, current] = [current, minus(times(integer(2), a, current), before)];
    const terms: Expr[] = [];
    let binomial = 1n;
    for (let k = 0; k <= 30; k++) {
      const factor = times(rational(ratio(binomial * (k % 2 === 0 ? 1n : -1n) * 2n ** BigInt(60 - 2 * k))));
      terms.push(times(factor, power(a, 60 - 2 * k)));
      // C(n − k − 1, k + 1) = C(n − k, k) (n − 2k)(n − 2k − 1)/((n − k)(k + 1)).
      const m = BigInt(60 - 2 * k);
      binomial = (binomial * m * (m - 1n)) / (BigInt(60 - k) * BigInt(k + 1));
    }
    expect(expand(current)).toBe(plus(...terms));
  });

  it('absorbs powers of the argument by the Stumpff relations', () => {
    const x = power(a, 2);
    expect(reduceStumpff(plus(power(stumpff(0, x), 2), times(x, power(stumpff(1, x), 2))))).toBe(one);
    expect(reduceStumpff(times(x, stumpff(4, x)))).toBe(minus(fraction(1, 2), stumpff(2, x)));
  });

  it('keeps the original where the reduced form would cancel near zero', () => {
    const x = power(a, 2);
    // x (8 c_6 − 5 c_5) reduces to a difference of constants and Stumpff functions that vanishes at x = 0.
    const e = times(x, minus(times(integer(8), stumpff(6, x)), times(integer(5), stumpff(5, x))));
    expect(reduceStumpffSafely(e)).toBe(e);
  });
});
