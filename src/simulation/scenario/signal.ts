/**
 * What drives a robot over time: formulas of t, tables and columns of CSV files with straight lines between their points, as
 * functions of the time in s.
 */
import type { SignalForm } from '../../codegen/c/motion-program.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';

/** Of the time in s. */
export interface Signal {
  (t: number): number;
  /** The same as data, for other languages; functions of library calls have none. */
  readonly form?: SignalForm;
}

const withForm = (value: (t: number) => number, form: SignalForm): Signal => Object.assign(value, { form });

/** A formula of the symbol of the time. */
export function formulaSignal(formula: Expr, time: SymbolExpr): Signal {
  if (!freeSymbols([formula]).includes(time)) {
    const [constant] = evaluate([formula]);
    return withForm(() => constant!, { times: [0], values: [constant!] });
  }
  return withForm((t) => evaluate([formula], new Map([[time, t]]))[0]!, { formula, time });
}

/**
 * Straight lines between points; before the first and after the last the value stands still.
 * @param times strictly increasing.
 */
export function tableSignal(times: readonly number[], values: readonly number[]): Signal {
  let last = 0;
  const value = (t: number): number => {
    if (!(t > times[0]!)) return values[0]!;
    const end = times.length - 1;
    if (t >= times[end]!) return values[end]!;
    // Integrators move in small steps: the interval of the last call or one beside it, as a rule.
    if (t < times[last]!) last = 0;
    while (times[last + 1]! <= t) last++;
    const share = (t - times[last]!) / (times[last + 1]! - times[last]!);
    return values[last]! + share * (values[last + 1]! - values[last]!);
  };
  return withForm(value, { times, values });
}
