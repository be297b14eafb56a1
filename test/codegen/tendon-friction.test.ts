/**
 * Tendons that slide over points with friction: the formula of the capstan, what friction takes from a swing, derivatives and both languages.
 * `verify` holds forces against tensions as the law is written, with difference quotients of lengths.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { Derivatives } from '../../src/runtime/driver.ts';
import { accelerationDerivatives } from '../../src/simulation/equilibria/derivatives.ts';
import { rolloutGradient } from '../../src/simulation/integrators/rollout-gradient.ts';
import { integrateInC } from '../../src/simulation/run/run-in-c.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import type { Scenario } from '../../src/simulation/scenario/scenario.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';
import { buildQuickly, isInstalled, QUICK } from '../compilers.ts';

buildQuickly();

const dynamicsOf = async (text: string, options = {}): Promise<LoadedRobot> => {
  const robot = loadRobotText(text, 'r.robot.yaml');
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot, options))))();
};

/** A weight on a spring, on a rope over pegs between an end that is pulled and the weight. */
const hoist = (pegs: readonly string[], friction: string): string => `kanegen: 1
name: hoist
gravity: [0, 0, 0]
links: [ { name: weight, joint: { prismatic: z, stiffness: 200 N/m }, rigid: { mass: 2 kg } } ]
actuators:
  rope:
    tendon:
      path: [ ${pegs.map((at) => `{ on: base, at: ${at} }`).join(', ')}, { on: weight } ]${friction && `\n      friction: ${friction}`}
    limits: [0 N, 100 N]
`;
const CORNER = ['[0.5, 0, 1]', '[0, 0, 1]'];
const [MU, SLOW] = [0.2, 0.01];

/** Bᵀ of the only coordinate at a rate: the tension at the weight for a unit one at the first end. */
function tensionAt(dynamics: LoadedRobot, rate: number): number {
  const B = new Float64Array(1);
  dynamics.update([0.2], [rate]);
  dynamics.actuation(null, null, null, B);
  return B[0]!;
}

