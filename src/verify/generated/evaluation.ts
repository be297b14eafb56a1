/**
 * Generated code run at states, in either target: what `kanegen evaluate` prints and what every comparison reads.
 */
import { buildEvaluator } from '../../codegen/c/build-c.ts';
import { chosenForEvaluation } from '../../codegen/choice.ts';
import {
  takeTime,
  type FrameLoad,
  type FurtherFunctions,
  type State,
  type StateResult,
} from '../../codegen/modules/evaluation.ts';
import type { TargetName } from '../../codegen/folder.ts';
import { loadGenerated, loadStraight, type LoadedRobot, type LoadedStraight } from '../../codegen/typescript/load.ts';
import { straightModel } from '../../codegen/whole-robot/straight-model.ts';
import { generateStraightTypeScript } from '../../codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../codegen/typescript/typescript.ts';
import type { Robot } from '../../description/model/robot.ts';
import { waterOf } from '../../description/model/what-acts.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import { loopRows } from '../../codegen/modules/robot-model.ts';
import { KG_OK, KG_UNDEFINED, type Loops } from '../../runtime/driver.ts';
import type { StraightFunctionName, StraightRobot } from '../../straight/straight-robot.ts';

export type { State } from '../../codegen/modules/evaluation.ts';

/** Terms of τ = M q̈ + c + g at one state; SI units, world axes, matrices by rows. */
export type Evaluation = StateResult;

export type Precision = 'double' | 'single';

/** The straight-line functions that an evaluation of the robot takes its terms from. */
export function termFunctions(robot: Robot): readonly StraightFunctionName[] {
  const has = robot.links.some(
    ({ joint, body }) => joint.forces || (body.kind === 'deformable' && FORCES.some((key) => body.type[key])),
  );
  const passive = ['passiveForces', 'stiffness', 'dissipation'] as const;
  const driven = robot.actuators.length > 0 ? (['actuation', 'actuate'] as const) : [];
  const pushed = waterOf(robot).forces ? (['fluid', 'activeInverseDynamics'] as const) : [];
  // Straight-line code has no time.
  const isClosable = robot.loops && !robot.loops.some(({ time }) => time);
  const closed = isClosable
    ? (['constraint', 'constraintJacobian', 'forwardDynamics', 'constrainedForwardDynamics'] as const)
    : [];
  return ['inverseDynamics', 'massMatrix', 'gravity', ...(has ? passive : []), ...pushed, ...driven, ...closed];
}

const FORCES = ['materials', 'solids', 'potential', 'dissipation'] as const;

export interface EvaluationOptions {
  readonly target: TargetName;
  /** `single` for the target `c` only. */
  readonly precision: Precision;
  /** The robot in straight-line form: what its functions compute is then taken from it, the rest from the driver. */
  readonly straight?: StraightRobot | undefined;
  /** What acts on frames at every state. */
  readonly loads?: readonly FrameLoad[];
}

/** The same terms from code that runs. */
export function evaluateRunning(
  robot: Robot,
  dynamics: LoadedRobot,
  states: readonly State[],
  loads: readonly FrameLoad[] = [],
): Evaluation[] {
  const [inWater, rowCount] = [waterOf(robot).forces, loopRows({ robot })];
  return states.map((state) => underLoad(evaluateState(dynamics, robot.tip, state, inWater, loads, rowCount)));
}

/** Code of a robot that is built or loaded. */
export interface RunningRobot {
  evaluate(states: readonly State[]): Promise<Evaluation[]>;
  evaluateAll(states: readonly State[]): Promise<{ terms: Evaluation; further: Pick<FurtherFunctions, 'tipJacobian'> }[]>;
  dispose(): Promise<void>;
}

/**
 * Generates, builds and runs the code of a robot: TypeScript imported in memory, C by the system's compiler.
 * @throws CompilerError when there is no C compiler.
 */
export async function evaluateRobot(
  robot: Robot,
  compiled: CompiledRobot,
  states: readonly State[],
  options: EvaluationOptions,
): Promise<Evaluation[]> {
  const running = await startRobot(robot, compiled, options);
  try {
    return await running.evaluate(states);
  } finally {
    await running.dispose();
  }
}

