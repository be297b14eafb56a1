/** Scenario files: what they say, every mistake at its place, and runs that end in the ways they may. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRobot } from '../../src/index.ts';
import { KanegenError } from '../../src/common/error.ts';
import { loadScenario, loadScenarioText, type Scenario } from '../../src/simulation/scenario/scenario.ts';
import { stopsOf, type Jump } from '../../src/simulation/scenario/jumps.ts';
import { outsideOfLimits } from '../../src/simulation/run/outside.ts';
import { resultText } from '../../src/simulation/run/result-text.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';

const ROBOT = `
kanegen: 1
name: cart
parameters: { m: 2 kg, k: { value: 8 N/m } }
gravity: [0, 0, -9.81]
links:
  - { name: cart, joint: { prismatic: x, stiffness: k, damping: 0.4 N s/m }, rigid: { mass: m } }
  - { name: arm, joint: { revolute: y }, rigid: { mass: 0.5 kg, com: [0, 0, -0.3], inertia: { yy: 0.01 } } }
actuators: { push: { motor: cart.displacement, limits: [-2 N, 4 N] } }
states: { aside: { cart.displacement: 0.2, arm.angle: 30 deg } }
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-scenario-'));
  mkdirSync(path.join(folder, 'data'));
  writeFileSync(path.join(folder, 'cart.robot.yaml'), ROBOT);
  writeFileSync(path.join(folder, 'data/push.csv'), 't,push,other\n0,0,1\n# a remark, with a comma\n0.5,2,1\n1,-1,1\n');
  writeFileSync(path.join(folder, 'data/gap.csv'), 't,push\n0,0\n0.5,\n1,-1\n');
  writeFileSync(path.join(folder, 'data/wide.csv'), 't,push\n0,0\n0.5,1,3\n');
  writeFileSync(path.join(folder, 'data/semicolons.csv'), 't;push\n0;0\n');
  writeFileSync(path.join(folder, 'data/path.csv'), 't,arm x,arm y,arm z\n0,0.2,0,0\n1,0.2,0,0\n');
  writeFileSync(path.join(folder, 'data/back.csv'), 't,push\n0,0\n0.5,1\n0.5,2\n');
  writeFileSync(path.join(folder, 'data/text.csv'), 't,push\n0,nothing\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (text: string): Scenario => loadScenarioText(text, path.join(folder, 'run.scenario.yaml'));
const HEAD = 'kanegen-scenario: 1\nrobot: cart.robot.yaml\n';

function problems(text: string): KanegenError['problems'] {
  try {
    read(`${HEAD}${text}`);
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    return error.problems;
  }
  return [];
}

/** `line: message` of every problem. */
const mistakes = (text: string): string[] =>
  problems(text).map(({ location, message }) => `${location?.line}: ${message}`);

const remedies = (text: string): (string | undefined)[] => problems(text).map(({ remedy }) => remedy);

async function run(text: string): Promise<{ scenario: Scenario; run: Run }> {
  const scenario = read(`${HEAD}${text}`);
  const { dynamics } = await loadRobot(path.join(folder, 'cart.robot.yaml'));
  return { scenario, run: simulate(scenario, dynamics) };
}

describe('angles without a unit', () => {
  const warned = (text: string): string[] =>
    read(`${HEAD}duration: 1 s\n${text}`).warnings!.map(
      ({ name, location: { line, column }, message }) => `${line}:${column} ${name}: ${message.split(':')[0]!}`,
    );

  it('are asked about where they look like degrees', () => {
    expect(
      warned('initial: { coordinates: { arm.angle: 90, cart.displacement: 90 }, rates: { arm.angle: 90 } }\n'),
    ).toEqual(['4:38 bare-angle: 90 rad is 14.3 turns']);
    expect(warned('events: { up: { coordinate: arm.angle, reaches: -45 } }\n')).toEqual([
      '4:49 bare-angle: -45 rad is -7.16 turns',
    ]);
    expect(warned('initial: { coordinates: { arm.angle: 90 deg } }\n')).toEqual([]);
    expect(warned('initial: { coordinates: { arm.angle: 1.5 } }\n')).toEqual([]);
    expect(warned('forces: { arm.angle: 90 }\n')).toEqual([]);
  });
});

