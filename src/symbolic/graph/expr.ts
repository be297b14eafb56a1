/**
 * The scalar expression DAG: hash-consed nodes, made only by the constructors below, which keep them in a canonical
 * local form. Equal structure is the same object, so common subexpressions are shared by construction.
 *
 * Canonical form: rational constants folded; products flat, with merged powers and one rational coefficient; sums with
 * merged like terms, the sign of the first term positive, and not flattened into each other (the sharing of partial
 * sums is worth more than a normal form: `expand` gives that on demand). Operands are ordered by structure, never by
 * time of creation, so that output does not depend on what was compiled before.
 */
import { tick } from '../../common/work-limit.ts';
import { HALF, MINUS_ONE, ONE, Rational, ZERO, ratio } from './rational.ts';

export type FunctionName =
  | 'sin'
  | 'cos'
  | 'tan'
  | 'asin'
  | 'acos'
  | 'atan'
  | 'atan2'
  | 'sinh'
  | 'cosh'
  | 'tanh'
  | 'exp'
  | 'log'
  | 'pow'
  | 'abs'
  | 'sign';

interface NodeBase {
  /** Order of creation; children always have smaller ids than their parents. Never used to order output. */
  readonly id: number;
  /** Hash of the structure, the same in every process. */
  readonly hash: number;
  /** Number of nodes of the expression as a tree, saturated: the first ordering criterion. */
  readonly size: number;
}

interface RationalExpr extends NodeBase {
  readonly kind: 'rational';
  readonly value: Rational;
}
interface ConstantExpr extends NodeBase {
  readonly kind: 'constant';
  readonly name: 'pi';
}
export interface SymbolExpr extends NodeBase {
  readonly kind: 'symbol';
  readonly name: string;
}
export interface SumTerm {
  readonly coefficient: Rational;
  readonly term: Expr;
}
/** constant + Σ coefficient·term */
export interface SumExpr extends NodeBase {
  readonly kind: 'sum';
  readonly constant: Rational;
  readonly terms: readonly SumTerm[];
}
export interface Factor {
  readonly base: Expr;
  readonly exponent: Rational;
}
/** coefficient · Π base^exponent */
export interface ProductExpr extends NodeBase {
  readonly kind: 'product';
  readonly coefficient: Rational;
  readonly factors: readonly Factor[];
}
export interface CallExpr extends NodeBase {
  readonly kind: 'call';
  readonly name: FunctionName;
  readonly arguments: readonly Expr[];
}
/** c_order(argument) = Σ_j (−argument)^j / (order + 2j)! */
interface StumpffExpr extends NodeBase {
  readonly kind: 'stumpff';
  readonly order: number;
  readonly argument: Expr;
}
/** `then` where the condition holds, else `otherwise`; the branch not taken is neither evaluated nor differentiated. */
interface SelectExpr extends NodeBase {
  readonly kind: 'select';
  readonly condition: Expr;
  readonly then: Expr;
  readonly otherwise: Expr;
}
export type Comparison = '<' | '<=' | '==';
/** A condition: only ever the first operand of a select, or an operand of another condition. */
export interface CompareExpr extends NodeBase {
  readonly kind: 'compare';
  readonly operator: Comparison;
  readonly left: Expr;
  readonly right: Expr;
}
export interface LogicExpr extends NodeBase {
  readonly kind: 'logic';
  readonly operator: 'and' | 'or' | 'not';
  readonly operands: readonly Expr[];
}

export type Expr =
  | RationalExpr
  | ConstantExpr
  | SymbolExpr
  | SumExpr
  | ProductExpr
  | CallExpr
  | StumpffExpr
  | SelectExpr
  | CompareExpr
  | LogicExpr;

// ---------------------------------------------------------------------------------------------- interning

/** The youngest nodes, and those before them as long as somebody has them. */
let young = new Map<string, Expr>();
let old = new Map<string, WeakRef<Expr>>();
const MOST_YOUNG = 131_072;
let nextId = 0;

