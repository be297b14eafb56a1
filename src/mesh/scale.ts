/** Lengths of a mesh into metres, rounded as few times as possible. */
import { type Rational } from '../symbolic/graph/rational.ts';

/** Multiplies every coordinate, in place: 26 mm become 0.026 m, not 0.026000000000000002 m. */
export function scaleCoordinates(nodes: Float64Array, { numerator, denominator }: Rational): void {
  const [above, below] = [Number(numerator), Number(denominator)];
  for (let i = 0; i < nodes.length; i++) nodes[i] = (nodes[i]! * above) / below;
}
