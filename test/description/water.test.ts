/** `water:` of robot files: what it makes of links, and what it refuses. */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { waterOf } from '../../src/description/model/what-acts.ts';
import { foldConstant } from '../../src/symbolic/evaluation/evaluate.ts';

const robot = (water: string): string => `
kanegen: 1
name: wet
parameters: { flow: { value: 0.2 m/s, runtime: true } }
body-types:
  block:
    parameters: { a: 0.1 m }
    coordinates: { q: {} }
    volume: { box: { x: [0, a], y: [0, a], z: [0, a] }, density: 1000 }
    position: [x*(1 + q), y, z]
    distal: { pose: { xyz: [0, 0, a] } }
  halves:
    extends: planar-cc
    volumes:
      core: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
      sleeve: { rod: { s: [0, L/2] }, section: { disc: 2*R }, density: rho }
  bar: { extends: planar-cc, volume: { rod: { s: [0, L] }, section: { rectangle: [R, 2*R] }, density: rho } }
links:
  - { name: table, joint: { revolute: y }, rigid: { mass: 1 } }
  - { name: arm, body: planar-cc, repeat: 2 }
  - { name: bar, body: bar }
  - { name: block, body: block }
  - { name: halves, body: halves }
water: ${water}
`;
const load = (water: string) => loadRobotText(robot(water), 'wet.robot.yaml');

describe('water', () => {
  it('is around the links that it names, with their numbers', () => {
    const { links, current } = load(
      '{ density: 1025 kg/m^3, on: [arm, bar], radius: 20 mm, drag: { normal: 1.1 }, added-mass: { coefficient: 0.9, form: normal-acceleration }, current: [flow, 0, 0] }',
    );
    expect(links.map(({ water }) => water !== undefined)).toEqual([false, true, true, true, false, false]);
    const { density, drag, addedMass, radius, buoyancy, linearDrag } = links[2]!.water!;
    expect([density, drag!.normal, drag!.tangential, addedMass!.coefficient, radius!].map(foldConstant)).toEqual([
      1025, 1.1, 0, 0.9, 0.02,
    ]);
    expect([drag!.form, addedMass!.form, buoyancy, linearDrag]).toEqual([
      'separate',
      'normal-acceleration',
      true,
      undefined,
    ]);
    expect(current![0]).toMatchObject({ name: 'robot.flow' });
    expect(waterOf({ links })).toEqual({ forces: true, addedMass: true, wet: true, placed: false });
  });

  it('may be several, each around links of its own', () => {
    const { links, current } = load(
      '[{ density: 1000, on: arm1, drag: { normal: 1, lift: -0.1 } }, { density: 800, on: [arm2, bar], radius: 20 mm, current: [flow, 0, 0] }]',
    );
    expect(links.map(({ water }) => water && foldConstant(water.density))).toEqual([
      ...[undefined, 1000, 800, 800],
      ...[undefined, undefined],
    ]);
    expect(foldConstant(links[1]!.water!.drag!.lift!)).toBe(-0.1);
    expect(links[1]!.water!.radius).toBeUndefined();
    expect(current![0]).toMatchObject({ name: 'robot.flow' });
    expect(load('[{ density: 1000, on: arm }]').links[2]!.water).toBeDefined();
  });

  it('acts at one place, and at as many as there may be', () => {
    for (const points of [1, 10_000])
      expect(load(`{ density: 1000, on: arm, points: ${points} }`).links[1]!.water!.points).toBe(points);
    // Nothing is wrong with zero where it is one of several.
    expect(load('{ density: 1000, on: arm, drag: { normal: 0, tangential: 0.1 } }').links[1]!.water).toBeDefined();
  });

  it.each([
    ['{ density: 1000, on: arms }', /unknown link `arms`.*did you mean `arm`/s],
    ['{ density: 1000, on: table }', /`table` is rigid/],
    ['{ density: 1000, on: block }', /`block` has no centreline: it is not a rod/],
    ['{ density: 1000, on: halves }', /several volumes that are not rods over one length/],
    ['{ density: 1000, on: [arm, block] }', /`block` has no centreline/],
    ['{ density: 1000 }', /`bar` has no round section.*radius/s],
    ['{ density: 1000, on: [arm, arm1] }', /`arm1` appears twice in this list/],
    ['{ density: -1000, on: arm }', /the density of the water is -1000.*above zero/s],
    ['{ density: 0, on: arm }', /the density of the water is 0/],
    ['{ density: 1000 kg, on: arm }', /must be a density|kg\/m\^3/],
    ['{ density: 1000, on: arm, drag: { normal: -1 } }', /a drag coefficient is -1.*oppose motion/s],
    ['{ density: 1000, on: arm, drag: { tangential: 1 } }', /normal/],
    ['{ density: 1000, on: arm, drag: { normal: 1, form: square } }', /separate|common/],
    ['{ density: 1000, on: arm, linear-drag: { normal: 1 N } }', /a coefficient of linear drag must be/],
    ['{ density: 1000, on: arm, added-mass: -1 }', /the coefficient of added mass is -1/],
    ['{ density: 1000, on: arm, added-mass: { coefficient: 1, form: kirchhoff } }', /lagrange/],
    ['{ density: 1000, on: arm, buoyancy: false }', /`water` has no drag, buoyancy or added mass/],
    ['{ density: 1000, on: arm, radius: 0 }', /the radius is 0/],
    ['{ density: 1000, on: arm, current: [1, 0] }', /list of 3|three|\[x, y, z\]/],
    ['{ density: 1000, on: arm, points: 0 }', /points|1/],
    ['{ density: 1000, on: arm, points: 1e9, drag: { normal: 1 } }', /cannot have 1000000000 points.*from 1 to 10000/s],
    ['{ on: arm }', /density/],
    ['{ density: 1000, on: arm, drag: { normal: 1, lift: 1 m } }', /the coefficient of lift must be/],
    ['{ density: 1000, on: arm, drag: { normal: 1, lifts: 1 } }', /unknown key `lifts`/],
    ['[]', /list|empty/],
    ['[{ density: 1000, on: arm }, { density: 1000 }]', /one of several waters has no `on`/],
    ['[{ density: 1000, on: arm }, { density: 1000, on: arm2 }]', /`arm2` is in two waters/],
    ['[{ density: 1000, on: arm1, drags: 1 }, { density: 1000, on: arm2 }]', /unknown key `drags`/],
    [
      '[{ density: 1000, on: arm1, current: [1, 0, 0] }, { density: 1000, on: arm2, current: [1, 0, 0] }]',
      /all water moves with one `current`/,
    ],
  ])('is refused where it is wrong: %s', (water, message) => {
    let text = '';
    try {
      load(water);
    } catch (error) {
      const { message: what, remedy, location } = error as Error & { remedy?: string; location?: { line: number } };
      text = `${what} ${remedy ?? ''}`;
      expect(location?.line).toBe(24);
    }
    expect(text).toMatch(message);
  });
});
