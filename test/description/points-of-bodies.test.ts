/** Material points that anchors and frames name lie in their bodies. */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';

const robot = (frame: string): string => `kanegen: 1
name: held
parameters: { reach: { value: 0.3 m, runtime: true }, middle: { value: 0.1 m, runtime: true } }
body-types:
  block:
    parameters: { a: 0.1 m }
    coordinates: { q: {} }
    volume: { box: { x: [0, a], y: [0, a], z: [-a, 0] }, density: 1000 kg/m^3 }
    position: [x + q*z, y, z]
    distal: none
  tube:
    extends: planar-cc
    volume: { rod: { s: [0, L] }, section: { annulus: [R/2, R], cartesian: [x, y] }, density: rho }
  flat:
    extends: planar-cc
    volume: { rod: { s: [0, L] }, section: { rectangle: [R, 2*R], cartesian: [x, y] }, density: rho }
links:
  - { name: rod, body: gvs-affine-planar, parameters: { L: 0.2, R: 0.02 } }
  - { name: cc, body: planar-cc, parameters: { L: 0.15 m, R: 10 mm } }
  - { name: hollow, body: tube, parameters: { L: 0.15 m, R: 10 mm } }
  - { name: strip, body: flat, parameters: { L: 0.15 m, R: 10 mm } }
  - { name: cube, body: block }
frames:
  point: { ${frame} }
`;

describe('a point of a body', () => {
  it.each([
    'on: rod, at: { s: L }',
    'on: rod, at: { s: middle, x: 5*R }',
    'on: cc, at: { x: R }',
    'on: cc, at: { s: middle, x: 0.6*R, y: -0.8*R }',
    'on: hollow, at: { s: L/2 }',
    'on: strip, at: { s: L/2, x: R/2, y: R }',
    'on: cube, at: { z: -a, x: a }',
  ])('may lie at its boundary, and beside or within a rigid section: %s', (frame) => {
    expect(loadRobotText(robot(frame), 'held.robot.yaml').frames.at(-1)!.name).toBe('point');
  });

  it.each([
    ['on: rod, at: { s: 1.01*L }', '24:30', '`s` is 0.202 here, and the body of gvs-affine-planar goes from 0 to 0.2'],
    ['on: cc, at: { s: reach }', '24:29', '`s` is 0.3 here, and the body of planar-cc goes from 0 to 0.15'],
    ['on: cc, at: { s: -L/2, x: R }', '24:29', '`s` is -0.075 here, and the body of planar-cc goes from 0 to 0.15'],
    ['on: cc, at: { x: 0.8*R, y: 0.8*R }', '24:24', 'the section of planar-cc does not reach this point'],
    ['on: hollow, at: { y: 1.1*R }', '24:28', 'the section of tube does not reach this point'],
    ['on: strip, at: { x: R }', '24:27', 'the section of flat does not reach this point'],
    ['on: cube, at: { x: 2*a, z: -a/2 }', '24:31', '`x` is 0.2 here, and the body of block goes from 0 to 0.1'],
  ])('is refused elsewhere: %s', (frame, place, message) => {
    const work = (): unknown => loadRobotText(robot(frame), 'held.robot.yaml');
    const [line, column] = place.split(':').map(Number);
    expect(work).toThrow(
      expect.objectContaining({
        code: 'wrong-value',
        message: expect.stringContaining(message) as string,
        remedy: expect.stringContaining('write a point of the body') as string,
        location: expect.objectContaining({ line, column }) as object,
      }),
    );
  });

  it('is refused of anchors, too', () => {
    const anchored = (at: string): string =>
      robot('on: rod').replace(
        /frames:[^]*/,
        `actuators: { pull: { tendon: { path: [ { on: base }, { on: rod, at: ${at} } ] } } }\n`,
      );
    expect(loadRobotText(anchored('{ s: L/2, x: R }'), 'held.robot.yaml').actuators).toHaveLength(1);
    expect(() => loadRobotText(anchored('{ s: 2*L, x: R }'), 'held.robot.yaml')).toThrow(/`s` is 0\.4 here/);
  });
});
