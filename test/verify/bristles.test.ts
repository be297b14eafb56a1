/** Friction that sticks, of small bodies far from the origin, where nothing is held yet. */
import { expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const CORNERS = `kanegen: 1
name: corners
links:
  - { name: box, offset: { xyz: [60 mm, 20 mm, 19 mm] }, joint: { cylindrical: z, limits: { displacement: [-3 mm, 0 mm] } }, rigid: { mass: 0.1 kg, inertia: { zz: 1e-4 } } }
contacts:
  floor:
    between: [{ points: { on: box, at: [[20 mm, 15 mm, -25 mm], [-20 mm, 0, -25 mm]], radius: 1 mm } }, { plane: { on: base, axis: [0.05, 0, 1] } }]
    law: { hunt-crossley: { stiffness: 4 kN/m, damping: 1 s/m } }
    friction: { coefficient: 0.5, stiffness: 4 kN/m, damping: 8 N s/m }
`;

it('is verified where places that nothing is held at lie farther away than the surfaces reach', async () => {
  const robot = loadRobotText(CORNERS, 'corners.robot.yaml');
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  const report = await verifyRobot(robot, dynamics, { states: 1 });
  expect(report.checks.filter((check) => !check.passed)).toEqual([]);
  dynamics.update([0, -1e-3], [0.3, 0.1]);
  const [all, own] = [new Float64Array(2), new Float64Array(2)];
  dynamics.activeInverseDynamics([0, 0], all);
  dynamics.inverseDynamics([0, 0], own);
  expect(own[1]! - all[1]!, 'the floor carries').toBeGreaterThan(1);
});