/** The young become old ones; what nobody has any more is forgotten. */
function grow(): void {
  old = new Map([...old].filter(([, known]) => known.deref() !== undefined));
  for (const [identity, node] of young) old.set(identity, new WeakRef(node));
  young = new Map();
}

function hashText(text: string): number {
  // Two multiplicative 32-bit hashes side by side, 53 bits kept.
  let h1 = 0x9e3779b1 ^ text.length;
  let h2 = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return 4294967296 * (2097151 & h2) + (h1 >>> 0);
}

function internedAs(identity: string): Expr | undefined {
  const found = young.get(identity);
  if (found || old.size === 0) return found;
  const again = old.get(identity)?.deref();
  if (again) young.set(identity, again);
  return again;
}

type Fields<T> = Omit<T, keyof NodeBase>;
type NodeFields = Expr extends infer T ? (T extends Expr ? Fields<T> : never) : never;

function intern(identity: string, structure: string, size: number, fields: NodeFields): Expr {
  const found = internedAs(identity);
  if (found) return found;
  tick();
  const node = { ...fields, id: nextId++, hash: hashText(structure), size: Math.min(size, 1e15) } as Expr;
  young.set(identity, node);
  if (young.size > MOST_YOUNG) grow();
  return node;
}

/** Nodes made in this process. */
export function internedCount(): number {
  return nextId;
}

const RANK: Record<Expr['kind'], number> = {
  rational: 0,
  constant: 1,
  symbol: 2,
  stumpff: 3,
  call: 4,
  product: 5,
  sum: 6,
  select: 7,
  compare: 8,
  logic: 9,
};

/** Total order on structure: the same for the same formulas in every process. */
function compareStructure(a: Expr, b: Expr): number {
  if (a === b) return 0;
  if (a.kind !== b.kind) return RANK[a.kind] - RANK[b.kind];
  if (a.kind === 'symbol' && b.kind === 'symbol') return compareNames(a.name, b.name);
  if (a.kind === 'rational' && b.kind === 'rational') return Rational.compare(a.value, b.value);
  if (a.kind === 'stumpff' && b.kind === 'stumpff' && a.order !== b.order) return a.order - b.order;
  if (a.size !== b.size) return a.size - b.size;
  if (a.hash !== b.hash) return a.hash - b.hash;
  return compareColliding(a, b);
}

/** Names in natural order: q2 before q10. */
function compareNames(a: string, b: string): number {
  const left = a.split(/(\d+)/);
  const right = b.split(/(\d+)/);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] === right[i]) continue;
    if (i % 2 === 1) {
      const difference = Number(left[i]) - Number(right[i]);
      if (difference !== 0) return difference;
    }
    return left[i]! < right[i]! ? -1 : 1;
  }
  return left.length - right.length;
}

/** Two different nodes of one kind, size and hash (next to impossible): decide by their operands. */
function compareColliding(a: Expr, b: Expr): number {
  const left = children(a);
  const right = children(b);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareStructure(left[i]!, right[i]!);
    if (order !== 0) return order;
  }
  const leftText = describeShallow(a);
  const rightText = describeShallow(b);
  return left.length - right.length || (leftText < rightText ? -1 : 1);
}

function describeShallow(e: Expr): string {
  if (e.kind === 'sum')
    return e.terms.map((t) => Rational.toString(t.coefficient)).join(' ') + Rational.toString(e.constant);
  if (e.kind === 'product')
    return e.factors.map((f) => Rational.toString(f.exponent)).join(' ') + Rational.toString(e.coefficient);
  if (e.kind === 'call') return e.name;
  if (e.kind === 'compare' || e.kind === 'logic') return e.operator;
  return e.kind;
}

/** The operands of a node, in canonical order. */
export function children(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'rational':
    case 'constant':
    case 'symbol':
      return [];
    case 'sum':
      return e.terms.map((t) => t.term);
    case 'product':
      return e.factors.map((f) => f.base);
    case 'call':
      return e.arguments;
    case 'stumpff':
      return [e.argument];
    case 'select':
      return [e.condition, e.then, e.otherwise];
    case 'compare':
      return [e.left, e.right];
    case 'logic':
      return e.operands;
  }
}

