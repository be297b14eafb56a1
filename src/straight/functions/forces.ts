/**
 * Forces beside inertia and weight of a whole robot, from the terms that its joints and bodies offer: one number per coordinate for
 * every kind of force. They act within a link, so that nothing is carried from one link to another, but for those between frames.
 */
import { compileBodies } from '../../kane/compile.ts';
import type { CoordinateSymbols } from '../../kane/equations/rates.ts';
import { jointForceTerms } from '../../kane/body/coordinate-forces.ts';
import type { ForceKind } from '../../kane/body/force-terms.ts';
import { unrolled } from '../../kane/loops/unroll.ts';
import type { Robot } from '../../description/model/robot.ts';
import { plus, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { bodyBindings } from '../mechanism/specialise.ts';
import { frameForces } from './frame-terms.ts';
import type { FrameTree } from '../mechanism/frame-tree.ts';
import { straightBody } from '../mechanism/straight-body.ts';

/** A term over the robot's symbols. */
export interface RobotForce {
  readonly kind: ForceKind;
  /** Indices into the robot's coordinates. */
  readonly coordinates: readonly number[];
  readonly generalized: readonly Expr[];
  /** Row-major: see `ForceTerm`. */
  readonly matrix: readonly Expr[];
}

/** The terms of all links; sums over points along a rod are written out. */
export function robotForces(robot: Robot, symbols: FrameTree['symbols']): readonly RobotForce[] {
  const bodies = compileBodies(robot);
  const forces: RobotForce[] = [];
  let first = 0;
  for (const { joint, body } of robot.links) {
    const ofJoint = joint.coordinates.map((_, i) => first + i);
    if (joint.forces)
      for (const { kind, generalized, matrix } of jointForceTerms(joint.forces, symbolsAt(symbols, ofJoint)))
        forces.push({ kind, coordinates: ofJoint, generalized, matrix });
    first += joint.coordinates.length;
    if (body.kind === 'rigid') continue;
    const { type, parameters } = body;
    const compiled = bodies.get(type)!;
    const bindings = bodyBindings(type, parameters, compiled.symbols, symbols, first);
    const coordinates = type.coordinates.map((_, i) => first + i);
    for (const { kind, generalized, matrix, loops } of straightBody(compiled).forces()) {
      const values = substitute(unrolled([...generalized, ...matrix], loops), bindings);
      const count = coordinates.length;
      forces.push({ kind, coordinates, generalized: values.slice(0, count), matrix: values.slice(count) });
    }
    first += coordinates.length;
  }
  const generalized = frameForces(robot, symbols);
  // Steps take those between frames as they are at their beginning: no matrix.
  if (generalized) {
    const coordinates = robot.coordinates.map((_, a) => a);
    const matrix = coordinates.flatMap(() => coordinates.map(() => zero));
    forces.push({ kind: 'elastic', coordinates, generalized, matrix });
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

/** All matrices of a kind added up, n × n, row-major: a block per joint and per body. */
export function totalMatrix(forces: readonly RobotForce[], kind: ForceKind, count: number): readonly Expr[] {
  const total: Expr[] = Array.from({ length: count * count }, () => zero);
  for (const { coordinates, matrix } of forces.filter((force) => force.kind === kind))
    coordinates.forEach((row, a) =>
      coordinates.forEach((column, b) => {
        const place = row * count + column;
        total[place] = plus(total[place]!, matrix[a * coordinates.length + b]!);
      }),
    );
  return total;
}
