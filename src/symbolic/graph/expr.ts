/**
 * The scalar expression DAG: hash-consed nodes, made only by the constructors below, which keep them in a canonical
 * local form. Equal structure is the same object, so common subexpressions are shared by construction.
 *
 * Canonical form: rational constants folded; products flat, with merged powers and one rational coefficient; sums with
 * merged like terms, the sign of the first term positive, and not flattened into each other (the sharing of partial
 * sums is worth more than a normal form: `expand` gives that on demand). Operands are ordered by structure, never by
 * time of creation, so that output does not depend on what was compiled before.
 */
import { intern } from './interning.ts';
import type { Comparison, Expr, Factor, FunctionName, SumExpr, SumTerm, SymbolExpr } from './nodes.ts';
import { compareStructure } from './order.ts';
import { HALF, MINUS_ONE, ONE, Rational, ZERO, ratio } from './rational.ts';

export { children } from './nodes.ts';
export type {
  CallExpr,
  CompareExpr,
  Comparison,
  Expr,
  Factor,
  FunctionName,
  LogicExpr,
  ProductExpr,
  SumExpr,
  SumTerm,
  SymbolExpr,
} from './nodes.ts';

// ---------------------------------------------------------------------------------------------- leaves

export function rational(value: Rational): Expr {
  return intern({ kind: 'rational', value });
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
export const pi: Expr = intern({ kind: 'constant', name: 'pi' });

/** A free symbol. Names are scoped by a prefix (`body.q1`, `robot.L0`); the same name is the same symbol. */
export function symbol(name: string): SymbolExpr {
  return intern({ kind: 'symbol', name }) as SymbolExpr;
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
    return scale(MINUS_ONE, intern({ kind: 'sum', constant: Rational.negate(constant), terms: flipped }));
  }
  return intern({ kind: 'sum', constant, terms });
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
  return (operands.length === 2 && productOfTwo(operands[0]!, operands[1]!)) || productOf(operands);
}

const factorsOf = (e: Expr): readonly Factor[] => (e.kind === 'product' ? e.factors : [{ base: e, exponent: ONE }]);
const coefficientOf = (e: Expr): Rational => (e.kind === 'product' ? e.coefficient : ONE);

/** Two lists of factors in order become one; undefined where powers that meet may come apart into other factors. */
function productOfTwo(a: Expr, b: Expr): Expr | undefined {
  if (a.kind === 'rational') return scale(a.value, b);
  if (b.kind === 'rational') return scale(b.value, a);
  const [left, right] = [factorsOf(a), factorsOf(b)];
  const factors: Factor[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    const [own, other] = [left[i]!, right[j]!];
    if (own.base !== other.base) {
      const isFirst = compareStructure(own.base, other.base) < 0;
      factors.push(isFirst ? own : other);
      if (isFirst) i++;
      else j++;
      continue;
    }
    if (own.base.kind === 'product' || own.base.kind === 'rational') return undefined;
    const exponent = Rational.add(own.exponent, other.exponent);
    if (!Rational.isZero(exponent)) factors.push({ base: own.base, exponent });
    i++;
    j++;
  }
  for (; i < left.length; i++) factors.push(left[i]!);
  for (; j < right.length; j++) factors.push(right[j]!);
  return makeProduct(Rational.multiply(coefficientOf(a), coefficientOf(b)), factors);
}

function productOf(operands: readonly Expr[]): Expr {
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
  return intern({ kind: 'product', coefficient, factors });
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
  return intern({ kind: 'call', name, arguments: operands });
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
  return intern({ kind: 'stumpff', order, argument });
}

// ---------------------------------------------------------------------------------------------- conditions

const yes = (): Expr => compare('==', zero, zero);

/** left operator right, as a condition. */
export function compare(operator: Comparison, left: Expr, right: Expr): Expr {
  return intern({ kind: 'compare', operator, left, right });
}

export function logic(operator: 'and' | 'or' | 'not', ...operands: readonly Expr[]): Expr {
  return intern({ kind: 'logic', operator, operands });
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
  return intern({ kind: 'select', condition, then, otherwise });
}
