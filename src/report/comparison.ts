import { host } from '#host';
import type { Robot } from '../description/model/robot.ts';
import { compileRobot } from '../kane/compile.ts';
import type { CompiledRobot } from '../kane/kernels/link-type.ts';
import { KanegenError } from '../common/error.ts';
import { evaluateRobot, type Evaluation, type State } from '../verify/generated/evaluation.ts';
import { robotScale } from '../verify/independent/robot-scale.ts';
import { sampleStates } from '../verify/independent/sample-states.ts';
import {
  buildExecutable,
  bytesOf,
  demandDerivable,
  driverCode,
  straightCode,
  type DriverCode,
  type Executable,
  type FormulationName,
  type InverseDynamics,
} from './formulation.ts';
import { formulationCost, type ComparedOperations, type FormulationLimits } from './formulation-cost.ts';

export interface ComparisonOptions {
  /** The straight-line formulations wanted; the first is the reference of ratios. */
  readonly formulations: readonly FormulationName[];
  /** Random states, beside the straight and the named ones. */
  readonly states: number;
  readonly seed: number;
  readonly limits: FormulationLimits;
  /** How often each is measured, and for how many seconds TypeScript is called before that at most; 15. */
  readonly rounds?: number;
  readonly progress?: (message: string) => void;
}

/** Times of one call of inverse dynamics, medians of interleaved rounds, ns; null where it was not run. */
interface EvaluationTimes {
  readonly typescript: number | null;
  readonly c: number | null;
}

export interface FormulationReport {
  readonly formulation: FormulationName | 'driver';
  /** From the integrals of the bodies to expressions, s. */
  readonly derivationSeconds: number | null;
  /** From expressions to code in TypeScript and C: optimised, printed, s. */
  readonly generationSeconds: number | null;
  readonly operations: ComparedOperations | null;
  /** Sources without the run time. */
  readonly bytes: { readonly typescript: number; readonly c: number } | null;
  readonly compileSeconds: number | null;
  readonly evaluation: EvaluationTimes;
  /** Largest difference of a torque from the driver's, relative to the terms it is the sum of, over states and targets. */
  readonly difference: number | null;
  /** Why there is no more of it: which limit was passed, and what had been reached. */
  readonly stopped: string | null;
}

export interface Comparison {
  readonly robot: string;
  readonly links: number;
  readonly coordinates: number;
  readonly states: number;
  /** Kinematics and integrals of the bodies, which every formulation starts from, s. */
  readonly integralSeconds: number;
  /** Those asked for, then the driver. */
  readonly formulations: readonly FormulationReport[];
}

const ROUNDS = 15;
/** What one round of one formulation in one language takes, s. */
const ROUND_SECONDS = 0.015;
/** TypeScript is called for so many seconds before it is measured, and until it gets so many times faster. */
const WARM_UP = { least: 0.3, gain: 5 };

/**
 * Derives, builds and runs all formulations of a robot.
 * @throws KanegenError when the robot has no coordinates or no closed form.
 */
export async function compareFormulations(robot: Robot, options: ComparisonOptions): Promise<Comparison> {
  if (robot.coordinates.length === 0)
    throw new KanegenError('nothing-moves', `${robot.name} has no coordinates: there is nothing to compare`, {
      remedy: 'give it a joint or a deformable body',
    });
  demandDerivable(options.formulations, robot);
  const { progress = () => undefined } = options;
  progress(`${robot.name}: integrals`);
  const start = performance.now();
  const compiled = compileRobot(robot);
  const integralSeconds = secondsSince(start);
  const states = sampleStates(robot, options.states, options.seed, robotScale(robot).length / robot.links.length);
  const expected = await evaluateRobot(robot, compiled, states, { target: 'ts', precision: 'double' });
  const driver = await driverCode(robot, compiled);
  const entries: Entry[] = [];
  try {
    for (const name of options.formulations) {
      progress(`${robot.name}: ${name}`);
      entries.push(await prepare(name, robot, compiled, driver, states, options.limits));
    }
    const executable = await buildExecutable(driver, undefined, states);
    entries.push({ report: { ...EMPTY, formulation: 'driver', bytes: bytesOf(driver) }, executable });
    progress(`${robot.name}: evaluation`);
    const times = await timeInterleaved(
      entries.map((entry) => entry.executable),
      states,
      options.rounds ?? ROUNDS,
    );
    const formulations: FormulationReport[] = [];
    for (const [i, { report, executable: built }] of entries.entries()) {
      const difference = built ? await largestDifference(built, states, expected) : null;
      formulations.push({ ...report, evaluation: times[i]!, difference });
    }
    const { name, links, coordinates } = robot;
    return {
      robot: name,
      links: links.length,
      coordinates: coordinates.length,
      states: states.length,
      integralSeconds,
      formulations,
    };
  } finally {
    await Promise.all(entries.map((entry) => entry.executable?.c?.dispose() ?? Promise.resolve()));
  }
}

interface Entry {
  readonly report: FormulationReport;
  readonly executable: Executable | undefined;
}

