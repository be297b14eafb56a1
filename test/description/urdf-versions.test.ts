/** What URDF 1.1 and 1.2 added: rotations by quaternions, and limits of drives, which motors and runs look at. */
import { describe, expect, it } from 'vitest';
import { readUrdf } from '../../src/description/urdf/urdf-model.ts';
import { robotFileOf } from '../../src/description/urdf/urdf-robot-file.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { outsideOfLimits } from '../../src/simulation/run/outside.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { integer, one, zero } from '../../src/symbolic/graph/expr.ts';
import { failure, joint, link, loadLinks, loadUrdf, robotOf } from './urdf-text.ts';

const jointed = (more: string, type = 'revolute', version = '1.1'): string =>
  robotOf(link('a'), link('b', 1, '0 0.2 0.1'), joint('j', type, 'a', 'b', more)).replace(
    '<robot',
    `<robot version="${version}"`,
  );
const messages = ({ warnings }: Robot): string[] => warnings.map(({ message }) => message);
const rotationOf = (more: string): readonly number[] => evaluate(loadUrdf(jointed(more)).links[0]!.offset.rotation);

describe('a quaternion', () => {
  /** Roll 0.3, pitch −0.4, yaw 1.1 as Rz(yaw) Ry(pitch) Rx(roll), by products of half angles. */
  const [roll, pitch, yaw] = [0.3, -0.4, 1.1];
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((angle) => [
    Math.cos(angle / 2),
    Math.sin(angle / 2),
  ]) as [number, number, number, number, number, number];
  const xyzw = [
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];

  it.each([1, -1, 0.999])('is the rotation of the angles, whatever its sign and length: %s', (scale) => {
    const turned = rotationOf(`<origin quat_xyzw="${xyzw.map((entry) => scale * entry).join(' ')}"/>`);
    const wanted = rotationOf(`<origin rpy="${roll} ${pitch} ${yaw}"/>`);
    turned.forEach((entry, i) => expect(entry).toBeCloseTo(wanted[i]!, 14));
  });

  it('turns an inertia', () => {
    const inertial = (origin: string): string =>
      robotOf(
        `<link name="b"><inertial>${origin}<mass value="1"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0.1"/></inertial></link>`,
      ).replace('<robot', '<robot version="1.1"');
    const [by, wanted] = [
      inertial('<origin quat_xyzw="0 0 0.6 0.8"/>'),
      // An angle of 2 atan2(0.6, 0.8).
      inertial(`<origin rpy="0 0 ${2 * Math.atan2(0.6, 0.8)}"/>`),
    ].map((text) => {
      const { body } = loadUrdf(text).links[0]!;
      return body.kind === 'rigid' ? evaluate(body.inertia) : [];
    });
    by!.forEach((entry, i) => expect(entry).toBeCloseTo(wanted![i]!, 14));
  });

  it('of right angles is exact, as far as its digits go', () => {
    const robot = loadUrdf(jointed('<origin quat_xyzw="0.7071067811 0 0 0.7071067812"/>'));
    const minus = integer(-1);
    expect(robot.links[0]!.offset.rotation).toEqual([one, zero, zero, zero, zero, minus, zero, one, zero]);
    expect(robot.notes[0]!.message).toMatch(/are read as that multiple: j/);
  });

  it('counts in files that do not say 1.1, with a warning', () => {
    const text = jointed('<origin quat_xyzw="0 0 0.6 0.8"/>', 'revolute', '1.0');
    expect(messages(loadUrdf(text))).toEqual([expect.stringMatching(/is of URDF 1.1: .*: j$/)]);
    expect(messages(loadUrdf(text.replace('<robot version="1.0"', '<robot version="1.1"')))).toEqual([]);
    expect(evaluate(loadUrdf(text).links[0]!.offset.rotation)[0]).toBeCloseTo(0.28, 15);
  });

  it('is written out as a robot file', () => {
    const text = jointed('<origin xyz="1 2 3" quat_xyzw="0.1 -0.2 0.3 0.9"/>');
    const written = loadRobotText(robotFileOf(readUrdf(text, 'r.urdf'), { free: false }).text, 'r.robot.yaml');
    const wanted = evaluate(loadUrdf(text).links[0]!.offset.rotation);
    evaluate(written.links[0]!.offset.rotation).forEach((entry, i) => expect(entry).toBeCloseTo(wanted[i]!, 14));
  });
});

