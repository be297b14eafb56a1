/** Expressions gathered into sums of products: what becomes a coefficient, a repeated factor, an atom. */
import { describe, expect, it } from 'vitest';
import type { AtomNode, FormNode, SumNode } from '../../../src/codegen/optimise/form.ts';
import { withoutQuarterTurns } from '../../../src/codegen/optimise/quarter-turns.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
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
  select,
  sin,
  sqrt,
  stumpff,
  times,
  zero,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import { a, b, c, costAfter, d, expectKept, formOf, gathered, p, point } from './evaluate-form.ts';

const rootOf = (e: Expr): FormNode => {
  const form = formOf(e);
  return form.roots[0]!.node;
};
const sumOf = (e: Expr): SumNode => {
  const node = rootOf(e);
  if (node.kind !== 'sum') throw new Error('a sum expected');
  return node;
};
const termOf = (e: Expr) => [...sumOf(e).terms.values()][0]!;
const atoms = (e: Expr): AtomNode[] =>
  formOf(e)
    .sorted()
    .filter((node): node is AtomNode => node.kind === 'atom');

describe('gathering', () => {
  it('makes coefficients of numbers and parameters, exactly', () => {
    const { literal, negative, factors } = termOf(times(integer(-3), pi, a, power(p, 2)));
    expect(negative).toBe(true);
    expect(factors).toHaveLength(1);
    expect(literal.value).toBeUndefined();
    expect(evaluate([literal.exact], point)[0]).toBeCloseTo(3 * Math.PI * 0.8 ** 2, 14);
    expect(termOf(times(fraction(2, 3), a)).literal.value).toBeCloseTo(2 / 3, 16);
    expect(termOf(plus(p, times(p, a))).factors).toHaveLength(0);
    expect(termOf(times(sin(p), a)).literal.exact).toBe(sin(p));
    expect(termOf(times(sin(plus(p, a)), b)).factors).toHaveLength(2);
  });

  it('makes a term without factors of a coefficient that stands alone', () => {
    for (const e of [integer(5), p, times(p, pi), plus(p, one), cos(p)]) {
      const node = sumOf(e);
      expect(node.terms.size).toBe(1);
      expectKept(formOf(e), [e]);
    }
    expect(sumOf(zero).terms.size).toBe(0);
    expectKept(formOf(integer(-2), integer(-2), zero), [integer(-2), integer(-2), zero]);
  });

  it('repeats factors for powers, up to the sixty-fourth', () => {
    expect(termOf(times(power(a, 5), b)).factors).toHaveLength(6);
    expect(termOf(power(a, 64)).factors).toHaveLength(64);
    const { factors } = termOf(power(a, 65));
    expect(factors).toHaveLength(1);
    expect(factors[0]).toMatchObject({ kind: 'atom', special: 'power' });
    expectKept(formOf(power(a, 65)), [power(a, 65)]);
  });

  it('makes roots and reciprocals once, and repeats them for powers', () => {
    const root = power(a, fraction(3, 2).kind === 'rational' ? { numerator: 3n, denominator: 2n } : 1);
    expect(termOf(root).factors.map((f) => f.kind === 'atom' && f.special)).toEqual(['root', 'root', 'root']);
    const inverse = termOf(power(a, -2)).factors;
    expect(inverse.map((f) => f.kind === 'atom' && f.special)).toEqual(['reciprocal', 'reciprocal']);
    expect(inverse[0]).toBe(inverse[1]);
    const all = atoms(plus(divide(b, a), divide(c, a), divide(d, sqrt(a)), sqrt(a)));
    expect(
      all
        .map((atom) => atom.special)
        .filter(Boolean)
        .sort(),
    ).toEqual(['reciprocal', 'reciprocal', 'root']);
    for (const e of [power(a, -3), divide(b, sqrt(a)), power(a, { numerator: -3n, denominator: 2n })])
      expectKept(formOf(e), [e]);
  });

  it('keeps other powers as they are', () => {
    const third = power(a, { numerator: 5n, denominator: 3n });
    expect(termOf(third).factors.map((f) => f.kind === 'atom' && f.special)).toEqual(['power']);
    const inverse = power(a, { numerator: -1n, denominator: 3n });
    expect(atoms(inverse).map((atom) => atom.special)).toEqual([undefined, 'power', 'reciprocal']);
    expectKept(formOf(third, inverse), [third, inverse]);
    expect(atoms(plus(third, times(third, b))).filter((atom) => atom.special === 'power')).toHaveLength(1);
  });

  it('gathers sums with their constants and coefficients, without opening others', () => {
    const sum = sumOf(plus(integer(7), times(integer(2), a), negate(b)));
    const found = [...sum.terms.values()].map((t) => (t.negative ? -1 : 1) * t.literal.value!);
    expect(found).toEqual([7, 2, -1]);
    expect(sumOf(plus(a, plus(b, c))).terms.size).toBe(2);
  });

  it('makes atoms of functions, with conditions among their operands', () => {
    const condition = compare('<', a, p);
    const choice = select(condition, sin(b), stumpff(3, c));
    const kinds = atoms(choice).map((atom) => atom.expression.kind);
    expect(kinds).toEqual(expect.arrayContaining(['compare', 'call', 'stumpff', 'select']));
    const all = atoms(choice);
    const chosen = all.find((atom) => atom.expression.kind === 'select')!;
    expect(chosen.operands.map(({ node }) => node.kind === 'atom' && node.expression.kind)).toEqual([
      'compare',
      'call',
      'stumpff',
    ]);
    const constant = select(compare('<', p, one), sin(b), c);
    expect(atoms(constant).filter((atom) => atom.expression.kind === 'compare')).toHaveLength(1);
    const both = select(logic('and', compare('<', p, one), compare('<', zero, p)), sin(b), c);
    expect(atoms(both).filter((atom) => atom.expression.kind === 'logic')).toHaveLength(1);
  });

  it('says where expressions went, coefficients left out', () => {
    const e = plus(times(a, b), times(p, c));
    const { nodes, form } = gathered([e]);
    expect(nodes.get(e)).toBe(form.roots[0]!.node);
    expect(nodes.has(p)).toBe(false);
    expect(nodes.has(a)).toBe(true);
  });
});

