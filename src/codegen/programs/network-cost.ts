/** What evaluating a learned map with its derivatives costs. */
import type { NetworkCall } from '../../kane/loops/loop.ts';
import type { Activation } from '../../network/network.ts';
import type { OperationCounts } from './statement.ts';

/** Value, derivative along each direction, second derivative: what every layer computes. */
export function channelsOf({ directions, second }: Pick<NetworkCall, 'directions' | 'second'>): number {
  return 1 + directions.length + (second ? 1 : 0);
}

/** Operations of an activation with its two derivatives, per output. */
const ACTIVATION_COST: Readonly<Record<Activation, { add: number; multiply: number; divide: number; call: number }>> = {
  identity: { add: 0, multiply: 0, divide: 0, call: 0 },
  tanh: { add: 1, multiply: 3, divide: 0, call: 1 },
  sine: { add: 0, multiply: 0, divide: 0, call: 2 },
  softplus: { add: 2, multiply: 2, divide: 1, call: 2 },
  silu: { add: 4, multiply: 6, divide: 1, call: 1 },
};

export function networkOperations(call: NetworkCall): OperationCounts {
  const total = { add: 0, multiply: 0, divide: 0, call: 0 };
  const directions = call.directions.length;
  call.network.layers.forEach(({ inputs, outputs, activation }, l) => {
    // The inputs have no second derivative along a direction.
    const products = (l === 0 ? 1 + directions : channelsOf(call)) * inputs * outputs;
    const own = ACTIVATION_COST[activation];
    const chain = activation === 'identity' ? 0 : outputs;
    total.add += products + outputs * own.add + (call.second ? chain : 0);
    total.multiply += products + outputs * own.multiply + chain * (directions + (call.second ? 3 : 0));
    total.divide += outputs * own.divide;
    total.call += outputs * own.call;
  });
  return { ...total, sqrt: 0, stumpff: [], loops: [] };
}
