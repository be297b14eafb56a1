/**
 * Networks from ONNX files: one chain of Gemm or MatMul + Add, each followed by Tanh, Sin, Softplus, SiLU (x · Sigmoid(x))
 * or nothing, from the only input to the only output. Anything else is refused by its name.
 * Field numbers are those of onnx.proto, IR version 3 and later.
 */
import { activationNamed } from './activation.ts';
import { badNetwork, type NamedLayer } from './chain.ts';
import type { Activation } from './network.ts';
import { brainFloat, decodeNumbers, ELEMENT_BYTES, halfPrecision, type ElementType } from './numbers.ts';
import { readMessage, type Message } from './protobuf.ts';

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  /** Missing when the elements are not floating-point numbers. */
  readonly values?: Float64Array;
}

/** What layers are made of. */
type NumberTensor = Required<Tensor>;

interface Node {
  /** `node /net/0/Gemm (Gemm)` */
  readonly label: string;
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes: ReadonlyMap<string, Message>;
}

interface Graph {
  readonly nodes: readonly Node[];
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly input: string;
  readonly output: string;
}

/** @throws KanegenError `bad-network`, naming the node or tensor. */
export function onnxLayers(bytes: Uint8Array): NamedLayer[] {
  const [message] = readMessage(bytes).messages(7);
  if (!message) throw badNetwork('the file holds no ONNX graph');
  const graph = readGraph(message);
  const layers: NamedLayer[] = [];
  let value = graph.input;
  let used = 0;
  while (value !== graph.output) {
    const step = nextStep(graph, value);
    used += step.nodes;
    if (used > graph.nodes.length) throw badNetwork(`the graph runs in a circle through ${step.label}`);
    value = step.value;
    if (step.kind === 'dense') layers.push(step.layer);
    else if (step.kind === 'bias') layers.push(withBias(layers.pop(), step.bias, step.label));
    else layers.push(withActivation(layers.pop(), step.activation, step.label));
  }
  if (used < graph.nodes.length)
    throw badNetwork(
      `the graph has ${graph.nodes.length} nodes, but only ${used} of them lead from its input to its output`,
    );
  return layers;
}

// ---------------------------------------------------------------------------------------------- chain

type Step = { readonly nodes: number; readonly value: string; readonly label: string } & (
  | { readonly kind: 'dense'; readonly layer: NamedLayer }
  | { readonly kind: 'bias'; readonly bias: NumberTensor }
  | { readonly kind: 'activation'; readonly activation: Activation }
);

/** What happens to a value next. */
function nextStep(graph: Graph, value: string): Step {
  const users = graph.nodes.filter((node) => node.inputs.includes(value));
  const sigmoid = users.find((node) => node.operator === 'Sigmoid');
  if (sigmoid) return siluStep(sigmoid, users, value);
  const [node] = users;
  if (!node) throw badNetwork(`nothing leads from ${value} to the output of the graph`);
  if (users.length > 1)
    throw badNetwork(
      `${users.map((user) => user.label).join(' and ')} share one input: only a plain chain of layers is read`,
    );
  const common = { nodes: 1, value: node.output, label: node.label };
  switch (node.operator) {
    case 'Gemm':
      return { ...common, kind: 'dense', layer: gemmLayer(graph, node, value) };
    case 'MatMul':
      return { ...common, kind: 'dense', layer: productLayer(graph, node, value) };
    case 'Add':
      return {
        ...common,
        kind: 'bias',
        bias: constantOf(
          graph,
          node,
          node.inputs.find((input) => input !== value),
        ),
      };
    default:
      return { ...common, kind: 'activation', activation: activationOf(node) };
  }
}

function siluStep(sigmoid: Node, users: readonly Node[], value: string): Step {
  const product = users.find((node) => node.operator === 'Mul' && node.inputs.includes(sigmoid.output));
  if (!product || users.length !== 2)
    throw badNetwork(
      `${sigmoid.label} is not part of x · Sigmoid(x)`,
      'train with tanh, sine, softplus or silu; tanh replaces a sigmoid',
    );
  return {
    kind: 'activation',
    activation: 'silu',
    nodes: 2,
    value: product.output,
    label: `${sigmoid.label} of ${value}`,
  };
}

