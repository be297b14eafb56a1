/**
 * Runs loops numerically for many samples at once: what a body's terms are worth, before any code is generated. A row of
 * the loops is a step in time here, the samples stand side by side.
 */
import type { Expr, SymbolExpr } from '../../symbolic/expr.ts';
import { RowProgram } from '../../symbolic/evaluate-rows.ts';
import { freeSymbols } from '../../symbolic/traverse.ts';
import { loopsNeeded, type Loop, type RowArray, type RowTable } from './loop.ts';

/** One number per sample. */
export type Samples = Float64Array;

/** Expressions over loops, made ready for evaluation with tables of any number of rows. */
export class LoopProgram {
  private readonly loops: readonly PreparedLoop[];
  private readonly values: PreparedValues;

  /**
   * @param first loops that run before the others, for what they write to a buffer.
   */
  constructor(loops: readonly Loop[], values: readonly Expr[], first: readonly Loop[] = []) {
    const before = loopsNeeded(loops, [], first);
    const after = loopsNeeded(loops, values, []).filter((loop) => !before.includes(loop));
    this.loops = [...before, ...after].map((loop) => new PreparedLoop(loop));
    this.values = new PreparedValues(values);
  }

  /**
   * @param symbols what the expressions are over: one number per sample.
   * @param table takes the place of the loops' table: the same columns with other values.
   */
  run(symbols: ReadonlyMap<Expr, Samples>, samples: number, table?: RowTable): Samples[] {
    const known = new Map(symbols);
    const arrays = new Map<RowArray, Samples[][]>();
    for (const loop of this.loops) loop.run(known, arrays, samples, table ?? loop.table);
    return this.values.at(known, samples);
  }
}

/** Expressions with the symbols they are over. */
class PreparedValues {
  private readonly symbols: readonly SymbolExpr[];
  private readonly program: RowProgram;

  constructor(values: readonly Expr[]) {
    this.symbols = freeSymbols(values);
    this.program = new RowProgram(values, this.symbols);
  }

  at(known: ReadonlyMap<Expr, Samples>, samples: number): Samples[] {
    for (const s of this.symbols) if (!known.has(s)) throw new Error(`no value for ${s.name}`);
    const results: Samples[] = [];
    this.program.run(known, new Map(), samples, (first, count, registers) =>
      registers.forEach((register, i) =>
        (results[i] ??= new Float64Array(samples)).set(register.subarray(0, count), first),
      ),
    );
    return results;
  }
}

class PreparedLoop {
  private readonly loop: Loop;
  private readonly initial: PreparedValues;
  /** Terms of the sums, next carried values, values written. */
  private readonly row: PreparedValues;

  constructor(loop: Loop) {
    if (loop.networks.length > 0) throw new Error('networks are not evaluated here');
    this.loop = loop;
    this.initial = new PreparedValues(loop.carried.map((c) => c.initial));
    this.row = new PreparedValues([
      ...loop.sums.map((s) => s.term),
      ...loop.carried.map((c) => c.next),
      ...loop.writes.flatMap((w) => w.values),
    ]);
  }

  get table(): RowTable {
    return this.loop.table;
  }

  run(known: Map<Expr, Samples>, arrays: Map<RowArray, Samples[][]>, samples: number, table: RowTable): void {
    const { loop } = this;
    let carried = this.initial.at(known, samples);
    const sums = loop.sums.map(() => new Float64Array(samples));
    const written = loop.writes.map(({ values }) => values.map(() => new Array<Samples>(table.rows)));
    const here = new Map(known);
    for (let step = 0; step < table.rows; step++) {
      const k = loop.reversed ? table.rows - 1 - step : step;
      for (const { symbol, values } of table.columns) here.set(symbol, new Float64Array(samples).fill(values[k]!));
      for (const array of loop.reads) array.columns.forEach((s, c) => here.set(s, arrays.get(array)![c]![k]!));
      loop.carried.forEach((c, i) => here.set(c.symbol, carried[i]!));
      const results = this.row.at(here, samples);
      const next = (count: number): Samples[] => results.splice(0, count);
      next(sums.length).forEach((term, i) => term.forEach((value, j) => (sums[i]![j]! += value)));
      carried = next(carried.length);
      written.forEach((columns) => columns.forEach((column) => ([column[k]] = next(1) as [Samples])));
    }
    loop.sums.forEach((s, i) => known.set(s.symbol, sums[i]!));
    loop.carried.forEach((c, i) => known.set(c.final, carried[i]!));
    loop.writes.forEach(({ array }, i) => arrays.set(array, written[i]!));
  }
}
