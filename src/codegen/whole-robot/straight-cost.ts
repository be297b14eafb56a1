/**
 * What expressions cost as generated straight-line code: by which `compileStraight` chooses between equivalent forms.
 */
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import { OperationGraph } from '../programs/operation-graph.ts';
import { operationsBelow, type Operation } from '../operations/operation.ts';
import type { Program } from '../programs/program.ts';
import { blocksOf, type Statement } from '../programs/statement.ts';
import { stumpffOperations } from '../printing/stumpff-functions.ts';
import type { OperationCounts } from '../operations/operation-counts.ts';

/**
 * Operations that are executed: additions, multiplications, divisions, roots and calls, and Stumpff functions below π²;
 * those of a loop once for every row.
 */
export function executedOperations({ counts, statements }: Pick<Program, 'counts' | 'statements'>): number {
  return countedOperations(counts) + statements.reduce((total, s) => total + stumpffCost(s), 0);
}

/**
 * Operations in which `closeLoops` of runtime/loops.ts finds the multipliers of independent rows; where rows depend on others fewer, of ropes
 * as many more as they are exchanged in rounds.
 */
export function closingOperations(rows: number, coordinates: number): number {
  let factors = 0;
  for (let step = 0; step < rows; step++) factors += 2 * step + 4 + (rows - step - 1) * (2 * step + 5);
  const scaled = coordinates * rows * (rows + 4);
  return scaled + factors + rows * (rows + 1) + 2 * rows * coordinates;
}

function countedOperations({ add, multiply, divide, sqrt, call, loops }: OperationCounts): number {
  const inLoops = loops.reduce((total, { rows, row }) => total + rows * countedOperations(row), 0);
  return add + multiply + divide + sqrt + call + inLoops;
}

function stumpffCost(statement: Statement): number {
  const times = statement.kind === 'loop' ? statement.rows : 1;
  if (statement.kind !== 'stumpff')
    return times * blocksOf(statement).reduce((total, b) => total + b.reduce((sum, s) => sum + stumpffCost(s), 0), 0);
  const { add, multiply } = stumpffOperations(statement.names.map((n) => n.order));
  return add + multiply;
}

/**
 * Executed operations of one function with these outputs.
 * @param inputs every symbol that may occur.
 * @param accuracy an estimate counts the operations before they are optimised.
 */
export function generatedCost(
  outputs: readonly Expr[],
  inputs: readonly SymbolExpr[],
  accuracy: 'estimate' | 'exact' = 'exact',
): number {
  const declarations = inputs.map((symbol, index) => ({ symbol, place: { buffer: 'q', index }, stage: 1 as const }));
  const graph = new OperationGraph(outputs, declarations, new Map(), accuracy === 'exact' ? 'quick' : 'none');
  const orders = new Map<Operation, number[]>();
  let total = 0;
  for (const operation of operationsBelow(outputs.map((value) => graph.of(value)))) {
    if (COUNTED.has(operation.kind)) total += 1;
    if (operation.kind !== 'stumpff') continue;
    const known = orders.get(operation.argument);
    if (known) known.push(operation.order);
    else orders.set(operation.argument, [operation.order]);
  }
  for (const wanted of orders.values()) {
    const { add, multiply } = stumpffOperations(wanted);
    total += add + multiply;
  }
  return total;
}

const COUNTED: ReadonlySet<Operation['kind']> = new Set(['add', 'subtract', 'multiply', 'divide', 'sqrt', 'call']);