describe('the tension behind bends', () => {
  it('is e^(−μ θ tanh(v/v_s)) of that before a point, either way, and the same at rest', async () => {
    const dynamics = await dynamicsOf(hoist(CORNER, `{ coefficient: ${MU}, at: 10 mm/s }`));
    // The weight goes up: the rope slides towards the end that is pulled.
    for (const rate of [1, 0.02, 3e-3, -4e-3, -0.5]) {
      const due = Math.exp((-MU * Math.PI * Math.tanh(rate / SLOW)) / 2);
      expect(Math.abs(tensionAt(dynamics, rate) / due - 1)).toBeLessThan(1e-14);
    }
    expect(tensionAt(dynamics, 0)).toBe(1);
    const yd = new Float64Array(1);
    dynamics.update([0.2], [0.3]);
    dynamics.actuation(null, yd, null, null);
    expect(yd[0]).toBeCloseTo(0.3, 15);
  });

  it('is e^(±μ φ) of that before a drum of points', async () => {
    const [last, radius] = [13, 0.05];
    const drum = Array.from({ length: last + 1 }, (_, k) => {
      const angle = (Math.PI * k) / last;
      return `[${radius * Math.cos(angle) - radius}, 0, ${1 + radius * Math.sin(angle)}]`;
    }).map((at, k) => (k === last ? at.replace(/^\[[^,]*/, `[${-2 * radius}`) : at));
    // The end that is pulled and the weight hang from both sides.
    const pegs = [`[0, 0, 0.5]`, ...drum];
    const text = hoist(pegs, '{ coefficient: 0.3, at: 1 mm/s }').replace(
      '{ on: weight } ]',
      `{ on: weight, at: [${-2 * radius}, 0, 0] } ]`,
    );
    const dynamics = await dynamicsOf(text);
    for (const rate of [0.1, -0.1]) {
      const due = Math.exp(-0.3 * Math.PI * Math.sign(rate));
      expect(Math.abs(tensionAt(dynamics, rate) / due - 1)).toBeLessThan(1e-12);
    }
    expect(() => loadRobotText(hoist([...pegs, '[0, 0, 0]'], '{ coefficient: 0.3, at: 1 mm/s }'), 'r')).toThrow(
      '17 points, with friction at most 16',
    );
  });
});

/** On a free base that is turned, over points on links, a fixed one and a body; with parameters of the run time, beside a tendon without friction. */
const HAND = `kanegen: 1
name: rubbing-hand
base: { xyz: [0.1, 0.2, 0.3], rpy: [0.3, -0.2, 0.5] }
parameters:
  mu: { value: 0.3, runtime: true }
  slow: { value: 0.3 m/s, runtime: true }
  high: { value: 0.06 m, runtime: true }
  m: { value: 0.4 kg, runtime: true }
links:
  - name: palm
    joint: { universal: [x, y] }
    rigid: { mass: m, com: [0, 0, 0.02], inertia: { xx: 0.002, yy: 0.002, zz: 0.001 }, distal: { xyz: [0.02, -0.01, high], rpy: [0.1, 0.4, 0.2] } }
  - { name: soft, body: planar-cc-elongation, parameters: { L: 0.2, R: 0.02, rho: 1070 } }
  - { name: side, parent: palm, joint: { revolute: [0, 0.6, 0.8], damping: 0.01 N m s/rad }, rigid: { mass: 0.3, com: [0, 0.03, 0], inertia: { xx: 0.001, yy: 0.001, zz: 0.001 } } }
actuators:
  long:
    tendon:
      path:
        - { on: base, at: [0.1, 0, -0.1] }
        - { on: base, at: [0.12, 0.01, 0] }
        - { on: palm, at: [0.05, 0.02, high/2] }
        - { on: soft, at: { s: 0.1, y: 0.015 } }
        - { on: soft, at: { s: 0.2, y: 0.01 } }
      friction: { coefficient: mu, at: slow }
    limits: [0 N, 40 N]
  across:
    tendon: { path: [ { on: side, at: [0.1, 0, 0.02] }, { on: palm }, { on: soft } ], friction: { coefficient: 0.5, at: 0.2 m/s } }
    limits: [0 N, 40 N]
  free: { tendon: { path: [ { on: base, at: [0.2, 0.1, 0] }, { on: side, at: [0, 0.1, 0.1] } ] } }
`;

describe('a hand with tendons that rub', { timeout: 600_000 }, () => {
  let dynamics: LoadedRobot;
  const robot = loadRobotText(HAND, 'hand.robot.yaml');
  beforeAll(async () => {
    dynamics = await dynamicsOf(HAND, { derivatives: true });
  }, 600_000);

  it('is verified, with its derivatives', async () => {
    const { checks } = await verifyRobot(robot, dynamics, { seed: 3, states: 1 });
    expect(checks.filter(({ passed }) => !passed)).toEqual([]);
    const names = checks.map(({ name }) => name).join('\n');
    for (const part of ['friction of tendons takes energy', 'give the same actuate_tangent', 'newton_step solves'])
      expect(names).toContain(part);
  });

  it.runIf(isInstalled('cc'))('passes its self-test in C', async () => {
    const files = await generateC(robot, compileRobot(robot, { derivatives: true }));
    const program = await buildC(files, QUICK);
    expect(await runProgram(program).finally(() => program.dispose())).toBe('rubbing_hand: ok\n');
  });

  const [h, steps] = [5e-3, 7];
  const values = (count: number, phase: number, scale = 1): number[] =>
    Array.from({ length: count }, (_, i) => scale * Math.sin(1.7 * i + phase));
  const n = robot.coordinates.length;
  const start = { q: values(n, 1, 0.05), qd: values(n, 2), inputs: values(3 * steps, 3, 2).map((u) => u + 2) };

  it.each([undefined, robot.parameters.length])('has gradients of rollouts (%s parameters)', (parameters) => {
    const weights = values(n, 5);
    const final = (q: Float64Array, _: Float64Array, byQ: Float64Array): number =>
      q.reduce((sum, x, i) => {
        byQ[i]! += weights[i]!;
        return sum + weights[i]! * x;
      }, 0);
    const of = (own: Partial<typeof start> = {}) =>
      rolloutGradient(dynamics, { ...start, ...own, h, steps, ...(parameters && { parameters }) }, { final });
    const gradient = of();
    for (const [part, found] of [
      ['q', gradient.byQ],
      ['qd', gradient.byQd],
      ['inputs', gradient.byInputs],
    ] as const) {
      const along = values(start[part].length, 7);
      const moved = (by: number): number => of({ [part]: start[part].map((x, i) => x + by * along[i]!) }).value;
      const d = 1e-3;
      const due = (8 * (moved(d) - moved(-d)) - (moved(2 * d) - moved(-2 * d))) / (12 * d);
      const scale = Math.hypot(...found);
      expect(Math.abs(found.reduce((sum, x, i) => sum + x * along[i]!, 0) - due), part).toBeLessThan(1e-7 * scale);
    }
    if (!parameters) return;
    const names = robot.parameters.map(({ name }) => name);
    for (const [k, name] of names.entries()) {
      const usual = Number(dynamics.parameters[name]);
      const moved = (by: number): number => {
        dynamics.parameters[name] = usual * (1 + by);
        const { value } = of();
        dynamics.parameters[name] = usual;
        return value;
      };
      const d = 1e-3;
      const due = (8 * (moved(d) - moved(-d)) - (moved(2 * d) - moved(-2 * d))) / (12 * d * usual);
      const found = gradient.byParameters[k]!;
      expect(Math.abs(found), name).toBeGreaterThan(1e-9);
      expect(Math.abs(found / due - 1), name).toBeLessThan(1e-6);
    }
  });

  it('has small motions about a motion', async () => {
    const plain = await dynamicsOf(HAND);
    const inputs = [3, 4, 2];
    const [found, due] = [dynamics, plain].map((own) => {
      const accelerations = (q: readonly number[], qd: readonly number[]): number[] => {
        const [tau, qdd] = [new Float64Array(n), new Float64Array(n)];
        own.update(q, qd);
        own.actuate(inputs, tau);
        own.forwardDynamics(tau, qdd);
        return [...qdd];
      };
      return accelerationDerivatives(own, start.q, start.qd, { inputs }, accelerations);
    }) as [ReturnType<typeof accelerationDerivatives>, ReturnType<typeof accelerationDerivatives>];
    for (const part of ['byCoordinates', 'byRates'] as const) {
      const [a, b] = [found[part].to1DArray(), due[part].to1DArray()];
      const largest = Math.max(...b.map(Math.abs));
      a.forEach((x, k) => expect(Math.abs(x - b[k]!)).toBeLessThan(1e-7 * largest));
    }
  });

  it('sees no friction at rest', async () => {
    const smooth = await dynamicsOf(HAND.replaceAll(/, friction: \{[^}]*\}/g, '').replaceAll(/\n *friction: .*/g, ''));
    const [found, due] = [dynamics, smooth].map((own) => {
      const B = new Float64Array(3 * n);
      own.update(
        start.q,
        start.q.map(() => 0),
      );
      own.actuation(null, null, null, B);
      return [...B];
    }) as [number[], number[]];
    found.forEach((x, k) => expect(x).toBeCloseTo(due[k]!, 15));
  });
});

