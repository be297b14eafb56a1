/**
 * The independent evaluation on robots that were loaded like any other, against the reference data: joints, prismatic
 * motions, inertias in distal frames, rods by strain and by position.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { prepareAlembert } from '../../src/verify/independent/alembert.ts';
import { readReferenceDirectory } from '../../src/verify/reference/compare-reference.ts';
import type { DynamicsState } from '../../src/verify/reference/reference-state.ts';
import { referenceRobot } from '../../src/verify/reference/reference-robot.ts';

const directory = fileURLToPath(new URL('../reference', import.meta.url));

/** Worst error of τ over Σ |M q̈| + |c| + |g|, and of M over √(M_aa M_bb). */
function worstError(name: string, robotObject: object | undefined, stateNames: RegExp): number {
  const [file] = readReferenceDirectory(directory, [name]);
  const built = referenceRobot(file!.parameters, 'check');
  if ('unsupported' in built) throw new Error(built.unsupported);
  const check = prepareAlembert(loadRobotObject(robotObject ?? built.robot));
  let worst = 0;
  const states = (file!.states as readonly DynamicsState[]).filter((s) => stateNames.test(s.name));
  expect(states.length).toBeGreaterThan(0);
  for (const state of states) {
    const result = check.evaluate(state);
    state.tau.forEach((tau, a) => {
      const scale = state.M[a]!.reduce(
        (sum, m, b) => sum + Math.abs(Number(m) * state.qdd[b]!),
        Math.abs(Number(state.c[a])) + Math.abs(Number(state.g[a])),
      );
      worst = Math.max(worst, result.torque[a]!.minus(tau).abs().toNumber() / scale);
      state.M[a]!.forEach((m, b) => {
        const size = Math.sqrt(Number(state.M[a]![a]) * Number(state.M[b]![b]));
        worst = Math.max(worst, result.massMatrix[a]![b]!.minus(m).abs().toNumber() / size);
      });
    });
  }
  return worst;
}

describe('D’Alembert evaluation of loaded robots', () => {
  it.each([
    ['G_RRP', /./],
    ['G_UR10e', /./],
    ['G_7R', /./],
    ['B_planar_cce_N2_mixed', /generic_0|straight_others|near_straight_1e-09/],
    ['K_cc_with_tip_rigid', /generic_0|^straight$|near_straight_1e-09/],
    ['K_revolute_pcc3d_N2', /generic_1|near_straight_1e-05/],
    ['H_UR10e', /generic_0|straight$/],
  ] as const)('agrees with %s to 1e-15', (name, states) => {
    expect(worstError(name, undefined, states)).toBeLessThan(1e-15);
  });

  it('agrees with the spatial arc written by hand with κ = √(q1² + q2²), straight states included', () => {
    const [file] = readReferenceDirectory(directory, ['C_pcc3d_N1_phys']);
    const { gravity, links } = file!.parameters as {
      gravity: number[];
      links: { L: number; R: number; rho: number }[];
    };
    const { L, R, rho } = links[0]!;
    const robot = {
      kanegen: 1,
      name: 'written',
      gravity,
      links: [{ body: 'pcc-3d-by-position', parameters: { L, R, rho } }],
    };
    expect(worstError('C_pcc3d_N1_phys', robot, /generic_0|straight/)).toBeLessThan(1e-15);
  });

  it('would notice a rod that is one part in 1e12 too long', () => {
    const [file] = readReferenceDirectory(directory, ['A_planar_cc_N1_phys']);
    const { gravity, links } = file!.parameters as {
      gravity: number[];
      links: { L: number; R: number; rho: number }[];
    };
    const { L, R, rho } = links[0]!;
    const robot = {
      kanegen: 1,
      name: 'longer',
      gravity,
      links: [{ body: 'planar-cc', parameters: { L: L * (1 + 1e-12), R, rho } }],
    };
    expect(worstError('A_planar_cc_N1_phys', robot, /generic_0/)).toBeGreaterThan(1e-12);
  });
});
