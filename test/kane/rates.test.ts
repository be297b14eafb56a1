/** Derivatives in time against difference quotients along a motion, and in no worse form than the plain ones. */
import { describe, expect, it } from 'vitest';
import {
  firstRate,
  partialDerivatives,
  rateOfProjection,
  secondRate,
  simplest,
  timeDerivative,
  type CoordinateSymbols,
} from '../../src/kane/equations/rates.ts';
import { countOperations, totalOperations } from '../../src/symbolic/graph/cost.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  cos,
  decimal,
  integer,
  minus,
  plus,
  sin,
  square,
  stumpff,
  symbol,
  times,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';

const names = ['u', 'v', 'w', 'z'];
const [u, v, w, z] = names.map((name) => symbol(`test.${name}`)) as [Expr, Expr, Expr, Expr];
const time = symbol('test.time');

function symbolsOf(count: number, isTimed = false): CoordinateSymbols {
  const of = (stem: string) => names.slice(0, count).map((name) => symbol(`${stem}.${name}`));
  return { q: of('test'), qd: of('rate'), qdd: of('acceleration'), ...(isTimed && { time }) };
}

/** q_i(t) = sin(t + i), with its derivatives, as bindings. */
function motionAt(t: number): Map<Expr, number> {
  const { q, qd, qdd } = symbolsOf(4);
  const map = new Map<Expr, number>([[time, t]]);
  q.forEach((e, i) => map.set(e, Math.sin(t + i)));
  qd.forEach((e, i) => map.set(e, Math.cos(t + i)));
  qdd.forEach((e, i) => map.set(e, -Math.sin(t + i)));
  return map;
}

const T = 0.37;
const H = 1e-3;
/** Sixth-order difference quotient of the values along the motion. */
function slope(values: readonly Expr[]): number[] {
  const at = [-3, -2, -1, 1, 2, 3].map((k) => evaluate(values, motionAt(T + k * H)));
  const weights = [-1 / 60, 3 / 20, -3 / 4, 3 / 4, -3 / 20, 1 / 60];
  return values.map((_, i) => weights.reduce((sum, weight, k) => sum + weight * at[k]![i]!, 0) / H);
}

function expectSlope(rate: readonly Expr[], values: readonly Expr[]): void {
  const found = evaluate(rate, motionAt(T));
  slope(values).forEach((expected, i) => expect(Math.abs(found[i]! - expected)).toBeLessThan(1e-10));
}

const functionsOf = (count: number, isTimed = false): Expr[] => {
  const all = [u, v, w, z].slice(0, count);
  const product = times(...all);
  return [
    product,
    plus(times(u, stumpff(3, square(u))), ...all.map((e, i) => times(integer(i + 2), sin(e)))),
    times(cos(plus(...all)), isTimed ? square(time) : integer(3)),
    decimal(0.7),
  ];
};
const costOf = (values: readonly Expr[]): number => totalOperations(countOperations(values));

describe.each([
  [1, false],
  [2, false],
  [3, false],
  [4, false],
  [2, true],
] as const)('rates of functions of %i coordinates (time: %s)', (count, isTimed) => {
  const symbols = symbolsOf(count, isTimed);
  const values = functionsOf(count, isTimed);

  it('are the derivatives along the motion', () => {
    expectSlope(timeDerivative(values, symbols), values);
    expectSlope(firstRate(values, symbols), values);
    expectSlope(secondRate(values, symbols), firstRate(values, symbols));
  });

  it('of what projectors make of the rates, which need not be derivatives of anything', () => {
    const projected = symbols.q.map((q, a) => [times(q, u), sin(plus(q, integer(a))), times(u, symbols.q.at(-1)!)]);
    const velocity = projected[0]!.map((_, k) => plus(...projected.map((p, a) => times(p[k]!, symbols.qd[a]!))));
    expectSlope(rateOfProjection(projected, symbols), velocity);
  });

  it('are never costlier than the plain derivatives', () => {
    const first = firstRate(values, symbols);
    expect(costOf(first)).toBeLessThanOrEqual(costOf(timeDerivative(values, symbols)));
    expect(costOf(secondRate(values, symbols))).toBeLessThanOrEqual(costOf(timeDerivative(first, symbols)));
  });
});

describe('the shortest form', () => {
  const arc = times(u, stumpff(3, square(u)));

  it('is the Stumpff normal form where that is shorter: (u c_3)\u2032 = c_2 − 2 c_3', () => {
    const [derivative] = partialDerivatives([arc], u);
    const expected = minus(stumpff(2, square(u)), times(integer(2), stumpff(3, square(u))));
    expect(costOf([derivative!])).toBeLessThanOrEqual(costOf([expected]));
    expect(evaluate([derivative!], motionAt(T))[0]).toBeCloseTo(evaluate([expected], motionAt(T))[0]!, 14);
  });

  it('is the expression itself where nothing is gained', () => {
    for (const e of [u, times(u, v), sin(plus(u, v)), stumpff(3, square(u))]) expect(simplest(e)).toBe(e);
  });

  it('takes partial derivatives apart for few coordinates only', () => {
    const few = secondRate([arc], symbolsOf(1))[0]!;
    const plain = timeDerivative(timeDerivative([arc], symbolsOf(1)), symbolsOf(1))[0]!;
    expect(costOf([few])).toBeLessThan(costOf([plain]));
    const timed = firstRate([arc], symbolsOf(1, true));
    expect(timed).toEqual(timeDerivative([arc], symbolsOf(1, true)));
    expect(firstRate([arc], symbolsOf(4))).toEqual(timeDerivative([arc], symbolsOf(4)));
  });

  it('of nothing is nothing', () => {
    const none: CoordinateSymbols = { q: [], qd: [], qdd: [] };
    expect(rateOfProjection([], none)).toEqual([]);
    expect(firstRate([decimal(2)], none).map((e) => evaluate([e])[0])).toEqual([0]);
  });
});
