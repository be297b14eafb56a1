/**
 * What `kanegen verify` reports: that it passes on correct code, and that it notices each kind of wrong code.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { KG_SINGULAR, type Status } from '../../src/runtime/driver.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateState, rows, type State } from '../../src/verify/generated/evaluation.ts';
import { pathWithin, sampleStates } from '../../src/verify/independent/sample-states.ts';
import { FRAME_LAWS } from '../../src/verify/laws/frame-laws.ts';
import { alongPath, PATH_ENDS, smallestPivot } from '../../src/verify/laws/laws.ts';
import { Verification, verifyRobot, type VerificationReport } from '../../src/verify/verify.ts';

const arm = {
  kanegen: 1,
  name: 'arm',
  base: { xyz: [0, 0, '1 m'], rpy: ['180 deg', 0, 0] },
  links: [
    {
      name: 'turn',
      joint: { revolute: 'z' },
      rigid: {
        mass: 0.4,
        com: [0, 0.01, 0.02],
        inertia: { about: 'com', xx: 2e-4, yy: 2e-4, zz: 1e-4 },
        distal: { xyz: [0, 0, 0.04] },
      },
    },
    { name: 'soft', body: 'planar-cc', parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' }, repeat: 2 },
  ],
  frames: { tool: { on: 'soft2', offset: { xyz: [0, 0, '10 mm'], rpy: [0, '90 deg', 0] } } },
  tip: 'tool',
  actuators: {
    turn: { motor: 'turn.angle', ratio: 20 },
    cord: { tendon: { through: 'soft', route: { x: '0.5*R', y: 0 } } },
  },
};

let robot: Robot;
let create: () => LoadedRobot;
/** At one random state; what it compares with is computed once. */
let verification: Verification;

beforeAll(async () => {
  robot = loadRobotObject(arm);
  create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
  verification = new Verification(robot, { states: 1 });
});

const failures = (report: VerificationReport): string[] => report.checks.filter((c) => !c.passed).map((c) => c.name);

/** Generated code with one function replaced. */
function tampered(change: (correct: LoadedRobot) => Partial<LoadedRobot>): LoadedRobot {
  const correct = create();
  return { ...correct, ...change(correct) };
}

