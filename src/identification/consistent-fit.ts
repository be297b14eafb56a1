/**
 * The best physical values of all parameters: a convex problem in the parameters themselves. What forces tell, base parameters,
 * is fitted by least squares; barriers (physical-barriers.ts) keep values physical and choose, among those that
 * forces do not tell apart, the ones nearest to the robot file. Newton's method along the path of falling weight of the
 * barriers (Nesterov & Nemirovskii 1994; Boyd & Vandenberghe 2004, sections 9.6 and 11.3), which reaches the only minimum from anywhere.
 */
import { Matrix, QrDecomposition } from 'ml-matrix';
import { baseValue, type BaseParameters } from './base-parameters.ts';
import type { IdentifiedParameter } from './parameters.ts';
import { product } from './least-squares.ts';
import { physicalBarriers, type Barrier, type BarrierModel } from './physical-barriers.ts';

/** Weight of the barriers at the end, in squares of the noise, and of what physical values leave more than others would. */
const LEAST_WEIGHT = 1e-2;
const LEAST_SHARE = 1e-5;
/** A Newton step of this length in the metric of the Hessian squares the distance from the minimum. */
const CLOSE = 0.1;
/** Of the weight from one minimum on the path to the next: more takes more steps where a body is thin. */
const FALL = 3;
const MOST_STEPS = 1000;

export interface ConsistentFit {
  /** SI. */
  readonly values: readonly number[];
  /** Is this the minimum? */
  readonly converged: boolean;
}

/**
 * Minimises ½ ‖R y − b‖² + weight × barriers over parameters x in units of their sizes, y = K x the base parameters.
 * @param rows of (R, b), divided by the noise, in units of the sizes.
 */
export function consistentFit(
  rows: readonly (readonly number[])[],
  parameters: readonly IdentifiedParameter[],
  structure: BaseParameters,
  mostSteps = MOST_STEPS,
): ConsistentFit {
  const problem = new Problem(rows, parameters, structure);
  let x = problem.start;
  let here = problem.at(x)!;
  let weight = Math.max(here.cost, LEAST_WEIGHT);
  let converged = false;
  for (let count = 0; count < mostSteps && !converged; count++) {
    const step = problem.newtonStep(here, weight);
    const next = further(problem, x, step, weight);
    if (!next) break;
    [x, here] = [next.x, next.at];
    if (step.length > CLOSE) continue;
    const least = Math.max(LEAST_WEIGHT, LEAST_SHARE * here.cost);
    converged = weight <= least;
    weight = Math.max(weight / FALL, least);
  }
  const values = x.map((own, i) => {
    const { size, lower, upper } = parameters[i]!;
    return Math.min(Math.max(own * size, lower), upper);
  });
  return { values, converged };
}

interface Point {
  /** R y − b. */
  readonly residual: Matrix;
  /** Half the square of it. */
  readonly cost: number;
  readonly barriers: readonly BarrierModel[];
}

interface Step {
  readonly x: readonly number[];
  /** In the metric of the Hessian over the weight: the Newton decrement. */
  readonly length: number;
}

/** The longest of half, quarter … steps that goes downhill all the way; at the last the one that always does (B. & V., 9.6.4). */
function further(
  problem: Problem,
  x: readonly number[],
  step: Step,
  weight: number,
): { x: number[]; at: Point } | undefined {
  const safe = 1 / (1 + step.length);
  for (let share = 1; ; share /= 2) {
    const isLast = step.length <= CLOSE || share <= safe;
    const taken = step.length <= CLOSE ? 1 : Math.max(share, safe);
    const next = x.map((own, i) => own + taken * step.x[i]!);
    const at = problem.at(next);
    if (at && (isLast || problem.slope(at, step, weight) <= 0)) return { x: next, at };
    if (isLast) return undefined;
  }
}

class Problem {
  readonly start: number[];
  private readonly R: Matrix;
  private readonly b: Matrix;
  /** y = K x. */
  private readonly K: Matrix;
  /** x = T (y, z), z the parameters that no base parameter is called after. */
  private readonly T: Matrix;
  private readonly barriers: readonly Barrier[];

  constructor(
    rows: readonly (readonly number[])[],
    parameters: readonly IdentifiedParameter[],
    { base, without }: BaseParameters,
  ) {
    const [count, p] = [base.length, parameters.length];
    // What the last row of the triangle holds is left by any values.
    const told = rows.slice(0, count);
    this.R = new Matrix(told.map((row) => row.slice(0, count)));
    this.b = Matrix.columnVector(told.map((row) => row[count]!));
    const units = parameters.map((_, i) => parameters.map(({ size }, j) => (i === j ? size : 0)));
    this.K = new Matrix(base.map((own) => units.map((unit) => baseValue(own, unit) / parameters[own.index]!.size)));
    const heads = new Set(base.map(({ index }) => index));
    const rest = parameters.flatMap((_, i) => (heads.has(i) ? [] : [i]));
    this.T = Matrix.zeros(p, p);
    base.forEach(({ index }, j) => this.T.set(index, j, 1));
    rest.forEach((i, k) => {
      this.T.set(i, count + k, 1);
      base.forEach(({ index }, j) => this.T.set(index, count + k, -this.K.get(j, i)));
    });
    const tied = new Set([
      ...without,
      ...base.flatMap(({ index, others }) => (others.length > 0 ? [index] : [])),
      ...rest,
    ]);
    this.barriers = physicalBarriers(parameters, (i) => !tied.has(i));
    this.start = new Array<number>(p).fill(0);
    for (const { indices, start } of this.barriers) indices.forEach((i, j) => (this.start[i] = start[j]!));
  }

  /** @returns undefined where x is not physical. */
  at(x: readonly number[]): Point | undefined {
    const barriers = this.barriers.flatMap((own) => own.at(own.indices.map((i) => x[i]!)) ?? []);
    if (barriers.length < this.barriers.length) return undefined;
    const residual = this.R.mmul(this.K.mmul(Matrix.columnVector(x))).sub(this.b);
    return { residual, cost: residual.dot(residual) / 2, barriers };
  }

  /** In (y, z), what forces tell first: the many orders of magnitude between forces and barriers do no harm that way. */
  newtonStep({ residual, barriers }: Point, weight: number): Step {
    const p = this.T.rows;
    const root = Math.sqrt(weight);
    const all = this.R.to2DArray().map((row) => [...row, ...new Array<number>(p - row.length).fill(0)]);
    const right = residual.to1DArray().map((own) => -own);
    barriers.forEach((own, k) => {
      const { indices } = this.barriers[k]!;
      if (own.rows.length === 0) return;
      const inVariables = new Matrix(own.rows).mmul(this.T.subMatrixRow(indices));
      all.push(...inVariables.mul(root).to2DArray());
      right.push(...own.right.map((value) => -root * value));
    });
    const system = new Matrix(all);
    const variables = new QrDecomposition(system).solve(Matrix.columnVector(right));
    return { x: this.T.mmul(variables).to1DArray(), length: system.mmul(variables).norm() / root };
  }

  /** Of the minimised function along a step. */
  slope({ residual, barriers }: Point, step: Step, weight: number): number {
    const forces = residual.dot(this.R.mmul(this.K.mmul(Matrix.columnVector(step.x))));
    return barriers.reduce((sum, { rows, right }, k) => {
      const own = this.barriers[k]!.indices.map((i) => step.x[i]!);
      return sum + weight * rows.reduce((total, row, r) => total + right[r]! * product(row, own), 0);
    }, forces);
  }
}
