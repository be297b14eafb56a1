/**
 * What `kanegen verify` reports: that it passes on correct code, and that it notices each kind of wrong code.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { LoadedRobot } from '../../src/codegen/load.ts';
import { loadGenerated } from '../../src/codegen/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateState, type State } from '../../src/verify/evaluation.ts';
import { sampleStates } from '../../src/verify/sample-states.ts';
import { smallestPivot } from '../../src/verify/laws.ts';
import { verifyRobot, type VerificationReport } from '../../src/verify/verify.ts';

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
};

let robot: Robot;
let create: () => LoadedRobot;

beforeAll(async () => {
  robot = loadRobotObject(arm);
  create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
});

const failures = (report: VerificationReport): string[] => report.checks.filter((c) => !c.passed).map((c) => c.name);

/** Generated code with one function replaced. */
function tampered(change: (correct: LoadedRobot) => Partial<LoadedRobot>): LoadedRobot {
  const correct = create();
  return { ...correct, ...change(correct) };
}

describe('verification', () => {
  it('passes on generated code, at straight and almost straight states too', async () => {
    const report = await verifyRobot(robot, create(), { states: 1 });
    expect(failures(report)).toEqual([]);
    expect(report.passed).toBe(true);
    expect(report.states).toContain('straight');
    expect(report.states).toContain('straight within 1e-9');
    expect(report.checks.length).toBeGreaterThanOrEqual(12);
  });

  it('notices an error of 1e-11 in a Coriolis term', async () => {
    const dynamics = tampered((correct) => ({
      terms: (c, g, elastic, damping) => {
        correct.terms(c, g, elastic, damping);
        if (c) c[1]! *= 1 + 1e-11;
      },
    }));
    const report = await verifyRobot(robot, dynamics, { states: 1 });
    expect(failures(report)).toContain("D'Alembert's principle gives the same Coriolis and centrifugal terms c");
    expect(report.passed).toBe(false);
  });

  it('notices a mass matrix that is not symmetric, and one that is not definite', async () => {
    const skewed = tampered((correct) => ({
      inverseDynamicsAndMassMatrix: (qdd, tau, M) => {
        correct.inverseDynamicsAndMassMatrix(qdd, tau, M);
        M[5]! *= 1 + 1e-9;
      },
    }));
    expect(failures(await verifyRobot(robot, skewed, { states: 1 }))).toContain('M is symmetric');
    const negative = tampered((correct) => ({
      inverseDynamicsAndMassMatrix: (qdd, tau, M) => {
        correct.inverseDynamicsAndMassMatrix(qdd, tau, M);
        M[0]! *= -1;
      },
    }));
    expect(failures(await verifyRobot(robot, negative, { states: 1 }))).toContain('M is positive definite');
  });

  it('notices energies and Jacobians that do not belong to the motion', async () => {
    const dynamics = tampered((correct) => ({
      energies: (energy) => {
        correct.energies(energy);
        energy[1]! *= 1.001;
      },
      frame: (index, R, t, J) => {
        correct.frame(index, R, t, J);
        if (J) J[0]! += 1e-4;
      },
    }));
    const found = failures(await verifyRobot(robot, dynamics, { states: 1 }));
    expect(found).toContain('d(T + V)/dt = q̇ᵀ tau along a path');
    expect(found).toContain('difference quotients of poses give the same Jacobians of all frames');
  });

  it('compares other languages with TypeScript', async () => {
    const dynamics = create();
    const other = (factor: number) => ({
      name: 'C',
      precision: 'double' as const,
      evaluate: (states: readonly State[]) =>
        Promise.resolve(
          states.map((state) => {
            const e = evaluateState(dynamics, robot.tip, state);
            return { ...e, g: e.g.map((x) => x * factor) };
          }),
        ),
    });
    expect((await verifyRobot(robot, dynamics, { states: 0, others: [other(1)] })).passed).toBe(true);
    const report = await verifyRobot(robot, dynamics, { states: 0, others: [other(1 + 1e-12)] });
    expect(failures(report)).toEqual(['C agrees with TypeScript']);
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

describe('sampled states', () => {
  it('repeat with the seed, differ between seeds, and keep within limits', () => {
    const limited = loadRobotObject({
      ...arm,
      links: [{ name: 'turn', joint: { revolute: 'z', limits: [0.1, 0.2] }, rigid: arm.links[0]!.rigid }],
      frames: {},
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
