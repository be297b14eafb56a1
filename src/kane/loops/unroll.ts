/**
 * Loops written out: the values of expressions over the results of loops, as expressions without them. For straight-line
 * functions, whose size then grows with the rows.
 */
import { decimal, plus, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { loopsNeeded, type Loop, type RowArray } from './loop.ts';

/** Values of the columns of an array, row by row. */
type Rows = readonly (readonly Expr[])[];

/** @param values - over results of `loops`, none of which calls a learned map or is integrated along its rows. */
export function unrolled(values: readonly Expr[], loops: readonly Loop[]): readonly Expr[] {
  const results = new Map<Expr, Expr>();
  const arrays = new Map<RowArray, Rows>();
  for (const loop of loopsNeeded(loops, values, [])) unroll(loop, results, arrays);
  return substitute(values, results);
}

/** Adds the loop's results and arrays to what is known. */
function unroll(loop: Loop, results: Map<Expr, Expr>, arrays: Map<RowArray, Rows>): void {
  if (loop.networks.length > 0) throw new Error(`the loop ${loop.name} calls a learned map`);
  if (loop.writes.some(({ integrated }) => integrated)) throw new Error(`the loop ${loop.name} is integrated along`);
  const rows = Array.from({ length: loop.table.rows }, (_, row) => row);
  const written = loop.writes.map((): Expr[][] => []);
  const terms = loop.sums.map((): Expr[] => []);
  let carried: readonly Expr[] = substitute(
    loop.carried.map((c) => c.initial),
    results,
  );
  for (const row of loop.reversed ? rows.reverse() : rows) {
    const here = new Map(results);
    for (const { symbol, values } of loop.table.columns) here.set(symbol, decimal(values[row]!));
    for (const array of loop.reads)
      array.columns.forEach((symbol, i) => here.set(symbol, arrays.get(array)![row]![i]!));
    loop.carried.forEach(({ symbol }, i) => here.set(symbol, carried[i]!));
    loop.writes.forEach((write, i) => (written[i]![row] = substitute(write.values, here)));
    substitute(
      loop.sums.map((sum) => sum.term),
      here,
    ).forEach((term, i) => terms[i]!.push(term));
    carried = substitute(
      loop.carried.map((c) => c.next),
      here,
    );
  }
  loop.writes.forEach(({ array }, i) => arrays.set(array, written[i]!));
  loop.sums.forEach(({ symbol }, i) => results.set(symbol, plus(...terms[i]!)));
  loop.carried.forEach(({ final }, i) => results.set(final, carried[i]!));
}