describe('a step of Newton’s method', () => {
  // What is held stands on the base, which moves in the elimination, and on the last of two links.
  const FINGER = `kanegen: 1
name: finger
links:
  - { name: near, joint: { revolute: y }, rigid: { mass: 50 g, com: [0, 0, 20 mm], inertia: { xx: 1e-5, yy: 1e-5, zz: 1e-5 }, distal: { xyz: [0, 0, 40 mm] } } }
  - { name: far, joint: { revolute: y }, rigid: { mass: 40 g, com: [0, 0, 20 mm], inertia: { xx: 1e-5, yy: 1e-5, zz: 1e-5 }, distal: { xyz: [0, 0, 40 mm] } } }
actuators:
  flexor:
    tendon:
      path: [ { on: base, at: [12 mm, 0, -30 mm] }, { on: base, at: [16 mm, 0, -20 mm] }, { on: far, at: [10 mm, 0, -20 mm] } ]
      friction: { coefficient: 0.2, at: 20 mm/s }
    limits: [0 N, 60 N]
`;

  it('solves with what tendons change by along coordinates and rates', async () => {
    const dynamics = (await dynamicsOf(FINGER, { derivatives: true })) as LoadedRobot & Derivatives;
    const [n, rate, acceleration, u] = [2, 40, 900, [10]];
    const [qdd, residual] = [
      [0.3, -0.2],
      [0.7, -0.4],
    ];
    dynamics.update([0.4, 0.5], [0.3, -0.7]);
    const dq = new Float64Array(n);
    expect(dynamics.newtonStep(rate, acceleration, qdd, u, residual, dq)).toBe(0);
    const times = (factor: number): number[] => [...dq].map((x) => factor * x);
    const [due, less] = [new Float64Array(n), new Float64Array(n)];
    dynamics.inverseDynamicsTangent(1, qdd, dq, times(rate), times(acceleration), due);
    dynamics.actuateTangent(1, u, dq, less);
    dynamics.actuateRateTangent!(1, u, times(rate), less);
    residual.forEach((x, i) => expect(Math.abs(due[i]! - less[i]! - x)).toBeLessThan(1e-12));
  });
});

