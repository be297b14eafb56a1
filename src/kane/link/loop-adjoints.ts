/**
 * Reverse accumulation through loops: the transpose of a loop is one over the same rows. Its sums are the derivatives by what rows do not
 * differ in; it reads what weighs the arrays that the loop leaves, and leaves what weighs those that the loop reads; what weighs carried
 * values is carried from the last row to the first, over their values as the loop keeps them row by row. Integrals along the rows are
 * transposed by integrals in the other direction: with weights b of Gauss points their matrix is P_ij = a_ij/b_j, and P + Pᵀ = 1 as
 * b_i a_ij + b_j a_ji = b_i b_j (Sanz-Serna, BIT 28, 1988).
 */
import { countOperations, totalOperations } from '../../symbolic/graph/cost.ts';
import { adjoints } from '../../symbolic/graph/differentiate.ts';
import { plus, symbol, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import {
  differentiable,
  frozen,
  loopExpressions,
  loopResults,
  loopsNeeded,
  thawed,
  type Loop,
  type RowArray,
  type RowWrite,
} from '../loops/loop.ts';
import { mapNetwork, networkOperands, networkResults, type NetworkCall } from '../loops/network-call.ts';
import { withOwnNetworks } from '../loops/relabel.ts';
import { separateParts } from '../loops/row-constants.ts';

/** Operations in the rows of a loop, and of all, at most: transposes have three to six times as many, and code of more takes minutes. */
const MOST_OPERATIONS = { ofLoop: 1500, inAll: 3000 };

/** Are the loops that these values need, and that more than parameters decide, small enough to be transposed? */
export function areTransposable(loops: readonly Loop[], values: readonly Expr[], written: readonly Loop[]): boolean {
  const moving = loopsNeeded(loops, values, written).filter(({ stage }) => stage > 0);
  const counts = moving.map((loop) => totalOperations(countOperations(differentiableExpressions(loop))));
  const inAll = counts.reduce((sum, count) => sum + count, 0);
  return Math.max(0, ...counts) <= MOST_OPERATIONS.ofLoop && inAll <= MOST_OPERATIONS.inAll;
}

/** What of a row is differentiated. */
function differentiableExpressions(loop: Loop): readonly Expr[] {
  const writes = loop.writes.map((write) => ({ ...write, values: differentiable(write) }));
  return loopExpressions({ ...loop, writes });
}

/** The loop with its carried values left in an array, as they are before each row. */
export function keepingCarried(loop: Loop): Loop {
  const mentioned = new Set<Expr>(freeSymbols(loopExpressions(loop)));
  const carried = loop.carried.map((value) => value.symbol).filter((s) => mentioned.has(s));
  if (carried.length === 0) return loop;
  const array = { name: `${loop.name}_carried`, rows: loop.table.rows, columns: carried.map(keptOf) };
  return { ...loop, writes: [...loop.writes, { array, values: carried }] };
}

const keptOf = ({ name }: SymbolExpr): SymbolExpr => symbol(`${name}.kept`);

/** What is differentiated, and by what. */
export interface Weighted {
  readonly roots: readonly Expr[];
  /** Weights of the roots. */
  readonly seeds: readonly Expr[];
  readonly variables: readonly Expr[];
  /** Loops that run for the wrench of the body that they write, which is weighed by what stands in its place among derivatives. */
  readonly written?: readonly Loop[];
  /** Are derivatives by this wrench wanted, as far as loops read it? */
  readonly byBodyWrench?: boolean;
}

export interface Transposed {
  /** Σ seed · ∂root/∂variable for each variable. */
  readonly values: readonly Expr[];
  /** In an order in which each needs only those before it, behind all others of the link. */
  readonly loops: readonly Loop[];
  /** Those of them that run for the derivatives by the wrench of the body that they write. */
  readonly writing: readonly Loop[];
}

/**
 * @param loops of the link, transposable as far as roots need them, carried values kept; with transposes that were made before.
 * @param mark begins the names of what is made.
 */
export function adjointsThroughLoops(loops: readonly Loop[], weighted: Weighted, mark: string): Transposed {
  return new Transposition(loops, weighted, mark).result();
}

/** Terms that share an array have a loop each that fills it: where the first stands, the last, which has all columns. */
function byName(loops: readonly Loop[]): readonly Loop[] {
  return [...new Map(loops.map((loop) => [loop.name, loop])).values()];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What weighs the columns of an array, added up by the transposes so far. */
interface ArrayWeights {
  readonly array: RowArray;
  readonly of: ReadonlyMap<SymbolExpr, SymbolExpr>;
  /** The last of them and what it writes; missing of a buffer that kernels before have filled. */
  readonly last?: { readonly loop: Loop; readonly write: Mutable<RowWrite> };
}

/** A value of a row with its weight. */
interface Weighed {
  readonly value: Expr;
  readonly weight: Expr;
}

/** What rows differ in and what not, apart. */
interface SeparatedRow {
  readonly loop: Loop;
  /** By what the loop has in its place. */
  readonly values: ReadonlyMap<Expr, Expr>;
  readonly operands: readonly Expr[];
  /** Values that are the same in every row and change. */
  readonly leaves: readonly Expr[];
  readonly meant: (list: readonly Expr[]) => readonly Expr[];
}

interface RowAdjoints {
  readonly of: ReadonlyMap<Expr, Expr>;
  readonly networks: readonly NetworkCall[];
}

class Transposition {
  private readonly loops: readonly Loop[];
  private readonly needed: readonly Loop[];
  private readonly weighted: Weighted;
  private readonly mark: string;
  /** All that the variables decide. */
  private readonly active: Set<Expr>;
  private readonly roots: Expr[];
  private readonly seeds: Expr[];
  private readonly arrays = new Map<RowArray, ArrayWeights>();
  private readonly made: Loop[] = [];

  constructor(loops: readonly Loop[], weighted: Weighted, mark: string) {
    const { roots, seeds, variables, written = [] } = weighted;
    this.loops = loops;
    this.weighted = weighted;
    this.mark = mark;
    this.needed = byName(loopsNeeded(loops, roots, written));
    this.active = new Set(variables);
    for (const loop of this.needed) this.activate(loop);
    this.roots = [...roots];
    this.seeds = [...seeds];
    for (const { writes } of written)
      for (const { array } of writes)
        if (array.buffer !== undefined) {
          const own = this.inBuffer(array);
          this.arrays.set(array, { array: own, of: new Map(array.columns.map((s, i) => [s, own.columns[i]!])) });
        }
  }

  result(): Transposed {
    for (const loop of [...this.needed].reverse()) this.transpose(loop);
    const writing = this.weighted.byBodyWrench ? this.writeBodyWrench() : [];
    return { values: adjoints(this.roots, this.seeds, this.weighted.variables), loops: this.made, writing };
  }

  /** Adds what of a loop depends on variables; loops before it were added. */
  private activate({ reads, networks, carried, sums, writes }: Loop): void {
    const { active } = this;
    const isActive = (e: Expr): boolean => dependsOn(e, active);
    if (this.weighted.byBodyWrench)
      for (const { buffer, columns } of reads) if (buffer !== undefined) columns.forEach((s) => active.add(s));
    for (let known = -1; known < active.size;) {
      known = active.size;
      for (const call of networks)
        if (networkOperands(call).some(isActive)) networkResults(call).forEach((s) => active.add(s));
      for (const { symbol: own, initial, next, final } of carried)
        if (isActive(initial) || isActive(next)) active.add(own).add(final);
    }
    for (const { symbol: own, term } of sums) if (isActive(term)) active.add(own);
    // Who reads a buffer that others fill is transposed where that is done.
    for (const write of writes) {
      const { array } = write;
      if (array.buffer === undefined)
        differentiable(write).forEach((e, i) => isActive(e) && active.add(array.columns[i]!));
    }
  }

  private transpose(original: Loop): void {
    const { active, mark } = this;
    const results = loopResults(original);
    const found = adjoints(this.roots, this.seeds, results);
    const weights = new Map(results.map((s, i) => [s, active.has(s) ? found[i]! : zero]));
    const loop = withOwnNetworks(original, `*${mark}`);
    const name = `${loop.name}_${mark}`;
    const left = loop.writes.flatMap((write) =>
      differentiable(write).flatMap((value, i): Weighed[] => {
        const { array } = write;
        const weight = this.arrays.get(array)?.of.get(array.columns[i]!);
        const isWanted = array.buffer !== undefined || active.has(array.columns[i]!);
        return weight && isWanted ? [{ value, weight }] : [];
      }),
    );
    const known = [
      ...loop.sums.map(({ term, symbol: s }) => ({ value: term, weight: weights.get(s)! })),
      ...left,
    ].filter(({ weight }) => weight !== zero);
    const row = this.separate(loop);
    const carriedWeights = new Map<Expr, SymbolExpr>();
    loop.carried.forEach((value, i) => {
      if (weights.get(value.final) !== zero) carriedWeights.set(value.symbol, symbol(`${name}.carried_${i + 1}`));
    });
    if (known.length + carriedWeights.size === 0) return;
    this.integrate(loop);
    const adjointsOfRow = (): RowAdjoints => {
      const next = loop.carried.flatMap((value): Weighed[] => {
        const weight = carriedWeights.get(value.symbol);
        return weight ? [{ value: value.next, weight }] : [];
      });
      return rowAdjoints(row, [...known, ...next], this.active);
    };
    // Which carried values have a weight is found by supposing of none but those that are used at the end.
    let { of, networks } = adjointsOfRow();
    const late = (): readonly { readonly symbol: SymbolExpr; readonly index: number }[] =>
      loop.carried.flatMap(({ symbol: own }, index) =>
        of.has(own) && !carriedWeights.has(own) ? [{ symbol: own, index }] : [],
      );
    for (let more = late(); more.length > 0; more = late()) {
      for (const { symbol: own, index } of more) carriedWeights.set(own, symbol(`${name}.carried_${index + 1}`));
      ({ of, networks } = adjointsOfRow());
    }
    const carried = loop.carried.flatMap((value, i) => {
      const own = carriedWeights.get(value.symbol);
      if (!own) return [];
      const final = symbol(`${name}.start_${i + 1}`);
      this.roots.push(value.initial);
      this.seeds.push(final);
      return [{ symbol: own, initial: weights.get(value.final)!, next: of.get(value.symbol) ?? zero, final }];
    });
    const leaves = row.leaves.filter((leaf) => of.has(leaf));
    const sums = leaves.map((leaf, i) => ({ symbol: symbol(`${name}.by_${i + 1}`), term: of.get(leaf)! }));
    this.roots.push(...row.meant(leaves));
    this.seeds.push(...sums.map((sum) => sum.symbol));
    const writes: Mutable<RowWrite>[] = [];
    const made: Loop = {
      ...loop,
      name,
      stage: 4,
      reversed: carried.length > 0 ? !loop.reversed : loop.reversed,
      reads: [],
      networks,
      carried,
      sums,
      writes,
    };
    const before = loop.reads.map((array) => this.arrays.get(array)?.array);
    for (const array of loop.reads) {
      const write = this.weigh(array, made, of);
      if (write) writes.push(write);
    }
    if (carried.length + sums.length + writes.length === 0) return;
    const mentioned = new Set<Expr>(freeSymbols(loopExpressions(made)));
    const readable = [...loop.reads, ...loop.writes.map(({ array }) => array)];
    const candidates = [...readable, ...before, ...loop.writes.map(({ array }) => this.arrays.get(array)?.array)];
    const reads = [...new Set(candidates)].filter(
      (array) => array !== undefined && array.columns.some((s) => mentioned.has(s)),
    ) as RowArray[];
    this.made.push(Object.assign(made, { reads }));
  }

  /** What rows differ in apart from what they do not differ in and variables decide. */
  private separate(loop: Loop): SeparatedRow {
    const { table, reads, networks } = loop;
    const carried = loop.carried.map((value) => value.symbol);
    const solved = loop.writes.flatMap((write) => (write.changes ? [write.array] : []));
    const differs = new Set<Expr>([
      ...table.columns.map((column) => column.symbol),
      ...reads.flatMap((array) => array.columns),
      ...networks.flatMap(networkResults),
      ...carried,
      ...solved.flatMap((array) => array.columns.map(frozen)),
    ]);
    const own = [
      ...loop.sums.map(({ term }) => term),
      ...loop.carried.map(({ next }) => next),
      ...loop.writes.flatMap(differentiable),
    ];
    const { values, parts } = separateParts(
      [...own, ...networks.flatMap(networkOperands)],
      (s) => !differs.has(s),
      (part) => dependsOn(part, this.active),
      (i) => `invariant.${i}`,
    );
    const meaning = new Map<Expr, Expr>(parts.map((part) => [part.symbol, part.value]));
    const kept = new Map<Expr, Expr>(carried.map((s) => [s, keptOf(s)]));
    const isLeaf = (s: Expr): boolean => meaning.has(s) || (this.active.has(s) && !differs.has(s));
    return {
      loop,
      values: new Map(own.map((e, i) => [e, values[i]!])),
      operands: values.slice(own.length),
      leaves: freeSymbols(values).filter(isLeaf),
      meant: (list) => thawed(substitute(substitute(list, meaning), kept), solved),
    };
  }

  /** Adds what weighs the columns of an array that a loop reads to what is known of it. */
  private weigh(array: RowArray, loop: Loop, of: ReadonlyMap<Expr, Expr>): Mutable<RowWrite> | undefined {
    if (!array.columns.some((s) => of.has(s))) return undefined;
    const before = this.arrays.get(array);
    const columns = array.columns.filter((s) => of.has(s) || before?.of.has(s));
    const name = `${loop.name}_by_${array.name}`;
    const own = columns.map((_, i) => symbol(`${name}.${i + 1}`));
    const values = columns.map((s) => plus(of.get(s) ?? zero, before?.of.get(s) ?? zero));
    const made: RowArray = { name, rows: array.rows, columns: own };
    const write: Mutable<RowWrite> = { array: made, values };
    this.arrays.set(array, { array: made, of: new Map(columns.map((s, i) => [s, own[i]!])), last: { loop, write } });
    return write;
  }

  /** All that weighs what the loop leaves is known: of integrals the transposed integral is. */
  private integrate({ writes }: Loop): void {
    for (const { array, integrated } of writes) {
      const last = this.arrays.get(array)?.last;
      if (last && integrated) last.write.integrated = integrated === 'from start' ? 'to end' : 'from start';
    }
  }

  /** What weighs the wrench of the body goes to the buffer of its derivatives. */
  private writeBodyWrench(): readonly Loop[] {
    return [...this.arrays].flatMap(([array, { of, last }]) => {
      if (array.buffer === undefined) return [];
      const { loop, write } = last!;
      const own = this.inBuffer(array);
      const value = new Map([...of.keys()].map((s, i) => [s, write.values[i]!]));
      Object.assign(write, { array: own, values: array.columns.map((s) => value.get(s) ?? zero) });
      return [loop];
    });
  }

  /** The array of derivatives by an array that is a buffer, one for all transposes of a link. */
  private inBuffer({ name, rows, columns }: RowArray): RowArray {
    const all = this.loops.flatMap(({ reads, writes }) => [...reads, ...writes.map(({ array }) => array)]);
    const found = all.find(({ buffer }) => buffer === 'bodyWrenchAdjoint');
    const own = columns.map((s) => symbol(`${s.name}.adjoint`));
    return found ?? { name: `${name}_adjoint`, rows, columns: own, buffer: 'bodyWrenchAdjoint' };
  }
}

/** The derivatives of the weighted values of a row that are not zero; learned maps with what of their transposes these are over. */
function rowAdjoints(row: SeparatedRow, weighed: readonly Weighed[], active: ReadonlySet<Expr>): RowAdjoints {
  const { loop, leaves, operands, meant } = row;
  const results = loop.networks.flatMap(networkResults);
  const reads = loop.reads.flatMap((array) => array.columns);
  const own = [...reads, ...loop.carried.map((value) => value.symbol)].filter((s) => active.has(s));
  const sought = [...leaves, ...own];
  const values = weighed.map(({ value }) => row.values.get(value)!);
  const found = adjoints(
    values,
    weighed.map(({ weight }) => weight),
    [...sought, ...results],
  );
  const ofResults = new Map(results.map((s, i) => [s, found[sought.length + i]!]));
  const transposed = loop.networks.map((call) => transposeOf(call, ofResults));
  // What the weights of its operands are, a learned map's transpose says.
  const ofOperands = transposed.flatMap((call): readonly Expr[] => call.transpose!.results);
  const through = adjoints(operands, ofOperands, sought);
  const all = meant(sought.map((_, i) => plus(found[i]!, through[i]!)));
  return {
    of: new Map(sought.flatMap((s, i) => (all[i] === zero ? [] : [[s, all[i]!] as const]))),
    networks: [...loop.networks, ...transposed].map((call) => mapNetwork(call, meant)),
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
