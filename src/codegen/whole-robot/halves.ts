/**
 * Functions in two halves, where loops are closed between them: what the second half reads and the first one can know goes from one to
 * the other in an array.
 */
import type { StraightClosing } from '../../straight/functions/loop-rows.ts';
import type { StraightOutput } from '../../straight/straight-robot.ts';
import { children, symbol, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { postorder, substitute } from '../../symbolic/graph/traverse.ts';

export interface HalfOutput extends Pick<StraightOutput, 'buffer' | 'values'> {
  readonly optional?: boolean;
}

export interface Halves {
  readonly first: readonly HalfOutput[];
  readonly second: readonly HalfOutput[];
  /** What the second half finds beside the inputs. */
  readonly left: readonly { readonly buffer: string; readonly symbols: readonly SymbolExpr[] }[];
  /** Numbers of `loopKept`. */
  readonly kept: number;
}

/** Kept are the largest parts of outputs that depend on no result; numbers and inputs are there already. */
export function halvesOf(outputs: readonly StraightOutput[], { arrays, results }: StraightClosing): Halves {
  const values = outputs.flatMap((output) => [...output.values]);
  const late = new Set<Expr>(Object.values(results).flat());
  const kept = new Set<Expr>();
  const all = postorder(values);
  for (const e of all) if (children(e).some((operand) => late.has(operand))) late.add(e);
  const keep = (e: Expr): void => {
    if (!late.has(e) && children(e).length > 0) kept.add(e);
  };
  for (const e of all) if (late.has(e)) children(e).forEach(keep);
  values.forEach(keep);
  const symbols = [...kept].map((_, i) => symbol(`closed.kept.${i + 1}`));
  const replaced = substitute(values, new Map([...kept].map((e, i) => [e, symbols[i]!])));
  let next = 0;
  return {
    first: [...arrays, ...(kept.size > 0 ? [{ buffer: 'loopKept', values: [...kept] }] : [])],
    second: outputs.map((output) => ({ ...output, values: replaced.slice(next, (next += output.values.length)) })),
    left: [
      ...Object.entries(results).map(([buffer, own]) => ({ buffer, symbols: own })),
      ...(kept.size > 0 ? [{ buffer: 'loopKept', symbols }] : []),
    ],
    kept: kept.size,
  };
}
