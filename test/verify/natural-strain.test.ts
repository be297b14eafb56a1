/**
 * Strains without stress: at rest without loads the strain of a rod is the natural one; forces and energies against the independent
 * check, in time as well; the work that a natural strain does as it moves closes the balance of energy.
 */
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { locationText } from '../../src/description/source/diagnostics.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';
import { simulate } from '../../src/api/simulation.ts';
import { loadScenarioText } from '../../src/simulation/scenario/scenario.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { evaluateRobot, termFunctions } from '../../src/verify/generated/evaluation.ts';
import { LAWS } from '../../src/verify/laws/laws.ts';
import { verifyRobot } from '../../src/verify/verify.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInstalled } from '../compilers.ts';

const KAPPA = 4;
const TAU = 3;

/** Two bendings and twist that vary along the rod, and stretch. */
const text = (natural: string, gravity = 'none', more = ''): string => `kanegen: 1
name: grown
gravity: ${gravity === 'none' ? '[0, 0, 0]' : gravity}
body-types:
  rod:
    parameters: { L: 0.3 m, R: 15 mm, kappa0: ${KAPPA} 1/m, w: 5 rad/s }
    coordinates:
      a: { count: 2, unit: rad, limits: [-2 rad, 2 rad] }
      b: { count: 2, unit: rad, limits: [-2 rad, 2 rad] }
      c: { unit: rad, limits: [-2 rad, 2 rad] }
      e: { limits: [-0.3, 0.3] }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1000 kg/m^3 }
    rest: { bend-x: 1/L }
    strain:
      bend-x: (a1 + a2*s/L)/L
      bend-y: (b1 + b2*s/L)/L
      twist: c*s/L^2
      stretch: e
    material: { rod-elasticity: { E: 1 MPa, nu: 0.5 }${more}, natural: ${natural} }
links: [ { name: arm, body: rod } ]
`;
const STILL = `{ bend-x: '2*kappa0*S', bend-y: kappa0, twist: '${TAU}*s/L^2', stretch: 0.05 }`;
const TIMED = "{ bend-y: 'kappa0*(1 + 0.5*S*sin(w*t))', stretch: 0.05*sin(w*t) }";

async function generated(robot: Robot, derivatives = false): Promise<LoadedRobot> {
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot, { derivatives }))))();
}

const targets = isInstalled('cc') ? (['ts', 'c'] as const) : (['ts'] as const);

