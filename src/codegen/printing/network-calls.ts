import { networkChannels, type NetworkCall } from '../../kane/loops/network-call.ts';
import type { Activation, DenseLayer, Network } from '../../network/network.ts';
import { nameC, nameTypeScript } from '../naming/network-names.ts';
import type { Program } from '../programs/program.ts';
import { blocksOf, type NetworkStatement, type Statement } from '../programs/statement.ts';

/** Networks that programs call, each once, and the size of a buffer of the run time that serves all the calls. */
export interface NetworksCalled {
  readonly networks: readonly Network[];
  readonly bufferSize: number;
  /** Of what transposes keep on their way; 0 without any. */
  readonly tapeSize: number;
}

export function networksOf(programs: readonly Program[]): NetworksCalled {
  const calls = programs.flatMap((program) => callsIn(program.statements));
  const networks = [...new Set(calls.map((call) => call.network))].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (new Set(networks.map((network) => network.name)).size < networks.length)
    throw new Error('two networks of one name in one module');
  return {
    networks,
    bufferSize: Math.max(0, ...calls.map(bufferSizeOf)),
    tapeSize: Math.max(0, ...calls.filter(({ transpose }) => transpose).map(tapeSizeOf)),
  };
}

/** Do any of these links call learned maps? */
export function callsNetworks(links: readonly { readonly programs: readonly Program[] }[]): boolean {
  return links.some((link) => networksOf(link.programs).networks.length > 0);
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
  return networkChannels(call) * Math.max(...widths);
}

function tapeSizeOf(call: NetworkCall): number {
  const given = (1 + call.directions.length) * call.inputs.length;
  return call.network.layers.reduce((size, layer) => size + 2 * networkChannels(call) * paddedOutputs(layer), given);
}

// ---------------------------------------------------------------------------------------------- calls

/** What a target's call of a network looks like. */
interface NetworkSpelling {
  readonly buffers: readonly [string, string];
  readonly tape: string;
  declare(name: string, value: string): string;
  read(buffer: string, index: number): string;
  call(statement: NetworkStatement): string;
}

/** Statements from the arguments to named results. */
function printNetworkCall(
  statement: NetworkStatement,
  operands: readonly string[],
  spelling: NetworkSpelling,
): string[] {
  const { network, inputs, directions, second, change, transpose } = statement.call;
  const width = inputs.length;
  const stride = paddedOutputs(network.layers.at(-1)!);
  const outputs = network.layers.at(-1)!.outputs;
  const order = directions.map((_, k) => k).filter((k) => k !== second?.along);
  if (second) order.push(second.along);
  // Channels by the places of their vectors in the call, where directions are in another order.
  const given = [0, ...order.map((k) => 1 + k)];
  const channels = [...given, ...(second ? [given.length] : [])];
  const vectors = (list: readonly number[], from: number, size: number): readonly string[][] =>
    list.map((place) => operands.slice(from + place * size, from + (place + 1) * size));
  const [first, other] = spelling.buffers;
  const results = network.layers.length % 2 === 0 ? first : other;
  const fill = (buffer: string, columns: readonly string[][], step: number): string[] =>
    columns.flatMap((column, c) => column.map((value, i) => `${buffer}[${c * step + i}] = ${value};`));
  const vectorsGiven = vectors(given, 0, width);
  const behind = given.length * width;
  const place = (list: readonly number[], index: number, size: number, step: number): number =>
    list.indexOf(Math.floor(index / size)) * step + (index % size);
  const own = channels.length * outputs;
  const placeOf = (index: number): number => {
    if (transpose) return place(given, index, width, width);
    if (index < own) return place(channels, index, outputs, stride);
    return channels.length * stride + place(channels, index - own, outputs, stride);
  };
  return [
    ...(transpose
      ? [...fill(spelling.tape, vectorsGiven, width), ...fill(first, vectors(channels, behind, outputs), stride)]
      : fill(first, [...vectorsGiven, ...(change ? vectors(given, behind, width) : [])], width)),
    `${spelling.call(statement)};`,
    ...statement.names.map(({ index, name }) => spelling.declare(name, spelling.read(results, placeOf(index)))),
  ];
}

// ---------------------------------------------------------------------------------------------- C

