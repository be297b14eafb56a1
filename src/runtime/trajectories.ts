/**
 * References for controllers: position, rate and second derivative at a time, between positions at rest, through via
 * points, and from any state within limits of rate, acceleration and jerk. Nothing is allocated. Functions that write
 * are true where what they wrote is a motion; false, and `out` left alone, where a number that they take or would write
 * is not finite, or where nothing would ever arrive. This file is copied beside generated modules and imports nothing;
 * the C of `kanegen_trajectories.c` is translated from it, statement by statement.
 */

/** A whole number: `int` in C. */
export type Index = number;
/** Numbers that are read only. */
export type Reals = ArrayLike<number>;

/** Position, rate and second derivative, where they are numbers. */
function written(position: number, rate: number, second: number, out: Float64Array): boolean {
  if (!Number.isFinite(position) || !Number.isFinite(rate) || !Number.isFinite(second)) return false;
  out[0] = position;
  out[1] = rate;
  out[2] = second;
  return true;
}

/**
 * Minimum-jerk motion (Flash, Hogan 1985): 10 s^3 - 15 s^4 + 6 s^5 of the way from `from` to `to` at the share
 * s = time / duration of the time; at rest before and after. A duration that is not above zero is a jump at time zero.
 * @param out position, rate, second derivative.
 */
export function minimumJerk(time: number, duration: number, from: number, to: number, out: Float64Array): boolean {
  if (!Number.isFinite(time) || !Number.isFinite(duration)) return false;
  const way = to - from;
  if (!Number.isFinite(way)) return false;
  if (time <= 0) return written(from, 0, 0, out);
  if (time >= duration) return written(to, 0, 0, out);
  const s = time / duration;
  const rest = 1 - s;
  const position = from + way * (s * s * s * (10 + s * (6 * s - 15)));
  const rate = (way / duration) * (30 * s * s * rest * rest);
  const second = (way / (duration * duration)) * (60 * s * rest * (1 - 2 * s));
  return written(position, rate, second, out);
}

/**
 * Time that `trapezoid` takes for a way with these largest values of rate and acceleration; the largest number where
 * one of them is not above zero and there is a way: it takes for ever.
 */
export function trapezoidDuration(way: number, rate: number, acceleration: number): number {
  const length = Math.abs(way);
  if (length <= 0) return 0;
  if (!(rate > 0) || !(acceleration > 0)) return Number.MAX_VALUE;
  // The way on which the rate is reached and left again.
  const ramps = (rate * rate) / acceleration;
  if (length < ramps) return 2 * Math.sqrt(length / acceleration);
  return length / rate + rate / acceleration;
}

/**
 * Trapezoid of the rate: acceleration, constant rate, the same acceleration backwards; without the middle where the way
 * is short. At rest before and after. False where rate or acceleration is not above zero and there is a way.
 * @param out position, rate, second derivative.
 */
export function trapezoid(
  time: number,
  from: number,
  to: number,
  rate: number,
  acceleration: number,
  out: Float64Array,
): boolean {
  const way = to - from;
  const duration = trapezoidDuration(way, rate, acceleration);
  if (!Number.isFinite(time) || !Number.isFinite(way) || !(duration < Number.MAX_VALUE)) return false;
  let sign = 1;
  if (way < 0) sign = -1;
  if (time <= 0) return written(from, 0, 0, out);
  if (time >= duration) return written(to, 0, 0, out);
  const left = duration - time;
  let ramp = rate / acceleration;
  if (ramp > 0.5 * duration) ramp = 0.5 * duration;
  if (time <= ramp) {
    const gone = sign * (0.5 * acceleration * time * time);
    return written(from + gone, sign * (acceleration * time), sign * acceleration, out);
  }
  if (left <= ramp) {
    const missing = sign * (0.5 * acceleration * left * left);
    return written(to - missing, sign * (acceleration * left), -sign * acceleration, out);
  }
  return written(from + sign * (rate * (time - 0.5 * ramp)), sign * rate, 0, out);
}

