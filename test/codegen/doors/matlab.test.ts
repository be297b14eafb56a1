/**
 * The package for MATLAB: its texts name what there is; the gateway and the S-functions, compiled against stubs of MATLAB and Simulink,
 * compute what generated TypeScript computes, to the bit; where there is Octave, it builds and runs the package. MATLAB and Simulink
 * are not part of the tests.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RobotInterface } from '../../../src/codegen/interface/robot-interface.ts';
import { matlabFunctions } from '../../../src/codegen/doors/matlab/matlab-functions.ts';
import { load, type GeneratedFile } from '../../../src/index.ts';
import { isInstalled, QUICK, UNOPTIMISED } from '../../compilers.ts';
import {
  code,
  column,
  columns,
  KEPT,
  MISTAKES,
  motion,
  NOTHING,
  number,
  ofInterface,
  Q,
  QD,
  steps,
  TAU,
  U,
  X,
  type Arm,
  type Call,
  type Given,
  type Matrix,
} from './matlab-calls.ts';
import { describeInOctave } from './matlab-octave.ts';

const isFull = process.env['KANEGEN_FULL'] === '1';
const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-matlab-'));
const root = path.join(folder, 'matlab');
const write = (name: string, text: string): void => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files: readonly GeneratedFile[];
let told: RobotInterface;
const textOf = (name: string): string => files.find((file) => file.path === `matlab/${name}`)!.text;
const functions = (): string[] => files.flatMap((file) => /^matlab\/\+end_robot\/(\w+)\.m$/.exec(file.path)?.[1] ?? []);
beforeAll(async () => {
  files = await code.files({ target: 'matlab' });
  told = JSON.parse(files.find((file) => file.path === 'interface.json')!.text) as RobotInterface;
  for (const file of files) write(file.path, file.text);
});

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
    expect(textOf('+end_robot/info.m')).toContain("info.summary = 'a ''quoted'' % arm';\n");
    expect(textOf('+end_robot/info.m')).toContain('info.states.bent = [0.7; 0];\n');
    const lines = files.filter((file) => /^matlab\/(mex|\+)/.test(file.path)).flatMap(({ text }) => text.split('\n'));
    expect(lines.filter((line) => line.length > 120 || /[ \t]$/.test(line))).toEqual([]);
  });

  it('have other keys for other C, so that a gateway that was built before is refused', () => {
    const [some, others] = ['a', 'b'].map((hash) => matlabFunctions(told, hash));
    const keys = [...some!, ...others!].map(({ key }) => key);
    expect(new Set(keys).size).toBe(2 * some!.length);
    expect(keys.every((key) => Number.isSafeInteger(key))).toBe(true);
    expect(others!.map((own) => ({ ...own, key: 0 }))).toEqual(some!.map((own) => ({ ...own, key: 0 })));
  });

  it('are refused where nothing moves or is called, and where names are too long; what is left out is said', async () => {
    const robot = (name: string, joint?: object): object => ({
      kanegen: 1,
      name,
      links: [{ name: 'a', ...(joint && { joint }), rigid: { mass: 1, com: [0, 0, 0.1] } }],
    });
    const filesOf = async (own: object, chosen: string[], note?: (text: string) => void): Promise<unknown> =>
      (await (await load(own)).compile({ functions: chosen })).files({ target: 'matlab', ...(note && { note }) });
    await expect(filesOf(robot('rock'), ['default'])).rejects.toMatchObject({
      code: 'no-matlab',
      message: '`rock` has no coordinates: there is nothing to compute',
    });
    const long = 'a'.repeat(60);
    await expect(filesOf(robot(long, { revolute: 'y' }), ['mass-matrix'])).rejects.toMatchObject({
      code: 'no-matlab',
      message: `\`${long}\` becomes \`${long}_sfun\`, of 65 characters: names in MATLAB have 63 at most`,
    });
    await expect(filesOf(robot('plot', { revolute: 'y' }), ['update'])).rejects.toMatchObject({
      code: 'no-matlab',
      message: 'of `plot` no function is chosen that a package for MATLAB can call',
    });
    const notes: string[] = [];
    const lean = (await filesOf(robot('plot', { revolute: 'y' }), ['mass-matrix-at'], (text) =>
      notes.push(text),
    )) as typeof files;
    expect(notes).toEqual([
      'the package for MATLAB has no dynamics and no block of the robot: they call update, forward-dynamics, which are not chosen',
    ]);
    expect(lean.map((file) => file.path).filter((own) => /dynamics|example|simulink|sfun/.test(own))).toEqual([]);
    expect(lean.map((file) => file.path)).toContain('matlab/+plot_robot/mass_matrix_at.m');
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
  const flags = ['-DMATLAB_MEX_FILE', '-I../stubs', '-Ic'];
  const built = (name: string): ((input: string) => string[]) => {
    const words = [...flags, `mex/${name}.c`, ...objects().map((own) => `../${own}`), '-lm', '-o', `../${name}`];
    execFileSync(compiler, [...QUICK.flags, ...words], { cwd: root, stdio: 'pipe' });
    return (input) => execFileSync(path.join(folder, name), { input, encoding: 'utf8' }).split('\n').slice(0, -1);
  };
  const keyOf = (name: string): string =>
    /_mex\((\d+)/.exec(textOf(`+end_robot/${name === 'switch' ? 'switch_' : name}.m`))![1]!;
  const spelled = (own: Given): string => {
    if (own === KEPT) return 'K';
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

  it.runIf(isFull)('compile without warnings', () => {
    // Of stubs not every program calls every function.
    const strict = ['-std=c99', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-Wno-unused-function', '-fsyntax-only'];
    for (const own of readdirSync(path.join(root, 'mex')).filter((name) => name.endsWith('.c')))
      execFileSync('gcc', [...strict, ...flags, `mex/${own}`], { cwd: root, stdio: 'pipe' });
  });

  it('compute every function of the interface as TypeScript does, to the bit', async () => {
    const { calls, expected } = await ofInterface(told);
    const lines = run(calls);
    expect(calls.length).toBeGreaterThan(25);
    for (const [k, own] of expected.entries()) expect(arrays(lines[k]!), calls[k]!.name).toEqual(own);
  });

  it('take columns of states, one for all, pages of columns, and tell statuses that are asked for', async () => {
    const { calls, expected } = await ofInterface(told);
    const at = (name: string): number => calls.findIndex((own) => own.name === name);
    const [M, tangent] = [expected[at('mass_matrix')]![0]!, expected[at('inverse_dynamics_tangent')]![0]!];
    const [q, qd, qdd, ...directions] = calls[at('inverse_dynamics_tangent')]!.given as readonly Matrix[];
    const paged = directions.map((own) => ({ ...own, values: [...own.values, ...own.values.map(() => 0)], pages: 2 }));
    const heavier = { fields: { otherwise_: number(10) } };
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
      { name: 'actuate', results: 1, given: [columns(2, ...Q, ...Q), column(...QD), calls[at('actuate')]!.given[2]!] },
      { name: 'mass_matrix', results: 2, given: [column(...Q), column(...QD), heavier] },
      { name: 'mass_matrix', results: 2, given: [column(...QD), column(...QD), heavier] },
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
    const [forces] = expected[at('actuate')]!;
    expect(arrays(lines[6]!)).toEqual([[...forces!, ...forces!]]);
    // Parameters that were refused are refused again, and not those of the call before.
    expect([lines[7]!, lines[8]!].map((line) => arrays(line)[1])).toEqual([[2], [2]]);
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

  it.runIf(isFull)('have derivatives of the equations of motion of robots with loops', async () => {
    const robot = await load(
      fileURLToPath(new URL('../../../examples/mechanisms/four-bar.robot.yaml', import.meta.url)),
    );
    const all = await (await robot.compile({ derivatives: true })).files({ target: 'matlab' });
    for (const file of all) write(`loops/${file.path}`, file.text);
    const home = path.join(folder, 'loops/matlab');
    const sources = all.flatMap((file) =>
      /matlab\/c\/.*\.c$/.test(file.path) ? [path.join(folder, 'loops', file.path)] : [],
    );
    const words = ['-I../../stubs', '-Ic', 'mex/four_bar_mex.c', ...sources, '-lm', '-o', 'program'];
    execFileSync('gcc', [...UNOPTIMISED, ...words], { cwd: home, stdio: 'pipe' });
    const asked = (name: string, x: readonly number[]): string => {
      const text = all.find((file) => file.path === `matlab/+four_bar/${name}.m`)!.text;
      return `1 3 M 1 1 ${/_mex\((\d+)/.exec(text)![1]!} M 1 1 0 ${spelled(column(...x))}`;
    };
    const [x, h] = [[0.1, 0.2, 0.05, 0.3, 0.1, -0.2], 2 ** -18];
    const moved = x.flatMap((_, i) => [h, -h].map((by) => x.map((value, k) => (k === i ? value + by : value))));
    const input = [asked('dynamics_jacobian', x), ...moved.map((own) => asked('dynamics', own))].join('\n');
    const [A, ...slopes] = execFileSync(path.join(home, 'program'), { input, encoding: 'utf8' })
      .trimEnd()
      .split('\n')
      .map((line) => arrays(line)[0]!);
    expect(slopes.length).toBe(12);
    for (const [i, value] of A!.entries()) {
      const [there, here] = [slopes[2 * Math.floor(i / 6)]![i % 6]!, slopes[2 * Math.floor(i / 6) + 1]![i % 6]!];
      expect(Math.abs(value - (there - here) / (2 * h)), `${i}`).toBeLessThan(1e-6 * (1 + Math.abs(value)));
    }
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

describeInOctave(folder, () => told, write);

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
