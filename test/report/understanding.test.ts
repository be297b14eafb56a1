/** What `kanegen check` says: held against closed forms, and robots that are hardly meant so. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { suspectBodies, understoodLinks } from '../../src/report/understanding/bodies.ts';
import { understand, type Understanding } from '../../src/report/understanding/understanding.ts';

const load = (text: string): Robot => loadRobotText(`kanegen: 1\nname: r\n${text}`, 'r.robot.yaml');

async function understood(text: string): Promise<Understanding> {
  const robot = load(text);
  const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
  return understand(robot, create());
}

const kinds = ({ warnings }: Pick<Understanding, 'warnings'>): string[] => warnings.map(({ name }) => name);

/** A horizontal cantilever, three modes of bending about y. */
const CANTILEVER = `base: { rpy: [0, 90 deg, 0] }
body-types:
  beam:
    parameters: { L: 0.4 m, R: 5 mm, rho: 1200 kg/m^3, E: 200 MPa }
    coordinates: { q: { count: 3, unit: rad, limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    strain: { bend-y: { basis: legendre, coordinates: q, scale: 1/L } }
    material: { rod-elasticity: { E: E, nu: 0.5 } }
links: [ { name: beam, body: beam } ]
`;

describe('a cantilever', async () => {
  const own = await understood(CANTILEVER);
  const [L, R, rho, E] = [0.4, 5e-3, 1200, 200e6];
  const perLength = rho * Math.PI * R ** 2;
  const EI = (E * Math.PI * R ** 4) / 4;

  it('has its mass, length and stiffness', () => {
    expect(own.mass).toBeCloseTo(perLength * L, 12);
    expect(own.links[0]!.length).toBeCloseTo(L, 9);
    expect(own.links[0]!.sections[0]!.bendX).toBeCloseTo(EI, 12);
    expect(own.tip.at[0]).toBeCloseTo(L, 9);
    expect(own.reach).toBeCloseTo(L, 9);
    expect(kinds(own)).toEqual([]);
  });

  it('sags by w L^4/(8 EI), which quadratic bending reaches exactly', () => {
    const sag = (perLength * 9.81 * L ** 4) / (8 * EI);
    expect(-own.elastic!.sag[2]! / sag).toBeCloseTo(1, 6);
  });

  it('swings at the first frequency of Euler and Bernoulli, but for the inertia of its sections', () => {
    const frequency = (1.8751041 ** 2 / (2 * Math.PI * L ** 2)) * Math.sqrt(EI / perLength);
    expect(Math.abs(own.elastic!.frequency / frequency - 1)).toBeLessThan(1e-3);
    expect(own.elastic!.coordinate).toBe('beam.q1');
  });

  it('of rubber does not stand on its foot', async () => {
    const rubber = await understood(CANTILEVER.replace('200 MPa', '0.2 MPa').replace(/base: .*\n/, ''));
    expect(rubber.elastic!.frequency).toBe(0);
    // Greenhill's height, (7.837 EI/w)^(1/3), is 0.157 m there, and 1.57 m of a thousand times the stiffness.
    const stiff = await understood(CANTILEVER.replace(/base: .*\n/, ''));
    expect(stiff.elastic!.frequency).toBeGreaterThan(0);
  });
});

const bender = (position: string, distal: string): string => `body-types:
  segment:
    parameters: { L: 0.2 m, R: 1 cm, rho: 1000 kg/m^3 }
    coordinates: { th: { unit: rad, limits: [-60 deg, 60 deg] } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    position: ${position}
    distal: ${distal}
links: [ { name: seg, body: segment, repeat: 2 } ]
`;
const BENT = '["L*(1 - cos(s*th/L))/th + x*cos(s*th/L)", y, "L*sin(s*th/L)/th - x*sin(s*th/L)"]';
const CONTACT = '{ pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }';

describe('bodies that are hardly meant so', () => {
  it('are not those that bend as they should', () => {
    expect(suspectBodies(load(bender(BENT, CONTACT)))).toEqual([]);
  });

  it('lead what follows back into themselves', () => {
    const swapped = CONTACT.replace(
      'x-axis: { s: L, x: R }, y-axis: { s: L, y: R }',
      'x-axis: { s: L, y: R }, y-axis: { s: L, x: R }',
    );
    const [first, ...others] = suspectBodies(load(bender(BENT, swapped)));
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: 'folded-back', location: { line: 9 } });
    expect(first!.message).toMatch(/along \[0, 0, -1\], and this one ends along \[0, 0, 1\]/);
  });

  it('are turned inside out by a sign', () => {
    const [first, ...others] = suspectBodies(
      load(
        bender(
          BENT.replace('- x*sin', '+ x*sin'),
          CONTACT.replace(/, [xy]-axis.*/, ', x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }'),
        ),
      ),
    );
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: 'inside-out' });
    expect(first!.message).toMatch(/turned inside out at th = -1.2 rad/);
  });

  it('have coordinates that move no mass', async () => {
    const last = `links:
  - { name: a, rigid: { mass: 1, inertia: { xx: 1, yy: 1, zz: 1 } }, joint: { revolute: y } }
  - { name: b, rigid: {}, joint: { revolute: z } }
`;
    expect(kinds(await understood(last))).toEqual(['moves-no-mass']);
    expect(kinds(await understood(`${last}silence: [moves-no-mass]\n`))).toEqual([]);
    // Massless links before one with mass are what hands are made of.
    const carried = `${last}  - { name: c, rigid: { mass: 1, inertia: { xx: 1, yy: 1, zz: 1 } }, joint: { revolute: x } }\n`;
    expect(kinds(await understood(carried))).toEqual([]);
  });

  it('have no accelerations at the defaults', async () => {
    // A point mass on the second axis of two that cross, one arm's length out along the other: the first turns nothing there.
    const singular = `links:
  - { name: a, rigid: {}, joint: { revolute: z } }
  - { name: b, rigid: { mass: 1, com: [0, 0, 0.5 m] }, joint: { revolute: y } }
`;
    expect(kinds(await understood(singular))).toEqual(['singular-mass-matrix']);
  });
});

it('lists joints that follow the time, with where they are at first and how fast they go', async () => {
  const led = await understood(`parameters: { w: { value: 6 rad/s, runtime: true }, stroke: 20 mm }
links:
  - { name: shaft, joint: { revolute: x, prescribed: 0.1 + 2*pi*t }, rigid: { mass: 1, com: [0, 0.1, 0] } }
  - { name: tool, joint: { cylindrical: z, prescribed: { displacement: stroke*sin(w*t) } }, rigid: { mass: 1, com: [0.1, 0, 0] } }
`);
  expect(led.coordinates.map(({ name }) => name)).toEqual(['tool.angle']);
  expect(led.following).toMatchObject([
    { name: 'shaft.angle', unit: 'rad', value: 0.1, rate: 2 * Math.PI },
    { name: 'tool.displacement', unit: 'm', value: 0, rate: 0.12 },
  ]);
});

it('finds nothing in doubt in the examples', () => {
  for (const file of readdirSync('examples').filter((name) => name.endsWith('.robot.yaml'))) {
    const robot = loadRobotFile(`examples/${file}`);
    expect(suspectBodies(robot), file).toEqual([]);
    for (const { mass } of understoodLinks(robot)) expect(mass, file).toBeGreaterThanOrEqual(0);
  }
});
