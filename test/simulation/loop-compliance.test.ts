/**
 * Loops that give way: forces, steps, equilibria, small motions and energy of a pin on a spring against a robot with that spring as a
 * potential, and against the rigid pin where the spring is stiff; every kind of loop by its law; what is asked of a robot file.
 */
import { Matrix, solve } from 'ml-matrix';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateStraightTypeScript } from '../../src/codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, loadStraight, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { straightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import type { KanegenError } from '../../src/common/error.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { LoopDerivatives, Loops } from '../../src/runtime/driver.ts';
import { linearise } from '../../src/simulation/small-motions/linearise.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';
import { runScenario } from '../../src/simulation/run-scenario.ts';
import { compileStraight } from '../../src/straight/compile.ts';

const head = (more: string): string => `kanegen: 1
name: two
gravity: [0, -9.81, 0]
parameters: { c: { value: 5e-4 m/N, runtime: true } }
links:
  - { name: a, joint: { revolute: z }, rigid: { mass: 1 kg, com: [0.1, 0, 0], inertia: { zz: 2e-3 }, distal: { xyz: [0.2, 0, 0] } } }
  - { name: b, joint: { revolute: z, damping: 0.01 N m s }, rigid: { mass: 0.7 kg, com: [0.12, 0.01, 0], inertia: { zz: 3e-3 }, distal: { xyz: [0.3, 0, 0] } } }
  - { name: d, joint: { revolute: z, damping: 0.02 N m s }, rigid: { mass: 0.2 kg, com: [0.05, 0.02, 0], inertia: { zz: 1e-3 } } }
frames: { tip: { on: b, offset: { xyz: [0, 0.01, 0] } } }
${more}`;
const pin = (more: string): string =>
  head(`loops: { pin: { spherical: { a: { on: base, at: [0.3, 0.1, 0] }, b: tip, rows: [x, y] }${more} } }\n`);
const SOFT = pin(', compliance: { translation: c }, damping: { translation: 3 N s/m }');
const STRAPS = head(`loops:
  taut: { distance: { a: { on: base, at: [0.3, 0.1, 0] }, b: tip, length: 0.01 m, unilateral: true }, compliance: 5e-3 m/N, damping: 3 N s/m }
  slack: { distance: { a: { on: base, at: [0, 0.3, 0] }, b: d, length: 2 m, unilateral: true }, compliance: 1e-3 m/N, damping: 2 N s/m }
`);
const SPRING = head(
  `forces: { spring: { potential: 'distance(wall, tip)^2/(2*c)', frames: { wall: { on: base, at: [0.3, 0.1, 0] } } } }\n`,
);

type Dynamics = LoadedRobot & Loops & Required<LoopDerivatives>;
interface Loaded {
  readonly robot: Robot;
  readonly dynamics: Dynamics;
}

async function load(text: string, derivatives = false): Promise<Loaded> {
  const robot = loadRobotText(text, 'two.robot.yaml');
  const compiled = compileRobot(robot, { derivatives });
  return { robot, dynamics: (await loadGenerated(await generateTypeScript(robot, compiled)))() as Dynamics };
}

const vector = (n: number): Float64Array => new Float64Array(n).fill(NaN);
const near = (found: ArrayLike<number>, due: ArrayLike<number>, within: number): void => {
  const size = Math.max(1, ...Array.from(due, Math.abs));
  Array.from(due).forEach((x, i) => expect(Math.abs(found[i]! - x), `entry ${i}`).toBeLessThan(within * size));
};

