/** Gmsh files in every form against the cube they describe, and files that are wrong in one place. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readGmsh } from '../../src/mesh/gmsh.ts';
import { readInlineMesh } from '../../src/mesh/inline.ts';
import type { TetrahedralMesh } from '../../src/mesh/mesh.ts';
import { KanegenError } from '../../src/common/error.ts';
import { ratio } from '../../src/symbolic/graph/rational.ts';
import { binaryFile, CUBE, textFile, type WrittenMesh } from './gmsh-text.ts';

const file = 'cube.msh';

function volumeOf({ nodes, tetrahedra }: TetrahedralMesh): number {
  let sum = 0;
  for (let t = 0; t < tetrahedra.length; t += 4) {
    const [a, b, c, d] = [0, 1, 2, 3].map((k) => nodes.subarray(3 * tetrahedra[t + k]!, 3 * tetrahedra[t + k]! + 3));
    const [u, v, w] = [b!, c!, d!].map((p) => p.map((x, i) => x - a![i]!));
    sum += (u![1]! * v![2]! - u![2]! * v![1]!) * w![0]! + (u![2]! * v![0]! - u![0]! * v![2]!) * w![1]!;
    sum += (u![0]! * v![1]! - u![1]! * v![0]!) * w![2]!;
  }
  return sum / 6;
}

function failure(read: () => unknown): KanegenError {
  try {
    read();
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const refusal = (bytes: Uint8Array, group?: string): KanegenError => failure(() => readGmsh(bytes, { file, group }));

/** The text of a file with one piece replaced. */
function changed(from: string, to: string): Uint8Array {
  const text = Buffer.from(textFile(CUBE)).toString();
  expect(text).toContain(from);
  return Buffer.from(text.replace(from, to));
}

const withTetrahedra = (elements: readonly (readonly number[])[], type = 4): WrittenMesh => ({
  ...CUBE,
  blocks: [{ dimension: 3, entity: 1, type, elements }],
});