describe('natural strains', () => {
  it('are those of a rod at rest without loads', async () => {
    const robot = loadRobotText(text(STILL), 'grown.robot.yaml');
    const dynamics = await generated(robot, true);
    const { q } = equilibrium(robot, dynamics, {}, [0, 0, 0, 0, 0, 0]);
    const due = [0, 2 * KAPPA * 0.3, KAPPA * 0.3, 0, TAU, 0.05];
    q.forEach((value, i) => expect(Math.abs(value - due[i]!)).toBeLessThan(1e-12));
  });

  it.each(targets)('have the energy of what is left of the strain: %s', { timeout: 300_000 }, async (target) => {
    const robot = loadRobotText(text(TIMED), 'grown.robot.yaml');
    const state = { q: [0.1, 0, 0.7, 0.2, 0.3, 0.1], qd: [0, 0, 0, 0, 0, 0], qdd: [0, 0, 0, 0, 0, 0], t: 0.4 };
    const [found] = await evaluateRobot(robot, compileRobot(robot), [state], { target, precision: 'double' });
    const [L, R, E] = [0.3, 0.015, 1e6];
    const [A, I] = [Math.PI * R ** 2, (Math.PI / 4) * R ** 4];
    const sine = Math.sin(5 * 0.4);
    // ∫ (α + β S)² ds
    const squared = (alpha: number, beta: number): number => L * (alpha ** 2 + alpha * beta + beta ** 2 / 3);
    const bend = (E * I * (squared(0.1 / L, 0) + squared(0.7 / L - KAPPA, 0.2 / L - 0.5 * KAPPA * sine))) / 2;
    const twist = ((E / 3) * 2 * I * squared(0, 0.3 / L)) / 2;
    const stretch = (E * A * squared(0.1 - 0.05 * sine, 0)) / 2;
    expect(found!.elastic_energy / (bend + twist + stretch)).toBeCloseTo(1, 12);
    expect(found!.elastic[5]! / (E * A * L * (0.1 - 0.05 * sine))).toBeCloseTo(1, 12);
  });

  it('are what straight-line code has, where the time moves nothing', async () => {
    const robot = loadRobotText(
      `kanegen: 1
name: bent
body-types:
  soft: { extends: planar-cc, material: { rod-elasticity: { E: 1 MPa, nu: 0.5 }, natural: { bend-y: 3 1/m } } }
links: [ { name: soft, body: soft } ]
`,
      'bent.robot.yaml',
    );
    const straight = compileStraight(robot, { functions: termFunctions(robot), count: generatedCost });
    const state = { q: [0.8], qd: [0], qdd: [0] };
    const options = { target: 'ts', precision: 'double' } as const;
    const compiled = compileRobot(robot);
    const [driver] = await evaluateRobot(robot, compiled, [state], options);
    const [own] = await evaluateRobot(robot, compiled, [state], { ...options, straight });
    expect(own!.elastic[0]! / driver!.elastic[0]!).toBeCloseTo(1, 14);
    const [bent] = await evaluateRobot(robot, compiled, [{ ...state, q: [0] }], { ...options, straight });
    expect(bent!.elastic[0]! / driver!.elastic[0]!).toBeLessThan(0);
  });

  it.each([
    ['still', text(STILL, '[0, 0, -9.81]', ', retardation-time: 0.05 s')],
    // A minute; the balance of energy below has it in every run.
    ...(process.env['KANEGEN_FULL'] === '1'
      ? [['in time', text(TIMED, '[0, 0, -9.81]', ', retardation-time: 0.05 s')]]
      : []),
  ])(
    'are what the independent path has, in motion and along directions: %s',
    { timeout: 600_000 },
    async (_, given) => {
      const robot = loadRobotText(given, 'grown.robot.yaml');
      const report = await verifyRobot(robot, await generated(robot, true), { states: 1 });
      expect(report.checks.filter(({ passed }) => !passed)).toEqual([]);
      const done = report.checks.filter(({ outcome }) => outcome === 'passed').map(({ name }) => name);
      expect(done).toContain(LAWS.stored);
    },
  );

  it.each(targets)(
    'do work as they move, which closes the balance of energy: %s',
    { timeout: 300_000 },
    async (target) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-natural-'));
      try {
        writeFileSync(
          path.join(folder, 'grown.robot.yaml'),
          text(TIMED, '[0, 0, -9.81]', ', retardation-time: 0.02 s'),
        );
        const scenario = loadScenarioText(
          `kanegen-scenario: 1
robot: grown.robot.yaml
duration: 0.5 s
integrator: { method: rosenbrock, tolerance: 1e-7 }
outputs: { every: 0.05 s }
`,
          path.join(folder, 'run.scenario.yaml'),
        );
        const { balance, failure, samples } = await simulate(scenario, { target });
        expect(failure).toBeUndefined();
        expect(Math.abs(samples.at(-1)!.energy.work)).toBeGreaterThan(1e-3 * balance!.exchanged);
        expect(balance!.defect / balance!.exchanged).toBeLessThan(1e-5);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});

describe('natural strains are refused', () => {
  it.each([
    ['of coordinates', '{ bend-y: ¦a1/L }', 'wrong-variable'],
    ['of the section', '{ bend-y: ¦x/L^2 }', 'wrong-variable'],
    ['of a wrong dimension', '{ bend-y: ¦0.3 m }', 'wrong-unit'],
    ['with a pole on the rod', '{ bend-y: ¦1/(s - L/2) }', 'irregular-kinematics'],
    ['of unknown names', '{ ¦bend: 3 1/m }', 'unknown-key'],
  ] as const)('%s', (_, natural, code) => {
    const marked = text(natural);
    const before = marked.slice(0, marked.indexOf('¦')).split('\n');
    let error: unknown;
    try {
      loadRobotText(marked.replace('¦', ''), 'bad.robot.yaml');
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

  it('of the time where a coordinate has its name', () => {
    const given = text("{ bend-y: 'kappa0*sin(t)' }")
      .replace('c: { unit', 't: { unit')
      .replace('twist: c*s', 'twist: t*s');
    expect(() => loadRobotText(given, 'bad.robot.yaml')).toThrow('`t` is not allowed here: it is a coordinate');
  });

  it('of solids, and of one volume of several', () => {
    const refused = (change: (given: string) => string): string => {
      try {
        loadRobotText(change(text('{ bend-y: 3 1/m }')), 'bad.robot.yaml');
      } catch (error) {
        return (error as KanegenError).message;
      }
      return '';
    };
    const inside =
      'density: 1000 kg/m^3, material: { rod-elasticity: { E: 1 MPa, nu: 0.5 }, natural: { bend-y: 3 1/m } } }';
    expect(refused((given) => given.replace('density: 1000 kg/m^3 }', inside))).toContain('one natural strain');
    const solid = `body-types:
  solid: { extends: planar-cc, material: { st-venant-kirchhoff: { E: 1 MPa, nu: 0.3 }, natural: { bend-y: 3 1/m } } }
links: [ { name: arm, body: solid } ]
`;
    expect(refused((given) => `${given.slice(0, given.indexOf('body-types'))}${solid}`)).toContain('laws of rods');
  });
});
