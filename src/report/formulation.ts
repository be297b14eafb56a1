/**
 * The ways to the equations of motion that a comparison puts side by side: how each is derived, and its inverse dynamics
 * as code that can be called, in TypeScript and in C.
 */
import { buildC, CompilerError, runProgram, timeCompiler, type BuiltProgram } from '../codegen/c/build-c.ts';
import { generateC } from '../codegen/c/c.ts';
import { chooseFunctions } from '../codegen/choice.ts';
import { loadTemplates } from '../codegen/c-language/templates.ts';
import { loadGenerated, loadStraight, type LoadedRobot } from '../codegen/typescript/load.ts';
import { robotModel, type GeneratedFile } from '../codegen/modules/robot-model.ts';
import { generatedCost } from '../codegen/whole-robot/straight-cost.ts';
import { generateStraightC } from '../codegen/c/straight-c.ts';
import type { StraightModel } from '../codegen/whole-robot/straight-model.ts';
import { generateStraightTypeScript } from '../codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../codegen/typescript/typescript.ts';
import { KanegenError } from '../common/error.ts';
import type { Robot } from '../description/model/robot.ts';
import type { CompiledRobot } from '../kane/kernels/link-type.ts';
import { compileLagrange, demandEnergies } from '../lagrange/compile.ts';
import { compileStraight, demandStraight } from '../straight/compile.ts';
import type { StraightRobot } from '../straight/straight-robot.ts';
import type { State } from '../verify/generated/evaluation.ts';

/** Straight-line formulations, the one that others are measured against first. */
export type FormulationName = 'recursion' | 'lagrange' | 'christoffel';

export const FORMULATIONS: Readonly<Record<FormulationName, string>> = {
  recursion: 'recursion (Kane)',
  lagrange: 'Lagrange, algorithmic',
  christoffel: 'Lagrange, Christoffel',
};

/** @throws KanegenError `not-supported` at what a formulation cannot be derived of, as the description tells. */
export function demandDerivable(names: readonly FormulationName[], robot: Robot): void {
  refused(() => demandStraight(robot), 'leave it out: all formulations that are compared are straight-line code');
  if (names.some((name) => name !== 'recursion'))
    refused(() => demandEnergies(robot), 'compare the recursion with the driver alone: --formulations recursion');
}

/** With what to do about it where formulations are compared. */
function refused(demand: () => void, remedy: string): void {
  try {
    demand();
  } catch (error) {
    if (!(error instanceof KanegenError) || !error.location) throw error;
    throw new KanegenError(error.code, error.message, { remedy, location: error.location });
  }
}

export function derive(name: FormulationName, robot: Robot, checkpoint: (reached: string) => void): StraightRobot {
  const functions = ['inverseDynamics'] as const;
  if (name !== 'recursion')
    return compileLagrange(robot, {
      method: name === 'lagrange' ? 'algorithmic' : 'christoffel',
      functions,
      checkpoint,
    });
  return compileStraight(robot, {
    functions,
    count: generatedCost,
    checkpoint: () => checkpoint('a form of the recursion'),
  });
}

/** Inverse dynamics: reads q, qd, qdd, writes tau, all of the robot's size. */
export type InverseDynamics = (q: Float64Array, qd: Float64Array, qdd: Float64Array, tau: Float64Array) => void;

/** The driver of a robot with one module per link type, as far as it is called. */
export interface DriverCode {
  /** Identifier of the robot. */
  readonly name: string;
  readonly coordinates: number;
  readonly typescript: readonly GeneratedFile[];
  readonly c: readonly GeneratedFile[];
}

/** Its inverse dynamics in one call, and no more. */
export async function driverCode(robot: Robot, compiled: CompiledRobot): Promise<DriverCode> {
  const alone = chooseFunctions(robot, compiled, ['inverse-dynamics-at']);
  return {
    name: robotModel(robot, alone).name,
    coordinates: robot.coordinates.length,
    typescript: await generateTypeScript(robot, alone),
    c: await generateC(robot, alone),
  };
}

/** Straight-line inverse dynamics beside the driver. */
export interface StraightCode {
  readonly typescript: GeneratedFile;
  readonly c: readonly GeneratedFile[];
  /** Does it read run-time parameters? */
  readonly keepsParameters: boolean;
}

export async function straightCode(model: StraightModel): Promise<StraightCode> {
  return {
    typescript: generateStraightTypeScript(model),
    c: await generateStraightC(model),
    keepsParameters: model.parameters.length > 0,
  };
}

