/** SDF files written out as robot files: dynamics by brute force over what libsdformat reads, loops, and refusals of what is not read. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { composed } from '../../src/common/poses.ts';
import type { ImportedRobot } from '../../src/description/imported/imported-robot.ts';
import { robotFileOfTree } from '../../src/description/imported/tree-robot-file.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { RigidBody, Robot } from '../../src/description/model/robot.ts';
import { readSdf } from '../../src/description/sdf/sdf-model.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { frameEntries } from '../../src/symbolic/graph/vector.ts';
import { KernelInterpreter } from '../kane/interpreter.ts';

const FOLDER = 'test/description/sdf';
const read = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly M: readonly number[];
  /** Forces that accelerations of zero need at these rates, weight included. */
  readonly bias: readonly number[];
}

/** Made as test/description/sdf/README.md says. */
const reference = JSON.parse(readFileSync(`${FOLDER}/reference.json`, 'utf8')) as Record<string, readonly State[]>;

function imported(text: string, file = `${FOLDER}/some.sdf`): ImportedRobot {
  return robotFileOfTree(readSdf(text, file, read));
}
const importedFile = (name: string): ImportedRobot => imported(read(`${FOLDER}/${name}.sdf`)!, `${FOLDER}/${name}.sdf`);
const load = ({ text }: ImportedRobot): Robot => loadRobotText(text, 'some.robot.yaml');
const said = (remarks: ImportedRobot['notes']): string[] => remarks.map(({ message }) => message);

const INERTIA = '<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>';
const link = (name: string, inside = ''): string =>
  `<link name="${name}"><inertial><mass>2</mass>${INERTIA}</inertial>${inside}</link>`;
const joint = (name: string, parent: string, child: string, inside = '', type = 'revolute'): string =>
  `<joint name="${name}" type="${type}"><parent>${parent}</parent><child>${child}</child>${inside}</joint>`;
const axis = (inside = '', xyz = '0 0 1'): string => `<axis><xyz>${xyz}</xyz>${inside}</axis>`;
const model = (inside: string, version = '1.11'): string =>
  `<sdf version="${version}"><model name="m">${inside}</model></sdf>`;
/** One hinge on the world. */
const hinge = (inside = '', version?: string): string =>
  model(`${link('a')}${joint('j', 'world', 'a', axis())}${inside}`, version);

const largest = (values: readonly number[]): number => Math.max(...values.map(Math.abs));
function deviation(found: readonly number[], expected: readonly number[]): number {
  expect(found).toHaveLength(expected.length);
  return largest(expected.map((x, i) => x - found[i]!)) / largest(expected);
}

it.each(['crane', 'four-bar'])('the dynamics of %s, by brute force', (name) => {
  const robot = load(importedFile(name));
  const interpreter = new KernelInterpreter(compileRobot(robot));
  for (const { q, qd, M, bias } of reference[name]!) {
    const state = { q, qd, qdd: q.map(() => 0) };
    expect(deviation(interpreter.massMatrix(state).flat(), M)).toBeLessThan(1e-13);
    expect(deviation(interpreter.inverseDynamics(state, robot.gravity), bias)).toBeLessThan(1e-13);
  }
});

it('closes loops where the file places the links', () => {
  const robot = load(importedFile('four-bar'));
  expect(robot.loops!.map(({ name, kind }) => [name, kind])).toEqual([
    ['pin', 'revolute'],
    ['teeth', 'constraint'],
  ]);
  const still = robot.coordinates.map(() => 0);
  const poses = new KernelInterpreter(compileRobot(robot)).poses({ q: still, qd: still, qdd: still });
  const [a, b] = robot.loops![0]!.parts[0]!.frames.map((end) => {
    if (end.kind !== 'frame') return expect.unreachable();
    return composed(poses[end.link]!, evaluate(frameEntries(end.offset)));
  });
  expect(largest(a!.map((x, i) => x - b![i]!))).toBeLessThan(1e-15);
  // The pin is at the tip of the rocker, along y.
  expect(deviation(a!.slice(9), [0.45 + 0.3 * Math.sin(0.3), 0, 0.3 * Math.cos(0.3)])).toBeLessThan(1e-15);
  expect([a![2], a![5], a![8]].map((x) => Math.round(x! * 1e12))).toEqual([0, 1e12, 0]);
});

