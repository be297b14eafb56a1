/**
 * What programs are made of: statements over expressions, blocks included, and how they are counted.
 */
import type { RowTable, RowWrite } from '../../kane/loops/loop.ts';
import type { NetworkCall } from '../../kane/loops/network-call.ts';
import type { Comparison, FunctionName } from '../../symbolic/graph/expr.ts';
import { networkOperations } from './network-cost.ts';
import type { BinaryKind, Place } from '../operations/operation.ts';
import { type OperationCounts, NO_OPERATIONS } from '../operations/operation-counts.ts';

/** An expression inside a statement. Names refer to earlier statements. */
export type Tree =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'load'; readonly place: Place }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: BinaryKind; readonly left: Tree; readonly right: Tree }
  | { readonly kind: 'negate' | 'sqrt'; readonly operand: Tree }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly operands: readonly Tree[] }
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Tree; readonly right: Tree }
  | { readonly kind: 'logic'; readonly operator: 'and' | 'or' | 'not'; readonly operands: readonly Tree[] };

export type Statement =
  | { readonly kind: 'let'; readonly name: string; readonly value: Tree }
  /** c_0 … c_top of the argument, some of them by name. */
  | {
      readonly kind: 'stumpff';
      readonly argument: Tree;
      readonly top: number;
      readonly names: readonly { readonly order: number; readonly name: string }[];
    }
  /** Sine and cosine of the argument, or the one that is wanted, by name. */
  | {
      readonly kind: 'sine-cosine';
      readonly argument: Tree;
      readonly names: readonly { readonly of: 'sin' | 'cos'; readonly name: string }[];
    }
  | {
      readonly kind: 'select';
      readonly name: string;
      readonly condition: Tree;
      readonly then: readonly Statement[];
      readonly thenValue: Tree;
      readonly otherwise: readonly Statement[];
      readonly otherwiseValue: Tree;
    }
  | { readonly kind: 'store'; readonly place: Place; readonly value: Tree }
  /** Statements that only the outputs in one buffer need, skipped when the caller left that buffer out. */
  | { readonly kind: 'guard'; readonly buffer: string; readonly statements: readonly Statement[] }
  | LoopStatement
  | NetworkStatement
  /** A value put into, or taken from, the scratch array between the parts of a long program (see `split.ts`). */
  | { readonly kind: 'save' | 'restore'; readonly name: string; readonly index: number };

/** A learned map evaluated; results by name. */
export interface NetworkStatement {
  readonly kind: 'network';
  readonly call: NetworkCall;
  /** In the order of `networkOperands`. */
  readonly operands: readonly Tree[];
  /** Results that are used, by their index in `networkResults`. */
  readonly names: readonly { readonly index: number; readonly name: string }[];
}

/** Where a column of numbers per row lies: the first of them; the others follow. */
export interface RowColumn {
  readonly name: string;
  readonly place: Place;
}

export interface RowIntegral {
  readonly place: Place;
  readonly columns: number;
  readonly table: RowTable;
  readonly direction: NonNullable<RowWrite['integrated']>;
}

/** Statements that run once per row of a table. Sums start at zero; sums and carried values keep their names afterwards. */
export interface LoopStatement {
  readonly kind: 'loop';
  readonly name: string;
  readonly rows: number;
  readonly reversed: boolean;
  /** Numbers of the current row that the statements use: of the table of constants, or of arrays in buffers. */
  readonly columns: readonly RowColumn[];
  readonly carried: readonly {
    readonly name: string;
    /** Name of its value for the next row. */
    readonly following: string;
    readonly initial: Tree;
    readonly next: Tree;
  }[];
  readonly sums: readonly { readonly name: string; readonly term: Tree }[];
  readonly writes: readonly { readonly place: Place; readonly value: Tree }[];
  /** Columns of numbers per row, one after the other, that become their integrals along the rows after the last one. */
  readonly integrals: readonly RowIntegral[];
  readonly statements: readonly Statement[];
}

/** Every tree and subtree of the statements, blocks included. */
export function treesOf(statements: readonly Statement[]): Tree[] {
  const found: Tree[] = [];
  const visit = (tree: Tree): void => {
    found.push(tree);
    if ('left' in tree) [tree.left, tree.right].forEach(visit);
    else if ('operand' in tree) visit(tree.operand);
    else if ('operands' in tree) tree.operands.forEach(visit);
  };
  const visitAll = (block: readonly Statement[]): void => {
    for (const statement of block) {
      ownTrees(statement).forEach(visit);
      blocksOf(statement).forEach(visitAll);
    }
  };
  visitAll(statements);
  return found;
}

