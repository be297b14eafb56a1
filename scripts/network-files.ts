/**
 * Writes networks to files that kanegen reads: safetensors and ONNX, weights in double precision. For the trained example
 * and for tests; deterministic.
 */
import type { Activation, DenseLayer } from '../src/network/network.ts';

const ACTIVATION_NAMES: Readonly<Record<Activation, string>> = {
  identity: 'identity',
  tanh: 'tanh',
  sine: 'sine',
  softplus: 'softplus',
  silu: 'silu',
};

function bytesOf(values: Float64Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, i) => view.setFloat64(8 * i, value, true));
  return new Uint8Array(view.buffer);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// ---------------------------------------------------------------------------------------------- safetensors

export interface TensorEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** A safetensors file of any tensors, in the order given. */
export function safetensorsFile(tensors: Readonly<Record<string, TensorEntry>>, metadata: object): Uint8Array {
  let at = 0;
  const header: Record<string, object> = { __metadata__: metadata };
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] };
    at += bytes.length;
  }
  const text = JSON.stringify(header);
  const padded = new TextEncoder().encode(text.padEnd(8 * Math.ceil(text.length / 8)));
  const length = new DataView(new ArrayBuffer(8));
  length.setBigUint64(0, BigInt(padded.length), true);
  return joined([new Uint8Array(length.buffer), padded, ...Object.values(tensors).map((tensor) => tensor.bytes)]);
}

/** @param layers all with the same activation but for the last. */
export function safetensorsBytes(layers: readonly DenseLayer[]): Uint8Array {
  const entries = layers.flatMap(({ inputs, outputs, weights, biases }, i): [string, TensorEntry][] => [
    [`layers.${i}.weight`, { dtype: 'F64', shape: [outputs, inputs], bytes: bytesOf(weights) }],
    [`layers.${i}.bias`, { dtype: 'F64', shape: [outputs], bytes: bytesOf(biases) }],
  ]);
  return safetensorsFile(Object.fromEntries(entries), {
    activation: ACTIVATION_NAMES[layers[0]!.activation],
    output_activation: ACTIVATION_NAMES[layers.at(-1)!.activation],
  });
}

// ---------------------------------------------------------------------------------------------- ONNX

/** Fields of protocol buffers, by their numbers in onnx.proto. */
export type Field = readonly [number, Uint8Array | string | number];

export function message(fields: readonly Field[]): Uint8Array {
  return joined(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(8 * number), varint(value)];
      const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      return [varint(8 * number + 2), varint(bytes.length), bytes];
    }),
  );
}

/** @param value a non-negative integer. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

const DOUBLE = 11;

/** TensorProto with doubles as raw data. */
export function tensorField(name: string, shape: readonly number[], values: Float64Array): Field {
  const dimensions = shape.map((length): Field => [1, length]);
  return [5, message([...dimensions, [2, DOUBLE], [8, name], [9, bytesOf(values)]])];
}

/** NodeProto; attributes are integers. */
export function nodeField(
  operator: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, number>> = {},
): Field {
  return [
    1,
    message([
      ...inputs.map((input): Field => [1, input]),
      [2, output],
      [3, `/${output}`],
      [4, operator],
      ...Object.entries(attributes).map(([name, value]): Field => [5, message([[1, name], [3, value], [20, 2]])]), // prettier-ignore
    ]),
  ];
}

/** ModelProto around a graph from `z` to `output`, both vectors of doubles with a leading batch dimension. */
export function onnxModel(inputs: number, outputs: number, output: string, fields: readonly Field[]): Uint8Array {
  const dimension = (size: number): Field => [1, message([[1, size]])];
  const value = (name: string, size: number): Uint8Array =>
    message([
      [1, name],
      [
        2,
        message([
          [
            1,
            message([
              [1, DOUBLE],
              [2, message([dimension(1), dimension(size)])],
            ]),
          ],
        ]),
      ],
    ]);
  const graph = message([...fields, [2, 'decoder'], [11, value('z', inputs)], [12, value(output, outputs)]]);
  return message([
    [1, 8],
    [2, 'kanegen'],
    [7, graph],
    [8, message([[1, ''], [2, 15]])], // prettier-ignore
  ]);
}

/** The chain as Gemm nodes and activations. */
export function onnxBytes(layers: readonly DenseLayer[]): Uint8Array {
  let value = 'z';
  const fields = layers.flatMap(({ inputs, outputs, weights, biases, activation }, i) => {
    const own: Field[] = [
      tensorField(`weight${i}`, [outputs, inputs], weights),
      tensorField(`bias${i}`, [outputs], biases),
      nodeField('Gemm', [value, `weight${i}`, `bias${i}`], `dense${i}`, { transB: 1 }),
    ];
    value = `dense${i}`;
    if (activation === 'silu') {
      own.push(nodeField('Sigmoid', [value], `sigmoid${i}`), nodeField('Mul', [value, `sigmoid${i}`], `silu${i}`));
      value = `silu${i}`;
    } else if (activation !== 'identity') {
      const operator = { tanh: 'Tanh', sine: 'Sin', softplus: 'Softplus' }[activation];
      own.push(nodeField(operator, [value], `${activation}${i}`));
      value = `${activation}${i}`;
    }
    return own;
  });
  return onnxModel(layers[0]!.inputs, layers.at(-1)!.outputs, value, fields);
}