describe('verification', () => {
  it('passes on generated code, at straight and almost straight states too', async () => {
    const report = await verification.of(create());
    expect(failures(report)).toEqual([]);
    expect(report.passed).toBe(true);
    expect(report.states).toContain('straight');
    expect(report.states).toContain('straight within 1e-9');
    expect(report.checks.length).toBeGreaterThanOrEqual(12);
  });

  it('notices an error of 1e-11 in a Coriolis term', async () => {
    const dynamics = tampered((correct) => ({
      terms: (c, g, elastic, damping) => {
        const status = correct.terms(c, g, elastic, damping);
        if (c) c[1]! *= 1 + 1e-11;
        return status;
      },
    }));
    const report = await verification.of(dynamics);
    expect(failures(report)).toContain("D'Alembert's principle gives the same Coriolis and centrifugal terms c");
    expect(report.passed).toBe(false);
  });

  it('notices a mass matrix that is not symmetric, and one that is not definite', async () => {
    const skewed = tampered((correct) => ({
      inverseDynamicsAndMassMatrix: (qdd, tau, M) => {
        const status = correct.inverseDynamicsAndMassMatrix(qdd, tau, M);
        M[5]! *= 1 + 1e-9;
        return status;
      },
    }));
    expect(failures(await verification.of(skewed))).toContain('M is symmetric');
    const negative = tampered((correct) => ({
      inverseDynamicsAndMassMatrix: (qdd, tau, M) => {
        const status = correct.inverseDynamicsAndMassMatrix(qdd, tau, M);
        M[0]! *= -1;
        return status;
      },
    }));
    expect(failures(await verification.of(negative))).toContain('M is positive definite');
  });

  it('notices energies and Jacobians that do not belong to the motion', async () => {
    const dynamics = tampered((correct) => ({
      energies: (energy) => {
        const status = correct.energies(energy);
        energy[1]! *= 1.001;
        return status;
      },
      frame: (index, R, t, J) => {
        const status = correct.frame(index, R, t, J);
        if (J) J[0]! += 1e-4;
        return status;
      },
    }));
    const found = failures(await verification.of(dynamics));
    expect(found).toContain('d(T + V)/dt = q̇ᵀ tau along a path');
    expect(found).toContain('difference quotients of poses give the same Jacobians of all frames');
  });

  it.each(['momentum', 'momentumMatrix', 'centreOfMass'] as const)(
    'notices an entry that is wrong in %s',
    async (name) => {
      const dynamics = tampered((correct) => ({
        [name]: (...outputs: never[]) => {
          const status = (correct[name] as (...all: never[]) => Status)(...outputs);
          const written = (outputs as (Float64Array | null)[]).filter(
            (own) => own && (own.length > 3 || name === 'centreOfMass'),
          );
          written.forEach((own) => own!.set(own!.map((x) => x + 1e-9)));
          return status;
        },
      }));
      expect(failures(await verification.of(dynamics))).toContain(
        'sums over mass points give the same momenta and centre of mass',
      );
    },
  );

  it('notices forces of actuators that are not B u', async () => {
    const dynamics = tampered((correct) => ({
      actuate: (u, tau) => {
        const status = correct.actuate(u, tau);
        tau[1]! += 1e-11 * u[1]!;
        return status;
      },
    }));
    expect(failures(await verification.of(dynamics))).toEqual(['forces of actuators are B u']);
  });

  it('compares other languages with TypeScript', async () => {
    const dynamics = create();
    const other = (factor: number, actuation = 1) => ({
      name: 'C',
      precision: 'double' as const,
      evaluate: (states: readonly State[]) =>
        Promise.resolve(
          states.map((state) => {
            const e = evaluateState(dynamics, robot.tip, state);
            return { ...e, g: e.g.map((x) => x * factor), actuation: e.actuation!.map((x) => x * actuation) };
          }),
        ),
    });
    expect((await verifyRobot(robot, dynamics, { states: 1, others: [other(1)] })).passed).toBe(true);
    for (const wrong of [other(1 + 1e-12), other(1, 1 + 1e-12)]) {
      const report = await verifyRobot(robot, dynamics, { states: 1, others: [wrong] });
      expect(failures(report)).toEqual(['C agrees with TypeScript']);
    }
  });

  it('notices what is wrong in functions of other languages that have no term of their own', async () => {
    const dynamics = create();
    const n = robot.coordinates.length;
    const other = (name: string, change: (M: Float64Array, g: Float64Array, J: Float64Array) => void) => ({
      name,
      precision: 'double' as const,
      evaluate: (states: readonly State[]) =>
        Promise.resolve(
          states.map((state) => {
            const terms = evaluateState(dynamics, robot.tip, state);
            const [M, g, J] = [new Float64Array(n * n), new Float64Array(n), new Float64Array(6 * n)] as const;
            dynamics.frame(robot.tip, new Float64Array(9), new Float64Array(3), J);
            dynamics.massMatrixAt(state.q, M);
            dynamics.gravityAt(state.q, g);
            change(M, g, J);
            return { ...terms, further: { massMatrixAt: rows(M, n), gravityAt: [...g], tipJacobian: rows(J, n) } };
          }),
        ),
    });
    const others = [
      other('right', () => undefined),
      other('mass matrix', (M) => (M[n + 1]! *= 1 + 1e-11)),
      other('gravity', (_, g) => (g[1]! *= 1 + 1e-11)),
      other('Jacobian', (_, __, J) => (J[3 * n]! *= -1)),
    ];
    const report = await new Verification(robot, { states: 1, others }).of(dynamics);
    expect(failures(report)).toEqual(
      ['mass matrix', 'gravity', 'Jacobian'].map((name) => `${name} agrees with TypeScript`),
    );
  });

  it('compares rates of tendons whose length hardly changes with the speeds of their ends', async () => {
    const described = loadRobotObject({
      kanegen: 1,
      name: 'mast',
      links: [{ name: 'arm', joint: { revolute: 'z' }, rigid: { mass: 1, com: [0.1, 0, 0] } }],
      actuators: {
        stay: {
          tendon: {
            path: [
              { on: 'base', at: [1e-6, 0, 0.1] },
              { on: 'arm', at: [0.1, 0, 0] },
            ],
          },
        },
      },
    });
    const dynamics = (await loadGenerated(await generateTypeScript(described, compileRobot(described))))();
    /** Misses this share of the speed of the end, 0.1 m q̇. */
    const other = (name: string, [rate, gradient]: readonly [number, number]) => ({
      name,
      precision: 'single' as const,
      evaluate: (states: readonly State[]) =>
        Promise.resolve(
          states.map((state) => {
            const e = evaluateState(dynamics, described.tip, state);
            const yd = e.yd!.map((x) => x + rate * 0.1 * state.qd[0]!);
            return { ...e, yd, B: e.B!.map((row) => row.map((x) => x + gradient * 0.1)) };
          }),
        ),
    });
    const others = [other('rounded', [1e-6, 1e-6]), other('wrong rate', [1e-4, 0]), other('wrong gradient', [0, 1e-4])];
    const report = await verifyRobot(described, dynamics, { others });
    expect(failures(report)).toEqual(['wrong rate agrees with TypeScript', 'wrong gradient agrees with TypeScript']);
  });

  it('finds the smallest pivot of a scaled matrix', () => {
    expect(
      smallestPivot([
        [4, 0],
        [0, 9],
      ]),
    ).toBeCloseTo(1, 15);
    expect(
      smallestPivot([
        [1, 2],
        [2, 1],
      ]),
    ).toBeLessThan(0);
    expect(
      smallestPivot([
        [1, 1],
        [1, 1],
      ]),
    ).toBeLessThanOrEqual(0);
    expect(smallestPivot([[NaN]])).toBe(-Infinity);
  });
});

