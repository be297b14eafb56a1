/** MJCF files written out as robot files: the dynamics that MuJoCo computes, and refusals of what is not read. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { load as loadRobot, type SymbolicRobot } from '../../src/index.ts';
import { KanegenError } from '../../src/common/error.ts';
import type { ImportedRobot } from '../../src/description/imported/imported-robot.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { readMjcf } from '../../src/description/mjcf/mjcf-model.ts';
import { robotFileOfTree } from '../../src/description/imported/tree-robot-file.ts';
import { parse } from 'yaml';

const FOLDER = 'test/description/mjcf';
const read = (file: string): string => readFileSync(file, 'utf8');

interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly M: readonly number[];
  /** Of joints without ball and free at the rates, of others at rest. */
  readonly bias: readonly number[];
  readonly elastic: readonly number[];
  readonly sites: Readonly<Record<string, { readonly place: readonly number[]; readonly rotation: readonly number[] }>>;
}

/** Made by MuJoCo 3.14.0, as its `source` says. */
const reference = JSON.parse(read(`${FOLDER}/mujoco.json`)) as Record<string, readonly State[]>;

function imported(text: string, file = `${FOLDER}/some.xml`): ImportedRobot {
  return robotFileOfTree(readMjcf(text, file, read));
}
const importedFile = (name: string): ImportedRobot => imported(read(`${FOLDER}/${name}.xml`), `${FOLDER}/${name}.xml`);

async function robotOf(name: string): Promise<SymbolicRobot> {
  return loadRobot(parse(importedFile(name).text) as object);
}

const largest = (values: readonly number[]): number => Math.max(...values.map(Math.abs), 1e-300);
function deviation(found: ArrayLike<number>, expected: readonly number[]): number {
  return largest(expected.map((x, i) => x - found[i]!)) / largest(expected);
}

describe('the dynamics of MuJoCo', () => {
  // Rates of ball and free joints are those of coordinates by difference quotients there.
  it.each([
    ['cart-arm', 1e-12],
    ['four-bar', 1e-12],
    ['every-kind', 1e-8],
  ] as const)('%s: mass matrix, bias, springs, sites', async (name, tolerance) => {
    const robot = await robotOf(name);
    const dynamics = await (await robot.compile()).run();
    const n = dynamics.coordinates;
    for (const { q, qd, M, bias, elastic, sites } of reference[name]!) {
      const [mass, c, g, springs] = [new Float64Array(n * n), ...[0, 0, 0].map(() => new Float64Array(n))] as const;
      expect(dynamics.update(Float64Array.from(q), Float64Array.from(qd))).toBe(0);
      dynamics.massMatrix(mass);
      dynamics.terms(c!, g!, springs!, null);
      expect(deviation(mass, M)).toBeLessThan(tolerance);
      const sum = c!.map((x, i) => x + g![i]!);
      expect(deviation(sum, bias)).toBeLessThan(tolerance);
      if (elastic.some((x) => x !== 0)) expect(deviation(springs!, elastic)).toBeLessThan(tolerance);
      else expect(largest([...springs!])).toBe(1e-300);
      for (const [site, { place, rotation }] of Object.entries(sites)) {
        const [R, t] = [new Float64Array(9), new Float64Array(3)];
        dynamics.frame(robot.frames.indexOf(site), R, t, null);
        expect(deviation(t, place)).toBeLessThan(1e-12);
        expect(deviation(R, rotation)).toBeLessThan(1e-12);
      }
    }
  });
});

it('reads like this', () => {
  expect(importedFile('cart-arm').text).toMatchInlineSnapshot(`
    "# Made of cart-arm.xml by kanegen import: m, kg, rad; inertias about centres of mass.
    kanegen: 1
    name: cart-arm
    summary: 4 joints
    gravity: [0.3, -0.2, -9.7]

    parameters: { c1: 0.05 m, c2: 0.1 m, c3: 0.02 m }

    links:
      - name: cart_along
        offset: { xyz: [0, 0.1, 0.4], rpy: [0.2, 0.3, -0.4] }
        joint: { prismatic: [0.9805806756909201, 0.19611613513818402, 0], damping: 0.7, names: [along] }
        rigid: {}
      - name: cart_lift
        joint: { prismatic: z, damping: 0.7, names: [lift] }
        rigid: {}
      - name: cart
        offset: { xyz: [0.05, -0.02, 0.01] }
        joint: { revolute: [0, 0.09950371902099893, 0.9950371902099893], damping: 0.7, names: [yaw] }
        rigid:
          frame: distal
          mass: 3
          com: [0.01, 0.02, -0.03]
          inertia: { xx: 0.04, yy: 0.05, zz: 0.03, xy: 0.002, xz: -0.003, yz: 0.001 }
          distal: { xyz: [-0.05, 0.02, -0.01] }
      - name: boom
        offset: { xyz: [-0.009876543209876546, 0.04876543209876544, 0.10493827160493828], rpy: [1.4723323188325705, -0.009876703786646724, 0.19884834333144003] }
        joint: { revolute: [0.7071067811865475, 0.7071067811865475, 0], stiffness: 5, rest: -0.3, damping: 0.1, armature: 0.02, names: [pitch] }
        rigid:
          mass: 1.6229239312641273
          com: [0.0123327280218273, 0.00616636401091365, 0.3415013968738344]
          inertia: { xx: 0.032549556814220164, yy: 0.0325395573901272, zz: 0.000983222057686117, xy: -0.0000566682251677246, xz: -0.0010469460535424795, yz: -0.0005234730267712396 }
    frames:
      end: { on: boom, offset: { xyz: [0, 0, 0.4], rpy: [0.2896047297230666, 0.29836504314308865, 0.6132713903790176] } }
      tip: { on: boom, offset: { xyz: [0.02, 0.01, 0.45] } }
    loops:
      couple: { constraint: "cart_lift.lift - (c1 + c2*cart.yaw + c3*cart.yaw^2)" }
    actuators:
      drive: { motor: cart_along.along, ratio: 4, limits: [-2, 2.5] }
      pitcher: { motor: boom.pitch, limits: [-30, 30] }
    states:
      ready: { cart_along.along: 0.1, cart_lift.lift: -0.05, cart.yaw: 0.3, boom.pitch: 0.5 }
    "
  `);
});

