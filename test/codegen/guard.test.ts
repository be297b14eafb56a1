/** Outputs that a caller may leave out, and the number of values alive at once. */
import { describe, expect, it } from 'vitest';
import { OperationGraph } from '../../src/codegen/programs/operation-graph.ts';
import { printProgram, type Target } from '../../src/codegen/printing/print-arithmetic.ts';
import { buildProgram, type Program } from '../../src/codegen/programs/program.ts';
import type { Statement } from '../../src/codegen/programs/statement.ts';
import { countSlots } from '../../src/codegen/programs/slots.ts';
import { splitProgram } from '../../src/codegen/printing/split.ts';
import { runInNewContext } from 'node:vm';
import { cos, integer, plus, sin, stumpff, symbol, times, type Expr } from '../../src/symbolic/graph/expr.ts';
import { interpret } from './interpret.ts';

const [x, y] = [symbol('test.x'), symbol('test.y')];

function programOf(outputs: Readonly<Record<string, readonly Expr[]>>, optional: readonly string[]): Program {
  const inputs = [x, y].map((s, index) => ({ symbol: s, place: { buffer: 'input', index }, stage: 3 as const }));
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

const kinds = (statements: readonly Statement[]): string[] => statements.map((statement) => statement.kind);

describe('optional outputs', () => {
  const shared = sin(times(x, y));
  const outputs = { tau: [plus(shared, x)], M: [times(cos(x), shared), cos(x)], g: [plus(cos(y), shared)] };

  it('are computed in a block that is skipped when their buffer is left out', () => {
    const program = programOf(outputs, ['M', 'g']);
    expect(kinds(program.statements)).toEqual(['sine-cosine', 'store', 'guard', 'guard']);
    const [tau, M, g] = [new Float64Array(1), new Float64Array(2), new Float64Array(1)];
    interpret(program, { input: Float64Array.of(0.3, 0.7), tau, M, g });
    expect([...tau, ...M, ...g]).toEqual([
      Math.sin(0.3 * 0.7) + 0.3,
      Math.cos(0.3) * Math.sin(0.3 * 0.7),
      Math.cos(0.3),
      Math.cos(0.7) + Math.sin(0.3 * 0.7),
    ]);
    const alone = new Float64Array(1);
    interpret(program, { input: Float64Array.of(0.3, 0.7), tau: alone });
    expect(alone[0]).toBe(tau[0]);
  });

  it('share what two of them need, computed once before both', () => {
    const program = programOf({ tau: [x], M: [sin(y)], g: [times(sin(y), x)] }, ['M', 'g']);
    expect(program.counts.call).toBe(1);
    expect(kinds(program.statements)).toEqual(['store', 'sine-cosine', 'guard', 'guard']);
  });

  it('take all orders of a Stumpff argument from one evaluation', () => {
    const program = programOf({ tau: [stumpff(2, x)], M: [stumpff(5, x)] }, ['M']);
    expect(program.counts.stumpff).toEqual([5]);
  });

  it('give the same results in parts, whether left out or not', () => {
    let value: Expr = x;
    const chain: Expr[] = [];
    for (let i = 0; i < 80; i++) chain.push((value = plus(times(sin(value), y), times(integer(i + 1), x), value)));
    const program = programOf({ tau: [chain[29]!], M: [chain[79]!, chain[60]!], g: [times(chain[70]!, x)] }, [
      'M',
      'g',
    ]);
    const { parts, scratchSize } = splitProgram(program, 60);
    expect(parts.length).toBeGreaterThan(4);
    const printed = printProgram(program, javascript, 60).parts.map((part) => part.join('\n'));
    for (const wanted of [['tau'], ['tau', 'M'], ['tau', 'g'], ['tau', 'M', 'g']]) {
      const found = Object.fromEntries(wanted.map((buffer) => [buffer, [0, 0].slice(buffer === 'M' ? 0 : 1)]));
      const scratch = new Float64Array(scratchSize).fill(NaN);
      for (const part of printed) runInNewContext(`{${part}}`, { input: [0.3, 0.4], scratch, ...found });
      const expected = { tau: new Float64Array(1), M: new Float64Array(2), g: new Float64Array(1) };
      interpret(program, { input: Float64Array.of(0.3, 0.4), ...expected });
      for (const buffer of wanted) expect(found[buffer]).toEqual([...expected[buffer as 'tau']]);
    }
  });
});

const javascript: Target = {
  declare: (name, value) => `const ${name} = ${value};`,
  declareOpen: (name) => `let ${name};`,
  number: String,
  read: ({ buffer, index }) => `${buffer}[${index}]`,
  write: ({ buffer, index }) => `${buffer}[${index}]`,
  sqrt: (operand) => `Math.sqrt(${operand})`,
  call: (name, operands) => `Math.${name}(${operands.join(', ')})`,
  equal: '===',
  stumpff: (argument, { top }) => `stumpff(${argument}, ${top}, c)`,
  stumpffEntry: (order) => `c[${order}]`,
  sineAndCosine: (argument, sine, cosine) => [
    ...(sine === undefined ? [] : [`const ${sine} = Math.sin(${argument});`]),
    ...(cosine === undefined ? [] : [`const ${cosine} = Math.cos(${argument});`]),
  ],
  scratch: (index) => `scratch[${index}]`,
  declareVariable: (name, value) => `let ${name} = ${value};`,
  readRow: ({ buffer, index }) => `${buffer.replace(' ', '_')}[${index} + row]`,
  writeRow: ({ buffer, index }) => `${buffer}[${index} + row]`,
  loop: (rows, reversed) =>
    reversed ? `for (let row = ${rows - 1}; row >= 0; row--) {` : `for (let row = 0; row < ${rows}; row++) {`,
  integrate: () => '',
  network: () => [],
  isWanted: (buffer) => `typeof ${buffer} !== 'undefined'`,
};

describe('slots', () => {
  const name = (text: string) => ({ kind: 'name', name: text }) as const;
  const number = (value: number) => ({ kind: 'number', value }) as const;
  const let_ = (text: string, value: Extract<Statement, { kind: 'let' }>['value']): Statement => ({
    kind: 'let',
    name: text,
    value,
  });

  it('are the most values alive at any point', () => {
    const statements: Statement[] = [
      let_('a', number(1)),
      let_('b', number(2)),
      let_('c', { kind: 'add', left: name('a'), right: name('b') }),
      let_('d', { kind: 'add', left: name('c'), right: name('c') }),
      { kind: 'store', place: { buffer: 'out', index: 0 }, value: name('d') },
    ];
    expect(countSlots(statements)).toBe(2);
    expect(countSlots([...statements, { kind: 'store', place: { buffer: 'out', index: 1 }, value: name('a') }])).toBe(
      2,
    );
    expect(countSlots([...statements, { kind: 'store', place: { buffer: 'out', index: 1 }, value: name('b') }])).toBe(
      2,
    );
    const both: Statement = {
      kind: 'store',
      place: { buffer: 'out', index: 1 },
      value: { kind: 'multiply', left: name('a'), right: name('b') },
    };
    expect(countSlots([...statements, both])).toBe(3);
  });

  it('are kept few by computing the most demanding operand first', () => {
    const demanding = cos(times(sin(y), cos(y)));
    expect(programOf({ tau: [plus(sin(x), demanding)] }, []).slots).toBe(2);
    expect(programOf({ tau: [plus(demanding, sin(times(integer(3), x)))] }, []).slots).toBe(2);
  });
});
