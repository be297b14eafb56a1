/**
 * Values that are linear in what is known last, with intermediate ones eliminated: what multiplies the arguments is accumulated before they
 * are known, so that each of several sets of arguments costs less. Vertices of the linearised graph are eliminated, the next always
 * the one that saves most (Griewank & Walther, Evaluating Derivatives, 2008, ch. 9 and 10), as far as that pays for so many sets.
 */
import { PriorityQueue } from '../../common/priority-queue.ts';
import {
  minusOne,
  negate,
  one,
  plus,
  power,
  select,
  splitCoefficient,
  symbol,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { operationsBelow, type Operation, type Stage } from '../operations/operation.ts';

/** What a coefficient is: ±1, known with the parameters, or to be formed for every state. */
type Cost = 0 | 1 | 2;
const [UNIT, CONSTANT, VALUE] = [0, 1, 2] as const;

/** Where values over other values are made. */
export interface ValueMaker {
  /** @param known what symbols stand for. */
  valuesOver(roots: readonly Expr[], known: ReadonlyMap<Expr, Operation>): readonly Operation[];
}

/**
 * @param roots values of which those of `stage` are linear in what becomes known in it.
 * @param expected how many sets of arguments there are for one of what is known before.
 */
export function accumulate(
  maker: ValueMaker,
  roots: readonly Operation[],
  stage: Stage,
  expected: number,
): readonly Operation[] {
  const graph = new LinearGraph(roots, stage);
  const order = eliminationOrder(graph, expected);
  if (order.length === 0) return roots;
  const made = graph.without(order, maker);
  const cost = (values: readonly Operation[]): number => {
    const all = operationsBelow(values).filter(({ kind }) => COUNTED.has(kind));
    return all.reduce((total, operation) => total + (operation.stage < stage ? 1 : expected), 0);
  };
  // What is shared with others is known when the values are made.
  return cost(made) < cost(roots) ? made : roots;
}

const COUNTED: ReadonlySet<Operation['kind']> = new Set(['add', 'subtract', 'multiply', 'divide']);

/** Values of a stage with what each is a sum of. */
class LinearGraph {
  /** By what values are multiplied whose sum a value is, by their places; of arguments, and of what is no such sum, nothing. */
  readonly from: ReadonlyMap<number, Expr>[] = [];
  readonly isKept: boolean[] = [];
  /** Of operations that are left as they are. */
  private readonly known = new Map<Expr, Operation>();
  private readonly operations: readonly Operation[];
  private readonly places = new Map<Operation, number>();
  private readonly roots: readonly Operation[];

  constructor(roots: readonly Operation[], stage: Stage) {
    this.roots = roots;
    const isLate = (operation: Operation): boolean => operation.stage >= stage;
    const isLeaf = (operation: Operation): boolean => !isLate(operation) || operation.kind === 'result';
    this.operations = operationsBelow(roots, isLeaf).filter(isLate);
    this.operations.forEach((operation, i) => this.places.set(operation, i));
    for (const operation of this.operations) {
      const terms = this.terms(operation);
      this.from.push(terms);
      this.isKept.push(terms.size === 0);
      if (terms.size === 0 && operation.kind === 'select') this.keep([operation.then, operation.otherwise]);
    }
    this.keep(roots);
  }

  private keep(operations: readonly Operation[]): void {
    for (const operation of operations) {
      const place = this.places.get(operation);
      if (place !== undefined) this.isKept[place] = true;
    }
  }

  costOf(by: Expr): Cost {
    if (by === one || by === minusOne) return UNIT;
    const { term } = splitCoefficient(by);
    return (this.known.get(term)?.stage ?? 0) === 0 ? CONSTANT : VALUE;
  }

  /** What stands for an operation that is left as it is. */
  private leaf(operation: Operation): Expr {
    if (operation.kind === 'number') return operation.exact;
    if (operation.kind === 'negate') return negate(this.leaf(operation.operand));
    const own = symbol(`value*${operation.id}`);
    this.known.set(own, operation);
    return own;
  }

  private terms(operation: Operation): ReadonlyMap<number, Expr> {
    const placeOf = (operand: Operation): number | undefined => this.places.get(operand);
    switch (operation.kind) {
      case 'add':
      case 'subtract': {
        const [left, right] = [placeOf(operation.left), placeOf(operation.right)];
        if (left === undefined || right === undefined || left === right) return NOTHING;
        return new Map([
          [left, one],
          [right, operation.kind === 'add' ? one : minusOne],
        ]);
      }
      case 'negate':
        return new Map([[placeOf(operation.operand)!, minusOne]]);
      case 'multiply': {
        const [left, right] = [placeOf(operation.left), placeOf(operation.right)];
        if (left !== undefined && right !== undefined) return NOTHING;
        return left === undefined
          ? new Map([[right!, this.leaf(operation.left)]])
          : new Map([[left, this.leaf(operation.right)]]);
      }
      case 'divide':
        if (placeOf(operation.right) !== undefined) return NOTHING;
        return new Map([[placeOf(operation.left)!, power(this.leaf(operation.right), -1)]]);
      case 'array':
      case 'call':
      case 'compare':
      case 'input':
      case 'logic':
      case 'number':
      case 'result':
      case 'select':
      case 'sqrt':
      case 'stumpff':
        return NOTHING;
    }
  }

  /** The roots when these values are eliminated in this order. */
  without(order: readonly number[], maker: ValueMaker): readonly Operation[] {
    const from = this.from.map((terms) => new Map(terms));
    const to = targetsOf(from);
    for (const index of order) {
      for (const target of to[index]!) {
        const terms = from[target]!;
        const by = terms.get(index)!;
        terms.delete(index);
        for (const [source, own] of from[index]!) {
          terms.set(source, plus(terms.get(source) ?? zero, times(by, own)));
          to[source]!.add(target);
        }
      }
      for (const source of from[index]!.keys()) to[source]!.delete(index);
    }
    const gone = new Set(order);
    const coefficients = this.formed(
      from.flatMap((terms, i) => (gone.has(i) ? [] : [...terms.values()])),
      maker,
    );
    const values: Expr[] = [];
    this.operations.forEach((operation, i) => {
      if (gone.has(i)) return;
      const terms = [...from[i]!].map(([source, by]) => times(coefficients(by), values[source]!));
      values[i] = this.from[i]!.size === 0 ? this.rebuilt(operation, values) : plus(...terms);
    });
    const late = this.roots.flatMap((root) => this.places.get(root) ?? []);
    const made = maker.valuesOver(
      late.map((place) => values[place]!),
      this.known,
    );
    const results = new Map(late.map((place, i) => [this.operations[place]!, made[i]!]));
    return this.roots.map((root) => results.get(root) ?? root);
  }

  /** Coefficients that are more than a value or a number get a value of their own. */
  private formed(all: readonly Expr[], maker: ValueMaker): (by: Expr) => Expr {
    const isFormed = (by: Expr): boolean => {
      const { term } = splitCoefficient(by);
      return !(term.kind === 'rational' || term.kind === 'constant' || (term === by && this.known.has(by)));
    };
    const positive = (by: Expr): Expr => (splitCoefficient(by).coefficient.numerator < 0n ? negate(by) : by);
    const wanted = [...new Set(all.map(positive).filter(isFormed))];
    const made = maker.valuesOver(wanted, this.known);
    const leaves = new Map(wanted.map((by, i) => [by, this.leaf(made[i]!)]));
    return (by) => {
      const own = positive(by);
      const leaf = leaves.get(own) ?? own;
      return own === by ? leaf : negate(leaf);
    };
  }

  private rebuilt(operation: Operation, values: readonly Expr[]): Expr {
    if (operation.kind !== 'select') return this.leaf(operation);
    const of = (operand: Operation): Expr => {
      const place = this.places.get(operand);
      return place === undefined ? this.leaf(operand) : values[place]!;
    };
    return select(this.leaf(operation.condition), of(operation.then), of(operation.otherwise));
  }
}

const NOTHING: ReadonlyMap<number, Expr> = new Map();

function targetsOf(from: readonly ReadonlyMap<number, unknown>[]): Set<number>[] {
  const to = from.map(() => new Set<number>());
  from.forEach((terms, target) => {
    for (const source of terms.keys()) to[source]!.add(target);
  });
  return to;
}

/** Values to eliminate, in this order: so much of a greedy order as together saves most. */
function eliminationOrder(graph: LinearGraph, expected: number): readonly number[] {
  const elimination = new Elimination(graph, expected);
  const order: number[] = [];
  let [total, best, length] = [0, 0, 0];
  for (let next = elimination.next(); next; next = elimination.next()) {
    total += next.gain;
    order.push(next.index);
    if (total > best) [best, length] = [total, order.length];
  }
  return order.slice(0, length);
}

/** What is left of a graph while its values are eliminated, by what coefficients cost. */
class Elimination {
  private readonly from: readonly Map<number, Cost>[];
  private readonly to: readonly Set<number>[];
  private readonly expected: number;
  private readonly queue = new PriorityQueue(precedes);
  /** Of values that can be eliminated, as they were last found. */
  private readonly gains = new Map<number, number>();

  constructor(graph: LinearGraph, expected: number) {
    this.expected = expected;
    this.from = graph.from.map((terms) => new Map([...terms].map(([source, by]) => [source, graph.costOf(by)])));
    this.to = targetsOf(this.from);
    this.from.forEach((_, i) => !graph.isKept[i] && this.enqueue(i));
  }

  /** Eliminates the value that saves most, or costs least; undefined when none is left. */
  next(): Entry | undefined {
    for (let entry = this.queue.pop(); entry; entry = this.queue.pop()) {
      if (entry.gain !== this.gains.get(entry.index)) continue;
      // Of values further away some is found late, when it has become less.
      if (this.gainOf(entry.index) < entry.gain) this.enqueue(entry.index);
      else {
        const gain = this.gainOf(entry.index);
        this.eliminate(entry.index);
        return { index: entry.index, gain };
      }
    }
    return undefined;
  }

  private enqueue(index: number): void {
    const gain = this.gainOf(index);
    if (gain === this.gains.get(index)) return;
    this.gains.set(index, gain);
    this.queue.push({ gain, index });
  }

  /** Operations that are saved with all expected arguments, less those that form coefficients. */
  private gainOf(index: number): number {
    const own = this.from[index]!;
    let [late, early] = [-1, 0];
    for (const by of own.values()) late += operationsOfTerm(by);
    for (const target of this.to[index]!) {
      const terms = this.from[target]!;
      const by = terms.get(index)!;
      late += operationsOfTerm(by);
      for (const [source, first] of own) {
        const known = terms.get(source);
        const made = costOfProduct(by, first);
        if (made === VALUE && by !== UNIT && first !== UNIT) early += 1;
        if (known === undefined) late -= operationsOfTerm(made);
        else {
          if (known === UNIT) late -= 1;
          if (made === VALUE || known === VALUE) early += 1;
        }
      }
    }
    return this.expected * late - early;
  }

  private eliminate(index: number): void {
    this.gains.delete(index);
    const own = this.from[index]!;
    for (const source of own.keys()) this.to[source]!.delete(index);
    for (const target of this.to[index]!) {
      const terms = this.from[target]!;
      const by = terms.get(index)!;
      terms.delete(index);
      for (const [source, first] of own) {
        const made = costOfProduct(by, first);
        const known = terms.get(source);
        terms.set(source, known === undefined ? made : made === VALUE || known === VALUE ? VALUE : CONSTANT);
        this.to[source]!.add(target);
      }
    }
    for (const other of [...own.keys(), ...this.to[index]!]) if (this.gains.has(other)) this.enqueue(other);
  }
}

/** A term of a sum: a product, unless by ±1, and an addition. */
const operationsOfTerm = (by: Cost): number => (by === UNIT ? 1 : 2);

const costOfProduct = (a: Cost, b: Cost): Cost => Math.max(a, b) as Cost;

interface Entry {
  readonly gain: number;
  readonly index: number;
}

/** Largest gain first, then the value that comes first. */
const precedes = (a: Entry, b: Entry): boolean => (a.gain === b.gain ? a.index < b.index : a.gain > b.gain);
