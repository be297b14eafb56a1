/**
 * Dense layers put together to a network: whatever a file format calls its parts, the chain is checked here.
 */
import { host } from '#host';
import { KanegenError } from '../common/error.ts';
import type { DenseLayer, Network } from './network.ts';

/** A layer as read, with what the file calls it. */
export interface NamedLayer extends DenseLayer {
  readonly label: string;
}

export function badNetwork(message: string, remedy?: string): KanegenError {
  return new KanegenError('bad-network', message, { remedy });
}

/**
 * @param file name of the file the bytes came from; directories are left out of the result.
 * @throws KanegenError `bad-network` for an empty chain, layers that do not fit together, or weights that are not finite.
 */
export function networkOf(bytes: Uint8Array, file: string, layers: readonly NamedLayer[]): Network {
  const source = file.replace(/^.*[\\/]/, '');
  if (layers.length === 0) throw badNetwork(`${source} holds no dense layer`);
  layers.forEach((layer, i) => {
    checkFinite(layer.weights, `the weights of ${layer.label}`);
    checkFinite(layer.biases, `the biases of ${layer.label}`);
    const previous = layers[i - 1];
    if (previous && previous.outputs !== layer.inputs)
      throw badNetwork(
        `${layer.label} takes ${layer.inputs} numbers, but ${previous.label} before it gives ${previous.outputs}`,
      );
  });
  return {
    name: identifierOf(source),
    source,
    hash: host.sha256().update(bytes).digest('hex'),
    layers: layers.map(({ inputs, outputs, weights, biases, activation }) => ({
      inputs,
      outputs,
      weights,
      biases,
      activation,
    })),
  };
}

function checkFinite(values: Float64Array, what: string): void {
  const index = values.findIndex((value) => !Number.isFinite(value));
  if (index >= 0)
    throw badNetwork(
      `${what} hold ${String(values[index]!)} at index ${index}`,
      'export a network whose training converged',
    );
}

/** `my decoder-2.safetensors` → `my_decoder_2`. */
function identifierOf(source: string): string {
  const words = source
    .replace(/\.[^.]*$/, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
  return /^[a-z]/.test(words) ? words : `network_${words}`.replace(/_$/, '');
}
