/** URDF files as chains of rigid links: the same dynamics as the same robot in YAML. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotFile, loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import { NO_COORDINATE_FORCES, type RigidBody, type Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, fraction, half, integer, one, square, zero } from '../../src/symbolic/graph/expr.ts';
import { identityMatrix } from '../../src/symbolic/graph/vector.ts';
import { verifyRobot } from '../../src/verify/verify.ts';
import { KernelInterpreter, type State } from '../kane/interpreter.ts';
import { write, robotOf, link, joint, INERTIA, loadUrdf, loadLinks, TWO_JOINTS } from './urdf-text.ts';

function stateOf(robot: Robot): State {
  const vector = (start: number, step: number): number[] => robot.coordinates.map((_, i) => start + step * i);
  return { q: vector(0.3, 0.25), qd: vector(0.7, -0.4), qdd: vector(-0.5, 0.3) };
}

interface Dynamics {
  readonly tau: readonly number[];
  readonly M: readonly (readonly number[])[];
  /** World pose of the tip's link, rotation by rows, then the origin. */
  readonly pose: readonly number[];
}

function dynamics(robot: Robot): Dynamics {
  const interpreter = new KernelInterpreter(compileRobot(robot));
  const state = stateOf(robot);
  return {
    tau: interpreter.inverseDynamics(state, robot.gravity),
    M: interpreter.massMatrix(state),
    pose: interpreter.poses(state)[robot.frames[robot.tip]!.link]!,
  };
}

/** The same forces, mass matrix and pose of the tip, to a few roundings. */
function expectSame(a: Robot, b: Robot): void {
  const [left, right] = [dynamics(a), dynamics(b)];
  expect(left.tau.length).toBe(right.tau.length);
  const numbers = ({ tau, M, pose }: Dynamics): number[] => [...tau, ...M.flat(), ...pose];
  const size = Math.max(...numbers(right).map(Math.abs));
  const errors = numbers(left).map((value, i) => Math.abs(value - numbers(right)[i]!));
  expect(Math.max(...errors)).toBeLessThanOrEqual(1e-13 * size);
}

