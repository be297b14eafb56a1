/**
 * Loops that follow the time: a crank that a formula drives moves, and takes, as a joint that is prescribed does; a tendon that a winch
 * shortens has the tension of its motion, known in closed form; their work closes the balance of energy.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import type { KanegenError } from '../../src/common/error.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { runScenario } from '../../src/simulation/run-scenario.ts';
import { evaluateRobot, type Evaluation } from '../../src/verify/generated/evaluation.ts';
import { buildQuickly, isInstalled } from '../compilers.ts';

buildQuickly();
const W = 3;
const angle = (t: number): number => 0.4 * Math.sin(W * t) + 0.3 * t * t;
const rate = (t: number): number => 0.4 * W * Math.cos(W * t) + 0.6 * t;

/** A slide, a crank on it, a pendulum and a soft body on that, and a tendon along the soft body. */
const text = (crank: string, rest: string): string => `kanegen: 1
name: driven
parameters: { w: { value: ${W} rad/s, runtime: true }, b: 0.3 rad/s^2, L0: 0.2 m, a: 4 mm, c: 1 rad/s }
links:
  - { name: slide, joint: { prismatic: x, damping: 2 N s/m }, rigid: { mass: 2 kg } }
  - name: crank
    joint: { revolute: z${crank} }
    offset: { xyz: [0, 0, 0.1] }
    rigid: { mass: 1 kg, com: [0.1, 0, 0.05], inertia: { xx: 1e-3, yy: 2e-3, zz: 2.5e-3 }, distal: { xyz: [0.2, 0, 0] } }
  - { name: arm, joint: { revolute: y }, rigid: { mass: 0.5 kg, com: [0.2, 0.02, 0], inertia: { xx: 1e-3, yy: 1e-3, zz: 1e-3 } } }
${rest}`;
const LOOP = text('', 'loops: { motor: { constraint: "crank.angle - 0.4*sin(w*t) - b*t^2" } }\n');
/** The same by the frame of the crank: its axis points along that of a formula of t. */
const FRAMES = text(
  '',
  'loops: { motor: { constraint: "dot(rotate(crank, [1, 0, 0]), [-sin(0.4*sin(w*t) + b*t^2), cos(0.4*sin(w*t) + b*t^2), 0])" } }\n',
);

interface Loaded {
  readonly robot: Robot;
  readonly dynamics: LoadedRobot;
}

async function load(source: string): Promise<Loaded> {
  const robot = loadRobotText(source, 'driven.robot.yaml');
  return { robot, dynamics: (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))() };
}

describe('a crank that a loop drives', () => {
  let prescribed: Loaded;
  beforeAll(async () => {
    prescribed = await load(text(', prescribed: "0.4*sin(w*t) + b*t^2"', ''));
  });

  const [slide, arm] = [
    [0.2, -0.3],
    [0.7, 1.1],
  ] as const;
  const tau = [0.4, -0.2] as const;

  it.each([
    ['coordinates', LOOP],
    ['frames', FRAMES],
  ])(
    'moves as a prescribed joint does, and its multiplier is the torque of that: a formula of %s',
    async (_, source) => {
      const { dynamics } = await load(source);
      for (const t of [0.7, -1.3]) {
        Object.assign(prescribed.dynamics.parameters, { time: t });
        Object.assign(dynamics.parameters, { time: t });
        const [expected, qdd, lambda, force] = [
          new Float64Array(2),
          new Float64Array(3),
          new Float64Array(1),
          new Float64Array(1),
        ];
        expect(prescribed.dynamics.update([slide[0], arm[0]], [slide[1], arm[1]])).toBe(0);
        expect(prescribed.dynamics.forwardDynamics(tau, expected)).toBe(0);
        expect(prescribed.dynamics.prescribedForces!(expected, force, null)).toBe(0);
        expect(dynamics.update([slide[0], angle(t), arm[0]], [slide[1], rate(t), arm[1]])).toBe(0);
        const [phi, phiRate] = [new Float64Array(1), new Float64Array(1)];
        dynamics.constraint!(phi, phiRate, null);
        expect(Math.abs(phi[0]!) + Math.abs(phiRate[0]!)).toBeLessThan(1e-15 * 10);
        expect(dynamics.constrainedForwardDynamics!(0, 0, [tau[0], 0, tau[1]], qdd, lambda)).toBe(0);
        expect(Math.abs(qdd[0]! - expected[0]!)).toBeLessThan(1e-12);
        expect(Math.abs(qdd[2]! - expected[1]!)).toBeLessThan(1e-11);
        expect(Math.abs(lambda[0]! - force[0]!)).toBeLessThan(1e-12 * Math.abs(force[0]!) * 10);
      }
    },
  );

  it.skipIf(!isInstalled('cc'))('does so in C (needs a compiler)', async () => {
    const { robot } = await load(FRAMES);
    const state = {
      name: 's',
      t: 0.7,
      q: [slide[0], angle(0.7), arm[0]],
      qd: [slide[1], rate(0.7), arm[1]],
      qdd: [0, 0, 0],
    };
    const of = async (target: 'c' | 'ts'): Promise<Evaluation> =>
      (await evaluateRobot(robot, compileRobot(robot), [state], { target, precision: 'double' }))[0]!;
    const [inC, own] = [await of('c'), await of('ts')];
    for (const key of ['phi', 'phi_rate', 'bias', 'multipliers', 'qdd'] as const)
      own[key]!.forEach((x, i) => expect(Math.abs(inC[key]![i]! - x)).toBeLessThan(1e-13 * (1 + Math.abs(x))));
  });

  it('comes to the same motion as the prescribed joint, and puts the same work into it', async () => {
    const driven = await load(LOOP);
    const ends = [
      [0.2, 0, 0.7],
      [0.2, 0.7],
    ].map((start, k) => {
      const { robot, dynamics } = k === 0 ? driven : prescribed;
      const run = runScenario(
        {
          ...{
            robot,
            summary: '',
            q: start,
            qd: k === 0 ? [0, rate(0), 0] : [0, 0],
            start: 0,
            end: 0.5,
            inputs: [],
            loads: [],
            events: [],
          },
          expectations: [],
          forces: robot.coordinates.map(() => undefined),
          integrator: { method: 'rosenbrock', tolerance: 1e-9, step: undefined, mostSteps: 1e6 },
          every: 0.05,
          frames: [robot.tip],
          sources: [],
        },
        dynamics,
      );
      expect(run.failure).toBeUndefined();
      expect(run.balance!.defect).toBeLessThan(1e-8 * Math.max(1, run.balance!.exchanged));
      return run.samples.at(-1)!;
    });
    const [free, led] = [ends[0]!, ends[1]!];
    expect(Math.abs(free.q[1]! - angle(0.5))).toBeLessThan(1e-14);
    expect(Math.abs(free.q[0]! - led.q[0]!)).toBeLessThan(1e-7);
    expect(Math.abs(free.q[2]! - led.q[1]!)).toBeLessThan(1e-7);
    expect(Math.abs(free.energy.work - led.energy.work)).toBeLessThan(1e-7);
  });
});

