/** Forms lowered to binary operations: the same values, in the order of stages, signs carried outwards. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Operation, Stage } from '../../../src/codegen/operations/operation.ts';
import { OperationTable } from '../../../src/codegen/operations/operation-table.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import { arithmeticCost } from '../../../src/codegen/optimise/form.ts';
import { lower } from '../../../src/codegen/optimise/lower.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import {
  call,
  compare,
  cos,
  divide,
  integer,
  logic,
  minus,
  negate,
  plus,
  power,
  select,
  sin,
  sqrt,
  stumpff,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { a, b, c, d, expectSame, formOf, p, point, polynomials } from './evaluate-form.ts';

/** Parameters first, then a and b, then c, then d. */
const STAGES = new Map<Expr, Stage>([
  [p, 0],
  [a, 1],
  [b, 1],
  [c, 2],
  [d, 3],
]);

function lowered(...roots: Expr[]): readonly Operation[] {
  const form = formOf(...roots);
  return lowerForm(form);
}

function lowerForm(form: ReturnType<typeof formOf>): readonly Operation[] {
  const table = new OperationTable();
  let index = 0;
  const input = (symbol: Expr): Operation =>
    table.input({ symbol, place: { buffer: 'x', index: index++ }, stage: STAGES.get(symbol)! });
  const parameter = (exact: Expr): Operation =>
    table.input({ symbol: exact, place: { buffer: 'p', index: exact.id }, stage: 0 } as never);
  return lower(form, table, { input, coefficient: (exact) => ({ negative: false, operation: parameter(exact) }) })
    .roots;
}

/** As it would be computed, one operation after the other. */
function valueOf(o: Operation): number {
  switch (o.kind) {
    case 'number':
      return o.value;
    case 'input':
      return evaluate([o.symbol], point)[0]!;
    case 'add':
      return valueOf(o.left) + valueOf(o.right);
    case 'subtract':
      return valueOf(o.left) - valueOf(o.right);
    case 'multiply':
      return valueOf(o.left) * valueOf(o.right);
    case 'divide':
      return valueOf(o.left) / valueOf(o.right);
    case 'negate':
      return -valueOf(o.operand);
    case 'sqrt':
      return Math.sqrt(valueOf(o.operand));
    case 'call':
      return (Math as unknown as Record<string, (...x: number[]) => number>)[o.name]!(...o.operands.map(valueOf));
    case 'array':
    case 'compare':
    case 'logic':
    case 'result':
    case 'select':
    case 'stumpff':
      throw new Error(`no value for ${o.kind}`);
  }
}

/** Readable: p, a, b, c, d and numbers with operators, fully bracketed. */
function text(o: Operation): string {
  const operators: Partial<Record<Operation['kind'], string>> = { add: '+', subtract: '-', multiply: '*', divide: '/' };
  if (o.kind === 'number') return String(o.value);
  if (o.kind === 'input') return o.symbol.kind === 'symbol' ? o.symbol.name.replace('test.', '') : 'P';
  if (o.kind === 'negate') return `-${text(o.operand)}`;
  if (o.kind === 'sqrt') return `sqrt ${text(o.operand)}`;
  if (o.kind === 'call') return `${o.name}(${o.operands.map(text).join(', ')})`;
  if ('left' in o && operators[o.kind]) return `(${text(o.left)} ${operators[o.kind]!} ${text(o.right)})`;
  return o.kind;
}

const lines = (...roots: Expr[]): string[] => lowered(...roots).map(text);

