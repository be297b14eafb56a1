/**
 * The frame that the material carries at one of its points: a distal frame for bodies whose ends deform. Its origin is where
 * the point goes; x along the image of the x direction of the undeformed body, z normal to the image of the x-y plane.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { divide, sqrt, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { cross, dot, fromColumns, mapVector, type Frame, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { MaterialPoint } from './robot.ts';

/**
 * @param position - over the material coordinates.
 * @param axes - the Cartesian coordinates of the undeformed body.
 * @param point - missing coordinates are zero.
 */
export function materialFrame(position: Vector3, axes: readonly SymbolExpr[], point: MaterialPoint): Frame {
  const there = new Map<Expr, Expr>(axes.map((axis) => [axis, point.get(axis) ?? zero]));
  const at = (v: readonly Expr[]): Vector3 => substitute(v, there) as unknown as Vector3;
  const along = (axis: SymbolExpr): Vector3 => at(differentiateAll(position, axis));
  const x = unit(along(axes[0]!));
  const z = unit(cross(x, along(axes[1]!)));
  return { rotation: fromColumns(x, cross(z, x), z), translation: at(position) };
}

function unit(v: Vector3): Vector3 {
  const length = sqrt(dot(v, v));
  return mapVector(v, (e) => divide(e, length));
}
