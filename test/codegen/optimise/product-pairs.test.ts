/** Products that several products contain. */
import { describe, expect, it } from 'vitest';
import { Extraction } from '../../../src/codegen/optimise/extract.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import type { Form } from '../../../src/codegen/optimise/form.ts';
import { ProductPairs } from '../../../src/codegen/optimise/product-pairs.ts';
import { integer, negate, plus, power, sin, square, times, type Expr } from '../../../src/symbolic/graph/expr.ts';
import { a, b, c, costAfter, d, formAfter, p } from './evaluate-form.ts';

const pairs = (form: Form): void => new Extraction(form, [new ProductPairs(form)], () => 0).run();
const cost = (...roots: Expr[]): number => costAfter(roots, flatten, pairs);

describe('products of two factors', () => {
  it('are formed once when several products contain them', () => {
    expect(cost(times(a, b, c), times(a, b, d))).toBe(3);
    expect(cost(times(a, b, c), times(a, b, d), times(a, b, sin(a)))).toBe(4);
    expect(cost(plus(times(a, b, c), times(a, b, d)))).toBe(4);
  });

  it('are the value of an output that is nothing else', () => {
    expect(cost(times(a, b, c), times(a, b, d), times(a, b))).toBe(3);
    expect(cost(times(a, b), times(a, b, c), times(a, b, d), plus(times(a, b), sin(c)))).toBe(4);
  });

  it('keep the signs of outputs that are the pair with a sign', () => {
    for (const first of [times(a, b), negate(times(a, b))])
      for (const second of [times(a, b, c), negate(times(a, b, c))])
        for (const third of [plus(times(a, a, b, b), c), negate(times(a, a, a, b, b, b, c))])
          expect(cost(first, second, third)).toBeLessThanOrEqual(6);
  });

  it('share coefficients with a factor', () => {
    expect(cost(times(integer(7), a, c), times(integer(7), a, d))).toBe(3);
    expect(cost(times(integer(7), a), times(integer(7), a, d), times(integer(-7), a, c))).toBe(3);
    expect(cost(times(p, a, c), times(p, a, d))).toBe(3);
    expect(cost(times(integer(7), a, c), times(integer(5), a, d))).toBe(4);
  });

  it('keep the signs of outputs that are a scaled value with a sign', () => {
    for (const sign of [1, -1])
      for (const other of [1, -1]) expect(cost(times(integer(7 * sign), a), times(integer(7 * other), a, d))).toBe(2);
  });

  it('occur as often as they fit', () => {
    expect(cost(times(square(a), square(b), c), times(a, b, d))).toBe(4);
    expect(cost(times(power(a, 3), square(b)), times(a, b))).toBe(3);
  });

  it('make powers by squaring', () => {
    expect(cost(power(a, 4))).toBe(2);
    expect(cost(power(a, 8))).toBe(3);
    expect(cost(power(a, 6), square(a))).toBe(3);
    expect(cost(power(a, 5))).toBe(3);
    expect(cost(square(a))).toBe(1);
    expect(cost(power(a, 7), times(power(a, 5), b))).toBe(5);
  });

  it('are not formed for one place', () => {
    const form = formAfter([times(integer(3), a, b, c), plus(a, b)], flatten);
    const before = form.sorted().length;
    pairs(form);
    expect(form.sorted()).toHaveLength(before);
  });
});
