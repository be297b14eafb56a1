/** Lowering to operations and straight-line programs, refereed by the evaluation of the expressions themselves. */
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Stage } from '../../src/codegen/operations/operation.ts';
import { OperationGraph } from '../../src/codegen/programs/operation-graph.ts';
import { printProgram, type Target } from '../../src/codegen/printing/print-arithmetic.ts';
import { buildProgram, type Program } from '../../src/codegen/programs/program.ts';
import { splitProgram } from '../../src/codegen/printing/split.ts';
import { typescriptTarget } from '../../src/codegen/typescript/target.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  call,
  compare,
  cos,
  divide,
  fraction,
  integer,
  logic,
  minus,
  negate,
  plus,
  power,
  select,
  sin,
  sqrt,
  stumpff,
  symbol,
  times,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { interpret } from './interpret.ts';

const [x, y, z] = [symbol('test.x'), symbol('test.y'), symbol('test.z')];
const STAGES: readonly Stage[] = [0, 1, 3];
const inputs = [x, y, z].map((s, index) => ({ symbol: s, place: { buffer: 'input', index }, stage: STAGES[index]! }));

function programOf(roots: readonly Expr[], hints: ReadonlyMap<Expr, string> = new Map()): Program {
  const graph = new OperationGraph(roots, inputs, hints);
  const outputs = roots.map((root, index) => ({ place: { buffer: 'output', index }, value: graph.of(root) }));
  const source = { name: 'test', reads: ['input'], writes: ['output'], outputs, ready: new Map() };
  return buildProgram(source, graph, ({ index }) => ['x', 'y', 'z'][index]);
}

function run(program: Program, values: readonly number[], outputs: number): number[] {
  const output = new Float64Array(outputs);
  interpret(program, { input: Float64Array.from(values), output });
  return [...output];
}

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

const lines = (roots: readonly Expr[], hints?: ReadonlyMap<Expr, string>): string[] =>
  printProgram(programOf(roots, hints), javascript).parts.flat();

/** Random expressions that are finite for inputs in [0.1, 2]. */
const expression: fc.Arbitrary<Expr> = fc.letrec<{ e: Expr }>((tie) => ({
  e: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom<Expr>(x, y, z, integer(2), fraction(-1, 3)),
    fc.tuple(tie('e'), tie('e')).map(([a, b]) => plus(a, b)),
    fc.tuple(tie('e'), tie('e'), tie('e')).map(([a, b, c]) => minus(times(a, b), c)),
    fc.tuple(tie('e'), tie('e')).map(([a, b]) => times(a, b)),
    fc.tuple(tie('e'), fc.integer({ min: 2, max: 5 })).map(([a, n]) => power(sin(a), n)),
    fc.tuple(tie('e'), tie('e')).map(([a, b]) => divide(a, plus(integer(2), cos(b)))),
    tie('e').map((a) => sqrt(plus(integer(1), power(a, 2)))),
    fc.tuple(tie('e'), fc.integer({ min: 0, max: 6 })).map(([a, k]) => stumpff(k, power(sin(a), 2))),
    fc.tuple(tie('e'), tie('e'), tie('e')).map(([a, b, c]) => select(compare('<', sin(a), integer(0)), b, cos(c))),
  ),
})).e;

