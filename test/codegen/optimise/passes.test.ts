/** Every pass of the optimiser on its own, refereed by the interpreter of forms. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cancel } from '../../../src/codegen/optimise/cancel.ts';
import { extract } from '../../../src/codegen/optimise/extract.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import { arithmeticCost, type Form } from '../../../src/codegen/optimise/form.ts';
import { optimise } from '../../../src/codegen/optimise/optimise.ts';
import { scale } from '../../../src/codegen/optimise/scale.ts';
import { mergeTrigonometric } from '../../../src/codegen/optimise/trigonometric.ts';
import { evaluate } from '../../../src/symbolic/evaluate.ts';
import {
  cos,
  decimal,
  divide,
  fraction,
  integer,
  minus,
  negate,
  pi,
  plus,
  power,
  sin,
  square,
  times,
  type Expr,
} from '../../../src/symbolic/expr.ts';
import { a, b, c, d, expectSame, formOf, gathered, p, point, polynomials, valuesOf } from './evaluate-form.ts';

const PASSES: Readonly<Record<string, (form: Form) => void>> = {
  'multiplying products out': (form) => flatten(form),
  'flattening without multiplying out': (form) => flatten(form, { products: false }),
  'opening sums that cancel': cancel,
  'choosing units': scale,
  'merging squares of rotations': mergeTrigonometric,
  'extracting shared values': (form) => extract(form),
};
/** Passes that never make anything costlier. */
const SAVING = ['flattening without multiplying out', 'opening sums that cancel', 'extracting shared values'];

describe.each(Object.entries(PASSES))('%s', (name, pass) => {
  it('keeps the values of random expressions, whatever ran before', () => {
    fc.assert(
      fc.property(polynomials, fc.boolean(), (roots, isFlat) => {
        const { form } = gathered(roots);
        if (isFlat) flatten(form);
        const before = arithmeticCost(form);
        pass(form);
        expectSame(valuesOf(form), evaluate(roots, point));
        if (SAVING.includes(name)) expect(arithmeticCost(form)).toBeLessThanOrEqual(before);
      }),
      { numRuns: 150, seed: 11 },
    );
  });
});

/** Arithmetic operations after passes. */
function costAfter(roots: readonly Expr[], ...passes: ((form: Form) => void)[]): number {
  const { form } = gathered(roots);
  for (const pass of passes) pass(form);
  expectSame(valuesOf(form), evaluate(roots, point));
  return arithmeticCost(form);
}

describe('extraction', () => {
  it('takes common factors out of sums, literal ones too', () => {
    expect(costAfter([plus(times(a, b), times(a, c), times(a, d))], flatten, extract)).toBe(3);
    expect(costAfter([plus(times(integer(3), a), times(integer(3), b))], flatten, extract)).toBe(2);
  });

  it('forms a product that several products contain once', () => {
    expect(costAfter([times(a, b, c), times(a, b, d), times(a, b)], extract)).toBe(3);
    expect(costAfter([times(integer(7), a, c), times(integer(7), a, d)], extract)).toBe(3);
  });

  it('forms a partial sum that several sums contain once, up to sign and scale', () => {
    expect(costAfter([plus(a, b, c), plus(a, b, d), negate(plus(a, b))], extract)).toBe(3);
    const half = plus(a, times(integer(2), b));
    const scaled = plus(times(integer(3), a), times(integer(6), b), c);
    expect(costAfter([plus(half, d), scaled], flatten, extract)).toBe(5);
  });

  it('never divides one parameter by another', () => {
    const roots = [plus(times(p, a), times(square(p), b)), plus(times(square(p), a), times(power(p, 3), b), c)];
    const { form } = gathered(roots);
    flatten(form);
    extract(form);
    const coefficients = form.coefficients().map((literal) => evaluate([literal.exact], new Map([[p, 0]]))[0]!);
    expect(coefficients.every(Number.isFinite)).toBe(true);
    expectSame(valuesOf(form), evaluate(roots, point));
  });

  it('shares squares within powers', () => {
    expect(costAfter([power(a, 4)], extract)).toBe(2);
    expect(costAfter([power(a, 6), square(a)], extract)).toBe(3);
  });
});

