/**
 * Thinning of a product rule, group of factors by group: the integrands, summed over all other coordinates, are functions
 * of the coordinates of a group and span a space that far fewer points integrate.
 */
import type { StateSample } from './compress.ts';
import { gridRule, type SampledFunctions } from './function-space.ts';
import { productRule, type WeightedPoints } from './rule-factor.ts';
import { thinRule } from './thin-rule.ts';
import type { VolumeIntegrals } from './volume-integrals.ts';

interface ThinningGoal {
  readonly samples: readonly StateSample[];
  /** Sizes of the integrals of the integrands. */
  readonly scales: Float64Array;
  /** Largest error that thinning may add, relative to the scales. */
  readonly tolerance: number;
}

/** Rows that are evaluated for one group. */
const MOST_ROWS = 120_000;
const MOST_STATES = 24;
const FEWEST_STATES = 8;

/** @returns the thinned rule and what it consists of, or undefined when no group could be thinned. */
export function thinFactors(
  integrals: VolumeIntegrals,
  orders: readonly number[],
  goal: ThinningGoal,
): { rule: WeightedPoints; description: string } | undefined {
  const { factors, groups } = integrals.layout;
  const rest = factors.map((_, i) => i).filter((i) => !groups.flat().includes(i));
  const all = rest.length > 0 ? [...groups, rest] : groups;
  const parts = all.map((group) => productRule(group.map((i) => factors[i]!.rule(orders[i]!))));
  const isThinned = all.map((group, g) => {
    if (group === rest) return false;
    const others = all.flatMap((_, i) => (i === g ? [] : [i]));
    const inner = productRule(others.map((i) => parts[i]!));
    const places = [...group, ...others.flatMap((i) => all[i]!)];
    const thin = thinRule(sampledOn(integrals, group, orders, { inner, places }, goal), parts[g]!, goal.tolerance);
    if (thin) parts[g] = thin;
    return thin !== undefined;
  });
  if (!isThinned.includes(true)) return undefined;
  const arrange = arrangement(all.flat());
  const { points, weights } = productRule(parts);
  const description = all
    .map((group, g) =>
      isThinned[g]
        ? `${parts[g]!.weights.length} generalised Gauss points ${group.map((i) => factors[i]!.place).join(' and ')}`
        : group.map((i) => factors[i]!.describe(orders[i]!)).join(', '),
    )
    .join(', ');
  return { rule: { points: points.map(arrange), weights }, description };
}

/** The integrands as functions of the coordinates of a group: sums over the others, or, when they are too many, at some. */
function sampledOn(
  integrals: VolumeIntegrals,
  group: readonly number[],
  orders: readonly number[],
  { inner, places }: { inner: WeightedPoints; places: readonly number[] },
  { samples, scales }: ThinningGoal,
): SampledFunctions {
  const axes = group.map((i) => integrals.layout.factors[i]!.axis!);
  // Gauss rules of order n integrate what takes 2n polynomials to write; a turn takes more of them than waves.
  const fineness = group.map((i, a) => 2 * orders[i]! + (axes[a]!.family === 'periodic' ? 10 : 2));
  const grid = gridRule(axes, fineness);
  const arrange = arrangement(places);
  const affordable = Math.floor(MOST_ROWS / (grid.weights.length * inner.weights.length));
  const states = blended(samples, Math.max(FEWEST_STATES, Math.min(MOST_STATES, affordable)));
  const values = states.flatMap((sample, k) => {
    const sum = affordable >= FEWEST_STATES ? inner : someOf(inner, k);
    return integrals.partialSums(grid.points, sum, (o, p) => arrange([...o, ...p]), sample);
  });
  values.forEach((list, i) => {
    const scale = scales[i % integrals.count]!;
    if (scale > 0) for (let j = 0; j < list.length; j++) list[j]! /= scale;
  });
  return { axes, orders: fineness, values };
}

/** A handful of the points, other ones for every k, with the same total weight. */
function someOf({ points, weights }: WeightedPoints, k: number): WeightedPoints {
  const count = Math.min(6, points.length);
  const chosen = Array.from({ length: count }, (_, i) => Math.floor(((i + ((k * 0.618034) % 1)) * points.length) / count));
  const total = chosen.reduce((sum, i) => sum + weights[i]!, 0);
  return { points: chosen.map((i) => points[i]!), weights: chosen.map((i) => weights[i]! / total) };
}

/** States that take the value of every symbol from one of the given states or another: corners of what may happen. */
function blended(samples: readonly StateSample[], count: number): StateSample[] {
  let random = 1;
  const pick = (): StateSample => {
    random = (random * 48271) % 2147483647;
    return samples[Math.floor((random / 2147483647) * samples.length)]!;
  };
  const symbols = [...samples[0]!.keys()];
  return Array.from({ length: count }, () => new Map(symbols.map((symbol) => [symbol, pick().get(symbol)!])));
}

/** Sorts coordinates by the factor they belong to; a factor of two coordinates is the last of the places. */
function arrangement(places: readonly number[]): (point: readonly number[]) => readonly number[] {
  return (point) => {
    const sorted = places.map((place, i) => ({
      place,
      values: i === places.length - 1 ? point.slice(i) : [point[i]!],
    }));
    return sorted.sort((a, b) => a.place - b.place).flatMap((entry) => entry.values);
  };
}
