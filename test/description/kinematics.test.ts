/** Volumes and kinematics of every kind, from the text of a robot file to the model. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRobotFile, loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import {
  alignedRods,
  rodOf,
  TIME,
  type BodyKinematics,
  type BodyType,
  type DeformableBody,
  type Robot,
} from '../../src/description/model/robot.ts';
import type { BoxVolume, MeshVolume, RodVolume } from '../../src/description/model/reference-volume.ts';
import { DEFAULT_INTEGRATION } from '../../src/description/model/reference-volume.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { symbol, type Expr } from '../../src/symbolic/graph/expr.ts';
import { toText } from '../../src/symbolic/formulas/print.ts';

const folder = mkdtempSync(join(tmpdir(), 'kanegen-language-'));
afterAll(() => rmSync(folder, { recursive: true }));

function robotOf(bodyTypes: string, links: string): Robot {
  return loadRobotText(
    `kanegen: 1\nname: test\nbody-types:\n${bodyTypes}\nlinks: ${links}\n`,
    join(folder, 'test.yaml'),
  );
}

/** The type `b` of these, as the only link has it. */
function bodyType(text: string): BodyType {
  return (robotOf(text, '[ { body: b } ]').links[0]!.body as DeformableBody).type;
}

type Kind<K> = BodyKinematics & { readonly kind: K };
const body = (name: string): Expr => symbol(`body.${name}`);
const material = (name: string): Expr => symbol(`material.${name}`);
const at = (values: Record<string, number>, points: Record<string, number> = {}): Map<Expr, number> =>
  new Map([
    ...Object.entries(values).map(([name, value]) => [body(name), value] as const),
    ...Object.entries(points).map(([name, value]) => [material(name), value] as const),
  ]);

const ROD = `
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }`;

