/**
 * Forms of the same computation timed against each other: in every round each has its turn, so that all see the same
 * machine, and ratios are formed within rounds.
 */
import { median } from './row.ts';

export interface Contestant {
  readonly name: string;
  /** States that one sweep goes round. */
  readonly states: number;
  /** Nanoseconds of processor time per state, going round all states so many times. */
  time(sweeps: number): Promise<number>;
  /** Torques of all states, one after the other; what is timed is also checked. */
  torques(): Promise<readonly number[]>;
}

const ROUNDS = 9;
/** What one turn takes at least, s. */
const TURN_SECONDS = 0.02;

export class Contest {
  private readonly nanoseconds: ReadonlyMap<string, readonly number[]>;

  private constructor(nanoseconds: ReadonlyMap<string, readonly number[]>) {
    this.nanoseconds = nanoseconds;
  }

  static async hold(contestants: readonly Contestant[]): Promise<Contest> {
    const sweeps = new Map<string, number>();
    for (const contestant of contestants) sweeps.set(contestant.name, await calibrate(contestant));
    const nanoseconds = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
    for (let round = 0; round < ROUNDS; round++)
      for (const contestant of contestants)
        nanoseconds.get(contestant.name)!.push(await contestant.time(sweeps.get(contestant.name)!));
    return new Contest(nanoseconds);
  }

  /** Median nanoseconds per state; null for one that did not take part. */
  time(name: string): number | null {
    const own = this.nanoseconds.get(name);
    return own ? median(own) : null;
  }

  /** Median over rounds of the time of one over that of another; null when either did not take part. */
  ratio(name: string, other: string): number | null {
    const [own, reference] = [this.nanoseconds.get(name), this.nanoseconds.get(other)];
    return own && reference ? median(own.map((ns, round) => ns / reference[round]!)) : null;
  }
}

/** Sweeps that fill a turn. Warms the code up on the way. */
async function calibrate(contestant: Contestant): Promise<number> {
  let sweeps = 1;
  for (let i = 0; i < 6; i++) {
    const nanoseconds = Math.max(1, await contestant.time(sweeps));
    const fill = Math.ceil((TURN_SECONDS * 1e9) / (nanoseconds * contestant.states));
    sweeps = Math.min(20 * sweeps, fill);
  }
  return Math.max(1, sweeps);
}

/** Largest difference of torques, relative to the largest torque of the states, that counts as equal. */
const TOLERANCE = 1e-10;

/** @throws Error when contestants do not compute the same. */
export async function refuseDifferences(contestants: readonly Contestant[]): Promise<void> {
  const [first, ...others] = await Promise.all(
    contestants.map(async (contestant) => ({ name: contestant.name, torques: await contestant.torques() })),
  );
  const scale = Math.max(...first!.torques.map(Math.abs));
  for (const { name, torques } of others) {
    const agree =
      torques.length === first!.torques.length &&
      torques.every((value, i) => Math.abs(value - first!.torques[i]!) <= TOLERANCE * scale);
    if (!agree) throw new Error(`${name} and ${first!.name} compute different torques: times would mean nothing`);
  }
}
