/**
 * Two precurved tubes, one in the other: how far they are turned against each other at their end, against the boundary-value problem
 * alpha'' = (1 + nu) kappa1 kappa2 sin(alpha), alpha(0) = alpha0, alpha'(L) = 0 by shooting from the end. By coordinates, and as a profile of a rod at rest.
 */
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { rodStatics, type RodStaticsOptions } from '../../src/api/rod-statics.ts';
import type { KanegenError } from '../../src/common/error.ts';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { LoadedRod } from '../../src/kane/loaded/loaded-rod.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';

const FULL = process.env['KANEGEN_FULL'] === '1';
const STEPS = 2000;

/** alpha at the base where it is `end` at the end, along a length of `reach`: Runge-Kutta of fourth order from the end. */
function atBase(end: number, reach: number): number {
  const h = reach / STEPS;
  let [alpha, slope] = [end, 0];
  for (let k = 0; k < STEPS; k++) {
    const [v1, a1] = [slope, Math.sin(alpha)];
    const [v2, a2] = [slope + (h / 2) * a1, Math.sin(alpha + (h / 2) * v1)];
    const [v3, a3] = [slope + (h / 2) * a2, Math.sin(alpha + (h / 2) * v2)];
    const [v4, a4] = [slope + h * a3, Math.sin(alpha + h * v3)];
    alpha += (h / 6) * (v1 + 2 * v2 + 2 * v3 + v4);
    slope += (h / 6) * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return alpha;
}

/** alpha at the end, between `low` and `high`. */
function shot(alpha0: number, reach: number, [low, high]: readonly [number, number]): number {
  const isBelow = (end: number): boolean => atBase(end, reach) < alpha0;
  expect(isBelow(low)).not.toBe(isBelow(high));
  const rises = isBelow(low);
  let [a, b] = [low, high];
  for (let k = 0; k < 60; k++) {
    const middle = (a + b) / 2;
    if (isBelow(middle) === rises) a = middle;
    else b = middle;
  }
  return (a + b) / 2;
}

/** Coordinates of alpha: a u and integrals of Legendre polynomials, which vanish at both ends. */
function tubes(count: number, points: number): string {
  const waves = Array.from({ length: count - 1 }, (_, i) => i + 2).map(
    (k) => `a${k}*(legendre(${k}, u) - legendre(${k - 2}, u))/${2 * (2 * k - 1)}`,
  );
  return `kanegen: 1
name: tubes
gravity: [0, 0, 0]
body-types:
  tubes:
    parameters: { reach: { value: 1.2 }, alpha0: 180 deg, kappa1: 10 1/m, kappa2: 10 1/m, nu: 0.3, L: reach/sqrt((1 + nu)*kappa1*kappa2), EI: 0.02 N m^2 }
    coordinates: { a: { count: ${count}, unit: rad, limits: [-4 rad, 4 rad] } }
    volume: { rod: { s: [0, L] }, section: { disc: 1 mm, cartesian: [x, y] }, density: 6450 kg/m^3 }
    let: { u: s/L, alpha: '${['alpha0 + a1*u', ...waves].join(' + ')}' }
    rest: { bend-x: kappa2 }
    strain: { bend-x: (kappa1*cos(alpha) - kappa2)/2, bend-y: -kappa1*sin(alpha)/2, twist: { basis: legendre, coordinates: a, scale: 1/(2*L) } }
    material: { section-stiffness: [2*EI, 2*EI, 2*EI/(1 + nu), 1e5 N, 1e5 N, 1e5 N] }
    integration: { points: ${points} }
links:
  - { name: eighth, parent: base, body: tubes, parameters: { alpha0: 45 deg } }
  - { name: half, parent: base, body: tubes, parameters: { reach: 2 } }
`;
}

const SNAPPED: readonly [number, number] = [0.05, Math.PI - 0.3];

/** Both tubes as one rod: the inner one its material, the outer one a potential; how far they are turned is a profile. In the rest: parameters. */
const profiled = (values: string): string => `kanegen: 1
name: tubes
gravity: [0, 0, 0]
body-types:
  tubes:
    parameters: { reach: { value: 1.2 }, turned: 45 deg, kappa1: 10 1/m, kappa2: 10 1/m, nu: 0.3, L: reach/sqrt((1 + nu)*kappa1*kappa2), EI: 0.02 N m^2, GJ: EI/(1 + nu) }
    volume: { rod: { s: [0, L] }, section: { disc: 1 mm, cartesian: [x, y] }, density: 6450 kg/m^3 }
    rest: { bend-x: kappa2 }
    strain:
      equilibrium:
        profiles: { alpha: { from: turned } }
        potential: EI/2*((bend_x - kappa1*cos(alpha))^2 + (bend_y + kappa1*sin(alpha))^2) + GJ/2*(twist - alpha_s)^2
        hold: [shear-x, shear-y]
    material: { section-stiffness: [EI, EI, GJ, 1e5 N, 1e5 N, 50 N] }
links: [{ name: tubes, body: tubes, parameters: { ${values} } }]
`;

describe('concentric tubes as a rod with a profile', () => {
  const rod = (values: string, options: RodStaticsOptions = {}): LoadedRod =>
    rodStatics(loadRobotText(profiled(values), 'tubes.robot.yaml'), 'tubes.robot.yaml', { steps: 16, ...options });

  it.each([45, 90, 135, 170])('untwist as the boundary-value problem has it, from %i degrees', (degrees) => {
    const angle = (degrees * Math.PI) / 180;
    const due = shot(angle, 1.2, [0, angle]);
    const { profiles, unstable } = rod(`turned: ${degrees} deg`);
    const [alpha] = profiles;
    expect(Math.abs(alpha!.end - due)).toBeLessThan(1e-12);
    expect(unstable).toEqual([]);
    // alpha'^2 = 2 c^2 (cos(alpha(L)) - cos(alpha)), and half of the torsional stiffness holds it.
    const slope = Math.sqrt(2 * 130 * (Math.cos(due) - Math.cos(angle)));
    expect(alpha!.effort).toBeCloseTo((0.01 / 1.3) * slope, 11);
  });

  it('are not stable half a turn apart beyond the length at which they snap, to either side', () => {
    expect(rod('turned: 180 deg, reach: 1.57').unstable).toEqual([]);
    expect(rod('turned: 180 deg, reach: 1.5716').unstable).not.toEqual([]);
    const opposed = rod('turned: 180 deg, reach: 2');
    expect(opposed.profiles[0]!.end).toBeCloseTo(Math.PI, 12);
    expect(opposed.unstable).not.toEqual([]);
    const due = Math.PI - shot(Math.PI, 2, SNAPPED);
    for (const side of [-1, 1]) {
      const { profiles, unstable } = rod('turned: 180 deg, reach: 2', { profiles: { alpha: 2 * side } });
      expect(Math.abs(side * (profiles[0]!.end - Math.PI) - due)).toBeLessThan(1e-12);
      expect(unstable).toEqual([]);
    }
  });

  it('have the derivatives of their equilibria under a load', () => {
    const wrenches = [{ frame: 'tubes', force: [0.8, -0.5, 0.6], moment: [0.02, 0.03, -0.01] }];
    const at = (turned: number, fx: number, mz: number): LoadedRod =>
      rod(`turned: ${turned}`, { wrenches: [...wrenches, { frame: 'tubes', force: [fx, 0, 0], moment: [0, 0, mz] }] });
    const found = at(1.1, 0, 0);
    expect(found.unstable).toEqual([]);
    // The load is no small one.
    expect(Math.hypot(...found.position.map((e, i) => e - found.unloaded[i]!))).toBeGreaterThan(0.01);
    expect(Math.abs(found.profiles[0]!.end - rod('turned: 1.1').profiles[0]!.end)).toBeGreaterThan(1e-3);
    const [alpha] = found.profiles;
    const columns = [
      [alpha!.byStart, 1e-3, (h: number) => at(1.1 + h, 0, 0)],
      [found.byForce.map((row) => row[0]!), 1e-3, (h: number) => at(1.1, h, 0)],
      [found.byMoment.map((row) => row[2]!), 1e-4, (h: number) => at(1.1, 0, h)],
    ] as const;
    for (const [column, h, moved] of columns) {
      const [a, b, c, d] = [-2 * h, -h, h, 2 * h].map(moved) as [LoadedRod, LoadedRod, LoadedRod, LoadedRod];
      const quotient = (of: (own: LoadedRod) => number): number => (of(a) - 8 * of(b) + 8 * of(c) - of(d)) / (12 * h);
      const due = [0, 1, 2].map((i) => quotient((own) => own.position[i]!));
      const scale = Math.max(...due.map(Math.abs));
      due.forEach((e, i) => expect(Math.abs(e - column[3 + i]!)).toBeLessThan(1e-7 * scale));
      // δR Rᵀ is the skew matrix of the rotation vector.
      const [x, y] = [2, 1].map((row) =>
        [0, 1, 2].reduce(
          (sum, k) => sum + quotient((own) => own.rotation[row]![k]!) * found.rotation[row === 2 ? 1 : 0]![k]!,
          0,
        ),
      );
      expect(Math.abs(x! - column[0]!)).toBeLessThan(1e-7 * Math.abs(x!));
      expect(Math.abs(y! - column[2]!)).toBeLessThan(1e-7 * Math.abs(y!));
    }
    const [less, more] = [at(1.1 - 1e-4, 0, 0), at(1.1 + 1e-4, 0, 0)];
    expect((more.profiles[0]!.end - less.profiles[0]!.end) / 2e-4).toBeCloseTo(alpha!.endByStart, 6);
    // Of forces alone ∂²E/∂α∂F is symmetric: what the end moves by is what the force adds to what holds the start.
    const pulled = (fx: number): LoadedRod =>
      rod('turned: 1.1', { wrenches: [{ frame: 'tubes', force: [0.8 + fx, -0.5, 0.6] }] });
    const [weaker, stronger] = [pulled(-1e-3), pulled(1e-3)].map((own) => own.profiles[0]!.effort) as [number, number];
    expect((stronger - weaker) / 2e-3).toBeCloseTo(-pulled(0).profiles[0]!.byStart[3]!, 8);
  });

  it('have values and strains at places', () => {
    const { profiles, strains } = rod('turned: 90 deg', { places: [0, 0.05] });
    const [alpha] = profiles;
    const known = alpha!.values.map((value, k) => {
      const [bx, by, twist] = strains[k]!;
      expect(bx).toBeCloseTo((10 * Math.cos(value) + 10) / 2, 11);
      expect(by).toBeCloseTo((-10 * Math.sin(value)) / 2, 11);
      return twist!;
    });
    expect(alpha!.values[0]).toBeCloseTo(Math.PI / 2, 14);
    const end = alpha!.end;
    alpha!.values.forEach((value, k) =>
      expect(known[k]).toBeCloseTo(-Math.sqrt(2 * 130 * (Math.cos(end) - Math.cos(value))) / 2, 10),
    );
  });

  it.each([
    ['no potential', (text: string) => text.replace(/ +potential: .*\n/, ''), 'missing-key', 'without a `potential`'],
    ['a potential of its value alone', (text: string) => text.replace('- alpha_s', ''), 'wrong-value', '`alpha_s`'],
    ['a name that is taken', (text: string) => text.replaceAll('alpha', 'EI'), 'duplicate-name', '`EI`'],
    ['a start along the rod', (text: string) => text.replace('from: turned', 'from: s/L'), 'wrong-variable', '`s`'],
    ['a unit that does not fit', (text: string) => text.replace('from: turned', 'from: 3 mm'), 'wrong-unit', 'cos'],
  ])('refuse %s', (_, changed, code, words) => {
    let problem: KanegenError | undefined;
    try {
      loadRobotText(changed(profiled('turned: 1')), 'tubes.robot.yaml');
    } catch (error) {
      problem = error as KanegenError;
    }
    expect(problem).toMatchObject({ code, location: { file: 'tubes.robot.yaml' } });
    expect(problem!.message).toContain(words);
    expect(problem!.remedy).toBeTruthy();
  });

  it('do not move', () => {
    const robot = loadRobotText(profiled('turned: 1'), 'tubes.robot.yaml');
    expect(() => compileRobot(robot)).toThrow('motion of a rod with the profile `alpha`');
  });
});

const COUNT = 5;

describe('concentric tubes', () => {
  let robot: Robot;
  let dynamics: LoadedRobot;
  beforeAll(async () => {
    robot = loadRobotText(tubes(COUNT, 10), 'tubes.robot.yaml');
    dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  });

  const from = (half: number): ReturnType<typeof equilibrium> =>
    equilibrium(
      robot,
      dynamics,
      {},
      robot.coordinates.map((_, i) => (i === COUNT ? half : 0)),
    );

  it('untwist as the boundary-value problem has it', () => {
    const { q } = from(0);
    expect(Math.abs(Math.PI / 4 + q[0]! - shot(Math.PI / 4, 1.2, [0, Math.PI / 4]))).toBeLessThan(1e-9);
  });

  it('are not stable half a turn apart beyond the length at which they snap', () => {
    const opposed = from(0);
    opposed.q.slice(COUNT).forEach((a) => expect(Math.abs(a)).toBeLessThan(1e-12));
    expect(opposed.smallestEigenvalue).toBeLessThan(0);
  });

  it.each([-1, 1])('snap to either side (%i)', (side) => {
    const { q, smallestEigenvalue } = from(2 * side);
    expect(smallestEigenvalue).toBeGreaterThan(0);
    // Five coordinates are good to 7e-7 there; shot between 0 and half a turn, and mirrored.
    expect(Math.abs(side * q[COUNT]! - (Math.PI - shot(Math.PI, 2, SNAPPED)))).toBeLessThan(1e-6);
  });

  it.skipIf(!FULL)('of the examples agree with it to 1e-9 at four angles and where they snap', async () => {
    const ends = async (name: string, start: readonly number[]): Promise<number[]> => {
      const file = path.join(import.meta.dirname, `../../examples/scenarios/${name}.robot.yaml`);
      const example = loadRobotFile(file);
      const code = (await loadGenerated(await generateTypeScript(example, compileRobot(example))))();
      const { q } = equilibrium(
        example,
        code,
        {},
        start.flatMap((a) => [a, 0, 0, 0, 0, 0, 0, 0]),
      );
      return start.map((_, k) => q[8 * k]!);
    };
    const turned = [45, 90, 135, 170].map((angle) => (angle * Math.PI) / 180);
    const short = await ends('concentric-tubes', [0, 0, 0, 0]);
    turned.forEach((angle, k) => expect(Math.abs(angle + short[k]! - shot(angle, 1.2, [0, angle]))).toBeLessThan(1e-9));
    const due = Math.PI - shot(Math.PI, 2, SNAPPED);
    const [opposed, left, right] = await ends('concentric-tubes-snap', [0, -2, 2]);
    expect(Math.abs(opposed!)).toBeLessThan(1e-12);
    expect(Math.abs(left! + due)).toBeLessThan(1e-9);
    expect(Math.abs(right! - due)).toBeLessThan(1e-9);
  });
});