// ---------------------------------------------------------------------------------------------- leaves

export function rational(value: Rational): Expr {
  const text = `r${Rational.toString(value)}`;
  return intern(text, text, 1, { kind: 'rational', value });
}

export function integer(value: number | bigint): Expr {
  return rational(ratio(value));
}

/** numerator/denominator as an exact constant. */
export function fraction(numerator: number | bigint, denominator: number | bigint): Expr {
  return rational(ratio(numerator, denominator));
}

export const zero = integer(0);
export const one = integer(1);
export const minusOne = integer(-1);
export const half = fraction(1, 2);
export const pi: Expr = intern('pi', 'pi', 1, { kind: 'constant', name: 'pi' });

/** A free symbol. Names are scoped by a prefix (`body.q1`, `robot.L0`); the same name is the same symbol. */
export function symbol(name: string): SymbolExpr {
  return intern(`s${name}`, `s${name}`, 1, { kind: 'symbol', name }) as SymbolExpr;
}

/** `stem_0`, `stem_1`, … */
export const symbols = (stem: string, count: number): readonly SymbolExpr[] =>
  Array.from({ length: count }, (_, i) => symbol(`${stem}_${i}`));

/** A double as an exact constant, through its shortest decimal (0.1 becomes 1/10). */
export function decimal(value: number): Expr {
  return rational(Rational.fromNumber(value));
}

export function isZero(e: Expr): boolean {
  return e === zero;
}

// ---------------------------------------------------------------------------------------------- sums

/** e as coefficient · term with a term of coefficient 1. */
export function splitCoefficient(e: Expr): SumTerm {
  if (e.kind === 'product' && !Rational.isOne(e.coefficient))
    return { coefficient: e.coefficient, term: makeProduct(ONE, e.factors) };
  return { coefficient: ONE, term: e };
}

/** Σ operands, like terms merged. Nested sums stay shared nodes. */
export function plus(...operands: readonly Expr[]): Expr {
  let constant = ZERO;
  const merged = new Map<Expr, Rational>();
  for (const operand of operands) {
    if (operand.kind === 'rational') {
      constant = Rational.add(constant, operand.value);
      continue;
    }
    const { coefficient, term } = splitCoefficient(operand);
    const before = merged.get(term);
    merged.set(term, before ? Rational.add(before, coefficient) : coefficient);
  }
  return makeSum(constant, merged);
}

/** constant + Σ coefficient·term for terms that are not rational and carry no coefficient of their own. */
function makeSum(constant: Rational, merged: ReadonlyMap<Expr, Rational>): Expr {
  const terms: SumTerm[] = [];
  for (const [term, coefficient] of merged) if (!Rational.isZero(coefficient)) terms.push({ coefficient, term });
  if (terms.length === 0) return rational(constant);
  if (terms.length === 1 && Rational.isZero(constant)) return scale(terms[0]!.coefficient, terms[0]!.term);
  if (terms.length === 1 && terms[0]!.term.kind === 'sum') {
    // constant + k·(constant' + …): merge the constants, the partial sum has no other use worth keeping.
    const { coefficient, term } = terms[0]! as { coefficient: Rational; term: SumExpr };
    if (!Rational.isZero(term.constant)) {
      const flattened = new Map(term.terms.map((t) => [t.term, Rational.multiply(coefficient, t.coefficient)]));
      return makeSum(Rational.add(constant, Rational.multiply(coefficient, term.constant)), flattened);
    }
  }
  terms.sort((a, b) => compareStructure(a.term, b.term));
  if (Rational.isNegative(terms[0]!.coefficient)) {
    const flipped = terms.map((t) => ({ coefficient: Rational.negate(t.coefficient), term: t.term }));
    return scale(MINUS_ONE, internSum(Rational.negate(constant), flipped));
  }
  return internSum(constant, terms);
}

