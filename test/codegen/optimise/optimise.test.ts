/** The optimiser as a whole: the cheapest of several orders of passes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arithmeticCost, type Form } from '../../../src/codegen/optimise/form.ts';
import { optimise, type Effort } from '../../../src/codegen/optimise/optimise.ts';
import { cos, decimal, minus, plus, sin, square, times, type Expr } from '../../../src/symbolic/graph/expr.ts';
import { a, b, c, d, expectKept, p, polynomials } from './evaluate-form.ts';

function optimised(roots: readonly Expr[], effort: Effort): Form {
  const { form } = optimise(roots, (e) => e === p, effort);
  expectKept(form, roots);
  return form;
}

const costs = (roots: readonly Expr[]): number[] =>
  (['none', 'quick', 'normal'] as const).map((effort) => arithmeticCost(optimised(roots, effort)));

describe('the optimiser', () => {
  it('is never worse than common subexpressions alone', () => {
    fc.assert(
      fc.property(polynomials, (roots) => {
        const [none, quick, normal] = costs(roots);
        expect(quick).toBeLessThanOrEqual(none!);
        expect(normal).toBeLessThanOrEqual(quick!);
      }),
      { numRuns: 30, seed: 5 },
    );
  });

  it('leaves expressions as they came when no effort is asked for', () => {
    expect(costs([plus(times(a, b), times(a, c), times(a, d))])).toEqual([5, 3, 3]);
  });

  it('looks for rotations with normal effort only', () => {
    const [x, y] = [plus(times(cos(c), a), times(sin(c), b)), minus(times(cos(c), b), times(sin(c), a))];
    const [, quick, normal] = costs([plus(square(x), square(y))]);
    expect(normal).toBe(3);
    expect(quick).toBeGreaterThan(3);
  });

  it('chooses units where links repeat each other, until that saves nothing more', () => {
    const m = decimal(0.0533819);
    const force = (x: Expr, y: Expr): Expr => plus(times(m, x), times(m, y, sin(x)));
    const sum = plus(times(force(a, b), cos(a)), times(force(c, d), cos(c)), times(m, square(a)));
    expect(costs([times(sum, sin(d)), times(sum, cos(d))]).slice(1)).toEqual([12, 12]);
  });
});
