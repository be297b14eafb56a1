/** Sums opened where their terms cancel or merge with those around them, and nowhere else. */
import { describe, expect, it } from 'vitest';
import { cancel } from '../../../src/codegen/optimise/cancel.ts';
import { extract } from '../../../src/codegen/optimise/extract.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import { arithmeticCost } from '../../../src/codegen/optimise/form.ts';
import { fraction, integer, minus, plus, square, symbol, times, type Expr } from '../../../src/symbolic/graph/expr.ts';
import { a, b, c, costAfter, d, formAfter, p } from './evaluate-form.ts';

const opened = (...roots: Expr[]): number => costAfter(roots, flatten, cancel, flatten);
/** Outputs that keep sums from being opened for want of other users. */
const sum = plus(a, b);
const difference = minus(a, b);

describe('opening sums', () => {
  it('cancels terms inside sums that have other users', () => {
    expect(costAfter([minus(times(sum, c), times(a, c)), sum], flatten, cancel)).toBe(2);
    expect(costAfter([minus(plus(sum, c), a), times(sum, d)], flatten, cancel)).toBe(3);
  });

  it('leaves a shared sum alone where merging terms saves nothing', () => {
    expect(opened(plus(sum, a), sum)).toBe(2);
    expect(opened(plus(times(sum, c), times(a, c)), sum)).toBe(4);
    expect(opened(plus(times(integer(2), sum), times(integer(3), b)), sum)).toBe(4);
  });

  it('merges the terms of two sums', () => {
    expect(opened(plus(sum, difference), sum, difference)).toBe(3);
    expect(opened(minus(sum, difference), sum, difference)).toBe(3);
    expect(opened(minus(times(sum, c), times(difference, c)), sum, difference)).toBe(4);
    expect(opened(plus(times(p, sum), times(p, difference)), sum, difference)).toBe(3);
  });

  it('merges the terms of two sums that have a scale of their own', () => {
    const roots = [minus(times(fraction(2, 7), difference), times(fraction(2, 7), sum))];
    expect(costAfter(roots, flatten, cancel)).toBe(1);
    expect(opened(plus(times(fraction(2, 7), sum), times(fraction(4, 7), difference)), sum, difference)).toBe(5);
  });

  it('keeps what is left of a sum in a sum of its own, with the factors and the scale around it', () => {
    expect(costAfter([minus(times(plus(a, b, d), c), times(a, c))], flatten, cancel)).toBe(2);
    const scaled = minus(times(integer(3), plus(a, b, d), c), times(integer(3), a, c));
    expect(costAfter([scaled], flatten, cancel, extract)).toBe(3);
    expect(costAfter([minus(times(plus(a, b, d), c), times(a, c)), plus(a, b, d)], flatten, cancel)).toBe(4);
  });

  it('does not mix sums with different factors around them', () => {
    const roots = [plus(times(sum, c), times(difference, d)), sum, difference];
    expect(opened(...roots)).toBe(5);
    expect(opened(plus(times(sum, c), times(a, d)), sum)).toBe(4);
  });

  it('leaves nothing of what cancels altogether', () => {
    const form = formAfter([minus(plus(times(sum, c), d), plus(times(a, c), times(b, c), d)), sum], flatten, cancel);
    const { node } = form.roots[0]!;
    expect(node.kind === 'sum' && node.terms.size).toBe(0);
  });

  it('keeps what is left in one term without a sum of its own', () => {
    expect(opened(minus(times(sum, c, d), times(a, c, d)), sum)).toBe(3);
    expect(opened(minus(times(plus(a, times(integer(3), b)), c), times(a, c)), plus(a, times(integer(3), b)))).toBe(4);
  });

  it('expands no product for its own sake', () => {
    for (const roots of [
      [plus(times(sum, plus(c, d)), d), sum],
      [plus(times(sum, c), times(difference, d), square(c)), sum, difference],
      [plus(square(sum), a), sum],
      [plus(times(square(sum), a), square(a)), sum],
    ]) {
      const before = arithmeticCost(formAfter(roots, flatten));
      expect(arithmeticCost(formAfter(roots, flatten, cancel))).toBe(before);
    }
  });

  it('does nothing for a product', () => {
    expect(opened(times(sum, c), sum)).toBe(2);
  });

  it('leaves sums of more than a dozen terms alone', () => {
    const long = (count: number): Expr => plus(...Array.from({ length: count }, (_, i) => symbolOf(i)));
    const cost = (count: number): number => {
      const whole = long(count);
      return opened(minus(times(whole, c), times(minus(whole, a), c)), whole, minus(whole, a));
    };
    expect(cost(3)).toBeLessThan(6);
  });
});

function symbolOf(i: number): Expr {
  return [a, b, c, d, p][i] ?? symbol(`test.x${i}`);
}
