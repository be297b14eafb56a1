/**
 * Carries out runs in a thread of its own, so that the process stays awake for signals, progress and other threads: the
 * generated code comes once, then variations of one scenario one after the other. The other side is `runner.ts`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { loadModules } from '../../codegen/typescript/load.ts';
import type { GeneratedFile } from '../../codegen/modules/robot-model.ts';
import { loadScenario } from '../../simulation/scenario/scenario.ts';
import type { Run } from '../../simulation/run/simulate.ts';
import { runScenario } from '../../simulation/run-scenario.ts';
import { vary, type Values } from '../../simulation/scenario/variation.ts';
import { packed, type ThreadError } from './thread-error.ts';

export interface ThreadData {
  /** The scenario. */
  readonly file: string;
  /** One 32-bit number: not zero when the run at hand shall end. */
  readonly stop: SharedArrayBuffer;
}

export type Order = CodeOfRun | { readonly values: Values };

/** Generated code of the scenario's robot, of its model where it has one, and of the robot as it stands where an equilibrium asks for it. */
export interface CodeOfRun {
  readonly modules: readonly GeneratedFile[];
  readonly model: readonly GeneratedFile[] | undefined;
  readonly stands: readonly GeneratedFile[] | undefined;
}

export type Answer =
  | { readonly t: number }
  | { readonly run: Run; /** Wall clock. */ readonly seconds: number }
  | { readonly error: ThreadError };

/** Between two messages of progress, ms. */
const PAUSE = 100;

const port = parentPort!;
const { file, stop } = workerData as ThreadData;
const stopped = new Int32Array(stop);
/** At once; whoever orders a run hears of what is wrong with it. */
const scenario = Promise.resolve().then(() => loadScenario(file));
scenario.catch(() => undefined);
let create: ReturnType<typeof loadModules> | undefined;
let createModel: ReturnType<typeof loadModules> | undefined;
let createStanding: ReturnType<typeof loadModules> | undefined;

async function obey(order: Order): Promise<void> {
  if ('modules' in order) {
    create = loadModules(order.modules);
    createModel = order.model && loadModules(order.model);
    createStanding = order.stands && loadModules(order.stands);
    return;
  }
  const read = await scenario;
  const dynamics = (await create!)();
  const varied = vary(read, order.values, dynamics);
  const begin = performance.now();
  let told = begin;
  const progress = (t: number): boolean => {
    const now = performance.now();
    if (now - told > PAUSE) port.postMessage({ t } satisfies Answer);
    if (now - told > PAUSE) told = now;
    return Atomics.load(stopped, 0) === 0;
  };
  const [model, stands] = [(await createModel)?.(), (await createStanding)?.()];
  const run = runScenario(varied, dynamics, { progress, model, stands });
  port.postMessage({ run, seconds: (performance.now() - begin) / 1000 } satisfies Answer);
}

port.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => {
    port.postMessage({ error: packed(error) } satisfies Answer);
  });
});
