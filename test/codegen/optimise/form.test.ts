/** The form itself: terms merged where they are alike, references redirected, costs counted; and literals. */
import { describe, expect, it } from 'vitest';
import {
  arithmeticCost,
  Form,
  isDivision,
  multiplicationsOf,
  type SumNode,
} from '../../../src/codegen/optimise/form.ts';
import { LiteralTable, literalValue } from '../../../src/codegen/operations/literal.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import {
  cos,
  divide,
  fraction,
  integer,
  minus,
  negate,
  one,
  pi,
  plus,
  power,
  sin,
  square,
  sqrt,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { checkForm } from './check-form.ts';
import { a, b, c, formOf, p, point } from './evaluate-form.ts';

const table = (): LiteralTable => new LiteralTable((e) => e !== p && !(e.kind === 'product' || e.kind === 'sum'));
const numbers = (): LiteralTable => new LiteralTable(() => true);

function emptyForm(): { form: Form; x: SumNode; y: SumNode; sum: SumNode } {
  const form = new Form(numbers());
  const [x, y, sum] = [form.newSum(), form.newSum(), form.newSum()];
  form.addRoot({ node: sum, negative: false });
  return { form, x, y, sum };
}

const plain = (form: Form, k: number, negative = false) => ({
  negative,
  literal: form.literals.of(integer(k))!.literal,
});

describe('terms', () => {
  it('are one when they have the same factors, in any order', () => {
    const { form, x, y, sum } = emptyForm();
    form.addTerm(sum, plain(form, 2), [y, x]);
    form.addTerm(sum, plain(form, 3), [x, y]);
    form.addTerm(sum, plain(form, 1), [x]);
    checkForm(form);
    expect([...sum.terms.keys()]).toEqual(['0 1', '0']);
    expect(sum.terms.get('0 1')!.literal.value).toBe(5);
    expect(x.users.size).toBe(2);
    expect(y.users.size).toBe(1);
  });

  it('vanish when they cancel, and take their users along', () => {
    const { form, x, y, sum } = emptyForm();
    form.addTerm(sum, plain(form, 2), [x, y]);
    form.addTerm(sum, plain(form, 2, true), [y, x]);
    checkForm(form);
    expect(sum.terms.size).toBe(0);
    expect(x.users.size + y.users.size).toBe(0);
    form.addTerm(sum, plain(form, 2), [x]);
    form.addTerm(sum, plain(form, 5, true), [x]);
    expect([...sum.terms.values()][0]).toMatchObject({ negative: true, isAlive: true });
  });

  it('are announced when they come to be, merged or new', () => {
    const { form, x, sum } = emptyForm();
    const seen: number[] = [];
    form.onTerm = (term) => seen.push(term.literal.value!);
    form.addTerm(sum, plain(form, 2), [x]);
    form.addTerm(sum, plain(form, 5), [x]);
    form.addTerm(sum, plain(form, 7, true), [x]);
    expect(seen).toEqual([2, 7]);
  });

  it('have signs that multiply', () => {
    const form = new Form(numbers());
    for (const s of [false, true])
      for (const t of [false, true]) {
        const product = form.scaled(plain(form, 3, s), plain(form, 5, t));
        expect(product.negative).toBe(s !== t);
        expect(product.literal.value).toBe(15);
      }
  });
});

describe('references', () => {
  it('follow a node to another one, with their signs', () => {
    const { form, x, y, sum } = emptyForm();
    form.addTerm(sum, plain(form, 1), [x]);
    const atom = form.newAtom(a, undefined, [{ node: sum, negative: true }]);
    form.addRoot({ node: atom, negative: false });
    form.addRoot({ node: y, negative: true });
    form.redirect(sum, y, true);
    checkForm(form);
    expect(form.roots.map((root) => [root.node, root.negative])).toEqual([
      [y, true],
      [atom, false],
      [y, true],
    ]);
    expect(atom.operands[0]).toEqual({ node: y, negative: false });
    expect([sum.pins, y.pins]).toEqual([0, 3]);
    form.redirect(y, x, false);
    checkForm(form);
    expect([y.pins, x.pins]).toEqual([0, 3]);
    expect(form.roots.map((root) => root.negative)).toEqual([true, false, true]);
    form.redirect(y, sum, true);
    expect(sum.pins).toBe(0);
  });
});

describe('the order of nodes', () => {
  it('puts operands before users, each node once, and leaves out what no root needs', () => {
    const { form, x, y, sum } = emptyForm();
    form.addTerm(sum, plain(form, 1), [y, x]);
    form.addTerm(y, plain(form, 2), [x]);
    form.newSum();
    form.addRoot({ node: x, negative: false });
    expect(form.sorted()).toEqual([x, y, sum]);
    expect(form.coefficients().map((literal) => literal.value)).toEqual([2, 1]);
  });
});

