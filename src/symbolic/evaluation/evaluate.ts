/**
 * Numeric evaluation of expressions, in double precision and to any number of digits.
 * This is the referee for generated code: slow, and as plain as possible.
 */
import { Decimal } from 'decimal.js';
import { circular, hyperbolic } from './decimal-functions.ts';
import { minusOne, one, zero, type CompareExpr, type Expr, type LogicExpr } from '../graph/expr.ts';
import { Rational } from '../graph/rational.ts';
import { postorder } from '../graph/traverse.ts';
import { tick } from '../../common/work-limit.ts';

/** The number field that an evaluation runs in. */
interface Arithmetic<T> {
  rational(value: Rational): T;
  pi(): T;
  add(a: T, b: T): T;
  multiply(a: T, b: T): T;
  power(base: T, exponent: Rational): T;
  call(name: string, operands: readonly T[]): T;
  stumpff(order: number, argument: T): T;
  compare(a: T, b: T): number;
}

function evaluateWith<T>(arithmetic: Arithmetic<T>, roots: readonly Expr[], bindings: ReadonlyMap<Expr, T>): T[] {
  const values = new Map<Expr, T>(bindings);
  const truths = new Map<Expr, boolean>();
  // Demand driven, so that the branch of a select that is not taken is never evaluated.
  const stack: Expr[] = [];
  const ready = (e: Expr): boolean => values.has(e) || truths.has(e);
  const need = (operands: readonly Expr[]): boolean => {
    let complete = true;
    for (const operand of operands)
      if (!ready(operand)) {
        stack.push(operand);
        complete = false;
      }
    return complete;
  };
  const value = (e: Expr): T => values.get(e) as T;
  for (const root of roots) {
    stack.push(root);
    while (stack.length > 0) {
      const e = stack[stack.length - 1]!;
      tick();
      if (ready(e)) {
        stack.pop();
        continue;
      }
      switch (e.kind) {
        case 'rational':
          values.set(e, arithmetic.rational(e.value));
          break;
        case 'constant':
          values.set(e, arithmetic.pi());
          break;
        case 'symbol':
          throw new Error(`no value for ${e.name}`);
        case 'sum': {
          if (!need(e.terms.map((t) => t.term))) continue;
          let total = arithmetic.rational(e.constant);
          for (const t of e.terms) {
            const scaled = Rational.isOne(t.coefficient)
              ? value(t.term)
              : arithmetic.multiply(arithmetic.rational(t.coefficient), value(t.term));
            total = arithmetic.add(total, scaled);
          }
          values.set(e, total);
          break;
        }
        case 'product': {
          if (!need(e.factors.map((f) => f.base))) continue;
          let total = arithmetic.rational(e.coefficient);
          for (const f of e.factors) total = arithmetic.multiply(total, arithmetic.power(value(f.base), f.exponent));
          values.set(e, total);
          break;
        }
        case 'call':
          if (!need(e.arguments)) continue;
          values.set(e, arithmetic.call(e.name, e.arguments.map(value)));
          break;
        case 'stumpff':
          if (!need([e.argument])) continue;
          values.set(e, arithmetic.stumpff(e.order, value(e.argument)));
          break;
        case 'select': {
          if (!need([e.condition])) continue;
          const branch = truths.get(e.condition)! ? e.then : e.otherwise;
          if (!need([branch])) continue;
          values.set(e, value(branch));
          break;
        }
        case 'compare':
          if (!need([e.left, e.right])) continue;
          truths.set(e, holds(e, arithmetic.compare(value(e.left), value(e.right))));
          break;
        case 'logic':
          if (!need(e.operands)) continue;
          truths.set(e, combine(e, truths));
          break;
      }
    }
  }
  return roots.map(value);
}

function holds(e: CompareExpr, order: number): boolean {
  return e.operator === '<' ? order < 0 : e.operator === '<=' ? order <= 0 : order === 0;
}

function combine(e: LogicExpr, truths: ReadonlyMap<Expr, boolean>): boolean {
  const operands = e.operands.map((o) => truths.get(o)!);
  if (e.operator === 'not') return !operands[0];
  return e.operator === 'and' ? operands.every(Boolean) : operands.some(Boolean);
}

// ---------------------------------------------------------------------------------------------- double

