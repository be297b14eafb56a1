/** Kinks and jumps of formulas: conditions of `select`, which `min` and `max` become, arguments of `abs` and `sign`. */
import { minus, type Expr } from './expr.ts';
import { postorder } from './traverse.ts';

/** Can formulas have kinks or jumps, whether they are found or not? */
export function mayHaveKinks(formulas: readonly Expr[]): boolean {
  for (const e of postorder(formulas))
    if (e.kind === 'compare' || (e.kind === 'call' && (e.name === 'abs' || e.name === 'sign'))) return true;
  return false;
}

/** Expressions whose change of sign may be a kink. */
export function boundariesOf(integrands: readonly Expr[]): Expr[] {
  const found = new Set<Expr>();
  for (const e of postorder(integrands)) {
    if (e.kind === 'compare') found.add(minus(e.left, e.right));
    if (e.kind === 'call' && (e.name === 'abs' || e.name === 'sign')) found.add(e.arguments[0]!);
  }
  return [...found];
}
