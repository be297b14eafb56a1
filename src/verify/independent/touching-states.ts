/** Configurations in which bodies touch: random ones seldom do, and where nothing touches, forces of contacts are not compared. */

/** Gaps of all pairs of contacts at a configuration, m, below zero where they overlap. */
export type Gaps = (q: readonly number[]) => readonly number[];

interface Search {
  readonly gaps: Gaps;
  /** A random configuration. */
  readonly draw: () => number[];
  /** Between 0 and 1. */
  readonly random: () => number;
  /** From where to where each coordinate goes. */
  readonly ranges: readonly (readonly [number, number])[];
  /** The nearest configuration that limits and formulas allow. */
  readonly allowed: (q: readonly number[]) => number[];
  /** How far bodies overlap at least, m: quotients about the configuration must not leave the contact. */
  readonly depth: number;
}

const DRAWS = 200;
const STEPS = 300;
/** Steps after which they become smaller. */
const PATIENCE = 20;
/** Configurations at most. */
const MOST = 3;

/**
 * Configurations until each pair touches in one of them, or in one of `seen`: the nearest of random ones, led closer by random steps.
 * Pairs that none is found for stay without.
 */
export function touchingConfigurations(seen: readonly (readonly number[])[], search: Search): number[][] {
  const { gaps, draw } = search;
  const open = new Set(gaps(seen[0] ?? draw()).keys());
  const close = (q: readonly number[]): void => gaps(q).forEach((gap, k) => gap < 0 && open.delete(k));
  seen.forEach(close);
  if (open.size === 0) return [];
  const drawn = [...seen, ...Array.from({ length: DRAWS }, draw)].map((q) => ({ q, gaps: gaps(q) }));
  const found: number[][] = [];
  for (const pair of [...open]) {
    if (found.length === MOST) break;
    if (!open.has(pair)) continue;
    const start = drawn.reduce((best, own) => (own.gaps[pair]! < best.gaps[pair]! ? own : best));
    const q = search.allowed(closer(start.q, pair, search));
    if (!(gaps(q)[pair]! < 0)) continue;
    found.push(q);
    close(q);
  }
  return found;
}

function closer(start: readonly number[], pair: number, { gaps, random, ranges, depth }: Search): readonly number[] {
  let [q, gap] = [start, gaps(start)[pair]!];
  let [size, failures] = [0.3, 0];
  for (let step = 0; step < STEPS && gap > -depth; step++) {
    const next = q.map((x, i) => {
      const [lower, upper] = ranges[i]!;
      return Math.min(Math.max(x + size * (upper - lower) * (2 * random() - 1), lower), upper);
    });
    const own = gaps(next)[pair]!;
    if (own < gap) [q, gap, failures] = [next, own, 0];
    else if (++failures === PATIENCE) [size, failures] = [size / 2, 0];
  }
  return q;
}
