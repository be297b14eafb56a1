/** Equilibria against those of another method (test/reference/motion), and against published tables. */
import { describe, expect, it, vi } from 'vitest';
import { load } from '../../src/api/load.ts';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobot } from '../../src/index.ts';
import { linearise } from '../../src/simulation/small-motions/linearise.ts';
import type { StaticWrench } from '../../src/simulation/equilibria/static-loads.ts';
import { NoEquilibrium, noEquilibriumText } from '../../src/simulation/equilibria/equilibrium.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';
import { loadReference, numbers, referenceFile, referenceMotion } from './reference-motion.ts';

const full = process.env['KANEGEN_FULL'] === '1';

describe('equilibria', () => {
  it.each(['S_gvs_affine_planar_tip_force', 'S_pcs_follower'])('%s', async (name) => {
    const { robot, dynamics, states } = await referenceMotion(name);
    for (const state of states) {
      const follows = state['tip_wrench'] !== undefined;
      const wrench = follows ? numbers(state['tip_wrench']) : [0, 0, 0, ...numbers(state['tip_force'])];
      const wrenches: StaticWrench[] = [{ frame: robot.tip, wrench, follows }];
      const found = equilibrium(robot, dynamics, { wrenches });
      const exact = numbers(state['q_star']);
      const scale = Math.max(...exact.map(Math.abs));
      found.q.forEach((x, i) => expect(Math.abs(x - exact[i]!)).toBeLessThan(1e-12 * scale));
      expect(found.residual).toBeLessThan(1e-12 * found.scale);
      const eigenvalue = Number(state['smallest_eigenvalue_of_symmetric_part']);
      expect(Math.abs(found.smallestEigenvalue / eigenvalue - 1)).toBeLessThan(1e-4);
    }
  });

  /**
   * The last rod is thinner than its tendons are far from its axis, where they may not run in a robot file: here it is as wide as
   * they need, with the mass and the bending stiffness that it had, so that it comes to rest alike.
   */
  it.each(['S_planar_cc_N3_tendons', ...(full ? ['S_planar_cc_N3_hanging'] : [])])('%s', async (name) => {
    const file = referenceFile(name, ({ links }) => widen((links as Rod[])[2]!, 4 / 3));
    const { robot, dynamics } = await loadReference(file);
    for (const state of file.states) {
      const found = equilibrium(robot, dynamics, { inputs: numbers(state['tension']) });
      const exact = numbers(state['q_star']);
      const scale = Math.max(...exact.map(Math.abs));
      found.q.forEach((x, i) => expect(Math.abs(x - exact[i]!)).toBeLessThanOrEqual(1e-12 * scale));
      const eigenvalue = Number(state['smallest_eigenvalue_of_symmetric_part']);
      expect(Math.abs(found.smallestEigenvalue / eigenvalue - 1)).toBeLessThan(1e-4);
    }
  });
});

describe('a robot whose derivatives take too long to compile', () => {
  it('has its equilibria by difference quotients, and is compiled with derivatives once only', async () => {
    const description = {
      kanegen: 1,
      name: 'hanging-aside',
      gravity: [3, 0, -9.81],
      links: [
        {
          name: 'hinge',
          joint: { revolute: 'y', stiffness: '2 N m/rad' },
          rigid: { mass: '1 kg', com: [0.1, 0, 0.4] },
        },
      ],
    };
    const expected = await (await load(description)).statics();
    const robot = await load(description);
    const compile = robot.compile.bind(robot);
    let tried = 0;
    vi.spyOn(robot, 'compile').mockImplementation((options) => {
      if (!options?.derivatives) return compile(options);
      tried += 1;
      return Promise.reject(new KanegenError('too-slow', 'the code of this link takes more than 0 s'));
    });
    for (let k = 0; k < 2; k++) expect(Math.abs((await robot.statics()).q[0]! - expected.q[0]!)).toBeLessThan(1e-9);
    expect(tried).toBe(1);
    vi.spyOn(robot, 'compile').mockRejectedValue(new KanegenError('not-supported', 'of another kind'));
    await expect(robot.statics()).rejects.toThrow('of another kind');
  });
});

interface Rod {
  R: number;
  rho: number;
  material: { E: number };
}

/** As heavy and as stiff against bending as it was. */
function widen(rod: Rod, by: number): void {
  rod.R *= by;
  rod.rho /= by ** 2;
  rod.material.E /= by ** 4;
}

