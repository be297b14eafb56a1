/**
 * Integrals ∫ f dm over a volume under rules of one layout, for many states: the integrands are made ready once.
 */
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { call, plus, power, rational, times, type Expr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import type { StateSample } from './compress.ts';
import type { VolumeLayout } from './volume-layout.ts';
import type { WeightedPoints } from './gauss.ts';

export class VolumeIntegrals {
  readonly layout: VolumeLayout;
  /** Number of integrands. */
  readonly count: number;
  private readonly tolerance: number;
  private readonly program: RowProgram;
  private readonly sizes: RowProgram;

  /** @param tolerance relative error that integrals may have. */
  constructor(layout: VolumeLayout, integrands: readonly Expr[], tolerance: number) {
    const symbols = layout.columns.map((column) => column.symbol);
    const placed = substitute(integrands, layout.material);
    this.layout = layout;
    this.tolerance = tolerance;
    this.count = integrands.length;
    this.program = new RowProgram(
      placed.map((f) => times(f, layout.measure)),
      symbols,
    );
    this.sizes = new RowProgram(
      placed.flatMap((f) => [times(call('abs', f), layout.measure), times(termSizes(f), layout.measure)]),
      symbols,
    );
  }

  columns(points: WeightedPoints['points']): Map<Expr, Float64Array> {
    return new Map(this.layout.columns.map(({ symbol, value }) => [symbol, Float64Array.from(points, value)]));
  }

  /** Σ weight · measure · f for every integrand. */
  sums(rule: WeightedPoints, sample: StateSample): Float64Array {
    return weightedSums(this.program, this.count, this.columns(rule.points), rule.weights, sample);
  }

  /**
   * Sizes that errors are relative to: ∫ |f| dm, but never so small that rounding errors of the terms that f is the sum of
   * would exceed the tolerance.
   */
  scales(rule: WeightedPoints, sample: StateSample): Float64Array {
    const both = weightedSums(this.sizes, 2 * this.count, this.columns(rule.points), rule.weights, sample);
    const share = Math.min(1, ROUNDING / this.tolerance);
    return Float64Array.from({ length: this.count }, (_, i) => Math.max(both[2 * i]!, share * both[2 * i + 1]!));
  }

  /**
   * Σ over `inner` of weight · measure · f, for each point of `outer` by itself.
   * @param join coordinates of a point of the volume from those of an outer and an inner point.
   * @returns values of integrand i at the outer points, in result[i].
   */
  partialSums(
    outer: WeightedPoints['points'],
    inner: WeightedPoints,
    join: (outer: readonly number[], inner: readonly number[]) => readonly number[],
    sample: StateSample,
  ): Float64Array[] {
    const results = Array.from({ length: this.count }, () => new Float64Array(outer.length));
    const width = inner.weights.length;
    const points = outer.flatMap((o) => inner.points.map((p) => join(o, p)));
    this.program.run(this.columns(points), sample, points.length, (first, count, registers) => {
      registers.forEach((register, i) => {
        const result = results[i]!;
        for (let row = 0; row < count; row++)
          result[Math.floor((first + row) / width)]! += inner.weights[(first + row) % width]! * register[row]!;
      });
    });
    return results;
  }
}

/** Error that a sum may have, relative to its terms: some thirty roundings. */
const ROUNDING = 1e-14;

function weightedSums(
  program: RowProgram,
  count: number,
  columns: ReadonlyMap<Expr, Float64Array>,
  weights: readonly number[],
  sample: StateSample,
): Float64Array {
  const totals = new Float64Array(count);
  program.run(columns, sample, weights.length, (first, rows, registers) => {
    registers.forEach((register, i) => {
      let sum = 0;
      for (let row = 0; row < rows; row++) sum += weights[first + row]! * register[row]!;
      totals[i]! += sum;
    });
  });
  return totals;
}

/** Σ |terms| of a sum, with the factors around it. */
function termSizes(f: Expr): Expr {
  const absolute = (e: Expr): Expr => call('abs', e);
  if (f.kind === 'sum')
    return plus(
      rational(Rational.absolute(f.constant)),
      ...f.terms.map((t) => times(rational(Rational.absolute(t.coefficient)), absolute(t.term))),
    );
  if (f.kind !== 'product') return absolute(f);
  return times(
    rational(Rational.absolute(f.coefficient)),
    ...f.factors.map(({ base, exponent }) =>
      base.kind === 'sum' && Rational.isOne(exponent) ? termSizes(base) : absolute(power(base, exponent)),
    ),
  );
}

/** Largest |a − b| relative to the scales; infinite where a value is not a number. */
export function largestDifference(a: Float64Array, b: Float64Array, scales: Float64Array): number {
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (difference === 0) continue;
    const error = difference / scales[i]!;
    worst = Number.isNaN(error) ? Infinity : Math.max(worst, error);
  }
  return worst;
}
