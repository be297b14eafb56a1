/**
 * A limit to the processor time of a piece of work, looked at from within its passes: they call `tick` wherever work may
 * grow, and the work ends there once its time is over. Time of the processor, not of the clock: what else a machine does
 * at the moment decides nothing.
 */
import { host } from '#host';
import type { KanegenError } from './error.ts';

/** Seconds of the processor that one body type, or the code of one link type, may take unless somebody allows more. */
export const DEFAULT_SECONDS = 120;
/** Calls of `tick` between looks at the clock. */
const STRIDE = 2048;

let allowed = DEFAULT_SECONDS;
/** Processor time, µs, at which the work under way is over. */
let end = Infinity;
let exceeded: ((seconds: number) => KanegenError) | undefined;
let countdown = STRIDE;
/** Wall-clock time before which nobody asks the system how much of the processor was used, which takes it a while; ms. */
let nextLook = 0;
/** Longest time between two looks, ms. */
const BETWEEN_LOOKS = 200;

/** For all work of this process from now on. */
export function allowSeconds(seconds: number): void {
  allowed = seconds;
}

/** Of the processor, for a piece of work. */
export function secondsAllowed(): number {
  return allowed;
}

/** Processor time of this process so far, µs. */
export function processorTime(): number {
  return host.processorTime();
}

/**
 * The result of `work`. Within work that is limited already, the outer limit holds.
 * @param error that ends it, given the seconds that were allowed.
 */
export function withinTime<T>(error: (seconds: number) => KanegenError, work: () => T): T {
  if (exceeded) return work();
  end = processorTime() + allowed * 1e6;
  exceeded = error;
  [countdown, nextLook] = [0, 0];
  try {
    return work();
  } finally {
    exceeded = undefined;
    end = Infinity;
  }
}

/** Processor time that the work under way may still take, ms; infinite where nothing limits it. */
export function millisecondsLeft(): number {
  return Math.max(0, (end - processorTime()) / 1000);
}

/**
 * Counts what another process took for the work under way.
 * @throws KanegenError as `tick` does.
 */
export function spend(milliseconds: number): void {
  end -= milliseconds * 1000;
  nextLook = 0;
  tick(STRIDE);
}

/**
 * To be called from loops of passes.
 * @param amount of work since the last call; 1 is about a node of an expression.
 * @throws KanegenError of the work under way when its time is over, from then on at every call.
 */
export function tick(amount = 1): void {
  countdown -= amount;
  if (countdown > 0) return;
  countdown = 0;
  if (exceeded) look(exceeded);
  countdown = STRIDE;
}

function look(error: (seconds: number) => KanegenError): void {
  const now = performance.now();
  if (now < nextLook) return;
  const left = millisecondsLeft();
  if (left === 0) throw error(allowed);
  // Threads that collect garbage count: processor time may run faster than the clock.
  nextLook = now + Math.min(BETWEEN_LOOKS, left / 4);
}
