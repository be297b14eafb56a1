/** What remains of loops where some of the numbers that they read are zero, and which of their results are zero then. */
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import type { CarriedValue, Loop, RowArray } from './loop.ts';
import { mapNetwork } from './network-call.ts';

export interface ReducedLoops {
  /** The loops in their order; sizes, tables and names as they were. */
  readonly loops: ReadonlyMap<Loop, Loop>;
  /** What is zero: the symbols given, and those of results and numbers per row that are zero in consequence. */
  readonly zeros: ReadonlySet<Expr>;
}

/**
 * @param loops in an order in which each needs only results of those before it.
 * @param symbols that are zero whatever the row.
 */
export function withZerosInLoops(loops: readonly Loop[], symbols: Iterable<Expr>): ReducedLoops {
  const replacements = new Map<Expr, Expr>();
  const add = (found: Iterable<Expr>): void => {
    for (const symbol of found) replacements.set(symbol, zero);
  };
  const reduced = (values: readonly Expr[]): readonly Expr[] => substitute(values, replacements);
  add(symbols);
  const arrays = loops.flatMap((loop) => loop.writes.map(({ array }) => array));
  const isWrittenOnce = (array: RowArray): boolean => arrays.filter((other) => other === array).length === 1;
  const of = new Map<Loop, Loop>();
  for (const loop of loops) {
    const remains = carriedZeros(loop.carried, replacements);
    add(remains.map((value) => value.symbol));
    const made: Loop = {
      ...loop,
      networks: loop.networks.map((call) => mapNetwork(call, reduced)),
      carried: loop.carried.map((value) => {
        const [initial, next] = reduced([value.initial, value.next]) as [Expr, Expr];
        return { ...value, initial, next };
      }),
      sums: loop.sums.map((sum) => ({ ...sum, term: reduced([sum.term])[0]! })),
      writes: loop.writes.map((write) => ({
        ...write,
        values: reduced(write.values),
        ...(write.changes && { changes: reduced(write.changes) }),
      })),
    };
    of.set(loop, made);
    add(remains.map((value) => value.final));
    add(made.sums.filter(({ term }) => term === zero).map((sum) => sum.symbol));
    for (const { array, values, changes } of made.writes)
      if (array.buffer === undefined && changes === undefined && isWrittenOnce(array))
        add(array.columns.filter((_, column) => values[column] === zero));
  }
  return { loops: of, zeros: new Set(replacements.keys()) };
}

/** Values that begin at zero and stay there: assumed of all that begin so, then taken back. */
function carriedZeros(carried: readonly CarriedValue[], known: ReadonlyMap<Expr, Expr>): readonly CarriedValue[] {
  const begins = substitute(
    carried.map(({ initial }) => initial),
    known,
  );
  let zeros = carried.filter((_, index) => begins[index] === zero);
  for (;;) {
    const assumed = new Map([...known, ...zeros.map((value): [Expr, Expr] => [value.symbol, zero])]);
    const next = substitute(
      zeros.map((value) => value.next),
      assumed,
    );
    const stay = zeros.filter((_, index) => next[index] === zero);
    if (stay.length === zeros.length) return stay;
    zeros = stay;
  }
}