function internSum(constant: Rational, terms: readonly SumTerm[]): Expr {
  const head = `+${Rational.toString(constant)}`;
  const identity = head + terms.map((t) => `,${Rational.toString(t.coefficient)}*${t.term.id}`).join('');
  const found = internedAs(identity);
  if (found) return found;
  const structure = head + terms.map((t) => `,${Rational.toString(t.coefficient)}*${t.term.hash}`).join('');
  const size = terms.reduce((total, t) => total + t.term.size, 1);
  return intern(identity, structure, size, { kind: 'sum', constant, terms });
}

export function negate(e: Expr): Expr {
  return scale(MINUS_ONE, e);
}

export function minus(a: Expr, b: Expr): Expr {
  return plus(a, negate(b));
}

// ---------------------------------------------------------------------------------------------- products

/** coefficient · e */
export function scale(coefficient: Rational, e: Expr): Expr {
  if (Rational.isZero(coefficient)) return zero;
  if (e.kind === 'rational') return rational(Rational.multiply(coefficient, e.value));
  if (e.kind === 'product') return makeProduct(Rational.multiply(coefficient, e.coefficient), e.factors);
  return makeProduct(coefficient, [{ base: e, exponent: ONE }]);
}

/** Π operands, flat, with the powers of equal bases merged. */
export function times(...operands: readonly Expr[]): Expr {
  let coefficient = ONE;
  const exponents = new Map<Expr, Rational>();
  const pending: Factor[] = operands.map((base) => ({ base, exponent: ONE }));
  while (pending.length > 0) {
    const { base, exponent } = pending.pop()!;
    if (base.kind === 'rational') {
      if (Rational.isInteger(exponent)) {
        if (Rational.isZero(base.value) && !Rational.isNegative(exponent)) return zero;
        coefficient = Rational.multiply(coefficient, Rational.power(base.value, exponent.numerator));
        continue;
      }
    } else if (base.kind === 'product' && Rational.isInteger(exponent)) {
      coefficient = Rational.multiply(coefficient, Rational.power(base.coefficient, exponent.numerator));
      for (const f of base.factors) pending.push({ base: f.base, exponent: Rational.multiply(f.exponent, exponent) });
      continue;
    }
    const before = exponents.get(base);
    const merged = before ? Rational.add(before, exponent) : exponent;
    if (before && Rational.isInteger(merged) && (base.kind === 'product' || base.kind === 'rational')) {
      exponents.delete(base);
      pending.push({ base, exponent: merged });
    } else exponents.set(base, merged);
  }
  const factors: Factor[] = [];
  for (const [base, exponent] of exponents) if (!Rational.isZero(exponent)) factors.push({ base, exponent });
  factors.sort((a, b) => compareStructure(a.base, b.base));
  return makeProduct(coefficient, factors);
}

/** For factors already merged and sorted. */
function makeProduct(coefficient: Rational, factors: readonly Factor[]): Expr {
  if (Rational.isZero(coefficient)) return zero;
  if (factors.length === 0) return rational(coefficient);
  if (factors.length === 1 && Rational.isOne(coefficient) && Rational.isOne(factors[0]!.exponent))
    return factors[0]!.base;
  const head = `*${Rational.toString(coefficient)}`;
  const identity = head + factors.map((f) => `,${f.base.id}^${Rational.toString(f.exponent)}`).join('');
  const found = internedAs(identity);
  if (found) return found;
  const structure = head + factors.map((f) => `,${f.base.hash}^${Rational.toString(f.exponent)}`).join('');
  const size = factors.reduce((total, f) => total + f.base.size, 1);
  return intern(identity, structure, size, { kind: 'product', coefficient, factors });
}

