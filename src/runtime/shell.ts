/**
 * The shell around a controller, whatever its law: states, faults, the way from where a robot is to its reference,
 * rates of encoders, bounds of what may change in a period. Calls have no loops but over the numbers that they are
 * given, and nothing is allocated: callers bring all arrays. This file is copied beside generated modules and imports
 * nothing; the C of `kanegen_shell.c` is translated from it, statement by statement.
 */

/** A whole number: `int` in C. */
export type Index = number;
/** Numbers that are read only. */
export type Reals = ArrayLike<number>;

/** States: inputs are zero. */
export const SHELL_OFF = 0;
/** The law holds the robot where it was when this was asked for. */
export const SHELL_HOLD = 1;
/** The law leads the robot from where it was to its reference. */
export const SHELL_BLEND = 2;
/** The law follows its reference. */
export const SHELL_RUN = 3;
/** Inputs are safe ones, until SHELL_OFF is asked for. */
export const SHELL_FAULT = 4;

/** Reasons of faults: a position or a rate that was measured is not finite. */
export const SHELL_MEASUREMENT = 1;
/** The time since the last step is not above zero and below ten periods. */
export const SHELL_PERIOD = 2;
/** A coordinate is beyond its limits. */
export const SHELL_POSITION = 3;
/** A coordinate is too fast. */
export const SHELL_SPEED = 4;
/** The reference is not finite. */
export const SHELL_REFERENCE = 5;
/** A limit or another setting of the shell is none. */
export const SHELL_SETTING = 6;
/** The law returned something else than KG_OK. */
export const SHELL_LAW = 7;

/** What a shell keeps from period to period, whatever its law. */
export interface Shell {
  /** Tells a shell that was reset. */
  begun: Index;
  /** SHELL_OFF ... SHELL_FAULT. */
  mode: Index;
  /** What is followed: SHELL_HOLD, SHELL_RUN; SHELL_OFF. */
  aim: Index;
  /** Of the last fault. */
  reason: Index;
  /** Faults since the reset. */
  faults: Index;
  /** Steps in a row that could not be used. */
  missed: Index;
  /** Steps since the fault. */
  since: Index;
  /** Are there positions of all coordinates? */
  located: Index;
  /** Of the way to the reference: time since its beginning, s. */
  elapsed: number;
  /** Of that way, s. */
  duration: number;
}

/** A fault, unless there is one or the shell is off. */
export function shellFault(shell: Shell, reason: Index): void {
  if (shell.mode !== SHELL_OFF && shell.mode !== SHELL_FAULT) {
    shell.mode = SHELL_FAULT;
    shell.reason = reason;
    shell.faults = shell.faults + 1;
    shell.since = 0;
  }
}

/** A step that could not be used: u stays as it is; more than `tolerated` in a row are a fault. */
export function shellMiss(shell: Shell, reason: Index, tolerated: Index): void {
  if (shell.missed <= tolerated) shell.missed = shell.missed + 1;
  if (shell.missed > tolerated) shellFault(shell, reason);
}

/**
 * The beginning of a step: the shell is off where it is asked for nothing else. False where the time dt since the last
 * step is not above zero and below ten periods, which is a fault; rates begin anew then.
 * @param wanted SHELL_OFF, SHELL_HOLD or SHELL_RUN; others are SHELL_OFF.
 */
export function shellBegin(shell: Shell, wanted: Index, dt: number, period: number): boolean {
  if (wanted !== SHELL_HOLD && wanted !== SHELL_RUN) {
    shell.mode = SHELL_OFF;
    shell.aim = SHELL_OFF;
    shell.missed = 0;
  }
  if (dt > 0 && dt < 10 * period) return true;
  shell.located = 0;
  shellFault(shell, SHELL_PERIOD);
  return false;
}

/** A coordinate that was not measured goes on as it was; at a fault it stands. */
function coast(shell: Shell, i: Index, dt: number, position: Float64Array, rate: Float64Array): void {
  if (shell.mode === SHELL_FAULT) rate[i] = 0;
  if (shell.located > 0) position[i] = position[i]! + dt * rate[i]!;
}

/** Positions and rates as they were measured. False where one is not finite. */
export function measuredRates(
  shell: Shell,
  n: Index,
  dt: number,
  q: Reals,
  qd: Reals,
  position: Float64Array,
  rate: Float64Array,
): boolean {
  let whole = true;
  for (let i = 0; i < n; i++) {
    if (Number.isFinite(q[i]!) && Number.isFinite(qd[i]!)) {
      position[i] = q[i]!;
      rate[i] = qd[i]!;
    } else {
      whole = false;
      coast(shell, i, dt, position, rate);
    }
  }
  if (whole) shell.located = 1;
  return whole;
}

