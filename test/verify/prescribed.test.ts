/**
 * Joints that follow the time (`prescribed`): the same robot with free coordinates at s(t), ṡ(t), s̈(t) has the same generalized forces, energies
 * and poses, and its forces on those coordinates are what moves them.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { load } from '../../src/api/load.ts';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { mechanismOf } from '../../src/straight/mechanism/mechanism.ts';
import { KG_OK } from '../../src/runtime/driver.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const W = 3;

function robotText([shaft, arm, soft]: readonly [string, string, string]): string {
  return `
kanegen: 1
name: led
parameters: { w: { value: ${W} rad/s, runtime: true }, b: 0.3 rad/s^2, a: 0.1 m }
links:
  - { name: slide, joint: { prismatic: x }, rigid: { mass: 2 kg } }
  - name: shaft
    joint: { revolute: z${shaft} }
    offset: { xyz: [0, 0, 0.1] }
    rigid: { mass: 1 kg, com: [0.1, 0, 0.05], inertia: { xx: 1e-3, yy: 2e-3, zz: 2.5e-3 } }
  - name: arm
    joint: { cylindrical: y${arm} }
    offset: { xyz: [0.3, 0, 0] }
    rigid: { mass: 0.5 kg, com: [0.2, 0.02, 0], inertia: { yy: 1e-3, zz: 1e-3 } }
  - { name: soft, body: planar-cc, joint: { universal: [x, y]${soft} } }
water:
  - { density: 1000 kg/m^3, on: soft, drag: { normal: 1.1 }, added-mass: 1 }
  - density: 1000 kg/m^3
    on: arm
    rigid: { at: [0.1, 0, 0.02], volume: 4e-4 m^3, centre: [0.1, 0.01, 0], drag: [0.01, 0.02, 0.03, 1, 2, 3], added-mass: [0.01, 0.02, 0.015, 0.1, 0.2, 0.3] }
`;
}

const LED = robotText([
  ', prescribed: "0.4*sin(w*t) + b*t^2"',
  ', prescribed: { displacement: "a*cos(w*t)" }',
  ', prescribed: { angle1: "sin(t)/5", angle2: "t^2/10" }',
]);

/** s, ṡ, s̈ of the four coordinates. */
const led = (t: number): readonly (readonly [number, number, number])[] => [
  [0.4 * Math.sin(W * t) + 0.3 * t * t, 0.4 * W * Math.cos(W * t) + 0.6 * t, -0.4 * W * W * Math.sin(W * t) + 0.6],
  [0.1 * Math.cos(W * t), -0.1 * W * Math.sin(W * t), -0.1 * W * W * Math.cos(W * t)],
  [Math.sin(t) / 5, Math.cos(t) / 5, -Math.sin(t) / 5],
  [(t * t) / 10, t / 5, 0.2],
];

/** Of the coordinates of the free robot, those that are led. */
const PLACES = [1, 3, 4, 5];
const FREE = [0, 2, 6];

async function running(text: string): Promise<LoadedRobot> {
  const robot = loadRobotText(text, 'led.yaml');
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot, { derivatives: true }))))();
}

