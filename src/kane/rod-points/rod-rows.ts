/**
 * The loops of one rod and what they leave for each other. A value is kept under a name in the stage in which it becomes
 * known: what uses it is written over the name's symbol. An array holds those of its names that other loops mention, and
 * the loop that fills it computes those and nothing else.
 */
import {
  compare,
  decimal,
  rational,
  select,
  splitCoefficient,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { freeSymbols, substituteOne } from '../../symbolic/graph/traverse.ts';
import {
  differentiable,
  frozen,
  loopExpressions,
  type CarriedValue,
  type Loop,
  type LoopStage,
  type LoopSum,
  type RowArray,
  type RowTable,
} from '../loops/loop.ts';

/** Symbols of rods, apart from those of the link's buffers and of the body's formulas. */
export function rodSymbol(name: string): SymbolExpr {
  return symbol(`rod.${name}`);
}

/** Values of one stage that do not depend on the rows before or after. */
export class KeptValues {
  readonly array: RowArray & { readonly columns: SymbolExpr[] };
  readonly stage: LoopStage;
  private readonly varies: (s: Expr) => boolean;
  /** Over parameters, coordinates and the names of earlier stages. */
  private readonly definitions = new Map<Expr, Expr>();
  private readonly names = new Map<Expr, SymbolExpr>();

  /** @param varies is the symbol different in every row? */
  constructor(name: string, stage: LoopStage, rows: number, varies: (s: Expr) => boolean) {
    this.array = { name, rows, columns: [] };
    this.stage = stage;
    this.varies = varies;
  }

  /** The value by its name; what is the same in every row, or a column of the table, stays as it is. */
  keep(label: string, e: Expr): Expr {
    const { coefficient, term } = splitCoefficient(e);
    if (term.kind === 'symbol' || !freeSymbols([term]).some((s) => this.varies(s) || this.definitions.has(s))) return e;
    const known = this.names.get(term);
    const name = known ?? rodSymbol(`${this.array.name}_${label}`);
    if (!known) {
      if (this.definitions.has(name)) throw new Error(`${this.array.name} has two values ${label}`);
      this.names.set(term, name);
      this.definitions.set(name, substituteOne(term, this.definitions));
    }
    return times(rational(coefficient), name);
  }

  has(s: Expr): boolean {
    return this.definitions.has(s);
  }

  /** Makes room for a name that another loop uses. */
  want(name: SymbolExpr): void {
    if (!this.array.columns.includes(name)) this.array.columns.push(name);
  }

  /** What the array holds, in the order of its columns. */
  contents(): readonly Expr[] {
    return this.array.columns.map((name) => this.definitions.get(name)!);
  }
}

/** Carried values: their symbols within the loop and what they are before the first row. */
export interface Marching {
  readonly labels: readonly string[];
  readonly symbols: readonly SymbolExpr[];
  readonly initial: readonly Expr[];
}

export interface LoopRequest {
  readonly name: string;
  readonly stage: LoopStage;
  readonly reversed?: boolean;
  readonly carried?: { readonly values: Marching; readonly next: readonly Expr[] };
  readonly sums?: readonly { readonly label: string; readonly term: Expr }[];
  readonly writes?: Loop['writes'];
}

/** Numbers of the rows, each times its length, to be integrated along the rod. */
export interface IntegralRequest {
  /** Of the loop and its array. */
  readonly name: string;
  readonly stage: LoopStage;
  readonly direction: 'from start' | 'to end';
  readonly labels: readonly string[];
  readonly values: readonly Expr[];
  readonly writes?: Loop['writes'];
}

/** Above any value. */
const FAR = decimal(1e30);

export interface LoopOutcome {
  readonly loop: Loop;
  /** Carried values after the last row. */
  readonly final: readonly SymbolExpr[];
  readonly sums: readonly SymbolExpr[];
}

export class RodLoops {
  readonly table: RowTable;
  private readonly kept: KeptValues[] = [];
  private readonly arrays: RowArray[] = [];
  private readonly requested: Loop[] = [];
  /** How many loops were asked for before kept values: those may read what these leave. */
  private readonly places = new Map<KeptValues, number>();

  constructor(table: RowTable) {
    this.table = table;
  }

  keeper(name: string, stage: LoopStage): KeptValues {
    const values = new KeptValues(name, stage, this.table.rows, this.varying());
    this.kept.push(values);
    this.places.set(values, stage === 0 ? 0 : this.requested.length);
    return values;
  }

  /** Symbols that are different in every row, as far as they are known now. */
  private varying(): (s: Expr) => boolean {
    const columns = new Set<Expr>(this.table.columns.map((c) => c.symbol));
    const earlier = [...this.kept];
    const recorded = new Set<Expr>(this.arrays.flatMap((array) => array.columns));
    return (s) => columns.has(s) || recorded.has(s) || earlier.some((values) => values.has(s));
  }

  /** Are some of the values different from row to row? */
  vary(values: readonly Expr[]): boolean {
    return freeSymbols(values).some(this.varying());
  }

  /**
   * An array that a loop fills with values that depend on the rows before it; numbers need no place in it.
   * @param changes of values that solve equations: what has their derivatives, over the frozen values (see RowWrite).
   * @returns the values as other loops see them, and as the loop writes them.
   */
  record(
    name: string,
    values: readonly Expr[],
    labels: readonly string[],
    changes?: (seen: readonly Expr[]) => readonly Expr[],
  ): { readonly seen: readonly Expr[]; readonly write: Loop['writes'][number] } {
    const isStored = (_: unknown, i: number): boolean => values[i]!.kind !== 'rational';
    const seen = values.map((e, i) => (isStored(e, i) ? rodSymbol(`${name}_${labels[i]}`) : e));
    const columns = seen.filter(isStored) as SymbolExpr[];
    const array: RowArray = { name, rows: this.table.rows, columns };
    this.arrays.push(array);
    const own = changes?.(seen.map((e) => (e.kind === 'symbol' ? frozen(e) : e)));
    return {
      seen,
      write: { array, values: values.filter(isStored), ...(own && { changes: own.filter(isStored) }) },
    };
  }

  /**
   * Integrals of what is zero everywhere are zero and need no place.
   * @returns per value the integral up to the current row, or from it on, and that over the whole rod.
   */
  integrate(request: IntegralRequest): { readonly atRow: readonly Expr[]; readonly whole: readonly Expr[] } {
    const { name, stage, direction, labels, values, writes = [] } = request;
    const isMoving = (e: Expr): boolean => e !== zero;
    const moving = values.filter(isMoving);
    const names = labels.filter((_, i) => isMoving(values[i]!));
    const columns = names.map((label) => rodSymbol(`${name}_${label}`));
    const array: RowArray = { name, rows: this.table.rows, columns };
    this.arrays.push(array);
    const { sums } = this.add({
      name,
      stage,
      sums: moving.map((term, i) => ({ label: `${names[i]}_whole`, term })),
      writes: [...writes, { array, values: moving, integrated: direction }],
    });
    const spread = (symbols: readonly Expr[]): readonly Expr[] => {
      let next = 0;
      return values.map((e) => (isMoving(e) ? symbols[next++]! : zero));
    };
    return { atRow: spread(columns), whole: spread(sums) };
  }

  /** The buffer of the link that holds what the sections need, row by row. */
  bodyWrench(labels: readonly string[]): RowArray {
    const columns = labels.map((label) => rodSymbol(`wrench_${label}`));
    const array: RowArray = { name: 'wrench', rows: this.table.rows, columns, buffer: 'bodyWrench' };
    this.arrays.push(array);
    return array;
  }

  /** Carried values of a loop to be. */
  march(loop: string, labels: readonly string[], initial: readonly Expr[]): Marching {
    return { labels, initial, symbols: labels.map((label) => rodSymbol(`${loop}_${label}`)) };
  }

  add(request: LoopRequest): LoopOutcome {
    const { name, stage, reversed = false, writes = [] } = request;
    if (this.requested.some((loop) => loop.name === name)) throw new Error(`two loops are called ${name}`);
    const { values, next } = request.carried ?? { values: { labels: [], symbols: [], initial: [] }, next: [] };
    const carried: CarriedValue[] = values.symbols.map((symbol, i) => ({
      symbol,
      initial: values.initial[i]!,
      next: next[i]!,
      final: rodSymbol(`${name}_${values.labels[i]}_end`),
    }));
    const sums: LoopSum[] = (request.sums ?? []).map(({ label, term }) => ({
      symbol: rodSymbol(`${name}_${label}`),
      term,
    }));
    const loop = this.loop({ name, stage, reversed, carried, sums, writes });
    this.requested.push(loop);
    return { loop, final: carried.map((c) => c.final), sums: sums.map((s) => s.symbol) };
  }

  /** The least of a value among all rows, then others of the row where it is that. */
  least(name: string, stage: LoopStage, measure: Expr, others: readonly Expr[]): readonly SymbolExpr[] {
    const labels = ['least', ...others.map((_, i) => `value_${i + 1}`)];
    const values = this.march(name, labels, [FAR, ...others.map(() => zero)]);
    const isLess = compare('<', measure, values.symbols[0]!);
    const next = [measure, ...others].map((e, i) => select(isLess, e, values.symbols[i]!));
    return this.add({ name, stage, carried: { values, next } }).final;
  }

  /** The loop with what it reads; names that it mentions get places in their arrays. */
  private loop(parts: Omit<Loop, 'table' | 'reads' | 'networks'>): Loop {
    const loop = { ...parts, table: this.table, networks: [], reads: [] as RowArray[] };
    const mentioned = freeSymbols([...loopExpressions(loop), ...loop.writes.flatMap(differentiable)]);
    for (const values of this.kept) {
      const wanted = mentioned.filter((s) => values.has(s));
      wanted.forEach((s) => values.want(s));
      if (wanted.length > 0) loop.reads.push(values.array);
    }
    for (const array of this.arrays) if (mentioned.some((s) => array.columns.includes(s))) loop.reads.push(array);
    return loop;
  }

  /** All loops; those that fill arrays of kept values stand behind what these may read. */
  loops(): readonly Loop[] {
    const filling = new Map<KeptValues, Loop>();
    for (const values of [...this.kept].reverse()) {
      const { array, stage } = values;
      if (array.columns.length === 0) continue;
      const write = { array, values: values.contents() };
      const parts = { name: array.name, stage, reversed: false, carried: [], sums: [], writes: [write] };
      filling.set(values, this.loop(parts));
    }
    const at = (place: number): readonly Loop[] =>
      this.kept.flatMap((values) => (this.places.get(values) === place ? (filling.get(values) ?? []) : []));
    return [...this.requested.flatMap((loop, i) => [...at(i), loop]), ...at(this.requested.length)];
  }
}
