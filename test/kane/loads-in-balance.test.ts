/**
 * Weight in the equation of a strain: against the rod at rest without coordinates (loaded-rod.test.ts), which it must be at the defaults, and to which it
 * comes near with the square of the distance from them.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { load, type KanegenError, type SymbolicRobot } from '../../src/index.ts';
import type { Robot, SectionEquilibrium } from '../../src/description/model/robot.ts';
import { equilibriumOfRod, type LoadedRod } from '../../src/kane/loaded/loaded-rod.ts';
import { withLoads } from '../../src/kane/loaded/loads-in-balance.ts';
import { SectionsInNumbers } from '../../src/kane/loaded/section-rows.ts';
import { rodByCoordinates, weightsOf } from '../../src/kane/loaded/rod-of-robot.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { freeSymbols } from '../../src/symbolic/graph/traverse.ts';

const [TENSION, STEP] = [1.5, 0.2];

const distance = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((e, i) => e - b[i]!));

/** Bends and stretches in the plane of x and z, under its own weight and that of what it carries. */
const planar = (more: object = {}, coordinates: object = {}, equilibrium: object = {}): object => ({
  ...{ kanegen: 1, name: 'hanging', gravity: [9, 0, 3] },
  'body-types': {
    rod: {
      parameters: { L: 0.25, R: 0.008, r: 0.006, rho: 1000, slope: '4e4 kg/m^4' },
      coordinates: {
        T: { count: 2, unit: 'N', limits: ['-1 N', '4 N'], default: `${TENSION} N` },
        ...coordinates,
      },
      volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 'rho + slope*x' },
      strain: {
        equilibrium: {
          tendons: {
            T1: { route: { x: 'r', y: 0 } },
            T2: { route: { x: '-r/2 - r*s/L/3', y: 0 }, to: { s: 'L/2' } },
          },
          hold: ['bend-x', 'twist', 'shear-x', 'shear-y'],
          loads: ['gravity', 'tip'],
          ...equilibrium,
        },
      },
      material: { 'rod-elasticity': { E: '1 MPa', nu: 0.4 } },
      integration: { points: 12 },
    },
  },
  links: [{ name: 'rod', body: 'rod' }],
  attach: [{ name: 'payload', to: 'rod', rigid: { mass: 0.004, com: [0.003, 0, 0.01] } }],
  actuators: { one: { drives: 'rod.T1' }, two: { drives: 'rod.T2' } },
  ...more,
});

/** Of a body by strain. */
function balanceOf({ links }: Robot): SectionEquilibrium {
  const { body } = links[0]!;
  if (body.kind !== 'deformable' || body.type.kinematics.kind !== 'strain') throw new Error('a rod');
  return body.type.kinematics.equilibrium!;
}

