/**
 * Runs loops numerically for many samples at once: what a body's terms are worth, before any code is generated. A row of
 * the loops is a step in time here, the samples stand side by side.
 */
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { integrateRows } from './integrate-rows.ts';
import { loopsNeeded, type Loop, type RowArray, type RowTable, type RowWrite } from './loop.ts';

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
    const arrays = new Map<RowArray, ArrayValues>();
    for (const loop of this.loops) loop.run(known, arrays, samples, table ?? loop.table);
    return this.values.at(known, samples);
  }
}

/** Numbers of an array, column by column: those of a row stand together, one per sample. */
type ArrayValues = readonly Float64Array[];

/** Expressions with the symbols they are over. */
class PreparedValues {
  readonly symbols: readonly SymbolExpr[];
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

  run(known: Map<Expr, Samples>, arrays: Map<RowArray, ArrayValues>, samples: number, table: RowTable): void {
    const { loop } = this;
    const { rows } = table;
    const varying = this.varying(arrays, samples, table);
    // Rows that do not wait for each other are evaluated together.
    const results =
      loop.carried.length === 0
        ? this.row.at(new Map([...this.repeated(known, varying, rows), ...varying]), samples * rows)
        : this.march(known, varying, samples, rows);
    loop.sums.forEach((s, i) => known.set(s.symbol, this.total(results[i]!, samples, rows)));
    let next = loop.sums.length + loop.carried.length;
    for (const { array, values, integrated } of loop.writes) {
      const columns = results.slice(next, (next += values.length));
      if (integrated) for (const column of columns) integrateSamples(column, samples, table, integrated);
      arrays.set(array, columns);
    }
  }

  /** What the row mentions of the table and of arrays, for all rows. */
  private varying(
    arrays: ReadonlyMap<RowArray, ArrayValues>,
    samples: number,
    table: RowTable,
  ): Map<Expr, Float64Array> {
    const mentioned = new Set<Expr>(this.row.symbols);
    const values = new Map<Expr, Float64Array>();
    for (const { symbol, values: column } of table.columns)
      if (mentioned.has(symbol))
        values.set(
          symbol,
          Float64Array.from({ length: samples * table.rows }, (_, at) => column[Math.floor(at / samples)]!),
        );
    for (const array of this.loop.reads)
      array.columns.forEach((s, c) => mentioned.has(s) && values.set(s, arrays.get(array)![c]!));
    return values;
  }

  /** The same for every row. */
  private repeated(
    known: ReadonlyMap<Expr, Samples>,
    varying: ReadonlyMap<Expr, Samples>,
    rows: number,
  ): Map<Expr, Float64Array> {
    const values = new Map<Expr, Float64Array>();
    for (const s of this.row.symbols) {
      const column = varying.has(s) ? undefined : known.get(s);
      if (!column) continue;
      const repeated = new Float64Array(column.length * rows);
      for (let k = 0; k < rows; k++) repeated.set(column, k * column.length);
      values.set(s, repeated);
    }
    return values;
  }

  /** Row by row, each with the carried values that the one before leaves; after the last, those are known. */
  private march(
    known: Map<Expr, Samples>,
    varying: ReadonlyMap<Expr, Float64Array>,
    samples: number,
    rows: number,
  ): Float64Array[] {
    const { loop } = this;
    const all: Float64Array[] = [];
    const here = new Map(known);
    let carried = this.initial.at(known, samples);
    for (let step = 0; step < rows; step++) {
      const first = samples * (loop.reversed ? rows - 1 - step : step);
      for (const [symbol, column] of varying) here.set(symbol, column.subarray(first, first + samples));
      loop.carried.forEach((c, i) => here.set(c.symbol, carried[i]!));
      const results = this.row.at(here, samples);
      results.forEach((column, i) => (all[i] ??= new Float64Array(samples * rows)).set(column, first));
      carried = results.slice(loop.sums.length, loop.sums.length + carried.length);
    }
    loop.carried.forEach((c, i) => known.set(c.final, carried[i]!));
    return all;
  }

  /** Σ over the rows, in their order. */
  private total(terms: Float64Array, samples: number, rows: number): Samples {
    const sum = new Float64Array(samples);
    for (let step = 0; step < rows; step++) {
      const first = samples * (this.loop.reversed ? rows - 1 - step : step);
      for (let j = 0; j < samples; j++) sum[j] = sum[j]! + terms[first + j]!;
    }
    return sum;
  }
}

function integrateSamples(
  column: Float64Array,
  samples: number,
  table: RowTable,
  direction: NonNullable<RowWrite['integrated']>,
): void {
  const numbers = new Float64Array(table.rows);
  for (let j = 0; j < samples; j++) {
    for (let k = 0; k < table.rows; k++) numbers[k] = column[k * samples + j]!;
    integrateRows(numbers, table, direction);
    for (let k = 0; k < table.rows; k++) column[k * samples + j] = numbers[k]!;
  }
}