describe('a swing on a rope that rubs', () => {
  // Between one turn and the next the weight swings about the place where spring and tension balance, which friction moves.
  const [MASS, SPRING, PULL, START] = [2, 200, 10, 0.3];
  const half = Math.PI / Math.sqrt(SPRING / MASS);
  const text = hoist(CORNER, `{ coefficient: ${MU}, at: 0.02 mm/s }`);
  const robot = loadRobotText(text, 'hoist.robot.yaml');
  const scenario: Scenario = {
    ...{ robot, summary: '', start: 0, end: 2 * half, events: [], expectations: [], q: [START], qd: [0] },
    inputs: [() => PULL].map((signal) => Object.assign(signal, { form: { times: [0, 10], values: [PULL, PULL] } })),
    loads: [],
    forces: [undefined],
    integrator: { method: 'rosenbrock', tolerance: 1e-7, step: undefined, mostSteps: 1e6 },
    ...{ every: half / 8, frames: [], sources: [] },
  };
  const check = (run: Run): void => {
    expect(run.failure).toBeUndefined();
    const place = (rate: number): number => (PULL * Math.exp((-MU * Math.PI * Math.sign(rate)) / 2)) / SPRING;
    const low = 2 * place(-1) - START;
    const high = 2 * place(1) - low;
    const q = (time: number): number => run.samples.find(({ t }) => Math.abs(t - time) < 1e-9)!.q[0]!;
    expect(q(half)).toBeCloseTo(low, 4);
    expect(q(2 * half)).toBeCloseTo(high, 4);
    const lost = run.samples.map(({ energy }) => energy.dissipated);
    lost.slice(1).forEach((x, k) => expect(x).toBeGreaterThan(lost[k]!));
    // Of a tension T₁ at the end that is pulled and T₂ behind the corner, (T₁ − T₂) times the way.
    const due =
      PULL * ((Math.exp((MU * Math.PI) / 2) - 1) * (START - low) + (1 - Math.exp((-MU * Math.PI) / 2)) * (high - low));
    expect(Math.abs(lost.at(-1)! / due - 1)).toBeLessThan(1e-3);
    expect(run.samples.at(-1)!.energy.work).toBeCloseTo(PULL * (high - START), 4);
    expect(run.balance!.defect).toBeLessThan(1e-5);
  };

  it('loses what the difference of tensions takes, and nothing else', async () => {
    check(simulate(scenario, await dynamicsOf(text)));
  });

  it.runIf(isInstalled('cc'))('does so in C', async () => {
    const compiled = compileRobot(robot);
    const steps = await integrateInC(scenario, await generateC(robot, compiled), 'rosenbrock');
    check(simulate(scenario, await dynamicsOf(text), { integrator: steps }));
  });
});

