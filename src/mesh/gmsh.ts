/**
 * Tetrahedra of a Gmsh file, format 4.1, text or binary of either byte order.
 * Source: Gmsh reference manual, MSH file format version 4.1.
 */
import { latin1, utf8 } from '../common/bytes.ts';
import { nearest } from '../common/nearest.ts';
import { ONE, type Rational } from '../symbolic/graph/rational.ts';
import { badMesh, checkedMesh } from './check.ts';
import { BinaryCursor, TextCursor, type GmshCursor } from './gmsh-cursor.ts';
import type { TetrahedralMesh } from './mesh.ts';
import { scaleCoordinates } from './scale.ts';

export interface GmshOptions {
  /** Name of the file, without directories, for messages and reports. */
  readonly file: string;
  /** Name or number of a physical group of volumes; all volumes when missing. */
  readonly group?: string | undefined;
  /** Metres per unit of the file, 1 when missing. */
  readonly scale?: Rational | undefined;
}

/** Nodes per element type, for types that occur in files of this format. */
const NODES_OF_TYPE: ReadonlyMap<number, number> = new Map([
  ...[2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5, 6, 20, 35, 56].map(
    (nodes, i): [number, number] => [i + 1, nodes],
  ),
  [92, 64],
  [93, 125],
]);
const FOUR_NODES = 4;
const TEN_NODES = 11;

/** Corners that the nodes 4 … 9 of a ten-node tetrahedron lie between. */
const MIDDLE_OF: readonly (readonly [number, number])[] = [
  [0, 1],
  [1, 2],
  [0, 2],
  [0, 3],
  [2, 3],
  [1, 3],
];
/** Distance of a mid-edge node from the middle, relative to the edge, that counts as straight. */
const STRAIGHT = 1e-6;

interface Nodes {
  readonly coordinates: Float64Array;
  readonly indexOfTag: ReadonlyMap<number, number>;
}

interface Elements {
  readonly tetrahedra: number[];
  readonly tags: number[];
}

/** @throws KanegenError `bad-mesh` with the line or the byte of the file, or the tag of the element. */
export function readGmsh(bytes: Uint8Array, options: GmshOptions): TetrahedralMesh {
  const { file, group } = options;
  const cursor = openGmsh(bytes, file);
  const names: PhysicalName[] = [];
  let volumes: ReadonlyMap<number, readonly number[]> | undefined;
  let nodes: Nodes | undefined;
  let elements: Elements | undefined;
  for (let section = cursor.section(); section !== undefined; section = cursor.section()) {
    if (section === 'PhysicalNames') names.push(...readPhysicalNames(cursor));
    else if (section === 'Entities') volumes = readVolumes(cursor);
    else if (section === 'PartitionedEntities' && group !== undefined)
      throw badMesh(`${cursor.where()}: groups of partitioned meshes are not supported`, 'export without partitions');
    else if (section === 'Nodes') nodes = readNodes(cursor);
    else if (section === 'Elements') {
      if (!nodes) throw badMesh(`${cursor.where()}: $Elements comes before $Nodes`);
      elements = readElements(cursor, nodes, wantedVolumes(file, group, names, volumes));
    } else {
      cursor.end(section, true);
      continue;
    }
    cursor.end(section);
  }
  if (!nodes || !elements) throw badMesh(`${file} has no $${nodes ? 'Elements' : 'Nodes'} section`);
  scaleCoordinates(nodes.coordinates, options.scale ?? ONE);
  const { tags } = elements;
  return checkedMesh({
    source: file,
    nodes: nodes.coordinates,
    tetrahedra: Int32Array.from(elements.tetrahedra),
    nameOf: (t) => `element ${tags[t]!} of ${file}`,
  });
}

