/**
 * Numeric evaluation of expressions over whole columns of numbers, in double precision: the DAG is walked once, every node
 * is a loop over a block of rows. Nodes that do not depend on a column are computed once.
 * Both sides of a `select` are computed and one is taken; what the other made of it (infinite, not a number) is dropped.
 */
import { MAXIMUM_STUMPFF_ORDER, stumpff } from '../../runtime/stumpff.ts';
import { KanegenError } from '../../common/error.ts';
import type { CallExpr, CompareExpr, Expr, LogicExpr, ProductExpr, SumExpr } from '../graph/expr.ts';
import { children } from '../graph/expr.ts';
import { Rational } from '../graph/rational.ts';
import { postorder } from '../graph/traverse.ts';
import { tick } from '../../common/work-limit.ts';

/** Rows that are worked on at a time: small enough for all registers to stay in the cache. */
const BLOCK = 512;
/** Rows of a step that take as long as a node of an expression takes to make. */
const ROWS_OF_NODE = 256;

/**
 * Values of expressions for every row, as columns.
 * @param columns symbols that differ between rows, one number per row.
 * @param scalars symbols that are the same in all rows.
 * @returns a column per value, in their order.
 * @throws Error when a symbol has no value.
 */
export function evaluateRows(
  values: readonly Expr[],
  columns: ReadonlyMap<Expr, Float64Array>,
  scalars: ReadonlyMap<Expr, number>,
  rows: number,
): Float64Array[] {
  const results = values.map(() => new Float64Array(rows));
  new RowProgram(values, [...columns.keys()]).run(columns, scalars, rows, (first, count, registers) => {
    registers.forEach((register, i) => results[i]!.set(register.subarray(0, count), first));
  });
  return results;
}

type Step = (count: number) => void;
/** Numbers of the rows of a block. */
type Register = Float64Array;

/** base^exponent with exponent > 0, which products multiply or divide by: one register for all that do. */
interface Power {
  readonly kind: 'power';
  readonly base: Expr;
  readonly exponent: number;
}
type Node = Expr | Power;

/** Expressions made ready for many evaluations with other columns and scalars. */
export class RowProgram {
  private readonly roots: readonly Expr[];
  /** Nodes without columns below them, operands first. */
  private readonly constants: readonly Expr[];
  private readonly constantValues = new Map<Expr, number>();
  private readonly inputs: readonly { readonly symbol: Expr; readonly register: Register }[];
  private readonly steps: readonly Step[];
  private readonly registers = new Map<Node, Register>();
  private readonly powers: ReadonlyMap<ProductExpr, readonly PowerFactor[]>;
  /** What steps take of the constants, found before the rows. */
  private readonly found: (() => void)[] = [];
  private readonly scratch = [new Float64Array(BLOCK), new Float64Array(BLOCK)] as const;

  constructor(values: readonly Expr[], columns: readonly Expr[]) {
    this.roots = values;
    const order = postorder(values);
    const varying = new Set<Expr>(columns);
    for (const e of order) if (children(e).some((o) => varying.has(o))) varying.add(e);
    this.constants = order.filter((e) => !varying.has(e));
    const { nodes, powers } = withPowers(
      order.filter((e) => varying.has(e)),
      varying,
    );
    this.powers = powers;
    const steps: Step[] = [];
    const releases = lastUses(nodes, values, powers);
    const free: Register[] = [];
    const siblings = stumpffSiblings(nodes);
    const take = (node: Node): Register => {
      const register = free.pop() ?? new Float64Array(BLOCK);
      this.registers.set(node, register);
      return register;
    };
    // Columns are loaded before everything else: none may take a register that another node has left.
    this.inputs = nodes.flatMap((e) => (e.kind === 'symbol' ? [{ symbol: e, register: take(e) }] : []));
    for (const e of nodes) {
      if (e.kind === 'stumpff') {
        // All orders of one argument at once, when the first of them is met.
        if (!this.registers.has(e)) {
          const group = siblings.get(e.argument)!;
          group.forEach(take);
          steps.push(this.stumpffStep(e.argument, group));
        }
      } else if (e.kind !== 'symbol') steps.push(this.step(e, take(e)));
      for (const done of releases.get(e) ?? []) free.push(this.registers.get(done)!);
    }
    this.steps = steps;
  }

