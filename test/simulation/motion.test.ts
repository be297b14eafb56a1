/** Motions against exact ones, which two other methods agree on to 1e-14 (test/reference/motion). */
import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../src/simulation/scenario/scenario.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import { numbers, referenceMotion, type ReferenceMotion } from './reference-motion.ts';
import type { RobotInMemory } from '../../src/index.ts';

type Driven = Partial<Pick<Scenario, 'forces' | 'inputs'>>;

function scenarioOf(
  { robot, initial, states }: ReferenceMotion & RobotInMemory,
  method: 'extrapolation' | 'rosenbrock',
  tolerance: number,
  driven: Driven = {},
): Scenario {
  const none = robot.coordinates.map(() => undefined);
  const end = Number(states.at(-1)!['t']);
  return {
    robot,
    summary: '',
    q: initial!.q,
    qd: initial!.qd,
    start: 0,
    end,
    inputs: [],
    forces: none,
    loads: [],
    integrator: { method, tolerance, step: undefined, mostSteps: 1e6 },
    every: end / 20,
    frames: [robot.tip],
    events: [],
    expectations: [],
    sources: [],
    ...driven,
  };
}

/** Largest difference of coordinates, and of rates, over the largest of each. */
function difference(run: Run, last: Readonly<Record<string, unknown>>): number {
  const found = run.samples.at(-1)!;
  const of = (values: readonly number[], exact: readonly number[]): number =>
    Math.max(...values.map((x, i) => Math.abs(x - exact[i]!))) / Math.max(1, ...exact.map(Math.abs));
  return Math.max(of(found.q, numbers(last['q'])), of(found.qd, numbers(last['qd'])));
}

describe('motions', () => {
  it.each([
    ['X_planar_cc_N2_swing', 1e-10],
    ['X_planar_cc_N2_elastic', 5e-12],
    ['X_UR10e_fall', 1e-10],
  ])('%s ends where it must by two methods, and keeps its energy', async (name, tolerance) => {
    const motion = await referenceMotion(name);
    const last = motion.states.at(-1)!;
    const run = simulate(scenarioOf(motion, 'extrapolation', 1e-13), motion.dynamics);
    expect(run.failure).toBeUndefined();
    expect(difference(run, last)).toBeLessThan(1e-9);
    expect(run.balance!.defect).toBeLessThan(1e-10 * run.balance!.exchanged);
    const tip = numbers(last['tip_position']);
    run.samples.at(-1)!.frames[0]!.forEach((x, i) => expect(Math.abs(x - tip[i]!)).toBeLessThan(1e-9));
    const second = simulate(scenarioOf(motion, 'rosenbrock', tolerance), motion.dynamics);
    expect(difference(second, last)).toBeLessThan(1e-9);
  });

  it('X_UR10e_sine follows its torques', async () => {
    const motion = await referenceMotion('X_UR10e_sine');
    const { sine } = motion.parameters['joint_torques'] as { sine: [amplitude: number, frequency: number][] };
    const torques = sine.map(
      ([a, w]) =>
        (t: number) =>
          a * Math.sin(w * t),
    );
    for (const [method, tolerance] of [
      ['extrapolation', 1e-13],
      ['rosenbrock', 1e-12],
    ] as const) {
      const run = simulate(scenarioOf(motion, method, tolerance, { forces: torques }), motion.dynamics);
      expect(difference(run, motion.states.at(-1)!), method).toBeLessThan(1e-9);
      expect(run.balance!.defect, method).toBeLessThan(1e-10 * run.balance!.exchanged);
    }
  });

  it.runIf(process.env['KANEGEN_FULL'] === '1')(
    'X_hybrid_tendon follows the pull of a tendon through two bodies behind a joint',
    async () => {
      const { robot: plain } = await referenceMotion('X_hybrid_tendon');
      const bodies = plain.links.slice(-2).map(({ name }) => name);
      const motion = await referenceMotion('X_hybrid_tendon', {
        parameters: { offset: '15 mm', side: '4 mm' },
        actuators: { tendon: { tendon: { through: bodies, route: { x: 'offset*(1 - 0.4*S)', y: 'side' } } } },
      });
      const pull = (t: number): number => 5 * (1 - Math.cos(4 * t));
      const last = motion.states.at(-1)!;
      const run = simulate(scenarioOf(motion, 'extrapolation', 1e-12, { inputs: [pull] }), motion.dynamics);
      expect(difference(run, last)).toBeLessThan(1e-9);
      expect(run.balance!.defect).toBeLessThan(1e-9 * run.balance!.exchanged);
      const stiff = simulate(scenarioOf(motion, 'rosenbrock', 1e-11, { inputs: [pull] }), motion.dynamics);
      expect(difference(stiff, last)).toBeLessThan(1e-9);
    },
  );

  it('X_free_flying_pcc3d goes where it must', async () => {
    const motion = await referenceMotion('X_free_flying_pcc3d');
    const given = motion.initial as unknown as Readonly<Record<string, readonly number[]>>;
    const initial = {
      q: [0, 0, 0, 0, 0, 0, ...given['q_soft']!],
      qd: [...given['base_velocity']!, ...given['base_angular_velocity']!, ...given['qd_soft']!],
    };
    const last = motion.states.at(-1)!;
    // Half a million steps of order 3 go as far; another extrapolation does in test/verify/motion-reference.test.ts.
    const slow = process.env['KANEGEN_FULL'] === '1' ? [['rosenbrock', 3e-13] as const] : [];
    for (const [method, tolerance] of [['extrapolation', 1e-13] as const, ...slow]) {
      const run = simulate(scenarioOf({ ...motion, initial }, method, tolerance), motion.dynamics);
      const { q, qd, frames } = run.samples.at(-1)!;
      const found = {
        base_position: q.slice(0, 3),
        q_soft: q.slice(6),
        base_velocity: qd.slice(0, 3),
        qd_soft: qd.slice(6),
      };
      for (const [name, values] of Object.entries({ ...found, tip_position: frames[0]! })) {
        const exact = numbers(last[name]);
        const scale = Math.max(1, ...exact.map(Math.abs));
        exact.forEach((x, i) => expect(Math.abs(values[i]! - x), `${name} by ${method}`).toBeLessThan(1e-9 * scale));
      }
      expect(run.balance!.defect, method).toBeLessThan(1e-8 * run.balance!.exchanged);
    }
  });

  it('X_pcs_stiff settles in far fewer steps where the stiffness is known', async () => {
    const motion = await referenceMotion('X_pcs_stiff');
    const last = motion.states.at(-1)!;
    const explicit = simulate(scenarioOf(motion, 'extrapolation', 1e-12), motion.dynamics);
    expect(difference(explicit, last)).toBeLessThan(1e-9);
    expect(explicit.balance!.defect).toBeLessThan(1e-8 * explicit.balance!.exchanged);
    const [loose, stiff] = (['extrapolation', 'rosenbrock'] as const).map((method) =>
      simulate(scenarioOf(motion, method, 1e-5), motion.dynamics),
    );
    expect(difference(stiff!, last)).toBeLessThan(1e-4);
    expect(stiff!.counts.evaluations).toBeLessThan(loose!.counts.evaluations / 20);
    const fine = simulate(scenarioOf(motion, 'rosenbrock', 5e-11), motion.dynamics);
    expect(difference(fine, last)).toBeLessThan(1e-9);
  });
});
