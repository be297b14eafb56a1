/**
 * Ropes: a mass on a rope that is thrown too slowly to stay on its circle flies freely, and is caught again, by closed formulas; several
 * ropes against every choice of taut ones; what is asked of a robot file.
 */
import { Matrix, solve } from 'ml-matrix';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { randomNumbers } from '../../src/common/random.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { closeLoops } from '../../src/runtime/loops.ts';
import type { Loops } from '../../src/runtime/driver.ts';
import { runScenario } from '../../src/simulation/run-scenario.ts';
import { integrateInC, integratorInC } from '../../src/simulation/run/run-in-c.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import type { Scenario } from '../../src/simulation/scenario/scenario.ts';
import { evaluateRobot, type Evaluation } from '../../src/verify/generated/evaluation.ts';
import { buildQuickly, isInstalled } from '../compilers.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';

const [G, LENGTH, MASS] = [9.81, 0.8, 0.5];
const BALL = `kanegen: 1
name: ball-on-rope
gravity: [0, -${G}, 0]
links:
  - { name: x, joint: { prismatic: x }, offset: { xyz: [0, -${LENGTH}, 0] }, rigid: { mass: 0 } }
  - { name: ball, joint: { prismatic: y }, rigid: { mass: ${MASS} kg } }
`;
const rope = (name: string, on: string, more = 'unilateral: true'): string =>
  `  ${name}: { distance: { a: { on: base, at: ${on} }, b: ball, length: ${LENGTH} m${more && `, ${more}`} } }\n`;

const BAND = `  band:
    distance: { a: { on: base, at: [0.1, 0, 0] }, b: ball, length: ${LENGTH} m, unilateral: true }
    compliance: 1e-2 m/N
    damping: 2 N s/m
`;
buildQuickly();

type Dynamics = LoadedRobot & Loops;
interface Loaded {
  readonly robot: Robot;
  readonly dynamics: Dynamics;
}

async function load(text: string): Promise<Loaded> {
  const robot = loadRobotText(text, 'ball.robot.yaml');
  return { robot, dynamics: (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))() as Dynamics };
}

const scenarioOf = (robot: Robot, more: Partial<Scenario> & Pick<Scenario, 'q' | 'qd' | 'end'>): Scenario => ({
  robot,
  summary: '',
  start: 0,
  inputs: [],
  loads: [],
  events: [],
  expectations: [],
  forces: robot.coordinates.map(() => undefined),
  integrator: { method: 'extrapolation', tolerance: 1e-11, step: undefined, mostSteps: 1e6 },
  every: 0.01,
  frames: [robot.tip],
  sources: [],
  ...more,
});