describe('scenario files', () => {
  it('have defaults for all but the robot and the duration', () => {
    const { q, qd, start, end, every, integrator, frames, robot } = read(`${HEAD}duration: 500 ms`);
    expect([q, qd, start, end, every]).toEqual([[0, 0], [0, 0], 0, 0.5, 0.0025]);
    expect(integrator).toEqual({ method: 'extrapolation', tolerance: 1e-8, step: undefined, mostSteps: 1_000_000 });
    expect(frames).toEqual([robot.tip]);
  });

  it('give states, rates, times and steps with units, and set parameters', () => {
    const scenario = read(`${HEAD}
set: { k: 10 N/m }
initial: { state: aside, coordinates: { cart.displacement: 3 cm }, rates: { arm.angle: 90 deg/s } }
start: 1 s
duration: 2 s
integrator: { method: implicit-euler, step: 1 ms }
outputs: { every: 10 ms, frames: [cart, arm] }`);
    expect(scenario.q[0]).toBeCloseTo(0.03, 15);
    expect(scenario.q[1]).toBeCloseTo(Math.PI / 6, 14);
    expect(scenario.qd).toEqual([0, Math.PI / 2]);
    expect([scenario.start, scenario.end, scenario.integrator.step, scenario.every]).toEqual([1, 3, 1e-3, 0.01]);
    expect(scenario.frames).toHaveLength(2);
  });

  it('drive coordinates by formulas, tables and columns of files', () => {
    const signal = (text: string): ((t: number) => number) =>
      read(`${HEAD}duration: 1 s\nforces: { cart.displacement: ${text} }`).forces[0]!;
    expect(signal('3*sin(2*pi*t) + 1')(0.25)).toBeCloseTo(4, 14);
    expect(signal('5')(0.7)).toBe(5);
    const table = signal('{ table: [[0, 1], [500 ms, 3], [2, 0]] }');
    expect([-1, 0, 0.25, 0.5, 1.25, 2, 9, 0.125].map(table)).toEqual([1, 1, 2, 3, 1.5, 0, 0, 1.5]);
    const column = signal('{ csv: data/push.csv, column: push }');
    expect([0, 0.25, 0.75, 1, 2].map(column)).toEqual([0, 1, 0.5, -1, -1]);
  });

  it('know where formulas of the time switch, to the neighbouring numbers', () => {
    const jumps = (formula: string): readonly Jump[] =>
      read(`${HEAD}duration: 2 s\nforces: { cart.displacement: "${formula}" }`).jumps!;
    const below = (t: number): number => t - t * 2 ** -53;
    expect(jumps('sin(9*t)')).toEqual([]);
    expect(jumps('select(t < 0.5, 0, 3*t)')).toEqual([{ before: below(0.5), after: 0.5 }]);
    expect(jumps('select(2*t <= 1, 0, 3)')).toEqual([{ before: 0.5, after: 0.5 + 2 ** -53 }]);
    // The same time but for rounding, in two conditions.
    expect(jumps('select(t < 0.5, 0, 3) + select(0.5 < t, t, 1)')).toEqual([
      { before: below(0.5), after: 0.5 + 2 ** -53 },
    ]);
    const waves = jumps('sign(sin(20*t)) + max(t, 1)').map(({ after }) => after);
    const due = [...Array.from({ length: 13 }, (_, i) => (i * Math.PI) / 20), 1].sort((a, b) => a - b);
    expect(waves).toHaveLength(due.length);
    waves.forEach((t, i) => expect(t).toBeCloseTo(due[i]!, 14));
    const [jump] = jumps('select(t <= 0.5, 0, 3)');
    expect(stopsOf([0, 0.5, 2], [jump!])).toEqual([{ at: 0 }, { at: 0.5, jump }, { at: 2 }]);
    expect(stopsOf([0, 2], [jump!])).toEqual([{ at: 0 }, { at: jump!.after, jump }, { at: 2 }]);
  });

  it('end steps at as many times as there are, each at its jump if it has one', () => {
    const count = 300_000;
    const times = Array.from({ length: count + 1 }, (_, i) => i / 1000);
    const jumps = [7, 100, count - 1].map((i) => ({ before: times[i]!, after: times[i]! + 1e-13 }));
    const stops = stopsOf([...times].reverse(), [...jumps, { before: 12.0001, after: 12.0002 }]);
    expect(stops).toHaveLength(count + 2);
    expect(stops.flatMap(({ at, jump }) => (jump ? [at] : []))).toEqual(
      [times[7], 12.0002, times[100], times[count - 1]].sort((a, b) => a! - b!),
    );
    expect(stops.every(({ at }, i) => i === 0 || at > stops[i - 1]!.at)).toBe(true);
  });

  it('keep as many samples as can be held and written, and the time that would do does', () => {
    const every = (seconds: number): string => `duration: 1 s\noutputs: { every: ${seconds} s }`;
    const [remedy] = remedies(every(1e-7));
    const least = Number(/, (\S+) s at least/.exec(remedy!)![1]);
    expect(mistakes(every(least))).toEqual([]);
    expect(mistakes(every(0.9 * least))).toEqual([expect.stringMatching(/^4: more than \d+ samples of \d+ numbers/)]);
  });

  it.each([
    ['duration: 0 s', '3: 0 is not positive'],
    ['duration: 2 m', '3: this value must be a time (s), not a length (m)'],
    ['duration: 1 s\ninitial: { coordinates: { cart.dsplacement: 1 } }', '4: unknown coordinate `cart.dsplacement`'],
    ['duration: 1 s\ninitial: { rates: { arm.angle: 1 m } }', '4: the rate of `arm.angle`'],
    ['duration: 1 s\ninitial: asides', '4: unknown state `asides`'],
    ['duration: 1 s\ninitial: [0, 0]', '4: expected the name of a state of the robot, or { state: …'],
    ['duration: 1 s\nstart: 1e30 s', '4: 1 s after 1e+30 s are below rounding'],
    ['duration: 1 s\nset: { E: 2 MPa }', '4: the robot has no parameter `E`'],
    ['duration: 1 s\nset: { k: 2 MPa }', '4: the parameter `k` must be'],
    ['duration: 1 s\ninputs: { t1: 3 }', '4: unknown actuator `t1`'],
    ['duration: 1 s\nforces: { cart.displacement: 3*x }', '4: unknown symbol `x`'],
    [
      'duration: 1 s\nforces: { cart.displacement: { table: [[0, 1], [0, 2]] } }',
      '4: this time is not after the previous one',
    ],
    ['duration: 1 s\nforces: { cart.displacement: { csv: data/gap.csv, column: push } }', '3: `push` is missing'],
    ['duration: 1 s\nforces: { cart.displacement: { csv: data/back.csv, column: push } }', '4: 0.5 s does not'],
    ['duration: 1 s\nforces: { cart.displacement: { csv: data/text.csv, column: push } }', '2: `nothing` is not'],
    ['duration: 1 s\nforces: { cart.displacement: { csv: data/wide.csv, column: push } }', '3: 3 cells under 2 names'],
    [
      'duration: 1 s\nforces: { cart.displacement: { csv: data/push.csv } }',
      '1: the file has no column `cart.displacement`',
    ],
    ['duration: 1 s\nforces: { cart.displacement: { table: [] } }', '4: this list is empty'],
    ['duration: 1 s\nloads: { hand: { force: [0, 0, 1] } }', '4: unknown frame `hand`'],
    [
      'duration: 1 s\nforces: { cart.displacement: { table: [[0, 1 N], [1, 2 m]] } }',
      '4: the force on `cart.displacement`',
    ],
    ['duration: 1 s\nforces: { arm.angle: 2 N }', '4: the force on `arm.angle` must be'],
    ['duration: 1 s\nloads: { arm: { moment: [0, 0, 2 N] } }', '4: this moment must be'],
    ['duration: 1 s\noutputs: { frames: [arm, cart, arm] }', '4: `arm` appears twice'],
    ['duration: 1 s\nintegrator: { tolerance: 1e-17 }', '4: a tolerance of 1e-17 is below rounding errors'],
    ['duration: 1 s\nintegrator: { tolerance: 10 }', '4: a tolerance of 10 is too large'],
    ['duration: 1 s\nintegrator: { most-steps: 0 }', '4: the number `0` is out of range: expected at least 1'],
    [
      'duration: 1 s\nintegrator: { method: implicit-euler, step: 1 ms, tolerance: 1e-6 }',
      '4: implicit-euler has no tolerance',
    ],
    ['duration: 1 s\nintegrator: { method: implicit-euler }', '4: implicit-euler needs the size of its steps'],
    ['duration: 1 s\nintegrator: { step: 1 ms }', '4: extrapolation chooses its steps'],
    ['duration: 1 s\nintegrator: { method: euler }', '4: expected one of '],
    ['duration: 1 s\noutputs: { every: 1e-9 s }', '4: more than'],
    [
      'duration: 1 s\nintegrator: { most-steps: 1000000000000 }',
      '4: the number `1000000000000` is out of range: expected at most',
    ],
    ['duration: 1 s\nevents: { down: { coordinate: arm.angle, axis: z, reaches: 0 } }', '4: an event needs'],
    ['duration: 1 s\nevents: { down: { frame: arm, axis: z, reaches: 3 s } }', '4: this value must be a length'],
    [
      'duration: 1 s\nexpect: [{ at: 2 s, rates: { arm.angle: 0 }, within: 1, source: me }]',
      '4: 2 s is outside the run',
    ],
    ['duration: 1 s\nexpect: [{ within: 1, source: me }]', '4: this entry expects no values'],
    [
      'duration: 1 s\nexpect: [{ paths: { arm: { csv: data/push.csv, over: 1 m, mean: 0 } }, within: 1, source: me }]',
      '1: the file has no column `arm x`',
    ],
    [
      'duration: 1 s\nexpect: [{ paths: { arm: { csv: data/none.csv, over: 1 m, mean: 0 } }, within: 1, source: me }]',
      '4: data/none.csv: there is no such file',
    ],
    [
      'duration: 1 s\nexpect: [{ paths: { arm: { csv: data/path.csv, over: 0 m, mean: 0 } }, within: 1, source: me }]',
      '4: 0 is not positive',
    ],
    [
      'duration: 1 s\nexpect: [{ paths: { arm: { csv: data/path.csv, over: 1 m } }, within: 1, source: me }]',
      '4: this path expects no distance',
    ],
    [
      'duration: 1 s\nexpect: [{ paths: { cart: { csv: data/path.csv, over: 1 m, mean: 0 } }, within: 1, source: me }]',
      '4: `cart` is not among the results',
    ],
    ['statics: true\nexpect: [{ balance: 0, within: 1, source: me }]', '4: `balance` is for motions'],
    ['duration: 1 s\nexpect: [{ balance: 1 N, within: 1, source: me }]', '4: the defect of a balance must be'],
    ['duration: 1 s\nexpct: []', '4: unknown key `expct`'],
    [
      'duration: 1 s\nevents: { __proto__: { coordinate: arm.angle, reaches: 0 } }',
      '4: `__proto__` cannot be the name of an event',
    ],
  ])('say what is wrong with %j', (text, message) => {
    const found = mistakes(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it('say why a robot has no balance of energy', () => {
    const led = ROBOT.replace('name: cart\n', 'name: led\n')
      .replace('{ revolute: y }', '{ revolute: y, prescribed: t }')
      .replace(', arm.angle: 30 deg', '');
    const band =
      'forces: { band: { potential: "k*distance(arm, wall)^2", frames: { wall: { on: base, at: [1, 0, 0] } } } }';
    writeFileSync(path.join(folder, 'led.robot.yaml'), `${led}${band}\n`);
    const text =
      'kanegen-scenario: 1\nrobot: led.robot.yaml\nduration: 1 s\nexpect: [{ balance: 0, within: 1, source: me }]';
    expect(() => read(text)).toThrow(
      /what forces between frames take of joints that follow the time is not known apart/,
    );
    writeFileSync(path.join(folder, 'led.robot.yaml'), led);
    expect(() => read(text)).not.toThrow();
  });

  it('says which key has the state at the beginning where `start` is given one', () => {
    const [problem, ...others] = problems('duration: 1 s\nstart: { cart.displacement: 0.1 }');
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      message: 'expected a number, "NUMBER UNIT" or a formula, not a map',
      location: { line: 4 },
      remedy: expect.stringContaining('the state there is `initial: { coordinates: { … }, rates: { … } }`'),
    });
    expect(remedies('duration: { cart.displacement: 0.1 }')).toEqual([undefined]);
  });

  it('say what to write in place of tables that are none', () => {
    for (const [given, remedy] of [
      ['{ table: [] }', 'write a value'],
      ['{ table: [[0, 1, 2]] }', 'write [A, B]'],
      ['{ csv: data/gap.csv, column: push }', 'write a number, or remove the line'],
      ['{ csv: data/text.csv, column: push }', 'write numbers in SI units'],
      ['{ csv: data/semicolons.csv, column: push }', 'separate the columns by commas'],
    ] as const)
      expect(remedies(`duration: 1 s\nforces: { cart.displacement: ${given} }`)[0]).toContain(remedy);
  });

  it('say where in a table of numbers, and where in the file', () => {
    const at = (text: string): string => {
      const [{ location } = { location: undefined }] = problems(`duration: 1 s\n${text}`);
      return `${path.basename(location!.file)}:${location!.line}:${location!.column}`;
    };
    expect(at('forces: { cart.displacement: { csv: data/gap.csv, column: push } }')).toBe('gap.csv:3:5');
    expect(at('initial: asides')).toBe('run.scenario.yaml:4:10');
    expect(at('controller: pd')).toBe('run.scenario.yaml:4:13');
    expect(at('set: { k: 2 MPa }')).toBe('run.scenario.yaml:4:11');
    expect(at('forces: { cart.dsplacement: 1 }')).toBe('run.scenario.yaml:4:11');
  });

  it('take quantities with the unit of what they drive, and formulas of plain numbers', () => {
    const { forces, loads } = read(
      `${HEAD}duration: 1 s\nforces: { cart.displacement: 2 mN, arm.angle: 3*t }\nloads: { arm: { moment: [0, 1 N cm, 0] } }`,
    );
    expect([forces[0]!(0), forces[1]!(2), loads[0]!.moment[1](0)]).toEqual([0.002, 6, 0.01]);
  });

  it('are told from robot files and from XML', () => {
    const told = (text: string): string => {
      try {
        loadScenarioText(text, 'x.scenario.yaml');
      } catch (error) {
        return (error as KanegenError).message;
      }
      return '';
    };
    expect(told(ROBOT)).toBe('expected a scenario file, not a robot file');
    expect(told('<robot name="x"/>')).toBe('a scenario file is YAML; this is XML');
  });

  it('say all that is wrong at once, and what is wrong with a robot', () => {
    expect(mistakes('duration: -1 s\ninitial: none\nforces: { a: 1 }')).toHaveLength(3);
    expect(() => read('kanegen-scenario: 1\nrobot: missing.robot.yaml\nduration: 1 s')).toThrow(/missing\.robot\.yaml/);
    expect(() => loadScenario(path.join(folder, 'none.scenario.yaml'))).toThrow(KanegenError);
  });
});

describe('scenarios of the examples', () => {
  const folder = 'examples/scenarios';
  const names = readdirSync(folder).filter((file) => file.endsWith('.scenario.yaml'));
  it.each(names)('%s says what is expected, with its source, of a robot without warnings', (name) => {
    const { robot, expectations, warnings } = loadScenario(path.join(folder, name));
    expect([...robot.warnings, ...warnings!]).toEqual([]);
    expect(expectations.length).toBeGreaterThan(0);
    expect(expectations.map(({ kind }) => kind)).not.toContain(undefined);
  });

  it('that are slow exist', () => {
    const slow = JSON.parse(readFileSync(path.join(folder, 'slow.json'), 'utf8')) as Record<string, string>;
    for (const name of Object.keys(slow)) expect(names).toContain(`${name}.scenario.yaml`);
  });
});

describe('runs', () => {
  it('end, incomplete, where the caller says so, and keep what they have', async () => {
    const scenario = read(`${HEAD}initial: aside\nduration: 1 s\noutputs: { every: 0.1 s }`);
    const { dynamics } = await loadRobot(path.join(folder, 'cart.robot.yaml'));
    const found = simulate(scenario, dynamics, { progress: (t) => t < 0.35 });
    expect(found.failure!.message).toBe('interrupted');
    expect(found.failure!.t).toBeGreaterThanOrEqual(0.35);
    expect(found.samples.length).toBeGreaterThanOrEqual(4);
    expect(found.samples.length).toBeLessThan(11);
    expect(resultText(scenario, found, 'csv')).toMatch(/\n# incomplete: ended at [\d.]+ s: interrupted\n$/);
    expect(resultText(scenario, found, 'ndjson')).toContain('"complete":false');
  });

  it('sample in regular intervals, and end with the last one', async () => {
    const { run: found } = await run('initial: aside\nduration: 1 s\noutputs: { every: 0.3 s }');
    expect(found.samples.map(({ t }) => Number(t.toFixed(12)))).toEqual([0, 0.3, 0.6, 0.9, 1]);
    expect(found.balance!.defect).toBeLessThan(1e-6 * found.balance!.exchanged);
    expect(found.samples.at(-1)!.energy.dissipated).toBeGreaterThan(1e-3);
  });

  it('count the work of forces and loads', async () => {
    const { run: found } = await run(
      'duration: 1 s\nforces: { cart.displacement: 3*cos(5*t) }\nloads: { arm: { force: [sin(t), 0, 1], moment: [0, 0.2, 0] } }\nintegrator: { tolerance: 1e-11 }',
    );
    expect(Math.abs(found.samples.at(-1)!.energy.work)).toBeGreaterThan(0.1);
    expect(found.balance!.defect).toBeLessThan(1e-8 * found.balance!.exchanged);
  });

  it('find when something reaches a value, and stop there when told to', async () => {
    const events = (stop: boolean): string =>
      `events: { centre: { coordinate: cart.displacement, reaches: 0 m, stop: ${stop} } }`;
    const { run: all } = await run(`initial: aside\nduration: 3 s\n${events(false)}`);
    expect(all.events.length).toBeGreaterThan(1);
    const { run: first } = await run(`initial: aside\nduration: 3 s\n${events(true)}`);
    expect(first.failure).toBeUndefined();
    expect(first.events).toHaveLength(1);
    const end = first.samples.at(-1)!;
    expect(end.t).toBe(first.events[0]!.t);
    expect(Math.abs(end.q[0]!)).toBeLessThan(1e-9);
    expect(end.t).toBeCloseTo(all.events[0]!.t, 7);
  });

  it('fail when an event that must come does not, and keep what there is, marked', async () => {
    const { scenario, run: found } = await run(
      'initial: aside\nduration: 1 s\nevents: { far: { frame: cart, axis: x, reaches: 5 m, stop: true } }',
    );
    expect(found.failure).toEqual({ t: 1, message: 'the event `far`, which ends the run, did not occur' });
    expect(found.samples.at(-1)!.t).toBe(1);
    expect(resultText(scenario, found, 'csv')).toMatch(/\n# incomplete: ended at 1 s: the event/);
    expect(JSON.parse(resultText(scenario, found, 'json'))).toMatchObject({ complete: false });
  });

  it.each([
    ['arm.angle', 'initial: aside\nforces: { arm.angle: 5 }'],
    ['cart.displacement', 'initial: { coordinates: { arm.angle: 90 deg } }\nforces: { cart.displacement: 900 }'],
  ])('fail when steps run out, and say that %s accelerates most', async (name, text) => {
    const { scenario, run: found } = await run(
      `${text}\nduration: 1 s\nintegrator: { most-steps: 3, tolerance: 1e-10 }`,
    );
    expect(found.failure).toMatchObject({ message: 'more than 3 steps', fastest: name });
    expect(found.failure!.t).toBeLessThan(1);
    const end = `: more than 3 steps; \`${name}\` accelerates most\n`;
    expect(resultText(scenario, found, 'csv').endsWith(end)).toBe(true);
  });

  it.each([
    ['the input `push`', 'inputs: { push: sqrt(0.35 - t) }'],
    ['the force on `arm.angle`', 'forces: { arm.angle: 1/t }'],
    ['the load on `arm`', 'loads: { arm: { force: [0, 0, log(0.35 - t)] } }'],
  ])('fail where %s is no number, and say so', async (what, text) => {
    for (const integrator of ['extrapolation', 'rosenbrock']) {
      const { run: found } = await run(`${text}\nduration: 1 s\nintegrator: { method: ${integrator} }`);
      expect(found.failure).toEqual({ t: expect.any(Number) as number, message: `${what} is not a finite number` });
      expect(found.failure!.t).toBeLessThan(0.7);
    }
  });

  it('name the link at which there is no acceleration', async () => {
    writeFileSync(
      path.join(folder, 'flag.robot.yaml'),
      ROBOT.replace(/states:.*/, '').replace(
        'actuators:',
        '  - { name: flag, joint: { revolute: x }, rigid: { mass: 0 } }\nactuators:',
      ),
    );
    const scenario = read('kanegen-scenario: 1\nrobot: flag.robot.yaml\nduration: 1 s');
    const { dynamics } = await loadRobot(path.join(folder, 'flag.robot.yaml'));
    expect(simulate(scenario, dynamics).failure).toEqual({
      t: 0,
      message: 'the mass matrix is not positive definite at the link `flag`',
    });
  });

  it('say which coordinates and inputs leave their limits, when first and how far', async () => {
    const { scenario, run: found } = await run(
      'initial: { coordinates: { arm.angle: 90 deg } }\ninputs: { push: 8*t }\nduration: 1 s\noutputs: { every: 0.125 s }',
    );
    expect(outsideOfLimits(scenario, found)).toEqual([{ name: 'push', lower: -2, upper: 4, from: 0.625, value: 8 }]);
    const { run: back } = await run(
      'initial: { coordinates: { arm.angle: 90 deg } }\ninputs: { push: -8*t }\nduration: 1 s\noutputs: { every: 0.125 s }',
    );
    expect(outsideOfLimits(scenario, back)).toEqual([{ name: 'push', lower: -2, upper: 4, from: 0.375, value: -8 }]);
  });

  it('compare with what is expected', async () => {
    const expected = (value: number): string =>
      `initial: aside\nduration: 1 s\nexpect: [{ at: 0.5 s, coordinates: { cart.displacement: ${value} }, within: 1e-4, source: before }]`;
    const { run: first } = await run(expected(0));
    const [comparison] = first.comparisons;
    expect(comparison).toMatchObject({
      at: 0.5,
      name: 'cart.displacement',
      expected: 0,
      outcome: 'FAILED',
      source: 'before',
    });
    const { run: second } = await run(expected(Number(comparison!.found.toFixed(5))));
    expect(second.comparisons[0]!.outcome).toBe('ok');
  });

  it('show values that are known not to be met, and say when they are', async () => {
    const { run: probe } = await run(
      'initial: aside\nduration: 1 s\nexpect: [{ coordinates: { cart.displacement: 0 }, within: 1e-4, source: me }]',
    );
    const x = probe.comparisons[0]!.found;
    const known = (wrong: number, rate: string): string =>
      `initial: aside\nduration: 1 s\nexpect: [{ coordinates: { cart.displacement: ${x + wrong} }, ${rate} within: 1e-4, kind: paper, source: me, not-met: its data are lost }]`;
    const { run: missed } = await run(known(1, ''));
    expect(missed.comparisons).toMatchObject([{ outcome: 'not met', kind: 'paper', notMet: 'its data are lost' }]);
    const { run: met } = await run(known(0, ''));
    expect(met.comparisons.map(({ outcome }) => outcome)).toEqual(['met now']);
    // One value of two by chance is no entry that is met.
    const { run: half } = await run(known(0, 'rates: { cart.displacement: 1e6 },'));
    expect(half.comparisons.map(({ outcome }) => outcome)).toEqual(['not met', 'not met']);
  });

  it('are compared with the path of another run, and by the balance of energy, in all results up to a time', async () => {
    const { run: found } = await run(
      'initial: aside\nduration: 1 s\noutputs: { every: 0.25 s, frames: [cart, arm] }\nexpect: [{ at: 0.5 s, balance: 0, paths: { arm: { csv: data/path.csv, over: 500 mm, largest: 1, mean: 1 } }, within: 1e-7, source: me }]',
    );
    const distances = found.samples
      .slice(0, 3)
      .map(({ frames }) => Math.hypot(frames[1]![0]! - 0.2, frames[1]![1]!, frames[1]![2]!) / 0.5);
    expect(distances[2]).toBeGreaterThan(1e-3);
    const [balance, largest, mean] = found.comparisons;
    expect(balance).toMatchObject({ name: 'balance', expected: 0, outcome: 'ok' });
    expect(largest!.found).toBeCloseTo(Math.max(...distances), 14);
    expect(mean!.found).toBeCloseTo((distances[0]! + distances[1]! + distances[2]!) / 3, 14);
    expect([largest!.name, mean!.name]).toEqual(['largest distance of arm', 'mean distance of arm']);
    expect(largest!.outcome).toBe('FAILED');
  });

  it('write a line of names and a line per sample, or a line of JSON each', async () => {
    const { scenario, run: found } = await run(
      'initial: aside\nduration: 1 s\noutputs: { every: 0.5 s, frames: [arm] }',
    );
    const lines = resultText(scenario, found, 'csv').trim().split('\n');
    expect(lines[0]).toBe(
      't [s],cart.displacement [m],arm.angle [rad],rate of cart.displacement [m/s],rate of arm.angle [rad/s],push [N],' +
        'arm x [m],arm y [m],arm z [m],kinetic [J],potential [J],elastic [J],dissipated [J],work [J]',
    );
    expect(lines).toHaveLength(4);
    expect(lines[2]!.split(',').map(Number)[1]).toBe(found.samples[1]!.q[0]);
    const json = resultText(scenario, found, 'ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(json[0]).toMatchObject({ robot: 'cart', complete: true });
    expect(json[3]).toEqual(found.samples[2]);
  });
});
