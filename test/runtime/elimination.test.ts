/** The dense elimination of drivers, against matrices whose answers are known. */
import { describe, expect, it } from 'vitest';
import { solveMatrix } from '../../src/runtime/elimination.ts';

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
