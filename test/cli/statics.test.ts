/** `kanegen statics` as people read it: places, lengths, energies; inputs and loads with units; figures. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess, type Outcome } from './in-process.ts';

const ROBOT = `
kanegen: 1
name: arm
gravity: [0, 0, -9.81]
links:
  - { name: lift, joint: { prismatic: z, stiffness: 500 N/m }, rigid: { mass: 2 kg } }
  - { name: arm, joint: { revolute: y }, rigid: { mass: 1 kg, com: [0, 0, -0.3], distal: { xyz: [0, 0, -0.6] } } }
actuators: { motor: { motor: arm.angle } }
`;
const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-statics-'));
const statics = (...words: string[]): Promise<Outcome> => runInProcess(folder, ['statics', 'arm.robot.yaml', ...words]);
beforeAll(() => writeFileSync(path.join(folder, 'arm.robot.yaml'), ROBOT));
afterAll(() => rmSync(folder, { recursive: true }));

describe('an equilibrium', () => {
  it('is told by places and energies, five digits each', async () => {
    // sin(angle) = 1 N m / (m g 0.3 m); 3 kg on the spring.
    const angle = Math.asin(1 / (9.81 * 0.3));
    const sag = (3 * 9.81) / 500;
    const { out, err, code } = await statics('--input', 'motor=1000 N mm');
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const digits = (value: number): string => String(Number(value.toPrecision(5)));
    const tip = [-0.6 * Math.sin(angle), 0, -sag - 0.6 * Math.cos(angle)];
    expect(out).toContain(`tip arm at ${tip.map(digits).join(', ')} m\n`);
    expect(out).toContain(`motor: at ${digits(angle)} rad\n`);
    const potential = -9.81 * (3 * sag + 0.3 * Math.cos(angle));
    expect(out).toContain(`energy: potential ${digits(potential)} J, elastic ${digits(250 * sag ** 2)} J\n`);
    const { out: json } = await statics('--input', 'motor=1', '--json');
    const found = JSON.parse(json) as { frames: { arm: number[] }; energies: { elastic: number } };
    found.frames.arm.forEach((value, axis) => expect(value).toBeCloseTo(tip[axis]!, 12));
    expect(found.energies.elastic).toBeCloseTo(250 * sag ** 2, 12);
  });

  it('takes loads and held coordinates with units', async () => {
    const place = async (...words: string[]): Promise<unknown> =>
      (JSON.parse((await statics('--json', ...words)).out) as { frames: unknown }).frames;
    expect(await place('--load', 'arm=0.1 N, 0, 0.002 kN', '--hold', 'arm.angle=90 deg')).toEqual(
      await place('--load', 'arm=0.1,0,2', '--hold', `arm.angle=${Math.PI / 2}`),
    );
  });

  it.each([
    ['--input', 'motor=4 mm', '4 mm is a length (m); write a number of N m, or one with a unit'],
    ['--input', 'motor=big', '"big" is not a number; write a number of N m, or one with a unit'],
    ['--input', 'motor=4Nm', '"4Nm" is not a number; write a space before the unit: "4 Nm"'],
    ['--load', 'arm=1 N m,0,0', '1 N m is'],
    ['--input', 'motor', '--input takes NAME=VALUE'],
    ['--figure', 'arm.pdf', '--figure writes NAME.svg, NAME.png, not .pdf'],
    ['--view', 'top', '--view needs --figure or --film'],
  ])('refuses %s %s', async (option, value, message) => {
    const { err, code } = await statics(option, value);
    expect({ err, code }).toEqual({ err: expect.stringContaining(message), code: 2 });
  });

  it('that is not stable says which way it is left, and what to try', async () => {
    // Upright: -9.81 [[1.1, 0.3], [0.3, 0.3]], whose eigenvalues are 1.2 and 0.2.
    const upright = `
kanegen: 1
name: upright
states: { up: { a.angle: 3.1 } }
links:
  - { name: a, joint: { revolute: y }, rigid: { mass: 2 kg, com: [0, 0, -0.2], distal: { xyz: [0, 0, -0.4] } } }
  - { name: b, joint: { revolute: y }, rigid: { mass: 1 kg, com: [0, 0, -0.3] } }
  - { name: pan, joint: { revolute: z }, rigid: { mass: 1e-3 kg, inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 } } }
`;
    writeFileSync(path.join(folder, 'upright.robot.yaml'), upright);
    const of = (...words: string[]): Promise<Outcome> =>
      runInProcess(folder, ['statics', 'upright.robot.yaml', '--hold', 'pan.angle', ...words]);
    const { out } = await of('--from', 'up');
    expect(out).toMatch(
      /NOT stable: smallest eigenvalue of the tangent stiffness -11\.77\d*\nit leaves along a\.angle 0\.95, b\.angle 0\.32, or the other way\n {2}→ .*begin with a\.angle moved: `--from` a named state;/,
    );
    const found = JSON.parse((await of('--from', 'up', '--json')).out) as { softest: Record<string, number> };
    expect(found.softest['a.angle']).toBeCloseTo(0.3 / Math.sqrt(0.1), 3);
    expect(found.softest['pan.angle']).toBe(0);
    expect((await of()).out).toMatch(/stable: smallest eigenvalue [^\n]*\n$/);
    const free = await runInProcess(folder, ['statics', 'upright.robot.yaml']);
    expect(free.out).toContain('nothing resists pan.angle: `--hold pan.angle` keeps it where it is\n');
  });

  it('is drawn', async () => {
    expect(await statics('--figure', 'arm.svg', '--view', 'front', '--size', '200x300')).toMatchObject({
      err: '',
      code: 0,
    });
    const svg = readFileSync(path.join(folder, 'arm.svg'), 'utf8');
    expect(svg).toMatch(/^<svg [^>]*width="200" height="300"/);
    expect(svg).toContain('<title>arm</title>');
  });
});

const ROD = `
kanegen: 1
name: rod
gravity: [0, 0, -9.81]
body-types:
  rod:
    parameters: { L: 0.2 m, R: 5 mm, r: 4 mm, E: 1 MPa }
    coordinates: { T: { unit: N, limits: [0 N, 2 N] } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1000 kg/m^3 }
    strain: { equilibrium: { tendons: { T: { route: { x: r, y: 0 } } }, hold: [bend-x, twist, shear-x, shear-y] } }
    material: { rod-elasticity: { E: E, nu: 0.5 } }
    integration: { tolerance: 1e-4 }
links: [ { name: rod, body: rod } ]
actuators: { pull: { drives: rod.T } }
`;

describe('a rod without its coordinates', () => {
  const rod = (...words: string[]): Promise<Outcome> => runInProcess(folder, [...words]);
  beforeAll(() => writeFileSync(path.join(folder, 'rod.robot.yaml'), ROD));

  it('stands beside the equilibrium of them, and explain tells what weight does', async () => {
    const { out, err, code } = await rod('statics', 'rod.robot.yaml', '--rod', '--input', 'pull=0.5', '--json');
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const found = JSON.parse(out) as {
      frames: { rod: number[] };
      rod: { position: number[]; unloaded: number[]; apart: number; link: string; byForce: number[][] };
    };
    const apart = Math.hypot(...found.rod.position.map((e, i) => e - found.frames.rod[i]!));
    expect(found.rod.apart).toBeCloseTo(apart, 14);
    expect(apart).toBeGreaterThan(1e-4);
    expect(found.rod.byForce).toHaveLength(6);
    const { out: text } = await rod('statics', 'rod.robot.yaml', '--rod', '--input', 'pull=0.5');
    const digits = (values: readonly number[]): string =>
      values.map((e) => String(Number(e.toPrecision(5)))).join(', ');
    expect(text).toContain(
      `rod without coordinates ends at ${digits(found.rod.position)} m, ${digits([apart])} m from there; without weight and loads at ${digits(found.rod.unloaded)} m\n`,
    );
    const { out: explained } = await rod('explain', 'rod.robot.yaml');
    expect(explained).toMatch(
      /rod: weight moves the end of the rod of 0.2 m by \S+ m with inputs zero, by \S+ m where pull is/,
    );
  });

  it('has profiles, and other equilibria beside one that is not stable', async () => {
    const [, block] = /(kanegen: 1\nname: tubes\n[^]*?)```/.exec(
      readFileSync('docs/robot-file/implicit-strains.md', 'utf8'),
    )!;
    writeFileSync(path.join(folder, 'tubes.robot.yaml'), block!);
    const opposed = await rod('statics', 'tubes.robot.yaml', '--rod');
    expect(opposed).toMatchObject({ err: '', code: 0 });
    expect(opposed.out).toMatch(
      /^tubes without coordinates ends at [^;]* m; without weight and loads at [^\n]* m\nalpha ends at 3\.1416; \S+ J for each unit holds its start\nit is NOT stable: it buckles beyond \S+ m\n {2}→ [^\n]*`--profile alpha=1`, or the other way\n$/,
    );
    const { out } = await rod('statics', 'tubes.robot.yaml', '--rod', '--profile', 'alpha=-2', '--json');
    const { rod: found } = JSON.parse(out) as { rod: { unstable: number[]; profiles: { end: number }[] } };
    expect(found.unstable).toEqual([]);
    expect(found.profiles[0]!.end).toBeLessThan(2);
    for (const [words, message] of [
      [['--profile', 'alpha=1'], '--profile belongs to --rod'],
      [['--rod', '--profile', 'alpha'], '--profile takes NAME=CHANGE'],
      [['--rod', '--figure', 'a.svg'], '--figure draws coordinates'],
    ] as const)
      expect(await rod('statics', 'tubes.robot.yaml', ...words)).toMatchObject({
        err: expect.stringContaining(message) as string,
        code: 2,
      });
  });

  it('has no coordinates that anything could hold', async () => {
    const { err, code } = await rod('statics', 'rod.robot.yaml', '--rod', '--force', 'rod.T=1');
    expect({ err, code }).toEqual({ err: expect.stringContaining('--rod has no coordinates'), code: 2 });
    const other = await statics('--rod');
    expect(other.code).toBe(1);
    expect(other.err).toContain('a rod under loads: `arm` has no rod');
  });
});