const REFUSED = 'export dense layers with tanh, sine, softplus or silu only; normalise in the formulas of `inputs`';

function activationOf(node: Node): Activation {
  const names: Readonly<Record<string, string>> = {
    Tanh: 'tanh',
    Sin: 'sine',
    Softplus: 'softplus',
    Identity: 'identity',
  };
  if (Object.hasOwn(names, node.operator)) return activationNamed(names[node.operator]!, node.label);
  if (/relu|elu|hardsigmoid|hardswish|softsign|shrink|^(clip|abs|max|min|sign)$/i.test(node.operator))
    return activationNamed(node.operator, node.label);
  throw badNetwork(`${node.label}: only dense layers and their activations are read`, REFUSED);
}

function withActivation(layer: NamedLayer | undefined, activation: Activation, label: string): NamedLayer {
  if (layer && activation === 'identity') return layer;
  if (!layer || layer.activation !== 'identity') throw badNetwork(`${label} does not follow a dense layer`, REFUSED);
  return { ...layer, activation };
}

function withBias(layer: NamedLayer | undefined, bias: NumberTensor, label: string): NamedLayer {
  if (!layer || layer.activation !== 'identity') throw badNetwork(`${label} does not follow a dense layer`, REFUSED);
  return { ...layer, biases: layer.biases.map((own, i) => own + biasOf(bias, layer.outputs, label)[i]!) };
}

// ---------------------------------------------------------------------------------------------- layers

/** Y = alpha A B + beta C with A the value. */
function gemmLayer(graph: Graph, node: Node, value: string): NamedLayer {
  const [first, second, third] = node.inputs;
  if (first !== value || flag(node, 'transA'))
    throw badNetwork(`${node.label} multiplies its input from the wrong side`);
  const alpha = factor(node, 'alpha');
  const beta = factor(node, 'beta');
  const layer = denseOf(constantOf(graph, node, second), flag(node, 'transB'), node.label);
  const biases = third ? biasOf(constantOf(graph, node, third), layer.outputs, node.label) : layer.biases;
  return { ...layer, weights: layer.weights.map((w) => alpha * w), biases: biases.map((b) => beta * b) };
}

function productLayer(graph: Graph, node: Node, value: string): NamedLayer {
  const [first, second] = node.inputs;
  if (first !== value) throw badNetwork(`${node.label} multiplies its input from the wrong side`);
  return denseOf(constantOf(graph, node, second), false, node.label);
}

/** @param isTransposed the matrix is outputs × inputs already. */
function denseOf({ name, shape, values }: NumberTensor, isTransposed: boolean, label: string): NamedLayer {
  const [rows, columns] = shape;
  if (shape.length !== 2 || !rows || !columns)
    throw badNetwork(`${label}: tensor ${name} has shape [${shape.join(', ')}], but a matrix is needed`);
  const [outputs, inputs] = isTransposed ? [rows, columns] : [columns, rows];
  const weights = isTransposed
    ? values
    : Float64Array.from(values, (_, i) => values[(i % inputs) * outputs + Math.floor(i / inputs)]!);
  return { label, inputs, outputs, weights, biases: new Float64Array(outputs), activation: 'identity' };
}

function biasOf({ name, shape, values }: NumberTensor, outputs: number, label: string): Float64Array {
  if (values.length !== outputs || shape.at(-1) !== outputs)
    throw badNetwork(`${label}: tensor ${name} has shape [${shape.join(', ')}], but the layer has ${outputs} outputs`);
  return values;
}

function flag(node: Node, name: string): boolean {
  return (node.attributes.get(name)?.integers(3).at(-1) ?? 0) !== 0;
}

function factor(node: Node, name: string): number {
  const attribute = node.attributes.get(name);
  return attribute ? (attribute.floats(2).at(-1) ?? 0) : 1;
}

