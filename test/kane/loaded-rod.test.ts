/**
 * Rods under tendons, weight and loads at their end: against closed forms, difference quotients, buckling loads, and the same rods with more and more
 * coordinates. Reference data: test/verify/reference-equilibria.test.ts.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK } from '../../src/runtime/driver.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';
import { load, type KanegenError } from '../../src/index.ts';
import { quaternionOf } from '../../src/common/poses.ts';
import { collocation } from '../../src/kane/loaded/gauss-steps.ts';
import { rotationOf, times, transposed, transposedSlope, type Numbers } from '../../src/kane/loaded/rotations.ts';
import { rotationAt, rotationSlope, solveRows, turnOf } from '../../src/runtime/rod-march.ts';

const product = (a: readonly Numbers[], b: readonly Numbers[]): number[][] =>
  a.map((row) => transposed(b).map((column) => row.reduce((sum, e, i) => sum + e * column[i]!, 0)));

/** What a function of the run time leaves in its last argument. */
const made = (size: number, make: (out: Float64Array) => void): number[] => {
  const out = new Float64Array(size);
  make(out);
  return [...out];
};

const RADIUS = 0.008;
const LENGTH = 0.3;
const MODULUS = 1e6;
const BENDING = (MODULUS * Math.PI * RADIUS ** 4) / 4;

/** Bends about x and y as many polynomials allow; nothing else is free. */
function bending(more: object = {}, count = 1, isPlanar = false): object {
  const powers = (name: string): string =>
    Array.from({ length: count }, (_, k) => `${name}${k + 1}*(s/L)^${k}`).join(' + ');
  const coordinate = { count, limits: [-6, 6] };
  return {
    ...{ kanegen: 1, name: 'bending', gravity: [0, 0, 0] },
    'body-types': {
      rod: {
        parameters: { L: LENGTH, R: RADIUS, E: MODULUS, rho: 1000, slope: `${isPlanar ? 6e4 : 0} kg/m^4` },
        coordinates: { ...(!isPlanar && { a: coordinate }), b: coordinate },
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 'rho + slope*x' },
        strain: { ...(!isPlanar && { 'bend-x': `(${powers('a')})/L` }), 'bend-y': `(${powers('b')})/L` },
        material: { 'rod-elasticity': { E: 'E', nu: 0.5 } },
        integration: { tolerance: 1e-6 },
      },
    },
    links: [{ name: 'rod', body: 'rod' }],
    ...more,
  };
}

const tendonRod = (more: object = {}): object => ({
  ...{ kanegen: 1, name: 'pulled', gravity: [1, -2, 9] },
  'body-types': {
    rod: {
      parameters: { L: 0.25, R0: 0.01, R1: 0.008, r: 0.006, rho: 1000, slope: '4e4 kg/m^4' },
      coordinates: {
        T: { count: 2, unit: 'N', limits: ['0 N', '6 N'] },
        m: { unit: 'N m', limits: ['-0.01 N m', '0.01 N m'] },
      },
      volume: {
        rod: { s: [0, 'L'] },
        section: { disc: 'R0 + (R1 - R0)*s/L', cartesian: ['x', 'y'] },
        density: 'rho + slope*x',
      },
      rest: { 'bend-y': 2, 'shear-x': 0.02 },
      strain: {
        equilibrium: {
          tendons: {
            T1: { route: { x: 'r*cos(9*s/L)', y: 'r*sin(9*s/L)' } },
            T2: { route: { x: '-r', y: 0 }, from: { s: 0.0625 }, to: { s: 0.1875 } },
          },
          stress: { twist: 'm*s/L' },
        },
      },
      material: { 'rod-elasticity': { E: MODULUS, nu: 0.4 } },
    },
  },
  links: [{ name: 'rod', body: 'rod' }],
  actuators: { one: { drives: 'rod.T1' }, two: { drives: 'rod.T2' }, wound: { drives: 'rod.m' } },
  ...more,
});

