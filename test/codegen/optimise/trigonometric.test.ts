/** Squares of rotations: merged where the pair is a turned one, left alone where a sign or a factor says otherwise. */
import { describe, expect, it } from 'vitest';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import type { Form } from '../../../src/codegen/optimise/form.ts';
import { mergeTrigonometric } from '../../../src/codegen/optimise/trigonometric.ts';
import {
  cos,
  decimal,
  fraction,
  integer,
  minus,
  minusOne,
  negate,
  one,
  plus,
  power,
  sin,
  square,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { a, b, c, costAfter, d, formAfter, p } from './evaluate-form.ts';

const merged = (...roots: Expr[]): Form => formAfter(roots, flatten, mergeTrigonometric, flatten);
const angle = c;

/** Are sines and cosines gone? */
const isMerged = (form: Form): boolean =>
  form.sorted().every((node) => node.kind !== 'atom' || node.expression.kind !== 'call');

const signs = [one, minusOne];
const combinations = signs.flatMap((s1) =>
  signs.flatMap((s2) => signs.flatMap((s3) => signs.map((s4): [Expr, Expr, Expr, Expr] => [s1, s2, s3, s4]))),
);

describe('squares of a pair', () => {
  const pairs: readonly [string, Expr, Expr][] = [
    ['plain', a, b],
    ['scaled', times(integer(3), a), times(fraction(2, 7), b)],
    ['with parameters', times(p, a), times(p, p, b)],
    ['of products', times(a, d), times(b, square(d))],
    ['without one of its factors', integer(2), b],
  ];

  it.each(pairs)('are merged when the signs are those of a rotation, and only then: %s', (_, A, B) => {
    for (const [s1, s2, s3, s4] of combinations)
      for (const common of [one, times(integer(5), d)])
        for (const sign of signs) {
          const x = plus(times(s1, cos(angle), A), times(s2, sin(angle), B));
          const y = plus(times(s3, cos(angle), B), times(s4, sin(angle), A));
          const isRotation = (s1 === s2) !== (s3 === s4);
          const whole = plus(times(common, square(x)), times(sign, common, square(y)), d);
          expect(isMerged(merged(whole))).toBe(isRotation && sign === one);
        }
  });

  const [x, y] = [plus(times(cos(c), a), times(sin(c), b)), minus(times(cos(c), b), times(sin(c), a))];

  /** Over other symbols the same terms stand in another order. */
  const permutations = [a, b, c, d].flatMap((first) =>
    [a, b, c, d].flatMap((second) =>
      [a, b, c, d].flatMap((third) => {
        const [fourth] = [a, b, c, d].filter((e) => ![first, second, third].includes(e));
        const isWhole = new Set([first, second, third, fourth]).size === 4;
        return isWhole ? [[first, second, third, fourth!] as const] : [];
      }),
    ),
  );
  type Case = (x: Expr, y: Expr, s: readonly [Expr, Expr, Expr, Expr]) => Expr;
  it.each<[string, Case]>([
    ['of different coefficients', (X, Y) => plus(times(integer(2), square(X)), times(integer(3), square(Y)))],
    ['of different parameters', (X, Y) => plus(times(p, square(X)), square(Y))],
    ['with different factors', (X, Y, [A, B]) => plus(times(A, square(X)), times(B, square(Y)))],
    ['with more factors on one side', (X, Y, [A]) => plus(times(A, square(X)), square(Y))],
    ['with fewer factors on one side', (X, Y, [A]) => plus(square(X), times(A, square(Y)))],
    [
      'with different angles',
      (X, _, [A, B, , D]) => plus(square(X), square(minus(times(cos(D), B), times(sin(D), A)))),
    ],
    [
      'with the same vector twice',
      (X, _, [, B, C]) => plus(square(X), square(plus(times(cos(C), B), times(sin(C), B)))),
    ],
    [
      'with another second entry',
      (X, _, [A, , C, D]) => plus(square(X), square(minus(times(cos(C), D), times(sin(C), A)))),
    ],
    [
      'with another first entry',
      (X, _, [, B, C, D]) => plus(square(X), square(minus(times(cos(C), B), times(sin(C), D)))),
    ],
    [
      'with another number of factors',
      (X, _, [A, B, C, D]) => plus(square(X), square(minus(times(cos(C), B, D), times(sin(C), A)))),
    ],
    [
      'of another size',
      (X, _, [A, B, C]) => plus(square(X), square(minus(times(integer(2), cos(C), B), times(sin(C), A)))),
    ],
    ['of three terms', (X, Y, [, , , D]) => plus(square(plus(X, D)), square(Y))],
    ['against three terms', (X, Y, [, , , D]) => plus(square(X), square(plus(Y, D)))],
    ['of two cosines', (_, Y, [A, B, C]) => plus(square(plus(times(cos(C), A), times(cos(C), B))), square(Y))],
    ['where only one is a square', (X, Y) => plus(square(X), Y)],
    ['without its cosine', (_, Y, [A, B, C]) => plus(square(plus(A, times(sin(C), B))), square(Y))],
    ['without its sine', (_, Y, [A, B, C]) => plus(square(plus(times(cos(C), A), B)), square(Y))],
    ['without the other cosine', (X, _, [A, B, C]) => plus(square(X), square(minus(B, times(sin(C), A))))],
    ['without the other sine', (X, _, [A, B, C]) => plus(square(X), square(minus(times(cos(C), B), A)))],
    ['against a symbol', (X, _, [A]) => plus(square(X), square(A))],
    ['of symbols', (X, _, [A, B]) => plus(square(A), square(B), X)],
    ['of the pair crossed', (X, Y) => times(X, Y)],
    ['of sine and cosine in one term', (_, Y, [A, B, C]) => plus(square(plus(times(sin(C), cos(C), A), B)), square(Y))],
  ])('are left alone %s', (_, make) => {
    for (const symbols of permutations) {
      const [A, B, C] = symbols;
      const [X, Y] = [plus(times(cos(C), A), times(sin(C), B)), minus(times(cos(C), B), times(sin(C), A))];
      expect(isMerged(merged(make(X, Y, symbols)))).toBe(false);
    }
  });

  it('are merged wherever they occur, factors in common or higher powers included', () => {
    expect(isMerged(merged(plus(times(power(d, 3), square(x)), times(power(d, 3), square(y)))))).toBe(true);
    expect(isMerged(merged(plus(square(x), square(y)), times(plus(square(x), square(y)), d)))).toBe(true);
    // x⁴ + x² y² = x² (x² + y²)
    const form = merged(plus(power(x, 4), times(square(x), square(y))));
    expect([...form.roots].map(({ node }) => node.kind === 'sum' && node.terms.size)).toEqual([2]);
  });

  it('cost what is left of them', () => {
    expect(costAfter([plus(square(x), square(y), d)], flatten, mergeTrigonometric, flatten)).toBe(4);
  });

  it('see the sign of an angle that becomes known only when sums are opened', () => {
    // a − (a + b) is −b: its sine is that of b with the other sign.
    const hidden = minus(a, plus(a, b));
    const back = sin(hidden);
    const even = plus(times(cos(hidden), c), times(sin(b), d));
    for (const sign of signs) {
      const other = plus(times(cos(b), d), times(sign, sin(b), c));
      merged(plus(square(even), square(other)));
    }
    for (const sign of signs) {
      const x1 = plus(times(cos(b), c), times(back, d));
      const y1 = plus(times(cos(b), d), times(sign, sin(b), c));
      expect(isMerged(merged(plus(square(x1), square(y1))))).toBe(sign === one);
    }
  });
});

describe('squares of sine and cosine', () => {
  it('are one, with equal coefficients', () => {
    for (const common of [one, integer(3), decimal(-0.4), p, times(a, p), square(a)]) {
      const form = merged(plus(times(common, square(sin(b))), times(common, square(cos(b)))));
      expect(isMerged(form)).toBe(true);
    }
  });

  it('leave one square with different coefficients, in either order', () => {
    const square1 = square(sin(b));
    const square2 = square(cos(b));
    for (const [l, m] of [
      [integer(5), integer(2)],
      [integer(-5), integer(2)],
      [p, integer(2)],
      [integer(2), negate(p)],
      [one, minusOne],
    ] as const) {
      expect(costAfter([plus(times(l, square1), times(m, square2))], flatten, mergeTrigonometric)).toBe(3);
      expect(costAfter([plus(times(l, square2), times(m, square1))], flatten, mergeTrigonometric)).toBe(3);
    }
  });

  it('stay where angles or factors differ', () => {
    for (const whole of [
      plus(square(sin(a)), square(cos(b))),
      plus(square(cos(a)), square(sin(b))),
      plus(times(a, square(sin(b))), square(cos(b))),
      plus(times(b, square(sin(a))), square(cos(a))),
      plus(square(sin(d)), times(square(d), square(cos(d)))),
      plus(square(cos(a)), times(d, square(sin(a)))),
      plus(times(a, square(sin(b))), times(d, square(cos(b)))),
      plus(square(sin(b)), square(sin(a))),
      plus(square(cos(b)), square(cos(a))),
    ])
      expect(isMerged(merged(whole))).toBe(false);
  });

  it('are found in products with other squares, one after the other', () => {
    const whole = plus(
      times(square(sin(a)), square(sin(b))),
      times(square(sin(a)), square(cos(b))),
      times(square(cos(a)), square(sin(b))),
      times(square(cos(a)), square(cos(b))),
    );
    expect(isMerged(merged(whole))).toBe(true);
  });
});