it('tells what is not as the file has it', () => {
  const { warnings, notes } = importedFile('every-kind');
  const said = (remarks: ImportedRobot['notes']): string[] => remarks.map(({ message }) => message);
  expect(said(warnings)).toEqual([]);
  expect(said(notes)).toEqual([
    expect.stringMatching(/^the coordinate of `j3` is zero where the file has the value 0\.26/),
    expect.stringMatching(/^`p2` is a servo .* \(100 per position, 3 per rate\)/),
    'the equation `weld` is not active and left out',
    expect.stringMatching(/^contacts of 8 shapes are left out/),
    expect.stringMatching(/`base` is called `link_base`/),
    expect.stringMatching(/`j1` is called `joint_j1`/),
  ]);
});

it('writes the law of servos, where they are all that moves the robot', () => {
  const { text } = imported(`<mujoco><worldbody><body name="a"><joint name="turn" damping="0.1"/>
    <geom type="sphere" size="0.1"/></body></worldbody>
    <actuator><position name="p" joint="turn" kp="30" kv="2" forcerange="-4 4"/></actuator></mujoco>`);
  expect(text).toContain('actuators:\n  p: { motor: a.turn, limits: [-4, 4] }\n');
  expect(text).toContain('controllers:\n  servo: { pd: { kp: [30], kd: [2] } }\n');
  expect(loadRobotText(text, 'a.robot.yaml').controllers).toHaveLength(1);
});

describe('refuses', () => {
  const body = (inside: string, more = ''): string =>
    `<mujoco>${more}<worldbody><body name="a"><joint name="j"/><geom size="0.1"/>${inside}</body></worldbody></mujoco>`;
  it.each<[what: string, text: string, code: string, message: RegExp]>([
    ['other files', '<robot name="r"/>', 'not-mjcf', /begins with <robot>/],
    ['tendons', body('', '<tendon/>'), 'not-supported', /<tendon> is not read/],
    ['misspelled sections', body('', '<actuators/>'), 'not-supported', /<actuators> is not read/],
    ['fluids', body('', '<option density="1.2"/>'), 'not-supported', /`density`/],
    ['switches of mechanics', body('', '<option><flag spring="disable"/></option>'), 'not-supported', /`spring`/],
    ['composites', body('<composite/>'), 'not-supported', /<composite>/],
    ['unknown attributes', body('<joint stifness="1"/>'), 'unknown-attribute', /`stifness` of <joint>/],
    ['unknown classes', body('<site class="b"/>'), 'unknown-class', /class `b`/],
    ['meshes that weigh', body('<geom type="mesh" mesh="m"/>'), 'not-supported', /type mesh/],
    ['springs that are not linear', body('<joint stiffness="1 2"/>'), 'not-supported', /not linear/],
    ['negative masses', body('<inertial pos="0 0 0" mass="-1"/>'), 'negative-mass', /negative/],
    ['text for numbers', body('<joint damping="x"/>'), 'not-a-number', /`x` is not a number/],
    ['counts of numbers', body('<joint axis="1 0"/>'), 'wrong-shape', /2 numbers, not 3/],
    ['free joints on bodies', body('<body><freejoint/></body>'), 'malformed-mjcf', /only joint of a body of the world/],
    ['motors of nothing', body('', '<actuator><motor joint="k"/></actuator>'), 'unknown-joint', /no joint `k`/],
    ['muscles', body('', '<actuator><muscle joint="j"/></actuator>'), 'not-supported', /<muscle>/],
    ['loops of nothing', body('', '<equality><weld body1="b"/></equality>'), 'unknown-body', /no body `b`/],
    [
      'files that include themselves',
      body('<include file="cart-arm.xml"/><include file="cart-arm.xml"/>'),
      'malformed-mjcf',
      /a second time/,
    ],
  ])('%s', (_, text, code, message) => {
    try {
      imported(text);
    } catch (error) {
      if (!(error instanceof KanegenError)) throw error;
      expect(error.code).toBe(code);
      expect(error.message).toMatch(message);
      expect(error.location?.line).toBeGreaterThan(0);
      expect(error.remedy).toBeTruthy();
      return;
    }
    expect.unreachable();
  });
});