describe('a verification that cannot check', () => {
  const bar = { kanegen: 1, name: 'bar', links: [{ name: 'a', joint: { revolute: 'x' }, rigid: arm.links[0]!.rigid }] };
  const nothing = (count: number): LoadedRobot => {
    const zeros = (...outputs: (Float64Array | null)[]): 0 => (outputs.forEach((out) => out?.fill(0)), 0);
    return {
      coordinates: count,
      actuators: 0,
      observers: new Map(),
      controllers: new Map(),
      parameters: { gravity: new Float64Array(3) },
      update: () => 0,
      inverseDynamics: (_, tau) => zeros(tau),
      inertialInverseDynamics: (_, tau) => zeros(tau),
      inverseDynamicsAndMassMatrix: (_, tau, M) => zeros(tau, M),
      activeInverseDynamics: (_, tau) => zeros(tau),
      terms: (...outputs) => zeros(...outputs),
      implicitStep: (_h, _tau, q, qd) => zeros(q, qd),
      forwardDynamics: (_, qdd) => zeros(qdd),
      solveMass: (_columns, _rhs, x) => zeros(x),
      implicitFactor: () => 0,
      implicitSolve: (_h, _rq, _rv, _xq, xv) => zeros(xv),
      twin: () => nothing(count),
      singularLink: () => -1,
      massMatrix: (M) => zeros(M),
      fluid: (fluid) => zeros(fluid),
      stiffness: (K) => zeros(K),
      dissipation: (D) => zeros(D),
      frame: (_, ...outputs) => zeros(...outputs),
      external: () => 0,
      externalInFrame: () => 0,
      frameMotion: (_, ...outputs) => zeros(...outputs),
      energies: (energy) => zeros(energy),
      actuation: (...outputs) => zeros(...outputs),
      actuate: (_, tau) => zeros(tau),
      inverseDynamicsAt: (_q, _qd, _qdd, tau) => zeros(tau),
      massMatrixAt: (_, M) => zeros(M),
      gravityAt: (_, g) => zeros(g),
    };
  };

  it('is not ok: zeros for everything, and numbers that are none', async () => {
    const robot = loadRobotObject(bar);
    const wanted = ['tau', 'g', 'M'].map((name) => expect.stringMatching(new RegExp(` ${name}$`)) as string);
    expect(failures(await verifyRobot(robot, nothing(1)))).toEqual(expect.arrayContaining(wanted));
    const undefinedNumbers: LoadedRobot = { ...nothing(1), energies: (energy) => (energy.fill(NaN), 3) };
    const report = await verifyRobot(robot, undefinedNumbers);
    expect(report.checks.find((c) => c.name.includes('kinetic and potential'))).toMatchObject({
      outcome: 'failed',
      figure: expect.stringMatching(/^not finite/) as string,
    });
  });

  it('says so where the robot is too large for numbers', async () => {
    // Robot files have no such numbers.
    const huge: Robot = { ...loadRobotObject(bar), gravity: [1.7e308, 1.7e308, 1.7e308] };
    const report = await verifyRobot(huge, nothing(1));
    expect(report.passed).toBe(false);
    expect(report.checks.find((c) => c.name.includes('mass matrix M'))).toMatchObject({
      outcome: 'unchecked',
      where: 'length or weight of the robot are not finite',
    });
  });

  it('names what is missing on this machine', async () => {
    const report = await verifyRobot(robot, create(), {
      states: 0,
      missing: [{ name: 'C agrees with TypeScript', reason: 'no compiler' }],
    });
    expect(report.passed).toBe(false);
    expect(report.checks.filter((c) => !c.passed)).toMatchObject([{ outcome: 'unchecked', where: 'no compiler' }]);
  });

  it('fails for code that gives no result', async () => {
    const evaluate = () => Promise.reject(new Error('the generated program failed'));
    const report = await verifyRobot(robot, create(), {
      states: 0,
      others: [{ name: 'C', precision: 'double', evaluate }],
    });
    expect(failures(report)).toEqual(['C agrees with TypeScript']);
  });
});

