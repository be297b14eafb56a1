/**
 * Equilibria of robots that move by the time: those of the same robot with its joints fixed, and its strains, where they are at that time.
 */
import { describe, expect, it, vi } from 'vitest';
import { RobotCode, type CompileOptions } from '../../src/api/code.ts';
import { load } from '../../src/api/load.ts';
import { KanegenError } from '../../src/common/error.ts';
import { runScenario } from '../../src/simulation/run-scenario.ts';
import { closedStart } from '../../src/simulation/closed-start.ts';
import { standing } from '../../src/simulation/equilibria/standing.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import type { StaticsOptions, SymbolicRobot } from '../../src/api/robot.ts';
import type { Scenario } from '../../src/simulation/scenario/scenario.ts';

/** An arm that turns about a slanted axis on a slide, with a finger that curls by itself and a bob against a floor. */
const robotText = (slide: string, turn: string, curl: string): string => `
kanegen: 1
name: curling
parameters: { curl: { value: 0, runtime: true } }
gravity: [0, 1, -9.81]
body-types:
  finger:
    parameters: { L: 0.2 m, w: 2 1/s, c: 0, k: 0.1 N m, d: 2e-3 N m s }
    coordinates: { q: {} }
    volume: { rod: { s: [0, L] }, section: { disc: 6 mm, cartesian: [x, y] }, density: 1200 kg/m^3 }
    position: ['x', 'y + (q + ${curl})*s^2/L', 's']
    distal: { pivot: { s: L }, x-axis: { s: L, x: 6 mm }, y-axis: { s: L, y: 6 mm } }
    potential: k/2*q^2
    dissipation: d/2*q_dot^2
links:
  - { name: cart, joint: ${slide}, rigid: { mass: 1 kg } }
  - name: arm
    joint: ${turn}
    rigid: { mass: 1 kg, com: [0.1, 0.02, 0.05], inertia: { xx: 1e-3, yy: 2e-3, zz: 2.5e-3 }, distal: { xyz: [0.1, 0, 0.2] } }
  - { name: bob, joint: { revolute: x, stiffness: 0.3 N m/rad, damping: 0.01 N m s/rad }, rigid: { mass: 0.1 kg, com: [0, 0, -0.1], distal: { xyz: [0, 0, -0.2] } } }
  - { name: finger, body: finger, parameters: { c: curl } }
contacts:
  floor:
    between: [{ sphere: { on: bob, radius: 30 mm } }, { plane: { on: base, axis: [0, -1, 3], at: [0, 0, -0.05] } }]
    law: { spring-damper: { stiffness: 500 N/m, damping: 30 N s/m } }
`;

/** Loaded once. */
function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const AT = 0.7;
const moving = lazy(() =>
  load(
    robotText(
      '{ prismatic: y, prescribed: "t^2/2 + t/5" }',
      '{ revolute: [1, 0, 2], prescribed: "1 + sin(3*t)" }',
      'sin(w*t)',
    ),
  ),
);
const released = lazy(() => load(robotText('{ prismatic: y }', '{ revolute: [1, 0, 2] }', 'c')));

/** Joints are free, and held there. */
async function heldAt(t: number): Promise<{ robot: SymbolicRobot; options: StaticsOptions }> {
  const robot = (await released()).with({ set: { curl: String(Math.sin(2 * t)) } });
  const places = [t ** 2 / 2 + t / 5, 1 + Math.sin(3 * t)];
  return { robot, options: { start: [...places, 0, 0], held: robot.coordinates.slice(0, 2) } };
}

const scenarioOf = (robot: Robot, start: number): Scenario => ({
  ...{ robot, summary: '', q: [0, 0], qd: [0, 0], start, end: start + 1, inputs: [], loads: [], every: 0.1 },
  forces: robot.coordinates.map(() => undefined),
  integrator: { method: 'rosenbrock', tolerance: 1e-6, step: undefined, mostSteps: 1e6 },
  ...{ frames: [robot.tip], events: [], expectations: [], sources: [], equilibrium: true },
});

describe('equilibria of robots that move by the time', () => {
  it('are those of a robot that stands where it is then, with its small motions', async () => {
    const [robot, held] = [await moving(), await heldAt(0)];
    const [found, due] = [await robot.linearise(), await held.robot.linearise(held.options)];
    found.q.forEach((x, i) => expect(x).toBeCloseTo(due.q[2 + i]!, 11));
    expect(found.modes).toHaveLength(2);
    found.modes.forEach(({ frequency, damping }, i) => {
      expect(frequency).toBeCloseTo(due.modes[i]!.frequency, 8);
      expect(damping).toBeCloseTo(due.modes[i]!.damping, 8);
    });
    expect(Math.max(...found.q.map(Math.abs))).toBeGreaterThan(0.01);
    // The robot in motion is in no equilibrium there.
    const dynamics = await (await robot.compile({ derivatives: true })).run();
    const [tau, qdd] = [new Float64Array(2), new Float64Array(2)];
    dynamics.update(found.q, [0, 0]);
    dynamics.forwardDynamics(tau, qdd);
    expect(Math.max(...qdd.map(Math.abs))).toBeGreaterThan(1);
  }, 240_000);

  it('begin scenarios at their start, and scenarios of equilibria know no motion', async () => {
    const [robot, held] = [await moving(), await heldAt(AT)];
    const due = await held.robot.statics(held.options);
    const [dynamics, stands] = [await (await robot.compile({ derivatives: true })).run(), await robot.standing()];
    const scenario = scenarioOf(robot.model, AT);
    const { q } = closedStart(scenario, dynamics, stands);
    const run = runScenario({ ...scenario, statics: true }, dynamics, { stands });
    due.q.slice(2).forEach((x, i) => {
      expect(q[i]).toBeCloseTo(x, 11);
      expect(run.samples[0]!.q[i]).toBeCloseTo(x, 11);
    });
    expect(() => closedStart(scenario, dynamics)).toThrow(/as it stands/);
  }, 240_000);

  it('are found by difference quotients where the code of derivatives takes too long', async () => {
    const due = await (await moving()).statics();
    const robot = (await moving()).with({ set: { curl: '0' } });
    const prepare = RobotCode.prototype.prepare;
    const asked: boolean[] = [];
    vi.spyOn(RobotCode.prototype, 'prepare').mockImplementation(function (this: RobotCode<CompileOptions>) {
      asked.push(this.options.derivatives === true);
      if (this.options.derivatives) throw new KanegenError('too-slow', 'the code of derivatives takes too long');
      return prepare.call(this);
    });
    const found = await robot.statics();
    vi.restoreAllMocks();
    expect(asked).toEqual([true, false]);
    found.q.forEach((x, i) => expect(x).toBeCloseTo(due.q[i]!, 8));
  }, 240_000);

  it('of other robots need nothing else', async () => {
    const { model } = (await heldAt(0)).robot;
    expect(standing(model)).toBe(model);
  });
});
