/** Surfaces for pictures: closed, seen from outside, and where the body is. */
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { RobotShape } from '../../src/report/robot-shape.ts';
import { coarseTriangles } from '../../src/report/volume-surface.ts';

/** Volume inside of triangles that are counter-clockwise from outside, by the divergence theorem. */
function volumeWithin(vertices: Float64Array, triangles: readonly number[]): number {
  const at = (i: number): number[] => [...vertices.subarray(3 * i, 3 * i + 3)];
  let sum = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => at(triangles[i + k]!)) as [number[], number[], number[]];
    const [x, y, z] = [0, 1, 2].map((k) => b[(k + 1) % 3]! * c[(k + 2) % 3]! - b[(k + 2) % 3]! * c[(k + 1) % 3]!);
    sum += (a[0]! * x! + a[1]! * y! + a[2]! * z!) / 6;
  }
  return sum;
}

function shapeOf(body: object, name = 'body', links: object = {}): RobotShape {
  return new RobotShape(
    loadRobotObject({
      kanegen: 1,
      name: 'drawn',
      base: { xyz: [1, 2, 3] },
      'body-types': { [name]: body },
      links: [{ name: 'one', body: name, ...links }],
    }),
  );
}

/** Origin of the first distal frame. */
function endOf([pose]: readonly ArrayLike<number>[]): readonly [number, number, number] {
  return [pose![9]!, pose![10]!, pose![11]!];
}

/** A disc of twenty corners instead of a circle. */
const POLYGON = (10 / Math.PI) * Math.sin(Math.PI / 10);

describe('surfaces of bodies', () => {
  it('enclose a bent rod, and end where it ends', () => {
    const shape = shapeOf({ extends: 'planar-cc', parameters: { L: 0.3, R: 0.02, rho: 1000 } });
    const q = 1.1;
    const { vertices, distal } = shape.place([q], 0);
    const volume = volumeWithin(vertices[0]!, shape.surfaces[0]!.triangles);
    // Pappus: the length of the middle counts. Sections are joined by straight lines.
    expect(volume / (Math.PI * 0.02 ** 2 * 0.3 * POLYGON)).toBeCloseTo(1, 3);
    const reach = 0.3 / q;
    const [x, y, z] = endOf(distal);
    expect(Math.hypot(x - 1, y - 2)).toBeCloseTo(reach * (1 - Math.cos(q)), 12);
    expect(z - 3).toBeCloseTo(reach * Math.sin(q), 12);
  });

  const volume = (section: object): object => ({ rod: { s: ['L', '2*L'] }, section, density: '1 kg/m^3' });
  const cartesian = ['x', 'y'];
  const polar = ['r', 'phi'];
  it.each([
    ['a tube', { section: { annulus: [0.01, 0.02], cartesian } }, Math.PI * 3e-4 * POLYGON],
    ['an ellipse', { section: { ellipse: [0.01, 0.02], cartesian } }, Math.PI * 2e-4 * POLYGON],
    [
      'an ellipse by radius and angle',
      { section: { ellipse: [0.01, 0.02], polar }, a: 'a*', b: 'b*' },
      Math.PI * 2e-4 * POLYGON,
    ],
    ['a tube by radius and angle', { section: { annulus: [0.01, 0.02], polar } }, Math.PI * 3e-4 * POLYGON],
    ['a rectangle', { section: { rectangle: [0.03, 0.02], cartesian } }, 6e-4],
  ])(
    'enclose %s that stretches',
    (_, { section, a = '', b = '' }: { section: object; a?: string; b?: string }, area) => {
      const [x, y] = 'polar' in section ? [`${a}r*cos(phi)`, `${b}r*sin(phi)`] : ['x', 'y'];
      const shape = shapeOf({
        parameters: { L: '0.1 m', a: '10 mm', b: '20 mm' },
        coordinates: { e: {} },
        volume: volume(section),
        position: [x, y, '(1 + e)*(s - L)'],
        distal: { pose: { xyz: [0, 0, '(1 + e)*L'] } },
      });
      const { vertices, distal } = shape.place([0.5], 0);
      expect(volumeWithin(vertices[0]!, shape.surfaces[0]!.triangles) / (area * 0.15)).toBeCloseTo(1, 7);
      expect(endOf(distal)[2]).toBeCloseTo(3.15, 14);
    },
  );

  it('enclose boxes and meshes', () => {
    const stretched = { coordinates: { e: {} }, compose: [{ map: ['x', 'y', '(1 + e)*z'] }], distal: 'none' };
    const box = shapeOf({ ...stretched, volume: { box: { x: [-0.01, 0.02], y: [0, 0.02], z: [0, 0.1] }, density: 1 } });
    const boxed = box.place([0.5], 0).vertices[0]!;
    expect(volumeWithin(boxed, box.surfaces[0]!.triangles) / (6e-4 * 0.15)).toBeCloseTo(1, 9);
    const nodes = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]; // prettier-ignore
    const mesh = shapeOf({
      ...stretched,
      volume: { mesh: { nodes, tetrahedra: [[0, 1, 2, 3], [1, 2, 3, 4]] }, density: 1 }, // prettier-ignore
    });
    const { triangles } = mesh.surfaces[0]!;
    expect(triangles).toHaveLength(18);
    expect(volumeWithin(mesh.place([0.5], 0).vertices[0]!, triangles)).toBeCloseTo(1.5 * (1 / 6 + 1 / 3), 12);
  });

  it('stand where rods given by their strain are', () => {
    const shape = shapeOf({ extends: 'pcs', parameters: { L: 0.3, R: 0.02, rho: 1000 } });
    // Bent about +x: a quarter of a circle towards −y.
    const { vertices, distal } = shape.place([Math.PI / 2, 0, 0, 0, 0, 0], 0);
    const reach = 0.6 / Math.PI;
    endOf(distal).forEach((value, axis) => expect(value).toBeCloseTo([1, 2 - reach, 3 + reach][axis]!, 12));
    expect(volumeWithin(vertices[0]!, shape.surfaces[0]!.triangles) / (Math.PI * 4e-4 * 0.3 * POLYGON)).toBeCloseTo(
      1,
      2,
    );
  });
});