describe('a robot with forces that vanish by symmetry', () => {
  /** Summed over points: both halves pull against each other, and cancel but for the error of the rule. */
  const balanced = {
    parameters: { L: 0.2, a: 0.03, b: 0.02, rho: 1000 },
    coordinates: { u: {}, v: {} },
    volume: { box: { x: ['-a', 'a'], y: ['-b', 'b'], z: [0, 'L'] }, density: 'rho' },
    position: ['x', 'y*(1 + v*z/L)', 'z + a*u*sin(3*x/a*exp(z/L + 0.3*v))/50'],
    distal: { pose: { xyz: [0, 0, 'L'] } },
    integration: { tolerance: 1e-6 },
  };
  let dynamics: LoadedRobot;
  let balancedRobot: Robot;
  let own: Verification;
  beforeAll(async () => {
    const body = { 'body-types': { balanced }, links: [{ body: 'balanced' }] };
    balancedRobot = loadRobotObject({ kanegen: 1, name: 'balanced', ...body });
    dynamics = (await loadGenerated(await generateTypeScript(balancedRobot, compileRobot(balancedRobot))))();
    own = new Verification(balancedRobot, { states: 1 });
  });

  const changed = (change: (c: Float64Array | undefined, g: Float64Array | undefined) => void): LoadedRobot => ({
    ...dynamics,
    terms: (c, g, elastic, damping) => {
      const status = dynamics.terms(c, g, elastic, damping);
      change(c ?? undefined, g ?? undefined);
      return status;
    },
  });

  it('passes: they are measured by what they consist of, between languages too', async () => {
    expect(failures(await own.of(dynamics))).toEqual([]);
    const other = {
      name: 'C',
      precision: 'double' as const,
      evaluate: (states: readonly State[]) =>
        Promise.resolve(
          states.map((state) => {
            const result = evaluateState(dynamics, balancedRobot.tip, state);
            return { ...result, g: result.g.map((g) => g * (1 + 1e-10)) };
          }),
        ),
    };
    const comparing = new Verification(balancedRobot, { states: 1, others: [other] });
    expect(failures(await comparing.of(dynamics))).toEqual([]);
  });

  it('is noticed to be wrong by a ten-thousandth of that', async () => {
    const mass = 1000 * 0.06 * 0.04 * 0.2;
    const M = new Float64Array(4);
    dynamics.massMatrixAt(new Float64Array(2), M);
    const pull = 9.81 * Math.sqrt(M[0]! * mass);
    const report = await own.of(changed((_, g) => g && (g[0]! += 1e-4 * pull)));
    expect(failures(report)).toContain("D'Alembert's principle gives the same gravity terms g");
  });

  it('has Coriolis terms that are not measured by its weight', async () => {
    const report = await own.of(changed((c) => c && (c[0]! *= 1.001)));
    expect(failures(report)).toContain("D'Alembert's principle gives the same Coriolis and centrifugal terms c");
  });
});

