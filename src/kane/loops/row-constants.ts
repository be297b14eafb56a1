/**
 * What of a row's expressions can be computed apart from the rest: parts that depend on some symbols only, as large as
 * they come, operands of sums and products gathered. Used for what a row keeps once the parameters are known, and to count
 * what is left to do in a row when everything that is the same in all rows is computed before.
 */
import { countOperations, totalOperations } from '../../symbolic/graph/cost.ts';
import {
  children,
  plus,
  power,
  rational,
  scale,
  symbol,
  times,
  type Expr,
  type Factor,
  type SumTerm,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { postorder, rebuild } from '../../symbolic/graph/traverse.ts';
import { either, guarded, guardsOf, type Guard } from './branch-guards.ts';

/** Values with some of their parts replaced by symbols. */
export interface Separation {
  /** The values over what is left and the stand-ins. */
  readonly values: readonly Expr[];
  /** What each stand-in stands for, in order of first use; zero where it only stands in branches that are not taken. */
  readonly parts: readonly { readonly symbol: SymbolExpr; readonly value: Expr }[];
}

/**
 * @param apart the symbols that a part may depend on.
 * @param isWorthwhile whether a part gets a stand-in; called with parts that are not a symbol or a constant.
 */
export function separateParts(
  values: readonly Expr[],
  apart: (symbol: SymbolExpr) => boolean,
  isWorthwhile: (part: Expr) => boolean,
  nameOf: (index: number) => string,
): Separation {
  const parts = new Map<Expr, { readonly symbol: SymbolExpr; guard: Guard }>();
  const inside = new Set<Expr>();
  const results = new Map<Expr, Expr>();
  const nodes = postorder(values);
  for (const e of nodes) if (e.kind === 'symbol' ? apart(e) : children(e).every((o) => inside.has(o))) inside.add(e);
  const guardOf = guardsOf(values, (condition) => inside.has(condition));
  const standInAt =
    (guard: Guard) =>
    (part: Expr): Expr => {
      // A condition has no value to keep; its operands have.
      if (part.kind === 'compare' || part.kind === 'logic') return rebuild(part, standInAt(guard));
      if (children(part).length === 0) return part;
      const known = parts.get(part);
      if (known) {
        known.guard = either(known.guard, guard);
        return known.symbol;
      }
      if (!isWorthwhile(part)) return part;
      const made = symbol(nameOf(parts.size));
      parts.set(part, { symbol: made, guard });
      return made;
    };
  const replaced = (e: Expr): Expr => (inside.has(e) ? standInAt(guardOf(e))(e) : results.get(e)!);
  for (const e of nodes) {
    if (inside.has(e)) continue;
    const standIn = standInAt(guardOf(e));
    if (e.kind === 'sum') results.set(e, separateSum(e, inside, replaced, standIn));
    else if (e.kind === 'product') results.set(e, separateProduct(e, inside, replaced, standIn));
    else results.set(e, rebuild(e, replaced));
  }
  return {
    values: values.map(replaced),
    parts: [...parts].map(([value, part]) => ({ symbol: part.symbol, value: guarded(value, part.guard) })),
  };
}

type Operand = (e: Expr) => Expr;

function separateSum(e: Expr & { kind: 'sum' }, inside: ReadonlySet<Expr>, replaced: Operand, standIn: Operand): Expr {
  const scaled = (t: SumTerm, term: Expr): Expr => scale(t.coefficient, term);
  const gathered = e.terms.filter((t) => inside.has(t.term));
  const rest = e.terms.filter((t) => !inside.has(t.term)).map((t) => scaled(t, replaced(t.term)));
  if (gathered.length === 0) return plus(rational(e.constant), ...rest);
  return plus(standIn(plus(rational(e.constant), ...gathered.map((t) => scaled(t, t.term)))), ...rest);
}

function separateProduct(
  e: Expr & { kind: 'product' },
  inside: ReadonlySet<Expr>,
  replaced: Operand,
  standIn: Operand,
): Expr {
  const powerOf = (f: Factor, base: Expr): Expr => power(base, f.exponent);
  const gathered = e.factors.filter((f) => inside.has(f.base));
  const rest = e.factors.filter((f) => !inside.has(f.base)).map((f) => powerOf(f, replaced(f.base)));
  if (gathered.length === 0) return times(rational(e.coefficient), ...rest);
  return times(standIn(times(rational(e.coefficient), ...gathered.map((f) => powerOf(f, f.base)))), ...rest);
}

/** Parts that cost less than this are made again in every row rather than read from memory. */
const WORTH_KEEPING = 2;

/** Is a value that only the parameters decide worth a number per row? */
export function isWorthKeeping(part: Expr): boolean {
  const count = countOperations([part]);
  return count.calls + count.squareRoots + count.divisions > 0 || totalOperations(count) >= WORTH_KEEPING;
}

/**
 * Operations per row, with everything that is the same in all rows computed before.
 * @param differs symbols that differ between rows.
 */
export function operationsPerRow(values: readonly Expr[], differs: ReadonlySet<Expr>): number {
  const { values: rows, parts } = separateParts(
    values,
    (s) => !differs.has(s),
    () => true,
    (i) => `invariant.${i}`,
  );
  const before = new Set<Expr>(parts.map((part) => part.symbol));
  return totalOperations(countOperations(rows, (e) => before.has(e)));
}