/** One coordinate, and a tendon whose length it decides: L − d q. */
const TENDON = `kanegen: 1
name: winch
parameters: { L0: 0.2 m, a: 4 mm, hold: 0.19 m }
links: [{ name: soft, body: planar-cc, parameters: { L: L0, R: 20 mm, rho: 1000 kg/m^3 } }]
actuators:
  push: { along: "hold*soft.q^2" }
  pull: { tendon: { through: soft, route: { x: 12 mm, y: 0 } } }
  twist: { wrench: { on: soft, moment: [0, 1, 0] } }
loops: { winch: { length-of: { actuator: pull, length: "L0 - a*(1 - cos(5*t))" } } }
`;

describe('a tendon that a winch shortens', () => {
  it('has the tension that the motion of its length takes', async () => {
    const { dynamics } = await load(TENDON);
    const [t, d] = [0.31, 0.012];
    dynamics.parameters['time'] = t;
    // The tendon is on the inner side: bent by q it has the length L − d q.
    const [q, qd, qdd] = [0.004 * (1 - Math.cos(5 * t)), 0.02 * Math.sin(5 * t), 0.1 * Math.cos(5 * t)].map(
      (x) => x / d,
    ) as [number, number, number];
    expect(dynamics.update([q], [qd])).toBe(0);
    const [phi, speed, found, lambda, tau] = [1, 1, 1, 1, 1].map((n) => new Float64Array(n)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    dynamics.constraint!(phi, speed, null);
    expect(Math.abs(phi[0]!) + Math.abs(speed[0]!)).toBeLessThan(1e-15 * 10);
    expect(dynamics.constrainedForwardDynamics!(0, 0, [0], found, lambda)).toBe(0);
    expect(Math.abs(found[0]! / qdd - 1)).toBeLessThan(1e-12);
    expect(dynamics.activeInverseDynamics([qdd], tau)).toBe(0);
    expect(Math.abs((lambda[0]! * d) / tau[0]! - 1)).toBeLessThan(1e-12);
    // A step of time ends at the length that it has then, to second order.
    const open = (h: number): number => {
      const [after, rates] = [new Float64Array(1), new Float64Array(1)];
      dynamics.parameters['time'] = t;
      dynamics.update([q], [qd]);
      dynamics.implicitStep(h, [0], after, rates);
      return Math.abs(d * after[0]! - 0.004 * (1 - Math.cos(5 * (t + h))));
    };
    expect(open(1e-3)).toBeLessThan(1e-7);
    expect(open(1e-3) / open(5e-4)).toBeGreaterThan(3.7);
  });

  it.each([
    ['an actuator that there is not', '{ actuator: pul, length: L0 }', 'did you mean `pull`?'],
    ['a value for a length', '{ actuator: pull, value: L0 }', 'write `length`'],
    ['a length of what has none', '{ actuator: push, length: L0 }', 'write `value`'],
    ['nothing to hold it at', '{ actuator: pull }', 'add `length`'],
    ['a corner', '{ actuator: pull, length: "L0 - a*abs(t - 1)" }', 'round the corner'],
    ['a coordinate that has no place', '{ actuator: twist, value: L0 }', 'name another actuator'],
  ])('is refused with %s', (_, own, remedy) => {
    const source = TENDON.replace(/length-of: .*/, `length-of: ${own} } }`);
    expect(() => loadRobotText(source, 'winch.robot.yaml')).toThrow(
      expect.objectContaining({
        remedy: expect.stringContaining(remedy) as string,
        location: expect.objectContaining({ line: 9 }) as object,
      }) as KanegenError,
    );
  });

  it('leaves formulas of loops their corners in coordinates, and refuses those in t', () => {
    const loop =
      (formula: string): (() => unknown) =>
      () =>
        loadRobotText(TENDON.replace(/loops: .*/, `loops: { c: { constraint: "${formula}" } }`), 'winch.robot.yaml');
    expect(loop('soft.q - sqrt(1 + soft.q^2)*t')).not.toThrow();
    expect(loop('soft.q - max(0, t - 1)')).toThrow(expect.objectContaining({ code: 'not-smooth' }) as KanegenError);
    expect(loop('t - 1')).toThrow(expect.objectContaining({ code: 'wrong-value' }) as KanegenError);
  });
});