describe('a robot with places where some motion moves no mass', () => {
  const SINGULAR = "M is singular where D'Alembert's principle has motions without mass";

  it('passes, and the places are named', async () => {
    const product = {
      parameters: { L: 0.2, R: 0.02, rho: 1000 },
      coordinates: { a: {}, b: {} },
      volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
      position: ['x + a*b*s', 'y', 's*(1 + a^2/4)'],
      distal: { pose: { xyz: ['a*b*L', 0, 'L*(1 + a^2/4)'] } },
    };
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'check',
      'body-types': { product },
      links: [{ body: 'product' }],
    });
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const own = new Verification(robot, { states: 1 });
    const report = await own.of(dynamics);
    expect(failures(report)).toEqual([]);
    const figureOf = (name: string): string | undefined => report.checks.find((c) => c.name === name)?.figure;
    expect(figureOf(SINGULAR)).toBe('some motion moves no mass at straight');
    expect(figureOf('M is positive definite')).toMatch(/^smallest scaled pivot \d/);
    const negative: LoadedRobot = {
      ...dynamics,
      inverseDynamicsAndMassMatrix: (qdd, tau, M) => {
        const status = dynamics.inverseDynamicsAndMassMatrix(qdd, tau, M);
        M[3]! -= 1e-6;
        return status;
      },
    };
    expect(failures(await own.of(negative))).toContain(SINGULAR);
    const stuck: LoadedRobot = { ...dynamics, forwardDynamics: () => KG_SINGULAR };
    expect(failures(await own.of(stuck))).toEqual(['forward dynamics finds the accelerations again']);
  });
});

describe('a robot without something that others have', () => {
  it('passes, and says so: a coordinate that moves no mass, a frame that hangs on nothing', async () => {
    const pin = { joint: { revolute: 'z' } };
    const still = loadRobotObject({
      kanegen: 1,
      name: 'still',
      links: [
        { name: 'a', ...pin, rigid: { mass: 0 } },
        { name: 'b', ...pin, rigid: { mass: 1, com: [0.1, 0, 0] } },
      ],
    });
    const block = loadRobotObject({
      kanegen: 1,
      name: 'block',
      'body-types': {
        block: {
          coordinates: { q: { unit: '1/m' } },
          volume: { box: { x: [0, 0.1], y: [0, 0.1], z: [0, 0.2] }, density: 1000 },
          position: ['x + q*z^2', 'y', 'z'],
          distal: 'none',
        },
      },
      links: [{ body: 'block' }],
    });
    for (const [robot, names] of [
      [still, ['M is positive definite']],
      [
        block,
        [
          'formulas as they were written give the same poses of all frames',
          'difference quotients of poses give the same Jacobians of all frames',
        ],
      ],
    ] as const) {
      const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
      const report = await new Verification(robot, { states: 1 }).of(dynamics);
      expect(report.passed).toBe(true);
      expect(report.checks.filter(({ outcome }) => outcome !== 'passed')).toEqual(
        names.map((name) => expect.objectContaining({ name, outcome: 'not applicable' }) as unknown),
      );
    }
  });
});

