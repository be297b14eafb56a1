/**
 * Binary operations: what expressions are lowered to, in the shape that processors execute.
 */
import {
  call,
  compare,
  divide,
  logic,
  minus,
  negate,
  plus,
  select,
  sqrt,
  stumpff,
  times,
  type Comparison,
  type Expr,
  type FunctionName,
} from '../../symbolic/graph/expr.ts';
import type { Loop, RowArray } from '../../kane/loops/loop.ts';
import type { NetworkCall } from '../../kane/loops/network-call.ts';

/**
 * When a value becomes known: 0 parameters, 1 coordinates, 2 rates and the parent's velocity, 3 the rest of a motion, 4 a
 * direction in which it changes; 5 within the rows of a loop.
 */
export type Stage = 0 | 1 | 2 | 3 | 4 | 5;
export const STAGES: readonly Stage[] = [0, 1, 2, 3, 4, 5];
export const ROW_STAGE = 5;

/** One number of a buffer that a function reads or writes. */
export interface Place {
  readonly buffer: string;
  readonly index: number;
}

interface Node {
  /** Position in the graph: operands before users, the same for the same expressions in every process. */
  readonly id: number;
  readonly stage: Stage;
}
interface NumberOperation extends Node {
  readonly kind: 'number';
  /** Exact and positive; `value` is its nearest double. */
  readonly exact: Expr;
  readonly value: number;
}
interface InputOperation extends Node {
  readonly kind: 'input';
  readonly place: Place;
  readonly symbol: Expr;
}
export type BinaryKind = 'add' | 'subtract' | 'multiply' | 'divide';
interface BinaryOperation extends Node {
  readonly kind: BinaryKind;
  readonly left: Operation;
  readonly right: Operation;
}
interface UnaryOperation extends Node {
  readonly kind: 'negate' | 'sqrt';
  readonly operand: Operation;
}
interface CallOperation extends Node {
  readonly kind: 'call';
  readonly name: FunctionName;
  readonly operands: readonly Operation[];
}
interface StumpffOperation extends Node {
  readonly kind: 'stumpff';
  readonly order: number;
  readonly argument: Operation;
}
interface SelectOperation extends Node {
  readonly kind: 'select';
  readonly condition: Operation;
  readonly then: Operation;
  readonly otherwise: Operation;
}
interface CompareOperation extends Node {
  readonly kind: 'compare';
  readonly operator: Comparison;
  readonly left: Operation;
  readonly right: Operation;
}
interface LogicOperation extends Node {
  readonly kind: 'logic';
  readonly operator: 'and' | 'or' | 'not';
  readonly operands: readonly Operation[];
}
/** What a loop or a learned map leaves: a number by index, or an array with a number per row and column. */
interface ResultOperation extends Node {
  readonly kind: 'result';
  readonly symbol: Expr;
  readonly source: ResultSource;
  readonly index: number;
}
export interface ArrayOperation extends Node {
  readonly kind: 'array';
  readonly source: LoopSource;
  readonly array: RowArray;
}
/** A loop with its expressions lowered. The operations are set once all of them are known. */
export interface LoopSource {
  readonly kind: 'loop';
  readonly loop: Loop;
  /** In the order of `loopExpressions`. */
  values: readonly Operation[];
  /** Arrays that the loop reads and that are not buffers. */
  arrays: readonly ArrayOperation[];
  /** Operations below `values` that are the same in every row, and the arrays: what must be known before. */
  outer: readonly Operation[];
}
/** A learned map, evaluated within the rows of a loop. */
export interface NetworkSource {
  readonly kind: 'network';
  readonly call: NetworkCall;
  /** Inputs, then directions one after the other. */
  outer: readonly Operation[];
}
export type ResultSource = LoopSource | NetworkSource;
export type Operation =
  | NumberOperation
  | InputOperation
  | BinaryOperation
  | UnaryOperation
  | CallOperation
  | StumpffOperation
  | SelectOperation
  | CompareOperation
  | LogicOperation
  | ResultOperation
  | ArrayOperation;

export function operandsOf(operation: Operation): readonly Operation[] {
  switch (operation.kind) {
    case 'number':
    case 'input':
      return [];
    case 'add':
    case 'subtract':
    case 'multiply':
    case 'divide':
    case 'compare':
      return [operation.left, operation.right];
    case 'negate':
    case 'sqrt':
      return [operation.operand];
    case 'call':
    case 'logic':
      return operation.operands;
    case 'stumpff':
      return [operation.argument];
    case 'select':
      return [operation.condition, operation.then, operation.otherwise];
    case 'result':
    case 'array':
      return operation.source.outer;
  }
}

/** Where an input symbol stands and when it is known. */
export interface InputDeclaration {
  readonly symbol: Expr;
  readonly place: Place;
  readonly stage: Stage;
}

/**
 * Operations below `roots`, operands first; `stop` marks operations that are found ready and not entered. Of a loop, what
 * must be known before it.
 */
export function operationsBelow(
  roots: readonly Operation[],
  stop: (operation: Operation) => boolean = () => false,
  operandsFor: (operation: Operation) => readonly Operation[] = operandsOf,
): Operation[] {
  const order: Operation[] = [];
  const seen = new Set<Operation>();
  const placed = new Set<Operation>();
  for (const root of roots) {
    const stack = [root];
    while (stack.length > 0) {
      const operation = stack[stack.length - 1]!;
      if (!seen.has(operation)) {
        seen.add(operation);
        if (!stop(operation)) {
          const operands = operandsFor(operation);
          for (let i = operands.length - 1; i >= 0; i--) if (!seen.has(operands[i]!)) stack.push(operands[i]!);
        }
        continue;
      }
      stack.pop();
      if (placed.has(operation)) continue;
      placed.add(operation);
      order.push(operation);
    }
  }
  return order;
}

/** The operations as exact expressions again, over inputs and results of loops, for folding them with many digits. */
export function expressionsOf(roots: readonly Operation[]): Expr[] {
  const expressions = new Map<Operation, Expr>();
  const of = (operation: Operation): Expr => expressions.get(operation)!;
  const isResult = (operation: Operation): boolean => operation.kind === 'result';
  for (const operation of operationsBelow(roots, isResult)) expressions.set(operation, expressionOf(operation, of));
  return roots.map(of);
}

/** @param of the expressions of its operands. */
export function expressionOf(operation: Operation, of: (operand: Operation) => Expr): Expr {
  switch (operation.kind) {
    case 'number':
      return operation.exact;
    case 'input':
    case 'result':
      return operation.symbol;
    case 'array':
      throw new Error('an array is not an expression');
    case 'add':
      return plus(of(operation.left), of(operation.right));
    case 'subtract':
      return minus(of(operation.left), of(operation.right));
    case 'multiply':
      return times(of(operation.left), of(operation.right));
    case 'divide':
      return divide(of(operation.left), of(operation.right));
    case 'negate':
      return negate(of(operation.operand));
    case 'sqrt':
      return sqrt(of(operation.operand));
    case 'call':
      return call(operation.name, ...operation.operands.map(of));
    case 'stumpff':
      return stumpff(operation.order, of(operation.argument));
    case 'select':
      return select(of(operation.condition), of(operation.then), of(operation.otherwise));
    case 'compare':
      return compare(operation.operator, of(operation.left), of(operation.right));
    case 'logic':
      return logic(operation.operator, ...operation.operands.map(of));
  }
}
