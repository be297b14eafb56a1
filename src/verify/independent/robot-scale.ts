/** How long and how heavy a robot is: the scales that positions and energies are compared on. */
import type { Decimal } from 'decimal.js';
import type { Robot } from '../../description/model/robot.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import { decimalColumn, type Column } from '../arithmetic/columns.ts';
import { sampleMaterial } from '../written/material-points.ts';
import { extentOf } from './point-body.ts';

/** Of symmetric matrices: xx, yy, zz. */
const DIAGONAL = [0, 1, 2] as const;

const Rough = decimalOfPrecision(20);

export interface RobotScale {
  /** Sum of the lengths of all links with their offsets, m; at least the reach. Of points alone 1 m. */
  readonly length: number;
  /** Mass · |gravity| · length, J. */
  readonly energy: number;
}

/** With the default values of run-time parameters. */
export function robotScale(robot: Robot): RobotScale {
  const bindings = new Map<Expr, Decimal>();
  for (const p of robot.parameters) bindings.set(p.symbol, evaluateDecimal([p.value], new Map(), Rough)[0]!);
  const norm = (v: Vector3): number => Rough.hypot(...evaluateDecimal(v, bindings, Rough)).toNumber();
  const numbersOf = (values: readonly Expr[]): number[] =>
    evaluateDecimal(values, bindings, Rough).map((x) => x.toNumber());
  let length =
    norm(robot.base.translation) + norm(robot.frames[robot.tip]?.offset.translation ?? robot.base.translation);
  let mass = 0;
  for (const { offset, mount, body } of robot.links) {
    length += norm(offset.translation) + norm(mount.translation);
    if (body.kind === 'rigid') {
      const [own, ...moments] = numbersOf([body.mass, ...DIAGONAL.map((i) => body.inertia[i])]);
      const gyration = own! > 0 ? Math.sqrt(Math.abs(moments.reduce((sum, x) => sum + x, 0)) / (2 * own!)) : 0;
      length += Math.max(norm(body.distal.translation), norm(body.centreOfMass), gyration);
      mass += Math.abs(own!);
      continue;
    }
    const { extent, bodyMass } = roughly(body, bindings);
    length += extent;
    mass += bodyMass;
  }
  length ||= 1;
  return { length, energy: mass * Math.hypot(...robot.gravity) * length };
}

/** Largest extent and mass of a deformable body at rest. */
function roughly(
  { type, parameters }: Extract<Robot['links'][number]['body'], { kind: 'deformable' }>,
  robot: ReadonlyMap<Expr, Decimal>,
): { extent: number; bodyMass: number } {
  const values = evaluateDecimal(parameters, robot, Rough);
  const scalars = new Map<Expr, Column>(type.parameters.map((p, i) => [p.symbol, decimalColumn([values[i]!])]));
  const fineness = { count: 3, graded: false };
  const order = { count: 1, graded: false };
  const masses = type.volumes.map((volume) => {
    const rule = volume.kind === 'mesh' ? ([order, order, order] as const) : ([fineness, fineness, fineness] as const);
    return sampleMaterial({ volume, formulas: [], scalars, fineness: rule }).masses.reduce((a, b) => a + b, 0);
  });
  return {
    extent: Math.max(...type.volumes.map((volume) => extentOf(volume, scalars))),
    bodyMass: masses.reduce((a, b) => a + b, 0),
  };
}