function constantOf(graph: Graph, node: Node, name: string | undefined): NumberTensor {
  const tensor = name === undefined ? undefined : graph.tensors.get(name);
  if (tensor?.values) return { ...tensor, values: tensor.values };
  if (tensor)
    throw badNetwork(
      `${node.label}: the elements of tensor ${tensor.name} are not floating-point numbers`,
      'store weights as double, float, float16 or bfloat16',
    );
  throw badNetwork(
    `${node.label}: ${name === undefined ? 'an operand' : name} is not a constant of the graph`,
    REFUSED,
  );
}

// ---------------------------------------------------------------------------------------------- container

function readGraph(message: Message): Graph {
  if (message.has(15)) throw badNetwork('sparse tensors are not read', 'store the weights as dense tensors');
  const initialisers = message.messages(5).map(readTensor);
  const all = message.messages(1).map(readNode);
  const constants = all.filter((node) => node.operator === 'Constant').map(readConstant);
  const tensors = new Map([...initialisers, ...constants].map((tensor) => [tensor.name, tensor]));
  // Old files list the initialisers among the inputs.
  const inputs = message.messages(11).map((input) => input.text(1));
  return {
    nodes: all.filter((node) => node.operator !== 'Constant'),
    tensors,
    input: only(
      inputs.filter((name) => !tensors.has(name)),
      'inputs',
    ),
    output: only(
      message.messages(12).map((output) => output.text(1)),
      'outputs',
    ),
  };
}

function only(names: readonly string[], what: string): string {
  if (names.length === 1) return names[0]!;
  throw badNetwork(`the graph has ${names.length} ${what} (${names.join(', ')}), but one is needed`);
}

function readNode(message: Message): Node {
  const operator = message.text(4);
  const outputs = message.runs(2).map((run) => new TextDecoder().decode(run));
  const name = message.text(3) || outputs[0] || '';
  if (outputs.length !== 1) throw badNetwork(`node ${name} (${operator}) has ${outputs.length} outputs`, REFUSED);
  return {
    label: `node ${name} (${operator})`,
    operator,
    inputs: message
      .runs(1)
      .map((run) => new TextDecoder().decode(run))
      .filter((input) => input !== ''),
    output: outputs[0]!,
    attributes: new Map(message.messages(5).map((attribute) => [attribute.text(1), attribute])),
  };
}

function readConstant(node: Node): Tensor {
  const [value] = node.attributes.get('value')?.messages(5) ?? [];
  if (!value) throw badNetwork(`${node.label} holds no tensor`);
  return { ...readTensor(value), name: node.output };
}

const ELEMENT_TYPES: Readonly<Record<number, ElementType>> = { 1: 'F32', 10: 'F16', 11: 'F64', 16: 'BF16' };

function readTensor(message: Message): Tensor {
  const name = message.text(8);
  const type = ELEMENT_TYPES[message.integers(2).at(-1) ?? 0];
  const shape = message.integers(1);
  if (!type) return { name, shape };
  if (message.has(13) || (message.integers(14).at(-1) ?? 0) !== 0)
    throw badNetwork(`tensor ${name} is stored outside of the file`, 'export the network with its weights inside');
  const values = tensorValues(message, name, type);
  const size = shape.reduce((product, length) => product * length, 1);
  if (values.length !== size)
    throw badNetwork(
      `tensor ${name} has shape [${shape.join(', ')}], but ${values.length} numbers: truncated or damaged`,
    );
  return { name, shape, values };
}

function tensorValues(message: Message, name: string, type: ElementType): Float64Array {
  if (message.has(9)) {
    const raw = message.runs(9).at(-1) ?? new Uint8Array();
    if (raw.byteLength % ELEMENT_BYTES[type] !== 0)
      throw badNetwork(`tensor ${name} has ${raw.byteLength} bytes, no whole number of its elements`);
    return decodeNumbers(raw, type);
  }
  switch (type) {
    case 'F32':
      return Float64Array.from(message.floats(4));
    case 'F64':
      return Float64Array.from(message.doubles(10));
    case 'F16':
      return Float64Array.from(message.integers(5), halfPrecision);
    case 'BF16':
      return Float64Array.from(message.integers(5), brainFloat);
  }
}