function expectClose(found: readonly number[], due: readonly number[], relative: number): void {
  const scale = Math.max(...due.map(Math.abs));
  expect(scale).toBeGreaterThan(0);
  expect(found).toHaveLength(due.length);
  found.forEach((value, i) => expect(Math.abs(value - due[i]!), `entry ${i}`).toBeLessThanOrEqual(relative * scale));
}

/** Columns by central quotients of fourth order. */
function quotients(f: (x: readonly number[]) => readonly number[], at: readonly number[], step: number): number[][] {
  const columns = at.map((_, k) => {
    const moved = (h: number): readonly number[] => f(at.map((x, i) => (i === k ? x + h : x)));
    const [a, b, c, d] = [moved(-2 * step), moved(-step), moved(step), moved(2 * step)] as const;
    return a.map((_, i) => (a[i]! - 8 * b[i]! + 8 * c[i]! - d[i]!) / (12 * step));
  });
  return transposed(columns);
}

describe('the parts of a sweep', () => {
  const q = [0.5, -0.3, 0.7, 0.2];
  const v = [0.4, -1.1, 0.6];

  it('turns, and changes with quaternions', () => {
    const [a, b, c] = v as [number, number, number];
    const slope = (side: number): number[] => made(12, (out) => rotationSlope(q, 0, side, a, b, c, out));
    expectClose(slope(1), quotients((x) => times(rotationOf(x), v), q, 1e-3).flat(), 1e-11);
    const back = (x: readonly number[]): number[] => times(transposed(rotationOf(x)), v);
    const due = quotients(back, q, 1e-3).flat();
    expectClose(slope(-1), due, 1e-11);
    expectClose(transposedSlope(q, v).flat(), due, 1e-11);
    expectClose(
      made(9, (out) => rotationAt(q, 0, out)),
      rotationOf(q).flat(),
      1e-15,
    );
    // Of every part of a quaternion the largest, in turn.
    for (const [k, sign] of [0, 1, 2, 3].flatMap((own) => [[own, 1] as const, [own, -1] as const])) {
      const long = q.map((e, i) => (i === k ? 3 * sign : e));
      const unit = long.map((e) => e / Math.hypot(...long));
      const found = quaternionOf(rotationOf(unit).flat());
      expectClose(
        found.map((e) => e * Math.sign(found[k]! * sign)),
        unit,
        1e-14,
      );
    }
  });

  it('has rotation vectors in axes that the rotation leads to', () => {
    const unit = q.map((e) => e / Math.hypot(...q));
    const small = [3e-7, -2e-7, 5e-7];
    const [x, y, z] = small as [number, number, number];
    // exp(small) R(Q), as a quaternion.
    const turned = [
      [1, -x / 2, -y / 2, -z / 2],
      [x / 2, 1, -z / 2, y / 2],
      [y / 2, z / 2, 1, -x / 2],
      [z / 2, -y / 2, x / 2, 1],
    ].map((row) => row.reduce((sum, e, i) => sum + e * unit[i]!, 0));
    const turn = made(12, (out) => turnOf(unit, 0, out));
    expectClose(
      times(
        [turn.slice(0, 4), turn.slice(4, 8), turn.slice(8)],
        turned.map((e, i) => e - unit[i]!),
      ),
      small,
      1e-8,
    );
  });

  it('are solved for, or said to have no solution', () => {
    const matrix = [
      [0, 2, 1],
      [1, 0, 3],
      [2, 1, 0],
    ];
    const right = [1, 2, 3];
    const tableau = Float64Array.from(matrix.flatMap((row, i) => [...row, right[i]!]));
    expect(solveRows(3, 4, tableau)).toBe(true);
    expectClose(
      product(
        matrix,
        [3, 7, 11].map((k) => [tableau[k]!]),
      ).flat(),
      right,
      1e-14,
    );
    expect(solveRows(2, 3, Float64Array.of(1, 2, 1, 2, 4, 1))).toBe(false);
  });

  it('integrates polynomials between the points', () => {
    const { points, weights, within } = collocation(4);
    points.forEach((to, i) =>
      expect(within[i]!.reduce((sum, a, j) => sum + a * points[j]! ** 3, 0)).toBeCloseTo(to ** 4 / 4, 14),
    );
    expect(weights.reduce((sum, b, j) => sum + b * points[j]! ** 7, 0)).toBeCloseTo(1 / 8, 14);
  });
});

