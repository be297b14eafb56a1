/**
 * The rule of fewest points that integrates given functions over a rod or a box to a tolerance. Orders are found direction by
 * direction on lines through the volume, lowered to the smallest product that suffices, and the factors of the product
 * thinned out to generalised Gauss rules. States that took no part in the choice tell the error.
 */
import type { KanegenError, SourceLocation } from '../../common/error.ts';
import { one, times, type Expr } from '../../symbolic/graph/expr.ts';
import type { StateSample } from '../rules/compress.ts';
import { grownOrder, LineStudy } from './line-study.ts';
import { mayHaveKinks } from '../../symbolic/graph/kinks.ts';
import { cutAtKinks } from './kinks.ts';
import type { ChosenRule, PointRule } from '../rules/point-rule.ts';
import { productRule } from '../rules/rule-factor.ts';
import { thinFactors } from './thin-factors.ts';
import { largestDifference, VolumeIntegrals } from '../rules/volume-integrals.ts';
import { ToleranceNotMet } from './tolerance-not-met.ts';
import { volumeLayout, WEIGHT, type ProductDomain } from '../rules/volume-layout.ts';
import type { WeightedPoints } from '../rules/gauss.ts';

export interface RuleRequest {
  readonly volume: ProductDomain;
  /** Functions f whose integrals ∫ f dm are wanted, over material coordinates and everything that samples give values. */
  readonly integrands: readonly Expr[];
  /** Values of q, parameters and whatever else occurs. Every third sample has no part in the choice. */
  readonly samples: readonly StateSample[];
  /** Largest error of an integral, relative to the largest ∫ |f| dm of the same function at any sample over `spread`. */
  readonly tolerance: number;
  /** How many times smaller than the largest ∫ |f| dm the integrals may be at some samples that count all the same; 1. */
  readonly spread?: number;
  /** Thin the factors out. */
  readonly compress: boolean;
  readonly location: SourceLocation;
}

/** Points of the largest rule that is tried. */
const MOST_POINTS = 120_000;
/** Larger products are not searched for smaller orders than those found on lines. */
const MOST_TO_LOWER = 1500;
/** States that orders are lowered with. */
const MOST_STATES = 8;
/** How often all orders are raised when those found on lines do not suffice. */
const ATTEMPTS = 4;

/**
 * @returns the rule; `error` is measured on all samples, those that had no part in the choice among them, against a rule of
 * higher orders.
 * @throws KanegenError `tolerance-not-met` when the largest affordable rule misses the tolerance.
 */
export function chooseRule(request: RuleRequest): ChosenRule {
  return new RuleChoice(request).choose();
}

interface Attempt {
  readonly rule: WeightedPoints;
  readonly description: string;
  readonly error: number;
}

class RuleChoice {
  private readonly request: RuleRequest;
  private readonly integrals: VolumeIntegrals;
  /** Indices of the states that orders are lowered with, and of all. */
  private readonly selection: readonly number[];
  private readonly all: readonly number[];
  private readonly trials: { points: number; error: number; description: string }[] = [];
  private scales: Float64Array = new Float64Array();
  private reference: WeightedPoints = { points: [], weights: [] };
  /** Integrals by the reference rule, per sample that they were asked for. */
  private readonly exact = new Map<number, Float64Array>();

  constructor(request: RuleRequest) {
    const { volume, samples } = request;
    const cut = cutAtKinks(volume, request.integrands, samples.slice(0, 3));
    const layout = volumeLayout(cut, request.location);
    // The mass itself is always wanted.
    this.integrals = new VolumeIntegrals(layout, [one, ...request.integrands], request.tolerance);
    this.request = request;
    this.all = samples.map((_, i) => i);
    this.selection = this.all.filter((i) => i % 3 !== 2).slice(0, MOST_STATES);
  }