const doubleArithmetic: Arithmetic<number> = {
  rational: Rational.toNumber,
  pi: () => Math.PI,
  add: (a, b) => a + b,
  multiply: (a, b) => a * b,
  power(base, exponent) {
    if (Rational.isOne(exponent)) return base;
    if (exponent.denominator === 2n) {
      const root = Math.sqrt(base);
      return exponent.numerator === 1n ? root : root ** Number(exponent.numerator);
    }
    return base ** Rational.toNumber(exponent);
  },
  call(name, operands) {
    return mathFunction(name)(...operands);
  },
  stumpff: (order, argument) => Number(stumpffDecimal(exactDecimal(argument, Precise), order, Precise)),
  compare: (a, b) => (a < b ? -1 : a > b ? 1 : a === b ? 0 : NaN),
};

/** The function of the language that a function of formulas is. */
export const mathFunction = (name: string): ((...operands: readonly number[]) => number) =>
  (Math as unknown as Record<string, (...values: readonly number[]) => number>)[name]!;

/** Values of `roots` in double precision. @throws Error when a symbol without a binding is needed. */
export function evaluate(roots: readonly Expr[], bindings: ReadonlyMap<Expr, number> = new Map()): number[] {
  return evaluateWith(doubleArithmetic, roots, bindings);
}

// ---------------------------------------------------------------------------------------------- arbitrary precision

export type DecimalConstructor = typeof Decimal;
const Precise = Decimal.clone({ precision: 40 });

/**
 * Texts of decimals have no exponent below and beyond 10 to this power, as far as doubles go; further out they have one, or
 * the text of e^1e9, which is written on the way to a double, would be half a gigabyte long.
 */
const PLAIN_TEXT = 400;

const constructors = new Map<number, DecimalConstructor>();

/** The decimal number type with `digits` significant digits. */
export function decimalOfPrecision(digits: number): DecimalConstructor {
  let found = constructors.get(digits);
  if (!found) {
    found = Decimal.clone({ precision: digits, toExpNeg: -PLAIN_TEXT, toExpPos: PLAIN_TEXT });
    constructors.set(digits, found);
  }
  return found;
}

/** The binary value of a double, not its shortest decimal. @throws RangeError when it is not finite. */
export function exactDecimal(value: number, Number_: DecimalConstructor): Decimal {
  const { numerator, denominator } = Rational.fromDouble(value);
  return new Number_(numerator.toString()).div(denominator.toString());
}

/** Beyond this the power series needs more guard digits than it is worth. */
const LARGE_ARGUMENT = 1e4;
/** Of ten: beyond, arguments stand for no number that a robot file may hold. */
const MOST_EXPONENT = 900;
/** Digits lost on the way to higher orders from large arguments. */
const RECURRENCE_GUARD = 30;

/** c_order(x) from its power series, with guard digits for the cancellation; at large x from c_0 and c_1. */
export function stumpffDecimal(x: Decimal, order: number, Number_: DecimalConstructor): Decimal {
  if (x.abs().gt(LARGE_ARGUMENT)) return stumpffOfLarge(x, order, Number_);
  const guard = Math.ceil(0.87 * Math.sqrt(Math.abs(x.toNumber()))) + 10;
  const Wide = decimalOfPrecision(Number_.precision + guard);
  let term = new Wide(1);
  for (let i = 2; i <= order; i++) term = term.div(i);
  const factor = new Wide(x).neg();
  let total = term;
  const least = term.abs().times(Wide.pow(10, -(Number_.precision + guard - 2)));
  for (let j = 1; ; j++) {
    term = term.times(factor).div((order + 2 * j) * (order + 2 * j - 1));
    total = total.plus(term);
    if (term.isZero()) break;
    if (j > 2 && term.abs().lt(least)) break;
  }
  return new Number_(total);
}

/** c_{k+2} = (1/k! − c_k)/x upwards, which is stable where x exceeds k². */
function stumpffOfLarge(x: Decimal, order: number, Number_: DecimalConstructor): Decimal {
  if (!x.isFinite() || x.e > MOST_EXPONENT) return new Number_(NaN);
  const Wide = decimalOfPrecision(Number_.precision + RECURRENCE_GUARD + Math.max(0, x.e));
  const root = new Wide(x).abs().sqrt();
  const even = order % 2 === 0;
  const start = x.isPositive()
    ? circular(even ? 'cos' : 'sin', root, Wide)
    : hyperbolic(even ? 'cosh' : 'sinh', root, Wide);
  let value = even ? start : start.div(root);
  let factorial = new Wide(1);
  for (let k = even ? 0 : 1; k < order; k += 2) {
    value = new Wide(1).div(factorial).minus(value).div(x);
    factorial = factorial.times((k + 1) * (k + 2));
  }
  return new Number_(value);
}

