/** Generalised-α runs of robots: order against extrapolation, exact steps of Newton's method, C against TypeScript. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { robotOf } from '../../src/simulation/run/loads-as-actuators.ts';
import { integrateInC } from '../../src/simulation/run/run-in-c.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import { loadScenario, type Scenario } from '../../src/simulation/scenario/scenario.ts';
import { buildQuickly, isInstalled } from '../compilers.ts';

buildQuickly();

/** A swing with two soft segments, an actuator within one of them and a load that follows its tip. */
const ROBOT = `kanegen: 1
name: swing
gravity: [0, 0, -9.81]
body-types:
  soft:
    extends: planar-cc
    parameters: { k: 1 J, d: 0.01 J s }
    potential: k*q^2/2
    dissipation: d*q_dot^2/2
links:
  - { name: post, joint: { revolute: y, stiffness: 20 N m/rad, damping: 0.2 N m s/rad },
      rigid: { mass: 1, com: [0, 0.02, 0.2], inertia: { xx: 0.02, yy: 0.03, zz: 0.01 }, distal: { xyz: [0, 0, 0.3] } } }
  - { name: upper, body: soft }
  - { name: lower, mount: { rpy: [0, 0, 1] }, body: soft }
actuators:
  bend: { along: 'lower.q + lower.q^2', unit: '1' }
  push: { motor: post.angle }
controllers:
  hold: { pd: { kp: 3, kd: 0.05, actuators: [push] } }
`;
const SCENARIO = `kanegen-scenario: 1
robot: swing.robot.yaml
initial: { coordinates: { post.angle: 0.3, upper.q: 0.4, lower.q: -0.3 }, rates: { upper.q: 2 rad/s } }
inputs: { bend: 0.02*sin(5*t) }
loads: { lower: { force: [0.05, 0, t*0.1], axes: frame } }
duration: 0.5 s
integrator: { method: generalized-alpha, step: 4 ms }
expect: [{ at: 0.25 s, coordinates: { post.angle: 0 }, within: 10, source: none }]
`;

