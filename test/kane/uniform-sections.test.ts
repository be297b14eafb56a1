/** Sections that all solve the same equation: their Newton steps are taken once, with the results of the same rod section by section. */
import { describe, expect, it } from 'vitest';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileBodies, compileRobot } from '../../src/kane/compile.ts';
import { KG_OK, KG_UNDEFINED, type Derivatives } from '../../src/runtime/driver.ts';

/** @param radius depends on s in form alone, or not at all. */
const robot = (radius: string, newton = 5): Robot =>
  loadRobotText(
    `kanegen: 1
name: uniform
gravity: [1, -2, 9]
body-types:
  arm:
    parameters: { L: 0.3 m, R: 10 mm, d: 6 mm, none: 0 }
    coordinates: { T: { count: 2, unit: N, limits: [-1 N, 8 N] } }
    volume: { rod: { s: [0, L] }, section: { disc: "${radius}", cartesian: [x, y] }, density: 1000 }
    rest: { bend-x: 2, shear-y: 0.01 }
    strain: { equilibrium: { tendons: { T1: { route: { x: d, y: 0 } }, T2: { route: { x: -d/2, y: d } } }, hold: [twist], newton: ${newton} } }
    material: { rod-elasticity: { E: 1 MPa, nu: 0.45 }, viscosity: 300 }
    integration: { points: 3, magnus: 4 }
links: [{ name: arm, body: arm }]
actuators: { pull: { drives: arm.T1 } }
`,
    'uniform.robot.yaml',
  );
const [SAME, BY_SECTION] = ['R', 'R + none*s'];

async function results(own: Robot): Promise<number[][]> {
  const compiled = compileRobot(own, { derivatives: true });
  const dynamics = (await loadGenerated(await generateTypeScript(own, compiled)))() as LoadedRobot & Derivatives;
  const [q, qd, qdd] = [
    [6, 2],
    [30, -20],
    [100, 50],
  ] as const;
  const found = [2, 2, 4, 2, 3, 9, 3, 12, 1, 2, 2, 2, 2, 2].map((size) => new Float64Array(size));
  const [tau, elastic, M, damping, energy, R, t, J, y, B, tangent, byQ, byQd, byQdd] = found;
  expect(dynamics.update(q, qd)).toBe(KG_OK);
  const statuses = [
    dynamics.activeInverseDynamics(qdd, tau!),
    dynamics.terms(null, null, elastic!, damping!),
    dynamics.massMatrix(M!),
    dynamics.energies(energy!),
    dynamics.frame(0, R!, t!, J!),
    dynamics.actuation(y!, null, null, B!),
    dynamics.inverseDynamicsTangent(1, qdd, [1, -0.5], [3, 2], [-10, 5], tangent!),
    dynamics.inverseDynamicsAdjoint!(1, qdd, [0.7, -1.3], byQ!, byQd!, byQdd!),
  ];
  expect(statuses).toEqual(statuses.map(() => KG_OK));
  const section = new Float64Array(2);
  expect(dynamics.update([9000, 2], qd)).toBe(KG_OK);
  expect(dynamics.inverseDynamics(qdd, new Float64Array(2))).toBe(KG_UNDEFINED);
  expect(dynamics.unsolvedSection!(section)).toBe(KG_OK);
  return [...found, section].map((own) => [...own]);
}

/** Of a row of all loops of `configure`. */
function operationsOfRow(own: Robot): number {
  const { programs } = robotModel(own, compileRobot(own)).links[0]!;
  const { loops } = programs.find(({ name }) => name === 'configure')!.counts;
  return loops.reduce((sum, { row }) => sum + row.add + row.multiply + row.divide + row.sqrt, 0);
}

describe('sections that solve the same equation', () => {
  it('have the forces, frames and derivatives of the rod that solves it at every section', async () => {
    const [once, each] = await Promise.all([results(robot(SAME)), results(robot(BY_SECTION))]);
    each.forEach((due, i) => {
      const scale = Math.max(...due.map(Math.abs));
      expect(scale, `result ${i}`).toBeGreaterThan(0);
      due.forEach((e, k) => expect(Math.abs(once[i]![k]! - e), `result ${i}, ${k}`).toBeLessThanOrEqual(1e-12 * scale));
    });
  });

  it('are known to the compiler, and to who asks it', () => {
    const known = [SAME, BY_SECTION].map((radius) => [...compileBodies(robot(radius)).values()][0]!.chosen.balance);
    expect(known.map((own) => own!.once)).toEqual([true, false]);
  });

  it('cost no more at each point where they take more Newton steps', () => {
    const [few, many] = [4, 6].map((newton) => operationsOfRow(robot(SAME, newton)));
    expect(many).toBe(few);
    const [fewEach, manyEach] = [4, 6].map((newton) => operationsOfRow(robot(BY_SECTION, newton)));
    expect(manyEach! - fewEach!).toBeGreaterThan(250);
    expect(few! + 3 * 140).toBeLessThan(fewEach!);
  });
});
