/**
 * Loops under other names and, if need be, in a later stage: so that a link can hold several of one kind, and loops that were
 * made for the configuration can serve a call that brings numbers of its own.
 */
import { symbol, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { frozen, loopResults, type Loop, type LoopStage, type RowArray } from './loop.ts';
import { mapNetwork, networkResults } from './network-call.ts';

export interface LoopedValues {
  readonly loops: readonly Loop[];
  /** Over results of the loops. */
  readonly values: readonly Expr[];
}

/**
 * @param prefix put before the names of loops, tables, arrays and everything that stands for their numbers.
 * @param earliest stage before which no loop runs.
 */
export function relabelled({ loops, values }: LoopedValues, prefix: string, earliest: LoopStage = 0): LoopedValues {
  const renaming = new Renaming(loops, prefix);
  return {
    loops: loops.map((loop) => ({ ...renaming.loop(loop), stage: loop.stage > earliest ? loop.stage : earliest })),
    values: renaming.values(values),
  };
}

class Renaming {
  private readonly prefix: string;
  private readonly symbols = new Map<Expr, SymbolExpr>();
  private readonly tables = new Map<Loop['table'], Loop['table']>();
  private readonly arrays = new Map<RowArray, RowArray>();

  constructor(loops: readonly Loop[], prefix: string) {
    this.prefix = prefix;
    const named = loops.flatMap((loop) => [
      ...loop.table.columns.map((column) => column.symbol),
      ...loop.writes.flatMap(({ array }) => array.columns),
      ...loop.carried.map((value) => value.symbol),
      ...loop.networks.flatMap(networkResults),
      ...loopResults(loop),
    ]);
    for (const s of named) this.symbols.set(s, symbol(s.name.replace(/^([^.]*\.)?/, `$1${prefix}_`)));
    for (const { array, changes } of loops.flatMap(({ writes }) => writes))
      if (changes) array.columns.forEach((s) => this.symbols.set(frozen(s), frozen(this.of(s))));
    for (const { table, writes } of loops) {
      const columns = table.columns.map((column) => ({ ...column, symbol: this.of(column.symbol) }));
      if (!this.tables.has(table)) this.tables.set(table, { ...table, name: this.name(table.name), columns });
      for (const { array } of writes) {
        if (array.buffer !== undefined) throw new Error(`${array.name} is a buffer of its link`);
        this.arrays.set(array, {
          ...array,
          name: this.name(array.name),
          columns: array.columns.map((s) => this.of(s)),
        });
      }
    }
  }

  loop(loop: Loop): Loop {
    return {
      ...loop,
      name: this.name(loop.name),
      table: this.tables.get(loop.table)!,
      reads: loop.reads.map((array) => this.arrays.get(array)!),
      networks: loop.networks.map((call) =>
        mapNetwork(
          call,
          (operands) => this.values(operands),
          (result) => this.of(result),
        ),
      ),
      carried: loop.carried.map(({ symbol: own, initial, next, final }) => {
        const [first, then] = this.values([initial, next]) as [Expr, Expr];
        return { symbol: this.of(own), initial: first, next: then, final: this.of(final) };
      }),
      sums: loop.sums.map(({ symbol: own, term }) => ({ symbol: this.of(own), term: this.values([term])[0]! })),
      writes: loop.writes.map((write) => ({
        ...write,
        array: this.arrays.get(write.array)!,
        values: this.values(write.values),
        ...(write.changes && { changes: this.values(write.changes) }),
      })),
    };
  }

  values(values: readonly Expr[]): readonly Expr[] {
    return substitute(values, this.symbols);
  }

  private of(s: SymbolExpr): SymbolExpr {
    return this.symbols.get(s)!;
  }

  private name(own: string): string {
    return `${this.prefix}_${own}`;
  }
}

/**
 * The loop with names of its own for what learned maps leave in a row: each loop of a link evaluates them for itself.
 * @param mark put behind the names of these.
 */
export function withOwnNetworks(loop: Loop, mark: string): Loop {
  if (loop.networks.length === 0) return loop;
  const names = new Map<Expr, SymbolExpr>(
    loop.networks.flatMap(networkResults).map((s) => [s, symbol(`${s.name}${mark}`)]),
  );
  const renamed = (values: readonly Expr[]): readonly Expr[] => substitute(values, names);
  const first = ([value]: readonly Expr[]): Expr => value!;
  return {
    ...loop,
    networks: loop.networks.map((call) => mapNetwork(call, renamed, (s) => names.get(s)!)),
    carried: loop.carried.map((value) => ({ ...value, next: first(renamed([value.next])) })),
    sums: loop.sums.map(({ symbol: own, term }) => ({ symbol: own, term: first(renamed([term])) })),
    writes: loop.writes.map((write) => ({ ...write, values: renamed(write.values) })),
  };
}