/** Planar cantilever of unit length and stiffness, eight bending modes; a dead force at the tip. */
async function cantilever(): Promise<Awaited<ReturnType<typeof loadRobot>>> {
  const robot = {
    kanegen: 1,
    name: 'cantilever',
    gravity: [0, 0, 0],
    'body-types': {
      rod: {
        parameters: { L: 1, R: 0.01, rho: 1000, E: '1/(pi*R^4/4)' },
        coordinates: { q: { count: 8, unit: 'rad', limits: [-4, 4] } },
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
        strain: { 'bend-y': { basis: 'legendre', coordinates: 'q', scale: '1/L' } },
        material: { 'rod-elasticity': { E: 'E', nu: 0.3 } },
        integration: { tolerance: 1e-8 },
      },
    },
    links: [{ name: 'rod', body: 'rod' }],
  };
  return loadRobot(robot, { derivatives: true });
}

describe('the 45° bend', () => {
  /**
   * Bathe & Bolourchi (IJNME 14, 1979): an arc of radius 100 and square section 1 × 1, E = 1e7, no lateral contraction, so that
   * EI = GJ = E/12 with J the polar moment, EA = E, k GA = E 5/12; a dead force of 600 at the tip, out of the plane. Expected: by shooting, to 1e-8, as printed here.
   */
  const bend = (count: number, order: number) => ({
    kanegen: 1,
    name: 'bend',
    gravity: [0, 0, 0],
    'body-types': {
      arc: {
        parameters: { L: (25 * Math.PI) / count, R: 100, rho: 1, E: 1e7, J: 1 / 6 },
        coordinates: {
          ...Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { count: order, unit: 'rad', limits: [-3, 3] }])),
          ...Object.fromEntries(['f', 'g', 'e'].map((name) => [name, { count: 2, unit: 'm', limits: [-9, 9] }])),
        },
        volume: { rod: { s: [0, 'L'] }, section: { rectangle: [1, 1] }, density: 'rho' },
        rest: { 'bend-y': '1/R' },
        strain: Object.fromEntries(
          Object.entries({
            'bend-x': 'a',
            'bend-y': 'b',
            twist: 'c',
            'shear-x': 'f',
            'shear-y': 'g',
            stretch: 'e',
          }).map(([strain, coordinates]) => [strain, { basis: 'legendre', coordinates, scale: '1/L' }]),
        ),
        material: { 'rod-elasticity': { E: 'E', nu: 0, 'shear-factor': '5/6', 'torsion-constant': 'J' } },
        integration: { tolerance: 1e-4 }, // of inertia, which is not asked for
      },
    },
    links: Array.from({ length: count }, (_, i) => ({ name: `arc${i + 1}`, body: 'arc' })),
  });

  it('moves its tip as it should', async () => {
    const { robot, dynamics } = await loadRobot(bend(4, 3));
    const tip = (q: ArrayLike<number>): Float64Array => {
      const at = new Float64Array(3);
      dynamics.update(q, new Float64Array(q.length));
      dynamics.frame(robot.tip, null, at, null);
      return at;
    };
    const before = tip(new Float64Array(dynamics.coordinates));
    const { q } = equilibrium(robot, dynamics, { wrenches: [{ frame: robot.tip, wrench: [0, 0, 0, 0, 600, 0] }] });
    const after = tip(q);
    [-13.6046, 53.4755, -23.5606].forEach((moved, i) =>
      expect(Math.abs(after[i]! - before[i]! - moved), `axis ${i}`).toBeLessThan(1e-4),
    );
  });
});

