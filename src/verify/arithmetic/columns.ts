/**
 * Formulas evaluated over columns of double-double numbers: the values of many material points at once, for the independent
 * check. Every node of a formula is evaluated as it stands; no derivative is formed.
 */
import type { Decimal } from 'decimal.js';
import { decimalOfPrecision, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { children, type CallExpr, type Expr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import { tick } from '../../common/work-limit.ts';
import {
  add,
  addRows,
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
  sine,
  squareRoot,
  stumpffSeries,
} from './double-double.ts';

/** Double-double numbers, one per row; a column of one row stands for all rows. */
export interface Column {
  readonly high: Float64Array;
  readonly low: Float64Array;
}

export function newColumn(rows: number): Column {
  return { high: new Float64Array(rows), low: new Float64Array(rows) };
}

export function columnOf(values: readonly number[]): Column {
  return { high: Float64Array.from(values), low: new Float64Array(values.length) };
}

const Exact = decimalOfPrecision(60);

export function decimalColumn(values: readonly Decimal[]): Column {
  const high = Float64Array.from(values, (x) => x.toNumber());
  return { high, low: Float64Array.from(values, (x, i) => x.minus(exactDecimal(high[i]!, Exact)).toNumber()) };
}

export const constantColumn = (high: number, low = 0): Column => ({
  high: Float64Array.of(high),
  low: Float64Array.of(low),
});

/** Rows that are evaluated together: keeps the intermediate columns in the cache. */
const BLOCK = 2048;
/** Columns between formulas and their values, taken again for every block: making them costs more than filling them. */
const scratch: Column[] = [];
const MOST_SCRATCH = 400;
/** How many of them hold something; none may be taken while no block is evaluated. */
let taken = Infinity;

/** For results of which every entry is written. */
function unwritten(rows: number): Column {
  if (rows !== BLOCK || taken >= MOST_SCRATCH) return newColumn(rows);
  return (scratch[taken++] ??= newColumn(BLOCK));
}

/** Applies an operation of the register to every row. */
export function combine(
  operation: (ah: number, al: number, bh: number, bl: number) => void,
  a: Column,
  b: Column,
): Column {
  const rows = Math.max(a.high.length, b.high.length);
  const [sa, sb] = [a.high.length === 1 ? 0 : 1, b.high.length === 1 ? 0 : 1];
  const out = unwritten(rows);
  tick(rows);
  if (operation === add || operation === multiply) {
    (operation === add ? addRows : multiplyRows)(a, b, out);
    return out;
  }
  for (let i = 0; i < rows; i++) {
    operation(a.high[sa * i]!, a.low[sa * i]!, b.high[sb * i]!, b.low[sb * i]!);
    out.high[i] = result.high;
    out.low[i] = result.low;
  }
  return out;
}

export function apply(operation: (h: number, l: number) => void, a: Column): Column {
  const out = unwritten(a.high.length);
  tick(a.high.length);
  for (let i = 0; i < a.high.length; i++) {
    operation(a.high[i]!, a.low[i]!);
    out.high[i] = result.high;
    out.low[i] = result.low;
  }
  return out;
}

/** a + factor·b for a double that is exact. */
export function addScaled(a: Column, factor: number, b: Column): Column {
  return combine(add, a, factor === 1 ? b : combine(multiply, constantColumn(factor), b));
}

function rationalColumn(value: Rational): Column {
  const part = (n: bigint): [number, number] => {
    const high = Number(n);
    return [high, Number.isFinite(high) ? Number(n - BigInt(high)) : 0];
  };
  const direct = Rational.toNumber(value);
  const [nh, nl] = part(value.numerator);
  const [dh, dl] = part(value.denominator);
  if (!Number.isFinite(nh) || !Number.isFinite(dh)) return constantColumn(direct);
  divide(nh, nl, dh, dl);
  return constantColumn(result.high, result.low);
}

const PI = constantColumn(3.141592653589793, 1.2246467991473532e-16);

/**
 * Values of formulas in every row. What depends on one material coordinate only is evaluated once for each of its values:
 * product rules repeat them many times.
 * @param bindings a column per symbol, of `rows` rows or of one.
 */
export function evaluateColumns(roots: readonly Expr[], bindings: ReadonlyMap<Expr, Column>, rows: number): Column[] {
  const order = postorder(roots);
  const repeated = new Map<Expr, Repeated>();
  for (const [symbol, column] of bindings) {
    const found = repetition(column);
    if (!found) continue;
    const own = functionsOf(symbol, order, roots, bindings);
    if (own.length === 0) continue;
    const here = new Map(bindings).set(symbol, found.distinct);
    const values = evaluateEveryRow(own, here, found.distinct.high.length, new Map());
    own.forEach((e, k) => repeated.set(e, { distinct: values[k]!, index: found.index }));
  }
  return evaluateEveryRow(roots, bindings, rows, repeated);
}

/** A column by its different values: row i has the value `index[i]`. */
interface Repeated {
  readonly distinct: Column;
  readonly index: Uint32Array;
}

/** Below, or where values hardly repeat, nothing is gained. */
const LEAST_ROWS = 64;
const LEAST_REPETITIONS = 4;
const repetitions = new WeakMap<Column, Repeated | 'none'>();

function repetition(column: Column): Repeated | undefined {
  const rows = column.high.length;
  if (rows < LEAST_ROWS) return undefined;
  const known = repetitions.get(column);
  if (known) return known === 'none' ? undefined : known;
  const places = new Map<number, Map<number, number>>();
  const index = new Uint32Array(rows);
  const [high, low]: [number[], number[]] = [[], []];
  for (let i = 0; i < rows && high.length * LEAST_REPETITIONS <= rows; i++) {
    const lows = places.get(column.high[i]!) ?? new Map<number, number>();
    places.set(column.high[i]!, lows);
    let place = lows.get(column.low[i]!);
    if (place === undefined) {
      place = high.length;
      lows.set(column.low[i]!, place);
      high.push(column.high[i]!);
      low.push(column.low[i]!);
    }
    index[i] = place;
  }
  const found =
    high.length * LEAST_REPETITIONS <= rows
      ? { distinct: { high: Float64Array.from(high), low: Float64Array.from(low) }, index }
      : undefined;
  repetitions.set(column, found ?? 'none');
  return found;
}

/** Largest parts of the formulas that vary with `symbol` and with no other column of more than one row. */
function functionsOf(
  symbol: Expr,
  order: readonly Expr[],
  roots: readonly Expr[],
  bindings: ReadonlyMap<Expr, Column>,
): Expr[] {
  const varies = new Set<Expr>();
  const own = new Set<Expr>();
  for (const e of order) {
    const operands = children(e);
    const varying = operands.filter((operand) => varies.has(operand));
    if (varying.length > 0 || (bindings.get(e)?.high.length ?? 1) > 1) varies.add(e);
    if (e === symbol || (varying.length > 0 && varying.every((operand) => own.has(operand)))) own.add(e);
  }
  const isNumber = (e: Expr): boolean => e.kind !== 'compare' && e.kind !== 'logic';
  const wanted = new Set<Expr>(roots.filter((root) => own.has(root)));
  for (const e of order) if (!own.has(e)) for (const operand of children(e)) if (own.has(operand)) wanted.add(operand);
  return [...wanted].filter((e) => e !== symbol && isNumber(e));
}

function evaluateEveryRow(
  roots: readonly Expr[],
  bindings: ReadonlyMap<Expr, Column>,
  rows: number,
  repeated: ReadonlyMap<Expr, Repeated>,
): Column[] {
  const order = neededFor(roots, repeated);
  const outputs = roots.map(() => newColumn(rows));
  for (let first = 0; first < rows; first += BLOCK) {
    const count = Math.min(BLOCK, rows - first);
    const values = new Map<Expr, Column>();
    const truths = new Map<Expr, Uint8Array>();
    taken = 0;
    try {
      for (const e of order) {
        const known = repeated.get(e);
        if (known) values.set(e, gathered(known, first, count));
        else if (e.kind === 'compare' || e.kind === 'logic') truths.set(e, truth(e, values, truths));
        else values.set(e, node(e, values, truths, bindings, first, count));
      }
    } finally {
      taken = Infinity;
    }
    roots.forEach((root, k) => {
      const value = values.get(root)!;
      const stride = value.high.length === 1 ? 0 : 1;
      for (let i = 0; i < count; i++) {
        outputs[k]!.high[first + i] = value.high[stride * i]!;
        outputs[k]!.low[first + i] = value.low[stride * i]!;
      }
    });
  }
  return outputs;
}

/** Nodes in the order of evaluation, operands of known ones left out. */
function neededFor(roots: readonly Expr[], known: ReadonlyMap<Expr, unknown>): Expr[] {
  const order = postorder(roots);
  const needed = new Set<Expr>(roots);
  for (let i = order.length - 1; i >= 0; i--) {
    const e = order[i]!;
    if (needed.has(e) && !known.has(e)) for (const operand of children(e)) needed.add(operand);
  }
  return order.filter((e) => needed.has(e));
}

function gathered({ distinct, index }: Repeated, first: number, count: number): Column {
  const out = unwritten(count);
  for (let i = 0; i < count; i++) {
    const place = index[first + i]!;
    out.high[i] = distinct.high[place]!;
    out.low[i] = distinct.low[place]!;
  }
  return out;
}

function node(
  e: Expr,
  values: ReadonlyMap<Expr, Column>,
  truths: ReadonlyMap<Expr, Uint8Array>,
  bindings: ReadonlyMap<Expr, Column>,
  first: number,
  count: number,
): Column {
  const get = (operand: Expr): Column => values.get(operand)!;
  switch (e.kind) {
    case 'rational':
      return rationalColumn(e.value);
    case 'constant':
      return PI;
    case 'symbol': {
      const column = bindings.get(e);
      if (!column) throw new Error(`no value for ${e.name}`);
      if (column.high.length === 1) return column;
      return { high: column.high.subarray(first, first + count), low: column.low.subarray(first, first + count) };
    }
    case 'sum':
      return e.terms.reduce(
        (sum, t) => combine(add, sum, Rational.isOne(t.coefficient) ? get(t.term) : scaled(t.coefficient, get(t.term))),
        rationalColumn(e.constant),
      );
    case 'product':
      return e.factors.reduce(
        (product, f) => combine(multiply, product, raised(get(f.base), f.exponent)),
        rationalColumn(e.coefficient),
      );
    case 'call':
      return called(e, e.arguments.map(get));
    case 'stumpff':
      return apply((h, l) => stumpffSeries(e.order, h, l), get(e.argument));
    case 'select':
      return chosen(truths.get(e.condition)!, get(e.then), get(e.otherwise));
    case 'compare':
    case 'logic':
      throw new Error(`a condition is not a number: ${e.kind} of ${children(e).length} operands`);
  }
}

function scaled(coefficient: Rational, column: Column): Column {
  return combine(multiply, rationalColumn(coefficient), column);
}

function raised(base: Column, exponent: Rational): Column {
  const n = Number(exponent.numerator);
  if (exponent.denominator === 1n && n === 1) return base;
  if (exponent.denominator === 1n && n === 2) return combine(multiply, base, base);
  if (exponent.denominator === 1n) return apply((h, l) => integerPower(h, l, n), base);
  if (exponent.denominator === 2n)
    return apply((h, l) => {
      squareRoot(h, l);
      integerPower(result.high, result.low, n);
    }, base);
  return powerOf(base, rationalColumn(exponent));
}

function powerOf(base: Column, exponent: Column): Column {
  return apply(exponential, combine(multiply, exponent, apply(logarithm, base)));
}

const ONE = constantColumn(1);
const minus = (a: Column, b: Column): Column => combine((ah, al, bh, bl) => add(ah, al, -bh, -bl), a, b);
const times = (a: Column, b: Column): Column => combine(multiply, a, b);

function called(e: CallExpr, operands: readonly Column[]): Column {
  const [x, y] = operands as [Column, Column];
  switch (e.name) {
    case 'sin':
      return apply(sine, x);
    case 'cos':
      return apply(cosine, x);
    case 'tan':
      return combine(divide, apply(sine, x), apply(cosine, x));
    case 'asin':
      return combine(angle, x, apply(squareRoot, minus(ONE, times(x, x))));
    case 'acos':
      return combine(angle, apply(squareRoot, minus(ONE, times(x, x))), x);
    case 'atan':
      return combine(angle, x, ONE);
    case 'atan2':
      return combine(angle, x, y);
    case 'sinh':
    case 'cosh':
    case 'tanh': {
      const { name } = e;
      return apply((h, l) => hyperbolic(name, h, l), x);
    }
    case 'exp':
      return apply(exponential, x);
    case 'log':
      return apply(logarithm, x);
    case 'pow':
      return powerOf(x, y);
    case 'abs':
      return apply((h, l) => add(0, 0, h < 0 ? -h : h, h < 0 ? -l : l), x);
    case 'sign':
      return apply((h) => add(0, 0, Math.sign(h), 0), x);
  }
}

function chosen(condition: Uint8Array, then: Column, otherwise: Column): Column {
  const rows = Math.max(condition.length, then.high.length, otherwise.high.length);
  const out = unwritten(rows);
  for (let i = 0; i < rows; i++) {
    const from = condition[condition.length === 1 ? 0 : i] ? then : otherwise;
    const k = from.high.length === 1 ? 0 : i;
    out.high[i] = from.high[k]!;
    out.low[i] = from.low[k]!;
  }
  return out;
}

function truth(e: Expr, values: ReadonlyMap<Expr, Column>, truths: ReadonlyMap<Expr, Uint8Array>): Uint8Array {
  if (e.kind === 'compare') {
    const difference = minus(values.get(e.left)!, values.get(e.right)!).high;
    return Uint8Array.from(difference, (d) => +(e.operator === '<' ? d < 0 : e.operator === '<=' ? d <= 0 : d === 0));
  }
  if (e.kind !== 'logic') throw new Error('not a condition');
  const operands = e.operands.map((operand) => truths.get(operand)!);
  const rows = Math.max(...operands.map((o) => o.length));
  return Uint8Array.from({ length: rows }, (_, i) => {
    const found = operands.map((o) => o[o.length === 1 ? 0 : i]! === 1);
    return +(e.operator === 'not' ? !found[0] : e.operator === 'and' ? found.every(Boolean) : found.some(Boolean));
  });
}

/** Offsets of difference quotients of fourth order, in steps, and their weights in twelfths. */
export const OFFSETS = [-2, -1, 1, 2] as const;
export const FIRST_DERIVATIVE = [1, -8, 8, -1] as const;
/** With the value in the middle as the fifth. */
export const SECOND_DERIVATIVE = [-1, 16, 16, -1, -30] as const;
/**
 * Step of the quotients: h⁴ and the rounding errors 1e-32/h² are both far below what a double resolves.
 */
export const STEP = 2e-6;

/** What steps along a coordinate are scaled by: `usual`, or the distance of its limits where that is less. All in its unit. */
export const roomBetween = (usual: number, lower = -Infinity, upper = Infinity): number =>
  upper > lower ? Math.min(usual, upper - lower) : usual;

/** Σ weights · columns / 12 in one row, left in the register. */
export function combineRow(columns: readonly Column[], twelfths: readonly number[], row: number): void {
  let [high, low] = [0, 0];
  columns.forEach((column, k) => {
    const i = column.high.length === 1 ? 0 : row;
    multiply(column.high[i]!, column.low[i]!, twelfths[k]!, 0);
    add(high, low, result.high, result.low);
    [high, low] = [result.high, result.low];
  });
  divide(high, low, 12, 0);
}

/** Σ weights · columns / (12 divisor), rounded to doubles at the end. */
export function differenceQuotient(
  columns: readonly Column[],
  twelfths: readonly number[],
  divisor: number,
): Float64Array {
  return Float64Array.from(columns[0]!.high, (_, row) => {
    combineRow(columns, twelfths, row);
    return (result.high + result.low) / divisor;
  });
}