describe('a Gmsh file', () => {
  const forms = {
    text: textFile(CUBE),
    'little-endian': binaryFile(CUBE, true),
    'big-endian': binaryFile(CUBE, false),
  };

  it.each(Object.entries(forms))('gives the whole cube (%s)', (_, bytes) => {
    const mesh = readGmsh(bytes, { file });
    expect(volumeOf(mesh)).toBe(8);
    expect(mesh.nodes.length / 3).toBe(8);
    expect(mesh.source).toBe(file);
  });

  it('gives the same mesh in all forms, and the one written inline', () => {
    const hashes = Object.values(forms).map((bytes) => readGmsh(bytes, { file }).hash);
    const inline = readInlineMesh({
      nodes: CUBE.nodes.map(([, ...xyz]) => xyz),
      tetrahedra: CUBE.blocks
        .filter((b) => b.dimension === 3)
        .flatMap((b) => b.elements.map(([, ...corners]) => corners.map((tag) => (tag - 7) / 10))),
    });
    expect(new Set([...hashes, inline.hash]).size).toBe(1);
    expect(inline.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('in another unit is scaled without avoidable rounding', () => {
    const mesh = readGmsh(textFile(CUBE), { file, scale: ratio(1, 1000) });
    expect([...mesh.nodes]).toContain(0.002);
    // 26 · 0.001 is 0.026000000000000002 in doubles.
    const nodes = [
      [26, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0, 0, 0],
    ];
    expect(readInlineMesh({ nodes, tetrahedra: [[3, 0, 1, 2]] }, ratio(1, 1000)).nodes[0]).toBe(0.026);
  });

  it.each(Object.entries(forms))(
    'gives one group only, by name or number, without the other nodes (%s)',
    (_, bytes) => {
      const middle = readGmsh(bytes, { file, group: 'middle' });
      expect(volumeOf(middle)).toBeCloseTo(8 / 3, 14);
      expect(middle.nodes.length / 3).toBe(4);
      expect(readGmsh(bytes, { file, group: '6' }).hash).toBe(middle.hash);
      expect(volumeOf(readGmsh(bytes, { file, group: 'whole body' }))).toBe(8);
    },
  );

  it('of straight ten-node tetrahedra gives their corners, of curved ones is refused', () => {
    const mids: [number, number, number, number][] = (
      [
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 0],
        [0, 0, 1],
        [0, 1, 1],
        [1, 0, 1],
      ] as const
    ).map(([x, y, z], i) => [201 + i, x, y, z]);
    const ten = (moved: number): WrittenMesh => ({
      ...withTetrahedra([[31, 7, 17, 27, 47, 201, 202, 203, 204, 205, 206]], 11),
      nodes: [...CUBE.nodes, ...mids.map(([tag, x, y, z]) => [tag, x, y, z + (tag === 205 ? moved : 0)] as const)],
    });
    expect(volumeOf(readGmsh(binaryFile(ten(0), true), { file }))).toBeCloseTo(8 / 6, 14);
    expect(refusal(textFile(ten(0.01))).message).toMatch(/element 31 has curved edges/);
  });
});

describe('the example mesh', () => {
  it('has the volume of the untwisted bar, but for what its flat faces cut off', () => {
    const bytes = readFileSync(new URL('../../examples/meshes/helicoid.msh', import.meta.url));
    const mesh = readGmsh(bytes, { file: 'helicoid.msh', group: 'silicone', scale: ratio(1, 1000) });
    expect(mesh.tetrahedra.length / 4).toBeGreaterThan(5000);
    // 520 mm² of section along 100 mm.
    expect(volumeOf(mesh)).toBeLessThan(520e-6 * 0.1);
    expect(volumeOf(mesh)).toBeGreaterThan(520e-6 * 0.1 * 0.99);
  });
});

describe('a Gmsh file that is wrong is refused, with the place', () => {
  it.each([
    ['is no Gmsh file', Buffer.from('solid cube'), /cube.msh is not a Gmsh file/],
    ['is of an older format', changed('4.1 0 8', '2.2 0 8'), /format 2.2, and only 4.1/],
    ['has 32-bit sizes', changed('4.1 0 8', '4.1 0 4'), /sizes of 4 bytes/],
    ['counts too many nodes', changed('$Nodes\n2\n8', '$Nodes\n2\n9'), /line \d+: 9 nodes announced, 8 found/],
    [
      'counts more than it can hold',
      changed('$Nodes\n2\n8', '$Nodes\n2\n800000000'),
      /line \d+: .* is 800000000, and the file is too short/,
    ],
    ['has a word for a number', changed('\n27\n', '\ntwo\n'), /line \d+: expected the tag of a node, found 'two'/],
    ['has a fractional tag', changed('\n27\n', '\n27.5\n'), /expected the tag of a node, found '27.5'/],
    [
      'has a coordinate that is not finite',
      changed('0.5\n', '1e999\n'),
      /expected a parameter of a node, found '1e999'/,
    ],
    ['has a node twice', changed('\n27\n', '\n17\n'), /node 17 occurs twice/],
    ['names a node that does not exist', changed('77\n$EndElements', '78\n$EndElements'), /element 15 names node 78/],
    ['has elements of an unknown type', changed('\n3\n2\n4\n1', '\n3\n2\n400\n1'), /unknown type 400/],
    ['has a section that does not end', changed('$EndPeriodic', ''), /expected \$EndPeriodic/],
  ])('when it %s', (_, bytes, message) => {
    const error = refusal(bytes);
    expect(error.code).toBe('bad-mesh');
    expect(error.message).toMatch(message);
    expect(error.message).toContain(file);
  });

  it('wherever a binary file is cut off', () => {
    const bytes = binaryFile(CUBE, true);
    const end = Buffer.from(bytes).indexOf('$EndElements');
    for (let length = 0; length <= end; length += 7) {
      const error = refusal(bytes.subarray(0, length));
      expect(error.code).toBe('bad-mesh');
      expect(error.message).toContain(file);
    }
    expect(refusal(bytes.subarray(0, 600)).message).toMatch(/byte \d+/);
  });

  it('wherever a text file is cut off', () => {
    const bytes = textFile(CUBE);
    const end = Buffer.from(bytes).indexOf('$EndElements');
    for (let length = 0; length <= end; length += 11) expect(refusal(bytes.subarray(0, length)).code).toBe('bad-mesh');
  });

  it('with hexahedra, whose mass would be missing', () => {
    const error = refusal(textFile(withTetrahedra([[21, 7, 17, 37, 27, 47, 57, 77, 67]], 5)));
    expect(error.message).toMatch(/1 volume elements of type 5/);
  });

  it('with a group that does not exist, naming the likely one', () => {
    expect(refusal(textFile(CUBE), 'midle').remedy).toBe("did you mean 'middle'?");
    expect(refusal(textFile(CUBE), 'silicone').remedy).toBe("groups of volumes in the file: 'whole body', 'middle'");
    expect(refusal(textFile(CUBE), 'skin').message).toMatch(/'skin' of cube.msh is one of surfaces/);
  });
});

describe('tetrahedra that would make integrals wrong are refused by name', () => {
  const at = (elements: readonly (readonly number[])[]): KanegenError => refusal(textFile(withTetrahedra(elements)));

  it('when inverted, alone or all', () => {
    expect(
      at([
        [11, 7, 17, 27, 47],
        [12, 37, 17, 27, 77],
      ]).message,
    ).toMatch(/^element 12 of cube.msh of 2 is inverted/);
    const all = at([
      [11, 7, 27, 17, 47],
      [12, 37, 17, 27, 77],
    ]);
    expect(all.message).toMatch(/^all 2 tetrahedra are inverted, element 11 of cube.msh first/);
    expect(all.remedy).toMatch(/swap the last two nodes/);
  });

  it('when flat, even far from the origin and nearly', () => {
    expect(
      at([
        [11, 7, 17, 27, 47],
        [12, 7, 17, 27, 37],
      ]).message,
    ).toMatch(/^element 12 of cube.msh is degenerate/);
    const thin = (height: number) => () =>
      readInlineMesh({
        nodes: [
          [0, 0, 0],
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, height],
        ],
        tetrahedra: [[0, 1, 2, 3]],
      });
    expect(failure(thin(1e-13)).message).toMatch(/tetrahedra\[0\] is degenerate/);
    expect(thin(1e-6)().tetrahedra.length).toBe(4);
  });

  it('when a node or a whole tetrahedron repeats', () => {
    expect(at([[11, 7, 17, 27, 17]]).message).toMatch(/element 11 of cube.msh names the same node twice/);
    expect(
      at([
        [11, 7, 17, 27, 47],
        [12, 17, 27, 7, 47],
      ]).message,
    ).toMatch(/element 12 .* same nodes as element 11/);
  });

  it('when there are none', () => {
    expect(at([]).message).toBe('cube.msh has no tetrahedra');
  });

  it('when arrays in the robot file have the wrong shape', () => {
    const nodes = [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const of = (given: readonly number[][], tetrahedra: readonly number[][]): string =>
      failure(() => readInlineMesh({ nodes: given, tetrahedra })).message;
    expect(of([[0, 0]], [])).toBe('nodes[0] is not three finite numbers');
    expect(of(nodes, [[0, 1, 2]])).toBe('tetrahedra[0] has 3 entries');
    expect(of(nodes, [[0, 1, 2, 4]])).toBe('tetrahedra[0] names node 4, and there are 4 nodes');
    expect(of(nodes, [[0, 1, 2, 1.5]])).toBe('tetrahedra[0] names node 1.5, and there are 4 nodes');
  });
});
