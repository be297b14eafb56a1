/** A plain interpreter of programs: the referee between expressions and printed code. */
import { integrateRows } from '../../src/kane/loops/integrate-rows.ts';
import type { Place } from '../../src/codegen/operations/operation.ts';
import type { Program } from '../../src/codegen/programs/program.ts';
import type { LoopStatement, Statement, Tree } from '../../src/codegen/programs/statement.ts';
import { evaluateCall } from '../network/evaluate-network.ts';
import { stumpff } from '../../src/runtime/stumpff.ts';

export type Buffers = Readonly<Record<string, Float64Array>>;

/** Runs a program on buffers; statements in order, each operation rounded to double. A missing buffer is left out. */
export function interpret(program: Program, buffers: Buffers): void {
  const values = new Map<string, number>();
  const read = ({ buffer, index }: Place): number => buffers[buffer]![index]!;
  for (const load of program.loads) values.set(load.name, read(load.place));
  run(program.statements, buffers, values);
}

function run(statements: readonly Statement[], buffers: Buffers, values: Map<string, number>): void {
  const value = (tree: Tree): number => evaluateTree(tree, buffers, values);
  for (const statement of statements) {
    if (statement.kind === 'let') values.set(statement.name, value(statement.value));
    else if (statement.kind === 'store')
      buffers[statement.place.buffer]![statement.place.index] = value(statement.value);
    else if (statement.kind === 'stumpff') {
      const out = new Float64Array(statement.top + 1);
      stumpff(value(statement.argument), statement.top, out);
      for (const { order, name } of statement.names) values.set(name, out[order]!);
    } else if (statement.kind === 'sine-cosine') {
      const angle = value(statement.argument);
      for (const { of, name } of statement.names) values.set(name, Math[of](angle));
    } else if (statement.kind === 'guard') {
      if (buffers[statement.buffer]) run(statement.statements, buffers, values);
    } else if (statement.kind === 'network') {
      const results = evaluateCall(statement.call, statement.operands.map(value));
      for (const { index, name } of statement.names) values.set(name, results[index]!);
    } else if (statement.kind === 'loop') {
      runLoop(statement, buffers, values);
    } else if (statement.kind === 'select') {
      const isTrue = truth(statement.condition, buffers, values);
      run(isTrue ? statement.then : statement.otherwise, buffers, values);
      values.set(statement.name, value(isTrue ? statement.thenValue : statement.otherwiseValue));
    }
  }
}

function runLoop(loop: LoopStatement, buffers: Buffers, values: Map<string, number>): void {
  const value = (tree: Tree): number => evaluateTree(tree, buffers, values);
  for (const { name, initial } of loop.carried) values.set(name, value(initial));
  for (const { name } of loop.sums) values.set(name, 0);
  for (let step = 0; step < loop.rows; step++) {
    const row = loop.reversed ? loop.rows - 1 - step : step;
    for (const { name, place } of loop.columns) values.set(name, buffers[place.buffer]![place.index + row]!);
    run(loop.statements, buffers, values);
    const next = loop.carried.map((c) => value(c.next));
    for (const { place, value: tree } of loop.writes) buffers[place.buffer]![place.index + row] = value(tree);
    for (const { name, term } of loop.sums) values.set(name, values.get(name)! + value(term));
    loop.carried.forEach(({ name }, i) => values.set(name, next[i]!));
  }
  for (const { place, columns, table, direction } of loop.integrals)
    for (let column = 0; column < columns; column++) {
      const first = place.index + column * table.rows;
      integrateRows(buffers[place.buffer]!.subarray(first, first + table.rows), table, direction);
    }
}

function truth(tree: Tree, buffers: Buffers, values: ReadonlyMap<string, number>): boolean {
  if (tree.kind === 'compare') {
    const [left, right] = [evaluateTree(tree.left, buffers, values), evaluateTree(tree.right, buffers, values)];
    return tree.operator === '<' ? left < right : tree.operator === '<=' ? left <= right : left === right;
  }
  if (tree.kind !== 'logic') throw new Error(`${tree.kind} is not a condition`);
  const operands = tree.operands.map((operand) => truth(operand, buffers, values));
  if (tree.operator === 'not') return !operands[0];
  return tree.operator === 'and' ? operands.every(Boolean) : operands.some(Boolean);
}

function evaluateTree(tree: Tree, buffers: Buffers, values: ReadonlyMap<string, number>): number {
  const of = (operand: Tree): number => evaluateTree(operand, buffers, values);
  switch (tree.kind) {
    case 'name': {
      const value = values.get(tree.name);
      if (value === undefined) throw new Error(`${tree.name} is used before it is computed`);
      return value;
    }
    case 'load':
      return buffers[tree.place.buffer]![tree.place.index]!;
    case 'number':
      return tree.value;
    case 'add':
      return of(tree.left) + of(tree.right);
    case 'subtract':
      return of(tree.left) - of(tree.right);
    case 'multiply':
      return of(tree.left) * of(tree.right);
    case 'divide':
      return of(tree.left) / of(tree.right);
    case 'negate':
      return -of(tree.operand);
    case 'sqrt':
      return Math.sqrt(of(tree.operand));
    case 'call':
      return (Math as unknown as Record<string, (...operands: number[]) => number>)[tree.name]!(
        ...tree.operands.map(of),
      );
    case 'compare':
    case 'logic':
      throw new Error(`${tree.kind} has no numeric value`);
  }
}
