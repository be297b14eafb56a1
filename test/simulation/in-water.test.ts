/** Equilibria, linearised dynamics, runs and gradients of a robot in water, by its exact derivatives. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';
import { linearise } from '../../src/simulation/small-motions/linearise.ts';
import { rolloutGradient, type RolloutCost } from '../../src/simulation/integrators/rollout-gradient.ts';
import { simulate, type Run, type Sample } from '../../src/simulation/run/simulate.ts';
import { loadScenario, type Scenario } from '../../src/simulation/scenario/scenario.ts';

/** A branched robot whose bodies have springs, in a current that is given at run time. */
const ROBOT = `kanegen: 1
name: weed
parameters:
  speed: { value: 0.4 m/s, runtime: true }
  rho: { value: 1000 kg/m^3, runtime: true }
  m: { value: 0.3 kg, runtime: true }
body-types:
  soft: { extends: planar-cc, parameters: { L: 0.15 m, R: 15 mm, k: 1 J, d: 0.01 J s }, potential: k*q^2/2, dissipation: d*q_dot^2/2 }
links:
  - { name: root, joint: { revolute: x, stiffness: 9 N m/rad, damping: 0.1 N m s/rad },
      rigid: { mass: 1, com: [0, 0.02, 0.1], inertia: { xx: 0.01 }, distal: { xyz: [0.02, 0.03, 0.05], rpy: [0.4, 0, 0.1] } } }
  - { name: upper, body: soft }
  - { name: end, rigid: { mass: m, com: [0.01, 0, 0.02] } }
  - { name: arm, parent: root, joint: { revolute: y, stiffness: 8 N m/rad }, body: soft }
water:
  density: rho
  drag: { normal: 1.1, tangential: 0.3, form: common }
  linear-drag: { normal: 1, tangential: 0.5 }
  added-mass: 0.8
  current: [0.1, speed, -0.2]
`;
const SCENARIO = `kanegen-scenario: 1
robot: weed.robot.yaml
initial: { coordinates: { root.angle: 0.3, upper.q: 0.4 }, rates: { arm.q: 2 rad/s } }
duration: 0.2 s
integrator: { method: generalized-alpha, step: 4 ms }
`;

type Energy = Sample['energy'];

const folder = mkdtempSync(join(tmpdir(), 'kanegen-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function scenarioOf(text: string): Scenario {
  writeFileSync(join(folder, 'weed.robot.yaml'), ROBOT);
  writeFileSync(join(folder, 'weed.scenario.yaml'), text);
  return loadScenario(join(folder, 'weed.scenario.yaml'));
}
const { robot } = scenarioOf(SCENARIO);
const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot, { derivatives: true })));
const dynamics = create();
const n = robot.coordinates.length;
const values = (count: number, phase: number, scale = 1): number[] =>
  Array.from({ length: count }, (_, i) => scale * Math.sin(1.7 * i + phase));
const largest = (x: ArrayLike<number>): number => Math.max(...Array.from(x, Math.abs));
/** The same without the functions that tell callers of exact derivatives. */
const plain = Object.create(dynamics, { inverseDynamicsTangent: { value: undefined } }) as LoadedRobot;

