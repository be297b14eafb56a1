/** References: rates are slopes of positions, ends are at rest, limits are kept. */
import { describe, expect, it } from 'vitest';
import {
  minimumJerk,
  planMotion,
  planned,
  planStop,
  trapezoid,
  trapezoidDuration,
  viaPoints,
} from '../../src/runtime/trajectories.ts';

type Motion = (t: number) => number[];

const jerk =
  (duration: number, from: number, to: number): Motion =>
  (t) => {
    const out = new Float64Array(3);
    minimumJerk(t, duration, from, to, out);
    return [...out];
  };
const ramps =
  (from: number, to: number, rate: number, acceleration: number): Motion =>
  (t) => {
    const out = new Float64Array(3);
    trapezoid(t, from, to, rate, acceleration, out);
    return [...out];
  };

/** Slopes of position and rate by central differences, away from the times where the second derivative jumps. */
function expectSlopes(motion: Motion, times: readonly number[], within: number): void {
  const h = 1e-5;
  for (const t of times) {
    const [before, at, after] = [motion(t - h), motion(t), motion(t + h)];
    expect(Math.abs((after[0]! - before[0]!) / (2 * h) - at[1]!)).toBeLessThan(within);
    expect(Math.abs((after[1]! - before[1]!) / (2 * h) - at[2]!)).toBeLessThan(within);
  }
}

function expectRest(motion: Motion, duration: number, from: number, to: number): void {
  for (const t of [-1, 0]) expect(motion(t)).toEqual([from, 0, 0]);
  for (const t of [duration, duration + 1]) expect(motion(t)).toEqual([to, 0, 0]);
}

describe('minimumJerk', () => {
  it('is at rest at its ends, without acceleration, and follows its rates between them', () => {
    const motion = jerk(1.6, -0.3, 2);
    expectRest(motion, 1.6, -0.3, 2);
    expectSlopes(motion, [0.1, 0.5, 0.8, 1.3, 1.5], 1e-8);
    for (const t of [1e-6, 1.6 - 1e-6]) expect(Math.abs(motion(t)[2]!)).toBeLessThan(1e-4);
    expect(motion(0.8)[0]).toBeCloseTo(0.85, 14);
  });

  it('is of fifth degree: no other has less jerk between the same ends', () => {
    const motion = jerk(1, 0, 1);
    const values = Array.from({ length: 7 }, (_, i) => motion((i + 1) / 8)[0]!);
    const weights = [1, -6, 15, -20, 15, -6, 1];
    expect(Math.abs(weights.reduce((sum, weight, i) => sum + weight * values[i]!, 0))).toBeLessThan(1e-14);
  });
});

describe('trapezoid', () => {
  it.each([
    [0, 2, 0.5, 1, 4.5],
    [1, -2, 0.5, 1, 6.5],
    [0, 0.1, 0.5, 1, 2 * Math.sqrt(0.1)],
    [0, 0.1, 0.5, 2, 2 * Math.sqrt(0.05)],
    [0.4, 0.4, 0.5, 1, 0],
  ])('leads from %d to %d within rate %d and acceleration %d', (from, to, rate, acceleration, duration) => {
    expect(trapezoidDuration(to - from, rate, acceleration)).toBeCloseTo(duration, 14);
    const motion = ramps(from, to, rate, acceleration);
    expectRest(motion, trapezoidDuration(to - from, rate, acceleration), from, to);
    if (duration === 0) return;
    expect(motion(duration / 2)[0]).toBeCloseTo((from + to) / 2, 14);
    expectSlopes(
      motion,
      [0.13, 0.4, 0.61, 0.87].map((share) => share * duration),
      1e-9,
    );
    for (let k = 0; k <= 100; k++) {
      const [, speed, change] = motion((k / 100) * duration);
      expect(Math.abs(speed!)).toBeLessThanOrEqual(rate * (1 + 1e-12));
      expect([0, acceleration]).toContainEqual(Math.abs(change!));
    }
    const ramp = Math.min(rate / acceleration, duration / 2);
    for (const t of [ramp, duration - ramp]) expect(motion(t - 1e-9)[0]).toBeCloseTo(motion(t + 1e-9)[0]!, 8);
  });
});

describe('a reference that cannot be followed', () => {
  const out = new Float64Array([7, 7, 7]);
  const refused = (call: () => boolean): void => {
    expect(call()).toBe(false);
    expect([...out]).toEqual([7, 7, 7]);
  };

  it('is refused, and nothing is written: rates and accelerations that lead nowhere', () => {
    for (const wrong of [0, -0.5, NaN])
      for (const t of [-1, 0.3, 5]) {
        refused(() => trapezoid(t, 0, 1, wrong, 1, out));
        refused(() => trapezoid(t, 0, 1, 0.5, wrong, out));
      }
    expect(trapezoidDuration(1, 0, 1)).toBe(Number.MAX_VALUE);
    expect(trapezoidDuration(1, 1, -1)).toBe(Number.MAX_VALUE);
  });

  it('is refused where a number is none, or a result is too large', () => {
    for (const wrong of [NaN, Infinity, -Infinity]) {
      refused(() => trapezoid(wrong, 0, 1, 1, 1, out));
      refused(() => trapezoid(0.5, wrong, 1, 1, 1, out));
      refused(() => trapezoid(0.5, 0, wrong, 1, 1, out));
      refused(() => minimumJerk(wrong, 1, 0, 1, out));
      refused(() => minimumJerk(0.5, wrong, 0, 1, out));
      refused(() => minimumJerk(0.5, 1, wrong, 1, out));
      refused(() => minimumJerk(0.5, 1, 0, wrong, out));
    }
    refused(() => minimumJerk(1e-200, 3e-200, 0, 1, out));
    refused(() => minimumJerk(0.5, 1, -1e308, 1e308, out));
  });

  it('without a way is at rest there, whatever its rates', () => {
    expect(trapezoidDuration(0, 0, 0)).toBe(0);
    expect(trapezoid(0.3, 2, 2, 0, 0, out)).toBe(true);
    expect([...out]).toEqual([2, 0, 0]);
  });
});

