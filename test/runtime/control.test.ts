/** The run time of controllers against singular values, power series and difference quotients; nearly singular, near pi. */
import { inverse, Matrix, SVD } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import {
  dampedLeastSquares,
  factorise,
  factoriseAbove,
  leastByWeight,
  limited,
  poseLogarithm,
  solveFactored,
  solveColumns,
  springWrench,
} from '../../src/runtime/control.ts';

const wave = (count: number, phase: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.sin(2.3 * i + phase) + 0.3 * Math.cos(5.1 * i * phase));

/** rows × columns with these singular values. */
function withSingularValues(rows: number, columns: number, values: readonly number[], phase: number): Matrix {
  if (rows < columns) return withSingularValues(columns, rows, values, phase).transpose();
  const { leftSingularVectors: U, rightSingularVectors: V } = new SVD(
    Matrix.from1DArray(rows, columns, wave(rows * columns, phase)),
  );
  const S = Matrix.zeros(U.columns, V.columns);
  values.forEach((value, i) => S.set(i, i, value));
  return U.mmul(S).mmul(V.transpose());
}

/** Σ v σ/(σ² + λ²) uᵀ b. */
function bySingularValues(A: Matrix, b: readonly number[], damping: number): number[] {
  const isWide = A.rows < A.columns;
  const svd = new SVD(isWide ? A.transpose() : A);
  const [left, right] = [svd.leftSingularVectors, svd.rightSingularVectors];
  const [U, V] = isWide ? [right, left] : [left, right];
  const shares = svd.diagonal.map((s, k) => {
    const along = b.reduce((sum, value, i) => sum + value * U.get(i, k), 0);
    return (s / (s * s + damping * damping)) * along;
  });
  return Array.from({ length: A.columns }, (_, j) => shares.reduce((sum, share, k) => sum + share * V.get(j, k), 0));
}

describe('factorise and solveFactored', () => {
  it('solve symmetric definite equations, up to their condition', () => {
    for (const smallest of [1, 1e-4, 1e-9]) {
      const half = withSingularValues(6, 6, [1, 0.8, 0.5, 0.3, 0.2, Math.sqrt(smallest)], 0.7);
      const A = half.mmul(half.transpose());
      const x = wave(6, 2);
      const b = Float64Array.from(A.mmul(Matrix.columnVector(x)).getColumn(0));
      const L = Float64Array.from(A.to1DArray());
      expect(factorise(6, L)).toBe(true);
      solveFactored(6, L, b);
      b.forEach((value, i) => expect(Math.abs(value - x[i]!)).toBeLessThan(1e-14 / smallest));
    }
  });

  it('leave in rows below what products with the inverse need', () => {
    const half = withSingularValues(5, 5, [1, 0.8, 0.5, 0.3, 0.2], 0.7);
    const A = half.mmul(half.transpose());
    const R = Matrix.from1DArray(3, 5, wave(15, 2));
    const below = Float64Array.from([...A.to1DArray(), ...R.to1DArray()]);
    expect(factoriseAbove(5, 8, below)).toBe(true);
    const W = Matrix.from1DArray(3, 5, [...below.subarray(25)]);
    const expected = R.mmul(inverse(A)).mmul(R.transpose()).to1DArray();
    W.mmul(W.transpose())
      .to1DArray()
      .forEach((value, i) => expect(value).toBeCloseTo(expected[i]!, 12));
    const alone = Float64Array.from(A.to1DArray());
    factorise(5, alone);
    expect([...below.subarray(0, 25)]).toEqual([...alone]);
  });

  it.each([
    ['a matrix that is not definite', [2, 0, 0, -1]],
    ['a singular one', [1, 2, 2, 4]],
    ['one that is singular to rounding', [1, 1 / 3, 1 / 3, 1 / 9]],
    ['zero', [0, 0, 0, 0]],
    ['what is not a number', [1, 0, NaN, 1]],
  ])('refuse %s', (_, entries) => expect(factorise(2, Float64Array.from(entries))).toBe(false));
});

