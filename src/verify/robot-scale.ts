/** How long and how heavy a robot is: the scales that positions and energies are compared on. */
import type { Decimal } from 'decimal.js';
import { rodOf, type Robot } from '../description/robot.ts';
import { decimalOfPrecision, evaluateDecimal } from '../symbolic/evaluate.ts';
import type { Expr } from '../symbolic/expr.ts';
import type { Vector3 } from '../symbolic/vector.ts';
import { sampleBody } from './local-kinematics.ts';

const Rough = decimalOfPrecision(20);

export interface RobotScale {
  /** Sum of the lengths of all links with their offsets, m; at least the reach. */
  readonly length: number;
  /** Mass · |gravity| · length, J. */
  readonly energy: number;
}

/** With the default values of run-time parameters. */
export function robotScale(robot: Robot): RobotScale {
  const bindings = new Map<Expr, Decimal>();
  for (const p of robot.parameters) bindings.set(p.symbol, evaluateDecimal([p.value], new Map(), Rough)[0]!);
  const norm = (v: Vector3): number => Rough.hypot(...evaluateDecimal(v, bindings, Rough)).toNumber();
  let length =
    norm(robot.base.translation) + norm(robot.frames[robot.tip]?.offset.translation ?? robot.base.translation);
  let mass = 0;
  for (const { offset, mount, body } of robot.links) {
    length += norm(offset.translation) + norm(mount.translation);
    if (body.kind === 'rigid') {
      length += norm(body.distal.translation);
      mass += Math.abs(evaluateDecimal([body.mass], bindings, Rough)[0]!.toNumber());
      continue;
    }
    length += rodLength(body, bindings);
    mass += sampleBody(body, bindings, 1e-6, Rough).masses.reduce((sum, m) => sum + m.toNumber(), 0);
  }
  return { length, energy: mass * Math.hypot(...robot.gravity) * length };
}

function rodLength(
  { type, parameters }: Extract<Robot['links'][number]['body'], { kind: 'deformable' }>,
  robot: ReadonlyMap<Expr, Decimal>,
): number {
  const values = evaluateDecimal(parameters, robot, Rough);
  const bound = new Map<Expr, Decimal>(type.parameters.map((p, i) => [p.symbol, values[i]!]));
  const rod = rodOf(type);
  const [start, end] = evaluateDecimal([rod.start, rod.end], bound, Rough) as [Decimal, Decimal];
  return end.minus(start).abs().toNumber();
}