describe('programs', () => {
  it('compute what the expressions say', () => {
    const point = fc.double({ min: 0.1, max: 2, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(expression, { minLength: 1, maxLength: 3 }),
        fc.tuple(point, point, point),
        (roots, values) => {
          const expected = evaluate(roots, new Map([x, y, z].map((s, i) => [s, values[i]!])));
          const found = run(programOf(roots), values, roots.length);
          found.forEach((value, i) => {
            const exact = expected[i]!;
            if (Math.abs(exact) < 1e6) expect(Math.abs(value - exact)).toBeLessThan(1e-9 * (1 + Math.abs(exact)));
          });
        },
      ),
      { numRuns: 300, seed: 7 },
    );
  });

  it('fold factors that turn out constant when terms are collected', () => {
    const angle = cos(integer(2));
    expect(lines([plus(z, times(angle, z))])).toEqual([`output[0] = ${1 + Math.cos(2)} * input[2];`]);
  });

  it('are the same text whatever was compiled before', () => {
    const make = (): Expr[] => [plus(times(x, y), sin(z)), divide(times(x, z), y)];
    const before = lines(make());
    for (let i = 0; i < 50; i++) programOf([plus(times(symbol('test.x'), integer(i)), cos(times(integer(i), y)))]);
    expect(lines(make())).toEqual(before);
  });

  it('combine first what is known first', () => {
    expect(lines([times(z, x, y)])).toEqual(['output[0] = input[0] * input[1] * input[2];']);
  });

  it('collect terms that share their latest factor', () => {
    expect(lines([minus(times(sin(x), z), times(cos(x), z))]).at(-1)).toMatch(
      /^output\[0\] = \((sin|cos)_x - \w+\) \* input\[2\];$/,
    );
  });

  it('subtract instead of adding a negated value', () => {
    expect(lines([minus(negate(x), times(integer(2), z))])).toEqual(['output[0] = -(input[0] + 2 * input[2]);']);
  });

  it('parenthesise what would associate differently', () => {
    const difference = minus(x, plus(minus(y, z), sin(z)));
    const text = lines([difference]).join('\n');
    const output = [0];
    runInNewContext(`{${text}}`, { input: [0.3, 0.2, 0.7], output });
    expect(output[0]).toBe(run(programOf([difference]), [0.3, 0.2, 0.7], 1)[0]);
  });

  it('put sine and cosine of one angle side by side', () => {
    const text = lines([sin(z), times(x, y), plus(cos(z), y)]);
    const at = text.findIndex((line) => line.includes('Math.sin'));
    expect(text[at + 1]).toContain('Math.cos');
  });

  it('evaluate all Stumpff functions of one argument in one call', () => {
    const program = programOf([stumpff(2, z), times(x, stumpff(5, z)), stumpff(3, z)]);
    expect(program.counts.stumpff).toEqual([5]);
    expect(lines([stumpff(2, z), stumpff(5, z)])).toContain('stumpff(z, 5, c);');
  });

  it('form a reciprocal once when several products divide by the same value', () => {
    expect(programOf([divide(y, z), divide(x, z)]).counts).toMatchObject({ divide: 1, multiply: 2 });
    expect(programOf([divide(y, z)]).counts).toMatchObject({ divide: 1, multiply: 0 });
  });

  it('raise to integer powers by multiplication', () => {
    expect(programOf([power(x, 5)]).counts).toMatchObject({ multiply: 3, call: 0 });
  });

  it('round an exact constant once', () => {
    expect(lines([times(fraction(1, 3), x)])).toEqual(['output[0] = 0.3333333333333333 * input[0];']);
    expect(lines([times(sqrt(integer(2)), fraction(1, 3), x)])).toEqual([
      `output[0] = ${String(0.4714045207910317)} * input[0];`,
    ]);
  });

  it('take names from hints and keep away from names that languages own', () => {
    const sum = plus(x, z);
    const text = lines([times(sum, sin(sum)), sum], new Map([[sum, 'gamma']]));
    expect(text.some((line) => line.startsWith('const gamma_ = '))).toBe(true);
    expect(text.some((line) => line.startsWith('const gamma = '))).toBe(false);
  });

  it('end where names alone are longer than a line', () => {
    const [a, b] = ['a'.repeat(60), 'b'.repeat(60)];
    const [left, right] = [sin(x), sin(y)];
    const text = lines(
      [plus(left, right), left, right],
      new Map([
        [left, a],
        [right, b],
      ]),
    );
    const at = text.indexOf('output[0] =');
    expect(text[at + 1]).toBe(`    ${a} + ${b};`);
  });

  it('do not evaluate the side of a condition that is not taken', () => {
    const guarded = select(logic('not', compare('<=', x, integer(0))), call('log', x), integer(7));
    expect(run(programOf([guarded]), [-1, 0, 0], 1)).toEqual([7]);
    const text = lines([guarded]);
    const condition = text.findIndex((line) => line.startsWith('if ('));
    expect(text.findIndex((line) => line.includes('Math.log'))).toBeGreaterThan(condition);
  });

  it('compute once what both sides of a condition need', () => {
    const shared = sin(times(x, y));
    const program = programOf([select(compare('<', z, integer(0)), plus(shared, integer(1)), times(shared, x))]);
    expect(program.counts.call).toBe(1);
    expect(run(program, [1, 2, 1], 1)).toEqual([Math.sin(2)]);
  });

  it('give the same results in parts as in one piece', () => {
    let value: Expr = z;
    const roots: Expr[] = [];
    for (let i = 0; i < 60; i++) {
      value = plus(times(sin(value), x), times(integer(i + 1), y), times(value, z));
      if (i % 20 === 19) roots.push(value);
    }
    const program = programOf(roots);
    const { parts, scratchSize } = splitProgram(program, 60);
    expect(parts.length).toBeGreaterThan(3);
    const text = printProgram(program, javascript, 60).parts.map((part) => part.join('\n'));
    const output = [0, 0, 0];
    const scratch = new Float64Array(scratchSize);
    for (const part of text) runInNewContext(`{${part}}`, { input: [0.3, 0.4, 0.5], output, scratch });
    expect(output).toEqual(run(program, [0.3, 0.4, 0.5], 3));
  });

  it('cuts functions of many sines, which are statements of their own in TypeScript', () => {
    const angles = Array.from({ length: 200 }, (_, i) => plus(x, integer(i)));
    const program = programOf(angles.map((angle) => plus(sin(angle), cos(angle))));
    const { parts } = printProgram(program, typescriptTarget());
    const arithmetic = parts.map((lines) => lines.join('\n').match(/ [-+*&?] |Math/g)!.length);
    expect(Math.max(...arithmetic)).toBeLessThan(4000);
    expect(parts.length).toBeLessThan(5);
  });
});
