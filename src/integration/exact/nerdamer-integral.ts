/**
 * Antiderivatives by nerdamer, believed only after confirmation: F(v) − F(u) must equal the integral by quadrature at
 * points that have nothing to do with each other. nerdamer is wrong silently (two frequencies, shifted Gaussians), leaves
 * integrals standing, and loops for ever; all three end here as outcomes with a reason.
 */
import { host } from '#host';
import type { Decimal } from 'decimal.js';
import { RecentMap } from '../../common/recent-map.ts';
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import { decimalOfPrecision, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { millisecondsLeft, spend } from '../../common/work-limit.ts';
import { fromNerdamer, toNerdamer } from './nerdamer-text.ts';

/** ms; ten times what any integral took that was solved, so that a busy machine decides as an idle one does. */
const TIME_LIMIT = 8_000;

/** What became of one integrand. */
export type NerdamerOutcome =
  | { readonly kind: 'confirmed'; readonly antiderivative: Expr; readonly points: number }
  /** It answered, and the answer is not an antiderivative: relative error at the first point that shows it. */
  | { readonly kind: 'wrong'; readonly error: number }
  /** The answer is not made of elementary functions, or the question cannot be put in its language. */
  | { readonly kind: 'unsolved'; readonly reason: string }
  | { readonly kind: 'killed'; readonly milliseconds: number };

/** One line per integrand that was asked for, in the order of asking. */
export interface NerdamerReport {
  readonly integrand: string;
  readonly outcome: NerdamerOutcome;
}

/** Points at which an antiderivative must agree with quadrature, and how well. */
const POINTS = 6;
const CONFIRMATION_TOLERANCE = 1e-12;
/** Points that may lie outside the domain of the integrand. */
const ATTEMPTS = 40;

const Wide = decimalOfPrecision(40);

const known = new RecentMap<string, NerdamerOutcome>(10_000);

/**
 * An antiderivative of `integrand` in `variable`; the integrand's other symbols are free.
 * Asked once per process for integrands that are equal but for the names of their symbols.
 * @throws KanegenError of the work at hand when its time is over.
 */
export function antiderivative(integrand: Expr, variable: SymbolExpr): NerdamerOutcome {
  const question = toNerdamer(integrand, variable);
  if (!question) return { kind: 'unsolved', reason: 'it holds a function that nerdamer does not know' };
  const key = `${question.text}|${[...question.symbols.values()].map((s) => s.id).join(',')}`;
  const before = known.get(key);
  if (before) return before;
  // What time is left of a limit to the work at hand bounds the process too; when it is used up, nothing is concluded.
  const allowed = Math.max(1, Math.ceil(Math.min(TIME_LIMIT, millisecondsLeft())));
  const answer = host.askNerdamer(question.text, question.variable, allowed);
  spend(answer.milliseconds);
  const outcome =
    answer.kind === 'killed'
      ? answer
      : answer.kind === 'failed'
        ? ({ kind: 'unsolved', reason: answer.reason } as const)
        : judge(integrand, variable, fromNerdamer(answer.text, question));
  known.set(key, outcome);
  return outcome;
}

/** Is `candidate` an antiderivative of the integrand, as far as numbers can tell? */
function judge(integrand: Expr, variable: SymbolExpr, candidate: Expr | undefined): NerdamerOutcome {
  if (!candidate) return { kind: 'unsolved', reason: 'nerdamer left the integral as it was' };
  let confirmed = 0;
  for (let attempt = 0; attempt < ATTEMPTS && confirmed < POINTS; attempt++) {
    const point = scatteredPoint(freeSymbols([integrand, candidate]), variable, attempt);
    const exact = integrateNumerically(integrand, variable, point);
    if (!exact) continue;
    const [low, high] = [point.from, point.to].map((limit) => {
      const values = [...point.values, [variable, limit] as const].map(([s, v]) => [s, exactDecimal(v, Wide)] as const);
      return evaluateDecimal([candidate], new Map(values), Wide)[0]!;
    }) as [Decimal, Decimal];
    const error = high.minus(low).minus(exact.value).abs().div(exact.magnitude).toNumber();
    if (!(error <= CONFIRMATION_TOLERANCE)) return { kind: 'wrong', error: Number.isNaN(error) ? Infinity : error };
    confirmed += 1;
  }
  if (confirmed < POINTS) return { kind: 'unsolved', reason: 'its domain holds no interval to confirm the answer on' };
  return { kind: 'confirmed', antiderivative: candidate, points: confirmed };
}

/** An integral as a sentence for reports. */
export function describeOutcome({ integrand, outcome }: NerdamerReport): string {
  switch (outcome.kind) {
    case 'confirmed':
      return `∫ ${integrand}: nerdamer, confirmed at ${outcome.points} points`;
    case 'wrong':
      return `∫ ${integrand}: nerdamer's answer is wrong (relative error ${outcome.error.toExponential(0)}), discarded`;
    case 'unsolved':
      return `∫ ${integrand}: not solved (${outcome.reason})`;
    case 'killed':
      return `∫ ${integrand}: nerdamer was stopped after ${outcome.milliseconds / 1000} s`;
  }
}

export function reportOf(integrand: Expr, outcome: NerdamerOutcome): NerdamerReport {
  return { integrand: toText(integrand), outcome };
}

// ---------------------------------------------------------------------------------------------- numbers

interface ScatteredPoint {
  readonly values: ReadonlyMap<Expr, number>;
  readonly from: number;
  readonly to: number;
}

/** Values without structure, of both signs from the second point on: fractional parts of multiples of square roots. */
function scatteredPoint(symbols: readonly SymbolExpr[], variable: SymbolExpr, attempt: number): ScatteredPoint {
  const unit = (k: number): number => {
    const x = Math.sqrt(k + 2) * (attempt + 1) * 7.31;
    return x - Math.floor(x);
  };
  const values = new Map<Expr, number>();
  symbols.forEach((s, i) => {
    if (s === variable) return;
    const sign = attempt % 2 === 1 && unit(5 * i + 3) < 0.5 ? -1 : 1;
    values.set(s, sign * (0.3 + 1.7 * unit(5 * i + 1)));
  });
  const from = 0.1 + 0.5 * unit(101);
  return { values, from, to: from + 0.4 + 0.8 * unit(211) };
}

/** Steps of the double-exponential rule on (−1, 1): x = tanh(π/2 sinh t), every second node of the fine rule is coarse. */
const STEP = 1 / 16;
const REACH = Math.round(3.2 / STEP);
const NODES = Array.from({ length: 2 * REACH + 1 }, (_, i) => {
  const t = (i - REACH) * STEP;
  const outer = (Math.PI / 2) * Math.sinh(t);
  return { position: Math.tanh(outer), weight: ((Math.PI / 2) * Math.cosh(t)) / Math.cosh(outer) ** 2 };
});

/**
 * ∫ f and ∫ |f| by the double-exponential rule, to all digits of doubles where f is analytic; undefined where it is not
 * finite or the rule does not settle.
 */
export function integrateNumerically(
  integrand: Expr,
  variable: SymbolExpr,
  { values, from, to }: ScatteredPoint,
): { readonly value: number; readonly magnitude: number } | undefined {
  const half = (to - from) / 2;
  const positions = Float64Array.from(NODES, (node) => from + half + half * node.position);
  const [samples] = evaluateRows([integrand], new Map([[variable, positions]]), values, NODES.length) as [Float64Array];
  const sum = (stride: number): { value: number; magnitude: number } => {
    let value = 0;
    let magnitude = 0;
    for (let i = REACH % stride; i < NODES.length; i += stride) {
      const term = samples[i]! * NODES[i]!.weight * half * STEP * stride;
      value += term;
      magnitude += Math.abs(term);
    }
    return { value, magnitude };
  };
  const fine = sum(1);
  const settled = Math.abs(fine.value - sum(2).value) <= 1e-13 * fine.magnitude;
  return settled && fine.magnitude > 0 && Number.isFinite(fine.value) ? fine : undefined;
}
