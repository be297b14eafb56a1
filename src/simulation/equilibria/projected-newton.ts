/**
 * The last digits of a minimum within limits: Newton's method on the unknowns that no limit holds, with difference quotients of the
 * gradient as Hessian (D. P. Bertsekas, Projected Newton methods for optimization problems with simple constraints, SIAM J. Control and
 * Optimization 20(2), 1982). Where a minimum is at a limit, or the function is far above zero, steps of Gauss–Newton creep.
 */
import { factorise, solveFactored } from '../../runtime/control.ts';

export interface BoundedProblem {
  /** Infinite where there is none. */
  readonly lower: ArrayLike<number>;
  readonly upper: ArrayLike<number>;
  /** @returns the value there, not finite where it has none, and writes its gradient. */
  value(x: Float64Array, gradient: Float64Array): number;
}

const MOST_STEPS = 30;
/** Of difference quotients, about the cube root of the rounding error. */
const STEP = 6e-6;
/** Added to the Hessian, of its largest entry: first, and by what it grows until all curvatures are positive. */
const LEAST_SHIFT = 1e-14;
const MORE_SHIFT = 100;
/** Halves of a step that are tried. */
const HALVES = 12;
/** Of the value: what rounding may add to it in a step that lessens the slope. */
const ROUNDING = 1e-13;

/** Lessens the value from x on, as far as rounding lets it. @returns x, changed in place. */
export function projectedNewton(x: Float64Array, problem: BoundedProblem): Float64Array {
  const { lower, upper } = problem;
  const n = x.length;
  const gradient = new Float64Array(n);
  const within = (value: number, i: number): number => Math.min(Math.max(value, lower[i]!), upper[i]!);
  const isFree = (at: Float64Array, slope: Float64Array, i: number): boolean =>
    !((at[i]! <= lower[i]! && slope[i]! > 0) || (at[i]! >= upper[i]! && slope[i]! < 0));
  const steepness = (at: Float64Array, slope: Float64Array): number =>
    Math.sqrt(slope.reduce((sum, g, i) => (isFree(at, slope, i) ? sum + g * g : sum), 0));
  let value = problem.value(x, gradient);
  for (let k = 0; k < MOST_STEPS && Number.isFinite(value); k++) {
    const free = Array.from(x.keys()).filter((i) => isFree(x, gradient, i));
    const step = newtonStep(x, gradient, free, problem);
    if (!step) return x;
    const slope = steepness(x, gradient);
    const trial = new Float64Array(n);
    const there = new Float64Array(n);
    let isBetter = false;
    for (let half = 0; half < HALVES && !isBetter; half++) {
      trial.set(x);
      free.forEach((i, j) => (trial[i] = within(x[i]! + step[j]! / 2 ** half, i)));
      const next = problem.value(trial, there);
      isBetter = next < value || (next <= value * (1 + ROUNDING) && steepness(trial, there) < slope / 2);
      if (isBetter) value = next;
    }
    if (!isBetter) return x;
    x.set(trial);
    gradient.set(there);
  }
  return x;
}

/** Of the free unknowns; none where there are none, or the function has no values around. */
function newtonStep(
  x: Float64Array,
  gradient: Float64Array,
  free: readonly number[],
  problem: BoundedProblem,
): Float64Array | undefined {
  const n = free.length;
  if (n === 0) return undefined;
  const hessian = new Float64Array(n * n);
  const [above, below] = [new Float64Array(x.length), new Float64Array(x.length)];
  for (const [j, moved] of free.entries()) {
    const h = STEP * Math.max(1, Math.abs(x[moved]!));
    const beside = (sign: number, out: Float64Array): number => problem.value(x.with(moved, x[moved]! + sign * h), out);
    if (!Number.isFinite(beside(1, above) + beside(-1, below))) return undefined;
    free.forEach((other, i) => {
      const quotient = (above[other]! - below[other]!) / (4 * h);
      hessian[n * i + j]! += quotient;
      hessian[n * j + i]! += quotient;
    });
  }
  const largest = hessian.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  if (!(largest > 0 && Number.isFinite(largest))) return undefined;
  for (let shift = LEAST_SHIFT; ; shift *= MORE_SHIFT) {
    const factor = hessian.map((entry, i) => (i % (n + 1) === 0 ? entry + shift * largest : entry));
    if (!factorise(n, factor)) continue;
    const step = Float64Array.from(free, (i) => -gradient[i]!);
    solveFactored(n, factor, step);
    return step;
  }
}
