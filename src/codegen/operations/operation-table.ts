/**
 * Hash-consed operations: equal operations are the same object. Made only here. What is known of numbers alone is a number,
 * whatever the operation: passes of the optimiser may leave constants anywhere, and nobody behind this place expects them.
 */
import type { RowArray } from '../../kane/loops/loop.ts';
import { minus, negate, one, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { literalValue } from './literal.ts';
import {
  expressionOf,
  operandsOf,
  type ArrayOperation,
  type InputDeclaration,
  type LoopSource,
  type Operation,
  type ResultSource,
  type Stage,
} from './operation.ts';

/** ± an operation that is not itself a negation. */
export interface Signed {
  readonly negative: boolean;
  readonly operation: Operation;
}

type Fields<T> = T extends Operation ? Omit<T, 'id' | 'stage'> : never;

export class OperationTable {
  private readonly interned = new Map<string, Operation>();

  node(fields: Fields<Operation>): Operation {
    const operands = operandsOf(fields as Operation);
    const known = this.folded(fields as Operation, operands);
    if (known) return known;
    const stage = Math.max(0, ...operands.map((o) => o.stage)) as Stage;
    const detail =
      'name' in fields ? fields.name : 'order' in fields ? fields.order : 'operator' in fields ? fields.operator : '';
    return this.intern(`${fields.kind}${detail}(${operands.map((o) => o.id).join(',')})`, stage, fields);
  }

  /** What an operation comes to; undefined of one that depends on more than numbers, or has no finite value. */
  private folded(operation: Operation, operands: readonly Operation[]): Operation | undefined {
    const { kind } = operation;
    if (kind === 'select') {
      const holds = truthOf(operation.condition);
      return holds === undefined ? undefined : holds ? operation.then : operation.otherwise;
    }
    if (kind === 'negate' || kind === 'compare' || kind === 'logic') return undefined;
    if (operands.length === 0 || !operands.every((o) => exactOf(o) !== undefined)) return undefined;
    const below = kind === 'divide' ? operation.right : kind === 'call' && operation.name === 'pow' && operands[0];
    if (below && below.kind === 'number' && below.value === 0) return undefined;
    const exact = expressionOf(operation, (o) => exactOf(o)!);
    return Number.isFinite(foldConstant(exact)) ? this.signed(this.constant(exact)) : undefined;
  }

  input({ symbol, place, stage }: InputDeclaration): Operation {
    return this.intern(`i${place.buffer}[${place.index}]`, stage, { kind: 'input', place, symbol });
  }

  /** What a loop or a learned map leaves under a symbol. */
  result(symbol: SymbolExpr, source: ResultSource, index: number, stage: Stage): Operation {
    return this.intern(`r${symbol.name}`, stage, { kind: 'result', symbol, source, index });
  }

  array(array: RowArray, source: LoopSource): ArrayOperation {
    const key = `a${array.name}`;
    return this.intern(key, source.loop.stage, { kind: 'array', array, source }) as ArrayOperation;
  }

  /** An exact constant as ± a literal. */
  constant(exact: Expr): Signed {
    const value = literalValue(exact);
    if (value < 0) return { ...this.constant(negate(exact)), negative: true };
    return { negative: false, operation: this.intern(`n${value}`, 0, { kind: 'number', exact, value }) };
  }

  one(): Operation {
    return this.constant(one).operation;
  }

  /** The operation whose value that is. */
  signed({ negative, operation }: Signed): Operation {
    return negative ? this.node({ kind: 'negate', operand: operation }) : operation;
  }

  splitSign(operation: Operation): Signed {
    return operation.kind === 'negate'
      ? { negative: true, operation: operation.operand }
      : { negative: false, operation };
  }

  add(a: Signed, b: Signed): Signed {
    if (a.negative === b.negative)
      return { negative: a.negative, operation: this.node({ kind: 'add', left: a.operation, right: b.operation }) };
    const [positive, negative] = a.negative ? [b, a] : [a, b];
    const difference = this.node({ kind: 'subtract', left: positive.operation, right: negative.operation });
    return this.splitSign(difference);
  }

  multiply(left: Operation, right: Operation): Operation {
    if (isOne(left) || isOne(right)) return isOne(left) ? right : left;
    return this.node({ kind: 'multiply', left, right });
  }

  divide(left: Operation, right: Operation): Operation {
    return this.node({ kind: 'divide', left, right });
  }

  private intern(key: string, stage: Stage, fields: Fields<Operation>): Operation {
    const found = this.interned.get(key);
    if (found) return found;
    const operation = { ...fields, id: this.interned.size, stage } as Operation;
    this.interned.set(key, operation);
    return operation;
  }
}

function isOne(operation: Operation): boolean {
  return operation.kind === 'number' && operation.value === 1;
}

/** ± a number exactly, undefined of everything else. */
function exactOf(operation: Operation): Expr | undefined {
  if (operation.kind === 'number') return operation.exact;
  const isNegative = operation.kind === 'negate' && operation.operand.kind === 'number';
  return isNegative ? negate(exactOf(operation.operand)!) : undefined;
}

/** Whether a condition on numbers alone holds. */
function truthOf(condition: Operation): boolean | undefined {
  if (condition.kind === 'compare') {
    const [left, right] = [condition.left, condition.right].map(exactOf);
    if (!left || !right) return undefined;
    const difference = foldConstant(minus(left, right));
    return condition.operator === '<'
      ? difference < 0
      : condition.operator === '<='
        ? difference <= 0
        : difference === 0;
  }
  if (condition.kind !== 'logic') return undefined;
  const truths = condition.operands.map(truthOf);
  if (condition.operator === 'not') return truths[0] === undefined ? undefined : !truths[0];
  const dominant = condition.operator === 'or';
  if (truths.includes(dominant)) return dominant;
  return truths.includes(undefined) ? undefined : !dominant;
}