describe('viaPoints', () => {
  const times = [0.5, 1, 2.5, 3];
  const states = [0.2, 0, 0, 1, 0.7, -2, -0.5, -1, 0.5, 0, 0, 0];
  const motion: Motion = (t) => {
    const out = new Float64Array(3);
    expect(viaPoints(t, 4, times, states, out)).toBe(true);
    return [...out];
  };

  it('passes through its points with their derivatives, and is smooth between', () => {
    times.forEach((t, k) => {
      const sides = k === 0 || k === 3 ? [0] : [-1e-9, 0];
      for (const side of sides)
        motion(t + side).forEach((value, i) => expect(value).toBeCloseTo(states[3 * k + i]!, 6));
    });
    expectSlopes(motion, [0.6, 0.9, 1.3, 2, 2.6, 2.9], 1e-6);
    expect([motion(0), motion(4)]).toEqual([
      [0.2, 0, 0],
      [0, 0, 0],
    ]);
  });
});

describe('planMotion', () => {
  const LIMITS = { rate: 1.2, acceleration: 3, jerk: 20 };
  const { rate, acceleration, jerk: most } = LIMITS;
  const planOf = (from: readonly number[], to: number): Float64Array => {
    const plan = new Float64Array(19);
    expect(planMotion(from, to, rate, acceleration, most, plan)).toBe(true);
    return plan;
  };
  const along =
    (plan: Float64Array): Motion =>
    (t) => {
      const out = new Float64Array(3);
      expect(planned(t, plan, out)).toBe(true);
      return [...out];
    };
  const random = (() => {
    let seed = 7;
    return (size: number): number => {
      seed = (seed * 48271) % 2147483647;
      return size * (2 * (seed / 2147483647) - 1);
    };
  })();

  it('leads from any state to rest at any position, within its limits, without a jump', () => {
    for (let trial = 0; trial < 300; trial++) {
      const from = [random(2), random(rate), random(acceleration)];
      const to = trial % 3 === 0 ? from[0]! + random(0.05) : random(3);
      const plan = planOf(from, to);
      const motion = along(plan);
      motion(0).forEach((value, i) => expect(value).toBe(from[i]));
      const end = motion(plan[18]! - 1e-9);
      expect(Math.abs(end[0]! - to)).toBeLessThan(1e-8);
      expect(Math.abs(end[1]!)).toBeLessThan(1e-6);
      expect(Math.abs(end[2]!)).toBeLessThan(1e-6);
      // Rates overshoot by what the second derivative at the start brings before it is led to zero.
      const rise = Math.abs(from[1]! + (from[2]! * Math.abs(from[2]!)) / (2 * most));
      for (let i = 0; i <= 60; i++) {
        const [, v, a] = motion((plan[18]! * i) / 60);
        expect(Math.abs(v!)).toBeLessThanOrEqual(Math.max(rate, rise) + 1e-9);
        expect(Math.abs(a!)).toBeLessThanOrEqual(acceleration + 1e-9);
      }
      for (let k = 0; k < 7; k++) {
        expect(plan[k]).toBeGreaterThanOrEqual(0);
        expect(Math.abs(plan[7 + k]!)).toBeLessThanOrEqual(most);
      }
    }
  });

  it('takes the time of the known S-curve from rest, with and without each of its parts', () => {
    // All parts: way / rate + rate / acceleration + acceleration / jerk. None but jerk: 4 (way / (2 jerk))^(1/3).
    expect(planOf([0, 0, 0], 5)[18]).toBeCloseTo(5 / rate + rate / acceleration + acceleration / most, 9);
    expect(planOf([0, 0, 0], -0.01)[18]).toBeCloseTo(4 * Math.cbrt(0.01 / (2 * most)), 9);
    expectSlopes(along(planOf([0.1, 0.5, 2], 0.7)), [0.01, 0.2, 0.4, 0.6], 1e-3);
  });

  it('stops from any state, as soon as it can, where another motion may begin', () => {
    const plan = new Float64Array(19);
    expect(planStop([1, 1, 2], acceleration, most, plan)).toBe(true);
    const motion = along(plan);
    expect(motion(plan[18]!)).toEqual([plan[17], 0, 0]);
    // To -3 and back to 0 by the jerk, the rest of the rate at -3.
    const [down, up] = [5 / most, 3 / most];
    const taken = 1 + (0.5 * (2 * 2 - 9)) / most - (0.5 * 9) / most;
    expect(plan[18]).toBeCloseTo(down + taken / 3 + up, 9);
    const next = planOf(motion(0.1), 0.3);
    motion(0.1).forEach((value, i) => expect(along(next)(0)[i]).toBe(value));
  });

  it('refuses limits that are none and numbers that are none', () => {
    const plan = new Float64Array(19);
    for (const wrong of [0, -1, NaN, Infinity]) {
      expect(planMotion([0, 0, 0], 1, wrong, 1, 1, plan)).toBe(false);
      expect(planMotion([0, 0, 0], 1, 1, wrong, 1, plan)).toBe(false);
      expect(planStop([0, 0, 0], 1, wrong, plan)).toBe(false);
    }
    expect(planMotion([0, NaN, 0], 1, 1, 1, 1, plan)).toBe(false);
    expect(planMotion([0, 0, 0], NaN, 1, 1, 1, plan)).toBe(false);
  });
});
