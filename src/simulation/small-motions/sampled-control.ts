/**
 * Controllers that work in periods, on the robot linearised where they begin and where a run leads: inputs are held between steps, so that
 * gains that are right for a law without periods may let errors grow from step to step.
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK } from '../../runtime/driver.ts';
import { Control } from '../run/control.ts';
import type { ControlChoice } from '../scenario/control-choice.ts';
import type { Phase } from '../scenario/scenario.ts';
import { UndefinedMotion } from '../equilibria/derivatives.ts';
import { linearise, type Linearisation, type StateOfMotion } from './linearise.ts';

export interface SampledStability {
  /** Largest |eigenvalue| of what a period does to an error. */
  readonly spectralRadius: number;
  /** A period, found by halving, with which errors do not grow; s. */
  readonly sufficient: number;
}

export interface ControlledRun {
  readonly robot: Robot;
  /** What controllers compute with; the robot itself when missing. */
  readonly model?: Robot;
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
 * Undefined of robots with loops, and where errors do not grow, would grow without periods as well (which has other reasons), or cannot be told. Integrals count as
 * they stand at the start.
 * @param state at which the robot is linearised, and from when to when it is taken to be near it; where the run begins, for all of it, when missing.
 * @param controlled code of the model.
 */
export function growthByPeriod(
  run: ControlledRun,
  dynamics: LoadedRobot,
  choice: ControlChoice,
  { q, qd, start, end }: ControlledRun = run,
  controlled = dynamics,
): SampledStability | undefined {
  const { robot, model = robot } = run;
  const { period } = choice;
  // Of robots with loops motions are linearised at rest alone, on coordinates that loops leave.
  if (period === undefined || robot.coordinates.length === 0 || robot.loops) return undefined;
  const inputs = (state: readonly number[]): number[] | undefined => {
    // A controller that begins there.
    const control = new Control(model, controlled, choice, run.q, 'law');
    return control.step(start, state.slice(0, q.length), state.slice(q.length)) === KG_OK ? [...control.u] : undefined;
  };
  const given = inputs([...q, ...qd]);
  if (!given) return undefined;
  const linear = linearised(robot, dynamics, { q, qd }, given);
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

/** Parts of a run that are looked at, each by the state in its middle. */
const PARTS = 5;

export interface GrowthInRun extends SampledStability {
  readonly controller: number;
  readonly period: number;
  /** s */
  readonly t: number;
}

/** The same along a run, with the controllers of its phases: where errors would first become ten times as large within a fifth of it. */
export function growthAlongRun(
  run: ControlledRun & { readonly control?: ControlChoice; readonly phases?: readonly Phase[] },
  samples: readonly (StateOfMotion & { readonly t: number })[],
  dynamics: LoadedRobot,
  controlled = dynamics,
): GrowthInRun | undefined {
  const last = samples.at(-1)?.t ?? run.start;
  const length = (last - run.start) / PARTS;
  const stateAt = (t: number): (typeof samples)[0] | undefined =>
    samples.reduce((best, sample) => (Math.abs(sample.t - t) < Math.abs(best.t - t) ? sample : best), samples[0]!);
  for (let part = 0; part < PARTS && length > 0; part++) {
    const sample = stateAt(run.start + (part + 0.5) * length)!;
    const phase = run.phases?.findLast(({ from }) => from <= sample.t);
    const choice = phase ? phase.control : run.control;
    if (choice?.period === undefined) continue;
    const begun = phase ? stateAt(phase.from)! : run;
    const near = { ...run, ...sample, start: sample.t, end: sample.t + length };
    const found = growthByPeriod({ ...run, q: begun.q, qd: begun.qd }, dynamics, choice, near, controlled);
    if (found) return { ...found, controller: choice.controller, period: choice.period, t: sample.t };
  }
  return undefined;
}

/** Undefined where the dynamics have no finite result. */
function linearised(
  robot: Robot,
  dynamics: LoadedRobot,
  state: StateOfMotion,
  inputs: readonly number[],
): Linearisation | undefined {
  try {
    return linearise(robot, dynamics, state, { inputs });
  } catch (error) {
    if (error instanceof UndefinedMotion) return undefined;
    throw error;
  }
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
