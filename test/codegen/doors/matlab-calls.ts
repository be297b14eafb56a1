/** A robot that has what packages for MATLAB speak of, calls of its functions, and what generated TypeScript computes in these. */
import { expect } from 'vitest';
import type { RobotInterface } from '../../../src/codegen/interface/robot-interface.ts';
import { load } from '../../../src/index.ts';

/** Named by words of MATLAB, in motion with the time, with a shell and an observer. */
const ROBOT = {
  kanegen: 1,
  name: 'end',
  summary: "a 'quoted' % arm",
  parameters: {
    otherwise: { value: '1 kg', min: '0.1 kg', max: '9 kg', runtime: true, summary: "mass of 'it'" },
    stroke: '20 mm',
  },
  links: [
    { name: 'shaker', joint: { prismatic: 'x', prescribed: 'stroke*sin(9*t)' }, rigid: { mass: '1 kg' } },
    {
      name: 'arm',
      joint: { revolute: 'y', damping: '0.1 N m s/rad', limits: ['-2 rad', '2 rad'] },
      rigid: { mass: 'otherwise', com: [0.01, 0, 0.1], distal: { xyz: [0, 0, 0.2] } },
    },
    { name: 'hand', joint: { prismatic: 'z', stiffness: '90 N/m' }, rigid: { mass: '0.5 kg', com: [0, 0.02, 0] } },
  ],
  actuators: {
    turn: { motor: 'arm.angle', ratio: 2, limits: ['-20 N m', '20 N m'] },
    push: { motor: 'hand.displacement', limits: ['-20 N', '20 N'] },
  },
  states: { bent: { 'arm.angle': 0.7 } },
  controllers: {
    dynamics: { pd: { kp: 40, kd: 2, ki: 5, period: '2 ms' } },
    switch: {
      'computed-torque': { kp: '225 1/s^2', kd: '30 1/s' },
      shell: {
        period: '1 ms',
        rate: ['400 N m/s', '400 N/s'],
        blend: '50 ms',
        velocity: { 'tracking-loop': '120 1/s' },
      },
    },
  },
  observers: {
    watch: {
      kalman: {
        period: '1 ms',
        measurements: [
          { actuator: 'turn', noise: '1 mrad' },
          { actuator: 'push', noise: '1 mm' },
        ],
        process: ['1 mN m', '1 mN'],
        uncertainty: 0.5,
      },
    },
  },
};

/** The structure that was found last. */
export const KEPT = Symbol('kept');

/** A call of the gateway: how many results, what it takes. */
export interface Call {
  readonly name: string;
  readonly results: number;
  readonly given: readonly Given[];
}
export type Given = Matrix | string | typeof KEPT | { readonly fields: Readonly<Record<string, Matrix>> };
/** Column by column; `pages`: of a third axis. */
export interface Matrix {
  readonly rows: number;
  readonly values: readonly number[];
  readonly pages?: number;
  readonly single?: true;
}

export const column = (...values: number[]): Matrix => ({ rows: values.length, values });
export const columns = (rows: number, ...values: number[]): Matrix => ({ rows, values });
export const number = (value: number): Matrix => column(value);
export const NOTHING: Matrix = { rows: 0, values: [] };

export const code = await (await load(ROBOT)).compile({ derivatives: true, functions: ['default', 'solve-mass'] });

export type Arm = Record<string, (...values: unknown[]) => number> & {
  parameters: { otherwise: number; time: number };
};
export const [Q, QD] = [
  [0.3, 0.02],
  [0.5, -0.7],
] as const;

