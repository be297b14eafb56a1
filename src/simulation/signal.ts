/**
 * What drives a robot over time: formulas of t, tables and columns of CSV files with straight lines between their points, as
 * functions of the time in s.
 */
import { evaluate } from '../symbolic/evaluate.ts';
import type { Expr, SymbolExpr } from '../symbolic/expr.ts';
import { freeSymbols } from '../symbolic/traverse.ts';

/** Of the time in s. */
export type Signal = (t: number) => number;

/** A formula of the symbol of the time. */
export function formulaSignal(formula: Expr, time: SymbolExpr): Signal {
  if (!freeSymbols([formula]).includes(time)) {
    const [constant] = evaluate([formula]);
    return () => constant!;
  }
  return (t) => evaluate([formula], new Map([[time, t]]))[0]!;
}

/**
 * Straight lines between points; before the first and after the last the value stands still.
 * @param times strictly increasing.
 */
export function tableSignal(times: readonly number[], values: readonly number[]): Signal {
  let last = 0;
  return (t) => {
    if (!(t > times[0]!)) return values[0]!;
    const end = times.length - 1;
    if (t >= times[end]!) return values[end]!;
    // Integrators move in small steps: the interval of the last call or one beside it, as a rule.
    if (t < times[last]!) last = 0;
    while (times[last + 1]! <= t) last++;
    const share = (t - times[last]!) / (times[last + 1]! - times[last]!);
    return values[last]! + share * (values[last + 1]! - values[last]!);
  };
}
