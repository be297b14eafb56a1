/**
 * The independent D'Alembert evaluation against reference data computed by others with 256-bit arithmetic.
 */
import { readFileSync } from 'node:fs';
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { Link, Robot } from '../../src/description/model/robot.ts';
import { decimalOfPrecision, exactDecimal, foldConstant } from '../../src/symbolic/evaluation/evaluate.ts';
import { prepareAlembert } from '../../src/verify/independent/alembert.ts';
import type { AlembertResult } from '../../src/verify/independent/alembert-result.ts';
import {
  constantStrain,
  planarConstantCurvature,
  revoluteZ,
  rigidLink,
  robotOf,
  softLink,
  type ReferenceRigid,
} from './written-robots.ts';

const Precise = decimalOfPrecision(110);

interface ReferenceState {
  readonly name: string;
  readonly q: number[];
  readonly qd: number[];
  readonly qdd: number[];
  readonly M: string[][];
  readonly c: string[];
  readonly g: string[];
  readonly tau: string[];
  readonly kinetic_energy: string;
  readonly potential_energy: string;
  readonly tip_position: string[];
  readonly tip_rotation: string[][];
}
interface ReferenceFile {
  readonly parameters: {
    readonly gravity: [number, number, number];
    readonly links: ({ type: string; L: number; rho: number; R_disc?: number } & Partial<ReferenceRigid>)[];
  };
  readonly states: ReferenceState[];
}

const read = (name: string): ReferenceFile =>
  JSON.parse(readFileSync(new URL(`../reference/${name}.json`, import.meta.url), 'utf8')) as ReferenceFile;

/** Largest error of any number, relative to the terms that make it up. */
function worstError(result: AlembertResult, reference: ReferenceState): number {
  const precise = Decimal.clone({ precision: 40 });
  const errors: number[] = [];
  const compare = (value: Decimal, expected: string, scale: Decimal.Value): void => {
    const size = precise.max(scale, '1e-30');
    errors.push(value.minus(expected).abs().div(size).toNumber());
  };
  const row = (a: number): Decimal =>
    reference.M[a]!.reduce(
      (sum, m, b) => sum.plus(new precise(m).times(exactDecimal(reference.qdd[b]!, Precise)).abs()),
      new precise(reference.c[a]!).abs().plus(new precise(reference.g[a]!).abs()),
    );
  reference.tau.forEach((tau, a) => {
    compare(result.torque[a]!, tau, row(a));
    compare(result.coriolis[a]!, reference.c[a]!, row(a));
    compare(result.gravity[a]!, reference.g[a]!, row(a));
    reference.M[a]!.forEach((m, b) => {
      const scale = new precise(reference.M[a]![a]!).times(reference.M[b]![b]!).sqrt();
      compare(result.massMatrix[a]![b]!, m, scale);
    });
  });
  compare(result.kineticEnergy, reference.kinetic_energy, reference.kinetic_energy);
  compare(result.potentialEnergy, reference.potential_energy, precise.max(1, precise.abs(reference.potential_energy)));
  reference.tip_position.forEach((p, i) => compare(result.tip!.position[i]!, p, 1));
  reference.tip_rotation.flat().forEach((r, i) => compare(result.tip!.rotation[i]!, r, 1));
  return Math.max(...errors);
}

function softArm(name: string, type: typeof planarConstantCurvature): { robot: Robot; states: ReferenceState[] } {
  const file = read(name);
  const links = file.parameters.links.map((l, i) =>
    softLink(type, i - 1, l.L, (l as unknown as { R: number }).R, l.rho),
  );
  return { robot: robotOf(file.parameters.gravity, links), states: file.states };
}

function planarTwoLink(): { robot: Robot; states: ReferenceState[] } {
  const file = read('G_2R');
  const links: Link[] = [];
  for (const l of file.parameters.links)
    if (l.type === 'rigid') links.push(rigidLink(links.length - 1, l as unknown as ReferenceRigid, revoluteZ));
  return { robot: robotOf(file.parameters.gravity, links), states: file.states };
}

describe('D’Alembert evaluation', () => {
  it('agrees with the reference for two unequal planar bodies written with 0/0, straight states included', () => {
    const { robot, states } = softArm('A_planar_cc_N2_mixed', planarConstantCurvature);
    const check = prepareAlembert(robot);
    for (const state of states) expect(worstError(check.evaluate(state), state), state.name).toBeLessThan(1e-15);
  });

  it('agrees with the reference for six constant strains', () => {
    const { robot, states } = softArm('D_pcs_N1_phys', constantStrain);
    const check = prepareAlembert(robot);
    for (const state of states.filter((_, i) => i % 4 === 0))
      expect(worstError(check.evaluate(state), state), state.name).toBeLessThan(1e-15);
  });

  it('agrees with the reference for a rigid double pendulum', () => {
    const { robot, states } = planarTwoLink();
    const check = prepareAlembert(robot);
    for (const state of states) expect(worstError(check.evaluate(state), state), state.name).toBeLessThan(1e-15);
  });

  it('knows what forces consist of, at least as much as they are', () => {
    const { robot, states } = planarTwoLink();
    const check = prepareAlembert(robot);
    const masses = robot.links.map(({ body }) => Number(body.kind === 'rigid' && foldConstant(body.mass)));
    for (const state of states) {
      const { massMatrix, coriolis, gravity, terms } = check.evaluate(state);
      terms.forEach((own, a) => {
        const moved = masses.slice(a).reduce((sum, m) => sum + m, 0);
        const most = Math.hypot(...robot.gravity) * massMatrix[a]![a]!.times(moved).sqrt().toNumber();
        expect(own.gravity).toBeLessThanOrEqual(most * (1 + 1e-15));
        expect(coriolis[a]!.abs().toNumber()).toBeLessThanOrEqual(own.motion * (1 + 1e-15));
        expect(gravity[a]!.abs().toNumber()).toBeLessThanOrEqual(own.gravity * (1 + 1e-15));
      });
    }
  });
});
