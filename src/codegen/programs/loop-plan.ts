/**
 * How much of each loop a program needs: sums and carried values that nothing reads are left out, and so is what only
 * they depend on.
 */
import type { RowArray, RowWrite } from '../../kane/loops/loop.ts';
import { networkOperands } from '../../kane/loops/network-call.ts';
import type { SymbolExpr } from '../../symbolic/graph/expr.ts';
import { operandsOf, operationsBelow, ROW_STAGE, type LoopSource, type Operation } from '../operations/operation.ts';

type InputOperation = Operation & { kind: 'input' };
type ResultOperation = Operation & { kind: 'result' };

type IntegralDirection = NonNullable<RowWrite['integrated']>;

export interface LoopPlan {
  /** Numbers of the row that are read: of the table, or of an array. */
  readonly columns: readonly {
    readonly operation: InputOperation;
    readonly array: RowArray | undefined;
    readonly column: number;
  }[];
  readonly carried: readonly {
    readonly symbol: SymbolExpr;
    readonly initial: Operation;
    readonly next: Operation;
    /** The value within a row, and after the last one, where they are used. */
    readonly inRow: InputOperation | undefined;
    readonly result: ResultOperation | undefined;
  }[];
  readonly sums: readonly {
    readonly symbol: SymbolExpr;
    readonly term: Operation;
    readonly result: ResultOperation | undefined;
  }[];
  readonly writes: readonly { readonly array: RowArray; readonly column: number; readonly value: Operation }[];
  readonly integrals: readonly { readonly array: RowArray; readonly direction: IntegralDirection }[];
  /** Everything that a row computes for the above. */
  readonly values: readonly Operation[];
  /** What is the same in every row and must be known before, arrays included. */
  readonly outer: readonly Operation[];
}

/** What a program asks of a loop. */
class Demand {
  readonly results = new Map<number, ResultOperation>();
  readonly carried = new Set<number>();
  readonly arrays = new Set<RowArray>();
  readonly source: LoopSource;

  constructor(source: LoopSource) {
    this.source = source;
  }

  /** Positions of the expressions of a loop in `values`: see `loopExpressions`. */
  private get start(): number {
    return this.source.loop.networks.reduce((total, call) => total + networkOperands(call).length, 0);
  }

  initial(index: number): Operation {
    return this.source.values[this.start + 2 * index]!;
  }

  next(index: number): Operation {
    return this.source.values[this.start + 2 * index + 1]!;
  }

  term(index: number): Operation {
    return this.source.values[this.start + 2 * this.source.loop.carried.length + index]!;
  }

  get sums(): number[] {
    const count = this.source.loop.sums.length;
    return [...this.results.keys()].filter((index) => index < count).sort((a, b) => a - b);
  }

  writes(): LoopPlan['writes'] {
    const { carried, sums, writes } = this.source.loop;
    let at = this.start + 2 * carried.length + sums.length;
    return writes.flatMap(({ array, values }) => {
      const first = at;
      at += values.length;
      if (!this.arrays.has(array)) return [];
      return values.map((_, column) => ({ array, column, value: this.source.values[first + column]! }));
    });
  }

  /** What a row computes, with the carried values that this turns out to need. */
  values(): Operation[] {
    const count = this.source.loop.sums.length;
    for (const index of this.results.keys()) if (index >= count) this.carried.add(index - count);
    for (;;) {
      const known = this.carried.size;
      const roots = [
        ...[...this.carried].map((index) => this.next(index)),
        ...this.sums.map((index) => this.term(index)),
        ...this.writes().map(({ value }) => value),
      ];
      const inputs = new Set(rowInputs(roots).map(({ symbol }) => symbol));
      this.source.loop.carried.forEach(({ symbol }, index) => inputs.has(symbol) && this.carried.add(index));
      if (this.carried.size === known) return roots;
    }
  }
}

const isOutside = (operation: Operation): boolean =>
  operation.stage < ROW_STAGE && operation.kind !== 'compare' && operation.kind !== 'logic';

