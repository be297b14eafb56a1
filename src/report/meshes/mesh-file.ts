/** Triangles of files that URDF robots are drawn by: STL (text and binary), OBJ, COLLADA. */
import { utf8 } from '../../common/bytes.ts';
import { colladaTriangles } from './collada.ts';
import { DamagedMesh, MOST_TRIANGLES, type Triangles } from './triangles.ts';

const MESH_ENDS = ['.stl', '.obj', '.dae'] as const;

/** @param name by whose end the format is told. @throws DamagedMesh */
export function meshOf(name: string, bytes: Uint8Array): Triangles {
  const end = /\.\w+$/.exec(name.toLowerCase())?.[0];
  const found =
    end === '.stl' ? stl(bytes) : end === '.obj' ? obj(utf8(bytes)) : end === '.dae' ? colladaTriangles(utf8(bytes)) : undefined; // prettier-ignore
  if (!found) throw new DamagedMesh(`it is not a ${MESH_ENDS.join(', ')} file`);
  const { position, triangles } = found;
  if (triangles.length === 0) throw new DamagedMesh('it has no triangles');
  if (triangles.length > 3 * MOST_TRIANGLES) throw new DamagedMesh(`it has more than ${MOST_TRIANGLES} triangles`);
  if (!position.every(Number.isFinite)) throw new DamagedMesh('a vertex is not a number');
  const vertices = position.length / 3;
  if (triangles.some((i) => !Number.isInteger(i) || i < 0 || i >= vertices))
    throw new DamagedMesh('a triangle has a vertex that is not there');
  return found;
}

const [STL_HEADER, STL_TRIANGLE] = [84, 50];

/** Binary where the size says so: texts begin with `solid`, and so do some binary files. */
function stl(bytes: Uint8Array): Triangles {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length >= STL_HEADER ? view.getUint32(STL_HEADER - 4, true) : 0;
  if (bytes.length >= STL_HEADER && bytes.length === STL_HEADER + STL_TRIANGLE * count) {
    const corners = Array.from({ length: 9 * count }, (_, i) =>
      view.getFloat32(STL_HEADER + STL_TRIANGLE * Math.floor(i / 9) + 12 + 4 * (i % 9), true),
    );
    return welded(corners);
  }
  const text = utf8(bytes.subarray(0, 1000)).trimStart();
  if (!text.startsWith('solid')) throw new DamagedMesh('it is cut off, or no STL file');
  const corners = [...utf8(bytes).matchAll(/^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)/gm)].flatMap(([, ...own]) =>
    own.map(Number),
  );
  // Headers of binary files may begin like texts.
  if (corners.length === 0) throw new DamagedMesh('it is cut off, or no STL file');
  if (corners.length % 9 !== 0) throw new DamagedMesh('it is cut off within a triangle');
  return welded(corners);
}

/** Corners of triangles as vertices, those at one place as one. */
function welded(corners: readonly number[]): Triangles {
  const known = new Map<string, number>();
  const position: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i < corners.length; i += 3) {
    const place = corners.slice(i, i + 3);
    const key = place.join(' ');
    let index = known.get(key);
    if (index === undefined) {
      index = position.length / 3;
      known.set(key, index);
      position.push(...place);
    }
    triangles.push(index);
  }
  return { position, triangles };
}

/** Vertices and faces; faces of more corners become fans. */
function obj(text: string): Triangles {
  const position: number[] = [];
  const triangles: number[] = [];
  for (const line of text.split('\n')) {
    const [kind, ...parts] = line.trim().split(/\s+/);
    if (kind === 'v') position.push(...[0, 1, 2].map((axis) => Number(parts[axis] ?? NaN)));
    if (kind !== 'f') continue;
    // Vertices count from one, or back from the last one so far.
    const corners = parts.map((part) => {
      const index = Number(part.split('/')[0]);
      return index < 0 ? position.length / 3 + index : index - 1;
    });
    for (let k = 1; k + 1 < corners.length; k++) triangles.push(corners[0]!, corners[k]!, corners[k + 1]!);
  }
  return { position, triangles };
}
