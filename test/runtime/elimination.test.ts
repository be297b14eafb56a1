/** The dense elimination of drivers, against matrices whose answers are known. */
import { describe, expect, it } from 'vitest';
import { eliminate, solveMatrix } from '../../src/runtime/elimination.ts';

/** b = A x, then the columns of A: what `solveMatrix` takes. */
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
      expect(solveMatrix(size, matrix)).toBe(-1);
      for (const [k, value] of x.entries()) expect(matrix[k]).toBeCloseTo(value, 11);
    }
  });

  it('names the column that depends on those behind it, or has what is no number', () => {
    const columns = [
      [1, 2, 3],
      [4, 10, -2],
      [2, 5, -1],
    ];
    expect(solveMatrix(3, system(columns, [1, 1, 1]))).toBe(1);
    expect(solveMatrix(3, system([columns[0]!, columns[1]!, [0, 0, 0]], [1, 1, 1]))).toBe(2);
    expect(solveMatrix(3, system([columns[0]!, [NaN, NaN, NaN], columns[2]!], [1, 1, 1]))).toBe(1);
  });
});

describe('the coordinates of a link', () => {
  /** Two coordinates, one number of motion, one right-hand side; 6 rows of the wrench at the parent. */
  const [count, motions, width] = [2, 1, 4];
  const eliminated = (rows: readonly (readonly number[])[]) => {
    const [solved, loads] = [new Float64Array(4).fill(7), new Float64Array(12)];
    const wrench = Array.from({ length: 6 }, (_, r) => [r + 1, 0, 0, 0]);
    const tableau = Float64Array.from([...rows, ...wrench].flat());
    const isRegular = eliminate(count, motions, width, [5, 10], 0, tableau, solved, 0, 2, 2, loads, 0);
    return { isRegular, solved: [...solved], loads: [...loads] };
  };

  it('are eliminated, the largest pivot first', () => {
    // x + 3 y = 5 - 2 m and 2 x + 4 y = 10 - 1 - 2 m: x = 3.5 + m, y = 0.5 - m.
    const { isRegular, solved, loads } = eliminated([
      [1, 3, 2, 0],
      [2, 4, 2, 1],
    ]);
    expect(isRegular).toBe(true);
    expect(solved).toEqual([-1, 1, 3.5, 0.5]);
    expect(loads).toEqual([1, 2, 3, 4, 5, 6, ...[1, 2, 3, 4, 5, 6].map((r) => 3.5 * r)]);
  });

  it.each([
    ['zero', [0, 0]],
    ['none beside the others', [2, 6]],
    ['no number', [NaN, NaN]],
  ])('have no answer where a pivot is %s, and nothing is divided by it', (_, [a, b]) => {
    const { isRegular, solved, loads } = eliminated([
      [1, 3, 2, 0],
      [a!, b!, 2, 1],
    ]);
    expect(isRegular).toBe(false);
    expect(solved).toEqual([7, 7, 7, 7]);
    expect(loads).toEqual(new Array(12).fill(0));
  });
});