describe('volumes', () => {
  it('are rods with polar sections, whose angle has no dimension, and breaks in any coordinate', () => {
    const type = bodyType(`  b:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: {} }
    volume:
      rod: { s: [0, L] }
      section: { disc: R, polar: [r, phi] }
      density: rho
      breaks: { phi: [pi, 3*pi/2], s: [L/2] }
    position: [r*(1 + q*phi)*cos(phi), r*sin(phi), s]
    distal: { pose: { xyz: [0, 0, L] } }`);
    const volume = type.volumes[0] as RodVolume;
    expect([volume.kind, volume.coordinates, ...volume.section.map((e) => e.name)]).toEqual([
      'rod',
      'polar',
      'material.r',
      'material.phi',
    ]);
    expect([...volume.breaks].map(([coordinate, values]) => [coordinate.name, evaluate(values, at({ L: 3 }))])).toEqual(
      [
        ['material.phi', [Math.PI, 1.5 * Math.PI]],
        ['material.s', [1.5]],
      ],
    );
    expect(alignedRods(type)).toBeUndefined();
  });

  it('are alike for closed forms only where they have the same axis, length and section coordinates', () => {
    const aligned = (other: string): number | undefined =>
      alignedRods(
        bodyType(`  b:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: { unit: rad } }
    volumes:
      core: { rod: { s: [0, L] }, section: { ellipse: [R, R/2] }, density: rho }
      other: { rod: ${other}, density: rho }
    position: [x + q*s, y, s]
    distal: none`),
      )?.length;
    expect(aligned('{ s: [0, L] }, section: { disc: R/4, cartesian: [x, y] }')).toBe(2);
    expect(aligned('{ s: [0, L/2] }, section: { disc: R/4, cartesian: [x, y] }')).toBeUndefined();
    expect(aligned('{ x: [0, L] }, section: { disc: R/4, cartesian: [y, s] }')).toBeUndefined();
  });

  it('have a dimensionless radius in ellipses with polar coordinates, and lengths as radii of discs', () => {
    const text = (section: string, radius: string): string => `  b:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: {} }
    volume: { rod: { s: [0, L] }, section: { ${section}, polar: [r, phi] }, density: rho }
    position: [${radius}*cos(phi), ${radius}*sin(phi), s*(1 + q)]
    distal: none`;
    expect(bodyType(text('ellipse: [R, 2*R]', 'R*r')).volumes).toHaveLength(1);
    expect(bodyType(text('disc: R', 'r')).volumes).toHaveLength(1);
    expect(() => bodyType(text('ellipse: [R, 2*R]', 'r'))).toThrow(/a position must be a length/);
    expect(() => bodyType(text('disc: R', 'R*r'))).toThrow(/a position must be a length/);
  });

  it('are several under one map, by name, sharing their coordinates', () => {
    const type = bodyType(`  b:
    parameters: { a: 0.1 m }
    coordinates: { q: {} }
    volumes:
      skin:
        mesh: { nodes: [[0, 0, 0], [20, 0, 0], [0, 20, 0], [0, 0, 20]], tetrahedra: [[0, 1, 2, 3]], unit: mm }
        density: 1070 kg/m^3
      core: { box: { z: [0, a], x: [-a/4, a/4], y: [-a/4, a/4] }, density: 2.7 g/cm^3 }
      tube: { rod: { z: [0, a] }, section: { annulus: [a/8, a/4] }, density: 1000 kg/m^3 }
    position: [x + q*z, y, z]
    distal: { pivot: { z: a }, x-axis: { x: a, z: a }, y-axis: { y: a, z: a } }`);
    expect(type.volumes.map((volume) => volume.kind)).toEqual(['mesh', 'box', 'rod']);
    const [mesh, box, rod] = type.volumes as [MeshVolume, BoxVolume, RodVolume];
    expect([...mesh.mesh.nodes]).toEqual([0, 0, 0, 0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02]);
    expect(mesh.axes).toEqual([material('x'), material('y'), material('z')]);
    expect(box.axes).toEqual([material('z'), material('x'), material('y')]);
    expect(rod.section).toEqual([material('x'), material('y')]);
    expect(evaluate([mesh.density, box.density, rod.density])).toEqual([1070, 2700, 1000]);
  });

  it('inherited as one are replaced by several, and the other way round', () => {
    const several = `${ROD.replace('volume: {', 'volumes: { all: {')} }`;
    const map = `\n    position: [x, y, s*(1 + q)]\n    distal: none`;
    const one = `volume: { rod: { s: [0, 2*L] }, section: { disc: R }, density: rho }`;
    expect(bodyType(`  a:${several}${map}\n  b: { extends: a, ${one} }`).volumes).toHaveLength(1);
    expect(bodyType(`  a:${ROD}${map}\n  b: { extends: a, volumes: { one: ${one.slice(8)} } }`).volumes).toHaveLength(
      1,
    );
  });
});

const MESH = `$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
3 7 "rubber"
$EndPhysicalNames
$Entities
0 0 0 2
1 0 0 0 1 1 1 1 7 0
2 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
1 5 1 5
3 1 0 5
1
2
3
4
5
0 0 0
20 0 0
0 20 0
0 0 20
20 20 20
$EndNodes
$Elements
2 2 1 2
3 1 4 1
1 1 2 3 4
3 2 4 1
2 2 5 3 4
$EndElements
`;

/** A network of one layer in the safetensors format. */
function safetensors(inputs: number, outputs: number): Uint8Array {
  const weights = Float64Array.from({ length: inputs * outputs }, (_, i) => i);
  const biases = new Float64Array(outputs);
  const end = weights.byteLength + biases.byteLength;
  const header = JSON.stringify({
    'layer0.weight': { dtype: 'F64', shape: [outputs, inputs], data_offsets: [0, weights.byteLength] },
    'layer0.bias': { dtype: 'F64', shape: [outputs], data_offsets: [weights.byteLength, end] },
  });
  const length = new DataView(new ArrayBuffer(8));
  length.setBigUint64(0, BigInt(header.length), true);
  return Buffer.concat(
    [length, Buffer.from(header), weights, biases].map(
      (p) => new Uint8Array('buffer' in p ? p.buffer.slice(p.byteOffset, p.byteOffset + p.byteLength) : p),
    ),
  );
}

