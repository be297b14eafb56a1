/** URDF files written out as robot files: the same dynamics, readable, in names that robot files may have. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { readUrdf } from '../../src/description/urdf/urdf-model.ts';
import type { ImportedRobot } from '../../src/description/imported/imported-robot.ts';
import { robotFileOf, type ImportOptions } from '../../src/description/urdf/urdf-robot-file.ts';
import { joint, link, loadLinks, robotOf, write, TWO_JOINTS } from './urdf-text.ts';
import { expectSame, numbersOf, tree, urdfOf } from './urdf-trees.ts';

const imported = (urdf: string, options: Partial<ImportOptions> = {}): ImportedRobot =>
  robotFileOf(readUrdf(urdf, 'folder/some.urdf'), { free: false, ...options });
const load = ({ text }: ImportedRobot): Robot => loadRobotText(text, 'some.robot.yaml');

it('reads like this', () => {
  expect(imported(TWO_JOINTS, { heading: '# heading' }).text).toBe(`# heading
# Made of some.urdf by kanegen import: m, kg, rad; inertias about centres of mass.
kanegen: 1
name: r
summary: 2 joints

links:
  # The base is world, whose mass has no effect.
  - name: upper   # with camera
    offset: { xyz: [0.1, 0, 0.5], rpy: [0.3, 0, -0.7] }
    joint: { revolute: [0, 0.6, 0.8], limits: [-1, 2.5], names: [pan] }
    rigid:
      mass: 2.25
      com: [0.08827756478373723, 0.007680944635220516, 0.07799520754446056]
      inertia: { xx: 0.1992331865245333, yy: 0.2069622534647444, zz: 0.2290897455711863, xy: 0.03396789069395051, xz: -0.03159190604900558, yz: 0.035857931590966764 }
  - name: slide   # with tool
    offset: { xyz: [0, 0, 0.4], rpy: [180 deg, 0, 0] }
    joint: { prismatic: -z, names: [lift] }
    rigid:
      mass: 2
      com: [0.032500000066987236, 0.0075, 0.22250000087083413]
      inertia: { xx: 0.20307499916332938, yy: 0.20937500026125028, zz: 0.2063750010979209, xy: 0.06048750026895376, xz: 0.03561249982114404, yz: -0.019662499183090588 }

frames:
  camera: { on: upper, offset: { xyz: [0, 0.05, 0.3], rpy: [0.1, 0.2, 0.3] } }
  tool: { on: slide, offset: { xyz: [0.10000000026794895, 0, 0.29000000267948967], rpy: [0, 1.5707963, 0] } }
tip: tool
`);
});

describe('the dynamics', () => {
  it('of random trees are those of `urdf:`, on a base that stands still and on a free one', () => {
    fc.assert(
      fc.property(tree, fc.boolean(), (twigs, free) => {
        const urdf = urdfOf(twigs);
        const entry = { name: 'all', urdf: { file: write(urdf) } };
        const robot = loadLinks([free ? { ...entry, joint: 'free' } : entry]);
        expectSame(numbersOf(load(imported(urdf, { free }))), numbersOf(robot));
      }),
      { numRuns: process.env.KANEGEN_FULL ? 100 : 10, seed: 20262 },
    );
  });

  it('of every kind of joint are those of `urdf:`', () => {
    const kinds = ['revolute', 'continuous', 'prismatic', 'planar', 'floating', 'spherical'];
    const urdf = robotOf(
      link('l0', 1),
      ...kinds.map((_, i) => link(`l${i + 1}`, 1 + i, '0.1 0.2 0.3', '0.3 0 0')),
      ...kinds.map((kind, i) =>
        joint(`k${i}`, kind, `l${i}`, `l${i + 1}`, '<origin xyz="0 0 0.2" rpy="0.1 0.2 0"/><axis xyz="1 2 3"/>'),
      ),
    );
    const whole = numbersOf(loadLinks([{ name: 'all', urdf: { file: write(urdf) } }]));
    const robot = load(imported(urdf));
    // Joints of several coordinates are called after the joint there, after the link here.
    const part = numbersOf({
      ...robot,
      coordinates: robot.coordinates.map((own) => ({
        ...own,
        name: own.name.replace(/^l(\d)\.(?=d|r|angle)/, (_, i) => `all.k${Number(i) - 1}.`),
      })),
    });
    expectSame(part, whole);
  });
});

describe('names', () => {
  const renamed = imported(
    robotOf(
      link('base'),
      link('short', 1),
      link('left arm', 1),
      link('left.arm', 1),
      link('7', 1),
      link('关节', 1),
      link('frame', 1),
      joint('index', 'revolute', 'base', 'short'),
      joint('double', 'revolute', 'short', 'left arm'),
      joint('kg_x', 'revolute', 'left arm', 'left.arm'),
      joint('a__b', 'revolute', 'left.arm', '7'),
      joint('a-b', 'revolute', '7', '关节'),
      joint('bolt', 'fixed', '关节', 'frame'),
    ),
  );

  it('that mean something else, or are none, are changed, with a note', () => {
    const robot = load(renamed);
    expect(robot.coordinates.map(({ name }) => name)).toEqual([
      'link_short.joint_index',
      'left_arm.joint_double',
      'left_arm_2.joint_kg_x',
      'link7.a_b',
      'unnamed_link.a_b_2',
    ]);
    expect(renamed.notes.map(({ message }) => message)).toEqual([
      '`short` is called `link_short`, `left arm` is called `left_arm`, `left.arm` is called `left_arm_2`, `7` is called `link7`, `关节` is called `unnamed_link`',
      '`index` is called `joint_index`, `double` is called `joint_double`, `kg_x` is called `joint_kg_x`, `a__b` is called `a_b`, `a-b` is called `a_b_2`',
    ]);
  });

  it('of robots become names of files', () => {
    const named = (name: string): string => imported(`<robot name="${name}"><link name="a"/></robot>`).name;
    expect(['UR5e Arm', '2R', '', 'double', '--'].map(named)).toEqual([
      'ur5e-arm',
      'robot-2r',
      'robot',
      'double-robot',
      'robot',
    ]);
  });

  it('and other text of the file cannot leave its comment', () => {
    const { text } = imported(
      robotOf(
        link('a'),
        link('b', 1),
        '<link name="x&#10;tip: b"><inertial><mass value="1"/></inertial></link>',
        joint('j', 'revolute', 'a', 'b', '<mimic joint="k&#10;tip: b"/>'),
        joint('f', 'fixed', 'b', 'x&#10;tip: b'),
      ),
    );
    expect(text.split('\n').filter((line) => line.startsWith('tip:'))).toEqual(['tip: x_tip_b']);
  });
});

it('inertias that no body has are written down as meant so', () => {
  const robot = imported(
    robotOf(link('a'), link('b', 1, '0 0 0', '0 0 0', [1, 1, 5]), joint('j', 'revolute', 'a', 'b')),
  );
  expect(robot.text).toContain('unphysical: true');
  expect(load(robot).warnings).toEqual([]);
});
