/** Meshes written as arrays in a robot file. */
import { ONE, type Rational } from '../symbolic/graph/rational.ts';
import { badMesh, checkedMesh } from './check.ts';
import type { TetrahedralMesh } from './mesh.ts';
import { scaleCoordinates } from './scale.ts';

export interface InlineMesh {
  /** x, y, z of every node. */
  readonly nodes: readonly (readonly number[])[];
  /** Four indices of nodes each, from 0. */
  readonly tetrahedra: readonly (readonly number[])[];
}

/**
 * @param scale metres per unit of the coordinates.
 * @throws KanegenError `bad-mesh` naming the row of the arrays.
 */
export function readInlineMesh(arrays: InlineMesh, scale: Rational = ONE): TetrahedralMesh {
  arrays.nodes.forEach((node, i) => {
    if (node.length !== 3 || !node.every(Number.isFinite))
      throw badMesh(`nodes[${i}] is not three finite numbers`, 'write [x, y, z]');
  });
  const count = arrays.nodes.length;
  arrays.tetrahedra.forEach((corners, i) => {
    if (corners.length !== 4) throw badMesh(`tetrahedra[${i}] has ${corners.length} entries`, 'write [a, b, c, d]');
    const outside = corners.find((node) => !Number.isInteger(node) || node < 0 || node >= count);
    if (outside !== undefined)
      throw badMesh(
        `tetrahedra[${i}] names node ${outside}, and there are ${count} nodes`,
        `indices count from 0, the last node is ${count - 1}`,
      );
  });
  const nodes = Float64Array.from(arrays.nodes.flat());
  scaleCoordinates(nodes, scale);
  return checkedMesh({
    source: 'inline',
    nodes,
    tetrahedra: Int32Array.from(arrays.tetrahedra.flat()),
    nameOf: (t) => `tetrahedra[${t}]`,
  });
}