/**
 * Positions as they were measured, and rates: their differences through a filter of first order. False where a position
 * is not finite.
 */
export function filteredDifference(
  shell: Shell,
  n: Index,
  dt: number,
  time: number,
  q: Reals,
  position: Float64Array,
  rate: Float64Array,
): boolean {
  let whole = true;
  for (let i = 0; i < n; i++) {
    if (Number.isFinite(q[i]!)) {
      if (shell.located > 0) rate[i] = rate[i]! + (q[i]! - position[i]! - dt * rate[i]!) / (time + dt);
      else rate[i] = 0;
      position[i] = q[i]!;
    } else {
      whole = false;
      coast(shell, i, dt, position, rate);
    }
  }
  if (whole) shell.located = 1;
  return whole;
}

/**
 * Positions and rates of a loop of second order, critically damped, that follows the measured positions: both poles of
 * a step are 1 / (1 + bandwidth dt), whatever dt. False where a position is not finite.
 */
export function trackingLoop(
  shell: Shell,
  n: Index,
  dt: number,
  bandwidth: number,
  q: Reals,
  position: Float64Array,
  rate: Float64Array,
): boolean {
  const pole = 1 / (1 + bandwidth * dt);
  const gain = 1 - pole * pole;
  const rateGain = ((1 - pole) * (1 - pole)) / dt;
  let whole = true;
  for (let i = 0; i < n; i++) {
    if (Number.isFinite(q[i]!)) {
      if (shell.located > 0) {
        const expected = position[i]! + dt * rate[i]!;
        const missing = q[i]! - expected;
        position[i] = expected + gain * missing;
        rate[i] = rate[i]! + rateGain * missing;
      } else {
        position[i] = q[i]!;
        rate[i] = 0;
      }
    } else {
      whole = false;
      coast(shell, i, dt, position, rate);
    }
  }
  if (whole) shell.located = 1;
  return whole;
}

/** False, and a fault, where a position is beyond its limits or a rate above the fastest. */
export function shellGuard(
  shell: Shell,
  n: Index,
  position: Reals,
  rate: Reals,
  lowest: Reals,
  highest: Reals,
  fastest: Reals,
): boolean {
  let within = true;
  let slow = true;
  for (let i = 0; i < n; i++) {
    if (!(position[i]! >= lowest[i]! && position[i]! <= highest[i]!)) within = false;
    if (!(Math.abs(rate[i]!) <= fastest[i]!)) slow = false;
  }
  if (!within) shellFault(shell, SHELL_POSITION);
  if (!slow) shellFault(shell, SHELL_SPEED);
  return within && slow;
}

/** Of a number that is not below zero. */
function cubeRoot(x: number): number {
  if (x > 0) return Math.exp(Math.log(x) / 3);
  return 0;
}

/** Is each of the first n numbers above zero? */
export function arePositive(x: Reals, n: Index): boolean {
  for (let i = 0; i < n; i++) if (!(x[i]! > 0)) return false;
  return true;
}

/**
 * What the law follows: (held, 0, 0) or (y, yd, ydd), and beside it what is left of the distance at which this was
 * asked for: a polynomial of degree five in time that begins with position, rate and second derivative of what was
 * followed before (of the robot, where the shell was off) and ends at zero with both. It takes `blend`, or as much
 * more as keeps its third derivative within `jerk`.
 * @param start 3 numbers for each of `count`, which the shell keeps.
 * @param held where the robot is held, which the shell keeps.
 * @param position position, rate and second derivative that are followed, in and out; `rate`, `second` likewise.
 */
