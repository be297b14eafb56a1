/**
 * Generated statics of a rod: the same bits in TypeScript and C, the numbers of `robot.rodStatics`, whatever acts on the rod; statuses where there is no
 * equilibrium; a self-test that fails where derivatives are wrong. Reference data: test/verify/reference-equilibria.test.ts; what the numbers are worth:
 * test/kane/loaded-rod.test.ts.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { amalgamated } from '../../src/codegen/amalgamation/amalgamate.ts';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import {
  rodAnswersInC,
  rodAnswersInTypeScript,
  type RodAnswer,
  type RodAsked,
} from '../../src/codegen/rod-statics/run-rod-statics.ts';
import { rodStaticsModel, type RodStaticsModel } from '../../src/codegen/rod-statics/rod-statics-model.ts';
import { robotInterface } from '../../src/codegen/interface/schema.ts';
import { load, type KanegenError, type SymbolicRobot } from '../../src/index.ts';
import { KG_NON_FINITE, KG_OK, KG_SINGULAR } from '../../src/runtime/driver.ts';
import { isInstalled, QUICK } from '../compilers.ts';

/** Tapers, is bent at rest, ends its second tendon at a break; turned at its base, with a body on its end. */
const source = (more: object = {}): object => ({
  ...{ kanegen: 1, name: 'loaded', gravity: [1, -2, 9] },
  parameters: { peak: '0.01 N m', wave: '20 1/m' },
  base: { rpy: [0.4, -0.7, 0.9], xyz: [0.1, 0.2, -0.3] },
  'body-types': {
    rod: {
      parameters: { L: 0.25, R0: 0.01, R1: 0.008, r: 0.006, rho: 1000, slope: '4e4 kg/m^4' },
      coordinates: {
        T: { count: 2, unit: 'N', limits: ['0 N', '4 N'] },
        m: { unit: 'N m', limits: ['-0.01 N m', '0.01 N m'] },
      },
      volume: {
        rod: { s: [0, 'L'] },
        section: { disc: 'R0 + (R1 - R0)*s/L', cartesian: ['x', 'y'] },
        density: 'rho + slope*x',
      },
      rest: { 'bend-y': 2, stretch: 1.01 },
      strain: {
        equilibrium: {
          tendons: {
            T1: { route: { x: 'r*cos(9*s/L)', y: 'r*sin(9*s/L)' } },
            T2: { route: { x: '-r', y: 0 }, to: { s: 'L/2' } },
          },
          stress: { twist: 'm*s/L' },
          hold: ['shear-x', 'shear-y'],
        },
      },
      material: { 'rod-elasticity': { E: 1e6, nu: 0.4 } },
    },
  },
  links: [{ name: 'rod', body: 'rod' }],
  attach: [{ name: 'payload', to: 'rod', rigid: { mass: 0.01, com: [0.004, 0, 0.01] } }],
  actuators: {
    one: { drives: 'rod.T1' },
    two: { drives: 'rod.T2' },
    wound: { drives: 'rod.m' },
    wave: { field: { through: 'rod', moment: { 'bend-x': 'peak*sin(wave*s)' } } },
  },
  ...more,
});

const numbersOf = ({ status, R, t, byInputs, byWrench, base, sweeps }: RodAnswer): number[] => [
  ...[status, sweeps, ...R, ...t, ...byInputs, ...byWrench, ...base],
];

