/**
 * What every mesh goes through before it becomes a `TetrahedralMesh`, wherever it came from: unused nodes are dropped,
 * and tetrahedra that would make integrals wrong without a sign of it are refused by name.
 */
import { host } from '#host';
import { KanegenError } from '../common/error.ts';
import type { TetrahedralMesh } from './mesh.ts';

/** A mesh as it was read: nodes in metres, indices of nodes within range. */
export interface UncheckedMesh {
  readonly source: string;
  readonly nodes: Float64Array;
  readonly tetrahedra: Int32Array;
  /** What the user calls tetrahedron i: `element 12 of body.msh`. */
  readonly nameOf: (tetrahedron: number) => string;
}

/** Volumes below this times (mean edge length)³ count as none: nodes in one plane but for rounding. */
const LEAST_RELATIVE_VOLUME = 1e-12;

export function badMesh(message: string, remedy?: string): KanegenError {
  return new KanegenError('bad-mesh', message, { remedy });
}

/** @throws KanegenError `bad-mesh` for no, repeated, degenerate and inverted tetrahedra. */
export function checkedMesh(mesh: UncheckedMesh): TetrahedralMesh {
  if (mesh.tetrahedra.length === 0)
    throw badMesh(`${mesh.source} has no tetrahedra`, 'mesh the volume (3D), not its surface only');
  refuseNonFinite(mesh);
  refuseRepetitions(mesh);
  refuseDegenerateAndInverted(mesh);
  const { nodes, tetrahedra, places } = withoutUnusedNodes(mesh);
  const listed = mesh.nodes.length / 3;
  return { source: mesh.source, hash: hashOf(nodes, tetrahedra), nodes, tetrahedra, places, listed };
}

function refuseNonFinite({ source, nodes }: UncheckedMesh): void {
  const first = nodes.findIndex((x) => !Number.isFinite(x));
  if (first >= 0) throw badMesh(`node ${Math.floor(first / 3) + 1} of ${source} has a coordinate that is not finite`);
}

function refuseRepetitions({ tetrahedra, nameOf }: UncheckedMesh): void {
  const seen = new Map<string, number>();
  for (let t = 0; t < tetrahedra.length / 4; t++) {
    const corners = Array.from(tetrahedra.subarray(4 * t, 4 * t + 4)).sort((a, b) => a - b);
    if (corners.some((node, i) => i > 0 && node === corners[i - 1]))
      throw badMesh(
        `${nameOf(t)} names the same node twice`,
        'repair the mesh: a tetrahedron has four different nodes',
      );
    const key = corners.join(' ');
    const earlier = seen.get(key);
    if (earlier !== undefined)
      throw badMesh(
        `${nameOf(t)} has the same nodes as ${nameOf(earlier)}, so that this part would count twice`,
        'remove one of the two',
      );
    seen.set(key, t);
  }
}

/** Six times the signed volume, (b − a) × (c − a) · (d − a), and the mean length of the six edges. */
function measure(nodes: Float64Array, corners: Int32Array): { readonly volume: number; readonly edge: number } {
  const at = (corner: number, axis: number): number => nodes[3 * corners[corner]! + axis]!;
  const edge = (from: number, to: number): [number, number, number] => [
    at(to, 0) - at(from, 0),
    at(to, 1) - at(from, 1),
    at(to, 2) - at(from, 2),
  ];
  const [b, c, d] = [edge(0, 1), edge(0, 2), edge(0, 3)];
  const sixfold =
    (b[1] * c[2] - b[2] * c[1]) * d[0] + (b[2] * c[0] - b[0] * c[2]) * d[1] + (b[0] * c[1] - b[1] * c[0]) * d[2];
  const lengths = [b, c, d, edge(1, 2), edge(1, 3), edge(2, 3)].map(([x, y, z]) => Math.sqrt(x * x + y * y + z * z));
  return { volume: sixfold / 6, edge: lengths.reduce((sum, length) => sum + length, 0) / 6 };
}

function refuseDegenerateAndInverted({ nodes, tetrahedra, nameOf }: UncheckedMesh): void {
  const count = tetrahedra.length / 4;
  const inverted: number[] = [];
  const degenerate: number[] = [];
  for (let t = 0; t < count; t++) {
    const { volume, edge } = measure(nodes, tetrahedra.subarray(4 * t, 4 * t + 4));
    if (!(Math.abs(volume) > LEAST_RELATIVE_VOLUME * edge ** 3)) degenerate.push(t);
    else if (volume < 0) inverted.push(t);
  }
  if (degenerate.length > 0)
    throw badMesh(
      `${severalOf(degenerate, nameOf)} ${degenerate.length > 1 ? 'are' : 'is'} degenerate: the four nodes lie in one plane`,
      'remove slivers in the mesh generator (in Gmsh: Tools > Optimize), or merge the nodes',
    );
  if (inverted.length === count)
    throw badMesh(
      `all ${count} tetrahedra are inverted, ${nameOf(0)} first: their nodes are in left-handed order`,
      'export with right-handed order (in Gmsh: Mesh > Reverse mesh), or swap the last two nodes of every tetrahedron; a mirrored geometry needs the same',
    );
  if (inverted.length > 0)
    throw badMesh(
      `${severalOf(inverted, nameOf)} of ${count} ${inverted.length > 1 ? 'are' : 'is'} inverted: negative volume`,
      'such elements overlap their neighbours; mesh again, or swap two of their nodes if only the order is wrong',
    );
}

function severalOf(indices: readonly number[], nameOf: (tetrahedron: number) => string): string {
  const rest = indices.length - 1;
  return rest === 0 ? nameOf(indices[0]!) : `${nameOf(indices[0]!)} and ${rest} other${rest > 1 ? 's' : ''}`;
}

function withoutUnusedNodes({
  nodes,
  tetrahedra,
}: UncheckedMesh): Pick<TetrahedralMesh, 'nodes' | 'tetrahedra' | 'places'> {
  const renumbered = new Int32Array(nodes.length / 3).fill(-1);
  for (const node of tetrahedra) renumbered[node] = 0;
  let used = 0;
  for (let node = 0; node < renumbered.length; node++) if (renumbered[node] === 0) renumbered[node] = used++;
  const kept = new Float64Array(3 * used);
  const places = new Int32Array(used);
  renumbered.forEach((to, from) => {
    if (to < 0) return;
    kept.set(nodes.subarray(3 * from, 3 * from + 3), 3 * to);
    places[to] = from;
  });
  return { nodes: kept, tetrahedra: tetrahedra.map((node) => renumbered[node]!), places };
}

/** Over the little-endian bytes of all coordinates, then of all indices. */
function hashOf(nodes: Float64Array, tetrahedra: Int32Array): string {
  const bytes = new DataView(new ArrayBuffer(8 * nodes.length + 4 * tetrahedra.length));
  nodes.forEach((x, i) => bytes.setFloat64(8 * i, x, true));
  tetrahedra.forEach((node, i) => bytes.setInt32(8 * nodes.length + 4 * i, node, true));
  return host.sha256().update(new Uint8Array(bytes.buffer)).digest('hex');
}
