/**
 * A budget for derivations that may grow out of hand: time and memory, checked wherever the derivation allows it.
 */
import { host } from '#host';
import { KanegenError } from '../common/error.ts';
import { internedCount } from '../symbolic/graph/interning.ts';
import { processorTime } from '../common/work-limit.ts';

export interface DerivationLimits {
  /** Of the processor, s. */
  readonly seconds: number;
  /** Heap of the process, MB. */
  readonly megabytes: number;
}

/**
 * Starts the clock. The function returned is to be called between the steps of a derivation, with the step just done.
 * @throws KanegenError (from the function returned) `too-large`: which limit was passed, and what had been reached.
 */
export function startBudget(limits: DerivationLimits): (reached: string) => void {
  const start = processorTime();
  const nodes = internedCount();
  return (reached) => {
    const seconds = (processorTime() - start) / 1e6;
    const megabytes = host.memory().used;
    const passed =
      seconds > limits.seconds
        ? `${limits.seconds} s`
        : megabytes > limits.megabytes
          ? `${limits.megabytes} MB`
          : undefined;
    if (passed === undefined) return;
    const state = `${seconds.toFixed(1)} s, ${Math.round(megabytes)} MB, ${internedCount() - nodes} expressions`;
    throw new KanegenError('too-large', `the derivation passed its limit of ${passed} after ${reached} (${state})`, {
      remedy: 'use the recursion, or raise the limit',
    });
  };
}