describe('files that body types mention', () => {
  const lab = join(folder, 'lab');
  mkdirSync(lab);
  writeFileSync(join(lab, 'part.msh'), MESH);
  writeFileSync(join(lab, 'map.safetensors'), safetensors(2, 3));
  writeFileSync(join(lab, 'wide.safetensors'), safetensors(2, 4));
  const SOLID = `
    parameters: { L: 20 mm }
    coordinates: { q: {} }
    volume: { mesh: { file: part.msh, unit: mm, group: rubber }, density: 1000 kg/m^3 }
    position: [x + q*z, y, z]
    distal: none`;
  writeFileSync(join(lab, 'bodies.yaml'), `kanegen: 1\nbody-types:\n  solid:${SOLID}\n`);
  const fromLab = (): Robot =>
    loadRobotText(
      'kanegen: 1\nname: t\nimport: { lab: lab/bodies.yaml }\nbody-types:\n  b: { extends: lab.solid, summary: more }\nlinks: [ { body: b } ]',
      join(folder, 'test.yaml'),
    );

  it('are found beside the file that mentions them, through imports and `extends`', () => {
    const { type } = fromLab().links[0]!.body as DeformableBody;
    const { mesh } = type.volumes[0] as MeshVolume;
    expect([...mesh.tetrahedra]).toEqual([0, 1, 2, 3]);
    expect(Math.max(...mesh.nodes)).toBe(0.02);
    expect(mesh.source).toBe('part.msh');
  });

  it('are part of the sources that the hash of the robot stands for', () => {
    const before = fromLab().source.hash;
    expect(fromLab().source.hash).toBe(before);
    writeFileSync(join(lab, 'part.msh'), MESH.replace('0 0 20\n20', '0 0 21\n20'));
    expect(fromLab().source.hash).not.toBe(before);
    writeFileSync(join(lab, 'part.msh'), MESH);
  });

  const learned = (file: string, inputs: string): string => `  b:${ROD}
    network: { file: ${file}, inputs: ${inputs}, offset: [x, y, s], output-activation: tanh }
    distal: { pose: { xyz: [0, 0, L] } }`;

  it('hold learned kinematics, with one formula per input', () => {
    const { kinematics } = bodyType(learned('lab/map.safetensors', '[s/L, q]'));
    const { network, inputs, offset } = kinematics as Kind<'network'>;
    expect(network.layers.map((layer) => [layer.inputs, layer.outputs, layer.activation])).toEqual([[2, 3, 'tanh']]);
    expect(inputs.map((input) => evaluate([input], at({ L: 4, q: 0.5 }, { s: 1 }))[0])).toEqual([0.25, 0.5]);
    expect(offset).toEqual([material('x'), material('y'), material('s')]);
  });

  it.each([
    ['inputs of another number', learned('lab/map.safetensors', '[s/L, q, 1]'), 'bad-network', /2 inputs, not 3/],
    ['outputs that are no position', learned('lab/wide.safetensors', '[s/L, q]'), 'bad-network', /4 outputs/],
    ['a file that is no network', learned('lab/part.msh', '[s/L, q]'), 'bad-network', /format/],
    ['no file', learned('lab/none.onnx', '[s/L, q]'), 'missing-file', /no such file/],
    ['an address', learned('"https://a.b/c.onnx"', '[s/L, q]'), 'not-supported', /address/],
    [
      'a group that is not there',
      `  b:${SOLID.replace('part.msh', 'lab/part.msh').replace('group: rubber', 'group: ruber')}`,
      'bad-mesh',
      /ruber/,
    ],
    ['no mesh', `  b:${SOLID.replace('part.msh', 'lab/none.msh')}`, 'missing-file', /no such file/],
  ])('are refused with %s', (_, text, code, message) => {
    try {
      bodyType(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code, location: { file: join(folder, 'test.yaml') } });
      expect((error as Error).message).toMatch(message);
    }
  });
});

