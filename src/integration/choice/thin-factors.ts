/**
 * Thinning of a product rule, group of factors by group: the integrands, summed over all other coordinates, are functions
 * of the coordinates of a group and span a space that far fewer points integrate.
 */
import type { StateSample } from '../rules/compress.ts';
import { gridRule, type SampledFunctions } from './function-space.ts';
import { productRule } from '../rules/rule-factor.ts';
import { thinRule } from './thin-rule.ts';
import type { VolumeIntegrals } from '../rules/volume-integrals.ts';
import type { WeightedPoints } from '../rules/gauss.ts';

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

/** Part of a rule: points in the coordinates of some factors, in that order. */
interface Part {
  readonly factors: readonly number[];
  readonly rule: WeightedPoints;
  readonly isThinned: boolean;
}

/** @returns the thinned rule and what it consists of, or undefined when nothing could be thinned. */
export function thinFactors(
  integrals: VolumeIntegrals,
  orders: readonly number[],
  goal: ThinningGoal,
): { rule: WeightedPoints; description: string } | undefined {
  const { factors, groups } = integrals.layout;
  let parts: readonly Part[] = factors.map((factor, i) => ({
    factors: [i],
    rule: factor.rule(orders[i]!),
    isThinned: false,
  }));
  // Coordinates that are thinned out together are thinned out one by one before, which is far less work.
  const stages = groups.flatMap((group) => (group.length > 1 ? [...group.map((i) => [i]), group] : [group]));
  for (const stage of stages) {
    const own = joined(parts.filter((part) => stage.includes(part.factors[0]!)));
    const others = parts.filter((part) => !stage.includes(part.factors[0]!));
    const functions = sampledOn(integrals, own.factors, orders, joined(others), goal);
    const thin = thinRule(functions, own.rule, goal.tolerance);
    if (thin) parts = [{ factors: own.factors, rule: thin, isThinned: true }, ...others];
  }
  if (!parts.some((part) => part.isThinned)) return undefined;
  const all = joined(parts);
  const description = [...parts]
    .sort((a, b) => a.factors[0]! - b.factors[0]!)
    .map((part) => describePart(integrals, part, orders))
    .join(', ');
  return { rule: { points: all.rule.points.map(arrangement(all.factors)), weights: all.rule.weights }, description };
}

/** The product of parts; a factor of two coordinates comes last. */
function joined(parts: readonly Part[]): Part {
  return {
    factors: parts.flatMap((part) => part.factors),
    rule: productRule(parts.map((part) => part.rule)),
    isThinned: parts.some((part) => part.isThinned),
  };
}

function describePart(
  { layout }: VolumeIntegrals,
  { factors, rule, isThinned }: Part,
  orders: readonly number[],
): string {
  const own = factors.map((i) => layout.factors[i]!);
  if (!isThinned) return own.map((factor, i) => factor.describe(orders[factors[i]!]!)).join(', ');
  return `${rule.weights.length} generalised Gauss points ${own.map((factor) => factor.place).join(' and ')}`;
}

/** The integrands as functions of the coordinates of a group: sums over the others, or, when they are too many, at some. */
function sampledOn(
  integrals: VolumeIntegrals,
  group: readonly number[],
  orders: readonly number[],
  { rule: inner, factors: others }: Part,
  { samples, scales }: ThinningGoal,
): SampledFunctions {
  const axes = group.map((i) => integrals.layout.factors[i]!.axis!);
  // Gauss rules of order n integrate what takes 2n polynomials to write; values between the nodes take some more.
  const fineness = group.map((i, a) => Math.ceil(2.6 * orders[i]!) + (axes[a]!.family === 'periodic' ? 10 : 2));
  const grid = gridRule(axes, fineness);
  const arrange = arrangement([...group, ...others]);
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
  const chosen = Array.from({ length: count }, (_, i) =>
    Math.floor(((i + ((k * 0.618034) % 1)) * points.length) / count),
  );
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
