/**
 * Quadrature rules over reference volumes: ∫ f dm ≈ Σ_rows mass · f(material).
 * A rule is made of constants per row (normalised coordinates and weights) and of expressions that carry them to the
 * volume, so that one rule serves all parameters of a body type.
 */
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';

export interface PointRule {
  /** For reports: `12 Gauss-Legendre points along s × 16 on the disc`. */
  readonly description: string;
  readonly rows: number;
  /** Symbols of the rows, one double per row. */
  readonly columns: readonly { readonly symbol: SymbolExpr; readonly values: readonly number[] }[];
  /** Material coordinates over the columns and the parameters of the body type. */
  readonly material: ReadonlyMap<SymbolExpr, Expr>;
  /** Mass of a row, over the columns and the parameters: weight × Jacobian × density. */
  readonly mass: Expr;
}

/** A rule with what is known of its accuracy. */
export interface ChosenRule {
  readonly rule: PointRule;
  /** Largest relative error of the integrals asked for, on states that did not take part in the choice. */
  readonly error: number;
  /** What was tried: points and error of each, for `explain`. */
  readonly trials: readonly { readonly points: number; readonly error: number; readonly description: string }[];
}
