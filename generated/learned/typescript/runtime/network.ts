/**
 * Learned maps: dense layers with smooth activations, evaluated with derivatives along directions. Part of generated
 * code; no dependencies, no allocation in a call.
 *
 * What is computed stands in channels: the value, the derivative along each direction, and the second derivative along
 * the last direction. All channels of one layer follow each other in an array.
 */

export type NetworkActivation = 'identity' | 'tanh' | 'sine' | 'softplus' | 'silu';

/** y = activation(W x + b); rows of W in groups of four, entries of one column side by side, the last group filled up. */
export interface NetworkLayer {
  readonly inputs: number;
  readonly outputs: number;
  readonly activation: NetworkActivation;
  readonly weights: Float64Array;
  readonly biases: Float64Array;
}

/** Value and first two derivatives of an activation. */
const jet = new Float64Array(3);

/**
 * Results go to `a` when the number of layers is even, else to `b`; a channel takes the outputs of the last layer, rounded
 * up to a multiple of four.
 * @param directions number of directions.
 * @param second is the second derivative along the last direction wanted?
 * @param a inputs, then the directions, each as many numbers as the first layer has inputs; overwritten.
 * @param b as long as `a`: a channel of the widest layer per channel.
 */
export function evaluateNetwork(
  layers: readonly NetworkLayer[],
  directions: number,
  second: boolean,
  a: Float64Array,
  b: Float64Array,
): void {
  const channels = 1 + directions + (second ? 1 : 0);
  let stride = layers[0]!.inputs;
  let x = a;
  let y = b;
  for (let l = 0; l < layers.length; l++) {
    const layer = layers[l]!;
    const next = 4 * Math.ceil(layer.outputs / 4);
    // The inputs have no second derivative along a direction.
    const filled = l === 0 ? 1 + directions : channels;
    for (let c = 0; c < filled; c += 2)
      applyWeights(layer, x, c * stride, y, c * next, c + 1 < filled ? 1 : 0, stride, next, c === 0);
    if (filled < channels) y.fill(0, filled * next, channels * next);
    activate(layer, directions, second, next, y);
    stride = next;
    x = y;
    y = x === a ? b : a;
  }
}

/** Two channels of W x (+ b in the first of all); without a second one, the same again. */
function applyWeights(
  { inputs, outputs, weights, biases }: NetworkLayer,
  x: Float64Array,
  atX: number,
  y: Float64Array,
  atY: number,
  pair: 0 | 1,
  strideX: number,
  strideY: number,
  isValue: boolean,
): void {
  let w = 0;
  for (let i = 0; i < outputs; i += 4) {
    let s0 = isValue ? biases[i]! : 0;
    let s1 = isValue ? biases[i + 1]! : 0;
    let s2 = isValue ? biases[i + 2]! : 0;
    let s3 = isValue ? biases[i + 3]! : 0;
    let t0 = pair ? 0 : s0;
    let t1 = pair ? 0 : s1;
    let t2 = pair ? 0 : s2;
    let t3 = pair ? 0 : s3;
    for (let j = 0; j < inputs; j++, w += 4) {
      const u = x[atX + j]!;
      const v = x[atX + pair * strideX + j]!;
      s0 += weights[w]! * u;
      s1 += weights[w + 1]! * u;
      s2 += weights[w + 2]! * u;
      s3 += weights[w + 3]! * u;
      t0 += weights[w]! * v;
      t1 += weights[w + 1]! * v;
      t2 += weights[w + 2]! * v;
      t3 += weights[w + 3]! * v;
    }
    const at = atY + pair * strideY + i;
    y[atY + i] = s0;
    y[atY + i + 1] = s1;
    y[atY + i + 2] = s2;
    y[atY + i + 3] = s3;
    y[at] = t0;
    y[at + 1] = t1;
    y[at + 2] = t2;
    y[at + 3] = t3;
  }
}

/** The activation and its derivatives, by the chain rule, in place. */
function activate(
  { outputs, activation }: NetworkLayer,
  directions: number,
  second: boolean,
  stride: number,
  y: Float64Array,
): void {
  if (activation === 'identity') return;
  const last = directions * stride;
  for (let i = 0; i < outputs; i++) {
    activationJet(activation, y[i]!);
    const first = jet[1]!;
    y[i] = jet[0]!;
    if (second) {
      const slope = y[last + i]!;
      y[last + stride + i] = jet[2]! * (slope * slope) + first * y[last + stride + i]!;
    }
    for (let at = stride + i; at <= last + i; at += stride) y[at] = first * y[at]!;
  }
}

/** Regular at every u: nothing overflows. */
function activationJet(activation: NetworkActivation, u: number): void {
  if (activation === 'tanh') {
    const value = Math.tanh(u);
    const first = 1 - value * value;
    jet[0] = value;
    jet[1] = first;
    jet[2] = -2 * value * first;
    return;
  }
  if (activation === 'sine') {
    const value = Math.sin(u);
    jet[0] = value;
    jet[1] = Math.cos(u);
    jet[2] = -value;
    return;
  }
  const decay = Math.exp(-Math.abs(u));
  const upper = 1 / (1 + decay);
  const lower = decay * upper;
  const logistic = u >= 0 ? upper : lower;
  const slope = upper * lower;
  if (activation === 'softplus') {
    jet[0] = Math.max(u, 0) + Math.log1p(decay);
    jet[1] = logistic;
    jet[2] = slope;
    return;
  }
  const drop = u >= 0 ? lower - upper : upper - lower; // 1 − 2 logistic
  jet[0] = u * logistic;
  jet[1] = logistic + u * slope;
  jet[2] = slope * (2 + u * drop);
}
