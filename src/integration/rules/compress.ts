/**
 * Fewer points for the same integrals: a rule of many points is replaced by some of them with new positive weights, so that
 * the functions that occur are integrated alike.
 *
 * Functions are sampled at states. Their values on candidate points are columns of a least-squares problem with
 * nonnegative weights (`nonnegative-least-squares.ts`), and every state of its solution is a rule with one point more; the
 * first one whose error on states of their own is small enough is taken. By Tchakaloff's theorem there is a solution with
 * no more points than independent functions.
 * Source: A. Sommariva, M. Vianello, Compression of multivariate discrete measures (2015); sparse sketches:
 * J. Nelson, H. L. Nguyên, OSNAP (2013).
 */
import { KanegenError } from '../../common/error.ts';
import { divide, symbol, times, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
import { positiveCombinations, type ColumnMatrix, type PositiveCombination } from './nonnegative-least-squares.ts';
import type { ChosenRule, PointRule } from './point-rule.ts';

/** Values of everything integrands depend on beside the material coordinates: q, parameters. */
export type StateSample = ReadonlyMap<Expr, number>;

export interface Compression {
  /** Functions whose integrals ∫ f dm are to be kept, over material coordinates, q and parameters. */
  readonly integrands: readonly Expr[];
  /** States at which the functions are matched. */
  readonly samples: readonly StateSample[];
  /** Other states, at which the error is measured. */
  readonly fresh: readonly StateSample[];
  /** Largest error wanted of any integral, relative to the largest ∫ |f| dm of the same function at any state. */
  readonly tolerance: number;
}

/** Points from which the rule is chosen at first. Tight tolerances need more: the best rule has points near the boundary. */
const FIRST_CANDIDATES = 6000;
/** Rows of the least-squares problem at first. */
const FIRST_HEIGHT = 256;
/** Of the matrix of the least-squares problem, which is there twice for a moment: 2 × 320 MB. */
const MOST_NUMBERS = 4e7;
/** Each function goes into so many rows of the sketch, with random signs. */
const SPREAD = 8;
/** The error on fresh states is measured whenever the number of points grew by this factor. */
const GROWTH = 1.04;
/** Share of the tolerance that the error on the fresh states may have: few states do not meet the worst of all. */
const SAFETY = 0.2;

/**
 * @returns the smallest rule found that meets the tolerance, or the one of least error with `error` above the tolerance.
 * `trials` is the curve of error against points. Equal calls give equal results.
 * @throws KanegenError `irregular-kinematics` when an integrand is not finite somewhere.
 */
export function compressRule(rule: PointRule, request: Compression): ChosenRule {
  const integrals = new RowIntegrals(rule, request.integrands);
  const scales = largestMagnitudes(integrals, rule, [...request.samples, ...request.fresh]);
  const targets = request.samples.map((state) => integrals.over(integrals.all, state));
  const fresh = request.fresh.map((state) => ({ state, exact: integrals.over(integrals.all, state) }));
  requireFinite(rule, [...targets, ...fresh.map((f) => f.exact)]);
  const trials: { points: number; error: number; description: string }[] = [];
  let best: { readonly chosen: RowSelection; readonly error: number } | undefined;
  let size: ProblemSize | undefined = { height: FIRST_HEIGHT, candidates: Math.min(rule.rows, FIRST_CANDIDATES) };
  while (size) {
    let points = 0;
    for (const chosen of ruleSequence(integrals, rule, { samples: request.samples, targets, scales, size })) {
      const error = Math.max(
        ...fresh.map(({ state, exact }) => largestError(integrals.over(chosen, state), exact, scales)),
      );
      points = chosen.rows.length;
      trials.push({ points, error, description: `${points} of ${rule.rows} points` });
      if (!best || error < best.error) best = { chosen, error };
      if (error <= SAFETY * request.tolerance) return { rule: reducedRule(rule, chosen), error, trials };
    }
    size = enlarged(size, points, rule.rows);
  }
  if (!best)
    throw new KanegenError('tolerance-not-met', `all integrals over ${rule.description} are zero`, {
      remedy: 'check the density and the size of the volume',
    });
  return { rule: reducedRule(rule, best.chosen), error: best.error, trials };
}

function requireFinite({ description }: PointRule, all: readonly Float64Array[]): void {
  if (all.every((values) => values.every(Number.isFinite))) return;
  throw new KanegenError('irregular-kinematics', `an integrand is not finite at a point of ${description}`, {
    remedy: 'limit the coordinates to where the kinematics is defined all over the body',
  });
}

interface ProblemSize {
  /** Mixed conditions. */
  readonly height: number;
  /** Rows of the rule to choose from. */
  readonly candidates: number;
}

/** What to try next after the best rule had so many points: undefined when larger problems would not help or not fit. */
function enlarged({ height, candidates }: ProblemSize, points: number, rows: number): ProblemSize | undefined {
  // With as many points as conditions every condition was met, and there were too few of them.
  const next =
    points > 0.8 * height ? { height: 2 * height, candidates } : { height, candidates: Math.min(rows, 4 * candidates) };
  const grown = next.height > height || next.candidates > candidates;
  return grown && next.height * next.candidates <= MOST_NUMBERS ? next : undefined;
}

/** Positive rules for a sketch of the conditions, of growing size. */
function* ruleSequence(
  integrals: RowIntegrals,
  rule: PointRule,
  conditions: Conditions & { readonly size: ProblemSize },
): Generator<RowSelection> {
  const candidates = candidatesOf(integrals, rule, conditions.size.candidates);
  const { matrix, target } = sketch(integrals, candidates, conditions, conditions.size.height);
  for (const { indices, weights } of growing(positiveCombinations(matrix, target)))
    yield integrals.select(
      indices.map((i) => candidates.rows[i]!),
      weights.map((w, k) => w * candidates.corrections![indices[k]!]!),
    );
}

/** The solutions worth measuring: each with a few percent more points than the one before, and the last. */
function* growing(all: Iterable<PositiveCombination>): Generator<PositiveCombination> {
  let measured = 0;
  let last: PositiveCombination | undefined;
  for (const combination of all) {
    last = combination;
    if (combination.indices.length < measured * GROWTH) continue;
    measured = combination.indices.length;
    yield combination;
    last = undefined;
  }
  if (last) yield last;
}

function largestError(values: Float64Array, exact: Float64Array, scales: Float64Array): number {
  let worst = 0;
  // A function that is zero everywhere has no scale, and no error.
  values.forEach((value, i) => {
    const error = value === exact[i] ? 0 : Math.abs(value - exact[i]!) / scales[i]!;
    worst = Number.isNaN(error) ? Infinity : Math.max(worst, error);
  });
  return worst;
}

// ---------------------------------------------------------------------------------------------- rows and integrals

/** Some rows of a rule, each mass multiplied by a correction. */
interface RowSelection {
  readonly rows: readonly number[];
  readonly corrections: readonly number[] | undefined;
  readonly columns: ReadonlyMap<Expr, Float64Array>;
}

type RowValues = (first: number, count: number, mass: Float64Array, values: readonly Float64Array[]) => void;

/** Many functions at the rows of a rule. */
class RowIntegrals {
  readonly all: RowSelection;
  readonly functions: number;
  private readonly rule: PointRule;
  private readonly program: RowProgram;

  constructor(rule: PointRule, integrands: readonly Expr[]) {
    this.rule = rule;
    this.functions = integrands.length;
    this.program = new RowProgram(
      [rule.mass, ...substitute(integrands, rule.material)],
      rule.columns.map((c) => c.symbol),
    );
    this.all = this.select(Array.from({ length: rule.rows }, (_, row) => row));
  }

  select(rows: readonly number[], corrections?: readonly number[]): RowSelection {
    const columns = this.rule.columns.map(({ symbol: column, values }): [Expr, Float64Array] => [
      column,
      Float64Array.from(rows, (row) => values[row]!),
    ]);
    return { rows, corrections, columns: new Map(columns) };
  }

  /** Corrected masses and the values of all functions, a block of rows at a time. */
  visit({ rows, corrections, columns }: RowSelection, state: StateSample, receive: RowValues): void {
    this.program.run(columns, state, rows.length, (first, count, [mass, ...values]) => {
      // A mass that does not differ between rows stands in a register that is kept.
      const corrected = corrections ? mass!.map((m, i) => m * (corrections[first + i] ?? 0)) : mass!;
      receive(first, count, corrected, values);
    });
  }

  /** ∫ f dm of every function. */
  over(rows: RowSelection, state: StateSample): Float64Array {
    return this.sums(rows, state, (mass, value, count) => {
      let sum = 0;
      for (let row = 0; row < count; row++) sum += mass[row]! * value[row]!;
      return sum;
    });
  }

  /** ∫ |f| dm of every function. */
  magnitudes(rows: RowSelection, state: StateSample): Float64Array {
    return this.sums(rows, state, (mass, value, count) => {
      let sum = 0;
      for (let row = 0; row < count; row++) sum += Math.abs(mass[row]! * value[row]!);
      return sum;
    });
  }

  private sums(
    rows: RowSelection,
    state: StateSample,
    ofBlock: (mass: Float64Array, value: Float64Array, count: number) => number,
  ): Float64Array {
    const sums = new Float64Array(this.functions);
    this.visit(rows, state, (_, count, mass, values) => {
      values.forEach((value, i) => (sums[i] = sums[i]! + ofBlock(mass, value, count)));
    });
    return sums;
  }
}

/** Rows evenly spread over the rule, in its own order; their masses corrected for those left out. */
function candidatesOf(integrals: RowIntegrals, { rows }: PointRule, count: number): RowSelection {
  const chosen = Array.from({ length: count }, (_, k) => Math.floor(((k + 0.5) * rows) / count));
  return integrals.select(
    chosen,
    chosen.map(() => rows / count),
  );
}

/** Per function, the largest ∫ |f| dm over the states. */
function largestMagnitudes(integrals: RowIntegrals, rule: PointRule, samples: readonly StateSample[]): Float64Array {
  const rows = candidatesOf(integrals, rule, Math.min(rule.rows, FIRST_CANDIDATES));
  const largest = new Float64Array(integrals.functions);
  for (const state of samples)
    integrals.magnitudes(rows, state).forEach((value, i) => (largest[i] = Math.max(largest[i]!, value)));
  return largest;
}

interface Conditions {
  readonly samples: readonly StateSample[];
  /** Integrals of every function over the whole rule, per sample. */
  readonly targets: readonly Float64Array[];
  readonly scales: Float64Array;
}

/**
 * The conditions "Σ weight · mass · f(row) = ∫ f dm" of all functions at all samples, mixed into fewer with random signs:
 * errors keep their size but for a factor near one, whatever the functions are.
 */
function sketch(
  integrals: RowIntegrals,
  candidates: RowSelection,
  { samples, targets, scales }: Conditions,
  height: number,
): { readonly matrix: ColumnMatrix; readonly target: Float64Array } {
  const columns = candidates.rows.length;
  /** Condition by condition. */
  const conditions = new Float64Array(height * columns);
  const target = new Float64Array(height);
  const random = randomIntegers();
  samples.forEach((state, sample) => {
    const places = Array.from(scales, (scale) =>
      Array.from({ length: SPREAD }, () => ({
        row: random(height),
        factor: scale > 0 ? (random(2) === 0 ? 1 : -1) / scale : 0,
      })),
    );
    places.forEach((list, i) => {
      for (const { row, factor } of list) target[row] = target[row]! + factor * targets[sample]![i]!;
    });
    integrals.visit(candidates, state, (first, count, mass, functions) => {
      functions.forEach((f, i) => {
        for (const { row, factor } of places[i]!) {
          if (factor === 0) continue;
          for (let k = 0, at = row * columns + first; k < count; k++, at++)
            conditions[at] = conditions[at]! + factor * mass[k]! * f[k]!;
        }
      });
    });
  });
  return { matrix: { height, columns, values: transposed(conditions, height, columns) }, target };
}

/** Columns one after the other, of a matrix with its rows one after the other. */
function transposed(rows: Float64Array, height: number, columns: number): Float64Array {
  const values = new Float64Array(rows.length);
  for (let j = 0; j < columns; j++) for (let i = 0; i < height; i++) values[j * height + i] = rows[i * columns + j]!;
  return values;
}

/** The same sequence of integers below a bound in every run (xorshift, 32 bits). */
function randomIntegers(): (bound: number) => number {
  let state = 0x2545f491;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * bound);
  };
}