describe('a ball on a rope, thrown too slowly to go round', () => {
  let ball: Loaded;
  let run: Run;
  /** Speed at the lowest point; where the rope goes slack above the middle, and the speed there. */
  const first = Math.sqrt(3.5 * G * LENGTH);
  const slackAngle = Math.asin((first * first - 2 * G * LENGTH) / (3 * G * LENGTH));
  const slackSpeed = Math.sqrt(G * LENGTH * Math.sin(slackAngle));
  const flight = (4 * slackSpeed * Math.cos(slackAngle)) / G;

  beforeAll(async () => {
    ball = await load(`${BALL}loops:\n${rope('rope', '[0, 0, 0]')}`);
    run = runScenario(scenarioOf(ball.robot, { q: [0, 0], qd: [first, 0], end: 1.4 }), ball.dynamics);
    expect(run.failure).toBeUndefined();
  });

  /** ∫ dθ / ω from the lowest point, by the midpoint rule. */
  function climbing(): number {
    const count = 200_000;
    const end = Math.PI / 2 + slackAngle;
    let sum = 0;
    for (let k = 0; k < count; k++) {
      const angle = ((k + 0.5) * end) / count;
      sum += 1 / Math.sqrt(first * first - 2 * G * LENGTH * (1 - Math.cos(angle)));
    }
    return (sum * LENGTH * end) / count;
  }

  it('goes slack where its weight alone holds it on the circle, and is taut after a parabola', () => {
    const [slack, taut] = run.events;
    expect([slack!.name, taut!.name]).toEqual(['rope slack', 'rope taut']);
    expect(Math.abs(slack!.t - climbing())).toBeLessThan(1e-8);
    expect(Math.abs(taut!.t - slack!.t - flight)).toBeLessThan(1e-7);
    const [from, until] = [slack!.t, taut!.t];
    const inFlight = run.samples.filter(({ t }) => t > from && t < until);
    expect(inFlight.length).toBeGreaterThan(10);
    for (const { t, q } of inFlight) {
      const s = t - from;
      const [c, h] = [Math.cos(slackAngle), Math.sin(slackAngle)];
      expect(Math.abs(q[0]! - (LENGTH * c - slackSpeed * h * s))).toBeLessThan(1e-8);
      expect(Math.abs(q[1]! - LENGTH - (LENGTH * h + slackSpeed * c * s - (G * s * s) / 2))).toBeLessThan(1e-8);
    }
  });

  it('loses what of the speed would lengthen the rope, and swings on with the rest', () => {
    const [slack, taut] = run.events;
    const s = taut!.t - slack!.t;
    const [c, h] = [Math.cos(slackAngle), Math.sin(slackAngle)];
    const place = [LENGTH * c - slackSpeed * h * s, LENGTH * h + slackSpeed * c * s - (G * s * s) / 2];
    const velocity = [-slackSpeed * h, slackSpeed * c - G * s];
    const outwards = (place[0]! * velocity[0]! + place[1]! * velocity[1]!) / LENGTH;
    expect(outwards).toBeGreaterThan(0.5);
    const lost = (MASS * outwards * outwards) / 2;
    const last = run.samples.filter(({ t }) => t > taut!.t).at(-1)!;
    expect(Math.abs(last.energy.dissipated - lost)).toBeLessThan(1e-6 * lost);
    expect(Math.abs(Math.hypot(last.q[0]!, last.q[1]! - LENGTH) - LENGTH)).toBeLessThan(1e-10);
    // The energy that is left at the sample.
    const whole = (MASS * first * first) / 2 - MASS * G * LENGTH - lost;
    const found = (MASS * (last.qd[0]! ** 2 + last.qd[1]! ** 2)) / 2 + MASS * G * (last.q[1]! - LENGTH);
    expect(Math.abs(found - whole)).toBeLessThan(1e-6);
    expect(run.balance!.defect).toBeLessThan(1e-8 * run.balance!.exchanged);
  });

  it('does so by Rosenbrock steps', () => {
    const integrator = { method: 'rosenbrock', tolerance: 1e-9, step: undefined, mostSteps: 1e6 } as const;
    const other = runScenario(
      scenarioOf(ball.robot, { q: [0, 0], qd: [first, 0], end: 1.2, integrator }),
      ball.dynamics,
    );
    other.events.forEach(({ name, t }, k) => {
      expect(name).toBe(run.events[k]!.name);
      expect(Math.abs(t - run.events[k]!.t)).toBeLessThan(1e-5);
    });
  });

  it('has accelerations of free fall where the rope is slack, goes slack or would push', () => {
    const { dynamics } = ball;
    const [qdd, lambda] = [new Float64Array(2), new Float64Array(1)];
    const at = (q: readonly number[], qd: readonly number[]): number[] => {
      expect(dynamics.update([q[0]!, q[1]! + LENGTH], qd)).toBe(0);
      expect(dynamics.constrainedForwardDynamics(0, 0, [0, 0], qdd, lambda)).toBe(0);
      const free = new Float64Array(2);
      expect(dynamics.forwardDynamics([0, 0], free)).toBe(0);
      expect([...free]).toEqual([...qdd]);
      return [...qdd, ...lambda].map((x) => Math.round(x * 1e9) / 1e9 + 0);
    };
    expect(at([0.1, -0.5], [1, 1])).toEqual([0, -G, 0]);
    expect(at([0, LENGTH], [0.1, 0])).toEqual([0, -G, 0]);
    expect(at([0, -LENGTH], [0, 0.2])).toEqual([0, -G, 0]);
    expect(at([0, -LENGTH], [0, 0])).toEqual([0, 0, -MASS * G]);
    // A step of time ends within the rope whether it begins so or not.
    for (const q of [-LENGTH, -LENGTH + 1e-4]) {
      const [after, rates] = [new Float64Array(2), new Float64Array(2)];
      dynamics.update([0, q + LENGTH], [0, -3]);
      dynamics.implicitStep(1e-2, [0, 0], after, rates);
      expect(after[1]).toBeCloseTo(0, 12);
    }
  });

  it('hangs at rest, with its weight in the rope; pushed upwards it is slack', () => {
    const { robot, dynamics } = ball;
    const hanging = equilibrium(robot, dynamics, {}, [0.1, 0.1]);
    expect(hanging.q[1]).toBeCloseTo(0, 10);
    expect(hanging.multipliers![0]).toBeCloseTo(-MASS * G, 9);
  });

  it.skipIf(!isInstalled('cc'))(
    'runs in C beside a band that gives way, and switches there as here (needs a compiler)',
    async () => {
      const { robot, dynamics } = await load(`${BALL}loops:\n${BAND}${rope('rope', '[0, 0, 0]')}`);
      const integrator = { method: 'rosenbrock', tolerance: 1e-9, step: undefined, mostSteps: 1e6 } as const;
      const scenario = scenarioOf(robot, { q: [0, 0], qd: [first, 0], end: 1.4, integrator, every: 0.05, exact: true });
      const wanted = integratorInC(scenario, undefined, (message) => new Error(message));
      const steps = await integrateInC(scenario, await generateC(robot, compileRobot(robot)), wanted);
      const [inC, inTs] = [simulate(scenario, dynamics, { integrator: steps }), runScenario(scenario, dynamics)];
      expect(inC.failure).toBeUndefined();
      expect(inTs.events.map(({ name }) => name)).toContain('rope slack');
      expect(inTs.events.map(({ name }) => name)).toContain('rope taut');
      expect(inC.events.map(({ name }) => name)).toEqual(inTs.events.map(({ name }) => name));
      inC.events.forEach(({ t }, k) => expect(Math.abs(t - inTs.events[k]!.t)).toBeLessThan(1e-9));
      expect(inC.counts.steps).toBe(inTs.counts.steps);
      expect(inC.samples).toHaveLength(inTs.samples.length);
      inC.samples.forEach(({ q, qd, energy }, k) => {
        const due = inTs.samples[k]!;
        [...q, ...qd].forEach((x, i) => expect(Math.abs(x - [...due.q, ...due.qd][i]!)).toBeLessThan(1e-9));
        expect(Math.abs(energy.dissipated - due.energy.dissipated)).toBeLessThan(1e-9);
      });
      const stored = inC.samples.map(({ energy }) => energy.elastic);
      expect(Math.min(...stored)).toBe(0);
      expect(Math.max(...stored)).toBeGreaterThan(0.01);
    },
  );

  it.skipIf(!isInstalled('cc'))('does so in C (needs a compiler)', async () => {
    const { robot } = await load(`${BALL}loops:\n${rope('rope', '[0, 0, 0]')}${BAND}`);
    const states = [
      [0, 0, 0.1, 0],
      [0, 0, 0, 0.1],
      [0.02, -1e-12, 0.1, -0.3],
      [0.1, -0.05, 0.4, 0.2],
      [0.1, 0.3, 0.4, 0.2],
    ].map(([x, y, dx, dy], k) => ({ name: `state ${k}`, q: [x!, y!], qd: [dx!, dy!], qdd: [0, -20] }));
    const of = (target: 'c' | 'ts'): Promise<readonly Evaluation[]> =>
      evaluateRobot(robot, compileRobot(robot), states, { target, precision: 'double' });
    const [inC, own] = [await of('c'), await of('ts')];
    // Springs and ropes are among what is compared.
    expect(own.map(({ multipliers }) => multipliers!.filter((x) => x !== 0).length)).toEqual([2, 1, 2, 1, 0]);
    own.forEach((due, k) => {
      for (const key of ['phi', 'multipliers', 'qdd', 'position_correction', 'rate_correction'] as const)
        expect(inC[k]![key], key).toEqual(due[key]);
    });
  });
});

