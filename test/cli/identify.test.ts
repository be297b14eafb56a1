/** `kanegen identify` from outside: mistakes in data, and the report; and which columns generated regressors have. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TWO_LINK, twoLinkLog } from '../identification/two-link.ts';
import { runInProcess, type Outcome } from './in-process.ts';

let directory = '';
const kanegen = (...words: readonly string[]): Promise<Outcome> => runInProcess(directory, words);
const write = (name: string, text: string): void => writeFileSync(path.join(directory, name), text);

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'kanegen-identify-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('kanegen identify', () => {
  it('says what is wrong with data, and prints no estimate', async () => {
    cpSync('examples/identification/soft-arm.robot.yaml', path.join(directory, 'soft-arm.robot.yaml'));
    const lines = readFileSync('examples/identification/soft-arm.csv', 'utf8').trimEnd().split('\n');
    const spoilt = [...lines.slice(0, 4), lines[4]!.replace(/[^,]*$/, 'NaN'), ...lines.slice(5)];
    const still = lines.map((line, i) => (i === 0 ? line : line.replace(/,.*$/, ',0.1,0.1,0,0,1,1')));
    for (const [name, own, message] of [
      ['spoilt.csv', spoilt, /spoilt\.csv:5:\d+: /],
      ['still.csv', still, /the data excite too little to tell: .*eta/],
    ] as const) {
      write(name, `${own.join('\n')}\n`);
      const { code, out, err } = await kanegen(
        'identify',
        'soft-arm.robot.yaml',
        '--data',
        name,
        '--parameters',
        'eta',
      );
      expect(err).toMatch(message);
      expect([code, out]).toEqual([1, '']);
    }
  });

  it('finds base parameters of a plane arm in forces by hand, and says them by the geometry', async () => {
    const [length, A, B, C] = [0.5, 1.9, 0.35, 0.24];
    const rows = Array.from({ length: 40 }, (_, i) => {
      const t = 0.1 * i;
      const [q2, v1, v2] = [0.9 * Math.sin(2 * t), Math.cos(1.3 * t), 1.8 * Math.cos(2 * t)];
      const [a1, a2] = [-1.3 * Math.sin(1.3 * t), -3.6 * Math.sin(2 * t)];
      const [c, s] = [B * Math.cos(q2), B * Math.sin(q2)];
      const first = (A + C + 2 * c) * a1 + (C + c) * a2 - s * (2 * v1 * v2 + v2 ** 2);
      return [t, Math.sin(1.3 * t) / 1.3, q2, v1, v2, a1, a2, first, (C + c) * a1 + C * a2 + s * v1 ** 2].join();
    });
    const of = (suffix: string): string => ['upper', 'lower'].map((name) => `${name}.angle${suffix}`).join();
    write('plane.csv', `t,${of('')},${of('_d')},${of('_dd')},tau upper.angle,tau lower.angle\n${rows.join('\n')}\n`);
    const link = (name: string): string =>
      `  - { name: ${name}, joint: { revolute: z }, rigid: { mass: 2, com: [0.2, 0, 0], inertia: { xx: 0.1, yy: 0.1, zz: 0.1 }, distal: { xyz: [${length}, 0, 0] } } }\n`;
    write('plane.robot.yaml', `kanegen: 1\nname: plane\nlinks:\n${link('upper')}${link('lower')}`);
    const { code, out } = await kanegen('identify', 'plane.robot.yaml', '--data', 'plane.csv', '--inertial');
    expect(code).toBe(0);
    expect(out).toContain('by the geometry, with upper_distal_x = 0.5 m:\n  upper.Izz + upper_distal_x^2 lower.m\n');
    const estimate = (name: string): number =>
      Number(
        out
          .split('\n')
          .find((line) => line.startsWith(`${name} `))!
          .slice(name.length)
          .trim()
          .split(/ +/)[1],
      );
    expect(estimate('upper.Izz + 0.25 lower.m')).toBeCloseTo(A, 5);
    expect(estimate('lower.mx')).toBeCloseTo(B / length, 5);
    expect(estimate('lower.Izz')).toBeCloseTo(C, 5);
  });
});

describe('kanegen identify of a log without rates', () => {
  const { times, q, tau } = twoLinkLog({ angle: 3e-4, torque: 0.05, seconds: 2, seed: 8 });
  const identify = (...words: readonly string[]): Promise<Outcome> => {
    write('two-link.robot.yaml', JSON.stringify(TWO_LINK));
    const names = ['upper', 'lower'].map((name) => `${name}.angle`);
    const lines = times.map((t, i) => [t, ...q[i]!, ...tau[i]!].join());
    write('log.csv', `${['t', ...names, ...names.map((name) => `tau ${name}`)].join()}\n${lines.join('\n')}\n`);
    return kanegen('identify', 'two-link.robot.yaml', '--data', 'log.csv', '--inertial', ...words);
  };

  it('says how motion was found, and which noise the sensors have', async () => {
    const { code, out, err } = await identify();
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/splines over pieces of \d+ instants \(0.0\d+ s, by the data\); noise .* upper.angle 0.0003/);
  });

  it('prints what it found and fails where two lengths of pieces do not agree', async () => {
    const { code, out, err } = await identify('--window', '100');
    expect(err).toMatch(/^warning: the motion that was found depends on .* 100 and of 50 instants .*three deviations/);
    expect(out).toContain('lower.Izz');
    expect(code).toBe(1);
  });

  it.each(['1', '2.5', 'few'])('takes no window of %s instants', async (window) => {
    const { code, err } = await identify('--window', window);
    expect(err).toContain(
      `--window takes a whole number of instants from 2 on, the length of a piece of the splines, not "${window}"`,
    );
    expect(code).toBe(2);
  });
});

describe('kanegen compile --regressor', () => {
  const robot = (parameters: string, joint: string, body: string): void =>
    write(
      'swing.robot.yaml',
      `kanegen: 1\nname: swing\nparameters: { ${parameters} }\nlinks:\n  - { name: arm, joint: { revolute: y${joint} }, ${body} }\n`,
    );
  const compile = (): Promise<Outcome> =>
    kanegen('compile', 'swing.robot.yaml', '--straight', '--functions', 'gravity', '--regressor', '--out', 'swing');
  const columns = (): string[] =>
    (
      JSON.parse(readFileSync(path.join(directory, 'swing/straight.json'), 'utf8')) as { columns: { name: string }[] }
    ).columns.map(({ name }) => name);
  const spring = 'k: { value: 2 N m/rad, runtime: true }, L: { value: 0.3 m, runtime: true }';
  const idle = 'idle: { value: 1 kg, runtime: true }';

  it('has a column for each parameter that forces depend on, and the ten of each link', async () => {
    robot(`${spring}, ${idle}`, ', stiffness: 0.5*k', 'rigid: { mass: 2, com: [L, 0, 0] }');
    const { code, err } = await compile();
    expect(code).toBe(0);
    expect(err).toContain('note: forces do not depend on L, idle: the regressor has no columns for them\n');
    expect(columns()).toEqual(['k', ...['m', 'mx', 'my', 'mz'].map((of) => `arm.${of}`), ...ofInertia()]);
  });

  it('is refused where there would be none', async () => {
    rmSync(path.join(directory, 'swing'), { recursive: true, force: true });
    robot('a: { value: 0.1 m, runtime: true }', '', 'body: planar-cc, parameters: { L: a, R: 0.01, rho: 900 }');
    const { code, out, err } = await compile();
    expect(err).toMatch(/forces are not linear in a: .*\n.*no parameter in which forces are linear\n  → remove/s);
    expect([code, out]).toEqual([1, '']);
    expect(existsSync(path.join(directory, 'swing'))).toBe(false);
  });
});

const ofInertia = (): string[] => ['Ixx', 'Iyy', 'Izz', 'Ixy', 'Ixz', 'Iyz'].map((of) => `arm.${of}`);
