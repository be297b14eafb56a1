/**
 * Names for operations that the optimiser made: an operation that has the value of a quantity, wherever symbols stand, is
 * that quantity, whatever became of its formula. Values are compared at numbers without structure.
 *
 * Of quantities that are known late, their parts are quantities too: what is left of them without the inputs that come last
 * (`force_x_from_rates`), and what stands before each of these (`force_x_per_alpha_y`, `force_x_per_q_dot_squared`).
 */
import { stumpff, stumpffRoom } from '../../runtime/stumpff.ts';
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { Operation } from '../operations/operation.ts';
import { isSame, partsOfQuantities, POINTS, valuesOfSymbol, type NamedInput, type Values } from './quantity-parts.ts';

/** Names that are longer say it no better. */
const LONGEST = 40;

/**
 * @param operations operands first.
 * @param quantities expressions by name; the first name of a value is taken.
 * @param inputs in whose terms parts are named; without them quantities have no parts.
 */
export function namesByValue(
  operations: readonly Operation[],
  quantities: ReadonlyMap<Expr, string>,
  inputs: readonly NamedInput[],
): ReadonlyMap<Operation, string> {
  const named = new ValueTable();
  for (const { name, values } of partsOfQuantities(quantities, inputs)) named.add(name, values);
  const names = new Map<Operation, string>();
  for (const [operation, values] of valuesOfOperations(operations)) {
    const name = named.find(values);
    if (name !== undefined) names.set(operation, name);
  }
  return names;
}

/**
 * How operations stand to the expressions that they came from: 1, −1 for the opposite, 0 for another value, which has no right to the name.
 * @param operations operands first.
 */
export function signsOf(
  operations: readonly Operation[],
  origins: ReadonlyMap<Operation, Expr>,
): ReadonlyMap<Operation, -1 | 0 | 1> {
  const expressions = [...origins.values()];
  const columns = new Map(
    freeSymbols(expressions).map((own) => [own, Float64Array.from(valuesOfSymbol(own))] as const),
  );
  const wanted = evaluateRows(expressions, columns, new Map(), POINTS.length);
  const found = new Map(valuesOfOperations(operations));
  return new Map(
    [...origins.keys()].map((operation, i) => {
      const values = found.get(operation);
      const is = (sign: number): boolean => POINTS.every((at) => isSame(sign * values![at]!, wanted[i]![at]!));
      return [operation, values === undefined ? 1 : is(1) ? 1 : is(-1) ? -1 : 0];
    }),
  );
}

class ValueTable {
  private readonly entries = new Map<number, { readonly name: string; readonly values: Values }[]>();

  add(name: string, values: Values): void {
    const [first = 0, second = 0] = values;
    // Numbers are no quantities, nor is what vanishes or has no value.
    const isQuantity = values.every((v) => Number.isFinite(v) && Math.abs(v) > 1e-12) && !isSame(first, second);
    if (!isQuantity || name.length > LONGEST || this.find(values) !== undefined) return;
    const key = keyOf(first);
    this.entries.set(key, [...(this.entries.get(key) ?? []), { name, values }]);
  }

  find(values: Values): string | undefined {
    const key = keyOf(values[0]!);
    const near = [key, key - 1, key + 1].flatMap((k) => this.entries.get(k) ?? []);
    const same = near.find((entry) => entry.values.every((v, i) => isSame(values[i]!, v)));
    if (same) return same.name;
    const opposite = near.find((entry) => entry.values.every((v, i) => isSame(-values[i]!, v)));
    return opposite && `minus_${opposite.name}`;
  }
}

function keyOf(value: number): number {
  return Math.round(Math.log(Math.abs(value)) * 1e8);
}

// ---------------------------------------------------------------------------------------------- operations

function* valuesOfOperations(operations: readonly Operation[]): Iterable<readonly [Operation, Values]> {
  const values = new Map<Operation, Values>();
  for (const operation of operations) {
    const own = POINTS.map((at) => valueOf(operation, at, (o) => values.get(o)?.[at] ?? NaN));
    values.set(operation, own);
    const isMade = !['number', 'input', 'negate', 'call'].includes(operation.kind);
    if (isMade) yield [operation, own];
  }
}

function valueOf(operation: Operation, at: number, of: (operand: Operation) => number): number {
  switch (operation.kind) {
    case 'number':
      return operation.value;
    case 'input':
    case 'result':
      return valuesOfSymbol(operation.symbol)[at]!;
    case 'array':
      return NaN;
    case 'add':
      return of(operation.left) + of(operation.right);
    case 'subtract':
      return of(operation.left) - of(operation.right);
    case 'multiply':
      return of(operation.left) * of(operation.right);
    case 'divide':
      return of(operation.left) / of(operation.right);
    case 'negate':
      return -of(operation.operand);
    case 'sqrt':
      return Math.sqrt(of(operation.operand));
    case 'call': {
      const named: (...values: readonly number[]) => number = Math[operation.name];
      return named(...operation.operands.map(of));
    }
    case 'stumpff':
      return stumpffAt(of(operation.argument), operation.order);
    case 'select':
      return of(of(operation.condition) === 1 ? operation.then : operation.otherwise);
    case 'compare': {
      const [left, right] = [of(operation.left), of(operation.right)];
      return Number(
        operation.operator === '<' ? left < right : operation.operator === '<=' ? left <= right : left === right,
      );
    }
    case 'logic': {
      const truths = operation.operands.map((operand) => of(operand) === 1);
      if (operation.operator === 'not') return Number(!truths[0]);
      return Number(operation.operator === 'and' ? truths.every(Boolean) : truths.some(Boolean));
    }
  }
}

function stumpffAt(x: number, order: number): number {
  const top = Math.max(2, order);
  const values = new Float64Array(stumpffRoom(top));
  stumpff(x, top, values);
  return values[order]!;
}