export function networkCallC(statement: NetworkStatement, operands: readonly string[]): string[] {
  return printNetworkCall(statement, operands, {
    buffers: ['network_a', 'network_b'],
    tape: 'network_tape',
    declare: (name, value) => `const kg_real ${name} = ${value};`,
    read: (buffer, index) => `${buffer}[${index}]`,
    call: ({ call }) => {
      const { network, directions, second, change, transpose } = call;
      const numbers = [network.layers.length, directions.length, second ? 1 : 0];
      if (transpose)
        return `kg_network_transposed(${[nameC(network), ...numbers, 'network_a', 'network_b', 'network_tape'].join(', ')})`;
      numbers.push(change ? 1 : 0);
      return `kg_network(${[nameC(network), ...numbers, 'network_a', 'network_b'].join(', ')})`;
    },
  });
}

/** Buffers of the calls in these lines, as the line that declares them. */
export function networkBuffersC(lines: readonly string[]): string[] {
  const calls = (name: string): boolean => lines.some((line) => line.includes(`${name}(`));
  const isTransposed = calls('kg_network_transposed');
  if (!isTransposed && !calls('kg_network')) return [];
  const both = 'network_a[NETWORK_BUFFER], network_b[NETWORK_BUFFER]';
  return [`kg_real ${both}${isTransposed ? ', network_tape[NETWORK_TAPE]' : ''};`];
}

const ACTIVATION_C: Readonly<Record<Activation, string>> = {
  identity: 'KG_IDENTITY',
  tanh: 'KG_TANH',
  sine: 'KG_SINE',
  softplus: 'KG_SOFTPLUS',
  silu: 'KG_SILU',
};

/** Declarations of the module: layers and the size of buffers. */
export function networkTablesC(
  { networks, bufferSize, tapeSize }: NetworksCalled,
  literal: (value: number) => string,
): string[] {
  if (networks.length === 0) return [];
  const tape = `/* Room for what transposes keep of every layer. */\nenum { NETWORK_TAPE = ${tapeSize} };\n`;
  const size = `/* Room for all channels of the widest layer. */\nenum { NETWORK_BUFFER = ${bufferSize} };\n`;
  return [size, ...(tapeSize > 0 ? [tape] : []), ...networks.map((network) => networkTableC(network, literal))];
}

function networkTableC(network: Network, literal: (value: number) => string): string {
  const name = nameC(network);
  const table = (part: string, values: readonly number[]): string =>
    `static const kg_real ${name}_${part}[${values.length}] = {\n${numberRows(values.map(literal))}\n};`;
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

export function networkCallTypeScript(statement: NetworkStatement, operands: readonly string[]): string[] {
  return printNetworkCall(statement, operands, {
    buffers: ['networkA', 'networkB'],
    tape: 'networkTape',
    declare: (name, value) => `const ${name} = ${value};`,
    read: (buffer, index) => `${buffer}[${index}]!`,
    call: ({ call }) => {
      const { network, directions, second, change, transpose } = call;
      const shape = [directions.length, second !== undefined];
      if (transpose)
        return `transposeNetwork(${nameTypeScript(network)}, ${shape.join(', ')}, networkA, networkB, networkTape)`;
      shape.push(change !== undefined);
      return `evaluateNetwork(${nameTypeScript(network)}, ${shape.join(', ')}, networkA, networkB)`;
    },
  });
}

/** Declarations of the module: layers and buffers. */
export function networkTablesTypeScript({ networks, bufferSize, tapeSize }: NetworksCalled): string[] {
  if (networks.length === 0) return [];
  const numbers = (values: readonly number[]): string =>
    `new Float64Array([\n${numberRows(values.map(String), '      ')}\n    ])`;
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
  const tape = `
/** What transposes keep of every layer. */
const networkTape = new Float64Array(${tapeSize});`;
  return [...tables, buffers, ...(tapeSize > 0 ? [tape] : [])];
}

// ---------------------------------------------------------------------------------------------- tables

/** `decoder.safetensors, sha256 0123456789ab: 3 -> 16 tanh -> 3`. */
function describe({ source, hash, layers }: Network): string {
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

/** Four in a row. */
function numberRows(values: readonly string[], indent = '  '): string {
  const rows: string[] = [];
  for (let i = 0; i < values.length; i += 4) rows.push(`${indent}${values.slice(i, i + 4).join(', ')},`);
  return rows.join('\n');
}
