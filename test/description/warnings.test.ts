/** Warnings: what a file says that can be computed with and is probably not meant; each kind by its name. */
import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { loadRobotText, type LoadOptions } from '../../src/description/load.ts';
import { WARNINGS } from '../../src/description/model/warnings.ts';

const TURNING = 'links: [ { name: a, rigid: { mass: 1, inertia: { xx: 1, yy: 1, zz: 1 } }, joint: { revolute: z } ';
const text = (rest: string, robot = `${TURNING}} ]\n`): string => `kanegen: 1\nname: r\n${rest}${robot}`;

const said = (source: string, options: LoadOptions = {}): string[] =>
  loadRobotText(source, 'r.robot.yaml', options).warnings.map(
    ({ name, location, message }) => `${location?.line}:${location?.column}: ${message} [${name}]`,
  );

it('says which parameters nothing reads, and refuses values for them', () => {
  const source = text('parameters: { m: 2 kg, lenght: 1 m }\n', TURNING.replace('mass: 1', 'mass: m') + '} ]\n');
  expect(said(source)).toEqual(['3:32: nothing reads the parameter `lenght` [unused-parameter]']);
  expect(() => said(source, { set: { lenght: '2 m' } })).toThrow(/nothing reads the parameter `lenght`/);
  expect(() => said(source, { keep: ['lenght'] })).toThrow(/nothing reads the parameter `lenght`/);
  // One that another parameter is made of is read.
  expect(
    said(text('parameters: { half: 1 kg, m: 2*half }\n', TURNING.replace('mass: 1', 'mass: m') + '} ]\n')),
  ).toEqual([]);
});

it('says which parameters of a body type nothing in it reads', () => {
  const type = `body-types:
  bar:
    parameters: { L: 0.2 m, R: 0.01 m, thickness: 1 mm, rho: 1000 kg/m^3 }
    coordinates: { phi: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    position: [x + s*sin(phi), y, s*cos(phi)]
    distal: none
`;
  expect(said(text(type, 'links: [ { name: a, body: bar } ]\n'))).toEqual([
    '5:51: nothing reads the parameter `thickness` of this body type [unused-parameter]',
  ]);
});

it('asks whether whole numbers beyond a turn are degrees', () => {
  const limits = TURNING.replace('{ revolute: z }', '{ revolute: z, limits: [-90, 90] }');
  const found = said(text('', `${limits}} ]\n`));
  expect(found).toHaveLength(2);
  expect(found[0]).toMatch(
    /^3:\d+: -90 rad is -14.3 turns: is -90 deg intended\? Bare numbers are in rad \[bare-angle\]$/,
  );
  expect(said(text('base: { rpy: [0, 90, 0] }\n'))).toEqual([
    expect.stringMatching(/^3:\d+: 90 rad is 14.3 turns: is 90 deg intended/),
  ]);
  expect(said(text('states: { home: { a.angle: 45 } }\n'))).toEqual([expect.stringMatching(/45 rad is 7.16 turns/)]);
  const spring = TURNING.replace('{ revolute: z }', '{ revolute: z, stiffness: 1 N m/rad, rest: 45 }');
  expect(said(text('', `${spring}} ]\n`))).toEqual([expect.stringMatching(/45 rad is 7.16 turns/)]);
  const slide = TURNING.replace('{ revolute: z }', '{ prismatic: z, stiffness: 1 N/m, rest: 45 }');
  expect(said(text('', `${slide}} ]\n`))).toEqual([]);
  // With a unit, below a turn, or not whole: as it stands.
  for (const fine of ['[-90 deg, 90 deg]', '[-6, 6]', '[-9.5, 9.5]'])
    expect(said(text('', `${limits.replace('[-90, 90]', fine)}} ]\n`))).toEqual([]);
});

it('leaves out kinds that the file or the caller silences', () => {
  const source = text('parameters: { x: 1 }\n');
  expect(said(source)).toHaveLength(1);
  expect(said(`${source}silence: [unused-parameter]\n`)).toEqual([]);
  expect(said(source, { silence: ['unused-parameter'] })).toEqual([]);
  expect(said(source, { silence: ['bare-angle'] })).toHaveLength(1);
  expect(() => said(`${source}silence: [unused-parameters]\n`)).toThrow(/unknown kind of warning `unused-parameters`/);
  expect(() => said(source, { silence: ['x'] })).toThrow(/unknown kind of warning `x`/);
});

it('are all told of in the documentation', () => {
  const page = readFileSync('docs/robot-file/warnings.md', 'utf8');
  for (const [name, meaning] of Object.entries(WARNINGS)) expect(page).toContain(`| \`${name}\` | ${meaning} |`);
});
