/** Rigid robots: the regressor against generated code of another form, base parameters, identification from noisy forces. */
import { EigenvalueDecomposition, Matrix, SingularValueDecomposition } from 'ml-matrix';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobot, loadRobotFile, loadRobotObject } from '../../src/index.ts';
import { baseName, baseParameters, baseValue, type BaseParameters } from '../../src/identification/base-parameters.ts';
import { pseudoInertia } from '../../src/identification/pseudo-inertia.ts';
import { identifyWith } from '../../src/identification/identify.ts';
import { compileRegressor, type Regressor } from '../../src/identification/regressor.ts';
import type { Measurements } from '../../src/identification/measurements.ts';
import { measured, normalNumbers } from './motions.ts';

const UR10E = 'examples/ur10e.robot.yaml';
let arm: Regressor;
let structure: BaseParameters;

beforeAll(async () => {
  arm = await compileRegressor(loadRobotFile(UR10E), { inertial: true });
  structure = baseParameters(arm);
});

/** Rank of the stacked regressor by singular values. */
function rankOf(regressor: Regressor): number {
  const p = regressor.parameters.length;
  const rows = regressor.excitingStates(60).flatMap((state) => {
    const { Y } = regressor.at(state)!;
    return Array.from({ length: regressor.coordinates }, (_, k) => [...Y.subarray(k * p, (k + 1) * p)]);
  });
  const { diagonal } = new SingularValueDecomposition(new Matrix(rows));
  return diagonal.filter((value) => value > 1e-10 * diagonal[0]!).length;
}

function leastEigenvalue(ten: readonly number[]): number {
  return Math.min(...new EigenvalueDecomposition(pseudoInertia(ten), { assumeSymmetric: true }).realEigenvalues);
}

/** Two links of unit length that turn about parallel axes, with mass data of every kind. */
function twoLinks(axis: 'y' | 'z'): object {
  const rigid = { mass: 2, com: [0.4, 0.1, -0.2], inertia: { xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01 } };
  const distal = { xyz: [1, 0, 0] };
  return {
    kanegen: 1,
    name: `two-${axis}`,
    links: ['upper', 'lower'].map((name) => ({ name, joint: { revolute: axis }, rigid: { ...rigid, distal } })),
  };
}

