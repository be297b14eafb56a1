/** A plain interpreter of forms: the referee between the passes of the optimiser, and forms for it to judge. */
import fc from 'fast-check';
import { gather, type Gathered } from '../../../src/codegen/optimise/gather.ts';
import { arithmeticCost, type AtomNode, type Form, type FormNode } from '../../../src/codegen/optimise/form.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import {
  cos,
  fraction,
  integer,
  minus,
  plus,
  power,
  sin,
  sqrt,
  symbol,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { checkForm } from './check-form.ts';

export const [a, b, c, d, p] = ['a', 'b', 'c', 'd', 'p'].map((name) => symbol(`test.${name}`)) as [
  Expr,
  Expr,
  Expr,
  Expr,
  Expr,
];
/** Values of the symbols; `p` is a parameter. */
export const point: ReadonlyMap<Expr, number> = new Map([
  [a, 0.7],
  [b, -1.3],
  [c, 0.45],
  [d, 1.9],
  [p, 0.8],
]);

export function formOf(...roots: Expr[]): Form {
  return gathered(roots).form;
}

export function gathered(roots: readonly Expr[]): Gathered {
  return gather(roots, (e) => e === p);
}

/** Values of the roots, every coefficient and atom evaluated independently of generated code. */
export function valuesOf(form: Form): number[] {
  const values = new Map<FormNode, number>();
  for (const node of form.sorted()) {
    if (node.kind === 'atom') values.set(node, atomValue(node, values));
    else {
      let total = 0;
      for (const { negative, literal, factors } of node.terms.values()) {
        const coefficient = evaluate([literal.exact], point)[0]!;
        total += (negative ? -coefficient : coefficient) * factors.reduce((x, f) => x * values.get(f)!, 1);
      }
      values.set(node, total);
    }
  }
  return form.roots.map(({ node, negative }) => (negative ? -1 : 1) * values.get(node)!);
}

function atomValue(node: AtomNode, values: ReadonlyMap<FormNode, number>): number {
  const [x] = node.operands.map((operand) => (operand.negative ? -1 : 1) * values.get(operand.node)!);
  if (node.special === 'reciprocal') return 1 / x!;
  if (node.special === 'root') return Math.sqrt(x!);
  if (node.special === 'power') return x! ** evaluate([node.expression])[0]!;
  const e = node.expression;
  if (e.kind === 'symbol') return point.get(e)!;
  if (e.kind === 'call' && (e.name === 'sin' || e.name === 'cos')) return Math[e.name](x!);
  throw new Error(`no value for ${e.kind}`);
}

export function expectSame(found: readonly number[], expected: readonly number[]): void {
  found.forEach((value, i) => {
    const tolerance = 1e-11 * (1 + Math.abs(expected[i]!));
    if (!(Math.abs(value - expected[i]!) <= tolerance)) throw new Error(`${value} instead of ${expected[i]!}`);
  });
  if (found.length !== expected.length) throw new Error('not as many roots as before');
}

/** The form is in order, and its roots have the values of the expressions it was made of. */
export function expectKept(form: Form, roots: readonly Expr[]): void {
  checkForm(form);
  expectSame(valuesOf(form), evaluate(roots, point));
}

/** Runs passes, looks at the form after each, and counts what arithmetic is left. */
export function costAfter(roots: readonly Expr[], ...passes: ((form: Form) => void)[]): number {
  return arithmeticCost(formAfter(roots, ...passes));
}

export function formAfter(roots: readonly Expr[], ...passes: ((form: Form) => void)[]): Form {
  const form = formOf(...roots);
  expectKept(form, roots);
  for (const pass of passes) {
    pass(form);
    expectKept(form, roots);
  }
  return form;
}

/** Sums of products with much in common. */
export const polynomial: fc.Arbitrary<Expr> = fc.letrec<{ e: Expr }>((tie) => ({
  e: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<Expr>(a, b, c, d, p, sin(a), cos(a), sin(b), integer(2), fraction(-1, 3), cos(integer(2))),
    fc.array(tie('e'), { minLength: 2, maxLength: 4 }).map((list) => plus(...list)),
    fc.tuple(tie('e'), tie('e')).map(([x, y]) => minus(x, y)),
    fc.array(tie('e'), { minLength: 2, maxLength: 3 }).map((list) => times(...list)),
    tie('e').map((x) => power(x, 2)),
    tie('e').map((x) => times(x, power(plus(integer(3), cos(x)), -1))),
    tie('e').map((x) => sqrt(plus(integer(1), times(x, x)))),
  ),
})).e;

export const polynomials: fc.Arbitrary<Expr[]> = fc.array(polynomial, { minLength: 1, maxLength: 5 });