describe('a rod that bends', () => {
  const rod = load(bending());

  it('is a circle under a moment at its end', async () => {
    const moment = 1.7 * (BENDING / LENGTH);
    const own = await rod;
    const found = await own.rodStatics({ wrenches: [{ frame: 'tip', moment: [0, moment, 0] }], places: [0.1] });
    const angle = 1.7;
    expectClose(
      found.position,
      [(LENGTH * (1 - Math.cos(angle))) / angle, 0, (LENGTH * Math.sin(angle)) / angle],
      1e-13,
    );
    expectClose(found.strains[0]!, [0, angle / LENGTH, 0, 0, 0, 1], 1e-13);
    expectClose(found.base.moment, [0, moment, 0], 1e-13);
    expect(found.unloaded).toEqual([0, 0, LENGTH]);
  });

  it.each([
    [
      'a force on its end',
      (factor: number) => ({ force: (factor * Math.PI ** 2 * BENDING) / (4 * LENGTH ** 2), weight: 0 }),
    ],
    // First zero of J_-1/3, squared, times 9/4.
    ['its own weight', (factor: number) => ({ force: 0, weight: (factor * 7.837347438943 * BENDING) / LENGTH ** 3 })],
  ])('buckles under %s at the load of the textbook', async (_, at) => {
    for (const factor of [0.999, 1.001]) {
      const { force, weight } = at(factor);
      const density = weight / (1000 * Math.PI * RADIUS ** 2);
      const own = await load(bending({ gravity: [0, 0, -density] }));
      const found = await own.rodStatics({ wrenches: [{ frame: 'tip', force: [0, 0, -force] }], steps: 16 });
      expectClose(found.position, [0, 0, LENGTH], 1e-12);
      expect(found.unstable.length > 0).toBe(factor > 1);
    }
  });

  it.each([8, 20])(
    'takes six sweeps at most for loads that move its end by a third of it, in %i steps',
    async (steps) => {
      const own = await rod;
      const { position, unloaded, sweeps } = await own.rodStatics({
        wrenches: [{ frame: 'tip', force: [0.04, 0, 0] }],
        steps,
      });
      expect(Math.hypot(...position.map((e, i) => e - unloaded[i]!))).toBeGreaterThan(0.3 * LENGTH);
      expect(sweeps).toBeLessThanOrEqual(6);
    },
  );

  it('is what more and more coordinates approach', async () => {
    const acting = { inputs: {}, wrenches: [{ frame: 'tip', force: [0.06, 0, -0.02] }] };
    const heavy = { gravity: [4, 0, 0] };
    const due = await (await load(bending(heavy, 1, true))).rodStatics(acting);
    const errors: number[] = [];
    for (const count of process.env['KANEGEN_FULL'] === '1' ? [1, 3, 5] : [1, 3]) {
      const own = await load(bending(heavy, count, true));
      const { q } = await own.statics(acting);
      const [{ tip_position: tip }] = (await own.evaluate([{ q }])) as unknown as [{ tip_position: number[] }];
      errors.push(Math.hypot(...tip.map((e, i) => e - due.position[i]!)));
    }
    expect(errors[0]).toBeGreaterThan(1e-3);
    errors.slice(1).forEach((error, k) => expect(error).toBeLessThan(errors[k]! / 30));
  }, 60_000);
});

