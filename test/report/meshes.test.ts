/** Files that URDF robots are drawn by: what they enclose, and what is said of those that are damaged. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/description/load.ts';
import { meshOf } from '../../src/report/meshes/mesh-file.ts';
import { box, capsule, cylinder, sphere, type Triangles } from '../../src/report/meshes/triangles.ts';
import { RobotShape } from '../../src/report/robot-shape.ts';

/** By the divergence theorem. */
function volumeOf({ position, triangles }: Triangles): number {
  let sum = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => position.slice(3 * triangles[i + k]!, 3 * triangles[i + k]! + 3)) as [
      number[],
      number[],
      number[],
    ];
    sum += [0, 1, 2].reduce(
      (all, k) => all + (a[k]! * (b[(k + 1) % 3]! * c[(k + 2) % 3]! - b[(k + 2) % 3]! * c[(k + 1) % 3]!)) / 6,
      0,
    );
  }
  return sum;
}

/** x, y, z of the corners of a tetrahedron with volume 1/6, counter-clockwise from outside. */
const CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]; // prettier-ignore
const FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]; // prettier-ignore

function binaryStl(): Buffer {
  const bytes = Buffer.alloc(84 + 50 * FACES.length);
  bytes.write('solid that is none');
  bytes.writeUInt32LE(FACES.length, 80);
  FACES.forEach((face, i) =>
    face.forEach((corner, k) =>
      CORNERS[corner]!.forEach((x, axis) => bytes.writeFloatLE(x, 84 + 50 * i + 12 + 12 * k + 4 * axis)),
    ),
  );
  return bytes;
}

const textStl = `solid one\n${FACES.map(
  (face) =>
    `facet normal 0 0 0\nouter loop\n${face.map((corner) => `vertex ${CORNERS[corner]!.join(' ')}`).join('\n')}\nendloop\nendfacet`,
).join('\n')}\nendsolid\n`;

const obj = `# by hand\n${CORNERS.map((own) => `v ${own.join(' ')}`).join('\n')}\nf 1/1 3/2 2/3\nf 1//1 2//1 4//1\nf -3 -2 -1\nf 1 4 3\n`;

/** Millimetres, y upwards, turned about x by a node: z of the world is −z of the file, then y. */
const collada = (extra = ''): string => `<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">${CORNERS.flat()
  .map((x) => 1000 * x)
  .join(' ')}</float_array>
<technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>
<vcount>3 3 3 3</vcount><p>${FACES.flat()
  .map((i) => `${i} 0`)
  .join(' ')}${extra}</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 500 0</translate><rotate>1 0 0 180</rotate><scale>2 1 1</scale>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`;

describe('meshes', () => {
  it.each([
    ['a.stl', binaryStl()],
    ['b.STL', Buffer.from(textStl)],
    ['c.obj', Buffer.from(obj)],
  ])('of %s enclose what they enclose', (name, bytes) => {
    const mesh = meshOf(name, bytes);
    expect(mesh.position).toHaveLength(12);
    expect(volumeOf(mesh)).toBeCloseTo(1 / 6, 12);
  });

  it('of COLLADA stand where their scene puts them, in metres, z upwards', () => {
    const mesh = meshOf('d.dae', Buffer.from(collada()));
    expect(volumeOf(mesh)).toBeCloseTo(2 / 6, 12);
    const points = [0, 1, 2, 3].map((i) => mesh.position.slice(3 * i, 3 * i + 3).map((x) => Number(x.toFixed(9)) + 0));
    // (x, y, z) → (2x, −y, −z) → (2x, 0.5 − y, −z) → z upwards: (2x, z, 0.5 − y).
    expect(points).toEqual([[0, 0, 0.5], [2, 0, 0.5], [0, 0, -0.5], [0, 1, 0.5]]); // prettier-ignore
  });

  it.each([
    ['cut.stl', binaryStl().subarray(0, 200), 'it is cut off, or no STL file'],
    ['cut.stl', Buffer.from(textStl.slice(0, 160)), 'it is cut off within a triangle'],
    ['empty.obj', Buffer.from('v 0 0 0\n'), 'it has no triangles'],
    ['wild.obj', Buffer.from('v 0 0 0\nf 1 2 3\n'), 'a triangle has a vertex that is not there'],
    ['text.obj', Buffer.from('v 0 0 here\nf 1 1 1\n'), 'a vertex is not a number'],
    ['bad.dae', Buffer.from('<COLLADA><asset></COLLADA>'), 'it is damaged XML'],
    ['other.dae', Buffer.from('<svg/>'), 'it is XML, and no COLLADA'],
    ['a.step', Buffer.from(''), 'it is not a .stl, .obj, .dae file'],
  ])('%s: %#', (name, bytes, message) => {
    expect(() => meshOf(name, bytes)).toThrow(message);
  });

  it('of simple solids approach their volumes from inside', () => {
    expect(volumeOf(box([1, 2, 3]))).toBeCloseTo(6, 12);
    const volumes = [volumeOf(sphere(1)), volumeOf(cylinder(1, 2)), volumeOf(capsule(1, 2))];
    const exact = [(4 / 3) * Math.PI, 4 * Math.PI, (4 / 3) * Math.PI + 4 * Math.PI];
    volumes.forEach((volume, i) => {
      expect(volume / exact[i]!).toBeGreaterThan(0.94);
      expect(volume).toBeLessThan(exact[i]!);
    });
  });
});

