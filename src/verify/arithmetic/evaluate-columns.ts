/**
 * Formulas evaluated over columns of double-double numbers: the values of many material points at once, for the independent
 * check. Every node of a formula is evaluated as it stands; no derivative is formed.
 */
import { children, type Expr } from '../../symbolic/graph/expr.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import { ColumnProgram, type Repeated } from './column-program.ts';
import type { Column } from './columns.ts';

/**
 * Values of formulas in every row. What depends on one material coordinate only is evaluated once for each of its values:
 * product rules repeat them many times.
 * @param bindings a column per symbol, of `rows` rows or of one.
 */
export function evaluateColumns(roots: readonly Expr[], bindings: ReadonlyMap<Expr, Column>, rows: number): Column[] {
  const { parts, whole } = planOf(roots, bindings);
  const given = new Map<Expr, Column | Repeated>(bindings);
  for (const { symbol, own, program } of parts) {
    const { distinct, index } = repetition(bindings.get(symbol)!)!;
    const values = program.run(new Map(bindings).set(symbol, distinct), distinct.high.length);
    own.forEach((e, k) => given.set(e, { distinct: values[k]!, index }));
  }
  return whole.run(given, rows);
}

// ---------------------------------------------------------------------------------------------- plans

/** How formulas are evaluated over bindings of one kind. */
interface Plan {
  /** What varies with a symbol alone whose values are repeated. */
  readonly parts: readonly { readonly symbol: Expr; readonly own: readonly Expr[]; readonly program: ColumnProgram }[];
  readonly whole: ColumnProgram;
}

interface Known {
  readonly order: readonly Expr[];
  readonly symbols: readonly Expr[];
  /** By what is a number, a column, and a column whose values are repeated. */
  readonly plans: Map<string, Plan>;
}

/** Formulas are evaluated many times: quotients differ in their bindings only. */
const known = new Map<string, Known>();
/** Nodes of all of them, beyond which they are forgotten. */
const MOST_NODES = 100_000;
let nodes = 0;

function planOf(roots: readonly Expr[], bindings: ReadonlyMap<Expr, Column>): Plan {
  const key = roots.map((e) => e.id).join(' ');
  let formulas = known.get(key);
  if (!formulas) {
    const order = postorder(roots);
    nodes += order.length;
    if (nodes > MOST_NODES) {
      known.clear();
      nodes = order.length;
    }
    formulas = { order, symbols: order.filter((e) => e.kind === 'symbol'), plans: new Map() };
    known.set(key, formulas);
  }
  const kinds = formulas.symbols.map((symbol) => {
    const column = bindings.get(symbol);
    return column === undefined
      ? 'none'
      : column.high.length === 1
        ? 'number'
        : repetition(column)
          ? 'repeated'
          : 'column';
  });
  const kind = kinds.join(' ');
  const plan = formulas.plans.get(kind) ?? planned(roots, formulas, kinds);
  formulas.plans.set(kind, plan);
  return plan;
}

function planned(roots: readonly Expr[], { order, symbols }: Known, kinds: readonly string[]): Plan {
  const those = (...wanted: readonly string[]): Expr[] => symbols.filter((_, i) => wanted.includes(kinds[i]!));
  const numbers = new Set(those('number'));
  const columns = new Set(those('column', 'repeated'));
  const found = those('repeated').map((symbol) => ({ symbol, own: functionsOf(symbol, order, roots, columns) }));
  const parts = found
    .filter(({ own }) => own.length > 0)
    .map((part) => ({
      ...part,
      program: new ColumnProgram(part.own, postorder(part.own), new Set([part.symbol]), numbers),
    }));
  const given = new Set([...columns, ...parts.flatMap(({ own }) => own)]);
  return { parts, whole: new ColumnProgram(roots, neededFor(roots, order, given), given, numbers) };
}

/** Largest parts of the formulas that vary with `symbol` and with no other column. */
function functionsOf(
  symbol: Expr,
  order: readonly Expr[],
  roots: readonly Expr[],
  columns: ReadonlySet<Expr>,
): readonly Expr[] {
  const varies = new Set<Expr>();
  const own = new Set<Expr>();
  for (const e of order) {
    const varying = children(e).filter((operand) => varies.has(operand));
    if (varying.length > 0 || columns.has(e)) varies.add(e);
    if (e === symbol || (varying.length > 0 && varying.every((operand) => own.has(operand)))) own.add(e);
  }
  const isNumber = (e: Expr): boolean => e.kind !== 'compare' && e.kind !== 'logic';
  const wanted = new Set<Expr>(roots.filter((root) => own.has(root)));
  for (const e of order) if (!own.has(e)) for (const operand of children(e)) if (own.has(operand)) wanted.add(operand);
  return [...wanted].filter((e) => e !== symbol && isNumber(e));
}

/** Nodes in the order of evaluation, what is below given ones left out. */
function neededFor(roots: readonly Expr[], order: readonly Expr[], given: ReadonlySet<Expr>): Expr[] {
  const needed = new Set<Expr>(roots);
  for (let i = order.length - 1; i >= 0; i--) {
    const e = order[i]!;
    if (needed.has(e) && !given.has(e)) for (const operand of children(e)) needed.add(operand);
  }
  return order.filter((e) => needed.has(e));
}

// ---------------------------------------------------------------------------------------------- repetitions

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
