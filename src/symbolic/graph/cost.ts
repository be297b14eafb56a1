/**
 * Operation counts of expressions as straight-line code after common-subexpression elimination: the yardstick by which
 * the compiler chooses between equivalent forms. Additions, multiplications, divisions, square roots and function calls
 * count 1 each, sign changes nothing; all Stumpff functions of one argument together cost one evaluation.
 */
import type { Expr } from './expr.ts';
import { Rational } from './rational.ts';
import { postorder } from './traverse.ts';

export interface OperationCount {
  additions: number;
  multiplications: number;
  divisions: number;
  squareRoots: number;
  /** Calls of library functions. */
  calls: number;
  /** Distinct arguments of Stumpff functions. */
  stumpffArguments: number;
}

/** Cost of evaluating one set of Stumpff functions (two Horner schemes and the recurrence), in operations. */
const STUMPFF_COST = 55;

export function countOperations(roots: readonly Expr[], free: (e: Expr) => boolean = () => false): OperationCount {
  const count: OperationCount = {
    additions: 0,
    multiplications: 0,
    divisions: 0,
    squareRoots: 0,
    calls: 0,
    stumpffArguments: 0,
  };
  const stumpffArguments = new Set<Expr>();
  const powers = new Set<string>();
  for (const e of postorder(roots)) {
    if (free(e)) continue;
    if (e.kind === 'sum') countSum(e, count);
    else if (e.kind === 'product') countProduct(e, count, powers);
    else if (e.kind === 'call') count.calls += 1;
    else if (e.kind === 'stumpff') stumpffArguments.add(e.argument);
    else if (e.kind === 'compare') count.additions += 1;
  }
  count.stumpffArguments = stumpffArguments.size;
  return count;
}

function countSum(e: Expr & { kind: 'sum' }, count: OperationCount): void {
  count.additions += e.terms.length - (Rational.isZero(e.constant) ? 1 : 0);
  for (const t of e.terms) if (!Rational.isOne(Rational.absolute(t.coefficient))) count.multiplications += 1;
}

function countProduct(e: Expr & { kind: 'product' }, count: OperationCount, powers: Set<string>): void {
  let above = Rational.isOne(Rational.absolute(e.coefficient)) ? 0 : 1;
  let below = 0;
  for (const { base, exponent } of e.factors) {
    const magnitude = Rational.absolute(exponent);
    const key = `${base.id}^${Rational.toString(magnitude)}`;
    if (!powers.has(key)) {
      powers.add(key);
      if (magnitude.denominator === 2n) count.squareRoots += 1;
      else if (magnitude.denominator !== 1n) count.calls += 1;
      const bits = magnitude.numerator.toString(2);
      count.multiplications += bits.length - 1 + [...bits].filter((b) => b === '1').length - 1;
    }
    if (Rational.isNegative(exponent)) below += 1;
    else above += 1;
  }
  count.multiplications += Math.max(0, above - 1) + Math.max(0, below - 1);
  if (below > 0) count.divisions += 1;
}

/** One number for comparisons between forms. */
export function totalOperations(count: OperationCount): number {
  return (
    count.additions +
    count.multiplications +
    count.divisions +
    count.squareRoots +
    count.calls +
    STUMPFF_COST * count.stumpffArguments
  );
}
