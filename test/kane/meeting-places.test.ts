/** Pieces of tendons whose ends lie on different frames and fall together all the same, or do so at the defaults. */
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const RIGID = 'mass: 1, com: [0.1, 0, 0], inertia: { xx: 0.02, yy: 0.03, zz: 0.04 }';

/** A link that turns about z, one that turns about an oblique axis, a rod that twists only. */
const robotText = (path: string, rest = ''): string => `
kanegen: 1
name: meeting
body-types:
  twisting:
    parameters: { L: 0.2 m, R: 10 mm, rho: 1000 kg/m^3 }
    coordinates: { a: { unit: rad }, b: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    strain: { twist: (a + b*s/L)/L }
links:
  - { name: arm, offset: { xyz: [0, 0, 0.1] }, joint: { revolute: z }, rigid: { ${RIGID}, distal: { xyz: [0, 0, 0.1] } } }
  - { name: fore, joint: { revolute: [0.36, 0.48, 0.8] }, rigid: { ${RIGID}, distal: { xyz: [0.2, 0, 0.1] } } }
  - { name: soft, body: twisting }
actuators:
  cable:
    tendon:
      path: ${path}
${rest}`;

interface Found {
  readonly status: number;
  readonly y: number;
  readonly B: readonly number[];
}

async function actuationAt(text: string, q: readonly number[]): Promise<Found> {
  const robot = loadRobotText(text, 'meeting.robot.yaml');
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  const y = new Float64Array(1);
  const B = new Float64Array(q.length);
  const status = dynamics.update(
    q,
    q.map(() => 0),
  );
  dynamics.actuation(y, new Float64Array(1), new Float64Array(1), B);
  return { status, y: y[0]!, B: [...B] };
}

describe('ends that fall together in every configuration', () => {
  it.each([
    ['on the axis of a joint', '[ { on: base, at: [0, 0, 0.2] }, { on: arm }, { on: arm, at: [0.3, 0.4, 0] } ]'],
    [
      'on an oblique axis, one end within a link',
      '[ { on: arm, at: [0.036, 0.048, 0.08] }, { on: fore, frame: proximal, at: [0.036, 0.048, 0.08] }, { on: fore, frame: proximal, at: [0.336, 0.448, 0.08] } ]',
    ],
    [
      'on the centreline of a rod that does nothing but twist',
      '[ { on: fore, at: [0, 0, 0.2] }, { on: soft }, { on: soft, at: [0.3, 0, 0.4] } ]',
    ],
    [
      'at a material point of such a rod',
      '[ { on: fore, at: [0, 0, 0.05] }, { on: soft, at: { s: L/4 } }, { on: fore, at: [0.3, 0.4, 0.05] } ]',
    ],
  ])('have no length: %s', async (_, path) => {
    for (const q of [
      [0, 0, 0, 0],
      [0.7, -1.1, 0.4, -0.9],
    ]) {
      const { status, y, B } = await actuationAt(robotText(path), q);
      expect(status).toBe(0);
      // What is left is a piece of 0.5 m, from one point to another of the same link.
      expect(y).toBeCloseTo(-0.5, 14);
      B.forEach((entry) => expect(Math.abs(entry)).toBeLessThan(1e-15));
    }
  });

  it('agree with the formulas as written', async () => {
    const path = '[ { on: base, at: [0, 0, 0.2] }, { on: arm }, { on: fore, at: [0.1, 0.2, 0.3] } ]';
    const robot = loadRobotText(robotText(path), 'meeting.robot.yaml');
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const { checks } = await verifyRobot(robot, dynamics, { states: 1 });
    expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(checks.some(({ name }) => /actuat/.test(name))).toBe(true);
  });
});

describe('ends that fall together at the defaults only', () => {
  const path = '[ { on: base, at: [0.1, 0, 0.2] }, { on: arm, at: [0.1, 0, 0] } ]';

  it('are refused where the piece stands', () => {
    expect(() => compileRobot(loadRobotText(robotText(path), 'meeting.robot.yaml'))).toThrow(
      expect.objectContaining({
        code: 'not-finite',
        message: expect.stringContaining('`cable` has no length at the default coordinates'),
        location: expect.objectContaining({ file: 'meeting.robot.yaml', line: 17, column: 48 }),
      }),
    );
  });

  it('are taken where the default of a coordinate parts them', async () => {
    const twisted = '[ { on: fore, at: [0.1, 0, 0.2] }, { on: soft, at: [0.1, 0, 0] } ]';
    expect(() => compileRobot(loadRobotText(robotText(twisted), 'meeting.robot.yaml'))).toThrow('no length');
    const text = robotText(twisted).replace('a: { unit: rad }', 'a: { unit: rad, default: 0.4 }');
    const { y } = await actuationAt(text, [0, 0, 0.4, 0]);
    expect(y).toBeCloseTo(-0.2 * Math.sin(0.2), 14);
  });
});