describe('a rod with tendons', () => {
  const carrying = {
    frames: { hook: { on: 'rod', offset: { xyz: [0.01, 0.02, 0.03] } } },
    base: { rpy: [0.4, -0.7, 0.9], xyz: [0.1, 0.2, -0.3] },
  };
  const rod = load(tendonRod(carrying));
  const inputs = { one: 2.1, two: 3.3, wound: 0.004 };
  const wrenches = [
    { frame: 'tip', force: [0.05, -0.02, 0.04], moment: [0.001, 0.002, -0.003] },
    { frame: 'hook', force: [-0.03, 0.06, 0.02] },
  ];

  it('has the derivatives of its equilibria, with forces on arms', async () => {
    const own = await rod;
    const at = async (x: readonly number[]): Promise<{ R: readonly number[]; p: readonly number[] }> => {
      const [one, two, wound, fx, fy, fz, mx, my, mz] = x as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      const { position, rotation } = await own.rodStatics({
        inputs: { one, two, wound },
        wrenches: [...wrenches, { frame: 'rod', force: [fx, fy, fz], moment: [mx, my, mz] }],
        steps: 16,
      });
      return { R: rotation.flat(), p: position };
    };
    const point = [inputs.one, inputs.two, inputs.wound, 0, 0, 0, 0, 0, 0];
    const steps = [1e-2, 1e-2, 1e-4, 1e-3, 1e-3, 1e-3, 1e-4, 1e-4, 1e-4];
    const found = await own.rodStatics({ inputs, wrenches, steps: 16 });
    const derivatives = found.byCoordinate.map((row, i) => [...row, ...found.byForce[i]!, ...found.byMoment[i]!]);
    for (const [k, step] of steps.entries()) {
      const moved = (h: number): ReturnType<typeof at> => at(point.map((x, i) => (i === k ? x + h : x)));
      const [a, b, c, d] = await Promise.all([moved(-2 * step), moved(-step), moved(step), moved(2 * step)]);
      const slope = (key: 'R' | 'p'): number[] =>
        a[key].map((_, i) => (a[key][i]! - 8 * b[key][i]! + 8 * c[key][i]! - d[key][i]!) / (12 * step));
      const R = slope('R');
      // δR Rᵀ is the skew matrix of the rotation vector.
      const turn = product(
        [0, 3, 6].map((i) => R.slice(i, i + 3)),
        transposed(found.rotation),
      );
      expectClose(
        derivatives.map((row) => row[k]!),
        [turn[2]![1]!, turn[0]![2]!, turn[1]![0]!, ...slope('p')],
        1e-7,
      );
    }
  });

  it('has an error that falls with the eighth power of the step', async () => {
    const own = await rod;
    const [few, more, due] = await Promise.all([4, 8, 64].map((steps) => own.rodStatics({ inputs, wrenches, steps })));
    const error = (found: typeof few): number => Math.hypot(...found!.position.map((e, i) => e - due!.position[i]!));
    expect(error(more)).toBeLessThan(error(few) / 150);
    expect(few!.sweeps).toBeLessThanOrEqual(7);
  });

  it('carries masses as loads at their centres', async () => {
    const payload = {
      ...carrying,
      attach: [{ name: 'payload', to: 'hook', rigid: { mass: 0.05, com: [0.004, 0, 0] } }],
      frames: {
        ...carrying.frames,
        centre: { on: 'rod', offset: { xyz: [0.014, 0.02, 0.03] } },
      },
    };
    const own = await load(tendonRod(payload));
    const light = await load(tendonRod({ ...payload, attach: [] }));
    const heavy = await own.rodStatics({ inputs, wrenches });
    const force = own.model.gravity.map((g) => 0.05 * g);
    const loaded = await light.rodStatics({ inputs, wrenches: [...wrenches, { frame: 'centre', force }] });
    expectClose(heavy.position, loaded.position, 1e-12);
    expectClose(heavy.byMoment.flat(), loaded.byMoment.flat(), 1e-11);
    expectClose(heavy.base.force, loaded.base.force, 1e-12);
  });

  it('is held by the sum of its weight and the loads', async () => {
    // A cone without its tip.
    const own = await rod;
    const { base } = await own.rodStatics({ inputs, wrenches });
    const mass = ((1000 * Math.PI * 0.25) / 3) * (0.01 ** 2 + 0.01 * 0.008 + 0.008 ** 2);
    const sum = [0, 1, 2].map((i) => mass * own.model.gravity[i]! + wrenches[0]!.force[i]! + wrenches[1]!.force[i]!);
    expectClose(base.force, sum, 1e-13);
  });

  it('is followed along growing loads where they are large, and given up where there is no equilibrium', async () => {
    const own = await rod;
    const far = await own.rodStatics({ inputs: { one: 6 }, wrenches: [{ frame: 'tip', force: [-0.5, 0.6, -1] }] });
    expect(far.error).toBeLessThan(1e-12);
    expect(far.unstable).toEqual([]);
    const pushed = own.rodStatics({ inputs: { one: -200, two: -100 } });
    await expect(pushed).rejects.toMatchObject({
      code: 'no-equilibrium',
      message: expect.stringContaining('not stable') as string,
    });
  });
});

