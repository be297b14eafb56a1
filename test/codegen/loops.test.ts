/** Loops over rows: from expressions to programs and printed code. */
import { describe, expect, it } from 'vitest';
import { foldTable } from '../../src/codegen/programs/fold-tables.ts';
import { OperationGraph } from '../../src/codegen/programs/operation-graph.ts';
import type { Place } from '../../src/codegen/operations/operation.ts';
import { costText } from '../../src/codegen/printing/cost-text.ts';
import { buildProgram, type Program } from '../../src/codegen/programs/program.ts';
import type { LoopStatement } from '../../src/codegen/programs/statement.ts';
import type { StagedLink } from '../../src/codegen/programs/stages.ts';
import type { LinkType } from '../../src/kane/kernels/link-type.ts';
import type { Loop, RowArray, RowTable } from '../../src/kane/loops/loop.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { cos, decimal, minus, plus, sin, symbol, times, type Expr } from '../../src/symbolic/graph/expr.ts';
import { interpret } from './interpret.ts';

const [a, b] = [symbol('in.a'), symbol('in.b')];
const [u, weight] = [symbol('row.u'), symbol('row.weight')];
const table: RowTable = {
  name: 'points',
  rows: 4,
  columns: [
    { symbol: u, values: [0.1, 0.4, 0.6, 0.9] },
    { symbol: weight, values: [0.2, 0.3, 0.3, 0.2] },
  ],
};
const plain = { stage: 1 as const, table, reversed: false, reads: [], networks: [], carried: [], sums: [], writes: [] };
const inputs = [a, b].map((s, index) => ({ symbol: s, place: { buffer: 'input', index }, stage: 1 as const }));

function programOf(roots: readonly Expr[], loops: readonly Loop[], arrays = new Map<RowArray, Place>()): Program {
  const graph = new OperationGraph(roots, inputs, new Map(), 'quick', loops);
  const outputs = roots.map((root, index) => ({ place: { buffer: 'output', index }, value: graph.of(root) }));
  const source = { name: 'test', reads: ['input', 'store'], writes: ['output'], outputs, ready: new Map(), arrays };
  return buildProgram(source, graph);
}

function run(program: Program, values: readonly number[], outputs: number): number[] {
  const output = new Float64Array(outputs);
  const rows = Float64Array.from(table.columns.flatMap((column) => column.values));
  interpret(program, {
    input: Float64Array.from(values),
    store: new Float64Array(64),
    output,
    'table points': rows,
  });
  return [...output];
}

const loopsIn = (program: Program): LoopStatement[] =>
  program.statements.flatMap((s) => (s.kind === 'loop' ? [s] : []));

/** The same by hand: f evaluated in every row. */
const inRow = (e: Expr, k: number, more: ReadonlyMap<Expr, number>): number =>
  evaluate([e], new Map([...more, [u, table.columns[0]!.values[k]!], [weight, table.columns[1]!.values[k]!]]))[0]!;

const given = new Map<Expr, number>([
  [a, 1.3],
  [b, -0.4],
]);

