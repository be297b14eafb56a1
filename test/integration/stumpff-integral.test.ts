import type { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { integrateStumpff } from '../../src/integration/exact/stumpff-integral.ts';
import { decimalOfPrecision, stumpffDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Rational } from '../../src/symbolic/graph/rational.ts';
import { Rational as R } from '../../src/symbolic/graph/rational.ts';

const Wide = decimalOfPrecision(60);
const toDecimal = (r: Rational): Decimal => new Wide(r.numerator.toString()).div(r.denominator.toString());

/** ∫_0^1 s^j Π U_k ds by multiplying power series: shares nothing with the calculus under test. */
function seriesIntegral(power: number, orders: readonly number[], x: Decimal): Decimal {
  const terms = 34;
  let series: Decimal[] = [new Wide(1), ...Array.from({ length: terms - 1 }, () => new Wide(0))];
  for (const k of orders) {
    const factor: Decimal[] = [];
    let coefficient = new Wide(1);
    for (let i = 2; i <= k; i++) coefficient = coefficient.div(i);
    for (let j = 0; j < terms; j++) {
      factor.push(coefficient);
      coefficient = coefficient
        .times(x)
        .neg()
        .div((k + 2 * j + 1) * (k + 2 * j + 2));
    }
    series = series.map((_, n) =>
      factor.slice(0, n + 1).reduce((sum, f, i) => sum.plus(f.times(series[n - i]!)), new Wide(0)),
    );
  }
  const start = power + orders.reduce((a, b) => a + b, 0) + 1;
  return series.reduce((sum, c, j) => sum.plus(c.div(start + 2 * j)), new Wide(0));
}

function closedForm(power: number, orders: readonly number[], x: Decimal): Decimal {
  const { constant, single, double } = integrateStumpff(power, orders);
  let total = toDecimal(constant);
  for (const [k, value] of single) total = total.plus(toDecimal(value).times(stumpffDecimal(x, k, Wide)));
  for (const [k, value] of double) total = total.plus(toDecimal(value).times(stumpffDecimal(x.times(4), k, Wide)));
  return total;
}

describe('integrals of Stumpff products', () => {
  it('agree with their power series for every order and weight that bodies need', () => {
    for (const x of ['0', '0.7', '6.5'].map((t) => new Wide(t)))
      for (const j of [0, 1, 2, 3, 5])
        for (let m = 0; m <= 7; m++) {
          const error = closedForm(j, [m], x)
            .minus(seriesIntegral(j, [m], x))
            .abs();
          expect(error.toNumber()).toBeLessThan(1e-40);
          for (let n = m; n <= 7; n++)
            expect(
              closedForm(j, [m, n], x)
                .minus(seriesIntegral(j, [m, n], x))
                .abs()
                .toNumber(),
            ).toBeLessThan(1e-40);
        }
  }, 60_000);

  it('reproduce the short forms known by hand', () => {
    const show = (orders: number[]) => {
      const { single, double } = integrateStumpff(0, orders);
      return [[...single], [...double]].map((list) => list.map(([k, v]) => `${R.toString(v)} c${k}`).join(' '));
    };
    expect(show([2, 2])).toEqual(['-2 c5', '8 c5']);
    expect(show([2, 3])).toEqual(['-1 c5', '16 c6']);
  });

  it('have no more than a dozen terms', () => {
    for (let m = 0; m <= 7; m++)
      for (let n = m; n <= 7; n++) {
        const { single, double } = integrateStumpff(0, [m, n]);
        expect(single.size + double.size).toBeLessThanOrEqual(12);
      }
  });
});
