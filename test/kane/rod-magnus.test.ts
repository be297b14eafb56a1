/** Magnus steps and exponentials of twists against products of matrices and difference quotients. */
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/symbolic/evaluate.ts';
import { decimal, plus, symbol, times, type Expr } from '../../src/symbolic/expr.ts';
import { frameEntries } from '../../src/symbolic/vector.ts';
import { ExponentialStep } from '../../src/kane/rods/rod-exponential.ts';
import { MagnusStep } from '../../src/kane/rods/rod-magnus.ts';
import { twistEntries, twistFromEntries, type Twist } from '../../src/kane/rods/rod-twist.ts';

const twist = (seed: number, size = 1): Twist =>
  twistFromEntries(Array.from({ length: 6 }, (_, i) => decimal(size * Math.sin(7 * seed + 3 * i + 1))));
const twists = (count: number, seed: number, size?: number): Twist[] =>
  Array.from({ length: count }, (_, j) => twist(seed + j, size));
const numbers = (t: Twist): number[] => evaluate(twistEntries(t));
const dotted = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, e, i) => sum + e * b[i]!, 0);
const step = (alpha: readonly Twist[]): MagnusStep => new MagnusStep(alpha, (_label, t) => t);
const time = symbol('test.time');

/** value + t rate + t²/2 acceleration */
const moving = (value: Twist, rate: Twist, acceleration: Twist, t: Expr): Twist => {
  const [v, r, a] = [value, rate, acceleration].map(twistEntries);
  return twistFromEntries(v!.map((e, i) => plus(e, times(t, r![i]!), times(decimal(0.5), t, t, a![i]!))));
};

describe.each([
  [4, 2],
  [6, 3],
])('a Magnus step of order %i', (_order, count) => {
  const alpha = twists(count, 1);
  const rate = twists(count, 11);
  const acceleration = twists(count, 21);

  it('has the transpose of its tangent for an adjoint', () => {
    const form = twist(31);
    const magnus = step(alpha);
    const forms = magnus.adjoint(form);
    const onAlpha = forms.reduce((sum, f, j) => sum + dotted(numbers(f), numbers(rate[j]!)), 0);
    expect(onAlpha).toBeCloseTo(dotted(numbers(form), numbers(magnus.tangent(rate))), 13);
  });

  it('has the difference quotients of its value for tangent and curvature', () => {
    const h = 1e-4;
    const at = (t: number): number[] =>
      numbers(step(alpha.map((a, j) => moving(a, rate[j]!, acceleration[j]!, decimal(t)))).value);
    const [ahead, here, behind] = [at(h), at(0), at(-h)] as [number[], number[], number[]];
    const magnus = step(alpha);
    const [tangent, curvature] = [numbers(magnus.tangent(rate)), numbers(magnus.curvature(rate, acceleration))];
    here.forEach((_, i) => {
      expect(tangent[i]).toBeCloseTo((ahead[i]! - behind[i]!) / (2 * h), 6);
      expect(curvature[i]).toBeCloseTo((ahead[i]! - 2 * here[i]! + behind[i]!) / h ** 2, 6);
    });
  });
});

describe('the exponential of a twist', () => {
  /** Σ (Ω^)^k / k!, as a 4 × 4 matrix. */
  function seriesOf(omega: readonly number[]): number[][] {
    const [kx, ky, kz, vx, vy, vz] = omega as [number, number, number, number, number, number];
    const hat = [
      [0, -kz, ky, vx],
      [kz, 0, -kx, vy],
      [-ky, kx, 0, vz],
      [0, 0, 0, 0],
    ];
    const product = (a: number[][], b: number[][]): number[][] =>
      a.map((row) => row.map((_, j) => row.reduce((sum, e, k) => sum + e * b[k]![j]!, 0)));
    let term = hat.map((_, i) => hat.map((__, j) => Number(i === j)));
    let total = term;
    for (let k = 1; k < 30; k++) {
      term = product(term, hat).map((row) => row.map((e) => e / k));
      total = total.map((row, i) => row.map((e, j) => e + term[i]![j]!));
    }
    return total;
  }

  it.each([1, 1e-5, 0])('is the series of its matrix at size %d', (size) => {
    const omega = twist(3, size);
    const entries = evaluate(frameEntries(new ExponentialStep(omega, (_label, e) => e).step.frame));
    const series = seriesOf(numbers(omega));
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) expect(entries[3 * i + j]).toBeCloseTo(series[i]![j]!, 14);
      expect(entries[9 + i]).toBeCloseTo(series[i]![3]!, 14);
    }
  });

  it.each([1, 1e-5])('moves like the difference quotients of its frame at size %d', (size) => {
    const [omega, rate, acceleration] = [twist(3, size), twist(4), twist(5)] as const;
    const relative = new ExponentialStep(omega, (_label, e) => e).relativeMotion(rate, acceleration);
    const path = frameEntries(
      new ExponentialStep(moving(omega, rate, acceleration, time), (_label, e) => e).step.frame,
    );
    const h = 1e-3;
    const at = (t: number): number[] => evaluate(path, new Map([[time, t]]));
    /** Fourth-order differences. */
    const first = (i: number, t = 0): number =>
      (8 * (at(t + h)[i]! - at(t - h)[i]!) - (at(t + 2 * h)[i]! - at(t - 2 * h)[i]!)) / (12 * h);
    const spin = (t: number): number[] => {
      const R = at(t);
      const rates = Array.from({ length: 9 }, (_, i) => first(i, t));
      const entry = (i: number, j: number): number =>
        [0, 1, 2].reduce((sum, k) => sum + rates[3 * i + k]! * R[3 * j + k]!, 0);
      return [entry(2, 1), entry(0, 2), entry(1, 0)];
    };
    const spins = [-2, -1, 1, 2].map((k) => spin(k * h));
    evaluate(relative.angularVelocity).forEach((w, i) => expect(w).toBeCloseTo(spin(0)[i]!, 9));
    evaluate(relative.velocity).forEach((v, i) => expect(v).toBeCloseTo(first(9 + i), 9));
    evaluate(relative.angularAcceleration).forEach((a, i) =>
      expect(a).toBeCloseTo((8 * (spins[2]![i]! - spins[1]![i]!) - (spins[3]![i]! - spins[0]![i]!)) / (12 * h), 6),
    );
    const [mm, m, o, p, pp] = [-2, -1, 0, 1, 2].map((k) => at(k * h)) as [
      number[],
      number[],
      number[],
      number[],
      number[],
    ];
    evaluate(relative.acceleration).forEach((a, i) => {
      const second = (16 * (p[9 + i]! + m[9 + i]!) - (pp[9 + i]! + mm[9 + i]!) - 30 * o[9 + i]!) / (12 * h ** 2);
      expect(a).toBeCloseTo(second, 6);
    });
  });
});