it('reads like this', () => {
  expect(importedFile('four-bar').text).toMatchInlineSnapshot(`
    "# Made of four-bar.sdf by kanegen import: m, kg, rad; inertias about centres of mass.
    kanegen: 1
    name: four-bar
    summary: 4 joints

    links:
      - name: crank
        joint: { revolute: y, names: [a] }
        rigid:
          mass: 0.2
          com: [0, 0, 0.1]
          inertia: { xx: 0.001, yy: 0.001, zz: 0.0001 }
      - name: coupler
        offset: { xyz: [0, 0, 0.2], rpy: [0, 1.4, 0] }
        joint: { revolute: -y, names: [b] }
        rigid:
          mass: 0.5
          com: [0, 0, 0.25]
          inertia: { xx: 0.01, yy: 0.01, zz: 0.0003 }
      - name: rocker
        parent: base
        offset: { xyz: [0.45, 0, 0], rpy: [0, 0.3, 0] }
        joint: { revolute: y, names: [c] }
        rigid:
          mass: 0.3
          com: [0, 0, 0.15]
          inertia: { xx: 0.003, yy: 0.003, zz: 0.0002 }
      - name: gear
        parent: base
        offset: { xyz: [-0.1, 0, 0] }
        joint: { revolute: -y, names: [g] }
        rigid:
          mass: 0.4
          com: [0.03, 0, 0]
          inertia: { xx: 0.0002, yy: 0.0004, zz: 0.0002 }
    loops:
      pin: { revolute: { a: { on: coupler, offset: { xyz: [0.006212952284369952, 0, 0.5455377863424321], rpy: [-90 deg, -1.4, 0] } }, b: { on: rocker, offset: { xyz: [0, 0, 0.3], rpy: [-90 deg, -0.3, 0] } }, axis: z } }
      teeth: { constraint: "gear.g - (2.5*crank.a)" }
    "
  `);
  const { text, warnings, notes } = importedFile('crane');
  expect(text).toContain(
    'limits: [-2, 2.5], drive-limits: { effort: 40, velocity: 1.5 }, stiffness: 5, rest: 0.4, damping: 0.7, friction: { coulomb: 0.2, at: 0.01 }, names: [slew] }',
  );
  expect(said(warnings)).toEqual([]);
  expect(said(notes)).toEqual([
    expect.stringMatching(/^`loose::palm` is free/),
    'frames that do not move are left out: `corner`, `foot`',
    '`grip` is called `grip_2`',
  ]);
});

describe('inertias', () => {
  const rigid = (text: string): RigidBody => load(imported(text)).links[0]!.body as RigidBody;
  const numbers = ({ mass, centreOfMass, inertia }: RigidBody): number[] =>
    evaluate([mass, ...centreOfMass, ...inertia]);

  it('computes them out of shapes', () => {
    const shapes = (inside: string): string =>
      model(
        `<link name="a"><inertial auto="true">${inside}</inertial>
         <collision name="c"><geometry><box><size>0.2 0.4 0.6</size></box></geometry></collision>
         <collision name="d"><pose>0 0 1 0 1.5707963267948966 0</pose><density>500</density>
           <geometry><cylinder><radius>0.1</radius><length>0.8</length></cylinder></geometry></collision></link>
         ${joint('j', 'world', 'a', axis())}`,
      );
    const box = 0.2 * 0.4 * 0.6;
    const bar = 500 * Math.PI * 0.1 ** 2 * 0.8;
    for (const [inside, density] of [
      ['', 1000],
      ['<density>2000</density>', 2000],
    ] as const) {
      const m = density * box;
      const z = bar / (m + bar);
      // Steiner: both centres are apart by 1 m along z.
      const steiner = (m * bar) / (m + bar);
      const [along, across] = [(bar * 0.01) / 2, (bar * (3 * 0.01 + 0.64)) / 12];
      const expected = [
        (m * (0.16 + 0.36)) / 12 + along + steiner,
        (m * (0.04 + 0.36)) / 12 + across + steiner,
        (m * (0.04 + 0.16)) / 12 + across,
      ];
      const found = numbers(rigid(shapes(inside)));
      expect(deviation(found, [m + bar, 0, 0, z, ...expected, 0, 0, 0])).toBeLessThan(1e-14);
    }
  });

  it('are those of SDFormat where the file states none', () => {
    const text = model(`<link name="a"/>${joint('j', 'world', 'a', axis())}`);
    expect(numbers(rigid(text))).toEqual([1, 0, 0, 0, 1, 1, 1, 0, 0, 0]);
    expect(said(imported(text).warnings)).toEqual([
      '`a` states a mass and an inertia nowhere: SDFormat takes 1 kg and 1 kg m² about each axis',
    ]);
  });
});