  /**
   * @param receive sees the registers of the values for `count` rows from row `first` on; they are reused afterwards.
   */
  run(
    columns: ReadonlyMap<Expr, Float64Array>,
    scalars: ReadonlyMap<Expr, number>,
    rows: number,
    receive: (first: number, count: number, registers: readonly Float64Array[]) => void,
  ): void {
    for (const e of this.constants) this.constantValues.set(e, this.constantValue(e, scalars));
    for (const find of this.found) find();
    const outputs = this.roots.map((root) => this.registers.get(root) ?? this.filled(root));
    for (let first = 0; first < rows; first += BLOCK) {
      const count = Math.min(BLOCK, rows - first);
      for (const { symbol, register } of this.inputs) register.set(columns.get(symbol)!.subarray(first, first + count));
      tick((this.steps.length * count) / ROWS_OF_NODE);
      for (const step of this.steps) step(count);
      receive(first, count, outputs);
    }
  }

  private filled(root: Expr): Float64Array {
    return new Float64Array(BLOCK).fill(this.constantValues.get(root)!);
  }

  // ---------------------------------------------------------------------------------------------- one number

  private constantValue(e: Expr, scalars: ReadonlyMap<Expr, number>): number {
    const given = scalars.get(e);
    if (given !== undefined) return given;
    const value = (o: Expr): number => this.constantValues.get(o)!;
    switch (e.kind) {
      case 'symbol':
        throw new Error(`no value for ${e.name}`);
      case 'rational':
        return Rational.toNumber(e.value);
      case 'constant':
        return Math.PI;
      case 'sum':
        return e.terms.reduce((sum, t) => sum + Rational.toNumber(t.coefficient) * value(t.term), number(e.constant));
      case 'product':
        return e.factors.reduce((x, f) => x * raised(value(f.base), f.exponent), number(e.coefficient));
      case 'call':
        return mathFunction(e)(value(e.arguments[0]!), e.arguments[1] ? value(e.arguments[1]) : 0);
      case 'stumpff':
        return stumpffRow(value(e.argument), Math.max(2, e.order))[e.order]!;
      case 'select':
        return value(e.condition) !== 0 ? value(e.then) : value(e.otherwise);
      case 'compare':
        return Number(comparison(e)(value(e.left), value(e.right)));
      case 'logic':
        return Number(combined(e, e.operands.map(value)));
    }
  }

  // ---------------------------------------------------------------------------------------------- a block of rows

  private step(e: Exclude<Node, { kind: 'symbol' | 'stumpff' }>, out: Register): Step {
    switch (e.kind) {
      case 'sum':
        return this.sumStep(e, out);
      case 'product':
        return this.productStep(e, out);
      case 'power': {
        const x = this.registers.get(e.base)!;
        return (count) => raise(out, x, e.exponent, count);
      }
      case 'call':
        return this.callStep(e, out);
      case 'select':
        return this.selectStep(e, out);
      case 'compare': {
        const holds = comparison(e);
        const [left, right] = [this.reader(e.left, 0), this.reader(e.right, 1)];
        return (count) => {
          const [a, b] = [left(count), right(count)];
          for (let i = 0; i < count; i++) out[i] = holds(a[i]!, b[i]!) ? 1 : 0;
        };
      }
      case 'logic':
        return this.logicStep(e, out);
      case 'rational':
      case 'constant':
        throw new Error('a number does not depend on the row');
    }
  }

  /** The register of an operand, or one filled with its value. */
  private reader(operand: Expr, side: 0 | 1): (count: number) => Register {
    const register = this.registers.get(operand);
    if (register) return () => register;
    return (count) => this.scratch[side].fill(this.constantValues.get(operand)!, 0, count);
  }

  /** A number that steps take of the constants, found anew for every run. */
  private once(find: () => number): { value: number } {
    const cell = { value: 0 };
    this.found.push(() => (cell.value = find()));
    return cell;
  }

  private sumStep(e: SumExpr, out: Register): Step {
    const fixed = e.terms.flatMap(({ term, coefficient }) =>
      this.registers.has(term) ? [] : [{ c: number(coefficient), term }],
    );
    const base = number(e.constant);
    const start = this.once(() => fixed.reduce((sum, { c, term }) => sum + c * this.constantValues.get(term)!, base));
    const [first, ...rest] = inFours(
      e.terms.flatMap((t): Term[] => {
        const x = this.registers.get(t.term);
        return x ? [{ c: number(t.coefficient), x }] : [];
      }),
    );
    const further = rest.map((terms) => [{ c: 1, x: out }, ...terms]);
    return (count) => {
      addTerms(out, start.value, first!, count);
      for (const terms of further) addTerms(out, 0, terms, count);
    };
  }