const EMPTY: Omit<FormulationReport, 'formulation'> = {
  derivationSeconds: null,
  generationSeconds: null,
  operations: null,
  bytes: null,
  compileSeconds: null,
  evaluation: { typescript: null, c: null },
  difference: null,
  stopped: null,
};

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** Derives and builds one formulation as far as the limits allow. */
async function prepare(
  formulation: FormulationName,
  robot: Robot,
  compiled: CompiledRobot,
  driver: DriverCode,
  states: readonly State[],
  limits: FormulationLimits,
): Promise<Entry> {
  const report = { ...EMPTY, formulation };
  const found = formulationCost(formulation, robot, compiled, limits);
  if ('stopped' in found) return { report: { ...report, ...found }, executable: undefined };
  const { model, operations, derivationSeconds, modelSeconds } = found;
  const start = performance.now();
  const code = await straightCode(model);
  const generationSeconds = modelSeconds + secondsSince(start);
  const executable = await buildExecutable(driver, code, states);
  return {
    report: {
      ...report,
      derivationSeconds,
      generationSeconds,
      operations,
      bytes: bytesOf(code),
      compileSeconds: executable.c?.compileSeconds ?? null,
    },
    executable,
  };
}

/** Largest |Δτ_a| / (Σ_b |M_ab q̈_b| + |c_a| + |g_a|) over states, coordinates and targets. */
async function largestDifference(
  { typescript, c }: Executable,
  states: readonly State[],
  expected: readonly Evaluation[],
): Promise<number> {
  const torques = [states.map((state) => callOnce(typescript, state))];
  if (c) torques.push(await c.evaluate());
  let largest = 0;
  states.forEach(({ qdd }, s) => {
    const { M, c: centrifugal, g, tau } = expected[s]!;
    tau.forEach((value, a) => {
      const inertia = M[a]!.reduce((sum, m, b) => sum + Math.abs(m * qdd[b]!), 0);
      const scale = inertia + Math.abs(centrifugal[a]!) + Math.abs(g[a]!);
      for (const list of torques) {
        const difference = Math.abs(list[s]![a]! - value);
        const relative = difference === 0 ? 0 : difference / scale;
        largest = Math.max(largest, Number.isNaN(relative) ? Infinity : relative);
      }
    });
  });
  return largest;
}

function callOnce(call: InverseDynamics, { q, qd, qdd }: State): number[] {
  const tau = new Float64Array(q.length);
  call(Float64Array.from(q), Float64Array.from(qd), Float64Array.from(qdd), tau);
  return [...tau];
}

// ---------------------------------------------------------------------------------------------- times

/** Medians over rounds in which every formulation has its turn in each language, so that all see the same machine. */
async function timeInterleaved(
  executables: readonly (Executable | undefined)[],
  states: readonly State[],
  rounds: number,
): Promise<EvaluationTimes[]> {
  const buffers = states.map((s) => ({
    q: Float64Array.from(s.q),
    qd: Float64Array.from(s.qd),
    qdd: Float64Array.from(s.qdd),
  }));
  const runners = executables.map((executable) => ({
    typescript: executable && new Runner(async (calls) => timeTypeScript(executable.typescript, buffers, calls)),
    c: executable?.c && new Runner((calls) => executable.c!.time(calls)),
  }));
  const all = runners.flatMap(({ typescript, c }) => [typescript, c]).filter((runner) => runner !== undefined);
  for (const { typescript, c } of runners) {
    await typescript?.warmUp(rounds);
    for (let i = 0; c && i < 5; i++) await c.calibrate();
  }
  for (let round = 0; round < rounds; round++) for (const runner of all) await runner.round();
  return runners.map(({ typescript, c }) => ({ typescript: typescript?.median ?? null, c: c?.median ?? null }));
}

/** One formulation in one language. */
class Runner {
  private readonly time: (calls: number) => Promise<number>;
  private readonly nanoseconds: number[] = [];
  private calls = 20;

  constructor(time: (calls: number) => Promise<number>) {
    this.time = time;
  }

  /** Comes closer to as many calls as fill a round. @returns nanoseconds of one call. */
  async calibrate(): Promise<number> {
    const nanoseconds = await this.time(this.calls);
    const filling = Math.round((ROUND_SECONDS * 1e9) / Math.max(nanoseconds, 1));
    this.calls = Math.max(20, Math.min(10 * this.calls, filling));
    return nanoseconds;
  }

  /**
   * Calls until V8 has optimised the function, which takes thousands of calls of a long one and makes them ten times faster.
   * @param most seconds of it.
   */
  async warmUp(most: number): Promise<void> {
    const start = performance.now();
    let slowest = 0;
    for (let seconds = 0; seconds < most; seconds = secondsSince(start)) {
      const nanoseconds = await this.calibrate();
      slowest = Math.max(slowest, nanoseconds);
      if (seconds > WARM_UP.least && nanoseconds < slowest / WARM_UP.gain) break;
    }
    for (let i = 0; i < 3; i++) await this.calibrate();
  }

  async round(): Promise<void> {
    this.nanoseconds.push(await this.time(this.calls));
  }

  get median(): number {
    const sorted = [...this.nanoseconds].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)]!;
  }
}

interface StateBuffers {
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
}

/** Nanoseconds of processor time of one call, going round the states: what else the machine does then counts little. */
function timeTypeScript(call: InverseDynamics, states: readonly StateBuffers[], calls: number): number {
  const tau = new Float64Array(states[0]!.q.length);
  let sum = 0;
  const start = host.processorTime();
  for (let i = 0, k = 0; i < calls; i++) {
    const { q, qd, qdd } = states[k]!;
    call(q, qd, qdd, tau);
    sum += tau[0]!;
    k = k + 1 < states.length ? k + 1 : 0;
  }
  const microseconds = host.processorTime() - start;
  if (Number.isNaN(sum)) throw new Error('inverse dynamics is not finite at a sampled state');
  return (microseconds * 1000) / calls;
}
