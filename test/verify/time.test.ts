/**
 * Robots that depend on the time explicitly. A body whose coordinate q appears as q + a(t) only is the body without the time at
 * q + a, q̇ + ȧ, q̈ + ä: the same generalized forces, energies and poses, which nothing of the terms ∂/∂t enters.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { mechanismOf } from '../../src/straight/mechanism/mechanism.ts';
import { evaluateRobot, type Evaluation, type State } from '../../src/verify/generated/evaluation.ts';
import { verifyRobot } from '../../src/verify/verify.ts';
import { isInstalled, QUICK } from '../compilers.ts';

const FREQUENCY = 3;
const AMPLITUDES = [0.4, 0.1];

function robotText(swing: string): string {
  return `
kanegen: 1
name: timed
body-types:
  wag:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, w: ${FREQUENCY} rad/s }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-y: (q + ${AMPLITUDES[0]}*${swing})/L }
  sway:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, w: ${FREQUENCY} rad/s }
    coordinates: { q: {} }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    let: { shift: q + ${AMPLITUDES[1]}*${swing} }
    position: [x + s*shift, y, s + x*shift]
    distal: { pose: { xyz: [L*shift, 0, L], rpy: [0, shift, 0] } }
links: [ { name: a, body: wag }, { name: b, body: sway }, { name: c, body: planar-cc } ]
actuators:
  routed: { tendon: { through: a, route: { x: R/2*cos(S), y: R/4 } } }
  reaching: { tendon: { path: [ { on: a, at: { s: L/3, x: R } }, { on: b, at: { s: L/2, y: R/2 } }, { on: c } ] } }
  push: { wrench: { on: a, at: { s: L/3, y: R/2 }, axes: world, force: [0, 0.6, 0.8] } }
`;
}

const states: State[] = [
  { q: [0.3, 0.1, -0.4], qd: [0.2, -0.4, 1.1], qdd: [1, 2, -3], t: 0.7 },
  { q: [0, 0, 0], qd: [0, 0, 0], qdd: [0, 0, 0], t: 0.2 },
  { q: [-0.8, 0.2, 0.9], qd: [1.5, 0.3, -0.6], qdd: [0, -1, 2], t: -1.9 },
];

/** The same state of the robot without the time. */
function moved({ q, qd, qdd, t }: State): State {
  const phase = FREQUENCY * t!;
  const add = (values: readonly number[], factor: number): number[] =>
    values.map((value, i) => value + (AMPLITUDES[i] ?? 0) * factor);
  return {
    q: add(q, Math.sin(phase)),
    qd: add(qd, FREQUENCY * Math.cos(phase)),
    qdd: add(qdd, -(FREQUENCY ** 2) * Math.sin(phase)),
  };
}

function largestDifference(a: Evaluation, b: Evaluation): number {
  const numbers = (e: Evaluation): number[] =>
    [
      e.M.flat(),
      e.tau,
      e.tip_position,
      e.tip_rotation.flat(),
      e.kinetic_energy,
      e.potential_energy,
      e.y!,
      e.yd!,
      e.B!.flat(),
    ].flat();
  return Math.max(...numbers(a).map((value, i) => Math.abs(value - numbers(b)[i]!)));
}

describe('a robot that depends on the time', () => {
  let expected: Evaluation[];
  let timed: Robot;
  let compiled: CompiledRobot;
  beforeAll(async () => {
    timed = loadRobotText(robotText('sin(w*t)'), 'timed.yaml');
    compiled = compileRobot(timed);
    const robot = loadRobotText(robotText('0'), 'still.yaml');
    expected = await evaluateRobot(robot, compileRobot(robot), states.map(moved), {
      target: 'ts',
      precision: 'double',
    });
  });

  const targets = isInstalled('cc') ? (['ts', 'c'] as const) : (['ts'] as const);
  it.each(targets)('moves as without it when its coordinates move with the time (%s)', async (target) => {
    const results = await evaluateRobot(timed, compiled, states, { target, precision: 'double' });
    for (const [i, result] of results.entries()) expect(largestDifference(result, expected[i]!)).toBeLessThan(1e-13);
    expect(largestDifference(results[0]!, results[1]!)).toBeGreaterThan(0.1);
  });

  it('is verified at times of its own, with the balance of its generalized energy', async () => {
    const create = await loadGenerated(await generateTypeScript(timed, compiled));
    const report = await verifyRobot(timed, create(), { states: 2 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    expect(report.checks.map((check) => check.name)).toContain('one-call functions agree with the staged ones');
    expect(report.checks.map((check) => check.name)).toContain(
      'B has the difference quotients of actuation coordinates',
    );
    expect(report.checks.map((check) => check.name)).toContain('d(T + V)/dt = q̇ᵀ tau along a path');
    expect(report.passed).toBe(true);
  });

  it.skipIf(!isInstalled('cc'))('passes the self-test of its C', async () => {
    const program = await buildC(await generateC(timed, compiled), QUICK);
    expect((await runProgram(program).finally(() => program.dispose())).trim()).toBe('timed: ok');
  });

  it('has links without run-time parameters, whose constants are folded', () => {
    const { instances, parameters, members } = robotModel(timed, compiled);
    expect(instances.map(({ constants }) => constants !== null)).toEqual(instances.map(() => true));
    expect([parameters.length, members.map(({ name }) => name)]).toEqual([0, ['time']]);
  });

  it('has no straight-line functions, whose arguments have no time', () => {
    expect(() => mechanismOf(timed)).toThrow(/cannot depend on the time, and wag does/);
  });
});
