/**
 * Names of values that are known earlier than the quantities that they are parts of, by their place in the sum: what of a
 * quantity is known with the rates (`force_x_from_rates`), or what stands before a factor (`force_x_per_shape3_z`).
 */
import { operandsOf, type Operation } from '../operations/operation.ts';
import { factorsName } from './product-names.ts';

/** Longer names say it no better. */
const LONGEST = 40;

/** By stage. */
const KNOWN_WITH = ['from_parameters', 'from_q', 'from_rates', 'from_motion'];

/**
 * @param operations operands first.
 * @param named names of quantities and of inputs.
 */
export function earlyNames(
  operations: readonly Operation[],
  named: (operation: Operation) => string | undefined,
): ReadonlyMap<Operation, string> {
  const names = new Map<Operation, string>();
  const nameOf = (operation: Operation): string | undefined => named(operation) ?? names.get(operation);
  const propose = (operation: Operation, name: string): void => {
    if (nameOf(operation) === undefined && name.length <= LONGEST) names.set(operation, name);
  };
  for (const quantity of [...operations].reverse()) {
    const name = quantity.kind === 'input' ? undefined : nameOf(quantity);
    if (name === undefined || isOfParts(name)) continue;
    for (const { operation, isNegative } of summands(quantity, nameOf)) {
      const signed = isNegative ? negated(name) : name;
      if (isEarly(operation, quantity)) propose(operation, `${signed}_${KNOWN_WITH[operation.stage]}`);
      const { unknown, known } = factorsOf(operation, nameOf);
      const isCoefficient = unknown.length === 1 && known.length > 0 && isEarly(unknown[0]!, quantity);
      if (isCoefficient) propose(unknown[0]!, `${signed}_per_${factorsName(known)}`);
    }
  }
  return names;
}

/**
 * Names of values in tables that have none: the nearest quantity that each is a part of.
 * @param named names of quantities.
 */
export function partNames(
  operations: readonly Operation[],
  inTables: readonly Operation[],
  named: (operation: Operation) => string | undefined,
): ReadonlyMap<Operation, string> {
  const part = new Map<Operation, string>();
  for (const user of [...operations].reverse()) {
    const name = named(user) ?? part.get(user);
    if (name === undefined) continue;
    // Of several the first: derivatives follow what they are derivatives of.
    for (const operand of operandsOf(user)) part.set(operand, name);
  }
  const wanted = inTables.filter((operation) => named(operation) === undefined && part.has(operation));
  return new Map(wanted.map((operation) => [operation, `${part.get(operation)!}_part`]));
}

const negated = (name: string): string => (name.startsWith('minus_') ? name.slice(6) : `minus_${name}`);

/** Parts of parts have no names. */
export const isOfParts = (name: string): boolean => /_(per|from|part)(_|$)/.test(name);

/** Is it a value of an earlier stage, and neither a number nor an input? */
function isEarly(operation: Operation, quantity: Operation): boolean {
  const isMade = !['number', 'input', 'negate', 'call', 'stumpff'].includes(operation.kind);
  return isMade && operation.stage < quantity.stage;
}

interface Summand {
  readonly operation: Operation;
  readonly isNegative: boolean;
}

/** What a quantity is the sum of; sums that are known early, or have a name, are one summand. */
function summands(quantity: Operation, nameOf: (operation: Operation) => string | undefined): Summand[] {
  const found: Summand[] = [];
  const pending: Summand[] = [{ operation: quantity, isNegative: false }];
  while (pending.length > 0) {
    const summand = pending.pop()!;
    const { operation, isNegative } = summand;
    const isOpen = operation === quantity || (!isEarly(operation, quantity) && nameOf(operation) === undefined);
    if (isOpen && (operation.kind === 'add' || operation.kind === 'subtract'))
      pending.push(
        { operation: operation.right, isNegative: isNegative !== (operation.kind === 'subtract') },
        { operation: operation.left, isNegative },
      );
    else if (isOpen && operation.kind === 'negate')
      pending.push({ operation: operation.operand, isNegative: !isNegative });
    else if (operation !== quantity) found.push(summand);
  }
  return found;
}

/** Of a product those with names, and those without; a number is without. */
function factorsOf(
  product: Operation,
  nameOf: (operation: Operation) => string | undefined,
): { readonly unknown: readonly Operation[]; readonly known: readonly string[] } {
  const unknown: Operation[] = [];
  const known: string[] = [];
  const pending = product.kind === 'multiply' ? [product.right, product.left] : [];
  while (pending.length > 0) {
    const factor = pending.pop()!;
    const name = nameOf(factor);
    if (name !== undefined) known.push(name);
    else if (factor.kind === 'multiply' && factor.stage === product.stage) pending.push(factor.right, factor.left);
    else unknown.push(factor);
  }
  return { unknown, known };
}
