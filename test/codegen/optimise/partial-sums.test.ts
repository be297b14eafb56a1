/** Two terms of a sum that share a factor, or that several sums share in the same proportion. */
import { describe, expect, it } from 'vitest';
import { Extraction, extract } from '../../../src/codegen/optimise/extract.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import type { Form } from '../../../src/codegen/optimise/form.ts';
import { PartialSums } from '../../../src/codegen/optimise/partial-sums.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import {
  fraction,
  integer,
  minus,
  negate,
  one,
  minusOne,
  plus,
  power,
  sin,
  square,
  symbol,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { a, b, c, costAfter, d, expectKept, formAfter, gathered, p } from './evaluate-form.ts';

const sums = (form: Form): void => new Extraction(form, [new PartialSums(form)], () => 0).run();
const cost = (...roots: Expr[]): number => costAfter(roots, flatten, sums);
const signs = [one, minusOne];

describe('common factors of two terms', () => {
  it('are taken out, one after the other', () => {
    expect(cost(plus(times(a, b), times(a, c)))).toBe(2);
    expect(cost(plus(times(a, b), times(a, c), times(a, d)))).toBe(3);
    expect(cost(plus(times(a, b, sin(a)), times(a, c, sin(a))))).toBe(3);
    expect(cost(plus(times(square(a), b), times(a, c)))).toBe(3);
  });

  it('are coefficients too', () => {
    expect(cost(plus(times(integer(3), a), times(integer(3), b)))).toBe(2);
    expect(cost(plus(times(p, a), times(p, b)))).toBe(2);
    expect(cost(plus(times(integer(3), a, b), times(integer(3), a, c)))).toBe(3);
    expect(cost(plus(times(integer(3), a), times(integer(5), b)))).toBe(3);
    expect(cost(plus(times(integer(2), a, b), times(integer(6), a, c)))).toBe(4);
  });

  it('keep the signs of both terms', () => {
    for (const s1 of signs)
      for (const s2 of signs) {
        expect(cost(plus(times(s1, a, b), times(s2, a, c)))).toBe(2);
        expect(cost(plus(times(s1, integer(3), a), times(s2, integer(3), b), c))).toBe(3);
      }
  });
});

describe('partial sums', () => {
  it('are formed once when several sums contain them', () => {
    expect(cost(plus(a, b, c), plus(a, b, d))).toBe(3);
    expect(cost(plus(a, b, c), plus(a, b, d), plus(a, b, sin(a)))).toBe(4);
    expect(cost(plus(a, b, c), plus(a, b, d), plus(a, b))).toBe(3);
  });

  it('are found up to sign, of either term and of the whole', () => {
    for (const s1 of signs)
      for (const s2 of signs)
        for (const s3 of signs) {
          const sum = plus(times(s1, a), times(s2, b));
          const other = times(s3, sum);
          expect(cost(plus(sum, c), plus(other, d))).toBe(3);
          expect(cost(plus(sum, c), plus(other, d), sum)).toBe(3);
          expect(cost(times(s3, sum), plus(sum, c), times(plus(sum, d), sin(a)))).toBe(4);
        }
    expect(cost(plus(a, b, c), plus(minus(a, b), d))).toBe(4);
  });

  it('are found where an output is the pair and begins with a negative term, whichever was met first', () => {
    for (const met of [a, b])
      for (const s1 of signs)
        for (const s2 of signs) {
          const first = plus(times(s1, a), times(s1, negate(b)), c);
          const second = plus(times(s2, a), times(s2, negate(b)), d);
          expect(cost(met, minus(a, b), first, second)).toBe(3);
        }
  });

  it('are found up to scale, in the unit that most places have', () => {
    const half = plus(a, times(integer(2), b));
    const scaled = plus(times(integer(3), a), times(integer(6), b), c);
    expect(costAfter([plus(half, d), scaled], flatten, extract)).toBe(5);
    for (const k of [integer(3), integer(-3), fraction(2, 7)]) {
      const roots = [1, 2, 3].map((i) => plus(times(k, a), times(integer(2), k, b), sin(plus(a, integer(i)))));
      // Three sums of k a + 2 k b and something: the pair once, in their unit.
      expect(costAfter([...roots, plus(half, d)], flatten, sums)).toBe(11);
    }
  });

  it('are those of the smaller number of users when a whole sum is there', () => {
    const whole = plus(times(integer(3), a), times(integer(6), b));
    expect(cost(whole, plus(a, times(integer(2), b), c), plus(a, times(integer(2), b), d))).toBeLessThanOrEqual(8);
    expect(cost(plus(whole, c), whole)).toBe(4);
    expect(cost(negate(plus(a, b)), plus(a, b, c), minus(d, plus(a, b)))).toBe(3);
  });

  it('have the same factors in common in every place, or others', () => {
    expect(cost(plus(times(c, a), times(c, b)), plus(times(d, a), times(d, b)))).toBe(3);
    expect(cost(plus(times(c, a), times(c, b), d), plus(a, b))).toBe(3);
    expect(cost(plus(times(integer(5), c, a), times(integer(5), c, b)), plus(a, b, d))).toBe(4);
  });

  it('never divide one parameter by another', () => {
    const roots = [plus(times(p, a), times(square(p), b)), plus(times(square(p), a), times(power(p, 3), b), c)];
    const { form } = gathered(roots);
    flatten(form);
    extract(form);
    const coefficients = form.coefficients().map((literal) => evaluate([literal.exact], new Map([[p, 0]]))[0]!);
    expect(coefficients.every(Number.isFinite)).toBe(true);
    expectKept(form, roots);
  });

  it('share coefficients of parameters where they are the same', () => {
    const sum = plus(times(p, a), times(square(p), b));
    expect(cost(plus(sum, c), plus(sum, d))).toBe(5);
    expect(cost(plus(times(p, a), times(p, b), c), plus(a, b, d))).toBe(4);
    expect(cost(plus(times(p, a), times(integer(2), b), c), plus(times(p, a), times(integer(2), b), d))).toBe(5);
  });

  it('use a term once, however many pairs it is in', () => {
    expect(cost(plus(a, b, c), plus(a, b, c, d), plus(b, c, sin(a)))).toBeLessThanOrEqual(5);
    formAfter([plus(a, b, c, d), plus(a, b, c, sin(a)), plus(b, c, d, sin(b)), plus(a, c, d)], flatten, sums);
  });

  it('are found in long sums', () => {
    const many = Array.from({ length: 80 }, (_, i) => symbol(`test.many${i}`));
    const form = gathered([plus(...many, a, b), plus(a, b, c)]).form;
    const before = form.sorted().length;
    sums(form);
    expect(form.sorted().length).toBe(before + 1);
  });
});
