/** What is generated runs once before it is handed out: what has no numbers is refused where it is to blame. */
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { tryStates } from '../../src/simulation/run/trial.ts';

const make = async (robot: Robot) => (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();

const text = (along: string, rest = ''): string => `kanegen: 1
name: arm
links:
  - { name: a, joint: { revolute: y }, rigid: { mass: 1, com: [0, 0, 0.1] } }
  - { name: b, joint: { revolute: y }, rigid: { mass: 1, com: [0, 0, 0.1] } }
actuators:
  first: { motor: a.angle }
  second: { along: ${along} }
states: { folded: { b.angle: 0.25 } }
${rest}`;

describe('a trial of generated code', () => {
  it('finds numbers everywhere, and hands the robot out', async () => {
    const dynamics = await tryStates(loadRobotText(text('b.angle^2'), 'arm.yaml'), make);
    expect(dynamics.update([0, 0], [0, 0])).toBe(0);
  });

  it('names the actuator and the state where there are none', async () => {
    const robot = loadRobotText(text('1/(b.angle - 0.25)'), 'arm.yaml');
    await expect(tryStates(robot, make)).rejects.toMatchObject({
      code: 'not-finite',
      message: 'the result of the actuator `second` is not finite at the state `folded`',
      location: { line: 8 },
    });
  });

  it('finds motions and frames without numbers', async () => {
    const robot = loadRobotText(text('b.angle'), 'arm.yaml');
    const broken = (change: object) => tryStates(robot, async (own) => ({ ...(await make(own)), ...change }));
    await expect(broken({ update: () => 3 })).rejects.toThrow('the motion is not finite at the defaults');
    await expect(broken({ massMatrix: () => 3 })).rejects.toThrow('the mass matrix is not finite at the defaults');
    await expect(broken({ frame: (i: number) => (i === 1 ? 3 : 0) })).rejects.toThrow('the frame `b` is not finite');
    await expect(broken({ energies: () => 3 })).rejects.toThrow('the energy is not finite');
  });
});
