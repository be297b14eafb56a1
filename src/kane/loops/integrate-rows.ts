/** Integrals along the rows of a table, in the order of operations of generated code (codegen/printing/row-integrals.ts). */
import type { RowTable, RowWrite } from './loop.ts';

/**
 * Numbers per row become their integrals, in place.
 * @param column one number per row.
 */
export function integrateRows(
  column: number[] | Float64Array,
  { rows, integration }: RowTable,
  direction: NonNullable<RowWrite['integrated']>,
): void {
  if (!integration) throw new Error('the rows of this table are no places along a line');
  const { block, even, odd } = integration;
  const half = Math.ceil(block / 2);
  const [u, v] = [new Float64Array(half), new Float64Array(half)];
  const place = (k: number): number => (direction === 'from start' ? k : rows - 1 - k);
  let before = 0;
  for (let first = 0; first < rows; first += block) {
    let total = 0;
    for (let j = 0; j < half; j++) {
      const [near, far] = [place(first + j), place(first + block - 1 - j)];
      const sum = near === far ? column[near]! : column[near]! + column[far]!;
      const difference = column[near]! - column[far]!;
      total += sum;
      for (let i = 0; i < half; i++) {
        const [ofSum, ofDifference] = [even[j * half + i]! * sum, odd[j * half + i]! * difference];
        u[i] = j === 0 ? ofSum : u[i]! + ofSum;
        v[i] = j === 0 ? ofDifference : v[i]! + ofDifference;
      }
    }
    const middle = before + 0.5 * total;
    for (let i = 0; i < half; i++) {
      column[place(first + block - 1 - i)] = middle + (v[i]! - u[i]!);
      column[place(first + i)] = middle + (v[i]! + u[i]!);
    }
    before += total;
  }
}
