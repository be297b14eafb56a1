import { describe, expect, it } from 'vitest';
import type { Decimal } from 'decimal.js';
import { lowerIndices, toMaterialForm, type MaterialForm } from '../../src/integration/exact/material-form.ts';
import { KanegenError } from '../../src/common/error.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  call,
  cos,
  divide,
  integer,
  minus,
  negate,
  one,
  plus,
  power,
  sin,
  sqrt,
  square,
  stumpff,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import type { Vector3 } from '../../src/symbolic/graph/vector.ts';

const [s, x, y] = [symbol('material.s'), symbol('material.x'), symbol('material.y')];
const [q, e, k, L] = [symbol('body.q'), symbol('body.e'), symbol('body.k'), symbol('body.L')];
const rod = { axial: s, section: [x, y] as const };
const configuration = new Set<Expr>([q, e, k]);
const Wide = decimalOfPrecision(80);

function rebuilt(form: MaterialForm): Vector3 {
  return [0, 1, 2].map((i) =>
    plus(
      ...form.map(({ function: f, coefficient }) =>
        times(
          coefficient[i]!,
          power(x, f.x),
          power(y, f.y),
          power(s, f.s + (f.order ?? 0)),
          f.order === undefined ? one : stumpff(f.order, times(f.argument!, square(s))),
        ),
      ),
    ),
  ) as unknown as Vector3;
}

/** Largest difference between a formula and its separated form at a generic point, to 60 digits. */
function mismatch(position: Vector3, form: MaterialForm): number {
  const values: [Expr, string][] = [
    [s, '0.137'],
    [x, '0.011'],
    [y, '-0.017'],
    [q, '0.83'],
    [e, '0.021'],
    [k, '-0.4'],
    [L, '0.2'],
  ];
  const bindings = new Map<Expr, Decimal>(values.map(([symbol_, text]) => [symbol_, new Wide(text)]));
  const [a, b] = [position, rebuilt(form)].map((v) => evaluateDecimal(v, bindings, Wide));
  return Math.max(...a!.map((value, i) => value.minus(b![i]!).abs().toNumber()));
}

const noPoles = (form: MaterialForm): boolean => {
  const bindings = new Map<Expr, Decimal>([
    [q, new Wide(0)],
    [e, new Wide(0)],
    [k, new Wide(0)],
    [L, new Wide('0.2')],
  ]);
  return form.every((t) => evaluateDecimal(t.coefficient, bindings, Wide).every((v) => v.isFinite()));
};

const theta = divide(times(q, s), L);
const planar: Vector3 = [
  plus(divide(times(plus(L, e), minus(one, cos(theta))), q), times(x, cos(theta))),
  y,
  minus(divide(times(plus(L, e), sin(theta)), q), times(x, sin(theta))),
];
const curvature = sqrt(plus(square(q), square(k)));
const angle = times(curvature, s);
const spatial: Vector3 = [
  divide(times(k, minus(one, cos(angle))), square(curvature)),
  negate(divide(times(q, minus(one, cos(angle))), square(curvature))),
  divide(sin(angle), curvature),
];

describe('the separated, regular form of a kinematics', () => {
  it.each<[string, Vector3]>([
    ['a planar arc with elongation, 0/0 at straight', planar],
    ['a spatial arc with the curvature as a square root', spatial],
    [
      'an angle written as a sum',
      [divide(minus(one, cos(plus(divide(times(q, s), L), divide(times(k, s), L)))), plus(q, k)), zero, s],
    ],
    ['a higher-order cancellation', [divide(minus(times(q, s), sin(times(q, s))), power(q, 3)), zero, s]],
    [
      'a pole in the coefficient alone',
      [times(x, divide(sin(q), q)), divide(times(y, minus(one, cos(q))), square(q)), s],
    ],
    ['a difference of an angle at s and at the tip', [divide(minus(cos(theta), cos(q)), q), zero, s]],
    ['a phase', [sin(plus(theta, k)), cos(minus(theta, k)), s]],
    ['a product of angles', [times(sin(theta), cos(theta)), square(cos(theta)), s]],
    [
      'a rotation as everybody writes it, cos + n² (1 − cos) with n = k/|κ|',
      [
        plus(cos(angle), times(square(divide(k, curvature)), minus(one, cos(angle)))),
        times(divide(times(q, k), square(curvature)), minus(one, cos(angle))),
        divide(times(k, sin(angle)), curvature),
      ],
    ],
    ['a pole inside a factor', [times(plus(L, e), plus(divide(one, q), negate(divide(cos(theta), q)))), zero, s]],
    ['a polynomial', [times(q, square(s)), plus(y, times(k, x, s)), s]],
  ])('equals the formula and has no pole: %s', (_, position) => {
    const form = toMaterialForm(position, rod, configuration);
    expect(mismatch(position, form)).toBeLessThan(1e-55);
    expect(noPoles(form)).toBe(true);
  });

  it('stays the same field when several indices are lowered', () => {
    // A planar arc as a constant-strain rod writes it: U_3 of the backbone and U_2 of the section both lower.
    const chi = square(q);
    const u = (order: number, coefficient: Vector3, monomial = { x: 0, y: 0, s: 0 }) => ({
      function: { ...monomial, order, argument: chi },
      coefficient,
    });
    const form: MaterialForm = [
      { function: { x: 0, y: 0, s: 1 }, coefficient: [e, zero, one] },
      u(2, [q, zero, negate(times(q, e))]),
      u(3, [negate(times(chi, e)), zero, negate(chi)]),
      { function: { x: 1, y: 0, s: 0 }, coefficient: [one, zero, zero] },
      u(2, [negate(chi), zero, zero], { x: 1, y: 0, s: 0 }),
    ];
    const lowered = lowerIndices(form);
    expect(lowered.length).toBeLessThan(form.length);
    expect(mismatch(rebuilt(form), lowered)).toBeLessThan(1e-55);
  });

  it('needs two Stumpff functions for the backbone of a planar arc', () => {
    const form = toMaterialForm(planar, rod, configuration);
    const orders = form.filter((t) => t.function.x + t.function.y === 0).map((t) => t.function.order);
    expect(orders.sort()).toEqual([1, 2]);
  });

  it.each<[string, Vector3, string]>([
    ['a pole that does not cancel', [divide(cos(theta), q), zero, s], 'irregular-kinematics'],
    ['a square root that is left over', [sin(angle), zero, s], 'irregular-kinematics'],
    ['a function outside the class', [call('exp', times(q, s)), zero, s], 'no-closed-form'],
    ['a quadratic angle', [sin(times(q, square(s))), zero, s], 'no-closed-form'],
    ['a division by a material coordinate', [divide(q, plus(one, s)), zero, s], 'no-closed-form'],
    ['too many terms', [power(plus(x, y, s, one), 14), zero, integer(0)], 'formula-too-large'],
  ])('is refused with a reason for %s', (_, position, code) => {
    try {
      toMaterialForm(position, rod, configuration);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(KanegenError);
      expect((error as KanegenError).code).toBe(code);
      expect((error as KanegenError).remedy).toBeTruthy();
    }
  });
});
