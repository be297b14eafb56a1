/**
 * References of controllers over time: formulas of t with their derivatives, and minimum-jerk motions from one waypoint to the
 * next.
 */
import { minimumJerk } from '../../runtime/trajectories.ts';
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';

/** Position, rate and second derivative at a time in s, into the first three numbers of an array. */
export type Reference = (t: number, out: Float64Array) => void;

/** A formula of the symbol of the time. */
export function formulaReference(formula: Expr, time: SymbolExpr): Reference {
  const rate = differentiate(formula, time);
  const roots = [formula, rate, differentiate(rate, time)];
  return (t, out) => out.set(evaluate(roots, new Map([[time, t]])));
}

/** The same in another unit of length or angle. */
export function scaledReference(reference: Reference, factor: number): Reference {
  if (factor === 1) return reference;
  return (t, out) => {
    reference(t, out);
    for (let i = 0; i < out.length; i++) out[i]! *= factor;
  };
}

/**
 * At rest at each waypoint, and before the first and after the last.
 * @param times strictly increasing.
 */
export function waypointReference(times: readonly number[], values: readonly number[]): Reference {
  const last = times.length - 1;
  return (t, out) => {
    let i = 0;
    while (i < last && times[i + 1]! <= t) i++;
    if (i === last) minimumJerk(1, 1, values[last]!, values[last]!, out);
    else minimumJerk(t - times[i]!, times[i + 1]! - times[i]!, values[i]!, values[i + 1]!, out);
  };
}