  private productStep(e: ProductExpr, out: Register): Step {
    const fixed = e.factors.filter((f) => !this.registers.has(f.base));
    const base = number(e.coefficient);
    const factor = this.once(() =>
      fixed.reduce((x, f) => x * raised(this.constantValues.get(f.base)!, f.exponent), base),
    );
    const [first, ...further] = passesOf(this.powers.get(e)!, (node) => this.registers.get(node)!, out);
    return (count) => {
      multiplyFactors(out, factor.value, first!.by, count);
      for (const { divides, by } of further)
        if (divides) divide(out, by[0]!, count);
        else multiplyFactors(out, 1, by, count);
    };
  }

  private callStep(e: CallExpr, out: Register): Step {
    const f = mathFunction(e);
    const first = this.reader(e.arguments[0]!, 0);
    if (e.arguments.length === 1)
      return (count) => {
        const x = first(count);
        for (let i = 0; i < count; i++) out[i] = f(x[i]!, 0);
      };
    const second = this.reader(e.arguments[1]!, 1);
    return (count) => {
      const [x, y] = [first(count), second(count)];
      for (let i = 0; i < count; i++) out[i] = f(x[i]!, y[i]!);
    };
  }

  private selectStep(e: Expr & { kind: 'select' }, out: Register): Step {
    const condition = this.registers.get(e.condition);
    const [then, otherwise] = [this.reader(e.then, 0), this.reader(e.otherwise, 1)];
    return (count) => {
      const [a, b] = [then(count), otherwise(count)];
      if (!condition) out.set((this.constantValues.get(e.condition) !== 0 ? a : b).subarray(0, count));
      else for (let i = 0; i < count; i++) out[i] = condition[i] !== 0 ? a[i]! : b[i]!;
    };
  }

  private logicStep(e: LogicExpr, out: Register): Step {
    const readers = e.operands.map((o) => this.reader(o, 0));
    const isAnd = e.operator === 'and';
    return (count) => {
      if (e.operator === 'not') {
        const x = readers[0]!(count);
        for (let i = 0; i < count; i++) out[i] = 1 - x[i]!;
        return;
      }
      out.fill(isAnd ? 1 : 0, 0, count);
      for (const read of readers) {
        const x = read(count);
        for (let i = 0; i < count; i++) out[i] = isAnd ? Math.min(out[i]!, x[i]!) : Math.max(out[i]!, x[i]!);
      }
    };
  }

  private stumpffStep(argument: Expr, group: readonly (Expr & { kind: 'stumpff' })[]): Step {
    const x = this.registers.get(argument)!;
    const top = Math.max(2, ...group.map((e) => e.order));
    const outputs = group.map((e) => ({ order: e.order, out: this.registers.get(e)! }));
    return (count) => {
      for (let i = 0; i < count; i++) {
        const all = stumpffRow(x[i]!, top);
        for (const { order, out } of outputs) out[i] = all[order]!;
      }
    };
  }
}

/** A factor of a product that differs between rows. */
interface PowerFactor {
  readonly node: Node;
  /** How often the product is multiplied by it, one time after the other; 0: divided once. */
  readonly times: number;
}

/** Nodes with the powers that products need before these: 1, 2 and 3 as they are, so many times, all others of a register of their own. */
function withPowers(
  order: readonly Expr[],
  varying: ReadonlySet<Expr>,
): { readonly nodes: readonly Node[]; readonly powers: ReadonlyMap<ProductExpr, readonly PowerFactor[]> } {
  const known = new Map<Expr, Map<number, Power>>();
  const powers = new Map<ProductExpr, readonly PowerFactor[]>();
  const nodes: Node[] = [];
  const power = (base: Expr, exponent: number): Power => {
    const ofBase = known.get(base) ?? new Map<number, Power>();
    known.set(base, ofBase);
    let found = ofBase.get(exponent);
    if (!found) {
      found = { kind: 'power', base, exponent };
      ofBase.set(exponent, found);
      nodes.push(found);
    }
    return found;
  };
  for (const e of order) {
    if (e.kind === 'product')
      powers.set(
        e,
        e.factors.flatMap(({ base, exponent }): PowerFactor[] => {
          if (!varying.has(base)) return [];
          const n = number(exponent);
          if (n === 1 || n === 2 || n === 3) return [{ node: base, times: n }];
          if (!isRepeated(n)) return [{ node: power(base, n), times: 1 }];
          return [{ node: n === -1 ? base : power(base, Math.abs(n)), times: n > 0 ? 1 : 0 }];
        }),
      );
    nodes.push(e);
  }
  return { nodes, powers };
}