function openGmsh(bytes: Uint8Array, file: string): GmshCursor {
  const text = latin1(bytes);
  const header = /^\s*\$MeshFormat[^\S\n]*\r?\n[^\S\n]*(\S+)[^\S\n]+(\S+)[^\S\n]+(\S+)[^\S\n]*\r?\n/.exec(text);
  if (!header) throw badMesh(`${file} is not a Gmsh file: it does not begin with $MeshFormat`);
  const [all, version, form, dataSize] = header;
  if (version !== '4.1')
    throw badMesh(
      `${file} is of Gmsh's format ${version!.slice(0, 12)}, and only 4.1 is read`,
      `export as version 4.1: gmsh ${file} -save -format msh41 -o ${file}`,
    );
  if (dataSize !== '8') throw badMesh(`${file} has sizes of ${dataSize!.slice(0, 12)} bytes, and only 8 are read`);
  if (form === '0') {
    const cursor = new TextCursor(text, all.length, file);
    cursor.end('MeshFormat');
    return cursor;
  }
  if (form !== '1') throw badMesh(`${file}: file type ${form!.slice(0, 12)} is neither 0 (text) nor 1 (binary)`);
  const littleEndian = text.charCodeAt(all.length) === 1;
  const cursor = new BinaryCursor(bytes, text, all.length, file, littleEndian);
  if (cursor.integer('the number 1, which tells the byte order') !== 1)
    throw badMesh(`${file}, byte ${all.length}: expected the number 1, which tells the byte order`);
  cursor.end('MeshFormat');
  return cursor;
}

interface PhysicalName {
  readonly dimension: number;
  readonly tag: number;
  readonly name: string;
}

/** Text in both forms. */
function readPhysicalNames(cursor: GmshCursor): PhysicalName[] {
  const where = cursor.where();
  const first = cursor.line('the number of physical groups');
  if (!/^\d{1,9}$/.test(first))
    throw badMesh(`${where}: expected the number of physical groups, found '${first.slice(0, 24)}'`);
  const names: PhysicalName[] = [];
  for (let i = 0; i < Number(first); i++) {
    const here = cursor.where();
    const line = cursor.line('a physical group');
    const match = /^([0-3]) (-?\d{1,10}) "(.*)"$/.exec(line);
    if (!match) throw badMesh(`${here}: expected a physical group such as 3 1 "name", found '${line.slice(0, 24)}'`);
    const name = utf8(Uint8Array.from(match[3]!, (letter) => letter.charCodeAt(0)));
    names.push({ dimension: Number(match[1]), tag: Math.abs(Number(match[2])), name });
  }
  return names;
}

/** Physical groups of every volume. */
function readVolumes(cursor: GmshCursor): ReadonlyMap<number, readonly number[]> {
  const counts = ['points', 'curves', 'surfaces', 'volumes'].map((what) => cursor.count(`the number of ${what}`, 4));
  const volumes = new Map<number, readonly number[]>();
  counts.forEach((count, dimension) => {
    for (let i = 0; i < count; i++) {
      const tag = cursor.integer('the tag of an entity');
      for (let k = 0; k < (dimension === 0 ? 3 : 6); k++) cursor.real('a coordinate of an entity');
      const integers = (what: string): number[] =>
        Array.from({ length: cursor.count(`the number of ${what}`, 1) }, () => cursor.integer(`one of the ${what}`));
      const groups = integers('physical groups of an entity').map(Math.abs);
      if (dimension > 0) integers('boundaries of an entity');
      if (dimension === 3) volumes.set(tag, groups);
    }
  });
  return volumes;
}

/** Tags of the volumes in the group; undefined for all. */
function wantedVolumes(
  file: string,
  group: string | undefined,
  names: readonly PhysicalName[],
  volumes: ReadonlyMap<number, readonly number[]> | undefined,
): ReadonlySet<number> | undefined {
  if (group === undefined) return undefined;
  const ofVolumes = names.filter((n) => n.dimension === 3);
  const named = ofVolumes.find((n) => n.name === group)?.tag;
  const tag = named ?? (/^\d{1,9}$/.test(group) ? Number(group) : undefined);
  const wanted = new Set([...(volumes ?? [])].filter(([, tags]) => tags.includes(tag ?? -1)).map(([volume]) => volume));
  if (wanted.size > 0) return wanted;
  const other = names.find((n) => n.name === group && n.dimension !== 3);
  const similar = nearest(
    group,
    ofVolumes.map((n) => n.name),
  );
  const known = ofVolumes.map((n) => `'${n.name}'`).join(', ');
  throw badMesh(
    other
      ? `the group '${group}' of ${file} is one of ${['points', 'curves', 'surfaces'][other.dimension]!}, not of volumes`
      : named !== undefined
        ? `the group '${group}' of ${file} has no volumes`
        : `${file} has no group '${group}'`,
    similar && similar !== group
      ? `did you mean '${similar}'?`
      : known === ''
        ? 'the file has no named groups of volumes: leave out `group`, or add a physical volume and export again'
        : `groups of volumes in the file: ${known}`,
  );
}

