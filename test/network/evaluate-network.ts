import type { NetworkCall } from '../../src/kane/loops/network-call.ts';
import type { Activation, DenseLayer, Network } from '../../src/network/network.ts';

export interface NetworkJet {
  /** N(z) */
  readonly value: Float64Array;
  /** ∂N/∂z · d of every direction. */
  readonly derivatives: readonly Float64Array[];
  /** ∂²N/∂z² [d, d] of the direction `along`; zero without one. */
  readonly second: Float64Array;
}

type Vectors = readonly ArrayLike<number>[];

/**
 * @param inputs z, one number per input.
 * @param directions d, as long as z each.
 * @param along index of the direction of the second derivative.
 */
export function evaluateNetwork(
  network: Network,
  inputs: ArrayLike<number>,
  directions: Vectors = [],
  along?: number,
): NetworkJet {
  const none = [inputs, ...directions].map((values) => new Float64Array(values.length));
  return evaluateWithChange(network, [inputs, ...directions], none, along).jet;
}

/**
 * @param given z, then the directions.
 * @param changes as many.
 */
export function evaluateWithChange(
  network: Network,
  given: Vectors,
  changes: Vectors,
  along?: number,
): { readonly jet: NetworkJet; readonly change: NetworkJet } {
  const start = ([value, ...directions]: Vectors): NetworkJet => ({
    value: Float64Array.from(value!),
    derivatives: directions.map((direction) => Float64Array.from(direction)),
    second: new Float64Array(value!.length),
  });
  let both = { jet: start(given), change: start(changes) };
  for (const layer of network.layers) both = evaluateLayer(layer, both.jet, both.change, along);
  return both;
}

/**
 * A call of generated code.
 * @param operands and results in the order of `networkOperands` and `networkResults`.
 */
export function evaluateCall(
  { network, inputs, directions, second, change, transpose }: NetworkCall,
  operands: readonly number[],
): number[] {
  const width = inputs.length;
  const vectors = (list: readonly number[]): number[][] =>
    Array.from({ length: list.length / width }, (_, i) => list.slice(i * width, (i + 1) * width));
  const count = (1 + directions.length) * width;
  const [given, rest] = [vectors(operands.slice(0, count)), operands.slice(count)];
  const listed = (jet: NetworkJet): number[] => [
    ...jet.value,
    ...jet.derivatives.flatMap((derivative) => [...derivative]),
    ...(second ? jet.second : []),
  ];
  const changeAlong = (changes: Vectors): { jet: NetworkJet; change: NetworkJet } =>
    evaluateWithChange(network, given, changes, second?.along);
  // A transpose from the changes along every operand alone.
  const unit = (k: number): number[][] => vectors(operands.slice(0, count).map((_, i) => (i === k ? 1 : 0)));
  if (transpose)
    return Array.from({ length: count }, (_, k) =>
      listed(changeAlong(unit(k)).change).reduce((sum, value, i) => sum + rest[i]! * value, 0),
    );
  const both = changeAlong(change ? vectors(rest) : unit(-1));
  return [...listed(both.jet), ...(change ? listed(both.change) : [])];
}

function evaluateLayer(
  layer: DenseLayer,
  jet: NetworkJet,
  change: NetworkJet,
  along?: number,
): { jet: NetworkJet; change: NetworkJet } {
  const none = new Float64Array(layer.outputs);
  const weighted = ({ value, derivatives, second }: NetworkJet, biases: Float64Array): NetworkJet => ({
    value: affine(layer, value, biases),
    derivatives: derivatives.map((derivative) => affine(layer, derivative, none)),
    second: affine(layer, second, none),
  });
  const [u, du] = [weighted(jet, layer.biases), weighted(change, none)];
  const empty = (): NetworkJet => ({
    value: new Float64Array(layer.outputs),
    derivatives: jet.derivatives.map(() => new Float64Array(layer.outputs)),
    second: new Float64Array(layer.outputs),
  });
  const [result, changed] = [empty(), empty()];
  const activation = new Float64Array(4);
  for (let i = 0; i < layer.outputs; i++) {
    activationJet(layer.activation, u.value[i]!, activation);
    const [level, first, curvature, third] = activation as unknown as readonly [number, number, number, number];
    const moved = du.value[i]!;
    result.value[i] = level;
    changed.value[i] = first * moved;
    u.derivatives.forEach((slope, k) => {
      result.derivatives[k]![i] = first * slope[i]!;
      changed.derivatives[k]![i] = curvature * moved * slope[i]! + first * du.derivatives[k]![i]!;
    });
    if (along === undefined) continue;
    const [slope, turned] = [u.derivatives[along]![i]!, du.derivatives[along]![i]!];
    result.second[i] = curvature * slope ** 2 + first * u.second[i]!;
    changed.second[i] =
      third * moved * slope ** 2 +
      2 * curvature * slope * turned +
      curvature * moved * u.second[i]! +
      first * du.second[i]!;
  }
  return { jet: result, change: changed };
}

/** W x + b, in the order of the inputs. */
function affine({ inputs, outputs, weights }: DenseLayer, x: Float64Array, biases: Float64Array): Float64Array {
  return Float64Array.from({ length: outputs }, (_, i) => {
    let sum = biases[i]!;
    for (let j = 0; j < inputs; j++) sum += weights[i * inputs + j]! * x[j]!;
    return sum;
  });
}

/** Writes the value and the first three derivatives at u to out[0 … 3]; regular at every u. */
export function activationJet(activation: Activation, u: number, out: Float64Array): void {
  switch (activation) {
    case 'identity':
      return write(out, u, 1, 0, 0);
    case 'tanh': {
      const value = Math.tanh(u);
      const first = 1 - value * value;
      return write(out, value, first, -2 * value * first, first * (4 - 6 * first));
    }
    case 'sine': {
      const value = Math.sin(u);
      return write(out, value, Math.cos(u), -value, -Math.cos(u));
    }
    case 'softplus': {
      const decay = Math.exp(-Math.abs(u));
      const upper = 1 / (1 + decay);
      const lower = decay * upper;
      const slope = upper * lower;
      const logistic = u >= 0 ? upper : lower;
      const third = slope * (u >= 0 ? lower - upper : upper - lower);
      return write(out, Math.max(u, 0) + Math.log1p(decay), logistic, slope, third);
    }
    case 'silu': {
      const decay = Math.exp(-Math.abs(u));
      const upper = 1 / (1 + decay);
      const lower = decay * upper;
      const logistic = u >= 0 ? upper : lower;
      const slope = upper * lower;
      const drop = u >= 0 ? lower - upper : upper - lower; // 1 − 2 logistic
      const third = 3 * slope * drop + u * slope * (1 - 6 * slope);
      return write(out, u * logistic, logistic + u * slope, slope * (2 + u * drop), third);
    }
  }
}

function write(out: Float64Array, ...jet: readonly [number, number, number, number]): void {
  out.set(jet);
}
