/** `controllers:` of robot files: what is read of them, and every mistake at its place. */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { KanegenError } from '../../src/common/error.ts';

const HEAD = `kanegen: 1
name: pair
parameters: { w: 10 1/s }
links:
  - { name: slide, joint: { prismatic: x }, rigid: { mass: 1 kg } }
  - { name: turn, joint: { revolute: z }, rigid: { mass: 1 kg, inertia: { zz: 1 } } }
`;
const BOTH = 'actuators: { push: { motor: slide.displacement }, twist: { motor: turn.angle, ratio: 10 } }\n';
const read = (text: string) => loadRobotText(`${HEAD}${text}`, 'pair.robot.yaml');

/** `line: message` of every problem. */
function mistakes(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    return error.problems.map(({ location, message }) => `${location?.line}:${location?.column}: ${message}`);
  }
  return [];
}

describe('controllers', () => {
  it('have gains in SI, one for all or one for each, by formulas of parameters', () => {
    const { controllers } = read(
      `${BOTH}controllers: { a: { computed-torque: { kp: w^2, kd: [20 1/s, 0.01 1/ms], ki: 3, period: 2 ms } }, b: { pd: { kp: [3 N/mm, 4 N m/rad], kd: 2 } } }\n`,
    );
    expect(controllers).toMatchObject([
      {
        name: 'a',
        law: { kind: 'computed-torque', integral: true },
        gains: [
          { name: 'kp', values: [100, 100], units: ['1/s^2', '1/s^2'] },
          { name: 'kd', values: [20, 10] },
          { name: 'ki', values: [3, 3] },
          { name: 'period', values: [0.002], single: true },
        ],
      },
      {
        name: 'b',
        law: { kind: 'pd', integral: false },
        gains: [{ values: [3000, 4], units: ['kg/s^2', 'kg m^2/s^2'] }, {}],
      },
    ]);
  });

  it('mean actuators by name, in the order of their outputs', () => {
    const { controllers } = read(
      `${BOTH}controllers: { a: { partial-feedback-linearisation: { outputs: [twist], kp: 1, kd: 1 } }, b: { partial-feedback-linearisation: { kp: 1, kd: 1 } } }\n`,
    );
    expect(controllers!.map(({ law }) => law)).toMatchObject([{ outputs: [1] }, { outputs: [0, 1] }]);
  });

  it('lead axes of a frame in their order, by all actuators or some', () => {
    const { controllers } = read(
      `${BOTH}states: { up: { turn.angle: 0.1 } }\ncontrollers: { a: { task-space: { frame: turn, form: acceleration, axes: [along y, along x], kp: [1, 2], kd: 3, posture: up, posture-kp: 4, posture-kd: 5 } }, b: { task-space: { frame: turn, form: acceleration, axes: [about z], kp: 1, kd: 1, actuators: [twist] } } }\n`,
    );
    expect(controllers).toMatchObject([
      {
        law: { kind: 'task-space', form: 'acceleration', frame: 1, axes: [4, 3], posture: true, actuators: [0, 1] },
        gains: [
          { name: 'kp', values: [1, 2] },
          { name: 'kd', values: [3, 3] },
          { name: 'damping', values: [0], single: true },
          { name: 'postureKp', values: [4, 4] },
          { name: 'postureKd', values: [5, 5] },
          { name: 'posture', values: [0, 0.1] },
        ],
      },
      { law: { axes: [2], posture: false, actuators: [1] } },
    ]);
  });

  it('have shells with limits of drives and joints, and a law of faults beside them', () => {
    const { controllers } = loadRobotText(
      `kanegen: 1
name: one
links: [{ name: a, joint: { revolute: z, limits: [-1, 2], drive-limits: { velocity: 3 rad/s } }, rigid: { mass: 1 kg, inertia: { zz: 1 } } }]
actuators: { m: { motor: a.angle, limits: [-5, 5] } }
controllers:
  t: { pd: { kp: 1, kd: 1 }, shell: { period: 2 ms, rate: 0.1 kN m/s, blend: 1 s, velocity: { filtered-difference: 5 ms }, fault: { gravity-and-damping: 3 } } }
`,
      'one.robot.yaml',
    );
    expect(controllers).toMatchObject([
      {
        name: 't',
        shell: {
          period: 0.002,
          rate: [100],
          blend: 1,
          jerk: [Number.MAX_VALUE],
          speed: [3],
          rates: { kind: 'filtered-difference', time: 0.005 },
          fault: { controller: 't-safe' },
          tolerate: 2,
        },
      },
      { name: 't-safe', law: { kind: 'pd', compensation: 'state' }, gains: [{ values: [0] }, { values: [3] }] },
    ]);
  });

  it('warn of a period as long as the way of the shell to its reference', () => {
    const warningsAt = (period: string): string[] =>
      loadRobotText(
        `kanegen: 1
name: slow
links: [{ name: a, joint: { revolute: z }, rigid: { mass: 1 kg, com: [1, 0, 0] } }]
actuators: { m: { motor: a.angle, limits: [-5, 5] } }
controllers: { t: { pd: { kp: 1, kd: 1 }, shell: { rate: 100, blend: 1 s, period: ${period} } } }
`,
        'slow.robot.yaml',
      ).warnings.map(({ name, message, location: { line, column } }) => `${line}:${column}: ${message} [${name}]`);
    expect(warningsAt('999 ms')).toEqual([]);
    expect(warningsAt('1 s')).toEqual([
      '5:83: the period of 1 s is not shorter than `blend`, 1 s: `t` comes to its reference in one step [long-period]',
    ]);
  });

  const LIMITED =
    'actuators: { push: { motor: slide.displacement, limits: [-1, 1] }, twist: { motor: turn.angle, limits: [-1, 1] } }\n';
  const SHELL = 'period: 1 ms, rate: 1, blend: 1 s';
  it.each([
    [
      BOTH,
      `{ pd: { kp: 1, kd: 1 }, shell: { ${SHELL} } }`,
      '8:46: a shell needs limits of all inputs: `push` has none',
    ],
    [LIMITED, `{ pd: { kp: 1, kd: 1 }, shell: { period: 0, rate: 1, blend: 1 } }`, '8:63: 0 is not above zero'],
    [
      LIMITED,
      `{ pd: { kp: 1, kd: 1 }, shell: { ${SHELL}, jerk: [1, 0] } }`,
      '8:96: `jerk` of `turn.angle` is not above zero',
    ],
    [
      LIMITED,
      `{ pd: { kp: 1, kd: 1 }, shell: { ${SHELL}, velocity: { tracking-loop: 5 ms } } }`,
      '8:117: a bandwidth must be a quantity in 1/s, not a time (s)',
    ],
    [
      LIMITED,
      `{ task-space: { frame: turn, form: torque, stiffness: 1, damping: 1 }, shell: { ${SHELL} } }`,
      '8:93: a shell is for laws that lead coordinates or actuation coordinates, not the pose of a frame',
    ],
    [
      LIMITED,
      `{ pd: { kp: 1, kd: 1 }, shell: { ${SHELL} } }, hold-shell: { pd: { kp: 1, kd: 1 } }`,
      '8:94: the controllers `hold` and `hold-shell` have the same name in generated code',
    ],
  ])('name what is wrong with a shell: %s%s', (actuators, text, message) => {
    const [first] = mistakes(`${actuators}controllers: { hold: ${text} }\n`);
    expect(first).toContain(message);
  });

  it.each([
    ['{ computed-torque: { kp: -4, kd: 1 } }', '8:44: `kp` of `slide.displacement` is negative'],
    ['{ computed-torque: { kp: [1, 2, 3], kd: 1 } }', '8:44: `kp` has 3 values for 2 coordinates'],
    [
      '{ computed-torque: { kp: 1 N/m, kd: 1 } }',
      '8:44: `kp` of `slide.displacement` must be a quantity in 1/s^2, not',
    ],
    ['{ computed-torque: { kp: 1 } }', 'missing'],
    ['{ computed-torque: { kp: 1, kd: 1, kq: 2 } }', 'unknown key `kq`'],
    ['{ computed-torque: { kp: 1, kd: 1, ki: 2 } }', '`ki` needs `period`, the time between two steps'],
    ['{ computed-torque: { kp: 1, kd: 1, period: 1 ms } }', '`period` is for an integral'],
    ['{ computed-torque: { kp: 1, kd: 1, ki: 1, period: 0 } }', '0 s cannot be the time between steps'],
    ['{ pd: { kp: 1 N/m, kd: 1 } }', '8:31: `kp` of `turn.angle` must be'],
    ['{ pd: { kp: 1, kd: 1 }, computed-torque: { kp: 1, kd: 1 } }', 'not both'],
    ['{ summary: hm }', 'this controller has no kind'],
    ['{ task-space: { frame: trun, form: velocity, gain: 1 } }', '8:42: unknown frame `trun`'],
    ['{ task-space: { frame: turn, form: speed, gain: 1 } }', 'one of'],
    ['{ task-space: { frame: turn, form: velocity } }', 'the velocity form takes a `gain`'],
    ['{ task-space: { frame: turn, form: velocity, gain: [1, 2] } }', '`gain` has 2 values for 6 axes'],
    [
      '{ task-space: { frame: turn, form: velocity, gain: 1, damping: -1 } }',
      '`damping` of `the least squares` is negative',
    ],
    ['{ task-space: { frame: turn, form: velocity, gain: 1, stiffness: 1 } }', 'the velocity form has no `stiffness`'],
    [
      '{ task-space: { frame: turn, form: velocity, gain: 1, posture: home, posture-gain: 1 } }',
      'unknown state `home`',
    ],
    ['{ task-space: { frame: turn, form: velocity, gain: 1, posture-gain: 1 } }', 'takes a `posture`'],
    ['{ task-space: { frame: turn, form: torque, stiffness: 1 } }', 'the torque form takes a `damping`'],
    ['{ task-space: { frame: turn, form: torque, stiffness: 1 N/m, damping: 1 } }', '`stiffness` of `about x` must be'],
    ['{ shape: { kp: 1, kd: 1, actuators: [twist] } }', '8:56: `twist` drives no tension of an equilibrium'],
    ['{ shape: { kp: 1, kd: 1 } }', '8:21: `push` drives no tension of an equilibrium'],
    ['{ pd: { kp: 1, kd: 1, actuators: [twst] } }', '8:53: unknown actuator `twst`'],
    ['{ pd: { kp: 1, kd: 1, compensation: goal } }', 'one of'],
    ['{ feed-forward: { actuators: [twist, twist] } }', '`twist` appears twice'],
    ['{ partial-feedback-linearisation: { outputs: [twst], kp: 1, kd: 1 } }', '8:65: unknown actuator `twst`'],
    ['{ partial-feedback-linearisation: { outputs: [twist, twist], kp: 1, kd: 1 } }', '`twist` appears twice'],
    ['{ partial-feedback-linearisation: { outputs: [twist], kp: [1, 2], kd: 1 } }', '`kp` has 2 values for 1 output'],
  ])('say what is wrong with %s', (text, message) => {
    const found = mistakes(`${BOTH}controllers: { a: ${text} }\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it.each([
    [
      'frame: turn, form: acceleration, kp: 1, kd: 1',
      '8:35: 6 axes of `turn` cannot be led by the 2 coordinates that move it',
    ],
    [
      'frame: slide, form: acceleration, axes: [along x, along y], kp: 1, kd: 1',
      'cannot be led by the 1 coordinate that moves it',
    ],
    [
      'frame: turn, form: acceleration, axes: [along x, along y], actuators: [push], kp: 1, kd: 1',
      '8:68: 2 axes of `turn` cannot be led by 1 actuator',
    ],
    [
      'frame: turn, form: acceleration, axes: [along x], kp: 1, kd: 1, actuators: [push], least: accelerations',
      '8:125: accelerations are free where each coordinate has an actuator only',
    ],
    ['frame: trun, form: acceleration, axes: [along x], kp: 1, kd: 1', '8:42: unknown frame `trun`'],
    ['frame: turn, form: acceleration, axes: [along w], kp: 1, kd: 1', 'about x'],
    ['frame: turn, form: acceleration, axes: [], kp: 1, kd: 1', 'this list is empty'],
    ['frame: turn, form: acceleration, axes: [along x, along x], kp: 1, kd: 1', '8:84: `along x` appears twice'],
    ['frame: turn, form: acceleration, axes: [along x], kp: -1, kd: 1', '`kp` of `along x` is negative'],
    ['frame: turn, form: acceleration, axes: [along x], kp: 1, kd: [1, 2]', '`kd` has 2 values for 1 axis'],
    [
      'frame: turn, form: acceleration, axes: [along x], kp: 1 N/m, kd: 1',
      '`kp` of `along x` must be a quantity in 1/s^2',
    ],
    ['frame: turn, form: acceleration, axes: [along x], kp: 1', 'the acceleration form takes a `kd`'],
    ['frame: turn, form: acceleration, axes: [along x], kp: 1, kd: 1, gain: 1', 'the acceleration form has no `gain`'],
    ['frame: turn, form: acceleration, axes: [along x], kp: 1, kd: 1, damping: -1', 'is negative'],
    ['frame: turn, form: acceleration, axes: [along x], kp: 1, kd: 1, posture: up', 'takes a `posture-kp`'],
    [
      'frame: turn, form: acceleration, axes: [along x], kp: 1, kd: 1, posture: pu, posture-kp: 1, posture-kd: 1',
      'unknown state `pu`',
    ],
    [
      'frame: turn, form: acceleration, axes: [along x], kp: 1, kd: 1, posture: up, posture-kp: [1, 2, 3], posture-kd: 1',
      'has 3 values for 2 coordinates',
    ],
    ['frame: turn, form: acceleration, axes: [along x], kp: 1, kd: 1, actuators: [twst]', 'unknown actuator `twst`'],
    ['frame: turn, form: velocity, gain: 1, axes: [along x]', 'the velocity form has no `axes`'],
    ['frame: turn, form: torque, stiffness: 1, damping: 1, kp: 1', 'the torque form has no `kp`'],
  ])('say what is wrong with task-space: { %s }', (keys, message) => {
    const found = mistakes(`${BOTH}controllers: { a: { task-space: { ${keys} } } }\nstates: { up: {} }\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it('need the actuators that their law needs', () => {
    const one = 'actuators: { push: { motor: slide.displacement } }\n';
    const three = `${BOTH.replace(' }\n', ', more: { along: turn.angle^3, unit: rad } }\n')}`;
    const torque = 'controllers: { a: { computed-torque: { kp: 1, kd: 1 } } }\n';
    expect(mistakes(`${one}${torque}`)[0]).toContain('1 actuator, 2 coordinates');
    expect(mistakes(`${three}${torque}`)[0]).toContain('3 actuators, 2 coordinates');
    expect(mistakes(`controllers: { a: { pd: { kp: 1, kd: 1 } } }\n`)[0]).toContain('this robot has no actuators');
    expect(mistakes(`${three}controllers: { a: { partial-feedback-linearisation: { kp: 1, kd: 1 } } }\n`)[0]).toContain(
      '3 actuation coordinates cannot be controlled independently with 2 coordinates',
    );
    const led = (names: string): string[] =>
      mistakes(
        `${three}controllers: { a: { partial-feedback-linearisation: { outputs: [${names}], kp: 1, kd: 1 } } }\n`,
      );
    expect(led('push, more')).toEqual([]);
    expect(led('more, push, twist')[0]).toContain('cannot be controlled independently with 2 coordinates');
    expect(led('twist, more')[0]).toContain('`twist` and `more` both depend on `turn.angle` alone');
  });

  it('warn of coordinates that nothing acts on, unless actuators are named', () => {
    const one = 'actuators: { push: { motor: slide.displacement } }\n';
    const warnings = (text: string): string[] =>
      read(text)
        .warnings.map(({ location, message }) => `${location?.line}:${location?.column}: ${message}`)
        .filter((line) => line.includes('no actuator'));
    expect(warnings(`${one}controllers: { a: { pd: { kp: 1, kd: 1 } } }\n`)).toEqual([
      expect.stringMatching(
        /^8:25: no actuator acts on `turn.angle`: the controller neither corrects errors nor carries weight there/,
      ),
    ]);
    expect(warnings(`${one}controllers: { a: { pd: { kp: 1, kd: 1, actuators: [push] } } }\n`)).toEqual([]);
    expect(warnings(`${BOTH}controllers: { a: { pd: { kp: 1, kd: 1 } } }\n`)).toEqual([]);
    expect(
      warnings(
        `${one}frames: { tool: { on: turn } }\ncontrollers: { a: { task-space: { frame: tool, form: torque, stiffness: 1, damping: 1 } } }\n`,
      ),
    ).toEqual([expect.stringMatching(/^9:33: no actuator acts on `turn.angle`: spring, damper and weight/)]);
    // One that runs between links may act on all.
    const tendon =
      'actuators: { rope: { tendon: { path: [{ on: base, at: [1, 0, 0] }, { on: turn, at: [0, 1, 0] }] } } }\n';
    expect(warnings(`${tendon}controllers: { a: { pd: { kp: 1, kd: 1 } } }\n`)).toEqual([]);
    const same = 'actuators: { push: { motor: slide.displacement }, more: { along: 2*slide.displacement, unit: m } }\n';
    expect(mistakes(`${same}controllers: { a: { computed-torque: { kp: 1, kd: 1 } } }\n`)[0]).toContain(
      '8:21: computed torque needs an actuator for each coordinate: none acts on `turn.angle`',
    );
  });

  it('have names of their own in generated code', () => {
    const law = '{ pd: { kp: 1, kd: 1 } }';
    expect(mistakes(`${BOTH}controllers: { a-b: ${law}, A_b: ${law} }\n`)[0]).toContain('have the same name');
    expect(mistakes(`${BOTH}controllers: { driver: ${law} }\n`)[0]).toContain('names of other files');
    expect(mistakes(`${BOTH}controllers: { "x*/": ${law} }\n`)[0]).toContain('cannot be the name of a controller');
  });
});
