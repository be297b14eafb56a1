/** Parameters from places of markers, at rest and in motion: what made the data comes back, and deviations say how far off it may be. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SymbolicRobot } from '../../src/api/robot.ts';
import { load, simulate } from '../../src/index.ts';
import type { LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { randomNumbers } from '../../src/common/random.ts';
import { fitMarkers, studentQuantile } from '../../src/identification/markers/marker-fit.ts';
import { samplesWithin, slopeOf } from '../../src/identification/markers/marker-problem.ts';
import { readMarkers, type MarkerTable } from '../../src/identification/markers/marker-table.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';
import { runInProcess } from '../cli/in-process.ts';

const ROBOT = `
kanegen: 1
name: finger
gravity: [9.81, 0, 0]
parameters: { E: { value: 400 kPa, runtime: true }, rho: { value: 1070 kg/m^3, runtime: true }, idle: { value: 1 N m/rad, runtime: true } }
body-types:
  bent:
    parameters: { L: 0.15 m, R: 10 mm, rho: 1000 kg/m^3, E: 1 MPa }
    coordinates: { q: { unit: rad, limits: [-3, 3] } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    strain: { bend-y: q/L }
    material: { rod-elasticity: { E: E, nu: 0.5 } }
links:
  - { name: soft, repeat: 2, body: bent, parameters: { rho: rho, E: E } }
  - { name: weight, joint: { revolute: z, stiffness: idle }, rigid: { mass: 1e-8 kg } }
actuators: { pull: { tendon: { through: soft, route: { x: 6 mm, y: 0 } }, limits: [0 N, 10 N] } }
frames: { mark: { on: soft1, offset: { xyz: [10 mm, 0, 0] } } }
tip: soft2
`;
const [TRUE, NOISE] = [150e3, 0.5e-3];
const PULLS = [0, 1, 2, 3, 4];

/** One bend that swings; begins far from what made the data. */
const SWINGING = `
kanegen: 1
name: swinging
gravity: [9.81, 0, 0]
parameters: { E: { value: 300 kPa, runtime: true }, eta: { value: 800 Pa s, runtime: true } }
body-types:
  bent:
    parameters: { L: 0.15 m, R: 10 mm, rho: 1070 kg/m^3, E: 1 MPa, eta: 0 Pa s }
    coordinates: { q: { unit: rad, limits: [-3, 3] } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    strain: { bend-y: q/L }
    material: { rod-elasticity: { E: E, nu: 0.5 }, viscosity: eta }
links: [{ name: soft, body: bent, parameters: { E: E, eta: eta } }]
actuators: { pull: { tendon: { through: soft, route: { x: 6 mm, y: 0 } }, limits: [0 N, 10 N] } }
`;

let folder: string;
let robot: SymbolicRobot;
let dynamics: LoadedRobot;
let exact: MarkerTable;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-markers-'));
  writeFileSync(path.join(folder, 'finger.robot.yaml'), ROBOT);
  robot = await load(path.join(folder, 'finger.robot.yaml'));
  dynamics = await (await robot.compile({ derivatives: true })).run();
  exact = tableAt({ E: TRUE });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tips at equilibria under other parameters. */
function tableAt(values: Readonly<Record<string, number>>): MarkerTable {
  const twin = dynamics.twin() as LoadedRobot;
  Object.assign(twin.parameters, values);
  const { model } = robot;
  const frame = model.tip;
  const places = PULLS.map((pull) => {
    const { q } = equilibrium(model, twin, { inputs: [pull] });
    const place = new Float64Array(3);
    twin.update(q, new Float64Array(q.length));
    twin.frame(frame, null, place, null);
    return [...place];
  });
  const columns = (['x', 'y', 'z'] as const).map((axis, i) => ({ name: `soft2 ${axis}`, frame, axis: i as 0 | 1 | 2 }));
  return { columns, places, inputs: PULLS.map((pull) => [pull]), idle: [] };
}

