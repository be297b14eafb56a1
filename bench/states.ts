/** States that timed code goes round: the same in every language and on every machine. */

/** Few enough for the numbers of a long chain to stay near the processor. */
function stateCount(coordinates: number): number {
  return Math.max(4, Math.min(256, Math.floor(5120 / coordinates)));
}

/** Row s holds a state: numbers between −reach and reach for q, then q̇, then q̈; SI units. */
export function timedStates(coordinates: number, reach = 1): Float64Array[] {
  const unit = uniform(1);
  const next = (): number => reach * unit();
  return Array.from({ length: stateCount(coordinates) }, () => Float64Array.from({ length: 3 * coordinates }, next));
}

/** Numbers between −1 and 1 from the linear congruential generator of Numerical Recipes, modulus 2³². */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
