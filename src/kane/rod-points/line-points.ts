/** How many Gauss–Legendre points integrals along a material line need: at sample configurations by more and more of them. */
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { gaussLegendre } from '../../integration/rules/gauss.ts';

/** On every panel between breaks. */
const POINTS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 48, 64, 96, 128];

/** A configuration of a link, with its parameters, by symbol; and the ends of the panels there. */
export interface LineSample {
  readonly values: ReadonlyMap<Expr, number>;
  readonly ends: readonly number[];
}

/** The same configurations, with the ends of panels evaluated there. */
export function lineSamples(
  { coordinates, time }: BodyType,
  ends: readonly Expr[],
  numbers: ReadonlyMap<Expr, number>,
  configurations: readonly (readonly number[])[],
): LineSample[] {
  return configurations.map((q) => {
    const values = new Map<Expr, number>(numbers);
    coordinates.forEach(({ symbol }, a) => values.set(symbol, q[a]!));
    if (time) values.set(time, 0);
    return { values, ends: evaluate(ends, values) };
  });
}

export interface LineRule {
  /** On every panel. */
  readonly points: number;
  /** Relative to the largest that the sum of absolute values of an integral is at any sample. */
  readonly error: number;
}

/**
 * The fewest points by which all integrals are within the tolerance, or the most where none are: each number is compared with
 * the one after the next.
 * @param least where to begin.
 */
export function linePoints(
  integrands: readonly Expr[],
  axial: Expr,
  samples: readonly LineSample[],
  tolerance: number,
  least = POINTS[0]!,
): LineRule {
  const known = new Map<number, readonly Sums[]>();
  const at = (points: number): readonly Sums[] => {
    const found = known.get(points) ?? samples.map((sample) => sumsOf(integrands, sample, axial, points));
    known.set(points, found);
    return found;
  };
  const more = POINTS.filter((points) => points > least);
  const all = [least, ...more];
  if (all.length < 3) all.push(Math.ceil(1.5 * all.at(-1)!), 2 * all.at(-1)!);
  let rule = { points: least, error: Infinity };
  for (let k = 0; k + 2 < all.length && !(rule.error <= tolerance); k++)
    rule = { points: all[k]!, error: largestError(at(all[k]!), at(all[k + 2]!)) };
  return rule;
}

interface Sums {
  readonly values: readonly number[];
  /** Σ |term|: what errors are measured by. */
  readonly scales: readonly number[];
}

/** Places along the line, with the length that each stands for. */
export function lineRows(
  { ends }: LineSample,
  axial: Expr,
  points: number,
): { readonly columns: ReadonlyMap<Expr, Float64Array>; readonly weights: readonly number[] } {
  const { nodes, weights } = gaussLegendre(points);
  const panels = ends.slice(1).map((to, i) => ({ from: ends[i]!, length: to - ends[i]! }));
  const places = panels.flatMap(({ from, length }) => nodes.map((u) => from + u * length));
  return {
    columns: new Map([[axial, Float64Array.from(places)]]),
    weights: panels.flatMap(({ length }) => weights.map((w) => w * length)),
  };
}

function sumsOf(integrands: readonly Expr[], sample: LineSample, axial: Expr, points: number): Sums {
  const { columns, weights } = lineRows(sample, axial, points);
  const rows = runAlong(integrands, columns, sample.values);
  const total = (f: (value: number) => number): number[] =>
    rows.map((column) => column.reduce((sum, value, i) => sum + f(value) * weights[i]!, 0));
  return { values: total((value) => value), scales: total(Math.abs) };
}

/** Values at the places, a column each. */
export function runAlong(
  values: readonly Expr[],
  columns: ReadonlyMap<Expr, Float64Array>,
  scalars: ReadonlyMap<Expr, number>,
): Float64Array[] {
  const [places] = [...columns.values()];
  const results = values.map(() => new Float64Array(places!.length));
  new RowProgram(values, [...columns.keys()]).run(columns, scalars, places!.length, (first, count, registers) =>
    registers.forEach((register, i) => results[i]!.set(register.subarray(0, count), first)),
  );
  return results;
}

/** Relative to the largest that each integral is at any sample. */
function largestError(coarse: readonly Sums[], fine: readonly Sums[]): number {
  const scales = fine[0]!.scales.map((_, i) => Math.max(...fine.map((sums) => sums.scales[i]!)));
  let largest = 0;
  fine.forEach(({ values }, k) =>
    values.forEach((value, i) => {
      const change = Math.abs(value - coarse[k]!.values[i]!);
      const error = change === 0 ? 0 : change / scales[i]!;
      if (!(error <= largest)) largest = Number.isNaN(error) ? Infinity : error;
    }),
  );
  return largest;
}
