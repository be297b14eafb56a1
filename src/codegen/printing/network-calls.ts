/**
 * Learned maps in generated code: layers as tables of constants, and statements that hand inputs and directions to the run
 * time (`runtime/network.ts`, `kanegen_network.h`) and name its results. Nothing is unrolled.
 *
 * The direction of the second derivative is passed last, as the run time wants it.
 */
import type { NetworkCall } from '../../kane/loops/loop.ts';
import type { Activation, DenseLayer, Network } from '../../network/network.ts';
import { channelsOf } from '../programs/network-cost.ts';
import { nameC, nameTypeScript } from '../programs/network-names.ts';
import type { Program } from '../programs/program.ts';
import { blocksOf, type NetworkStatement, type Statement } from '../programs/statement.ts';

/** Networks that programs call, each once, and the size of a buffer of the run time that serves all the calls. */
export interface NetworksCalled {
  readonly networks: readonly Network[];
  readonly bufferSize: number;
}

export function networksOf(programs: readonly Program[]): NetworksCalled {
  const calls = programs.flatMap((program) => callsIn(program.statements));
  const networks = [...new Set(calls.map((call) => call.network))].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (new Set(networks.map((network) => network.name)).size < networks.length)
    throw new Error('two networks of one name in one module');
  return { networks, bufferSize: Math.max(0, ...calls.map(bufferSizeOf)) };
}

function callsIn(statements: readonly Statement[]): NetworkCall[] {
  return statements.flatMap((statement) => [
    ...(statement.kind === 'network' ? [statement.call] : []),
    ...blocksOf(statement).flatMap(callsIn),
  ]);
}

/** Outputs of a layer as they lie in a channel. */
function paddedOutputs({ outputs }: DenseLayer): number {
  return 4 * Math.ceil(outputs / 4);
}

function bufferSizeOf(call: NetworkCall): number {
  const widths = call.network.layers.flatMap((layer) => [layer.inputs, paddedOutputs(layer)]);
  return channelsOf(call) * Math.max(...widths);
}

// ---------------------------------------------------------------------------------------------- calls

/** What a target's call of a network looks like. */
export interface NetworkSpelling {
  readonly buffers: readonly [string, string];
  declare(name: string, value: string): string;
  read(buffer: string, index: number): string;
  call(statement: NetworkStatement): string;
}

/** Statements from the arguments to named results. */
function printNetworkCall(
  statement: NetworkStatement,
  inputs: readonly string[],
  directions: readonly (readonly string[])[],
  spelling: NetworkSpelling,
): string[] {
  const { network, second } = statement.call;
  const order = directions.map((_, k) => k).filter((k) => k !== second?.along);
  if (second) order.push(second.along);
  const entries = [...inputs, ...order.flatMap((k) => directions[k]!)];
  const [first, other] = spelling.buffers;
  const results = network.layers.length % 2 === 0 ? first : other;
  const stride = paddedOutputs(network.layers.at(-1)!);
  const outputs = network.layers.at(-1)!.outputs;
  const channelOf = (group: number): number =>
    group === 0 ? 0 : group <= order.length ? 1 + order.indexOf(group - 1) : 1 + order.length;
  return [
    ...entries.map((entry, i) => `${first}[${i}] = ${entry};`),
    `${spelling.call(statement)};`,
    ...statement.names.map(({ index, name }) => {
      const place = channelOf(Math.floor(index / outputs)) * stride + (index % outputs);
      return spelling.declare(name, spelling.read(results, place));
    }),
  ];
}

// ---------------------------------------------------------------------------------------------- C

export function networkCallC(
  statement: NetworkStatement,
  inputs: readonly string[],
  directions: readonly (readonly string[])[],
): string[] {
  return printNetworkCall(statement, inputs, directions, {
    buffers: ['network_a', 'network_b'],
    declare: (name, value) => `const kg_real ${name} = ${value};`,
    read: (buffer, index) => `${buffer}[${index}]`,
    call: ({ call }) => {
      const { network, directions: all, second } = call;
      const numbers = [network.layers.length, all.length, second ? 1 : 0];
      return `kg_network(${[nameC(network), ...numbers, 'network_a', 'network_b'].join(', ')})`;
    },
  });
}

/** Buffers of the calls in these lines, as the line that declares them. */
export function networkBuffersC(lines: readonly string[]): string[] {
  const calls = lines.some((line) => line.includes('kg_network('));
  return calls ? ['kg_real network_a[NETWORK_BUFFER], network_b[NETWORK_BUFFER];'] : [];
}

const ACTIVATION_C: Readonly<Record<Activation, string>> = {
  identity: 'KG_IDENTITY',
  tanh: 'KG_TANH',
  sine: 'KG_SINE',
  softplus: 'KG_SOFTPLUS',
  silu: 'KG_SILU',
};