describe('friction of tendons', () => {
  const FRICTION = '{ coefficient: 0.2, at: 1 mm/s }';
  const SOFT = `kanegen: 1
name: soft
links: [ { name: arm, body: pcc-3d } ]
actuators:
  cord: { tendon: { through: arm, route: { x: 0.8*R, y: 0 }, friction: ${FRICTION} }, limits: [0 N, 40 N] }
`;
  it.each([
    [hoist(CORNER, '{ coefficient: -0.2, at: 1 mm/s }'), 'r:9:32', 'coefficient of friction is -0.2', 'zero or more'],
    [hoist(CORNER, '{ coefficient: 0.2, at: 0 mm/s }'), 'r:9:41', 'friction is smooth is 0', 'above zero'],
    [hoist(CORNER, '{ coefficient: 0.2 }'), 'r:9:7', 'no `at`', 'at: 1 mm/s'],
    [hoist(CORNER, '{ at: 1 mm/s }'), 'r:9:7', 'no `coefficient`', 'coefficient: 0.1'],
    [hoist(CORNER, '{ coefficient: 0.2, at: 1 s }'), 'r:9:41', 'm/s', ''],
    [hoist(CORNER.slice(0, 1), FRICTION), 'r:9:7', 'passes no point', '`path`'],
    [hoist(CORNER, FRICTION).replace(/\n *limits.*/, ''), 'r:9:7', 'no limits', 'limits: [0 N, 40 N]'],
    [hoist(CORNER, FRICTION).replace('[0 N, ', '[-1 N, '), 'r:10:13', 'lower limit, -1 N', 'write 0 N'],
    [SOFT, 'r:5:62', 'along a curve within a body', '`discs: '],
    [
      `${hoist(CORNER, FRICTION)}loops: { own: { length-of: { actuator: rope, length: 1 } } }\n`,
      'r:11:40',
      'known at its first point alone',
      'remove the `friction`',
    ],
    [
      `${hoist(CORNER, FRICTION)}controllers: { own: { partial-feedback-linearisation: { kp: 1, kd: 1 } } }\n`,
      'r:11:55',
      'not along the gradient',
      'remove its `friction`',
    ],
  ])('%#: is refused where it cannot be', (text, place, what, remedy) => {
    let problem: unknown;
    try {
      loadRobotText(text, 'r');
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(KanegenError);
    const { message, remedy: advice, location } = problem as KanegenError;
    const { file, line, column } = location!;
    expect(`${file}:${line}:${column}`).toContain(place);
    expect(message).toContain(what);
    expect(advice).toContain(remedy);
  });

  it('acts at holes of discs, and not where straight-line code or ends that meet are asked for', () => {
    const discs = SOFT.replace('route:', 'from: { s: 0 }, discs: { at: [L/3, 2*L/3, L] }, route:');
    expect(loadRobotText(discs, 'r').actuators[0]!.terms[0]).toMatchObject({
      kind: 'reaching',
      action: { kind: 'sliding' },
    });
    const twice = hoist([...CORNER, CORNER[1]!], FRICTION);
    expect(() => compileRobot(loadRobotText(twice, 'r'))).toThrow('no length at the default coordinates');
    expect(() =>
      compileStraight(loadRobotText(hoist(CORNER, FRICTION), 'r'), { functions: ['actuate'], count: generatedCost }),
    ).toThrow('no friction of tendons, as `rope` has');
  });

  it('is known to the derivative by rates alone', async () => {
    const dynamics = (await dynamicsOf(hoist(CORNER, FRICTION), { derivatives: true })) as LoadedRobot & Derivatives;
    const change = new Float64Array(1);
    dynamics.update([0.2], [0]);
    dynamics.actuateRateTangent!(1, [10], [1], change);
    // −u μ θ / v_s
    expect(change[0]! / ((-10 * 0.2 * Math.PI) / 2 / 1e-3)).toBeCloseTo(1, 12);
    const plain = (await dynamicsOf(hoist(CORNER, ''), { derivatives: true })) as LoadedRobot & Derivatives;
    expect(plain.actuateRateTangent).toBeUndefined();
  });
});
