import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  call,
  compare,
  cos,
  divide,
  integer,
  logic,
  minus,
  one,
  pi,
  plus,
  power,
  select,
  sin,
  stumpff,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { evaluateRows, RowProgram } from '../../src/symbolic/evaluation/evaluate-rows.ts';
import { point, smoothExpression, variables } from './expressions.ts';

const [a, b, c] = variables;

describe('evaluation over columns', () => {
  it('gives what evaluation of single states gives, row by row', () => {
    fc.assert(
      fc.property(
        fc.array(smoothExpression, { minLength: 1, maxLength: 4 }),
        fc.array(point, { minLength: 1, maxLength: 6 }),
        (values, points) => {
          const columns = new Map<Expr, Float64Array>([
            [a, Float64Array.from(points, (p) => p[0])],
            [b, Float64Array.from(points, (p) => p[1])],
          ]);
          const scalars = new Map<Expr, number>([[c, points[0]![2]]]);
          const results = evaluateRows(values, columns, scalars, points.length);
          points.forEach((p, row) => {
            const bindings = new Map<Expr, number>([
              [a, p[0]],
              [b, p[1]],
              [c, points[0]![2]],
            ]);
            evaluate(values, bindings).forEach((expected, i) => {
              expect(Math.abs(results[i]![row]! - expected)).toBeLessThanOrEqual(1e-11 * (1 + Math.abs(expected)));
            });
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('covers every kind of node over more rows than fit a block', () => {
    const x = symbol('test.x');
    const t = symbol('test.t');
    const condition = logic(
      'or',
      logic('not', compare('<', x, t)),
      logic('and', compare('<=', x, one), compare('<', zero, t)),
    );
    const values = [
      select(condition, call('exp', x), call('log', plus(x, integer(3)))),
      call('atan2', x, t),
      call('atan2', t, x),
      call('pow', plus(x, integer(3)), t),
      plus(stumpff(0, x), stumpff(7, x), stumpff(3, times(integer(4), x))),
      stumpff(5, t),
      power(plus(x, integer(3)), { numerator: -3n, denominator: 2n }),
      power(plus(x, integer(3)), { numerator: 1n, denominator: 3n }),
      divide(power(x, 3), plus(t, integer(5))),
      call('abs', minus(x, one)),
      times(pi, t),
      x,
      select(compare('<', t, zero), x, t),
      select(compare('==', x, x), x, t),
    ];
    const rows = 1777;
    const column = Float64Array.from({ length: rows }, (_, i) => -0.9 + (11 * i) / rows);
    const scalars = new Map<Expr, number>([[t, 0.7]]);
    const results = evaluateRows(values, new Map([[x, column]]), scalars, rows);
    for (let row = 0; row < rows; row += 59) {
      const expected = evaluate(
        values,
        new Map<Expr, number>([
          [x, column[row]!],
          [t, 0.7],
        ]),
      );
      expected.forEach((value, i) => {
        expect(Math.abs(results[i]![row]! - value)).toBeLessThanOrEqual(1e-13 * (1 + Math.abs(value)));
      });
    }
  });

  it('takes sums and products of any length, and powers that several of them share', () => {
    const others = Array.from({ length: 9 }, (_, k) => plus(b, integer(k + 1)));
    const base = plus(times(a, a), integer(2));
    const toThe = (numerator: bigint, denominator = 1n): Expr => power(base, { numerator, denominator });
    const values: Expr[] = [];
    for (let length = 1; length <= others.length; length++) {
      const some = others.slice(0, length);
      const weighed = some.map((e, k) => times(integer(k + 2), sin(e)));
      values.push(plus(...weighed), plus(integer(7), c, ...weighed));
      for (const exponent of [toThe(1n), toThe(2n), toThe(3n), toThe(5n), toThe(9n), toThe(1n, 2n)])
        values.push(times(exponent, ...some), times(c, exponent, ...some), divide(times(...some), exponent));
      values.push(times(toThe(-3n, 2n), power(sin(others[0]!), -2), power(cos(a), -1), ...some), toThe(-7n, 3n));
    }
    const rows = 530;
    const columns = new Map<Expr, Float64Array>([
      [a, Float64Array.from({ length: rows }, (_, i) => Math.sin(i))],
      [b, Float64Array.from({ length: rows }, (_, i) => Math.cos(3 * i) / 3)],
    ]);
    const results = evaluateRows(values, columns, new Map([[c, 0.7]]), rows);
    for (let row = 0; row < rows; row += 23) {
      const bindings = new Map<Expr, number>([
        [a, columns.get(a)![row]!],
        [b, columns.get(b)![row]!],
        [c, 0.7],
      ]);
      evaluate(values, bindings).forEach((expected, i) => {
        expect(Math.abs(results[i]![row]! - expected)).toBeLessThanOrEqual(1e-13 * Math.max(1, Math.abs(expected)));
      });
    }
  });

  it('drops what the branch not taken makes of a row', () => {
    const bump = select(
      compare('<', call('abs', a), one),
      call('exp', divide(integer(-1), minus(one, power(a, 2)))),
      zero,
    );
    const [values] = evaluateRows([bump], new Map([[a, Float64Array.of(-2, -1, 0, 1, 2)]]), new Map(), 5);
    expect([...values!]).toEqual([0, 0, Math.exp(-1), 0, 0]);
  });

  it('can be repeated with other columns and scalars', () => {
    const program = new RowProgram([plus(times(a, c), sin(times(b, cos(a))))], [a, b]);
    for (const scale of [1, 2]) {
      const columns = new Map<Expr, Float64Array>([
        [a, Float64Array.of(0.1 * scale, 0.2)],
        [b, Float64Array.of(0.3, 0.4 * scale)],
      ]);
      program.run(columns, new Map([[c, scale]]), 2, (_, count, [register]) => {
        expect(count).toBe(2);
        expect(register![0]).toBeCloseTo(0.1 * scale * scale + Math.sin(0.3 * Math.cos(0.1 * scale)), 15);
        expect(register![1]).toBeCloseTo(0.2 * scale + Math.sin(0.4 * scale * Math.cos(0.2)), 15);
      });
    }
  });

  it('says which symbol has no value', () => {
    expect(() => evaluateRows([plus(a, c)], new Map([[a, Float64Array.of(1)]]), new Map(), 1)).toThrow(
      'no value for test.c',
    );
  });
});
