/** URDF files as they are found: what other readers pass over makes no difference, what is changed is said. */
import { describe, expect, it } from 'vitest';
import type { Robot } from '../../src/description/model/robot.ts';
import { failure, joint, link, loadLinks, loadUrdf, robotOf } from './urdf-text.ts';

const TIDY = `<?xml version="1.0"?>
<robot name="r">
  <link name="a"/>
  <link name="b"><inertial><origin xyz="0.5 0 0" rpy="0 0 0"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.001" rpy="0 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="1"/></joint>
</robot>
`;

/** All that the robot is made of, but for places. */
const essence = ({ links, coordinates, frames, warnings }: Robot): unknown => [
  links.map((own) => ({ ...own, location: undefined })),
  coordinates,
  frames,
  warnings.map(({ message }) => message),
];

describe('a file that says the same', () => {
  const changed = (from: string | RegExp, to: string): string => TIDY.replace(from, to);
  const more = (text: string): string => changed('</robot>', `${text}</robot>`);
  it.each([
    ['declares XML 0.0', changed('"1.0"', '"0.0"')],
    ['begins with white space', `\n  ${TIDY}`],
    ['begins with a comment', `<!-- made by hand, 2 < 3 -->\n${TIDY}`],
    ['begins with a byte-order mark', `\uFEFF${TIDY}`],
    ['names an encoding and a style sheet', changed('"1.0"?>', '"1.0" encoding="latin-1"?>\n<?xml-model href="x"?>')],
    ['has no declaration', changed(/<\?xml.*\n/, '')],
    ['has a document type', changed('<robot', '<!DOCTYPE robot>\n<robot')],
    ['ends like a string of C', `${TIDY}\0`],
    ['ends lines as Windows does', TIDY.replace(/\n/g, '\r\n')],
    [
      'writes numbers in other ways',
      changed('xyz="0.5 0 0"', 'xyz=" 5e-1\n\t+0.  .0 "').replace('"0 0 0.001"', '"0 0 1e-3"'),
    ],
    ['puts commas between numbers', changed('xyz="0.5 0 0"', 'xyz="0.5, 0, 0"')],
    [
      'leaves out what is zero',
      changed(' rpy="0 0 0"', '').replace(' ixy="0" ixz="0" iyz="0"', '').replace('0.001" rpy="0 0 0"', '0.001"'),
    ],
    ['has an axis of another length', changed('xyz="0 0 1"', 'xyz="0 0 7.5"')],
    ['says an axis twice', changed('<axis', '<axis xyz="0 0 1"/><axis')],
    ['turns an axis', changed('<axis', '<axis rpy="0 0 0"')],
    ['uses quotes of the other kind', TIDY.replace(/"/g, "'")],
    [
      'has transmissions and simulators',
      more(
        '<transmission name="t"><type>x</type><joint name="j"/></transmission><gazebo reference="a"><mu1>0.2</mu1></gazebo>',
      ),
    ],
    ['has materials and sensors', more('<material name="m"><color rgba="1 1 1 1"/></material><sensor name="s"/>')],
    ['has attributes of others', changed('<limit', '<limit drake:acceleration="3" xmlns:drake="x"')],
    ['says that it is URDF 1.2', changed('<robot', '<robot version="1.2"')],
    ['has elements of others', more('<drake:joint name="x"/><loop_joint name="y"/>')],
    [
      'has shapes',
      changed(
        '<inertial>',
        '<visual><geometry><mesh filename="package://r/m.stl"/></geometry></visual><contact><lateral_friction value="1"/></contact><inertial>',
      ),
    ],
    ['leaves a property of xacro', more('<xacro:property name="h" value="2"/>')],
  ])('%s', (_, text) => {
    expect(essence(loadUrdf(text))).toEqual(essence(loadUrdf(TIDY)));
  });
});

it('places of mistakes count what is passed over at the beginning', () => {
  const error = failure(() => loadUrdf(`\uFEFF<!-- two\nlines -->  ${TIDY.replace('value="2"', 'value="x"')}`));
  const column = TIDY.split('\n')[3]!.indexOf('value="2"') + 'value="'.length + 1;
  expect(error.location).toMatchObject({ line: 5, column });
});

describe('limits that leave no room', () => {
  const limited = (lower: string, upper: string): Robot =>
    loadUrdf(TIDY.replace('lower="-1" upper="1"', `lower="${lower}" upper="${upper}"`));
  it.each([
    ['1', '-1'],
    ['0', '0'],
  ])('%s to %s are ignored with a note', (lower, upper) => {
    const robot = limited(lower, upper);
    expect(robot.coordinates[0]).not.toHaveProperty('lower');
    expect(robot.notes.map(({ message }) => message)).toEqual([
      `the limits of j, ${lower} to ${upper}, leave no room and are ignored`,
    ]);
  });

  it('or have no end are none', () => {
    expect(limited('-inf', 'Infinity').coordinates[0]).not.toHaveProperty('upper');
    expect(limited('-inf', 'inf').notes).toEqual([]);
  });

  it('and those without zero put the default at the nearest end', () => {
    expect(limited('0.25', '2').coordinates[0]!.value).toBe(0.25);
    expect(limited('-3', '-0.5').coordinates[0]!.value).toBe(-0.5);
  });
});

describe('masses', () => {
  const massOf = (inertial: string): Robot =>
    loadUrdf(robotOf(`<link name="a"/><link name="b">${inertial}</link>`, joint('j', 'revolute', 'a', 'b')));
  it('without inertia are points, with a note', () => {
    const robot = massOf('<inertial><mass value="3"/></inertial>');
    expect(robot.notes.map(({ message }) => message)).toEqual(['<inertia> is missing: the mass is a point']);
    expect(robot.links[0]!.body).toEqual(loadLinks([{ name: 'b', rigid: { mass: 3 } }]).links[0]!.body);
  });

  it('of zero are nothing', () => {
    const nothing = loadLinks([{ name: 'b', rigid: {} }]).links[0]!.body;
    for (const inertial of [
      '',
      '<inertial><mass value="0"/></inertial>',
      '<inertial><mass value=".0"/><inertia ixx="0" iyy="0" izz="0"/></inertial>',
    ])
      expect(massOf(inertial).links[0]!.body).toEqual(nothing);
  });
});

describe('joints', () => {
  const one = (type: string, more = ''): Robot =>
    loadUrdf(robotOf(link('a'), link('b', 1), joint('j', type, 'a', 'b', more)));
  const motions = (robot: Robot): unknown => robot.links[0]!.joint.motions;
  const written = (own: unknown): unknown => motions(loadLinks([{ name: 'b', joint: own, rigid: {} }]));

  it('that float are free, and spherical ones spherical', () => {
    const floating = one('floating');
    expect(motions(floating)).toEqual(written('free'));
    expect(floating.coordinates.map(({ name }) => name)).toEqual(
      ['d1', 'd2', 'd3', 'r1', 'r2', 'r3'].map((c) => `arm.j.${c}`),
    );
    expect(motions(one('spherical'))).toEqual(written('spherical'));
  });

  it.each([
    ['1 0 0', ['y', 'z']],
    ['0 2 0', ['z', 'x']],
    ['0 0 1', ['x', 'y']],
    ['0 0 -1', ['x', '-y']],
    ['3 0 4', [[0.8, 0, -0.6], 'y']],
  ])('in the plane across %s slide along two axes and turn about it', (axis, axes) => {
    const planar = one('planar', `<axis xyz="${axis}"/>`);
    expect(motions(planar)).toEqual(written({ planar: axes }));
    expect(planar.coordinates.map(({ name }) => name)).toEqual(['arm.j.d1', 'arm.j.d2', 'arm.j.angle']);
  });

  it('that copy others are coordinates with a warning that says how to couple them', () => {
    const robot = loadUrdf(
      robotOf(
        link('a'),
        link('b', 1),
        link('c', 1),
        joint('left', 'revolute', 'a', 'b'),
        joint('right', 'revolute', 'a', 'c', '<mimic joint="left" multiplier="-1.5" offset="0.1"/>'),
      ),
    );
    expect(robot.coordinates.map(({ name }) => name)).toEqual(['arm.left', 'arm.right']);
    expect(robot.warnings.map(({ message }) => message)).toEqual([
      '`right` copies `left` (<mimic>) and is a coordinate of its own here: set it to -1.5*left + 0.1 and add -1.5 times its force to that of left',
    ]);
  });
});

describe('names', () => {
  it('may hold spaces, dots, other scripts and words of C, and be alike', () => {
    const names = ['left.elbow', 'left elbow', 'double', '7', '关节', 'x'.repeat(80)];
    const robot = loadUrdf(
      robotOf(
        ...['a', ...names].map((name) => link(name, 1)),
        ...names.map((name) => joint(name, 'revolute', 'a', name)),
      ),
    );
    expect(robot.coordinates.map(({ name }) => name)).toEqual([
      'arm.left_elbow',
      'arm.left_elbow_2',
      'arm.double',
      'arm.7',
      'arm.unnamed_joint',
      `arm.${'x'.repeat(64)}`,
    ]);
    expect(robot.notes.map(({ message }) => message.split(', ')[1])).toEqual([
      '`left elbow` is called `arm.left_elbow_2`',
      '`left elbow` is called `arm.left_elbow_2`',
    ]);
  });
});

describe('several robots in one file', () => {
  const urdf = robotOf(
    link('a'),
    link('b', 1),
    link('c'),
    link('d', 2),
    joint('j', 'revolute', 'a', 'b'),
    joint('k', 'prismatic', 'c', 'd'),
  );
  it('are told apart by `from` or `to`', () => {
    const joints = (more: object): string[] => loadUrdf(urdf, more).coordinates.map(({ name }) => name);
    expect([joints({ from: 'a' }), joints({ to: 'd' })]).toEqual([['arm.j'], ['arm.k']]);
    expect(failure(() => loadUrdf(urdf)).message).toBe('the file holds 2 robots: no joint carries `a`, `c`');
  });
});

describe('trees by one entry', () => {
  const urdf = robotOf(
    link('trunk', 5),
    link('left', 1),
    link('foot', 0.2),
    link('right', 1),
    joint('l', 'revolute', 'trunk', 'left'),
    joint('f', 'fixed', 'left', 'foot'),
    joint('r', 'revolute', 'trunk', 'right'),
  );
  it('have all branches, called after their ends, on a joint of the robot file', () => {
    const robot = loadUrdf(urdf, {});
    expect(robot.links.map(({ name, parent }) => [name, parent])).toEqual([
      ['arm.foot', -1],
      ['arm.right', -1],
    ]);
    const file = robot.links[0]!.location.file;
    const free = loadLinks([
      { name: 'dog', joint: { free: null, names: ['x', 'y', 'z', 'u', 'v', 'w'] }, urdf: { file } },
    ]);
    expect(free.links.map(({ name, parent, joint: { type } }) => [name, parent, type])).toEqual([
      ['dog.trunk', -1, 'free'],
      ['dog.foot', 0, 'revolute'],
      ['dog.right', 0, 'revolute'],
    ]);
    expect(free.coordinates.map(({ name }) => name)).toEqual(
      ['x', 'y', 'z', 'u', 'v', 'w', 'l', 'r'].map((c) => `dog.${c}`),
    );
  });

  it('do not say where the next link sits, unless there is one end', () => {
    const file = loadUrdf(urdf).links[0]!.location.file;
    const tool = { name: 'tool', rigid: {} };
    const error = failure(() => loadLinks([{ name: 'dog', urdf: { file } }, tool]));
    expect([error.code, error.remedy]).toEqual(['several-ends', 'write for example `parent: dog.right`']);
    const on = (own: object): number =>
      loadLinks([
        { name: 'dog', urdf: { file } },
        { ...tool, ...own },
      ]).links[2]!.parent;
    expect(on({ parent: 'dog.left' })).toBe(0);
    expect(loadLinks([{ name: 'dog', urdf: { file, to: 'foot' } }, tool]).links[1]!.parent).toBe(0);
  });
});

describe('joints that say more', () => {
  it('than is read give a warning', () => {
    const text = TIDY.replace('<axis', '<spring stiffness="3"/><drake:spring/><dynamics K="7" mu_viscous="3"/><axis');
    const { warnings } = loadUrdf(text);
    expect(warnings.map(({ message }) => message)).toEqual(
      ['<spring>', '`K` of <dynamics>', '`mu_viscous` of <dynamics>'].map((what) => `${what} is not read here: j`),
    );
    const column = text.split('\n')[4]!.indexOf('7" mu') + 1;
    expect(warnings[1]!.location).toMatchObject({ line: 5, column });
  });
});