/** base^exponent for a constant rational exponent. */
export function power(base: Expr, exponent: Rational | number): Expr {
  const e = typeof exponent === 'number' ? ratio(exponent) : exponent;
  if (Rational.isZero(e)) return one;
  if (Rational.isOne(e)) return base;
  if (Rational.isInteger(e)) {
    if (base.kind === 'rational') return rational(Rational.power(base.value, e.numerator));
    if (base.kind === 'product') {
      const factors = base.factors.map((f) => ({ base: f.base, exponent: Rational.multiply(f.exponent, e) }));
      // Merging may turn a fractional power of a product into an integer one: let `times` flatten it.
      return times(
        rational(Rational.power(base.coefficient, e.numerator)),
        ...factors.map((f) => makeProduct(ONE, [f])),
      );
    }
    return makeProduct(ONE, [{ base, exponent: e }]);
  }
  if (base === zero) return Rational.isNegative(e) ? makeProduct(ONE, [{ base, exponent: e }]) : zero;
  if (base === one) return one;
  if (base.kind === 'rational' && !Rational.isNegative(base.value)) {
    const root = Rational.root(base.value, e.denominator);
    if (root) return rational(Rational.power(root, e.numerator));
  }
  if (base.kind === 'product' && !Rational.isOne(base.coefficient) && !Rational.isNegative(base.coefficient)) {
    const root = Rational.root(base.coefficient, e.denominator);
    if (root)
      return scale(
        Rational.power(root, e.numerator),
        makeProduct(ONE, [{ base: makeProduct(ONE, base.factors), exponent: e }]),
      );
  }
  return makeProduct(ONE, [{ base, exponent: e }]);
}

export function divide(a: Expr, b: Expr): Expr {
  return times(a, power(b, -1));
}

export function square(e: Expr): Expr {
  return power(e, 2);
}

export function sqrt(e: Expr): Expr {
  return power(e, HALF);
}

// ---------------------------------------------------------------------------------------------- functions

const ODD = new Set<FunctionName>(['sin', 'tan', 'asin', 'atan', 'sinh', 'tanh', 'sign']);
const EVEN = new Set<FunctionName>(['cos', 'cosh', 'abs']);

function leadingCoefficientIsNegative(e: Expr): boolean {
  if (e.kind === 'rational') return Rational.isNegative(e.value);
  return e.kind === 'product' && Rational.isNegative(e.coefficient);
}

/** e / π when e is a rational multiple of π. */
function multipleOfPi(e: Expr): Rational | undefined {
  if (e === zero) return ZERO;
  if (e === pi) return ONE;
  if (
    e.kind === 'product' &&
    e.factors.length === 1 &&
    e.factors[0]!.base === pi &&
    Rational.isOne(e.factors[0]!.exponent)
  )
    return e.coefficient;
  return undefined;
}

/** sin(turn · π) for multiples of π/6 and π/4, else undefined. */
function exactSine(turn: Rational): Expr | undefined {
  const twelfths = Rational.multiply(turn, ratio(12n));
  if (!Rational.isInteger(twelfths)) return undefined;
  const index = Number(((twelfths.numerator % 24n) + 24n) % 24n);
  const sign = index < 12 ? 1 : -1;
  const folded = index % 12 > 6 ? 12 - (index % 12) : index % 12;
  const values: Record<number, () => Expr> = {
    0: () => zero,
    2: () => half,
    3: () => times(half, sqrt(integer(2))),
    4: () => times(half, sqrt(integer(3))),
    6: () => one,
  };
  const value = values[folded]?.();
  return value && (sign < 0 ? negate(value) : value);
}

