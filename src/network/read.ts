/** Networks from files, by the extension of the file's name. */
import { badNetwork, networkOf } from './chain.ts';
import type { Network } from './network.ts';
import { onnxLayers } from './onnx.ts';
import { safetensorsLayers, type GivenActivations } from './safetensors.ts';

export interface ReadNetworkOptions extends GivenActivations {
  /** Name of the file: its extension says the format; without directories it is shown in headers. */
  readonly file: string;
}

/**
 * @throws KanegenError `bad-network`, naming the tensor or node: files that are truncated or damaged, weights that are
 * not finite, shapes that do not fit together, activations without two derivatives, anything but a chain of dense layers.
 */
export function readNetwork(bytes: Uint8Array, options: ReadNetworkOptions): Network {
  const { file } = options;
  if (/\.safetensors$/i.test(file)) return networkOf(bytes, file, safetensorsLayers(bytes, options));
  if (!/\.onnx$/i.test(file))
    throw badNetwork('the format of the file is not known', 'give a file whose name ends in .safetensors or .onnx');
  if (options.activation !== undefined || options.outputActivation !== undefined)
    throw badNetwork('an ONNX file says itself which activations it has', 'leave out the activations');
  return networkOf(bytes, file, onnxLayers(bytes));
}