describe('several ropes', () => {
  it('pull as every choice of taut ones is tried: the one that is consistent', () => {
    const uniform = randomNumbers(5);
    const next = (): number => 2 * uniform() - 1;
    for (let k = 0; k < 60; k++) {
      const [n, rows] = [8, 1 + (k % 5)];
      const held = k % 3;
      const all = rows + held;
      const columns = Float64Array.from({ length: all * n }, next);
      const pivots = Float64Array.from({ length: n }, () => 0.2 + uniform());
      const right = Float64Array.from({ length: n }, next);
      const targets = Float64Array.from({ length: all }, next);
      const kinds = Float64Array.from({ length: all }, (_, j) => (j < rows ? 2 : 0));
      const softness = Float64Array.from({ length: all }, (_, j) => (j === 1 ? 0.3 : 0));
      const J = Matrix.from1DArray(all, n, columns);
      const D = Matrix.diag([...pivots]);
      const L = J.mmul(D)
        .mmul(J.transpose())
        .add(Matrix.diag([...softness]));
      const asked = J.mmul(D)
        .mmul(Matrix.columnVector([...right]))
        .to1DArray()
        .map((x, j) => x + targets[j]!);
      const consistent: number[][] = [];
      for (let choice = 0; choice < 2 ** rows; choice++) {
        const taut = [...targets.keys()].filter((j) => j >= rows || (choice >> j) % 2 === 1);
        const own = targets.map(() => 0);
        if (taut.length > 0)
          solve(L.selection(taut, taut), Matrix.columnVector(taut.map((j) => -asked[j]!)))
            .to1DArray()
            .forEach((x, i) => (own[taut[i]!] = x));
        const left = L.mmul(Matrix.columnVector([...own]))
          .to1DArray()
          .map((x, j) => x + asked[j]!);
        if (kinds.every((kind, j) => kind === 0 || (own[j]! <= 0 && left[j]! <= 1e-9))) consistent.push([...own]);
      }
      expect(consistent).toHaveLength(1);
      const multipliers = new Float64Array(all);
      const work = new Float64Array(2 * all * all + 6 * all + n).fill(NaN);
      closeLoops(all, n, columns, pivots, right.slice(), targets, false, true, kinds, softness, work, multipliers);
      multipliers.forEach((x, j) => expect(Math.abs(x - consistent[0]![j]!)).toBeLessThan(1e-8));
    }
  });

  it('share the weight of a ball that hangs between them, and the slack one has none', async () => {
    const { robot, dynamics } = await load(
      `${BALL}loops:\n${rope('left', '[-0.3, 0, 0]')}${rope('right', '[0.3, 0, 0]')}${rope('long', '[0, -0.2, 0]')}`,
    );
    const found = equilibrium(robot, dynamics, {}, [0.02, 0.1]);
    const height = Math.sqrt(LENGTH ** 2 - 0.09);
    expect(found.q[0]).toBeCloseTo(0, 9);
    expect(found.q[1]).toBeCloseTo(LENGTH - height, 9);
    const due = (-MASS * G * LENGTH) / (2 * height);
    [due, due, 0].forEach((x, j) => expect(found.multipliers![j]).toBeCloseTo(x, 8));
  });
});
