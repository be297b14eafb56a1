/**
 * Contacts of bodies that move and rods that stick in straight-line functions: against the driver, derivatives against difference quotients.
 * What the driver has: test/verify.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK } from '../../src/runtime/driver.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import type { StraightFunctionName, StraightRobot } from '../../src/straight/straight-robot.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';

const inertia = '{ xx: 2e-3, yy: 3e-3, zz: 1e-3 }';

/** On a slanted base: a ball that slips on a fin and one that sticks, a rod that sticks to a bar and slips on a plate that moves. */
const ROBOT = `kanegen: 1
name: crowd
gravity: [1, 2, -9]
base: { xyz: [0.1, 0.2, 0], rpy: [0.3, -0.2, 0.5] }
parameters: { k: { value: 300 N/m, runtime: true }, reach: { value: 30 mm, runtime: true } }
links:
  - { name: upper, joint: { revolute: [0, 0.6, 0.8], damping: 0.1 }, offset: { rpy: [0, 0.4, 0.1] }, rigid: { mass: 1 kg, com: [0, 0, 0.1], inertia: ${inertia}, distal: { xyz: [0, 0, 0.3], rpy: [0.2, 0, -0.4] } } }
  - { name: soft, body: planar-cc, parameters: { L: 0.2 m, R: 20 mm, rho: 1000 kg/m^3 } }
  - { name: tip, joint: { prismatic: z, stiffness: 20 N/m }, rigid: { mass: 0.5 kg, com: [0.01, 0.02, 0.1], inertia: ${inertia} } }
  - { name: ball, parent: base, joint: { prismatic: [0.6, 0, 0.8] }, offset: { xyz: [0.3, 0.1, 0.3] }, rigid: { mass: 0.3 kg, inertia: ${inertia} } }
  - { name: fin, parent: ball, joint: { revolute: z }, rigid: { mass: 0.2 kg, com: [0.05, 0, 0], inertia: ${inertia} } }
contacts:
  meet:
    between: [{ sphere: { on: tip, at: [0, 0.02, reach], radius: 0.5 } }, { capsule: { on: fin, at: [0.1, 0, 0], axis: [0.6, 0.8, 0], length: 0.1, radius: 0.4 } }]
    law: { hunt-crossley: { stiffness: k, damping: 0.3 s/m } }
    friction: { coefficient: 0.3, at: 10 cm/s }
  knock:
    between: [{ sphere: { on: upper, radius: 0.4 } }, { sphere: { on: ball, at: [0, 0.05, 0], radius: 0.5 } }]
    law: { spring-damper: { stiffness: 200 N/m, damping: 3 N s/m } }
    friction: { coefficient: 0.5, stiffness: 100 N/m, damping: 2 N s/m }
  grip:
    between: [{ rod: { on: soft, points: 2 } }, { cylinder: { on: base, at: [0.1, 0.1, 0.3], axis: [0.8, 0, 0.6], radius: 0.3 } }]
    law: { hunt-crossley: { stiffness: 2 kN/m^2, damping: 0.5 s/m } }
    friction: { coefficient: 0.4, stiffness: 1 kN/m^2, damping: 3 N s/m^2 }
  push:
    between: [{ plane: { on: fin, axis: [-0.8, 0, 0.6] } }, { rod: { on: soft, points: 2, radius: 0.4 } }]
    law: { spring-damper: { stiffness: 1 kN/m^2, damping: 3 N s/m^2 } }
    friction: { coefficient: 0.2, at: 5 cm/s }
`;
const PARAMETERS: Readonly<Record<string, number>> = {
  ...{ k: 350, reach: 0.04, knock_held: 1, knock_own_x: 0.35, knock_own_z: 0.1, knock_other_x: -0.4 },
  ...{ grip_1_held: 1, grip_1_other_x: 0.3, grip_1_other_y: 0.1, grip_1_other_z: 0.2 },
};
const FUNCTIONS: readonly StraightFunctionName[] = [
  ...(['fluid', 'fluidDerivatives', 'activeInverseDynamics', 'inverseDynamics'] as const),
  ...(['forwardDynamics', 'implicitStep'] as const),
];
const wave = (n: number, phase: number, size = 1): number[] =>
  Array.from({ length: n }, (_, i) => size * Math.sin(1.7 * i + phase));