/** The same for states that depend on earlier results. */
export async function startRobot(
  robot: Robot,
  compiled: CompiledRobot,
  { target, precision, straight, loads = [] }: EvaluationOptions,
): Promise<RunningRobot> {
  if (target === 'c')
    return buildEvaluator(robot, chosenForEvaluation(robot, compiled), { precision }, straight, loads);
  const files = await generateTypeScript(robot, compiled);
  const dynamics = (await loadGenerated(files))();
  const inWater = waterOf(robot).forces;
  const rowCount = loopRows({ robot });
  const model = straight && straightModel(robot, compiled, straight);
  const functions = model && (await loadStraight(files, generateStraightTypeScript(model)));
  const kept = model && model.parameters.length > 0 ? [dynamics.parameters] : [];
  const evaluate = (state: State): Evaluation => {
    const result = evaluateState(dynamics, robot.tip, state, inWater, loads, rowCount);
    if (!functions) return underLoad(result);
    const { qdd, ...terms } = { ...result, ...straightTerms(functions, kept, state, robot.actuators.length) };
    return underLoad({ ...terms, ...(straightLoops(functions, kept, state, terms, rowCount) ?? (qdd && { qdd })) });
  };
  return {
    evaluate: async (states) => states.map(evaluate),
    evaluateAll: async (states) =>
      states.map((state) => ({ terms: evaluate(state), further: { tipJacobian: tipJacobian(dynamics, robot.tip, state) } })),
    dispose: async () => undefined,
  };
}

/**
 * One state through the staged interface of a loaded robot; what cannot be computed is NaN.
 * @param tip index of the frame to report.
 * @param inWater are there forces of water?
 * @param loads forward dynamics takes them in, tau does not.
 * @param rowCount of loops.
 */
export function evaluateState(
  dynamics: LoadedRobot,
  tip: number,
  state: State,
  inWater = false,
  loads: readonly FrameLoad[] = [],
  rowCount = 0,
): Evaluation {
  const n = dynamics.coordinates;
  const vector = (): Float64Array => new Float64Array(n);
  const [tau, c, g, elastic, damping] = [vector(), vector(), vector(), vector(), vector()] as const;
  const matrix = (): Float64Array => new Float64Array(n * n);
  const [M, K, D, active, fluid] = [matrix(), matrix(), matrix(), vector(), vector()] as const;
  const [R, t, energies] = [new Float64Array(9), new Float64Array(3), new Float64Array(3)] as const;
  // What a refusal leaves alone is not a result.
  for (const output of [tau, c, g, elastic, damping, fluid, active, M, K, D, R, t, energies]) output.fill(NaN);
  takeTime(dynamics.parameters, state);
  dynamics.update(state.q, state.qd);
  dynamics.terms(c, g, elastic, damping);
  dynamics.fluid(fluid);
  if (dynamics.inverseDynamicsAndMassMatrix(state.qdd, tau, M) === KG_UNDEFINED) {
    // The sweep marks both: apart, each shows whether it has a value.
    dynamics.massMatrix(M);
    dynamics.inverseDynamics(state.qdd, tau);
  }
  dynamics.activeInverseDynamics(state.qdd, active);
  dynamics.stiffness(K);
  dynamics.dissipation(D);
  dynamics.frame(tip, R, t, null);
  dynamics.energies(energies);
  const driven = dynamics.actuators > 0 ? actuationOf(dynamics, state) : {};
  const load = Float64Array.from(state.forces ?? tau.map((x, a) => x + elastic[a]! + damping[a]! + fluid[a]!));
  if (state.forces && state.u && dynamics.actuators > 0) dynamics.actuate(state.u, load);
  const carried = vector();
  for (const { frame, wrench, follows } of loads) dynamics[follows ? 'externalInFrame' : 'external'](frame, wrench, carried);
  // Without forces of its own a state has those that its motion takes, with and without loads.
  if (state.forces) carried.forEach((x, a) => (load[a]! += x));
  const qdd = vector();
  const closed = rowCount > 0 && loopsOf(dynamics as LoadedRobot & Loops, rowCount, state, load, qdd);
  const isKnown = closed ? closed.isKnown : dynamics.forwardDynamics(load, qdd) === KG_OK;
  return {
    M: rows(M, n),
    c: [...c],
    g: [...g],
    tau: [...tau],
    elastic: [...elastic],
    damping: [...damping],
    ...(inWater && { fluid: [...fluid] }),
    tau_active: [...active],
    ...(loads.length > 0 && { load: [...carried] }),
    stiffness: rows(K, n),
    dissipation: rows(D, n),
    kinetic_energy: energies[0]!,
    potential_energy: energies[1]!,
    elastic_energy: energies[2]!,
    tip_position: [...t],
    tip_rotation: rows(R, 3),
    ...driven,
    ...(isKnown && { qdd: [...qdd] }),
    ...(closed && closed.terms),
  };
}