describe('limits of a drive', () => {
  const LIMIT =
    '<limit lower="-1" upper="1" effort="87" velocity="2.175" acceleration="15" deceleration="12" jerk="7500"/>';
  const limits = { effort: 87, velocity: 2.175, acceleration: 15, deceleration: 12, jerk: 7500 };
  const withMotor = (text: string, motor: object): Robot => loadUrdf(text, {}, { actuators: { m: motor } });

  it('are kept with the coordinate', () => {
    for (const type of ['revolute', 'continuous', 'prismatic'])
      expect(loadUrdf(jointed(LIMIT, type)).coordinates[0]!.driveLimits).toEqual(limits);
    expect(loadUrdf(jointed(LIMIT, 'planar')).coordinates[0]).not.toHaveProperty('driveLimits');
  });

  it('that are zero, endless or negative are none', () => {
    const text = jointed('<limit effort="0" velocity="inf" acceleration="-1" jerk="nan"/>', 'continuous');
    expect(loadUrdf(text).coordinates[0]).not.toHaveProperty('driveLimits');
  });

  it('of effort are those of a motor, through its ratio, unless it has some', () => {
    const m = (motor: object): unknown => withMotor(jointed(LIMIT), { motor: 'arm.j', ...motor }).actuators[0];
    expect(m({})).toMatchObject({ lower: -87, upper: 87 });
    expect(m({ ratio: -50 })).toMatchObject({ lower: -1.74, upper: 1.74 });
    expect(m({ limits: [-3, 4] })).toMatchObject({ lower: -3, upper: 4 });
  });

  it('are written out as a robot file, and read there', () => {
    const { text } = robotFileOf(readUrdf(jointed(LIMIT), 'r.urdf'), { free: false });
    expect(loadRobotText(text, 'r.robot.yaml').coordinates[0]!.driveLimits).toEqual(limits);
  });

  const jointOf = (joint: object): Robot => loadLinks([{ name: 'b', joint, rigid: { mass: 1 } }]);

  it('have units in robot files', () => {
    const robot = jointOf({ prismatic: 'x', 'drive-limits': { effort: '2 kN', velocity: '5 cm/s', jerk: '1 mm/s^3' } });
    expect(robot.coordinates[0]!.driveLimits).toEqual({ effort: 2000, velocity: 0.05, jerk: 0.001 });
  });

  it.each([
    [{ revolute: 'z', 'drive-limits': { effort: '2 N' } }, 'wrong-unit'],
    [{ revolute: 'z', 'drive-limits': { effort: 0 } }, 'wrong-value'],
    [{ revolute: 'z', 'drive-limits': { torque: 1 } }, 'unknown-key'],
    [{ revolute: 'z', 'drive-limits': 3 }, 'wrong-shape'],
    [{ spherical: [], 'drive-limits': { effort: 1 } }, 'wrong-value'],
  ])('%j is refused', (joint, code) => {
    expect(failure(() => jointOf(joint)).code).toBe(code);
  });

  it('of velocity are what runs are held against', () => {
    const robot = loadUrdf(jointed(LIMIT));
    const sample = (t: number, rate: number) => ({ t, q: [0], qd: [rate], u: [], frames: [], energy: {} as never });
    const samples = [sample(0, 2), sample(0.5, -2.5), sample(1, 2.2)];
    expect(outsideOfLimits({ robot }, { samples })).toEqual([
      { name: 'the rate of arm.j', lower: -2.175, upper: 2.175, from: 0.5, value: -2.5 },
    ]);
  });
});