describe('a pin on a spring', () => {
  let soft: Loaded;
  let spring: Loaded;
  let rigid: Loaded;
  beforeAll(async () => {
    soft = await load(SOFT, true);
    spring = await load(SPRING);
    rigid = await load(pin(''));
  });
  const [q, qd, tau] = [
    [0.9, -1.1, 0.4],
    [0.3, -1.1, 0.7],
    [0.2, -0.1, 0.05],
  ] as const;

  it('does the same in straight-line code, beside a rope', async () => {
    const rope =
      'rope: { distance: { a: { on: base, at: [0, 0.3, 0] }, b: { on: d, at: [0.1, 0, 0] }, length: 0.15 m, unilateral: true } }';
    const given = SOFT.replace('\nloops: {', `\nloops: { ${rope},`);
    const { robot, dynamics } = await load(given);
    const compiled = compileRobot(robot);
    const functions = ['constrainedForwardDynamics', 'implicitStep'] as const;
    const straight = compileStraight(robot, { functions, count: generatedCost });
    const module = generateStraightTypeScript(straightModel(robot, compiled, straight));
    const code = await loadStraight(await generateTypeScript(robot, compiled), module);
    const { constrainedForwardDynamics, implicitStep } = code;
    const slackness = new Set<boolean>();
    for (const turn of [0, 0.4, -0.5, 1.2]) {
      const at = [q[0] + turn, q[1] - turn, q[2] + turn];
      const [due, lambda, found, multipliers, rank] = [3, 3, 3, 3, 1].map(vector);
      dynamics.update(at, qd);
      expect(dynamics.constrainedForwardDynamics(3, 5, tau, due!, lambda!)).toBe(0);
      expect(constrainedForwardDynamics!(dynamics.parameters, 3, 5, at, qd, tau, found!, multipliers!, rank!)).toBe(0);
      near(found!, due!, 1e-12);
      near(multipliers!, lambda!, 1e-12);
      slackness.add(lambda![0]! === 0);
      for (const h of [1e-3, 0.05]) {
        const [dueQ, dueQd, nextQ, nextQd] = [Float64Array.from(at), Float64Array.from(qd), vector(3), vector(3)];
        dynamics.update(at, qd);
        expect(dynamics.implicitStep(h, tau, dueQ, dueQd)).toBe(0);
        expect(implicitStep!(dynamics.parameters, h, at, qd, tau, nextQ, nextQd)).toBe(0);
        near(nextQ, dueQ, 1e-12);
        near(nextQd, dueQd, 1e-12);
      }
    }
    expect(slackness.size, 'taut and slack').toBe(2);
  });

  it('moves the robot as its potential and a damper do, and the multiplier is their force', () => {
    const { dynamics } = soft;
    const [qdd, free, due, lambda, phi, rate, J] = [3, 3, 3, 2, 2, 2, 6].map(vector);
    for (const c of [5e-4, 2e-3]) {
      dynamics.parameters['c'] = spring.dynamics.parameters['c'] = c;
      dynamics.update(q, qd);
      expect(dynamics.constrainedForwardDynamics(3, 5, tau, qdd!, lambda!)).toBe(0);
      expect(dynamics.forwardDynamics(tau, free!)).toBe(0);
      dynamics.constraint(phi!, rate!, null);
      dynamics.constraintJacobian(J!);
      near(
        lambda!,
        phi!.map((x, j) => -(x / c + 3 * rate![j]!)),
        1e-14,
      );
      spring.dynamics.update(q, qd);
      const damped = tau.map((x, a) => x - 3 * (J![a]! * rate![0]! + J![3 + a]! * rate![1]!));
      expect(spring.dynamics.forwardDynamics(damped, due!)).toBe(0);
      near(qdd!, due!, 1e-13);
      near(free!, due!, 1e-13);
    }
    dynamics.parameters['c'] = spring.dynamics.parameters['c'] = 5e-4;
  });

  it.each(['a pin', 'straps, taut and slack'])(
    'has derivatives of accelerations and forces, and their transpose: %s',
    async (name) => {
      const { dynamics } = name === 'a pin' ? soft : await load(STRAPS, true);
      const at = (x: readonly number[], v: readonly number[]): number[] => {
        const [qdd, lambda] = [vector(3), vector(2)];
        dynamics.update(x, v);
        dynamics.constrainedForwardDynamics(0, 0, tau, qdd, lambda);
        return [...qdd, ...lambda];
      };
      const h = 1e-4;
      const solution = at(q, qd);
      if (name !== 'a pin') expect(solution.slice(3).map(Math.sign)).toEqual([-1, 0]);
      const [qdd, lambda] = [solution.slice(0, 3), solution.slice(3)];
      const units = [1, 0, 0, 0, 1, 0, 0, 0, 1];
      const columns: number[][] = [];
      for (const which of [0, 1]) {
        const [dqdd, dlambda] = [vector(9), vector(6)];
        const [dq, dqd] = which === 0 ? [units, null] : [null, units];
        expect(dynamics.constrainedForwardDynamicsTangent(3, 0, 0, qdd, lambda, dq, dqd, null, dqdd, dlambda)).toBe(0);
        for (let a = 0; a < 3; a++) {
          const moved = (k: number): number[] => {
            const by = (x: readonly number[], is: boolean): number[] =>
              x.map((e, b) => e + (is && a === b ? k * h : 0));
            return at(by(q, which === 0), by(qd, which === 1));
          };
          const [m2, m1, p1, p2] = [-2, -1, 1, 2].map(moved) as [number[], number[], number[], number[]];
          const own = [...dqdd.slice(3 * a, 3 * a + 3), ...dlambda.slice(2 * a, 2 * a + 2)];
          near(
            own,
            own.map((_, i) => (m2[i]! - 8 * m1[i]! + 8 * p1[i]! - p2[i]!) / (12 * h)),
            1e-9,
          );
          columns.push(own);
        }
        at(q, qd);
      }
      const weights = [0.3, -0.7, 0.4, 0.2, 0.5];
      const found = [vector(3), vector(3), vector(3), vector(2)] as const;
      dynamics.constrainedForwardDynamicsAdjoint(1, 0, 0, qdd, lambda, weights.slice(0, 3), weights.slice(3), ...found);
      const sums = columns.map((column) => column.reduce((sum, x, i) => sum + x * weights[i]!, 0));
      near([...found[0], ...found[1]], sums, 1e-12);
    },
  );

  it('takes steps of time that become those of the rigid pin as its compliance vanishes', async () => {
    // Closed, and at rates that open it.
    const { q: closed } = equilibrium(rigid.robot, rigid.dynamics, {}, [1.2, -2, 0]);
    const step = ({ dynamics }: Loaded): number[] => {
      const [after, rates] = [vector(3), vector(3)];
      dynamics.update(closed, [0.3, -0.2, 0.1]);
      expect(dynamics.implicitStep(1e-3, tau, after, rates)).toBe(0);
      return [...after, ...rates];
    };
    const due = step(rigid);
    const undamped = await load(pin(', compliance: { translation: c }'));
    const away = [1e-6, 1e-8, 1e-10, 1e-12].map((c) => {
      undamped.dynamics.parameters['c'] = c;
      return Math.max(...step(undamped).map((x, i) => Math.abs(x - due[i]!)));
    });
    expect(away[0]).toBeGreaterThan(1e-4);
    expect(away[2]! / away[1]!).toBeLessThan(0.0102);
    expect(away[3]! / away[2]!).toBeLessThan(0.0102);
  });

  it('rests and swings as its potential has it, and as the rigid pin where it is stiff', () => {
    const start = [1.2, -2, 0];
    const loads = { forces: [0.3, 0, 0] };
    const of = ({ robot, dynamics }: Loaded, c: number): ReturnType<typeof equilibrium> => {
      dynamics.parameters['c'] = c;
      return equilibrium(robot, dynamics, loads, start);
    };
    const [bySpring, own] = [of(spring, 5e-4), of(soft, 5e-4)];
    near(own.q, bySpring.q, 1e-10);
    expect(own.smallestEigenvalue / bySpring.smallestEigenvalue).toBeCloseTo(1, 8);
    const modes = [spring, soft].map(
      ({ robot, dynamics }) => linearise(robot, dynamics, { q: own.q, qd: [0, 0, 0] }, loads).modes,
    );
    expect(modes[1]).toHaveLength(modes[0]!.length);
    // Without its damper.
    const at = Math.max(...modes[0]!.map(({ frequency }) => frequency));
    expect(Math.max(...modes[1]!.map(({ frequency }) => frequency)) / at).toBeCloseTo(1, 1);
    const [stiff, due] = [of(soft, 1e-13), of(rigid, 0)];
    near(stiff.q, due.q, 1e-10);
    near(stiff.multipliers!, due.multipliers!, 1e-8);
    soft.dynamics.parameters['c'] = 5e-4;
  });

  it('belongs to what implicit steps solve with: (1 - h J) x = h r, dense', () => {
    const { dynamics } = soft;
    const [h, k, b] = [2e-3, 2000, 3];
    const [rq, rv] = [
      [0.3, -0.2, 0.5],
      [1, 2, -3],
    ] as const;
    const [mass, J, xq, xv] = [9, 6, 3, 3].map(vector);
    dynamics.update(q, qd);
    dynamics.massMatrix(mass!);
    dynamics.constraintJacobian(J!);
    const M = Matrix.from1DArray(3, 3, mass!);
    const square = Matrix.from1DArray(2, 3, J!);
    const JJ = square.transpose().mmul(square);
    const D = Matrix.mul(JJ, b).add(Matrix.diag([0, 0.01, 0.02]));
    const whole = Matrix.add(M, Matrix.mul(D, h)).add(Matrix.mul(JJ, h * h * k));
    const right = M.mmul(Matrix.columnVector([...rv]))
      .sub(JJ.mmul(Matrix.columnVector([...rq])).mul(h * k))
      .mul(h);
    const due = solve(whole, right).to1DArray();
    dynamics.update(q, qd);
    expect(dynamics.implicitFactor(h)).toBe(0);
    expect(dynamics.implicitSolve(h, rq, rv, xq!, xv!)).toBe(0);
    near(xv!, due, 1e-13);
    near(
      xq!,
      due.map((x, a) => h * (rq[a]! + x)),
      1e-13,
    );
  });

  const runOf = (
    { robot, dynamics }: Loaded,
    start: readonly number[],
    rates: readonly number[],
    method: 'rosenbrock' | 'extrapolation' | 'implicit-euler',
    precision: number,
  ): ReturnType<typeof runScenario> => {
    const run = runScenario(
      {
        ...{ robot, summary: '', q: start, qd: rates, start: 0, end: 0.3, inputs: [], loads: [], events: [] },
        ...{ expectations: [], forces: robot.coordinates.map(() => undefined), exact: true },
        integrator: { method, tolerance: precision, step: precision, mostSteps: 1e6 },
        ...{ every: 0.01, frames: [robot.tip], sources: [] },
      },
      dynamics,
    );
    expect(run.failure).toBeUndefined();
    return run;
  };

  it.each([
    ['rosenbrock', 1e-6],
    ['extrapolation', 1e-6],
  ] as const)('balances its energy and losses in a run by %s', (method, within) => {
    const { q: closed } = equilibrium(rigid.robot, rigid.dynamics, {}, [1.2, -2, 0]);
    const { balance, samples } = runOf(soft, closed, [0.3, 0, 0.1], method, 1e-8);
    expect(balance!.defect).toBeLessThan(within * balance!.exchanged);
    expect(Math.max(...samples.map(({ energy }) => energy.elastic))).toBeGreaterThan(1e-3);
    expect(samples.at(-1)!.energy.dissipated).toBeGreaterThan(1e-3);
  });

  it('comes to the motion of a rigid rail in steps of a millisecond where it is stiff, 1e9 N/m, to first order', async () => {
    const rail = (more: string): string => pin(more).replace('rows: [x, y]', 'rows: [x]');
    const [hard, stiff] = await Promise.all(
      ['', ', compliance: { translation: 1e-9 m/N }'].map((more) => load(rail(more))),
    );
    const { q: closed } = equilibrium(rigid.robot, rigid.dynamics, {}, [1.2, -2, 0]);
    const due = runOf(hard!, closed, [0, 0, 0], 'extrapolation', 1e-9).samples.at(-1)!.q;
    expect(Math.abs(due[0]! - closed[0]!)).toBeGreaterThan(1);
    const errors = [1e-3, 5e-4].map((h) => {
      const { q: found } = runOf(stiff!, closed, [0, 0, 0], 'implicit-euler', h).samples.at(-1)!;
      return Math.max(...found.map((x, a) => Math.abs(x - due[a]!)));
    });
    expect(errors[0]).toBeLessThan(0.01);
    expect(errors[0]! / errors[1]!).toBeGreaterThan(1.9);
    expect(errors[0]! / errors[1]!).toBeLessThan(2.1);
  });
});

