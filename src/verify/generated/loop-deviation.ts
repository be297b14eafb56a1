/**
 * How far results of loops are apart: residuals against the length of the robot; rates, J and second derivatives against the largest
 * of what they consist of; accelerations, multipliers, their forces and corrected rates against the largest of their kind.
 */
import type { Decimal } from 'decimal.js';
import { EigenvalueDecomposition, Matrix, solve } from 'ml-matrix';
import type { Evaluation, State } from './evaluation.ts';

/**
 * How much larger rounding is in multipliers than in what they come from, by the condition of J M⁻¹ Jᵀ scaled to a unit diagonal: codes
 * in different orders of operations are that far apart. At least 1.
 */
export function lossOfRows(
  M: readonly (readonly number[])[],
  J: readonly (readonly number[])[],
  rank: number,
): number {
  if (rank === 0) return 1;
  const rows = new Matrix(J.map((row) => [...row]));
  const system = rows.mmul(solve(new Matrix(M.map((row) => [...row])), rows.transpose()));
  const scales = system.diagonal().map((own) => (own > 0 ? 1 / Math.sqrt(own) : 0));
  const scaled = Matrix.diag(scales).mmul(system).mmul(Matrix.diag(scales));
  const values = new EigenvalueDecomposition(scaled, { assumeSymmetric: true }).realEigenvalues.sort((a, b) => b - a);
  return Math.max(1, (LOST_PER_CONDITION * values[0]!) / values[Math.max(rank, 1) - 1]!);
}

/** Of the tolerance of identities: ten roundings of doubles. */
const LOST_PER_CONDITION = 0.02;

/** Numbers of loops to compare with, as far as they are known. */
export interface ExpectedLoops {
  readonly phi?: readonly Decimal.Value[] | undefined;
  readonly phi_rate?: readonly Decimal.Value[] | undefined;
  readonly bias?: readonly Decimal.Value[] | undefined;
  readonly J?: readonly (readonly Decimal.Value[])[] | undefined;
  readonly rank?: number | undefined;
  readonly qdd?: readonly Decimal.Value[] | undefined;
  /** Of rows that do not depend on others. */
  readonly multipliers?: readonly Decimal.Value[] | undefined;
  /** J' multipliers. */
  readonly constraint_force?: readonly Decimal.Value[] | undefined;
  /** qd after its correction. */
  readonly nearest_qd?: readonly Decimal.Value[] | undefined;
}

/** Of these quantities, the largest error of each entry relative to its scale. @param relative of two numbers, on a scale. */
export function loopDeviations(
  actual: Evaluation,
  expected: ExpectedLoops,
  { qd }: State,
  lengthScale: number,
  relative: (actual: number, expected: Decimal.Value, scale: number) => number,
): readonly { readonly entry: string; readonly error: number }[] {
  const { J = [], multipliers = [] } = actual;
  const largest = (values: readonly Decimal.Value[]): number => Math.max(0, ...values.map((x) => Math.abs(Number(x))));
  const gradient = largest(J.flat());
  const rates = J.map((row) => row.reduce((sum, x, a) => sum + Math.abs(x * qd[a]!), 0));
  const curvature = gradient * qd.reduce((sum, x) => sum + x * x, 0);
  const forces = qd.map((_, a) => J.reduce((sum, row, j) => sum + row[a]! * multipliers[j]!, 0));
  const corrected = qd.map((x, a) => x + (actual.rate_correction?.[a] ?? NaN));
  const compared = (
    name: string,
    found: readonly number[] | undefined,
    due: readonly Decimal.Value[] = [],
    scale = largest(due),
  ): { entry: string; error: number }[] =>
    due.map((x, i) => ({ entry: `${name}[${i}]`, error: relative(found?.[i] ?? NaN, x, scale) }));
  const { rank, bias = [] } = expected;
  return [
    ...compared('phi', actual.phi, expected.phi, lengthScale),
    ...compared('phi_rate', actual.phi_rate, expected.phi_rate, largest(rates)),
    ...compared('bias', actual.bias, bias, Math.max(largest(bias), curvature)),
    ...(expected.J ?? []).flatMap((row, j) => compared(`J[${j}]`, J[j], row, gradient)),
    ...(rank === undefined ? [] : [{ entry: `rank ${actual.rank}`, error: actual.rank === rank ? 0 : Infinity }]),
    ...compared('qdd', actual.qdd, expected.qdd),
    ...compared('multipliers', multipliers, expected.multipliers),
    ...compared("J' multipliers", forces, expected.constraint_force),
    ...compared('nearest_qd', corrected, expected.nearest_qd),
  ];
}
