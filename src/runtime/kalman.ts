/**
 * An extended Kalman filter over the dynamics of a robot: a linearly implicit step of the state with its tangent, and
 * the covariance of the state (q, qd) as U D U', U upper triangular with ones on its diagonal, D not below zero. It is
 * propagated by weighted orthogonal rows (C. L. Thornton, JPL TM 33-798, 1976) and corrected number by number (G. J.
 * Bierman, Factorization Methods for Discrete Sequential Estimation, 1977): it stays a covariance whatever is rounded.
 * Calls have no loops but over the numbers that they are given, and nothing is allocated: callers bring all arrays.
 * Matrices are row-major. This file is copied beside generated modules and imports nothing; the C of `kanegen_kalman.c`
 * is translated from it, statement by statement.
 */

/** A whole number: `int` in C. */
export type Index = number;
/** Numbers that are read only. */
export type Reals = ArrayLike<number>;

/**
 * The system of a linearly implicit Euler step of time h, S = M + h V + h^2 K, and its right-hand sides [-h K, M, h]:
 * what solves it, n x 3n, is the tangent of the rates after the step, their changes with the coordinates, with the
 * rates, and with generalized forces that act during it.
 * @param byPosition K, changes of the generalized forces that a motion takes, less those of the inputs, with each
 *   coordinate: n numbers after the other. `byRate`: V, likewise with each rate.
 */
export function rateSystem(
  n: Index,
  h: number,
  M: Reals,
  byPosition: Reals,
  byRate: Reals,
  system: Float64Array,
  tangent: Float64Array,
): void {
  const width: Index = 3 * n;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const stiff = h * byPosition[n * j + i]!;
      system[n * i + j] = M[n * i + j]! + h * (byRate[n * j + i]! + stiff);
      tangent[width * i + j] = -stiff;
      tangent[width * i + n + j] = M[n * i + j]!;
      tangent[width * i + 2 * n + j] = 0;
    }
    tangent[width * i + 2 * n + i] = h;
  }
}

/**
 * The state after the step of this tangent: v = qd + h (tangent by rates qdd + tangent by coordinates qd), q + h v.
 * @param qdd accelerations at the state (q, qd).
 */
export function stepState(
  n: Index,
  h: number,
  tangent: Reals,
  qdd: Reals,
  q: Reals,
  qd: Reals,
  position: Float64Array,
  rate: Float64Array,
): void {
  const width: Index = 3 * n;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += tangent[width * i + n + j]! * qdd[j]! + tangent[width * i + j]! * qd[j]!;
    rate[i] = qd[i]! + h * sum;
    position[i] = q[i]! + h * rate[i]!;
  }
}

/**
 * The covariance after the step: U and D, N = 2n, become those of F U D U' F' + G Q G', F and G by the tangent of the
 * rates (coordinates change by h times the rates), Q the squares of `process` on its diagonal.
 * @param process standard deviations of generalized forces that act during the step.
 * @param rows 3n N numbers to work with; `weights`: 6n.
 */
export function propagate(
  n: Index,
  h: number,
  tangent: Reals,
  process: Reals,
  U: Float64Array,
  D: Float64Array,
  rows: Float64Array,
  weights: Float64Array,
): void {
  const N: Index = 2 * n;
  const width: Index = 3 * n;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < N; j++) {
      let sum = 0;
      for (let k = 0; k < j; k++) sum += tangent[width * i + k]! * U[N * k + j]!;
      sum += tangent[width * i + j]!;
      rows[width * (n + i) + j] = sum;
      rows[width * i + j] = h * sum + U[N * i + j]!;
    }
    for (let j = N; j < width; j++) {
      rows[width * (n + i) + j] = tangent[width * i + j]!;
      rows[width * i + j] = h * tangent[width * i + j]!;
    }
  }
  // Rows become orthogonal in the metric of D and Q, the last one first; what they lose to each other is U.
  for (let i = 0; i < N; i++) weights[i] = D[i]!;
  for (let i = 0; i < n; i++) weights[N + i] = process[i]! * process[i]!;
  for (let j = N - 1; j >= 0; j--) {
    let size = 0;
    for (let k = 0; k < width; k++) {
      weights[width + k] = weights[k]! * rows[width * j + k]!;
      size += weights[width + k]! * rows[width * j + k]!;
    }
    D[j] = size;
    U[N * j + j] = 1;
    for (let i = 0; i < j; i++) {
      let shared = 0;
      for (let k = 0; k < width; k++) shared += rows[width * i + k]! * weights[width + k]!;
      let share = 0;
      if (size > 0) share = shared / size;
      U[N * i + j] = share;
      for (let k = 0; k < width; k++) rows[width * i + k] = rows[width * i + k]! - share * rows[width * j + k]!;
    }
  }
}

/**
 * One measured number: U and D become those of the state when it is known, and `change` what is to be added to the
 * state on account of all numbers so far.
 * @param row its changes with `count` numbers of the state, from `first` on: entries from `at` on of this array.
 * @param noise its standard deviation.
 * @param difference the measured number less what was expected of the state before the change.
 * @param along N numbers to work with; `gain` likewise.
 */
export function correct(
  N: Index,
  first: Index,
  count: Index,
  at: Index,
  row: Reals,
  noise: number,
  difference: number,
  U: Float64Array,
  D: Float64Array,
  change: Float64Array,
  along: Float64Array,
  gain: Float64Array,
): void {
  let missing = difference;
  for (let k = 0; k < count; k++) missing -= row[at + k]! * change[first + k]!;
  for (let j = 0; j < N; j++) {
    // Below the diagonal U is zero.
    let last: Index = count;
    if (first + count > j + 1) last = j + 1 - first;
    let sum = 0;
    for (let k = 0; k < last; k++) sum += row[at + k]! * U[N * (first + k) + j]!;
    along[j] = sum;
    gain[j] = D[j]! * sum;
  }
  let variance = noise * noise;
  for (let j = 0; j < N; j++) {
    const before = variance;
    const own = gain[j]!;
    variance = before + along[j]! * own;
    D[j] = D[j]! * (before / variance);
    const share = -along[j]! / before;
    for (let i = 0; i < j; i++) {
      const entry = U[N * i + j]!;
      U[N * i + j] = entry + gain[i]! * share;
      gain[i] = gain[i]! + own * entry;
    }
  }
  const scale = missing / variance;
  for (let i = 0; i < N; i++) change[i] = change[i]! + gain[i]! * scale;
}

/** Standard deviations of the N numbers of the state. */
export function deviations(N: Index, U: Reals, D: Reals, out: Float64Array): void {
  for (let i = 0; i < N; i++) {
    let sum = 0;
    for (let j = i; j < N; j++) sum += D[j]! * (U[N * i + j]! * U[N * i + j]!);
    out[i] = Math.sqrt(sum);
  }
}
