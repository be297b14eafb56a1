/**
 * Laws that every mechanical system obeys, held against the generated code alone: symmetry and definiteness of the mass
 * matrix, the parts of the equations of motion against each other, kinetic energy, the balance of energy along a path,
 * elastic forces against elastic energy, damping that takes energy away.
 */
import { takeTime } from '../../codegen/modules/evaluation.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { ForceTerms } from '../independent/alembert-result.ts';
import type { ForceScales } from '../generated/deviation.ts';
import { evaluateState, rows, type Evaluation, type State } from '../generated/evaluation.ts';
import type { Ledger } from './ledger.ts';
import type { SampledState } from '../independent/sample-states.ts';

/** What numbers of a coordinate are compared on where they vanish at a state: the largest of all states, by coordinate. */
export interface TypicalSizes {
  /** M_aa */
  readonly inertia: readonly number[];
  /** Of `forceScales`. */
  readonly force: readonly ForceScales[];
}

export interface LawContext {
  readonly ledger: Ledger;
  readonly dynamics: LoadedRobot;
  readonly robot: Robot;
  readonly typical: TypicalSizes;
  /** J, of the weight of the robot at its length. */
  readonly energy: number;
  /** What equal sums may differ by, as a multiple of what other formulas may. */
  readonly rounding: number;
  /**
   * What quotients of motions may differ from their derivatives by, relative: rods that are integrated are as exact as was asked for, and
   * what is integrated for the rates is not to the last digit the derivative of what is integrated for the coordinates.
   */
  readonly quotient: number;
}

export const TOLERANCE = { symmetry: 1e-15, identity: 1e-13, order: 1e-14, quotient: 1e-7 } as const;

/** Of the largest force of a coordinate: below, forces that nearly vanish at a state are rounding errors. */
export const LEAST_FORCE = 1e-3;
/** The same of √M_aa. */
export const LEAST_INERTIA = 1e-6;

export const LAWS = {
  symmetric: 'M is symmetric',
  definite: 'M is positive definite',
  singular: "M is singular where D'Alembert's principle has motions without mass",
  parts: 'tau = M q̈ + c + g, each from its own sweep',
  forward: 'forward dynamics finds the accelerations again',
  functions: 'one-call functions agree with the staged ones',
  kinetic: '½ q̇ᵀ M q̇ is the kinetic energy',
  power: 'd(T + V)/dt = q̇ᵀ tau along a path',
  stored: 'dE/dt = q̇ᵀ elastic of the elastic energy along a path',
  dissipation: 'damping takes energy away',
} as const;

const ratioOf = (difference: number, scale: number): number =>
  difference === 0 ? 0 : Number.isFinite(scale) ? Math.abs(difference) / scale : Infinity;

/**
 * What sums over material points consist of, however much of them cancels. By Cauchy and Schwarz Σ_b √(M_aa M_bb) |q̈_b| bounds
 * Σ_b |M_ab q̈_b|; for c and g the independent evaluation has such sums. Of terms that cancel, c and g are measured by their own
 * alone.
 * @param terms where they are those of another state, c and g themselves count if they are larger.
 */
export function forceScales(
  { M, c, g }: Pick<Evaluation, 'M' | 'c' | 'g'>,
  qdd: readonly number[],
  terms: readonly ForceTerms[],
): ForceScales[] {
  return terms.map((own, a) => {
    const inertia = M[a]!.reduce((sum, m, b) => sum + Math.abs(m * qdd[b]!), 0);
    const inertiaTerms = M.reduce((sum, row, b) => sum + Math.sqrt(M[a]![a]! * row[b]!) * Math.abs(qdd[b]!), 0);
    const [motion, gravity] = [Math.abs(c[a]!), Math.abs(g[a]!)];
    const motionTerms = Math.max(motion, own.motion);
    const gravityTerms = Math.max(gravity, own.gravity);
    return {
      tau: inertiaTerms + motionTerms + gravityTerms,
      c: inertia + motionTerms + gravity,
      g: inertia + motion + gravityTerms,
    };
  });
}

/** The same, where they vanish at a state a little of what is typical. */
export function scalesWithLeast(
  result: Pick<Evaluation, 'M' | 'c' | 'g'>,
  { qdd, terms }: Pick<MeasuredState, 'qdd' | 'terms'>,
  { force }: TypicalSizes,
): ForceScales[] {
  return forceScales(result, qdd, terms).map(({ tau, c, g }, a) => ({
    tau: tau + LEAST_FORCE * force[a]!.tau,
    c: c + LEAST_FORCE * force[a]!.c,
    g: g + LEAST_FORCE * force[a]!.g,
  }));
}

/** A state that is looked at, and what the forces there consist of. */
export interface MeasuredState extends SampledState {
  readonly terms: readonly ForceTerms[];
}