describe('in water', () => {
  it('nothing accelerates at an equilibrium in a current, its added mass included', () => {
    const { q } = equilibrium(robot, dynamics);
    const [qdd, c, g] = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
    dynamics.update(q, values(n, 0, 0));
    dynamics.terms(c, g, null, null);
    expect(largest(c)).toBeGreaterThan(1e-3 * largest(g));
    dynamics.activeInverseDynamics(values(n, 0, 0), qdd);
    expect(largest(qdd)).toBeLessThan(1e-11 * largest(g));
  });

  it('energy balances in a current that carries added mass', () => {
    const accurate = scenarioOf(
      SCENARIO.replace(/integrator: .*/, 'integrator: { method: rosenbrock, tolerance: 1e-9 }'),
    );
    const { balance, samples } = simulate(accurate, create());
    expect(balance!.defect / balance!.exchanged).toBeLessThan(1e-8);
    // Of water that the current carries, a part that would be missed.
    const [first, last] = [samples[0]!, samples.at(-1)!].map(({ energy }) => energy) as [Energy, Energy];
    expect(Math.abs(last.work - first.work)).toBeGreaterThan(1e-3 * balance!.exchanged);
  });

  it('linearised dynamics are the same by exact derivatives and by differences', () => {
    const state = { q: values(n, 1, 0.4), qd: values(n, 2) };
    const [A, expected] = [dynamics, plain].map((own) => linearise(robot, own, state).A.flat()) as [number[], number[]];
    const scale = largest(expected);
    A.forEach((x, i) => expect(Math.abs(x - expected[i]!), `entry ${i}`).toBeLessThan(1e-9 * scale));
  });

  it('runs by generalised α are of order 2, with about four corrections a step', () => {
    const run = (text: string): Run => simulate(scenarioOf(text), create());
    const last = ({ samples, failure }: Run): number[] => {
      expect(failure).toBeUndefined();
      const { q, qd, energy } = samples.at(-1)!;
      return [...q, ...qd, energy.work, energy.dissipated];
    };
    const exact = last(run(SCENARIO.replace('generalized-alpha, step: 4 ms', 'extrapolation, tolerance: 1e-12')));
    const error = (step: string): number =>
      largest(last(run(SCENARIO.replace('4 ms', step))).map((x, i) => x - exact[i]!));
    const order = Math.log2(error('2 ms') / error('1 ms'));
    expect(order).toBeGreaterThan(1.9);
    expect(order).toBeLessThan(2.1);
    const { counts } = run(SCENARIO);
    expect(counts.factorisations).toBeLessThan(5 * counts.steps);
  });
});

describe('gradients of rollouts in water', () => {
  const [steps, h] = [15, 0.01];
  const names = Object.keys(dynamics.parameters).filter((name) => name !== 'gravity');
  const start = { q: values(n, 1, 0.4), qd: values(n, 2), inputs: [], forces: values(n * steps, 4, 0.1) };
  const cost: RolloutCost = {
    final: (q, qd, byQ, byQd) => {
      let value = 0;
      for (let i = 0; i < n; i++) {
        value += Math.sin(q[i]! + i) + qd[i]! ** 2;
        byQ[i]! += Math.cos(q[i]! + i);
        byQd[i]! += 2 * qd[i]!;
      }
      return value;
    },
  };
  const rollout = (part: object = {}) =>
    rolloutGradient(dynamics, { ...start, ...part, h, steps, parameters: names.length }, cost);
  const derivative = (value: (by: number) => number): number => {
    const quotient = (d: number): number => (value(-2 * d) - 8 * value(-d) + 8 * value(d) - value(2 * d)) / (12 * d);
    const [coarse, fine] = [quotient(4e-5), quotient(2e-5)];
    return fine + (fine - coarse) / 15;
  };

  it.each(['q', 'qd', 'forces'] as const)('by %s are difference quotients', (part) => {
    const along = values(start[part].length, 7);
    const found = { q: rollout().byQ, qd: rollout().byQd, forces: rollout().byForces }[part];
    const own = found.reduce((sum, x, i) => sum + x * along[i]!, 0);
    const expected = derivative((by) => rollout({ [part]: start[part].map((x, i) => x + by * along[i]!) }).value);
    expect(Math.abs(own - expected)).toBeLessThan(1e-8 * largest(found));
  });

  it.each(names)('by the run-time parameter %s are difference quotients', (name) => {
    const parameters = dynamics.parameters as unknown as Record<string, number>;
    const before = parameters[name]!;
    const expected = derivative((by) => {
      parameters[name] = before * (1 + by);
      const { value } = rollout();
      parameters[name] = before;
      return value;
    });
    const own = rollout().byParameters[names.indexOf(name)]! * before;
    expect(Math.abs(expected)).toBeGreaterThan(1e-3);
    expect(Math.abs(own - expected)).toBeLessThan(1e-8 * Math.abs(expected));
  });
});