describe('joints that follow the time', () => {
  let robot: LoadedRobot;
  let released: LoadedRobot;
  beforeAll(async () => {
    [robot, released] = await Promise.all([running(LED), running(robotText(['', '', '']))]);
  });

  it.each([0.7, -1.3])('move as free coordinates that are led do, at %d s', (t) => {
    const [q, qd, qdd] = [
      [0.1, 0.3, 0.2],
      [0.5, -0.4, 0.7],
      [0.3, 1, -2],
    ] as const;
    const whole = (own: readonly number[], k: 0 | 1 | 2): number[] => {
      const all = Array.from({ length: 7 }, () => 0);
      FREE.forEach((place, i) => (all[place] = own[i]!));
      PLACES.forEach((place, i) => (all[place] = led(t)[i]![k]));
      return all;
    };
    robot.parameters['time'] = t;
    expect([robot.update(q, qd), released.update(whole(q, 0), whole(qd, 1))]).toEqual([0, 0]);
    const [tau, due, water] = [new Float64Array(3), new Float64Array(7), new Float64Array(7)];
    const [force, fluid, found] = [new Float64Array(4), new Float64Array(4), new Float64Array(3)];
    robot.activeInverseDynamics(qdd, tau);
    released.activeInverseDynamics(whole(qdd, 2), due);
    released.fluid(water);
    expect(robot.prescribedForces!(qdd, force, fluid)).toBe(0);
    FREE.forEach((place, i) => expect(tau[i]).toBeCloseTo(due[place]!, 12));
    PLACES.forEach((place, i) => expect(force[i]).toBeCloseTo(due[place]!, 12));
    PLACES.forEach((place, i) => expect(fluid[i]).toBeCloseTo(water[place]!, 12));
    expect(Math.max(...force.map(Math.abs))).toBeGreaterThan(0.5);
    robot.forwardDynamics(tau, found);
    qdd.forEach((a, i) => expect(found[i]).toBeCloseTo(a, 10));
  });

  it('are verified', async () => {
    const plain = loadRobotText(LED, 'led.yaml');
    const create = await loadGenerated(await generateTypeScript(plain, compileRobot(plain)));
    const report = await verifyRobot(plain, create(), { states: 1 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    const names = report.checks.map((check) => check.name);
    expect(names).toContain("D'Alembert's principle gives the same forces on coordinates that follow the time");
    expect(names).toContain('d(T + V)/dt = q̇ᵀ tau + power of the coordinates that follow the time');
  });

  it('have derivatives where links that nothing else moves are in water', async () => {
    const robot = loadRobotText(
      `kanegen: 1
name: led-alone
parameters: { w: 2 1/s, a: 0.1 m }
links:
  - { name: slide, joint: { prismatic: -x, prescribed: "a*sin(w*t)" }, rigid: { mass: 2 kg, com: [0.1, 0.05, 0] } }
  - { name: arm, joint: { revolute: [0.6, 0, 0.8] }, rigid: { mass: 0.5 kg, com: [0.2, 0.02, 0], inertia: { xx: 1e-3, yy: 1e-3, zz: 1e-3 } } }
water:
  density: 1000 kg/m^3
  on: slide
  rigid: { volume: 4e-4 m^3, centre: [0, 0, 0.01], drag: [0.01, 0.02, 0.03, 1, 2, 3], added-mass: [0.01, 0, 0, 0.1, 0.2, 0.3] }
`,
      'led-alone.robot.yaml',
    );
    const dynamics = (
      await loadGenerated(await generateTypeScript(robot, compileRobot(robot, { derivatives: true })))
    )();
    const { checks } = await verifyRobot(robot, dynamics, { states: 1 });
    expect(checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(checks.map(({ name }) => name).join('\n')).toContain('inverse_dynamics_tangent');
  });

  it('are verified beside contacts of bodies that move, whose share in what moves them is not in it', async () => {
    const plain = loadRobotText(
      `kanegen: 1
name: striking
links:
  - { name: shaft, joint: { revolute: y, prescribed: "sin(t)/5" }, rigid: { mass: 1 kg, com: [0, 0, 0.1], inertia: { yy: 0.01 }, distal: { xyz: [0, 0, 0.2] } } }
  - { name: block, parent: base, joint: { prismatic: x }, rigid: { mass: 1 kg } }
contacts:
  hit:
    between: [ { sphere: { on: shaft, radius: 0.2 } }, { sphere: { on: block, at: [0.2, 0, 0.1], radius: 0.2 } } ]
    law: { spring-damper: { stiffness: 500 N/m, damping: 3 N s/m } }
`,
      'striking.yaml',
    );
    const dynamics = (
      await loadGenerated(await generateTypeScript(plain, compileRobot(plain, { derivatives: true })))
    )();
    const report = await verifyRobot(plain, dynamics, { states: 1 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    const fluid = new Float64Array(1);
    dynamics.update([0.1], [0]);
    dynamics.fluid(fluid);
    expect(fluid[0]).not.toBe(0);
  });

  it('are not in straight-line code, and that says so', () => {
    const text = LED.replace(/water:[^]*/, '');
    expect(() => mechanismOf(loadRobotText(text, 'led.yaml'))).toThrow(/no time, which the joint of `shaft` follows/);
  });
});

describe('a robot without coordinates', () => {
  const text = (joint: string): string => `
kanegen: 1
name: led
parameters: { w: { value: 6 rad/s, runtime: true } }
links:
  - { name: shaft, ${joint}, rigid: { mass: 0.1 kg, com: [0, 5 mm, 0], distal: { xyz: [0, 0, 0.1] } } }
`;

  it('moves by the time alone: as its formulas say, in TypeScript and C', async () => {
    const model = loadRobotText(text('joint: { revolute: x, prescribed: sin(w*t) }'), 'led.yaml');
    const dynamics = (await loadGenerated(await generateTypeScript(model, compileRobot(model))))();
    dynamics.parameters['time'] = 0.3;
    const [energy, force] = [new Float64Array(3), new Float64Array(1)];
    expect(dynamics.update([], [])).toBe(KG_OK);
    expect(dynamics.energies(energy)).toBe(KG_OK);
    expect(dynamics.prescribedForces!([], force, null)).toBe(KG_OK);
    // A point mass on an arm of 5 mm, its angle from the level y axis sin(6 t).
    const [r, m, angle] = [5e-3, 0.1, Math.sin(1.8)];
    expect(energy[0]).toBeCloseTo((m * (r * 6 * Math.cos(1.8)) ** 2) / 2, 15);
    expect(energy[1]).toBeCloseTo(m * 9.81 * r * Math.sin(angle), 15);
    expect(force[0]).toBeCloseTo(m * r ** 2 * -36 * angle + m * 9.81 * r * Math.cos(angle), 15);
    const report = await verifyRobot(model, dynamics, { states: 2 });
    expect(report.checks.filter(({ passed }) => !passed)).toEqual([]);
    const states = [0.3, 0.7].map((t) => ({ q: [], qd: [], qdd: [], t }));
    const [inTs, inC] = await Promise.all(
      (['ts', 'c'] as const).map((target) =>
        evaluateRobot(model, compileRobot(model), states, { target, precision: 'double' }),
      ),
    );
    expect(inC!.map((own) => own.kinetic_energy)).toEqual(inTs!.map((own) => own.kinetic_energy));
  }, 60_000);

  it('has no equilibrium and no small motions, and says so', async () => {
    const robot = await load(text('joint: fixed'));
    const place = { code: 'nothing-moves', location: { line: 6 } };
    await expect(robot.statics()).rejects.toMatchObject(place);
    await expect(robot.linearise()).rejects.toMatchObject(place);
    expect((await robot.check()).mass).toBeCloseTo(0.1, 12);
  });
});

const joint = (text: string): string => `
kanegen: 1
name: wrong
parameters: { rate: 2 m/s }
links: [ { name: shaft, joint: ${text}, rigid: { mass: 1 kg, com: [0, 0.1, 0] } } ]
`;

describe('mistakes about joints that follow the time', () => {
  it.each([
    ['{ revolute: x, prescribed: abs(t - 1) }', 'its rate jumps at t = 1 s'],
    ['{ revolute: x, prescribed: "t < 2 ? 0 : 1" }', 'the formula jumps at t = 2 s'],
    ['{ revolute: x, prescribed: abs(sin(t)) }', 'its rate jumps at t = 0 s'],
    ['{ revolute: x, prescribed: rate }', 'must be a plain number, not a quantity in m/s'],
    ['{ revolute: x, prescribed: 1/t }', 'at t = 0 s'],
    ['{ revolute: x, prescribed: { turn: t } }', 'the joint has no coordinate `turn`'],
    ['{ cylindrical: x, prescribed: t }', 'the joint has several coordinates'],
    ['{ fixed: , prescribed: t }', 'a fixed joint has no coordinate to prescribe'],
    ['{ revolute: x, prescribed: t, stiffness: 3 }', '`angle` follows the time'],
    ['{ cylindrical: x, prescribed: { angle: t }, limits: { angle: [0, 1] } }', '`angle` follows the time'],
  ])('%s', (text, message) => {
    let found: unknown;
    try {
      loadRobotText(joint(text), 'wrong.yaml');
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(KanegenError);
    expect((found as KanegenError).message).toContain(message);
  });

  it.each(['sin(t)*abs(sin(t))', 'min(max(t, 0), 1)^2/2 + max(0, t - 1)', '2*pi*t'])('%s has no corner', (formula) => {
    expect(() => loadRobotText(joint(`{ revolute: x, prescribed: "${formula}" }`), 'right.yaml')).not.toThrow();
  });

  it('names motors on coordinates that follow the time', () => {
    const text = `${joint('{ revolute: x, prescribed: t }')}actuators: { drive: { motor: shaft.angle } }`;
    expect(() => loadRobotText(text, 'wrong.yaml')).toThrow(/`shaft.angle` follows the time/);
  });
});
