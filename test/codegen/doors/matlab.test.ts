/**
 * The package for MATLAB: its texts name what there is; the gateway and the S-functions, compiled against stubs of MATLAB and Simulink,
 * compute what generated TypeScript computes, to the bit; where there is Octave, it builds and runs the package. MATLAB and Simulink
 * are not part of the tests.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RobotInterface } from '../../../src/codegen/interface/robot-interface.ts';
import { matlabFunctions } from '../../../src/codegen/doors/matlab/matlab-functions.ts';
import { load, type GeneratedFile } from '../../../src/index.ts';
import { isInstalled, QUICK } from '../../compilers.ts';

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

/** A call of the gateway: how many results, what it takes; `kept`: the structure that was found last. */
interface Call {
  readonly name: string;
  readonly results: number;
  readonly given: readonly Given[];
}
type Given = Matrix | string | 'kept' | { readonly fields: Readonly<Record<string, Matrix>> };
/** Column by column; `pages`: of a third axis. */
interface Matrix {
  readonly rows: number;
  readonly values: readonly number[];
  readonly pages?: number;
  readonly single?: true;
}

const column = (...values: number[]): Matrix => ({ rows: values.length, values });
const columns = (rows: number, ...values: number[]): Matrix => ({ rows, values });
const number = (value: number): Matrix => column(value);
const NOTHING: Matrix = { rows: 0, values: [] };

const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-matlab-'));
const root = path.join(folder, 'matlab');
const write = (name: string, text: string): void => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const code = await (await load(ROBOT)).compile({ derivatives: true, functions: ['default', 'solve-mass'] });
let files: readonly GeneratedFile[];
let told: RobotInterface;
const textOf = (name: string): string => files.find((file) => file.path === `matlab/${name}`)!.text;
const functions = (): string[] => files.flatMap((file) => /^matlab\/\+end_robot\/(\w+)\.m$/.exec(file.path)?.[1] ?? []);
beforeAll(async () => {
  files = await code.files({ target: 'matlab' });
  told = JSON.parse(files.find((file) => file.path === 'interface.json')!.text) as RobotInterface;
  for (const file of files) write(file.path, file.text);
});

type Arm = Record<string, (...values: unknown[]) => number> & { parameters: { otherwise: number; time: number } };
const [Q, QD] = [
  [0.3, 0.02],
  [0.5, -0.7],
] as const;

/** Every function of the interface as a call, with its results in TypeScript, column by column. */
async function ofInterface(): Promise<{ readonly calls: Call[]; readonly expected: number[][][] }> {
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
async function motion(): Promise<
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

const X = [...Q, ...QD];
const [U, TAU] = [
  [0.4, -0.3],
  [0.1, 0.2],
];

/** Steps of the laws, one after the other, and what TypeScript gives for them: u, or the estimate. */
async function steps(): Promise<{ readonly calls: Call[]; readonly expected: number[][] }> {
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
      given: ['kept', ...state, ...[y!, yd!, ydd!].map((own) => column(...own))],
    });
    expected.push([...u]);
  }
  const shelled = robot.controllers.get('end_switch')!.shell!;
  const shell = shelled.create();
  calls.push({ name: 'switch_shell', results: 1, given: [] });
  for (const [k, [y, yd, ydd]] of reference.entries()) {
    shelled.step(robot, shell, k === 0 ? 1 : 3, 1e-3, [...Q], [...QD], y!, yd!, ydd!, u);
    const wanted = k === 0 ? 'hold' : 'run';
    const given: Given[] = ['kept', wanted, number(1e-3), ...state, ...[y!, yd!, ydd!].map((own) => column(...own))];
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
    calls.push({ name: 'watch_observer', results: 1, given: ['kept', number(1e-3), column(...U), column(...z)] });
    expected.push([...(observer['q'] as Float64Array), ...(observer['qd'] as Float64Array)]);
  }
  return { calls, expected };
}

