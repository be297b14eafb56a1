/** What cannot be made of link modules is refused where it stands, and what programs put together wrongly is, too. */
import { beforeAll, describe, expect, it } from 'vitest';
import { assembledTypeScript } from '../../../src/codegen/assembled/assembled-typescript.ts';
import { generateModules } from '../../../src/codegen/folder.ts';
import { loadRobotText } from '../../../src/description/load.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import { KanegenError } from '../../../src/common/error.ts';
import { loadAssembled, type CreateRobot } from './assembled-robots.ts';

const LINK = `
kanegen: 1
name: arm
links:
  - { name: upper, joint: { revolute: y }, rigid: { mass: 1, distal: { xyz: [0, 0, 1] } } }
`;
const SEGMENT = `
kanegen: 1
name: arm
links:
  - { name: soft, body: planar-cc, parameters: { L: 0.2, R: 0.01, rho: 1000 } }
`;

describe('link modules', () => {
  it.each([
    ['actuators', `${LINK}actuators:\n  drive: { motor: upper.angle }\n`, 7, 'drive'],
    [
      'forces between frames',
      `${LINK}forces:\n  band: { potential: "k/2*distance(upper, hook)^2", frames: { hook: { on: base, at: [0, 0.2, 0.4] } } }\nparameters: { k: 100 N/m }\n`,
      7,
      'band',
    ],
    ['water', `${SEGMENT}water: { density: 1000, on: soft, drag: { normal: 1, tangential: 0.02 } }\n`, 5, 'soft'],
  ])('of a robot with %s are refused, with place and remedy', async (_, text, line, name) => {
    const robot = loadRobotText(text, 'arm.robot.yaml');
    const refused = await generateModules(robot, compileRobot(robot), ['ts', 'c']).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(KanegenError);
    const { code, message, remedy, location } = refused as KanegenError;
    expect(code).toBe('not-in-modules');
    expect(message).toContain(`\`${name}\``);
    expect(remedy).toContain('without --modules');
    expect(location?.line).toBe(line);
  });

  describe('in a program', () => {
    let create: CreateRobot;
    let module: object;
    beforeAll(async () => {
      const robot = loadRobotText(LINK, 'arm.robot.yaml');
      const loaded = await loadAssembled(await assembledTypeScript(robot, compileRobot(robot)));
      create = loaded.create;
      module = loaded.moduleOf('revolute_y_rigid');
    });

    it.each([0, 1, -2, 0.5, NaN])('have no parent %s', (parent) => {
      expect(() => create([{ module, parent }])).toThrow(RangeError);
    });

    it('name the parameters that they have', () => {
      expect(() => create([{ module, parent: -1, parameters: { weight: 2 } }])).toThrow(
        /no parameter weight; it has mass/,
      );
      expect(() => create([{ module, parent: -1, parameters: { mass: Infinity } }])).toThrow(/mass .* Infinity/);
    });

    it('have the parameters of the robot file where none are given', () => {
      const tau = (parameters?: Readonly<Record<string, number>>): number => {
        const found = new Float64Array(1);
        create([{ module, parent: -1, ...(parameters && { parameters }) }]).gravityAt([1.1], found);
        return found[0]!;
      };
      expect(tau()).toBe(tau({ mass: 1 }));
    });

    it('return a status for a frame that is not there, and before the first update', () => {
      const robot = create([{ module, parent: -1 }]);
      expect(robot.massMatrix(new Float64Array(1))).toBe(5);
      robot.update([0], [0]);
      expect(robot.frame(1, null, new Float64Array(3), null)).toBe(4);
      expect(robot.frame(-1, null, new Float64Array(3), null)).toBe(4);
      robot.gravity[0] = NaN;
      expect(robot.update([0], [0])).toBe(1);
    });
  });
});
