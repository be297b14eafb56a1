/**
 * A run of a scenario whose steps the generated C takes: the program runs to its end, and what it printed stands in the place
 * of an integrator, so that samples, events and what is expected are had as in any other run.
 */
import { spawn } from 'node:child_process';
import { buildC, CompilerError, type BuiltProgram } from '../../codegen/c/build-c.ts';
import { motionProgram, type Motion, type SignalForm } from '../../codegen/c/motion-program.ts';
import type { GeneratedFile } from '../../codegen/modules/robot-model.ts';
import { KG_NO_STEP, type Status } from '../../runtime/driver.ts';
import { SPECTRAL_RADIUS } from '../../runtime/generalized-alpha.ts';
import { notConverging } from '../integrators/generalized-alpha.ts';
import { KanegenError } from '../../common/error.ts';
import {
  demand,
  hermite,
  IntegrationFailure,
  INTERRUPTED,
  type IntegrationCounts,
  type Integrator,
} from '../integrators/integrator.ts';
import { RESTLESS } from './ropes.ts';
import { loadComponents } from './loads-as-actuators.ts';
import type { IntegratorChoice } from '../scenario/integrator-choice.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { stopsOf } from '../scenario/jumps.ts';
import type { Signal } from '../scenario/signal.ts';

export const C_INTEGRATORS = ['rosenbrock', 'generalized-alpha', 'cvode', 'ida'] as const;
export type CIntegrator = (typeof C_INTEGRATORS)[number];

/** An AbortSignal, where the platform of a program has the type. */
export type EndSignal = typeof globalThis extends {
  readonly AbortSignal: { readonly prototype: infer Signal extends object };
}
  ? Signal
  : never;

/** Statuses of the program beside those of the robot's functions, see templates/c/motion.c.eta. */
const [MOST_STEPS_REACHED, ENDED_BY_SIGNAL, RESTLESS_ROPES] = [-1, -2, -3];
/** Of what is read of the program. */
const MOST_OUTPUT = 1 << 28;

/** The integrator that is asked for, or that of the scenario. @throws what `refuse` makes of a message where it cannot take the steps. */
export function integratorInC(
  { integrator: { method }, statics, robot }: Pick<Scenario, 'integrator' | 'statics' | 'robot'>,
  asked: string | undefined,
  refuse: (message: string, remedy: string) => Error,
): CIntegrator {
  const usual = method === 'generalized-alpha' ? method : 'rosenbrock';
  const wanted = C_INTEGRATORS.find((known) => known === (asked ?? usual));
  if (!wanted) throw refuse(`unknown integrator ${JSON.stringify(asked)}`, `integrators: ${C_INTEGRATORS.join(', ')}`);
  if (wanted === 'generalized-alpha' && method !== wanted)
    throw refuse(`the integrator ${wanted} needs a scenario with this method and its step`, 'choose another one');
  if (robot.loops && (wanted === 'cvode' || wanted === 'ida'))
    throw refuse(`${wanted} does not keep the loops of the robot`, 'take rosenbrock');
  if (statics) throw refuse('equilibria are found in TypeScript', 'leave the target out');
  if (method === 'implicit-euler')
    throw refuse(
      'C takes steps by tolerance: the method implicit-euler of this scenario has none',
      'run it in TypeScript',
    );
  return wanted;
}

export interface IntegratorInC extends Integrator {
  /** Time of the processor that the program took. */
  readonly seconds: number;
}

/** A state of the motion with its derivative. */
interface Node {
  readonly t: number;
  readonly y: Float64Array;
  readonly slope: Float64Array;
  /** Where a rope switches in the step that ends here; the next node is the state from there. */
  cut?: number;
}

/**
 * Compiles the program of the motion with the robot's C, and runs it.
 * @param generated what `generateC` returned; with derivatives, CVODE and IDA have exact Jacobians.
 * @param robot what that is of: the scenario's, or with loads as actuators (`robotOf`).
 * @param stop ends the program, which then stands for the steps that it took.
 * @throws KanegenError `no-form` where a controller, a phase or a function of a program acts, `no-sundials` and `no-compiler` where they are asked for and not installed; CompilerError.
 */
