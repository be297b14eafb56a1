/**
 * The frame that the material carries at one of its points: a distal frame for bodies whose ends deform. Its origin is where
 * the point goes; x along the image of the x direction of the undeformed body, z normal to the image of the x-y plane.
 */
import { differentiate, differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { divide, half, pi, sqrt, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import {
  cross,
  dot,
  fromColumns,
  mapVector,
  scaleVector,
  subtractVectors,
  type Frame,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import { fieldSymbols, type MaterialPoint, type RodVolume, type Volume } from './reference-volume.ts';

/**
 * @param position - over the material coordinates.
 * @param cartesian - Cartesian coordinates of the undeformed body, which may be formulas in polar ones.
 * @param volume - whose material coordinates these are.
 * @param point - missing coordinates are zero.
 */
export function materialFrame(position: Vector3, cartesian: Vector3, volume: Volume, point: MaterialPoint): Frame {
  const coordinates = volume.kind === 'rod' ? [...volume.section, volume.axial] : volume.axes;
  const symbols = [...coordinates, ...fieldSymbols(volume)];
  const there = new Map<Expr, Expr>(symbols.map((s) => [s, point.get(s) ?? zero]));
  const at = (v: readonly Expr[], places: ReadonlyMap<Expr, Expr> = there): Vector3 => vector3(substitute(v, places));
  const [alongX, alongY] =
    volume.kind === 'rod' && volume.coordinates === 'polar'
      ? alongPolar(position, cartesian, volume, there, at)
      : [0, 1].map((k) => at(along(position, cartesian[k] as SymbolExpr)));
  const x = unit(alongX!);
  const z = unit(cross(x, alongY!));
  return { rotation: fromColumns(x, cross(z, x), z), translation: at(position) };
}

const along = (v: readonly Expr[], s: SymbolExpr): Vector3 => vector3(differentiateAll(v, s));

/**
 * Images of x and y up to their lengths: with ξ = (r, φ) ∂p/∂x ~ p_r y_φ − p_φ y_r and ∂p/∂y ~ p_φ x_r − p_r x_φ; on the axis, where both
 * vanish, p_r at φ = 0 and at a quarter turn.
 */
function alongPolar(
  position: Vector3,
  [x, y]: Vector3,
  { section: [r, phi] }: RodVolume,
  there: ReadonlyMap<Expr, Expr>,
  at: (v: readonly Expr[], places?: ReadonlyMap<Expr, Expr>) => Vector3,
): readonly Vector3[] {
  const byRadius = along(position, r);
  if (there.get(r) === zero)
    return [zero, times(half, pi)].map((angle) => at(byRadius, new Map<Expr, Expr>([...there, [phi, angle]])));
  const byAngle = along(position, phi);
  const [[xr, xa], [yr, ya]] = [x, y].map((e) => [r, phi].map((s) => differentiate(e, s))) as [
    [Expr, Expr],
    [Expr, Expr],
  ];
  return [
    at(subtractVectors(scaleVector(ya, byRadius), scaleVector(yr, byAngle))),
    at(subtractVectors(scaleVector(xr, byAngle), scaleVector(xa, byRadius))),
  ];
}

function unit(v: Vector3): Vector3 {
  const length = sqrt(dot(v, v));
  return mapVector(v, (e) => divide(e, length));
}
