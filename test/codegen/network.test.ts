/** Learned maps in generated code: from calls in loops to TypeScript and C, held against the numeric referee. */
import { beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../src/codegen/modules/assets.ts';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadTemplates } from '../../src/codegen/c-language/templates.ts';
import { cTarget } from '../../src/codegen/c-language/target.ts';
import { loadStraight } from '../../src/codegen/typescript/load.ts';
import {
  networkBuffersC,
  networkCallC,
  networksOf,
  networkTablesC,
  networkTablesTypeScript,
} from '../../src/codegen/printing/network-calls.ts';
import { OperationGraph } from '../../src/codegen/programs/operation-graph.ts';
import { decimalText, printProgram } from '../../src/codegen/printing/print-arithmetic.ts';
import { buildProgram, type Program } from '../../src/codegen/programs/program.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { typescriptTarget } from '../../src/codegen/typescript/target.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { Loop, RowTable } from '../../src/kane/loops/loop.ts';
import { networkResults, type NetworkCall } from '../../src/kane/loops/network-call.ts';
import type { Activation, Network } from '../../src/network/network.ts';
import { decimal, one, plus, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import { evaluateNetwork } from '../network/evaluate-network.ts';
import { sampleNetwork } from '../network/sample-network.ts';
import { interpret } from './interpret.ts';
import { planarCcChain } from './sample-robots.ts';

const [a, b] = [symbol('in.a'), symbol('in.b')];
const [u, weight] = [symbol('row.u'), symbol('row.weight')];
const table: RowTable = {
  name: 'points',
  rows: 3,
  columns: [
    { symbol: u, values: [0.25, -0.5, 1.125] },
    { symbol: weight, values: [0.5, 2, -1] },
  ],
};
const INPUT = [0.8, -0.3];

/** Which directions a call has, and which of them is differentiated twice. */
interface Shape {
  readonly directions: number;
  readonly along?: number;
  /** With changes of all results, or the transpose. */
  readonly extra?: 'change' | 'transpose';
}

/** A call over three inputs, with directions that change from row to row. */
function callOf(network: Network, { directions, along, extra }: Shape): NetworkCall {
  const width = network.layers[0]!.inputs;
  const outputs = network.layers.at(-1)!.outputs;
  const results = (name: string): ReturnType<typeof symbol>[] =>
    Array.from({ length: outputs }, (_, i) => symbol(`network.${name}_${i}`));
  const vectors: Expr[][] = [
    [one, zero, times(b, u)],
    [times(a, u), plus(u, b), decimal(0.75)],
    [decimal(-0.5), a, b],
  ];
  const others: Expr[][] = [
    [plus(a, u), decimal(0.5), b],
    [zero, zero, zero],
    [times(b, u), one, a],
    [u, a, times(a, b)],
  ];
  const channels = 1 + directions + (along === undefined ? 0 : 1);
  const changed = {
    inputs: others[0]!.slice(0, width),
    directions: others.slice(1, 1 + directions).map((values) => values.slice(0, width)),
    results: Array.from({ length: channels }, (_, k) => results(`changed${k}`)).flat(),
  };
  const weighed = {
    weights: Array.from({ length: channels * outputs }, (_, k) => [plus(u, decimal(k)), times(a, u), b][k % 3]!),
    results: Array.from({ length: (1 + directions) * width }, (_, k) => symbol(`network.by_${k}`)),
  };
  return {
    network,
    inputs: [u, times(a, u), plus(b, times(u, u))].slice(0, width),
    value: results('value'),
    directions: vectors
      .slice(0, directions)
      .map((direction, k) => ({ direction: direction.slice(0, width), derivative: results(`along${k}`) })),
    ...(along === undefined ? {} : { second: { along, derivative: results('second') } }),
    ...(extra === 'change' && { change: changed }),
    ...(extra === 'transpose' && { transpose: weighed }),
  };
}

/** Adds every result of the call up over the rows. */
function programOf(call: NetworkCall, results = networkResults(call)): Program {
  const sums = results.map((result, i) => ({ symbol: symbol(`sum.total_${i}`), term: times(weight, result) }));
  const plain = { stage: 1 as const, table, reversed: false, reads: [], carried: [], writes: [] };
  const loop: Loop = { ...plain, name: 'total', networks: [call], sums };
  const roots = sums.map((sum) => sum.symbol);
  const inputs = [a, b].map((s, index) => ({ symbol: s, place: { buffer: 'input', index }, stage: 1 as const }));
  const graph = new OperationGraph(roots, inputs, new Map(), 'quick', [loop]);
  const outputs = roots.map((root, index) => ({ place: { buffer: 'output', index }, value: graph.of(root) }));
  return buildProgram({ name: 'total', reads: ['input'], writes: ['output'], outputs, ready: new Map() }, graph);
}

const rowNumbers = table.columns.flatMap((column) => column.values);

function interpreted(program: Program, count: number): Float64Array {
  const output = new Float64Array(count);
  interpret(program, {
    input: Float64Array.from(INPUT),
    output,
    'table points': Float64Array.from(rowNumbers),
  });
  return output;
}

function agree(found: ArrayLike<number>, expected: Float64Array, tolerance: number): void {
  expect(found.length).toBe(expected.length);
  expected.forEach((value, i) =>
    expect(Math.abs(found[i]! - value) / Math.max(1, Math.abs(value))).toBeLessThan(tolerance),
  );
}

const SHAPES: readonly Shape[] = [
  { directions: 0 },
  { directions: 1, along: 0 },
  { directions: 2 },
  { directions: 3, along: 1 },
  { directions: 0, extra: 'change' },
  { directions: 2, extra: 'change' },
  { directions: 3, along: 1, extra: 'change' },
  { directions: 0, extra: 'transpose' },
  { directions: 2, extra: 'transpose' },
  { directions: 3, along: 1, extra: 'transpose' },
];
const CASES = (['tanh', 'sine', 'softplus', 'silu', 'identity'] as const).flatMap((activation: Activation) =>
  // Widths that fill groups of four and that do not, odd and even numbers of layers.
  [
    [3, 7, 5, 3],
    [3, 4, 3],
    [2, 3],
  ].flatMap((sizes) =>
    SHAPES.map((shape) => ({ network: sampleNetwork(sizes, activation, 'sample'), shape, sizes, activation })),
  ),
);

describe('the interpreter of programs', () => {
  it('evaluates networks as their numeric evaluation does, row by row', () => {
    const network = sampleNetwork([2, 5, 3], 'tanh');
    const call = callOf(network, { directions: 1, along: 0 });
    const found = interpreted(programOf(call), 9);
    const expected = new Float64Array(9);
    const [x, y] = INPUT as [number, number];
    table.columns[0]!.values.forEach((s, row) => {
      const jet = evaluateNetwork(network, [s, x * s], [[1, 0]], 0);
      [...jet.value, ...jet.derivatives[0]!, ...jet.second].forEach(
        (value, i) => (expected[i]! += table.columns[1]!.values[row]! * value),
      );
    });
    expect(y).toBe(-0.3);
    agree(found, expected, 1e-15);
  });
});

describe('generated TypeScript', () => {
  const runtime = { path: 'runtime/network.ts', text: packageFile('src/runtime/network.ts') };

  async function run(program: Program, count: number): Promise<Float64Array> {
    const text = [
      "import { evaluateNetwork, transposeNetwork, type NetworkLayer } from './runtime/network.js';",
      ...networkTablesTypeScript(networksOf([program])),
      `const rows_points = Float64Array.of(${rowNumbers.join(', ')});`,
      'export function total(input: Float64Array, output: Float64Array): void {',
      ...printProgram(program, typescriptTarget()).parts.flat(),
      '}',
    ].join('\n');
    const module = (await loadStraight([runtime], { path: 'total.ts', text })) as unknown as {
      total(input: Float64Array, output: Float64Array): void;
    };
    const output = new Float64Array(count);
    module.total(Float64Array.from(INPUT), output);
    return output;
  }

  // All shapes with one activation, all activations with one shape: the two do not touch each other.
  const few = CASES.filter((c) => c.activation === 'tanh' || (c.sizes.length === 4 && c.shape.along === 1));
  it.each(few)('evaluates $sizes with $activation and $shape to 1e-13', async ({ network, shape }) => {
    const call = callOf(network, shape);
    const program = programOf(call);
    const count = networkResults(call).length;
    agree(await run(program, count), interpreted(program, count), 1e-13);
  });

  it('names only results that are used', async () => {
    const call = callOf(sampleNetwork([3, 4, 3], 'tanh'), { directions: 2, along: 0 });
    const used = [call.value[1]!, call.second!.derivative[2]!];
    const program = programOf(call, used);
    const lines = printProgram(program, typescriptTarget()).parts.flat();
    expect(lines.filter((line) => line.includes('= networkA['))).toHaveLength(2);
    agree(await run(program, 2), interpreted(program, 2), 1e-13);
  });
});

describe('generated C', () => {
  let runtime: GeneratedFile[];
  beforeAll(async () => {
    const robot = planarCcChain(1);
    const render = await loadTemplates();
    runtime = [
      ...(await generateC(robot, compileRobot(robot))).filter((file) => file.path.startsWith('kanegen_runtime')),
      ...['h', 'c']
        .map((kind) => `kanegen_network.${kind}`)
        .map((path) => ({ path, text: render(path, { version: '' }) })),
    ];
  });

  const target = cTarget((buffer, index) => `${buffer}[${index}]`);

  /** All programs in one executable, one line of results each. */
  function source(programs: readonly Program[], counts: readonly number[]): string {
    const literal = (value: number): string => `KG_REAL(${decimalText(value)})`;
    const blocks = programs.map((program, k) => {
      const lines = printProgram(program, target).parts.flat();
      const called = networksOf([program]);
      // Every program has tables of its own here; in a robot a module has one set.
      const own = (text: string): string =>
        text.replace(/\b(network_sample\w*|NETWORK_BUFFER|NETWORK_TAPE)\b/g, `$1_${k}`);
      return [
        ...networkTablesC(called, literal).map(own),
        `static void total_${k}(const kg_real *input, kg_real *output)`,
        '{',
        ...[...networkBuffersC(lines), ...lines].map((line) => `  ${own(line)}`),
        '}',
      ].join('\n');
    });
    return [
      '#include "kanegen_network.h"',
      '#include <stdio.h>',
      `static const kg_real rows_points[] = {${rowNumbers.map(literal).join(', ')}};`,
      ...blocks,
      'int main(void)',
      '{',
      `  const kg_real input[2] = {${INPUT.map(literal).join(', ')}};`,
      `  kg_real output[${Math.max(...counts)}];`,
      '  int i;',
      ...counts.flatMap((count, k) => [
        `  total_${k}(input, output);`,
        `  for (i = 0; i < ${count}; i++)`,
        '    printf("%.17g ", (double)output[i]);',
        '  printf("\\n");',
      ]),
      '  return 0;',
      '}',
    ].join('\n');
  }

  const precisions = [
    ['double', 1e-13],
    ['single', 3e-5],
  ] as const;
  it.each(precisions.slice(0, process.env['KANEGEN_FULL'] === '1' ? 2 : 1))(
    'evaluates every network without a warning in %s precision, to %s',
    async (precision, tolerance) => {
      const calls = CASES.map(({ network, shape }) => callOf(network, shape));
      const programs = calls.map((call) => programOf(call));
      const counts = calls.map((call) => networkResults(call).length);
      const built = await buildC([...runtime, { path: 'main.c', text: source(programs, counts) }], { precision });
      try {
        const lines = (await runProgram(built)).trim().split('\n');
        expect(lines).toHaveLength(programs.length);
        lines.forEach((line, k) =>
          agree(line.trim().split(' ').map(Number), interpreted(programs[k]!, counts[k]!), tolerance),
        );
      } finally {
        await built.dispose();
      }
    },
  );

  it('passes the direction of the second derivative last', () => {
    const call = callOf(sampleNetwork([2, 3], 'identity'), { directions: 2, along: 0 });
    const statement = {
      kind: 'network' as const,
      call,
      operands: [],
      names: [
        { index: 3, name: 'first' },
        { index: 6, name: 'other' },
        { index: 9, name: 'second' },
      ],
    };
    expect(networkCallC(statement, ['z0', 'z1', 'd0', 'd1', 'e0', 'e1'])).toEqual([
      'network_a[0] = z0;',
      'network_a[1] = z1;',
      'network_a[2] = e0;',
      'network_a[3] = e1;',
      'network_a[4] = d0;',
      'network_a[5] = d1;',
      'kg_network(network_sample, 1, 2, 1, 0, network_a, network_b);',
      'const kg_real first = network_b[8];',
      'const kg_real other = network_b[4];',
      'const kg_real second = network_b[12];',
    ]);
  });
});

describe('the cost of a network', () => {
  it('counts what every layer does with every channel', () => {
    const call = callOf(sampleNetwork([3, 4, 3], 'tanh'), { directions: 2, along: 0 });
    const { row } = programOf(call, [call.value[0]!]).counts.loops[0]!;
    // First layer 3 channels × 12, last layer 4 × 12; tanh: 3 * and 1 +, chain rule 2 + 3 * and 1 + per neuron; then the
    // inputs, directions and the sum: a u, b + u u, b u, a u again shared, u + b, weight · value.
    expect(row.call).toBe(4);
    const network = { multiply: 36 + 48 + 4 * (3 + 5), add: 36 + 48 + 4 * 2 };
    expect(row.multiply - network.multiply).toBeGreaterThanOrEqual(3);
    expect(row.multiply - network.multiply).toBeLessThanOrEqual(5);
    expect(row.add - network.add).toBe(3);
  });
});
