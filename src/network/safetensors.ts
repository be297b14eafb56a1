/**
 * Networks from safetensors files: 8 bytes of header length, a JSON header, then the numbers. The tensors of a layer are
 * NAME.weight, outputs × inputs, and NAME.bias; layers follow each other in the natural order of their names. The
 * format knows nothing of activations: they stand in the metadata as `activation` (after every layer but the last) and
 * `output_activation`, or are given by the caller.
 */
import { activationNamed } from './activation.ts';
import { badNetwork, type NamedLayer } from './chain.ts';
import { decodeNumbers, ELEMENT_BYTES, type ElementType } from './numbers.ts';

interface Tensor {
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Names of activations, for files that do not say. */
export interface GivenActivations {
  readonly activation?: string | undefined;
  /** `identity` when neither this nor the file says. */
  readonly outputActivation?: string | undefined;
}

/** @throws KanegenError `bad-network`, naming the tensor. */
export function safetensorsLayers(bytes: Uint8Array, given: GivenActivations): NamedLayer[] {
  const { tensors, metadata } = readTensors(bytes);
  const names = layerNames(tensors);
  const hidden = given.activation ?? metadata.get('activation');
  const output = given.outputActivation ?? metadata.get('output_activation') ?? 'identity';
  if (hidden === undefined && names.length > 1)
    throw badNetwork(
      'the file does not say which activation follows the layers',
      'store `activation` (tanh, sine, softplus or silu) in the metadata of the file',
    );
  return names.map((name, i) => {
    const isLast = i === names.length - 1;
    const activation = isLast
      ? activationNamed(output, 'the output activation')
      : activationNamed(hidden!, 'the activation');
    return { ...layerOf(name, tensors), activation };
  });
}

function layerOf(name: string, tensors: ReadonlyMap<string, Tensor>): Omit<NamedLayer, 'activation'> {
  const weight = tensors.get(`${name}.weight`)!;
  const [outputs, inputs] = weight.shape;
  if (weight.shape.length !== 2 || !outputs || !inputs)
    throw badNetwork(
      `tensor ${name}.weight has shape [${weight.shape.join(', ')}]: a matrix, outputs × inputs, is needed`,
    );
  const bias = tensors.get(`${name}.bias`);
  if (bias && (bias.shape.length !== 1 || bias.shape[0] !== outputs))
    throw badNetwork(
      `tensor ${name}.bias has shape [${bias.shape.join(', ')}], but ${name}.weight has ${outputs} outputs`,
    );
  return {
    label: `layer ${name}`,
    inputs,
    outputs,
    weights: decodeNumbers(weight.bytes, weight.type),
    biases: bias ? decodeNumbers(bias.bytes, bias.type) : new Float64Array(outputs),
  };
}

/** In natural order: `net.2` before `net.10`. */
function layerNames(tensors: ReadonlyMap<string, Tensor>): string[] {
  const names: string[] = [];
  for (const key of tensors.keys()) {
    const [, name, part] = /^(.*)\.(weight|bias)$/s.exec(key) ?? [];
    if (name === undefined || (part === 'bias' && !tensors.has(`${name}.weight`)))
      throw badNetwork(
        `tensor ${key} belongs to no dense layer`,
        'keep NAME.weight and NAME.bias of dense layers only; normalise in the formulas of `inputs`',
      );
    if (part === 'weight') names.push(name);
  }
  return names.sort(naturally);
}

function naturally(a: string, b: string): number {
  const left = a.split(/(\d+)/);
  const right = b.split(/(\d+)/);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] === right[i]) continue;
    const difference = i % 2 === 1 ? Number(left[i]) - Number(right[i]) : 0;
    return difference || (left[i]! < right[i]! ? -1 : 1);
  }
  return left.length - right.length;
}

// ---------------------------------------------------------------------------------------------- container

function readTensors(bytes: Uint8Array): { tensors: Map<string, Tensor>; metadata: Map<string, string> } {
  if (bytes.byteLength < 8) throw badNetwork('the file is too short for a safetensors header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = view.getBigUint64(0, true);
  if (headerLength > BigInt(bytes.byteLength - 8))
    throw badNetwork(
      `the header claims ${headerLength} bytes, but the file has ${bytes.byteLength - 8}: truncated, or no safetensors file`,
    );
  const start = 8 + Number(headerLength);
  const entries = Object.entries(parseHeader(bytes.subarray(8, start)));
  const numbers = bytes.subarray(start);
  const tensors = new Map<string, Tensor>();
  const metadata = new Map<string, string>();
  for (const [name, entry] of entries) {
    if (name !== '__metadata__') tensors.set(name, tensorOf(name, entry, numbers));
    else if (isRecord(entry))
      for (const [key, value] of Object.entries(entry)) if (typeof value === 'string') metadata.set(key, value);
  }
  const used = [...tensors.values()].reduce((sum, tensor) => sum + tensor.bytes.byteLength, 0);
  if (used !== numbers.byteLength)
    throw badNetwork(`the tensors take ${used} bytes, but ${numbers.byteLength} follow the header`);
  return { tensors, metadata };
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw badNetwork('the safetensors header is not JSON');
  }
  if (!isRecord(header)) throw badNetwork('the safetensors header is not an object of tensors');
  return header;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isCount);
}

function isElementType(value: unknown): value is ElementType {
  return typeof value === 'string' && Object.hasOwn(ELEMENT_BYTES, value);
}

function tensorOf(name: string, entry: unknown, numbers: Uint8Array): Tensor {
  const { dtype, shape, data_offsets: offsets } = isRecord(entry) ? entry : {};
  if (!isElementType(dtype))
    throw badNetwork(
      `tensor ${name} has element type ${typeof dtype === 'string' ? dtype : 'of no name'}`,
      'store weights as F64, F32, F16 or BF16',
    );
  if (!isCounts(shape) || !isCounts(offsets) || offsets.length !== 2)
    throw badNetwork(`tensor ${name} has no readable shape or place in the file`);
  const [begin, end] = offsets as [number, number];
  if (begin > end || end > numbers.byteLength)
    throw badNetwork(
      `tensor ${name} lies at bytes ${begin} … ${end}, but the file ends at ${numbers.byteLength}: it is truncated`,
    );
  const size = shape.reduce((product, length) => product * length, ELEMENT_BYTES[dtype]);
  if (end - begin !== size)
    throw badNetwork(`tensor ${name} has shape [${shape.join(', ')}], which takes ${size} bytes, not ${end - begin}`);
  return { type: dtype, shape, bytes: numbers.subarray(begin, end) };
}