describe('the regressor of a UR10e', () => {
  it('has 36 base parameters: 7 of each link but the first, of which one is left behind an axis along gravity', () => {
    // Gautier & Khalil 1990, Direct calculation of minimum set of inertial parameters, IEEE T-RA 6(3): 7 n_r − 4 − 2 = 36.
    expect(structure.base).toHaveLength(36);
    expect(rankOf(arm)).toBe(36);
    expect(structure.base.filter(({ index }) => arm.parameters[index]!.link === 0)).toHaveLength(1);
    expect(structure.without.map((i) => arm.parameters[i]!.name)).toEqual(
      expect.arrayContaining(['shoulder_pan.m', 'shoulder_pan.mz', 'shoulder_lift.m']),
    );
  });

  it('groups what cannot be told apart by the formulas of the geometry', () => {
    const named = structure.base.map((own) => baseName(own, arm.parameters));
    expect(named).toContain('wrist_2.Ixx - wrist_2.Iyy + wrist_3.Iyy');
    // a = −0.6127 of the upper arm; what hangs on its end counts as mass there.
    expect(named).toContain(
      'shoulder_lift.mx - 0.6127 elbow.m - 0.6127 wrist_1.m - 0.6127 wrist_2.m - 0.6127 wrist_3.m',
    );
  });

  it('from 400 noisy instants gives base parameters within their deviations, and bodies that can exist', () => {
    const truth = arm.parameters.map(({ value }) => value);
    const noise = [2, 3, 2, 0.5, 0.4, 0.2];
    const data = measured(arm, truth, { count: 400, step: 0.05, reach: [1.5, 1.2, 1.5, 2, 2, 2.5] }, noise);
    const found = identifyWith(arm, structure, data);
    const errors = found.base.map(({ inFile, estimate, deviation }) => (estimate - inFile) / deviation);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(3);
    // Deviations that are stated are those that occur: the mean square of 36 such numbers is 1 within 0.24 (one deviation).
    const spread = errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length;
    expect(spread).toBeGreaterThan(0.4);
    expect(spread).toBeLessThan(1.8);
    found.coordinates.forEach(({ residual, physicalResidual }, k) => {
      expect(residual / noise[k]!).toBeGreaterThan(0.85);
      expect(residual / noise[k]!).toBeLessThan(1.1);
      expect(physicalResidual / noise[k]!).toBeLessThan(1.15);
    });
    for (const link of [0, 1, 2, 3, 4, 5]) {
      const ten = found.parameters.filter((_, i) => arm.parameters[i]!.link === link).map(({ value }) => value);
      expect(leastEigenvalue(ten)).toBeGreaterThan(0);
      expect(ten[0]).toBeGreaterThan(0);
    }
  });

  it('from exact forces of a robot twice as heavy with another tool gives these forces by bodies that can exist', () => {
    // The wrist of the file is no body (its Σ has a negative eigenvalue): with a tool of 3 kg it is one.
    const tool = [3, 0.03, 0.03, 0.3, 0.05, 0.05, 0.02, 0, -3e-3, -3e-3];
    const last = arm.parameters.length - 10;
    const truth = arm.parameters.map(({ value }, i) => 2 * value + (tool[i - last] ?? 0));
    const data = measured(arm, truth, { count: 60, step: 0.3, reach: [1.5, 1.2, 1.5, 2, 2, 2.5] }, [0, 0, 0, 0, 0, 0]);
    const found = identifyWith(arm, structure, data);
    expect(found).toMatchObject({ converged: true, notes: [] });
    for (const { force, physicalResidual } of found.coordinates) expect(physicalResidual).toBeLessThan(1e-8 * force);
    const values = found.parameters.map(({ value }) => value);
    for (const own of structure.base) {
      const { size } = arm.parameters[own.index]!;
      expect(Math.abs(baseValue(own, values) - baseValue(own, truth))).toBeLessThan(1e-6 * size);
    }
    for (const link of [0, 1, 2, 3, 4, 5])
      expect(leastEigenvalue(values.slice(10 * link, 10 * link + 10))).toBeGreaterThan(0);
    expect(identifyWith(arm, structure, data, { mostSteps: 5 }).converged).toBe(false);
  });

  it('says that no bodies make forces of the wrong sign', () => {
    const truth = arm.parameters.map(({ value }) => -value);
    const data = measured(arm, truth, { count: 60, step: 0.3, reach: [1.5, 1.2, 1.5, 2, 2, 2.5] }, [0, 0, 0, 0, 0, 0]);
    const { converged, notes } = identifyWith(arm, structure, data);
    expect(converged).toBe(true);
    expect(notes.join()).toMatch(/no physical values make these forces.*shoulder_lift/);
  });

  it('names what a motion of one joint does not tell', () => {
    const truth = arm.parameters.map(({ value }) => value);
    const data = measured(arm, truth, { count: 60, step: 0.1, reach: [1, 0, 0, 0, 0, 0] }, [0, 0, 0, 0, 0, 0]);
    const noisy = measured(
      arm,
      truth,
      { count: 60, step: 0.1, reach: [1, 0, 0, 0, 0, 0] },
      Array(6).fill(0.1) as number[],
    );
    const normal = normalNumbers(5);
    const shaken = (rows: Measurements['q'], size: number): number[][] =>
      rows.map((row) => row.map((x) => x + size * normal()));
    // Noise of sensors at joints that stand still tells nothing, however large its accelerations are.
    const { q, qd, qdd } = noisy;
    const measuredStill = { ...noisy, q: shaken(q, 1e-3), qd: shaken(qd, 1e-2), qdd: shaken(qdd, 0.3) };
    const [exact, found] = [data, measuredStill].map((own) => identifyWith(arm, structure, own));
    for (const { base, notes, parameters } of [exact!, found!]) {
      expect(notes.join()).toMatch(/at rest but for noise of the sensors: shoulder_lift.angle, elbow.angle, wrist_1/);
      expect(notes.join()).toMatch(/excite too little to tell: .*wrist_3.Izz/);
      // By the forces of six joints at one configuration of five of them: far from the 36 of motions of all.
      expect(base.length).toBeLessThan(18);
      expect(base[0]!.name).toMatch(/^shoulder_pan.Izz \+ .*elbow/);
      expect(parameters.find(({ name }) => name === 'shoulder_pan.m')!.told).toBe('not at all');
    }
    expect(found!.base).toHaveLength(exact!.base.length);
    for (const { estimate, inFile } of exact!.base) expect(Math.abs(estimate - inFile)).toBeLessThan(1e-6);
    for (const { estimate, inFile, deviation } of found!.base.slice(0, 1))
      expect(Math.abs(estimate - inFile)).toBeLessThan(5 * deviation + 0.05 * Math.abs(inFile));
  });
});

describe('base parameters of two links that turn about parallel axes', () => {
  it.each([
    // Upright: the first moments of both in the plane, and the inertias about the axes (Khalil & Dombre 2002, ch. 9).
    ['y', 6],
    // Level: no weight along the motion, so that those of the first have no effect.
    ['z', 4],
  ] as const)('about %s are %i', async (axis, count) => {
    const regressor = await compileRegressor(loadRobotObject(twoLinks(axis)), { inertial: true });
    const found = baseParameters(regressor);
    expect(found.base).toHaveLength(count);
    expect(rankOf(regressor)).toBe(count);
    const named = found.base.map((own) => baseName(own, regressor.parameters));
    const about = axis === 'y' ? 'Iyy' : 'Izz';
    expect(named).toContain(`upper.${about} + lower.m`);
    expect(named).toContain(`lower.${about}`);
  });

  it('times the parameters of the file are τ of code that has them folded', async () => {
    const { dynamics } = await loadRobot(twoLinks('y'));
    const regressor = await compileRegressor(loadRobotObject(twoLinks('y')), { inertial: true });
    const tau = new Float64Array(2);
    const p = regressor.parameters.length;
    for (const state of regressor.excitingStates(30)) {
      dynamics.update(state.q, state.qd);
      dynamics.inverseDynamics(state.qdd, tau);
      const { offset, Y } = regressor.at(state)!;
      const scale = Math.max(...tau.map(Math.abs));
      for (let k = 0; k < 2; k++) {
        const sum = regressor.parameters.reduce((total, { value }, i) => total + Y[k * p + i]! * value, offset[k]!);
        expect(Math.abs(sum - tau[k]!)).toBeLessThan(1e-12 * scale);
      }
    }
  });
});
