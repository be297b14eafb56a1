/**
 * Networks as formulas: every neuron an expression. For decisions of the compiler that need integrands as expressions, and
 * as what numeric evaluation is checked against; generated code loops over arrays instead.
 */
import { call, decimal, negate, one, plus, power, times, type Expr } from '../symbolic/graph/expr.ts';
import type { Activation, Network } from './network.ts';

/** @returns the outputs, over whatever the inputs are over. */
export function networkFormula({ layers }: Network, inputs: readonly Expr[]): readonly Expr[] {
  let values = inputs;
  for (const layer of layers) {
    const before = values;
    values = Array.from(layer.biases, (bias, i) => {
      const weights = layer.weights.subarray(i * layer.inputs, (i + 1) * layer.inputs);
      return activated(
        layer.activation,
        plus(decimal(bias), ...before.map((value, j) => times(decimal(weights[j]!), value))),
      );
    });
  }
  return values;
}

function activated(activation: Activation, u: Expr): Expr {
  switch (activation) {
    case 'identity':
      return u;
    case 'tanh':
      return call('tanh', u);
    case 'sine':
      return call('sin', u);
    case 'softplus':
      return call('log', plus(one, call('exp', u)));
    case 'silu':
      return times(u, power(plus(one, call('exp', negate(u))), -1));
  }
}
