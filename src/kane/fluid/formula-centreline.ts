/** Centrelines of rods whose material points have positions by formula. */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { isIdenticallyZero } from '../../symbolic/evaluation/identically-zero.ts';
import {
  half,
  minus,
  one,
  pi,
  power,
  sqrt,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  column,
  cross,
  dot,
  fromColumns,
  scaleVector,
  subtractVectors,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { BodyType } from '../../description/model/robot.ts';
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
    points,
    section: axial,
    weight: sums.weight,
    position,
    partials,
    axis,
    sectionAxes() {
      const [d1, d2] = directorsOf(type, point, name).map((d) => vector3(d.map(simplest))) as [Vector3, Vector3];
      const rotation = fromColumns(d1, d2, vector3(cross(d1, d2).map(simplest)));
      const columns = [0, 1, 2].map((i) => column(rotation, i));
      // ω = ½ Σ d × ḋ of orthonormal axes.
      const turn = (variable: Expr): Vector3 => {
        const parts = columns.map((d) => cross(d, vector3(differentiateAll(d, variable))));
        return vector3(scaleVector(half, addVectors(...(parts as [Vector3, ...Vector3[]]))).map(simplest));
      };
      return { rotation, angular: symbols.q.map(turn) };
    },
    axisPartials: symbols.q.map(along),
    velocity,
    axisRate: vector3(timeDerivative(axis, still)),
    bias,
    integrate: (what, stage, integrands) => sums.integrate(what, stage, integrands),
    nearest: (what, stage, measure, others) => sums.nearest(what, stage, measure, others),
    finish: (values) => ({ values, loops: sums.loops() }),
  };
}

/** d1 and d2 of plane and rigid sections, p = r + x d1 + y d2. */
function directorsOf(
  type: BodyType,
  point: (request: PointRequest) => MovingPoint,
  name: string,
): readonly [Vector3, Vector3] {
  const [{ axial, section, coordinates, shape }] = rodVolumes(type);
  const [u, v] = section;
  const at = (x: Expr, y: Expr): Vector3 =>
    point({
      at: new Map<SymbolExpr, Expr>([
        [axial, axial],
        [u, x],
        [v, y],
      ]),
      name,
    }).position;
  if (coordinates === 'cartesian') {
    const across = [symbol('placeholder.x'), symbol('placeholder.y')] as const;
    const position = at(...across);
    return across.map((s) => vector3(differentiateAll(position, s))) as [Vector3, Vector3];
  }
  const scales = shape.shape === 'ellipse' ? [shape.semiAxisX, shape.semiAxisY] : [one, one];
  const centre = at(zero, zero);
  return [zero, times(half, pi)].map((angle, i) => subtractVectors(at(power(scales[i]!, -1), angle), centre)) as [
    Vector3,
    Vector3,
  ];
}

function axisOf(type: BodyType, point: (request: PointRequest) => MovingPoint, name: string, centre: Vector3): Vector3 {
  const [volume] = rodVolumes(type);
  const { kind } = type.kinematics;
  if ((kind === 'strain' || kind === 'pose') && volume.coordinates === 'cartesian') {
    const [d1, d2] = directorsOf(type, point, name);
    return vector3(cross(d1, d2).map(simplest));
  }
  const tangent = vector3(differentiateAll(centre, volume.axial).map(simplest));
  const square = dot(tangent, tangent);
  if (isIdenticallyZero(minus(square, one))) return tangent;
  return scaleVector(power(sqrt(square), -1), tangent);
}
