/** Springs, friction and drives of joints and energies of body coordinates, against energies as the file states them. */
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { evaluateRobot, evaluateState, termFunctions } from '../../src/verify/generated/evaluation.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const source = `kanegen: 1
name: driven
gravity: [1.3, -2.1, -9.1]
parameters: { k: { value: 3 N m/rad, runtime: true, min: 0 } }
body-types:
  bag:
    parameters: { L: 0.2 m, kq: 2 N m, d: 0.1 N m s }
    coordinates: { q: { unit: rad, limits: [-2, 2] }, e: { unit: m, limits: [-0.05, 0.05] } }
    volume: { rod: { s: [0, L] }, section: { disc: 10 mm, cartesian: [x, y] }, density: 1000 kg/m^3 }
    strain: { bend-x: q/L, stretch: e/L }
    potential: kq*(1 - cos(q)) + 50*kq*(e/L)^2*(1 + q^2)
    dissipation: d/2*q_dot^2 + d*(e_dot/L)^2*(1 + q^2)/2
  rubber:
    parameters: { L: 0.1 m, kq: 0.2 N m }
    coordinates: { a: { count: 2, unit: rad, limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { rectangle: [20 mm, 8 mm], cartesian: [x, y] }, density: 1000 kg/m^3 }
    strain: { bend-x: (a1 + a2*s/L)/L, bend-y: a2/L }
    material: { rod-elasticity: { E: 1 MPa, nu: 0.5 }, viscosity: 300 Pa s }
    potential: kq*a1^2*a2^2
links:
  - name: a
    joint: { revolute: y, stiffness: k, rest: 0.3, damping: 0.1 N m s/rad, friction: { coulomb: 0.3 N m, at: 0.2 rad/s }, armature: 2e-3 kg m^2 }
    rigid: { mass: 1 kg, com: [0.1, 0, 0.2], inertia: { xx: 0.01, yy: 0.02, zz: 0.015 }, distal: { xyz: [0, 0, 0.3] } }
  - name: b
    joint: { cylindrical: z, stiffness: { displacement: 400 N/m }, damping: { angle: 0.2, displacement: 3 N s/m }, armature: { angle: 1e-3, displacement: 0.2 kg } }
    body: bag
  - { name: d, joint: { prismatic: x, armature: 0.1 kg, friction: { coulomb: 2 N, at: 20 mm/s } }, body: rubber }
`;
const driven = loadRobotText(source, 'driven.robot.yaml');
/** Bodies in closed form only, as straight-line functions need them. */
const closed = loadRobotText(source.replace(/ {2}- \{ name: d,.*\n/, ''), 'driven.robot.yaml');

async function dynamicsOf(robot: typeof driven) {
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
}

describe('forces along coordinates', () => {
  it('are those of the stored and the dissipated energy, in every kind of body and joint', async () => {
    const report = await verifyRobot(driven, await dynamicsOf(driven), { seed: 5, states: 2 });
    expect(report.checks.map((check) => check.name)).toEqual(
      expect.arrayContaining([
        'difference quotients of the stored energy give the same elastic forces',
        'difference quotients of the dissipation give the same damping forces',
      ]),
    );
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
  });

  it('are in straight-line functions too, as the driver has them', async () => {
    const straight = compileStraight(closed, { count: generatedCost, functions: termFunctions(closed) });
    const compiled = compileRobot(closed);
    const state = {
      q: [0.4, -0.7, 0.1, 0.8, 0.02],
      qd: [1, -2, 0.4, 1.5, 0.3],
      qdd: [3, 1, -2, 0.5, 4],
    };
    const [own] = await evaluateRobot(closed, compiled, [state], { target: 'ts', precision: 'double', straight });
    const [driver] = await evaluateRobot(closed, compiled, [state], { target: 'ts', precision: 'double' });
    for (const name of ['tau', 'g', 'elastic', 'damping'] as const)
      own![name].forEach((x, a) => expect(x, `${name}[${a}]`).toBeCloseTo(driver![name][a]!, 11));
    own!.M.flat().forEach((x, k) => expect(x, `M[${k}]`).toBeCloseTo(driver!.M.flat()[k]!, 13));
  });

  it('of dry friction have slopes to all digits at speeds far beyond that where it is smooth', async () => {
    const [F, v, rate] = [0.3, 0.02, 5];
    const robot = loadRobotText(
      `kanegen: 1
name: rubbing
links: [ { joint: { revolute: z, friction: { coulomb: ${F}, at: ${v} } }, rigid: { mass: 1, inertia: { zz: 1 } } } ]
`,
      'rubbing.robot.yaml',
    );
    const dynamics = await dynamicsOf(robot);
    const slope = new Float64Array(1);
    dynamics.update([0], [rate]);
    dynamics.dissipation(slope);
    // Of F q̇/√(q̇² + v²): 6e4 times smaller than the two terms that the rule of quotients gives.
    const due = (F * v ** 2) / (rate ** 2 + v ** 2) ** 1.5;
    expect(Math.abs(slope[0]! / due - 1)).toBeLessThan(4e-15);
  });

  it('of a screw on a pendulum are what a textbook says', async () => {
    const robot = loadRobotText(
      `kanegen: 1
name: textbook
gravity: [0, 0, 0]
links:
  - { name: a, joint: { revolute: y, stiffness: 5, rest: 0.5, damping: 2, friction: { coulomb: 3, at: 4 }, armature: 7 }, rigid: { mass: 0 } }
`,
      'textbook.robot.yaml',
    );
    const result = evaluateState(await dynamicsOf(robot), robot.tip, { q: [0.9], qd: [3], qdd: [-2] });
    expect(result.elastic[0]).toBeCloseTo(5 * 0.4, 14);
    expect(result.damping[0]).toBeCloseTo(2 * 3 + (3 * 3) / 5, 14);
    expect(result.M).toEqual([[7]]);
    expect(result.tau).toEqual([-14]);
    expect(result.kinetic_energy).toBe(31.5);
    expect([result.c, result.g].flat().map(Math.abs)).toEqual([0, 0]);
  });
});