describe('solveColumns', () => {
  it('solves what needs other rows first, with an error of the size of rounding in the equations', () => {
    for (const smallest of [1, 1e-6, 1e-12]) {
      const A = withSingularValues(5, 5, [3, 2, 1, 0.4, smallest], 1.1);
      A.set(0, 0, 0);
      const b = wave(5, 3);
      const x = Float64Array.from(b);
      expect(solveColumns(5, 1, Float64Array.from(A.to1DArray()), x)).toBe(true);
      const size = 5 * Math.max(...x.map(Math.abs));
      A.mmul(Matrix.columnVector([...x]))
        .getColumn(0)
        .forEach((value, i) => expect(Math.abs(value - b[i]!)).toBeLessThan(1e-14 * size));
    }
  });

  it('takes permutations and refuses what is singular', () => {
    const x = Float64Array.from([1, 2, 3]);
    expect(solveColumns(3, 1, Float64Array.from([0, 2, 0, 0, 0, 4, 5, 0, 0]), x)).toBe(true);
    expect([...x]).toEqual([0.6, 0.5, 0.5]);
    expect(solveColumns(2, 1, Float64Array.from([1, 2, 2, 4]), Float64Array.of(1, 1))).toBe(false);
    expect(solveColumns(2, 1, Float64Array.from([1e-30, 2e-30, 3e-30, 5e-30]), Float64Array.of(1, 1))).toBe(true);
    expect(solveColumns(2, 1, new Float64Array(4), Float64Array.of(1, 1))).toBe(false);
  });
});

describe('leastByWeight', () => {
  /** Rows, columns, a metric W, and what the function makes of A x = b; damping as given. */
  const solve = (A: Matrix, W: Matrix, b: readonly number[], damping: number): number[] | undefined => {
    const G = A.mmul(inverse(W));
    const [x, work, step] = [A.columns, A.rows * (A.rows + 1), A.rows].map((size) => new Float64Array(size));
    const [entries, directions] = [A, G].map((matrix) => matrix.to1DArray());
    return leastByWeight(A.rows, A.columns, entries!, directions!, b, damping, x!, work!, step!) ? [...x!] : undefined;
  };
  const metric = (n: number): Matrix => {
    const half = withSingularValues(
      n,
      n,
      Array.from({ length: n }, (_, i) => 3 / (1 + i)),
      0.4,
    );
    return half.mmul(half.transpose());
  };

  it.each([
    [1, 4],
    [3, 3],
    [3, 7],
    [6, 7],
  ])('is least by the metric of all that solve %i equations with %i unknowns', (rows, columns) => {
    for (const smallest of [0.3, 1e-3, 1e-5]) {
      const values = Array.from({ length: rows }, (_, i) => (i === rows - 1 ? smallest : 1));
      const [A, W, b] = [withSingularValues(rows, columns, values, 0.7), metric(columns), wave(rows, 2)];
      const x = solve(A, W, b, 0)!;
      const found = A.mmul(Matrix.columnVector(x)).getColumn(0);
      found.forEach((value, i) => expect(Math.abs(value - b[i]!)).toBeLessThan(1e-14 * (1 + Math.hypot(...x))));
      // W x is orthogonal to what A maps to zero: to any vector less its part along the rows.
      const wanted = wave(columns, 5);
      const along = bySingularValues(A, A.mmul(Matrix.columnVector(wanted)).getColumn(0), 0);
      const free = wanted.map((value, i) => value - along[i]!);
      const weight = W.mmul(Matrix.columnVector(x)).getColumn(0);
      const size = Math.hypot(...weight) * Math.hypot(...wanted);
      expect(Math.abs(free.reduce((sum, value, i) => sum + value * weight[i]!, 0))).toBeLessThan(
        (1e-14 / smallest) * size,
      );
    }
  });

  it('with damping trades the metric against what is missed, of singular equations, too', () => {
    for (const smallest of [0.2, 1e-9, 0]) {
      const [A, W, b] = [withSingularValues(3, 5, [1, 0.7, smallest], 1.2), metric(5), wave(3, 4)];
      const x = Matrix.columnVector(solve(A, W, b, 0.1)!);
      const missed = A.mmul(x).sub(Matrix.columnVector(b));
      const slope = W.mmul(x).add(A.transpose().mmul(missed).mul(100));
      expect(slope.norm()).toBeLessThan(1e-9 * W.mmul(x).norm());
    }
  });

  it('says so where equations are singular, or too near to it', () => {
    for (const smallest of [0, 1e-13, 3e-9])
      expect(solve(withSingularValues(3, 5, [1, 0.7, smallest], 1.2), metric(5), wave(3, 4), 0)).toBeUndefined();
    expect(solve(Matrix.ones(2, 2), metric(2), [1, NaN], 1)).toBeUndefined();
  });
});