describe('the elastica', () => {
  /** Deflection across the rod and shortening along it over the length, for P L²/EI: Mattiasson, IJNME 17 (1981), table I. */
  const TABLE = [
    [0.2, 0.06636, 0.00265],
    [1, 0.30172, 0.05643],
    [2, 0.49346, 0.16064],
    [5, 0.71379, 0.38763],
    [10, 0.81061, 0.555],
  ] as const;

  it('bends as tables say, to their last digit', async () => {
    const { robot, dynamics } = await cantilever();
    for (const [load, w, u] of TABLE) {
      const { q } = equilibrium(robot, dynamics, {
        wrenches: [{ frame: robot.tip, wrench: [0, 0, 0, load, 0, 0] }],
      });
      dynamics.update(q, new Float64Array(q.length));
      const tip = new Float64Array(3);
      dynamics.frame(robot.tip, null, tip, null);
      expect(Math.abs(tip[0]! - w), `across, ${load}`).toBeLessThan(6e-6);
      expect(Math.abs(1 - tip[2]! - u), `along, ${load}`).toBeLessThan(6e-6);
    }
  });

  it('is stable under a dead load along the rod up to π²/4', async () => {
    const { robot, dynamics } = await cantilever();
    const along = (P: number): StaticWrench[] => [{ frame: robot.tip, wrench: [0, 0, 0, 0, 0, -P] }];
    const straight = (P: number): number => equilibrium(robot, dynamics, { wrenches: along(P) }).smallestEigenvalue;
    expect(straight(2.46)).toBeGreaterThan(0);
    expect(straight(2.475)).toBeLessThan(0);
  });

  it('is found downhill where nothing but weight resists a motion, and the path of growing loads has no beginning', async () => {
    const up = (name: string, axis: string) => ({
      name,
      joint: { revolute: axis, stiffness: '0.5 N m/rad' },
      rigid: { mass: '0.3 kg', com: [0, 0, '0.2 m'], distal: { xyz: [0, 0, '0.3 m'] } },
    });
    const pan = {
      name: 'pan',
      joint: { revolute: 'z' },
      rigid: { mass: 1, com: [0, 0, 0.1], distal: { xyz: [0.05, 0, 0.2] } },
    };
    const links = [pan, up('a', 'y'), up('b', 'x')];
    const tilted = { kanegen: 1, name: 'tilted', base: { rpy: ['20 deg', 0, 0] }, links };
    const { robot, dynamics } = await loadRobot(tilted, { derivatives: true });
    const { q, smallestEigenvalue } = equilibrium(robot, dynamics);
    const [turned, bent, aside] = q as [number, number, number];
    // The arm falls the way that the base leans: k a = m g (0.2 m + 0.5 m) sin(a + 20°) and b stays straight.
    expect(Math.cos(turned)).toBeCloseTo(0, 9);
    expect(aside).toBeCloseTo(0, 9);
    const lean = -Math.sin(turned) * ((20 * Math.PI) / 180);
    expect(0.5 * bent).toBeCloseTo(0.3 * 9.81 * 0.7 * Math.sin(bent + lean), 9);
    expect(smallestEigenvalue).toBeGreaterThan(0);
  });

  it('finds no equilibrium where nothing balances a force, and says what it acts on', async () => {
    const sled = {
      kanegen: 1,
      name: 'sled',
      links: [{ name: 'sled', joint: { prismatic: 'x' }, rigid: { mass: 1 } }],
    };
    const { robot, dynamics } = await loadRobot(sled, { derivatives: true });
    const search = (): unknown => equilibrium(robot, dynamics, { forces: [1] });
    expect(search).toThrow(NoEquilibrium);
    expect(search).toThrow('nothing balances the forces on');
    const told = (share: number): string => noEquilibriumText(new NoEquilibrium(share, 'why'));
    expect([0, 0.25, 1].map(told)).toEqual([
      'no equilibrium: why',
      'no equilibrium beyond 25 % of gravity and loads: why',
      'no equilibrium: why',
    ]);
    // At rest anywhere: along what costs nothing, nothing moves.
    const { q, smallestEigenvalue } = equilibrium(robot, dynamics, {}, [0.3]);
    expect(q).toEqual([0.3]);
    expect(smallestEigenvalue).toBe(0);
  });
});

describe('what is given that cannot be', () => {
  it.each<[string, object]>([
    ['a held coordinate that there is not', { held: [9] }],
    ['a wrench on a frame that there is not', { wrenches: [{ frame: 9, wrench: [0, 0, 0, 0, 0, 0] }] }],
    ['a wrench of three numbers', { wrenches: [{ frame: 0, wrench: [0, 0, 0] }] }],
    ['too many inputs', { inputs: [1] }],
    ['a force that is no number', { forces: [NaN, 0] }],
    ['nothing', null as unknown as object],
  ])('is a RangeError: %s', async (_, loads) => {
    const link = { joint: { revolute: 'y' }, rigid: { mass: 1, com: [0.1, 0, 0] } };
    const { robot, dynamics } = await loadRobot({ kanegen: 1, name: 'two', links: [link, link] });
    expect(() => equilibrium(robot, dynamics, loads)).toThrow(RangeError);
    expect(() => linearise(robot, dynamics, { q: [0, 0], qd: [0, 0] }, loads)).toThrow(RangeError);
    expect(() => equilibrium(robot, dynamics, {}, [0])).toThrow(/2 finite numbers/);
    expect(() => linearise(robot, dynamics, { q: [0], qd: [0, 0] })).toThrow(RangeError);
    dynamics.update([0, 0], [0, 0]);
    expect(() => dynamics.massMatrix(new Float64Array(1))).toThrow('expected 4 numbers, not 1');
  });
});
