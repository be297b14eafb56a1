/**
 * Formulas that are 0/0 as written, rewritten: nothing vanishes below a fraction line, and the value in double precision is that
 * of the formula as written in many digits, at the pole and at every distance from it.
 */
import { describe, expect, it } from 'vitest';
import { differentiate } from '../../src/symbolic/graph/differentiate.ts';
import { decimalOfPrecision, evaluate, evaluateDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import { symbol, type Expr } from '../../src/symbolic/graph/expr.ts';
import { formulaValue, type FormulaScope } from '../../src/symbolic/formulas/formula.ts';
import { parseFormula } from '../../src/symbolic/formulas/parse.ts';
import { withoutPoles } from '../../src/symbolic/poles/removable-poles.ts';

/** Numbers for material coordinates and parameters; every other name is a coordinate. */
const fixed = { s: 0.13, x: 0.011, y: -0.017, L: 0.2, e: 0.3, a: 0.7 };
const coordinates = ['q', 'q1', 'q2', 'k', 'k1', 'k2', 'w'] as const;
const named = (name: string): Expr => symbol(name in fixed ? `material.${name}` : `body.${name}`);
const names = new Set<string>([...Object.keys(fixed), ...coordinates]);
const scope: FormulaScope = {
  value: (name) => (names.has(name) ? named(name) : undefined),
  names: () => [...names],
  macro: () => undefined,
};

function formula(text: string): Expr {
  return formulaValue(parseFormula(text), scope) as Expr;
}

const own = new Set<Expr>(coordinates.map(named));
const Wide = decimalOfPrecision(150);
const NUDGE = '1e-25';

const coordinatesOf = (text: string): string[] => coordinates.filter((name) => new RegExp(`\\b${name}\\b`).test(text));

function places(
  text: string,
  distance: number,
): { near: Map<Expr, number>; beside: Map<Expr, InstanceType<typeof Wide>> } {
  const used = coordinatesOf(text);
  const near = new Map<Expr, number>(Object.entries(fixed).map(([name, value]) => [named(name), value]));
  used.forEach((name, i) => near.set(named(name), distance * (1 + 0.37 * i)));
  const beside = new Map([...near].map(([s, value]) => [s, new Wide(value)] as const));
  used.forEach((name, i) =>
    beside.set(named(name), new Wide(distance * (1 + 0.37 * i)).plus(new Wide(NUDGE).times(1 + i))),
  );
  return { near, beside };
}

const DISTANCES = [0, 1e-12, 1e-7, 1e-3, 0.1, 0.5, -1e-6, -0.4];

function check(text: string): void {
  const written = formula(text);
  const [regular] = withoutPoles([written], own) as [Expr];
  const used = coordinatesOf(text).map(named);
  const derivatives = (e: Expr): Expr[] => used.map((q) => differentiate(e, q));
  const orders = (e: Expr): Expr[][] => [[e], derivatives(e), derivatives(e).flatMap(derivatives)];
  const [raw, clean] = [orders(written), orders(regular)];
  const exact = (distance: number): number[] =>
    evaluateDecimal(raw.flat(), places(text, distance).beside, Wide).map(Number);
  const usual = exact(0.5);
  for (const distance of DISTANCES) {
    const expected = exact(distance);
    const values = evaluate(clean.flat(), places(text, distance).near);
    let at = 0;
    for (const [order, { length }] of raw.entries()) {
      const [right, found] = [expected.slice(at, at + length), values.slice(at, at + length)];
      const scale = Math.max(...[...right, ...usual.slice(at, at + length)].map(Math.abs));
      at += length;
      right.forEach((value, i) =>
        expect(
          Math.abs(found[i]! - value) / scale,
          `derivative ${order} at ${distance}: ${found[i]} for ${value}`,
        ).toBeLessThan(2e-14),
      );
    }
  }
}

describe('removable poles', () => {
  it.each([
    '(1 - cos(k*s))/k',
    '(k*s - sin(k*s))/k^2',
    '(1 - sqrt(1 - 2*k*x))/k',
    '1/k - (1/k - (1 - sqrt(1 - 2*k*x))/k)*cos(k*s)',
    'L*(1 - cos(q*s/L))/q + x*(1 + e*exp(-s/L))*cos(q*s/L)',
    'L*sin(q*s/L)/q*sqrt(1 + a*q) - x/sqrt(1 + e*s/L)*sin(q*s/L)',
    '(1 - cos(q*(s + e*s^2/L)/L))/q',
    '(exp(q*s) - 1)/q',
    '(exp(q*s) - 1 - q*s)/q^2',
    '(exp(a + q*s) - exp(a))/q',
    'log(1 + q*s)/q',
    '(log(a + q*s) - log(a))/q',
    '(log(1 + q) - q)/q^2',
    'atan(q*s)/q',
    'asin(q*s)/q',
    '(acos(q*s) - pi/2)/q',
    'sinh(q*s)/q',
    '(cosh(q*s) - 1)/q^2',
    'tan(q*s)/q',
    'tanh(q)/q',
    'tan(q)/tanh(q)',
    '(sinh(a + q) - sinh(a))/q + (cosh(a + q) - cosh(a))/q',
    '(sin(a + q*s) - sin(a))/q',
    '(cos(a + q*s) - cos(a))/q',
    '(tan(a + q) - tan(a))/q + (tanh(a + q) - tanh(a))/q',
    'atan2(q*s, 1 - q*x)/q',
    '((1 + q*s)^(2/3) - 1)/q',
    '((1 + q*s)^a - 1)/q',
    'q/(1 - exp(-q))',
    'q^2/(1 - cos(q))',
    '(1/sqrt(1 - q*s) - 1)/q',
    '(1 - cos(k1*s))/k1*(1 - sqrt(1 - 2*k2*x))/k2',
    '(1 - (1 - cos(k1*s))*sin(k2*s)/(k1*k2))*(exp(k1) - 1)/k1',
    'sin(hypot(q1, q2)*s)/hypot(q1, q2)*exp(-s/L)',
    'q1*(1 - cos(hypot(q1, q2)*s))/(q1^2 + q2^2)*exp(-s/L)',
    '(exp(hypot(q1, q2)) - exp(-hypot(q1, q2)))/hypot(q1, q2)',
    'sin((q1 + q2)*s)/(q1 + q2)*exp(-s)',
    'sin(q1*s + q2*s)/(q1 + q2)*exp(q1)',
    'cos(atan2(q2, q1))*(1 - cos(hypot(q1, q2)*s))/hypot(q1, q2)*exp(-s)',
    'sin(abs(q)*s)/abs(q)*exp(-s)',
    'select(s < L, (1 - cos(q*s))/q, (exp(q*s) - 1)/q)',
    '(1 - cos(q*s + q*e*s^2))/(q + e*q)',
    'L*atan(q*s/L)/q + x*cos(q*s/L)',
    '(log(a + q*(s + e*s^2/L)/L) - log(a))/q',
    'x*(1 + e*exp(-s/L)) - (log(a + q*s) - log(a))/q*sqrt(1 + a*q)',
    'x*(1 + e*exp(-s/L)) - (atan(a + q*s/L) - atan(a))/q*sqrt(1 + a*q)',
  ])('are taken out of %s', check);

  it('away from zero', () => {
    const text = 'sin((q - 1/2)*s)/(q - 1/2)*exp(-q*s)';
    const [regular] = withoutPoles([formula(text)], own) as [Expr];
    const at = (q: number): number => evaluate([regular], places('q', q).near)[0]!;
    expect(at(0.5)).toBeCloseTo(fixed.s * Math.exp(-0.5 * fixed.s), 15);
    const beside = (Math.sin(1e-3 * fixed.s) / 1e-3) * Math.exp(-0.501 * fixed.s);
    expect(at(0.501)).toBeCloseTo(beside, 14);
  });

  it.each([
    '(2 - cos(q*s))/q',
    'sin(q)/q^2',
    'sin(hypot(q1, q2) + a)/hypot(q1, q2)',
    '1/(1 + q)',
    'sqrt(q)/q',
    's/(1 + q*s)',
  ])('that do not cancel are left: %s', (text) => {
    const written = formula(text);
    expect(withoutPoles([written], own)[0]).toBe(written);
  });
});
