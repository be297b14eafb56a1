/** Points of meshes with modes: the numbers that modes have in their tetrahedra. */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { rational, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { mapTuple } from '../../common/tuples.ts';
import { tetrahedronAt } from '../../mesh/element-fields.ts';
import type { MaterialPoint, Volume } from '../model/reference-volume.ts';
import type { Place } from '../source/source.ts';

/**
 * The point with the numbers of its tetrahedron; as it is where the volume has no modes.
 * @throws KanegenError `wrong-value` outside of the mesh, `wrong-variable` where the point is no number.
 */
export function withinMesh(place: Place, volume: Volume, point: MaterialPoint): MaterialPoint {
  if (volume.kind !== 'mesh' || !volume.fields) return point;
  const { axes, mesh, fields } = volume;
  const coordinates = mapTuple(axes, (axis) => point.get(axis) ?? zero);
  const [named] = freeSymbols(coordinates);
  if (named)
    throw place.error(
      'wrong-variable',
      `\`${named.name.replace(/^.*\./, '')}\` is not allowed here: a point of a body with modes is found in its mesh when the file is read`,
      'write numbers with units, such as `{ x: 0.3 m, y: 0, z: 0 }`',
    );
  const numbers = evaluate(coordinates, new Map<Expr, number>()) as [number, number, number];
  const t = tetrahedronAt(mesh, numbers);
  if (t === undefined)
    throw place.error(
      'wrong-value',
      `the mesh ${mesh.source} does not reach this point`,
      'write a point of the body, in the axes of the mesh',
    );
  const { symbols, rows } = fields;
  // Binary values: exact products of many decimals would have far longer denominators.
  const exact = (value: number): Expr => rational(Rational.fromDouble(value));
  const own = symbols.map((s, k): [SymbolExpr, Expr] => [s, exact(rows[symbols.length * t + k]!)]);
  return new Map<SymbolExpr, Expr>([...axes.map((axis, k) => [axis, exact(numbers[k]!)] as const), ...own]);
}