/** Declarations of the module: layers and the size of buffers. */
export function networkTablesC({ networks, bufferSize }: NetworksCalled, literal: (value: number) => string): string[] {
  if (networks.length === 0) return [];
  const size = `/* Room for all channels of the widest layer. */\nenum { NETWORK_BUFFER = ${bufferSize} };\n`;
  return [size, ...networks.map((network) => networkTableC(network, literal))];
}

function networkTableC(network: Network, literal: (value: number) => string): string {
  const name = nameC(network);
  const table = (part: string, values: readonly number[]): string =>
    `static const kg_real ${name}_${part}[${values.length}] = {\n${numberRows(values.map(literal), 4)}\n};`;
  const rows = network.layers.map(
    ({ inputs, outputs, activation }, i) =>
      `  {${inputs}, ${outputs}, ${ACTIVATION_C[activation]}, ${name}_weights_${i + 1}, ${name}_biases_${i + 1}}`,
  );
  return [
    `/* ${describe(network)} */`,
    ...network.layers.flatMap((layer, i) => [
      table(`weights_${i + 1}`, packedWeights(layer)),
      table(`biases_${i + 1}`, packedBiases(layer)),
    ]),
    `static const kg_layer ${name}[${network.layers.length}] = {\n${rows.join(',\n')}\n};\n`,
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------- TypeScript

export function networkCallTypeScript(
  statement: NetworkStatement,
  inputs: readonly string[],
  directions: readonly (readonly string[])[],
): string[] {
  return printNetworkCall(statement, inputs, directions, {
    buffers: ['networkA', 'networkB'],
    declare: (name, value) => `const ${name} = ${value};`,
    read: (buffer, index) => `${buffer}[${index}]!`,
    call: ({ call }) => {
      const { network, directions: all, second } = call;
      return `evaluateNetwork(${nameTypeScript(network)}, ${all.length}, ${second !== undefined}, networkA, networkB)`;
    },
  });
}

/** Declarations of the module: layers and buffers. */
export function networkTablesTypeScript({ networks, bufferSize }: NetworksCalled): string[] {
  if (networks.length === 0) return [];
  const numbers = (values: readonly number[]): string =>
    `new Float64Array([\n${numberRows(values.map(String), 4, '      ')}\n    ])`;
  const entry = (layer: DenseLayer): string =>
    [
      '  {',
      `    inputs: ${layer.inputs},`,
      `    outputs: ${layer.outputs},`,
      `    activation: '${layer.activation}',`,
      `    weights: ${numbers(packedWeights(layer))},`,
      `    biases: ${numbers(packedBiases(layer))},`,
      '  },',
    ].join('\n');
  const tables = networks.map(
    (network) =>
      `\n/** ${describe(network)} */\nconst ${nameTypeScript(network)}: readonly NetworkLayer[] = [\n${network.layers
        .map(entry)
        .join('\n')}\n];`,
  );
  const buffers = `\n/** Inputs, layers and results of networks while they are evaluated. */
const networkA = new Float64Array(${bufferSize});
const networkB = new Float64Array(${bufferSize});`;
  return [...tables, buffers];
}

// ---------------------------------------------------------------------------------------------- tables

/** `decoder.safetensors, sha256 0123456789ab: 3 -> 16 tanh -> 3`. */
export function describe({ source, hash, layers }: Network): string {
  const widths = layers.map(({ outputs, activation }) =>
    activation === 'identity' ? String(outputs) : `${outputs} ${activation}`,
  );
  const file = source.replace(/[^A-Za-z0-9._ -]/g, '_');
  return `${file}, sha256 ${hash.slice(0, 12)}: ${[layers[0]!.inputs, ...widths].join(' -> ')}`;
}

/** Rows in groups of four, entries of one column side by side; the last group filled up with zeros. */
function packedWeights(layer: DenseLayer): number[] {
  const { inputs, outputs, weights } = layer;
  return Array.from({ length: paddedOutputs(layer) * inputs }, (_, k) => {
    const column = Math.floor(k / 4) % inputs;
    const row = 4 * Math.floor(k / (4 * inputs)) + (k % 4);
    return row < outputs ? weights[row * inputs + column]! : 0;
  });
}

function packedBiases(layer: DenseLayer): number[] {
  return Array.from({ length: paddedOutputs(layer) }, (_, i) => layer.biases[i] ?? 0);
}

function numberRows(values: readonly string[], width: number, indent = '  '): string {
  const rows: string[] = [];
  for (let i = 0; i < values.length; i += width) rows.push(`${indent}${values.slice(i, i + width).join(', ')},`);
  return rows.join('\n');
}