  choose(): ChosenRule {
    const { tolerance, compress, samples } = this.request;
    const lines = new LineStudy(this.integrals, samples.slice(0, 4));
    const found = this.factors.map((_, i) => lines.order(i, 0.3 * tolerance));
    let orders = found.map((study) => study.order);
    const unsettled = found.findIndex((study) => study.change > 0.3 * tolerance);
    if (unsettled >= 0) throw this.notMet(found[unsettled]!.change, this.pointsOf(orders));
    for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
      const finer = orders.map(grownOrder);
      this.setReference(finer);
      const product = this.attempt(this.product(orders), this.describe(orders));
      if (product.error <= tolerance) {
        const best = this.lowered(orders, finer, product);
        const smaller = compress ? this.thinned(best.orders) : undefined;
        const { rule, description, error } = smaller ?? best.attempt;
        return { rule: this.pointRule(rule, description), error, trials: this.trials };
      }
      orders = finer;
    }
    const last = this.trials.at(-1)!;
    throw this.notMet(last.error, last.points);
  }

  private get factors() {
    return this.integrals.layout.factors;
  }

  private product(orders: readonly number[]): WeightedPoints {
    return productRule(this.factors.map((factor, i) => factor.rule(orders[i]!)));
  }

  private pointsOf(orders: readonly number[]): number {
    return orders.reduce((n, order, i) => n * this.factors[i]!.rule(order).weights.length, 1);
  }

  private describe(orders: readonly number[]): string {
    return this.factors.map((factor, i) => factor.describe(orders[i]!)).join(', ');
  }

  // ------------------------------------------------------------------------------------------------ candidates

  /** Records what a rule achieves: at the corners of the limits, which have a part in the choice, and at fresh states. */
  private attempt(rule: WeightedPoints, description: string): Attempt {
    const error = this.error(rule, this.all);
    if (!this.trials.some((trial) => trial.description === description))
      this.trials.push({ points: rule.weights.length, error, description });
    return { rule, description, error };
  }

  /** The smallest product that meets half the tolerance, if it stands the test. */
  private lowered(
    orders: readonly number[],
    finer: readonly number[],
    product: Attempt,
  ): { orders: readonly number[]; attempt: Attempt } {
    if (product.rule.weights.length > MOST_TO_LOWER) return { orders, attempt: product };
    const sequence = orders.map((_, i) => i);
    const candidates = [sequence, [...sequence].reverse()].map((order) => this.loweredIn(order, finer));
    const points = candidates.map((candidate) => this.pointsOf(candidate));
    const smallest = points[1]! < points[0]! ? candidates[1]! : candidates[0]!;
    const attempt = this.attempt(this.product(smallest), this.describe(smallest));
    return attempt.error <= this.request.tolerance ? { orders: smallest, attempt } : { orders, attempt: product };
  }

  /** The smallest order of each factor, one after the other in the given sequence. */
  private loweredIn(sequence: readonly number[], highest: readonly number[]): number[] {
    const orders = [...highest];
    for (const i of sequence) {
      let [low, high] = [this.factors[i]!.lowest - 1, orders[i]!];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        const candidate = orders.map((order, j) => (i === j ? middle : order));
        if (this.error(this.product(candidate), this.selection) <= 0.5 * this.request.tolerance) high = middle;
        else low = middle;
      }
      orders[i] = high;
    }
    return orders;
  }

  /** The thinned rule, made for a tenth of the tolerance when it misses it on fresh states. */
  private thinned(orders: readonly number[]): Attempt | undefined {
    const { tolerance, samples } = this.request;
    for (const strictness of [0.3, 0.03]) {
      const thinned = thinFactors(this.integrals, orders, {
        samples,
        scales: this.scales,
        tolerance: strictness * tolerance,
      });
      if (!thinned) return undefined;
      const result = this.attempt(thinned.rule, thinned.description);
      if (result.error <= tolerance) return result;
    }
    return undefined;
  }

  // ------------------------------------------------------------------------------------------------ errors

  /** What errors are measured against. */
  private setReference(orders: readonly number[]): void {
    const points = this.pointsOf(orders);
    if (points > MOST_POINTS) throw this.notMet(this.trials.at(-1)?.error ?? Infinity, points);
    this.reference = this.product(orders);
    this.exact.clear();
    this.scales = new Float64Array(this.integrals.count);
    const coarse = this.product(orders.map((order) => Math.ceil(order / 2)));
    const { samples, spread = 1 } = this.request;
    for (const sample of samples)
      this.integrals
        .scales(coarse, sample)
        .forEach((scale, i) => (this.scales[i] = Math.max(this.scales[i]!, scale / spread)));
  }

  /** Largest error of an integral relative to its scale; infinite where one is not a number. */
  private error(rule: WeightedPoints, samples: readonly number[]): number {
    const errors = samples.map((k) =>
      largestDifference(this.integrals.sums(rule, this.request.samples[k]!), this.exactAt(k), this.scales),
    );
    return Math.max(...errors);
  }

  private exactAt(k: number): Float64Array {
    let sums = this.exact.get(k);
    if (!sums) this.exact.set(k, (sums = this.integrals.sums(this.reference, this.request.samples[k]!)));
    return sums;
  }

  private notMet(error: number, points: number): KanegenError {
    const reached = Number.isFinite(error)
      ? `an error of ${error.toExponential(1)} is left`
      : 'integrals do not settle';
    return new ToleranceNotMet(`with ${points} points ${reached} where ${this.request.tolerance} is asked for`, error, {
      remedy: mayHaveKinks(this.request.integrands)
        ? 'name the places where the formula has kinks in `breaks`, or raise the tolerance'
        : 'raise the tolerance, or make the kinematics smoother',
      location: this.request.location,
    });
  }

  private pointRule(rule: WeightedPoints, description: string): PointRule {
    const { columns, material, measure } = this.integrals.layout;
    return {
      description,
      rows: rule.weights.length,
      columns: [
        ...columns.map(({ symbol, value }) => ({ symbol, values: rule.points.map(value) })),
        { symbol: WEIGHT, values: [...rule.weights] },
      ],
      material,
      mass: times(measure, WEIGHT),
    };
  }
}
