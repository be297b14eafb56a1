/**
 * Internal moments and forces that are spread over rods: gradients against sums of the test's own, rates against difference
 * quotients in time, a moment that is the same everywhere against a couple at the tip; what is refused.
 */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { locationText } from '../../src/description/source/diagnostics.ts';
import { KanegenError } from '../../src/common/error.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { evaluateRobot, termFunctions, type State } from '../../src/verify/generated/evaluation.ts';
import { ACTUATION } from '../../src/verify/laws/actuation-check.ts';
import { verifyRobot } from '../../src/verify/verify.ts';
import { isInstalled } from '../compilers.ts';

const L = 0.3;
const K = 0.3;
const W = 3;
/** Bending and twist vary along the rod; the second stretches. */
const ROBOT = `kanegen: 1
name: fielded
gravity: [0, 0, -9.81]
parameters: { w: ${W} rad/s, k: { value: ${K} N m, runtime: true, summary: moment } }
body-types:
  rod:
    parameters: { L: ${L} m, R: 15 mm }
    coordinates:
      a: { count: 2, unit: rad, limits: [-1 rad, 1 rad] }
      b: { count: 2, unit: rad, limits: [-1 rad, 1 rad] }
      c: { unit: rad, limits: [-1 rad, 1 rad] }
      e: { limits: [-0.2, 0.2] }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1000 kg/m^3 }
    strain:
      bend-x: (a1 + a2*s/L)/L
      bend-y: (b1 + b2*sin(2*s/L + 0.4*b1))/L
      twist: c*s/L^2
      stretch: e*s/L
links: [ { name: arm, joint: { revolute: y }, body: rod } ]
actuators:
  still: { field: { through: arm, moment: { bend-x: "k*exp(-(2*S)^2)", twist: 0.1*k*S }, force: { stretch: k/L*(1 - S) } } }
  wave: { field: { through: arm, moment: { bend-y: "k*sin(w*t - 2*pi*S)" } } }
`;
const STATE = {
  q: [0.4, 0.5, -0.3, 0.7, 0.2, -0.6, 0.1],
  qd: [0.3, -0.8, 0.5, 0.9, -0.4, 0.6, 0.2],
  qdd: [0, 0, 0, 0, 0, 0, 0],
  u: [1.3, -0.7],
};

/** By Simpson's rule. */
function integral(f: (share: number) => number): number {
  const steps = 2000;
  let sum = 0;
  for (let k = 0; k <= steps; k++) sum += (k === 0 || k === steps ? 1 : k % 2 ? 4 : 2) * f(k / steps);
  return (sum * L) / (3 * steps);
}

/** By hand: ∂y/∂q of both fields at a state. */
function gradients({ q }: { readonly q: readonly number[] }, t: number): number[][] {
  const [, , , b1, b2] = q as [number, number, number, number, number];
  const bend = (S: number): number => K * Math.exp(-((2 * S) ** 2));
  const wave = (S: number): number => K * Math.sin(W * t - 2 * Math.PI * S);
  const angle = (S: number): number => 2 * S + 0.4 * b1;
  return [
    [
      0,
      integral((S) => bend(S) / L),
      integral((S) => (bend(S) * S) / L),
      0,
      0,
      integral((S) => (0.1 * K * S * S) / L),
      integral((S) => (K / L) * (1 - S) * S),
    ],
    [
      0,
      0,
      0,
      integral((S) => (wave(S) * (1 + 0.4 * b2 * Math.cos(angle(S)))) / L),
      integral((S) => (wave(S) * Math.sin(angle(S))) / L),
      0,
      0,
    ],
  ];
}

const targets = isInstalled('cc') ? (['ts', 'c'] as const) : (['ts'] as const);

