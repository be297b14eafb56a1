/**
 * Straight-line code that runs once per row of a table: points of a quadrature rule, or along a rod.
 *
 * A link type lists its loops in an order in which each needs only results of those before it. Their results are symbols
 * that kernels and later loops mention like any other value. Expressions in a loop are over
 *   - the columns of its table and of the row arrays it reads, and its carried values: different in every row;
 *   - everything that kernels are over (parameters, q, q̇, …, results of earlier loops): the same in every row.
 * What does not differ between rows is computed once before the loop; where it is computed is decided in `codegen/`.
 */
import { symbol, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import { networkOperands, type NetworkCall } from './network-call.ts';

/**
 * When a loop can run: 0 as soon as the parameters are known, 1 with the configuration (q), 2 with the velocities (q̇ and
 * the parent's), 3 with the rest (q̈, accelerations, wrenches, composites, poses), 4 with a direction in which all of it changes, or as late as
 * its results are asked for. A loop reads nothing of a later stage.
 */
export type LoopStage = 0 | 1 | 2 | 3 | 4;

/** Constants of the rows. Loops over the same rows share one table object. */
export interface RowTable {
  /** Identifier-safe and unique within the link type. */
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly TableColumn[];
  /** Of tables whose rows stand for places along a line. */
  readonly integration?: RowIntegration;
}

/**
 * How numbers given row by row, each an integrand times the length that its row stands for, add up to the integral from the
 * start of the line to the place of every row. Rows come in blocks that are integrated one after the other; within a block
 * y_i = Σ_j (1/2 + S_ij) x_j with S_(īj̄) = −S_ij, where ī is i counted from the other end, as for every symmetric rule.
 */
export interface RowIntegration {
  /** Rows of a block; their number divides that of all rows. */
  readonly block: number;
  /**
   * With h = ⌈block/2⌉ and i, j < h, column by column: what x_j + x_j̄ and x_j − x_j̄ add to y_i, and with the sign of `even`
   * changed to y_ī. The middle of an odd number counts once.
   */
  readonly even: readonly number[];
  readonly odd: readonly number[];
}

export interface TableColumn {
  readonly symbol: SymbolExpr;
  /** One double per row. */
  readonly values: readonly number[];
}

/** Numbers per row that one loop leaves for others over the same number of rows. */
export interface RowArray {
  /** Identifier-safe and unique within the link type. */
  readonly name: string;
  readonly rows: number;
  /** Stand for the numbers of the current row in a loop that reads the array. */
  readonly columns: readonly SymbolExpr[];
  /**
   * `bodyWrench`: the array is that buffer of the link, written by the functions that accelerate or weigh the body and
   * read by `backward`. Others belong to the stage of the loop that writes them. `bodyWrenchTangent` and
   * `bodyWrenchAdjoint`: the same of its tangent and of its transpose.
   */
  readonly buffer?: 'bodyWrench' | 'bodyWrenchTangent' | 'bodyWrenchAdjoint';
}

export interface CarriedValue {
  readonly symbol: SymbolExpr;
  /** Before the first row; does not depend on the row. */
  readonly initial: Expr;
  /** After the current row. All carried values change together. */
  readonly next: Expr;
  /** Stands for the value after the last row, outside of the loop. */
  readonly final: SymbolExpr;
}

export interface LoopSum {
  /** Stands for Σ over the rows, outside of the loop. */
  readonly symbol: SymbolExpr;
  readonly term: Expr;
}

export interface Loop {
  /** Identifier-safe and unique within the link type. */
  readonly name: string;
  readonly stage: LoopStage;
  readonly table: RowTable;
  /** From the last row to the first. */
  readonly reversed: boolean;
  readonly reads: readonly RowArray[];
  /** Evaluated at the beginning of every row, in order. */
  readonly networks: readonly NetworkCall[];
  readonly carried: readonly CarriedValue[];
  readonly sums: readonly LoopSum[];
  readonly writes: readonly RowWrite[];
}

export interface RowWrite {
  readonly array: RowArray;
  readonly values: readonly Expr[];
  /**
   * What other loops find in the array is the integral of the values from the start of the line to the place of the row, or
   * from there to its end (see RowIntegration).
   */
  readonly integrated?: 'from start' | 'to end';
  /**
   * What has the derivatives of the values, where those solve equations and are not differentiated themselves; over the same, and over
   * the values as constants (`frozen`). One step of Newton's method from a solution is of this kind: x − H(x, q)⁻¹ f(x, q) with the
   * x of its first and second factor frozen.
   */
  readonly changes?: readonly Expr[];
}

/** Stands for a number of an array that `changes` take as a constant. */
export function frozen(column: SymbolExpr): SymbolExpr {
  return symbol(`${column.name}.frozen`);
}

/** Derivatives of `changes` over the numbers of the array. */
export function thawed(values: readonly Expr[], arrays: readonly RowArray[]): readonly Expr[] {
  return substitute(values, new Map(arrays.flatMap(({ columns }) => columns.map((s) => [frozen(s), s]))));
}

/** What is differentiated in the place of the values. */
export function differentiable({ values, changes }: RowWrite): readonly Expr[] {
  return changes ?? values;
}

/** Everything that a loop computes in a row, carried values and initial values included. */
export function loopExpressions(loop: Loop): readonly Expr[] {
  return [
    ...loop.networks.flatMap(networkOperands),
    ...loop.carried.flatMap((c) => [c.initial, c.next]),
    ...loop.sums.map((sum) => sum.term),
    ...loop.writes.flatMap((write) => write.values),
  ];
}

/** Symbols that stand for results of the loop outside of it. */
export function loopResults(loop: Loop): readonly SymbolExpr[] {
  return [...loop.sums.map((sum) => sum.symbol), ...loop.carried.map((c) => c.final)];
}

/** The loops that `roots` and `wanted` need, themselves included, in the order of `loops`. */
export function loopsNeeded(loops: readonly Loop[], roots: readonly Expr[], wanted: readonly Loop[]): readonly Loop[] {
  const symbols = new Set<Expr>(freeSymbols(roots));
  const arrays = new Set<RowArray>();
  const needed = new Set<Loop>(wanted);
  for (const loop of [...loops].reverse()) {
    const isNeeded =
      needed.has(loop) ||
      loopResults(loop).some((result) => symbols.has(result)) ||
      loop.writes.some(({ array }) => arrays.has(array));
    if (!isNeeded) continue;
    needed.add(loop);
    for (const symbol of freeSymbols(loopExpressions(loop))) symbols.add(symbol);
    for (const array of loop.reads) if (array.buffer === undefined) arrays.add(array);
  }
  return loops.filter((loop) => needed.has(loop));
}
