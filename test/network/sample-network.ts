/** Networks made up for tests. */
import type { Activation, DenseLayer, Network } from '../../src/network/network.ts';

/** A network whose weights are multiples of 1/64, all different, of a size that keeps activations busy. */
export function sampleNetwork(sizes: readonly number[], activation: Activation, name = 'sample'): Network {
  const number = (index: number, seed: number, fanIn: number): number =>
    Math.round(64 * (1.6 / Math.sqrt(fanIn)) * Math.sin(1.3 + 2.1 * index + 0.7 * seed)) / 64;
  const layers = sizes.slice(1).map((outputs, l): DenseLayer => {
    const inputs = sizes[l]!;
    return {
      inputs,
      outputs,
      weights: Float64Array.from({ length: inputs * outputs }, (_, i) => number(i, l, inputs)),
      biases: Float64Array.from({ length: outputs }, (_, i) => number(i, l + 0.5, 4)),
      activation: l === sizes.length - 2 ? 'identity' : activation,
    };
  });
  return { name, source: `${name}.safetensors`, hash: '0'.repeat(64), layers };
}
