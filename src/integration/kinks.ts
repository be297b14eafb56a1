/**
 * Places where integrands change their formula: conditions of `select`, arguments of `abs` and `sign` that change sign at a
 * fixed fraction of the range of one material coordinate. No rule should reach across them.
 */
import { evaluateRows } from '../symbolic/evaluate-rows.ts';
import { evaluate } from '../symbolic/evaluate.ts';
import { decimal, minus, plus, times, type Expr, type SymbolExpr } from '../symbolic/expr.ts';
import { freeSymbols, postorder } from '../symbolic/traverse.ts';
import type { StateSample } from './compress.ts';
import type { Breakpoints } from './volume-layout.ts';

/** The range of a material coordinate; over parameters, and over `axial` where a section varies along a rod. */
export interface CoordinateRange {
  readonly coordinate: SymbolExpr;
  readonly low: Expr;
  readonly high: Expr;
}

const CELLS = 96;
/** Fractions found at different states are the same place when they agree this well. */
const SAME = 1e-11;

/** The breaks with those that integrands imply. */
export function withKinks(
  breaks: Breakpoints,
  ranges: readonly CoordinateRange[],
  integrands: readonly Expr[],
  samples: readonly StateSample[],
): Breakpoints {
  const boundaries = boundariesOf(integrands);
  if (boundaries.length === 0) return breaks;
  const material = new Set<Expr>(ranges.map((range) => range.coordinate));
  const result = new Map<SymbolExpr, readonly Expr[]>(breaks);
  for (const range of ranges) {
    const own = boundaries.filter((g) => {
      const symbols = freeSymbols([g]).filter((s) => material.has(s));
      return symbols.length === 1 && symbols[0] === range.coordinate;
    });
    const movesAlong = freeSymbols([range.low, range.high]).some((s) => material.has(s));
    if (own.length === 0 || movesAlong) continue;
    const found = own.flatMap((g) => fixedFractions(g, range, samples.slice(0, 3)));
    const given = breaks.get(range.coordinate) ?? [];
    const fresh = distinct(found).filter((f) => !isGiven(f, range, given, samples[0]!));
    const span = minus(range.high, range.low);
    const added = fresh.map((f) => plus(range.low, times(decimal(f), span)));
    if (added.length > 0) result.set(range.coordinate, [...given, ...added]);
  }
  return result;
}

/** Can formulas have kinks or jumps, whether they are found or not? */
export function mayHaveKinks(formulas: readonly Expr[]): boolean {
  for (const e of postorder(formulas))
    if (e.kind === 'compare' || (e.kind === 'call' && (e.name === 'abs' || e.name === 'sign'))) return true;
  return false;
}

/** Expressions whose change of sign may be a kink. */
function boundariesOf(integrands: readonly Expr[]): Expr[] {
  const found = new Set<Expr>();
  for (const e of postorder(integrands)) {
    if (e.kind === 'compare') found.add(minus(e.left, e.right));
    if (e.kind === 'call' && (e.name === 'abs' || e.name === 'sign')) found.add(e.arguments[0]!);
  }
  return [...found];
}

/** Fractions of the range where g changes sign, if they are the same at every state. */
function fixedFractions(g: Expr, range: CoordinateRange, samples: readonly StateSample[]): number[] {
  const lists = samples.map((sample) => signChanges(g, range, sample));
  const [first, ...others] = lists;
  return first!.filter((f) => others.every((list) => list.some((other) => Math.abs(other - f) < SAME)));
}

function signChanges(g: Expr, { coordinate, low, high }: CoordinateRange, sample: StateSample): number[] {
  const [a, b] = evaluate([low, high], sample) as [number, number];
  const values = (fractions: Float64Array): Float64Array =>
    evaluateRows([g], new Map([[coordinate, fractions.map((f) => a + (b - a) * f)]]), sample, fractions.length)[0]!;
  // Cells are shifted off the fractions that people write, so that no end of a cell is a kink.
  const ends = Float64Array.from({ length: CELLS + 1 }, (_, i) => (i + 0.0123) / (CELLS + 0.0321));
  const signs = values(ends).map(Math.sign);
  const found: number[] = [];
  for (let i = 0; i < CELLS; i++) {
    if (signs[i]! * signs[i + 1]! >= 0) continue;
    let [left, right] = [ends[i]!, ends[i + 1]!];
    for (let step = 0; step < 60; step++) {
      const middle = (left + right) / 2;
      if (Math.sign(values(Float64Array.of(middle))[0]!) === signs[i]) left = middle;
      else right = middle;
    }
    found.push(snapped((left + right) / 2));
  }
  return found;
}

/** Halves, thirds, … as exactly as doubles have them. */
function snapped(fraction: number): number {
  for (const parts of [2, 3, 5, 8, 10, 12, 100, 1000]) {
    const near = Math.round(fraction * parts) / parts;
    if (Math.abs(near - fraction) < 1e-13) return near;
  }
  return fraction;
}

function distinct(fractions: readonly number[]): number[] {
  const sorted = [...fractions].sort((a, b) => a - b);
  return sorted.filter((f, i) => f > SAME && f < 1 - SAME && (i === 0 || f - sorted[i - 1]! > SAME));
}

function isGiven(
  fraction: number,
  { low, high }: CoordinateRange,
  given: readonly Expr[],
  sample: StateSample,
): boolean {
  if (given.length === 0) return false;
  const [a, b, ...places] = evaluate([low, high, ...given], sample) as [number, number, ...number[]];
  return places.some((place) => Math.abs((place - a) / (b - a) - fraction) < SAME);
}
