/** Functions of decimals against those of decimal.js at a precision where these give up on nothing. */
import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { circular, hyperbolic } from '../../src/symbolic/evaluation/decimal-functions.ts';
import { decimalOfPrecision, foldConstant } from '../../src/symbolic/evaluation/evaluate.ts';
import { call, integer, negate, power, stumpff } from '../../src/symbolic/graph/expr.ts';

const Number_ = decimalOfPrecision(40);
const Reference = Decimal.clone({ precision: 450 });

function error(found: Decimal, expected: Decimal): number {
  return new Reference(found).minus(expected).div(expected).abs().toNumber();
}

it.each(['0.3', '-7', '99.9', '150', '-1e60', '9e300'])('sine, cosine and tangent of %s have all digits', (x) => {
  for (const name of ['sin', 'cos', 'tan'] as const)
    expect(error(circular(name, new Number_(x), Number_), Reference[name](x))).toBeLessThan(1e-38);
});

it.each(['0.3', '-0.99', '1', '-7', '150', '-1500'])('hyperbolic functions of %s have all digits', (x) => {
  const e = Reference.exp(x);
  const back = Reference.exp(new Reference(x).neg());
  const expected = {
    sinh: e.minus(back).div(2),
    cosh: e.plus(back).div(2),
    tanh: e.minus(back).div(e.plus(back)),
  };
  for (const name of ['sinh', 'cosh', 'tanh'] as const)
    expect(error(hyperbolic(name, new Number_(x), Number_), expected[name])).toBeLessThan(1e-38);
});

it('constants beyond doubles are infinite at once, and what stands for no number is none', () => {
  const huge = integer(10n ** 59n);
  expect(foldConstant(call('sinh', negate(huge)))).toBe(-Infinity);
  expect(foldConstant(call('tanh', huge))).toBe(1);
  // e^1e9 has half a gigabyte of digits before the point.
  expect(foldConstant(call('cosh', integer(10n ** 9n)))).toBe(Infinity);
  expect(foldConstant(call('exp', integer(-(10n ** 9n))))).toBe(0);
  expect(foldConstant(call('sin', call('exp', integer(10n ** 6n))))).toBeNaN();
  expect(foldConstant(stumpff(2, call('exp', integer(10n ** 6n))))).toBeNaN();
  expect(foldConstant(stumpff(2, negate(power(huge, { numerator: 2n, denominator: 1n }))))).toBe(Infinity);
});
