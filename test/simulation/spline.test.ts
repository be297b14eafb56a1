/** Splines of references: through their points, twice differentiable, at rest at both ends. */
import { describe, expect, it } from 'vitest';
import { splineReference } from '../../src/simulation/scenario/spline.ts';

const at = (reference: ReturnType<typeof splineReference>, t: number): readonly [number, number, number] => {
  const out = new Float64Array(3);
  reference(t, out);
  return [out[0]!, out[1]!, out[2]!];
};

describe('splines', () => {
  const times = [-1, 0.5, 0.7, 2, 3.5, 3.6];
  const values = [2, -1, 0.3, 0.3, 5, 4];
  const spline = splineReference(times, values);

  it('go through their points, with continuous rates and second derivatives', () => {
    times.forEach((t, i) => {
      expect(at(spline, t)[0]).toBe(values[i]);
      if (i === 0 || i === times.length - 1) return;
      const [before, after] = [at(spline, t - 1e-9), at(spline, t + 1e-9)];
      expect(Math.abs(after[1] - before[1])).toBeLessThan(1e-6);
      expect(Math.abs(after[2] - before[2])).toBeLessThan(1e-4);
    });
  });

  it('have the derivatives of their values', () => {
    const h = 1e-5;
    for (const t of [-0.9, 0.2, 0.6, 1.3, 2.9, 3.55]) {
      const [before, here, after] = [at(spline, t - h), at(spline, t), at(spline, t + h)];
      expect(here[1]).toBeCloseTo((after[0] - before[0]) / (2 * h), 4);
      expect(here[2]).toBeCloseTo((after[1] - before[1]) / (2 * h), 3);
    }
  });

  it('are at rest at the ends, and stand still outside', () => {
    expect(at(spline, -1 + 1e-12)[1]).toBeCloseTo(0, 9);
    expect(at(spline, 3.6 - 1e-12)[1]).toBeCloseTo(0, 6);
    expect(at(spline, -5)).toEqual([2, 0, 0]);
    expect(at(spline, 3.6)).toEqual([4, 0, 0]);
    expect(at(spline, 7)).toEqual([4, 0, 0]);
  });

  it('are the cubic itself whose points they have, if it is at rest at both ends', () => {
    const cubic = (t: number): number => 1 + 3 * t * t - 2 * t * t * t;
    const own = splineReference([0, 0.1, 0.35, 0.8, 1], [0, 0.1, 0.35, 0.8, 1].map(cubic));
    for (let t = 0; t < 1; t += 0.07) {
      const [y, rate, second] = at(own, t);
      expect(Math.abs(y - cubic(t))).toBeLessThan(1e-14);
      expect(Math.abs(rate - 6 * t * (1 - t))).toBeLessThan(1e-13);
      // At the first point, too: a run that begins there would see its forces jump.
      expect(Math.abs(second - (6 - 12 * t))).toBeLessThan(1e-12);
    }
  });
});
