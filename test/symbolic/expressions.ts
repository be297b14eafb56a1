/** Random expressions for property tests, with a numeric point at which they are well conditioned. */
import fc from 'fast-check';
import {
  call,
  cos,
  plus,
  power,
  select,
  compare,
  sin,
  stumpff,
  symbol,
  times,
  integer,
  fraction,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';

export const variables = [symbol('test.a'), symbol('test.b'), symbol('test.c')] as const;

const leaf: fc.Arbitrary<Expr> = fc.oneof(
  fc.constantFrom<Expr>(...variables),
  fc.integer({ min: -3, max: 3 }).map((n) => integer(n)),
  fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 1, max: 7 })).map(([n, d]) => fraction(n, d)),
);

/** Smooth expressions of bounded size; no poles, since denominators are 2 + squares. */
export const smoothExpression: fc.Arbitrary<Expr> = fc.letrec<{ node: Expr }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((list) => plus(...list)),
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((list) => times(...list)),
    tie('node').map((e) => power(plus(integer(2), power(e, 2)), -1)),
    tie('node').map((e) => power(plus(integer(1), power(e, 2)), { numerator: 1n, denominator: 2n })),
    tie('node').map(sin),
    tie('node').map(cos),
    tie('node').map((e) => call('atan', e)),
    fc.tuple(fc.integer({ min: 0, max: 6 }), tie('node')).map(([k, e]) => stumpff(k, power(e, 2))),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => select(compare('<', variables[0], integer(0)), a, b)),
  ),
})).node;

export const point: fc.Arbitrary<readonly [number, number, number]> = fc.tuple(
  ...([0, 1, 2].map(() => fc.double({ min: 0.1, max: 1.2, noNaN: true })) as [
    fc.Arbitrary<number>,
    fc.Arbitrary<number>,
    fc.Arbitrary<number>,
  ]),
);
