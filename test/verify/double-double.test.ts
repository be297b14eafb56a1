/** Double-double arithmetic of the independent check against decimal arithmetic of 45 digits. */
import type { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { decimalOfPrecision, exactDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  add,
  addRows,
  angle,
  cosine,
  divide,
  exponential,
  hyperbolic,
  integerPower,
  logarithm,
  multiply,
  multiplyRows,
  result,
  sine,
  squareRoot,
} from '../../src/verify/arithmetic/double-double.ts';

const Wide = decimalOfPrecision(45);
const value = (high: number, low: number): Decimal => exactDecimal(high, Wide).plus(exactDecimal(low, Wide));
type Operation = (high: number, low: number) => void;

const functions: [string, Operation, (x: Decimal) => Decimal, boolean][] = [
  ['exp', exponential, (x) => Wide.exp(x), false],
  ['log', logarithm, (x) => Wide.ln(x), true],
  ['sin', sine, (x) => Wide.sin(x), false],
  ['cos', cosine, (x) => Wide.cos(x), false],
  ['sqrt', squareRoot, (x) => Wide.sqrt(x), true],
  ['sinh', (h, l) => hyperbolic('sinh', h, l), (x) => Wide.sinh(x), false],
  ['cosh', (h, l) => hyperbolic('cosh', h, l), (x) => Wide.cosh(x), false],
  ['tanh', (h, l) => hyperbolic('tanh', h, l), (x) => Wide.tanh(x), false],
  ['atan', (h, l) => angle(h, l, 1, 0), (x) => Wide.atan(x), false],
  ['a quotient', (h, l) => divide(1, 0, h, l), (x) => new Wide(1).div(x), false],
  ...[-3, -1, 0, 1, 2, 5, 6, 12, -8].map((n): (typeof functions)[number] => [
    `the power ${n}`,
    (h, l) => integerPower(h, l, n),
    (x) => x.pow(n),
    false,
  ]),
];

describe('double-double arithmetic', () => {
  it.each(functions)('knows %s to 28 digits', (_, operation, exact, positive) => {
    for (const size of [1e-7, 0.01, 0.29, 0.31, 0.5, 1.1, 2.3, 7.7, 31.4])
      for (const x of positive ? [size] : [size, -size]) {
        const low = x * 3.3e-17;
        operation(x, low);
        const expected = exact(value(x, low));
        expect(value(result.high, result.low).minus(expected).div(expected).abs().toNumber()).toBeLessThan(1e-28);
      }
  });

  it('has the same bits in rows as one by one, of numbers of any size and of what is none', () => {
    const sizes = [0, 1, -1, 1e-3, 3.7, -8.1e5, 1e160, -1e300, 1.7e308, 5e-324, Infinity, -Infinity, NaN];
    const numbers = sizes
      .flatMap((x, i) => [x * 0.7, x + i / 7])
      .map((high, i) => ({ high, low: high * 1e-17 * (i % 3) }));
    const pairs = numbers.flatMap((x) => numbers.map((y) => [x, y] as const));
    const column = (k: 0 | 1) => ({
      high: Float64Array.from(pairs, (pair) => pair[k].high),
      low: Float64Array.from(pairs, (pair) => pair[k].low),
    });
    const out = { high: new Float64Array(pairs.length), low: new Float64Array(pairs.length) };
    for (const [one, rows] of [
      [add, addRows],
      [multiply, multiplyRows],
    ] as const) {
      rows(column(0), column(1), out);
      pairs.forEach(([x, y], i) => {
        one(x.high, x.low, y.high, y.low);
        expect([out.high[i], out.low[i]]).toEqual([result.high, result.low]);
      });
      rows(column(0), { high: Float64Array.of(3.3), low: Float64Array.of(1e-17) }, out);
      one(pairs[9]![0].high, pairs[9]![0].low, 3.3, 1e-17);
      expect([out.high[9], out.low[9]]).toEqual([result.high, result.low]);
    }
  });

  it('carries infinities through, as formulas with removable ends need them', () => {
    divide(-1, 0, 0, 0);
    multiply(result.high, result.low, 0.04, 1e-19);
    expect([result.high, result.low]).toEqual([-Infinity, 0]);
    exponential(result.high, result.low);
    expect([result.high, result.low]).toEqual([0, 0]);
  });
});