describe('rods by strain', () => {
  it('have any strain along the rod, with the rest shape apart', () => {
    const type = bodyType(`  b:${ROD}
    rest: { bend-y: 0.1/L, twist: s/L/L }
    strain: { bend-y: q*exp(-s/L)/L, stretch: q*s/L }`);
    const { angular, linear, rest } = type.kinematics as Kind<'strain'>;
    const values = at({ L: 0.5, q: 2 }, { s: 0.25 });
    expect(evaluate([...rest.angular, ...rest.linear], values)).toEqual([0, 0.2, 1, 0, 0, 1]);
    const [, bending, twist, , , stretch] = evaluate([...angular, ...linear], values);
    expect(bending).toBeCloseTo(0.2 + (2 * Math.exp(-0.5)) / 0.5, 14);
    expect([twist, stretch]).toEqual([1, 2]);
  });

  it('divide the rod where a formula changes at a fixed place, and not where the place moves', () => {
    const type = bodyType(`  b:${ROD}
    strain: { bend-y: "select(s < L/2, q/L, 0) + select(s < q*L, 1/L, 0)" }`);
    const { breaks, axial } = rodOf(type);
    expect(breaks.get(axial)!.map((e) => evaluate([e], at({ L: 0.2 }))[0])).toEqual([0.1]);
  });

  it('may consist of several rods over the same length', () => {
    const volumes = (end: string): string => `  b:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: { unit: rad } }
    volumes:
      core: { rod: { s: [0, L] }, section: { disc: R/4 }, density: 7800 kg/m^3 }
      cover: { rod: { s: [0, ${end}] }, section: { annulus: [R/4, R] }, density: rho }
    strain: { bend-y: q*s/L/L }`;
    expect(bodyType(volumes('L')).volumes.map((volume) => (volume as RodVolume).shape.shape)).toEqual([
      'disc',
      'annulus',
    ]);
    expect(() => bodyType(volumes('L/2'))).toThrow(/rods over the same length/);
  });

  it('may have sections that deform', () => {
    const type = bodyType(`  b:${ROD.replace('disc: R', 'disc: R, polar: [r, phi]')}
    strain: { bend-y: q/L }
    section-position: [r*(1 + q)*cos(phi), r*sin(phi)]`);
    // Bent by a quarter of a circle, with sections twice as wide along x.
    const [x, y, z] = evaluate(
      (type.kinematics as Kind<'position'>).position,
      at({ L: Math.PI / 2, q: Math.PI / 2 }, { s: Math.PI / 2, r: 0.25, phi: 0 }),
    );
    const width = 0.25 * (1 + Math.PI / 2);
    expect(Math.max(Math.abs(x! - 1), Math.abs(y!), Math.abs(z! - (1 - width)))).toBeLessThan(1e-14);
  });

  it('have a material whose shear modulus follows from the ratio of Poisson, 1/2 included', () => {
    const text = (elasticity: string, damping: string): BodyType =>
      bodyType(`  b:${ROD}
    strain: { bend-y: q/L }
    material: { rod-elasticity: { E: 3 MPa, ${elasticity} }${damping} }`);
    const rubber = text('nu: 0.5', ', retardation-time: 0.1 s').materials![0]!;
    if (rubber.law !== 'rod-elasticity') throw new Error('moduli expected');
    expect(evaluate([rubber.youngsModulus, rubber.shearModulus, ...rubber.shearFactors])).toEqual([3e6, 1e6, 1, 1]);
    expect(rubber.damping!.viscosity).toBeUndefined();
    expect(evaluate([rubber.damping!.retardationTime!])).toEqual([0.1]);
    const other = text('G: 2 MPa, shear-factor: 5/6', ', viscosity: 300 Pa s').materials![0]!;
    if (other.law !== 'rod-elasticity') throw new Error('moduli expected');
    expect(evaluate([other.shearModulus, ...other.shearFactors, other.damping!.viscosity!])).toEqual([
      2e6,
      5 / 6,
      5 / 6,
      300,
    ]);
    expect(text('nu: 0', '').materials![0]!.damping).toBeUndefined();
  });

  it('drop what belonged to them where a body that extends them moves otherwise', () => {
    const parent = `  a:${ROD}
    rest: { bend-y: 1/L }
    strain: { bend-y: q/L }
    material: { rod-elasticity: { E: 3 MPa, nu: 0 } }
    integration: { magnus: 4 }`;
    const same = bodyType(`${parent}\n  b: { extends: a, strain: { bend-x: q/L } }`);
    expect([same.materials?.[0]?.law, same.integration.magnus]).toEqual(['rod-elasticity', 4]);
    expect(evaluate((same.kinematics as Kind<'strain'>).rest.angular, at({ L: 0.5 }))).toEqual([0, 2, 0]);
    const other = bodyType(
      `${parent}\n  b: { extends: a, compose: [ twist: { axis: z, angle: q*s/L } ], distal: none }`,
    );
    expect([other.kinematics.kind, other.materials, other.integration]).toEqual([
      'position',
      undefined,
      DEFAULT_INTEGRATION,
    ]);
  });
});