it('tendons run through bent bodies along their routes', () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'pulled',
    links: [{ name: 'one', repeat: 2, body: 'planar-cc', parameters: { L: 0.3, R: 0.02, rho: 1000 } }],
    actuators: { cord: { tendon: { through: 'one', route: { x: 'R/2*cos(2*pi*S)', y: 'R/2*sin(2*pi*S)' } } } },
  });
  const shape = new RobotShape(robot);
  expect(shape.tendons).toEqual(['cord', 'cord']);
  const { tendons } = shape.place([0, 0.8], 0);
  const at = (part: number, k: number): number[] => [...tendons[part]!.subarray(3 * k, 3 * k + 3)];
  // Straight in the first body: half a turn of a helix.
  for (const k of [0, 13, 39]) {
    const share = k / 39;
    const [x, y] = [0.01 * Math.cos(Math.PI * share), 0.01 * Math.sin(Math.PI * share)];
    at(0, k).forEach((value, axis) => expect(value).toBeCloseTo([x, y, 0.3 * share][axis]!, 9));
  }
  // The other half about an arc of 0.8 rad; it begins where the first ends.
  at(1, 0).forEach((value, axis) => expect(value).toBeCloseTo(at(0, 39)[axis]!, 9));
  const reach = 0.3 / 0.8;
  const end = [
    reach * (1 - Math.cos(0.8)) + 0.01 * Math.cos(0.8),
    0,
    0.3 + reach * Math.sin(0.8) - 0.01 * Math.sin(0.8),
  ];
  at(1, 39).forEach((value, axis) => expect(value).toBeCloseTo(end[axis]!, 9));
});

it('surfaces with too many vertices are drawn coarser, closed and about as large', () => {
  const shape = shapeOf({
    coordinates: { e: {} },
    compose: [{ map: ['x', 'y', '(1 + e)*z'] }],
    distal: 'none',
    volume: { box: { x: [0, 0.1], y: [0, 0.2], z: [0, 0.3] }, density: 1 },
  });
  const vertices = shape.place([0], 0).vertices[0]!;
  const { triangles } = shape.surfaces[0]!;
  expect(coarseTriangles(triangles, vertices, 486)).toBe(triangles);
  const fewer = coarseTriangles(triangles, vertices, 300);
  expect(new Set(fewer).size).toBeLessThan(250);
  expect(Math.abs(volumeWithin(vertices, fewer) / 0.006 - 1)).toBeLessThan(0.2);
});