/**
 * @param pivot smallest pivot of the mass matrix by the independent evaluation; undefined where there is none.
 */
export function checkLaws(
  context: LawContext,
  state: MeasuredState,
  result: Evaluation,
  pivot: number | undefined,
): void {
  const { ledger, typical, rounding } = context;
  const { M, c, g, tau } = result;
  const n = tau.length;
  const where = (entry: string): string => `${entry}, ${state.name}`;
  for (let a = 0; a < n; a++)
    for (let b = 0; b < a; b++) {
      const error = ratioOf(M[a]![b]! - M[b]![a]!, Math.sqrt(M[a]![a]! * M[b]![b]!));
      ledger.note(LAWS.symmetric, TOLERANCE.symmetry, error, where(`M[${a}][${b}]`));
    }
  if (n > 0) checkDefiniteness(ledger, state, M, pivot);
  const scales = scalesWithLeast(result, state, typical);
  for (let a = 0; a < n; a++) {
    const sum = M[a]!.reduce((total, m, b) => total + m * state.qdd[b]!, c[a]! + g[a]!);
    ledger.note(LAWS.parts, rounding * TOLERANCE.identity, ratioOf(tau[a]! - sum, scales[a]!.tau), where(`tau[${a}]`));
  }
  // Of robots with loops: see loop-check.ts.
  if (context.robot.loops) return checkRest(context, state, result);
  if (n > 0 && result.qdd) checkForward(context, state, result, result.qdd);
  // Where every motion moves mass there are accelerations.
  else if (n > 0 && Math.min(pivot ?? 1, smallestPivot(M)) > NO_PIVOT)
    ledger.note(LAWS.forward, TOLERANCE.identity, Infinity, where('forwardDynamics'), 'no accelerations');
  checkRest(context, state, result);
}

/** What does not ask for accelerations. */
function checkRest(context: LawContext, state: MeasuredState, result: Evaluation): void {
  const { ledger, rounding } = context;
  checkFunctions(context, state, result);
  checkKineticEnergy(context, state, result);
  const taken = result.damping.reduce((sum, d, a) => sum + d * state.qd[a]!, 0);
  const size = result.damping.reduce((sum, d, a) => sum + Math.abs(d * state.qd[a]!), 0);
  // Of a body that moves with the time by itself some of the power is not that of its coordinates.
  if (size > 0 && state.t === undefined)
    ledger.note(
      LAWS.dissipation,
      rounding * TOLERANCE.identity,
      ratioOf(Math.max(0, -taken), size),
      `q̇ᵀ damping, ${state.name}`,
    );
}

/** By the forces that the difference of accelerations takes: those of the dense mass matrix. What passive forces take away counts among the terms. */
function checkForward(
  { ledger, dynamics, typical, rounding }: LawContext,
  state: MeasuredState,
  { M, c, g, elastic, damping, fluid }: Evaluation,
  found: readonly number[],
): void {
  takeTime(dynamics.parameters, state);
  dynamics.update(state.q, state.qd);
  const solved = new Float64Array(found.length);
  const inertial = M.map((row) => row.reduce((sum, m, b) => sum + m * state.qdd[b]!, 0));
  dynamics.solveMass(1, inertial, solved);
  const passive = M.map((_, a) => Math.abs(elastic[a]!) + Math.abs(damping[a]!) + Math.abs(fluid?.[a] ?? 0));
  for (const [name, result, taken] of [
    ['forwardDynamics', found, passive],
    ['solveMass', solved, M.map(() => 0)],
  ] as const) {
    const largest = { ...state, qdd: state.qdd.map((x, a) => Math.max(Math.abs(x), Math.abs(result[a]!))) };
    const scales = scalesWithLeast({ M, c, g }, largest, typical);
    M.forEach((row, a) => {
      const force = row.reduce((sum, m, b) => sum + m * (result[b]! - state.qdd[b]!), 0);
      const entry = `${name} ${a}, ${state.name}`;
      ledger.note(LAWS.forward, rounding * TOLERANCE.identity, ratioOf(force, scales[a]!.tau + taken[a]!), entry);
    });
  }
}

/** Scaled pivots that are this small may as well be none, by the rounding of what they are differences of. */
const NO_PIVOT = 1e-11;

/**
 * M is definite unless a motion of the coordinates moves no mass. Some robots have such places; the independent evaluation
 * knows them, and what is left there is that M has no negative pivot.
 */
function checkDefiniteness(
  ledger: Ledger,
  state: SampledState,
  M: Evaluation['M'],
  expected: number | undefined,
): void {
  const pivot = smallestPivot(M);
  const size = `smallest scaled pivot ${pivot.toExponential(1)}`;
  if (expected !== undefined && expected < NO_PIVOT) {
    const absence = `some motion moves no mass at ${state.name}`;
    ledger.absent(LAWS.definite, absence);
    const error = Math.abs(pivot - expected) / NO_PIVOT;
    ledger.note(LAWS.singular, 1, error, state.name, error <= 1 ? absence : size);
    return;
  }
  // The smallest is told.
  ledger.note(LAWS.definite, 1, pivot > 0 ? 1 - Math.min(pivot, 1) : 2 - pivot, state.name, size);
}