/** Every function of the interface as a call, with its results in TypeScript, column by column. */
export async function ofInterface(
  told: RobotInterface,
): Promise<{ readonly calls: Call[]; readonly expected: number[][][] }> {
  const arm = (await code.run()) as unknown as Arm;
  const [calls, expected]: [Call[], number[][][]] = [[], []];
  for (const f of told.functions) {
    const outputs = f.arguments.filter(({ role }) => role === 'output');
    if (f.after !== undefined || outputs.length === 0) continue;
    arm['update']!(Q, QD);
    const given: Given[] = f.state === 'staged' ? [column(...Q), column(...QD)] : [];
    const buffers: Float64Array[] = [];
    const passed = f.arguments.flatMap(({ role, shape, name }, k): unknown[] => {
      if (role === 'workspace' || role === 'parameters') return [];
      if (role === 'columns') return [3];
      if (role === 'frame' || role === 'link') given.push(told.frames[1]!.name);
      if (role === 'frame' || role === 'link') return [1];
      if (role === 'number') given.push(number(0.01));
      if (role === 'number') return [0.01];
      const size = shape!.reduce<number>((all, own) => all * (own === 'columns' ? 3 : own), 1);
      if (role === 'output') buffers.push(new Float64Array(size));
      if (role === 'output') return [buffers.at(-1)];
      const state = name === 'q' ? Q : name === 'qd' ? QD : undefined;
      const values = state ?? Array.from({ length: size }, (_, i) => 0.1 * (i + 1) - 0.07 * k);
      given.push(columns(shape!.at(-1) as number, ...values));
      return [values];
    });
    expect(arm[f.method]!(...passed), f.name).toBe(0);
    calls.push({ name: f.name, results: outputs.length, given });
    expected.push(
      buffers.map((own, k) => {
        const [rows = 0, width] = outputs[k]!.shape!;
        if (rows === 'columns' || width === undefined) return [...own];
        const wide = Number(width);
        return [...own].map((_, i) => own[(i % rows) * wide + Math.floor(i / rows)]!);
      }),
    );
  }
  return { calls, expected };
}

/** (x, u, tau) → x', by functions of the driver; t is the time. */
export async function motion(): Promise<
  (t: number, x: readonly number[], u: readonly number[], tau: readonly number[]) => number[]
> {
  const arm = (await code.run()) as unknown as Arm;
  const [force, qdd] = [new Float64Array(2), new Float64Array(2)];
  return (t, x, u, tau) => {
    arm.parameters.time = t;
    force.set(tau);
    arm['update']!(x.slice(0, 2), x.slice(2));
    arm['actuate']!(u, force);
    expect(arm['forwardDynamics']!(force, qdd)).toBe(0);
    return [...x.slice(2), ...qdd];
  };
}

export const X = [...Q, ...QD];
export const [U, TAU] = [
  [0.4, -0.3],
  [0.1, 0.2],
];

/** Steps of the laws, one after the other, and what TypeScript gives for them: u, or the estimate. */
export async function steps(): Promise<{ readonly calls: Call[]; readonly expected: number[][] }> {
  const robot = await code.run();
  const reference = [0, 1, 2].map((k) => [
    [0.2 * k, 0.01],
    [0, 0.1],
    [0.3, 0],
  ]);
  const state = [column(...Q), column(...QD)];
  const [calls, expected]: [Call[], number[][]] = [[], []];
  const law = robot.controllers.get('end_dynamics')!;
  const [gains, memory, u] = [law.createParameters(), law.createState(), new Float64Array(2)];
  calls.push({ name: 'dynamics_2', results: 1, given: [] });
  for (const [y, yd, ydd] of reference) {
    expect(law.step(robot, memory, gains, [...Q], [...QD], y!, yd!, ydd!, u)).toBe(0);
    calls.push({
      name: 'dynamics_2',
      results: 2,
      given: [KEPT, ...state, ...[y!, yd!, ydd!].map((own) => column(...own))],
    });
    expected.push([...u]);
  }
  const shelled = robot.controllers.get('end_switch')!.shell!;
  const shell = shelled.create();
  calls.push({ name: 'switch_shell', results: 1, given: [] });
  for (const [k, [y, yd, ydd]] of reference.entries()) {
    shelled.step(robot, shell, k === 0 ? 1 : 3, 1e-3, [...Q], [...QD], y!, yd!, ydd!, u);
    const wanted = k === 0 ? 'hold' : 'run';
    const given: Given[] = [KEPT, wanted, number(1e-3), ...state, ...[y!, yd!, ydd!].map((own) => column(...own))];
    calls.push({ name: 'switch_shell', results: 2, given });
    expected.push([...u]);
  }
  const filter = robot.observers.get('end_watch_observer')!;
  const observer = filter.create();
  calls.push({ name: 'watch_observer', results: 1, given: [] });
  for (const z of [
    [0.1, 0.01],
    [0.11, Number.NaN],
    [0.12, 0.02],
  ]) {
    expect(filter.step(robot, observer, 1e-3, U, z)).toBe(0);
    calls.push({ name: 'watch_observer', results: 1, given: [KEPT, number(1e-3), column(...U), column(...z)] });
    expected.push([...observer['q'], ...observer['qd']]);
  }
  return { calls, expected };
}