it.each([
  ['a free body, whose frame is its centre of mass', { mass: 4, inertia: { xx: 0.12, yy: 0.12, zz: 0.24 } }, 'free'],
  ['a point that slides', { mass: 4 }, { prismatic: 'x' }],
])('%s passes', async (_, rigid, joint) => {
  const robot = loadRobotObject({ kanegen: 1, name: 'floating', links: [{ name: 'body', joint, rigid }] });
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  const report = await new Verification(robot, { states: 6 }).of(dynamics);
  expect(report.checks.filter(({ passed }) => !passed)).toEqual([]);
});

describe('sampled states', () => {
  /** A formula without value below zero, and limits that leave out the straight shape. */
  const grown = (coordinate: object) =>
    loadRobotObject({
      kanegen: 1,
      name: 'check',
      'body-types': {
        own: {
          parameters: { L: 0.2, R: 0.02, rho: 1000 },
          coordinates: { q: { default: 0.5, ...coordinate } },
          volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
          position: ['x', 'y', 's*(1 + sqrt(q)/4)'],
          distal: { pose: { xyz: [0, 0, 'L*(1 + sqrt(q)/4)'] } },
        },
      },
      links: [{ body: 'own' }],
    });

  it('keep within limits whatever they are for, with the path through them', () => {
    const limited = grown({ limits: [0.2, 0.9] });
    const states = sampleStates(limited, 10, 1, 0.2);
    for (const state of states) {
      const path = pathWithin(limited, state, (own) => PATH_ENDS.map((t) => alongPath(own, t)))!;
      for (const q of [state.q[0]!, path.q[0]!, ...PATH_ENDS.map((t) => alongPath(path, t)[0]!)]) {
        expect(q).toBeGreaterThanOrEqual(0.2);
        expect(q).toBeLessThanOrEqual(0.9);
      }
    }
    expect(states.map((s) => s.name)).toContain('all coordinates zero as far as limits and formulas allow');
    // All of the range is looked at.
    expect(Math.max(...sampleStates(limited, 40, 1, 0.2).map((s) => s.q[0]!))).toBeGreaterThan(0.85);
  });

  it('stay where strings clear their cylinders and ends of bands are apart', () => {
    const crane = (force: string): Robot =>
      loadRobotText(
        `kanegen: 1
name: crane
parameters: { k: 40 N/m, L: 0.2 m, r: 50 mm }
links:
  - { name: boom, joint: { revolute: y }, rigid: { mass: 3 kg, distal: { xyz: [0.4, 0, 0] } } }
  - { name: load, joint: { prismatic: -z, default: 0.3 m }, rigid: { mass: 1 kg } }
frames: { drum: { on: boom, at: [0, 50 mm, 0], offset: { rpy: [90 deg, 0, 0] } } }
${force}
`,
        'crane.robot.yaml',
      );
    for (const force of [
      "forces: { band: { potential: 'k/2*(distance(boom, load) - L)^2' } }",
      "actuators: { hoist: { along: '-around(wall, load, drum, r)', frames: { wall: { on: base, at: [0.1, 0, 1] } } } }",
    ]) {
      const states = sampleStates(crane(force), 30, 1, 0.6);
      expect(states.at(-1)!.name).toBe('all coordinates zero as far as limits and formulas allow');
      const least = force.startsWith('forces') ? 1e-5 : 0.05;
      for (const { q } of states) expect(Math.abs(q[1]!)).toBeGreaterThan(least);
    }
    // Zero does no harm without them.
    expect(sampleStates(crane(''), 1, 1, 0.6).at(-1)!.q).toEqual([0, 0]);
  });

  it('have a path through them at a corner of the limits, whatever rounds on the way', () => {
    const limits = [0, 0.01];
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'corner',
      links: [1, 2, 3].map((i) => ({ name: `turn${i}`, joint: { revolute: 'z', limits }, rigid: arm.links[0]!.rigid })),
    });
    for (let seed = 1; seed <= 20; seed++)
      for (const state of sampleStates(robot, 1, seed, 1))
        expect(
          pathWithin(robot, state, (own) => PATH_ENDS.map((t) => alongPath(own, t))),
          `${state.name} ${seed}`,
        ).toBeDefined();
  });

  it('keep within the domain of formulas, with the path through them', () => {
    const robot = grown({});
    for (const state of sampleStates(robot, 10, 1, 0.2)) {
      const path = pathWithin(robot, state, (own) => PATH_ENDS.map((t) => alongPath(own, t)))!;
      for (const t of PATH_ENDS) expect(alongPath(path, t)[0]!).toBeGreaterThan(0);
    }
  });

  it('are what they are called where nothing stands against them', () => {
    const bent = loadRobotObject({ kanegen: 1, name: 'check', links: [{ body: 'planar-cc', parameters: { L: 0.1 } }] });
    const named = new Map(sampleStates(bent, 1, 1, 0.1).map((s) => [s.name, Math.abs(s.q[0]!)]));
    expect(named.get('straight')).toBe(0);
    expect(named.get('straight within 1e-9')).toBeCloseTo(1.2e-9, 20);
    expect(named.get('straight within 1e-3')).toBeCloseTo(1.2e-3, 14);
  });

  it('repeat with the seed, differ between seeds, and keep within limits', () => {
    const limited = loadRobotObject({
      ...arm,
      links: [{ name: 'turn', joint: { revolute: 'z', limits: [0.1, 0.2] }, rigid: arm.links[0]!.rigid }],
      frames: {},
      actuators: {},
      tip: 'turn',
    });
    const states = sampleStates(limited, 20, 7, 1);
    expect(sampleStates(limited, 20, 7, 1)).toEqual(states);
    expect(sampleStates(limited, 20, 8, 1)).not.toEqual(states);
    for (const state of states.slice(0, 20)) {
      expect(state.q[0]).toBeGreaterThanOrEqual(0.1);
      expect(state.q[0]).toBeLessThanOrEqual(0.2);
    }
  });

  it('stay where formulas have values and no material is turned inside out', () => {
    // A section shrinks by √(1 + 1.5 q1), and bends towards x without folding up to a curvature of 1/(2 x).
    const robot = loadRobotObject({ kanegen: 1, name: 'check', links: [{ body: 'lvp', parameters: { L: 0.05 } }] });
    const states = sampleStates(robot, 40, 5, 1).slice(0, 40);
    const share = (spread: number, i: number): number =>
      states.filter((state) => Math.abs(state.q[i]!) > spread / 2).length;
    expect(share(0.3, 0)).toBeGreaterThan(2);
    for (const { q } of states) {
      const middle = 0.025;
      const stretch = 1 + 1.5 * q[0]!;
      expect(stretch).toBeGreaterThan(0);
      const x = 0.02 / Math.sqrt(stretch) + q[2]! * middle;
      expect(1 - (2 * q[4]! * x) / 0.05).toBeGreaterThan(0);
    }
  });
});

describe('a rod that is integrated coarsely', () => {
  it('passes: its rates are as exact as was asked for', async () => {
    const rod = {
      parameters: { L: '0.15 m', R: '12 mm' },
      coordinates: { a: { unit: 'rad', limits: [-2.5, 2.5] }, b: { unit: 'rad', limits: [-2.5, 2.5] } },
      volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: '1100 kg/m^3' },
      strain: { 'bend-x': 'a/L*(1 + s/L)', 'bend-y': 'b/L' },
      integration: { tolerance: 1e-4 },
    };
    const coarse = loadRobotObject({
      kanegen: 1,
      name: 'coarse',
      'body-types': { rod },
      links: [{ name: 'arm', joint: { revolute: 'x' }, body: 'rod' }],
    });
    const make = await loadGenerated(await generateTypeScript(coarse, compileRobot(coarse)));
    const report = await verifyRobot(coarse, make(), { states: 1 });
    expect(failures(report)).toEqual([]);
    const bias = report.checks.find(({ name }) => name === FRAME_LAWS.bias)!;
    expect(bias.error).toBeGreaterThan(1e-7);
    expect(bias.tolerance).toBeLessThanOrEqual(1e-3);
  });
});
