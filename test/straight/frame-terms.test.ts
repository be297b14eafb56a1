/**
 * Straight pieces of tendons and wrenches in straight-line functions, against the driver in both languages; verify holds them against
 * difference quotients of what the file says.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import type { StraightRobot } from '../../src/straight/straight-robot.ts';
import { evaluateRobot, termFunctions, type Evaluation } from '../../src/verify/generated/evaluation.ts';
import { isInstalled } from '../compilers.ts';

/** A tree with turned axes everywhere: tendons past links, through a body, between branches, on the base; wrenches of all kinds. */
const source = `kanegen: 1
name: reaching
base: { xyz: [0.1, 0.2, 0.3], rpy: [0.3, -0.2, 0.5] }
parameters: { reach: { value: 50 mm, runtime: true } }
links:
  - name: bracket
    offset: { rpy: [0.2, 0.1, -0.4] }
    joint: { universal: [x, y] }
    rigid: { mass: 0.4, com: [0, 0, 0.02], inertia: { xx: 0.001, yy: 0.001, zz: 0.0005 }, distal: { xyz: [0.02, -0.01, 0.06], rpy: [0.1, 0.4, 0.2] } }
  - { name: soft, body: planar-cc-elongation, parameters: { L: 0.2, R: 0.02, rho: 1070 } }
  - { name: grip, joint: { prismatic: [0.6, 0, 0.8] }, rigid: { mass: 0.4, com: [0, 0, 0.02], distal: { xyz: [0, 0, 0.1] } } }
  - { name: side, parent: bracket, joint: { revolute: [0, 0.6, 0.8] }, rigid: { mass: 0.3, com: [0, 0.03, 0], distal: { xyz: [0.1, 0, 0] } } }
frames:
  tool: { on: grip, offset: { xyz: [0.01, 0.02, 0.03], rpy: [0.3, -0.2, 0.5] } }
  within: { on: soft, at: { s: 0.12, y: 0.01 }, offset: { rpy: [0.4, 0, 0.2] } }
actuators:
  held: { tendon: { path: [ { on: base, at: [0.1, 0, 0] }, { on: soft, at: { s: reach, x: 0.01 } }, { on: side, at: [0, 0.1, 0] } ] } }
  push: { wrench: { on: soft, at: { s: 0.1, y: 0.01 }, axes: world, force: [0.8, 0, -0.6] } }
  base_in: { tendon: { path: [ { on: base, at: [reach, -0.02, -0.03] }, { on: bracket, at: [-0.01, 0.012, 0] } ] } }
  across: { tendon: { path: [ { on: side, at: [0.01, 0.012, 0] }, { on: grip, at: [-0.015, 0.02, 0.08] } ] } }
  local: { tendon: { path: [ { on: bracket, at: [-0.01, 0.012, 0] }, { on: side, frame: proximal, at: [0.02, 0.01, 0.05] } ] } }
  whole:
    tendon:
      path:
        - { on: bracket, frame: proximal, at: [0.03, 0.005, 0.02] }
        - { through: soft, route: { x: 0.016, y: 0 } }
        - { on: grip, at: [0.02, 0.004, 0.05] }
  lift: { wrench: { on: tool, at: [0, 0, reach], axes: world, force: [0, 0.6, 0.8] } }
  wind: { wrench: { on: tool, axes: world, moment: -x } }
  thrust: { wrench: { on: tool, at: [0, 0.1, 0.1], force: z } }
  twist: { wrench: { on: soft, moment: y } }
  hold: { wrench: { on: base, axes: world, force: x } }
  turn: { wrench: { on: soft, at: { s: 0.07, x: 0.01 }, moment: [0, 0.6, 0.8] } }
  drag: { wrench: { on: within, at: [0, reach, 0.01], force: [0.6, 0.8, 0] } }
`;
const robot = loadRobotText(source, 'reaching.robot.yaml');
const ACROSS = robot.actuators.findIndex(({ name }) => name === 'across');
const at = (k: number, scale: number): number[] =>
  robot.coordinates.map((_, i) => scale * Math.sin(1.3 * i + 2 * k + 0.4));
const states = [0, 1].map((k) => ({
  q: at(k, 0.3).map((x, a) => (robot.coordinates[a]!.unit === 'm' ? 0.1 * x : x)),
  qd: at(k + 5, 0.5),
  qdd: at(k + 9, 1),
  u: robot.actuators.map((_, j) => 10 * Math.sin(2.1 * j + 1 + k)),
}));

/** Of one number a state and a list of them alike, measured by the largest. */
function close(found: readonly number[], due: readonly number[], what: string, digits = 2e-13): void {
  const largest = Math.max(...due.map(Math.abs));
  expect(found.length).toBe(due.length);
  found.forEach((x, i) => expect(Math.abs(x - due[i]!), `${what} ${i}`).toBeLessThanOrEqual(digits * largest));
}

function compare(found: Evaluation, due: Evaluation): void {
  for (const key of ['y', 'yd', 'ydd0', 'actuation'] as const) close(found[key]!, due[key]!, key);
  robot.actuators.forEach(({ name }, j) =>
    close(
      found.B!.map((row) => row[j]!),
      due.B!.map((row) => row[j]!),
      `B of ${name}`,
    ),
  );
}

describe('actuators that reach from link to link, in straight-line functions', () => {
  let compiled: CompiledRobot;
  let straight: StraightRobot;
  beforeAll(() => {
    compiled = compileRobot(robot);
    straight = compileStraight(robot, { functions: termFunctions(robot), count: generatedCost });
  });

  // In C, which has the same operations, with everything else.
  it.each(process.env['KANEGEN_FULL'] === '1' ? (['ts', 'c'] as const) : (['ts'] as const))(
    'have what the driver has: %s',
    async (target) => {
      if (target === 'c' && !isInstalled('cc')) return;
      const due = await evaluateRobot(robot, compiled, states, { target: 'ts', precision: 'double' });
      const found = await evaluateRobot(robot, compiled, states, { target, precision: 'double', straight });
      found.forEach((own, i) => compare(own, due[i]!));
    },
  );

  it('do not depend on what carries both ends', () => {
    const actuation = straight.functions.find(({ name }) => name === 'actuation')!;
    const B = actuation.outputs.find(({ buffer }) => buffer === 'B')!.values;
    const rowOf = (coordinate: string): number => robot.coordinates.findIndex(({ name }) => name === coordinate);
    const entry = (coordinate: string, actuator: number) => B[rowOf(coordinate) * robot.actuators.length + actuator];
    for (const coordinate of ['bracket.angle1', 'bracket.angle2'])
      expect(entry(coordinate, ACROSS)).toMatchObject({ kind: 'rational' });
    expect(entry('side.angle', ACROSS)).not.toMatchObject({ kind: 'rational' });
  });
});
