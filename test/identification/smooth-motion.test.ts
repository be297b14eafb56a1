/** Splines, normal equations in a band, and the motion that noisy sensors tell: polynomials, dense matrices, sines. */
import { Matrix, solve } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { BandedNormalEquations } from '../../src/identification/motion/banded-cholesky.ts';
import { chosenWindow, smoothMotion, stateOf } from '../../src/identification/motion/smooth-motion.ts';
import { DEGREE, SplineBasis } from '../../src/identification/motion/splines.ts';
import { randomNumbers } from '../../src/common/random.ts';
import { normalNumbers } from './motions.ts';

describe('splines', () => {
  const basis = new SplineBasis(-1, 3, 7);

  it('are never negative, sum to one, and their derivatives to zero', () => {
    for (const t of [-1, -0.9, 0.1, 1.234, 2.9, 3]) {
      const { orders } = basis.at(t);
      expect(Math.min(...orders[0])).toBeGreaterThanOrEqual(0);
      expect(orders.map((values) => values.length)).toEqual([6, 6, 6]);
      orders.forEach((values, order) =>
        expect(values.reduce((sum, x) => sum + x, 0)).toBeCloseTo(order === 0 ? 1 : 0, 12),
      );
    }
  });

  it('have four derivatives without corners, of which the first two are difference quotients', () => {
    const weights = Array.from({ length: basis.size }, (_, k) => Math.sin(3 * k));
    const at = (t: number, order: 0 | 1 | 2): number => {
      const { first, orders } = basis.at(t);
      return orders[order].reduce((sum, value, j) => sum + value * weights[first + j]!, 0);
    };
    const [corner, step] = [-1 + 8 / 7, 1e-5];
    for (const t of [corner, 0.3, 2.2])
      for (const order of [0, 1] as const)
        expect((at(t + step, order) - at(t - step, order)) / (2 * step)).toBeCloseTo(at(t, (order + 1) as 1 | 2), 6);
    // The third derivative of both sides of a corner, by quotients of the second.
    const side = (sign: number): number => (at(corner + sign * step, 2) - at(corner, 2)) / (sign * step);
    expect(Math.abs(side(1) - side(-1)) / Math.abs(side(1))).toBeLessThan(1e-3);
  });
});

describe('normal equations in a band', () => {
  it('have the solution of the dense matrix', () => {
    const random = randomNumbers(4);
    const [size, width] = [12, 4];
    const banded = new BandedNormalEquations(size, width);
    const dense = Matrix.zeros(size, size);
    for (let first = 0; first + width <= size; first++)
      for (let repeat = 0; repeat < 3; repeat++) {
        const row = Array.from({ length: repeat === 2 ? width - 1 : width }, () => random() - 0.5);
        banded.add(row, first);
        row.forEach((x, i) =>
          row.forEach((y, j) => dense.set(first + i, first + j, dense.get(first + i, first + j) + x * y)),
        );
      }
    const right = Array.from({ length: size }, () => random());
    banded.factor();
    const found = banded.solve(Float64Array.from(right));
    const due = solve(dense, Matrix.columnVector(right)).to1DArray();
    due.forEach((x, i) => expect(Math.abs(found[i]! - x)).toBeLessThan(1e-9 * Math.max(...due.map(Math.abs))));
  });
});

describe('the motion that sensors tell', () => {
  const times = Array.from({ length: 200 }, (_, i) => 0.01 * i + 0.002 * Math.sin(5 * i));
  const forces = times.map(() => [0, 0]);

  it('by positions alone is a polynomial of degree five with its rates and accelerations', () => {
    const of = (t: number): number => 1 + t - 2 * t ** 2 + 0.5 * t ** 3 + 0.3 * t ** 5;
    const data = { times, q: times.map((t) => [of(t), -3 * of(t)]), tau: forces };
    for (const window of [3, 10, 50]) {
      const motion = smoothMotion(data, window);
      for (const sample of [0, 1, 77, 199]) {
        const t = times[sample]!;
        const { q, qd, qdd } = stateOf(motion, sample);
        const due = [of(t), 1 - 4 * t + 1.5 * t ** 2 + 1.5 * t ** 4, -4 + 3 * t + 6 * t ** 3];
        [q, qd, qdd].forEach((own, order) => {
          expect(own[0]).toBeCloseTo(due[order]!, 5);
          expect(own[1]).toBeCloseTo(-3 * due[order]!, 5);
        });
      }
    }
  });

  it('has the noise of each sensor, and pieces that are short enough for its accelerations', () => {
    const normal = normalNumbers(8);
    const rates = [2, 9];
    const data = {
      times,
      q: times.map((t) => rates.map((w) => Math.sin(w * t) + 1e-3 * normal())),
      qd: times.map((t) => rates.map((w) => w * Math.cos(w * t) + 5e-3 * normal())),
      tau: forces,
    };
    const window = chosenWindow(data);
    const motion = smoothMotion(data, window);
    expect(motion.noise[2]).toBeUndefined();
    for (const [order, size] of [1e-3, 5e-3].entries())
      motion.noise[order]!.forEach((noise) => expect(Math.abs(noise / size - 1)).toBeLessThan(0.2));
    times.slice(10, -10).forEach((t, i) => {
      stateOf(motion, i + 10).qdd.forEach((own, a) => {
        const w = rates[a]!;
        expect(Math.abs(own + w ** 2 * Math.sin(w * t))).toBeLessThan(0.02 * 81);
      });
    });
    // Of slow motion with more noise longer pieces are as good.
    const slow = { times, q: times.map((t) => [Math.sin(2 * t) + 1e-2 * normal()]), tau: forces };
    expect(chosenWindow(slow)).toBeGreaterThan(window);
  });

  it('of a coordinate that stands still has no rates', () => {
    const data = { times, q: times.map((t) => [0.1, Math.sin(3 * t)]), tau: forces };
    const motion = smoothMotion(data, 10);
    const { q, qd, qdd } = stateOf(motion, 50);
    expect([q[0], qd[0], qdd[0]]).toEqual([expect.closeTo(0.1, 12), 0, 0]);
    expect(motion.noise[0]![0]).toBe(0);
    expect(motion.coefficients).toHaveLength(2 * (motion.basis.pieces + DEGREE));
  });
});