describe('dampedLeastSquares', () => {
  const solve = (A: Matrix, b: readonly number[], damping: number): Float64Array | undefined => {
    const k = Math.min(A.rows, A.columns);
    const x = new Float64Array(A.columns).fill(7);
    return dampedLeastSquares(
      A.rows,
      A.columns,
      Float64Array.from(A.to1DArray()),
      b,
      damping,
      x,
      new Float64Array(k * (k + 1)),
    )
      ? x
      : undefined;
  };

  it.each([
    [6, 6],
    [6, 7],
    [6, 3],
    [3, 8],
  ])('is that of singular values, %i equations with %i unknowns', (rows, columns) => {
    const k = Math.min(rows, columns);
    const b = wave(rows, 4);
    for (const [smallest, damping] of [
      [0.2, 0],
      [0.2, 0.1],
      [1e-3, 0],
      [1e-9, 1e-3],
      [0, 1e-2],
    ] as const) {
      const A = withSingularValues(rows, columns, [...[2, 1.5, 1, 0.8, 0.5].slice(0, k - 1), smallest], 0.3);
      const due = bySingularValues(A, b, damping);
      const condition = (2 / (smallest + damping)) ** 2;
      solve(A, b, damping)!.forEach((value, i) =>
        expect(Math.abs(value - due[i]!)).toBeLessThan(1e-15 * condition * Math.max(...due.map(Math.abs))),
      );
    }
  });

  it('refuses a matrix without full rank when nothing is damped', () => {
    const A = withSingularValues(4, 6, [1, 1, 1, 0], 0.3);
    expect(solve(A, wave(4, 1), 0)).toBeUndefined();
    expect(solve(A.transpose(), wave(6, 1), 0)).toBeUndefined();
  });
});

// ---------------------------------------------------------------------------------------------- poses

/** exp of a twist (angular first) by its power series, halved first: R and t. */
function pose(twist: readonly number[]): { R: number[]; t: number[] } {
  const [x, y, z, u, v, w] = twist.map((value) => value / 64) as [number, number, number, number, number, number];
  const X = new Matrix([
    [0, -z, y, u],
    [z, 0, -x, v],
    [-y, x, 0, w],
    [0, 0, 0, 0],
  ]);
  let sum = Matrix.eye(4);
  let power = Matrix.eye(4);
  for (let k = 1; k < 16; k++) {
    power = power.mmul(X).mul(1 / k);
    sum = Matrix.add(sum, power);
  }
  for (let k = 0; k < 6; k++) sum = sum.mmul(sum);
  return {
    R: [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => sum.get(i, j))),
    t: [0, 1, 2].map((i) => sum.get(i, 3)),
  };
}

function product(a: ReturnType<typeof pose>, b: ReturnType<typeof pose>): ReturnType<typeof pose> {
  const at = (i: number, j: number): number => [0, 1, 2].reduce((sum, k) => sum + a.R[3 * i + k]! * b.R[3 * k + j]!, 0);
  return {
    R: [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => at(i, j))),
    t: [0, 1, 2].map((i) => a.t[i]! + [0, 1, 2].reduce((sum, k) => sum + a.R[3 * i + k]! * b.t[k]!, 0)),
  };
}

