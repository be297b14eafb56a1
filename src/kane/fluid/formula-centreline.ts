/** Centrelines of rods whose material points have positions by formula. */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { isIdenticallyZero } from '../../symbolic/evaluation/identically-zero.ts';
import { minus, one, power, sqrt, symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { cross, dot, scaleVector, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { cartesianSection } from '../kinematics/distal-frame.ts';
import { simplest, timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';
import type { Centreline, CentrelineRequest } from '../body/centreline.ts';
import type { MovingPoint, PointRequest } from '../body/moving-point.ts';
import { panelEnds } from '../rod-points/rod-points.ts';
import { rodVolumes } from '../rods/rod-section.ts';
import { SectionSums } from '../rod-points/section-sums.ts';

/** Enough for the formulas of the library at their limits, to rounding. */
const POINTS = 16;

/** @param point of the body at given material coordinates, without loops. */
export function formulaCentreline(
  type: BodyType,
  symbols: CoordinateSymbols,
  point: (request: PointRequest) => MovingPoint,
  { name, points = POINTS, moving }: CentrelineRequest,
): Centreline {
  const [volume] = rodVolumes(type);
  const { axial } = volume;
  const { position, partials, velocity, bias, loops } = point({ at: new Map([[axial, axial]]), name });
  if (loops.length > 0) throw new Error('a centreline by formula has no loops');
  const axis = axisOf(type, point, name, position);
  const still = { ...symbols, qdd: symbols.q.map(() => zero) };
  const along = (variable: Expr): Vector3 => vector3(differentiateAll(axis, variable).map(simplest));
  const all = new Set<Expr>([...moving, ...symbols.q, ...symbols.qd, ...symbols.qdd]);
  if (symbols.time) all.add(symbols.time);
  const sums = new SectionSums({ name, axial, ends: panelEnds(type, volume), points, moving: all });
  return {
    method: `Gauss-Legendre rule of ${points} points`,
    section: axial,
    position,
    partials,
    axis,
    axisPartials: symbols.q.map(along),
    velocity,
    axisRate: vector3(timeDerivative(axis, still)),
    bias,
    integrate: (what, stage, integrands) => sums.integrate(what, stage, integrands),
    finish: (values) => ({ values, loops: sums.loops() }),
  };
}

function axisOf(type: BodyType, point: (request: PointRequest) => MovingPoint, name: string, centre: Vector3): Vector3 {
  const [volume] = rodVolumes(type);
  const { kind } = type.kinematics;
  if (kind === 'strain' || kind === 'pose') {
    // Sections are plane and rigid: p = r + x d1 + y d2, with Cartesian coordinates of the section.
    const across = [symbol('placeholder.x'), symbol('placeholder.y')] as const;
    const cartesian = { ...volume, coordinates: 'cartesian' } as const;
    const at = new Map<typeof volume.axial, Expr>([[volume.axial, volume.axial]]);
    const [x, y] = cartesianSection(cartesian, [across[0], across[1]]);
    if (volume.coordinates === 'cartesian') {
      at.set(volume.section[0], x);
      at.set(volume.section[1], y);
      const { position } = point({ at, name });
      const [d1, d2] = across.map((s) => vector3(differentiateAll(position, s))) as [Vector3, Vector3];
      return vector3(cross(d1, d2).map(simplest));
    }
  }
  const tangent = vector3(differentiateAll(centre, volume.axial).map(simplest));
  const square = dot(tangent, tangent);
  if (isIdenticallyZero(minus(square, one))) return tangent;
  return scaleVector(power(sqrt(square), -1), tangent);
}
