/**
 * Poles at zero of a scalar k removed exactly: every node of a formula as Σ_j a_j k^(−j) plus a part that is regular at k = 0.
 *
 * Sums and products of such forms are again of this form: of k^(−m) f the divided differences of f (divided-difference.ts) are
 * what is left, f = f(0) + k (D f)(0) + … + k^m D^m f. Where all a_j of the whole formula are zero identically, its regular
 * part is the formula, without anything divided by k.
 */
import { DividedDifferences, NotRemovable } from './divided-difference.ts';
import {
  children,
  plus,
  power,
  rational,
  scale,
  select,
  times,
  zero,
  type Expr,
  type Factor,
  type SymbolExpr,
} from '../graph/expr.ts';
import { isIdenticallyZero } from '../evaluation/identically-zero.ts';
import { Rational, ratio } from '../graph/rational.ts';
import { postorder, rebuild } from '../graph/traverse.ts';

interface Laurent {
  /** Coefficients of k^(−1), k^(−2), …; free of k. */
  readonly polar: readonly Expr[];
  readonly regular: Expr;
}

const MOST_POLES = 12;

/**
 * The formulas with every pole at k = 0 removed; the same ones where they have none.
 * @throws NotRemovable where a pole does not cancel, or stands where it cannot be seen to.
 */
export function removePoles(roots: readonly Expr[], k: SymbolExpr): readonly Expr[] {
  return new Removal(k).of(roots);
}

class Removal {
  private readonly k: SymbolExpr;
  private readonly differences: DividedDifferences;
  private readonly forms = new Map<Expr, Laurent>();
  private found = false;

  constructor(k: SymbolExpr) {
    this.k = k;
    this.differences = new DividedDifferences(k);
  }

  of(roots: readonly Expr[]): readonly Expr[] {
    for (const e of postorder(roots)) if (this.differences.depends(e)) this.forms.set(e, this.form(e));
    if (!this.found) return roots;
    return roots.map((root) => {
      const { polar, regular } = this.get(root);
      if (polar.length > 0) throw new NotRemovable('a pole does not cancel');
      return regular;
    });
  }

  private get(e: Expr): Laurent {
    return this.forms.get(e) ?? { polar: [], regular: e };
  }

  private form(e: Expr): Laurent {
    if (e.kind === 'product') return this.product(e);
    const operands = children(e).map((operand) => this.get(operand));
    if (e.kind === 'sum') {
      const longest = Math.max(...operands.map((o) => o.polar.length));
      const polar = Array.from({ length: longest }, (_, j) =>
        plus(...e.terms.map((t, i) => scale(t.coefficient, operands[i]!.polar[j] ?? zero))),
      );
      return trimmed(polar, this.rebuilt(e));
    }
    if (operands.every((o) => o.polar.length === 0)) return { polar: [], regular: this.rebuilt(e) };
    if (e.kind !== 'select') throw new NotRemovable('a pole stands inside of a function');
    const [, then, otherwise] = operands as [Laurent, Laurent, Laurent];
    // A condition on k keeps apart what its author kept apart.
    if (this.differences.depends(e.condition)) return { polar: [], regular: e };
    const polar = Array.from({ length: Math.max(then.polar.length, otherwise.polar.length) }, (_, j) =>
      select(e.condition, then.polar[j] ?? zero, otherwise.polar[j] ?? zero),
    );
    return trimmed(polar, select(e.condition, then.regular, otherwise.regular));
  }

  private rebuilt(e: Expr): Expr {
    const unchanged = children(e).every((operand) => this.get(operand).regular === operand);
    return unchanged ? e : rebuild(e, (operand) => this.get(operand).regular);
  }