// ---------------------------------------------------------------------------------------------- the reduced rule

const CORRECTION: SymbolExpr = symbol('row.correction');

/** A column that is a factor of the mass and nothing else takes the corrections up; otherwise they are a column of their own. */
function reducedRule(rule: PointRule, { rows, corrections }: RowSelection): PointRule {
  const weight = weightColumn(rule);
  const columns = rule.columns.map(({ symbol: column, values }) => ({
    symbol: column,
    values: rows.map((row, k) => values[row]! * (column === weight ? corrections![k]! : 1)),
  }));
  if (!weight) columns.push({ symbol: CORRECTION, values: [...corrections!] });
  return {
    description: `${rows.length} points chosen from ${rule.description}`,
    rows: rows.length,
    columns,
    material: rule.material,
    mass: weight ? rule.mass : times(CORRECTION, rule.mass),
  };
}

function weightColumn({ columns, material, mass }: PointRule): SymbolExpr | undefined {
  const places = [...material.values()];
  return columns
    .map((c) => c.symbol)
    .find((column) => {
      const only = new Set<Expr>([column]);
      if (places.some((e) => dependsOn(e, only))) return false;
      // Linear: the quotient no longer depends on it.
      return dependsOn(mass, only) && !dependsOn(divide(mass, column), only);
    });
}
