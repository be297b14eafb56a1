import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rational, ratio } from '../../src/symbolic/graph/rational.ts';

describe('exact rationals', () => {
  it('read decimal literals exactly', () => {
    expect(Rational.parse('0.1')).toEqual(ratio(1, 10));
    expect(Rational.parse('-2.50e-3')).toEqual(ratio(-1, 400));
    expect(Rational.parse('.5')).toEqual(ratio(1, 2));
    expect(Rational.parse('1e400')!.numerator).toBe(10n ** 400n);
    for (const text of ['', '.', '1e', '0x10', 'NaN', '1 2', '1e99999']) expect(Rational.parse(text)).toBeUndefined();
  });

  it('round to the nearest double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), (value) => {
        fc.pre(Math.abs(value) > 1e-300 || value === 0);
        expect(Rational.toNumber(Rational.fromDouble(value)) === value).toBe(true);
        expect(Rational.toNumber(Rational.fromNumber(value)) === value).toBe(true);
      }),
      { numRuns: 500, seed: 3 },
    );
    expect(Rational.toNumber(ratio(1, 3))).toBe(1 / 3);
    expect(Rational.toNumber(ratio(10n ** 30n + 1n, 3n * 10n ** 30n))).toBe(1 / 3);
  });

  it('are in lowest terms over powers of two', () => {
    for (const odd of [3n, 2n ** 70n + 1n, -(2n ** 90n) + 7n])
      for (const [up, down] of [
        [0n, 80n],
        [30n, 80n],
        [80n, 80n],
        [120n, 60n],
      ] as const) {
        const expected =
          up < down
            ? { numerator: odd, denominator: 2n ** (down - up) }
            : { numerator: odd * 2n ** (up - down), denominator: 1n };
        expect(ratio(odd * 2n ** up, 2n ** down)).toEqual(expected);
      }
  });

  it('know exact roots', () => {
    expect(Rational.root(ratio(27, 8), 3n)).toEqual(ratio(3, 2));
    expect(Rational.root(ratio(2), 2n)).toBeUndefined();
  });

  it('refuse division by zero', () => {
    expect(() => ratio(1, 0)).toThrow('divides by zero');
  });
});