/** What is wrong, and what is said of it. */
const MISTAKES: readonly { readonly call: Call; readonly error: string }[] = [
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

describe('packages for MATLAB', () => {
  it('have a function for each of the interface, with help, a key of its own, and no word of MATLAB as a name', () => {
    const names = functions();
    const called = told.functions.filter(
      (f) => f.after === undefined && f.arguments.some(({ role }) => role === 'output'),
    );
    for (const { name } of called) expect(names).toContain(name);
    for (const name of ['dynamics', 'dynamics_jacobian', 'dynamics_2', 'switch_', 'switch_shell', 'watch_observer'])
      expect(names).toContain(name);
    const gateway = textOf('mex/end_robot_mex.c');
    const keys = names.flatMap((name) => {
      const text = textOf(`+end_robot/${name}.m`);
      const [, key] = /end_robot_mex\((\d+), varargin/.exec(text) ?? [];
      if (key === undefined) return [];
      expect(text.startsWith(`function varargout = ${name}(varargin)\n%${name.toUpperCase()} `), name).toBe(true);
      expect(text).toMatch(new RegExp(`^%  \\[.*status\\] = end_robot\\.${name}\\([^)]*p\\)$`, 'm'));
      expect(gateway).toContain(`{${key}.0, "end_robot.${name}",`);
      return [key];
    });
    expect(new Set(keys).size).toBe(called.length + 2 + 2 + 1 + 1);
    expect(textOf('+end_robot/frame.m')).toContain(
      '%  takes   frame: name or number of a frame, as in info().frames\n%  returns R: 3 x 3 x N\n',
    );
    expect(textOf('+end_robot/frame.m')).toContain('%  returns J: 6 x 2 x N\n');
    expect(textOf('+end_robot/parameters.m')).toContain("%  otherwise_ [kg, 0.1 to 9: mass of 'it']\n");
    expect(textOf('+end_robot/parameters.m')).toContain(
      '\np.gravity = [0; 0; -9.81];\np.otherwise_ = 1;\np.time = 0;\n',
    );
    expect(textOf('+end_robot/info.m')).toContain("info.summary = {'a ''quoted'' % arm'};\n");
    expect(textOf('+end_robot/info.m')).toContain('info.states.bent = [0.7; 0];\n');
    const lines = files.filter((file) => /^matlab\/(mex|\+)/.test(file.path)).flatMap(({ text }) => text.split('\n'));
    expect(lines.filter((line) => line.length > 120 || /[ \t]$/.test(line))).toEqual([]);
  });

  it('have other keys for other C, so that a gateway that was built before is refused', () => {
    const [some, others] = ['a', 'b'].map((hash) => matlabFunctions(told, hash));
    const keys = [...some!, ...others!].map(({ key }) => key);
    expect(new Set(keys).size).toBe(2 * some!.length);
    expect(keys.every((key) => Number.isSafeInteger(key))).toBe(true);
    expect(others!.map(({ key, ...own }) => own)).toEqual(some!.map(({ key, ...own }) => own));
  });
});

describe.skipIf(!isInstalled('gcc'))('gateways and S-functions over stubs (needs gcc)', () => {
  const compiler = QUICK.compiler ?? 'gcc';
  const objects = (): string[] =>
    files.flatMap(({ path: own }) =>
      own.endsWith('.c') && own.startsWith('matlab/c/') ? [`${path.basename(own, '.c')}.o`] : [],
    );
  const stubs = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  beforeAll(() => {
    write('stubs/mex.h', `#include "${stubs('matlab-stubs.h')}"\n`);
    write('stubs/simstruc.h', `#include "${stubs('simulink-stubs.h')}"\n`);
    write('stubs/simulink.c', `#include "${stubs('simulink-stubs.c')}"\n`);
    const sources = files.map((file) => file.path).filter((own) => own.startsWith('matlab/c/') && own.endsWith('.c'));
    execFileSync(compiler, [...QUICK.flags, '-c', ...sources.map((own) => path.join(folder, own))], { cwd: folder });
  });
  const built = (name: string): ((input: string) => string[]) => {
    const warnings = ['-std=c99', '-Wall', '-Wextra', '-Werror', '-Wno-unused-function'];
    const words = [
      ...warnings,
      '-DMATLAB_MEX_FILE',
      '-I../stubs',
      '-Ic',
      `mex/${name}.c`,
      ...objects().map((own) => `../${own}`),
    ];
    execFileSync('gcc', [...words, '-lm', '-o', `../${name}`], { cwd: root, stdio: 'pipe' });
    return (input) => execFileSync(path.join(folder, name), { input, encoding: 'utf8' }).split('\n').slice(0, -1);
  };
  const keyOf = (name: string): string =>
    /_mex\((\d+)/.exec(textOf(`+end_robot/${name === 'switch' ? 'switch_' : name}.m`))![1]!;
  const spelled = (own: Given): string => {
    if (own === 'kept') return 'K';
    if (typeof own === 'string') return `S ${own}`;
    if ('fields' in own)
      return `F ${Object.entries(own.fields)
        .map(([name, value]) => `${name} ${spelled(value)}`)
        .join(' ')} end`;
    const { rows, values, pages = 1, single } = own;
    const wide = rows === 0 ? 0 : values.length / rows / pages;
    const kind = single ? 'X' : pages > 1 ? 'P' : 'M';
    return [
      kind,
      rows,
      wide,
      ...(pages > 1 ? [pages] : []),
      ...values.map((value) => (Number.isFinite(value) ? value : String(value).toLowerCase())),
    ].join(' ');
  };
  const lineOf = ({ name, results, given }: Call): string =>
    `${results} ${given.length + 1} M 1 1 ${keyOf(name)} ${given.map(spelled).join(' ')}`.trim();
  let run: (calls: readonly Call[]) => string[];
  beforeAll(() => {
    const program = built('end_robot_mex');
    run = (calls) => program(`${calls.map(lineOf).join('\n')}\n`);
  });

  it('compute every function of the interface as TypeScript does, to the bit', async () => {
    const { calls, expected } = await ofInterface();
    const lines = run(calls);
    expect(calls.length).toBeGreaterThan(25);
    for (const [k, own] of expected.entries()) expect(arrays(lines[k]!), calls[k]!.name).toEqual(own);
  });

  it('take columns of states, one for all, pages of columns, and tell statuses that are asked for', async () => {
    const { calls, expected } = await ofInterface();
    const at = (name: string): number => calls.findIndex((own) => own.name === name);
    const [M, tangent] = [expected[at('mass_matrix')]![0]!, expected[at('inverse_dynamics_tangent')]![0]!];
    const [q, qd, qdd, ...directions] = calls[at('inverse_dynamics_tangent')]!.given as readonly Matrix[];
    const paged = directions.map((own) => ({ ...own, values: [...own.values, ...own.values.map(() => 0)], pages: 2 }));
    const lines = run([
      { name: 'mass_matrix', results: 2, given: [columns(2, ...Q, 1, Number.NaN, ...Q), column(...QD)] },
      { name: 'inverse_dynamics_tangent', results: 1, given: [q!, qd!, qdd!, ...paged] },
      {
        name: 'inverse_dynamics_tangent',
        results: 1,
        given: [q!, qd!, qdd!, directions[0]!, NOTHING, NOTHING, { fields: {} }],
      },
      { name: 'mass_matrix', results: 1, given: [column(...Q), column(...QD), { fields: { otherwise_: number(2) } }] },
      { name: 'mass_matrix', results: 1, given: [column(...Q), column(...QD)] },
      { name: 'mass_matrix', results: 1, given: [columns(2), columns(2)] },
    ]);
    const nothing = M.map(() => Number.NaN);
    expect(shapes(lines[0]!)).toEqual(['2x2x3', '1x3']);
    expect(arrays(lines[0]!)).toEqual([
      [...M, ...nothing, ...M],
      [0, 1, 0],
    ]);
    expect(shapes(lines[1]!)).toEqual(['2x3x2']);
    expect(arrays(lines[1]!)).toEqual([[...tangent, ...tangent.map(() => 0)]]);
    expect(shapes(lines[2]!)).toEqual(['2x3']);
    const arm = (await code.run()) as unknown as Arm;
    const heavy = new Float64Array(4);
    arm.parameters.otherwise = 2;
    arm['update']!(Q, QD);
    arm['massMatrix']!(heavy);
    expect(arrays(lines[3]!)).toEqual([[...heavy]]);
    expect(heavy[0]).not.toBe(M[0]);
    expect(arrays(lines[4]!)).toEqual([M]);
    expect(shapes(lines[5]!)).toEqual(['2x2x0']);
  });

  it('have the equations of motion at a time, and their derivatives', async () => {
    const derivative = await motion();
    const given = [number(0.2), column(...X), column(...U), column(...TAU)];
    const lines = run([
      { name: 'dynamics', results: 1, given },
      { name: 'dynamics', results: 1, given: given.slice(0, 2) },
      {
        name: 'dynamics',
        results: 1,
        given: [number(0.1), columns(4, ...X, ...X.map((x) => 2 * x)), NOTHING, column(...TAU)],
      },
      { name: 'dynamics_jacobian', results: 2, given },
      { name: 'dynamics_jacobian', results: 1, given },
    ]);
    expect(arrays(lines[0]!)).toEqual([derivative(0.2, X, U, TAU)]);
    expect(arrays(lines[1]!)).toEqual([derivative(0.2, X, [0, 0], [0, 0])]);
    expect(arrays(lines[2]!)).toEqual([[X, X.map((x) => 2 * x)].flatMap((x) => derivative(0.1, x, [0, 0], TAU))]);
    expect(derivative(0.1, X, U, TAU)).not.toEqual(derivative(0.2, X, U, TAU));
    const h = 2 ** -18;
    const quotient = (own: readonly number[], i: number, of: (moved: number[]) => number[]): number[] => {
      const [there, here] = [h, -h].map((by) => of(own.map((value, k) => (k === i ? value + by : value))));
      return there!.map((value, k) => (value - here![k]!) / (2 * h));
    };
    const A = X.flatMap((_, i) => quotient(X, i, (x) => derivative(0.2, x, U, TAU)));
    const B = U.flatMap((_, i) => quotient(U, i, (u) => derivative(0.2, X, u, TAU)));
    expect(shapes(lines[3]!)).toEqual(['4x4', '4x2']);
    const found = arrays(lines[3]!);
    for (const [k, own] of [A, B].entries())
      for (const [i, value] of own.entries())
        expect(Math.abs(found[k]![i]! - value), `${k} ${i}`).toBeLessThan(2e-8 * (1 + Math.abs(value)));
    expect(arrays(lines[4]!)).toEqual([found[0]]);
  });

  it('take steps of laws, shells and observers, whose structures hold gains and all that is kept', async () => {
    const { calls, expected } = await steps();
    const lines = run(calls);
    const taken = lines.filter((_, k) => calls[k]!.given.length > 0);
    for (const [k, own] of expected.slice(0, 6).entries()) expect(arrays(taken[k]!)[0], `${k}`).toEqual(own);
    for (const [k, own] of expected.slice(6).entries())
      expect([fieldOf(taken[6 + k]!, 'q'), fieldOf(taken[6 + k]!, 'qd')].flat()).toEqual(own);
    expect(expected[1]).not.toEqual(expected[0]);
    expect(fieldOf(lines[0]!, 'kp')).toEqual([40, 40]);
    expect(fieldOf(lines[4]!, 'period')).toEqual([1e-3]);
    expect(fieldOf(lines[7]!, 'mode')).toEqual([2]);
    expect(fieldOf(lines[10]!, 'used')).toEqual([1]);
  });

  it('name what is wrong', () => {
    expect(run(MISTAKES.map(({ call }) => call))).toEqual(MISTAKES.map(({ error }) => error));
    const program = (key: number): string =>
      execFileSync(path.join(folder, 'end_robot_mex'), { input: `1 1 M 1 1 ${key}\n`, encoding: 'utf8' });
    expect(program(1)).toBe(
      'kanegen:end_robot:build|the gateway is of another version than the package: end_robot.build compiles it\n',
    );
  });

  it('are blocks of Simulink that compute the same', async () => {
    const derivative = await motion();
    const p = 'M 5 1 0 0 -9.81 1 7';
    const plant = built('end_robot_sfun');
    const start = `3 ${p} M 4 1 ${X.join(' ')} M 1 2 3 1`;
    const line = (...own: (number | readonly number[])[]): string => own.flat().join(' ');
    const lines = plant([start, line(0.2, X, U, TAU), line(0.1, [0, 0, 0, 0], U, TAU)].join('\n'));
    expect(lines[0]).toBe('3 3 | 0 0, states 4, inputs 2 late 2 late, outputs 2 2 6');
    expect(numbersOf(lines[1]!)).toEqual(X);
    const arm = (await code.run()) as unknown as Arm;
    arm.parameters.time = 0.2;
    arm['update']!(Q, QD);
    const places = [2, 0].flatMap((frame) => {
      const t = new Float64Array(3);
      arm['frame']!(frame, null, t, null);
      return [...t];
    });
    expect(numbersOf(lines[2]!)).toEqual([...X, ...places, ...derivative(0.2, X, U, TAU)]);
    expect(numbersOf(lines[3]!).slice(10)).toEqual(derivative(0.1, [0, 0, 0, 0], U, TAU));
    expect(plant(`3 ${p} M 3 1 0 0 0 M 0 0`)[0]).toMatch(/\|end_robot_sfun: the parameter x0 is 4 real numbers$/);
    expect(plant(`3 ${p} M 4 1 0 0 0 0 M 1 1 4`)[0]).toMatch(/\|end_robot_sfun: frames are numbers from 1 to 3$/);
    expect(plant(`2 ${p} M 4 1 0 0 0 0`)[0]).toBe('2 3 |parameters');
    const refused = plant(`3 M 5 1 0 0 -9.81 10 0 M 4 1 0 0 0 0 M 0 0\n${line(0, X, U, TAU)}`);
    expect(refused[2]).toMatch(/\|A parameter lies outside its minimum and maximum/);

    const { calls, expected } = await steps();
    const values = (call: Call, from: number): number[] =>
      (call.given.slice(from) as Matrix[]).flatMap((own) => own.values);
    const pd = built('end_dynamics_sfun')(
      [`3 ${p} M 1 1 0.002 M 0 0`, ...calls.slice(1, 4).map((own) => line(0, values(own, 1)))].join('\n'),
    );
    expect(pd[0]).toBe('3 3 | 0.002 0, states 0, inputs 2 2 2 2 2, outputs 2');
    expect(pd.slice(2, 5).map(numbersOf)).toEqual(expected.slice(0, 3));
    const shell = built('end_switch_sfun')(
      [`3 ${p} M 1 1 0.001 M 0 0`, ...calls.slice(5, 8).map((own, k) => line(0, k === 0 ? 1 : 3, values(own, 3)))].join(
        '\n',
      ),
    );
    expect(shell[0]).toBe('3 3 | 0.001 0, states 0, inputs 1 2 2 2 2 2, outputs 2 1 1');
    expect(shell.slice(2, 5).map((own) => numbersOf(own).slice(0, 2))).toEqual(expected.slice(3, 6));
    expect(numbersOf(shell[3]!).slice(2)).toEqual([2, 0]);
    const watch = built('end_watch_observer_sfun')(
      [`2 ${p} M 1 1 0.001`, ...calls.slice(9).map((own) => line(0, values(own, 2)))]
        .join('\n')
        .replaceAll('NaN', 'nan'),
    );
    expect(watch[0]).toBe('2 2 | 0.001 0, states 0, inputs 2 2, outputs 2 2');
    expect(watch.slice(2, 5).map(numbersOf)).toEqual(expected.slice(6));
  });
});

/** Stands in for what Simulink has for a script that makes a library. */
const SIMULINK: Readonly<Record<string, string>> = {
  'bdIsLoaded.m': 'function own = bdIsLoaded(name)\nown = false;\nend\n',
  'new_system.m': "function new_system(varargin)\nfprintf('new_system %s\\n', strjoin(varargin, ' '));\nend\n",
  'save_system.m':
    "function save_system(name, file)\n[~, own, ending] = fileparts(file);\nfprintf('save_system %s %s%s\\n', name, own, ending);\nend\n",
  'add_block.m':
    "function add_block(varargin)\nfprintf('add_block %s |%s\\n', strjoin(varargin(1:6), ' '), sprintf(' %d', varargin{8}));\nend\n",
  'mex.m':
    "function mex(varargin)\nfprintf('mex %s %d\\n', varargin{4}, all(cellfun(@(own) exist(own, 'file') == 2, varargin(6:end))));\nend\n",
  '+Simulink/+Mask/create.m':
    "function mask = create(block)\nmask = struct('addParameter', @(varargin) fprintf('mask %s %s: %s\\n', varargin{[4, 6]}, mat2str(eval(varargin{10})')));\nend\n",
};

describe.skipIf(!isInstalled('octave') || !isInstalled('mkoctfile'))(
  'packages in Octave (needs octave, mkoctfile)',
  () => {
    const octave = (script: string): string[] => {
      write('script.m', script);
      const env = { ...process.env, CFLAGS: '-O0 -fPIC' };
      const words = ['--no-gui', '--no-init-file', '--quiet', path.join(folder, 'script.m')];
      return execFileSync('octave', words, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' }).trimEnd().split('\n');
    };
    const literal = (own: Given): string => {
      if (own === 'kept') return 'kept';
      if (typeof own === 'string') return `'${own}'`;
      if ('fields' in own)
        return `struct(${Object.entries(own.fields)
          .flatMap(([name, value]) => [`'${name}'`, literal(value)])
          .join(', ')})`;
      const { rows, values, pages = 1, single } = own;
      const text = `reshape([${values.join(' ').replace('Infinity', 'Inf')}], ${[rows, '[]', ...(pages > 1 ? [pages] : [])].join(', ')})`;
      return rows === 0 ? '[]' : single ? `single(${text})` : text;
    };
    /** Prints what calls give as the program over stubs does. */
    const calling = (calls: readonly Call[]): string =>
      calls
        .map(({ name, results, given }) => {
          const own = `end_robot.${name === 'switch' ? 'switch_' : name}(${given.map(literal).join(', ')})`;
          return `try\n  r = cell(1, ${results});\n  [r{:}] = ${own};\n  told(r);\n  kept = r{end};\ncatch e\n  printf('%s|%s\\n', e.identifier, regexprep(e.message, '^end_robot_mex: ', ''));\nend\n`;
        })
        .join('');
    const START = `1;
addpath('${root}');
function tell(own)
  if isstruct(own)
    for [value, name] = own
      printf(' %s', name);
      tell(value);
    end
  elseif isa(own, 'double')
    printf(' [%s]%s', strjoin(arrayfun(@num2str, size(own), 'UniformOutput', false), 'x'), sprintf(' %.17g', own));
  end
end
function told(all)
  cellfun(@tell, all);
  printf('\\n');
end
`;
    const numbers = (line: string): number[][] =>
      line
        .split(' [')
        .slice(1)
        .map((own) =>
          own
            .replace(/^[^\]]*\]/, '')
            .split(' ')
            .filter((word) => /^-?(\d|nan|inf)/i.test(word))
            .map((word) => Number(word.replace(/Inf/, 'Infinity'))),
        );

    it('build the gateway, and compute to the bit; errors have identifiers', async () => {
      const [all, stepped] = [await ofInterface(), await steps()];
      const wrong = MISTAKES.filter(({ call }) => call.results < 3);
      const lines = octave(
        `${START}end_robot.build();\n${calling([...all.calls, ...stepped.calls, ...wrong.map(({ call }) => call)])}`,
      );
      for (const [k, own] of all.expected.entries()) expect(numbers(lines[k]!), all.calls[k]!.name).toEqual(own);
      const taken = lines.slice(all.calls.length).filter((_, k) => stepped.calls[k]?.given.length !== 0);
      for (const [k, own] of stepped.expected.slice(0, 6).entries()) expect(numbers(taken[k]!)[0]).toEqual(own);
      expect(lines.slice(-wrong.length)).toEqual(wrong.map(({ error }) => error));
    }, 120_000);

    it('integrate the equations of motion, and write a library of blocks', async () => {
      const derivative = await motion();
      let x: readonly number[] = [0.7, 0, 0, 0];
      const h = 2 ** -9;
      const along = (by: number, slope: readonly number[]): number[] => x.map((value, i) => value + by * slope[i]!);
      for (let k = 0; k < 128; k++) {
        const t = k * h;
        const of = (time: number, at: readonly number[]): number[] => derivative(time, at, U, [0, 0]);
        const a = of(t, x);
        const b = of(t + h / 2, along(h / 2, a));
        const c = of(t + h / 2, along(h / 2, b));
        const d = of(t + h, along(h, c));
        x = x.map((value, i) => value + (h / 6) * (a[i]! + 2 * (b[i]! + c[i]!) + d[i]!));
      }
      for (const [name, text] of Object.entries(SIMULINK)) write(`simulink/${name}`, text);
      const lines = octave(`${START}
f = @(t, x) end_robot.dynamics(t, x, [${U.join('; ')}]);
x = end_robot.start('bent');
for k = 0:127
  h = 2^-9; t = k * h;
  a = f(t, x); b = f(t + h / 2, x + h / 2 * a); c = f(t + h / 2, x + h / 2 * b); d = f(t + h, x + h * c);
  x = x + h / 6 * (a + 2 * (b + c) + d);
end
told({x});
options = odeset('RelTol', 1e-9, 'AbsTol', 1e-11, 'InitialSlope', f(0, end_robot.start('bent')));
[~, stiff] = ode15s(f, [0 0.25], end_robot.start('bent'), odeset(options, 'Jacobian', @(t, x) end_robot.dynamics_jacobian(t, x, [${U.join('; ')}])));
[~, other] = ode45(f, [0 0.25], end_robot.start('bent'), options);
told({stiff(end, :)', other(end, :)'});
if !isempty(available_graphics_toolkits())
  set(0, 'defaultfigurevisible', 'off');
  [t, x] = end_robot.example(0.1);
  told({t(end), x(1, :)'});
else
  told({0.1, [0; 0; 0; 0]});
end
try
  end_robot.start('straight');
catch e
  printf('%s|%s\\n', e.identifier, e.message);
end
addpath('${path.join(folder, 'simulink')}');
end_robot.simulink();
`);
      const [own] = numbers(lines[0]!);
      for (const [i, value] of x.entries()) expect(Math.abs(own![i]! - value)).toBeLessThan(1e-12);
      for (const found of numbers(lines[1]!))
        for (const [i, value] of x.entries()) expect(Math.abs(found[i]! - value)).toBeLessThan(2e-6);
      expect(numbers(lines[2]!)).toEqual([[0.1], [0, 0, 0, 0]]);
      expect(lines[3]).toBe('kanegen:end_robot:state|the robot file has no state straight, but: bent');
      expect(lines.slice(4)).toEqual([
        'new_system end_robot_library Library',
        'mex end_robot_sfun 1',
        'add_block built-in/S-Function end_robot_library/robot FunctionName end_robot_sfun Parameters p, x0, frames | 100 40 260 140',
        'mask p on: [0 0 -9.81 1 0]',
        'mask x0 off: [0 0 0 0]',
        'mask frames off: 3',
        'mex end_dynamics_sfun 1',
        'add_block built-in/S-Function end_robot_library/dynamics FunctionName end_dynamics_sfun Parameters p, period, gains | 100 180 260 280',
        'mask p on: [0 0 -9.81 1 0]',
        'mask period off: 0.002',
        'mask gains on: zeros(0,0)',
        'mex end_switch_sfun 1',
        'add_block built-in/S-Function end_robot_library/switch FunctionName end_switch_sfun Parameters p, period, gains | 100 320 260 420',
        'mask p on: [0 0 -9.81 1 0]',
        'mask period off: 0.001',
        'mask gains on: zeros(0,0)',
        'mex end_watch_observer_sfun 1',
        'add_block built-in/S-Function end_robot_library/watch FunctionName end_watch_observer_sfun Parameters p, period | 100 460 260 560',
        'mask p on: [0 0 -9.81 1 0]',
        'mask period off: 0.001',
        'save_system end_robot_library end_robot_library.slx',
      ]);
    }, 120_000);
  },
);

/** Arrays of a line of results, and their shapes. */
const arrays = (line: string): number[][] =>
  line
    .split(' [')
    .slice(1)
    .map((own) => numbersOf(own.replace(/^[^\]]*\]/, '')));
const shapes = (line: string): string[] => [...line.matchAll(/\[([\dx]+)\]/g)].map(([, own]) => own!);
const fieldOf = (line: string, name: string): number[] =>
  numbersOf(new RegExp(` ${name} \\[\\d+x1\\]((?: (?:-?0x|nan|-?inf)[^ ]*)*)`).exec(line)![1]!);

/** Numbers of a line, in hexadecimal as C prints them. */
function numbersOf(line: string): number[] {
  return line
    .split(' ')
    .filter((own) => /^-?(0x|nan|inf)/.test(own))
    .map((own) => {
      const hex = /^(-?)0x([\da-f]+)\.?([\da-f]*)p([+-]\d+)$/.exec(own);
      if (!hex) return /inf/.test(own) ? Number(own.replace('inf', 'Infinity')) : Number.NaN;
      const [, sign, whole, fraction, exponent] = hex;
      const value = Number.parseInt(whole! + fraction!, 16) * 2 ** (Number(exponent) - 4 * fraction!.length);
      return sign === '-' ? -value : value;
    });
}
