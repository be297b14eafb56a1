/**
 * Inverse dynamics of a robot in all the forms that kanegen makes of it, generated, compiled and ready to be timed.
 */
import { generateC } from '../src/codegen/c/c.ts';
import { loadGenerated, loadStraight } from '../src/codegen/typescript/load.ts';
import { robotModel, type GeneratedFile } from '../src/codegen/modules/robot-model.ts';
import { generateStraightBatchC } from '../src/codegen/c/straight-batch-c.ts';
import { generateStraightBatchWasm } from '../src/codegen/wasm/straight-batch-wasm.ts';
import { executedOperations, generatedCost } from '../src/codegen/whole-robot/straight-cost.ts';
import { generateStraightC } from '../src/codegen/c/straight-c.ts';
import { straightModel } from '../src/codegen/whole-robot/straight-model.ts';
import { generateStraightTypeScript } from '../src/codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../src/codegen/typescript/typescript.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { compileLagrange } from '../src/lagrange/compile.ts';
import { compileStraight } from '../src/straight/compile.ts';
import type { Contestant } from './contest.ts';
import { C_FLAGS, describeMachine, LIBRARY_FLAGS, PORTABLE_FLAGS } from './machine.ts';
import { NativeTimer, type NativeForm, type NativeSource } from './native.ts';
import { scriptContestant, timed, type InverseDynamics } from './script.ts';
import { timedStates } from './states.ts';

export type FormName =
  | 'straight, C'
  | 'straight, portable, C'
  | 'straight, library sines, C'
  | 'driver, C'
  | 'driver, forward dynamics, C'
  | 'batch, C'
  | 'lagrange, C'
  | 'straight, TypeScript'
  | 'driver, TypeScript'
  | 'batch, WebAssembly';

/** Forms of one robot; `close` ends the program that those in C run in. */
export interface Forms {
  readonly contestants: readonly Contestant[];
  /** Instructions of the straight-line function in C for each of its operations; null when they cannot be counted. */
  density(): Promise<number | null>;
  close(): void;
}

/**
 * Forms in C are left out where there is no compiler.
 * @param directory temporary, of the caller.
 * @param states that all go round.
 */
export async function formsOf(
  robot: Robot,
  wanted: ReadonlySet<FormName>,
  directory: string,
  states: readonly Float64Array[] = timedStates(robot.coordinates.length),
): Promise<Forms> {
  const code = await generate(robot, wanted, states);
  const native = await startNative(code, wanted, directory);
  return {
    contestants: [...(await scripts(code, wanted)), ...(native?.contestants() ?? [])],
    density: async () => {
      const instructions = (await native?.instructions(`${code.name}_straight.c`)) ?? null;
      return instructions === null || code.operations === undefined ? null : instructions / code.operations;
    },
    close: () => native?.close(),
  };
}

/** Everything generated for one robot. */
interface Code {
  readonly name: string;
  readonly states: readonly Float64Array[];
  readonly typescript: {
    readonly driver: readonly GeneratedFile[];
    /** One module, where a form wants it. */
    readonly straight: GeneratedFile[];
    readonly batch: GeneratedFile[];
  };
  readonly c: NativeSource[];
  /** Of the straight-line function, where a form wants it. */
  operations?: number;
}

async function generate(robot: Robot, wanted: ReadonlySet<FormName>, states: readonly Float64Array[]): Promise<Code> {
  const compiled = compileRobot(robot);
  const { name } = robotModel(robot, compiled);
  const functions = ['inverseDynamics'] as const;
  const code: Code = {
    name,
    states,
    typescript: { driver: await generateTypeScript(robot, compiled), straight: [], batch: [] },
    c: (await generateC(robot, compiled)).filter((file) => !file.path.endsWith('_selftest.c')),
  };
  if ([...wanted].some((form) => !form.startsWith('driver'))) {
    const model = straightModel(robot, compiled, compileStraight(robot, { functions, count: generatedCost }));
    code.typescript.straight.push(generateStraightTypeScript(model));
    code.typescript.batch.push(...(await generateStraightBatchWasm(model)));
    code.operations = executedOperations(model.functions[0]!.program);
    const straight = await generateStraightC(model);
    code.c.push(...straight, ...(await generateStraightBatchC(model)));
    if (wanted.has('straight, portable, C')) code.c.push(...renamed(name, 'portable', PORTABLE_FLAGS, straight));
    if (wanted.has('straight, library sines, C')) code.c.push(...renamed(name, 'library', LIBRARY_FLAGS, straight));
  }
  if (wanted.has('lagrange, C')) {
    const model = straightModel(robot, compiled, compileLagrange(robot, { functions }));
    code.c.push(...renamed(name, 'lagrange', C_FLAGS, await generateStraightC(model)));
  }
  return code;
}

