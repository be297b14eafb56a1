/** Observers at work: a soft arm without encoders, what its measurements tell, and what files may say. */
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { RobotCode } from '../../src/api/code.ts';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotFile, loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import type { LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { directionText, observability, unseenMotions } from '../../src/simulation/small-motions/observability.ts';
import { resultText } from '../../src/simulation/run/result-text.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import { loadScenario, loadScenarioText, type Scenario } from '../../src/simulation/scenario/scenario.ts';

const FOLDER = 'examples/scenarios';
const FILE = path.join(FOLDER, 'observed-arm.scenario.yaml');
const TEXT = `kanegen-scenario: 1
robot: observed-arm.robot.yaml
duration: 0.6 s
initial: { coordinates: { seg1.q: 0.5, seg2.q: -0.3, seg3.q: 0.4 } }
observer: { name: strains, coordinates: { seg1.q: 0.1 }, seed: 5 }
inputs: { t1: 2 + 2*sin(6*t), t3: 1 + t }
integrator: { method: rosenbrock, tolerance: 1e-6 }
outputs: { every: 10 ms }
`;
const load = (text: string): Scenario => loadScenarioText(text, path.join(FOLDER, 'text.scenario.yaml'));
const codeOf = (robot: Robot): Promise<LoadedRobot> => new RobotCode(robot, {}).run();

/** Place, message and remedy. */
function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    const { location, message, remedy } = error;
    return `${location?.file}:${location?.line}:${location?.column} ${location?.path}: ${message}; ${remedy}`;
  }
  return 'nothing is wrong';
}

/** Largest |estimate − strain| over the largest strain, from a time on. */
function strainError({ samples }: Run, from: number): number {
  const late = samples.filter(({ t }) => t >= from);
  const errors = late.flatMap(({ q, estimate }) => q.map((value, i) => Math.abs(estimate!.q[i]! - value)));
  return Math.max(...errors) / Math.max(...late.flatMap(({ q }) => q.map(Math.abs)));
}

describe('a soft arm of three segments without encoders', () => {
  let dynamics: LoadedRobot;
  beforeAll(async () => {
    dynamics = await codeOf(loadRobotFile(path.join(FOLDER, 'observed-arm.robot.yaml')));
  });

  it('is known within 2 % after half a second, from three lengths and the place of its tip', () => {
    const scenario = load(TEXT);
    const run = simulate(scenario, dynamics);
    expect(run.failure).toBeUndefined();
    expect(run.samples[0]!.estimate).toEqual({ q: [0.1, 0, 0], qd: [0, 0, 0] });
    expect(strainError(run, 0)).toBeGreaterThan(0.7);
    expect(strainError(run, 0.5)).toBeLessThan(0.02);
    // Other noise has another estimate, the same noise the same.
    const again = simulate(scenario, dynamics);
    expect(again.samples.at(-1)!.estimate).toEqual(run.samples.at(-1)!.estimate);
    const other = simulate(load(TEXT.replace('seed: 5', 'seed: 6')), dynamics);
    expect(other.samples.at(-1)!.estimate).not.toEqual(run.samples.at(-1)!.estimate);
    expect(strainError(other, 0.5)).toBeLessThan(0.02);
    expect(resultText(scenario, run, 'csv').split('\n')[0]).toContain(
      'estimate of seg1.q [rad],estimate of seg2.q [rad]',
    );
  });

  it('is controlled by its estimate', () => {
    const scenario = loadScenario(FILE);
    expect(scenario.control!.period).toBe(0.002);
    const run = simulate(scenario, dynamics);
    expect(run.failure).toBeUndefined();
    expect(run.comparisons.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'ok'));
    expect(strainError(run, 0.5)).toBeLessThan(0.02);
    // The law was given the estimate: at first it holds the arm for straight.
    const { observer, ...seeing } = { ...scenario, expectations: [] };
    expect(observer!.start).toEqual([0, 0, 0]);
    expect(simulate(seeing, dynamics).samples[0]!.u).not.toEqual(run.samples[0]!.u);
  });

  it.each([
    [
      'observer: { name: strains, coordinates: { seg1.q: 0.1 }, seed: 5 }',
      'observer: strain',
      'did you mean `strains`',
    ],
    ['coordinates: { seg1.q: 0.1 }', 'coordinates: { seg4.q: 0.1 }', 'unknown coordinate `seg4.q`'],
    ['duration: 0.6 s', 'duration: 1 h', 'more than 1000000 steps of the observer'],
    [
      'observer: { name: strains, coordinates: { seg1.q: 0.1 }, seed: 5 }',
      'expect: [{ estimates: { seg1.q: 0 }, within: 1, source: x }]',
      'no observer has estimates',
    ],
  ])('refuses %s as %s', (from, to, message) => {
    const told = problemOf(() => load(TEXT.replace(from, to)));
    expect(told).toContain(message);
    expect(told).toMatch(/text\.scenario\.yaml:\d+:\d+/);
  });
});

