/**
 * Configurations in which bodies touch: random ones seldom do, and where nothing touches, forces of contacts are not compared. And none in
 * which they begin to touch, where forces jump or have a corner.
 */

/** Gaps of all pairs of contacts at a configuration, m, below zero where they overlap. */
export type Gaps = (q: readonly number[]) => readonly number[];

interface Search {
  readonly gaps: Gaps;
  /** A random configuration. */
  readonly draw: () => number[];
  /** Between 0 and 1. */
  readonly random: () => number;
  /** From where to where each coordinate usually goes. */
  readonly ranges: readonly (readonly [number, number])[];
  /** Within the limits of coordinates. */
  readonly limited: (q: readonly number[]) => number[];
  /** The nearest configuration that limits and formulas allow. */
  readonly allowed: (q: readonly number[]) => number[];
  /** Of a link, m. */
  readonly length: number;
}

/** Gaps so near to zero count as zero, and overlaps that are wanted and those that are enough: times the length of a link. */
const AT_EDGE = 1e-6;
const WANTED = 1e-2;
const ENOUGH = 1e-4;
/** Steps away from an edge, times the range of a coordinate, and how many are tried. */
const ASIDE = 3e-3;
const MOST_TRIES = 24;

/** The configuration moved a little where a gap is as good as zero; undefined elsewhere. */
export function besideEdges(
  q: readonly number[],
  { gaps, random, ranges, allowed, length }: Search,
): number[] | undefined {
  const isAtEdge = (at: readonly number[]): boolean => gaps(at).some((gap) => Math.abs(gap) < AT_EDGE * length);
  let moved: number[] | undefined;
  for (let tries = 0; tries < MOST_TRIES && isAtEdge(moved ?? q); tries++)
    moved = allowed(q.map((x, i) => x + ASIDE * (ranges[i]![1] - ranges[i]![0]) * (2 * random() - 1)));
  return moved;
}

const DRAWS = 200;
const STEPS = 300;
/** Of the range of a coordinate, at first; half as much after so many steps that lead no closer. */
const FIRST_STEP = 0.3;
const PATIENCE = 20;
/** Configurations at most. */
const MOST = 3;

/**
 * Configurations until each pair touches in one of them, or in one of `seen`: the nearest of random ones, led closer by random steps.
 * Pairs that none is found for stay without.
 */
export function touchingConfigurations(seen: readonly (readonly number[])[], search: Search): number[][] {
  const { gaps, draw, allowed, length } = search;
  const drawn = [...seen, ...Array.from({ length: DRAWS }, draw)].map((q) => ({ q, gaps: gaps(q) }));
  const open = new Set(drawn[0]!.gaps.keys());
  const close = (own: readonly number[]): void => own.forEach((gap, k) => gap < 0 && open.delete(k));
  drawn.slice(0, seen.length).forEach((own) => close(own.gaps));
  const found: number[][] = [];
  for (const pair of [...open]) {
    if (found.length === MOST) break;
    if (!open.has(pair)) continue;
    const start = drawn.reduce((best, own) => (own.gaps[pair]! < best.gaps[pair]! ? own : best));
    const q = allowed(closer(start.q, pair, search));
    const own = gaps(q);
    if (!(own[pair]! < -ENOUGH * length)) continue;
    found.push(q);
    close(own);
  }
  return found;
}

/** Within limits, but not always where formulas have values. */
function closer(
  start: readonly number[],
  pair: number,
  { gaps, random, ranges, limited, length }: Search,
): readonly number[] {
  let [q, gap] = [start, gaps(start)[pair]!];
  let [size, failures] = [FIRST_STEP, 0];
  for (let step = 0; step < STEPS && gap > -WANTED * length; step++) {
    const next = limited(q.map((x, i) => x + size * (ranges[i]![1] - ranges[i]![0]) * (2 * random() - 1)));
    const own = gaps(next)[pair]!;
    if (own < gap) [q, gap, failures] = [next, own, 0];
    else if (++failures === PATIENCE) [size, failures] = [size / 2, 0];
  }
  return q;
}
