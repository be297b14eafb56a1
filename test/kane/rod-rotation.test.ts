/** Magnus steps of rotations against the series of the differential equation that they solve, and integrals along rows. */
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, one, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import type { Vector3 } from '../../src/symbolic/graph/vector.ts';
import { integrateRows } from '../../src/kane/loops/integrate-rows.ts';
import { differenceWeights, rodPoints } from '../../src/kane/rod-points/rod-points.ts';
import {
  multiplyQuaternions,
  quaternionOf,
  rotationMatrix,
  rotationVector,
  type MagnusOrder,
} from '../../src/kane/rod-points/rod-rotation.ts';

/** A curvature that is not a polynomial, all entries alive. */
const curvature = (s: number): number[] => [Math.sin(2 * s + 0.3), Math.cos(3 * s), 0.5 + Math.sin(s * s)];

/** Gauss–Legendre nodes on [0, 1], from the literature. */
const NODES: Record<MagnusOrder, readonly number[]> = {
  4: [0.5 - Math.sqrt(3) / 6, 0.5 + Math.sqrt(3) / 6],
  6: [0.5 - Math.sqrt(15) / 10, 0.5, 0.5 + Math.sqrt(15) / 10],
  8: [0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970262],
};

const vector = (v: readonly number[]): Vector3 => v.map((e) => decimal(e)) as unknown as Vector3;

function magnusStep(order: MagnusOrder, from: number, h: number): number[] {
  const at = NODES[order].map((c) => curvature(from + c * h));
  const alpha = differenceWeights(order).map((weights) =>
    [0, 1, 2].map((i) => h * weights.reduce((sum, w, k) => sum + w * at[k]![i]!, 0)),
  );
  return evaluate(rotationMatrix(quaternionOf(rotationVector(alpha.map(vector)))));
}

const product = (a: readonly number[], b: readonly number[]): number[] =>
  Array.from({ length: 9 }, (_, e) =>
    [0, 1, 2].reduce((sum, k) => sum + a[3 * Math.floor(e / 3) + k]! * b[3 * k + (e % 3)]!, 0),
  );

/** R' = R κ^ by the Taylor series of the classical fourth-order method in so small steps that its error is rounding. */
function reference(from: number, h: number): number[] {
  const steps = 3000;
  const slope = (R: readonly number[], s: number): number[] => {
    const [x, y, z] = curvature(s) as [number, number, number];
    return product(R, [0, -z, y, z, 0, -x, -y, x, 0]);
  };
  const d = h / steps;
  let R = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  for (let k = 0; k < steps; k++) {
    const s = from + k * d;
    const shifted = (by: readonly number[], f: number): number[] => R.map((e, i) => e + f * by[i]!);
    const k1 = slope(R, s);
    const k2 = slope(shifted(k1, d / 2), s + d / 2);
    const k3 = slope(shifted(k2, d / 2), s + d / 2);
    const k4 = slope(shifted(k3, d), s + d);
    R = R.map((e, i) => e + (d / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!));
  }
  return R;
}

describe('a Magnus step', () => {
  it.each([
    [4, 8],
    [6, 8],
    [8, 4],
  ] as const)('of order %i is of that order', (order, steps) => {
    const error = (count: number): number => {
      const h = 1.6 / count;
      let R = [1, 0, 0, 0, 1, 0, 0, 0, 1];
      for (let k = 0; k < count; k++) R = product(R, magnusStep(order, k * h, h));
      return Math.max(...R.map((e, i) => Math.abs(e - exact[i]!)));
    };
    const exact = reference(0, 1.6);
    const [coarse, fine] = [error(steps), error(2 * steps)] as const;
    expect(fine).toBeGreaterThan(1e-13);
    const measured = Math.log2(coarse / fine);
    expect(measured).toBeGreaterThan(order - 0.2);
    expect(measured).toBeLessThan(order + 0.2);
  });
});

describe('quaternions', () => {
  it('multiply as their rotations do', () => {
    const [a, b] = [vector([0.3, -1.1, 0.7]), vector([2, 0.1, -0.4])].map(quaternionOf);
    const together = evaluate(rotationMatrix(multiplyQuaternions(a!, b!)));
    const apart = product(evaluate(rotationMatrix(a!)), evaluate(rotationMatrix(b!)));
    together.forEach((e, i) => expect(e).toBeCloseTo(apart[i]!, 14));
  });

  it('are those of no rotation for a vector of zeros', () => {
    expect(quaternionOf([zero, zero, zero])).toEqual([one, zero, zero, zero]);
  });
});

describe('integrals along the rows of a rod', () => {
  const L = 0.7;
  const ends: readonly Expr[] = [zero, decimal(0.25), decimal(L)];

  it.each([
    [5, 10],
    [12, 24],
    [33, 2 * 34],
  ])('of a polynomial of degree 4 are exact with %i points on a panel', (points, rows) => {
    const { table, section, weight } = rodPoints(ends, points, 6);
    expect(table.rows).toBe(rows);
    const columns = new Map(table.columns.map(({ symbol, values }) => [symbol, values]));
    const inRow = (e: Expr): number[] =>
      Array.from({ length: rows }, (_, k) => evaluate([e], new Map([...columns].map(([s, v]) => [s, v[k]!])))[0]!);
    const [places, lengths] = [inRow(section), inRow(weight)];
    expect(lengths.reduce((a, b) => a + b)).toBeCloseTo(L, 15);
    const integral = (s: number): number => s - 2 * s ** 3 + s ** 5;
    const values = places.map((s, k) => (1 - 6 * s ** 2 + 5 * s ** 4) * lengths[k]!);
    const [outwards, inwards] = [[...values], [...values]] as [number[], number[]];
    integrateRows(outwards, table, 'from start');
    integrateRows(inwards, table, 'to end');
    places.forEach((s, k) => {
      expect(outwards[k]).toBeCloseTo(integral(s), 14);
      expect(inwards[k]).toBeCloseTo(integral(L) - integral(s), 14);
    });
  });

  it('to the end are the transpose of those from the start', () => {
    const { table } = rodPoints(ends, 7, 6);
    const [x, y] = [3, 5].map((f) => Array.from({ length: table.rows }, (_, k) => Math.sin(f * k + 1)));
    const [outwards, inwards] = [[...x!], [...y!]] as [number[], number[]];
    integrateRows(outwards, table, 'from start');
    integrateRows(inwards, table, 'to end');
    const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, e, k) => sum + e * b[k]!, 0);
    expect(dot(y!, outwards)).toBeCloseTo(dot(x!, inwards), 13);
  });
});