/** What is wrong, and what is said of it. */
export const MISTAKES: readonly { readonly call: Call; readonly error: string }[] = [
  [
    { name: 'mass_matrix', results: 1, given: [columns(1, 0, 0), column(0, 0)] },
    'size',
    'q is 2 x N (a column for each state), not 1 x 2',
  ],
  [
    { name: 'mass_matrix', results: 1, given: [columns(2, 0, 0, 0, 0), columns(2, 0, 0, 0, 0, 0, 0)] },
    'size',
    'qd has 3 states, others have 2',
  ],
  [
    { name: 'mass_matrix', results: 1, given: [column(0, Number.NaN), column(0, 0)] },
    'non_finite',
    'An input, a parameter or gravity is infinite or not a number.',
  ],
  [
    { name: 'mass_matrix', results: 1, given: [columns(2, 0, 0, 0, 0), columns(2, 0, 0, 0, Infinity)] },
    'non_finite',
    'state 2: An input, a parameter or gravity is infinite or not a number.',
  ],
  [
    { name: 'mass_matrix', results: 1, given: [{ ...column(0, 0), single: true }, column(0, 0)] },
    'type',
    'q is not an array of real doubles, but single',
  ],
  [
    { name: 'mass_matrix', results: 1, given: [column(0, 0)] },
    'arguments',
    'qd is missing: [M, status] = end_robot.mass_matrix(q, qd, p)',
  ],
  [
    { name: 'mass_matrix', results: 3, given: [column(0, 0), column(0, 0)] },
    'arguments',
    'too many arguments or results: [M, status] = end_robot.mass_matrix(q, qd, p)',
  ],
  [
    { name: 'mass_matrix', results: 1, given: [column(0, 0), column(0, 0), { fields: { mass: number(1) } }] },
    'parameter',
    'the robot has no run-time parameter mass: help end_robot.parameters',
  ],
  [
    { name: 'mass_matrix', results: 1, given: [column(0, 0), column(0, 0), { fields: { otherwise_: number(10) } }] },
    'out_of_range',
    'A parameter lies outside its minimum and maximum, a step of time or a gain below what it can be. Here: otherwise_',
  ],
  [
    { name: 'frame', results: 1, given: [column(0, 0), column(0, 0), 'nowhere'] },
    'place',
    "there is no frame 'nowhere'",
  ],
  [
    { name: 'frame', results: 1, given: [column(0, 0), column(0, 0), number(4)] },
    'place',
    'frame is a name, or a whole number from 1 to 3',
  ],
  [
    { name: 'inverse_dynamics_tangent', results: 1, given: [column(0, 0), column(0, 0), column(0, 0)] },
    'arguments',
    'one direction at least is needed: [dtau, status] = end_robot.inverse_dynamics_tangent(q, qd, qdd, dq, dqd, dqdd, p)',
  ],
  [
    { name: 'switch', results: 1, given: [number(1), column(0, 0)] },
    'type',
    'the first argument is what end_robot.switch_() gave, or the last step',
  ],
].map(([call, word, text]) => ({
  call: call as Call,
  error: `kanegen:end_robot:${word as string}|${/^(qd is missing|too many)/.test(text as string) ? '' : `end_robot.${(call as Call).name.replace(/^switch$/, 'switch_')}: `}${text as string}`,
}));
