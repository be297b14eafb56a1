/** Motors, laws and shells for imported robots: against the mass matrix that kernels have at zero, and what cannot be driven. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withLaw, type LawOfImport } from '../../src/description/law-of-import.ts';
import type { ImportedRobot } from '../../src/description/imported/imported-robot.ts';
import { robotFileOfTree } from '../../src/description/imported/tree-robot-file.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { readMjcf } from '../../src/description/mjcf/mjcf-model.ts';
import { readSdf } from '../../src/description/sdf/sdf-model.ts';
import { readUrdf } from '../../src/description/urdf/urdf-model.ts';
import { robotFileOf } from '../../src/description/urdf/urdf-robot-file.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KernelInterpreter } from '../kane/interpreter.ts';

const INERTIAL = `<inertial><pose>0.1 0.2 0.3 0.4 0 0</pose><mass>2</mass>
  <inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.025</izz></inertia></inertial>`;
const joint = (name: string, type: string, parent: string, child: string, inside: string): string =>
  `<joint name="${name}" type="${type}"><parent>${parent}</parent><child>${child}</child>${inside}</joint>`;
const limit = (effort: number): string => `<limit><effort>${effort}</effort><velocity>2</velocity></limit>`;
/** A hinge, a slide and a screw, one after the other. */
const arm = (effort = limit(10), more = ''): string => `<sdf version="1.11"><model name="arm">
  <link name="a">${INERTIAL}</link>
  <link name="b"><pose>0.3 0 0.1 0.5 0 0.2</pose>${INERTIAL}</link>
  <link name="c"><pose>0.1 0.4 0.1 0 0.3 0.2</pose>${INERTIAL}</link>
  ${joint('turn', 'revolute', 'world', 'a', `<axis><xyz>0 1 1</xyz>${limit(30)}</axis>`)}
  ${joint('slide', 'prismatic', 'a', 'b', `<axis><xyz>1 0 0.5</xyz>${limit(20)}</axis>`)}
  ${joint('thread', 'screw', 'b', 'c', `<screw_thread_pitch>0.4</screw_thread_pitch><axis><xyz>0 0 1</xyz>${effort}</axis>`)}
  ${more}</model></sdf>`;
const ofSdf = (text: string): ImportedRobot => robotFileOfTree(readSdf(text, 'arm.sdf', () => undefined));
const controlled = (made: ImportedRobot, law: LawOfImport): ImportedRobot => withLaw(made, law, 'arm.robot.yaml');

it('gains of pd and of faults are those of the inertia at zero', () => {
  const { text } = controlled(ofSdf(arm()), 'pd');
  const robot = loadRobotText(text, 'arm.robot.yaml');
  const still = robot.coordinates.map(() => 0);
  const M = new KernelInterpreter(compileRobot(robot)).massMatrix({ q: still, qd: still, qdd: still });
  const near = (factor: number): number[] => M.map((row, i) => Number((factor * row[i]!).toPrecision(3)));
  const [track] = robot.controllers!;
  expect(track!.name).toBe('track');
  expect(track!.gains.map(({ name, values }) => [name, values])).toEqual([
    ['kp', near(100)],
    ['kd', near(20)],
  ]);
  const safe = robot.controllers!.find(({ name }) => name === 'track-safe')!;
  expect(safe.gains.find(({ name }) => name === 'kd')!.values).toEqual(near(20));
});

it('limits of effort and velocity are those of motors and of the shell', () => {
  const { text, notes } = controlled(ofSdf(arm()), 'computed-torque');
  const robot = loadRobotText(text, 'arm.robot.yaml');
  expect(robot.actuators.map(({ name, lower, upper }) => [name, lower, upper])).toEqual([
    ['turn', -30, 30],
    ['slide', -20, 20],
    ['thread', -10, 10],
  ]);
  const { law, shell } = robot.controllers![0]!;
  expect(law).toMatchObject({ kind: 'computed-torque' });
  expect(shell).toMatchObject({ speed: [2, 2, 2], rate: [600, 400, 200], period: 0.001 });
  expect(notes).toEqual([]);
});

it('says why there is no shell', () => {
  const { text, notes } = controlled(ofSdf(arm('')), 'computed-torque');
  expect(text).not.toContain('shell:');
  expect(notes.map(({ message }) => message)).toEqual([
    expect.stringMatching(/no shell: `thread` has no limit of effort/),
  ]);
});

it('takes the jerk of URDF for the shell, and motors that the file has', () => {
  const urdf = `<robot name="arm"><link name="base"/><link name="a"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="2" jerk="70"/></joint></robot>`;
  const made = controlled(robotFileOf(readUrdf(urdf, 'arm.urdf'), { free: false }), 'pd');
  expect(loadRobotText(made.text, 'arm.robot.yaml').controllers![0]!.shell).toMatchObject({ jerk: [70], rate: [100] });

  const servo = `<mujoco><worldbody><body name="a"><joint name="turn"/><geom size="0.1"/></body></worldbody>
    <actuator><position name="p" joint="turn" kp="30" kv="2" forcerange="-4 4"/></actuator></mujoco>`;
  const { text } = controlled(robotFileOfTree(readMjcf(servo, 'a.xml', () => '')), 'pd');
  const robot = loadRobotText(text, 'arm.robot.yaml');
  expect(robot.actuators.map(({ name }) => name)).toEqual(['p']);
  expect(robot.controllers!.map(({ name }) => name)).toEqual(expect.arrayContaining(['track', 'servo']));
});

describe('refuses', () => {
  it('computed torque of bodies that no motor drives; pd leaves them alone', () => {
    const loose = ofSdf(arm(limit(10), `<link name="d">${INERTIAL}</link>`));
    expect(() => controlled(loose, 'computed-torque')).toThrow(expect.objectContaining({ code: 'underactuated' }));
    const robot = loadRobotText(controlled(loose, 'pd').text, 'arm.robot.yaml');
    expect(robot.controllers![0]!.gains[0]!.values.slice(3)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('robots with loops', () => {
    const file = 'test/description/sdf/four-bar.sdf';
    const made = robotFileOfTree(readSdf(readFileSync(file, 'utf8'), file, () => undefined));
    expect(() => controlled(made, 'pd')).toThrow(expect.objectContaining({ code: 'not-supported' }));
  });
});
