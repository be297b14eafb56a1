/**
 * Formulas made ready for evaluation over columns of double-double numbers. Every node is evaluated as it stands, operands first: what is the same
 * in all rows as one number, all else by loops over a block of rows, in registers that are taken again when nothing reads them any more.
 */
import { tick } from '../../common/work-limit.ts';
import { children, type CallExpr, type Expr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { newColumn, type Column } from './columns.ts';
import {
  add,
  addRows,
  addScaledRows,
  angle,
  cosine,
  divide,
  exponential,
  hyperbolic,
  integerPower,
  logarithm,
  multiply,
  multiplyRows,
  result,
  scaleRows,
  sine,
  squareRoot,
  stumpffSeries,
} from './double-double.ts';

/** Rows that are evaluated together: keeps the registers in the cache. */
const BLOCK = 512;
/** Rows of a step that take as long as a node of an expression takes to make. */
const ROWS_OF_NODE = 64;

/** Of all programs: one is at work at a time, and takes what it is given before it begins. */
const registers: Column[] = [];
/** Of operands that are the same in all rows, and of powers. */
const scratch = [newColumn(BLOCK), newColumn(BLOCK)] as const;

/** A column by its different values: row i has the value `index[i]`. */
export interface Repeated {
  readonly distinct: Column;
  readonly index: Uint32Array;
}

type Step = (count: number) => void;
/** Leaves a number in the register of double-double arithmetic. */
type Evaluation = () => void;

export class ColumnProgram {
  private readonly roots: readonly Expr[];
  /** What is given: one number each, or a column. */
  private readonly givenNumbers: readonly Expr[];
  private readonly inputs: readonly { readonly given: Expr; readonly register: Column }[];
  /** Of what is the same in all rows: where its number is, and how it is found. */
  private readonly places = new Map<Expr, number>();
  private readonly numbers: Column;
  private readonly evaluations: readonly { readonly place: number; readonly evaluate: Evaluation }[];
  private readonly registers = new Map<Expr, Column>();
  private readonly steps: readonly Step[];

  /**
   * @param order nodes of the formulas, operands first; what is given stands for what is below it.
   * @param columns of what is given, that which differs between rows.
   * @param numbers the rest of it.
   */
  constructor(roots: readonly Expr[], order: readonly Expr[], columns: ReadonlySet<Expr>, numbers: ReadonlySet<Expr>) {
    this.roots = roots;
    const varying = new Set<Expr>(columns);
    for (const e of order) if (!numbers.has(e) && children(e).some((own) => varying.has(own))) varying.add(e);
    const fixed = order.filter((e) => !varying.has(e));
    fixed.forEach((e, place) => this.places.set(e, place));
    this.numbers = newColumn(fixed.length);
    this.givenNumbers = fixed.filter((e) => numbers.has(e));
    this.evaluations = fixed
      .filter((e) => !numbers.has(e))
      .map((e) => ({ place: this.places.get(e)!, evaluate: this.evaluation(e) }));
    let taken = 0;
    const free: Column[] = [];
    const take = (e: Expr): Column => {
      const register = free.pop() ?? (registers[taken++] ??= newColumn(BLOCK));
      this.registers.set(e, register);
      return register;
    };
    // Columns are loaded before all else: none may take a register that another node has left.
    this.inputs = order.filter((e) => columns.has(e)).map((given) => ({ given, register: take(given) }));
    const used = order.filter((e) => varying.has(e) && !columns.has(e));
    const releases = lastUses(used, new Set([...roots, ...fixed]));
    this.steps = used.flatMap((e) => {
      const step = this.step(e, take(e));
      for (const done of releases.get(e) ?? []) free.push(this.registers.get(done)!);
      return step;
    });
  }

  /** @param bindings a column per given value, of `rows` rows or of one. @returns a column of all rows per formula. */
  run(bindings: ReadonlyMap<Expr, Column | Repeated>, rows: number): Column[] {
    for (const e of this.givenNumbers) {
      const [place, given] = [this.places.get(e)!, bindings.get(e) as Column];
      this.numbers.high[place] = given.high[0]!;
      this.numbers.low[place] = given.low[0]!;
    }
    tick(this.evaluations.length / ROWS_OF_NODE);
    for (const { place, evaluate } of this.evaluations) {
      evaluate();
      this.numbers.high[place] = result.high;
      this.numbers.low[place] = result.low;
    }
    const outputs = this.roots.map((root) => {
      const out = newColumn(rows);
      const place = this.places.get(root);
      if (place === undefined) return out;
      out.high.fill(this.numbers.high[place]!);
      out.low.fill(this.numbers.low[place]!);
      return out;
    });
    for (let first = 0; first < rows && this.steps.length + this.inputs.length > 0; first += BLOCK) {
      const count = Math.min(BLOCK, rows - first);
      for (const { given, register } of this.inputs) {
        load(bindings.get(given)!, first, count, register);
      }
      tick((this.steps.length * count) / ROWS_OF_NODE);
      for (const step of this.steps) step(count);
      this.roots.forEach((root, k) => {
        const register = this.registers.get(root);
        if (!register) return;
        outputs[k]!.high.set(register.high.subarray(0, count), first);
        outputs[k]!.low.set(register.low.subarray(0, count), first);
      });
    }
    return outputs;
  }

  // ---------------------------------------------------------------------------------------------- one number

  private evaluation(e: Expr): Evaluation {
    const { high: values, low: lows } = this.numbers;
    const place = (own: Expr): number => this.places.get(own)!;
    switch (e.kind) {
      case 'symbol':
        throw new Error(`no value for ${e.name}`);
      case 'rational':
        return giving(numberOf(e.value));
      case 'constant':
        return giving(PI);
      case 'sum': {
        const start = numberOf(e.constant);
        const terms = e.terms.map((t) => ({ factor: numberOf(t.coefficient), at: place(t.term) }));
        return () => {
          let [high, low] = [start.high, start.low];
          for (const { factor, at } of terms) {
            multiply(factor.high, factor.low, values[at]!, lows[at]!);
            add(high, low, result.high, result.low);
            [high, low] = [result.high, result.low];
          }
          give(high, low);
        };
      }
      case 'product': {
        const start = numberOf(e.coefficient);
        const factors = e.factors.map((f) => ({ raise: raised(f.exponent), at: place(f.base) }));
        return () => {
          let [high, low] = [start.high, start.low];
          for (const { raise, at } of factors) {
            raise(values[at]!, lows[at]!);
            multiply(high, low, result.high, result.low);
            [high, low] = [result.high, result.low];
          }
          give(high, low);
        };
      }
      case 'call': {
        const f = functionOf(e);
        const [x, y] = [place(e.arguments[0]!), place(e.arguments[1] ?? e.arguments[0]!)];
        return () => f(values[x]!, lows[x]!, values[y]!, lows[y]!);
      }
      case 'stumpff': {
        const at = place(e.argument);
        return () => stumpffSeries(e.order, values[at]!, lows[at]!);
      }
      case 'select': {
        const [condition, then, otherwise] = [place(e.condition), place(e.then), place(e.otherwise)];
        return () => {
          const at = values[condition] === 0 ? otherwise : then;
          give(values[at]!, lows[at]!);
        };
      }
      case 'compare': {
        const [left, right] = [place(e.left), place(e.right)];
        const holds = COMPARISONS[e.operator];
        return () => {
          add(values[left]!, lows[left]!, -values[right]!, -lows[right]!);
          give(holds(result.high) ? 1 : 0, 0);
        };
      }
      case 'logic': {
        const operands = e.operands.map(place);
        const isTrue = (at: number): boolean => values[at] !== 0;
        const found = LOGIC[e.operator];
        return () => give(found(operands.map(isTrue)) ? 1 : 0, 0);
      }
    }
  }

  // ---------------------------------------------------------------------------------------------- a block of rows

  private step(e: Expr, out: Column): Step {
    switch (e.kind) {
      case 'sum':
        return this.sumStep(e, out);
      case 'product':
        return this.productStep(e, out);
      case 'call':
        return this.callStep(e, out);
      case 'stumpff': {
        const x = this.registers.get(e.argument)!;
        return (count) => applyRows((h, l) => stumpffSeries(e.order, h, l), x, out, count);
      }
      case 'select': {
        const condition = this.reader(e.condition, 0);
        const [then, otherwise] = [this.chosen(e.then), this.chosen(e.otherwise)];
        return (count) => {
          const { high } = condition(count);
          for (let i = 0; i < count; i++) {
            const { column, at } = high[i] === 0 ? otherwise : then;
            const k = at < 0 ? i : at;
            [out.high[i], out.low[i]] = [column.high[k]!, column.low[k]!];
          }
        };
      }
      case 'compare': {
        const [left, right] = [this.reader(e.left, 0), this.reader(e.right, 1)];
        const holds = COMPARISONS[e.operator];
        return (count) => {
          const [a, b] = [left(count), right(count)];
          for (let i = 0; i < count; i++) {
            add(a.high[i]!, a.low[i]!, -b.high[i]!, -b.low[i]!);
            out.high[i] = holds(result.high) ? 1 : 0;
            out.low[i] = 0;
          }
        };
      }
      case 'logic': {
        const operands = e.operands.map((own) => this.chosen(own));
        const found = LOGIC[e.operator];
        return (count) => {
          for (let i = 0; i < count; i++) {
            const isTrue = found(operands.map(({ column, at }) => column.high[at < 0 ? i : at] !== 0));
            out.high[i] = isTrue ? 1 : 0;
            out.low[i] = 0;
          }
        };
      }
      case 'symbol':
      case 'rational':
      case 'constant':
        throw new Error(`a ${e.kind} that is not given does not differ between rows`);
    }
  }

  /** The register of an operand, or one filled with its number. */
  private reader(operand: Expr, side: 0 | 1): (count: number) => Column {
    const register = this.registers.get(operand);
    if (register) return () => register;
    const [place, filled] = [this.places.get(operand)!, scratch[side]];
    return (count) => {
      filled.high.fill(this.numbers.high[place]!, 0, count);
      filled.low.fill(this.numbers.low[place]!, 0, count);
      return filled;
    };
  }

  /** Where the values of an operand are: in the row itself, or in one place. */
  private chosen(operand: Expr): { readonly column: Column; readonly at: number } {
    const column = this.registers.get(operand);
    return column ? { column, at: -1 } : { column: this.numbers, at: this.places.get(operand)! };
  }

  private sumStep(e: Expr & { kind: 'sum' }, out: Column): Step {
    const terms = e.terms.map((t) => ({ ...t, factor: numberOf(t.coefficient), x: this.registers.get(t.term)! }));
    const varying = terms.filter(({ term }) => this.registers.has(term));
    const fixed = terms.flatMap(({ term, factor }) =>
      this.registers.has(term) ? [] : [{ factor, at: this.places.get(term)! }],
    );
    const base = numberOf(e.constant);
    const [first, ...others] = varying;
    const second = others[0];
    // Most sums begin with two terms as they are.
    const arePlain = second !== undefined && first!.factor === ONE && second.factor === ONE;
    return (count) => {
      let [high, low] = [base.high, base.low];
      for (const { factor, at } of fixed) {
        multiply(factor.high, factor.low, this.numbers.high[at]!, this.numbers.low[at]!);
        add(high, low, result.high, result.low);
        [high, low] = [result.high, result.low];
      }
      if (arePlain) addRows(first!.x, second.x, out, count);
      else scaleRows(first!.factor.high, first!.factor.low, first!.x, out, count);
      for (let k = arePlain ? 1 : 0; k < others.length; k++) {
        const { factor, x } = others[k]!;
        if (factor === ONE) addRows(out, x, out, count);
        else addScaledRows(factor.high, factor.low, x, out, count);
      }
      if (high === 0 && low === 0) return;
      for (let i = 0; i < count; i++) {
        add(out.high[i]!, out.low[i]!, high, low);
        out.high[i] = result.high;
        out.low[i] = result.low;
      }
    };
  }

  private productStep(e: Expr & { kind: 'product' }, out: Column): Step {
    const base = numberOf(e.coefficient);
    const fixed = e.factors
      .filter((f) => !this.registers.has(f.base))
      .map((f) => ({ raise: raised(f.exponent), at: this.places.get(f.base)! }));
    const [first, ...others] = e.factors.flatMap((f) => {
      const x = this.registers.get(f.base);
      return x ? [{ x, exponent: f.exponent, raise: raised(f.exponent) }] : [];
    });
    type Factor = NonNullable<typeof first>;
    const power = ({ x, exponent, raise }: Factor, into: Column, count: number): Column => {
      if (Rational.isOne(exponent)) return x;
      if (exponent.denominator === 1n && exponent.numerator === 2n) multiplyRows(x, x, into, count);
      else applyRows(raise, x, into, count);
      return into;
    };
    const isWhole = base === ONE && fixed.length === 0;
    return (count) => {
      let [high, low] = [base.high, base.low];
      for (const { raise, at } of fixed) {
        raise(this.numbers.high[at]!, this.numbers.low[at]!);
        multiply(high, low, result.high, result.low);
        [high, low] = [result.high, result.low];
      }
      let product = power(first!, out, count);
      if (!isWhole) {
        scaleRows(high, low, product, out, count);
        product = out;
      }
      for (const factor of others) {
        multiplyRows(product, power(factor, scratch[0], count), out, count);
        product = out;
      }
    };
  }

  private callStep(e: CallExpr, out: Column): Step {
    const f = functionOf(e);
    const first = this.reader(e.arguments[0]!, 0);
    if (e.arguments.length === 1) return (count) => applyRows((h, l) => f(h, l, h, l), first(count), out, count);
    const second = this.reader(e.arguments[1]!, 1);
    return (count) => {
      const [x, y] = [first(count), second(count)];
      for (let i = 0; i < count; i++) {
        f(x.high[i]!, x.low[i]!, y.high[i]!, y.low[i]!);
        out.high[i] = result.high;
        out.low[i] = result.low;
      }
    };
  }
}

function load(given: Column | Repeated, first: number, count: number, { high, low }: Column): void {
  if (!('index' in given)) {
    high.set(given.high.subarray(first, first + count));
    low.set(given.low.subarray(first, first + count));
    return;
  }
  const { distinct, index } = given;
  for (let i = 0; i < count; i++) {
    const place = index[first + i]!;
    high[i] = distinct.high[place]!;
    low[i] = distinct.low[place]!;
  }
}

/** For each node, the nodes whose registers are free once it is evaluated. @param kept are read at the end of a block, or have no register. */
function lastUses(order: readonly Expr[], kept: ReadonlySet<Expr>): Map<Expr, Expr[]> {
  const last = new Map<Expr, Expr>();
  for (const e of order) for (const operand of children(e)) last.set(operand, e);
  const releases = new Map<Expr, Expr[]>();
  for (const [operand, user] of last) {
    if (kept.has(operand)) continue;
    const list = releases.get(user);
    if (list) list.push(operand);
    else releases.set(user, [operand]);
  }
  return releases;
}

function applyRows(operation: (h: number, l: number) => void, x: Column, out: Column, count: number): void {
  for (let i = 0; i < count; i++) {
    operation(x.high[i]!, x.low[i]!);
    out.high[i] = result.high;
    out.low[i] = result.low;
  }
}

// ---------------------------------------------------------------------------------------------- numbers and functions

interface DoubleDouble {
  readonly high: number;
  readonly low: number;
}

const ONE: DoubleDouble = { high: 1, low: 0 };
const PI: DoubleDouble = { high: 3.141592653589793, low: 1.2246467991473532e-16 };

function give(high: number, low: number): void {
  result.high = high;
  result.low = low;
}

const giving =
  ({ high, low }: DoubleDouble): Evaluation =>
  () =>
    give(high, low);

function numberOf(value: Rational): DoubleDouble {
  if (Rational.isOne(value)) return ONE;
  const part = (n: bigint): DoubleDouble => {
    const high = Number(n);
    return { high, low: Number.isFinite(high) ? Number(n - BigInt(high)) : 0 };
  };
  const [numerator, denominator] = [part(value.numerator), part(value.denominator)];
  if (!Number.isFinite(numerator.high) || !Number.isFinite(denominator.high))
    return { high: Rational.toNumber(value), low: 0 };
  divide(numerator.high, numerator.low, denominator.high, denominator.low);
  return { high: result.high, low: result.low };
}

function raised(exponent: Rational): (h: number, l: number) => void {
  const n = Number(exponent.numerator);
  if (exponent.denominator === 1n && n === 1) return give;
  if (exponent.denominator === 1n && n === 2) return (h, l) => multiply(h, l, h, l);
  if (exponent.denominator === 1n) return (h, l) => integerPower(h, l, n);
  if (exponent.denominator === 2n)
    return (h, l) => {
      squareRoot(h, l);
      integerPower(result.high, result.low, n);
    };
  const { high, low } = numberOf(exponent);
  return (h, l) => powerOf(h, l, high, low);
}

function powerOf(h: number, l: number, exponent: number, low: number): void {
  logarithm(h, l);
  multiply(exponent, low, result.high, result.low);
  exponential(result.high, result.low);
}

type Comparison = (Expr & { kind: 'compare' })['operator'];
type Logic = (Expr & { kind: 'logic' })['operator'];

/** Of the difference of both sides. */
const COMPARISONS: Record<Comparison, (difference: number) => boolean> = {
  '<': (d) => d < 0,
  '<=': (d) => d <= 0,
  '==': (d) => d === 0,
};

const LOGIC: Record<Logic, (operands: readonly boolean[]) => boolean> = {
  not: ([first]) => !first,
  and: (operands) => operands.every(Boolean),
  or: (operands) => operands.some(Boolean),
};

/** Of one argument, or of two. */
function functionOf({ name }: CallExpr): (h: number, l: number, yh: number, yl: number) => void {
  switch (name) {
    case 'sin':
      return sine;
    case 'cos':
      return cosine;
    case 'tan':
      return (h, l) => {
        cosine(h, l);
        const [high, low] = [result.high, result.low];
        sine(h, l);
        divide(result.high, result.low, high, low);
      };
    case 'asin':
    case 'acos':
      return (h, l) => {
        multiply(h, l, h, l);
        add(1, 0, -result.high, -result.low);
        squareRoot(result.high, result.low);
        if (name === 'asin') angle(h, l, result.high, result.low);
        else angle(result.high, result.low, h, l);
      };
    case 'atan':
      return (h, l) => angle(h, l, 1, 0);
    case 'atan2':
      return angle;
    case 'sinh':
    case 'cosh':
    case 'tanh':
      return (h, l) => hyperbolic(name, h, l);
    case 'exp':
      return exponential;
    case 'log':
      return logarithm;
    case 'pow':
      return powerOf;
    case 'abs':
      return (h, l) => add(0, 0, h < 0 ? -h : h, h < 0 ? -l : l);
    case 'sign':
      return (h) => add(0, 0, Math.sign(h), 0);
  }
}
