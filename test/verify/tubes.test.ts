/** Contacts within tubes: the virtual work at walls found in another way, and a ball that rolls back and forth at the bottom of a bore. */
import { describe, expect, it } from 'vitest';
import { load } from '../../src/api/load.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

/** A rod in a fixed tube, a capsule in one that moves and sticks, and a ball in a fixed one that sticks. */
const IN_TUBES = `kanegen: 1
name: in-tubes
links:
  - { name: catheter, joint: { prismatic: z }, body: planar-cc, parameters: { L: 0.1 m, R: 10 mm, rho: 1000 kg/m^3 } }
  - { name: ring, parent: base, joint: { cylindrical: y }, rigid: { mass: 50 g, inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 } } }
  - { name: ball, parent: base, joint: { cylindrical: [1, 0, 1] }, rigid: { mass: 50 g, inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 } } }
contacts:
  vessel:
    between: [catheter, { tube: { on: base, at: [5 mm, 0, 0], axis: [0.3, 0, 1], radius: 20 mm } }]
    law: { hunt-crossley: { stiffness: 20 kN/m^2, damping: 0.5 s/m } }
    friction: { coefficient: 0.3, at: 1 mm/s }
  rolls:
    between: [{ tube: { on: ring, axis: [0, 1, 0.2], radius: 100 mm } }, { capsule: { on: ball, axis: [1, 2, 0.3], length: 90 mm, radius: 60 mm } }]
    law: { spring-damper: { stiffness: 2 kN/m, damping: 5 N s/m } }
    friction: { coefficient: 0.4, stiffness: 400 N/m, damping: 1 N s/m }
  slides:
    between: [{ sphere: { on: ball, at: [1 mm, 30 mm, 0], radius: 95 mm } }, { tube: { on: base, axis: y, radius: 100 mm } }]
    law: { spring-damper: { stiffness: 2 kN/m, damping: 5 N s/m } }
    friction: { coefficient: 0.4, stiffness: 400 N/m, damping: 1 N s/m }
`;

describe('contacts within tubes', () => {
  it('are verified, as they touch and held by bristles', async () => {
    const robot = loadRobotText(IN_TUBES, 'in-tubes.robot.yaml');
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const report = await verifyRobot(robot, dynamics, { states: 1 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    expect(report.checks.map(({ name }) => name)).toContain(
      'virtual work at nearest points gives the same contacts, with fields, drag and buoyancy',
    );
  }, 240_000);

  it('hold a ball, on a carriage, which slides to and fro at √(m g/((R − r + δ)(m + M)))', async () => {
    const [m, R, r, k] = [0.3, 0.5, 0.1, 5000];
    const robot = await load(`kanegen: 1
name: ball-in-a-bore
links:
  - { name: along, joint: { prismatic: x }, rigid: { mass: 0.1 kg } }
  - { name: ball, joint: { prismatic: z }, rigid: { mass: ${m} kg } }
contacts:
  bore:
    between: [{ sphere: { on: ball, radius: ${r} } }, { tube: { on: base, at: [0.1, 0, 0], axis: y, radius: ${R} } }]
    law: { spring-damper: { stiffness: ${k} N/m } }
`);
    const { q, modes } = await robot.linearise({ start: [0.12, -0.4] });
    const low = R - r + (m * 9.81) / k;
    // The carriage moves along with it.
    const moved = m + 0.1;
    expect(q[0]).toBeCloseTo(0.1, 10);
    expect(q[1]).toBeCloseTo(-low, 11);
    expect(2 * Math.PI * modes[0]!.frequency).toBeCloseTo(Math.sqrt((m * 9.81) / low / moved), 9);
  });
});