const arithmetics = new WeakMap<DecimalConstructor, Arithmetic<Decimal>>();

/** One arithmetic per precision, so that π is computed once. */
function decimalArithmetic(Number_: DecimalConstructor): Arithmetic<Decimal> {
  let arithmetic = arithmetics.get(Number_);
  if (!arithmetic) arithmetics.set(Number_, (arithmetic = newDecimalArithmetic(Number_)));
  return arithmetic;
}

function newDecimalArithmetic(Number_: DecimalConstructor): Arithmetic<Decimal> {
  const pi = Number_.acos(-1);
  const rationals = new WeakMap<Rational, Decimal>();
  return {
    rational(r) {
      const known = rationals.get(r) ?? new Number_(r.numerator.toString()).div(r.denominator.toString());
      rationals.set(r, known);
      return known;
    },
    pi: () => pi,
    add: (a, b) => a.plus(b),
    multiply: (a, b) => a.times(b),
    power(base, exponent) {
      if (Rational.isOne(exponent)) return base;
      if (exponent.denominator === 2n) return base.sqrt().pow(exponent.numerator.toString());
      if (exponent.denominator === 1n) return base.pow(exponent.numerator.toString());
      return base.pow(new Number_(exponent.numerator.toString()).div(exponent.denominator.toString()));
    },
    call(name, operands) {
      const [x, y] = operands as [Decimal, Decimal];
      if (name === 'sin' || name === 'cos' || name === 'tan') return circular(name, x, Number_);
      if (name === 'sinh' || name === 'cosh' || name === 'tanh') return hyperbolic(name, x, Number_);
      if (name === 'log') return x.ln();
      if (name === 'pow') return x.pow(y);
      if (name === 'atan2') return Number_.atan2(x, y);
      if (name === 'sign') return new Number_(x.isZero() ? 0 : x.s);
      const f = (Number_ as unknown as Record<string, (value: Decimal) => Decimal>)[name];
      return f!.call(Number_, x);
    },
    stumpff: (order, argument) => stumpffDecimal(argument, order, Number_),
    compare: (a, b) => a.comparedTo(b),
  };
}

/**
 * Values of `roots` to the precision of `Number_` (see decimalOfPrecision); every operation is rounded to it.
 * @throws Error when a symbol without a binding is needed.
 */
export function evaluateDecimal(
  roots: readonly Expr[],
  bindings: ReadonlyMap<Expr, Decimal>,
  Number_: DecimalConstructor,
): Decimal[] {
  return evaluateWith(decimalArithmetic(Number_), roots, bindings);
}

const Folding = decimalOfPrecision(40);

/** The value of an expression without free symbols, rounded once to double; the same on every machine. */
export function foldConstant(e: Expr): number {
  return foldConstants([e])[0]!;
}

export function foldConstants(roots: readonly Expr[], bindings: ReadonlyMap<Expr, Expr> = new Map()): number[] {
  const exact = roots.map((e) => (e.kind === 'rational' ? Rational.toNumber(e.value) : undefined));
  const values = new Map<Expr, Decimal>();
  for (const [symbol, value] of bindings) values.set(symbol, evaluateDecimal([value], new Map(), Folding)[0]!);
  // All at once: what they share is computed once.
  const rest = evaluateDecimal(
    roots.filter((_, i) => exact[i] === undefined),
    values,
    Folding,
  ).values();
  return exact.map((known) => known ?? Number(rest.next().value));
}

/** Does the expression contain symbols? */
export function isConstant(e: Expr): boolean {
  return !postorder([e]).some((node) => node.kind === 'symbol');
}

/** Constants that evaluate to 0 or ±1 to forty digits are those numbers (products of exact rotations). */
export function exactUnit(e: Expr): Expr {
  if (e.kind === 'rational' || !isConstant(e)) return e;
  const [value] = foldConstants([e]);
  return value === 0 || Math.abs(value!) < 1e-35 ? zero : value === 1 ? one : value === -1 ? minusOne : e;
}
