/**
 * Gauss rules on (0, 1) for the weights 1 (Legendre) and r (Jacobi: radii of discs): nodes are the zeros of
 * orthogonal polynomials, found by Newton's method on the three-term recurrence, first in doubles, then in decimals, so
 * that rules of usual orders are right to the last bit.
 */
import { Decimal } from 'decimal.js';

/** A rule with weights that add up to 1: coordinates of every point, and its weight. */
export interface WeightedPoints {
  readonly points: readonly (readonly number[])[];
  readonly weights: readonly number[];
}

export interface IntervalRule {
  readonly nodes: readonly number[];
  /** Their sum is 1. */
  readonly weights: readonly number[];
}

/** Rule of a weight function; exact for polynomials up to degree 2·order − 1. */
export type RuleFamily = (order: number) => IntervalRule;

/** Larger rules are computed in doubles: they serve as references and grids only, and decimals take too long. */
const MOST_EXACT = 64;

const Precise = Decimal.clone({ precision: 36 });

/** Monic recurrence p_(k+1) = (x − a_k) p_k − b_k p_(k−1) on (0, 1), as exact fractions. */
interface Recurrence {
  a(k: number): readonly [number, number];
  b(k: number): readonly [number, number];
  /** First approximation of a zero, i = 0 … order − 1. */
  guess(i: number, order: number): number;
}

const legendre: Recurrence = {
  a: () => [1, 2],
  b: (k) => [k * k, 4 * (4 * k * k - 1)],
  guess: (i, order) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.75)) / (order + 0.5)),
};

const jacobi: Recurrence = {
  a: (k) => [(2 * k + 2) ** 2, 2 * (2 * k + 1) * (2 * k + 3)],
  b: (k) => [k * (k + 1), 4 * (2 * k + 1) ** 2],
  guess: (i, order) => 0.5 + 0.5 * Math.cos((Math.PI * (order - i - 0.25)) / (order + 1)),
};

/** ∫_0^1 f(x) dx ≈ Σ w f(x). */
export const gaussLegendre: RuleFamily = remembered((order) => ruleOf(legendre, order));

/** 2 ∫_0^1 f(r) r dr ≈ Σ w f(r). */
export const gaussRadial: RuleFamily = remembered((order) => ruleOf(jacobi, order));

function remembered(family: RuleFamily): RuleFamily {
  const rules = new Map<number, IntervalRule>();
  return (order) => {
    let rule = rules.get(order);
    if (!rule) rules.set(order, (rule = family(order)));
    return rule;
  };
}

function ruleOf(recurrence: Recurrence, order: number): IntervalRule {
  const fractions = (f: (k: number) => readonly [number, number]): Decimal[] =>
    Array.from({ length: order }, (_, k) => new Precise(f(k)[0]).div(f(k)[1]));
  const a = fractions(recurrence.a);
  const b = fractions(recurrence.b);
  // Σ w = 1, so that the norm of p_(n−1) is the product of the b's.
  const norm = b.slice(1).reduce((product, value) => product.times(value), new Precise(1));
  const nodes: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < order; i++) {
    const rough = polish(recurrence.guess(i, order), a.map(Number), b.map(Number));
    if (order > MOST_EXACT) {
      const { slope, before } = polynomialInDoubles(rough, a.map(Number), b.map(Number));
      nodes.push(rough);
      weights.push(Number(norm) / (slope * before));
      continue;
    }
    let x: Decimal = new Precise(rough);
    for (let iteration = 0; iteration < 2; iteration++) {
      const { value, slope } = polynomial(x, a, b);
      x = x.minus(value.div(slope));
    }
    const { slope, before } = polynomial(x, a, b);
    nodes.push(Number(x));
    weights.push(Number(norm.div(slope.times(before))));
  }
  return { nodes, weights };
}

/** p_n, its derivative and p_(n−1) at x. */
function polynomial(x: Decimal, a: readonly Decimal[], b: readonly Decimal[]) {
  let before: Decimal = new Precise(0);
  let value: Decimal = new Precise(1);
  let slopeBefore: Decimal = new Precise(0);
  let slope: Decimal = new Precise(0);
  for (let k = 0; k < a.length; k++) {
    const distance = x.minus(a[k]!);
    const next = distance.times(value).minus(b[k]!.times(before));
    const nextSlope = value.plus(distance.times(slope)).minus(b[k]!.times(slopeBefore));
    [before, value, slopeBefore, slope] = [value, next, slope, nextSlope];
  }
  return { value, slope, before };
}

function polynomialInDoubles(x: number, a: readonly number[], b: readonly number[]) {
  let [before, value, slopeBefore, slope] = [0, 1, 0, 0];
  for (let k = 0; k < a.length; k++) {
    const next = (x - a[k]!) * value - b[k]! * before;
    const nextSlope = value + (x - a[k]!) * slope - b[k]! * slopeBefore;
    [before, value, slopeBefore, slope] = [value, next, slope, nextSlope];
  }
  return { value, slope, before };
}

/** Newton's method in doubles. */
function polish(guess: number, a: readonly number[], b: readonly number[]): number {
  let x = guess;
  for (let iteration = 0; iteration < 8; iteration++) {
    const { value, slope } = polynomialInDoubles(x, a, b);
    const step = value / slope;
    x -= step;
    if (Math.abs(step) < 1e-15) break;
  }
  return x;
}
