/**
 * Regressors of the reference robots, densities and the ten of rigid links open, against their exact generalized forces: of
 * each family one, all of them with KANEGEN_FULL.
 */
import { expect, it } from 'vitest';
import { loadRobotObject } from '../../src/index.ts';
import { compileRegressor } from '../../src/identification/regressor.ts';
import { readReferenceDirectory } from '../../src/verify/reference/compare-reference.ts';
import { referenceRobot } from '../../src/verify/reference/reference-robot.ts';

const FAMILIES = [
  'A_planar_cc_N3_phys',
  'B_planar_cce_N2_mixed',
  'C_pcc3d_N1_phys',
  'D_pcs_N1_phys',
  'E_gvs_affine_planar_N1_phys',
  'F_pgc_N1_sigma',
  'G_',
  'K_',
];
const files = readReferenceDirectory('test/reference', process.env['KANEGEN_FULL'] ? [] : FAMILIES);

interface RobotObject {
  readonly links: readonly { readonly parameters?: Readonly<Record<string, unknown>> }[];
}

/** The same robot with a density for each link that may change at run time. */
function withOpenDensities(robot: RobotObject): object {
  const parameters: Record<string, object> = {};
  const links = robot.links.map((link, i) => {
    const rho = link.parameters?.['rho'];
    if (rho === undefined) return link;
    parameters[`rho${i}`] = { value: rho, runtime: true };
    return { ...link, parameters: { ...link.parameters, rho: `rho${i}` } };
  });
  return { ...robot, links, ...(Object.keys(parameters).length > 0 && { parameters }) };
}

it.each(files.map((file) => [file.file.replace(/^.*\//, ''), file] as const))(
  '%s',
  async (_, { parameters, states }) => {
    const source = referenceRobot(parameters);
    if ('unsupported' in source) throw new Error(source.unsupported);
    const regressor = await compileRegressor(loadRobotObject(withOpenDensities(source.robot as RobotObject)), {
      inertial: true,
    });
    const p = regressor.parameters.length;
    expect(p).toBeGreaterThan(0);
    let worst = 0;
    let compared = 0;
    for (const state of states) {
      const [q, qd, qdd, tau] = [state.q, state.qd, state.qdd, state.tau].map((entries) =>
        (entries as readonly (number | string)[]).map(Number),
      );
      const { Y, offset } = regressor.at({ q: q!, qd: qd!, qdd: qdd! })!;
      tau!.forEach((due, k) => {
        const terms = [offset[k]!, ...regressor.parameters.map(({ value }, i) => Y[k * p + i]! * value)];
        const size = terms.reduce((sum, x) => sum + Math.abs(x), 0);
        const found = terms.reduce((sum, x) => sum + x, 0);
        // Coordinates of a soft body add up inertia and weight within one column.
        const largest = Math.max(size, 1e-3 * Math.max(...tau!.map(Math.abs)));
        if (largest > 0) worst = Math.max(worst, Math.abs(found - due) / largest);
        compared++;
      });
    }
    expect(compared).toBeGreaterThan(10);
    expect(worst).toBeLessThanOrEqual(Math.max(1e-12, source.tolerance));
  },
);
