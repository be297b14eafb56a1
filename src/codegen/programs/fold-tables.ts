/**
 * The table of constants of a link, evaluated when the code is generated: loops that need parameters only are carried out
 * here. Deterministic on every machine: functions are evaluated with many digits, sums and products alone in doubles.
 */
import type { Loop, RowArray } from '../../kane/loops/loop.ts';
import { integrateRows } from '../../kane/loops/integrate-rows.ts';
import type { LinkType } from '../../kane/kernels/link-type.ts';
import { requireDouble, requireDoubles } from '../../symbolic/evaluation/double.ts';
import { evaluate, foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { decimal, type Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, postorder } from '../../symbolic/graph/traverse.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { KanegenError } from '../../common/error.ts';
import { expressionsOf, type Operation } from '../operations/operation.ts';
import type { StagedLink } from './stages.ts';

/**
 * @param parameters exact values of all parameters of the type.
 * @throws KanegenError `not-finite`.
 */
export function foldTable(staged: StagedLink, parameters: ReadonlyMap<Expr, Expr>): readonly number[] {
  const { arrays, bindings } = new StageZero(staged.type, parameters);
  const scalars = staged.constants.filter((operation) => operation.kind !== 'array');
  const folded = foldConstants(expressionsOf(scalars), bindings);
  const values = new Map<Operation, number>(scalars.map((operation, i) => [operation, folded[i]!]));
  return requireDoubles(
    staged.constants.flatMap((operation) =>
      operation.kind === 'array' ? arrays.get(operation.array)!.flat() : [values.get(operation)!],
    ),
  );
}

class StageZero {
  readonly bindings: Map<Expr, Expr>;
  /** Column by column. */
  readonly arrays = new Map<RowArray, number[][]>();

  constructor(type: LinkType, parameters: ReadonlyMap<Expr, Expr>) {
    this.bindings = new Map(parameters);
    for (const loop of type.loops) if (loop.stage === 0) this.run(loop);
  }

  private run(loop: Loop): void {
    if (loop.networks.length > 0) throw new Error('learned maps are not constants');
    const rowOf = rowEvaluator(loop, this.bindings);
    const { rows, columns } = loop.table;
    let carried = foldConstants(
      loop.carried.map((c) => c.initial),
      this.bindings,
    );
    const totals = loop.sums.map(() => new Total());
    const written = loop.writes.map(({ values }) => values.map(() => new Array<number>(rows).fill(0)));
    for (let step = 0; step < rows; step++) {
      const k = loop.reversed ? rows - 1 - step : step;
      const inRow = new Map<Expr, number>(columns.map(({ symbol, values }) => [symbol, values[k]!]));
      for (const array of loop.reads)
        array.columns.forEach((symbol, c) => inRow.set(symbol, this.arrays.get(array)![c]![k]!));
      loop.carried.forEach(({ symbol }, i) => inRow.set(symbol, carried[i]!));
      const { next, terms, values } = rowOf(inRow);
      terms.forEach((term, i) => totals[i]!.add(term));
      values.forEach((list, i) =>
        list.forEach((value, c) => {
          if (!Number.isFinite(value)) throw noFiniteValue(loop.writes[i]!.values[c]!, inRow, this.bindings);
          written[i]![c]![k] = value;
        }),
      );
      carried = next;
    }
    loop.sums.forEach(({ symbol }, i) => this.bindings.set(symbol, decimal(requireDouble(totals[i]!.value))));
    loop.carried.forEach(({ final }, i) => this.bindings.set(final, decimal(requireDouble(carried[i]!))));
    loop.writes.forEach(({ array, integrated }, i) => {
      if (integrated) for (const column of written[i]!) integrateRows(column, loop.table, integrated);
      this.arrays.set(array, written[i]!);
    });
  }
}

/** What of a row's value has none, and where: the smallest part of it. */
function noFiniteValue(value: Expr, inRow: ReadonlyMap<Expr, number>, bindings: ReadonlyMap<Expr, Expr>): KanegenError {
  const rows = [...inRow].map(([symbol, x]) => [symbol, decimal(requireDouble(x))] as const);
  const parts = postorder([value]).filter((e) => e.kind !== 'compare' && e.kind !== 'logic');
  const found = foldConstants(parts, new Map([...bindings, ...rows]));
  const part = parts[found.findIndex((x) => !Number.isFinite(x))] ?? value;
  const read = new Set<Expr>(freeSymbols([part]));
  const place = [...inRow].flatMap(([symbol, x]) => (read.has(symbol) ? [`${toText(symbol)} = ${x}`] : []));
  return new KanegenError(
    'not-finite',
    `the formulas of this body have no finite value at a point that integrals are computed at: ${toText(part).slice(0, 120)}` +
      ` where ${place.join(', ')} (in the coordinates of the points)`,
    {
      remedy:
        'write formulas that have values in all of the volume: choose with `select`, whose other branch does not count',
    },
  );
}

interface RowValues {
  readonly next: number[];
  readonly terms: number[];
  readonly values: number[][];
}

function rowEvaluator(loop: Loop, bindings: ReadonlyMap<Expr, Expr>): (inRow: ReadonlyMap<Expr, number>) => RowValues {
  const groups = [
    loop.carried.map((c) => c.next),
    loop.sums.map((sum) => sum.term),
    ...loop.writes.map((write) => write.values),
  ];
  const all = groups.flat();
  const hasFunctions = postorder(all).some((e) => e.kind === 'call' || e.kind === 'stumpff');
  const known = [...bindings.keys()];
  const doubles = foldConstants(known, bindings);
  const numbers = new Map(known.map((symbol, i) => [symbol, doubles[i]!]));
  return (inRow) => {
    const flat = hasFunctions
      ? foldConstants(
          all,
          new Map([...bindings, ...[...inRow].map(([symbol, v]) => [symbol, decimal(requireDouble(v))] as const)]),
        )
      : evaluate(all, new Map([...numbers, ...inRow]));
    let at = 0;
    const [next, terms, ...values] = groups.map((group) => flat.slice(at, (at += group.length)));
    return { next: next!, terms: terms!, values };
  };
}

/** Σ with the rounding of every addition made good (Neumaier 1974). */
class Total {
  private sum = 0;
  private lost = 0;

  add(term: number): void {
    const next = this.sum + term;
    this.lost += Math.abs(this.sum) >= Math.abs(term) ? this.sum - next + term : term - next + this.sum;
    this.sum = next;
  }

  get value(): number {
    return this.sum + this.lost;
  }
}