describe('a URDF chain', () => {
  it('has the inverse dynamics, mass matrix and tip of the same robot in YAML', () => {
    const rigid = (mass: number, com: unknown[]): object => ({ mass, com, inertia: INERTIA });
    const same = loadLinks([
      {
        name: 'pan',
        joint: { revolute: [0, 0.6, 0.8] },
        offset: { xyz: [0.1, 0, 0.5], rpy: [0.3, 0, -0.7] },
        rigid: rigid(2, [0.1, 0, 0.05]),
      },
      { name: 'camera', offset: { xyz: [0, 0.05, 0.3], rpy: [0.1, 0.2, 0.3] }, rigid: {} },
      { name: 'lens', offset: { xyz: [0, 0.02, 0], rpy: [0.4, -0.2, 0.1] }, rigid: rigid(0.25, [0, 0, 0]) },
      {
        name: 'lift',
        parent: 'pan',
        offset: { xyz: [0, 0, 0.4], rpy: ['180 deg', 0, 0] },
        joint: { prismatic: '-z' },
        rigid: {},
      },
      { name: 'slide', offset: { xyz: [0, 0.01, 0.2], rpy: [0, '90 deg', 0] }, rigid: rigid(1.5, [0, 0, 0]) },
      { name: 'flange', parent: 'lift', offset: { xyz: [0, 0, 0.3], rpy: [0, 1.5707963, 0] }, rigid: {} },
      { name: 'tool', offset: { xyz: [0.01, 0, 0.1] }, rigid: rigid(0.5, [0, 0, 0.03]) },
    ]);
    expectSame(loadUrdf(TWO_JOINTS), same);
  });

  it('begins at the root, ends at the only end, and names links and coordinates after the file', () => {
    const robot = loadUrdf(TWO_JOINTS);
    expect(robot.links.map((l) => [l.name, l.joint.type])).toEqual([
      ['arm.upper', 'revolute'],
      ['arm.tool', 'prismatic'],
    ]);
    expect(robot.coordinates).toMatchObject([
      { name: 'arm.pan', unit: 'rad', lower: -1, upper: 2.5 },
      { name: 'arm.lift', unit: 'm' },
    ]);
    expect(robot.coordinates[1]).not.toHaveProperty('lower');
    expect(robot.frames.map((frame) => frame.name)).toEqual(['arm.upper', 'arm.tool']);
  });

  it('can begin and end elsewhere, and go on in YAML', () => {
    const part = { name: 'arm', urdf: { file: write(TWO_JOINTS), from: 'base', to: 'flange' } };
    const robot = loadLinks([part, { name: 'hand', joint: { revolute: 'x' }, rigid: { mass: 1, com: [0, 0, 0.2] } }]);
    expect(robot.links.map((l) => [l.name, l.parent])).toEqual([
      ['arm.upper', -1],
      ['arm.flange', 0],
      ['hand', 1],
    ]);
    // From `base` the first joint sits 0.3 m lower than from `world`.
    expect(evaluate(robot.links[0]!.offset.translation)).toEqual([0.1, 0, 0.2]);
    const lifted = { ...part, offset: { xyz: [0, 0, 0.3] }, urdf: { ...part.urdf, to: 'tool' } };
    expectSame(loadLinks([lifted]), loadUrdf(TWO_JOINTS));
  });

  it('lets frames, tip, attached masses and other links sit on any of its links', () => {
    const robot = loadUrdf(
      TWO_JOINTS,
      {},
      {
        frames: { eye: { on: 'arm.camera', offset: { xyz: [0, 0, 0.01] } } },
        tip: 'arm.flange',
        attach: [{ name: 'sticker', to: 'arm.camera', rigid: { mass: 0.1 } }],
      },
    );
    const eye = robot.frames.find((frame) => frame.name === 'eye')!;
    expect(robot.links[eye.link]!.name).toBe('arm.upper');
    expect(robot.links.at(-1)).toMatchObject({ name: 'sticker', parent: 0 });
    const flange = robot.frames[robot.tip]!;
    expect(flange).toMatchObject({ name: 'arm.flange', link: 1 });
    // The tool is 0.1 m along z and 0.01 m along x from the flange.
    evaluate(flange.offset.translation).forEach((value, i) => expect(value).toBeCloseTo([-0.01, 0, -0.1][i]!, 15));
  });

  it('belongs to the sources of the robot', () => {
    const hashes = [TWO_JOINTS, TWO_JOINTS.replace('mass value="2"', 'mass value="3"')].map(
      (urdf) => loadUrdf(urdf).source.hash,
    );
    const file = write(TWO_JOINTS);
    const object = { kanegen: 1, name: 't', links: [{ name: 'arm', urdf: { file } }] };
    const before = loadRobotObject(object).source.hash;
    writeFileSync(file, TWO_JOINTS.replace('mass value="2"', 'mass value="3"'));
    expect(loadRobotObject(object).source.hash).not.toBe(before);
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  it('is found relative to the robot file', () => {
    const file = write(TWO_JOINTS);
    const text = `kanegen: 1\nname: t\nlinks: [ { name: arm, urdf: { file: ./${path.basename(file)} } } ]`;
    expect(loadRobotText(text, path.join(path.dirname(file), 'a.robot.yaml')).links).toHaveLength(2);
  });
});

describe('values of a URDF file', () => {
  const single = (more: string, ...bodies: string[]): Robot =>
    loadUrdf(robotOf(link('a'), ...bodies, joint('j', 'continuous', 'a', 'b', more)));

  it('are exact decimals', () => {
    const { offset, body } = single('<origin xyz="0.1 -1e-3 +.5"/>', link('b', 0.3, '0.7 0 0')).links[0]!;
    expect(offset.translation).toEqual([fraction(1, 10), fraction(-1, 1000), fraction(1, 2)]);
    expect((body as RigidBody).mass).toBe(fraction(3, 10));
    expect((body as RigidBody).centreOfMass).toEqual([fraction(7, 10), zero, zero]);
  });

  it('have the defaults of URDF: no origin, axis x, no mass, no limits of continuous joints', () => {
    const robot = single('<limit lower="-1" upper="1"/>', link('b'));
    const { offset, joint: read, body } = robot.links[0]!;
    expect(offset).toEqual({ rotation: identityMatrix, translation: [zero, zero, zero] });
    expect(read.motions).toMatchObject([{ kind: 'rotation', axis: [one, zero, zero] }]);
    expect((body as RigidBody).mass).toBe(zero);
    expect(robot.coordinates[0]).not.toHaveProperty('upper');
  });

  it('snap angles within 1e-9 of a multiple of a right angle, and say so', () => {
    const robot = single('<origin rpy="1.5707963272 0 -3.141592653589793"/>', link('b'));
    const minus = integer(-1);
    expect(robot.links[0]!.offset.rotation).toEqual([minus, zero, zero, zero, zero, one, zero, one, zero]);
    expect(robot.notes).toHaveLength(1);
    expect(robot.notes[0]!.message).toBe('angles within 1e-9 of a multiple of pi/2 are read as that multiple: j');
    expect(robot.notes[0]!.location).toMatchObject({ line: 5 });
  });

  it('leave other angles alone', () => {
    const robot = single('<origin rpy="1.570796329 0 0.5"/>', link('b'));
    expect(robot.notes).toEqual([]);
    expect(evaluate(robot.links[0]!.offset.rotation)[8]).toBeCloseTo(Math.cos(1.570796329), 17);
    expect(robot.links[0]!.offset.rotation[8]).not.toBe(zero);
  });

  it('turn the inertia with its origin', () => {
    const turned = single('', link('b', 1, '0 0 0', '0 0 1.5707963267948966', [1, 2, 2.5])).links[0]!.body as RigidBody;
    // About z by a right angle: x ↔ y, xy changes sign, (xz, yz) becomes (-yz, xz).
    const entries = [2, 1, fraction(5, 2), fraction(-1, 100), fraction(-3, 100), fraction(-1, 50)];
    expect(turned.inertia).toEqual(entries.map((e) => (typeof e === 'number' ? integer(e) : e)));
  });

  it('of links that are fixed together become one mass, centre of mass and inertia, exactly', () => {
    const body = single(
      '',
      `<link name="b"><inertial><origin xyz="1 0 0"/><mass value="3"/><inertia ixx="4" iyy="4" izz="4"/></inertial></link>`,
      `<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="2" izz="2"/></inertial></link>`,
      joint('bolt', 'fixed', 'b', 'c', '<origin xyz="1 4 0" rpy="0 0 1.5707963267948966"/>'),
    ).links[0]!.body as RigidBody;
    expect(body.mass).toBe(integer(4));
    expect(body.centreOfMass).toEqual([one, one, zero]);
    // 3 kg at y = −1 and 1 kg at y = 3 from there: 12 kg m² about x and z; c turned: (2, 1, 2).
    expect(body.inertia).toEqual([integer(18), integer(5), integer(18), zero, zero, zero]);
  });

  it('for damping and friction act along the joint, friction smoothly', () => {
    const robot = single('<dynamics damping="0.5" friction="0.25"/>', link('b'));
    expect(robot.links[0]!.joint.forces).toEqual([
      { ...NO_COORDINATE_FORCES, damping: half, friction: square(half), slowness: decimal(0.01) },
    ]);
    expect(robot.notes.map((note) => note.message)).toEqual(['dry friction is smooth below 0.01 rad/s or 1 mm/s: j']);
    expect(single('<dynamics damping="0.0"/>', link('b')).links[0]!.joint).not.toHaveProperty('forces');
    const odd = single('<dynamics damping="-1" friction="0"/>', link('b'));
    expect(odd.links[0]!.joint).not.toHaveProperty('forces');
    expect(odd.warnings.map(({ message }) => message)).toEqual([
      'the damping of j is negative and ignored: such a joint would feed energy into the robot',
    ]);
  });

  it('that no body has give a warning, and negative moments an error', () => {
    expect(single('', link('b', 1, '0 0 0', '0 0 0', [1, 1, 5])).warnings).toMatchObject([{ location: { line: 4 } }]);
    expect(() => single('', link('b', 1, '0 0 0', '0 0 0', [1, 1, -5]))).toThrow(/moment of inertia about the z axis/);
    const meantSo = (zz: number): string[] =>
      loadUrdf(robotOf(link('a', 1, '0 0 0', '0 0 0', [1, 1, zz])), { 'unphysical-inertia': true }).warnings.map(
        ({ message }) => message,
      );
    expect(meantSo(5)).toEqual([]);
    expect(meantSo(1)).toEqual(['a body can have every inertia of this part']);
  });

  it('are those of bodies by the signs of their products, too', () => {
    // A thin rod along (1, 1, 1), of which any product of the other sign makes something that no body is.
    const rod = (ixy: number, ixz: number, iyz: number): number =>
      single(
        '',
        `<link name="b"><inertial><mass value="1"/><inertia ixx="2" iyy="2" izz="2" ixy="${ixy}" ixz="${ixz}" iyz="${iyz}"/></inertial></link>`,
      ).warnings.length;
    for (const [x, y, z] of [
      [1, 1, 1],
      [-1, 1, 1],
      [1, -1, 1],
      [1, 1, -1],
    ] as const) {
      expect(rod(-x * y, -x * z, -y * z)).toBe(0);
      for (const flipped of [0, 1, 2]) {
        const [xy, xz, yz] = [-x * y, -x * z, -y * z].map((product, i) => (i === flipped ? -product : product));
        expect(rod(xy!, xz!, yz!)).toBe(1);
      }
    }
  });

  it('that rounding left below zero are zero, of a body that has a mass', () => {
    const inertia = (mass: number, ixx: string): string =>
      `<link name="b"><inertial><mass value="${mass}"/><inertia ixx="${ixx}" iyy="-5.42101e-20" izz="0"/></inertial></link>`;
    const robot = single('', inertia(0.526, '-5.42101e-20'));
    expect((robot.links[0]!.body as RigidBody).inertia).toEqual([zero, zero, zero, zero, zero, zero]);
    expect(robot.warnings).toEqual([]);
    expect(robot.notes.map(({ message }) => message)).toEqual([
      'moments of inertia that rounding left below zero become zero',
    ]);
    expect(() => single('', inertia(0.526, '-1e-9'))).toThrow(/moment of inertia about the x axis/);
    expect(() => single('', inertia(0, '-5.42101e-20'))).toThrow(/moment of inertia about the x axis/);
  });

  it('may be names that are no identifiers', () => {
    const robot = loadUrdf(robotOf(link('a'), link('left-arm/b'), joint('left joint', 'revolute', 'a', 'left-arm/b')));
    expect([robot.links[0]!.name, robot.coordinates[0]!.name]).toEqual(['arm.left_arm_b', 'arm.left_joint']);
    expect(robot.notes.map((note) => note.message)).toEqual([
      '`left-arm/b` is called `arm.left_arm_b`',
      '`left joint` is called `arm.left_joint`',
    ]);
  });
});

describe('trees', () => {
  const TORSO = robotOf(
    link('torso', 9, '0 0 0.4'),
    link('left', 1, '0.2 0 0'),
    link('right', 1, '0.2 0 0'),
    joint('l', 'revolute', 'torso', 'left', '<origin xyz="0 0.2 0.5"/><axis xyz="0 1 0"/>'),
    joint('r', 'revolute', 'torso', 'right', '<origin xyz="0 -0.2 0.5"/><axis xyz="0 1 0"/>'),
  );
  const cart = { name: 'cart', joint: { prismatic: 'x' }, rigid: { mass: 2 } };

  it('are written as several chains side by side; what they share is counted once', () => {
    const file = write(TORSO);
    const robot = loadLinks([
      cart,
      { name: 'a', urdf: { file, to: 'left' }, parent: 'cart' },
      { name: 'b', urdf: { file, to: 'right' }, parent: 'cart' },
    ]);
    expect(robot.links.map((l) => [l.name, l.parent])).toEqual([
      ['cart', -1],
      ['a.torso', 0],
      ['a.left', 1],
      ['b.right', 0],
    ]);
    const { M } = dynamics(robot);
    expect(M[0]![0]).toBeCloseTo(2 + 9 + 1 + 1, 13);
    expect(robot.warnings).toEqual([]);
  });

  it('count two different bodies twice, although they come from the same file', () => {
    const file = write(TORSO);
    const robot = loadLinks([
      cart,
      { name: 'a', urdf: { file, to: 'left' }, parent: 'cart' },
      { name: 'b', urdf: { file, to: 'left' }, parent: 'cart', offset: { xyz: [1, 0, 0] } },
    ]);
    expect(dynamics(robot).M[0]![0]).toBeCloseTo(2 + 2 * (9 + 1), 13);
    expect(robot.warnings.map((w) => w.message)).toEqual([
      '`a` leaves out the joints r (torso → right) and the masses behind them',
      '`b` leaves out the joints r (torso → right) and the masses behind them',
    ]);
  });

  it('can go on from the end of a chain with several more', () => {
    const file = write(
      robotOf(
        link('base'),
        link('wrist', 2),
        link('hand', 1, '0 0 0.1'),
        link('f1', 0.1, '0 0.05 0.1'),
        link('f2', 0.1, '0 -0.05 0.1'),
        joint('turn', 'revolute', 'base', 'wrist', '<axis xyz="0 0 1"/>'),
        joint('bolt', 'fixed', 'wrist', 'hand', '<origin xyz="0 0 0.3" rpy="0.5 0 0"/>'),
        joint('j1', 'prismatic', 'hand', 'f1', '<axis xyz="0 1 0"/>'),
        joint('j2', 'prismatic', 'hand', 'f2', '<axis xyz="0 -1 0"/>'),
      ),
    );
    const robot = loadLinks([
      { name: 'arm', urdf: { file, to: 'hand' } },
      { name: 'one', parent: 'arm.hand', urdf: { file, from: 'hand', to: 'f1' } },
      { name: 'two', parent: 'arm.hand', urdf: { file, from: 'hand', to: 'f2' } },
    ]);
    expect(robot.links.map((l) => [l.name, l.parent])).toEqual([
      ['arm.hand', -1],
      ['one.f1', 0],
      ['two.f2', 0],
    ]);
    expect(robot.warnings).toEqual([]);
    const rigid = (mass: number, com: unknown[]): object => ({ mass, com, inertia: INERTIA });
    const finger = { parent: 'hand', rigid: rigid(0.1, [0, 0.05, 0.1]) };
    const same = loadLinks([
      { name: 'wrist', joint: { revolute: 'z' }, rigid: rigid(2, [0, 0, 0]) },
      { name: 'hand', offset: { xyz: [0, 0, 0.3], rpy: [0.5, 0, 0] }, rigid: rigid(1, [0, 0, 0.1]) },
      { ...finger, name: 'f1', joint: { prismatic: 'y' } },
      { ...finger, name: 'f2', joint: { prismatic: '-y' }, rigid: rigid(0.1, [0, -0.05, 0.1]) },
    ]);
    expectSame(robot, same);
  });

  it('of YAML links branch where `parent` says, at a link or at the base', () => {
    const rigid = { mass: 1 };
    const robot = loadLinks([
      { name: 'a', joint: { revolute: 'z' }, rigid },
      { name: 'b', joint: { revolute: 'x' }, rigid },
      { name: 'c', parent: 'a', joint: { revolute: 'y' }, repeat: 2, rigid },
      { name: 'd', parent: 'base', joint: { revolute: 'y' }, rigid },
    ]);
    expect(robot.links.map((l) => [l.name, l.parent])).toEqual([
      ['a', -1],
      ['b', 0],
      ['c1', 0],
      ['c2', 2],
      ['d', -1],
    ]);
  });

  it('put a chain on a part of another one that is fixed to the base', () => {
    const file = write(
      robotOf(
        link('floor'),
        link('post'),
        link('x', 1),
        joint('up', 'fixed', 'floor', 'post', '<origin xyz="0 0 2"/>'),
        joint('j', 'revolute', 'post', 'x'),
      ),
    );
    const links = [
      { name: 'arm', urdf: { file } },
      { name: 'lamp', parent: 'arm.post', joint: { revolute: 'z' }, rigid: { mass: 1 } },
    ];
    const robot = loadLinks(links);
    expect(robot.links[1]).toMatchObject({ name: 'lamp', parent: -1 });
    expect(evaluate(robot.links[1]!.offset.translation)).toEqual([0, 0, 2]);
    expect(() => loadLinks(links, { tip: 'arm.post' })).toThrow(/fixed to the base and never moves/);
  });
});

describe('files of other makers', () => {
  it('iiwa agrees with the independent evaluation', async () => {
    const robot = loadRobotFile('examples/iiwa.robot.yaml');
    const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
    const report = await verifyRobot(robot, create(), { states: 2 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    expect(report.checks.length).toBeGreaterThan(8);
    expect(robot.coordinates.map((c) => c.name)).toEqual([1, 2, 3, 4, 5, 6, 7].map((i) => `arm.iiwa_joint_${i}`));
    for (const { offset } of robot.links)
      for (const entry of offset.rotation) expect([zero, one, integer(-1)]).toContain(entry);
  });

  it('HyQ is one tree, its legs side by side are the same, and each leg moves like the leg alone', () => {
    const hyq = { file: path.resolve('bench/robots/hyq.urdf') };
    const whole = dynamics(loadRobotFile('bench/robots/hyq.robot.yaml'));
    const tree = loadLinks([{ name: 'hyq', urdf: hyq }]);
    expect(tree.warnings).toEqual([]);
    expect(dynamics(tree)).toMatchObject({ tau: whole.tau, M: whole.M });
    const leg = loadLinks([{ name: 'lf', urdf: { ...hyq, to: 'lf_lowerleg' } }]);
    expect(leg.warnings[0]!.message).toMatch(
      /leaves out the joints lh_haa_joint \(base_link_0 → lh_hipassembly\), rf_haa/,
    );
    expect(dynamics(leg).tau).toEqual(whole.tau.slice(0, 3));
  });
});

// ---------------------------------------------------------------------------------------------- random chains

interface Piece {
  readonly type: 'revolute' | 'continuous' | 'prismatic' | 'fixed';
  readonly xyz: readonly number[];
  readonly rpy: readonly number[];
  readonly axis: readonly number[];
  readonly body: { readonly mass: number; readonly xyz: readonly number[]; readonly rpy: readonly number[] } | null;
  /** Fixed to the link before rather than the next of the chain. */
  readonly aside: boolean;
}

const length = fc.integer({ min: -50, max: 50 }).map((n) => n / 100);
const angle = fc.oneof(
  fc.integer({ min: -314, max: 314 }).map((n) => n / 100),
  fc.constantFrom(0, Math.PI / 2, -Math.PI),
);
const triple = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { minLength: 3, maxLength: 3 });
const piece: fc.Arbitrary<Piece> = fc.record({
  type: fc.constantFrom('revolute', 'continuous', 'prismatic', 'fixed'),
  xyz: triple(length),
  rpy: triple(angle),
  axis: triple(fc.integer({ min: -3, max: 3 })).map((v) => (v.every((e) => e === 0) ? [0, 0, 1] : v)),
  body: fc.option(
    fc.record({ mass: fc.integer({ min: 1, max: 90 }).map((n) => n / 10), xyz: triple(length), rpy: triple(angle) }),
  ),
  aside: fc.boolean(),
});
/** The last piece moves and weighs something, so that there is a robot and its mass matrix is not zero. */
const chain = fc
  .tuple(fc.array(piece, { maxLength: 5 }), piece)
  .map(([pieces, last]): Piece[] => [
    ...pieces,
    { ...last, type: 'revolute', aside: false, body: last.body ?? { mass: 1, xyz: [0.1, 0.2, 0], rpy: [0, 0, 0] } },
  ]);

const carrier = (pieces: readonly Piece[], i: number): string => {
  for (let j = i - 1; j >= 0; j--) if (!isAside(pieces[j]!)) return `p${j}`;
  return 'root';
};
const isAside = (p: Piece): boolean => p.aside && p.type === 'fixed';

function asUrdf(pieces: readonly Piece[]): string {
  const links = pieces.map((p, i) => link(`p${i}`, p.body?.mass, p.body?.xyz.join(' '), p.body?.rpy.join(' ')));
  const joints = pieces.map((p, i) =>
    joint(
      `j${i}`,
      p.type,
      carrier(pieces, i),
      `p${i}`,
      `<origin xyz="${p.xyz.join(' ')}" rpy="${p.rpy.join(' ')}"/><axis xyz="${p.axis.join(' ')}"/>`,
    ),
  );
  return robotOf(link('root'), ...joints, ...links);
}

/** Every joint and every mass a link of its own. */
function asLinks(pieces: readonly Piece[]): object[] {
  return pieces.flatMap((p, i) => {
    const parent = carrier(pieces, i);
    const type = p.type === 'continuous' ? 'revolute' : p.type;
    const moving = {
      name: `p${i}`,
      parent: parent === 'root' ? 'base' : parent,
      offset: { xyz: p.xyz, rpy: p.rpy },
      rigid: {},
    };
    const mass = p.body && {
      name: `m${i}`,
      parent: `p${i}`,
      offset: { xyz: p.body.xyz, rpy: p.body.rpy },
      rigid: { mass: p.body.mass, inertia: INERTIA },
    };
    return [type === 'fixed' ? moving : { ...moving, joint: { [type]: p.axis } }, ...(mass ? [mass] : [])];
  });
}

it('random chains have the dynamics of the same robot in YAML', () => {
  fc.assert(
    fc.property(chain, (pieces) => {
      const tip = `p${pieces.length - 1}`;
      expectSame(loadUrdf(asUrdf(pieces), { to: tip }), loadLinks(asLinks(pieces), { tip }));
    }),
    { numRuns: process.env['KANEGEN_FULL'] === '1' ? 25 : 10, seed: 20260 },
  );
});