function larger(a: number, b: number): number {
  if (a > b) return a;
  return b;
}

/** The piece between two states of three numbers, one behind the other in `states` from `at` on. */
function piece(time: number, duration: number, states: Reals, at: Index, out: Float64Array): boolean {
  const square = duration * duration;
  if (!Number.isFinite(time) || !(duration > 0) || !(square > 0)) return false;
  const position = states[at]!;
  const rate = states[at + 1]!;
  const second = states[at + 2]!;
  const s = time / duration;
  // Of s^3, s^4 and s^5, by what the first three terms miss at the end.
  const way = states[at + 3]! - position - duration * (rate + 0.5 * (duration * second));
  const rise = duration * (states[at + 4]! - rate - duration * second);
  const turn = square * (states[at + 5]! - second);
  const c3 = 10 * way - 4 * rise + 0.5 * turn;
  const c4 = 7 * rise - 15 * way - turn;
  const c5 = 6 * way - 3 * rise + 0.5 * turn;
  return written(
    position + time * (rate + 0.5 * (time * second)) + s * s * s * (c3 + s * (c4 + s * c5)),
    rate + time * second + (s * s * (3 * c3 + s * (4 * c4 + s * (5 * c5)))) / duration,
    second + (s * (6 * c3 + s * (12 * c4 + s * (20 * c5)))) / square,
    out,
  );
}

/**
 * Through via points at rising times, by a polynomial of degree five from each to the next; at rest at the first point
 * before its time, and at the last one from its time on. False where there is no point.
 * @param times of `count` points.
 * @param states position, rate and second derivative of each point.
 * @param out position, rate, second derivative.
 */
export function viaPoints(time: number, count: Index, times: Reals, states: Reals, out: Float64Array): boolean {
  if (count < 1 || !Number.isFinite(time)) return false;
  if (time < times[0]!) return written(states[0]!, 0, 0, out);
  if (time >= times[count - 1]!) return written(states[3 * count - 3]!, 0, 0, out);
  let before: Index = 0;
  for (let k = 1; k < count - 1; k++) if (time >= times[k]!) before = k;
  return piece(time - times[before]!, times[before + 1]! - times[before]!, states, 3 * before, out);
}

/**
 * Times and third derivatives of the three parts, at `at` and 7 behind it, in which a rate becomes another one, from a
 * second derivative to none, in the least time that limits of both derivatives allow.
 */
function changeRate(
  rate: number,
  second: number,
  goal: number,
  acceleration: number,
  jerk: number,
  plan: Float64Array,
  at: Index,
): void {
  // Up where the second derivative, led to zero at once, would leave the rate below its goal.
  let sign = 1;
  if (goal < rate + (second * Math.abs(second)) / (2 * jerk)) sign = -1;
  const change = sign * (goal - rate);
  const begin = sign * second;
  let peak = Math.sqrt(larger(jerk * change + 0.5 * (begin * begin), 0));
  if (peak > acceleration) peak = acceleration;
  const ramp = Math.abs(peak - begin) / jerk;
  let first = sign * jerk;
  if (peak < begin) first = -first;
  const left = change - 0.5 * ((begin + peak) * ramp) - 0.5 * ((peak * peak) / jerk);
  let hold = 0;
  if (peak > 0 && left > 0) hold = left / peak;
  plan[at] = ramp;
  plan[at + 1] = hold;
  plan[at + 2] = peak / jerk;
  plan[at + 7] = first;
  plan[at + 8] = 0;
  plan[at + 9] = -sign * jerk;
}