describe('composed deformations', () => {
  it('act on the Cartesian coordinates of rods, the axial one last, whatever they are called', () => {
    const twisted = (section: string): Kind<'position'> =>
      bodyType(`  b:${ROD.replace('disc: R', section)}
    compose: [ twist: { axis: z, angle: q*s/L } ]
    distal: { pivot: { s: L }, ${section.includes('polar') ? 'x-axis: { s: L, r: R }, y-axis: { s: L, r: R, phi: 90 deg }' : 'x-axis: { s: L, u: R }, y-axis: { s: L, v: R }'} }`)
        .kinematics as Kind<'position'>;
    const values = { L: 2, q: Math.PI, R: 0.5 };
    const expected = [-Math.sin(0.25) * 0.3, Math.cos(0.25) * 0.3, 1];
    const cartesian = evaluate(
      twisted('disc: R, cartesian: [u, v]').position,
      at(values, { u: Math.cos(0.25) * 0.3, v: Math.sin(0.25) * 0.3, s: 1 }),
    );
    const polar = evaluate(twisted('disc: R, polar: [r, phi]').position, at(values, { r: 0.3, phi: 0.25, s: 1 }));
    expected.forEach((value, i) => {
      expect(cartesian[i]).toBeCloseTo(value, 14);
      expect(polar[i]).toBeCloseTo(value, 14);
    });
  });

  it('take x, y and z by their names in boxes, in whatever order they are given', () => {
    const { kinematics } = bodyType(`  b:
    parameters: { a: 1 m }
    coordinates: { q: {} }
    volume: { box: { z: [0, a], y: [0, a], x: [0, a] }, density: 1 }
    compose: [ shear: { axis: z, direction: x, displacement: q*z } ]
    distal: none`);
    const { position } = kinematics as Kind<'position'>;
    expect(evaluate(position, at({ q: 2 }, { x: 1, y: 10, z: 100 }))).toEqual([201, 10, 100]);
  });
});