/** For each node, the nodes whose registers are free once it is computed. Values are read at the end of a block. */
function lastUses(
  order: readonly Node[],
  values: readonly Expr[],
  powers: ReadonlyMap<ProductExpr, readonly PowerFactor[]>,
): Map<Node, Node[]> {
  const operands = (e: Node): readonly Node[] => {
    if (e.kind === 'power') return [e.base];
    return e.kind === 'product' && powers.has(e) ? powers.get(e)!.map(({ node }) => node) : children(e);
  };
  const last = new Map<Node, Node>();
  for (const e of order) for (const operand of operands(e)) last.set(operand, e);
  const kept = new Set<Node>(values);
  const known = new Set(order);
  const releases = new Map<Node, Node[]>();
  for (const [operand, user] of last) {
    // Orders of one Stumpff argument are computed together, before the user of some of them is near: they stay.
    if (kept.has(operand) || !known.has(operand) || operand.kind === 'stumpff') continue;
    if (user.kind === 'stumpff') continue;
    const list = releases.get(user);
    if (list) list.push(operand);
    else releases.set(user, [operand]);
  }
  return releases;
}

function stumpffSiblings(order: readonly Node[]): Map<Expr, (Expr & { kind: 'stumpff' })[]> {
  const groups = new Map<Expr, (Expr & { kind: 'stumpff' })[]>();
  for (const e of order) {
    if (e.kind !== 'stumpff') continue;
    const group = groups.get(e.argument);
    if (group) group.push(e);
    else groups.set(e.argument, [e]);
  }
  return groups;
}

// ---------------------------------------------------------------------------------------------- loops over rows

interface Term {
  readonly c: number;
  readonly x: Register;
}

/** Multiplication of registers, or division by one. */
interface Pass {
  readonly divides: boolean;
  readonly by: readonly Register[];
}

/** The first is a multiplication, of no registers where a division comes first; the others take up what is in `out`. */
function passesOf(factors: readonly PowerFactor[], registerOf: (node: Node) => Register, out: Register): Pass[] {
  const passes: Pass[] = [];
  const together: Register[] = [];
  const end = (): void => {
    if (passes.length === 0) passes.push({ divides: false, by: together.splice(0, 4) });
    while (together.length > 0) passes.push({ divides: false, by: [out, ...together.splice(0, 3)] });
  };
  for (const { node, times } of factors) {
    const x = registerOf(node);
    if (times === 0) {
      end();
      passes.push({ divides: true, by: [x] });
    } else for (let k = 0; k < times; k++) together.push(x);
  }
  end();
  return passes;
}

/** At most four at first, three later, which leaves one place for what there is already: loops over more are not worth their text. */
function inFours<T>(items: readonly T[]): (readonly T[])[] {
  const groups: (readonly T[])[] = [items.slice(0, 4)];
  for (let at = 4; at < items.length; at += 3) groups.push(items.slice(at, at + 3));
  return groups;
}

/** start + Σ c x of one to four terms, added in their order. */
function addTerms(out: Register, start: number, terms: readonly Term[], count: number): void {
  const [a, b, c, d] = terms;
  if (d) addFour(out, start, a!, b!, c!, d, count);
  else if (c) addThree(out, start, a!, b!, c, count);
  else if (b) addTwo(out, start, a!, b, count);
  else addOne(out, start, a!, count);
}

function addOne(out: Register, start: number, { c, x }: Term, count: number): void {
  for (let i = 0; i < count; i++) out[i] = start + c * x[i]!;
}

function addTwo(out: Register, start: number, first: Term, second: Term, count: number): void {
  const { c: a, x } = first;
  const { c: b, x: y } = second;
  for (let i = 0; i < count; i++) out[i] = start + a * x[i]! + b * y[i]!;
}