describe('generated statics of a rod', () => {
  let robot: SymbolicRobot;
  let model: RodStaticsModel;
  let asked: readonly RodAsked[];
  let inTypeScript: readonly RodAnswer[];
  let files: readonly GeneratedFile[];

  beforeAll(async () => {
    robot = await load(source());
    const code = await robot.compile();
    model = rodStaticsModel(robot.model, await code.compiled());
    files = await code.files({ target: ['js', 'c'], rodStatics: true });
    const { gravity } = robot.model;
    asked = [
      { gravity, u: [0, 0, 0, 0], wrench: [0, 0, 0, 0, 0, 0] },
      { gravity, u: [2.1, 1.3, 0.004, -0.4], wrench: [0.001, 0.002, -0.003, 0.05, -0.02, 0.04] },
      { gravity: [0, 0, -3], u: [1, 3, -0.002, 0.3], wrench: [0, -0.002, 0, 0.1, 0.1, -0.2] },
      { gravity, u: [-500, -100, 0, 0], wrench: [0, 0, 0, 0, 0, 0] },
      { gravity, u: [1, NaN, 0, 0], wrench: [0, 0, 0, 0, 0, 0] },
      { gravity: [0, Infinity, 0], u: [1, 1, 0, 0], wrench: [0, 0, 0, 0, 0, 0] },
    ];
    inTypeScript = await rodAnswersInTypeScript(model, asked);
  });

  it('are those of the rod in numbers', async () => {
    for (const [k, { u, wrench, gravity }] of asked.slice(0, 3).entries()) {
      const own = k === 2 ? await load(source({ gravity })) : robot;
      const [moment, force] = [wrench.slice(0, 3), wrench.slice(3)];
      const due = await own.rodStatics({
        inputs: Object.fromEntries(own.model.actuators.map(({ name }, a) => [name, u[a]!])),
        wrenches: [{ frame: 'rod', moment, force }],
        steps: model.steps,
      });
      const found = inTypeScript[k]!;
      const pairs: readonly (readonly [readonly number[], readonly number[]])[] = [
        [found.R, due.rotation.flat()],
        [found.t, due.position],
        [found.byInputs, due.byCoordinate.flat()],
        [found.byWrench, due.byMoment.flatMap((row, r) => [...row, ...due.byForce[r]!])],
        [found.base, [...due.base.moment, ...due.base.force]],
      ];
      expect(found.status).toBe(KG_OK);
      for (const [values, expected] of pairs) {
        const scale = Math.max(...expected.map(Math.abs));
        expect(values).toHaveLength(expected.length);
        values.forEach((e, i) => expect(Math.abs(e - expected[i]!)).toBeLessThanOrEqual(1e-13 * scale));
      }
    }
  });

  it('say where there is no equilibrium, and leave outputs alone', () => {
    expect(inTypeScript.map(({ status }) => status)).toEqual([
      ...[KG_OK, KG_OK, KG_OK, KG_SINGULAR, KG_NON_FINITE, KG_NON_FINITE],
    ]);
    for (const { R, byWrench } of inTypeScript.slice(3)) expect(new Set([...R, ...byWrench])).toEqual(new Set([0]));
  });

  it('settle with the steps that the compiler chose', async () => {
    const loaded = asked.slice(1, 3);
    const fine = await rodAnswersInTypeScript(model, loaded, 2 * model.steps);
    const coarse = await rodAnswersInTypeScript(model, loaded, 2);
    fine.forEach(({ t }, k) => {
      const error = (own: RodAnswer): number => Math.hypot(...own.t.map((e, i) => e - t[i]!));
      expect(error(inTypeScript[k + 1]!)).toBeLessThan(1e-13);
      expect(error(coarse[k]!)).toBeGreaterThan(1e-12);
    });
  });

  describe.skipIf(!isInstalled('cc'))('in C', () => {
    it('have the same bits', async () => {
      // What cannot be used is text that reads back as itself.
      const usable = asked.slice(0, 4);
      const found = await rodAnswersInC(model, usable, QUICK);
      found.forEach((own, k) => expect(numbersOf(own)).toEqual(numbersOf(inTypeScript[k]!)));
      const fewer = await rodAnswersInC(model, usable.slice(0, 2), { flags: ['-DLOADED_ROD_STEPS=5'] });
      const due = await rodAnswersInTypeScript(model, usable.slice(0, 2), 5);
      fewer.forEach((own, k) => expect(numbersOf(own)).toEqual(numbersOf(due[k]!)));
    });

    it('come with a self-test that sees what is wrong', async () => {
      const sources = files
        .filter(({ path }) => path.startsWith('c/'))
        .map(({ path, text }) => ({ path: path.slice(2), text }));
      const outcome = async (own: readonly GeneratedFile[]): Promise<string> => {
        const program = await buildC(own, { flags: ['-O0', '-DLOADED_ROD_STEPS=4'] });
        try {
          return await runProgram(program);
        } catch (error) {
          return (error as Error).message;
        } finally {
          await program.dispose();
        }
      };
      expect(await outcome(sources)).toContain('loaded: ok');
      // As one file as well, whose header has the function.
      const code = sources.filter(({ path }) => /\.[ch]$/.test(path));
      expect(await outcome(amalgamated('loaded', code))).toContain('loaded: ok');
      const broken = (from: string, to: string): readonly GeneratedFile[] => {
        expect(sources.filter(({ text }) => text.includes(from))).toHaveLength(1);
        return sources.map((own) => ({ ...own, text: own.text.replace(from, to) }));
      };
      const weight = 'rod->slope, 3, rod->gravity, 0, rod->share,';
      expect(await outcome(broken(weight, weight.replace('rod->share', '-rod->share')))).toContain(
        'differ from quotients',
      );
    });
  });

  it('are told in interface.json, and stand in the folders of the languages that were asked for', () => {
    const paths = files.map(({ path }) => path);
    for (const path of [
      'c/loaded_rod_statics.h',
      'javascript/loaded_rod_statics.js',
      'javascript/runtime/rod-statics.js',
    ])
      expect(paths).toContain(path);
    const { rodStatics } = robotInterface.parse(JSON.parse(files.find(({ path }) => path === 'interface.json')!.text));
    expect(rodStatics).toMatchObject({ symbol: 'loaded_rod_statics', structure: 'loaded_rod', steps: model.steps });
  });
});

describe('what generated statics of a rod refuse', () => {
  const problem = async (given: object): Promise<KanegenError> => {
    try {
      await (await (await load(given)).compile()).files({ target: 'c', rodStatics: true });
    } catch (error) {
      return error as KanegenError;
    }
    throw new Error('nothing was thrown');
  };

  it.each<[string, object, RegExp]>([
    [
      'run-time parameters',
      source({
        parameters: { peak: '0.01 N m', wave: '20 1/m', reach: { value: '0.25 m', runtime: true } },
        links: [{ name: 'rod', body: 'rod', parameters: { L: 'reach' } }],
      }),
      /run-time parameter `reach`/,
    ],
    [
      'robots without a rod',
      { kanegen: 1, name: 'none', links: [{ name: 'a', joint: { revolute: 'y' }, rigid: { mass: 1 } }] },
      /`none` has no rod/,
    ],
  ])('%s', async (_, given, message) => {
    const found = await problem(given);
    expect(found.code).toBe('not-supported');
    expect(found.message).toMatch(message);
    expect(found.remedy).not.toBeUndefined();
  });
});
