/** What `explain` says of the price of accuracy. */
import { expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { explainRobot } from '../../src/report/explain.ts';

it('shows for the rules that were tried what they cost and for which tolerance they would do', () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'rod',
    'body-types': {
      rod: {
        parameters: { L: '0.2 m', R: '20 mm' },
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 1000 },
        coordinates: { q: { count: 2, unit: 'rad' } },
        strain: { 'bend-y': '(q1 + q2*s/L)/L' },
      },
    },
    links: [{ body: 'rod' }],
  });
  const [body] = explainRobot(robot).bodies;
  const way = body!.ways.find(({ chosen }) => chosen)!;
  const { trials } = way;
  expect(trials.length).toBeGreaterThan(1);
  expect(trials.map(({ points }) => points)).toEqual(trials.map(({ points }) => points).sort((a, b) => a - b));
  const taken = trials.find(({ error }) => error === way.error)!;
  expect(taken.operations).toBe(way.operations);
  expect(taken.tolerance).toBeLessThanOrEqual(1e-8);
  for (const [i, { operations, error, tolerance }] of trials.entries()) {
    if (i > 0) expect(operations).toBeGreaterThan(trials[i - 1]!.operations!);
    expect(tolerance).toBeGreaterThanOrEqual(error);
    expect(tolerance).toBeLessThan(10.001 * error);
  }
});

it.each([
  ['formulas over constants', 'st-venant-kirchhoff', { 'st-venant-kirchhoff': { E: 1e6, nu: 0.3 } }],
  ['points', 'compressible-neo-hookean', { 'compressible-neo-hookean': { mu: 1e6, lambda: 2e6 } }],
])('names the forces of joints and bodies, by %s', (by, law, material) => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'block',
    'body-types': {
      block: {
        coordinates: { e: { limits: [-0.3, 0.3] } },
        volume: { box: { x: [0, 0.1], y: [0, 0.1], z: [0, 0.1] }, density: 1000 },
        position: ['x', 'y', 'z*(1 + e*z/h)'],
        distal: 'none',
        material,
        parameters: { c: '3 N m', h: '0.1 m' },
        potential: 'c*e^2',
      },
    },
    links: [{ body: 'block' }],
  });
  const [body] = explainRobot(robot).bodies;
  expect(body!.forces).toEqual([
    { name: `elasticity (${law})`, kind: 'elastic', points: expect.any(Number) as number },
    { name: 'potential of the coordinates', kind: 'elastic', points: 0 },
  ]);
  expect(body!.forces[0]!.points > 0).toBe(by === 'points');
});

it('says how the coordinate of each actuator was had, link by link', () => {
  const rigid = { mass: 1, inertia: { xx: 1, yy: 1, zz: 1 } };
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'driven',
    links: [
      { name: 'column', joint: { revolute: 'z' }, rigid },
      { name: 'soft', body: 'planar-cc', repeat: 2 },
    ],
    actuators: {
      turn: { motor: 'column.angle' },
      pull: { tendon: { through: 'soft', route: { x: 'R/2', y: 0 } } },
      mix: { along: 'column.angle*soft1.q' },
      cord: {
        tendon: {
          path: [
            { on: 'column', at: [0.1, 0, 0.1] },
            { on: 'soft2', at: [0, 0, 0.01] },
          ],
        },
      },
    },
  });
  const { actuators } = explainRobot(robot);
  expect(actuators.map(({ name, kind, unit }) => [name, kind, unit])).toEqual([
    ['turn', 'motor', 'N m'],
    ['pull', 'tendon', 'N'],
    ['mix', 'along', 'N m'],
    ['cord', 'tendon', 'N'],
  ]);
  expect(actuators.map(({ terms }) => terms.map(({ link }) => link))).toEqual([
    ['column'],
    ['soft1', 'soft2'],
    ['robot'],
    ['column – soft2'],
  ]);
  expect(actuators[1]!.terms[0]!.method).toBe('tendon route, closed form');
});

it('says what water does to each link, and by how many points', () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'eel',
    links: [
      { name: 'head', rigid: { mass: '1 kg' } },
      { name: 'tail', body: 'planar-cc' },
    ],
    water: { density: 1000, drag: { normal: 1 }, 'added-mass': 1 },
  });
  expect(explainRobot(robot).water).toEqual([
    { link: 'tail', method: 'separate drag, buoyancy, added mass (lagrange): Gauss-Legendre rule of 16 points' },
  ]);
});

it('says how stiff the sections of rods are', () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'rods',
    links: [
      { name: 'upper', body: 'gvs-legendre' },
      { name: 'lower', body: 'gvs-legendre', parameters: { R: '10 mm', nu: 0.25 } },
    ],
  });
  const { stiffness } = explainRobot(robot);
  expect(stiffness.map(({ link, sections }) => [link, sections.length])).toEqual([
    ['upper', 1],
    ['lower', 1],
  ]);
  const [own] = stiffness[1]!.sections;
  const [area, moment] = [Math.PI * 1e-4, (Math.PI / 4) * 1e-8];
  expect(own!.stretch / (1e6 * area)).toBeCloseTo(1, 13);
  expect([own!.bendX / (1e6 * moment), own!.bendY / (1e6 * moment)]).toEqual([
    expect.closeTo(1, 13),
    expect.closeTo(1, 13),
  ]);
  expect(own!.twist / (0.4e6 * 2 * moment)).toBeCloseTo(1, 13);
});
