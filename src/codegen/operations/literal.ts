/**
 * Coefficients of terms: positive exact constants, and values of parameters that are known before everything else and
 * therefore cost nothing. One object per value, so that equal coefficients are the same object.
 */
import { foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { requireDouble } from '../../symbolic/evaluation/double.ts';
import { divide, negate, one, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';

export interface Literal {
  /** Order of creation in its table. */
  readonly id: number;
  /** Exact; positive when it is a number, and else of numbers that are positive together: a number times it is a literal again. */
  readonly exact: Expr;
  /** The nearest double of a number, undefined when parameters are involved. */
  readonly value: number | undefined;
}

export interface SignedLiteral {
  readonly negative: boolean;
  readonly literal: Literal;
}

const values = new WeakMap<Expr, number>();

/**
 * The value of an exact constant, rounded once; kept, because folding with forty digits takes time.
 * @throws KanegenError `not-finite` for a number that no double is near: it can never be printed.
 */
export function literalValue(e: Expr): number {
  let value = values.get(e);
  if (value === undefined) values.set(e, (value = requireDouble(foldConstant(e), e)));
  return value;
}

export class LiteralTable {
  readonly one: Literal;
  private readonly byValue = new Map<number, Literal>();
  private readonly byExpression = new Map<Expr, SignedLiteral | undefined>();
  private readonly products = new Map<number, SignedLiteral>();
  private readonly ratios = new Map<number, Literal>();
  private readonly isNumber: (e: Expr) => boolean;
  private count = 0;

  /** @param isNumber of the expressions that occur as coefficients, those without parameters. */
  constructor(isNumber: (e: Expr) => boolean) {
    this.isNumber = isNumber;
    this.one = this.of(one)!.literal;
  }

  /** ± a coefficient, undefined when it is zero. */
  of(e: Expr): SignedLiteral | undefined {
    if (this.byExpression.has(e)) return this.byExpression.get(e);
    const made = this.make(e);
    this.byExpression.set(e, made);
    return made;
  }

  /** Never negative where one of them is a number. */
  multiply(a: Literal, b: Literal): SignedLiteral {
    if (a === this.one) return { negative: false, literal: b };
    if (b === this.one) return { negative: false, literal: a };
    const [first, second] = a.id < b.id ? [a, b] : [b, a];
    const key = first.id * 2 ** 26 + second.id;
    let product = this.products.get(key);
    if (!product) this.products.set(key, (product = this.of(times(a.exact, b.exact))!));
    return product;
  }

  add(a: SignedLiteral, b: SignedLiteral): SignedLiteral | undefined {
    if (a.literal === b.literal && a.negative !== b.negative) return undefined;
    const exact = ({ negative, literal }: SignedLiteral): Expr => (negative ? negate(literal.exact) : literal.exact);
    return this.of(plus(exact(a), exact(b)));
  }

  /** a/b for a number b; undefined for a parameter, which may be zero. */
  ratio(a: Literal, b: Literal): Literal | undefined {
    if (b === this.one) return a;
    if (a === b) return this.one;
    if (b.value === undefined) return undefined;
    const key = a.id * 2 ** 26 + b.id;
    let ratio = this.ratios.get(key);
    if (!ratio) this.ratios.set(key, (ratio = this.of(divide(a.exact, b.exact))!.literal));
    return ratio;
  }

  private make(e: Expr): SignedLiteral | undefined {
    if (e === zero) return undefined;
    if (!this.isNumber(e)) {
      const negative = this.isNegative(e);
      if (negative) return { negative, literal: this.of(negate(e))!.literal };
      return { negative, literal: { id: this.count++, exact: e, value: undefined } };
    }
    const value = literalValue(e);
    if (value === 0) return undefined;
    const known = this.byValue.get(Math.abs(value));
    if (known) return { negative: value < 0, literal: known };
    const literal = { id: this.count++, exact: value < 0 ? negate(e) : e, value: Math.abs(value) };
    this.byValue.set(literal.value, literal);
    return { negative: value < 0, literal };
  }

  /** Of what has parameters, by all its numbers: the rational one alone tells nothing, −cos 2 is positive. */
  private isNegative(e: Expr): boolean {
    if (e.kind !== 'product') return false;
    let negative = Rational.isNegative(e.coefficient);
    for (const { base, exponent } of e.factors)
      if (exponent.numerator % 2n !== 0n && this.isNumber(base) && literalValue(base) < 0) negative = !negative;
    return negative;
  }
}
