/** `kanegen plan`: files of coordinates and inputs with which frames pass places, as splines of scenarios take them. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { load } from '../../src/api/load.ts';
import { simulate } from '../../src/api/simulation.ts';
import { runInProcess, type Outcome } from './in-process.ts';

let directory = '';
const kanegen = (...words: readonly string[]): Promise<Outcome> => runInProcess(directory, words);
const place = (name: string): string => path.join(directory, name);
const columnsOf = (name: string): Record<string, number[]> => {
  const [header, ...rows] = readFileSync(place(name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return Object.fromEntries(header!.map((column, i) => [column, rows.map((row) => Number(row[i]))]));
};

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'kanegen-plan-'));
  cpSync('examples/two-link.robot.yaml', place('two-link.robot.yaml'));
  cpSync('examples/scenarios/tendon-control.robot.yaml', place('arm.robot.yaml'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('kanegen plan', () => {
  it('finds coordinates along a path, each from the last', async () => {
    const robot = await load(place('two-link.robot.yaml'));
    const dynamics = await (await robot.compile()).run();
    const tip = robot.frames[robot.model.tip]!;
    const at = (q: readonly number[]): Float64Array => {
      dynamics.update(q, new Float64Array(q.length));
      const position = new Float64Array(3);
      dynamics.frame(robot.model.tip, null, position, null);
      return position;
    };
    const configurations = [0, 1, 2].map((k) => robot.coordinates.map((_, i) => 0.3 + 0.1 * k + 0.4 * i));
    const lines = configurations.map((q, k) => [0.5 * k, ...at(q)].join(','));
    writeFileSync(place('path.csv'), `t,${tip} x,${tip} y,${tip} z\n${lines.join('\n')}\n`);
    const { code, out } = await kanegen('plan', 'two-link.robot.yaml', '--path', 'path.csv', '--out', 'plan.csv');
    expect(code).toBe(0);
    expect(out).toContain('reached');
    const found = columnsOf('plan.csv');
    expect(Object.keys(found)).toEqual(['t', ...robot.coordinates]);
    expect(found['t']).toEqual([0, 0.5, 1]);
    configurations.forEach((q, k) => {
      const reached = at(robot.coordinates.map((name) => found[name]![k]!));
      at(q).forEach((x, i) => expect(Math.abs(x - reached[i]!)).toBeLessThan(1e-8));
    });
  });

  it.runIf(process.env['KANEGEN_FULL'] === '1')(
    'finds inputs whose equilibria pass a path, and lengths of tendons that a law follows there',
    async () => {
      const robot = await load(place('arm.robot.yaml'));
      const tensions = [
        [1, 0.5, 2],
        [2, 0.5, 1],
        [3, 1, 0.5],
      ];
      const ends = await Promise.all(tensions.map(async (inputs) => tipOf(robot, (await robot.statics({ inputs })).q)));
      const lines = ends.map((position, k) => [k, ...position].join(','));
      writeFileSync(place('arm.csv'), `t,soft3 x,soft3 y,soft3 z\n${lines.join('\n')}\n`);
      const words = ['plan', 'arm.robot.yaml', '--path', 'arm.csv', '--equilibrium', '--out', 'arm-plan.csv'];
      expect((await kanegen(...words)).code).toBe(0);
      const found = columnsOf('arm-plan.csv');
      expect(Object.keys(found)).toEqual([
        't',
        ...robot.coordinates,
        ...['pull1', 'pull2', 'pull3', 'u pull1', 'u pull2', 'u pull3'],
      ]);
      for (const [k, end] of ends.entries()) {
        const { q } = await robot.statics({ inputs: [1, 2, 3].map((i) => found[`u pull${i}`]![k]!) });
        (await tipOf(robot, q)).forEach((x, i) => expect(Math.abs(x - end[i]!)).toBeLessThan(1e-7));
      }
      const led = [1, 2, 3].map((i) => `pull${i}: { spline: arm-plan.csv }`).join(', ');
      const initial = robot.coordinates.map((name) => `${name}: ${found[name]![0]}`).join(', ');
      writeFileSync(
        place('follow.scenario.yaml'),
        `kanegen-scenario: 1
robot: arm.robot.yaml
initial: { coordinates: { ${initial} } }
duration: 4 s
controller: lengths
reference: { ${led} }
expect: [{ frames: { soft3: [${ends.at(-1)!.join(', ')}] }, within: 2e-3, source: the end of the path }]
`,
      );
      expect((await simulate(place('follow.scenario.yaml'))).comparisons.map(({ outcome }) => outcome)).toEqual([
        'ok',
        'ok',
        'ok',
      ]);
    },
  );

  it.each(['', '--equilibrium'])(
    'takes a robot that depends on the time as it is at each waypoint %s',
    async (mode) => {
      writeFileSync(
        place('led.robot.yaml'),
        `kanegen: 1
name: led
gravity: [0, 0, 0]
links:
  - { name: lift, joint: { prismatic: x, prescribed: 0.3*t }, rigid: { mass: 1 kg } }
  - { name: arm, joint: { revolute: z, limits: [0, 1], stiffness: 2 N m/rad }, rigid: { mass: 1 kg, com: [0.5, 0, 0], distal: { xyz: [0.5, 0, 0] } } }
actuators: { m: { motor: arm.angle, limits: [-5 N m, 5 N m] } }
`,
      );
      const lines = [0, 1, 2].map((t) => [
        t,
        0.3 * t + 0.5 * Math.cos(0.2 + 0.1 * t),
        0.5 * Math.sin(0.2 + 0.1 * t),
        0,
      ]);
      writeFileSync(place('led.csv'), `t,arm x,arm y,arm z\n${lines.map((line) => line.join(',')).join('\n')}\n`);
      const words = [
        'led.robot.yaml',
        '--path',
        'led.csv',
        '--out',
        'led-plan.csv',
        ...mode.split(' ').filter(Boolean),
      ];
      expect((await kanegen('plan', ...words)).code).toBe(0);
      const found = columnsOf('led-plan.csv');
      found['arm.angle']!.forEach((angle, k) => expect(angle).toBeCloseTo(0.2 + 0.1 * k, 8));
      if (mode) found['u m']!.forEach((moment, k) => expect(moment).toBeCloseTo(2 * (0.2 + 0.1 * k), 7));
    },
  );

  it('writes nothing where a place is out of reach, and says what is wrong with a path', async () => {
    writeFileSync(place('far.csv'), 't,elbow x,elbow y,elbow z\n0,9,0,0\n');
    const robot = await load(place('two-link.robot.yaml'));
    const tip = robot.frames[robot.model.tip]!;
    writeFileSync(place('far.csv'), `t,${tip} x,${tip} y,${tip} z\n0,9,0,0\n`);
    const far = await kanegen('plan', 'two-link.robot.yaml', '--path', 'far.csv', '--out', 'far-plan.csv');
    expect(far.code).toBe(1);
    expect(far.out).toMatch(
      /NOT reached +0 s +closest: .* m away\n1 of 1 waypoints are not reached: nothing is written/,
    );
    expect(existsSync(place('far-plan.csv'))).toBe(false);
    const refusal = async (text: string): Promise<string> => {
      writeFileSync(place('bad.csv'), text);
      const { code, err } = await kanegen('plan', 'two-link.robot.yaml', '--path', 'bad.csv', '--out', 'bad-plan.csv');
      expect(code).toBe(1);
      return err;
    };
    expect(await refusal(`t;${tip} x\n0;1\n`)).toMatch(/no column `t`\n[^]*separate the columns by commas/);
    expect(await refusal(`t,${tip} x,${tip} y [deg],${tip} z\n0,1,1,1\n`)).toContain(
      `bad.csv:1:${`t,${tip} x,`.length + 1}: the unit of \`${tip} y\` is that of a plain number, not of a length (m)`,
    );
    const itself = await kanegen('plan', 'two-link.robot.yaml', '--path', 'far.csv', '--out', './far.csv');
    expect(itself).toMatchObject({ code: 2, err: expect.stringContaining('is the file of --path') as string });
    expect(readFileSync(place('far.csv'), 'utf8')).toContain(`t,${tip} x`);
    expect(await refusal('t,x\n0,1\n')).toContain('bad.csv:1:1: the file has no places of frames');
    expect(await refusal(`t,${tip}z x\n0,1\n`)).toContain(`did you mean \`${tip}\`?`);
    expect(await refusal(`t,${tip} x,${tip} y\n0,1,1\n`)).toContain(`the file has no column \`${tip} z\``);
  });
});

async function tipOf(robot: Awaited<ReturnType<typeof load>>, q: readonly number[]): Promise<number[]> {
  const dynamics = await (await robot.compile({ derivatives: true })).run();
  dynamics.update(q, new Float64Array(q.length));
  const position = new Float64Array(3);
  dynamics.frame(robot.model.tip, null, position, null);
  return [...position];
}
