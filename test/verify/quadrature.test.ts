import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { decimal, one, symbol, plus, times } from '../../src/symbolic/graph/expr.ts';
import { gaussLegendre } from '../../src/verify/arithmetic/gauss-legendre.ts';
import { sectionRule } from '../../src/verify/written/section-rule.ts';
import { decimalForFormulas } from '../../src/verify/arithmetic/trigonometry.ts';

const Precise = decimalForFormulas(60);

describe('Gauss–Legendre rules', () => {
  it.each([1, 2, 5, 24])('integrate s^k over (0, 1) exactly up to degree 2n − 1 for n = %i', (order) => {
    const rule = gaussLegendre(order, Precise);
    for (let k = 0; k < 2 * order; k++) {
      const sum = rule.reduce((total, n) => total.plus(n.weight.times(n.position.pow(k))), new Precise(0));
      expect(
        sum
          .minus(new Precise(1).div(k + 1))
          .abs()
          .toNumber(),
      ).toBeLessThan(1e-48);
    }
  });

  it('is not exact one degree further', () => {
    const sum = gaussLegendre(2, Precise).reduce(
      (total, n) => total.plus(n.weight.times(n.position.pow(4))),
      new Precise(0),
    );
    expect(sum.minus(0.2).abs().toNumber()).toBeGreaterThan(1e-3);
  });
});

describe('section rules', () => {
  const moment = (points: ReturnType<typeof sectionRule>, i: number, j: number): number =>
    points.reduce((sum, p) => sum.plus(p.area.times(p.x.pow(i)).times(p.y.pow(j))), new Precise(0)).toNumber();

  it.each([3, 15])('give area and second moments of all four shapes at degree %i', (degree) => {
    const none = new Map();
    const disc = sectionRule({ shape: 'disc', radius: decimal(2) }, degree, none, Precise);
    expect(moment(disc, 0, 0)).toBeCloseTo(4 * Math.PI, 13);
    expect(moment(disc, 2, 0)).toBeCloseTo(4 * Math.PI, 13);
    const annulus = sectionRule({ shape: 'annulus', innerRadius: one, outerRadius: decimal(2) }, degree, none, Precise);
    expect(moment(annulus, 0, 2)).toBeCloseTo((Math.PI / 4) * 15, 13);
    const ellipse = sectionRule({ shape: 'ellipse', semiAxisX: decimal(3), semiAxisY: one }, degree, none, Precise);
    expect(moment(ellipse, 2, 0)).toBeCloseTo((Math.PI / 4) * 27, 13);
    expect(moment(ellipse, 1, 1)).toBeCloseTo(0, 13);
    const rectangle = sectionRule({ shape: 'rectangle', width: decimal(3), height: one }, degree, none, Precise);
    expect(moment(rectangle, 2, 0)).toBeCloseTo(27 / 12, 13);
    expect(moment(rectangle, 0, 0)).toBeCloseTo(3, 13);
  });

  it('follow a taper along the rod', () => {
    const s = symbol('material.s');
    const radius = plus(one, times(decimal(-0.5), s));
    const at = sectionRule({ shape: 'disc', radius }, 3, new Map([[s, new Precise(1)]]), Precise);
    expect(moment(at, 0, 0)).toBeCloseTo(Math.PI / 4, 14);
  });
});

describe('sine and cosine to many digits', () => {
  it.each(['0', '1e-20', '0.3', '-2.5', '3.14159265358979', '40'])('agree with decimal.js at %s', (text) => {
    const Plain = Decimal.clone({ precision: 70 });
    const x = new Precise(text);
    expect(
      Precise.sin(x)
        .minus(Plain.sin(new Plain(text)))
        .abs()
        .toNumber(),
    ).toBeLessThan(1e-57);
    expect(
      Precise.cos(x)
        .minus(Plain.cos(new Plain(text)))
        .abs()
        .toNumber(),
    ).toBeLessThan(1e-57);
  });
});
