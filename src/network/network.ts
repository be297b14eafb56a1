/**
 * Learned maps: dense layers with smooth activations, z ↦ y. Read from files by the readers of this folder; evaluated, with
 * derivatives, by loops over constant arrays in generated code.
 */

/** Smooth enough for two derivatives; `identity` for the last layer. */
export type Activation = 'identity' | 'tanh' | 'sine' | 'softplus' | 'silu';

/** y = activation(W x + b) */
export interface DenseLayer {
  readonly inputs: number;
  readonly outputs: number;
  /** outputs × inputs, row-major. */
  readonly weights: Float64Array;
  readonly biases: Float64Array;
  readonly activation: Activation;
}

export interface Network {
  /** Identifier-safe: names the arrays in generated code. */
  readonly name: string;
  /** Where it was read from, without directories, for headers. */
  readonly source: string;
  /** SHA-256 of the file in hexadecimal: part of the identity of a body type. */
  readonly hash: string;
  readonly layers: readonly DenseLayer[];
}