/** A cart on a rail with a pendulum, and a wheel that nothing holds: what sees which is known by hand. */
const cart = (measurements: readonly object[], more: object = {}): Robot =>
  loadRobotObject({
    kanegen: 1,
    name: 'cart',
    links: [
      { name: 'cart', joint: { prismatic: 'x' }, rigid: { mass: '2 kg' } },
      { name: 'rod', joint: { revolute: 'y', damping: '0.05 N m s/rad' }, rigid: { mass: '1 kg', com: [0, 0, -0.5] } },
      {
        name: 'wheel',
        parent: 'base',
        joint: { revolute: 'z' },
        rigid: { mass: '1 kg', inertia: { xx: 0.1, yy: 0.1, zz: 0.1 } },
      },
    ],
    actuators: { push: { motor: 'cart.displacement' } },
    observers: {
      state: {
        kalman: {
          period: '5 ms',
          measurements,
          process: ['1 N', '0.1 N m', '0.1 N m'],
          uncertainty: ['0.3 m', '0.3 rad', '0.3 rad'],
          'rate-uncertainty': ['1 m/s', '1 rad/s', '1 rad/s'],
        },
      },
    },
    ...more,
  });
const ENCODER = { coordinate: 'cart.displacement', noise: '1 mm' };
const WHEEL = { coordinate: 'wheel.angle', noise: '1 mrad' };

describe('what measurements tell', () => {
  it('is everything where the pendulum is seen by what it does to the cart', async () => {
    const robot = cart([ENCODER, WHEEL]);
    const dynamics = await codeOf(robot);
    expect(unseenMotions(robot, dynamics)).toEqual([]);
    const [report] = observability(robot, dynamics);
    expect(report!.atStart!.blind).toEqual([]);
    expect(report!.atStart!.left.every((left) => left < 0.3)).toBe(true);
  });

  it('is nothing of a coordinate that no measured one depends on, which is named with its place', async () => {
    const robot = cart([ENCODER]);
    const [warning, ...others] = unseenMotions(robot, await codeOf(robot));
    expect(others).toEqual([]);
    expect(warning).toMatchObject({ name: 'unseen-motion', location: { path: 'observers.state.kalman.measurements' } });
    expect(warning!.message).toContain('tell nothing of `wheel.angle` (which nothing leads back: the estimate drifts)');
    expect(unseenMotions({ ...robot, silenced: ['unseen-motion'] }, await codeOf(robot))).toEqual([]);
  });

  it('is nothing of the place of the cart where rates and angles are measured alone', async () => {
    const robot = cart([
      { rate: 'cart.displacement', noise: '1 mm/s' },
      { coordinate: 'rod.angle', noise: '1 mrad' },
      WHEEL,
    ]);
    const [warning] = unseenMotions(robot, await codeOf(robot));
    expect(warning!.message).toContain('tell nothing of `cart.displacement` (which nothing leads back');
  });

  it('names coordinates that move together with their shares', async () => {
    // The sum of both is measured, and neither has springs or weight.
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'slides',
      gravity: [0, 0, 0],
      links: [
        { name: 'a', joint: { prismatic: 'x' }, rigid: { mass: '2 kg' } },
        { name: 'b', parent: 'base', joint: { prismatic: 'x' }, rigid: { mass: '1 kg' } },
      ],
      actuators: { sum: { along: '2*a.displacement + b.displacement' } },
      observers: {
        state: {
          kalman: {
            period: '1 ms',
            measurements: [{ actuator: 'sum', noise: '1 mm' }],
            process: '0.1 N',
            uncertainty: '10 cm',
          },
        },
      },
    });
    const dynamics = await codeOf(robot);
    const [report] = observability(robot, dynamics);
    // Rates are known to be zero, so that the accelerations are: only the sum of the places is seen.
    expect(report!.atStart!.blind).toHaveLength(1);
    expect(directionText(report!.atStart!.blind[0]!)).toBe('`b.displacement` with -0.5 `a.displacement`');
    expect(report!.atStart!.left[0]!).toBeCloseTo(Math.sqrt(1 / 5), 3);
    expect(report!.atStart!.left[1]!).toBeCloseTo(Math.sqrt(4 / 5), 3);
  });

  it('dies out by itself where springs and dampers lead it back', async () => {
    const held = { joint: { revolute: 'z', stiffness: '20 N m/rad', damping: '2 N m s/rad' } };
    const robot = cart([ENCODER], {});
    const sprung = cart([ENCODER], {
      links: [
        { name: 'cart', joint: { prismatic: 'x' }, rigid: { mass: '2 kg' } },
        { name: 'rod', joint: { revolute: 'y' }, rigid: { mass: '1 kg', com: [0, 0, -0.5] } },
        { name: 'wheel', parent: 'base', ...held, rigid: { mass: '1 kg', inertia: { xx: 0.1, yy: 0.1, zz: 0.1 } } },
      ],
    });
    expect(robot.observers).toHaveLength(1);
    const [warning] = unseenMotions(sprung, await codeOf(sprung));
    expect(warning!.message).toContain('`wheel.angle` (which dies out by itself, so that the model finds it)');
  });
});