/** Staged functions one by one, and those for one call, against the evaluation of the state. */
function checkFunctions(
  { ledger, dynamics, typical, rounding }: LawContext,
  state: MeasuredState,
  result: Evaluation,
): void {
  const n = result.tau.length;
  const vector = (): Float64Array => new Float64Array(n);
  const matrix = (): Float64Array => new Float64Array(n * n);
  takeTime(dynamics.parameters, state);
  const forces: [string, Float64Array, readonly number[], 'tau' | 'g'][] = [];
  const matrices: [string, Float64Array][] = [];
  const force = (
    name: string,
    expected: readonly number[],
    call: (out: Float64Array) => void,
    quantity: 'tau' | 'g' = 'tau',
  ): void => {
    const out = vector();
    call(out);
    forces.push([name, out, expected, quantity]);
  };
  const inertia = (name: string, call: (out: Float64Array) => void): void => {
    const out = matrix();
    call(out);
    matrices.push([name, out]);
  };
  const { q, qd, qdd } = state;
  dynamics.update(q, qd);
  force('inverseDynamics', result.tau, (out) => dynamics.inverseDynamics(qdd, out));
  const active = result.tau.map((x, a) => x + result.elastic[a]! + result.damping[a]! + (result.fluid?.[a] ?? 0));
  force('activeInverseDynamics', active, (out) => dynamics.activeInverseDynamics(qdd, out));
  const inertial = result.tau.map((x, a) => x - result.g[a]!);
  force('inertialInverseDynamics', inertial, (out) => dynamics.inertialInverseDynamics(qdd, out));
  inertia('massMatrix', (out) => dynamics.massMatrix(out));
  force('inverseDynamicsAt', result.tau, (out) => dynamics.inverseDynamicsAt(q, qd, qdd, out));
  force('gravityAt', result.g, (out) => dynamics.gravityAt(q, out), 'g');
  inertia('massMatrixAt', (out) => dynamics.massMatrixAt(q, out));
  const tolerance = rounding * TOLERANCE.order;
  const scales = scalesWithLeast(result, state, typical);
  for (const [name, found, expected, quantity] of forces)
    for (let a = 0; a < n; a++) {
      const passive = name.startsWith('active')
        ? Math.abs(result.elastic[a]!) + Math.abs(result.damping[a]!) + Math.abs(result.fluid?.[a] ?? 0)
        : 0;
      const scale = scales[a]![quantity] + passive;
      ledger.note(LAWS.functions, tolerance, ratioOf(found[a]! - expected[a]!, scale), `${name} ${a}, ${state.name}`);
    }
  const size = result.M.map((row, a) => Math.sqrt(row[a]!) + LEAST_INERTIA * Math.sqrt(typical.inertia[a]!));
  for (const [name, found] of matrices)
    rows(found, n).forEach((row, a) =>
      row.forEach((m, b) => {
        const error = ratioOf(m - result.M[a]![b]!, size[a]! * size[b]!);
        ledger.note(LAWS.functions, tolerance, error, `${name} ${a} ${b}, ${state.name}`);
      }),
    );
}

/** Kinetic energy as a polynomial T_0 + λ T_1 + λ² T_2 of a factor λ of all rates; T_0 = T_1 = 0 unless the time moves something. */
function kineticParts(dynamics: LoadedRobot, state: State): { constant: number; quadratic: number; total: number } {
  const energy = new Float64Array(3);
  const [after, before, constant] = [1, -1, 0].map((factor) => {
    dynamics.update(
      state.q,
      state.qd.map((v) => factor * v),
    );
    dynamics.energies(energy);
    return energy[0]!;
  }) as [number, number, number];
  return { constant, quadratic: (after + before) / 2 - constant, total: after };
}

function checkKineticEnergy(
  { ledger, dynamics, typical, rounding }: LawContext,
  state: SampledState,
  result: Evaluation,
): void {
  const { M } = result;
  let quadratic = 0;
  let size = 0;
  M.forEach((row, a) =>
    row.forEach((m, b) => {
      quadratic += (state.qd[a]! * m * state.qd[b]!) / 2;
      size += Math.abs(state.qd[a]! * m * state.qd[b]!) / 2;
    }),
  );
  const motion = state.qd.reduce((sum, v, a) => sum + Math.sqrt(typical.inertia[a]!) * Math.abs(v), 0);
  const { constant, quadratic: found, total } = kineticParts(dynamics, state);
  const scale = size + constant + total + (LEAST_INERTIA * motion) ** 2;
  const error = ratioOf(found - quadratic, scale);
  if (state.qd.length > 0) ledger.note(LAWS.kinetic, rounding * TOLERANCE.identity, error, `T, ${state.name}`);
}

