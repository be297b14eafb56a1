/** Inverse dynamics in TypeScript and WebAssembly as contestants, on the states that C goes round, too. */
import type { Contestant } from './contest.ts';

export type InverseDynamics = (q: Float64Array, qd: Float64Array, qdd: Float64Array, tau: Float64Array) => unknown;

type Sweep = (
  call: InverseDynamics,
  q: readonly Float64Array[],
  qd: readonly Float64Array[],
  qdd: readonly Float64Array[],
  tau: readonly Float64Array[],
  sweeps: number,
) => void;

/** The loop that is timed; every contestant has one of its own, so that the calls in it are to one function only. */
async function sweepOf(name: string): Promise<Sweep> {
  const source = `export function sweep(call, q, qd, qdd, tau, sweeps) { // ${name}
  for (let s = 0; s < sweeps; s++) for (let k = 0; k < q.length; k++) call(q[k], qd[k], qdd[k], tau[k]);
}`;
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  return ((await import(url)) as { sweep: Sweep }).sweep;
}

let contests = 0;

/**
 * @param states that are gone round, see `timedStates`.
 * @param call inverse dynamics of one state.
 */
export async function scriptContestant(
  name: string,
  states: readonly Float64Array[],
  call: InverseDynamics,
): Promise<Contestant> {
  const coordinates = states[0]!.length / 3;
  const part = (index: number): Float64Array[] =>
    states.map((state) => state.slice(index * coordinates, (index + 1) * coordinates));
  const [q, qd, qdd, tau] = [part(0), part(1), part(2), part(0)] as const;
  const sweep = await sweepOf(`${name} ${contests++}`);
  return {
    name,
    states: states.length,
    time: (sweeps) => Promise.resolve(timed(() => sweep(call, q, qd, qdd, tau, sweeps)) / (sweeps * states.length)),
    torques: () => {
      sweep(call, q, qd, qdd, tau, 1);
      return Promise.resolve(tau.flatMap((values) => [...values]));
    },
  };
}

/** Nanoseconds of processor time. */
export function timed(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1000;
}
