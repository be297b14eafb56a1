/** Statements in another order: the same bits, nothing used before it is there, fewer values held. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OperationGraph } from '../../../src/codegen/programs/operation-graph.ts';
import { buildProgram, type Program } from '../../../src/codegen/programs/program.ts';
import { BOUNDS, scheduled } from '../../../src/codegen/programs/schedule.ts';
import type { Statement } from '../../../src/codegen/programs/statement.ts';
import {
  compare,
  cos,
  integer,
  minus,
  plus,
  select,
  sin,
  stumpff,
  symbol,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { interpret } from '../interpret.ts';

const inputs = Array.from({ length: 12 }, (_, index) => ({
  symbol: symbol(`test.x${index}`),
  place: { buffer: 'input', index },
  stage: 3 as const,
}));
const x = inputs.map((input) => input.symbol);

function programOf(outputs: Readonly<Record<string, readonly Expr[]>>, optional: readonly string[] = []): Program {
  const graph = new OperationGraph(Object.values(outputs).flat(), inputs);
  const places = Object.entries(outputs).flatMap(([buffer, values]) =>
    values.map((value, index) => ({
      place: { buffer, index },
      value: graph.of(value),
      optional: optional.includes(buffer),
    })),
  );
  const source = { name: 'test', reads: ['input'], writes: Object.keys(outputs), outputs: places, ready: new Map() };
  return buildProgram(source, graph);
}

/** Each output needs one value of a chain; the first output the last value. */
function chain(length: number): Expr[] {
  const values: Expr[] = [x[0]!];
  for (let k = 1; k < length; k++) values.push(sin(plus(values[k - 1]!, x[k % 10]!)));
  return values.map((value) => times(value, value)).reverse();
}

function results(program: Program, wanted: Readonly<Record<string, number>>): Record<string, readonly number[]> {
  const found = Object.fromEntries(Object.entries(wanted).map(([name, size]) => [name, new Float64Array(size)]));
  interpret(program, { input: Float64Array.from(inputs, (_, i) => Math.sin(1 + i)), ...found });
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, [...values]]));
}

const ALWAYS = { fewValues: 0, part: Infinity };

const text = (statement: Statement): string => JSON.stringify(statement);

const expression: fc.Arbitrary<Expr> = fc.letrec<{ e: Expr }>((tie) => ({
  e: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.integer({ min: 0, max: 9 }).map((i) => x[i]!),
    fc.tuple(tie('e'), tie('e')).map(([a, b]) => plus(a, b)),
    fc.tuple(tie('e'), tie('e'), tie('e')).map(([a, b, c]) => minus(times(a, b), c)),
    tie('e').map((a) => times(sin(a), cos(a))),
    fc.tuple(tie('e'), fc.integer({ min: 0, max: 6 })).map(([a, k]) => stumpff(k, times(sin(a), sin(a)))),
    fc.tuple(tie('e'), tie('e'), tie('e')).map(([a, b, c]) => select(compare('<', sin(a), integer(0)), b, cos(c))),
  ),
})).e;

describe('scheduled programs', () => {
  it('have the same statements and the same bits, and use nothing before it is there', () => {
    fc.assert(
      fc.property(
        fc.array(expression, { minLength: 1, maxLength: 4 }),
        fc.array(expression, { maxLength: 3 }),
        (tau, M) => {
          const before = programOf({ tau, M }, ['M']);
          const after = scheduled(before, ALWAYS);
          const count = { tau: tau.length, M: M.length };
          expect(results(after, count)).toEqual(results(before, count));
          expect(results(after, { tau: tau.length })).toEqual(results(before, { tau: tau.length }));
          const outside = (program: Program): string[] =>
            program.statements.filter(({ kind }) => kind !== 'guard').map(text);
          expect(outside(after).sort()).toEqual(outside(before).sort());
          expect(after.counts).toEqual(before.counts);
        },
      ),
      { numRuns: 100, seed: 11 },
    );
  });

  it('do not hold until the end what an output alone needs', () => {
    const before = programOf({ tau: chain(100) });
    const after = scheduled(before);
    expect(before.slots).toBeGreaterThan(95);
    expect(after.slots).toBeLessThanOrEqual(2);
    expect(results(after, { tau: 100 })).toEqual(results(before, { tau: 100 }));
  });

  it('are ordered inside of the blocks of optional outputs, too', () => {
    const before = programOf({ tau: [x[0]!], M: chain(100) }, ['M']);
    const after = scheduled(before);
    expect(after.slots).toBeLessThanOrEqual(2);
    expect(results(after, { tau: 1, M: 100 })).toEqual(results(before, { tau: 1, M: 100 }));
    expect(results(after, { tau: 1 })).toEqual(results(before, { tau: 1 }));
  });

  it('keep their order when they hold few values', () => {
    const program = programOf({ tau: chain(10) });
    expect(program.slots).toBeLessThanOrEqual(BOUNDS.fewValues);
    expect(scheduled(program).statements).toBe(program.statements);
    expect(scheduled(program, ALWAYS).statements).not.toEqual(program.statements);
  });

  it('keep their order when another would hold hardly less', () => {
    // Every output needs the last value of the chain.
    const values = chain(100);
    const program = programOf({ tau: values.map((value) => times(value, values[0]!)) });
    expect(program.slots).toBeGreaterThan(BOUNDS.fewValues);
    expect(scheduled(program).statements).toEqual(program.statements);
    expect(scheduled(program, ALWAYS).statements).not.toEqual(program.statements);
  });

  it('keep their order when they write to what they read', () => {
    const [first, ...others] = chain(100);
    const program = programOf({ input: [plus(first!, x[11]!), ...others] });
    expect(program.slots).toBeGreaterThan(BOUNDS.fewValues);
    expect(scheduled(program).statements).toBe(program.statements);
  });

  it('are the same whatever was ordered before', () => {
    const make = (): string[] => scheduled(programOf({ tau: chain(100) })).statements.map(text);
    const before = make();
    for (let i = 0; i < 10; i++) scheduled(programOf({ tau: chain(20 + i) }), ALWAYS);
    expect(make()).toEqual(before);
  });
});
