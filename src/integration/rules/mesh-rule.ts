/** Quadrature over tetrahedral meshes: the same rule in every tetrahedron. */
import { symbol, times, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { substituteOne } from '../../symbolic/graph/traverse.ts';
import { fieldColumns, type MeshFields } from '../../mesh/element-fields.ts';
import type { TetrahedralMesh } from '../../mesh/mesh.ts';
import type { PointRule } from './point-rule.ts';
import { tetrahedronRule } from './tetrahedron-rules.ts';

/** What a rule needs to know of a volume given as a mesh. */
export interface MeshDomain {
  readonly axes: readonly [SymbolExpr, SymbolExpr, SymbolExpr];
  readonly mesh: TetrahedralMesh;
  readonly density: Expr;
  readonly fields?: MeshFields;
}

/** Columns of every rule over a mesh: the point in metres and its share of the volume in m³. */
export const MESH_COLUMNS = {
  x: symbol('row.x'),
  y: symbol('row.y'),
  z: symbol('row.z'),
  weight: symbol('row.weight'),
} as const;

/**
 * @param degree polynomials up to this total degree are integrated exactly over the mesh; at least 2, so that the inertia
 * of the undeformed body is exact.
 */
export function meshRule(volume: MeshDomain, degree: number): PointRule {
  const { nodes, tetrahedra } = volume.mesh;
  const rule = tetrahedronRule(Math.max(2, degree));
  const count = tetrahedra.length / 4;
  const rows = count * rule.points.length;
  const [x, y, z, weight] = [0, 1, 2, 3].map(() => new Array<number>(rows).fill(0)) as [
    number[],
    number[],
    number[],
    number[],
  ];
  let row = 0;
  for (let t = 0; t < count; t++) {
    const frame = cornerFrame(nodes, tetrahedra.subarray(4 * t, 4 * t + 4));
    for (const point of rule.points) {
      [x, y, z].forEach((column, axis) => {
        const [b, c, d] = point.shares;
        const [edgeB, edgeC, edgeD] = frame.edges;
        column[row] = frame.origin[axis]! + b * edgeB[axis]! + c * edgeC[axis]! + d * edgeD[axis]!;
      });
      weight[row++] = point.weight * frame.volume;
    }
  }
  const ofRows = Array.from({ length: rows }, (_, k) => Math.floor(k / rule.points.length));
  const fields = [...fieldColumns(volume.fields, ofRows)].map(([own, values]) => ({
    own,
    column: { symbol: symbol(own.name.replace('mesh.', 'row.')), values: Array.from(values) },
  }));
  const toColumns = new Map<Expr, Expr>([
    [volume.axes[0], MESH_COLUMNS.x],
    [volume.axes[1], MESH_COLUMNS.y],
    [volume.axes[2], MESH_COLUMNS.z],
    ...fields.map(({ own, column }) => [own, column.symbol] as const),
  ]);
  return {
    description: `${count} tetrahedra of ${volume.mesh.source} × ${rule.points.length} points of degree ${rule.degree}`,
    rows,
    columns: [
      { symbol: MESH_COLUMNS.x, values: x },
      { symbol: MESH_COLUMNS.y, values: y },
      { symbol: MESH_COLUMNS.z, values: z },
      { symbol: MESH_COLUMNS.weight, values: weight },
      ...fields.map(({ column }) => column),
    ],
    material: toColumns as ReadonlyMap<SymbolExpr, Expr>,
    mass: times(MESH_COLUMNS.weight, substituteOne(volume.density, toColumns)),
  };
}

type Coordinates = readonly [number, number, number];

interface CornerFrame {
  readonly origin: Coordinates;
  readonly edges: readonly [Coordinates, Coordinates, Coordinates];
  readonly volume: number;
}

function cornerFrame(nodes: Float64Array, corners: Int32Array): CornerFrame {
  const at = (corner: number): Coordinates => {
    const first = 3 * corners[corner]!;
    return [nodes[first]!, nodes[first + 1]!, nodes[first + 2]!];
  };
  const origin = at(0);
  const edge = (corner: number): Coordinates => {
    const [px, py, pz] = at(corner);
    return [px - origin[0], py - origin[1], pz - origin[2]];
  };
  const edges = [edge(1), edge(2), edge(3)] as const;
  const [b, c, d] = edges;
  const sixfold =
    (b[1] * c[2] - b[2] * c[1]) * d[0] + (b[2] * c[0] - b[0] * c[2]) * d[1] + (b[0] * c[1] - b[1] * c[0]) * d[2];
  return { origin, edges, volume: sixfold / 6 };
}
