/** What one call of inverse dynamics costs, as the compiler counts it, and a rough idea of the time that takes. */
import type { Robot } from '../description/robot.ts';
import { compileBodies } from '../kane/compile.ts';
import type { CompiledRobot } from '../kane/link-type.ts';
import { operationsByKernel } from './explain.ts';

export interface CallCost {
  /** Points and steps along rods, of all links together. */
  readonly points: number;
  /** Of all links, before code generation shares and factors them. */
  readonly operations: number;
  /** An estimate for C in double precision on a desktop processor. */
  readonly microseconds: number;
}

/** Operations in a nanosecond, about. */
const PER_NANOSECOND = 1;

export function callCost(robot: Robot, compiled: CompiledRobot): CallCost {
  const bodies = compileBodies(robot);
  let points = 0;
  for (const { body } of robot.links) if (body.kind === 'deformable') points += bodies.get(body.type)!.chosen.cost.rows;
  const perType = new Map(
    compiled.types.map((type) => {
      const { forward = 0, backward = 0 } = operationsByKernel(type);
      return [type, forward + backward];
    }),
  );
  const operations = compiled.links.reduce((sum, link) => sum + perType.get(link.type)!, 0);
  return { points, operations, microseconds: operations / (1000 * PER_NANOSECOND) };
}

/** `inverse dynamics: 72 points, 28,554 operations, about 29 µs a call in C (estimated)` */
export function callCostText({ points, operations, microseconds }: CallCost): string {
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  const time = microseconds < 0.1 ? 'less than 0.1' : `about ${Number(microseconds.toPrecision(2))}`;
  const summed = points > 0 ? `${whole(points)} points, ` : '';
  return `inverse dynamics: ${summed}${whole(operations)} operations, ${time} µs a call in C (estimated)`;
}
