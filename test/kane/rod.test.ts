/** Rods given by their strain against closed forms, reference data of others, each other, and difference quotients. */
import { describe, expect, it } from 'vitest';
import { dualRod } from '../../bench/duality.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { Provenance } from '../../src/description/model/provenance.ts';
import type { BodyType, DeformableBody, Robot } from '../../src/description/model/robot.ts';
import {
  call,
  compare,
  decimal,
  divide,
  minus,
  one,
  plus,
  select,
  sin,
  sqrt,
  square,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { freeSymbols } from '../../src/symbolic/graph/traverse.ts';
import { identityFrame, type Vector3 } from '../../src/symbolic/graph/vector.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { regularStrain } from '../../src/kane/kinematics/point-kinematics.ts';
import { rodBody } from '../../src/kane/rods/rod-part.ts';
import { L, q, s, sixStrains, spatial } from './bodies.ts';
import { KernelInterpreter } from './interpreter.ts';
import { coordinateSymbols, linkTypeOf, SampledChain, type ChainState, type PerState } from './rod-chain.ts';
import { rodBody as chosenRod } from '../../src/kane/rods/rod-part.ts';
import {
  chainOf,
  deviations,
  gaussianCone,
  integrating,
  octopus,
  perLength,
  planarAffine,
  readReference,
  SIZES,
  spatialAffine,
  strainRod,
  u,
} from './rods.ts';

const GRAVITY = [1.3, -2.1, -9.81];

/** Generic states of `count` coordinates; lengths move less than angles. */
function genericStates(type: BodyType, links: number, seeds: readonly number[]): ChainState[] {
  const n = type.coordinates.length * links;
  const list = (f: (i: number) => number): number[] => Array.from({ length: n }, (_, i) => f(i));
  return seeds.map((seed) => ({
    q: list((i) => (seed === 0 ? 0 : Math.sin(3 * i + seed) * (i % 6 > 4 ? 0.03 : 1))),
    qd: list((i) => Math.cos(2 * i + seed)),
    qdd: list((i) => Math.sin(5 * i + 1 + seed)),
  }));
}

/** Largest deviation, relative to the largest entry of each state. */
function deviation(a: PerState, b: PerState): number {
  return Math.max(
    ...a.map((row, k) => Math.max(...row.map((e, i) => Math.abs(e - b[k]![i]!))) / Math.max(...b[k]!.map(Math.abs))),
  );
}

function closedForm(type: BodyType, links: number): KernelInterpreter {
  const robot: Robot = {
    name: 'closed',
    summary: '',
    source: { file: '', hash: '' },
    gravity: [0, 0, 0],
    base: identityFrame,
    parameters: [],
    coordinates: [],
    frames: [],
    tip: 0,
    actuators: [],
    states: {},
    warnings: [],
    notes: [],
    provenance: new Provenance(),
    links: Array.from({ length: links }, (_, i) => ({
      name: `link${i}`,
      parent: i - 1,
      offset: identityFrame,
      mount: identityFrame,
      joint: { type: 'fixed', coordinates: [], motions: [] },
      body: { kind: 'deformable', type, parameters: type.parameters.map((p) => decimal(SIZES.get(p.name)!)) },
      location: type.locations.whole,
    })),
  };
  return new KernelInterpreter(compileRobot(robot));
}

describe('a rod of constant strain, marched', () => {
  it.each([spatial(), sixStrains()].map((t) => [t.name, t] as const))(
    'meets the closed form of %s at generic, nearly straight and straight states',
    (_, type) => {
      const near = genericStates(type, 2, [1]).map((state) => ({ ...state, q: state.q.map((e) => 1e-7 * e) }));
      const states = [...genericStates(type, 2, [0, 1, 4]), ...near];
      const marched = chainOf(integrating(type, { points: 24 }), states, [SIZES, SIZES]);
      const closed = closedForm(type, 2);
      expect(
        deviation(
          marched.inverseDynamics(GRAVITY),
          states.map((state) => closed.inverseDynamics(state, GRAVITY)),
        ),
      ).toBeLessThan(1e-13);
      expect(
        deviation(
          marched.massMatrix(),
          states.map((state) => closed.massMatrix(state).flat()),
        ),
      ).toBeLessThan(1e-13);
      expect(
        deviation(
          marched.tip(),
          states.map((state) => closed.poses(state)[1]!),
        ),
      ).toBeLessThan(1e-13);
      expect(
        deviation(
          marched.energies(GRAVITY),
          states.map((state) => closed.energies(state, GRAVITY)),
        ),
      ).toBeLessThan(1e-13);
    },
  );
});

describe('reference data', () => {
  it.each([
    ['E_gvs_affine_planar_N1_unit', planarAffine(), 1e-11],
    ['E_gvs_affine_planar_N2_mixed', planarAffine(), 1e-11],
    ['E3_gvs_affine_3d_N1_mixed', spatialAffine(), 1e-11],
    ['E3_gvs_affine_3d_N2_mixed', spatialAffine(), 1e-11],
    ['F_pgc_N1_literal', gaussianCone(), 1e-11],
    ['F_pgc_N2_sigma', gaussianCone(), 1e-11],
  ] as const)('of %s is met at a tolerance of 1e-11', (file, type, bar) => {
    const worst = deviations(integrating(type, { tolerance: 1e-11 }), readReference(file));
    for (const error of Object.values(worst)) expect(error).toBeLessThan(bar);
  });

  it.each([
    [4, 3.5],
    [6, 5.5],
  ] as const)('shows steps of order %i to be of that order', (magnus, least) => {
    const reference = readReference('E3_gvs_affine_3d_N1_unit');
    const error = (points: number): number =>
      deviations(integrating(spatialAffine(), { points, magnus }), reference)['M']!;
    expect(Math.log2(error(12) / error(24))).toBeGreaterThan(least);
  });
});

describe('the two forms of the recursion', () => {
  it.each([spatialAffine(), octopus()].map((t) => [t.name, t] as const))(
    'are duals of each other for %s',
    (_, type) => {
      const states = genericStates(type, 2, [1, 2, 3]);
      const both = (['newton-euler', 'jacobian'] as const).map((recursion) =>
        chainOf(integrating(type, { points: 16, recursion }), states, [SIZES, SIZES]),
      ) as [SampledChain, SampledChain];
      const same = (value: (chain: SampledChain) => PerState): void => {
        const [a, b] = both.map(value) as [PerState, PerState];
        expect(deviation(a, b)).toBeLessThan(2e-14);
      };
      same((chain) => chain.inverseDynamics(GRAVITY));
      same((chain) => chain.inverseDynamics(GRAVITY, 'acceleration'));
      same((chain) => chain.inverseDynamics(GRAVITY, 'gravity'));
      same((chain) => chain.massMatrix());
      same((chain) => chain.tip());
      same((chain) => chain.jacobian());
    },
  );

  it('have M by columns and as composite, and forces by M, c and g, for the twelve coordinates of bench/duality.ts', () => {
    const { body } = dualRod(12, 'newton-euler').links[0]!;
    const { type } = body as DeformableBody;
    const state = {
      q: Array.from({ length: 12 }, (_, i) => Math.sin(3 * i + 1) * (i >= 9 ? 0.02 : 1)),
      qd: Array.from({ length: 12 }, (_, i) => Math.cos(2 * i + 1)),
      qdd: Array.from({ length: 12 }, (_, i) => Math.sin(5 * i + 2)),
    };
    const none = state.qdd.map(() => 0);
    const units = none.map((_, a) => ({ ...state, qdd: none.map((__, b) => (a === b ? 1 : 0)) }));
    const states = [state, { ...state, qdd: none }, ...units];
    const [outwards, jacobian] = (['newton-euler', 'jacobian'] as const).map((recursion) =>
      chainOf(integrating(type, { points: 12, recursion }), states, [new Map([...SIZES, ['R', 0.01]])]),
    ) as [SampledChain, SampledChain];
    const [tau, atRest, ...each] = outwards.inverseDynamics(GRAVITY) as [number[], number[], ...number[][]];
    expect(deviation(jacobian.inverseDynamics(GRAVITY), [tau, atRest, ...each])).toBeLessThan(1e-13);
    const composite = jacobian.massMatrix()[0]!;
    const columns = each.flatMap((column) => column.map((e, i) => e - atRest[i]!));
    // The scale of what M was taken from by subtraction.
    const scale = Math.max(...each.flat().map(Math.abs));
    columns.forEach((e, k) => expect(Math.abs(e - composite[k]!)).toBeLessThan(1e-13 * scale));
    const assembled = tau.map((_, i) => state.qdd.reduce((sum, a, j) => sum + composite[12 * i + j]! * a, atRest[i]!));
    expect(deviation([assembled], [tau])).toBeLessThan(1e-13);
  });

  it('agree whether velocities are dealt with before or together with accelerations', () => {
    const type = octopus();
    const chain = chainOf(integrating(type, { points: 12 }), genericStates(type, 2, [1, 5]), [SIZES, SIZES]);
    expect(
      deviation(chain.inverseDynamics(GRAVITY, 'acceleration'), chain.inverseDynamics(GRAVITY, 'forward')),
    ).toBeLessThan(1e-14);
  });
});

describe('a strain that is not linear in its coordinates', () => {
  const type = integrating(octopus(), { points: 16 });
  const state: ChainState = { q: [1.1, 2.7, 0.45], qd: [0.6, -0.8, 0.3], qdd: [0, 0, 0] };
  const h = 1e-4;

  it("has Lagrange's equations for its equations of motion, by difference quotients of the energies", () => {
    const count = state.q.length;
    const shifted = (dq: readonly number[], dqd: readonly number[]): ChainState => ({
      ...state,
      q: state.q.map((e, i) => e + dq[i]!),
      qd: state.qd.map((e, i) => e + dqd[i]!),
    });
    const unit = (a: number, size: number): number[] => Array.from({ length: count }, (_, i) => (i === a ? size : 0));
    const along = (t: number): number[] => state.qd.map((e) => t * e);
    const none = unit(0, 0);
    const states: ChainState[] = [];
    for (let a = 0; a < count; a++) {
      // ∂/∂q_a of T − V; d/dt of ∂T/∂q̇_a along the motion.
      for (const sign of [1, -1]) states.push(shifted(unit(a, sign * h), none));
      for (const t of [h, -h]) for (const sign of [1, -1]) states.push(shifted(along(t), unit(a, sign)));
    }
    const energies = chainOf(type, states).energies(GRAVITY);
    const [tau] = chainOf(type, [state]).inverseDynamics(GRAVITY);
    for (let a = 0; a < count; a++) {
      const [plusQ, minusQ, pp, pm, mp, mm] = energies.slice(6 * a, 6 * a + 6) as [number, number][] as [
        [number, number],
        [number, number],
        [number, number],
        [number, number],
        [number, number],
        [number, number],
      ];
      const byCoordinate = (plusQ[0] - plusQ[1] - minusQ[0] + minusQ[1]) / (2 * h);
      const momentumRate = (pp[0] - pm[0] - mp[0] + mm[0]) / 2 / (2 * h);
      expect(tau![a]! - (momentumRate - byCoordinate)).toBeLessThan(1e-7 * Math.abs(tau![a]!) + 1e-9);
      expect(tau![a]! - (momentumRate - byCoordinate)).toBeGreaterThan(-1e-7 * Math.abs(tau![a]!) - 1e-9);
    }
  });

  it('has the difference quotients of its tip for a Jacobian', () => {
    const [columns] = chainOf(type, [state]).jacobian();
    const [at] = chainOf(type, [state]).tip();
    const [x, y, z] = at!.slice(9) as [number, number, number];
    state.q.forEach((_, a) => {
      const [forward, backward] = [h, -h].map(
        (step) => chainOf(type, [{ ...state, q: state.q.map((e, i) => (i === a ? e + step : e)) }]).tip()[0]!,
      ) as [number[], number[]];
      const [wx, wy, wz, vx, vy, vz] = columns!.slice(6 * a, 6 * a + 6) as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      const velocity = [vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x];
      velocity.forEach((v, i) => expect(v).toBeCloseTo((forward[9 + i]! - backward[9 + i]!) / (2 * h), 8));
    });
  });
});

describe('a strain that depends on time', () => {
  it('moves like one whose time is a coordinate driven at rate one', () => {
    const t = symbol('body.time');
    const bending = (phase: typeof t) => perLength(plus(q(1), times(decimal(0.4), u, sin(times(decimal(3), phase)))));
    const stretch = (phase: typeof t) => plus(one, times(decimal(0.02), sin(phase), q(1)));
    const driven = integrating(strainRod('driven', 2, [zero, bending(q(2)), zero], [zero, zero, stretch(q(2))]), {
      points: 12,
    });
    const timed: BodyType = {
      ...integrating(strainRod('timed', 1, [zero, bending(t), zero], [zero, zero, stretch(t)]), { points: 12 }),
      time: t,
    };
    const states: ChainState[] = [
      { q: [0.7, 0.2], qd: [0.5, 1], qdd: [-0.3, 0] },
      { q: [-0.4, 1.2], qd: [0, 1], qdd: [0.9, 0] },
    ];
    const full = chainOf(driven, states);
    const short = states.map(({ q: [a], qd: [b], qdd: [c] }) => ({ q: [a!], qd: [b!], qdd: [c!] }));
    for (const recursion of ['newton-euler', 'jacobian'] as const) {
      const type = { ...timed, integration: { ...timed.integration, recursion } };
      const link = linkTypeOf(type, chosenRod(type, coordinateSymbols(type)).part);
      const chain = new SampledChain(link, [SIZES], short, [t, states.map((state) => state.q[1]!)]);
      for (const by of ['forward', 'acceleration'] as const)
        expect(
          deviation(
            chain.inverseDynamics(GRAVITY, by),
            full.inverseDynamics(GRAVITY).map((row) => [row[0]!]),
          ),
        ).toBeLessThan(1e-14);
      expect(deviation(chain.energies(GRAVITY), full.energies(GRAVITY))).toBeLessThan(1e-14);
    }
  });
});

describe('breaks', () => {
  const half = divide(L, decimal(2));
  const jumping = (place: Expr): BodyType =>
    strainRod('kinked', 2, [zero, perLength(select(compare('<', s, place), q(1), q(2))), zero], [zero, zero, one]);
  const kinked = jumping(half);
  const withBreak: BodyType = {
    ...kinked,
    volumes: kinked.volumes.map((volume) =>
      volume.kind === 'rod' ? { ...volume, breaks: new Map([[s, [half]]]) } : volume,
    ),
  };

  it('make a rod of two constant strains the same as two rods in a row', () => {
    const states: ChainState[] = [{ q: [0.9, -1.3], qd: [0.4, 0.7], qdd: [1.1, -0.6] }];
    const whole = chainOf(integrating(withBreak, { points: 8 }), states);
    const single = strainRod('half', 1, [zero, perLength(divide(q(1), decimal(2))), zero], [zero, zero, one]);
    const halves = states.map((state) => ({ ...state }));
    const short = new Map([...SIZES, ['L', 0.1]]);
    const pair = chainOf(integrating(single, { points: 8 }), halves, [short, short]);
    expect(deviation(whole.inverseDynamics(GRAVITY), pair.inverseDynamics(GRAVITY))).toBeLessThan(1e-14);
    expect(deviation(whole.massMatrix(), pair.massMatrix())).toBeLessThan(1e-14);
    expect(deviation(whole.tip(), pair.tip())).toBeLessThan(1e-14);
  });

  it('are asked for where the strain jumps and no number of points is enough', () => {
    // Blocks of points may end in the middle by chance, but not here.
    const type = jumping(times(decimal(0.4143), L));
    expect(() => rodBody(integrating(type, {}), coordinateSymbols(type))).toThrow(
      expect.objectContaining({ code: 'tolerance-not-met', location: type.locations.kinematics }) as Error,
    );
  });
});

describe('the choice of points', () => {
  it('takes fewer for a looser tolerance and says what was tried', () => {
    const type = planarAffine();
    const [loose, tight] = [1e-6, 1e-10].map((tolerance) =>
      rodBody(integrating(type, { tolerance }), coordinateSymbols(type)),
    ) as [ReturnType<typeof rodBody>, ReturnType<typeof rodBody>];
    expect(loose.points).toBeLessThan(tight.points);
    expect(loose.error!).toBeLessThan(1e-6);
    expect(tight.error!).toBeLessThan(1e-10);
    expect(tight.trials.some((trial) => trial.points < tight.points && trial.error > 1e-10)).toBe(true);
  });

  it.each(['newton-euler', 'jacobian'] as const)('leaves answers to different motions apart (%s)', (recursion) => {
    const type = integrating(planarAffine(), { points: 4, recursion });
    const { part } = rodBody(type, coordinateSymbols(type));
    const turning = (name: string): Vector3 =>
      ['x', 'y', 'z'].map((axis) => symbol(`test.${name}_${axis}`)) as unknown as Vector3;
    const [one, other] = [turning('one'), turning('other')];
    const first = part.velocity(one);
    expect(freeSymbols(part.velocity(other)).some((name) => one.includes(name))).toBe(false);
    expect(part.velocity(one)).toEqual(first);
  });

  it('is the given number where one is given', () => {
    const type = integrating(planarAffine(), { points: 11 });
    const { part, points, error } = rodBody(type, coordinateSymbols(type));
    expect([points, error]).toEqual([11, undefined]);
    // Six numbers of every row are in the buffer.
    expect(part.bodyWrenchSize).toBe(6 * 11);
  });
});

describe('strains that read 0/0 where the rod is straight', () => {
  const angle = times(q(1), s);
  const bent = (strain: Expr): BodyType =>
    integrating(strainRod('singular', 1, [zero, strain, zero], [zero, zero, one]), { tolerance: 1e-6 });

  it('are regular where the pole cancels, of the Stumpff class or not', () => {
    const type = bent(divide(minus(call('exp', angle), one), times(L, q(1))));
    const { kinematics } = type;
    if (kinematics.kind !== 'strain') throw new Error('a strain expected');
    const values = new Map<Expr, number>([
      [L, 0.2],
      [s, 0.13],
    ]);
    const strain = regularStrain(type, kinematics).angular[1];
    for (const x of [0, 1e-12, 1e-7, 1e-3, 0.5]) {
      const expected = x === 0 ? 0.13 / 0.2 : Math.expm1(0.13 * x) / (0.2 * x);
      expect(evaluate([strain], values.set(q(1), x))[0]).toBeCloseTo(expected, 14);
    }
    expect(rodBody(type, coordinateSymbols(type)).error).toBeLessThan(1e-6);
  });

  it('are looked at on the rod alone, wherever it begins', () => {
    const type = bent(times(q(1), sqrt(minus(times(decimal(2.1), L), s))));
    const volumes = type.volumes.map((volume) => ({ ...volume, start: L, end: times(decimal(2), L) }));
    expect(rodBody({ ...type, volumes }, coordinateSymbols(type)).error).toBeLessThan(1e-6);
  });

  it('are refused where it does not', () => {
    const type = bent(divide(sin(angle), times(L, square(q(1)))));
    expect(() => rodBody(type, coordinateSymbols(type))).toThrow(
      expect.objectContaining({ code: 'irregular-kinematics' }) as Error,
    );
  });
});

describe('a strain that ends some time after the start', () => {
  it('is refused, since its inertial terms are no numbers then', () => {
    const time = symbol('robot.time');
    const strain = times(q(1), sqrt(minus(one, time)));
    const type = { ...integrating(strainRod('ending', 1, [zero, strain, zero], [zero, zero, one]), {}), time };
    expect(() => rodBody(type, coordinateSymbols(type))).toThrow(
      expect.objectContaining({
        code: 'irregular-kinematics',
        message: expect.stringContaining('not finite numbers') as string,
      }) as Error,
    );
  });
});
