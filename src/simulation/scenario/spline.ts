/** Cubic splines through points, twice differentiable, at rest at both ends. */
import type { Reference } from './reference.ts';

/**
 * The rates at the points of the cubic spline with continuous second derivatives and zero rates at both ends: a tridiagonal
 * system, solved without pivoting (it is diagonally dominant).
 */
function splineRates(times: readonly number[], values: readonly number[]): number[] {
  const last = times.length - 1;
  const rates = times.map(() => 0);
  const above = times.map(() => 0);
  const slope = (i: number): number => (values[i + 1]! - values[i]!) / (times[i + 1]! - times[i]!);
  for (let i = 1; i < last; i++) {
    const [left, right] = [1 / (times[i]! - times[i - 1]!), 1 / (times[i + 1]! - times[i]!)];
    const pivot = 2 * (left + right) - left * above[i - 1]!;
    above[i] = right / pivot;
    rates[i] = (3 * (left * slope(i - 1) + right * slope(i)) - left * rates[i - 1]!) / pivot;
  }
  for (let i = last - 1; i > 0; i--) rates[i]! -= above[i]! * rates[i + 1]!;
  return rates;
}

/**
 * Through the points; before the first and after the last the value stands still. At the first the second derivative is already that of the
 * motion, at the last it is zero: it jumps there.
 * @param times strictly increasing, two at least.
 */
export function splineReference(times: readonly number[], values: readonly number[]): Reference {
  const rates = splineRates(times, values);
  const last = times.length - 1;
  return (t, out) => {
    if (!(t >= times[0]!)) return out.set([values[0]!, 0, 0]);
    if (t >= times[last]!) return out.set([values[last]!, 0, 0]);
    let i = 0;
    while (times[i + 1]! <= t) i++;
    const h = times[i + 1]! - times[i]!;
    const s = (t - times[i]!) / h;
    const way = values[i + 1]! - values[i]!;
    // v + h m₀ s + a s² + b s³ with the rates m at both ends.
    const [m0, m1] = [h * rates[i]!, h * rates[i + 1]!];
    const a = 3 * way - 2 * m0 - m1;
    const b = m0 + m1 - 2 * way;
    out.set([
      values[i]! + s * (m0 + s * (a + s * b)),
      (m0 + s * (2 * a + s * 3 * b)) / h,
      (2 * a + 6 * b * s) / (h * h),
    ]);
  };
}