/** The straight-line function under another name, in a folder of its own; its header is not included elsewhere. */
function renamed(
  name: string,
  version: string,
  flags: readonly string[],
  files: readonly GeneratedFile[],
): NativeSource[] {
  const [own, other] = [`${name}_straight_inverse_dynamics`, `${name}_${version}_inverse_dynamics`];
  return files.map(({ path, text }) => ({
    path: `${version}/${path}`,
    text: text.replace(new RegExp(`^#define ${own} [^\\n]*(\\\\\\n[^\\n]*)?`, 'm'), '').replaceAll(own, other),
    flags,
  }));
}

async function startNative(
  { name, states, c }: Code,
  wanted: ReadonlySet<FormName>,
  directory: string,
): Promise<NativeTimer | undefined> {
  const forms = nativeForms(name).filter((form) => wanted.has(form.name));
  if (forms.length === 0 || describeMachine().compiler === null) return undefined;
  return NativeTimer.start(c, states, forms, directory);
}

function nativeForms(name: string): (NativeForm & { readonly name: FormName })[] {
  const state = 'q[k], qd[k], qdd[k], tau[k]';
  const inputs = ['q', 'qd', 'qdd'].map((buffer) => `const kg_real ${buffer}[]`).join(', ');
  const version = (form: FormName, prefix: string): NativeForm & { readonly name: FormName } => ({
    name: form,
    includes: [`${name}.h`],
    declarations: `kg_status ${name}_${prefix}_inverse_dynamics(${inputs}, kg_real tau[]);`,
    single: `${name}_${prefix}_inverse_dynamics(${state});`,
  });
  return [
    {
      name: 'straight, C',
      includes: [`${name}_straight.h`],
      single: `${name}_straight_inverse_dynamics(${state});`,
    },
    {
      name: 'driver, C',
      includes: [`${name}.h`],
      declarations: `static ${name}_workspace workspace;`,
      single: `${name}_inverse_dynamics_at(&workspace, &${name}_defaults, ${state});`,
    },
    {
      name: 'driver, forward dynamics, C',
      includes: [`${name}.h`],
      declarations: `static ${name}_workspace forward_workspace;`,
      single: `{
        ${name}_update(&forward_workspace, &${name}_defaults, q[k], qd[k]);
        ${name}_forward_dynamics(&forward_workspace, qdd[k], tau[k]);
      }`,
    },
    {
      name: 'batch, C',
      includes: [`${name}_straight_batch.h`],
      batch: `${name}_straight_inverse_dynamics_batch(STATES, q_soa, qd_soa, qdd_soa, tau_soa);`,
    },
    version('lagrange, C', 'lagrange'),
    version('straight, portable, C', 'portable'),
    version('straight, library sines, C', 'library'),
  ];
}

async function scripts(code: Code, wanted: ReadonlySet<FormName>): Promise<Contestant[]> {
  const { states, typescript } = code;
  const list: Contestant[] = [];
  if (wanted.has('straight, TypeScript')) {
    const { inverseDynamics } = await loadStraight(typescript.driver, typescript.straight[0]!);
    const call = inverseDynamics as unknown as InverseDynamics;
    list.push(await scriptContestant('straight, TypeScript', states, call));
  }
  if (wanted.has('driver, TypeScript')) {
    const driver = (await loadGenerated(typescript.driver))();
    const call: InverseDynamics = (q, qd, qdd, tau) => driver.inverseDynamicsAt(q, qd, qdd, tau);
    list.push(await scriptContestant('driver, TypeScript', states, call));
  }
  if (wanted.has('batch, WebAssembly')) list.push(await webAssemblyContestant(code));
  return list;
}

/** What a generated batch module offers: number i of state k stands at i * capacity + k. */
interface Batch {
  readonly capacity: number;
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
  readonly tau: Float64Array;
  inverseDynamics(count: number): void;
}

async function webAssemblyContestant({ name, states, typescript }: Code): Promise<Contestant> {
  const [wanted, ...others] = typescript.batch;
  if (!wanted) throw new Error(`${name} has no batch form`);
  const files = [...typescript.driver, ...typescript.straight, ...others];
  const module = (await loadStraight(files, wanted)) as unknown as Record<string, unknown>;
  const create = Object.entries(module).find(([exported]) => /^create.*Batch$/.test(exported))![1];
  const count = states.length;
  const coordinates = states[0]!.length / 3;
  const batch = await (create as (states: number) => Promise<Batch>)(count);
  const { capacity } = batch;
  states.forEach((state, k) => {
    for (let i = 0; i < coordinates; i++) {
      batch.q[i * capacity + k] = state[i]!;
      batch.qd[i * capacity + k] = state[coordinates + i]!;
      batch.qdd[i * capacity + k] = state[2 * coordinates + i]!;
    }
  });
  return {
    name: 'batch, WebAssembly',
    states: count,
    time(sweeps) {
      const nanoseconds = timed(() => {
        for (let s = 0; s < sweeps; s++) batch.inverseDynamics(count);
      });
      return Promise.resolve(nanoseconds / (sweeps * count));
    },
    torques() {
      batch.inverseDynamics(count);
      const order = Array.from({ length: count * coordinates }, (_, j) => j);
      return Promise.resolve(order.map((j) => batch.tau[(j % coordinates) * capacity + Math.floor(j / coordinates)]!));
    },
  };
}
