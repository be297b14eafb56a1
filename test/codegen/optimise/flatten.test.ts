/** Values that need not be values of their own become part of their users. */
import { describe, expect, it } from 'vitest';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import type { Form, SumNode } from '../../../src/codegen/optimise/form.ts';
import {
  cos,
  divide,
  fraction,
  integer,
  minus,
  negate,
  plus,
  sin,
  square,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { a, b, c, costAfter, d, formAfter, p } from './evaluate-form.ts';

const flat = (...roots: Expr[]): Form => formAfter(roots, flatten);
const withoutProducts = (form: Form): void => flatten(form, { products: false });
const kept = (...roots: Expr[]): Form => formAfter(roots, withoutProducts);
const sums = (form: Form): SumNode[] => form.sorted().filter((node): node is SumNode => node.kind === 'sum');
const sizes = (form: Form): number[] => form.roots.map(({ node }) => (node.kind === 'sum' ? node.terms.size : 0));

describe('flattening', () => {
  it('makes a sum with one user part of it, and leaves shared sums alone', () => {
    const shared = plus(a, b);
    const form = flat(plus(shared, sin(c)), minus(d, plus(c, sin(d))), times(shared, c));
    expect(sizes(form)).toEqual([2, 3, 1]);
    expect(sums(form)).toHaveLength(4);
  });

  it('opens sums inside sums inside sums', () => {
    expect(sizes(flat(minus(a, minus(b, minus(c, plus(d, sin(a)))))))).toEqual([5]);
  });

  it('leaves sums that are outputs or operands of functions as they are', () => {
    const sum = plus(a, b);
    expect(sums(flat(plus(sum, c), sum))).toHaveLength(2);
    expect(sums(flat(plus(sum, c), cos(sum)))).toHaveLength(2);
    expect(sums(flat(plus(sum, c), cos(d)))).toHaveLength(1);
  });

  it('opens a scaled sum where that needs no multiplication more', () => {
    const scaled = plus(times(integer(2), a), times(integer(3), b));
    expect(sizes(flat(plus(c, times(integer(5), scaled))))).toEqual([3]);
    expect(sizes(flat(plus(c, times(integer(5), plus(a, b)))))).toEqual([2]);
    expect(sizes(flat(plus(c, times(integer(5), plus(a, times(integer(3), b))))))).toEqual([2]);
    expect(sizes(flat(plus(c, times(d, plus(a, b)))))).toEqual([2]);
  });

  it('multiplies shared products into their users, and when told not to only those that are used once', () => {
    const product = times(a, b);
    const roots = [times(product, c), times(plus(times(product, integer(3)), sin(d)), c)] as const;
    expect(sums(flat(...roots, product))).toHaveLength(4);
    const spread = flat(plus(times(sin(product), product), c));
    expect(sums(spread)).toHaveLength(2);
    expect(formAfter(roots, flatten).sorted().length).toBeLessThanOrEqual(kept(...roots).sorted().length);
    expect(costAfter(roots, flatten)).toBe(6);
    expect(costAfter([plus(product, c), plus(product, d)], withoutProducts)).toBe(3);
    expect(costAfter([plus(product, c), plus(product, d)], flatten)).toBe(4);
  });

  it('leaves powers of a product alone when told not to multiply out', () => {
    const product = minus(plus(times(a, b), c), c);
    expect(costAfter([square(product)], withoutProducts)).toBe(2);
    expect(costAfter([square(product)], flatten)).toBe(3);
    expect(costAfter([times(product, d)], withoutProducts)).toBe(2);
  });

  it('takes copies and constants out of the way in any case', () => {
    for (const pass of [flatten, withoutProducts]) {
      expect(costAfter([negate(a), plus(negate(negate(a)), b)], pass)).toBe(1);
      expect(costAfter([times(integer(3), times(fraction(1, 3), a))], pass)).toBe(0);
      expect(costAfter([plus(plus(a, b), minus(c, plus(a, b)))], pass)).toBeLessThanOrEqual(3);
    }
  });

  it('carries signs of copies to the outputs that they stand for', () => {
    const form = flat(negate(a), negate(sin(negate(b))), minus(a, plus(a, b)));
    expect(form.roots.map(({ negative }) => negative)).toEqual([true, false, true]);
    expect(form.roots.map(({ node }) => node.kind)).toEqual(['atom', 'atom', 'atom']);
  });

  it('drops sums that cancel to nothing', () => {
    const nothing = minus(plus(a, b), plus(b, a));
    const form = flat(plus(c, times(nothing, d)), times(minus(a, plus(a, plus(b, negate(b)))), c));
    expect(sizes(form)).toEqual([0, 0]);
    expect(form.roots[0]!.node.kind).toBe('atom');
    expect(form.roots[1]!.node.kind).toBe('sum');
  });

  it('raises signs and coefficients of what it multiplies out to the power it has there', () => {
    const product = times(integer(-3), a, p);
    const inner = plus(times(product, product, product, b), times(product, product, c));
    flat(plus(inner, times(product, d)));
    kept(plus(inner, times(product, d)));
  });

  it('counts a division once when a reciprocal has one user', () => {
    expect(costAfter([divide(a, b)], flatten)).toBe(1);
    expect(costAfter([divide(a, b), divide(c, b)], flatten)).toBe(3);
    expect(costAfter([divide(integer(1), b)], flatten)).toBe(1);
  });
});
