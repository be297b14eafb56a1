/**
 * References for controllers: position, rate and second derivative at a time, between two positions at rest. Nothing is
 * allocated. This file is copied beside generated modules and imports nothing; the C of `kanegen_trajectories.c` is
 * translated from it, statement by statement.
 */

/**
 * Minimum-jerk motion (Flash, Hogan 1985): 10 s^3 - 15 s^4 + 6 s^5 of the way from `from` to `to` at the share
 * s = time / duration of the time; at rest before and after.
 * @param out position, rate, second derivative.
 */
export function minimumJerk(time: number, duration: number, from: number, to: number, out: Float64Array): void {
  const way = to - from;
  if (time <= 0) {
    out[0] = from;
    out[1] = 0;
    out[2] = 0;
    return;
  }
  if (time >= duration) {
    out[0] = to;
    out[1] = 0;
    out[2] = 0;
    return;
  }
  const s = time / duration;
  const rest = 1 - s;
  out[0] = from + way * (s * s * s * (10 + s * (6 * s - 15)));
  out[1] = (way / duration) * (30 * s * s * rest * rest);
  out[2] = (way / (duration * duration)) * (60 * s * rest * (1 - 2 * s));
}

/** Time that `trapezoid` takes for a way with these largest values of rate and acceleration, both above zero. */
export function trapezoidDuration(way: number, rate: number, acceleration: number): number {
  const length = Math.abs(way);
  // The way on which the rate is reached and left again.
  const ramps = (rate * rate) / acceleration;
  if (length < ramps) return 2 * Math.sqrt(length / acceleration);
  return length / rate + rate / acceleration;
}

/**
 * Trapezoid of the rate: acceleration, constant rate, the same acceleration backwards; without the middle where the way
 * is short. At rest before and after.
 * @param out position, rate, second derivative.
 */
export function trapezoid(
  time: number,
  from: number,
  to: number,
  rate: number,
  acceleration: number,
  out: Float64Array,
): void {
  const way = to - from;
  const duration = trapezoidDuration(way, rate, acceleration);
  let sign = 1;
  if (way < 0) sign = -1;
  if (time <= 0) {
    out[0] = from;
    out[1] = 0;
    out[2] = 0;
    return;
  }
  if (time >= duration) {
    out[0] = to;
    out[1] = 0;
    out[2] = 0;
    return;
  }
  const left = duration - time;
  let ramp = rate / acceleration;
  if (ramp > 0.5 * duration) ramp = 0.5 * duration;
  if (time <= ramp) {
    out[0] = from + sign * (0.5 * acceleration * time * time);
    out[1] = sign * (acceleration * time);
    out[2] = sign * acceleration;
  } else if (left <= ramp) {
    out[0] = to - sign * (0.5 * acceleration * left * left);
    out[1] = sign * (acceleration * left);
    out[2] = -sign * acceleration;
  } else {
    out[0] = from + sign * (rate * (time - 0.5 * ramp));
    out[1] = sign * rate;
    out[2] = 0;
  }
}
