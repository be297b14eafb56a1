/** Accuracy of the run-time Stumpff functions against their power series with 40 digits. */
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { MAXIMUM_STUMPFF_ORDER, stumpff, stumpffRoom } from '../../src/runtime/stumpff.ts';
import { decimalOfPrecision, stumpffDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import { Rational } from '../../src/symbolic/graph/rational.ts';

const Precise = decimalOfPrecision(40);
const PI_SQUARED = Math.PI ** 2;

/** Arguments that cover [0, limit] and crowd where the algorithm changes its branch or c_0, c_1 vanish. */
function argumentsUpTo(limit: number): number[] {
  const xs = [
    0,
    1e-300,
    1e-18,
    1e-9,
    1e-4,
    0.01,
    0.1,
    1,
    2.4674,
    9.8,
    PI_SQUARED - 1e-9,
    PI_SQUARED,
    PI_SQUARED + 1e-9,
  ];
  for (let i = 1; i <= 20; i++) xs.push((limit * i) / 20);
  for (let k = 1; k <= 3; k++) xs.push((2 * Math.PI * k) ** 2 - 0.4, (2 * Math.PI * k) ** 2 + 1e-6);
  for (let k = 2; k <= MAXIMUM_STUMPFF_ORDER; k++) xs.push(((k - 1) * k) / 2, ((k - 1) * k) / 2 - 1e-9);
  return xs.filter((x) => x <= limit);
}

/** The binary value itself: a Decimal made from a number takes its shortest decimal, which is not the same. */
function exactly(x: number): Decimal {
  const { numerator, denominator } = Rational.fromDouble(x);
  return new Precise(numerator.toString()).div(denominator.toString());
}

/** Error relative to the value; absolute where c_0 and c_1 are differences of larger numbers. */
function relativeError(value: number, exact: Decimal, order: number, x: number): number {
  const isDifference = order === 0 || (order === 1 && x < 10);
  const scale = Decimal.max(exact.abs(), isDifference ? 1 : 0);
  return new Decimal(value).minus(exact).abs().div(scale).toNumber();
}

function worstError(xs: readonly number[], top: number): { error: number; order: number; x: number } {
  const out = new Float64Array(top + 1);
  let worst = { error: 0, order: 0, x: 0 };
  for (const x of xs) {
    stumpff(x, top, out);
    for (let order = 0; order <= top; order++) {
      const error = relativeError(out[order]!, stumpffDecimal(exactly(x), order, Precise), order, x);
      if (!(error <= worst.error)) worst = { error, order, x };
    }
  }
  return worst;
}

describe('stumpff', () => {
  it.each([17, 7, 3])('is accurate to 4e-15 for all orders up to %i and 0 ≤ x ≤ 400', (top) => {
    expect(worstError(argumentsUpTo(400), top).error).toBeLessThanOrEqual(4e-15);
  });

  it('is accurate at every tabulated order up to 1600, which four times a squared curvature reaches', () => {
    expect(worstError(argumentsUpTo(1600), MAXIMUM_STUMPFF_ORDER).error).toBeLessThanOrEqual(4e-15);
  });

  it('is accurate for slightly negative arguments, which rounding produces', () => {
    expect(worstError([-1e-300, -1e-18, -1e-12, -1e-6, -0.01, -1], 17).error).toBeLessThanOrEqual(4e-15);
  });

  it.each([17, 3])(
    'is accurate for negative arguments, the squares of hyperbolic angles, for all orders up to %i',
    (top) => {
      const xs = argumentsUpTo(400).map((x) => -x);
      expect(worstError(xs, top).error).toBeLessThanOrEqual(8e-15);
    },
  );

  it.each([1e10, 1e16, 1e20, 3e40, 1e200, 1e300])('stays that of some angle at %d, where all digits are lost', (x) => {
    const out = new Float64Array(4);
    stumpff(x, 3, out);
    expect(out[0]! ** 2 + x * out[1]! ** 2).toBeCloseTo(1, 14);
    expect(x * out[2]! + out[0]!).toBeCloseTo(1, 14);
  });

  it.each([2, 5, 7, 8, 13, 18, 32])(
    'does the same work for all angles below half a turn, and for all beyond, orders up to %i',
    (top) => {
      const work = (x: number): string => {
        let [reads, writes] = [0, 0];
        const out = new Proxy(new Float64Array(stumpffRoom(top)), {
          get: (numbers, key) => (reads++, numbers[Number(key)]),
          set: (numbers, key, value: number) => (writes++, (numbers[Number(key)] = value), true),
        });
        stumpff(x, top, out);
        return `${reads} ${writes}`;
      };
      const distinct = (from: number, to: number): Set<string> =>
        new Set(Array.from({ length: 50 }, (_, i) => work((Math.PI * (from + ((to - from) * (i + 0.5)) / 50)) ** 2)));
      expect(distinct(0, 1).size).toBe(1);
      expect(new Set([...distinct(1, 4), ...distinct(4, 100)]).size).toBe(1);
    },
  );

  it.each([2, 8, 16, 32])(
    'writes one order beyond the even %i, the same numbers as with that, and no further',
    (top) => {
      for (const x of [11, 60, 500, -11, -60]) {
        const [even, odd] = [new Float64Array(top + 4).fill(7), new Float64Array(top + 4).fill(7)];
        stumpff(x, top, even);
        expect([...even.slice(stumpffRoom(top))]).toEqual([7, 7]);
        if (top === MAXIMUM_STUMPFF_ORDER) continue;
        stumpff(x, top + 1, odd);
        expect(even).toEqual(odd);
      }
    },
  );

  it('calls no trigonometric function below π²', () => {
    const { sin, cos } = Math;
    Math.sin = Math.cos = () => NaN;
    try {
      const out = new Float64Array(8);
      stumpff(9.86, 7, out);
      expect(out.every(Number.isFinite)).toBe(true);
    } finally {
      Object.assign(Math, { sin, cos });
    }
  });
});

describe('with many digits at large arguments', () => {
  const at = (x: number, order: number): number => Number(stumpffDecimal(new Precise(x), order, Precise));

  it.each([1e4 + 1, 1e6, 1e12, -(1e4 + 1), -2e5])(
    'is made of sines and cosines, or their hyperbolic kin, at %d',
    (x) => {
      const root = Math.sqrt(Math.abs(x));
      expect(at(x, 0) / (x > 0 ? Math.cos(root) : Math.cosh(root))).toBeCloseTo(1, 8);
      expect((at(x, 1) * root) / (x > 0 ? Math.sin(root) : Math.sinh(root))).toBeCloseTo(1, 8);
    },
  );

  it('meets the series where the one takes over from the other', () => {
    for (const order of [0, 1, 2, 3, 8, 9]) {
      const [before, after] = [at(1e4 - 1e-9, order), at(1e4 + 1e-9, order)];
      expect(Math.abs(before - after)).toBeLessThan(1e-9 * Math.max(Math.abs(before), 1e-12));
    }
  });
});
