import { describe, expect, it } from 'vitest';
import { discRule, LARGEST_DISC_DEGREE } from '../../src/integration/rules/disc-rules.ts';
import { productRule } from '../../src/integration/rules/rule-factor.ts';
import { sectionMoment, type SectionShape } from '../../src/integration/exact/section.ts';
import { VolumeIntegrals } from '../../src/integration/rules/volume-integrals.ts';
import { volumeLayout, type BoxDomain, type RodDomain } from '../../src/integration/rules/volume-layout.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  cos,
  decimal,
  divide,
  fraction,
  integer,
  minus,
  one,
  pi,
  plus,
  power,
  sin,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../src/symbolic/graph/expr.ts';

const s = symbol('material.s');
const [x, y] = [symbol('material.x'), symbol('material.y')] as const;
const [r, phi] = [symbol('material.r'), symbol('material.phi')] as const;
const L = symbol('body.L');
const a = symbol('body.a');
const parameters = new Map<Expr, number>([
  [L, 0.3],
  [a, 0.11],
]);
const location = { file: '', line: 0, column: 0, path: 'body' };

/** Radius that grows along the rod. */
const radius = plus(decimal(0.02), times(decimal(0.1), s));
const shapes: readonly SectionShape[] = [
  { shape: 'disc', radius },
  { shape: 'annulus', innerRadius: times(decimal(0.4), radius), outerRadius: radius },
  { shape: 'annulus', innerRadius: times(a, decimal(0.1)), outerRadius: radius },
  { shape: 'ellipse', semiAxisX: radius, semiAxisY: times(decimal(0.7), radius) },
  { shape: 'rectangle', width: radius, height: times(decimal(0.7), radius) },
];

/** ∫_0.05^L s^j ∫ x^i y^k dA ds · 800, the section exact, along s by Simpson's rule on a polynomial. */
function exactMoment(shape: SectionShape, i: number, k: number): number {
  const cells = 2000;
  const [low, high] = [0.05, parameters.get(L)!];
  let sum = 0;
  for (let c = 0; c <= cells; c++) {
    const at = low + ((high - low) * c) / cells;
    const [value] = evaluate([times(s, sectionMoment(shape, i, k))], new Map([...parameters, [s, at]]));
    sum += value! * (c === 0 || c === cells ? 1 : c % 2 === 1 ? 4 : 2);
  }
  return (800 * sum * (high - low)) / (3 * cells);
}

function integrate(volume: RodDomain | BoxDomain, integrands: readonly Expr[], order: number): Float64Array {
  const layout = volumeLayout(volume, location);
  const rule = productRule(layout.factors.map((factor) => factor.rule(order)));
  return new VolumeIntegrals(layout, integrands, 1e-11).sums(rule, parameters);
}

function rod(
  shape: SectionShape,
  coordinates: 'cartesian' | 'polar',
  breaks: RodDomain['breaks'] = new Map(),
): RodDomain {
  const section = coordinates === 'polar' ? ([r, phi] as const) : ([x, y] as const);
  return {
    kind: 'rod',
    axial: s,
    section,
    coordinates,
    start: decimal(0.05),
    end: L,
    shape,
    density: integer(800),
    breaks,
  };
}

const EXPONENTS = [
  [0, 0],
  [2, 0],
  [0, 2],
  [1, 0],
  [1, 1],
  [4, 2],
] as const;

describe('rules on the unit disc', () => {
  it('average polynomials up to their degree, with positive weights inside', () => {
    for (let degree = 1; degree <= LARGEST_DISC_DEGREE; degree++) {
      const { points, weights } = discRule(degree);
      expect(weights.every((w) => w > 0)).toBe(true);
      expect(points.every(([px, py]) => Math.hypot(px!, py!) <= 1)).toBe(true);
      for (let i = 0; i <= degree; i++)
        for (let k = 0; i + k <= degree; k++) {
          const [area, moment] = evaluate([pi, sectionMoment({ shape: 'disc', radius: one }, i, k)]);
          const sum = points.reduce((total, [px, py], n) => total + weights[n]! * px! ** i * py! ** k, 0);
          expect(Math.abs(sum - moment! / area!)).toBeLessThan(2e-15);
        }
    }
  });

  it('take 3, 4, 7, 12 and 19 points for degrees 2, 3, 5, 7 and 9', () => {
    expect([2, 3, 5, 7, 9].map((degree) => discRule(degree).weights.length)).toEqual([3, 4, 7, 12, 19]);
  });
});

describe('layouts of volumes', () => {
  it.each(shapes.map((shape) => [shape.shape, shape] as const))('give the moments of a tapered %s', (_, shape) => {
    const integrals = integrate(
      rod(shape, 'cartesian'),
      EXPONENTS.map(([i, k]) => times(s, power(x, i), power(y, k))),
      9,
    );
    EXPONENTS.forEach(([i, k], n) => {
      const size = exactMoment(shape, 2 * Math.ceil(i / 2), 2 * Math.ceil(k / 2));
      expect(Math.abs(integrals[n]! - exactMoment(shape, i, k)) / size).toBeLessThan(1e-12);
    });
  });

  it.each(shapes.slice(0, 4).map((shape) => [shape.shape, shape] as const))(
    'give the moments of a tapered %s in polar coordinates, with breaks and without',
    (_, shape) => {
      const scales = shape.shape === 'ellipse' ? [shape.semiAxisX, shape.semiAxisY] : [one, one];
      const [px, py] = [times(scales[0]!, r, cos(phi)), times(scales[1]!, r, sin(phi))];
      const integrands = EXPONENTS.map(([i, k]) => times(s, power(px, i), power(py, k)));
      const cuts = new Map<SymbolExpr, readonly Expr[]>([
        [phi, [times(pi, fraction(1, 3)), pi]],
        // One break at a fraction of the length, one that moves with a parameter.
        [s, [a, divide(plus(decimal(0.05), L), integer(2))]],
      ]);
      for (const [breaks, order] of [[new Map(), 16] as const, [cuts, 16] as const]) {
        const integrals = integrate(rod(shape, 'polar', breaks), integrands, order);
        EXPONENTS.forEach(([i, k], n) => {
          const size = exactMoment(shape, 2 * Math.ceil(i / 2), 2 * Math.ceil(k / 2));
          expect(Math.abs(integrals[n]! - exactMoment(shape, i, k)) / size).toBeLessThan(1e-12);
        });
      }
    },
  );

  it('give the moments of a box', () => {
    const z = symbol('material.z');
    const box: BoxDomain = {
      kind: 'box',
      axes: [x, y, z],
      ranges: [
        [zero, L],
        [minus(zero, a), a],
        [a, plus(a, L)],
      ],
      density: plus(one, x),
      breaks: new Map([[x, [divide(L, integer(3))]]]),
    };
    const [value] = integrate(box, [times(x, power(y, 2), z)], 3);
    const [length, half] = [0.3, 0.11];
    const along = length ** 2 / 2 + length ** 3 / 3;
    const exact = along * ((2 * half ** 3) / 3) * (((half + length) ** 2 - half ** 2) / 2);
    expect(Math.abs(value! / exact - 1)).toBeLessThan(1e-13);
  });

  it('refuse polar coordinates on a rectangle', () => {
    expect(() => volumeLayout(rod(shapes[4]!, 'polar'), location)).toThrow('polar coordinates on a rectangle');
  });
});
