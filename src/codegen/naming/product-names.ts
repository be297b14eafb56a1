/**
 * Names of products: by their factors (`mass_L_squared`, `L_q_times_2`), and of constants by parameters and by products of parameters
 * that have a name of their own (`mass_R_squared_over_4` of π ρ L R⁴ / 4).
 */
import type { Operation } from '../operations/operation.ts';

/** Longer names say it no better. */
const LONGEST = 30;
/** Factors that a name may have. */
const MOST_FACTORS = 4;
const POWERS = ['', '', '_squared', '_cubed'];

/** Undefined where a factor has no name, or there are many. */
export function productName(
  operation: Operation,
  nameOf: (factor: Operation) => string | undefined,
): string | undefined {
  if (operation.kind !== 'multiply') return undefined;
  const powers = new Map<string, number>();
  let coefficient = 1;
  const pending: Operation[] = [operation];
  while (pending.length > 0) {
    const factor = pending.pop()!;
    const name = factor === operation ? undefined : nameOf(factor);
    if (factor.kind === 'number') coefficient *= factor.value;
    else if (name?.includes('_per_')) return undefined;
    else if (name !== undefined) powers.set(name, (powers.get(name) ?? 0) + 1);
    else if (factor.kind === 'multiply') pending.push(factor.right, factor.left);
    else return undefined;
    if (powers.size > MOST_FACTORS) return undefined;
  }
  return monomialName({ coefficient, powers });
}

/** coefficient · Π factor ^ power, factors by name. */
interface Monomial {
  readonly coefficient: number;
  readonly powers: ReadonlyMap<string, number>;
}

function monomialName({ coefficient, powers }: Monomial): string | undefined {
  const scaled = coefficientName(coefficient);
  const above = [...powers].filter(([, power]) => power > 0).map(([name, power]) => powerName(name, power));
  const below = [...powers].filter(([, power]) => power < 0).map(([name, power]) => powerName(name, -power));
  if (scaled === undefined || above.length + below.length === 0) return undefined;
  const name = `${[...above, ...(below.length > 0 ? ['per', ...below] : [])].join('_')}${scaled}`;
  return name.length <= LONGEST ? name : undefined;
}

function powerName(name: string, power: number): string {
  return `${name}${POWERS[power] ?? `_to_${power}`}`;
}

/** `u_w_squared` of u, w, w. */
export function factorsName(factors: readonly string[]): string {
  const powers = new Map<string, number>();
  for (const name of factors) powers.set(name, (powers.get(name) ?? 0) + 1);
  return [...powers].map(([name, power]) => powerName(name, power)).join('_');
}

function coefficientName(value: number): string | undefined {
  if (value === 1) return '';
  const nearest = (n: number): number => (Math.abs(n - Math.round(n)) < 1e-12 * n ? Math.round(n) : NaN);
  const isSmall = (n: number): boolean => n > 1 && n < 1000;
  if (isSmall(nearest(value))) return `_times_${nearest(value)}`;
  return isSmall(nearest(1 / value)) ? `_over_${nearest(1 / value)}` : undefined;
}

/**
 * @param operations operands first.
 * @param named those that have a name already.
 * @param nameOf of inputs.
 * @returns names of constants that are products and have none.
 */
export function constantNames(
  operations: readonly Operation[],
  named: (operation: Operation) => string | undefined,
  nameOf: (input: Operation & { kind: 'input' }) => string | undefined,
): ReadonlyMap<Operation, string> {
  const monomials = new Map<Operation, Monomial>();
  const units: { readonly name: string; readonly monomial: Monomial }[] = [];
  for (const operation of operations) {
    const monomial = operation.stage === 0 ? monomialOf(operation, monomials, nameOf) : undefined;
    if (!monomial) continue;
    monomials.set(operation, monomial);
    const name = operation.kind === 'input' || operation.kind === 'number' ? undefined : named(operation);
    if (name !== undefined && monomialName(monomial) === undefined) units.push({ name, monomial });
  }
  const names = new Map<Operation, string>();
  for (const [operation, monomial] of monomials) {
    if (operation.kind === 'input' || operation.kind === 'number' || named(operation) !== undefined) continue;
    const candidates = [
      monomialName(monomial),
      ...units.map((unit) => monomialName(multiplied(monomial, inverse(unit.monomial), unit.name))),
    ].filter((name) => name !== undefined);
    const shortest = candidates.reduce<string | undefined>((a, b) => (a && a.length <= b.length ? a : b), undefined);
    if (shortest !== undefined) names.set(operation, shortest);
  }
  return names;
}

function monomialOf(
  operation: Operation,
  known: ReadonlyMap<Operation, Monomial>,
  nameOf: (input: Operation & { kind: 'input' }) => string | undefined,
): Monomial | undefined {
  if (operation.kind === 'number') return { coefficient: operation.value, powers: new Map() };
  if (operation.kind === 'input') {
    const name = nameOf(operation);
    return name === undefined ? undefined : { coefficient: 1, powers: new Map([[name, 1]]) };
  }
  if (operation.kind !== 'multiply' && operation.kind !== 'divide') return undefined;
  const [left, right] = [known.get(operation.left), known.get(operation.right)];
  if (!left || !right) return undefined;
  return multiplied(left, operation.kind === 'divide' ? inverse(right) : right);
}

function inverse({ coefficient, powers }: Monomial): Monomial {
  return { coefficient: 1 / coefficient, powers: new Map([...powers].map(([name, power]) => [name, -power])) };
}

/** @param first one more factor, in front. */
function multiplied(a: Monomial, b: Monomial, first?: string): Monomial {
  const powers = new Map(first === undefined ? a.powers : [[first, 1], ...a.powers]);
  for (const [name, power] of b.powers) powers.set(name, (powers.get(name) ?? 0) + power);
  for (const [name, power] of powers) if (power === 0) powers.delete(name);
  return { coefficient: a.coefficient * b.coefficient, powers };
}