export async function integrateInC(
  scenario: Scenario,
  generated: readonly GeneratedFile[],
  integrator: CIntegrator,
  robot = scenario.robot,
  stop?: EndSignal,
): Promise<IntegratorInC> {
  const { control, phases, observer } = scenario;
  if (control || phases || observer)
    throw new KanegenError('no-form', 'controllers, observers and phases need a run in TypeScript', {
      remedy: 'remove `--target c`, or write `inputs` instead',
    });
  const isDifferentiated = generated.some(({ path }) => path.endsWith('_generalized_alpha.h'));
  const files = [...generated, await motionProgram(robot, motionOf(scenario, robot), integrator, isDifferentiated)];
  const isTest = (path: string): boolean => path.endsWith('_selftest.c');
  const isSundials = integrator === 'cvode' || integrator === 'ida';
  const options = isSundials ? { libraries: [`sundials_${integrator}`, ...SUNDIALS] } : {};
  const program = await buildC(files, options, isTest).catch(explainMissing(integrator));
  const { output, reason } = await stepsOf(program, stop).finally(() => program.dispose());
  return replayed(output, integrator, 2 * robot.coordinates.length + 2, scenario.integrator, reason);
}

/** What the program prints, and why it was ended, if it was. @param most bytes of it. */
export function stepsOf(
  { executable }: BuiltProgram,
  stop?: EndSignal,
  most = MOST_OUTPUT,
): Promise<{ readonly output: string; readonly reason: string | undefined }> {
  return new Promise((resolve, reject) => {
    const child = spawn(executable, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [parts, problems]: [Buffer[], Buffer[]] = [[], []];
    let size = 0;
    let reason: string | undefined;
    // Once: told a second time, a program does not get to its last line.
    const end = (why: string): void => {
      if (reason !== undefined) return;
      reason = why;
      child.kill('SIGTERM');
    };
    const interrupt = (): void => end(INTERRUPTED);
    stop?.addEventListener('abort', interrupt);
    if (stop?.aborted) interrupt();
    child.stdout.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > most) end(`its steps in C take more than ${Math.ceil(most / 2 ** 20)} MB`);
    });
    child.stderr.on('data', (part: Buffer) => problems.push(part));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      stop?.removeEventListener('abort', interrupt);
      // Ctrl-C reaches the program by itself, too.
      if (signal === 'SIGINT' || signal === 'SIGTERM') reason ??= INTERRUPTED;
      if (code === 0 || reason !== undefined) resolve({ output: Buffer.concat(parts).toString('utf8'), reason });
      else
        reject(
          new Error(
            `the generated program failed: ${Buffer.concat(problems).toString('utf8').trim() || signal || code}`,
          ),
        );
    });
  });
}

export const SUNDIALS = ['sundials_nvecserial', 'sundials_sunlinsoldense', 'sundials_sunmatrixdense'];

function explainMissing(integrator: CIntegrator): (error: unknown) => never {
  return (error) => {
    if (error instanceof CompilerError && error.message.includes('ENOENT'))
      throw new KanegenError('no-compiler', `there is no C compiler \`${process.env['KANEGEN_CC'] ?? 'cc'}\``, {
        remedy: 'install one (Debian: apt-get install gcc), name it in KANEGEN_CC, or remove `--target c`',
      });
    if (
      error instanceof CompilerError &&
      /(cvode|ida)\.h|sundials/.test(error.message) &&
      /No such file|cannot find|not found/.test(error.message)
    )
      throw new KanegenError(
        'no-sundials',
        `--integrator ${integrator}: ${integrator.toUpperCase()} is not installed where the C compiler finds it`,
        {
          remedy: `install SUNDIALS (Debian: apt-get install libsundials-dev), or remove \`--integrator ${integrator}\``,
        },
      );
    throw error;
  };
}

/**
 * @param robot what is compiled: the scenario's, or with loads as actuators (`robotOf`).
 * @throws KanegenError `no-form` where a function of a program acts.
 */
