/** Verification looks for states in which bodies touch: a pendulum meets a peg in one of a thousand random ones. */
import { describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { DERIVATIVES } from '../../src/verify/laws/derivative-check.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const CONTACTS = 'virtual work at nearest points gives the same contacts, with fields, drag and buoyancy';

const pendulum = (stiffness: string, peg: string): Robot =>
  loadRobotText(
    `kanegen: 1
name: pendulum
links:
  - { name: arm, joint: { revolute: y, limits: [-175 deg, 175 deg] }, rigid: { mass: 1 kg, distal: { xyz: [0, 0, 1] } } }
  - { name: fore, joint: { revolute: x, limits: [-80 deg, 80 deg] }, rigid: { mass: 1 kg, inertia: { xx: 1e-3, yy: 1e-3, zz: 1e-3 }, com: [0, 0, 0.5] } }
contacts:
  peg:
    between: [{ sphere: { on: fore, at: [0, 0, 1], radius: 5 mm } }, { sphere: { on: base, at: ${peg}, radius: 5 mm } }]
    law: { hunt-crossley: { stiffness: ${stiffness}, damping: 1 s/m } }
    friction: { coefficient: 0.3, at: 1 mm/s }
`,
    'pendulum.robot.yaml',
  );

const running = async (robot: Robot): Promise<LoadedRobot> =>
  (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();

describe('bodies that seldom touch', () => {
  // At angles of 1.1 and 0.7 rad.
  const reached = '[1.5728, -0.6442, 0.8005]';

  it('touch in a state that verification finds, where a law twice as stiff is refused', async () => {
    const robot = pendulum('1 kN/m', reached);
    const found = await verifyRobot(robot, await running(robot));
    expect(found.passed).toBe(true);
    expect(found.states).toContain('touching 1');
    expect(found.notes.join()).not.toContain('contacts not compared');
    const wrong = await verifyRobot(robot, await running(pendulum('2 kN/m', reached)));
    expect(wrong.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toContain(CONTACTS);
  });

  it('are compared beside the place where they begin to touch, at which a damper jumps, and far below it', async () => {
    const robot = loadRobotText(
      `kanegen: 1
name: stands
links:
  - name: ball
    offset: { xyz: [0, 0.1, 0.03], rpy: [0.4, 0, 0] }
    joint: { planar: [x, z] }
    rigid: { mass: 1 kg, inertia: { xx: 1e-3, yy: 1e-3, zz: 1e-3 } }
contacts:
  floor:
    between: [{ sphere: { on: ball, at: [0.2, 0, 0], radius: 30 mm } }, { plane: { on: base, axis: z } }]
    law: { spring-damper: { stiffness: 1 kN/m, damping: 5 N s/m } }
    friction: { coefficient: 0.3, stiffness: 400 N/m, damping: 1 N s/m }
states: { below: { ball.d2: -0.2 } }
`,
      'stands.robot.yaml',
    );
    const { checks, states } = await verifyRobot(robot, await running(robot));
    expect(checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(states).toContain('all coordinates zero but for where bodies begin to touch');
  });

  // With steps of 2⁻¹¹ quotients reach over edges, and differ by 2e-6.
  it.runIf(process.env['KANEGEN_FULL'] === '1')('have derivatives that are compared between edges', async () => {
    const robot = loadRobotText(
      `kanegen: 1
name: finger-and-thumb
links:
  - { name: finger, body: pcc-3d }
  - { name: thumb, parent: base, offset: { xyz: [60 mm, 0, 0] }, joint: { revolute: y }, rigid: { mass: 50 g, inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 } } }
contacts:
  pinch:
    between: [{ rod: { on: finger, points: 8 } }, { capsule: { on: thumb, at: [0, 0, 100 mm], axis: z, length: 0.1, radius: 10 mm } }]
    law: { spring-damper: { stiffness: 5 kN/m^2, damping: 20 N s/m^2 } }
`,
      'finger-and-thumb.robot.yaml',
    );
    const files = await generateTypeScript(robot, compileRobot(robot, { derivatives: true }));
    const { checks, states } = await verifyRobot(robot, (await loadGenerated(files))(), { states: 1 });
    expect(states).toContain('touching 1');
    expect(checks.map(({ name }) => name)).toContain(DERIVATIVES.step);
    expect(checks.filter(({ passed }) => !passed)).toEqual([]);
  });

  it('are told of where they cannot touch', async () => {
    const robot = pendulum('1 kN/m', '[0, 0, 3]');
    const { passed, states, notes } = await verifyRobot(robot, await running(robot));
    expect(passed).toBe(true);
    expect(states.join()).not.toContain('touching');
    expect(notes).toContain('forces of contacts not compared, as nothing touches at these states: peg');
  });
});
