/**
 * Formulas e(ξ, q, s) that belong to the balance of a section beside elasticity and tendons: the gradient of a potential, or equations of any kind; and
 * their derivatives. Vectors and matrices are over the strains that are free, ξ and ξ̇ with six components.
 */
import { differentiateAll, directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { plus, times, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';

export class SectionFormulas {
  /** Is ∂e/∂ξ symmetric? */
  readonly isGradient: boolean;
  private readonly values: readonly Expr[];
  private readonly unknowns: readonly SymbolExpr[];
  private readonly q: readonly Expr[];
  private readonly components: readonly number[];

  /** @param values over the symbols of the unknowns, coordinates and what stands for the place. @param components of the unknowns in ξ. */
  constructor(parts: {
    readonly values: readonly Expr[];
    readonly unknowns: readonly SymbolExpr[];
    readonly components: readonly number[];
    readonly q: readonly Expr[];
    readonly isGradient: boolean;
  }) {
    this.values = parts.values;
    this.unknowns = parts.unknowns;
    this.components = parts.components;
    this.q = parts.q;
    this.isGradient = parts.isGradient;
  }

  private at(formulas: readonly Expr[], strain: readonly Expr[]): readonly Expr[] {
    return substitute(formulas, new Map(this.unknowns.map((s, i) => [s, strain[this.components[i]!]!])));
  }

  residual(strain: readonly Expr[]): readonly Expr[] {
    return this.at(this.values, strain);
  }

  /** ∂e/∂ξ by rows. */
  jacobian(strain: readonly Expr[]): readonly (readonly Expr[])[] {
    const columns = this.unknowns.map((s) => this.at(differentiateAll(this.values, s), strain));
    return this.values.map((_, row) => columns.map((own) => own[row]!));
  }

  byCoordinate(a: number, strain: readonly Expr[]): readonly Expr[] {
    return this.at(differentiateAll(this.values, this.q[a]!), strain);
  }

  /** ë where ξ̈ = 0 and q̈ = 0. */
  secondRate(strain: readonly Expr[], rate: readonly Expr[], speeds: readonly Expr[]): readonly Expr[] {
    const along = new Map<Expr, Expr>([
      ...this.unknowns.map((s, i) => [s, rate[this.components[i]!]!] as const),
      ...this.q.map((q, a) => [q, speeds[a]!] as const),
    ]);
    return this.at(directionalDerivative(directionalDerivative(this.values, along), along), strain);
  }

  /** Second derivatives of e · λ: by ξ twice, by ξ and each coordinate, by two coordinates. @param load λ. */
  second(
    strain: readonly Expr[],
    load: readonly Expr[],
  ): {
    readonly bySection: readonly (readonly Expr[])[];
    readonly mixed: readonly (readonly Expr[])[];
    byCoordinates(a: number, b: number): Expr;
  } {
    const sum = plus(...this.values.map((e, i) => times(load[i]!, e)));
    const [gradient, slopes] = [this.unknowns, this.q].map((all) => all.map((s) => differentiateAll([sum], s)[0]!)) as [
      Expr[],
      Expr[],
    ];
    const bySection = this.unknowns.map((s) => this.at(differentiateAll(gradient, s), strain));
    const mixed = this.q.map((q) => this.at(differentiateAll(gradient, q), strain));
    const byCoordinates = (a: number, b: number): Expr =>
      this.at(differentiateAll([slopes[a]!], this.q[b]!), strain)[0]!;
    return { bySection, mixed, byCoordinates };
  }
}