/** Where a plan ends that begins at its start. */
function endOf(plan: Reals): number {
  let position = plan[14]!;
  let rate = plan[15]!;
  let second = plan[16]!;
  for (let k = 0; k < 7; k++) {
    const t = plan[k]!;
    const jerk = plan[7 + k]!;
    position += t * (rate + t * (0.5 * second + t * (jerk / 6)));
    rate += t * (second + t * (0.5 * jerk));
    second += t * jerk;
  }
  return position;
}

/** The plan by way of a rate: to it, and from it to rest. */
function passing(passed: number, acceleration: number, jerk: number, plan: Float64Array): number {
  changeRate(plan[15]!, plan[16]!, passed, acceleration, jerk, plan, 0);
  plan[3] = 0;
  plan[10] = 0;
  changeRate(passed, 0, 0, acceleration, jerk, plan, 4);
  return endOf(plan);
}

function begun(from: Reals, acceleration: number, jerk: number, plan: Float64Array): boolean {
  if (!(acceleration > 0) || !(jerk > 0) || !Number.isFinite(acceleration) || !Number.isFinite(jerk)) return false;
  for (let i = 0; i < 3; i++) {
    if (!Number.isFinite(from[i]!)) return false;
    plan[14 + i] = from[i]!;
  }
  return true;
}

function ended(to: number, plan: Float64Array): boolean {
  let duration = 0;
  for (let k = 0; k < 7; k++) duration += plan[k]!;
  plan[17] = to;
  plan[18] = duration;
  return Number.isFinite(to) && Number.isFinite(duration);
}

/**
 * Plans an S-curve: from any state to rest at a position within limits of rate, acceleration and jerk, by way of one
 * rate, which is found by halving 60 times. What is beyond the limits at the start is led back within them. False where
 * a limit is not above zero or a number not finite.
 * @param from position, rate, second derivative.
 * @param plan 19 numbers: times of 7 parts, their third derivatives, `from`, `to`, the duration.
 */
export function planMotion(
  from: Reals,
  to: number,
  rate: number,
  acceleration: number,
  jerk: number,
  plan: Float64Array,
): boolean {
  if (!begun(from, acceleration, jerk, plan) || !(rate > 0) || !Number.isFinite(rate) || !Number.isFinite(to))
    return false;
  let low = -rate;
  let high = rate;
  for (let k = 0; k < 60; k++) {
    const middle = 0.5 * (low + high);
    if (passing(middle, acceleration, jerk, plan) < to) low = middle;
    else high = middle;
  }
  let passed = 0.5 * (low + high);
  // Nothing was too far, or all of it: the largest rate is kept for a while.
  if (high >= rate) passed = rate;
  if (low <= -rate) passed = -rate;
  const end = passing(passed, acceleration, jerk, plan);
  if (Math.abs(passed) >= rate) plan[3] = larger((to - end) / passed, 0);
  return ended(to, plan);
}

/** Plans to stop from any state as soon as limits of acceleration and jerk allow; as `planMotion`. */
export function planStop(from: Reals, acceleration: number, jerk: number, plan: Float64Array): boolean {
  if (!begun(from, acceleration, jerk, plan)) return false;
  return ended(passing(0, acceleration, jerk, plan), plan);
}

/**
 * A planned motion: at its start before, at rest where it ends after its duration, `plan[18]`.
 * @param out position, rate, second derivative: a state from which another motion may be planned.
 */
export function planned(time: number, plan: Reals, out: Float64Array): boolean {
  if (!Number.isFinite(time)) return false;
  if (time >= plan[18]!) return written(plan[17]!, 0, 0, out);
  let position = plan[14]!;
  let rate = plan[15]!;
  let second = plan[16]!;
  let left = larger(time, 0);
  for (let k = 0; k < 7; k++) {
    let t = plan[k]!;
    if (left < t) t = left;
    const jerk = plan[7 + k]!;
    position += t * (rate + t * (0.5 * second + t * (jerk / 6)));
    rate += t * (second + t * (0.5 * jerk));
    second += t * jerk;
    left -= t;
  }
  return written(position, rate, second, out);
}
