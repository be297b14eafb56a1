/**
 * Operations as expressions inside statements, and the width that these take in a line.
 */
import type { Operation } from '../operations/operation.ts';
import type { Tree } from './statement.ts';

/** Must a statement compute it? */
export function isComputed(tree: Tree): boolean {
  return tree.kind !== 'name' && tree.kind !== 'load' && tree.kind !== 'number';
}

/** The operation over the expressions of its operands. */
export function treeOf(operation: Operation, of: (operand: Operation) => Tree): Tree {
  switch (operation.kind) {
    case 'add':
    case 'subtract':
    case 'multiply':
    case 'divide':
      return { kind: operation.kind, left: of(operation.left), right: of(operation.right) };
    case 'negate':
    case 'sqrt':
      return { kind: operation.kind, operand: of(operation.operand) };
    case 'call':
      return { kind: 'call', name: operation.name, operands: operation.operands.map(of) };
    case 'compare':
      return { kind: 'compare', operator: operation.operator, left: of(operation.left), right: of(operation.right) };
    case 'logic':
      return { kind: 'logic', operator: operation.operator, operands: operation.operands.map(of) };
    case 'array':
    case 'input':
    case 'number':
    case 'result':
    case 'select':
    case 'stumpff':
      throw new Error(`${operation.kind} is not an expression`);
  }
}

const widths = new WeakMap<Tree, number>();

/** Columns that a tree takes, roughly. */
export function treeWidth(tree: Tree): number {
  let width = widths.get(tree);
  if (width === undefined) {
    width = measure(tree);
    widths.set(tree, width);
  }
  return width;
}

function measure(tree: Tree): number {
  switch (tree.kind) {
    case 'name':
      return tree.name.length;
    case 'load':
      return tree.place.buffer.length + 4;
    case 'number':
      return String(tree.value).length + 9; // KG_REAL(…)
    case 'negate':
      return treeWidth(tree.operand) + 1;
    case 'sqrt':
      return treeWidth(tree.operand) + 11;
    case 'call':
    case 'logic':
      return tree.operands.reduce((total, o) => total + treeWidth(o) + 4, 8);
    case 'add':
    case 'compare':
    case 'divide':
    case 'multiply':
    case 'subtract':
      return treeWidth(tree.left) + treeWidth(tree.right) + 4;
  }
}
