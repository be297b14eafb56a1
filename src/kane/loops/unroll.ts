/**
 * Loops written out: the values of expressions over the results of loops, as expressions without them. For straight-line
 * functions, whose size then grows with the rows.
 */
import { decimal, half, minus, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { loopsNeeded, type Loop, type RowArray, type RowTable, type RowWrite } from './loop.ts';

/** Values of the columns of an array, row by row. */
type Rows = readonly (readonly Expr[])[];

/**
 * @param values - over results of `loops`, none of which calls a learned map.
 * @param wanted loops that run for what they write for others.
 */
export function unrolled(
  values: readonly Expr[],
  loops: readonly Loop[],
  wanted: readonly Loop[] = [],
): readonly Expr[] {
  const results = new Map<Expr, Expr>();
  const arrays = new Map<RowArray, Rows>();
  for (const loop of loopsNeeded(loops, values, wanted)) unroll(loop, results, arrays);
  return substitute(values, results);
}

/** Adds the loop's results and arrays to what is known. */
function unroll(loop: Loop, results: Map<Expr, Expr>, arrays: Map<RowArray, Rows>): void {
  if (loop.networks.length > 0) throw new Error(`the loop ${loop.name} calls a learned map`);
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
  loop.writes.forEach(({ array, integrated }, i) =>
    arrays.set(array, integrated ? integratedRows(written[i]!, loop.table, integrated) : written[i]!),
  );
  loop.sums.forEach(({ symbol }, i) => results.set(symbol, plus(...terms[i]!)));
  loop.carried.forEach(({ final }, i) => results.set(final, carried[i]!));
}

/** Every column becomes its integral along the rows: see `RowIntegration`. */
function integratedRows(rows: Rows, table: RowTable, direction: NonNullable<RowWrite['integrated']>): Rows {
  const columns = rows[0]!.map((_, c) =>
    integrateExpressions(
      rows.map((row) => row[c]!),
      table,
      direction,
    ),
  );
  return rows.map((_, row) => columns.map((column) => column[row]!));
}

/** As `integrateRows` does with numbers. */
function integrateExpressions(
  column: readonly Expr[],
  { rows, integration }: RowTable,
  direction: NonNullable<RowWrite['integrated']>,
): readonly Expr[] {
  const { block, even, odd } = integration!;
  const pairs = Math.ceil(block / 2);
  const place = (k: number): number => (direction === 'from start' ? k : rows - 1 - k);
  const result = [...column];
  let before: Expr = zero;
  for (let first = 0; first < rows; first += block) {
    const [sums, differences] = [plus, minus].map((join) =>
      Array.from({ length: pairs }, (_, j) => {
        const [near, far] = [place(first + j), place(first + block - 1 - j)];
        return near === far && join === plus ? column[near]! : join(column[near]!, column[far]!);
      }),
    ) as [Expr[], Expr[]];
    const middle = plus(before, times(half, plus(...sums)));
    for (let i = 0; i < pairs; i++) {
      const [u, v] = [
        plus(...sums.map((e, j) => times(decimal(even[j * pairs + i]!), e))),
        plus(...differences.map((e, j) => times(decimal(odd[j * pairs + i]!), e))),
      ];
      result[place(first + block - 1 - i)] = plus(middle, minus(v, u));
      result[place(first + i)] = plus(middle, v, u);
    }
    before = plus(before, ...sums);
  }
  return result;
}
