/** The robot object: what is compiled once, arguments by name and by index, what it refuses, code that throws. */
import { describe, expect, it } from 'vitest';
import { load, loadRobot, type KanegenError } from '../../src/index.ts';

const PENDULUM = {
  kanegen: 1,
  name: 'pendulum',
  parameters: { m: { value: '1 kg', min: 0, runtime: true } },
  links: [
    { name: 'arm', joint: { revolute: 'y', stiffness: '20 N m' }, rigid: { mass: 'm', com: [0.5, 0, 0] } },
    { name: 'slide', joint: { prismatic: 'x', stiffness: '100 N/m' }, rigid: { mass: 0.1 } },
  ],
  actuators: { motor: { motor: 'arm.angle' } },
};
const robot = load(PENDULUM);

async function errorOf(work: () => unknown): Promise<KanegenError> {
  try {
    await work();
  } catch (error) {
    return error as KanegenError;
  }
  throw new Error('nothing was thrown');
}

describe('a robot', () => {
  it('says which names of straight-line functions are none, before anything is made', async () => {
    const code = await (await robot).compile();
    const refusal = async (functions: unknown): Promise<string> => {
      const {
        code: kind,
        message,
        remedy,
      } = await errorOf(() => code.files({ straight: { functions: functions as [] } }));
      expect(kind).toBe('unknown-function');
      return `${message}: ${remedy}`;
    };
    expect(await refusal(['massMatrx'])).toBe('unknown straight-line function "massMatrx": did you mean `massMatrix`?');
    expect(await refusal(['gravity', 7])).toContain('unknown straight-line function 7: functions: inverseDynamics, ');
    expect(await refusal(['regressor'])).toContain('`regressor` is an option of its own');
    expect(await refusal([])).toContain('the list of straight-line functions is empty');
    expect(await refusal('gravity')).toContain('are a list, not string');
    const strange = await errorOf(() => code.files({ straight: 'all' as unknown as boolean }));
    expect(strange.message).toBe('`straight` are an object, not a string');
    const { functions } = await code.straightForm({ functions: ['gravity', 'gravity'] });
    expect(functions.map(({ name }) => name)).toEqual(['gravity']);
  });

  it('compiles once for equal options, and apart for others', async () => {
    const own = await robot;
    const [one, two, three] = await Promise.all([
      own.compile(),
      own.compile({ points: false }),
      own.compile({ derivatives: true }),
    ]);
    expect(two).toBe(one);
    expect(three).not.toBe(one);
    expect(await one.compiled()).toBe(await two.compiled());
    const running = await three.run();
    expect(running.inverseDynamicsTangent).toBeTypeOf('function');
    expect((await one.run()).inverseDynamicsTangent).toBeUndefined();
  });

  it('is the same from a text and from an object, with other values, and by its old name', async () => {
    const text = JSON.stringify(PENDULUM, null, 1);
    const tau = async (own: Awaited<typeof robot>): Promise<number> => (await own.evaluate([{ q: [0, 0] }]))[0]!.g[0]!;
    const known = await tau(await robot);
    // Weight of 1 kg at 0.5 m, and of 0.1 kg at the joint.
    expect(known).toBeCloseTo(-9.81 * 0.5, 12);
    expect(await tau(await load(text))).toBe(known);
    expect(await tau((await robot).with({ set: { m: '2 kg' } }))).toBeCloseTo(2 * known, 12);
    const { dynamics } = await loadRobot(PENDULUM);
    const g = new Float64Array(2);
    dynamics.gravityAt([0, 0], g);
    expect(g[0]).toBe(known);
  });

  it('takes inputs, frames and coordinates by name as by index', async () => {
    const own = await robot;
    const byName = await own.statics({
      inputs: { motor: 0.5 },
      forces: { 'slide.displacement': 1 },
      wrenches: [{ frame: 'tip', force: [0, 0, 2] }],
      held: ['slide'],
      start: { 'slide.displacement': 0.1 },
    });
    const byIndex = await own.statics({
      inputs: [0.5],
      forces: [0, 1],
      wrenches: [{ frame: own.model.tip, force: [0, 0, 2], moment: [0, 0, 0] }],
      held: [1],
      start: [0, 0.1],
    });
    expect(byName).toEqual(byIndex);
    expect(byName.q[1]).toBe(0.1);
    // The slide is held, so the arm balances its spring, its weight, the motor and the force at the tip.
    const [a] = byName.q as [number, number];
    const lever = 0.1 * Math.cos(a);
    expect(20 * a - 9.81 * (0.5 * Math.cos(a) + 0.1 * lever) + 2 * lever - 0.5).toBeCloseTo(0, 10);
  });

  it.each<[string, (own: Awaited<typeof robot>) => unknown, RegExp]>([
    ['inputs', (own) => own.statics({ inputs: { moter: 1 } }), /^statics: inputs: the robot has no actuator "moter"$/],
    [
      'length',
      (own) => own.linearise({ forces: [1] }),
      /^linearise: forces: 1 numbers, but the robot has 2 coordinates$/,
    ],
    [
      'frame',
      (own) => own.inverseKinematics({ frame: 'arn', position: [0, 0, 0] }),
      /^inverseKinematics: goal 0: the robot has no frame "arn"$/,
    ],
    ['start', (own) => own.statics({ start: 'home' }), /^statics: start: unknown state "home"$/],
    ['held', (own) => own.statics({ held: ['arm', 'slide'] }), /^statics: held: no coordinate is left to move$/],
    [
      'force',
      (own) => own.statics({ wrenches: [{ frame: 0, force: [1] }] }),
      /^statics: wrenches\[0\]\.force: takes 3 numbers$/,
    ],
    [
      'target',
      async (own) => (await own.compile()).files({ target: 'pascal' as never }),
      /^target: unknown target "pascal"$/,
    ],
    [
      'wasm',
      async (own) => (await own.compile()).files({ target: 'wasm' }),
      /^target: `wasm` computes straight-line functions$/,
    ],
    ['folder', async (own) => (await own.compile()).write(''), /^cannot write to a folder: its name is empty/],
    [
      'single',
      (own) => own.evaluate(undefined, { precision: 'single' }),
      /^evaluate: precision `single` exists in C only/,
    ],
  ])('refuses wrong arguments by verb and argument: %s', async (_, work, message) => {
    const own = await robot;
    const error = await errorOf(() => work(own));
    expect(error.name).toBe('KanegenError');
    expect(error.message).toMatch(message);
    expect(error.remedy).toBeTruthy();
  });
});

