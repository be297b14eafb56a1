/** A coordinate of a joint or a body as a link has it, with the symbols of its rate and acceleration. */
import { rateOf, type BodyCoordinate, type Quantity } from '../../description/model/robot.ts';
import { symbol } from '../../symbolic/graph/expr.ts';
import type { LinkCoordinate } from '../kernels/link-type.ts';

export function linkCoordinate(c: Quantity | BodyCoordinate): LinkCoordinate {
  return {
    name: c.name,
    symbol: c.symbol,
    rate: rateOf(c.symbol),
    acceleration: symbol(`acceleration.${c.symbol.name}`),
    unit: c.unit,
    summary: c.summary ?? '',
  };
}
