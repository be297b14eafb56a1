/** Fields that are linear in every tetrahedron of a mesh: f = f_0 + g · X with numbers of the tetrahedron. */
import { host } from '#host';
import { plus, symbol, times, type Expr, type SymbolExpr } from '../symbolic/graph/expr.ts';
import type { TetrahedralMesh } from './mesh.ts';

/** Share of a tetrahedron by which a point may lie beside it and count as within. */
const SLACK = 1e-7;

type Point = readonly [number, number, number];

/** Rows of the barycentric coordinates of a tetrahedron: λ_i = c_i + g_i · X, four numbers each, constant first. */
function barycentric({ nodes, tetrahedra }: TetrahedralMesh, t: number): readonly (readonly number[])[] {
  const corners = [0, 1, 2, 3].map((i) => {
    const node = tetrahedra[4 * t + i]!;
    return [nodes[3 * node]!, nodes[3 * node + 1]!, nodes[3 * node + 2]!] as const;
  });
  return corners.map((own, i) => {
    // The face across from this corner: λ = n · (X − a) / n · (own − a).
    const [a, b, c] = corners.filter((_, k) => k !== i) as [Point, Point, Point];
    const [u, v] = [b, c].map((p) => p.map((x, k) => x - a[k]!)) as [number[], number[]];
    const normal = [0, 1, 2].map((k) => u[(k + 1) % 3]! * v[(k + 2) % 3]! - u[(k + 2) % 3]! * v[(k + 1) % 3]!);
    const height = normal.reduce((sum, n, k) => sum + n * (own[k]! - a[k]!), 0);
    const slopes = normal.map((n) => n / height);
    return [-slopes.reduce((sum, g, k) => sum + g * a[k]!, 0), ...slopes];
  });
}

/**
 * @param fields one number per node each.
 * @returns four numbers per field, f_0 and g, for one tetrahedron after the other.
 */
function elementFields(mesh: TetrahedralMesh, fields: readonly Float64Array[]): Float64Array {
  const count = mesh.tetrahedra.length / 4;
  const rows = new Float64Array(4 * fields.length * count);
  for (let t = 0; t < count; t++) {
    const shares = barycentric(mesh, t);
    fields.forEach((field, f) => {
      const at = 4 * (fields.length * t + f);
      shares.forEach((share, i) => {
        const value = field[mesh.tetrahedra[4 * t + i]!]!;
        for (let k = 0; k < 4; k++) rows[at + k] = rows[at + k]! + value * share[k]!;
      });
    });
  }
  return rows;
}

/** The tetrahedron that has a point, the one that has it deepest where several do; undefined outside of the mesh. */
export function tetrahedronAt(mesh: TetrahedralMesh, point: Point): number | undefined {
  let [best, depth] = [-1, -SLACK];
  for (let t = 0; t < mesh.tetrahedra.length / 4; t++) {
    const least = Math.min(
      ...barycentric(mesh, t).map(([c, x, y, z]) => c! + x! * point[0] + y! * point[1] + z! * point[2]),
    );
    if (least > depth) [best, depth] = [t, least];
  }
  return best < 0 ? undefined : best;
}

/** Fields as formulas of the coordinates of a mesh, over symbols whose numbers differ from tetrahedron to tetrahedron. */
export interface MeshFields {
  /** Of all numbers: part of the identity of a body type. */
  readonly hash: string;
  /** f_0, g_x, g_y, g_z of every field. */
  readonly symbols: readonly SymbolExpr[];
  /** One number per symbol, for one tetrahedron after the other. */
  readonly rows: Float64Array;
  /** f_0 + g · X of every field. */
  readonly formulas: readonly Expr[];
}

/**
 * @param axes symbols of the coordinates of the mesh.
 * @param fields one number per node each, by names that are identifiers.
 */
export function meshFields(
  mesh: TetrahedralMesh,
  axes: readonly SymbolExpr[],
  fields: ReadonlyMap<string, Float64Array>,
): MeshFields {
  const symbols = [...fields.keys()].map((name) =>
    ['', '_by_x', '_by_y', '_by_z'].map((ending) => symbol(`mesh.${name}${ending}`)),
  );
  const rows = elementFields(mesh, [...fields.values()]);
  const hash = host.sha256().update(new Uint8Array(rows.buffer)).digest('hex');
  const formulas = symbols.map(([value, ...slopes]) =>
    plus(value!, ...slopes.map((slope, k) => times(slope, axes[k]!))),
  );
  return { hash, symbols: symbols.flat(), rows, formulas };
}

/** Columns of the symbols. @param tetrahedra one per row. */
export function fieldColumns(
  fields: MeshFields | undefined,
  tetrahedra: readonly number[],
): ReadonlyMap<SymbolExpr, Float64Array> {
  const { symbols = [], rows = [] } = fields ?? {};
  return new Map(
    symbols.map((own, k) => [own, Float64Array.from(tetrahedra, (t) => rows[symbols.length * t + k]!)] as const),
  );
}
