import { describe, expect, it } from 'vitest';
import {
  message,
  nodeField,
  onnxBytes,
  onnxModel,
  safetensorsBytes,
  safetensorsFile,
  tensorField,
  type Field,
} from '../../scripts/network-files.ts';
import { KanegenError } from '../../src/common/error.ts';
import type { Activation, DenseLayer } from '../../src/network/network.ts';
import { readNetwork } from '../../src/network/read.ts';

function layer(inputs: number, outputs: number, activation: Activation, seed: number): DenseLayer {
  const numbers = (count: number, shift: number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => Math.sin(seed + shift + 1.7 * i));
  return { inputs, outputs, weights: numbers(inputs * outputs, 0), biases: numbers(outputs, 0.3), activation };
}

const LAYERS = [layer(4, 5, 'tanh', 1), layer(5, 6, 'tanh', 2), layer(6, 3, 'identity', 3)];

function failure(bytes: Uint8Array, file: string): KanegenError {
  try {
    readNetwork(bytes, { file });
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('the file was accepted');
}

function floats(values: readonly number[], bytes: 2 | 4, write: (view: DataView, at: number, value: number) => void) {
  const view = new DataView(new ArrayBuffer(bytes * values.length));
  values.forEach((value, i) => write(view, bytes * i, value));
  return new Uint8Array(view.buffer);
}
const single = (values: readonly number[]): Uint8Array => floats(values, 4, (v, at, x) => v.setFloat32(at, x, true));
const words = (values: readonly number[]): Uint8Array => floats(values, 2, (v, at, x) => v.setUint16(at, x, true));

describe('networks from safetensors', () => {
  const meta = { activation: 'tanh' };
  const tensor = (shape: readonly number[], values: readonly number[]) => ({
    dtype: 'F32',
    shape,
    bytes: single(values),
  });

  it('come back as they were written', () => {
    const network = readNetwork(safetensorsBytes(LAYERS), { file: 'some/where/My decoder-2.safetensors' });
    expect(network.layers).toEqual(LAYERS);
    expect(network.name).toBe('my_decoder_2');
    expect(network.source).toBe('My decoder-2.safetensors');
    expect(network.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('follow the natural order of the names, whatever the order in the file', () => {
    const file = safetensorsFile(
      {
        'net.10.weight': tensor([1, 2], [5, 6]),
        'net.2.weight': tensor([2, 1], [1, 2]),
        'net.2.bias': tensor([2], [3, 4]),
      },
      meta,
    );
    const { layers } = readNetwork(file, { file: 'a.safetensors' });
    expect(layers.map((l) => [...l.weights, ...l.biases])).toEqual([
      [1, 2, 3, 4],
      [5, 6, 0],
    ]);
  });

  it('may be stored in half precision of both kinds', () => {
    // binary16: 1, −2, 2^−24, 65504; bfloat16: 1, −2, 0.15625, 2^127
    const half = safetensorsFile(
      { 'w.weight': { dtype: 'F16', shape: [2, 2], bytes: words([0x3c00, 0xc000, 0x0001, 0x7bff]) } },
      {},
    );
    const brain = safetensorsFile(
      { 'w.weight': { dtype: 'BF16', shape: [2, 2], bytes: words([0x3f80, 0xc000, 0x3e20, 0x7f00]) } },
      {},
    );
    expect([...readNetwork(half, { file: 'a.safetensors' }).layers[0]!.weights]).toEqual([1, -2, 2 ** -24, 65504]);
    expect([...readNetwork(brain, { file: 'a.safetensors' }).layers[0]!.weights]).toEqual([1, -2, 0.15625, 2 ** 127]);
  });

  it('take their activations from the caller where the file does not say', () => {
    const file = safetensorsFile({ 'a.weight': tensor([1, 1], [1]), 'b.weight': tensor([1, 1], [1]) }, {});
    const { layers } = readNetwork(file, { file: 'a.safetensors', activation: 'SiLU', outputActivation: 'sin' });
    expect(layers.map((l) => l.activation)).toEqual(['silu', 'sine']);
    expect(failure(file, 'a.safetensors').message).toMatch(/does not say which activation/);
  });

  it('are refused when truncated anywhere', () => {
    const file = safetensorsBytes(LAYERS);
    for (const length of [0, 7, 8, 100, file.length - 1, file.length - 400])
      expect(failure(file.subarray(0, length), 'a.safetensors').code).toBe('bad-network');
  });

  it.each([
    [
      'layers that do not fit',
      { 'a.weight': tensor([2, 1], [1, 2]), 'b.weight': tensor([1, 3], [1, 2, 3]) },
      'layer b takes 3 numbers, but layer a before it gives 2',
    ],
    [
      'biases that do not fit',
      { 'a.weight': tensor([2, 1], [1, 2]), 'a.bias': tensor([3], [1, 2, 3]) },
      'tensor a.bias has shape [3], but a.weight has 2 outputs',
    ],
    [
      'weights that are no matrix',
      { 'a.weight': tensor([2], [1, 2]) },
      'tensor a.weight has shape [2]: a matrix, outputs × inputs, is needed',
    ],
    [
      'infinite weights',
      { 'a.weight': tensor([2, 1], [1, Infinity]) },
      'the weights of layer a hold Infinity at index 1',
    ],
    [
      'undefined biases',
      { 'a.weight': tensor([1, 1], [1]), 'a.bias': tensor([1], [NaN]) },
      'the biases of layer a hold NaN at index 0',
    ],
    ['integers', { 'a.weight': { ...tensor([1, 1], [1]), dtype: 'I32' } }, 'tensor a.weight has element type I32'],
    [
      'shapes of another size',
      { 'a.weight': tensor([3, 1], [1, 2]) },
      'tensor a.weight has shape [3, 1], which takes 12 bytes, not 8',
    ],
    [
      'tensors of other kinds',
      { 'a.weight': tensor([1, 1], [1]), running_mean: tensor([1], [1]) },
      'tensor running_mean belongs to no dense layer',
    ],
    ['no tensors', {}, 'a.safetensors holds no dense layer'],
  ])('are refused for %s', (_, tensors, text) => {
    const error = failure(safetensorsFile(tensors, meta), 'a.safetensors');
    expect(error.code).toBe('bad-network');
    expect(error.message).toBe(text);
  });

  it.each(['relu', 'ReLU', 'leaky_relu', 'elu'])(
    'are refused with %s, which has no second derivative',
    (activation) => {
      const file = safetensorsFile(
        { 'a.weight': tensor([1, 1], [1]), 'b.weight': tensor([1, 1], [1]) },
        { activation },
      );
      expect(failure(file, 'a.safetensors').message).toMatch(/no continuous second derivative, and accelerations/);
      expect(failure(file, 'a.safetensors').remedy).toBe('train with tanh, sine, softplus or silu');
    },
  );
});

describe('networks from ONNX', () => {
  const weight = tensorField('w', [2, 3], Float64Array.of(1, 2, 3, 4, 5, 6));
  const model = (output: string, ...fields: Field[]): Uint8Array => onnxModel(2, 3, output, [weight, ...fields]);

  it.each(['tanh', 'sine', 'softplus', 'silu'] as const)('come back as they were written, with %s', (activation) => {
    const layers = [layer(4, 5, activation, 1), layer(5, 3, 'identity', 3)];
    expect(readNetwork(onnxBytes(layers), { file: 'x.onnx' }).layers).toEqual(layers);
  });

  it('may multiply and add in two nodes, the constant on either side of the sum', () => {
    const bias = tensorField('b', [1, 3], Float64Array.of(7, 8, 9));
    const file = model('y', bias, nodeField('MatMul', ['z', 'w'], 'p'), nodeField('Add', ['b', 'p'], 'y'));
    expect(readNetwork(file, { file: 'x.onnx' }).layers).toEqual([
      // stored inputs × outputs
      {
        inputs: 2,
        outputs: 3,
        weights: Float64Array.of(1, 4, 2, 5, 3, 6),
        biases: Float64Array.of(7, 8, 9),
        activation: 'identity',
      },
    ]);
  });

  it('may hold weights as single precision in a list, and constants as nodes', () => {
    const list = message([[1, 2], [1, 3], [2, 1], [4, single([1, 2, 3, 4, 5, 6.5])]]); // prettier-ignore
    const constant: Field = [1, message([[2, 'c'], [4, 'Constant'], [5, message([[1, 'value'], [5, list], [20, 4]])]])]; // prettier-ignore
    const { layers } = readNetwork(onnxModel(2, 3, 'y', [constant, nodeField('MatMul', ['z', 'c'], 'y')]), {
      file: 'x.onnx',
    });
    expect([...layers[0]!.weights]).toEqual([1, 4, 2, 5, 3, 6.5]);
  });

  it('are refused when truncated anywhere', () => {
    const file = onnxBytes(LAYERS);
    for (let length = 0; length < file.length; length += 11)
      expect(failure(file.subarray(0, length), 'x.onnx').code).toBe('bad-network');
  });

  const product = nodeField('MatMul', ['z', 'w'], 'p');
  const infinite = tensorField('b', [3], Float64Array.of(0, Infinity, 0));
  const list = message([[1, 5], [2, 11], [8, 'w'], [10, new Uint8Array(32)]]); // prettier-ignore
  it.each([
    [
      'ReLU',
      model('y', product, nodeField('Relu', ['p'], 'y')),
      'node /y (Relu): Relu has no continuous second derivative, and accelerations of the body need one',
    ],
    [
      'convolutions',
      model('y', nodeField('Conv', ['z', 'w'], 'y')),
      'node /y (Conv): only dense layers and their activations are read',
    ],
    [
      'an activation without a layer',
      model('y', product, nodeField('Tanh', ['p'], 'a'), nodeField('Tanh', ['a'], 'y')),
      'node /y (Tanh) does not follow a dense layer',
    ],
    [
      'a second branch',
      model('y', product, nodeField('Tanh', ['p'], 'a'), nodeField('Sin', ['p'], 'y')),
      'node /a (Tanh) and node /y (Sin) share one input: only a plain chain of layers is read',
    ],
    [
      'a node to the side',
      model('y', nodeField('MatMul', ['z', 'w'], 'y'), nodeField('Tanh', ['w'], 'a')),
      'the graph has 2 nodes, but only 1 of them lead from its input to its output',
    ],
    [
      'a sigmoid on its own',
      model('y', product, nodeField('Sigmoid', ['p'], 'y')),
      'node /y (Sigmoid) is not part of x · Sigmoid(x)',
    ],
    ['an output that nothing makes', model('y', product), 'nothing leads from p to the output of the graph'],
    [
      'biases that are not finite',
      model('y', product, infinite, nodeField('Add', ['p', 'b'], 'y')),
      'the biases of node /p (MatMul) hold Infinity at index 1',
    ],
    [
      'a tensor of another size',
      onnxModel(2, 3, 'p', [[5, list], product]),
      'tensor w has shape [5], but 4 numbers: truncated or damaged',
    ],
    ['a missing tensor', onnxModel(2, 3, 'p', [product]), 'node /p (MatMul): w is not a constant of the graph'],
    ['integers', onnxModel(2, 3, 'p', [[5, message([[1, 2], [1, 1], [2, 7], [8, 'w']])], product]), 'node /p (MatMul): the elements of tensor w are not floating-point numbers'], // prettier-ignore
  ])('are refused for %s', (_, bytes, text) => {
    const error = failure(bytes, 'x.onnx');
    expect(error.code).toBe('bad-network');
    expect(error.message).toBe(text);
  });

  it('are refused when the graph runs in a circle', () => {
    const file = model('y', product, nodeField('Tanh', ['p'], 'q'), nodeField('Identity', ['q'], 'r'), nodeField('Identity', ['r'], 'q')); // prettier-ignore
    expect(failure(file, 'x.onnx').message).toMatch(/in a circle/);
  });
});

describe('a network of another format', () => {
  it('is refused by its extension', () => {
    expect(failure(new Uint8Array(100), 'model.pt').message).toBe('the format of the file is not known');
  });
});