const KINDS =
  head(`actuators: { pull: { along: "distance(wall, tip)", frames: { wall: { on: base, at: [0.3, 0.1, 0] } } } }
loops:
  hinge: { weld: { a: { on: base, at: [0.3, 0.1, 0] }, b: d, rows: [x, y, rz] }, compliance: { translation: 1e-3 m/N, rotation: 0.1 rad/N/m }, damping: { rotation: 0.3 N m s } }
  turn: { weld: { a: a, b: d, rows: [x, rz] }, compliance: { rotation: 0.2 rad/N/m } }
  gear: { constraint: "a.angle - 2*d.angle", compliance: 0.5 1/N/m, damping: 0.1 N m s }
  strut: { distance: { a: { on: base, at: [0.3, 0.1, 0] }, b: d, length: 0.2 m }, compliance: 2e-3 m/N }
  tendon: { length-of: { actuator: pull, value: 0.1 m }, compliance: 1e-2 m/N, damping: 4 N s/m }
`);

describe('loops that give way', () => {
  it('of every kind push by their laws, beside rigid rows, which stay closed', async () => {
    const { dynamics } = await load(KINDS);
    const springs = [1e-3, 1e-3, 0.1, 0, 0.2, 0.5, 2e-3, 1e-2];
    const dampers = [0, 0, 0.3, 0, 0, 0.1, 0, 4];
    const r = springs.length;
    const [qdd, lambda, phi, rate, bias, J, M, tau] = [3, r, r, r, r, 3 * r, 9, 3].map(vector);
    dynamics.update([0.9, -1.1, 0.4], [0.3, -1.1, 0.7]);
    expect(dynamics.constrainedForwardDynamics(2, 3, [0.1, 0.2, 0.3], qdd!, lambda!)).toBe(0);
    expect(dynamics.constraintRank()).toBe(1);
    dynamics.constraint(phi!, rate!, bias!);
    dynamics.constraintJacobian(J!);
    dynamics.massMatrix(M!);
    dynamics.activeInverseDynamics(qdd!, tau!);
    springs.forEach((c, j) => {
      if (c > 0) return expect(lambda![j]! / -(phi![j]! / c + dampers[j]! * rate![j]!)).toBeCloseTo(1, 12);
      const left = [0, 1, 2].reduce(
        (sum, a) => sum + J![3 * j + a]! * qdd![a]!,
        bias![j]! + 4 * rate![j]! + 9 * phi![j]!,
      );
      return expect(Math.abs(left)).toBeLessThan(1e-11);
    });
    const due = [0.1, 0.2, 0.3].map((x, a) => x + springs.reduce((sum, _, j) => sum + J![3 * j + a]! * lambda![j]!, 0));
    near(tau!, due, 1e-12);
  });

  it.each([
    [
      'a compliance of a joint without its part',
      'pin: { spherical: { a: { on: base, at: [0.3, 0.1, 0] }, b: tip }, compliance: 1e-3 m/N }',
      'wrong-value',
      'write `compliance: { translation: VALUE, rotation: VALUE }`',
    ],
    [
      'parts of one row',
      'gear: { constraint: "a.angle", compliance: { rotation: 1 } }',
      'wrong-value',
      'write `compliance: VALUE`',
    ],
    [
      'a part that no row has',
      'pin: { spherical: { a: { on: base, at: [0.3, 0.1, 0] }, b: tip }, compliance: { rotation: 1 rad/N/m } }',
      'wrong-value',
      'remove it',
    ],
    [
      'a negative one',
      'pin: { spherical: { a: { on: base, at: [0.3, 0.1, 0] }, b: tip }, compliance: { translation: -1e-3 m/N } }',
      'wrong-value',
      'more than zero',
    ],
    [
      'another unit',
      'pin: { spherical: { a: { on: base, at: [0.3, 0.1, 0] }, b: tip }, compliance: { translation: 5 N/m } }',
      'wrong-unit',
      '',
    ],
    [
      'a damper of a rigid row',
      'pin: { spherical: { a: { on: base, at: [0.3, 0.1, 0] }, b: tip }, damping: { translation: 3 N s/m } }',
      'missing-key',
      'add a `compliance`',
    ],
    [
      'a negative damper',
      'gear: { constraint: "a.angle", compliance: 1 1/N/m, damping: -1 N m s }',
      'wrong-value',
      'zero or more',
    ],
  ])('are refused with %s', (_, loop, name, remedy) => {
    let thrown: KanegenError | undefined;
    try {
      loadRobotText(head(`loops: { ${loop} }\n`), 'two.robot.yaml');
    } catch (error) {
      thrown = error as KanegenError;
    }
    const text = `${thrown!.message} ${thrown!.remedy ?? ''}`;
    expect(`${thrown!.name} ${JSON.stringify(thrown)} ${text}`).toContain(name);
    expect(text).toContain(remedy);
  });
});