export function motionOf(scenario: Scenario, robot = scenario.robot): Motion {
  const { q, qd, start, end, expectations, every, integrator } = scenario;
  const ends = expectations.map(({ at }) => at).filter((at) => at > start);
  const form = (signal: Signal): SignalForm => {
    if (signal.form) return signal.form;
    throw new KanegenError('no-form', 'functions of a program cannot run in C', {
      remedy: 'write formulas of t or tables in a scenario file',
    });
  };
  const isActuated = robot.actuators.length > scenario.robot.actuators.length;
  const [components, loads] = isActuated ? [loadComponents(scenario), []] : [[], scenario.loads];
  const optional = (signal: Signal | undefined): SignalForm | undefined => signal && form(signal);
  return {
    q,
    qd,
    stops: stopsOf([start, ...ends, end], scenario.jumps ?? []),
    every,
    tolerance: integrator.tolerance,
    step: integrator.step,
    spectralRadius: integrator.spectralRadius ?? SPECTRAL_RADIUS,
    ...(integrator.newmark !== undefined && { newmark: integrator.newmark }),
    exact: integrator.exact === true,
    mostSteps: integrator.mostSteps,
    inputs: [...scenario.inputs.map(optional), ...components.map(({ signal }) => form(signal))],
    forces: scenario.forces.map(optional),
    loads: loads.map(({ frame, follows, moment, force }) => ({
      frame,
      follows,
      wrench: [...moment, ...force].map(form),
    })),
  };
}

/**
 * @param output what the program printed, see templates/c/motion.c.eta.
 * @param reason why it was ended, if it was.
 */
export function replayed(
  output: string,
  name: string,
  size: number,
  integrator: IntegratorChoice,
  reason: string = INTERRUPTED,
): IntegratorInC {
  // What was killed may have ended within a line.
  const lines = output
    .slice(0, output.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  const last = lines.at(-1)?.startsWith('end ')
    ? lines.pop()!
    : `end ${ENDED_BY_SIGNAL} ${Math.max(0, lines.length - 1)} 0 0 0 0`;
  const [status, steps, rejected, evaluations, factorisations, seconds] = last.split(' ').slice(1).map(Number);
  const nodes: Node[] = [];
  for (const line of lines) {
    if (line.startsWith('switch ')) {
      nodes.at(-1)!.cut = Number(line.slice('switch '.length));
      continue;
    }
    const numbers = Float64Array.from(line.split(' '), Number);
    nodes.push({ t: numbers[0]!, y: numbers.subarray(1, 1 + size), slope: numbers.subarray(1 + size) });
  }
  const counts: IntegrationCounts = {
    steps: steps!,
    rejected: rejected!,
    evaluations: evaluations!,
    factorisations: factorisations!,
  };
  let next = 1;
  return {
    name: `${name} in C`,
    counts,
    seconds: seconds!,
    findsSwitches: true,
    advance(from, _start, to, take) {
      while (next < nodes.length && nodes[next]!.t <= to) {
        const [a, b] = [nodes[next - 1]!, nodes[next]!];
        next++;
        // Twice the same time: the derivative before and after a jump. An earlier one: from a switch on.
        if (b.t <= a.t) continue;
        const at = hermite(a.t, b.t, [a.y, a.slope], [b.y, b.slope]);
        if (!take({ from: a.t, to: b.t, y: b.y, at, ...(b.cut !== undefined && { cut: b.cut }) })) return;
      }
      const last = nodes[next - 1];
      const reached = last?.cut ?? last?.t ?? from;
      if (reached >= to) return;
      if (status === ENDED_BY_SIGNAL) throw new IntegrationFailure(reached, reason);
      if (status === MOST_STEPS_REACHED)
        throw new IntegrationFailure(reached, `more than ${integrator.mostSteps} steps`);
      if (status === RESTLESS_ROPES) throw new IntegrationFailure(reached, RESTLESS);
      if (integrator.method === 'generalized-alpha' && status === KG_NO_STEP)
        throw new IntegrationFailure(reached, notConverging(integrator.step!));
      demand(reached, status as Status);
      throw new IntegrationFailure(reached, 'the program in C ended early');
    },
  };
}