describe('links of URDF files', () => {
  let folder: string;
  const urdf = (
    visuals: string,
  ): string => `<robot name="r"><material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
<link name="base"/><joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<link name="arm"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>${visuals}</link>
<joint name="end" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0.3 0 0"/></joint><link name="tool"><visual><geometry><sphere radius="0.05"/></geometry></visual></link></robot>`;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'kanegen-urdf-'));
    mkdirSync(path.join(folder, 'parts', 'meshes'), { recursive: true });
    writeFileSync(path.join(folder, 'parts', 'meshes', 'arm.stl'), binaryStl());
    writeFileSync(
      path.join(folder, 'r.robot.yaml'),
      'kanegen: 1\nname: r\nlinks: [{ name: r, urdf: { file: r.urdf, from: base, to: tool } }]\n',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const shapeWith = (visuals: string): RobotShape => {
    writeFileSync(path.join(folder, 'r.urdf'), urdf(visuals));
    return new RobotShape(loadRobotFile(path.join(folder, 'r.robot.yaml')));
  };
  /** First vertex of a solid in the world. */
  const firstOf = (shape: RobotShape, index: number, q: number): number[] => {
    const { frame, position } = shape.solids[index]!;
    const g = shape.place([q], 0).poses[frame!]!;
    return [0, 1, 2].map((row) => g[9 + row]! + [0, 1, 2].reduce((sum, k) => sum + g[3 * row + k]! * position[k]!, 0));
  };

  it('are drawn by their visuals, which turn with them, in place of lines', () => {
    const shape = shapeWith(
      '<visual><origin xyz="0.2 0 0" rpy="0 0 1.5707963267948966"/><geometry><mesh filename="package://parts/meshes/arm.stl" scale="0.1 0.1 0.1"/></geometry><material name="grey"/></visual>',
    );
    expect(shape.notes).toEqual([]);
    expect(shape.solids.map(({ name, look, colour }) => [name, look, colour])).toEqual([
      ['arm', 'mesh', '#808080'],
      ['tool', 'mesh', undefined],
    ]);
    // The first vertex is the corner at the origin of the mesh.
    const near = (found: number[], expected: number[]): void =>
      found.forEach((x, i) => expect(x).toBeCloseTo(expected[i]!, 6));
    near(firstOf(shape, 0, 0), [0.2, 0, 1]);
    near(firstOf(shape, 0, Math.PI / 2), [0, 0.2, 1]);
    // The lowest point of the ball at the end.
    near(firstOf(shape, 1, Math.PI / 2), [0, 0.3, 0.95]);
    expect(shape.place([0], 0).lines).toEqual([]);
  });

  it('have substitutes where a mesh is missing or damaged, and a note says which', () => {
    writeFileSync(path.join(folder, 'parts', 'meshes', 'cut.stl'), binaryStl().subarray(0, 100));
    const shape = shapeWith(
      '<visual><geometry><mesh filename="parts/meshes/cut.stl"/></geometry></visual><visual><geometry><mesh filename="package://nowhere/x.dae"/></geometry></visual>',
    );
    expect(shape.notes).toEqual([
      'arm: cut.stl: it is cut off, or no STL file, and 1 more; drawn by simple parts instead',
    ]);
    expect(shape.solids.map(({ name }) => name)).toEqual(['tool']);
    expect(shape.place([0], 0).lines).toHaveLength(1);
  });
});