it('tendons run through bodies that are no rods', () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'pulled-block',
    'body-types': {
      block: {
        parameters: { L: '10 mm' },
        coordinates: { e: {} },
        volume: {
          box: { x: ['-10 mm', '10 mm'], y: ['-10 mm', '10 mm'], z: ['0 m', '0.1 m'] },
          density: '1000 kg/m^3',
        },
        compose: [{ elongation: { axis: 'z', displacement: 'e*z' } }],
        distal: { at: { z: '0.1 m' } },
      },
    },
    links: [{ name: 'one', body: 'block' }],
    actuators: {
      cord: {
        tendon: { through: 'one', route: { x: 'L*S', y: '5 mm' }, from: { z: '20 mm' }, to: { z: '80 mm' } },
        limits: ['0 N', '10 N'],
      },
    },
  });
  const { tendons } = new RobotShape(robot).place([0.5], 0);
  const [first, last] = [tendons[0]!.subarray(0, 3), tendons[0]!.subarray(-3)];
  // The elongation keeps the volume.
  const narrower = 1 / Math.sqrt(1.5);
  [0, 0.005 * narrower, 0.03].forEach((value, axis) => expect(first[axis]).toBeCloseTo(value, 12));
  [0.01 * narrower, 0.005 * narrower, 0.12].forEach((value, axis) => expect(last[axis]).toBeCloseTo(value, 12));
});

it('lines of rigid links run from their parents through their joints to their ends', () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'crane',
    links: [
      {
        name: 'mast',
        offset: { xyz: [1, 0, 0] },
        joint: { revolute: 'z' },
        rigid: { mass: 1, distal: { xyz: [0, 0, 2] } },
      },
      { name: 'boom', joint: { prismatic: 'x' }, rigid: { mass: 1, distal: { xyz: [3, 0, 0] } } },
    ],
  });
  const { lines } = new RobotShape(robot).place([Math.PI / 2, 0.5], 0);
  const rounded = lines.map((line) => line.map((point) => point.map((x) => Math.round(x * 1e9) / 1e9 + 0)));
  expect(rounded).toEqual([
    [[0, 0, 0], [1, 0, 0], [1, 0, 2]],
    [[1, 0, 2], [1, 0.5, 2], [1, 3.5, 2]],
  ]); // prettier-ignore
});

it('nothing carries what flies; what carries a body is a line', () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'swimmer',
    links: [
      { name: 'hull', joint: 'free', rigid: { mass: 1, distal: { xyz: [0, 0, 1] } } },
      { name: 'one', body: 'planar-cc' },
      { name: 'two', parent: 'hull', offset: { xyz: [0, 1, 0] }, body: 'planar-cc' },
    ],
  });
  const { lines } = new RobotShape(robot).place([1, 2, 3, 0, 0, 0, 0, 0], 0);
  expect(lines).toEqual([
    [[1, 2, 3], [1, 2, 4]],
    [[1, 2, 4], [1, 3, 4]],
  ]); // prettier-ignore
});

it('straight pieces of tendons end on frames, and on points of bodies', () => {
  const shape = new RobotShape(
    loadRobotObject({
      kanegen: 1,
      name: 'tethered',
      links: [{ name: 'soft', body: 'planar-cc', parameters: { L: 0.3, R: 0.02, rho: 1000 } }],
      actuators: {
        tether: { tendon: { path: [{ on: 'base', at: [0, 0.1, 0] }, { on: 'soft', at: { s: 'L/2', y: 'R' } }] } }, // prettier-ignore
      },
    }),
  );
  expect(shape.tendons).toEqual(['tether']);
  const q = 0.8;
  const [piece] = shape.place([q], 0).tendons;
  const reach = 0.3 / q;
  const end = [reach * (1 - Math.cos(q / 2)), 0.02, reach * Math.sin(q / 2)];
  [0, 0.1, 0, ...end].forEach((x, i) => expect(piece![i]).toBeCloseTo(x, 12));
});

it('lines run to where loops hold a rigid body beside its frame', () => {
  const rigid = { mass: 1, distal: { xyz: [0.2, 0, 0] } };
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'held',
    links: [
      { name: 'plate', joint: { revolute: 'z' }, rigid },
      { name: 'bar', parent: 'base', joint: { revolute: 'z' }, rigid },
    ],
    loops: { rope: { distance: { a: { on: 'plate', at: [0, 0.1, 0] }, b: 'bar', length: 0.3 } } },
  });
  const { lines } = new RobotShape(robot).place([Math.PI / 2, 0], 0);
  const rounded = lines.map((line) => line.map((point) => point.map((x) => Math.round(x * 1e9) / 1e9 + 0)));
  expect(rounded).toContainEqual([
    [0, 0.2, 0],
    [-0.1, 0.2, 0],
  ]);
});