describe('running code', () => {
  it('names function, argument and length where an array does not fit, and its own lines', async () => {
    const code = await (await robot).compile({ functions: ['all'] });
    const running = await code.run();
    const error = await errorOf(() => running.update([1], [0, 0]));
    expect(error.message).toBe('update, q: expected 2 numbers, one per coordinate, not 1');
    const [, file, line] = /\(kanegen:pendulum\/(pendulum_driver\.ts):(\d+):\d+\)/.exec(error.stack!)!;
    const written = await code.files({ target: 'ts' });
    const { text } = written.find(({ path }) => path === `typescript/${file}`)!;
    expect(text.split('\n')[Number(line) - 1]).toMatch(/throw new RangeError/);
    const missing = await errorOf(() => running.update(undefined as never, [0, 0]));
    expect(missing.message).toBe('update, q: expected 2 numbers, one per coordinate, not undefined');
    running.update([0, 0], [0, 0]);
    const short = await errorOf(() => running.massMatrix(new Float64Array(3)));
    expect(short.message).toBe('massMatrix, M: expected 4 numbers, not 3');
  });

  it('throws statuses where it is asked to, with their meaning, at the call', async () => {
    const running = await (await (await robot).compile()).run({ check: true });
    const told = async (work: () => unknown): Promise<string> => {
      const { code, message, stack } = await errorOf(work);
      expect(stack).toMatch(/robot\.test\.ts/);
      return `${code}: ${message}`;
    };
    const M = new Float64Array(4);
    expect(await told(() => running.massMatrix(M))).toBe(
      'status-no-state: massMatrix of pendulum: KG_NO_STATE: no state is staged',
    );
    expect(await told(() => running.update([0, 0], [0, Infinity]))).toMatch(
      /^status-non-finite: .*qd\[1\] is Infinity$/,
    );
    expect(running.update([0, 0], [0, 0])).toBe(0);
    expect(await told(() => running.frame(7, null, null, null))).toMatch(
      /^status-no-frame: .*no frame 7, only 0 to 1$/,
    );
    expect(await told(() => running.implicitStep(-1, [0, 0], new Float64Array(2), new Float64Array(2)))).toMatch(
      /^status-out-of-range: .*the step h is -1$/,
    );
    running.parameters['m'] = -1;
    expect(await told(() => running.update([0, 0], [0, 0]))).toMatch(
      /the parameter `m` is -1, outside of 0 to Infinity$/,
    );
    running.parameters['m'] = 1;
    const twin = running.twin();
    expect(await told(() => twin.massMatrix(M))).toMatch(/^status-no-state/);
  });

  it('names the link without inertia', async () => {
    const massless = { ...PENDULUM, links: [PENDULUM.links[0], { ...PENDULUM.links[1], rigid: { mass: 0 } }] };
    const running = await (await (await load(massless)).compile()).run({ check: true });
    running.update([0, 0], [0, 0]);
    const { code, message } = await errorOf(() => running.forwardDynamics([0, 0], new Float64Array(2)));
    expect(code).toBe('status-singular');
    expect(message).toContain('of the link `slide`');
  });
});