/** Of deviation 1, by Box and Muller. */
function noisy({ places, ...table }: MarkerTable, seed: number): MarkerTable {
  const random = randomNumbers(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return { ...table, places: places.map((own) => own.map((x) => x + NOISE * normal())) };
}

const fit = (table: MarkerTable, names: readonly string[]): ReturnType<typeof fitMarkers> =>
  fitMarkers(robot.model, dynamics.twin() as LoadedRobot, table, names);

describe('five tip positions', () => {
  it('give back the modulus that they were made with', () => {
    const { converged, parameters, noise } = fit(exact, ['E']);
    expect(converged).toBe(true);
    expect(parameters[0]!.value / TRUE).toBeCloseTo(1, 9);
    expect(noise).toBeLessThan(1e-10);
  });

  it('with noise within 1 %, and the deviation covers what is left in 45 of 50 seeds', () => {
    const found = Array.from({ length: 50 }, (_, seed) => fit(noisy(exact, seed + 1), ['E']));
    expect(Math.max(...found.map(({ parameters }) => Math.abs(parameters[0]!.value / TRUE - 1)))).toBeLessThan(0.01);
    const covered = found.filter(({ parameters: [own] }) => own!.interval[0] <= TRUE && TRUE <= own!.interval[1]);
    expect(covered.length).toBeGreaterThanOrEqual(45);
    // Neither are intervals wide for nothing: the spread of the estimates is the deviation that each of them tells.
    const values = found.map(({ parameters }) => parameters[0]!.value);
    const spread = Math.sqrt(values.reduce((sum, x) => sum + (x - TRUE) ** 2, 0) / values.length);
    const told = found.reduce((sum, { parameters }) => sum + parameters[0]!.deviation, 0) / found.length;
    expect(told / spread).toBeGreaterThan(0.8);
    expect(told / spread).toBeLessThan(1.25);
    const noise = found.reduce((sum, own) => sum + own.noise, 0) / found.length;
    expect(noise / NOISE).toBeGreaterThan(0.9);
    expect(noise / NOISE).toBeLessThan(1.1);
  });

  it('tell modulus and density apart, since a tendon pulls as well', () => {
    const table = tableAt({ E: TRUE, rho: 1300 });
    const { parameters } = fit(table, ['E', 'rho']);
    expect(parameters.map(({ value }) => value / 1)).toEqual([expect.closeTo(TRUE, 0), expect.closeTo(1300, 3)]);
    // Without it they are known by their ratio only.
    const hanging = { ...table, places: table.places.slice(0, 1), inputs: [[0]] };
    expect(() => fit(hanging, ['E', 'rho'])).toThrow('the markers do not tell apart E and rho');
    expect(() => fit(table, ['idle'])).toThrow('no place of a marker depends on idle');
    expect(() => fit({ ...hanging, places: [[NaN, NaN, 0.2]] }, ['E'])).toThrow('1 places of markers for 1 parameters');
  });

  it('name a coordinate that nothing at rest determines, where markers move with it', async () => {
    const pan = (more: string): string => `
kanegen: 1
name: pan
parameters: { k: { value: 3 N m/rad, runtime: true } }
links:
  - { name: pan, joint: { revolute: z${more} }, rigid: { mass: 1 kg } }
  - { name: arm, joint: { revolute: y, stiffness: k }, rigid: { mass: 1 kg, com: [0.3, 0, 0], distal: { xyz: [0.6, 0, 0] } } }
`;
    // k angle = m g 0.3 m cos(angle) with k = 3.5 N m/rad, turned by 0.7 rad about the vertical.
    let angle = 0.5;
    for (let i = 0; i < 60; i++) angle += (9.81 * 0.3 * Math.cos(angle) - 3.5 * angle) / 7;
    const place = [Math.cos(angle) * Math.cos(0.7), Math.cos(angle) * Math.sin(0.7), -Math.sin(angle)];
    const table = (columns: readonly string[]): string =>
      `${columns.map((axis) => `arm ${axis}`).join()}\n${`${columns.map((axis) => 0.6 * place['xyz'.indexOf(axis)]!).join()}\n`.repeat(2)}`;
    const found = async (more: string, ...columns: readonly string[]) => {
      writeFileSync(path.join(folder, 'pan.robot.yaml'), pan(more));
      writeFileSync(path.join(folder, 'pan.csv'), table(columns));
      const own = await load(path.join(folder, 'pan.robot.yaml'));
      const { notes, parameters } = await own.identifyMarkers(path.join(folder, 'pan.csv'), ['k']);
      return { notes, value: parameters[0]!.value };
    };
    const { notes } = await found('', 'x', 'y', 'z');
    expect(notes).toEqual([
      expect.stringMatching(
        /^nothing at rest determines pan\.angle, and markers move with that: it stays at its default; /,
      ),
    ]);
    // Heights do not change with it; a spring brings it there.
    expect(await found('', 'z')).toEqual({ notes: [], value: expect.closeTo(3.5, 8) });
    expect(await found(', stiffness: 1 N m/rad, rest: 0.7 rad', 'x', 'y', 'z')).toEqual({
      notes: [],
      value: expect.closeTo(3.5, 8),
    });
  });

  it('may miss markers, and deviations grow', () => {
    const full = noisy(exact, 3);
    const seen = full.places.map((own, k) => (k === 1 ? own.map(() => NaN) : own));
    const [all, fewer] = [fit(full, ['E']), fit({ ...full, places: seen }, ['E'])];
    expect(fewer.numbers).toBe(all.numbers - 3);
    expect(fewer.parameters[0]!.value).not.toBe(all.parameters[0]!.value);
    expect(fewer.parameters[0]!.value / TRUE).toBeCloseTo(1, 1);
  });
});

it('slopes at a bound, near it and away from it are those of a polynomial of degree four, from samples within the bounds', () => {
  const f = (x: number): number => 3 - x + 2 * x ** 2 - 5 * x ** 3 + 0.7 * x ** 4;
  const slope = (x: number): number => -1 + 4 * x - 15 * x ** 2 + 2.8 * x ** 3;
  for (const [x, lower, upper] of [
    [0, 0, 9],
    [0.05, 0, 9],
    [1, -9, 9],
    [1, 0.5, 1],
    [0.3, 0.25, 0.35],
    [2, -Infinity, Infinity],
  ] as const) {
    // prettier-ignore
    const samples = samplesWithin(x, 0.1, { lower, upper });
    for (const { change } of samples) {
      expect(x + change).toBeGreaterThanOrEqual(lower);
      expect(x + change).toBeLessThanOrEqual(upper);
    }
    const results = samples.map(({ change }) => [f(x + change)]);
    expect(slopeOf(samples, results)[0]!).toBeCloseTo(slope(x), 10);
  }
  expect(samplesWithin(2, 0.1, { lower: 0, upper: 9 })).toHaveLength(4);
});

it('quantiles of Student’s distribution are those of tables', () => {
  for (const [freedom, quantile] of [[1, 12.706], [5, 2.571], [14, 2.145], [30, 2.042], [1000, 1.962]] as const)
    expect(studentQuantile(freedom)).toBeCloseTo(quantile, 2); // prettier-ignore
});

describe('markers in motion', () => {
  const [E, ETA] = [150e3, 300];
  const DURATION = 0.6;
  let swinging: SymbolicRobot;
  let log: { readonly t: number; readonly pull: number; readonly tip: readonly number[] }[];

  beforeAll(async () => {
    const file = path.join(folder, 'swinging.robot.yaml');
    writeFileSync(file, SWINGING);
    swinging = await load(file);
    const scenario = path.join(folder, 'swing.scenario.yaml');
    // The other method of steps, so that errors of steps would show.
    writeFileSync(
      scenario,
      `kanegen-scenario: 1
robot: swinging.robot.yaml
set: { E: ${E} Pa, eta: ${ETA} Pa s }
initial: { equilibrium: true }
inputs: { pull: { table: [[0, 1], [0.1 s, 2], [0.2 s, 0.4], [0.35 s, 1.8], [0.5 s, 0], [0.6 s, 0]] } }
duration: ${DURATION} s
outputs: { every: 10 ms, frames: [soft] }
integrator: { method: extrapolation, tolerance: 1e-10 }
`,
    );
    const run = await simulate(scenario);
    log = run.samples.map(({ t, u, frames }) => ({ t, pull: u[0]!, tip: frames[0]! }));
  });

  const csvOf = (random?: () => number): string => {
    const normal = (): number =>
      random ? NOISE * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()) : 0;
    const rows = log.map(({ t, pull, tip }) => [t, pull, ...tip.map((x) => x + normal())].join());
    return `t [s],pull [N],soft x,soft y,soft z\n${rows.join('\n')}\n`;
  };

  it('give back modulus and viscosity, within 1 % and their deviations where noise is 0.5 mm', async () => {
    const table = readMarkers(swinging.model, csvOf(randomNumbers(11)), 'log.csv', true);
    const { converged, moving, lines, parameters, noise } = await swinging.identifyMarkers(table, ['E', 'eta']);
    expect([converged, moving, lines]).toEqual([true, true, log.length]);
    const [modulus, viscosity] = parameters;
    expect(Math.abs(modulus!.value / E - 1)).toBeLessThan(0.01);
    for (const [own, value] of [
      [modulus!, E],
      [viscosity!, ETA],
    ] as const)
      // prettier-ignore
      expect(Math.abs(own.value - value)).toBeLessThan(3 * own.deviation);
    expect(noise / NOISE).toBeGreaterThan(0.85);
    expect(noise / NOISE).toBeLessThan(1.15);
  });

  it('without noise exactly, by the command', async () => {
    const file = path.join(folder, 'log.csv');
    writeFileSync(file, csvOf());
    const words = ['identify', 'swinging.robot.yaml', '--markers', 'log.csv', '--moving', '--json'];
    const { code, out } = await runInProcess(folder, words);
    expect(code).toBe(0);
    const { parameters, notes } = JSON.parse(out) as { parameters: { value: number }[]; notes: string[] };
    expect(parameters[0]!.value / E).toBeCloseTo(1, 5);
    expect(parameters[1]!.value / ETA).toBeCloseTo(1, 4);
    expect(notes).toEqual(['the motion begins at rest, in the equilibrium under the inputs of the first line']);
  });

  it('hold bounds, also where quotients are taken: a search that begins at no viscosity, where less is out of range', async () => {
    const text = SWINGING.replace('300 kPa', `${E} Pa`).replace('value: 800 Pa s,', 'value: 0 Pa s, min: 0 Pa s,');
    const undamped = await load(text);
    const table = readMarkers(undamped.model, csvOf().split('\n').slice(0, 32).join('\n'), 'log.csv', true);
    const { parameters } = await undamped.identifyMarkers(table, ['eta']);
    expect(parameters[0]!.value / ETA).toBeCloseTo(1, 3);
  });

  it('begin where the first line says, and say what is wrong with a log', () => {
    const read = (text: string): MarkerTable => readMarkers(swinging.model, text, 'log.csv', true);
    const begun = 't,soft x,soft.q,rate of soft.q\n0,0.1,0.35,1\n0.1,0.1,,\n';
    expect(read(begun)).toMatchObject({ times: [0, 0.1], start: { q: [0.35], qd: [1] } });
    expect(read('t,soft x,soft.q\n0,0.1,0.35\n0.1,0.1,0.3\n').start).toEqual({ q: [0.35], qd: [0] });
    expect(read('t,soft x\n0,0.1\n0.1,0.1\n').start).toBeUndefined();
    expect(() => read('soft x\n0.1\n')).toThrow('the column `t` is missing');
    expect(() => read('t,soft x\n0,0.1\n0,0.1\n')).toThrow('0 s does not come after 0 s');
  });
});