describe('fields along rods', () => {
  it.each(targets)('do work on the strains of their names: %s', { timeout: 300_000 }, async (target) => {
    const robot = loadRobotText(ROBOT, 'fielded.robot.yaml');
    const h = 1e-3;
    const moved = (k: number): State => ({
      ...STATE,
      q: STATE.q.map((q, a) => q + k * h * STATE.qd[a]!),
      t: 0.9 + k * h,
    });
    const states = [0, 1, -1, 2, -2].map(moved);
    const options = { target, precision: 'double' } as const;
    const found = await evaluateRobot(robot, compileRobot(robot), states, options);
    const [here, ...around] = found;
    gradients(STATE, 0.9).forEach((due, j) => {
      due.forEach((slope, a) => expect(here!.B![a]![j]!).toBeCloseTo(slope, 9));
      const quotient = (of: 'y' | 'yd'): number => {
        const [after, before, after2, before2] = around.map((own) => own[of]![j]!) as [number, number, number, number];
        return (8 * (after - before) - (after2 - before2)) / (12 * h);
      };
      expect(quotient('y')).toBeCloseTo(here!.yd![j]!, 9);
      expect(quotient('yd')).toBeCloseTo(here!.ydd0![j]!, 9);
    });
  });

  it('are what the independent path has, in motion and along directions', { timeout: 600_000 }, async () => {
    const robot = loadRobotText(ROBOT, 'fielded.robot.yaml');
    const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot, { derivatives: true })));
    const report = await verifyRobot(robot, create(), { states: 1 });
    expect(report.checks.filter(({ passed }) => !passed)).toEqual([]);
    const done = report.checks.filter(({ outcome }) => outcome === 'passed').map(({ name }) => name);
    expect(done).toEqual(expect.arrayContaining(Object.values(ACTUATION)));
  });

  it('that are the same everywhere are a couple at the tip of a rod in the plane, in straight-line code, too', async () => {
    const robot = loadRobotText(
      `kanegen: 1
name: couple
links: [ { name: soft, body: planar-cc-elongation } ]
actuators:
  field: { field: { through: soft, moment: { bend-y: 1 N m } } }
  couple: { wrench: { on: soft, moment: y } }
`,
      'couple.robot.yaml',
    );
    const states = [{ q: [0.8, 0.01], qd: [0, 0], qdd: [0, 0], u: [0, 0] }];
    const compiled = compileRobot(robot);
    const straight = compileStraight(robot, { functions: termFunctions(robot), count: generatedCost });
    for (const form of [undefined, straight]) {
      const options = { target: 'ts', precision: 'double', straight: form } as const;
      const [found] = await evaluateRobot(robot, compiled, states, options);
      found!.B!.forEach(([field, couple]) => expect(Math.abs(field! - couple!)).toBeLessThan(1e-12));
      expect(Math.abs(found!.B![0]![0]!)).toBeCloseTo(1, 12);
    }
  });
});

describe('fields are refused', () => {
  it.each([
    ['of forces for moments', '{ through: arm, moment: { bend-y: ¦1 N } }', 'wrong-unit'],
    ['with a pole on the rod', '{ through: arm, moment: { bend-y: ¦k*L/(s - L/2) } }', 'not-finite'],
    ['of coordinates', '{ through: arm, moment: { bend-y: ¦k*b1 } }', 'wrong-variable'],
    ['of unknown names', '{ through: arm, moment: { bend-y: ¦kk } }', 'unknown-symbol'],
    ['through unknown links', '{ through: ¦arms, moment: { bend-y: k } }', 'unknown-link'],
    ['through rigid bodies', '{ through: ¦hand, moment: { bend-y: k } }', 'wrong-value'],
    ['through one link twice', '{ through: ¦[arm, arm], moment: { bend-y: k } }', 'wrong-value'],
    ['without components', '¦{ through: arm }', 'missing-key'],
    ['with forces among moments', '{ through: arm, moment: { ¦stretch: k } }', 'unknown-key'],
  ] as const)('%s', (_, field, code) => {
    const text = ROBOT.replace(/  wave: .*\n/, `  wave: { field: ${field} }\n`).replace(
      'body: rod } ]',
      'body: rod }, { name: hand, rigid: { mass: 1 kg } } ]',
    );
    const before = text.slice(0, text.indexOf('¦')).split('\n');
    let error: unknown;
    try {
      loadRobotText(text.replace('¦', ''), 'bad.robot.yaml');
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(KanegenError);
    const found = error as KanegenError;
    expect([found.code, locationText(found.location!)]).toEqual([
      code,
      `bad.robot.yaml:${before.length}:${before.at(-1)!.length + 1}`,
    ]);
    expect(found.remedy).toBeTruthy();
  });
});