function rowInputs(roots: readonly Operation[]): InputOperation[] {
  return operationsBelow(roots, isOutside).filter(
    (operation): operation is InputOperation => operation.kind === 'input' && operation.stage === ROW_STAGE,
  );
}

/**
 * @param roots outputs of the program.
 * @param wanted loops that run for the buffers they write to.
 * @param isReady values and arrays that the program finds in buffers.
 */
export function planLoops(
  roots: readonly Operation[],
  wanted: readonly LoopSource[],
  isReady: (operation: Operation) => boolean,
): ReadonlyMap<LoopSource, LoopPlan> {
  const demands = new Map<LoopSource, Demand>();
  const pending: Operation[] = [...roots];
  const seen = new Set<Operation>();
  // Loops of which more is asked than what they need was found for: asked once for all that is known, not once for each of their sums.
  const grown = new Set<LoopSource>();
  const demandOf = (source: LoopSource): Demand => {
    const found = demands.get(source) ?? new Demand(source);
    demands.set(source, found);
    grown.add(source);
    return found;
  };
  for (const source of wanted) {
    const demand = demandOf(source);
    for (const { array } of source.loop.writes) if (array.buffer) demand.arrays.add(array);
  }
  for (;;) {
    const operation = pending.pop();
    if (operation === undefined) {
      const [source] = grown;
      if (source === undefined) break;
      grown.delete(source);
      const demand = demands.get(source)!;
      pending.push(...outerOf(demand, demand.values()));
      continue;
    }
    if (seen.has(operation) || isReady(operation)) continue;
    seen.add(operation);
    if (operation.kind === 'array') demandOf(operation.source).arrays.add(operation.array);
    else if (operation.kind === 'result' && operation.source.kind === 'loop')
      demandOf(operation.source).results.set(operation.index, operation);
    else pending.push(...operandsOf(operation));
  }
  return new Map([...demands].map(([source, demand]) => [source, planOf(demand)]));
}

function outerOf(demand: Demand, values: readonly Operation[]): Operation[] {
  const initial = [...demand.carried].map((index) => demand.initial(index));
  const outside = operationsBelow([...values, ...initial], isOutside).filter(
    (o) => isOutside(o) && o.kind !== 'number',
  );
  const used = new Set(rowInputs(values).map(({ symbol }) => symbol));
  const arrays = demand.source.arrays.filter(({ array }) => array.columns.some((symbol) => used.has(symbol)));
  return [...outside, ...arrays];
}

function planOf(demand: Demand): LoopPlan {
  const { loop } = demand.source;
  const values = demand.values();
  const inputs = new Map(rowInputs(values).map((operation) => [operation.symbol, operation]));
  const columnsOf = (symbols: readonly SymbolExpr[], array: RowArray | undefined): LoopPlan['columns'] =>
    symbols.flatMap((symbol, column) => {
      const operation = inputs.get(symbol);
      return operation ? [{ operation, array, column }] : [];
    });
  const carried = [...demand.carried].sort((a, b) => a - b);
  return {
    columns: [
      ...columnsOf(
        loop.table.columns.map(({ symbol }) => symbol),
        undefined,
      ),
      ...loop.reads.flatMap((array) => columnsOf(array.columns, array)),
    ],
    carried: carried.map((index) => ({
      symbol: loop.carried[index]!.symbol,
      initial: demand.initial(index),
      next: demand.next(index),
      inRow: inputs.get(loop.carried[index]!.symbol),
      result: demand.results.get(loop.sums.length + index),
    })),
    sums: demand.sums.map((index) => ({
      symbol: loop.sums[index]!.symbol,
      term: demand.term(index),
      result: demand.results.get(index),
    })),
    writes: demand.writes(),
    integrals: loop.writes.flatMap(({ array, integrated }) =>
      integrated && demand.arrays.has(array) ? [{ array, direction: integrated }] : [],
    ),
    values,
    outer: outerOf(demand, values),
  };
}