describe('straight-line functions of robots with contacts of bodies that move', () => {
  let own: Robot;
  let straight: StraightRobot;
  let driver: LoadedRobot;
  let n: number;
  let state: Record<'q' | 'qd' | 'qdd', number[]>;
  beforeAll(async () => {
    own = loadRobotText(ROBOT, 'crowd.robot.yaml');
    straight = compileStraight(own, { functions: FUNCTIONS, count: (outputs) => outputs.length });
    driver = (await loadGenerated(await generateTypeScript(own, compileRobot(own))))();
    n = own.coordinates.length;
    state = { q: wave(n, 1, 0.2), qd: wave(n, 2, 0.5), qdd: wave(n, 3, 2) };
    Object.assign(driver.parameters, PARAMETERS);
    driver.update(state.q, state.qd);
  });

  function valuesAt(name: StraightFunctionName, further: object = {}): readonly number[][] {
    const defaults = driver.parameters as Record<string, number>;
    const at = new Map<Expr, number>(straight.parameters.map((p) => [p.symbol, defaults[p.name]!]));
    for (const [buffer, numbers] of Object.entries({ ...state, ...further }))
      straight.inputs[buffer as 'q'].forEach((symbol, i) => at.set(symbol, numbers[i]!));
    const { outputs } = straight.functions.find((f) => f.name === name)!;
    return outputs.map((o) => evaluate(o.values, at));
  }

  function byDriver(call: (out: Float64Array) => number): number[] {
    const out = new Float64Array(n);
    expect(call(out)).toBe(KG_OK);
    return [...out];
  }

  function expectSame(found: readonly number[], due: readonly number[]): void {
    const size = Math.max(...due.map(Math.abs));
    expect(found).toHaveLength(due.length);
    found.forEach((x, i) => expect(Math.abs(x - due[i]!) / size).toBeLessThan(1e-12));
  }

  it('touch everywhere at this state', () => {
    const gap = new Float64Array(6);
    driver.contact!(gap, null, null, null, null, null, null, null);
    expect(Math.max(...gap)).toBeLessThan(-0.02);
  });

  it('have the forces of the driver', () => {
    const { qdd } = state;
    const fluid = byDriver((out) => driver.fluid(out));
    expect(Math.min(...fluid.map(Math.abs))).toBeGreaterThan(1e-2);
    expectSame(valuesAt('fluid')[0]!, fluid);
    expectSame(
      valuesAt('activeInverseDynamics')[0]!,
      byDriver((out) => driver.activeInverseDynamics(qdd, out)),
    );
    expectSame(
      valuesAt('inverseDynamics')[0]!,
      byDriver((out) => driver.inverseDynamics(qdd, out)),
    );
  });

  it('have the accelerations and implicit steps of the driver', () => {
    const tau = wave(n, 0.3, 3);
    expectSame(
      valuesAt('forwardDynamics', { tau })[0]!,
      byDriver((out) => driver.forwardDynamics(tau, out)),
    );
    const after = byDriver((out) => driver.implicitStep(0.05, tau, new Float64Array(n), out));
    expectSame(valuesAt('implicitStep', { h: [0.05], tau })[1]!, after);
  });

  it('have derivatives that are difference quotients', () => {
    const [step, direction] = [1e-3, wave(n, 5)];
    (['q', 'qd'] as const).forEach((buffer, which) => {
      const matrix = valuesAt('fluidDerivatives')[which]!;
      const along = (by: number): readonly number[] =>
        valuesAt('fluid', { [buffer]: state[buffer].map((x, b) => x + by * step * direction[b]!) })[0]!;
      const weights = [-1, 9, -45, 0, 45, -9, 1];
      const samples = weights.map((_, k) => along(k - 3));
      const due = direction.map((_, a) => samples.reduce((sum, x, k) => sum + (weights[k]! * x[a]!) / (60 * step), 0));
      const size = Math.max(...due.map(Math.abs));
      due.forEach((x, a) => {
        const found = direction.reduce((sum, d, b) => sum + matrix[a * n + b]! * d, 0);
        expect(Math.abs(found - x) / size).toBeLessThan(1e-9);
      });
    });
  });
});