describe('a rod with its weight in the equation', () => {
  let robot: SymbolicRobot;
  beforeAll(async () => {
    robot = await load(planar());
  });

  const rodAt = (one: number): Pick<LoadedRod, 'position' | 'unloaded'> => {
    const { sections, base, gravity, carried } = rodByCoordinates(robot.model)!;
    return equilibriumOfRod(sections, {
      ...{ q: [one, TENSION], base, steps: 12 },
      loads: { gravity, moment: [0, 0, 0], forces: weightsOf(carried, gravity) },
    });
  };

  it('has the shape of the rod at the defaults, and nearly that shape beside them', () => {
    const stress = balanceOf(withLoads(robot.model));
    const { sections, base } = rodByCoordinates(robot.model)!;
    const alone = new SectionsInNumbers({ ...sections.rod, equilibrium: stress });
    const none = { gravity: [0, 0, 0], moment: [0, 0, 0], forces: [] };
    const misses = (one: number): number => {
      const { position, unloaded } = rodAt(one);
      // Weight moves the end far.
      expect(distance(position, unloaded)).toBeGreaterThan(0.1);
      const own = equilibriumOfRod(alone, { q: [one, TENSION], base, steps: 12, loads: none });
      return distance(position, own.position);
    };
    expect(misses(TENSION)).toBeLessThan(1e-11);
    const [near, far] = [misses(TENSION + STEP), misses(TENSION + 2 * STEP)];
    expect(near).toBeLessThan(2e-4);
    expect(far / near).toBeGreaterThan(3.5);
    expect(far / near).toBeLessThan(4.5);
  });

  it.runIf(process.env['KANEGEN_FULL'] === '1')(
    'rests where the rod rests',
    async () => {
      const acting = { inputs: { one: TENSION, two: TENSION } };
      const { q } = await robot.statics(acting);
      q.forEach((own) => expect(own).toBeCloseTo(TENSION, 9));
      const [{ tip_position: tip }] = (await robot.evaluate([{ q }])) as unknown as [{ tip_position: number[] }];
      expect(distance(tip, rodAt(TENSION).position)).toBeLessThan(1e-9);
    },
    120_000,
  );

  it('has the derivatives of the stress of its equilibria', () => {
    const { sections, base, gravity, carried } = rodByCoordinates(robot.model)!;
    const places = [0, 0.07, 0.125, 0.2];
    const at = (one: number): readonly (readonly number[])[] =>
      equilibriumOfRod(sections, {
        ...{ q: [one, TENSION], base, places, steps: 12 },
        loads: { gravity, moment: [0, 0, 0], forces: weightsOf(carried, gravity) },
      }).loads.map(({ value }) => value);
    const h = 2e-2;
    const [a, b, c, d] = [-2, -1, 1, 2].map((k) => at(TENSION + k * h)) as [
      ReturnType<typeof at>,
      ReturnType<typeof at>,
      ReturnType<typeof at>,
      ReturnType<typeof at>,
    ];
    const { stress } = balanceOf(withLoads(robot.model));
    const [bend, stretch] = [stress[1]!, stress[5]!];
    const symbols = freeSymbols([bend]);
    const axial = symbols.find((own) => own.name.endsWith('.s'))!;
    places.forEach((s, k) => {
      const slope = (i: number): number => (a[k]![i]! - 8 * b[k]![i]! + 8 * c[k]![i]! - d[k]![i]!) / (12 * h);
      const valueAt = (one: number): number[] =>
        evaluate(
          [bend, stretch],
          new Map(symbols.map((own) => [own, own === axial ? s : own.name.endsWith('T1') ? one : TENSION])),
        );
      const [due, moved] = [valueAt(TENSION), valueAt(TENSION + 1)];
      expect(moved[0]! - due[0]!).toBeCloseTo(slope(1), 9);
      expect(moved[1]! - due[1]!).toBeCloseTo(slope(5), 9);
    });
  });
});

describe('weight in an equation is refused', () => {
  it.each<readonly [string, object, RegExp]>([
    [
      'of a rod on a joint',
      planar({ links: [{ name: 'rod', body: 'rod', joint: { revolute: 'y' } }] }),
      /`rod` is not fixed to the base/,
    ],
    [
      'with a parameter of the run time',
      planar({
        parameters: { m: { value: 0.01, runtime: true } },
        attach: [{ name: 'payload', to: 'rod', rigid: { mass: 'm' } }],
      }),
      /the run-time parameter `m`/,
    ],
    ['beside a potential', planar({}, {}, { potential: '1e-3*bend_y^2*T1*L/1000' }), /`potential` of its sections/],
    [
      'where the rod has no equilibrium',
      planar({}, { T: { count: 2, unit: 'N', limits: ['-900 N', '4 N'], default: '-800 N' } }, { hold: ['twist'] }),
      /no equilibrium under its `loads`/,
    ],
  ])('%s', async (_, source, message) => {
    const { model } = await load(source);
    let problem: KanegenError | undefined;
    try {
      withLoads(model);
    } catch (error) {
      problem = error as KanegenError;
    }
    expect(problem?.message).toMatch(message);
    expect(problem?.location).toBeDefined();
    expect(problem?.remedy).toBeDefined();
  });
});