describe('right angles added to an angle', () => {
  const quarters = [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7];
  const angle = (k: number, over: number): Expr => plus(a, times(fraction(k, over), pi));

  it('turn sines into cosines instead of costing an addition', () => {
    for (const k of quarters) {
      expect(costAfter([times(sin(angle(k, 2)), b), times(cos(angle(k, 2)), b)], flatten)).toBe(2);
      for (const f of [sin, cos]) {
        const whole = f(angle(k, 2));
        // Where the angle is negative the constructor has taken a sign out already.
        if (whole.kind !== 'call') continue;
        const e = withoutQuarterTurns(whole);
        expect(e).not.toBe(whole);
        expect(evaluate([e], point)[0]).toBeCloseTo(evaluate([whole], point)[0]!, 14);
      }
    }
  });

  it('leave the rest of the angle as it was', () => {
    const whole = plus(times(integer(2), a), b, fraction(1, 3), times(fraction(3, 2), pi));
    const turned = withoutQuarterTurns(sin(whole));
    expect(turned).toBe(negate(cos(plus(times(integer(2), a), b, fraction(1, 3)))));
  });

  it('are left alone where they are no right angles, or no angles', () => {
    for (const e of [
      sin(angle(1, 3)),
      cos(angle(1, 4)),
      call('tan', angle(1, 2)),
      sin(a),
      sin(times(a, pi)),
      cos(minus(a, b)),
      plus(a, pi),
      call('exp', plus(a, pi)),
    ])
      expect(withoutQuarterTurns(e)).toBe(e);
    expect(costAfter([sin(angle(1, 3))], flatten)).toBe(1);
  });
});
