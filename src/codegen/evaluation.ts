/**
 * What `evaluate` reports of a state, and how it is got from generated TypeScript. The C program reports the same.
 */
import type { Dynamics } from '../runtime/driver.ts';

export interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
}

/** SI units; world axes; tau = M qdd + c + g. */
export interface StateResult {
  readonly M: readonly (readonly number[])[];
  readonly c: readonly number[];
  readonly g: readonly number[];
  readonly tau: readonly number[];
  readonly elastic: readonly number[];
  readonly damping: readonly number[];
  readonly kinetic_energy: number;
  readonly potential_energy: number;
  readonly tip_position: readonly number[];
  readonly tip_rotation: readonly (readonly number[])[];
  /** tau by the function that does not stage: the same bits. */
  readonly tau_one_call: readonly number[];
}

/** @param tip index of the frame to report. @throws RangeError when a number of the state is not finite. */
export function evaluateState(dynamics: Dynamics, tip: number, state: State): StateResult {
  const n = dynamics.coordinates;
  const vector = (size: number = n): Float64Array => new Float64Array(size);
  const [M, c, g, tau, elastic, damping, oneCall] = [vector(n * n), vector(), vector(), vector(), vector(), vector(), vector()];
  const [energy, R, t] = [vector(2), vector(9), vector(3)];
  if (dynamics.inverseDynamicsAt(state.q, state.qd, state.qdd, oneCall) !== 0 || dynamics.update(state.q, state.qd) !== 0)
    throw new RangeError('the state holds a number that is not finite');
  dynamics.massMatrix(M);
  dynamics.terms(c, g, elastic, damping);
  dynamics.inverseDynamics(state.qdd, tau);
  dynamics.energies(energy);
  dynamics.frame(tip, R, t, null);
  return resultFromNumbers([...M, ...c, ...g, ...tau, ...elastic, ...damping, ...energy, ...t, ...R, ...oneCall], n);
}

/** Takes the numbers of one state apart, in the order in which the C program prints them. */
export function resultFromNumbers(numbers: readonly number[], n: number): StateResult {
  const expected = n * n + 6 * n + 14;
  if (numbers.length !== expected) throw new Error(`expected ${expected} numbers for a state, got ${numbers.length}`);
  let next = 0;
  const take = (count: number): number[] => numbers.slice(next, (next += count));
  const rows = (count: number, width: number): number[][] => Array.from({ length: count }, () => take(width));
  return {
    M: rows(n, n),
    c: take(n),
    g: take(n),
    tau: take(n),
    elastic: take(n),
    damping: take(n),
    kinetic_energy: take(1)[0]!,
    potential_energy: take(1)[0]!,
    tip_position: take(3),
    tip_rotation: rows(3, 3),
    tau_one_call: take(n),
  };
}