describe('a loop', () => {
  const term = times(weight, sin(times(u, a)), plus(b, u));
  const sum = symbol('sum.total');

  it('adds up its terms', () => {
    const program = programOf([times(sum, b)], [{ ...plain, name: 'total', sums: [{ symbol: sum, term }] }]);
    const expected = [0, 1, 2, 3].reduce((total, k) => total + inRow(term, k, given), 0) * -0.4;
    expect(run(program, [1.3, -0.4], 1)[0]).toBeCloseTo(expected, 15);
  });

  it('computes before its rows what is the same in all of them', () => {
    const invariant = times(cos(a), sin(b));
    const sums = [{ symbol: sum, term: times(weight, invariant, u) }];
    const program = programOf([sum], [{ ...plain, name: 'total', sums }]);
    const calls = program.statements.findIndex((s) => s.kind === 'loop');
    expect(calls).toBeGreaterThan(0);
    expect(program.counts.call).toBe(2);
    expect(program.counts.loops).toHaveLength(1);
    expect(program.counts.loops[0]!.row.call).toBe(0);
    expect(costText(program.counts)).toMatch(/^\d+ operations: .*2 functions; 4 points × \d+ \(\d+ \+, /);
  });

  it('leaves out sums and carried values that nothing reads', () => {
    const unused = { symbol: symbol('sum.unused'), term: times(weight, cos(u)) };
    const state = symbol('carried.x');
    const carried = [{ symbol: state, initial: a, next: plus(state, u), final: symbol('final.x') }];
    const program = programOf([sum], [{ ...plain, name: 'total', sums: [{ symbol: sum, term }, unused], carried }]);
    const [loop] = loopsIn(program);
    expect(loop!.sums.map(({ name }) => name)).toEqual(['total']);
    expect(loop!.carried).toEqual([]);
  });

  it.each([false, true])('carries values from row to row, all changing together (reversed: %s)', (reversed) => {
    const [x, y] = [symbol('carried.x'), symbol('carried.y')];
    const [xEnd, yEnd] = [symbol('final.x'), symbol('final.y')];
    const carried = [
      { symbol: x, initial: a, next: plus(x, times(u, y)), final: xEnd },
      { symbol: y, initial: b, next: minus(y, times(u, x)), final: yEnd },
    ];
    const sums = [{ symbol: sum, term: times(weight, x) }];
    const program = programOf([xEnd, yEnd, sum], [{ ...plain, name: 'march', reversed, carried, sums }]);
    let [p, q, total] = [1.3, -0.4, 0];
    for (const k of reversed ? [3, 2, 1, 0] : [0, 1, 2, 3]) {
      const [s, w] = [table.columns[0]!.values[k]!, table.columns[1]!.values[k]!];
      total += w * p;
      [p, q] = [p + s * q, q - s * p];
    }
    const found = run(program, [1.3, -0.4], 3);
    [p, q, total].forEach((value, i) => expect(found[i]).toBeCloseTo(value, 14));
  });

  it('leaves an array to a later loop, which may run the other way', () => {
    const [left, right] = [symbol('array.left'), symbol('array.right')];
    const array: RowArray = { name: 'kept', rows: 4, columns: [left, right] };
    const first: Loop = { ...plain, name: 'first', writes: [{ array, values: [sin(times(u, a)), times(u, b)] }] };
    const second: Loop = {
      ...plain,
      name: 'second',
      reversed: true,
      reads: [array],
      sums: [{ symbol: sum, term: times(left, right, weight) }],
    };
    const arrays = new Map([[array, { buffer: 'store', index: 3 }]]);
    const program = programOf([sum], [first, second], arrays);
    expect(loopsIn(program).map(({ name }) => name)).toEqual(['first', 'second']);
    const expected = [0, 1, 2, 3].reduce(
      (total, k) => total + inRow(times(sin(times(u, a)), u, b, weight), k, given),
      0,
    );
    expect(run(program, [1.3, -0.4], 1)[0]).toBeCloseTo(expected, 15);
  });

  it('of one stage refuses values of a later one', () => {
    const late: Loop = { ...plain, name: 'early', stage: 0, sums: [{ symbol: sum, term: times(weight, a) }] };
    expect(() => programOf([sum], [late])).toThrow(/loop early of stage 0 needs a value of stage 1/);
  });
});

describe('tables of constants', () => {
  it('are folded with the loops that need parameters only', () => {
    const L = symbol('body.L');
    const [moment, scaled] = [symbol('sum.moment'), symbol('array.scaled')];
    const array: RowArray = { name: 'scaled', rows: 4, columns: [scaled] };
    const loop: Loop = {
      ...plain,
      name: 'moments',
      stage: 0,
      sums: [{ symbol: moment, term: times(weight, u, L) }],
      writes: [{ array, values: [times(u, L, sin(u))] }],
    };
    const parameter = { symbol: L, place: { buffer: 'parameters', index: 0 }, stage: 0 as const };
    const graph = new OperationGraph([times(moment, L)], [parameter], new Map(), 'quick', [loop]);
    const constants = [graph.of(times(moment, L)), ...graph.arrays];
    const staged = { type: { loops: [loop] } as unknown as LinkType, constants } as unknown as StagedLink;
    const values = foldTable(staged, new Map([[L, decimal(0.3)]]));
    const nodes = table.columns[0]!.values;
    const weights = table.columns[1]!.values;
    expect(values[0]).toBeCloseTo(nodes.reduce((total, s, k) => total + weights[k]! * s * 0.3, 0) * 0.3, 16);
    nodes.forEach((s, k) => expect(values[1 + k]).toBeCloseTo(s * 0.3 * Math.sin(s), 16));
  });
});
