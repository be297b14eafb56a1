import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { gaussLegendre, gaussRadial, type RuleFamily } from '../../src/integration/rules/gauss.ts';
import { gaussLegendre as independentRule } from '../../src/verify/arithmetic/gauss-legendre.ts';
import { decimalOfPrecision } from '../../src/symbolic/evaluation/evaluate.ts';

const orders = [1, 2, 3, 5, 8, 13, 24, 40, 64];

/** Largest error of the moments of x^k, k < 2·order, for a weight with ∫ x^k = (1 + shift)/(k + 1 + shift). */
function momentError(family: RuleFamily, order: number, shift: number): number {
  const { nodes, weights } = family(order);
  let worst = 0;
  for (let k = 0; k < 2 * order; k++) {
    const moment = nodes.reduce((sum, x, i) => sum.plus(new Decimal(x).pow(k).times(weights[i]!)), new Decimal(0));
    const exact = new Decimal(1 + shift).div(k + 1 + shift);
    worst = Math.max(worst, moment.minus(exact).abs().toNumber());
  }
  return worst;
}

describe('Gauss rules on the unit interval', () => {
  it.each(orders)('of order %i integrate polynomials up to degree 2·order − 1', (order) => {
    expect(momentError(gaussLegendre, order, 0)).toBeLessThan(4e-16);
    expect(momentError(gaussRadial, order, 1)).toBeLessThan(4e-16);
  });

  it('have nodes and weights that are the nearest doubles', () => {
    const Number_ = decimalOfPrecision(50);
    for (const order of orders) {
      const { nodes, weights } = gaussLegendre(order);
      independentRule(order, Number_).forEach(({ position, weight }, i) => {
        expect(nodes[i]).toBe(Number(position));
        expect(weights[i]).toBe(Number(weight));
      });
    }
  });

  it('have increasing nodes inside and positive weights', () => {
    for (const family of [gaussLegendre, gaussRadial])
      for (const order of orders) {
        const { nodes, weights } = family(order);
        const framed = [0, ...nodes, 1];
        expect(framed.slice(1).every((x, i) => x > framed[i]!)).toBe(true);
        expect(weights.every((w) => w > 0)).toBe(true);
      }
  });
});