describe('files', () => {
  it('have markers by name, units, and gaps; mistakes have a place', () => {
    const text = 'pull [mN],mark x [mm],soft2 x,soft2 z\n500,10,0.1,0.2\n0,,0.1,0.2\n';
    const { columns, places, inputs, strange } = readMarkers(robot.model, text, 'm.csv');
    expect(strange).toEqual([]);
    expect(readMarkers(robot.model, 'pul,mark x,soft22 z\n1,2,3\n', 'm.csv').strange).toEqual(['soft22 z']);
    expect(columns.map(({ name }) => name)).toEqual(['soft2 x', 'soft2 z', 'mark x']);
    expect(places).toEqual([[0.1, 0.2, 0.01], [0.1, 0.2, NaN]]); // prettier-ignore
    expect(inputs).toEqual([[0.5], [0]]);
    expect(() => readMarkers(robot.model, 'soft2 x\nhere\n', 'm.csv')).toThrow('`here` is not a finite number');
    expect(() => readMarkers(robot.model, 'tip\n1\n', 'm.csv')).toThrow('column');
  });

  it('of the command give the report, and what is wrong with them the exit code 1', async () => {
    const rows = exact.places.map((own, k) => [PULLS[k], ...own].join());
    writeFileSync(path.join(folder, 'tips.csv'), `pull [N],soft2 x [m],soft2 y [m],soft2 z [m]\n${rows.join('\n')}\n`);
    const words = ['identify', 'finger.robot.yaml', '--markers'];
    const { code, out } = await runInProcess(folder, [...words, 'tips.csv', '--parameters', 'E', '--json']);
    expect(code).toBe(0);
    const { parameters } = JSON.parse(out) as { parameters: { value: number }[] };
    expect(parameters[0]!.value / TRUE).toBeCloseTo(1, 8);
    writeFileSync(path.join(folder, 'bad.csv'), 'pull,soft2 x\n1,no\n');
    const bad = await runInProcess(folder, [...words, 'bad.csv', '--parameters', 'E']);
    expect([bad.code, bad.out]).toEqual([1, '']);
    expect(bad.err).toContain('bad.csv:2:3: ');
    expect((await runInProcess(folder, [...words, 'tips.csv', '--parameters', 'F'])).err).toContain(
      'the robot has no parameter `F`',
    );
    expect((await runInProcess(folder, ['identify', 'finger.robot.yaml'])).code).toBe(2);
  });
});