export function shellRefer(
  shell: Shell,
  wanted: Index,
  count: Index,
  dt: number,
  blend: number,
  jerk: Reals,
  present: Reals,
  presentRate: Reals,
  y: Reals,
  yd: Reals,
  ydd: Reals,
  start: Float64Array,
  held: Float64Array,
  position: Float64Array,
  rate: Float64Array,
  second: Float64Array,
): void {
  if (shell.aim !== wanted) {
    let duration = blend;
    for (let i = 0; i < count; i++) {
      if (shell.mode === SHELL_OFF) {
        position[i] = present[i]!;
        rate[i] = presentRate[i]!;
        second[i] = 0;
      }
      if (wanted === SHELL_HOLD) {
        // Where it stops within that time.
        held[i] = position[i]! + 0.5 * blend * rate[i]!;
        start[3 * i] = position[i]! - held[i]!;
        start[3 * i + 1] = rate[i]!;
        start[3 * i + 2] = second[i]!;
      } else {
        start[3 * i] = position[i]! - y[i]!;
        start[3 * i + 1] = rate[i]! - yd[i]!;
        start[3 * i + 2] = second[i]! - ydd[i]!;
      }
      // T^3 jerk >= 60 |distance| + 36 |rate| T + 9 |second| T^2, where each part is taken for itself.
      const own =
        cubeRoot((60 * Math.abs(start[3 * i]!)) / jerk[i]!) +
        Math.sqrt((36 * Math.abs(start[3 * i + 1]!)) / jerk[i]!) +
        (9 * Math.abs(start[3 * i + 2]!)) / jerk[i]!;
      if (own > duration) duration = own;
    }
    shell.duration = duration;
    shell.elapsed = 0;
    shell.aim = wanted;
  }
  const T = shell.duration;
  const isThere = !(shell.elapsed < T);
  shell.mode = SHELL_HOLD;
  if (wanted === SHELL_RUN) {
    shell.mode = SHELL_BLEND;
    if (isThere) shell.mode = SHELL_RUN;
  }
  let s = 1;
  let per = 0;
  if (!isThere) {
    s = shell.elapsed / T;
    per = 1 / T;
  }
  const w = 1 - s;
  for (let i = 0; i < count; i++) {
    const begin = start[3 * i]!;
    const rise = start[3 * i + 1]! * T;
    const p1 = 3 * begin + rise;
    const p2 = 6 * begin + 3 * rise + 0.5 * (start[3 * i + 2]! * (T * T));
    // w^3 p with p = begin + p1 s + p2 s^2.
    const p = begin + s * (p1 + s * p2);
    const slope = p1 + 2 * (s * p2);
    const left = w * (w * (w * p));
    const leftRate = per * (w * (w * (w * slope - 3 * p)));
    const leftSecond = per * per * (w * (6 * p - 6 * (w * slope) + 2 * (w * (w * p2))));
    if (wanted === SHELL_HOLD) {
      position[i] = held[i]! + left;
      rate[i] = leftRate;
      second[i] = leftSecond;
    } else {
      position[i] = y[i]! + left;
      rate[i] = yd[i]! + leftRate;
      second[i] = ydd[i]! + leftSecond;
    }
  }
  if (!isThere) shell.elapsed = shell.elapsed + dt;
}

/** Limits of inputs in this step: their own, and so much of them as is reached from u in the time dt. */
export function shellLimits(
  m: Index,
  dt: number,
  u: Reals,
  lower: Reals,
  upper: Reals,
  slope: Reals,
  least: Float64Array,
  most: Float64Array,
): void {
  for (let i = 0; i < m; i++) {
    let below = u[i]! - slope[i]! * dt;
    let above = u[i]! + slope[i]! * dt;
    if (below < lower[i]!) below = lower[i]!;
    if (below > upper[i]!) below = upper[i]!;
    if (above < lower[i]!) above = lower[i]!;
    if (above > upper[i]!) above = upper[i]!;
    least[i] = below;
    most[i] = above;
  }
}

/** Inputs at a fault: as they were for so many steps, then zero. */
export function shellHeld(shell: Shell, m: Index, steps: Index, u: Float64Array): void {
  if (shell.since >= steps) for (let i = 0; i < m; i++) u[i] = 0;
}

/**
 * Forces from outside by the momentum that they bring: the filter of first order with this bandwidth of what the motion
 * takes beyond what actuators do.
 * @param effort generalized forces that the motion takes: active inverse dynamics of its rates and their derivatives.
 * @param pushed those of the actuators in that time.
 */
export function observeForces(
  n: Index,
  dt: number,
  bandwidth: number,
  effort: Reals,
  pushed: Reals,
  external: Float64Array,
): void {
  const gain = (bandwidth * dt) / (1 + bandwidth * dt);
  for (let i = 0; i < n; i++) external[i] = external[i]! + gain * (effort[i]! - pushed[i]! - external[i]!);
}

/**
 * How much of a direction there is in generalized forces, by least squares: of the weight of 1 kg at a frame, the mass
 * of a load there at rest; zero where the direction is.
 */
export function shareOf(n: Index, direction: Reals, forces: Reals): number {
  let both = 0;
  let own = 0;
  for (let i = 0; i < n; i++) {
    both += direction[i]! * forces[i]!;
    own += direction[i]! * direction[i]!;
  }
  if (own > 0) return both / own;
  return 0;
}
