/**
 * Times at which what drives a robot switches from one formula to another: conditions of `select`, `min`, `max` and `sign` of the
 * time. Integrators end steps there, so that none sees a force that jumps within it.
 */
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { compare, one, select, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { dependsOn, postorder } from '../../symbolic/graph/traverse.ts';

/** Neighbouring numbers, in s: the last time before a switch, and the first one after. */
export interface Jump {
  readonly before: number;
  readonly after: number;
}

/** A time at which a step ends, and the jump of forces there. */
export interface Stop {
  readonly at: number;
  readonly jump?: Jump;
}

/** Pieces of a run at whose ends conditions are looked at that are not linear in the time. */
const PIECES = 2000;
/** More switches are no matter of single steps. */
const MOST_JUMPS = 10_000;
/** Times that are the same but for rounding. */
const SAME = 1e-12;

/**
 * Between `from` and `to`, in the order of time. Of conditions that are not linear in the time, those that change back within
 * 1/2000 of the run are missed.
 * @param formulas of the symbol of the time.
 */
export function jumpsOf(formulas: readonly Expr[], time: SymbolExpr, from: number, to: number): Jump[] {
  const found = new Map<number, Jump>();
  for (const condition of conditionsOf(formulas, time)) {
    const holds = truthOf(condition, time);
    const looks = lookingTimes(condition, time, from, to);
    for (let i = 1; i < looks.length && found.size < MOST_JUMPS; i++) {
      const jump = between(holds, looks[i - 1]!, looks[i]!);
      if (jump && jump.after < to) found.set(jump.after, jump);
    }
  }
  const near = SAME * Math.max(Math.abs(from), Math.abs(to));
  const merged: Jump[] = [];
  for (const jump of [...found.values()].sort((a, b) => a.after - b.after)) {
    const last = merged[merged.length - 1];
    if (last && jump.before - last.after <= near) merged.push({ before: merged.pop()!.before, after: jump.after });
    else merged.push(jump);
  }
  return merged;
}

/** Ends of steps in the order of time; a jump is at a time that is wanted where that is the same but for rounding. */
export function stopsOf(ends: Iterable<number>, jumps: readonly Jump[]): Stop[] {
  const stops = new Map<number, Stop>();
  for (const at of ends) stops.set(at, { at });
  const wanted = Float64Array.from(stops.keys()).sort();
  const near = SAME * Math.max(Math.abs(wanted[0]!), Math.abs(wanted.at(-1)!));
  for (const jump of jumps) {
    const next = wanted[firstFrom(wanted, jump.before - near)];
    const at = next !== undefined && next <= jump.after + near ? next : jump.after;
    stops.set(at, { at, jump });
  }
  return [...stops.values()].sort((a, b) => a.at - b.at);
}

/** Index of the first of sorted numbers that is no less than another. */
function firstFrom(sorted: Float64Array, least: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function conditionsOf(formulas: readonly Expr[], time: SymbolExpr): (Expr & { readonly kind: 'compare' })[] {
  const conditions = postorder(formulas).flatMap((e) => {
    if (e.kind === 'compare') return [e];
    const [x] = e.kind === 'call' && e.name === 'sign' ? e.arguments : [];
    return x ? [compare('<', x, zero), compare('<', zero, x)] : [];
  });
  return [...new Set(conditions)].filter(
    (e): e is Expr & { readonly kind: 'compare' } => e.kind === 'compare' && dependsOn(e, new Set([time])),
  );
}

function truthOf(condition: Expr, time: SymbolExpr): (t: number) => boolean {
  const value = select(condition, one, zero);
  return (t) => evaluate([value], new Map([[time, t]]))[0] === 1;
}

/** Both sides of the only time where a linear condition changes; many times otherwise. */
function lookingTimes(
  { left, right }: { readonly left: Expr; readonly right: Expr },
  time: SymbolExpr,
  from: number,
  to: number,
): number[] {
  const rates = [differentiate(left, time), differentiate(right, time)];
  if (!rates.some((rate) => dependsOn(rate, new Set([time])))) return [from, to];
  return Array.from({ length: PIECES + 1 }, (_, i) => (i === PIECES ? to : from + (i / PIECES) * (to - from)));
}

/** Where a condition changes between two times, by bisection. */
function between(holds: (t: number) => boolean, from: number, to: number): Jump | undefined {
  const first = holds(from);
  if (holds(to) === first) return undefined;
  let [before, after] = [from, to];
  for (;;) {
    const middle = before + (after - before) / 2;
    if (middle <= before || middle >= after) return { before, after };
    if (holds(middle) === first) before = middle;
    else after = middle;
  }
}
