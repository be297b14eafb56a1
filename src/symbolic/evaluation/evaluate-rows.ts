/**
 * Numeric evaluation of expressions over whole columns of numbers, in double precision: the DAG is walked once, every node
 * is a loop over a block of rows. Nodes that do not depend on a column are computed once.
 * Both sides of a `select` are computed and one is taken; what the other made of it (infinite, not a number) is dropped.
 */
import { mathFunction } from './evaluate.ts';
import { MAXIMUM_STUMPFF_ORDER, stumpff, stumpffRoom } from '../../runtime/stumpff.ts';
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

/** Expressions made ready for many evaluations with other columns and scalars. */
export class RowProgram {
  private readonly roots: readonly Expr[];
  /** Nodes without columns below them, operands first. */
  private readonly constants: readonly Expr[];
  private readonly constantValues = new Map<Expr, number>();
  private readonly inputs: readonly { readonly symbol: Expr; readonly register: Float64Array }[];
  private readonly steps: readonly Step[];
  private readonly registers = new Map<Expr, Float64Array>();
  private readonly scratch = [new Float64Array(BLOCK), new Float64Array(BLOCK)] as const;

  constructor(values: readonly Expr[], columns: readonly Expr[]) {
    this.roots = values;
    const order = postorder(values);
    const varying = new Set<Expr>(columns);
    for (const e of order) if (children(e).some((o) => varying.has(o))) varying.add(e);
    this.constants = order.filter((e) => !varying.has(e));
    const used = order.filter((e) => varying.has(e));
    const steps: Step[] = [];
    const releases = lastUses(used, values);
    const free: Float64Array[] = [];
    const siblings = stumpffSiblings(used);
    const take = (e: Expr): Float64Array => {
      const register = free.pop() ?? new Float64Array(BLOCK);
      this.registers.set(e, register);
      return register;
    };
    // Columns are loaded before everything else: none may take a register that another node has left.
    this.inputs = used.flatMap((e) => (e.kind === 'symbol' ? [{ symbol: e, register: take(e) }] : []));
    for (const e of used) {
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
        return mathFunction(e.name)(value(e.arguments[0]!), e.arguments[1] ? value(e.arguments[1]) : 0);
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

  private step(e: Exclude<Expr, { kind: 'symbol' | 'stumpff' }>, out: Float64Array): Step {
    switch (e.kind) {
      case 'sum':
        return this.sumStep(e, out);
      case 'product':
        return this.productStep(e, out);
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
  private reader(operand: Expr, side: 0 | 1): (count: number) => Float64Array {
    const register = this.registers.get(operand);
    if (register) return () => register;
    return (count) => this.scratch[side].fill(this.constantValues.get(operand)!, 0, count);
  }

  private sumStep(e: SumExpr, out: Float64Array): Step {
    const fixed = e.terms.flatMap(({ term, coefficient }) =>
      this.registers.has(term) ? [] : [{ c: number(coefficient), term }],
    );
    const varying = e.terms.flatMap((t) => {
      const x = this.registers.get(t.term);
      return x ? [{ c: number(t.coefficient), x }] : [];
    });
    const base = number(e.constant);
    return (count) => {
      let start = base;
      for (const { c, term } of fixed) start += c * this.constantValues.get(term)!;
      const { c, x } = varying[0]!;
      for (let i = 0; i < count; i++) out[i] = start + c * x[i]!;
      for (let k = 1; k < varying.length; k++) addScaled(out, varying[k]!.c, varying[k]!.x, count);
    };
  }

  private productStep(e: ProductExpr, out: Float64Array): Step {
    const fixed = e.factors.filter((f) => !this.registers.has(f.base));
    const varying = e.factors.flatMap((f) => {
      const x = this.registers.get(f.base);
      return x ? [{ exponent: number(f.exponent), x }] : [];
    });
    const base = number(e.coefficient);
    const [first] = varying;
    return (count) => {
      let factor = base;
      for (const f of fixed) factor *= raised(this.constantValues.get(f.base)!, f.exponent);
      // Most products begin with a factor as it is.
      const begun = first!.exponent === 1 ? 1 : 0;
      if (begun === 1) scale(out, factor, first!.x, count);
      else out.fill(factor, 0, count);
      for (let k = begun; k < varying.length; k++) multiplyByPower(out, varying[k]!.x, varying[k]!.exponent, count);
    };
  }

  private callStep(e: CallExpr, out: Float64Array): Step {
    const f = mathFunction(e.name);
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

  private selectStep(e: Expr & { kind: 'select' }, out: Float64Array): Step {
    const condition = this.registers.get(e.condition);
    const [then, otherwise] = [this.reader(e.then, 0), this.reader(e.otherwise, 1)];
    return (count) => {
      const [a, b] = [then(count), otherwise(count)];
      if (!condition) out.set((this.constantValues.get(e.condition) !== 0 ? a : b).subarray(0, count));
      else for (let i = 0; i < count; i++) out[i] = condition[i] !== 0 ? a[i]! : b[i]!;
    };
  }

  private logicStep(e: LogicExpr, out: Float64Array): Step {
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

/** For each node, the nodes whose registers are free once it is computed. Values are read at the end of a block. */
function lastUses(order: readonly Expr[], values: readonly Expr[]): Map<Expr, Expr[]> {
  const last = new Map<Expr, Expr>();
  for (const e of order) for (const operand of children(e)) last.set(operand, e);
  const kept = new Set<Expr>(values);
  const known = new Set(order);
  const releases = new Map<Expr, Expr[]>();
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

function stumpffSiblings(order: readonly Expr[]): Map<Expr, (Expr & { kind: 'stumpff' })[]> {
  const groups = new Map<Expr, (Expr & { kind: 'stumpff' })[]>();
  for (const e of order) {
    if (e.kind !== 'stumpff') continue;
    const group = groups.get(e.argument);
    if (group) group.push(e);
    else groups.set(e.argument, [e]);
  }
  return groups;
}

function addScaled(out: Float64Array, c: number, x: Float64Array, count: number): void {
  if (c === 1) for (let i = 0; i < count; i++) out[i] = out[i]! + x[i]!;
  else for (let i = 0; i < count; i++) out[i] = out[i]! + c * x[i]!;
}

/** factor · x. */
function scale(out: Float64Array, factor: number, x: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) out[i] = factor * x[i]!;
}

/** out · x^e, with the powers that formulas have in loops of their own. */
function multiplyByPower(out: Float64Array, x: Float64Array, e: number, count: number): void {
  if (e === 1) for (let i = 0; i < count; i++) out[i] = out[i]! * x[i]!;
  else if (e === 2) for (let i = 0; i < count; i++) out[i] = out[i]! * x[i]! * x[i]!;
  else if (e === 3) for (let i = 0; i < count; i++) out[i] = out[i]! * x[i]! * x[i]! * x[i]!;
  else if (e === -1) for (let i = 0; i < count; i++) out[i] = out[i]! / x[i]!;
  else if (e === -2) for (let i = 0; i < count; i++) out[i] = out[i]! / (x[i]! * x[i]!);
  else if (e === 0.5) for (let i = 0; i < count; i++) out[i] = out[i]! * Math.sqrt(x[i]!);
  else if (e === -0.5) for (let i = 0; i < count; i++) out[i] = out[i]! / Math.sqrt(x[i]!);
  else if (Number.isInteger(2 * e) && Math.abs(e) <= 8) multiplyRepeatedly(out, x, e, count);
  else for (let i = 0; i < count; i++) out[i] = out[i]! * x[i]! ** e;
}

/** Powers n and n/2 by products: many times faster than the general power. */
function multiplyRepeatedly(out: Float64Array, x: Float64Array, exponent: number, count: number): void {
  const isWhole = Number.isInteger(exponent);
  const repetitions = Math.abs(isWhole ? exponent : 2 * exponent);
  for (let i = 0; i < count; i++) {
    const base = isWhole ? x[i]! : Math.sqrt(x[i]!);
    let power = base;
    for (let k = 1; k < repetitions; k++) power *= base;
    out[i] = exponent > 0 ? out[i]! * power : out[i]! / power;
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

function comparison(e: CompareExpr): (a: number, b: number) => boolean {
  if (e.operator === '<') return (a, b) => a < b;
  return e.operator === '<=' ? (a, b) => a <= b : (a, b) => a === b;
}

function combined(e: LogicExpr, operands: readonly number[]): boolean {
  if (e.operator === 'not') return operands[0] === 0;
  return e.operator === 'and' ? operands.every((o) => o !== 0) : operands.some((o) => o !== 0);
}

const stumpffValues = new Float64Array(stumpffRoom(MAXIMUM_STUMPFF_ORDER));

/** All orders up to `top` of one argument, in an array that is reused. */
function stumpffRow(x: number, top: number): Float64Array {
  if (top > MAXIMUM_STUMPFF_ORDER)
    throw new KanegenError('stumpff-order', `Stumpff functions are tabulated up to order ${MAXIMUM_STUMPFF_ORDER}`, {
      remedy: 'split the formula into bodies of fewer coordinates',
    });
  stumpff(x, top, stumpffValues);
  return stumpffValues;
}
