/**
 * The independent evaluation of bodies with many points, against reference data computed by others and against masses and
 * forces known by heart.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { prepareAlembert } from '../../src/verify/independent/alembert.ts';
import { readReferenceDirectory } from '../../src/verify/reference/compare-reference.ts';
import type { DynamicsState } from '../../src/verify/reference/reference-state.ts';
import { referenceRobot } from '../../src/verify/reference/reference-robot.ts';

const full = process.env['KANEGEN_FULL'] === '1';
const directory = fileURLToPath(new URL('../reference', import.meta.url));

describe('the independent evaluation of bodies with many points', () => {
  it.each(['E_gvs_affine_planar_N1_phys', 'F_pgc_N1_sigma', ...(full ? ['E3_gvs_affine_3d_N1_unit', 'J_lvp'] : [])])(
    'agrees with the reference %s to 1e-13',
    (name) => {
      const [file] = readReferenceDirectory(directory, [name]);
      const built = referenceRobot(file!.parameters, 'check', 1e-14);
      if ('unsupported' in built) throw new Error(built.unsupported);
      const check = prepareAlembert(loadRobotObject(built.robot));
      expect(check.notes).toHaveLength(1);
      expect(check.ruleError).toBeLessThan(1e-14);
      for (const state of (file!.states as readonly DynamicsState[]).slice(0, 2)) {
        const result = check.evaluate(state);
        state.tau.forEach((tau, a) => {
          const inertia = state.M[a]!.reduce<number>((sum, m, b) => sum + Math.abs(Number(m) * state.qdd[b]!), 0);
          const scale = inertia + Math.abs(Number(state.c[a])) + Math.abs(Number(state.g[a]));
          expect(result.torque[a]!.minus(tau).abs().toNumber()).toBeLessThan(1e-13 * scale);
        });
      }
    },
    120_000,
  );

  it('settles its points at the hardest configuration that will be visited', () => {
    // Bent to where the map, which preserves volume, nearly folds: √(1 − 2 k y) = 0.27 at a face.
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'check',
      'body-types': {
        finger: {
          parameters: { L: 0.06, w: 0.016, h: 0.012, rho: 1000, mu: 1e5 },
          coordinates: { th: { unit: 'rad', limits: [-0.5, 2.3] }, e: { limits: [-0.1, 0.1] } },
          volume: { box: { x: ['-w/2', 'w/2'], y: [0, 'h'], z: [0, 'L'] }, density: 'rho' },
          compose: [{ map: ['(1 + e)*x', 'y', 'z'] }, { bending: { axis: 'z', direction: 'y', curvature: 'th/L' } }],
          distal: 'none',
          material: { energy: 'mu/2*(I1 - 3 - 2*log(J))' },
        },
      },
      links: [{ body: 'finger' }],
    });
    const hard = { q: [2.3, 0.05], qd: [1, 1], qdd: [0, 0] };
    const settled = (): number => 1e-8;
    const of = (visits: readonly { readonly q: readonly number[] }[], within = settled) => {
      const { massMatrix, elastic } = prepareAlembert(robot, {}, { settled: within, visits }).evaluate(hard);
      return [massMatrix[0]![0]!, massMatrix[1]![1]!, ...elastic].map(Number);
    };
    const exact = of([hard], () => 1e-13);
    const errors = (found: readonly number[]): number[] => found.map((x, i) => Math.abs(x / exact[i]! - 1));
    expect(Math.max(...errors(of([{ q: [0, 0] }, hard, { q: [1, 0] }])))).toBeLessThan(3e-8);
    // What verification did before knew nothing of it.
    expect(Math.max(...errors(of([])))).toBeGreaterThan(1e-7);
  });

  it('has the elastic and viscous forces of a straight rod in bending and tension', () => {
    const [L, R, E, eta] = [0.3, 0.01, 2e6, 0.2];
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'check',
      'body-types': {
        rod: {
          parameters: { L, R, rho: 1000, E },
          coordinates: { a: { unit: 'rad' }, e: { unit: 'm' } },
          volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 'rho' },
          strain: { 'bend-y': 'a/L*(1 + s/L)', stretch: 'e/L' },
          material: { 'rod-elasticity': { E: 'E', nu: 0.5 }, 'retardation-time': `${eta} s` },
        },
      },
      links: [{ body: 'rod' }],
    });
    const { elastic, damping } = prepareAlembert(robot).evaluate({ q: [0.7, 0.02], qd: [0.3, -0.1], qdd: [0, 0] });
    // ∫ (1 + u)² du = 7/3 over the rod; I = π R⁴/4.
    const bending = (((E * Math.PI * R ** 4) / 4) * 7) / 3 / L;
    const tension = (E * Math.PI * R ** 2) / L;
    const expected = [bending * 0.7, tension * 0.02, eta * bending * 0.3, -eta * tension * 0.1];
    [...elastic, ...damping].forEach((x, i) =>
      expect(Math.abs(x.toNumber() - expected[i]!)).toBeLessThan(1e-13 * Math.abs(expected[i]!)),
    );
  });
});