it('holds joints that follow others by loops, and screws by their pitch', () => {
  const made = imported(
    model(`${link('a')}${link('b')}${link('c')}
      ${joint('lead', 'world', 'a', axis())}
      ${joint('slide', 'a', 'b', axis('<mimic joint="lead"><multiplier>0.5</multiplier><offset>0.1</offset><reference>0.2</reference></mimic>'), 'prismatic')}
      ${joint('turn', 'b', 'c', `<screw_thread_pitch>0.004</screw_thread_pitch>${axis()}`, 'screw')}`),
  );
  const { text } = made;
  expect(text).toContain('parameters: { c1: 0.5 m }');
  expect(text).toContain('slide_mimic: { constraint: "b.slide - (c1*a.lead)" }');
  expect(text).toContain('joint: { helical: { axis: z, pitch: 0.004 }, names: [turn] }');
  expect(load(made).loops).toHaveLength(1);
});

it('keeps links still that the world holds, and closes loops at joints nothing acts along', () => {
  const still = imported(
    `<sdf version="1.10"><world name="w"><model name="m"><static>true</static>${link('a')}</model>
     <model name="n">${link('b')}${joint('j', 'world', 'b', axis())}</model></world></sdf>`,
  ).text;
  expect(still).toContain('gravity: [0, 0, -9.8]');
  expect(still).not.toContain('- name: a\n');
  const damped = axis('<dynamics><damping>1</damping></dynamics>');
  const ring = (middle: string, last: string): string =>
    imported(
      model(
        `${link('a')}${link('b')}${joint('p', 'world', 'a', axis())}${joint('q', 'a', 'b', middle)}${joint('r', 'world', 'b', last)}`,
      ),
    ).text;
  expect(ring(damped, axis())).toContain('  r: { revolute:');
  expect(ring(axis(), damped)).toContain('  q: { revolute:');
  const asked = `${axis()}<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>`;
  expect(ring(axis(), axis())).toContain('  r: { revolute:');
  expect(ring(asked, axis())).toContain('  q: { revolute:');
});

it('turns joints around that lead to the world', () => {
  const both = '<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>';
  const { text } = imported(hinge(`${link('b')}${joint('u', 'b', 'a', both, 'universal')}`));
  const [first, second] = ['joint: { revolute: -y, names: [u_2] }', 'joint: { revolute: -x, names: [u_1] }'];
  expect(text.indexOf(first)).toBeGreaterThan(0);
  expect(text.indexOf(second)).toBeGreaterThan(text.indexOf(first));
  // θ of a shaft counts from the body, whichever way its joint is written.
  const gear = (one: string): string =>
    imported(
      hinge(
        `${link('b')}${link('c')}${one}${joint('t', 'a', 'c', axis())}${joint(
          'g',
          'b',
          'c',
          `<gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body>${axis()}<axis2><xyz>0 0 1</xyz></axis2>`,
          'gearbox',
        )}`,
      ),
    ).text;
  expect(gear(joint('s', 'a', 'b', axis()))).toContain('"c.t - (-2*b.s)"');
  expect(gear(joint('s', 'b', 'a', axis()))).toContain('"c.t - (2*b.s)"');
});

it('attaches frames of a model to its canonical link', () => {
  const inner = (canonical: string): string =>
    imported(
      hinge(
        `<model name="n"${canonical}>${link('b')}${link('c')}${joint('k', 'b', 'c', axis())}<frame name="f"/></model>
         ${joint('l', 'a', 'n::b', axis())}`,
      ),
    ).text;
  expect(inner('')).toContain('  f: { on: b }');
  expect(inner(' canonical_link="c"')).toContain('  f: { on: c }');
});

