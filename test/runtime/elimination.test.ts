/** The elimination of drivers: dense systems, and a link between its parent and what hangs on it, whose answers are known. */
import { describe, expect, it } from 'vitest';
import {
  factorLink,
  factorMatrix,
  gatherWrench,
  moveLink,
  reduceLink,
  restoreLink,
  solveMatrix,
} from '../../src/runtime/elimination.ts';

/** b = A x, then the columns of A: what `factorMatrix` takes. */
function system(columns: readonly (readonly number[])[], x: readonly number[]): Float64Array {
  const b = columns.map((_, row) => columns.reduce((total, column, k) => total + column[row]! * x[k]!, 0));
  return Float64Array.from([b, ...columns].flat());
}

describe('a dense system', () => {
  it.each([1, 2, 5, 12])('of %i unknowns is solved, whatever the order of its rows', (size) => {
    for (let seed = 0; seed < 20; seed++) {
      const x = Array.from({ length: size }, (_, k) => Math.round(9 * Math.sin(3 * k + seed)));
      // Dominant in another place of every row: pivots have to be looked for.
      const columns = x.map((_, k) =>
        x.map((_, row) => Math.sin(7 * k + 5 * row + seed) + (row === (k + seed) % size ? 4 + size : 0)),
      );
      const matrix = system(columns, x);
      const pivots = new Float64Array(size);
      expect(factorMatrix(size, matrix, pivots)).toBe(-1);
      solveMatrix(size, matrix, pivots);
      for (const [k, value] of x.entries()) expect(matrix[k]).toBeCloseTo(value, 11);
      // And once more by the same factors.
      const other = x.map((value, k) => 2 * value - k);
      matrix.set(system(columns, other).subarray(0, size));
      solveMatrix(size, matrix, pivots);
      for (const [k, value] of other.entries()) expect(matrix[k]).toBeCloseTo(value, 11);
    }
  });

  it('names the column that depends on those behind it, or has what is no number', () => {
    const columns = [
      [1, 2, 3],
      [4, 10, -2],
      [2, 5, -1],
    ];
    const factored = (all: readonly (readonly number[])[]): number =>
      factorMatrix(3, system(all, [1, 1, 1]), new Float64Array(3));
    expect(factored(columns)).toBe(1);
    expect(factored([columns[0]!, columns[1]!, [0, 0, 0]])).toBe(2);
    expect(factored([columns[0]!, [NaN, NaN, NaN], columns[2]!])).toBe(1);
  });
});

describe('the coordinates of a link', () => {
  /** Two coordinates, one number of motion; 6 rows of the wrench at the parent, one of the own motion. */
  const [count, motions] = [2, 1];
  const size = 2 * 8 + 2 + 2 + 3 + 8 * 6;
  const factored = (rows: readonly (readonly number[])[]) => {
    const [factors, loads] = [new Float64Array(size).fill(7), new Float64Array(6)];
    const wrench = Array.from({ length: 6 }, (_, r) => [r + 1, 0, 0]);
    const tableau = Float64Array.from([...rows, ...wrench, [3, 5, 11]].flat());
    const isRegular = factorLink(count, motions, tableau, factors, 0, loads, 0);
    return { isRegular, factors, loads: [...loads] };
  };
  /** 2 x + 4 y = b - 2 m and x + 3 y = a - 2 m: x = (3 b - 4 a)/2 + m, y = (2 a - b)/2 - m. */
  const ROWS = [
    [1, 3, 2],
    [2, 4, 2],
  ];

  it('are eliminated, the largest pivot first', () => {
    const { isRegular, factors, loads } = factored(ROWS);
    expect(isRegular).toBe(true);
    // By the motion of the parent; the wrench of r + 1 times x there.
    expect([...factors.subarray(18, 20)]).toEqual([-1, 1]);
    expect(loads).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('are found again for any right-hand side, against a wrench at the own frame', () => {
    const { factors } = factored(ROWS);
    // A wrench p in the first entry is a force of (p, 2 p), and (10 + r) p at the parent; in the last one 100 p in the second entry there.
    const atParent = Float64Array.from([0, 1, 2, 3, 4, 5], (r) => 10 + r);
    gatherWrench(0, count, motions, [1, 2], atParent, 0, factors, 0);
    gatherWrench(5, count, motions, [0, 0], [0, 100, 0, 0, 0, 0], 0, factors, 0);
    for (const [a, b, p, last] of [
      [5, 9, 0, 0],
      [-3, 4, 2, 0],
      [1, 2, -1, 0.5],
    ] as const) {
      const solved = Float64Array.of(99, a, b);
      const wrenches = Float64Array.of(p, 0, 0, 0, 0, last, 1, 1, 1, 1, 1, 1);
      reduceLink(count, motions, factors, 0, solved, 1, wrenches, 0, 6);
      const [f, g] = [a - p, b - 2 * p];
      const [x, y] = [(3 * g - 4 * f) / 2, (2 * f - g) / 2];
      expect([...solved]).toEqual([99, x, y]);
      expect([...wrenches.subarray(6)]).toEqual(
        [0, 1, 2, 3, 4, 5].map((r) => 1 + (10 + r) * p + (r === 1 ? 100 * last : 0) + (r + 1) * x),
      );
      const moved = Float64Array.of(0.25, 77);
      const out = new Float64Array(4);
      restoreLink(count, motions, factors, 0, solved, 1, moved, 0, out, 1);
      expect([...out]).toEqual([0, 0, x + 0.25, y - 0.25]);
      moveLink(count, motions, factors, 0, out, 2, moved, 1, 0);
      expect([...moved]).toEqual([0.25, 3 * out[2]! + 5 * out[3]! + 11 * 0.25]);
    }
  });

  it.each([
    ['zero', [0, 0]],
    ['none beside the others', [2, 6]],
    ['no number', [NaN, NaN]],
  ])('have no answer where a pivot is %s, and nothing is divided by it', (_, [a, b]) => {
    const { isRegular, factors, loads } = factored([
      [1, 3, 2],
      [a!, b!, 2],
    ]);
    expect(isRegular).toBe(false);
    expect([...factors.subarray(0, 16), ...factors.subarray(18)]).toEqual(new Array(size - 2).fill(7));
    expect(loads).toEqual(new Array(6).fill(0));
  });
});
