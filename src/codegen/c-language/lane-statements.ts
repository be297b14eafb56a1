/**
 * Statements free of branches printed for lanes: as many numbers as fit a vector register, on the vector types of gcc and
 * clang, whose loop vectorisers give up on programs of this length. Other compilers get plain numbers.
 */
import { NAMED_CONSTANTS } from '../printing/branch-free.ts';
import { decimalText, printTree, type Target } from '../printing/print-arithmetic.ts';
import { treesOf, type Statement, type Tree } from '../programs/statement.ts';

/** Is the value of a tree a vector? */
export type IsLane = (tree: Tree) => boolean;

/** One of its parts is, and makes it one. @param isVector of names and loads. */
export function hasLane(tree: Tree, isVector: (leaf: Tree & { kind: 'name' | 'load' }) => boolean): boolean {
  return treesOf([{ kind: 'let', name: '', value: tree }]).some(
    (part) => (part.kind === 'name' || part.kind === 'load') && isVector(part),
  );
}

/**
 * A `select` chooses between values; stores go through `store`.
 * @param isLane a number standing alone is no vector yet; beside a vector the compilers repeat it.
 */
export function laneStatement(
  statement: Statement,
  target: Target,
  isLane: IsLane,
  store: (to: string, value: string) => string = (to, value) => `lanes_store(${to}, ${value});`,
): string {
  const valueText = (tree: Tree): string => laneText(tree, target, isLane);
  switch (statement.kind) {
    case 'let':
      return target.declare(statement.name, valueText(statement.value));
    case 'store':
      return store(target.write(statement.place), valueText(statement.value));
    case 'restore':
      return target.declare(statement.name, `lanes_load(${target.scratch(statement.index)})`);
    case 'save':
      return `lanes_store(${target.scratch(statement.index)}, ${statement.name});`;
    case 'select': {
      const { name, condition, thenValue, otherwiseValue } = statement;
      const values = [thenValue, otherwiseValue].map(valueText);
      return target.declare(name, `CHOOSE(${conditionText(condition, valueText)}, ${values.join(', ')})`);
    }
    case 'guard':
    case 'loop':
    case 'network':
    case 'sine-cosine':
    case 'stumpff':
      throw new Error(`${statement.kind} in a program that is to be free of branches`);
  }
}

function laneText(tree: Tree, target: Target, isLane: IsLane): string {
  const text = printTree(lifted(tree, target, isLane), target);
  return isLane(tree) ? text : `BROADCAST(${text})`;
}

/** Operators take a vector beside a number; functions of lanes take nothing but vectors. */
function lifted(tree: Tree, target: Target, isLane: IsLane): Tree {
  const operand = (own: Tree): Tree => lifted(own, target, isLane);
  const vector = (own: Tree): Tree =>
    isLane(own) ? operand(own) : { kind: 'name', name: laneText(own, target, isLane) };
  switch (tree.kind) {
    case 'add':
    case 'subtract':
    case 'multiply':
    case 'divide':
      return { ...tree, left: operand(tree.left), right: operand(tree.right) };
    case 'negate':
      return { ...tree, operand: operand(tree.operand) };
    case 'sqrt':
      return { ...tree, operand: vector(tree.operand) };
    case 'call':
      return { ...tree, operands: tree.operands.map(vector) };
    case 'compare':
    case 'load':
    case 'logic':
    case 'name':
    case 'number':
      return tree;
  }
}

function conditionText(tree: Tree, valueText: (tree: Tree) => string): string {
  if (tree.kind === 'compare') {
    const [left, right] = [tree.left, tree.right].map(valueText);
    return `(mask)((${left!}) ${tree.operator} (${right!}))`;
  }
  if (tree.kind !== 'logic') throw new Error(`${tree.kind} is not a condition`);
  const operands = tree.operands.map((operand) => conditionText(operand, valueText));
  return tree.operator === 'not'
    ? `NOT(${operands[0]!})`
    : `(${operands.join(tree.operator === 'and' ? ' & ' : ' | ')})`;
}

/** Spells calls and declarations for lanes. */
export function laneSpelling(target: Target): Target {
  return {
    ...target,
    declare: (name, value) => `const lanes ${name} = ${value};`,
    sqrt: (operand) => `lanes_sqrt(${operand})`,
    call: (name, operands) => `lanes_${name}(${operands.join(', ')})`,
  };
}

/** What the template of lanes needs: functions called for one lane after the other, and named constants. */
export function lanesData(
  statements: readonly Statement[],
  use: { readonly inLoops: boolean; readonly hasSums: boolean; readonly hasStores: boolean },
): object {
  const found = new Map<string, number>();
  let hasAngles = false;
  for (const tree of treesOf(statements)) {
    if (tree.kind === 'name' && tree.name === 'KG_ROUNDER') hasAngles = true;
    if (tree.kind === 'sqrt') found.set('sqrt', 1);
    if (tree.kind === 'call' && tree.name !== 'abs') found.set(tree.name, tree.operands.length);
  }
  return {
    ...use,
    hasAngles,
    laneFunctions: [...found]
      .map(([name, operands]) => ({ name, operands }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    constants: Object.entries(NAMED_CONSTANTS).map(([constant, value]) => ({
      name: constant,
      double: decimalText(value.double),
      single: decimalText(value.single),
    })),
  };
}
