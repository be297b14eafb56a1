/** Units of values: coefficients disappear where values may be computed as multiples of themselves. */
import { describe, expect, it } from 'vitest';
import { extract } from '../../../src/codegen/optimise/extract.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import { arithmeticCost, type Form } from '../../../src/codegen/optimise/form.ts';
import { scale } from '../../../src/codegen/optimise/scale.ts';
import {
  cos,
  decimal,
  divide,
  fraction,
  integer,
  negate,
  plus,
  sin,
  sqrt,
  square,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { a, b, c, costAfter, d, formAfter, formOf, p } from './evaluate-form.ts';

/** Coefficients other than one, over all terms with factors. */
function coefficients(form: Form): number {
  let count = 0;
  for (const node of form.sorted())
    if (node.kind === 'sum')
      count += [...node.terms.values()].filter((t) => t.factors.length > 0 && t.literal !== form.literals.one).length;
  return count;
}

/** A sum that two others need. */
const shared = (x: Expr, ...roots: readonly ((e: Expr) => Expr)[]): Expr[] => roots.map((f) => f(x));
const scaled = (...roots: Expr[]): number => coefficients(formAfter(roots, flatten, scale));

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

  it('takes the coefficient of a value where its users need another one anyway', () => {
    const value = plus(times(integer(3), a), times(integer(3), b));
    const roots = shared(
      value,
      (e) => plus(times(integer(5), e), sin(c)),
      (e) => plus(times(integer(7), e), cos(c)),
    );
    expect(coefficients(formAfter(roots, flatten))).toBe(4);
    expect(scaled(...roots)).toBe(2);
  });

  it('takes the unit that users ask for', () => {
    const value = plus(a, b);
    const roots = shared(
      plus(times(integer(2), a), times(integer(3), b)),
      (e) => plus(times(fraction(1, 2), e), sin(c)),
      (e) => plus(times(fraction(1, 2), e), cos(c)),
    );
    expect(coefficients(formAfter(roots, flatten))).toBe(4);
    expect(scaled(...roots)).toBeLessThan(4);
    expect(
      scaled(
        ...shared(
          value,
          (e) => plus(e, sin(c)),
          (e) => plus(times(integer(2), e), cos(c)),
        ),
      ),
    ).toBe(1);
  });

  it('makes coefficients of a user alike, so that they are taken out together', () => {
    const value = plus(times(integer(4), a), times(integer(4), b));
    const roots = shared(
      value,
      (e) => plus(times(integer(3), e), times(integer(12), sin(c))),
      (e) => plus(times(integer(3), e), times(integer(12), cos(c))),
    );
    const form = formAfter(roots, flatten, scale);
    for (const { node } of form.roots) {
      if (node.kind !== 'sum') throw new Error('a sum expected');
      expect(new Set([...node.terms.values()].map((t) => t.literal)).size).toBe(1);
    }
  });

  it('makes them alike by a unit that no term of the value has', () => {
    const value = plus(a, times(integer(7), b));
    const roots = shared(
      value,
      (e) => plus(times(integer(3), e), times(integer(12), sin(c))),
      (e) => plus(times(integer(5), e), times(integer(20), cos(c))),
    );
    const form = formAfter(roots, flatten, scale);
    for (const { node } of form.roots) {
      if (node.kind !== 'sum') throw new Error('a sum expected');
      expect(new Set([...node.terms.values()].map((t) => t.literal)).size).toBe(1);
    }
  });

  it('does not change what users of squares are worth', () => {
    const value = plus(times(integer(3), a), times(integer(3), b));
    formAfter([plus(square(value), c), plus(times(value, square(value)), d)], flatten, scale);
  });

  it('leaves outputs and operands of functions as they are', () => {
    const roots = [times(fraction(1, 3), sin(a)), plus(times(integer(5), a), times(integer(5), b))];
    const form = formOf(...roots);
    const before = form.roots.map((root) => root.node);
    scale(form);
    expect(form.roots.map((root) => root.node)).toEqual(before);
    const operand = plus(times(integer(5), a), times(integer(5), b));
    expect(scaled(sin(operand), plus(times(operand, c), d))).toBe(2);
  });

  it('never divides by a parameter, nor takes one for a unit', () => {
    const value = plus(times(p, a), times(p, b));
    const form = formAfter(
      shared(
        value,
        (e) => plus(e, sin(c)),
        (e) => plus(times(integer(2), e), cos(c)),
      ),
      flatten,
      scale,
    );
    expect(coefficients(form)).toBe(3);
  });

  it('keeps the sign of a parameter over a number that is negative only as written', () => {
    const unit = negate(cos(integer(2)));
    const roots = shared(
      plus(times(unit, a), times(unit, b), times(p, d)),
      (e) => plus(divide(e, unit), sin(c)),
      (e) => plus(divide(e, square(unit)), cos(c)),
    );
    expect(coefficients(formAfter(roots, flatten))).toBe(5);
    expect(scaled(...roots)).toBe(2);
  });

  it('does nothing where nothing is saved', () => {
    for (const roots of [
      [plus(times(integer(3), a), b)],
      shared(
        plus(a, times(integer(2), b)),
        (e) => plus(e, sin(c)),
        (e) => plus(e, cos(c)),
      ),
    ]) {
      const before = formAfter(roots, flatten);
      const after = formAfter(roots, flatten, scale);
      expect(arithmeticCost(after)).toBe(arithmeticCost(before));
      expect(coefficients(after)).toBe(coefficients(before));
    }
  });

  it('takes no numbers for units that grow without end', () => {
    const long = sqrt(plus(integer(2), sqrt(plus(integer(3), sqrt(plus(integer(5), sqrt(integer(7))))))));
    const root = (e: Expr, k: number): Expr => sqrt(plus(integer(k), e));
    const huge = Array.from({ length: 24 }, (_, k) => k + 11).reduce<Expr>(root, long);
    const value = (k: Expr): Expr => plus(times(k, a), times(k, b));
    const users = (k: Expr): Expr[] =>
      shared(
        value(k),
        (e) => plus(times(integer(5), e), sin(c)),
        (e) => plus(times(integer(7), e), cos(c)),
      );
    expect(scaled(...users(sqrt(integer(3))))).toBe(2);
    expect(scaled(...users(huge))).toBe(4);
    expect(scaled(...users(fraction(10n ** 61n + 1n, 3n * 10n ** 60n)))).toBe(4);
    expect(scaled(...users(fraction(10n ** 50n + 1n, 3n)))).toBe(2);
  });
});