describe('time', () => {
  it('is what formulas of a body call t, and makes an input of the robot', () => {
    const robot = robotOf(
      `  b:${ROD.replace('L:', 'w: 3 rad/s, L:')}
    let: { swing: sin(w*t) }
    strain: { bend-y: (q + swing)/L }`,
      '[ { body: planar-cc }, { body: b } ]',
    );
    expect(robot.parameters).toEqual([]);
    expect(robot.time).toEqual(TIME);
    expect(robot.links.map(({ body: b }) => b.kind === 'deformable' && b.type.time?.name)).toEqual([
      undefined,
      'body.t',
    ]);
    expect(toText((robot.links[1]!.body as DeformableBody).type.time!)).toMatch(/t/);
  });

  it('is a time in seconds for the check of dimensions', () => {
    expect(() => bodyType(`  b:${ROD}\n    strain: { bend-y: (q + t)/L }`)).toThrow(/a time \(s\)/);
  });

  it.each([
    ['a coordinate', ROD.replace('q: {', 't: { unit: rad }, q: {'), 't*q/L'],
    ['a parameter', ROD.replace('L:', 't: 3, L:'), 't*q/L'],
    ['an abbreviation', `${ROD}\n    let: { t: 2*q }`, 't/L'],
    ['the argument of a function', ROD, 'q*twice(2)/L'],
  ])('is not meant where t is the name of %s', (_, text, formula) => {
    const robot = loadRobotText(
      `kanegen: 1\nname: t\nfunctions: { twice(t): 2*t }\nbody-types:\n  b:${text}\n    strain: { bend-y: ${formula} }\nlinks: [ { body: b } ]`,
      't.yaml',
    );
    expect(robot.time).toBeUndefined();
  });

  it('is unknown outside of the kinematics', () => {
    expect(() => bodyType(`  b:${ROD.replace('disc: R', 'disc: R*t')}\n    strain: { bend-y: q/L }`)).toThrow(
      /unknown symbol `t`/,
    );
    expect(() => bodyType(`  b:${ROD}\n    rest: { bend-y: t/t/L }\n    strain: { bend-y: q/L }`)).not.toThrow();
    expect(() => bodyType(`  b:${ROD}\n    rest: { bend-y: sin(3*t)/L }\n    strain: { bend-y: q/L }`)).toThrow();
  });
});

describe('integration', () => {
  it('is chosen by the compiler unless the type says how, wholly or in part', () => {
    const choice = (text: string): BodyType['integration'] =>
      bodyType(`  b:${ROD}\n    strain: { bend-y: q/L }${text}`).integration;
    expect(choice('')).toEqual(DEFAULT_INTEGRATION);
    expect(choice('\n    integration: quadrature')).toEqual({ ...DEFAULT_INTEGRATION, method: 'quadrature' });
    const all = '{ method: quadrature, tolerance: 1e-9, compress: false, magnus: 4, points: 12, recursion: jacobian }';
    expect(choice(`\n    integration: ${all}`)).toEqual({
      method: 'quadrature',
      tolerance: 1e-9,
      compress: false,
      magnus: 4,
      points: 12,
      recursion: 'jacobian',
    });
  });

  it('is part of objects from TypeScript too', () => {
    const robot = loadRobotObject({
      kanegen: 1,
      name: 't',
      'body-types': { b: { extends: 'pcs', integration: { method: 'quadrature', points: 7 } } },
      links: [{ body: 'b' }],
    });
    expect((robot.links[0]!.body as DeformableBody).type.integration.points).toBe(7);
  });
});

it('a robot file names its mesh relative to itself', () => {
  const path = join(folder, 'lab', 'robot.yaml');
  writeFileSync(
    path,
    'kanegen: 1\nname: t\nbody-types:\n  b:\n    coordinates: { q: {} }\n    volume: { mesh: { file: ./part.msh, unit: mm }, density: 1 }\n    position: [x + q*z, y, z]\n    distal: none\nlinks: [ { body: b } ]\n',
  );
  const { type } = loadRobotFile(path).links[0]!.body as DeformableBody;
  expect((type.volumes[0] as MeshVolume).mesh.tetrahedra).toHaveLength(8);
});
