import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decimal } from 'decimal.js';
import {
  compare,
  divide,
  integer,
  minus,
  one,
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
import { internedCount } from '../../src/symbolic/graph/interning.ts';
import { differentiate, directionalDerivative, gradient } from '../../src/symbolic/graph/differentiate.ts';
import {
  decimalOfPrecision,
  evaluate,
  evaluateDecimal,
  exactDecimal,
  foldConstant,
  stumpffDecimal,
} from '../../src/symbolic/evaluation/evaluate.ts';
import { point, smoothExpression, variables } from './expressions.ts';

const Wide = decimalOfPrecision(60);
const [a, b] = variables;

/** Central difference quotient with a step of 1e-20, in 60 digits. */
function differenceQuotient(e: Expr, p: readonly number[], direction: readonly number[]): Decimal {
  const step = new Wide('1e-20');
  const at = (sign: number): Decimal =>
    evaluateDecimal(
      [e],
      new Map(variables.map((v, i) => [v as Expr, new Wide(p[i]!).plus(step.times(sign * direction[i]!))])),
      Wide,
    )[0]!;
  return at(1).minus(at(-1)).div(step.times(2));
}

describe('derivatives', () => {
  it('agree with difference quotients in high precision, forward and reverse', () => {
    fc.assert(
      fc.property(smoothExpression, point, (e, p) => {
        const bindings = new Map<Expr, number>(variables.map((v, i) => [v, p[i]!]));
        const reverse = evaluate(gradient(e, variables), bindings);
        variables.forEach((v, i) => {
          const [forward] = evaluate([differentiate(e, v)], bindings);
          const exact = differenceQuotient(
            e,
            p,
            variables.map((_, j) => (i === j ? 1 : 0)),
          ).toNumber();
          const tolerance = 1e-8 * (1 + Math.abs(exact));
          expect(Math.abs(forward! - exact)).toBeLessThan(tolerance);
          expect(Math.abs(reverse[i]! - exact)).toBeLessThan(tolerance);
        });
      }),
      { numRuns: 150, seed: 2 },
    );
  });

  it('along a direction are linear in it', () => {
    const e = times(sin(times(a, b)), power(b, 3));
    const [d] = directionalDerivative(
      [e],
      new Map<Expr, Expr>([
        [a, integer(2)],
        [b, integer(-1)],
      ]),
    );
    const expected = minus(times(integer(2), differentiate(e, a)), differentiate(e, b));
    const bindings = new Map<Expr, number>([
      [a, 0.3],
      [b, 0.7],
    ]);
    expect(evaluate([d!], bindings)[0]).toBeCloseTo(evaluate([expected], bindings)[0]!, 14);
  });

  it('never touch the branch not taken', () => {
    // 1/a is infinite at a = 0; the branch taken there is smooth.
    const e = select(compare('<', zero, a), divide(one, a), times(b, a));
    const bindings = new Map<Expr, number>([
      [a, 0],
      [b, 5],
    ]);
    expect(evaluate([e, differentiate(e, a), differentiate(e, b), ...gradient(e, [a, b])], bindings)).toEqual([
      0, 5, 0, 5, 0,
    ]);
  });

  it('of Stumpff functions are Stumpff functions', () => {
    const x = symbol('test.x');
    for (let k = 0; k < 8; k++) {
      const d = differentiate(stumpff(k, x), x);
      for (const value of [0, 1e-9, 0.5, 12]) {
        const h = new Wide('1e-20');
        const exact = stumpffDecimal(new Wide(value).plus(h), k, Wide)
          .minus(stumpffDecimal(new Wide(value).minus(h), k, Wide))
          .div(h.times(2));
        expect(evaluate([d], new Map<Expr, number>([[x, value]]))[0]).toBeCloseTo(exact.toNumber(), 13);
      }
    }
  });

  it('of cost that does not grow with the depth of sharing', () => {
    let e: Expr = a;
    for (let i = 0; i < 200; i++) e = sin(plus(times(e, e), a));
    const before = internedCount();
    const d = differentiate(e, a);
    expect(internedCount() - before).toBeLessThan(200 * 8);
    expect(evaluate([d], new Map<Expr, number>([[a, 0.25]]))[0]).toBeCloseTo(
      differenceQuotient(e, [0.25, 0, 0], [1, 0, 0]).toNumber(),
      10,
    );
  });
});

describe('doubles', () => {
  it('become exactly the number they are', () => {
    expect(exactDecimal(0.1, Wide).toString()).toBe('0.1000000000000000055511151231257827021181583404541015625');
    expect(exactDecimal(-3, Wide).toString()).toBe('-3');
    expect(() => exactDecimal(NaN, Wide)).toThrow(RangeError);
  });
});

describe('constants', () => {
  it('are rounded once', () => {
    expect(foldConstant(plus(divide(one, integer(3)), divide(one, integer(7))))).toBe(10 / 21);
    expect(foldConstant(sin(one))).toBe(0.8414709848078965);
  });
});