describe('costs', () => {
  const cost = (...roots: Expr[]): number => arithmeticCost(formOf(...roots));

  it('are multiplications, additions and divisions', () => {
    expect(cost(a)).toBe(0);
    expect(cost(negate(a))).toBe(0);
    expect(cost(plus(a, b, c))).toBe(2);
    expect(cost(times(integer(3), a, b))).toBe(2);
    expect(cost(plus(integer(3), times(integer(3), a)))).toBe(2);
    expect(cost(square(a))).toBe(1);
    expect(cost(integer(7))).toBe(0);
  });

  it('count literal · factors', () => {
    const { one } = new LiteralTable(() => true);
    const other = numbers().of(integer(3))!.literal;
    expect([0, 1, 2, 3].map((factors) => multiplicationsOf(one, one, factors))).toEqual([0, 0, 1, 2]);
    expect([0, 1, 2, 3].map((factors) => multiplicationsOf(other, one, factors))).toEqual([0, 1, 2, 3]);
  });

  it('count a division for a reciprocal, with the product around it when that is its only use', () => {
    const isDivided = (...roots: Expr[]): boolean[] =>
      formOf(...roots)
        .sorted()
        .flatMap((node) => (node.kind === 'atom' && node.special === 'reciprocal' ? [isDivision(node)] : []));
    expect(isDivided(divide(a, b))).toEqual([true]);
    expect(isDivided(divide(integer(3), b))).toEqual([true]);
    expect(isDivided(divide(integer(1), b))).toEqual([false]);
    expect(isDivided(negate(divide(integer(1), b)))).toEqual([false]);
    expect(isDivided(divide(a, b), divide(c, b))).toEqual([false]);
    expect(isDivided(divide(a, square(b)))).toEqual([false]);
    expect(isDivided(sqrt(plus(a, divide(integer(1), b))))).toEqual([false]);
    expect([cost(divide(a, b)), cost(divide(integer(1), b)), cost(divide(a, square(b)))]).toEqual([1, 1, 3]);
    const pinned = formOf(divide(a, b));
    const inverse = pinned.sorted().find((node) => node.kind === 'atom' && node.special === 'reciprocal')!;
    pinned.addRoot({ node: inverse, negative: false });
    expect(inverse.kind === 'atom' && isDivision(inverse)).toBe(false);
  });
});

describe('literals', () => {
  it('are one object per value, positive, with the sign apart', () => {
    const literals = numbers();
    const third = literals.of(fraction(-1, 3))!;
    expect(third.negative).toBe(true);
    expect(third.literal.value).toBe(1 / 3);
    expect(literals.of(fraction(1, 3))).toEqual({ negative: false, literal: third.literal });
    expect(literals.of(fraction(-1, 3))).toBe(third);
    expect(literals.of(integer(0))).toBeUndefined();
    expect(literals.of(integer(1))!.literal).toBe(literals.one);
    expect(literals.of(integer(-1))).toEqual({ negative: true, literal: literals.one });
    expect(literalValue(times(integer(2), pi))).toBe(2 * Math.PI);
  });

  it('multiply and add exactly', () => {
    const literals = numbers();
    const of = (e: Expr) => literals.of(e)!.literal;
    const [two, third, root] = [of(integer(2)), of(fraction(1, 3)), of(sqrt(integer(2)))];
    expect(literals.multiply(two, third).literal.exact).toBe(fraction(2, 3));
    expect(literals.multiply(third, two)).toBe(literals.multiply(two, third));
    expect(literals.multiply(root, root).literal).toBe(two);
    expect(literals.multiply(literals.one, two)).toEqual({ negative: false, literal: two });
    expect(literals.multiply(two, literals.one)).toEqual({ negative: false, literal: two });
    const add = (s: boolean, t: boolean) =>
      literals.add({ negative: s, literal: two }, { negative: t, literal: third });
    expect(add(false, false)!.literal.exact).toBe(fraction(7, 3));
    expect(add(false, true)).toMatchObject({ negative: false, literal: { exact: fraction(5, 3) } });
    expect(add(true, false)).toMatchObject({ negative: true, literal: { exact: fraction(5, 3) } });
    expect(add(true, true)).toMatchObject({ negative: true, literal: { exact: fraction(7, 3) } });
    expect(literals.add({ negative: true, literal: two }, { negative: false, literal: two })).toBeUndefined();
    expect(literals.add({ negative: true, literal: two }, { negative: true, literal: two })!.literal.value).toBe(4);
  });

  it('divide by numbers, never by parameters', () => {
    const literals = table();
    const of = (e: Expr) => literals.of(e)!.literal;
    const [two, three, parameter] = [of(integer(2)), of(integer(3)), of(p)];
    expect(parameter.value).toBeUndefined();
    expect(literals.ratio(two, three)!.exact).toBe(fraction(2, 3));
    expect(literals.ratio(three, two)!.exact).toBe(fraction(3, 2));
    expect(literals.ratio(two, three)).toBe(literals.ratio(two, three));
    expect(literals.ratio(two, literals.one)).toBe(two);
    expect(literals.ratio(parameter, parameter)).toBe(literals.one);
    expect(literals.ratio(two, parameter)).toBeUndefined();
    expect(literals.of(negate(p))).toEqual({ negative: true, literal: parameter });
    expect(literals.of(p)).toEqual({ negative: false, literal: parameter });
  });

  it('have the sign of all their numbers, so that numbers change none', () => {
    const { literals } = formOf(p);
    const below = cos(integer(2));
    const numbers = [
      integer(-3),
      below,
      negate(below),
      power(below, -1),
      square(below),
      minus(below, one),
      times(below, minus(below, one)),
    ];
    const parameters = [p, plus(p, integer(-1)), sin(p)];
    const value = (e: Expr): number => evaluate([e], point)[0]!;
    for (const n of numbers)
      for (const e of parameters) {
        expect(literals.of(times(n, e))!.negative).toBe(value(n) < 0);
        for (const m of numbers) {
          const literal = literals.of(times(n, e))!.literal;
          const number = literals.of(m)!.literal;
          const { negative, literal: product } = literals.multiply(literal, number);
          expect(negative).toBe(false);
          expect(value(product.exact)).toBeCloseTo(value(literal.exact) * number.value!, 12);
          expect(value(literals.ratio(literal, number)!.exact)).toBeCloseTo(value(literal.exact) / number.value!, 12);
        }
      }
  });
});
