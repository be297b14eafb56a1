/**
 * Forces beside inertia and weight of a whole robot, from the terms that its joints and bodies offer: one number per coordinate for
 * every kind of force. They act within a link, so that nothing is carried from one link to another.
 */
import { compileBodies } from '../kane/compile.ts';
import { closedFormOf } from '../kane/compile-body.ts';
import type { CoordinateSymbols } from '../kane/equations/rates.ts';
import { jointForceTerms } from '../kane/link/coordinate-forces.ts';
import type { ForceKind } from '../kane/link/force-terms.ts';
import { unrolled } from '../kane/loops/unroll.ts';
import type { Robot } from '../description/model/robot.ts';
import { plus, zero, type Expr } from '../symbolic/expr.ts';
import { substitute } from '../symbolic/traverse.ts';
import { bodyBindings } from './specialise.ts';
import type { FrameTree } from './frame-tree.ts';

/** A term over the robot's symbols. */
export interface RobotForce {
  readonly kind: ForceKind;
  /** Indices into the robot's coordinates. */
  readonly coordinates: readonly number[];
  readonly generalized: readonly Expr[];
}

/** The terms of all links; sums over points along a rod are written out. */
export function robotForces(robot: Robot, symbols: FrameTree['symbols']): readonly RobotForce[] {
  const bodies = compileBodies(robot);
  const forces: RobotForce[] = [];
  let first = 0;
  for (const { joint, body } of robot.links) {
    const ofJoint = joint.coordinates.map((_, i) => first + i);
    if (joint.forces)
      for (const { kind, generalized } of jointForceTerms(joint.forces, symbolsAt(symbols, ofJoint)))
        forces.push({ kind, coordinates: ofJoint, generalized });
    first += joint.coordinates.length;
    if (body.kind === 'rigid') continue;
    const { type, parameters } = body;
    const compiled = bodies.get(type)!;
    const bindings = bodyBindings(type, parameters, compiled.symbols, symbols, first);
    const coordinates = type.coordinates.map((_, i) => first + i);
    for (const { kind, generalized, loops } of closedFormOf(compiled, 'a straight-line function').forces())
      forces.push({ kind, coordinates, generalized: substitute(unrolled(generalized, loops), bindings) });
    first += coordinates.length;
  }
  return forces;
}

function symbolsAt({ q, qd, qdd }: FrameTree['symbols'], indices: readonly number[]): CoordinateSymbols {
  const of = (list: readonly Expr[]): Expr[] => indices.map((i) => list[i]!);
  return { q: of(q), qd: of(qd), qdd: of(qdd) };
}

/** All forces of a kind added up, one per coordinate of the robot. */
export function totalForces(forces: readonly RobotForce[], kind: ForceKind, count: number): readonly Expr[] {
  const total: Expr[] = Array.from({ length: count }, () => zero);
  for (const { coordinates, generalized } of forces.filter((force) => force.kind === kind))
    coordinates.forEach((a, i) => (total[a] = plus(total[a]!, generalized[i]!)));
  return total;
}
