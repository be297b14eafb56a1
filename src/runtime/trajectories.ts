/**
 * References for controllers: position, rate and second derivative at a time, between two positions at rest. Nothing is
 * allocated. Functions that write are true where what they wrote is a motion; false, and `out` left alone, where a
 * number that they take or would write is not finite, or where nothing would ever arrive. This file is copied beside
 * generated modules and imports nothing; the C of `kanegen_trajectories.c` is translated from it, statement by
 * statement.
 */

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