// ---------------------------------------------------------------------------------------------- along a path

/** Of the path on either side of the state, s. */
const STEP = 2e-3;
export const PATH_ENDS = [-3 * STEP, 3 * STEP] as const;

/** q + q̇ t + q̈ t²/2 */
export const alongPath = ({ q, qd, qdd }: State, t: number): number[] =>
  q.map((x, i) => x + qd[i]! * t + (qdd[i]! * t * t) / 2);

/** d/dt at 0 of a function of time, to sixth order: (45 Δ_1 − 9 Δ_2 + Δ_3)/(60 h) with Δ_k = f(kh) − f(−kh). */
export function derivative(f: (t: number) => number): number {
  const [one, two, three] = [1, 2, 3].map((k) => f(k * STEP) - f(-k * STEP)) as [number, number, number];
  return (45 * one - 9 * two + three) / (60 * STEP);
}

/**
 * dE/dt = q̇ᵀ τ − ∂L/∂t for the generalized energy E = q̇ᵀ ∂L/∂q̇ − L = T_2 − T_0 + V: without explicit time T + V and no
 * last term.
 */
export function checkPower(
  { ledger, dynamics, robot, typical, energy, rounding, quotient }: LawContext,
  state: MeasuredState,
): void {
  const { qd, qdd, t: time } = state;
  const at = (seconds: number, path: number) => {
    const moved: State = {
      q: alongPath(state, path),
      qd: qd.map((v, i) => v + qdd[i]! * path),
      qdd,
      ...(time !== undefined && { t: time + seconds }),
    };
    const { potential_energy: potential, elastic_energy: stored } = evaluateState(dynamics, robot.tip, moved);
    return { ...kineticParts(dynamics, moved), potential, stored };
  };
  const rate = derivative((t) => {
    const { quadratic, constant, potential } = at(t, t);
    return quadratic - constant + potential;
  });
  const explicit = time === undefined ? 0 : derivative((t) => at(t, 0).total - at(t, 0).potential);
  const result = evaluateState(dynamics, robot.tip, state);
  const power = result.tau.reduce((sum, force, a) => sum + force * qd[a]!, 0) - explicit;
  const scales = scalesWithLeast(result, state, typical);
  const scale = qd.reduce(
    (sum, v, a) => sum + Math.abs(v) * scales[a]!.tau,
    result.kinetic_energy + energy + Math.abs(explicit),
  );
  const elasticSize = qd.reduce((sum, v, a) => sum + Math.abs(v * result.elastic[a]!), Math.abs(result.elastic_energy));
  if (elasticSize > 0) {
    // The time stands still: what moves with it alone does work of its own.
    const difference = derivative((t) => at(0, t).stored) - result.elastic.reduce((sum, f, a) => sum + f * qd[a]!, 0);
    const tolerance = Math.max(TOLERANCE.quotient, rounding * 1e-10);
    ledger.note(LAWS.stored, tolerance, ratioOf(difference, elasticSize + energy), `power of elastic, ${state.name}`);
  }
  ledger.note(LAWS.power, Math.max(quotient, rounding * 1e-10), ratioOf(rate - power, scale), `power, ${state.name}`);
}

// ---------------------------------------------------------------------------------------------- definiteness

/**
 * Smallest pivot of the Cholesky factorisation of M scaled to a unit diagonal; not positive when M is not definite. A
 * coordinate whose row vanishes has the pivot 0, and the others are looked at without it.
 */
export function smallestPivot(M: readonly (readonly number[])[]): number {
  if (M.some((row) => !row.every(Number.isFinite))) return -Infinity;
  const diagonal = M.map((row, a) => row[a]!);
  if (diagonal.some((m) => m < 0)) return -Infinity;
  const scale = diagonal.map(Math.sqrt);
  const A = M.map((row, a) => row.map((m, b) => (m === 0 ? 0 : m / (scale[a]! * scale[b]!))));
  if (A.some((row) => !row.every(Number.isFinite))) return -Infinity;
  let smallest = 1;
  for (let k = 0; k < M.length; k++) {
    const pivot = A[k]![k]!;
    smallest = Math.min(smallest, pivot);
    // What is left of a motion that moves no mass: nothing to eliminate.
    if (Math.abs(pivot) < NO_PIVOT) continue;
    for (let i = k + 1; i < M.length; i++) {
      const factor = A[i]![k]! / pivot;
      for (let j = k + 1; j < M.length; j++) A[i]![j]! -= factor * A[k]![j]!;
    }
  }
  return smallest;
}
