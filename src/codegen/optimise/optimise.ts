/**
 * The optimiser: expressions in, a form with shared partial sums and products out. Runs the passes of this folder in a
 * few orders and keeps the cheapest result, the expressions as they came included: never worse than their common
 * subexpressions alone.
 */
import type { Expr } from '../../symbolic/graph/expr.ts';
import { cancel } from './cancel.ts';
import { extract, type Preference } from './extract.ts';
import { flatten } from './flatten.ts';
import { arithmeticCost, type Form } from './form.ts';
import { gather, type Gathered } from './gather.ts';
import { scale } from './scale.ts';
import { mergeTrigonometric } from './trigonometric.ts';

/** `none`: common subexpressions only. `quick`: one order of passes. `normal`: several. */
export type Effort = 'none' | 'quick' | 'normal';

/** An order of passes. */
interface Plan {
  readonly usesRotations: boolean;
  readonly spreadsProducts: boolean;
  readonly preference: Preference;
  /** How often, at most, units are chosen and sharing is looked for again. */
  readonly rounds: number;
}

const oldestFirst: Preference = (candidate) => candidate.serial;

const QUICK: Plan = { usesRotations: false, spreadsProducts: true, preference: oldestFirst, rounds: 1 };
const PLANS: readonly Plan[] = [
  { ...QUICK, rounds: 3 },
  { usesRotations: true, spreadsProducts: true, preference: oldestFirst, rounds: 3 },
  { usesRotations: true, spreadsProducts: true, preference: () => 0, rounds: 3 },
  { usesRotations: false, spreadsProducts: false, preference: oldestFirst, rounds: 3 },
];

/**
 * The cheapest form found. Equal expressions give equal forms, whatever was compiled before.
 *
 * @param isFree symbols known before everything else (parameters of a link type).
 */
export function optimise(roots: readonly Expr[], isFree: (symbol: Expr) => boolean, effort: Effort): Gathered {
  let best = gather(roots, isFree);
  let bestCost = arithmeticCost(best.form);
  if (effort === 'none') return best;
  for (const plan of effort === 'quick' ? [quickPlan(bestCost)] : plansFor(bestCost)) {
    const attempt = gather(roots, isFree);
    const costs = carryOut(attempt.form, plan);
    const cost = Math.min(...costs);
    if (cost >= bestCost) continue;
    bestCost = cost;
    const rounds = costs.indexOf(cost);
    best = attempt;
    if (rounds === costs.length - 1) continue;
    best = gather(roots, isFree);
    carryOut(best.form, { ...plan, rounds });
  }
  return best;
}

/** Choosing units again pays in straight-line code of equal links, which is short; in long programs it takes seconds. */
function quickPlan(cost: number): Plan {
  return cost > 4000 ? { ...QUICK, rounds: 0 } : QUICK;
}

/** Fewer for what is long, where each takes seconds. */
function plansFor(cost: number): readonly Plan[] {
  if (cost > 12000) return [quickPlan(cost)];
  return cost > 2000 ? PLANS.slice(0, 1) : PLANS;
}

/** Costs after each round. */
function carryOut(form: Form, { usesRotations, spreadsProducts, preference, rounds }: Plan): number[] {
  const flattenAll = (): void => flatten(form, { products: spreadsProducts });
  flattenAll();
  if (usesRotations) mergeTrigonometric(form);
  cancel(form);
  flattenAll();
  extract(form, preference);
  const costs = [arithmeticCost(form)];
  for (let round = 0; round < rounds; round++) {
    scale(form);
    flattenAll();
    cancel(form);
    flattenAll();
    extract(form, preference);
    const cost = arithmeticCost(form);
    const isSettled = cost >= costs[round]!;
    costs.push(cost);
    if (isSettled) break;
  }
  return costs;
}
