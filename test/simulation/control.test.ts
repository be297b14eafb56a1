/** Scenarios with a controller: what it follows, how often it is asked, and what is wrong with a file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRobot, simulate as simulateFile } from '../../src/index.ts';
import { Control } from '../../src/simulation/run/control.ts';
import type { Reference } from '../../src/simulation/scenario/reference.ts';
import { loadScenarioText } from '../../src/simulation/scenario/scenario.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import { KanegenError } from '../../src/common/error.ts';

const ROBOT = `
kanegen: 1
name: cart
links:
  - { name: cart, joint: { prismatic: x, damping: 0.4 N s/m }, rigid: { mass: 2 kg } }
  - { name: arm, joint: { revolute: y }, rigid: { mass: 0.5 kg, com: [0, 0, -0.3], inertia: { yy: 0.01 } } }
actuators: { push: { motor: cart.displacement }, turn: { motor: arm.angle, ratio: -5 } }
controllers:
  track: { computed-torque: { kp: 100, kd: 20 } }
  hold: { pd: { kp: [200 N/m, 60 N m/rad], kd: [40 N s/m, 4 N m s/rad], ki: [100, 50], period: 10 ms } }
  press: { task-space: { frame: arm, form: torque, stiffness: [0, 20, 0, 900, 0, 0], damping: [0, 3, 0, 90, 0, 0] } }
  rates: { task-space: { frame: arm, form: velocity, gain: 5 } }
  stiff: { computed-torque: { kp: 1000000, kd: 10000 } }
  slide: { partial-feedback-linearisation: { outputs: [push], kp: 100, kd: 20 } }
`;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-control-'));
  writeFileSync(path.join(folder, 'cart.robot.yaml'), ROBOT);
  writeFileSync(path.join(folder, 'units.csv'), 't [kg],own [ms],a,b [mm]\n0,0,1,1\n1,1,2,2\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = 'kanegen-scenario: 1\nrobot: cart.robot.yaml\nduration: 1 s\noutputs: { every: 0.1 s }\n';
const read = (text: string) => loadScenarioText(`${HEAD}${text}`, path.join(folder, 'run.scenario.yaml'));

async function run(text: string): Promise<Run> {
  const { dynamics } = await loadRobot(path.join(folder, 'cart.robot.yaml'));
  const found = simulate(read(text), dynamics);
  expect(found.failure).toBeUndefined();
  return found;
}

function mistakes(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    return error.problems.map(({ location, message }) => `${location?.line}: ${message}`);
  }
  return [];
}

describe('runs with a controller', () => {
  it('may be led by what an actuator drives, in its own coordinate', async () => {
    const end = (text: string): Promise<Run> => run(`controller: track\n${text}`);
    // The motor turns five times as far, the other way round.
    const [byMotor, byJoint] = [
      await end('reference: { turn: -2*t, push: { waypoints: [[0, 0], [1 s, 0.3]] } }'),
      await end('reference: { arm.angle: 2*t/5, cart.displacement: { waypoints: [[0, 0], [1 s, 0.3]] } }'),
    ];
    byMotor.samples.at(-1)!.q.forEach((q, i) => expect(q).toBeCloseTo(byJoint.samples.at(-1)!.q[i]!, 9));
    expect(byMotor.samples.at(-1)!.q[0]).toBeGreaterThan(0.2);
  });

  it('take large implicit steps under stiff laws, whose changes the steps know', async () => {
    const goal = 'controller: stiff\nreference: { cart.displacement: 0.3 m, arm.angle: -0.4 }\n';
    const text = `${goal}integrator: { method: generalized-alpha, step: 50 ms }`;
    const scenario = read(text);
    const { dynamics } = await loadRobot(path.join(folder, 'cart.robot.yaml'), { derivatives: true });
    const { samples, counts, failure } = simulate(scenario, dynamics);
    expect(failure).toBeUndefined();
    expect(counts.steps).toBe(20);
    expect(counts.factorisations).toBeLessThan(40);
    const [cart, arm] = samples.at(-1)!.q as [number, number];
    expect(Math.abs(cart - 0.3)).toBeLessThan(1e-5);
    expect(Math.abs(arm + 0.4)).toBeLessThan(1e-5);
  });

  it('follow formulas and waypoints exactly, and keep what is not named where it began', async () => {
    const { samples } = await run(
      'initial: { coordinates: { arm.angle: 0.4 }, rates: { cart.displacement: 0.6 m/s } }\ncontroller: track\nreference: { cart.displacement: 0.2*sin(3*t) }\nintegrator: { tolerance: 1e-11 }',
    );
    for (const { t, q, qd } of samples) {
      expect(Math.abs(q[0]! - 0.2 * Math.sin(3 * t))).toBeLessThan(1e-8);
      expect(Math.abs(qd[0]! - 0.6 * Math.cos(3 * t))).toBeLessThan(1e-8);
      expect(Math.abs(q[1]! - 0.4)).toBeLessThan(1e-8);
    }
    const { samples: others, balance } = await run(
      'controller: track\nreference: { arm.angle: { waypoints: [[0.2 s, 0], [0.7 s, 90 deg], [0.9 s, 80 deg]] } }\nintegrator: { tolerance: 1e-11 }',
    );
    const due = { 0: 0, 2: 0, 7: Math.PI / 2, 9: (80 * Math.PI) / 180, 10: (80 * Math.PI) / 180 };
    for (const [k, angle] of Object.entries(due)) {
      expect(Math.abs(others[Number(k)]!.q[1]! - angle)).toBeLessThan(1e-8);
      expect(Math.abs(others[Number(k)]!.qd[1]!)).toBeLessThan(1e-7);
    }
    expect(balance!.defect).toBeLessThan(1e-7 * balance!.exchanged);
  });

  it('follow splines through points of the scenario and of a file', async () => {
    const points = [0, 0.25, 0.4, 0.8, 1].map((t) => [t, Math.sin(2 * t)] as const);
    writeFileSync(path.join(folder, 'path.csv'), `t,other,push\n${points.map(([t, y]) => `${t},0,${y}`).join('\n')}\n`);
    const rows = points.map(([t, y]) => `[${t} s, ${y}]`).join(', ');
    const common = 'controller: track\nintegrator: { tolerance: 1e-11 }\n';
    const [inFile, inScenario] = [
      await run(`${common}reference: { push: { spline: path.csv } }`),
      await run(
        `${common}reference: { cart.displacement: { spline: [${rows}] }, arm.angle: { spline: path.csv, column: other } }`,
      ),
    ];
    expect(inFile.samples).toEqual(inScenario.samples);
    for (const [t, y] of points.filter(([t]) => Number.isInteger(10 * t)))
      expect(Math.abs(inFile.samples[Math.round(10 * t)]!.q[0]! - y)).toBeLessThan(1e-8);
    expect(Math.abs(inFile.samples.at(-1)!.qd[0]!)).toBeLessThan(1e-7);
  });

  it('end steps where a spline begins and ends: its second derivative jumps there', async () => {
    const text = 'controller: track\nreference: { push: { spline: [[0.2 s, 0], [0.4 s, 0.1], [0.6 s, 0.3]] } }';
    expect(read(text).jumps!.map(({ after }) => after)).toEqual([0.2, 0.6]);
    expect(read(text.replace('0.2 s', '0 s').replace('0.6 s', '1 s')).jumps).toEqual([]);
    const { counts } = await run(text);
    expect(counts.steps).toBeLessThan(60);
  });

  it('give poses with their twist and its derivative, of formulas, waypoints and splines', async () => {
    const { robot, control } = read(
      'controller: press\nreference: { x: 0.3*sin(2*t), z: 0.2*t^2, roll: 0.7*sin(3*t), pitch: { waypoints: [[0, -0.5], [1 s, 0.6]] }, yaw: { spline: [[0, 0], [0.4 s, 1], [1 s, 2]] } }',
    );
    const { dynamics } = await loadRobot(path.join(folder, 'cart.robot.yaml'));
    const own = new Control(robot, dynamics, control!, [0, 0]);
    const at = (t: number): Record<'y' | 'yd' | 'ydd', Float64Array> => structuredClone(own.referenceAt(t));
    const h = 1e-3;
    for (const t of [0.1, 0.33, 0.6, 0.85]) {
      const change = (of: (reference: ReturnType<typeof at>) => number): number => {
        const [b, a, c, d] = [at(t - 2 * h), at(t - h), at(t + h), at(t + 2 * h)].map(of) as [
          number,
          number,
          number,
          number,
        ];
        return (8 * (c - a) - (d - b)) / (12 * h);
      };
      const { y, yd, ydd } = at(t);
      for (let i = 0; i < 6; i++) expect(Math.abs(change((near) => near.yd[i]!) - ydd[i]!)).toBeLessThan(1e-8);
      for (let i = 0; i < 3; i++) expect(Math.abs(change((near) => near.y[9 + i]!) - yd[3 + i]!)).toBeLessThan(1e-8);
      // The rate of R is w x R, column by column.
      for (let j = 0; j < 3; j++)
        for (let i = 0; i < 3; i++) {
          const [k, m] = [(i + 1) % 3, (i + 2) % 3];
          const turned = yd[k]! * y[3 * m + j]! - yd[m]! * y[3 * k + j]!;
          expect(Math.abs(change((near) => near.y[3 * i + j]!) - turned)).toBeLessThan(1e-8);
        }
    }
  });

  it('pull a frame to a pose by its spring, from where it is where nothing is said', async () => {
    const { samples } = await run(
      'initial: { coordinates: { cart.displacement: 0.2 } }\ncontroller: press\nreference: { pitch: { waypoints: [[0, 0], [0.5 s, 0.6]] }, x: { waypoints: [[0, 0.2 m], [0.5 s, 0.3 m]] } }',
    );
    const [first, last] = [samples[0]!, samples.at(-1)!];
    first.u.forEach((value) => expect(Math.abs(value)).toBeLessThan(1e-12));
    expect(Math.abs(last.q[1]! - 0.6)).toBeLessThan(0.03);
    expect(Math.abs(last.q[0]! - 0.3)).toBeLessThan(0.01);
  });

  it('lead actuation coordinates, while the others swing', async () => {
    const { samples } = await run(
      'initial: { coordinates: { cart.displacement: 0.1, arm.angle: 0.5 } }\ncontroller: slide\nreference: {}\nintegrator: { tolerance: 1e-11 }',
    );
    expect(Math.max(...samples.map(({ q }) => Math.abs(q[0]! - 0.1)))).toBeLessThan(1e-8);
    expect(samples.at(-1)!.q[1]!).toBeLessThan(0.2);
    expect(samples.at(-1)!.u[1]).toBe(0);
  });

  it('have actuation coordinates that can be expected: an error of 0.1 m that decays by exp(-10 t) (1 + 10 t), by a ratio of -5', async () => {
    const { comparisons } = await run(
      'initial: { coordinates: { arm.angle: 0.3 } }\ncontroller: slide\nreference: { push: -0.1 }\nintegrator: { tolerance: 1e-11 }\nexpect: [{ at: 0.2 s, actuators: { push: -0.059399415 }, within: 1e-8, source: exponentials }, { at: 0, actuators: { turn: -1.5, push: 1 m }, within: 1e-12, source: the start }]',
    );
    expect(comparisons.map(({ at, name, outcome }) => [at, name, outcome])).toEqual([
      [0, 'y of turn', 'ok'],
      [0, 'y of push', 'FAILED'],
      [0.2, 'y of push', 'ok'],
    ]);
  });

  it('are asked once in a period and hold their inputs in between', async () => {
    const text = 'initial: { coordinates: { arm.angle: 0.3 } }\nreference: { arm.angle: 0.5 }\n';
    const { samples } = await run(`${text}controller: { name: track, period: 0.1 s }`);
    // Gravity of the first 0.1 s is compensated as it was at its start: a step of one input, by the equations at the start.
    const [first, second] = samples;
    expect(second!.u).toEqual(first!.u);
    expect(samples[3]!.u).not.toEqual(first!.u);
    const { samples: fine } = await run(`${text}controller: { name: track, period: 1 ms }`);
    const { samples: always } = await run(`${text}controller: track\nintegrator: { tolerance: 1e-10 }`);
    const difference = Math.max(...fine.map(({ q }, k) => Math.abs(q[1]! - always[k]!.q[1]!)));
    expect(difference).toBeGreaterThan(1e-6);
    expect(difference).toBeLessThan(1e-3);
  });

  it('have integrals that take away what a load leaves: of 10 N, 50 mm without them', async () => {
    const load = 'forces: { cart.displacement: 10 N }\n';
    const { samples } = await run(`${load}controller: hold`);
    const last = samples.at(-1)!;
    // The force of the integral is what it has seen of the error, which falls.
    expect(Math.max(...samples.map(({ q }) => q[0]!))).toBeGreaterThan(last.q[0]! + 1e-3);
    expect(last.q[0]!).toBeLessThan(0.045);
  });
});

describe('phases', () => {
  it('let other inputs act from their beginning on: velocities by hand', async () => {
    // A cart of 2 kg and an arm of 0.5 kg that turns without gravity's help: pushed, let go, pushed back, against 0.4 N s/m.
    writeFileSync(
      path.join(folder, 'sledge.robot.yaml'),
      'kanegen: 1\nname: sledge\nlinks: [{ name: s, joint: { prismatic: x, damping: 0.4 N s/m }, rigid: { mass: 2 kg } }]\nactuators: { push: { motor: s.displacement } }\n',
    );
    const text = `kanegen-scenario: 1\nrobot: sledge.robot.yaml\nduration: 1 s\noutputs: { every: 0.1 s }\nintegrator: { tolerance: 1e-12 }\ninputs: { push: 6 }\nphases: [{ from: 0.33 s }, { from: 0.7 s, inputs: { push: -8*t } }]\n`;
    const { dynamics } = await loadRobot(path.join(folder, 'sledge.robot.yaml'));
    const { samples, balance } = simulate(loadScenarioText(text, path.join(folder, 'run.scenario.yaml')), dynamics);
    // 2 v' = u - 0.4 v: the solution towards each input, from the velocity before; that of a ramp a t is 2.5 a t - 12.5 a beside.
    const [first, second] = [15 * (1 - Math.exp(-0.066)), 15 * (1 - Math.exp(-0.066)) * Math.exp(-0.2 * 0.37)];
    const ramp = (t: number): number => -8 * (2.5 * t - 12.5);
    const due = (t: number): number => {
      if (t <= 0.33) return 15 * (1 - Math.exp(-0.2 * t));
      if (t <= 0.7) return first * Math.exp(-0.2 * (t - 0.33));
      return ramp(t) + (second - ramp(0.7)) * Math.exp(-0.2 * (t - 0.7));
    };
    samples.forEach(({ t, qd }) => expect(Math.abs(qd[0]! - due(t))).toBeLessThan(1e-9));
    expect(samples.map(({ u }) => u[0]!)[5]).toBe(0);
    expect(balance!.defect).toBeLessThan(1e-9 * balance!.exchanged);
  });

  it('have controllers of their own, which begin where the robot then is', async () => {
    const { samples } = await run(
      'initial: { coordinates: { arm.angle: 0.5 } }\ncontroller: slide\nreference: { push: 0.3*t }\nphases: [{ from: 0.45 s, controller: { name: track, period: 10 ms } }, { from: 0.7 s, inputs: { push: 3 } }]\nintegrator: { tolerance: 1e-11 }',
    );
    const at = (t: number) => samples.find((sample) => Math.abs(sample.t - t) < 1e-9)!;
    // A ramp from rest: the error e of the rate 0.3 m/s decays by e'' + 20 e' + 100 e = 0.
    expect(Math.abs(at(0.4).q[0]! - (0.12 - 0.3 * 0.4 * Math.exp(-4)))).toBeLessThan(1e-8);
    const [held, late] = [at(0.7), at(0.6)];
    expect(late.u[0]).not.toBe(0);
    expect(Math.abs(held.q[0]! - 0.135)).toBeLessThan(0.05);
    expect(Math.abs(held.qd[0]!)).toBeLessThan(0.1);
    expect([at(0.8).u[0], at(0.8).u[1]]).toEqual([3, 0]);
    expect(at(1).qd[0]!).toBeGreaterThan(0.2);
  });

  it('may give inputs to actuators that the controller leaves alone', async () => {
    const { samples } = await run(
      'controller: slide\nreference: { push: 0.1 }\ninputs: { turn: 0.01*t }\nphases: [{ from: 0.45 s, controller: slide }]',
    );
    expect(samples.map(({ u }) => u[1])).toEqual(samples.map(({ t }) => (t < 0.45 ? 0.01 * t : 0)));
    samples.slice(0, 4).forEach(({ u }) => expect(Math.abs(u[0]!)).toBeGreaterThan(1e-3));
  });
});

it('asks about references without a unit that look like degrees', () => {
  const warned = (text: string) => read(text).warnings!.map(({ name, location }) => `${location.line} ${name}`);
  const of = (reference: string): string[] => warned(`controller: track\nreference: { ${reference} }\n`);
  for (const raw of ['90', '{ waypoints: [[0 s, 0], [90 s, 90]] }', '{ spline: [[0 s, 0], [1 s, 45], [2 s, 0]] }'])
    expect(of(`arm.angle: ${raw}`)).toEqual(['6 bare-angle']);
  // Behind a gear, along an axis, or with a unit, numbers are what they are.
  for (const raw of ['turn: 90', 'cart.displacement: 90', 'arm.angle: 90 deg', 'arm.angle: 2*t'])
    expect(of(raw)).toEqual([]);
});

describe('periods', () => {
  const warned = (text: string) =>
    read(text).warnings!.map(({ name, location, message }) => `${location.line}: ${message} [${name}]`);
  it('as long as the controller acts are warned of', () => {
    const once = 'is asked once only: its period is';
    expect(warned('controller: { name: track, period: 0.5 s }\n')).toEqual([]);
    expect(warned('controller: { name: track, period: 2 s }\n')).toEqual([
      `5: \`track\` ${once} 2 s, and it acts for 1 s [long-period]`,
    ]);
    expect(
      warned(
        'controller: { name: track, period: 0.2 s }\nphases:\n  - { from: 0.2 s, controller: hold }\n  - { from: 0.993 s, controller: hold }\n',
      ),
    ).toEqual([
      `5: \`track\` ${once} 0.2 s, and it acts for 0.2 s [long-period]`,
      `8: \`hold\` ${once} 0.01 s, and it acts for 0.007 s [long-period]`,
    ]);
  });
});

describe('mistakes', () => {
  it.each([
    ['controller: trak', '5: unknown controller `trak`'],
    ['controller: rates', '5: `rates` computes rates of coordinates'],
    ['controller: press\nreference: { yow: 1 }', '6: unknown reference `yow`'],
    ['controller: track\nreference: { arm: 1 }', '6: unknown reference `arm`'],
    ['controller: track\nreference: { arm.angle: 1, turn: 1 }', '6: the coordinate of `turn` already has a reference'],
    ['controller: slide\nreference: { turn: 1 }', '6: unknown reference `turn`'],
    ['controller: track\ninputs: { push: 1 }', '6: the controller `track` has this input'],
    ['phases: [{ from: 0.5 s, controller: slide, inputs: { push: 1 } }]', '5: the controller `slide` has this input'],
    ['phases: [{ from: 0.5 s }, { from: 0.4 s }]', '5: a phase from 0.4 s on, after 0.5 s'],
    ['phases: [{ from: 0 }]', '5: a phase from 0 s on, after 0 s'],
    ['phases: [{ from: 1 s }]', '5: a phase from 1 s on'],
    ['phases: [{ from: 0.5 s, inputs: { psh: 1 } }]', '5: unknown actuator `psh`'],
    ['phases: []', '5: '],
    ['expect: [{ actuators: { psh: 0 }, within: 1, source: me }]', '5: unknown actuator `psh`'],
    ['expect: [{ actuators: { push: 1 s }, within: 1, source: me }]', '5: the coordinate of `push` must be'],
    ['reference: { arm.angle: 1 }', '5: no controller follows this reference'],
    ['controller: { name: track, period: 0 }', '5: 0 s cannot be the time between steps'],
    ['controller: { name: track, period: 1e-9 s }', '5: more than 1000000 steps'],
    ['controller: track\nreference: { arm.angle: 3*x }', '6: unknown symbol `x`'],
    ['controller: track\nreference: { arm.angle: { waypoints: [[0, 1], [0, 2]] } }', '6: this time is not after'],
    [
      'controller: track\nreference: { arm.angle: { waypoints: [[0, 1], [1, .nan]] } }',
      '6: NaN is not a finite number',
    ],
    ['controller: track\nreference: { arm.angle: 0.1 m }', '6: `arm.angle` must be a plain number'],
    ['controller: track\nreference: { arm.angle: sqrt(t) }', '6: the rate of `arm.angle` is not finite at 0 s'],
    [
      'controller: track\nphases: [{ from: 0.25 s, controller: track, reference: { arm.angle: 1/(t - 0.25) } }]',
      '6: `arm.angle` is not finite at 0.25 s',
    ],
    [
      'controller: track\nreference: { arm.angle: { spline: units.csv, column: a } }',
      '1: the unit of `t` is that of a mass (kg)',
    ],
    [
      'controller: track\nreference: { arm.angle: { spline: units.csv, time: own, column: b } }',
      '1: the unit of `b` is that of a length (m)',
    ],
    ['controller: track\nreference: { arm.angle: { csv: a.csv } }', '6: `waypoints` is missing'],
    ['controller: track\nreference: { arm.angle: { spline: [[0, 1]] } }', '6: a spline of one point'],
    ['controller: track\nreference: { arm.angle: { spline: [[1 s, 1], [1 s, 2]] } }', '6: this time is not after'],
    ['controller: track\nreference: { arm.angle: { spline: none.csv } }', '6: '],
    ['controller: track\nreference: { arm.angle: [hypot(t, 1), 2] }', '6: YAML read this formula as a map or a list'],
    ['start: { arm.angle: 0.1 }', '5: expected a number, "NUMBER UNIT" or a formula, not a map'],
    ['controller: track\nreference: { arm.angle: { t < 1 ? 2 : 3 } }', '6: YAML read this formula as a map or a list'],
    ['controller: track\nreference: { arm.angle: { waypoints: [[0, 1 m]] } }', '6: `arm.angle` must be a plain number'],
    ['controller: track\nreference: { arm.angle: { table: [[0, 1]] } }', '6: '],
  ])('are said at their place: %j', (text, message) => {
    const found = mistakes(text);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toContain(message);
  });

  it('runs the shell of a controller: encoders, a lost measurement, its fault among the events', async () => {
    const shelled = ROBOT.replace(/actuators: .*/, (line) =>
      line
        .replace(/displacement/, 'displacement, limits: [-40 N, 40 N]')
        .replace('ratio: -5', 'ratio: -5, limits: [-4 N m, 4 N m]'),
    )
      .replace(
        'kd: 20 }',
        'kd: 20 }, shell: { period: 2 ms, rate: 2000, blend: 0.3 s, speed: [4 m/s, 20 rad/s], velocity: { tracking-loop: 200 1/s }, tolerate: 0 }',
      )
      .replace('revolute: y', 'revolute: y, limits: [-1.2 rad, 3]')
      .replace('name: cart', 'name: shelled');
    writeFileSync(path.join(folder, 'shelled.robot.yaml'), shelled);
    const text = `kanegen-scenario: 1\nrobot: shelled.robot.yaml\nduration: 0.8 s\ninitial: { coordinates: { arm.angle: 0.5 } }\ncontroller: { name: track, encoders: 14, lost: [{ coordinate: arm.angle, from: 0.6 s, to: 0.7 s }] }\nreference: { cart.displacement: 0.2, arm.angle: 0.3 }\noutputs: { every: 0.01 s }\n`;
    const { dynamics } = await loadRobot(path.join(folder, 'shelled.robot.yaml'));
    const { samples, events, failure } = simulate(
      loadScenarioText(text, path.join(folder, 'run.scenario.yaml')),
      dynamics,
    );
    expect(failure).toBeUndefined();
    expect(events).toEqual([
      { name: 'fault: the measurement of `arm.angle` is not a number', t: expect.closeTo(0.6, 9) },
    ]);
    const at = (t: number) => samples.find((sample) => sample.t > t - 1e-9)!;
    expect(at(0.59).q[0]).toBeCloseTo(0.2, 2);
    expect(at(0.59).q[1]).toBeCloseTo(0.3, 2);
    expect(at(0.62).u).toEqual([0, 0]);
    const { robot } = loadScenarioText(text, path.join(folder, 'run.scenario.yaml'));
    /** The fault of the second of two steps, dt apart, in which the cart moves from 0 to x and the arm from 0.5 to angle. */
    const faultOf = (dt: number, x: number, angle: number, reference = 0): string | undefined => {
      const references: readonly Reference[] = [0, 1].map(
        (i) => (t, out) => out.set([t > 0 && i === 1 ? reference : 0, 0, 0]),
      );
      const control = new Control(robot, dynamics, { controller: 0, period: 2e-3, references }, [0, 0.5]);
      control.step(0, [0, 0.5], [0, 0]);
      expect(control.faults).toEqual([]);
      control.step(dt, [x, angle], [0, 0]);
      return control.faults[0]?.reason;
    };
    expect(faultOf(2e-3, 0, 0.5)).toBeUndefined();
    expect(faultOf(2e-3, 0.2, 0.5)).toBe('the rate of `cart.displacement` is beyond its limit of 4 m/s');
    expect(faultOf(2e-3, 0, 6)).toBe('`arm.angle` is beyond its limit of 3 rad');
    expect(faultOf(2e-3, 0, -6)).toBe('`arm.angle` is beyond its limit of -1.2 rad');
    expect(faultOf(2e-3, NaN, NaN)).toBe('the measurement of `cart.displacement`, `arm.angle` is not a number');
    expect(faultOf(2e-3, 0, 0.5, NaN)).toBe('the reference of `arm.angle` is not a number');
    expect(faultOf(0.5, 0, 0.5)).toBe('the time since the last step, 0.5 s, is not a period of 0.002 s');
    expect(mistakes('controller: { name: track, encoders: 12 }\n')[0]).toContain(
      '5: what is measured in steps needs a `period`',
    );
    expect(mistakes('controller: { name: hold, lost: [{ coordinate: arm.angl, from: 1, to: 2 }] }\n')[0]).toContain(
      '5: unknown coordinate `arm.angl`',
    );
  });
});

