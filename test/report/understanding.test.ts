/** What `kanegen check` says: held against closed forms, and robots that are hardly meant so. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { suspectBodies, understoodLinks } from '../../src/report/understanding/bodies.ts';
import { suspectSizes } from '../../src/report/understanding/sizes.ts';
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
    expect(own.links[0]!.length).toBeCloseTo(L, 11);
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
    expect(first!.message).toMatch(/turned inside out at th = -1.2 rad: .* section coordinates$/);
  });

  it('are turned inside out where limits leave them no length', () => {
    const [first, ...others] = suspectBodies(
      loadRobotText(
        `kanegen: 1
name: squeezed
body-types:
  block:
    parameters: { L: 0.1 m, w: 0.02 m, rho: 900 kg/m^3 }
    coordinates: { b: { limits: [-1.5, 1.5] } }
    volume: { box: { x: [-w, w], y: [-w, w], z: [0, L] }, density: rho }
    position: [x, y, z*(1 + b)]
    distal: { pose: { xyz: [0, 0, L*(1 + b)] } }
links: [{ name: block, body: block }]
`,
        'squeezed.robot.yaml',
      ),
    );
    expect(others).toEqual([]);
    expect(first!.message).toMatch(/turned inside out at b = -1.5: .*, or let its limits end before$/);
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

  it('have a coordinate that no formula has', async () => {
    const unused = `body-types:
  block:
    coordinates: { a: { unit: m }, b: {} }
    volume: { box: { x: [-1 m, 1 m], y: [-1 m, 1 m], z: [0 m, 1 m] }, density: 1000 kg/m^3 }
    position: [x + a, y, z]
    distal: none
links: [{ name: first, body: block }]
`;
    const [first, ...others] = (await understood(unused)).warnings;
    expect(others).toEqual([]);
    expect(first!.message).toMatch(
      /^`first.b` moves no mass: .*; use it in the formulas that place the material, or leave it out$/,
    );
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

describe('sizes that robots hardly have', () => {
  const robot = (changes: Readonly<Record<string, string>> = {}): string => {
    const own = {
      L: '0.2 m',
      R: '1 cm',
      rho: '1000 kg/m^3',
      E: '150 kPa',
      time: '20 ms',
      offset: '0',
      more: '',
      ...changes,
    };
    return `body-types:
  seg:
    parameters: { L: ${own.L}, R: ${own.R}, rho: ${own.rho}, E: ${own.E} }
    coordinates: { q: { unit: rad, limits: [-90 deg, 90 deg] } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-y: q/L }
    material: { rod-elasticity: { E: E, nu: 0.45 }, retardation-time: ${own.time} }
links: [ { name: soft, offset: { xyz: [0, 0, ${own.offset}] }, body: seg } ]
${own.more}`;
  };
  const found = (text: string): Pick<Understanding['warnings'][number], 'name' | 'location' | 'message'>[] => {
    const own = load(text);
    return [...own.warnings, ...suspectSizes(own)];
  };
  const CHAMBER = `body-types:
  tube: { extends: pcc-3d, chambers: { half: { r: [0, R/2], phi: [0, pi] } } }
links: [ { name: soft, body: tube } ]
actuators: { push: { pressure: soft.half, limits: [0, 2 bar] } }`;
  const FLOOR = `contacts:
  floor:
    between: [{ sphere: { on: a, radius: 1 cm } }, { plane: { on: base, axis: z } }]
    law: { spring-damper: { stiffness: 1 kN/m, damping: 1 N s/m } }
    friction: { coefficient: 0.3, at: 1 mm/s }`;
  const rigid = (body: string): string => `links: [ { name: a, joint: { revolute: y }, rigid: { ${body} } } ]\n`;

  it('are none of usual ones, of plants and of planets', () => {
    for (const changes of [{}, { E: '500 Pa', rho: '22 kg/m^3' }, { E: '1.05 TPa', L: '40 m' }, { time: '2 s' }])
      expect(found(robot({ E: '150 kPa', ...changes }).replace('1.05 TPa', '1050 GPa'))).toEqual([]);
    for (const gravity of ['[0, 0, 0]', '[0, 0, -1.62]', '[0, 9.81, 0]', '[0, 0, 24.8]'])
      expect(found(robot({ more: `gravity: ${gravity}` }))).toEqual([]);
    expect(found(rigid('mass: 80 t, com: [3 m, 0, 0], inertia: { xx: 7e5, yy: 9e5, zz: 9e5 }'))).toEqual([]);
    expect(found(robot({ more: 'states: { up: { soft.q: 90 deg } }' }))).toEqual([]);
  });

  it.each([
    ['a modulus', robot({ E: '150' }), 5, "Young's modulus is 150 Pa"],
    ['a radius', robot({ R: '10' }), 5, 'reaches 10 m from its middle'],
    ['a length', robot({ L: '200', R: '10' }), 5, 'is 200 m long: is 200 mm intended?'],
    ['a density', robot({ rho: '1.062' }), 5, 'the density is 1.062 kg/m^3'],
    ['another density', robot({ rho: '1062 g/cm^3' }), 5, 'the density is 1062000 kg/m^3'],
    ['a time', robot({ time: '20' }), 9, 'the retardation time is 20 s'],
    ['a place', robot({ offset: '300' }), 10, '`soft` begins 300 m from its parent'],
    ['gravity', robot({ more: 'gravity: [0, 0, -9810]' }), 11, 'gravity is 9810 m/s^2'],
    ['small gravity', robot({ more: 'gravity: [0, 0, -9.81 mm/s^2]' }), 11, 'gravity is 0.00981 m/s^2'],
    ['a centre of mass', rigid('mass: 1, com: [0, 0, 150]'), 3, 'is 150 m from its origin'],
    ['an inertia', rigid('mass: 1, inertia: { xx: 1200, yy: 1200, zz: 800 }'), 3, 'as if that were 34.64 m away'],
    [
      'a pitch',
      `links: [ { name: a, joint: { helical: { axis: z, pitch: 5 } }, rigid: { mass: 1 } } ]\n`,
      3,
      '`a` moves 5 m in a revolution',
    ],
    ['a pressure', CHAMBER.replace('2 bar', '2'), 6, '`push` has 2 Pa at most'],
    [
      'friction',
      `${rigid('mass: 1, com: [0.2, 0, 0.2]')}${FLOOR.replace('0.3', '30')}`,
      6,
      'friction of `floor` is 30',
    ],
  ])('are those of %s in another unit', (_, text, line, message) => {
    const [first, ...others] = found(text);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: 'unusual-size', location: { line } });
    expect(first!.message).toContain(message);
    expect(found(`${text}\nsilence: [unusual-size]`)).toEqual([]);
  });

  it('are where the link gives them, where numbers are alike, and said once', () => {
    const library = 'links:\n  - { body: planar-cc, parameters: { L: 0.3, rho: 1 } }\n';
    expect(found(library)).toMatchObject([{ name: 'unusual-size', location: { line: 4, column: 51 } }]);
    const alike = robot({ rho: '1' }).replace('E: E,', 'E: 1,').replace(', E: 150 kPa', '');
    expect(found(alike).map(({ location: { line, column } }) => `${line}:${column}`)).toEqual(['5:43', '9:38']);
    const extended = robot({ E: '150' }).replace('links: [', '  more: { extends: seg }\nlinks: [ { body: more },');
    expect(found(extended)).toHaveLength(1);
  });

  it('are usual ones of pitches, pressures and friction otherwise', () => {
    expect(found('links: [ { name: a, joint: { helical: { axis: z, pitch: 5 mm } }, rigid: { mass: 1 } } ]\n')).toEqual(
      [],
    );
    expect(found(CHAMBER)).toEqual([]);
    expect(found(`${rigid('mass: 1, com: [0.2, 0, 0.2]')}${FLOOR}`)).toEqual([]);
  });

  it('are asked about by check', async () => {
    expect(kinds(await understood(robot({ E: '150' })))).toEqual(['unusual-size']);
  });

  it('differ from states beyond limits, and tendons that push', () => {
    const beyond = found(robot({ more: 'states: { up: { soft.q: 120 deg } }' }));
    expect(beyond).toMatchObject([{ name: 'state-beyond-limits', location: { line: 11 } }]);
    expect(beyond[0]!.message).toContain('2.0944 rad is beyond the upper limit of the coordinate, 1.5708 rad');
    const tendon = (limits: string): string =>
      robot({ more: `actuators: { t: { tendon: { through: soft, route: { x: R/2, y: 0 } }, limits: ${limits} } }` });
    expect(found(tendon('[-5 N, 5 N]'))).toMatchObject([{ name: 'pushing-tendon', location: { line: 11 } }]);
    expect(found(tendon('[0 N, 5 N]'))).toEqual([]);
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

it('has lengths of rods, not of rods within other shapes', () => {
  const body = (volumes: string): number | undefined =>
    understoodLinks(
      load(`body-types:
  block:
    parameters: { L: 0.15 m, w: 20 mm }
    coordinates: { q: {} }
    volumes: { ${volumes} }
    position: [ "x + q*z^2/L", y, z ]
    distal: { pose: { xyz: [ q*L, 0, L ] } }
links: [ { name: soft, body: block } ]
`),
    )[0]!.length;
  const rod = 'pin: { rod: { z: [0, L/4] }, section: { disc: w/4, cartesian: [x, y] }, density: 8000 kg/m^3 }';
  expect(body(rod)).toBeCloseTo(0.0375, 6);
  expect(body(`${rod}, foam: { box: { x: [-w, w], y: [w/2, w], z: [0, L] }, density: 100 kg/m^3 }`)).toBeUndefined();
});

it('asks about bodies that overlap far where motions begin', async () => {
  const ball = (height: string, more = ''): string => `links:
  - { name: ball, joint: { prismatic: z }, offset: { xyz: [0, 0, ${height}] }, rigid: { mass: 1 kg } }
contacts:
  floor:
    between: [{ sphere: { on: ball, radius: 50 mm } }, { plane: { on: base, axis: z } }]
    law: { hunt-crossley: { stiffness: 10 kN/m, damping: 1 s/m } }
${more}`;
  const [first, ...others] = (await understood(ball('30 mm'))).warnings;
  expect(others).toEqual([]);
  expect(first).toMatchObject({ name: 'deep-overlap', location: { line: 7 } });
  expect(first!.message).toContain(
    'at the defaults the bodies of `floor` overlap by 0.02 m and push with 200 N, 20 times the weight of the robot',
  );
  expect(kinds(await understood(ball('49 mm')))).toEqual([]); // as it rests
  const low = await understood(ball('60 mm', 'states: { low: { ball.displacement: -30 mm } }'));
  expect(low.warnings.map(({ message }) => message.slice(0, 19))).toEqual(['at `low` the bodies']);
  expect(kinds(await understood(ball('30 mm', 'silence: [deep-overlap]')))).toEqual([]);
});

it('finds nothing in doubt in the examples', () => {
  for (const file of readdirSync('examples').filter((name) => name.endsWith('.robot.yaml'))) {
    const robot = loadRobotFile(`examples/${file}`);
    expect([...robot.warnings, ...suspectBodies(robot), ...suspectSizes(robot)], file).toEqual([]);
    for (const { mass } of understoodLinks(robot)) expect(mass, file).toBeGreaterThanOrEqual(0);
  }
});

it('warns of a dissipation that drives the body', () => {
  const bellow = (dissipation: string): string => `body-types:
  bellow:
    parameters: { L: 0.1 m, d: 0.05 N m s, h: -5 N s/m }
    coordinates: { q: { unit: rad }, e: { unit: m } }
    volume: { rod: { s: [0, L] }, section: { disc: 18 mm }, density: 1100 kg/m^3 }
    strain: { bend-x: q/L, stretch: e/L }
    dissipation: ${dissipation}
links: [ { body: bellow } ]
`;
  expect(suspectBodies(load(bellow('d/2*q_dot^2 + h/2*e_dot^2')))).toMatchObject([
    {
      name: 'gives-energy',
      location: { line: 9, column: 18 },
      message: expect.stringContaining('is -2.5 W where `e` alone moves at 1 m/s') as string,
    },
  ]);
  expect(suspectBodies(load(bellow('d/2*q_dot^2 - h/2*e_dot^2')))).toEqual([]);
});