  private product(e: Expr & { kind: 'product' }): Laurent {
    let shift = 0;
    const regular: Expr[] = [rational(e.coefficient)];
    const polar: Laurent[] = [];
    for (const f of e.factors) {
      const own = this.factor(f);
      shift += own.shift;
      if (own.polar) polar.push(...own.polar);
      else regular.push(own.regular);
    }
    const smooth = times(...regular);
    let result: Laurent =
      shift >= 0
        ? { polar: [], regular: times(power(this.k, shift), smooth) }
        : this.raised({ polar: [], regular: smooth }, -shift);
    for (const other of polar) result = this.multiply(result, other);
    return result;
  }

  /** base^exponent as k^shift · regular, or as factors that have poles. */
  private factor({ base, exponent }: Factor): { shift: number; regular: Expr; polar?: readonly Laurent[] } {
    const { polar, regular } = this.get(base);
    const isInteger = Rational.isInteger(exponent);
    const isNegative = Rational.isNegative(exponent);
    const whole = Number(exponent.numerator);
    if (polar.length > 0) {
      if (!isInteger) throw new NotRemovable('a pole stands inside of a function');
      if (Math.abs(whole) * polar.length > MOST_POLES) throw new NotRemovable('the pole is of too high an order');
      if (!isNegative) return { shift: 0, regular, polar: Array.from({ length: whole }, () => ({ polar, regular })) };
      // k^m times the base is regular and does not vanish.
      const m = polar.length;
      const lifted = [...polar].map((a, j) => times(a, power(this.k, m - 1 - j)));
      const cleared = plus(...lifted, times(power(this.k, m), regular));
      return { shift: -m * whole, regular: power(cleared, exponent) };
    }
    if (base === this.k && isInteger) {
      if (isNegative) this.found = true;
      return { shift: whole, regular: rational(ratio(1)) };
    }
    if (!isNegative || !this.differences.depends(regular)) return { shift: 0, regular: power(regular, exponent) };
    let cleared = regular;
    let order = 0;
    while (this.differences.atZero(cleared) === zero) {
      if (++order > MOST_POLES || cleared === zero) throw new NotRemovable('the pole is of too high an order');
      cleared = this.differences.of(cleared);
    }
    if (order > 0) this.found = true;
    if (order > 0 && !isInteger) throw new NotRemovable('it stands below a root');
    return { shift: order * whole, regular: power(cleared, exponent) };
  }

  /** k^(−m) times a form. */
  private raised({ polar, regular }: Laurent, m: number): Laurent {
    if (polar.length + m > MOST_POLES) throw new NotRemovable('the pole is of too high an order');
    const coefficients: Expr[] = [];
    let rest = regular;
    for (let j = m; j >= 1; j--) {
      coefficients[j - 1] = this.differences.atZero(rest);
      rest = this.differences.of(rest);
    }
    return trimmed([...coefficients, ...polar], rest);
  }

  private multiply(a: Laurent, b: Laurent): Laurent {
    const parts: Laurent[] = [{ polar: [], regular: times(a.regular, b.regular) }];
    const crossed = (polar: readonly Expr[], regular: Expr): void =>
      polar.forEach((c, j) => {
        if (c !== zero) parts.push(this.raised({ polar: [], regular: times(c, regular) }, j + 1));
      });
    crossed(a.polar, b.regular);
    crossed(b.polar, a.regular);
    a.polar.forEach((c, i) =>
      b.polar.forEach((d, j) => {
        const polar = Array.from({ length: i + j + 2 }, (_, n) => (n === i + j + 1 ? times(c, d) : zero));
        parts.push({ polar, regular: zero });
      }),
    );
    const longest = Math.max(...parts.map((part) => part.polar.length));
    const polar = Array.from({ length: longest }, (_, j) => plus(...parts.map((part) => part.polar[j] ?? zero)));
    return trimmed(polar, plus(...parts.map((part) => part.regular)));
  }
}

/** Coefficients that are zero identically left out. */
function trimmed(polar: readonly Expr[], regular: Expr): Laurent {
  const known = polar.map((a) => (isIdenticallyZero(a) ? zero : a));
  while (known.at(-1) === zero) known.pop();
  return { polar: known, regular };
}