/** Bytes of the sources without run time, build files and tests. */
export function bytesOf(code: { typescript: GeneratedFile | readonly GeneratedFile[]; c: readonly GeneratedFile[] }): {
  typescript: number;
  c: number;
} {
  const total = (files: readonly GeneratedFile[]): number =>
    files
      .filter((file) => /\.(ts|c|h)$/.test(file.path) && !/runtime|selftest/.test(file.path))
      .reduce((sum, file) => sum + new TextEncoder().encode(file.text).length, 0);
  return { typescript: total([code.typescript].flat()), c: total(code.c) };
}

/** Inverse dynamics ready to be called; `c` is missing where there is no C compiler. */
export interface Executable {
  readonly typescript: InverseDynamics;
  readonly c: CProgram | undefined;
}

interface CProgram {
  /** Wall time of the C compiler for the straight-line source, s; not measured for the driver's. */
  readonly compileSeconds: number | undefined;
  /** tau at each state. */
  evaluate(): Promise<number[][]>;
  /** Nanoseconds of one call, going round the states. */
  time(calls: number): Promise<number>;
  dispose(): Promise<void>;
}

/**
 * @param straight its inverse dynamics, or the driver's in one call without it.
 * @param states that the C program will go round.
 */
export async function buildExecutable(
  driver: DriverCode,
  straight: StraightCode | undefined,
  states: readonly State[],
): Promise<Executable> {
  const { name } = driver;
  const dynamics: LoadedRobot = (await loadGenerated(driver.typescript))();
  if (!straight) {
    const call = `${name}_inverse_dynamics_at(&w, &${name}_defaults, q, qd, qdd, tau)`;
    return {
      typescript: (q, qd, qdd, tau) => dynamics.inverseDynamicsAt(q, qd, qdd, tau),
      c: await buildProgram(driver, [], { header: `${name}.h`, call, workspace: true, driver: true }, states),
    };
  }
  const { inverseDynamics } = await loadStraight(driver.typescript, straight.typescript);
  const { parameters } = dynamics;
  const kept = straight.keepsParameters ? `&${name}_defaults, ` : '';
  const call = `${name}_straight_inverse_dynamics(${kept}q, qd, qdd, tau)`;
  const main = { header: `${name}_straight.h`, call, workspace: false, driver: straight.keepsParameters };
  return {
    typescript: straight.keepsParameters
      ? (q, qd, qdd, tau) => inverseDynamics!(parameters, q, qd, qdd, tau)
      : (inverseDynamics as unknown as InverseDynamics),
    c: await buildProgram(driver, straight.c, main, states),
  };
}

interface MainProgram {
  readonly header: string;
  /** Does the call need the driver, which defines the parameters by default, too? */
  readonly driver: boolean;
  /** The call that is timed, a C expression over q, qd, qdd, tau. */
  readonly call: string;
  readonly workspace: boolean;
}

async function buildProgram(
  { name, coordinates, c }: DriverCode,
  straight: readonly GeneratedFile[],
  main: MainProgram,
  states: readonly State[],
): Promise<CProgram | undefined> {
  const render = await loadTemplates();
  const text = render('compare.c', { ...main, name, n: coordinates, states: states.length });
  const files = [...c, ...straight, { path: 'compare.c', text }];
  try {
    const compileSeconds = straight.length > 0 ? await timeCompiler(files, `${name}_straight.c`) : undefined;
    const isNeeded = (path: string): boolean => /^(kanegen_.*|compare)\.c$/.test(path) || path === `${name}_straight.c`;
    const program = await buildC(files, {}, (path) => (main.driver ? path.endsWith('_selftest.c') : !isNeeded(path)));
    return runnable(program, compileSeconds, states);
  } catch (error) {
    // A compiler that refuses the generated code is a failure of the code; only a missing one is a reason to go without.
    if (error instanceof CompilerError && error.message.includes('ENOENT')) return undefined;
    throw error;
  }
}

function runnable(program: BuiltProgram, compileSeconds: number | undefined, states: readonly State[]): CProgram {
  const numbers = states.map((s) => [...s.q, ...s.qd, ...s.qdd].join(' ')).join('\n');
  const run = (calls: number): Promise<string> => runProgram(program, `${calls}\n${numbers}\n`);
  return {
    compileSeconds,
    async evaluate() {
      const lines = (await run(0)).trim().split('\n');
      return lines.map((line) => line.trim().split(/\s+/).map(Number));
    },
    time: async (calls) => Number((await run(calls)).split(' ')[0]),
    dispose: () => program.dispose(),
  };
}
