/** Constants and kinematics without finite values are refused at the part of the formula that is to blame. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import { formatError, KanegenError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { requireDouble } from '../../src/symbolic/evaluation/double.ts';
import { decimal, times } from '../../src/symbolic/graph/expr.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';

const KEYS = {
  parameters: '{ L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }',
  let: '{}',
  moves: 'position: [x, y, s]\n    distal: none',
  material: '',
  actuators: '{}',
};

function robot(change: Partial<typeof KEYS>): string {
  const { parameters, moves, let: abbreviations, material, actuators } = { ...KEYS, ...change };
  return `kanegen: 1
name: bad
body-types:
  b:
    parameters: ${parameters}
    coordinates: { q: { unit: rad }, a: { unit: rad, count: 2 } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    let: ${abbreviations}
    ${moves}
    ${material}
links: [ { body: b } ]
actuators: ${actuators}
`;
}

/** A row of `position` that is the formula times a length. */
const row = (formula: string): Partial<typeof KEYS> => ({
  moves: `position:\n      - x\n      - y\n      - ${formula}\n    distal: none`,
});

async function failure(text: string): Promise<KanegenError> {
  try {
    const loaded = loadRobotText(text, 'bad.yaml');
    await generateTypeScript(loaded, compileRobot(loaded));
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('the robot was accepted');
}

/** [change with ¦ before what is wrong, code, what the message says] */
type Case = [change: Partial<typeof KEYS>, code: string, message: RegExp];
const label = (cases: Case[]): [string, Case][] =>
  cases.map((c) => [Object.values(c[0]).join(' ').replace('¦', ''), c]);

async function check([change, code, message]: Case): Promise<void> {
  const marked = robot(change);
  const before = marked.slice(0, marked.indexOf('¦')).split('\n');
  const error = await failure(marked.replace('¦', ''));
  const { line, column } = error.location!;
  expect([error.code, line, column]).toEqual([code, before.length, before[before.length - 1]!.length + 1]);
  expect(error.message).toMatch(message);
  expect(error.remedy).toBeTruthy();
  expect(formatError(error)).not.toMatch(/NaN|\[object|null/);
}

describe('constants without a finite value', () => {
  it.each(
    label([
      [row('s + L*¦asin(2)*q'), 'not-finite', /`asin\(2\)`/],
      [row('s + L*¦acos(max(1, pi))*q'), 'not-finite', /`acos\(.*pi\)\)`/],
      [row('s + L*¦sqrt(1-2*sin(1))*q'), 'not-finite', /sqrt/],
      [row('s + L*¦log(sin(0-1))*q'), 'not-finite', /log/],
      [row('s + L*(¦0-sin(1))^(1/2)*q'), 'not-finite', /sqrt/],
      [row('s + L*q*¦exp(1000)'), 'not-finite', /exp\(1000\)/],
      [row('¦s + L*q*1e300*1e300'), 'not-finite', /double precision/],
      [{ let: '{ k: ¦acos(3) }' }, 'not-finite', /acos\(3\)/],
      [{ parameters: '{ L: 0.2 m, R: 20 mm, rho: ¦1e200 kg/m^3 }' }, 'number-out-of-range', /1e\+200 in SI units/],
      [{ parameters: '{ L: ¦1e200, R: 20 mm, rho: 1062 kg/m^3 }' }, 'number-out-of-range', /1e\+200/],
      [{ parameters: '{ L: ¦1e-200 m, R: 20 mm, rho: 1062 kg/m^3 }' }, 'number-out-of-range', /1e-200/],
      [row('¦s + L*1e308*q'), 'not-finite', /constant of the generated code/],
      [
        {
          parameters: '{ L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, Y: 1 MPa }',
          moves: 'strain: { bend-x: q/L }',
          material: 'material: { rod-elasticity: { E: Y*¦asin(2), nu: 0.3 } }',
        },
        'not-finite',
        /asin/,
      ],
    ]),
  )('%s', (_, wrong) => check(wrong));

  it('are never printed', () => {
    for (const value of [NaN, Infinity, -Infinity]) expect(() => requireDouble(value)).toThrow(KanegenError);
    expect(() => requireDouble(0, times(decimal(1e-300), decimal(1e-300)))).toThrow(/too small/);
    expect(requireDouble(0)).toBe(0);
  });

  it('that single precision cannot hold do not compile with KG_SINGLE, and do without it', async () => {
    const text = robot(row('s + L*q*1e45*1e-45')).replace(
      'links: [',
      'links: [ { joint: { prismatic: x }, rigid: { mass: 1e45 kg } },',
    );
    const loaded = loadRobotText(text, 'large.yaml');
    const files = await generateC(loaded, compileRobot(loaded));
    expect(files.some((file) => file.text.includes('KG_DOUBLE_ONLY(1e+45)'))).toBe(true);
    const folder = mkdtempSync(join(tmpdir(), 'kanegen-'));
    try {
      for (const file of files) writeFileSync(join(folder, file.path), file.text);
      const source = files.find((file) => file.text.includes('KG_DOUBLE_ONLY(1e+45)') && file.path.endsWith('.c'))!;
      const compile = (...flags: string[]): void =>
        void execFileSync('cc', ['-std=c99', '-fsyntax-only', ...flags, source.path], { cwd: folder, stdio: 'pipe' });
      compile();
      expect(() => compile('-DKG_SINGLE')).toThrow(/beyond_single_precision/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('forces that are not finite at the defaults', () => {
  const parameters = '{ L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, U: 1 N m, D: 1 N m s, E: 1 MPa }';
  const inside = (material: string): Partial<typeof KEYS> => ({
    parameters,
    moves: 'strain: { bend-x: q/L }',
    material,
  });
  const along = (formula: string): Partial<typeof KEYS> => ({
    actuators: `{ pull: { along: ${formula} } }\nparameters: { l: 1 m }`,
  });
  it.each(
    label([
      [inside('potential: U*¦sqrt(a1)'), 'not-finite', /^the forces of this potential/],
      [inside('potential: U*a1^2/2 + U*cos(¦1/a2)'), 'not-finite', /^the forces of this potential/],
      [inside('potential: U*¦q^(3/2)'), 'not-finite', /^the forces of this potential/],
      [inside('dissipation: D*q_dot^2*cos(¦0.5/a2)'), 'not-finite', /^the forces of this dissipation/],
      [
        inside('material: { rod-elasticity: { E: ¦E*L/(s - L/2), nu: 0.3 } }'),
        'irregular-kinematics',
        /divides by zero/,
      ],
      [along('¦l*sqrt(link1.a1)'), 'not-finite', /^this formula, or one of its first two derivatives/],
      [along('¦l*link1.q^2/(link1.a1^2 + link1.a2^2)'), 'not-finite', /^this formula/],
    ]),
  )('%s', (_, wrong) => check(wrong));

  it('are those of formulas that have slopes everywhere', async () => {
    await expect(failure(robot(inside('potential: U*abs(a1)*a1')))).rejects.toThrow('was accepted');
    await expect(failure(robot(along('l*cos(link1.q)*link1.a1^3')))).rejects.toThrow('was accepted');
  });
});

describe('kinematics that is not finite at the defaults', () => {
  it.each(
    label([
      [row('s + L*¦hypot(a1, a2)'), 'irregular-kinematics', /first derivative of position\[2\]/],
      [row('s + L*¦sqrt(a1)'), 'irregular-kinematics', /first derivative/],
      [row('s + L*¦atan2(a2, a1)'), 'irregular-kinematics', /first derivative/],
      [row('s + L*¦acos(1 - q^2)'), 'irregular-kinematics', /first derivative/],
      [row('s + L*¦a1^a2'), 'irregular-kinematics', /derivative/],
      [row('s + ¦a1^2*a2^2/(a1^2 + a2^2)*L'), 'irregular-kinematics', /second derivative/],
      [row('s + L*¦log(q)'), 'irregular-kinematics', /^position\[2\] is not finite/],
      [row('s*(1 + ¦cos(q)/q^2)'), 'irregular-kinematics', /^position\[2\] is not finite/],
      [row('s*(1 - cos(q))/q^2 + ¦x/q'), 'irregular-kinematics', /^position\[2\] is not finite/],
      [{ ...row('s*(1 + k)'), let: '{ k: ¦sin(q)/q^2 }' }, 'irregular-kinematics', /^let\.k is not finite/],
      [{ moves: 'strain: { bend-x: q/L, twist: ¦1/(s*q) }' }, 'irregular-kinematics', /^strain\.twist is not finite/],
      [{ moves: 'strain: { bend-x: q/L, twist: ¦sqrt(q)/L }' }, 'irregular-kinematics', /derivative of strain\.twist/],
      [
        { moves: 'pose: { xyz: [0, L*¦sqrt(q), s], rpy: [0, 0, 0] }' },
        'irregular-kinematics',
        /first derivative of pose\.xyz\[1\]/,
      ],
    ]),
  )('%s', (_, wrong) => check(wrong));

  it.each([
    's*(1 + 0.1*(1 - cos(q))/q)',
    's*(1 + 0.1*sin(hypot(a1, a2))/hypot(a1, a2))',
    's*(1 + 0.1*abs(q))',
    's*(1 + 0.1*sqrt(1 + q))',
  ])('%s has limits, and is not refused', (formula) => {
    expect(compileRobot(loadRobotText(robot(row(formula)), 'good.yaml')).types).toHaveLength(1);
  });
});
