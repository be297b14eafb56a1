/**
 * Reverse accumulation through loops that add up what their rows have: the transpose of such a loop is one over the same rows, whose
 * sums are the derivatives by what rows do not differ in. Values that are carried from row to row, or left for other loops, have none.
 */
import { countOperations, totalOperations } from '../../symbolic/graph/cost.ts';
import { adjoints } from '../../symbolic/graph/differentiate.ts';
import { plus, symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import { loopsNeeded, type Loop, type RowArray } from '../loops/loop.ts';
import { mapNetwork, networkOperands, networkResults, type NetworkCall } from '../loops/network-call.ts';
import { withOwnNetworks } from '../loops/relabel.ts';
import { separateParts } from '../loops/row-constants.ts';

/** Operations in the rows of all such loops, at most: transposes have three to six times as many, and code of more takes minutes. */
const MOST_OPERATIONS = 1500;

/** Has every loop that these values need, and that more than parameters decide, a transpose? */
export function areTransposable(loops: readonly Loop[], values: readonly Expr[]): boolean {
  const needed = loopsNeeded(loops, values, []);
  const isKept = new Set<RowArray>(
    needed.filter(({ stage }) => stage === 0).flatMap(({ writes }) => writes.map(({ array }) => array)),
  );
  const moving = needed.filter(({ stage }) => stage > 0);
  const terms = moving.flatMap(({ sums }) => sums.map(({ term }) => term));
  return (
    moving.every(
      ({ carried, writes, reads }) => carried.length + writes.length === 0 && reads.every((array) => isKept.has(array)),
    ) && totalOperations(countOperations(terms)) <= MOST_OPERATIONS
  );
}

/**
 * Loops that compute anew, row by row, what tables keep once the parameters are known, so that it has derivatives by these, as far as a
 * row of a table is known by itself.
 */
export function withoutTables(loops: readonly Loop[]): readonly Loop[] {
  const kept = new Map<RowArray, ReadonlyMap<Expr, Expr>>();
  return loops.map((loop): Loop => {
    if (loop.stage === 0) {
      for (const { array, values, integrated } of loop.writes)
        if (!integrated && loop.carried.length + loop.reads.length === 0)
          kept.set(array, new Map(array.columns.map((column, i) => [column, values[i]!])));
      return loop;
    }
    const meaning = new Map(loop.reads.flatMap((array) => [...(kept.get(array) ?? [])]));
    if (meaning.size === 0 || loop.carried.length + loop.writes.length > 0) return loop;
    const terms = substitute(
      loop.sums.map(({ term }) => term),
      meaning,
    );
    const sums = loop.sums.map(({ symbol: own }, i) => ({ symbol: own, term: terms[i]! }));
    const networks = loop.networks.map((call) => mapNetwork(call, (operands) => substitute(operands, meaning)));
    return { ...loop, reads: loop.reads.filter((array) => !kept.has(array)), networks, sums };
  });
}

export interface Transposed {
  readonly values: readonly Expr[];
  /** In an order in which each needs only those before it, behind all others of the link. */
  readonly loops: readonly Loop[];
}

/**
 * Σ seed · ∂root/∂variable for each variable.
 * @param loops of the link, transposable as far as roots need them.
 * @param mark begins the names of what is made.
 */
export function adjointsThroughLoops(
  loops: readonly Loop[],
  roots: readonly Expr[],
  seeds: readonly Expr[],
  variables: readonly Expr[],
  mark: string,
): Transposed {
  const needed = loopsNeeded(loops, roots, []).filter(({ stage }) => stage > 0);
  const sought = new Set<Expr>([...variables, ...needed.flatMap(({ sums }) => sums.map((sum) => sum.symbol))]);
  const [allRoots, allSeeds] = [[...roots], [...seeds]];
  const made: Loop[] = [];
  for (const loop of [...needed].reverse()) {
    const weights = adjoints(
      allRoots,
      allSeeds,
      loop.sums.map((sum) => sum.symbol),
    );
    const name = `${loop.name}_${mark}`;
    const { by, terms, networks } = rowAdjoints(withOwnNetworks(loop, `*${mark}`), weights, sought);
    const sums = terms.map((term, i) => ({ symbol: symbol(`${name}.by_${i + 1}`), term }));
    allRoots.push(...by);
    allSeeds.push(...sums.map((sum) => sum.symbol));
    if (sums.length > 0) made.push({ ...loop, name, stage: 4, networks, sums });
  }
  return { values: adjoints(allRoots, allSeeds, variables), loops: made };
}

/**
 * What rows do not differ in and `sought` decides, and the derivatives of the weighted sums of a row by it; learned maps with what of
 * their transposes these are over.
 */
function rowAdjoints(
  { table, reads, sums, networks }: Loop,
  weights: readonly Expr[],
  sought: ReadonlySet<Expr>,
): { readonly by: readonly Expr[]; readonly terms: readonly Expr[]; readonly networks: readonly NetworkCall[] } {
  const results = networks.flatMap(networkResults);
  const operands = networks.flatMap(networkOperands);
  const differs = new Set<Expr>([
    ...table.columns.map((column) => column.symbol),
    ...reads.flatMap((array) => array.columns),
    ...results,
  ]);
  const { values, parts } = separateParts(
    [...sums.map(({ term }) => term), ...operands],
    (s) => !differs.has(s),
    (part) => dependsOn(part, sought),
    (i) => `invariant.${i}`,
  );
  const meaning = new Map<Expr, Expr>(parts.map((part) => [part.symbol, part.value]));
  const leaves = freeSymbols(values).filter((s) => meaning.has(s) || sought.has(s));
  const found = adjoints(values.slice(0, sums.length), weights, [...leaves, ...results]);
  const ofResults = new Map(results.map((s, i) => [s, found[leaves.length + i]!]));
  const transposed = networks.map((call) => transposeOf(call, ofResults));
  // What the weights of its operands are, a learned map's transpose says.
  const ofOperands = transposed.flatMap((call): readonly Expr[] => call.transpose!.results);
  const through = adjoints(values.slice(sums.length), ofOperands, leaves);
  const all = leaves.map((_, i) => plus(found[i]!, through[i]!));
  const isUsed = all.map((value) => value !== zero);
  const meant = (list: readonly Expr[]): readonly Expr[] => substitute(list, meaning);
  return {
    by: meant(leaves.filter((_, i) => isUsed[i])),
    terms: meant(all.filter((_, i) => isUsed[i])),
    networks: [...networks, ...transposed].map((call) => mapNetwork(call, meant)),
  };
}

/**
 * A call by itself: weights may depend on what a learned map gives. Where nothing of it counts, weights are zero.
 * @param weights of its results.
 */
function transposeOf(call: NetworkCall, weights: ReadonlyMap<Expr, Expr>): NetworkCall {
  const results = networkOperands(call).map((_, i) => symbol(`${call.value[0]!.name}_by_${i + 1}`));
  return { ...call, transpose: { weights: networkResults(call).map((result) => weights.get(result)!), results } };
}
