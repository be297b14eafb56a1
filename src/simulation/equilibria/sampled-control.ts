/**
 * Controllers that work in periods, on the robot linearised where they begin: inputs are held between steps, so that gains that
 * are right for a law without periods may let errors grow from step to step.
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK } from '../../runtime/driver.ts';
import { Control, type ControlChoice } from '../scenario/control.ts';
import { linearise } from './linearise.ts';

export interface SampledStability {
  /** Largest |eigenvalue| of what a period does to an error. */
  readonly spectralRadius: number;
  /** A period, found by halving, with which errors do not grow; s. */
  readonly sufficient: number;
}

export interface ControlledRun {
  readonly robot: Robot;
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** Relative differences by which inputs are differentiated. */
const DIFFERENCE = 1e-6;
/** Real parts of eigenvalues, of the largest eigenvalue: below, the law without periods does not grow. */
const LEAST_GROWTH = 1e-6;
/** What an error has to grow by within the run before anything is said. */
const NOTICEABLE = 10;
const MOST_HALVINGS = 20;

/**
 * Undefined where errors do not grow, would grow without periods as well (which has other reasons), or cannot be told. Integrals count as
 * they stand at the start.
 */
export function growthByPeriod(
  { robot, q, qd, start, end }: ControlledRun,
  dynamics: LoadedRobot,
  choice: ControlChoice,
): SampledStability | undefined {
  const { period } = choice;
  if (period === undefined || robot.coordinates.length === 0) return undefined;
  const inputs = inputsAt(robot, dynamics, choice, { q, start });
  const given = inputs([...q, ...qd]);
  if (!given) return undefined;
  const linear = attempt(() => linearise(robot, dynamics, { q, qd }, { inputs: given }));
  const gains = linear && gainsOf(inputs, [...q, ...qd]);
  if (!gains) return undefined;
  const [A, B] = [linear.A, linear.B].map((rows) => new Matrix(rows as number[][])) as [Matrix, Matrix];
  const continuous = eigenvalues(Matrix.add(A, B.mmul(gains)));
  const fastest = Math.max(...continuous.map(([re, im]) => Math.hypot(re, im)));
  if (!continuous.every(([re]) => re <= LEAST_GROWTH * fastest)) return undefined;
  const radius = (h: number): number =>
    Math.max(...eigenvalues(held(A, B, gains, h)).map(([re, im]) => Math.hypot(re, im)));
  const grows = (h: number): boolean => ((end - start) / h) * Math.log(radius(h)) > Math.log(NOTICEABLE);
  if (!grows(period)) return undefined;
  let sufficient = period / 2;
  for (let i = 0; i < MOST_HALVINGS && grows(sufficient); i++) sufficient /= 2;
  return grows(sufficient) ? undefined : { spectralRadius: radius(period), sufficient };
}

/** u at a state, by a controller that begins there; undefined where it has none. */
function inputsAt(
  robot: Robot,
  dynamics: LoadedRobot,
  choice: ControlChoice,
  { q, start }: Pick<ControlledRun, 'q' | 'start'>,
): (state: readonly number[]) => number[] | undefined {
  return (state) => {
    const control = new Control(robot, dynamics, choice, q);
    return control.step(start, state.slice(0, q.length), state.slice(q.length)) === KG_OK ? [...control.u] : undefined;
  };
}

/** ∂u/∂(q, q̇). */
function gainsOf(
  inputs: (state: readonly number[]) => number[] | undefined,
  state: readonly number[],
): Matrix | undefined {
  const columns = state.map((x, i) => {
    const [up, down] = [1, -1].map((side) => inputs(state.with(i, x + side * DIFFERENCE)));
    return up && down ? up.map((u, j) => (u - down[j]!) / (2 * DIFFERENCE)) : undefined;
  });
  if (!columns.every((column) => column?.every(Number.isFinite))) return undefined;
  return new Matrix(columns as number[][]).transpose();
}

/** What a period does: exp(A h) + ∫ exp(A s) ds B K, from one exponential. */
function held(A: Matrix, B: Matrix, gains: Matrix, h: number): Matrix {
  const [n, m] = [B.rows, B.columns];
  const whole = Matrix.zeros(n + m, n + m);
  whole.setSubMatrix(Matrix.mul(A, h), 0, 0);
  whole.setSubMatrix(Matrix.mul(B, h), 0, n);
  const result = exponential(whole);
  const free = result.subMatrix(0, n - 1, 0, n - 1);
  return free.add(result.subMatrix(0, n - 1, n, n + m - 1).mmul(gains));
}

/** By scaling and squaring of the power series (Higham 2008, Functions of Matrices, ch. 10). */
function exponential(X: Matrix): Matrix {
  const size = Math.max(...X.to2DArray().map((row) => row.reduce((sum, x) => sum + Math.abs(x), 0)));
  const halvings = Math.max(0, Math.ceil(Math.log2(size || 1)) + 2);
  const small = Matrix.mul(X, 2 ** -halvings);
  let term = Matrix.eye(X.rows);
  let sum = Matrix.eye(X.rows);
  for (let k = 1; k <= 16; k++) {
    term = term.mmul(small).div(k);
    sum = Matrix.add(sum, term);
  }
  for (let k = 0; k < halvings; k++) sum = sum.mmul(sum);
  return sum;
}

function eigenvalues(matrix: Matrix): [number, number][] {
  const { realEigenvalues: re, imaginaryEigenvalues: im } = new EigenvalueDecomposition(matrix);
  return re.map((x, i) => [x, im[i]!]);
}

/** Undefined where the dynamics have no finite result. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
