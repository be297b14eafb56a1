import { describe, expect, it } from 'vitest';
import { densityMoment, sectionMoment, type SectionShape } from '../../src/integration/exact/section.ts';
import { call, decimal, integer, plus, power, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import { evaluate, foldConstant } from '../../src/symbolic/evaluation/evaluate.ts';

/** Midpoint sums on a fine grid over the bounding box. */
function gridMoment(
  inside: (x: number, y: number) => boolean,
  a: number,
  b: number,
  density: (x: number, y: number) => number = () => 1,
): number {
  const cells = 1200;
  const step = 2.4 / cells;
  let total = 0;
  for (let i = 0; i < cells; i++)
    for (let j = 0; j < cells; j++) {
      const [x, y] = [-1.2 + (i + 0.5) * step, -1.2 + (j + 0.5) * step];
      if (inside(x, y)) total += density(x, y) * x ** a * y ** b * step * step;
    }
  return total;
}

const shapes: [SectionShape, (x: number, y: number) => boolean][] = [
  [{ shape: 'disc', radius: decimal(0.9) }, (x, y) => x * x + y * y <= 0.81],
  [
    { shape: 'annulus', innerRadius: decimal(0.4), outerRadius: decimal(1.1) },
    (x, y) => x * x + y * y <= 1.21 && x * x + y * y >= 0.16,
  ],
  [{ shape: 'rectangle', width: decimal(2), height: decimal(1) }, (x, y) => Math.abs(x) <= 1 && Math.abs(y) <= 0.5],
  [
    { shape: 'ellipse', semiAxisX: decimal(1.1), semiAxisY: decimal(0.5) },
    (x, y) => (x / 1.1) ** 2 + (y / 0.5) ** 2 <= 1,
  ],
];

describe('moments of cross-sections', () => {
  it.each(shapes)('of a $shape agree with sums over a grid', (shape, inside) => {
    for (const [a, b] of [
      [0, 0],
      [2, 0],
      [0, 2],
      [2, 2],
      [4, 0],
    ] as const)
      expect(foldConstant(sectionMoment(shape, a, b))).toBeCloseTo(gridMoment(inside, a, b), 2);
  });

  it('vanish exactly for odd powers', () => {
    for (const [shape] of shapes)
      for (const [a, b] of [
        [1, 0],
        [0, 1],
        [1, 1],
        [3, 2],
      ] as const)
        expect(sectionMoment(shape, a, b)).toBe(zero);
  });

  it('have the textbook values', () => {
    expect(foldConstant(sectionMoment(shapes[0]![0], 2, 0))).toBeCloseTo((Math.PI * 0.9 ** 4) / 4, 15);
    expect(foldConstant(sectionMoment(shapes[2]![0], 2, 0))).toBeCloseTo(1 * (2 ** 3 / 12), 15);
    expect(foldConstant(sectionMoment(shapes[3]![0], 0, 2))).toBeCloseTo((Math.PI / 4) * 1.1 * 0.5 ** 3, 15);
  });
});

describe('moments of the mass of a cross-section', () => {
  const section = [symbol('x'), symbol('y')] as const;
  const [x, y] = section;
  const shape: SectionShape = { shape: 'annulus', innerRadius: decimal(0.4), outerRadius: decimal(1.1) };

  it('with a polynomial density agree with sums over a grid', () => {
    const s = symbol('s');
    const density = times(plus(integer(3), times(x, y), times(s, power(x, 2))), plus(integer(1), x));
    const at = (px: number, py: number): number => (3 + px * py + 0.7 * px * px) * (1 + px);
    for (const [a, b] of [
      [0, 0],
      [1, 0],
      [1, 1],
      [2, 1],
    ] as const) {
      const exact = evaluate([densityMoment({ shape, density }, section, a, b)!], new Map([[s, 0.7]]))[0]!;
      expect(exact).toBeCloseTo(gridMoment(shapes[1]![1], a, b, at), 2);
    }
  });

  it('are unknown with any other', () => {
    const moment = (density: Expr): Expr | undefined => densityMoment({ shape, density }, section, 0, 0);
    expect(moment(call('exp', x))).toBeUndefined();
    expect(moment(power(plus(integer(3), y), -1))).toBeUndefined();
    expect(moment(call('exp', symbol('s')))).toBeDefined();
  });
});
