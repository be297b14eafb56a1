/**
 * Learned maps: dense layers with smooth activations, evaluated with derivatives along directions. Part of generated
 * code; no dependencies, no allocation in a call.
 *
 * What is computed stands in channels: the value, the derivative along each direction, and the second derivative along
 * the last direction; behind them, where they are asked for, the changes of all these along changes of inputs and
 * directions. All channels of one layer follow each other in an array.
 */

export type NetworkActivation = 'identity' | 'tanh' | 'sine' | 'softplus' | 'silu';

/**
 * y = activation(W x + b); rows of W in groups of four, entries of one column side by side, the last group filled up.
 */
export interface NetworkLayer {
  readonly inputs: number;
  readonly outputs: number;
  readonly activation: NetworkActivation;
  readonly weights: Float64Array;
  readonly biases: Float64Array;
}

/** Value and first three derivatives of an activation. */
const jet = new Float64Array(4);

/**
 * Results go to `a` when the number of layers is even, else to `b`; a channel takes the outputs of the last layer,
 * rounded up to a multiple of four.
 * @param directions number of directions.
 * @param second is the second derivative along the last direction wanted?
 * @param change are inputs and directions followed by their changes, and those of all channels wanted behind the
 * channels?
 * @param a inputs, then the directions, each as many numbers as the first layer has inputs; overwritten.
 * @param b as long as `a`: a channel of the widest layer per channel.
 */
export function evaluateNetwork(
  layers: readonly NetworkLayer[],
  directions: number,
  second: boolean,
  change: boolean,
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
    applyToChannels(layer, x, 0, stride, y, 0, next, filled, channels, true);
    if (change) applyToChannels(layer, x, filled * stride, stride, y, channels * next, next, filled, channels, false);
    activate(layer, directions, second, change, next, y, 0);
    stride = next;
    x = y;
    y = x === a ? b : a;
  }
}

/**
 * The derivatives of a weighted sum of all channels of the outputs by inputs and directions: reverse accumulation. They
 * go to `a` when the number of layers is even, else to `b`, a channel taking as many numbers as there are inputs.
 * @param a weights, a channel taking the outputs of the last layer, rounded up to a multiple of four; overwritten.
 * @param b as long as `a`: a channel of the widest layer per channel.
 * @param tape inputs, then the directions; behind them room for all channels of every layer, twice.
 */
export function transposeNetwork(
  layers: readonly NetworkLayer[],
  directions: number,
  second: boolean,
  a: Float64Array,
  b: Float64Array,
  tape: Float64Array,
): void {
  const channels = 1 + directions + (second ? 1 : 0);
  let stride = layers[0]!.inputs;
  let from = 0;
  let to = (1 + directions) * stride;
  for (let l = 0; l < layers.length; l++) {
    const layer = layers[l]!;
    const next = 4 * Math.ceil(layer.outputs / 4);
    const size = channels * next;
    applyToChannels(layer, tape, from, stride, tape, to, next, l === 0 ? 1 + directions : channels, channels, true);
    tape.copyWithin(to + size, to, to + size);
    // What the last layer gives is not asked for.
    if (l + 1 < layers.length) activate(layer, directions, second, false, next, tape, to + size);
    from = to + size;
    to = from + size;
    stride = next;
  }
  let x = a;
  let y = b;
  for (let l = layers.length - 1; l >= 0; l--) {
    const layer = layers[l]!;
    const next = 4 * Math.ceil(layer.outputs / 4);
    to -= 2 * channels * next;
    activateBack(layer, directions, second, next, tape, to, x);
    stride = l === 0 ? layer.inputs : 4 * Math.ceil(layer.inputs / 4);
    const filled = l === 0 ? 1 + directions : channels;
    for (let c = 0; c < filled; c++) applyTransposedWeights(layer, x, c * next, y, c * stride);
    x = y;
    y = x === a ? b : a;
  }
}

/** From weights of what an activation gives to weights of its arguments, in place. */
function activateBack(
  { outputs, activation }: NetworkLayer,
  directions: number,
  second: boolean,
  stride: number,
  tape: Float64Array,
  at: number,
  w: Float64Array,
): void {
  const last = directions * stride;
  const channels = last + (second ? 2 : 1) * stride;
  for (let c = 0; c < channels; c += stride) for (let i = outputs; i < stride; i++) w[c + i] = 0;
  if (activation === 'identity') return;
  for (let i = 0; i < outputs; i++) {
    activationJet(activation, tape[at + i]!);
    const first = jet[1]!;
    const curvature = jet[2]!;
    let own = first * w[i]!;
    for (let c = stride + i; c <= last + i; c += stride) {
      own += curvature * tape[at + c]! * w[c]!;
      w[c] = first * w[c]!;
    }
    if (second) {
      const slope = tape[at + last + i]!;
      const bend = w[last + stride + i]!;
      own += (jet[3]! * (slope * slope) + curvature * tape[at + last + stride + i]!) * bend;
      w[last + i] = w[last + i]! + 2 * (curvature * slope) * bend;
      w[last + stride + i] = first * bend;
    }
    w[i] = own;
  }
}

