/** Functions for derivatives that are wrong in the fifth digit of one number, and right ones: what verification says of them. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  loadGenerated,
  loadStraight,
  type LoadedRobot,
  type LoadedStraight,
} from '../../src/codegen/typescript/load.ts';
import { generateStraightTypeScript } from '../../src/codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { straightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Status } from '../../src/runtime/driver.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { DERIVATIVES } from '../../src/verify/laws/derivative-check.ts';
import { Verification } from '../../src/verify/verify.ts';

const rigid =
  '{ mass: 0.4, com: [0.02, -0.01, 0.05], inertia: { xx: 2e-3, yy: 1.5e-3, zz: 1e-3, xy: 1e-4 }, distal: { xyz: [0.03, 0.01, 0.1], rpy: [0.3, -0.2, 0.5] } }';
const robot = loadRobotText(
  `kanegen: 1
name: driven
gravity: [1, 2, -9]
parameters:
  rho: { value: 1000 kg/m^3, runtime: true, min: 1000 kg/m^3 }
  k: { value: 3 N m/rad, runtime: true }
  tilt: { value: 0.3, runtime: true }
  height: { value: 0.4 m, runtime: true }               # which moves nothing against gravity
base: { xyz: [0, 0.1, height], rpy: [tilt, 0.2, -2*tilt] }
links:
  - { name: root, joint: { revolute: [0, 0.6, 0.8], stiffness: k, damping: 0.2 N m s/rad }, rigid: ${rigid} }
  - { name: soft, body: planar-cc, parameters: { L: 0.2, R: 0.02, rho: rho } }
  - { name: side, parent: root, joint: { prismatic: x }, rigid: ${rigid} }
actuators:
  pull: { along: sin(root.angle) + 2*root.angle^2, unit: rad }
  bend: { along: soft.q^2, unit: rad }
`,
  'driven.robot.yaml',
);

const NAMES = [
  ['inverseDynamicsTangent', 'tangent'],
  ['forwardDynamicsTangent', 'forward'],
  ['inverseDynamicsAdjoint', 'adjoint'],
  ['newtonStep', 'newton'],
  ['actuateTangent', 'actuate'],
  ['externalTangent', 'loads'],
  ['externalInFrameTangent', 'loads'],
  ['inverseDynamicsVariation', 'variation'],
  ['forwardDynamicsVariation', 'variation'],
  ['implicitStepTangent', 'stepTangent'],
  ['implicitStepAdjoint', 'step'],
  ['implicitStepGradient', 'gradient'],
] as const;

type Call = (...arguments_: unknown[]) => Status;

describe('verification of functions for derivatives', () => {
  let dynamics: LoadedRobot & Record<string, unknown>;
  let functions: LoadedStraight;
  let kept: readonly LoadedRobot['parameters'][];
  let verification: Verification;
  const straight = { functions: {} as LoadedStraight, kept: [] as LoadedRobot['parameters'][] };

  beforeAll(async () => {
    const compiled = compileRobot(robot, { derivatives: true });
    const files = await generateTypeScript(robot, compiled);
    dynamics = (await loadGenerated(files))() as typeof dynamics;
    const form = compileStraight(robot, { functions: ['inverseDynamicsDerivatives'], count: generatedCost });
    functions = await loadStraight(files, generateStraightTypeScript(straightModel(robot, compiled, form)));
    kept = [dynamics.parameters];
    Object.assign(straight, { functions, kept });
    verification = new Verification(robot, { states: 1, straight });
  });

  const failed = async (): Promise<string[]> =>
    (await verification.of(dynamics)).checks.filter(({ passed }) => !passed).map(({ name }) => name);

  /** What there is to compare of this robot, which is dry and a tree. */
  const { straightFluid, closed, closedAdjoint, closedStepTangent, closedStep } = DERIVATIVES;
  const ofOthers: readonly string[] = [straightFluid, closed, closedAdjoint, closedStepTangent, closedStep];
  const COMPARED = Object.values(DERIVATIVES).filter((name) => !ofOthers.includes(name));

  it('passes right ones, and names each that it compared', async () => {
    const { checks, passed } = await verification.of(dynamics);
    expect(passed).toBe(true);
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(COMPARED));
  });

  it('are compared where bodies are bent and where they are straight', async () => {
    const { notes } = await verification.of(dynamics);
    expect(notes).toContain('derivatives in TypeScript, at random 1, straight: those of C by the self-test beside it');
  });

  it('says nothing of functions that the code does not have', async () => {
    const plain = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const { checks } = await new Verification(robot, { states: 0 }).of(plain);
    for (const name of Object.values(DERIVATIVES)) expect(checks.map((check) => check.name)).not.toContain(name);
  });

  // Each output in turn: the last array that a call is given, and those before it of adjoints.
  it.each(NAMES.flatMap(([method, check]) => outputsOf(method).map((output) => [method, output, check] as const)))(
    'notices a wrong %s (output %i)',
    async (method, output, check) => {
      const right = dynamics[method] as Call;
      dynamics[method] = (...given: unknown[]): Status => {
        const status = right.apply(dynamics, given);
        const written = given.at(-output) as Float64Array;
        for (let i = 0; i < written.length; i++) if (i % 3 === 1 % written.length) written[i]! *= 1 + 1e-5;
        return status;
      };
      try {
        expect(await failed()).toContain(DERIVATIVES[check]);
      } finally {
        dynamics[method] = right;
      }
    },
  );

  it.each([1, 2])('notices wrong straight-line derivatives (output %i)', async (output) => {
    const right = functions.inverseDynamicsDerivatives!;
    straight.functions = {
      inverseDynamicsDerivatives: (...given) => {
        const status = right(...given);
        (given.at(-output) as Float64Array)[0]! *= 1 + 1e-5;
        return status;
      },
    };
    try {
      expect(await failed()).toEqual([DERIVATIVES.straight]);
    } finally {
      straight.functions = functions;
    }
  });
});

function outputsOf(method: (typeof NAMES)[number][0]): number[] {
  if (method === 'inverseDynamicsAdjoint' || method === 'implicitStepAdjoint') return [1, 2, 3];
  // The rest of them are those of implicitStepAdjoint.
  return method === 'implicitStepGradient' ? [1, 4] : [1];
}

it('takes steps of rates over which dry friction is smooth', async () => {
  const dry = loadRobotText(
    `kanegen: 1
name: dry
parameters: { v: { value: 0.01 rad/s, runtime: true } }
links:
  - { name: a, joint: { revolute: y, friction: { coulomb: 2 N m, at: v } }, rigid: ${rigid} }
  - { name: b, joint: { revolute: x, friction: { coulomb: 3 N m, at: v } }, rigid: ${rigid} }
  - { name: c, joint: { revolute: y, friction: { coulomb: 3 N m, at: v } }, rigid: ${rigid} }
`,
    'dry.robot.yaml',
  );
  const dynamics = (await loadGenerated(await generateTypeScript(dry, compileRobot(dry, { derivatives: true }))))();
  // A rate in the bend of the friction.
  const { checks } = await new Verification(dry, { seed: 4, states: 1 }).of(dynamics);
  expect(checks.filter(({ passed }) => !passed)).toEqual([]);
  expect(checks.map(({ name }) => name)).toContain(DERIVATIVES.step);
});