/** name(arguments), folded where the result is exact. */
export function call(name: FunctionName, ...operands: readonly Expr[]): Expr {
  const [x] = operands as [Expr];
  if (operands.length === 1 && (ODD.has(name) || EVEN.has(name)) && leadingCoefficientIsNegative(x)) {
    const positive = call(name, negate(x));
    return ODD.has(name) ? negate(positive) : positive;
  }
  if (x === zero) {
    if (ODD.has(name) || name === 'abs') return zero;
    if (name === 'cos' || name === 'cosh' || name === 'exp') return one;
  }
  if (name === 'sin' || name === 'cos') {
    const turn = multipleOfPi(x);
    const value = turn && exactSine(name === 'sin' ? turn : Rational.add(turn, HALF));
    if (value) return value;
  }
  if (name === 'log' && x === one) return zero;
  if (name === 'abs' && x.kind === 'rational') return rational(Rational.absolute(x.value));
  if (name === 'sign' && x.kind === 'rational') return x === zero ? zero : one;
  if (name === 'atan2' && x === zero && operands[1]!.kind === 'rational' && !leadingCoefficientIsNegative(operands[1]))
    return zero;
  if (name === 'pow' && operands[1]!.kind === 'rational') return power(x, operands[1].value);
  const identity = `f${name}(${operands.map((o) => o.id).join(',')})`;
  const structure = `f${name}(${operands.map((o) => o.hash).join(',')})`;
  const size = operands.reduce((total, o) => total + o.size, 1);
  return intern(identity, structure, size, { kind: 'call', name, arguments: operands });
}

export const sin = (x: Expr): Expr => call('sin', x);
export const cos = (x: Expr): Expr => call('cos', x);

function factorial(n: number): bigint {
  let value = 1n;
  for (let i = 2n; i <= BigInt(n); i++) value *= i;
  return value;
}

/** 1/n! exactly. */
export function inverseFactorial(n: number): Rational {
  return ratio(1n, factorial(n));
}

/** c_order(argument); at zero the exact 1/order!. */
export function stumpff(order: number, argument: Expr): Expr {
  if (!Number.isInteger(order) || order < 0)
    throw new RangeError(`Stumpff functions have orders 0, 1, 2, …, not ${order}`);
  if (argument === zero) return rational(inverseFactorial(order));
  return intern(`c${order}(${argument.id})`, `c${order}(${argument.hash})`, argument.size + 1, {
    kind: 'stumpff',
    order,
    argument,
  });
}

// ---------------------------------------------------------------------------------------------- conditions

const yes = (): Expr => compare('==', zero, zero);

/** left operator right, as a condition. */
export function compare(operator: Comparison, left: Expr, right: Expr): Expr {
  const identity = `?${left.id}${operator}${right.id}`;
  const structure = `?${left.hash}${operator}${right.hash}`;
  return intern(identity, structure, left.size + right.size + 1, { kind: 'compare', operator, left, right });
}

export function logic(operator: 'and' | 'or' | 'not', ...operands: readonly Expr[]): Expr {
  const identity = `${operator}(${operands.map((o) => o.id).join(',')})`;
  const structure = `${operator}(${operands.map((o) => o.hash).join(',')})`;
  const size = operands.reduce((total, o) => total + o.size, 1);
  return intern(identity, structure, size, { kind: 'logic', operator, operands });
}

/** The truth of a condition between exact constants, undefined when it depends on symbols. */
function decided(condition: Expr): boolean | undefined {
  if (condition.kind === 'compare') {
    const { left, right, operator } = condition;
    if (left === right) return operator !== '<';
    if (left.kind !== 'rational' || right.kind !== 'rational') return undefined;
    const order = Rational.compare(left.value, right.value);
    return operator === '<' ? order < 0 : operator === '<=' ? order <= 0 : order === 0;
  }
  if (condition.kind === 'logic') {
    const truths = condition.operands.map(decided);
    if (condition.operator === 'not') return truths[0] === undefined ? undefined : !truths[0];
    const dominant = condition.operator === 'or';
    if (truths.includes(dominant)) return dominant;
    return truths.includes(undefined) ? undefined : !dominant;
  }
  return undefined;
}

export function select(condition: Expr, then: Expr, otherwise: Expr): Expr {
  if (then === otherwise) return then;
  const truth = condition === yes() ? true : decided(condition);
  if (truth !== undefined) return truth ? then : otherwise;
  const identity = `if${condition.id}:${then.id}:${otherwise.id}`;
  const structure = `if${condition.hash}:${then.hash}:${otherwise.hash}`;
  const size = condition.size + then.size + otherwise.size + 1;
  return intern(identity, structure, size, { kind: 'select', condition, then, otherwise });
}
