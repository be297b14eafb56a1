import { networkChannels, type NetworkCall } from '../../kane/loops/network-call.ts';
import type { Activation } from '../../network/network.ts';
import type { OperationCounts } from '../operations/operation-counts.ts';

/** Operations of an activation with its two derivatives, per output. */
const ACTIVATION_COST: Readonly<Record<Activation, { add: number; multiply: number; divide: number; call: number }>> = {
  identity: { add: 0, multiply: 0, divide: 0, call: 0 },
  tanh: { add: 1, multiply: 3, divide: 0, call: 1 },
  sine: { add: 0, multiply: 0, divide: 0, call: 2 },
  softplus: { add: 2, multiply: 2, divide: 1, call: 2 },
  silu: { add: 4, multiply: 6, divide: 1, call: 1 },
};

/** Operations of the third derivative of an activation, per output. */
const THIRD_COST: Readonly<Record<Activation, { add: number; multiply: number }>> = {
  identity: { add: 0, multiply: 0 },
  tanh: { add: 1, multiply: 3 },
  sine: { add: 0, multiply: 0 },
  softplus: { add: 1, multiply: 1 },
  silu: { add: 2, multiply: 4 },
};

export function networkOperations(call: NetworkCall): OperationCounts {
  const total = { add: 0, multiply: 0, divide: 0, call: 0 };
  const directions = call.directions.length;
  const copies = call.change ? 2 : 1;
  call.network.layers.forEach(({ inputs, outputs, activation }, l) => {
    // The inputs have no second derivative along a direction.
    const products = (l === 0 ? (1 + directions) * copies : networkChannels(call)) * inputs * outputs;
    const own = ACTIVATION_COST[activation];
    const chain = activation === 'identity' ? 0 : outputs;
    total.add += products + outputs * own.add + (call.second ? chain : 0);
    total.multiply += products + outputs * own.multiply + chain * (directions + (call.second ? 3 : 0));
    if (call.transpose) {
      // The way back: transposed weights, then the activation again with its third derivative.
      total.add +=
        products + chain * (directions + (call.second ? 3 : 0)) + outputs * (own.add + THIRD_COST[activation].add);
      total.multiply +=
        products +
        chain * (1 + 3 * directions + (call.second ? 8 : 0)) +
        outputs * (own.multiply + THIRD_COST[activation].multiply);
      total.divide += outputs * own.divide;
      total.call += outputs * own.call;
    }
    if (call.change) {
      total.add += chain * (directions + (call.second ? 3 : 0)) + outputs * THIRD_COST[activation].add;
      total.multiply +=
        chain * (2 + 2 * directions + (call.second ? 7 : 0)) + outputs * THIRD_COST[activation].multiply;
    }
    total.divide += outputs * own.divide;
    total.call += outputs * own.call;
  });
  return { ...total, sqrt: 0, stumpff: [], loops: [] };
}