function readNodes(cursor: GmshCursor): Nodes {
  const blocks = cursor.count('the number of node blocks', 3);
  const total = cursor.count('the number of nodes', 4);
  cursor.skipSizes(2, 'the range of node tags');
  const coordinates: number[] = [];
  const indexOfTag = new Map<number, number>();
  for (let block = 0; block < blocks; block++) {
    const dimension = cursor.integer('the dimension of a node block');
    cursor.integer('the entity of a node block');
    const parameters = cursor.integer('whether nodes have parameters') === 0 ? 0 : dimension;
    const count = cursor.count('the number of nodes in a block', 4);
    for (let i = 0; i < count; i++) {
      const tag = cursor.size('the tag of a node');
      if (indexOfTag.has(tag)) throw badMesh(`${cursor.where()}: node ${tag} occurs twice`);
      indexOfTag.set(tag, indexOfTag.size);
    }
    for (let i = 0; i < count; i++) {
      for (let axis = 0; axis < 3; axis++) coordinates.push(cursor.real('a coordinate of a node'));
      for (let k = 0; k < parameters; k++) cursor.real('a parameter of a node');
    }
  }
  if (indexOfTag.size !== total)
    throw badMesh(`${cursor.where()}: ${total} nodes announced, ${indexOfTag.size} found`, 'export the file again');
  return { coordinates: Float64Array.from(coordinates), indexOfTag };
}

function readElements(cursor: GmshCursor, nodes: Nodes, wanted: ReadonlySet<number> | undefined): Elements {
  const blocks = cursor.count('the number of element blocks', 3);
  const total = cursor.count('the number of elements', 2);
  cursor.skipSizes(2, 'the range of element tags');
  const elements: Elements = { tetrahedra: [], tags: [] };
  let found = 0;
  for (let block = 0; block < blocks; block++) {
    const dimension = cursor.integer('the dimension of an element block');
    const entity = cursor.integer('the entity of an element block');
    const type = cursor.integer('the type of an element block');
    const size = NODES_OF_TYPE.get(type);
    if (size === undefined) throw badMesh(`${cursor.where()}: elements of unknown type ${type}`);
    const count = cursor.count('the number of elements in a block', 1 + size);
    found += count;
    if (dimension < 3 || (wanted && !wanted.has(entity))) cursor.skipSizes(count * (1 + size), 'an element');
    else readVolumeElements(cursor, nodes, { type, size, count }, elements);
  }
  if (found !== total)
    throw badMesh(`${cursor.where()}: ${total} elements announced, ${found} found`, 'export the file again');
  return elements;
}

interface ElementBlock {
  readonly type: number;
  readonly size: number;
  readonly count: number;
}

function readVolumeElements(
  cursor: GmshCursor,
  nodes: Nodes,
  { type, size, count }: ElementBlock,
  into: Elements,
): void {
  if (type !== FOUR_NODES && type !== TEN_NODES)
    throw badMesh(
      `${cursor.where()}: a block of ${count} volume elements of type ${type}, which are not tetrahedra of 4 or 10 nodes`,
      'mesh with first-order tetrahedra only: leaving elements out would leave out their mass',
    );
  for (let i = 0; i < count; i++) {
    const tag = cursor.size('the tag of an element');
    const corners = Array.from({ length: size }, () => {
      const node = cursor.size('a node of an element');
      const index = nodes.indexOfTag.get(node);
      if (index === undefined)
        throw badMesh(`${cursor.where()}: element ${tag} names node ${node}, which does not exist`);
      return index;
    });
    if (type === TEN_NODES) refuseCurved(tag, corners, nodes.coordinates, cursor);
    into.tetrahedra.push(...corners.slice(0, 4));
    into.tags.push(tag);
  }
}

function refuseCurved(tag: number, ten: readonly number[], coordinates: Float64Array, cursor: GmshCursor): void {
  MIDDLE_OF.forEach(([from, to], k) => {
    const axes = [0, 1, 2].map((axis) => {
      const at = (node: number): number => coordinates[3 * ten[node]! + axis]!;
      return { edge: at(to) - at(from), away: at(4 + k) - (at(from) + at(to)) / 2 };
    });
    if (Math.hypot(...axes.map((a) => a.away)) > STRAIGHT * Math.hypot(...axes.map((a) => a.edge)))
      throw badMesh(
        `${cursor.where()}: element ${tag} has curved edges (ten nodes, not all in the middle of their edges)`,
        'export a mesh of first order: gmsh -order 1, with finer elements where the surface is curved',
      );
  });
}