it('closes loops by each kind of joint that can', () => {
  const both = '<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>';
  for (const [type, inside, kind, rows] of [
    ['prismatic', axis(), 'prismatic', 5],
    ['ball', '', 'spherical', 3],
    ['universal', both, 'universal', 4],
    ['continuous', axis(), 'revolute', 5],
  ] as const) {
    const made = imported(
      model(
        `${link('a')}${link('b')}${joint('p', 'world', 'a', axis())}${joint('q', 'a', 'b', axis())}
         ${joint('r', 'world', 'b', `<pose>0.1 0.2 0 0 0 0.3</pose>${inside}`, type)}`,
      ),
    );
    const [loop] = load(made).loops!;
    expect([loop!.kind, loop!.rows.length]).toEqual([kind, rows]);
  }
});

describe('refuses', () => {
  it.each<[what: string, text: string, code: string, message: RegExp, place?: string]>([
    ['other files', '<robot name="r"/>', 'not-sdf', /begins with <robot>/],
    ['old versions', hinge('', '1.5'), 'not-supported', /SDFormat 1\.5/],
    ['newer versions', hinge('', '1.12'), 'not-supported', /SDFormat 1\.12/],
    ['files without a model', '<sdf version="1.9"/>', 'malformed-sdf', /no <model>/],
    ['misspelled elements', hinge('<jont/>'), 'unknown-element', /no element <jont>/],
    ['unknown attributes', hinge('<frame name="f" atached_to="a"/>'), 'unknown-attribute', /`atached_to`/],
    ['misspelled elements of links', hinge('<link name="b"><inertal/></link>'), 'unknown-element', /<link>.*<inertal>/],
    ['frames of links', hinge('<link name="b"><frame name="f"/></link>'), 'not-supported', /<frame> of <link>/],
    ['elements of axes', hinge(link('b') + joint('k', 'a', 'b', axis('<dynamic/>'))), 'unknown-element', /<dynamic>/],
    ['grippers', hinge('<gripper name="g"/>'), 'not-supported', /<gripper>/],
    ['wind', hinge('<enable_wind>true</enable_wind>'), 'not-supported', /wind/],
    ['links without weight', hinge(link('b', '<gravity>false</gravity>')), 'not-supported', /without weight/],
    ['kinematic links', hinge(link('b', '<kinematic>1</kinematic>')), 'not-supported', /from outside/],
    ['decay', hinge(link('b', '<velocity_decay><linear>0.1</linear></velocity_decay>')), 'not-supported', /decay/],
    [
      'added mass',
      hinge('<link name="b"><inertial><fluid_added_mass/></inertial></link>'),
      'not-supported',
      /fluid_added/,
    ],
    [
      'negative masses',
      hinge('<link name="b"><inertial><mass>-1</mass></inertial></link>'),
      'negative-mass',
      /negative/,
    ],
    ['auto without shapes', hinge('<link name="b"><inertial auto="true"/></link>'), 'malformed-sdf', /no <collision>/],
    [
      'masses of meshes',
      hinge(
        '<link name="b"><inertial auto="true"/><collision name="c"><geometry><mesh/></geometry></collision></link>',
      ),
      'not-supported',
      /mass of a <mesh>/,
    ],
    ['two names', hinge(link('a')), 'duplicate-name', /`a` is taken/],
    ['names of scopes', hinge(link('b::c')), 'reserved-name', /`b::c`/],
    ['frames of nothing', hinge('<frame name="f" attached_to="aa"/>'), 'unknown-frame', /no link.* `aa`/],
    [
      'frames in a circle',
      hinge('<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>'),
      'circular-frames',
      /given by itself/,
    ],
    ['joints of nothing', hinge(joint('k', 'a', 'b', axis())), 'unknown-frame', /`b`/],
    ['joints without an axis', hinge(link('b') + joint('k', 'a', 'b')), 'malformed-sdf', /needs <axis>/],
    ['axes of zero', hinge(link('b') + joint('k', 'a', 'b', axis('', '0 0 0'))), 'zero-axis', /zero vector/],
    ['types of no joint', hinge(link('b') + joint('k', 'a', 'b', '', 'floating')), 'wrong-value', /`floating`/],
    ['the world as a child', hinge(joint('k', 'a', 'world', axis())), 'malformed-sdf', /cannot be the child/],
    [
      'negative damping',
      hinge(link('b') + joint('k', 'a', 'b', axis('<dynamics><damping>-1</damping></dynamics>'))),
      'wrong-value',
      /<damping> is negative/,
    ],
    ['screws without a pitch', hinge(link('b') + joint('k', 'a', 'b', axis(), 'screw')), 'malformed-sdf', /one pitch/],
    [
      'motors of a solver',
      hinge(link('b') + joint('k', 'a', 'b', `${axis()}<physics><ode><velocity>1</velocity></ode></physics>`)),
      'not-supported',
      /motors of a solver/,
    ],
    [
      'loops of joints that something acts along',
      hinge(
        link('b') +
          ['k', 'l'].map((name) => joint(name, 'a', 'b', axis('<dynamics><damping>1</damping></dynamics>'))).join(''),
      ),
      'not-supported',
      /nothing can act along/,
    ],
    [
      'gears without shafts',
      hinge(
        link('b') +
          joint(
            'k',
            'a',
            'b',
            `<gearbox_reference_body>a</gearbox_reference_body>${axis()}<axis2><xyz>0 0 1</xyz></axis2>`,
            'gearbox',
          ),
      ),
      'not-supported',
      /shaft/,
    ],
    [
      'joints that follow nothing',
      hinge(link('b') + joint('k', 'a', 'b', axis('<mimic joint="x"><multiplier>1</multiplier></mimic>'))),
      'unknown-joint',
      /cannot follow `x`/,
    ],
    ['text for numbers', hinge('<frame name="f"><pose>0 0 x 0 0 0</pose></frame>'), 'not-a-number', /`x`/],
    ['counts of numbers', hinge('<frame name="f"><pose>0 0 0</pose></frame>'), 'wrong-shape', /3 numbers, not 6/],
    [
      'poses by `frame`',
      hinge('<frame name="f"><pose frame="a">0 0 0 0 0 0</pose></frame>', '1.6'),
      'not-supported',
      /`frame`/,
    ],
    [
      'models that are nowhere',
      hinge('<include><uri>model://arm</uri></include>'),
      'missing-file',
      /no `model:\/\/arm`/,
    ],
    ['models elsewhere', hinge('<include><uri>https://x/arm</uri></include>'), 'not-supported', /not on this machine/],
    ['merged models', hinge('<include merge="true"><uri>model://hand</uri></include>'), 'not-supported', /`merge`/],
  ])('%s', (_, text, code, message) => {
    try {
      imported(text);
    } catch (error) {
      if (!(error instanceof KanegenError)) throw error;
      expect(error.code).toBe(code);
      expect(error.message).toMatch(message);
      expect(error.location?.line).toBeGreaterThan(0);
      expect(error.location?.column).toBeGreaterThan(0);
      expect(error.remedy).toBeTruthy();
      return;
    }
    expect.unreachable();
  });

  it('files that include each other without end', () => {
    const twice = (uri: string): string =>
      model(['x', 'y'].map((name) => `<include><name>${name}</name><uri>${uri}</uri></include>`).join(''));
    const others = (path: string): string => {
      const n = Number(/(\d+)\.sdf$/.exec(path)![1]);
      return n < 12 ? twice(`${n + 1}.sdf`) : model(link('a'));
    };
    const deep = (path: string): string =>
      model(`<include><uri>${Number(/(\d+)\.sdf$/.exec(path)![1]) + 1}.sdf</uri></include>`);
    expect(() => readSdf(deep('0.sdf'), 'some.sdf', deep)).toThrow(/nested deeper than 50/);
    expect(() => readSdf(twice('0.sdf'), 'some.sdf', others)).toThrow(expect.objectContaining({ code: 'too-large' }));
    expect(() => readSdf(twice('some.sdf'), 'some.sdf', () => twice('some.sdf'))).toThrow(/includes itself/);
  });

  it('at the number itself', () => {
    const text = hinge('\n<frame name="f">\n  <pose>0 0 x 0 0 0</pose></frame>');
    expect(() => imported(text)).toThrow(
      expect.objectContaining({ location: expect.objectContaining({ line: 3, column: 13 }) }),
    );
  });
});
