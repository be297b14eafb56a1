/** A thread that carries out runs of a scenario, seen from the process that started it. */
import { Worker } from 'node:worker_threads';
import type { Run } from '../../simulation/run/simulate.ts';
import type { Values } from '../../simulation/scenario/variation.ts';
import type { Answer, CodeOfRun, Order, ThreadData } from './run-thread.ts';
import { unpacked } from './thread-error.ts';

export interface TimedRun {
  readonly run: Run;
  /** Wall clock of the run alone, s. */
  readonly seconds: number;
}

export class Runner {
  private readonly worker: Worker;
  private readonly stopped: Int32Array;

  /** Reads the scenario at once, while the caller compiles its robot. */
  constructor(file: string) {
    const stop = new SharedArrayBuffer(4);
    this.stopped = new Int32Array(stop);
    this.worker = threadOf({ file, stop });
  }

  load(code: CodeOfRun): void {
    this.order(code);
  }

  /** One after the other only. @throws KanegenError as the thread did. @param progress is told the time that is reached, a few times a second. */
  run(values: Values, progress?: (t: number) => void): Promise<TimedRun> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.worker.off('message', hear);
        this.worker.off('error', fail);
        then();
      };
      const hear = (answer: Answer): void => {
        if ('t' in answer) progress?.(answer.t);
        else if ('error' in answer) settle(() => reject(unpacked(answer.error)));
        else settle(() => resolve(answer));
      };
      const fail = (error: Error): void => settle(() => reject(error));
      this.worker.on('message', hear);
      this.worker.on('error', fail);
      this.order({ values });
    });
  }

  /** Ends the run at hand, incomplete, and all later ones at their start. */
  interrupt(): void {
    Atomics.store(this.stopped, 0, 1);
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private order(order: Order): void {
    this.worker.postMessage(order);
  }
}

/** `run-thread` is a module of its own beside the bundle, and beside this source; threads have to be told of tsx. */
function threadOf(workerData: ThreadData): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./run-thread.js', import.meta.url), { workerData });
  const source = JSON.stringify(new URL('./run-thread.ts', import.meta.url).href);
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const start = `import(${tsx}).then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(start, { eval: true, workerData });
}

/** Calls `stop` at the first Ctrl-C or SIGTERM until `work` is done; a second one ends the process. */
export async function interruptible<T>(stop: () => void, work: () => Promise<T>): Promise<T> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