/** World axes, 6 × n by rows. */
export function tipJacobian(dynamics: LoadedRobot, tip: number, state: State): number[][] {
  const n = dynamics.coordinates;
  const J = new Float64Array(6 * n).fill(NaN);
  takeTime(dynamics.parameters, state);
  dynamics.update(state.q, state.qd);
  dynamics.frame(tip, new Float64Array(9), new Float64Array(3), J);
  return rows(J, n);
}

/** What loops do in the staged state: rows, and accelerations that are written to `qdd`. */
function loopsOf(
  dynamics: LoadedRobot & Loops,
  rowCount: number,
  { feedback }: State,
  load: Float64Array,
  qdd: Float64Array,
): { readonly isKnown: boolean; readonly terms: Partial<Evaluation> } {
  const n = dynamics.coordinates;
  const empty = (count: number): Float64Array => new Float64Array(count).fill(NaN);
  const [phi, rate, bias, multipliers] = [empty(rowCount), empty(rowCount), empty(rowCount), empty(rowCount)] as const;
  const [J, dq, dqd] = [empty(rowCount * n), empty(n), empty(n)] as const;
  const { alpha, beta } = feedback ?? { alpha: 0, beta: 0 };
  const status = dynamics.constrainedForwardDynamics(alpha, beta, load, qdd, multipliers);
  const rank = dynamics.constraintRank();
  // Exact accelerations are refused where rows contradict each other.
  const isKnown = status === KG_OK && (feedback !== undefined || dynamics.forwardDynamics(load, qdd) === KG_OK);
  dynamics.constraint(phi, rate, bias);
  dynamics.constraintJacobian(J);
  dynamics.constraintCorrection(dq, dqd);
  const closure = { phi: [...phi], phi_rate: [...rate], bias: [...bias], J: rows(J, n) };
  const solved = { multipliers: [...multipliers], rank, position_correction: [...dq], rate_correction: [...dqd] };
  return { isKnown, terms: { ...closure, ...solved } };
}

/** What has to overcome the motion where loads take their share. */
function underLoad(result: Evaluation): Evaluation {
  const { load, tau, tau_active: active } = result;
  if (!load) return result;
  const less = (forces: readonly number[]): number[] => forces.map((x, a) => x - load[a]!);
  return { ...result, tau: less(tau), tau_active: less(active) };
}