describe('flattening', () => {
  it('makes a sum with one user part of it, and leaves shared sums alone', () => {
    const shared = plus(a, b);
    const form = formOf(plus(shared, sin(c)), minus(d, plus(c, sin(d))), times(shared, c));
    flatten(form);
    const [first, second] = form.roots.map(({ node }) => (node.kind === 'sum' ? node.terms.size : 0));
    expect([first, second]).toEqual([2, 3]);
  });

  it('counts a division once when a reciprocal has one user', () => {
    expect(costAfter([divide(a, b)], flatten)).toBe(1);
    expect(costAfter([divide(a, b), divide(c, b)], flatten)).toBe(3);
    expect(costAfter([divide(integer(1), b)], flatten)).toBe(1);
  });
});

describe('opening sums', () => {
  it('cancels terms inside sums that have other users', () => {
    const sum = plus(a, b);
    expect(costAfter([minus(times(sum, c), times(a, c)), sum], flatten, cancel)).toBe(2);
    expect(costAfter([minus(plus(sum, c), a), times(sum, d)], flatten, cancel)).toBe(3);
  });

  it('merges the terms of two sums that have a scale of their own', () => {
    const roots = [minus(times(fraction(2, 7), minus(a, b)), times(fraction(2, 7), plus(a, b)))];
    expect(costAfter(roots, flatten, cancel)).toBe(1);
  });

  it('expands no product for its own sake', () => {
    const roots = [plus(times(plus(a, b), plus(c, d)), d), plus(a, b)];
    const { form } = gathered(roots);
    flatten(form);
    const before = arithmeticCost(form);
    cancel(form);
    expect(arithmeticCost(form)).toBe(before);
  });
});

describe('choice of units', () => {
  it('removes the coefficients that identical links repeat', () => {
    const m = decimal(0.0533819);
    const force = (x: Expr, y: Expr): Expr => plus(times(m, x), times(m, y, sin(x)));
    const [f1, f2] = [force(a, b), force(c, d)];
    const sum = plus(times(f1, cos(a)), times(f2, cos(c)), times(m, square(a)));
    const roots = [times(sum, sin(d)), times(sum, cos(d))];
    expect(costAfter(roots, flatten, extract)).toBe(14);
    expect(costAfter(roots, flatten, scale, extract)).toBe(12);
  });

  it('leaves outputs as they are', () => {
    const form = formOf(times(fraction(1, 3), sin(a)), plus(times(integer(5), a), times(integer(5), b)));
    const before = form.roots.map((root) => root.node);
    scale(form);
    expect(form.roots.map((root) => root.node)).toEqual(before);
  });
});

describe('rotations', () => {
  const [x, y] = [plus(times(cos(c), a), times(sin(c), b)), minus(times(cos(c), b), times(sin(c), a))];

  it('do not change the sum of two squares', () => {
    expect(costAfter([plus(square(x), square(y), d)], flatten, mergeTrigonometric, flatten)).toBe(4);
  });

  it('need matching signs', () => {
    const mirrored = plus(times(cos(c), b), times(sin(c), a));
    const form = formOf(plus(square(x), square(mirrored)));
    flatten(form);
    const before = arithmeticCost(form);
    mergeTrigonometric(form);
    expect(arithmeticCost(form)).toBe(before);
  });

  it('turn sin² + cos² into one, with any coefficients', () => {
    expect(costAfter([plus(times(a, square(sin(b))), times(a, square(cos(b))))], flatten, mergeTrigonometric)).toBe(0);
    const roots = [plus(times(integer(5), square(sin(b))), times(integer(2), square(cos(b))))];
    expect(costAfter(roots, flatten, mergeTrigonometric)).toBe(3);
  });
});

describe('right angles added to an angle', () => {
  it('turn sines into cosines instead of costing an addition', () => {
    for (const quarters of [-5, -2, -1, 1, 2, 3, 4, 7]) {
      const angle = plus(a, times(fraction(quarters, 2), pi));
      expect(costAfter([times(sin(angle), b), times(cos(angle), b)], flatten)).toBe(2);
    }
  });

  it('are left alone where they are no right angles', () => {
    expect(costAfter([sin(plus(a, times(fraction(1, 3), pi)))], flatten)).toBe(1);
  });
});

describe('the optimiser', () => {
  it('is never worse than common subexpressions alone', () => {
    fc.assert(
      fc.property(polynomials, (roots) => {
        const costs = (['none', 'quick', 'normal'] as const).map((effort) => {
          const { form } = optimise(roots, (e) => e === p, effort);
          expectSame(valuesOf(form), evaluate(roots, point));
          return arithmeticCost(form);
        });
        expect(costs[1]).toBeLessThanOrEqual(costs[0]!);
        expect(costs[2]).toBeLessThanOrEqual(costs[1]!);
      }),
      { numRuns: 80, seed: 5 },
    );
  });
});
