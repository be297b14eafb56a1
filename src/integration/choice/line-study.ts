/**
 * Orders of one factor of a product rule at a time: integrals along lines (or across sections) through a few places of the
 * volume, in all other coordinates fixed. A direction in which the integrands are simple costs little, whatever the others do.
 */
import type { StateSample } from '../rules/compress.ts';
import type { RuleFactor } from '../rules/rule-factor.ts';
import { largestDifference, type VolumeIntegrals } from '../rules/volume-integrals.ts';
import type { WeightedPoints } from '../rules/gauss.ts';

const PLACES = 6;

/** The next order that is tried. */
export function grownOrder(order: number): number {
  return order + 1 + Math.floor(order / 3);
}

export class LineStudy {
  private readonly integrals: VolumeIntegrals;
  private readonly samples: readonly StateSample[];

  constructor(integrals: VolumeIntegrals, samples: readonly StateSample[]) {
    this.integrals = integrals;
    this.samples = samples;
  }

  /** The smallest order of a factor for the tolerance, and by how much the integrals change when it is raised. */
  order(index: number, tolerance: number): { order: number; change: number } {
    const factor = this.integrals.layout.factors[index]!;
    const places = this.places(index);
    const known = new Map<number, Float64Array>();
    const values = (order: number): Float64Array => {
      let sums = known.get(order);
      if (!sums) known.set(order, (sums = this.sums(index, places, factor.rule(order))));
      return sums;
    };
    let order = 2;
    for (;;) {
      const next = grownOrder(order);
      const reference = values(grownOrder(next));
      const scales = this.scales(index, places, factor.rule(next));
      const changeOf = (tried: number): number => largestDifference(values(tried), reference, scales);
      const change = Math.max(changeOf(order), changeOf(next));
      if (change <= tolerance) return { order: this.lowest(factor, order, (o) => changeOf(o) <= tolerance), change };
      if (next > factor.highest) return { order, change };
      order = next;
    }
  }

  private lowest(factor: RuleFactor, sufficient: number, suffices: (order: number) => boolean): number {
    let [low, high] = [factor.lowest - 1, sufficient];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (suffices(middle)) high = middle;
      else low = middle;
    }
    return high;
  }

  /** Points in the coordinates of all other factors, spread evenly. */
  private places(index: number): (readonly number[])[][] {
    return Array.from({ length: PLACES }, (_, k) =>
      this.integrals.layout.factors.map((factor, i) => (i === index ? [] : placeIn(factor, k, i))),
    );
  }

  /** Integrals along all lines at all samples, integrand by integrand. */
  private sums(index: number, places: readonly (readonly number[])[][], rule: WeightedPoints): Float64Array {
    return this.onLines(index, places, rule, (points, sample) => this.integrals.sums(points, sample));
  }

  /** The largest scale of each integrand on any line, for every line. */
  private scales(index: number, places: readonly (readonly number[])[][], rule: WeightedPoints): Float64Array {
    const scales = this.onLines(index, places, rule, (points, sample) => this.integrals.scales(points, sample));
    const { count } = this.integrals;
    const largest = new Float64Array(count);
    scales.forEach((scale, i) => (largest[i % count] = Math.max(largest[i % count]!, scale)));
    return scales.map((_, i) => largest[i % count]!);
  }

  private onLines(
    index: number,
    places: readonly (readonly number[])[][],
    rule: WeightedPoints,
    integrate: (rule: WeightedPoints, sample: StateSample) => Float64Array,
  ): Float64Array {
    const lines = places.map((place) => ({
      points: rule.points.map((point) => place.flatMap((others, i) => (i === index ? point : others))),
      weights: rule.weights,
    }));
    const results = this.samples.flatMap((sample) => lines.map((line) => integrate(line, sample)));
    const { count } = this.integrals;
    const all = new Float64Array(results.length * count);
    results.forEach((result, i) => all.set(result, i * count));
    return all;
  }
}

/** The k-th point of an additive sequence, in the coordinates of a factor. */
function placeIn({ axis, dimension }: RuleFactor, k: number, salt: number): number[] {
  const u = (0.5 + (k + 1) * (0.6180339887498949 + 0.0735 * salt)) % 1;
  if (dimension === 1) return [u * axis!.shares.length];
  const radius = Math.sqrt((0.5 + (k + 1) * 0.7548776662466927) % 1);
  return [radius * Math.cos(2 * Math.PI * u), radius * Math.sin(2 * Math.PI * u)];
}