/** Expressions that stand in the statement itself, not in a block of it. */
function ownTrees(statement: Statement): readonly Tree[] {
  switch (statement.kind) {
    case 'let':
    case 'store':
      return [statement.value];
    case 'stumpff':
    case 'sine-cosine':
      return [statement.argument];
    case 'select':
      return [statement.condition, statement.thenValue, statement.otherwiseValue];
    case 'loop':
      return [...statement.carried.map(({ initial }) => initial), ...rowTrees(statement)];
    case 'network':
      return statement.operands;
    case 'guard':
    case 'save':
    case 'restore':
      return [];
  }
}

/** What a loop evaluates at the end of every row. */
function rowTrees({ carried, sums, writes }: LoopStatement): Tree[] {
  return [...carried.map(({ next }) => next), ...sums.map(({ term }) => term), ...writes.map(({ value }) => value)];
}

/** Blocks of statements inside a statement. */
export function blocksOf(statement: Statement): readonly (readonly Statement[])[] {
  switch (statement.kind) {
    case 'select':
      return [statement.then, statement.otherwise];
    case 'guard':
    case 'loop':
      return [statement.statements];
    case 'let':
    case 'network':
    case 'restore':
    case 'save':
    case 'sine-cosine':
    case 'store':
    case 'stumpff':
      return [];
  }
}

/** Operations of the statements; those of loops by themselves. */
export function countOperations(statements: readonly Statement[]): OperationCounts {
  return addCounts(statements.map(countStatement));
}

function countStatement(statement: Statement): OperationCounts {
  if (statement.kind === 'loop') {
    const row = addCounts([
      countOperations(statement.statements),
      countTrees(rowTrees(statement)),
      { ...NO_OPERATIONS, add: statement.sums.length },
      ...statement.integrals.map(countIntegral),
    ]);
    const before = countTrees(statement.carried.map(({ initial }) => initial));
    return { ...before, loops: [{ rows: statement.rows, row }] };
  }
  const own = countTrees(ownTrees(statement));
  const tops = statement.kind === 'stumpff' ? [statement.top] : [];
  if (statement.kind === 'network') return addCounts([own, networkOperations(statement.call)]);
  if (statement.kind === 'sine-cosine') return { ...own, call: own.call + statement.names.length };
  return addCounts([{ ...own, stumpff: tops }, ...blocksOf(statement).map(countOperations)]);
}

/** Per row: two sums of half a block for every two rows, and what joins them. */
function countIntegral({ columns, table }: RowIntegral): OperationCounts {
  const half = Math.ceil(table.integration!.block / 2);
  return { ...NO_OPERATIONS, multiply: columns * half, add: columns * (half + 3) };
}

function countTrees(trees: readonly Tree[]): OperationCounts {
  const counts = { add: 0, multiply: 0, divide: 0, sqrt: 0, call: 0 };
  const visit = (tree: Tree): void => {
    if (tree.kind === 'subtract') counts.add += 1;
    else if (tree.kind in counts) counts[tree.kind as keyof typeof counts] += 1;
    if ('left' in tree) [tree.left, tree.right].forEach(visit);
    else if ('operand' in tree) visit(tree.operand);
    else if ('operands' in tree) tree.operands.forEach(visit);
  };
  trees.forEach(visit);
  return { ...NO_OPERATIONS, ...counts };
}

/** Highest orders of all evaluations of Stumpff functions, those in loops included. */
export function stumpffTops({ stumpff, loops }: OperationCounts): readonly number[] {
  return [...stumpff, ...loops.flatMap(({ row }) => stumpffTops(row))];
}

/** Counts of several programs together. */
export function addCounts(all: readonly OperationCounts[]): OperationCounts {
  const sum = (of: (counts: OperationCounts) => number): number => all.reduce((total, counts) => total + of(counts), 0);
  return {
    add: sum((c) => c.add),
    multiply: sum((c) => c.multiply),
    divide: sum((c) => c.divide),
    sqrt: sum((c) => c.sqrt),
    call: sum((c) => c.call),
    stumpff: all.flatMap((c) => c.stumpff),
    loops: all.flatMap((c) => c.loops),
  };
}
