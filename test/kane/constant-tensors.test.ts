import { describe, expect, it } from 'vitest';
import { separateModes } from '../../src/kane/points/constant-tensors.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  compare,
  cos,
  integer,
  plus,
  power,
  select,
  sin,
  sqrt,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { dependsOn } from '../../src/symbolic/graph/traverse.ts';
import type { Vector3 } from '../../src/symbolic/graph/vector.ts';

const [x, s, q, v] = ['x', 's', 'q', 'v'].map((name) => symbol(`test.${name}`)) as [Expr, Expr, Expr, Expr];
const material = new Set([x, s]);
const moving = new Set([q, v]);
const of = (...position: Vector3) => separateModes(position, material, moving);

/** Values on both sides of every condition below. */
const PLACES = [
  [0.3, 0.2, 0.7, -1.1],
  [-0.4, 0.9, -0.6, 0.8],
  [0.8, -0.5, 1.3, 0.4],
  [-0.2, -0.7, -1.4, -0.9],
].map((values) => new Map([x, s, q, v].map((e, i) => [e, values[i]!])));

const POSITIONS: readonly (readonly [string, Expr])[] = [
  ['products of sums', times(plus(x, times(s, q)), plus(cos(v), s))],
  ['a power of a sum', power(plus(x, times(s, q)), 3)],
  ['a condition of the point', select(compare('<', x, s), times(x, q), plus(s, v))],
  ['a condition of the coordinates', select(compare('<', q, v), times(x, q), plus(s, times(x, v)))],
  ['conditions of either kind', select(compare('<', x, zero), select(compare('<', q, zero), s, x), times(s, sin(q)))],
];

describe('modes of a position', () => {
  it.each(POSITIONS)(
    'of %s are of the point alone, their coefficients of the coordinates, and add up to it',
    (_, e) => {
      const terms = of(e, zero, times(e, q))!;
      expect(terms.length).toBeGreaterThan(1);
      for (const { mode, coefficient } of terms) {
        expect(dependsOn(mode, moving)).toBe(false);
        expect(coefficient.some((c) => dependsOn(c, material))).toBe(false);
      }
      for (const place of PLACES) {
        const sum = plus(...terms.map(({ mode, coefficient }) => times(mode, coefficient[2])));
        const [found, expected] = evaluate([sum, times(e, q)], place);
        expect(found).toBeCloseTo(expected!, 13);
      }
    },
  );

  it.each<readonly [string, Expr]>([
    ['a condition that compares the point with a coordinate', select(compare('<', x, q), x, s)],
    ['a function of both', sin(times(x, q))],
    ['a root of a sum of both', sqrt(plus(x, q))],
  ])('do not exist for %s', (_, e) => {
    expect(of(x, s, e)).toBeUndefined();
    expect(of(x, s, plus(e, integer(1)))).toBeUndefined();
  });
});