describe('controllers of another model', () => {
  const slider = (mass: string, more = '') => `
kanegen: 1
name: slider
parameters: { m: { value: ${mass}, runtime: true } }
links: [ { name: slider, joint: { prismatic: x }, rigid: { mass: m } } ]
actuators: { push: { motor: slider.displacement } }
controllers: { track: { computed-torque: { kp: 100, kd: 12 } } }
${more}`;
  const scenario = (model: string, more = 'controller: track\nreference: { slider.displacement: 0.1 + 0*t }') =>
    `kanegen-scenario: 1\nrobot: slider.robot.yaml\nmodel: ${model}\nduration: 1 s\noutputs: { every: 0.1 s }\nintegrator: { tolerance: 1e-11 }\n${more}\n`;
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  beforeAll(() => file('slider.robot.yaml', slider('2 kg')));

  it('answer as the error of its mass makes them', async () => {
    file('other.robot.yaml', slider('3 kg'));
    for (const model of ['other.robot.yaml', '{ robot: slider.robot.yaml, set: { m: 3 kg } }']) {
      const { samples, failure } = await simulateFile(file('model.scenario.yaml', scenario(model)));
      expect(failure).toBeUndefined();
      // 2 ë = −3 (12 ė + 100 e): e = −0.1 (cos ω t + (σ/ω) sin ω t) exp(−σ t), σ = 9, ω² = 150 − 81.
      const [decay, pulse] = [9, Math.sqrt(69)];
      for (const { t, q } of samples) {
        const shape = Math.cos(pulse * t) + (decay / pulse) * Math.sin(pulse * t);
        expect(Math.abs(q[0]! - 0.1 * (1 - shape * Math.exp(-decay * t)))).toBeLessThan(1e-9);
      }
    }
  });

  const jacobian: readonly [string, string] = [
    '    strain:',
    '    integration: { recursion: jacobian, tolerance: 1e-11 }\n    strain:',
  ];
  const points: readonly [string, string] = [
    '    compose:',
    '    integration: { method: quadrature, tolerance: 1e-11 }\n    compose:',
  ];
  it.runIf(process.env['KANEGEN_FULL'] === '1').each([
    ['tendon-control', [jacobian]],
    ['hybrid-grasp', [jacobian, points]],
  ] as const)('lead a plant that is compiled in another way as they lead their own: %s', async (name, changes) => {
    const from = (end: string): string => readFileSync(path.join('examples/scenarios', `${name}.${end}.yaml`), 'utf8');
    const robot = from('robot');
    const plant = changes.reduce((text, [before, after]) => text.replace(before, after), robot);
    expect(plant.split('integration: {').length - robot.split('integration: {').length).toBe(changes.length);
    file(`${name}.robot.yaml`, robot);
    file('plant.robot.yaml', plant);
    const led = from('scenario');
    const ends = [led, led.replace(`robot: ${name}`, `robot: plant.robot.yaml\nmodel: ${name}`)].map(
      async (text, k) => {
        const { comparisons, samples } = await simulateFile(file(`led-${k}.scenario.yaml`, text));
        expect(comparisons.map(({ outcome }) => outcome)).not.toContain('FAILED');
        return samples.at(-1)!.q;
      },
    );
    const [own, other] = await Promise.all(ends);
    own!.forEach((q, i) => expect(Math.abs(q - other![i]!)).toBeLessThan(1e-8));
  });

  it('are refused where states or inputs are others, and where no controller acts', () => {
    const read = (text: string): string => {
      try {
        loadScenarioText(text, path.join(folder, 'wrong.scenario.yaml'));
      } catch (error) {
        return (error as KanegenError).problems
          .map(({ location, message }) => `${location?.line}: ${message}`)
          .join('; ');
      }
      return '';
    };
    expect(read(scenario('cart.robot.yaml'))).toBe(
      '3: the coordinates of this model are not those of the robot: number 1 is cart.displacement (m) in place of slider.displacement (m); ' +
        '3: the actuators of this model are not those of the robot: number 2 is turn (N m) in place of none',
    );
    expect(read(scenario('slider.robot.yaml', 'inputs: { push: 1 }'))).toBe(
      '3: no controller computes with this model',
    );
    expect(read(scenario('{ robot: slider.robot.yaml, set: { n: 3 } }'))).toMatch(/^3: .*`n`/);
  });
});
