/** Writes meshes in Gmsh's format 4.1, text or binary, for the tests of its reader. */

export interface WrittenMesh {
  /** Tag and coordinates of every node. */
  readonly nodes: readonly (readonly [number, number, number, number])[];
  readonly blocks: readonly WrittenBlock[];
  /** Physical groups of each volume entity. */
  readonly volumes: readonly (readonly [tag: number, groups: readonly number[]])[];
  readonly names: readonly string[];
}

export interface WrittenBlock {
  readonly dimension: number;
  readonly entity: number;
  readonly type: number;
  /** Tag and tags of the nodes. */
  readonly elements: readonly (readonly number[])[];
}

type Field = readonly ['int' | 'size' | 'real', number];

/** A cube of side 2 from the origin in five tetrahedra, tags of nodes far apart; volume 2 is the one in the middle. */
export const CUBE: WrittenMesh = {
  nodes: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [10 * i + 7, 2 * (i & 1), i & 2, (i & 4) / 2]),
  volumes: [
    [1, [5]],
    [2, [5, -6]],
  ],
  names: ['2 9 "skin"', '3 5 "whole body"', '3 6 "middle"'],
  blocks: [
    { dimension: 2, entity: 1, type: 2, elements: [[1, 7, 17, 27]] },
    {
      dimension: 3,
      entity: 1,
      type: 4,
      elements: [
        [11, 7, 17, 27, 47],
        [12, 37, 27, 17, 77],
        [13, 57, 17, 47, 77],
        [14, 67, 47, 27, 77],
      ],
    },
    { dimension: 3, entity: 2, type: 4, elements: [[15, 17, 27, 47, 77]] },
  ],
};

const integer = (value: number): Field => ['int', value];
const size = (value: number): Field => ['size', value];
const real = (value: number): Field => ['real', value];

function entities(mesh: WrittenMesh): Field[] {
  return [
    ...[0, 0, 1, mesh.volumes.length].map(size),
    ...[integer(1), ...[0, 0, 0, 2, 2, 2].map(real), size(1), integer(9), size(0)],
    ...mesh.volumes.flatMap(([tag, groups]) => [
      integer(tag),
      ...[0, 0, 0, 2, 2, 2].map(real),
      size(groups.length),
      ...groups.map(integer),
      size(1),
      integer(-1),
    ]),
  ];
}

function nodes(mesh: WrittenMesh): Field[] {
  const halves = [mesh.nodes.slice(0, 3), mesh.nodes.slice(3)];
  return [
    ...[2, mesh.nodes.length, 1, 999].map(size),
    ...halves.flatMap((half, i) => [
      // The first block carries parametric coordinates of a surface, which are of no use here.
      ...[2, 1, i === 0 ? 1 : 0].map(integer),
      size(half.length),
      ...half.map(([tag]) => size(tag)),
      ...half.flatMap(([, ...xyz]) => [...xyz, ...(i === 0 ? [0.5, 0.25] : [])].map(real)),
    ]),
  ];
}

function elements(mesh: WrittenMesh): Field[] {
  const count = mesh.blocks.reduce((sum, b) => sum + b.elements.length, 0);
  return [
    ...[mesh.blocks.length, count, 1, 999].map(size),
    ...mesh.blocks.flatMap((b) => [
      ...[b.dimension, b.entity, b.type].map(integer),
      size(b.elements.length),
      ...b.elements.flat().map(size),
    ]),
  ];
}

export function textFile(mesh: WrittenMesh): Uint8Array {
  const section = (name: string, fields: readonly Field[]): string =>
    `$${name}\n${fields.map(([, value]) => value).join('\n')}\n$End${name}\n`;
  return Buffer.from(
    `$MeshFormat\n4.1 0 8\n$EndMeshFormat\n${names(mesh)}` +
      section('Entities', entities(mesh)) +
      section('Nodes', nodes(mesh)) +
      section('Elements', elements(mesh)) +
      '$Periodic\n0\n$EndPeriodic\n',
  );
}

export function binaryFile(mesh: WrittenMesh, littleEndian: boolean): Uint8Array {
  const bytesOf = ([kind, value]: Field): Uint8Array => {
    const view = new DataView(new ArrayBuffer(kind === 'int' ? 4 : 8));
    if (kind === 'int') view.setInt32(0, value, littleEndian);
    else if (kind === 'size') view.setBigUint64(0, BigInt(value), littleEndian);
    else view.setFloat64(0, value, littleEndian);
    return new Uint8Array(view.buffer);
  };
  const section = (name: string, fields: readonly Field[]): Uint8Array[] => [
    Buffer.from(`$${name}\n`),
    ...fields.map(bytesOf),
    Buffer.from(`\n$End${name}\n`),
  ];
  return Buffer.concat([
    Buffer.from('$MeshFormat\n4.1 1 8\n'),
    bytesOf(integer(1)),
    Buffer.from(`\n$EndMeshFormat\n${names(mesh)}`),
    ...section('Entities', entities(mesh)),
    ...section('Nodes', nodes(mesh)),
    ...section('Elements', elements(mesh)),
    ...section('Periodic', [size(0)]),
  ]);
}

function names(mesh: WrittenMesh): string {
  return `$PhysicalNames\n${mesh.names.length}\n${mesh.names.join('\n')}\n$EndPhysicalNames\n`;
}