/** Legendre series of all strains in each half of the arm with ten tendons: 24, 48 and 72 coordinates, minutes to compile. */
describe.skipIf(process.env['KANEGEN_FULL'] !== '1')('the arm with ten tendons', { timeout: 1_800_000 }, () => {
  it('is what more and more coordinates approach', async () => {
    const tensions = { t1: 2, t4: 3, t7: 4, t9: 2 };
    const { position } = await (await load('examples/scenarios/arm-10.robot.yaml')).rodStatics({ inputs: tensions });
    const text = readFileSync('examples/scenarios/ten-tendons.robot.yaml', 'utf8');
    for (const [count, bound] of [
      [2, 5e-3],
      [4, 3e-5],
      [6, 3e-7],
    ] as const) {
      const robot = loadRobotText(
        text
          .replaceAll('count: 4', `count: ${count}`)
          .replace(/integration: \{[^}]*\}/, `integration: { points: ${16 + 2 * count}, magnus: 6 }`),
        'ten-tendons.robot.yaml',
      );
      const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
      const loads = { inputs: robot.actuators.map(({ name }) => tensions[name as 't1'] ?? 0) };
      const { q } = equilibrium(robot, dynamics, loads);
      const end = new Float64Array(3);
      dynamics.update(
        q,
        q.map(() => 0),
      );
      expect(dynamics.frame(robot.tip, null, end, null)).toBe(KG_OK);
      expect(Math.hypot(...position.map((e, i) => e - end[i]!)), `${12 * count} coordinates`).toBeLessThan(bound);
    }
  });
});

describe('what statics of a rod refuses', () => {
  const problem = async (source: object, options = {}): Promise<KanegenError> => {
    try {
      await (await load(source)).rodStatics(options);
    } catch (error) {
      return error as KanegenError;
    }
    throw new Error('nothing was thrown');
  };
  const link = { name: 'rod', body: 'rod' };
  it.each<[string, object, object, string, string | RegExp]>([
    [
      'a joint',
      bending({ links: [{ ...link, joint: { revolute: 'y' } }] }),
      {},
      'not-supported',
      '`rod` is not fixed to the base',
    ],
    [
      'another rod',
      bending({ links: [link, { name: 'more', body: 'rod' }] }),
      {},
      'not-supported',
      '`more` moves beside the rod `rod`',
    ],
    [
      'no rod',
      { kanegen: 1, name: 'none', links: [{ name: 'a', joint: { revolute: 'y' }, rigid: { mass: 1 } }] },
      {},
      'not-supported',
      '`none` has no rod',
    ],
    [
      'a closed loop',
      bending({ loops: { rope: { distance: { a: 'base', b: 'rod', length: 0.3 } } } }),
      {},
      'not-supported',
      /closed loop/,
    ],
    ['an unknown input', tendonRod(), { inputs: { on: 1 } }, 'wrong-argument', /no actuator "on"/],
    [
      'a follower',
      bending(),
      { wrenches: [{ frame: 'tip', force: [1, 0, 0], follows: true }] },
      'wrong-argument',
      /follows its frame/,
    ],
    ['a place beside it', bending(), { places: [0.4] }, 'wrong-argument', /no rod at 0.4 m/],
    ['half a step', bending(), { steps: 0.5 }, 'wrong-argument', /not a number of steps/],
  ])('%s', async (_, source, options, code, message) => {
    const found = await problem(source, options);
    expect(found.code).toBe(code);
    expect(found.message).toMatch(message);
    expect(found.remedy).not.toBeUndefined();
  });
});
