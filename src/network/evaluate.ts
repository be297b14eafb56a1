/**
 * Networks evaluated in double precision with directional derivatives, forward mode, layer by layer. The referee for
 * generated code and what compile-time checks work with; plain rather than fast.
 */
import { activationJet } from './activation.ts';
import type { DenseLayer, Network } from './network.ts';

export interface NetworkJet {
  /** N(z) */
  readonly value: Float64Array;
  /** ∂N/∂z · d of every direction. */
  readonly derivatives: readonly Float64Array[];
  /** ∂²N/∂z² [d, d] of the direction `along`; zero without one. */
  readonly second: Float64Array;
}

/**
 * @param inputs z, one number per input.
 * @param directions d, as long as z each.
 * @param along index of the direction of the second derivative.
 */
export function evaluateNetwork(
  network: Network,
  inputs: ArrayLike<number>,
  directions: readonly ArrayLike<number>[] = [],
  along?: number,
): NetworkJet {
  let jet: NetworkJet = {
    value: Float64Array.from(inputs),
    derivatives: directions.map((direction) => Float64Array.from(direction)),
    second: new Float64Array(inputs.length),
  };
  for (const layer of network.layers) jet = evaluateLayer(layer, jet, along);
  return jet;
}

function evaluateLayer(layer: DenseLayer, { value, derivatives, second }: NetworkJet, along?: number): NetworkJet {
  const none = new Float64Array(layer.outputs);
  const argument = affine(layer, value, layer.biases);
  const slopes = derivatives.map((derivative) => affine(layer, derivative, none));
  const bend = along === undefined ? none : affine(layer, second, none);
  const result: NetworkJet = {
    value: new Float64Array(layer.outputs),
    derivatives: slopes.map(() => new Float64Array(layer.outputs)),
    second: new Float64Array(layer.outputs),
  };
  const activation = new Float64Array(3);
  for (let i = 0; i < layer.outputs; i++) {
    activationJet(layer.activation, argument[i]!, activation);
    const [level, first, curvature] = activation as unknown as readonly [number, number, number];
    result.value[i] = level;
    slopes.forEach((slope, k) => (result.derivatives[k]![i] = first * slope[i]!));
    if (along !== undefined) result.second[i] = curvature * slopes[along]![i]! ** 2 + first * bend[i]!;
  }
  return result;
}

/** W x + b, in the order of the inputs. */
function affine({ inputs, outputs, weights }: DenseLayer, x: Float64Array, biases: Float64Array): Float64Array {
  return Float64Array.from({ length: outputs }, (_, i) => {
    let sum = biases[i]!;
    for (let j = 0; j < inputs; j++) sum += weights[i * inputs + j]! * x[j]!;
    return sum;
  });
}
