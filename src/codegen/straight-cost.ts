/**
 * What expressions cost as generated straight-line code: by which `compileStraight` chooses between equivalent forms.
 */
import type { Expr, SymbolExpr } from '../symbolic/expr.ts';
import { OperationGraph } from './operation-graph.ts';
import { buildProgram, type Program, type Statement } from './program.ts';
import { stumpffOperations } from './stumpff-functions.ts';

/** Operations that are executed: additions, multiplications, divisions, roots and calls, and Stumpff functions below π². */
export function executedOperations({ counts, statements }: Program): number {
  const { add, multiply, divide, sqrt, call } = counts;
  return add + multiply + divide + sqrt + call + statements.reduce((total, s) => total + stumpffCost(s), 0);
}

function stumpffCost(statement: Statement): number {
  if (statement.kind === 'guard') return statement.statements.reduce((total, s) => total + stumpffCost(s), 0);
  if (statement.kind === 'select')
    return [...statement.then, ...statement.otherwise].reduce((total, s) => total + stumpffCost(s), 0);
  if (statement.kind !== 'stumpff') return 0;
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
  const source = {
    name: 'cost',
    reads: ['q'],
    writes: ['tau'],
    outputs: outputs.map((value, index) => ({ place: { buffer: 'tau', index }, value: graph.of(value) })),
    ready: new Map(),
  };
  return executedOperations(buildProgram(source, graph));
}
