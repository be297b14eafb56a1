/** Sweeps: every row its own run, rows that stand in the file already are not run again, tables with mistakes, Ctrl-C. */
import { execFile, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtCommand } from '../built-command.ts';
import { runInProcess, type Outcome } from './in-process.ts';

let cli: string;
let folder: string;

async function simulate(...parameters: readonly string[]): Promise<Outcome> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [cli, 'simulate', ...parameters], {
      cwd: folder,
    });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const failure = error as { code: number; stdout: string; stderr: string };
    return { code: failure.code, out: failure.stdout, err: failure.stderr };
  }
}

interface Line {
  readonly row: number;
  readonly complete: boolean;
  readonly end: { readonly t: number; readonly coordinates: Record<string, number> };
}

const linesOf = (file: string): Line[] =>
  readFileSync(path.join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
    .sort((a, b) => a.row - b.row);

beforeAll(async () => {
  cli = await builtCommand();
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-sweep-'));
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write(
    'cart.robot.yaml',
    `
kanegen: 1
name: cart
gravity: [0, 0, 0]
parameters: { m: { value: 2 kg, max: 1e6 kg, runtime: true }, fixed: 3 kg, loss: { value: 0, runtime: true } }
links: [{ name: cart, joint: { prismatic: x, stiffness: 8 N/m, damping: loss }, rigid: { mass: m } }]
actuators: { push: { motor: cart.displacement } }
`,
  );
  write('run.scenario.yaml', 'kanegen-scenario: 1\nrobot: cart.robot.yaml\nduration: 1 s\ninputs: { push: 3*t }\n');
  write(
    'table.csv',
    'm [g],cart.displacement,rate of cart.displacement [mm/s],push\n2000,0.1,0,0\n# a remark\n500,0,1e3,0\n8000,0,0,4\n',
  );
  write('endless.scenario.yaml', ENDLESS);
  write('endless.csv', 'cart.displacement\n0.2\n0.05\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const ENDLESS = `
kanegen-scenario: 1
robot: cart.robot.yaml
duration: 1e9 s
outputs: { every: 1e6 s }
integrator: { most-steps: 1000000000 }
events: { far: { coordinate: cart.displacement, reaches: -0.1 m, stop: true } }
`;

it('run every row with its own parameters, initial values and inputs, and only those that are missing', async () => {
  const { code, out } = await simulate(
    'run.scenario.yaml',
    '--sweep',
    'table.csv',
    '--out',
    'all.ndjson',
    '--jobs',
    '2',
  );
  expect([code, out]).toEqual([0, '3 of 3 rows in all.ndjson, 0 of the new runs ended early\n']);
  const lines = linesOf('all.ndjson');
  // A mass on a spring: cosine, sine, and a step.
  const expected = [0.1 * Math.cos(2), 0.25 * Math.sin(4), 0.5 * (1 - Math.cos(1))];
  lines.forEach(({ row, complete, end }, i) => {
    expect([row, complete, end.t]).toEqual([i + 1, true, 1]);
    expect(end.coordinates['cart.displacement']).toBeCloseTo(expected[i]!, 7);
  });

  // The first two lines and a half, as after a crash.
  const text = readFileSync(path.join(folder, 'all.ndjson'), 'utf8');
  const cut = text.split('\n').slice(0, 2).join('\n');
  writeFileSync(path.join(folder, 'all.ndjson'), `${cut}\n{"row":`);
  const again = await simulate('run.scenario.yaml', '--sweep', 'table.csv', '--out', 'all.ndjson');
  expect([again.code, again.err]).toEqual([0, expect.stringMatching(/^2 of 3 rows are already in all.ndjson$/m)]);
  expect(linesOf('all.ndjson').map(({ row }) => row)).toEqual([1, 2, 3]);
  expect(readFileSync(path.join(folder, 'all.ndjson'), 'utf8').startsWith(cut)).toBe(true);

  appendFileSync(path.join(folder, 'run.scenario.yaml'), '# changed\n');
  const words = ['simulate', 'run.scenario.yaml', '--sweep', 'table.csv', '--out', 'all.ndjson'];
  const changed = await runInProcess(folder, words);
  expect([changed.code, changed.err]).toEqual([1, expect.stringContaining('all.ndjson:1:1: this is a run of another')]);
});

it('are other sweeps where a table that the scenario names is another one', async () => {
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write(
    'led.robot.yaml',
    `kanegen: 1
name: led
links: [{ name: cart, joint: { prismatic: x }, rigid: { mass: 2 kg } }]
actuators: { push: { motor: cart.displacement } }
controllers: { track: { computed-torque: { kp: 100, kd: 20 } } }
`,
  );
  write('way.csv', 't,push\n0,0\n1,0.2\n');
  write(
    'led.scenario.yaml',
    'kanegen-scenario: 1\nrobot: led.robot.yaml\nduration: 0.1 s\ncontroller: track\nreference: { push: { spline: way.csv } }\n',
  );
  write('starts.csv', 'cart.displacement\n0\n0.1\n');
  const words = ['led.scenario.yaml', '--sweep', 'starts.csv', '--out', 'led.ndjson'];
  expect((await simulate(...words)).code).toBe(0);
  expect((await simulate(...words)).code).toBe(0);
  write('way.csv', 't,push\n0,0\n1,0.3\n');
  const { code, err } = await runInProcess(folder, ['simulate', ...words]);
  expect(code).toBe(1);
  expect(err).toContain('led.ndjson:1:1: this is a run of another');
});

it('run through designs of a robot that leaves its parameters open', async () => {
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write(
    'bar.robot.yaml',
    `
kanegen: 1
name: bar
gravity: [0, 0, 0]
parameters: { k: 8 N/m }
body-types:
  block:
    parameters: { a: 0.1 m, rho: 2000 kg/m^3 }
    volume: { box: { x: [0, a], y: [0, a], z: [0, a] }, density: rho }
    position: [x, y, z]
    distal: none
links: [{ name: cart, joint: { prismatic: x, stiffness: k }, body: block }]
`,
  );
  const scenario = (keep: string): string =>
    `kanegen-scenario: 1\nrobot: bar.robot.yaml\nkeep: [${keep}]\nduration: 1 s\ninitial: { coordinates: { cart.displacement: 0.1 m } }\n`;
  write('design.scenario.yaml', scenario('k, cart.a'));
  write('designs.csv', 'k,cart_a\n8,0.1\n32,0.1\n8,0.2\n');
  const { code } = await simulate('design.scenario.yaml', '--sweep', 'designs.csv', '--out', 'designs.ndjson');
  expect(code).toBe(0);
  // ω² = k / (ρ a³).
  const expected = [2, 4, 2 / Math.sqrt(8)].map((omega) => 0.1 * Math.cos(omega));
  linesOf('designs.ndjson').forEach(({ end }, i) =>
    expect(end.coordinates['cart.displacement']).toBeCloseTo(expected[i]!, 7),
  );

  write('wrong.scenario.yaml', scenario('k, cart.b'));
  const wrong = await simulate('wrong.scenario.yaml', '--sweep', 'designs.csv', '--out', 'wrong.ndjson');
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain('wrong.scenario.yaml:3:11: no body has the parameter `cart.b`');
  expect(wrong.err).toContain('did you mean `cart.a`?');
});

it.each([
  [
    'm,cart.dsplacement\n1,2\n',
    'bad.csv:1:3: no parameter, coordinate or actuator of a run has the name `cart.dsplacement`',
    'did you mean',
  ],
  ['fixed\n1\n', 'bad.csv:1:1: no parameter, coordinate or actuator of a run has the name `fixed`', ''],
  ['m,m\n1,2\n', 'bad.csv:1:3: two columns have the name `m`', ''],
  ['m,push\n1,2\n1\n', 'bad.csv:3:2: `push` is missing', ''],
  ['m,push\n1,two\n', 'bad.csv:2:3: `two` is not a finite number', ''],
  ['m,push\n1,2,3\n', 'bad.csv:2:5: 3 cells under 2 names', ''],
  ['m,push\n\n', 'bad.csv:1:1: the table has no lines of numbers', ''],
  ['m [kilo]\n1\n', 'bad.csv:1:1: `kilo` of `m [kilo]` is not a unit', 'or `m` for numbers in SI units'],
  ['', 'bad.csv:1:1: the first line has no names', ''],
  ['m\n3\n5e6\n', 'bad.csv:3:1: 5000000 is above the maximum 1000000 of `m`', ''],
  ['loss [N]\n\n', 'bad.csv:1:1: the table has no lines of numbers', ''],
  ['m;push\n1;2\n', 'bad.csv:1:1: the first line has no commas', 'separate the columns by commas'],
  ['m,push [mm]\n1,2\n', 'bad.csv:1:3: the unit of `push` is that of a length (m), not of a force (N)', ''],
])('say what is wrong with the table %j', async (text, message, remedy) => {
  writeFileSync(path.join(folder, 'bad.csv'), text);
  const words = ['simulate', 'endless.scenario.yaml', '--sweep', 'bad.csv', '--out', 'bad.ndjson'];
  const { code, err } = await runInProcess(folder, words);
  expect(code).toBe(1);
  expect(err).toContain(message);
  expect(err).toContain(remedy);
  expect(existsSync(path.join(folder, 'bad.ndjson'))).toBe(false);
});

it('tell what the robot and the scenario warn of', async () => {
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write(
    'idle.robot.yaml',
    'kanegen: 1\nname: idle\nparameters: { unused: 1 kg }\nlinks: [{ name: cart, joint: { prismatic: x }, rigid: { mass: 2 kg } }]\n',
  );
  write('idle.scenario.yaml', 'kanegen-scenario: 1\nrobot: idle.robot.yaml\nduration: 1 s\n');
  write('empty.csv', '');
  const words = ['simulate', 'idle.scenario.yaml', '--sweep', 'empty.csv', '--out', 'idle.ndjson'];
  const { code, err } = await runInProcess(folder, words);
  expect([code, err]).toEqual([1, expect.stringMatching(/^idle\.robot\.yaml:3:\d+: warning: .*unused/)]);
});

it('keep the rows that are done when they are interrupted', async () => {
  const parameters = ['endless.scenario.yaml', '--sweep', 'endless.csv', '--out', 'endless.ndjson', '--jobs', '1'];
  const child = spawn(process.execPath, [cli, 'simulate', ...parameters], { cwd: folder });
  const ended = new Promise((resolve) => child.on('exit', (...how) => resolve(how)));
  while (!existsSync(path.join(folder, 'endless.ndjson'))) await setTimeout(50);
  child.kill('SIGINT');
  expect(await ended).toEqual([1, null]);
  expect(linesOf('endless.ndjson').map(({ row, complete }) => [row, complete])).toEqual([[1, true]]);
});