describe('a robot file with observers', () => {
  const loads =
    (kalman: object, more: object = {}) =>
    () =>
      cart([], {
        observers: {
          state: {
            kalman: {
              period: '5 ms',
              measurements: [ENCODER],
              process: ['1 N', '0.1 N m', '0.1 N m'],
              uncertainty: ['1 m', '1 rad', '1 rad'],
              ...kalman,
            },
          },
        },
        ...more,
      });
  it.each([
    [{ measurements: [{ actuator: 'pus', noise: '1 mm' }] }, 'did you mean `push`'],
    [{ measurements: [{ position: 'whel', noise: '1 mm' }] }, 'did you mean `wheel`'],
    [{ measurements: [{ rotation: 'hand', noise: 0.1 }] }, 'unknown frame `hand`'],
    [{ measurements: [{ coordinate: 'rod.angl', noise: 0.1 }] }, 'did you mean `rod.angle`'],
    [{ measurements: [{ position: 'rod', axes: ['x', 'x'], noise: '1 mm' }] }, '`x` appears twice'],
    [{ measurements: [{ position: 'rod', noise: '1 rad' }] }, 'the noise of the position of rod'],
    [{ measurements: [{ coordinate: 'rod.angle', noise: '1 mm' }] }, 'the noise of rod.angle must be a plain number'],
    [{ measurements: [{ rate: 'rod.angle', noise: '0 rad/s' }] }, '0 is not above zero'],
    [{ measurements: [{ length: 'rod.angle', noise: 1 }] }, 'unknown key `length`'],
    [{ measurements: [{ noise: 1 }] }, 'give it one of `actuator`, `position`, `rotation`, `coordinate`, `rate`'],
    [{ measurements: [{ actuator: 'push', rate: 'rod.angle', noise: 1 }] }, 'a measurement is of `actuator` or `rate`'],
    [{ measurements: [{ rotation: 'rod', axes: ['x'], noise: 0.1 }] }, '`axes` are of positions'],
    [{ measurements: [] }, 'measurements'],
    [{ period: '0 s' }, '0 is not above zero'],
    [{ process: ['1 N', '1 N'] }, '2 values for 3 coordinates'],
    [{ uncertainty: ['-1 m', '1 rad', '1 rad'] }, 'is negative'],
    [{ start: 'rest' }, 'unknown state `rest`'],
  ])('is refused with %j', (kalman, message) => {
    const told = problemOf(loads(kalman));
    expect(told).toContain(message);
    expect(told).toContain('observers.state.kalman');
  });

  it('is refused where its files would have the names of others, and with loops', () => {
    const law = {
      pd: {
        kp: ['1 N/m', '1 N m/rad', '1 N m/rad'],
        kd: ['1 N s/m', '1 N m s/rad', '1 N m s/rad'],
        actuators: ['push'],
      },
    };
    expect(loads({}, { controllers: { 'state-observer': law } })).toThrow('have the same name in generated code');
    expect(loads({}, { loops: { pin: { distance: { a: 'rod', b: 'wheel', length: '1 m' } } } })).toThrow(
      'observers: the robot has loops',
    );
  });
});