function addThree(out: Register, start: number, a: Term, b: Term, c: Term, count: number): void {
  const [x, y, z] = [a.x, b.x, c.x];
  const [p, q, r] = [a.c, b.c, c.c];
  for (let i = 0; i < count; i++) out[i] = start + p * x[i]! + q * y[i]! + r * z[i]!;
}

function addFour(out: Register, start: number, a: Term, b: Term, c: Term, d: Term, count: number): void {
  const [x, y, z, w] = [a.x, b.x, c.x, d.x];
  const [p, q, r, s] = [a.c, b.c, c.c, d.c];
  for (let i = 0; i < count; i++) out[i] = start + p * x[i]! + q * y[i]! + r * z[i]! + s * w[i]!;
}

/** factor · x y … of at most four registers, multiplied in their order. */
function multiplyFactors(out: Register, factor: number, by: readonly Register[], count: number): void {
  const [x, y, z, w] = by;
  if (w) for (let i = 0; i < count; i++) out[i] = factor * x![i]! * y![i]! * z![i]! * w[i]!;
  else if (z) for (let i = 0; i < count; i++) out[i] = factor * x![i]! * y![i]! * z[i]!;
  else if (y) for (let i = 0; i < count; i++) out[i] = factor * x![i]! * y[i]!;
  else if (x) for (let i = 0; i < count; i++) out[i] = factor * x[i]!;
  else out.fill(factor, 0, count);
}

function divide(out: Register, x: Register, count: number): void {
  for (let i = 0; i < count; i++) out[i] = out[i]! / x[i]!;
}

/** Powers that are products of the base, or of its root. */
function isRepeated(exponent: number): boolean {
  return Number.isInteger(2 * exponent) && Math.abs(exponent) <= 8;
}

/** x^exponent: n and n/2 by products, many times faster than the general power. */
function raise(out: Register, x: Register, exponent: number, count: number): void {
  if (exponent === 2) for (let i = 0; i < count; i++) out[i] = x[i]! * x[i]!;
  else if (exponent === 0.5) for (let i = 0; i < count; i++) out[i] = Math.sqrt(x[i]!);
  else if (isRepeated(exponent)) multiplyRepeatedly(out, x, exponent, count);
  else for (let i = 0; i < count; i++) out[i] = x[i]! ** exponent;
}

function multiplyRepeatedly(out: Register, x: Register, exponent: number, count: number): void {
  const isWhole = Number.isInteger(exponent);
  const repetitions = isWhole ? exponent : 2 * exponent;
  for (let i = 0; i < count; i++) {
    const base = isWhole ? x[i]! : Math.sqrt(x[i]!);
    let power = base;
    for (let k = 1; k < repetitions; k++) power *= base;
    out[i] = power;
  }
}

function number(value: Rational): number {
  return Rational.toNumber(value);
}

function raised(base: number, exponent: Rational): number {
  if (exponent.denominator === 1n) return base ** Number(exponent.numerator);
  if (exponent.denominator === 2n) {
    const root = Math.sqrt(base);
    return exponent.numerator === 1n ? root : root ** Number(exponent.numerator);
  }
  return base ** Rational.toNumber(exponent);
}

function mathFunction(e: CallExpr): (x: number, y: number) => number {
  const { [e.name]: f } = Math as unknown as Record<string, (x: number, y: number) => number>;
  return f!;
}

function comparison(e: CompareExpr): (a: number, b: number) => boolean {
  if (e.operator === '<') return (a, b) => a < b;
  return e.operator === '<=' ? (a, b) => a <= b : (a, b) => a === b;
}

function combined(e: LogicExpr, operands: readonly number[]): boolean {
  if (e.operator === 'not') return operands[0] === 0;
  return e.operator === 'and' ? operands.every((o) => o !== 0) : operands.some((o) => o !== 0);
}

const stumpffValues = new Float64Array(MAXIMUM_STUMPFF_ORDER + 1);

/** All orders up to `top` of one argument, in an array that is reused. */
function stumpffRow(x: number, top: number): Float64Array {
  if (top > MAXIMUM_STUMPFF_ORDER)
    throw new KanegenError('stumpff-order', `Stumpff functions are tabulated up to order ${MAXIMUM_STUMPFF_ORDER}`, {
      remedy: 'split the formula into bodies of fewer coordinates',
    });
  stumpff(x, top, stumpffValues);
  return stumpffValues;
}
