/** Bodies without a sound shape at their defaults: named, located, and only then. */
import { describe, expect, it } from 'vitest';
import { loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import { KanegenError } from '../../src/common/error.ts';

const CYLINDER = '{ rod: { z: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }';

function body(kinematics: string, volume = CYLINDER, coordinates = 'q: {}'): string {
  return `
kanegen: 1
name: test
functions: { smooth(t): 3*t^2 - 2*t^3 }
body-types:
  own:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1000 kg/m^3 }
    coordinates: { ${coordinates} }
    volume: ${volume}
    ${kinematics}
    distal: none
links: [{ body: own }]
`;
}

function mistake(text: string): KanegenError | undefined {
  try {
    loadRobotText(text, 'test.yaml');
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  return undefined;
}

const elongation = (displacement: string): string =>
  `compose: [{ elongation: { axis: z, displacement: '${displacement}' } }]`;

describe('a mode outside of its domain', () => {
  it.each<readonly [string, string, string, string, string]>([
    [
      'an elongation that turns the body inside out',
      elongation('q*L*smooth(z/L)'),
      CYLINDER,
      'q: { default: -0.7 }',
      'elongation.displacement',
    ],
    [
      'a bending sharper than the body is thin',
      'compose: [{ bending: { axis: z, direction: x, curvature: q/L } }]',
      CYLINDER,
      'q: { default: 6 }',
      'bending.curvature',
    ],
    [
      'a deflection sharper than the body is thin',
      'compose: [{ bending: { axis: z, direction: y, deflection: q*z^2/L } }]',
      CYLINDER,
      'q: { default: 6 }',
      'bending.deflection',
    ],
    ['a cavity in a full cylinder', 'compose: [{ cavity: { axis: z, growth: q*L*z } }]', CYLINDER, 'q: {}', 'cavity'],
    [
      'a sink larger than the hole',
      'compose: [{ cavity: { axis: z, growth: q*R*z } }]',
      CYLINDER.replace('disc: R', 'annulus: [R/2, R]'),
      'q: { default: -0.1 }',
      'cavity.growth',
    ],
  ])('is %s', (_, kinematics, volume, coordinates, path) => {
    const error = mistake(body(kinematics, volume, coordinates));
    expect(error?.code).toBe('outside-domain');
    expect(error?.location).toMatchObject({ file: 'test.yaml', line: 10, path: `body-types.own.compose[0].${path}` });
    expect(error?.message).toMatch(/ = .* = .* = /);
    expect(error?.remedy).toBeTruthy();
  });

  it('is none when the defaults are inside', () => {
    expect(mistake(body(elongation('q*L*smooth(z/L)'), CYLINDER, 'q: { default: -0.6 }'))).toBeUndefined();
    const pipe = CYLINDER.replace('disc: R', 'annulus: [R/2, R]');
    expect(mistake(body('compose: [{ cavity: { axis: z, growth: q*L*z } }]', pipe))).toBeUndefined();
  });
});

describe('a body that folds', () => {
  it.each<readonly [string, string, string]>([
    ['across a section', "position: [x*(1 - 2*z/L), y, 'z + q*L']", CYLINDER],
    ['by a mirror image', "position: ['-x', y, 'z + q*L']", CYLINDER],
    ['into a plane', "position: [x, 0, 'z + q*L']", CYLINDER],
    ['in a step of the user', "compose: [{ map: [x, y, 'z - 3*L*(z/L)^2 + q*L'] }]", CYLINDER],
    [
      'in a box',
      "position: [x, y, 'z*(1 - 8*x/L) + q*L']",
      '{ box: { x: [-R, 2*R], y: [-R, R], z: [0, L] }, density: rho }',
    ],
    [
      'in polar coordinates',
      "position: ['r*cos(phi)', '-r*sin(phi)', 'z + q*L']",
      '{ rod: { z: [0, L] }, section: { disc: R, polar: [r, phi] }, density: rho }',
    ],
  ])('%s is refused at its kinematics', (_, kinematics, volume) => {
    const error = mistake(body(kinematics, volume));
    expect(error?.code).toBe('folded-body');
    expect(error?.location).toMatchObject({ file: 'test.yaml', line: 10 });
  });

  it('within one tetrahedron of a mesh is found', () => {
    const mesh =
      '{ mesh: { nodes: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], tetrahedra: [[0, 1, 2, 3]] }, density: rho }';
    expect(mistake(body("position: [x, y, 'z + q*L']", mesh))).toBeUndefined();
    expect(mistake(body("position: [x, y, '-z + q*L']", mesh))?.code).toBe('folded-body');
  });

  it('is judged by the numbers of each link', () => {
    const text = (factor: number): string =>
      body("position: [x, y, 'z + f*z + q*L']").replace('rho: 1000 kg/m^3', `rho: 1000 kg/m^3, f: ${factor}`);
    expect(mistake(text(1))).toBeUndefined();
    expect(mistake(text(-2))?.code).toBe('folded-body');
    const links = 'links: [{ body: own }, { body: own, parameters: { f: -2 } }]';
    expect(
      mistake(
        text(1)
          .replace(/distal: none/, 'distal: { pose: {} }')
          .replace(/links: .*/, links),
      )?.code,
    ).toBe('folded-body');
  });

  it('is not one whose formula has no value of its own at the default', () => {
    const links = [{ body: 'planar-cc' }, { body: 'pcc-3d-by-position' }, { body: 'planar-cc-elongation' }];
    expect(() => loadRobotObject({ kanegen: 1, name: 'test', links })).not.toThrow();
  });

  it('is not one whose coordinates stand for the axes in another order', () => {
    const sideways = '{ rod: { s: [0, L] }, section: { disc: R, cartesian: [y, z] }, density: rho }';
    expect(mistake(body("position: ['s + q*L', y, z]", sideways))).toBeUndefined();
  });
});
