/** Equilibria against those of another method (test/reference/motion), and against published tables. */
import { describe, expect, it } from 'vitest';
import { loadRobot } from '../../src/index.ts';
import { equilibrium, NoEquilibrium, type StaticWrench } from '../../src/simulation/statics.ts';
import { numbers, referenceMotion } from './reference-motion.ts';

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
});

/** Planar cantilever of unit length and stiffness, eight bending modes; a dead force at the tip. */
async function cantilever(): Promise<Awaited<ReturnType<typeof loadRobot>>> {
  return loadRobot({
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
  });
}

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

  it('finds no equilibrium where nothing balances a force, and says what it acts on', async () => {
    const { robot, dynamics } = await loadRobot({
      kanegen: 1,
      name: 'sled',
      links: [{ name: 'sled', joint: { prismatic: 'x' }, rigid: { mass: 1 } }],
    });
    const search = (): unknown => equilibrium(robot, dynamics, { forces: [1] });
    expect(search).toThrow(NoEquilibrium);
    expect(search).toThrow('nothing balances what acts on');
    // At rest anywhere: along what costs nothing, nothing moves.
    const { q, smallestEigenvalue } = equilibrium(robot, dynamics, {}, [0.3]);
    expect(q).toEqual([0.3]);
    expect(smallestEigenvalue).toBe(0);
  });
});