const folder = mkdtempSync(join(tmpdir(), 'kanegen-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function scenarioOf(text: string): Scenario {
  writeFileSync(join(folder, 'swing.robot.yaml'), ROBOT);
  writeFileSync(join(folder, 'swing.scenario.yaml'), text);
  return loadScenario(join(folder, 'swing.scenario.yaml'));
}

describe('a run by generalised α', () => {
  let create: () => LoadedRobot;
  let generated: readonly GeneratedFile[];
  beforeAll(async () => {
    const { robot } = scenarioOf(SCENARIO);
    const compiled = compileRobot(robot, { derivatives: true });
    create = await loadGenerated(await generateTypeScript(robot, compiled));
    generated = await generateC(robot, compiled);
  });

  const last = ({ samples, failure }: Run): number[] => {
    expect(failure).toBeUndefined();
    const { q, qd, energy } = samples.at(-1)!;
    return [...q, ...qd, energy.work, energy.dissipated];
  };
  const distance = (a: readonly number[], b: readonly number[]): number =>
    Math.max(...a.map((x, i) => Math.abs(x - b[i]!)));
  const run = (text: string): Run => simulate(scenarioOf(text), create());

  it('is of order 2 against extrapolation, work and dissipation included', () => {
    const exact = last(run(SCENARIO.replace('generalized-alpha, step: 4 ms', 'extrapolation, tolerance: 1e-12')));
    const error = (step: string): number => distance(last(run(SCENARIO.replace('4 ms', step))), exact);
    const [coarse, fine] = [error('2 ms'), error('1 ms')];
    expect(Math.log2(coarse / fine)).toBeGreaterThan(1.9);
    expect(Math.log2(coarse / fine)).toBeLessThan(2.1);
  });

  it.each([
    'phases: [{ from: 0.2 s, inputs: { bend: 0.3 } }]',
    'controller: { name: hold, period: 50 ms }',
    'inputs: { bend: "select(t <= 0.1237, 0, select(sin(14*t) > 0.1, 0.3, -0.2))" }',
  ])('is of order 2 where forces jump: %s', (jump) => {
    const base = SCENARIO.replace(/^(inputs|loads|expect):.*\n/gm, '');
    const led = `${base}reference: { post.angle: 0.5 }\n${jump}\n`;
    const text = jump.startsWith('controller') ? led : `${base}${jump}\n`;
    const exact = last(run(text.replace('generalized-alpha, step: 4 ms', 'extrapolation, tolerance: 1e-12')));
    const error = (step: string): number => distance(last(run(text.replace('4 ms', step))), exact);
    expect(Math.log2(error('1 ms') / error('0.5 ms'))).toBeGreaterThan(1.8);
  });

  it('takes about four corrections a step, velocities, springs and actuators within links in the tangent', () => {
    const { counts } = run(SCENARIO.replace(/loads: .*\n/, ''));
    expect(counts.steps).toBe(126);
    expect(counts.factorisations).toBeLessThan(5 * counts.steps);
  });

  it('has loads in the tangent where they are actuators of the compiled robot, in C, too', async () => {
    const text = SCENARIO.replace(
      /loads: .*/,
      'loads: { lower: { force: [9, 0, 14*t], moment: [0, 0.3, 0] }, upper: { force: [4, 0, -6], axes: frame } }',
    ).replace('4 ms', '8 ms');
    const scenario = scenarioOf(text);
    const robot = robotOf(scenario);
    expect(robot.actuators.slice(2).map(({ summary }) => summary)).toEqual([
      'moment on lower',
      'force on lower',
      'force on lower',
      'force on upper',
      'force on upper',
    ]);
    const compiled = compileRobot(robot, { derivatives: true });
    const actuated = (await loadGenerated(await generateTypeScript(robot, compiled)))();
    const [plain, exact] = [simulate(scenario, create()), simulate(scenario, actuated)];
    expect(distance(last(plain), last(exact))).toBeLessThan(1e-9);
    expect(exact.samples[3]!.u).toEqual(plain.samples[3]!.u);
    expect(exact.counts.factorisations).toBeLessThan(5 * exact.counts.steps);
    expect(exact.counts.factorisations).toBeLessThan(0.8 * plain.counts.factorisations);
    if (!isInstalled('cc')) return;
    const steps = await integrateInC(scenario, await generateC(robot, compiled), 'generalized-alpha', robot);
    const inC = simulate(scenario, actuated, { integrator: steps });
    expect(inC.counts).toEqual(exact.counts);
    expect(distance(last(inC), last(exact))).toBeLessThan(1e-10);
  });

  it('has names for loads that no actuator of the robot has', () => {
    const scenario = scenarioOf(SCENARIO);
    const [first, ...others] = scenario.robot.actuators;
    const robot = { ...scenario.robot, actuators: [{ ...first!, name: 'load_1' }, ...others] };
    const names = robotOf({ ...scenario, robot }).actuators.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(robot.actuators.length);
    expect(new Set(names).size).toBe(names.length);
  });

  it('closes the balance of energy the better, the shorter the steps', () => {
    const defect = (step: string): number => run(SCENARIO.replace('4 ms', step)).balance!.defect;
    const [coarse, fine] = [defect('4 ms'), defect('1 ms')];
    expect(coarse).toBeLessThan(0.02);
    expect(coarse / fine).toBeGreaterThan(10);
  });

  it.skipIf(!isInstalled('cc')).each(['', ', newmark: 0.6'])(
    'is the same in C%s (needs a C compiler)',
    async (more) => {
      const scenario = scenarioOf(SCENARIO.replace('4 ms', `4 ms${more}`));
      const c = simulate(scenario, create(), {
        integrator: await integrateInC(scenario, generated, 'generalized-alpha'),
      });
      const ts = simulate(scenario, create());
      expect(c.counts).toEqual(ts.counts);
      expect(distance(last(c), last(ts))).toBeLessThan(1e-12);
      // And not those of another method.
      const other = last(run(SCENARIO.replace('4 ms', '4 ms, spectral-radius: 0.3')));
      expect(distance(last(ts), other)).toBeGreaterThan(1e-6);
    },
  );

  it.skipIf(!isInstalled('cc'))('halves steps where Newton’s method does not converge, in both languages', async () => {
    // Iterates that diverge tell the last bits of libraries apart: how many halves it takes is each language's own.
    const scenario = scenarioOf(SCENARIO.replace('4 ms', '0.1 s, exact: true').replace('[0.05,', '[100,'));
    const c = simulate(scenario, create(), {
      integrator: await integrateInC(scenario, generated, 'generalized-alpha'),
    });
    for (const { failure, counts, samples } of [simulate(scenario, create()), c]) {
      expect(failure).toBeUndefined();
      expect(counts.rejected).toBeGreaterThan(0);
      expect(counts.steps).toBeGreaterThan(5);
      expect(samples.at(-1)!.t).toBe(0.5);
    }
  });

  it.skipIf(!isInstalled('cc'))('ends where halves do not help, in both languages', async () => {
    const scenario = scenarioOf(SCENARIO.replace('4 ms', '0.25 s').replace('[0.05,', '[1e307*t,'));
    const ts = simulate(scenario, create());
    expect(ts.failure?.message).toBeTruthy();
    expect(ts.samples.at(-1)!.t).toBeLessThan(0.25);
    const c = simulate(scenario, create(), {
      integrator: await integrateInC(scenario, generated, 'generalized-alpha'),
    });
    expect(c.failure).toEqual(ts.failure);
  });

  it('needs a robot that is compiled with derivatives', async () => {
    const { robot } = scenarioOf(SCENARIO);
    const other = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
    expect(() => simulate(scenarioOf(SCENARIO), other())).toThrow('needs a robot with derivatives');
  });
});

describe('scenarios by generalised α', () => {
  const problem =
    (from: string, to: string): (() => Scenario) =>
    () =>
      scenarioOf(SCENARIO.replace(from, to));

  it('say what the method takes', () => {
    expect(scenarioOf(SCENARIO).integrator).toMatchObject({
      method: 'generalized-alpha',
      step: 0.004,
      tolerance: 1e-11,
    });
    expect(scenarioOf(SCENARIO.replace('4 ms', '4 ms, spectral-radius: 0')).integrator.spectralRadius).toBe(0);
    expect(problem(', step: 4 ms', '')).toThrow('generalized-alpha needs the size of its steps');
    expect(problem('4 ms', '4 ms, spectral-radius: 1.5')).toThrow('the spectral radius cannot be 1.5');
    expect(scenarioOf(SCENARIO.replace('4 ms', '4 ms, newmark: 1/2')).integrator.newmark).toBe(0.5);
    expect(problem('4 ms', '4 ms, newmark: 0.3')).toThrow('the γ of Newmark cannot be 0.3');
    expect(problem('4 ms', '4 ms, newmark: 0.5, spectral-radius: 1')).toThrow(
      'steps of Newmark have no spectral radius',
    );
    expect(problem('generalized-alpha, step: 4 ms', 'extrapolation, newmark: 0.5')).toThrow(
      'extrapolation has no γ of Newmark',
    );
    expect(problem('generalized-alpha, step: 4 ms', 'rosenbrock, spectral-radius: 1')).toThrow(
      'rosenbrock has no spectral radius',
    );
  });
});