function logarithm(from: ReturnType<typeof pose>, to: ReturnType<typeof pose>): number[] {
  const out = new Float64Array(6);
  poseLogarithm(from.R, from.t, to.R, to.t, out);
  return [...out];
}

const AXES = [
  [1, 0, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0.6, 0, -0.8],
  [-0.36, 0.48, 0.8],
  [2 / 3, 2 / 3, -1 / 3],
];
const ANGLES = [
  0,
  1e-300,
  1e-12,
  1e-7,
  1e-4,
  3e-4,
  0.01,
  0.29,
  0.31,
  1,
  2,
  3,
  Math.PI - 1e-3,
  Math.PI - 1e-7,
  Math.PI - 1e-11,
];

describe('poseLogarithm', () => {
  const from = pose([0.4, -1.1, 0.7, 0.2, 0.5, -0.3]);

  it('is the twist whose exponential leads from one pose to the other, from rotations of nothing to nearly half a turn', () => {
    for (const axis of AXES)
      for (const angle of ANGLES) {
        const twist = [...axis.map((value) => angle * value), 0.3, -0.2, 0.5];
        logarithm(from, product(from, pose(twist))).forEach((value, i) =>
          expect(Math.abs(value - twist[i]!)).toBeLessThan(4e-14),
        );
      }
  });

  it('takes one of two senses at half a turn', () => {
    for (const axis of AXES) {
      const twist = [...axis.map((value) => Math.PI * value), 0.3, -0.2, 0.5];
      const goal = pose(twist);
      const found = logarithm(pose([0, 0, 0, 0, 0, 0]), goal);
      expect(Math.hypot(...found.slice(0, 3))).toBeCloseTo(Math.PI, 14);
      const back = pose(found);
      [...back.R, ...back.t].forEach((value, i) =>
        expect(Math.abs(value - [...goal.R, ...goal.t][i]!)).toBeLessThan(4e-14),
      );
    }
  });
});

describe('springWrench', () => {
  const stiffness = [3, 5, 2, 40, 70, 55];
  const energy = (e: readonly number[]): number =>
    e.reduce((sum, value, i) => sum + 0.5 * stiffness[i]! * value * value, 0);

  it('does the work that the energy of the spring loses, whatever the frame does', () => {
    for (const axis of AXES)
      for (const angle of [0, 1e-9, 1e-3, 0.1, 0.29, 0.31, 1, 2.5, 3.1]) {
        const from = pose([0.4, -1.1, 0.7, 0.2, 0.5, -0.3]);
        const goal = product(from, pose([...axis.map((value) => angle * value), 0.1, -0.2, 0.15]));
        const wrench = new Float64Array(6);
        springWrench(logarithm(from, goal), stiffness, wrench, new Float64Array(6));
        for (let k = 0; k < 6; k++) {
          const moved = (h: number): number => {
            const twist = [0, 0, 0, 0, 0, 0].map((_, i) => (i === k ? h : 0));
            return energy(logarithm(product(from, pose(twist)), goal));
          };
          const h = 1e-3;
          const slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
          expect(Math.abs(wrench[k]! + slope)).toBeLessThan(2e-9);
        }
      }
  });

  it('is the same function on both sides of the bound of its series', () => {
    const at = (angle: number): Float64Array => {
      const wrench = new Float64Array(6);
      springWrench([0.6 * angle, 0, -0.8 * angle, 0.1, 0.2, 0.3], stiffness, wrench, new Float64Array(6));
      return wrench;
    };
    const [below, above] = [at(0.3 - 1e-15), at(0.3)];
    below.forEach((value, i) => expect(Math.abs(value - above[i]!)).toBeLessThan(1e-12));
  });
});

describe('limited', () => {
  it('is the nearest number within bounds', () => {
    expect([-3, -1, 0.5, 2, 9].map((x) => limited(x, -1, 2))).toEqual([-1, -1, 0.5, 2, 2]);
  });
});