describe('lowering', () => {
  it('keeps the values of random expressions, with as many operations as were counted', () => {
    fc.assert(
      fc.property(polynomials, fc.boolean(), (roots, isFlat) => {
        const form = formOf(...roots);
        if (isFlat) flatten(form);
        const counted = arithmeticCost(form);
        const operations = lowerForm(form);
        expectSame(operations.map(valueOf), evaluate(roots, point));
        const seen = new Set<Operation>();
        const visit = (o: Operation): void => {
          if (seen.has(o)) return;
          seen.add(o);
          if ('left' in o) [o.left, o.right].forEach(visit);
          else if ('operand' in o) visit(o.operand);
          else if ('operands' in o) o.operands.forEach(visit);
        };
        operations.forEach(visit);
        const arithmetic = [...seen].filter((o) => ['add', 'subtract', 'multiply', 'divide'].includes(o.kind));
        expect(arithmetic.length).toBeLessThanOrEqual(counted);
      }),
      { numRuns: 80, seed: 2 },
    );
  });

  it('combines what is known first, in sums and in products', () => {
    expect(lines(plus(d, c, b))).toEqual(['((b + c) + d)']);
    expect(lines(times(d, c, b, a))).toEqual(['(((a * b) * c) * d)']);
    expect(lines(times(integer(3), d, a))).toEqual(['((3 * a) * d)']);
    expect(lines(times(p, d, b))).toEqual(['((p * b) * d)']);
    expect(lines(plus(times(d, c), times(a, b)))).toEqual(['((a * b) + (c * d))']);
  });

  it('adds bare coefficients and bare values before products', () => {
    expect(lines(plus(times(a, b), a))).toEqual(['(a + (a * b))']);
    expect(lines(plus(times(integer(3), a), b))).toEqual(['(b + (3 * a))']);
    expect(lines(plus(times(integer(3), d), integer(7)))).toEqual(['(7 + (3 * d))']);
    expect(lines(plus(d, a, integer(7)))).toEqual(['((7 + a) + d)']);
    expect(lines(plus(d, integer(7)))).toEqual(['(7 + d)']);
  });

  it('makes signs subtractions and takes them outward', () => {
    expect(lines(minus(a, c))).toEqual(['(a - c)']);
    expect(lines(negate(plus(a, c)))).toEqual(['-(a + c)']);
    expect(lines(times(negate(a), negate(b)))).toEqual(['(a * b)']);
    expect(lines(times(integer(-3), a, c))).toEqual(['-((3 * a) * c)']);
    expect(lines(plus(times(negate(plus(a, c)), d), a))).toEqual(['(a - ((a + c) * d))']);
  });

  it('divides by what is inverted for one product only', () => {
    expect(lines(divide(a, b))).toEqual(['(a / b)']);
    expect(lines(divide(d, a))).toEqual(['((1 / a) * d)']);
    expect(lines(divide(a, d))).toEqual(['(a / d)']);
    expect(lines(divide(integer(3), b))).toEqual(['(3 / b)']);
    expect(lines(divide(integer(1), b))).toEqual(['(1 / b)']);
    expect(lines(divide(negate(a), plus(b, c)))).toEqual(['-(a / (b + c))']);
    expect(lines(divide(a, negate(plus(b, c))))).toEqual(['-(a / (b + c))']);
    expect(lines(divide(a, b), divide(c, b))).toEqual(['(a * (1 / b))', '((1 / b) * c)']);
    expect(lines(divide(times(a, c), times(b, d)))).toEqual(['(((a / b) * c) / d)']);
  });

  it('lowers roots, powers and functions of signed operands', () => {
    expect(lines(sqrt(plus(a, b)))).toEqual(['sqrt (a + b)']);
    expect(lines(power(a, { numerator: 1n, denominator: 3n }))).toEqual([`pow(a, ${1 / 3})`]);
    expect(lines(call('exp', negate(a)))).toEqual(['exp(-a)']);
    // a − (a + b) is −b, which shows only when the sums are opened.
    const hidden = minus(a, plus(a, b));
    const form = formOf(sin(hidden), cos(hidden), call('exp', hidden), divide(integer(1), hidden));
    flatten(form);
    expect(lowerForm(form).map(text)).toEqual(['-sin(b)', 'cos(b)', 'exp(-b)', '-(1 / b)']);
  });

  it('lowers numbers and coefficients that stand alone', () => {
    expect(lines(integer(0), integer(5), integer(-5), p, negate(p))).toEqual(['0', '5', '-5', 'p', '-p']);
    expect(lines(times(p, plus(p, integer(1)), a))).toEqual(['(P * a)']);
  });

  it('lowers choices and the conditions they depend on', () => {
    const condition = logic('and', compare('<', a, b), logic('not', compare('<=', c, integer(2))));
    const [choice] = lowered(select(condition, sin(a), stumpff(3, c)));
    if (choice!.kind !== 'select') throw new Error('a choice expected');
    const { then, otherwise } = choice;
    expect([text(then), otherwise.kind]).toEqual(['sin(a)', 'stumpff']);
    expect(otherwise).toMatchObject({ order: 3, argument: { kind: 'input' } });
    const both = choice.condition;
    if (both.kind !== 'logic') throw new Error('logic expected');
    expect(both.operator).toBe('and');
    expect(both.operands.map((o) => o.kind).sort()).toEqual(['compare', 'logic']);
    const less = both.operands.find((o) => o.kind === 'compare')!;
    expect(less).toMatchObject({ operator: '<' });
    if (less.kind === 'compare') expect([text(less.left), text(less.right)]).toEqual(['a', 'b']);
  });
});

describe('what is known of numbers alone', () => {
  const two = integer(2);

  it('is a number, whatever the operation', () => {
    const x = minus(a, plus(a, two)); // −2, which shows only when the sums are opened
    const constants = [
      divide(integer(1), x),
      divide(two, power(x, 3)),
      sqrt(negate(x)),
      call('exp', x),
      call('atan2', x, two),
      power(negate(x), { numerator: 1n, denominator: 3n }),
      sin(x),
      cos(x),
      stumpff(2, times(x, x)),
      select(compare('<', x, integer(0)), sin(x), integer(7)),
      select(logic('not', compare('==', x, integer(-2))), integer(5), times(x, x)),
    ];
    const form = formOf(...constants, times(b, divide(two, x)));
    flatten(form);
    const [product, ...numbers] = [...lowerForm(form)].reverse();
    expect(numbers.every((o) => o.kind === 'number' || (o.kind === 'negate' && o.operand.kind === 'number'))).toBe(
      true,
    );
    const expected = [-1 / 2, -1 / 4, Math.SQRT2, Math.exp(-2), -Math.PI / 4, Math.cbrt(2), -Math.sin(2), Math.cos(2)];
    expectSame(numbers.reverse().map(valueOf), [...expected, (1 - Math.cos(2)) / 4, -Math.sin(2), 4]);
    expect(text(product!)).toBe('-b');
  });

  it('stays an operation where it has no value', () => {
    const form = formOf(divide(integer(1), plus(minus(a, plus(a, two)), two)));
    flatten(form);
    expect(lowerForm(form).map((o) => o.kind)).toEqual(['divide']);
  });
});