/** Of the staged state. */
function actuationOf(dynamics: LoadedRobot, { u }: State): Pick<Evaluation, 'y' | 'yd' | 'ydd0' | 'B' | 'actuation'> {
  const { actuators, coordinates: n } = dynamics;
  const [y, yd, ydd0] = [0, 1, 2].map(() => new Float64Array(actuators).fill(NaN)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const B = new Float64Array(n * actuators).fill(NaN);
  const driven = new Float64Array(n).fill(NaN);
  if (dynamics.actuation(y, yd, ydd0, B) === KG_OK) driven.fill(0);
  dynamics.actuate(u ?? new Float64Array(actuators), driven);
  return { y: [...y], yd: [...yd], ydd0: [...ydd0], B: rows(B, actuators), actuation: [...driven] };
}

/** What straight-line functions say of a state: c is what tau leaves without acceleration and gravity; no force that they lack. */
function straightTerms(
  functions: LoadedStraight,
  kept: readonly LoadedRobot['parameters'][],
  state: State,
  actuators = 0,
): Pick<Evaluation, 'M' | 'c' | 'g' | 'tau'> & Partial<Evaluation> {
  const { inverseDynamics, massMatrix, gravity } = functions;
  const { q, qd, qdd, u } = state;
  for (const parameters of kept) takeTime(parameters, state);
  const n = q.length;
  const vector = (): Float64Array => new Float64Array(n);
  const [tau, biased, g, M] = [vector(), vector(), vector(), new Float64Array(n * n)] as const;
  for (const output of [tau, biased, g, M]) output.fill(NaN);
  inverseDynamics!(...kept, q, qd, qdd, tau);
  inverseDynamics!(...kept, q, qd, vector(), biased);
  gravity!(...kept, q, g);
  massMatrix!(...kept, q, M);
  const terms = { M: rows(M, n), c: [...biased].map((b, i) => b - g[i]!), g: [...g], tau: [...tau] };
  const driven = straightActuation(functions, kept, { q, qd, qdd, u: u ?? new Array<number>(actuators).fill(0) });
  return { ...terms, ...straightForces(functions, kept, { q, qd, qdd }), ...driven };
}

/** What loops do, where there are functions for it: under the given forces, or those that the motion takes, as in `evaluateState`. */
function straightLoops(
  { constraint, constraintJacobian, constrainedForwardDynamics, forwardDynamics }: LoadedStraight,
  kept: readonly LoadedRobot['parameters'][],
  { q, qd, u, forces, feedback }: State,
  { tau, elastic, damping, fluid, B, load: carried }: Evaluation,
  rowCount: number,
): Partial<Evaluation> | undefined {
  if (!constrainedForwardDynamics) return undefined;
  const n = q.length;
  const empty = (count: number): Float64Array => new Float64Array(count).fill(NaN);
  const [qdd, multipliers, rank] = [empty(n), empty(rowCount), empty(1)] as const;
  const [phi, rate, bias, J] = [empty(rowCount), empty(rowCount), empty(rowCount), empty(rowCount * n)] as const;
  const driven = (a: number): number => (u && B ? B[a]!.reduce((sum, e, j) => sum + e * u[j]!, 0) : 0);
  const load = Float64Array.from(tau, (own, a) =>
    forces ? forces[a]! + driven(a) + (carried?.[a] ?? 0) : own + elastic[a]! + damping[a]! + (fluid?.[a] ?? 0),
  );
  const { alpha, beta } = feedback ?? { alpha: 0, beta: 0 };
  const status = constrainedForwardDynamics(...kept, alpha, beta, q, qd, load, qdd, multipliers, rank);
  const isKnown = status === KG_OK && (feedback !== undefined || forwardDynamics!(...kept, q, qd, load, qdd) === KG_OK);
  constraint?.(...kept, q, qd, phi, rate, bias);
  constraintJacobian?.(...kept, q, J);
  return {
    ...(isKnown && { qdd: [...qdd] }),
    ...{ multipliers: [...multipliers], rank: rank[0]! },
    ...{ phi: [...phi], phi_rate: [...rate], bias: [...bias], J: rows(J, n) },
  };
}

/** What actuators do, as far as there are functions for it. */
function straightActuation(
  { actuation, actuate }: LoadedStraight,
  kept: readonly LoadedRobot['parameters'][],
  { q, qd, u }: State & Required<Pick<State, 'u'>>,
): Partial<Evaluation> {
  const empty = (count: number): Float64Array => new Float64Array(count).fill(NaN);
  const [y, yd, ydd0, B] = [empty(u.length), empty(u.length), empty(u.length), empty(q.length * u.length)] as const;
  const driven = new Float64Array(q.length);
  if (actuate && actuate(...kept, q, u, driven) !== KG_OK) driven.fill(NaN);
  actuation?.(...kept, q, qd, y, yd, ydd0, B);
  return {
    ...(actuation && { y: [...y], yd: [...yd], ydd0: [...ydd0], B: rows(B, u.length) }),
    ...(actuate && { actuation: [...driven] }),
  };
}

/** Those that there are. */
function straightForces(
  { passiveForces, fluid, activeInverseDynamics, stiffness, dissipation }: LoadedStraight,
  kept: readonly LoadedRobot['parameters'][],
  { q, qd, qdd }: State,
): Partial<Evaluation> {
  const n = q.length;
  const empty = (count: number): Float64Array => new Float64Array(count).fill(NaN);
  const [elastic, damping, active, water] = [empty(n), empty(n), empty(n), empty(n)] as const;
  const [K, D] = [empty(n * n), empty(n * n)] as const;
  passiveForces?.(...kept, q, qd, elastic, damping);
  fluid?.(...kept, q, qd, water);
  activeInverseDynamics?.(...kept, q, qd, qdd, active);
  stiffness?.(...kept, q, K);
  dissipation?.(...kept, q, qd, D);
  return {
    ...(passiveForces && { elastic: [...elastic], damping: [...damping] }),
    ...(fluid && { fluid: [...water] }),
    ...(activeInverseDynamics && { tau_active: [...active] }),
    ...(stiffness && { stiffness: rows(K, n) }),
    ...(dissipation && { dissipation: rows(D, n) }),
  };
}

/**
 * The first number of an evaluation that is not finite, by name: `tau[2]`, `M[0][1]`. Undefined when all are finite, as
 * they are wherever generated code returned KG_OK.
 */
export function firstNotFinite(evaluation: Evaluation): string | undefined {
  const find = (value: unknown, name: string): string | undefined => {
    if (typeof value === 'number') return Number.isFinite(value) ? undefined : name;
    for (const [i, entry] of (value as readonly unknown[]).entries()) {
      const found = find(entry, `${name}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  for (const [name, value] of Object.entries(evaluation) as [string, unknown][]) {
    const found = find(value, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A row-major array as a matrix of `width` columns. */
export function rows(values: ArrayLike<number>, width: number): number[][] {
  return Array.from({ length: values.length / Math.max(width, 1) }, (_, r) =>
    Array.from({ length: width }, (__, c) => values[r * width + c]!),
  );
}