/** Wᵀ times a channel of x. */
function applyTransposedWeights(
  { inputs, outputs, weights }: NetworkLayer,
  x: Float64Array,
  atX: number,
  y: Float64Array,
  atY: number,
): void {
  for (let j = 0; j < inputs; j++) y[atY + j] = 0;
  let w = 0;
  for (let i = 0; i < outputs; i += 4) {
    const x0 = x[atX + i]!;
    const x1 = x[atX + i + 1]!;
    const x2 = x[atX + i + 2]!;
    const x3 = x[atX + i + 3]!;
    for (let j = 0; j < inputs; j++, w += 4)
      y[atY + j] =
        y[atY + j]! + (weights[w]! * x0 + weights[w + 1]! * x1 + weights[w + 2]! * x2 + weights[w + 3]! * x3);
  }
}

/** W times `filled` channels of x (+ b for the first of values), zeros in the other channels. */
function applyToChannels(
  layer: NetworkLayer,
  x: Float64Array,
  atX: number,
  strideX: number,
  y: Float64Array,
  atY: number,
  strideY: number,
  filled: number,
  channels: number,
  areValues: boolean,
): void {
  for (let c = 0; c < filled; c += 2) {
    const pair = c + 1 < filled ? 1 : 0;
    applyWeights(layer, x, atX + c * strideX, y, atY + c * strideY, pair, strideX, strideY, areValues && c === 0);
  }
  if (filled < channels) y.fill(0, atY + filled * strideY, atY + channels * strideY);
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

/** The activation, its derivatives and what changes of its argument make of them, by the chain rule, in place. */
function activate(
  { outputs, activation }: NetworkLayer,
  directions: number,
  second: boolean,
  change: boolean,
  stride: number,
  y: Float64Array,
  atY: number,
): void {
  if (activation === 'identity') return;
  const last = directions * stride;
  const changes = last + (second ? 2 : 1) * stride;
  for (let i = atY; i < atY + outputs; i++) {
    activationJet(activation, y[i]!);
    const first = jet[1]!;
    const curvature = jet[2]!;
    if (change) {
      const moved = y[changes + i]!;
      const bent = curvature * moved;
      y[changes + i] = first * moved;
      if (second) {
        const slope = y[last + i]!;
        const turned = 2 * (curvature * slope) * y[changes + last + i]! + jet[3]! * moved * (slope * slope);
        const at = last + stride + i;
        y[changes + at] = turned + bent * y[at]! + first * y[changes + at]!;
      }
      for (let at = stride + i; at <= last + i; at += stride)
        y[changes + at] = bent * y[at]! + first * y[changes + at]!;
    }
    y[i] = jet[0]!;
    if (second) {
      const slope = y[last + i]!;
      y[last + stride + i] = curvature * (slope * slope) + first * y[last + stride + i]!;
    }
    for (let at = stride + i; at <= last + i; at += stride) y[at] = first * y[at]!;
  }
}

/** Regular at every u: nothing overflows. */
function activationJet(activation: NetworkActivation, u: number): void {
  if (activation === 'tanh') {
    const value = Math.tanh(u);
    const first = 1 - value * value;
    const second = -2 * value * first;
    jet[0] = value;
    jet[1] = first;
    jet[2] = second;
    jet[3] = -2 * (first * first + value * second);
    return;
  }
  if (activation === 'sine') {
    const value = Math.sin(u);
    const first = Math.cos(u);
    jet[0] = value;
    jet[1] = first;
    jet[2] = -value;
    jet[3] = -first;
    return;
  }
  const decay = Math.exp(-Math.abs(u));
  const upper = 1 / (1 + decay);
  const lower = decay * upper;
  const logistic = u >= 0 ? upper : lower;
  const slope = upper * lower;
  const drop = u >= 0 ? lower - upper : upper - lower; // 1 − 2 logistic
  if (activation === 'softplus') {
    jet[0] = Math.max(u, 0) + Math.log1p(decay);
    jet[1] = logistic;
    jet[2] = slope;
    jet[3] = slope * drop;
    return;
  }
  jet[0] = u * logistic;
  jet[1] = logistic + u * slope;
  jet[2] = slope * (2 + u * drop);
  jet[3] = slope * (3 * drop + u * (drop * drop - 2 * slope));
}
