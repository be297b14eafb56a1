/** Strings round cylinders, `around(a, b, drum, r)`: shortest ways found by search, what verify finds, masses over a wheel, mistakes. */
import { describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { KanegenError } from '../../src/common/error.ts';
import { heldFrame, lengthAround } from '../../src/description/model/frame-terms.ts';
import { formatError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { cancels, frameTerm } from '../../src/kane/equations/frame-terms.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, symbol, times } from '../../src/symbolic/graph/expr.ts';
import { composeFrames, identityMatrix, vector3, type Frame } from '../../src/symbolic/graph/vector.ts';
import { verifyRobot } from '../../src/verify/verify.ts';
import { randomFrame, randomNumbers } from '../kane/point-masses.ts';

type Point = readonly [number, number, number];
const placed = (place: Point): Frame => ({ rotation: identityMatrix, translation: vector3(place.map(decimal)) });

/** @param pose of all three frames together: lengths do not depend on it. */
function lengthOf(a: Point, b: Point, radius: number, pose: Frame): number {
  const [x, y, drum] = [a, b, [0, 0, 0] as const].map((own) => composeFrames(pose, placed(own)));
  return evaluate([lengthAround(x!, y!, drum!, decimal(radius))])[0]!;
}

/** The change of a function with a point, by differences of fourth order. */
const gradient = (f: (p: Point) => number, [x, y, z]: Point): Point => {
  const h = 1e-3;
  const slope = (along: (by: number) => number): number =>
    (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
  return [slope((by) => f([x + by, y, z])), slope((by) => f([x, y + by, z])), slope((by) => f([x, y, z + by]))];
};

describe('the length round a cylinder', () => {
  const pose = randomFrame(randomNumbers(3));
  const place = (size: number, angle: number, z: number): Point => [size * Math.cos(angle), size * Math.sin(angle), z];

  // Angle between the ends about the axis: of 2.05 the string is free.
  it.each([2.2, 3, Math.PI, 4, 5.5, 2 * Math.PI, 6.6])('pulls along lines that touch it: %s rad', (angle) => {
    const r = 0.3;
    const [a, b] = [place(0.5, 0.6, 0.1), place(0.7, 0.6 + angle, 0.5)];
    const pulls = [gradient((p) => lengthOf(p, b, r, pose), a), gradient((p) => lengthOf(a, p, r, pose), b)] as const;
    for (const [side, [end, [x, y, z]]] of [[a, pulls[0]] as const, [b, pulls[1]] as const].entries()) {
      expect(Math.hypot(x, y, z)).toBeCloseTo(1, 9);
      // Moment about the axis of the cylinder: r times the part across it, forwards at the one end, backwards at the other.
      const moment = end[0] * y - end[1] * x;
      expect(moment).toBeCloseTo((side === 0 ? -1 : 1) * r * Math.hypot(x, y), 9);
    }
    expect(pulls[0][2]).toBeCloseTo(-pulls[1][2], 9);
    expect(pulls[0][2]).toBeLessThan(0);
  });

  it('begins with the length of the straight line that touches it', () => {
    const touching = Math.acos(0.3 / 0.5) + Math.acos(0.3 / 0.7);
    const [a, b] = [place(0.5, 0.6, 0.1), place(0.7, 0.6 + touching + 1e-9, 0.5)];
    expect(lengthOf(a, b, 0.3, pose)).toBeCloseTo(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 14);
  });

  it.each([1.9, 1.5, 1, 0.6])('is straight where the string does not touch it: %s rad', (angle) => {
    const [a, b] = [place(0.5, 0.6, 0.1), place(0.7, 0.6 + angle, 0.5)];
    expect(lengthOf(a, b, 0.3, pose)).toBeCloseTo(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 14);
  });

  it('passes the other side with its ends in the other order', () => {
    const [a, b] = [place(0.5, 0.2, 0.1), place(0.7, 3, 0.5)];
    const [over, under] = [lengthOf(a, b, 0.3, pose), lengthOf(b, a, 0.3, pose)];
    const mirrored = ([x, y, z]: Point): Point => [x, -y, z];
    expect(under).toBeCloseTo(lengthOf(mirrored(a), mirrored(b), 0.3, pose), 14);
    expect(Math.abs(over - under)).toBeGreaterThan(0.01);
  });

  it('has wrenches that cancel on a body that carries both ends and the cylinder', () => {
    for (const radius of [decimal(0.02), symbol('r')]) {
      const value = lengthAround(heldFrame(0), heldFrame(1), heldFrame(2), radius);
      expect(cancels(frameTerm({ kind: 'formula', value }, 3))).toBe(true);
      expect(cancels(frameTerm({ kind: 'formula', value: times(value, heldFrame(0).translation[0]) }, 3))).toBe(false);
    }
  });

  it('does not exist within the cylinder', () => {
    expect(lengthOf(place(0.2, 0, 0), place(0.7, 3, 0), 0.3, pose)).toBeNaN();
  });
});

const FINGER = `kanegen: 1
name: finger
parameters: { r: { value: 8 mm, runtime: true }, k: 200 N/m, L: 90 mm }
links:
  - { name: palm, joint: { universal: [y, x] }, rigid: { mass: 0.3, com: [0, 0, 0.02], inertia: { xx: 2e-4, yy: 2e-4, zz: 1e-4 }, distal: { xyz: [0, 0, 0.04] } } }
  - { name: near, joint: { revolute: y }, rigid: { mass: 0.05, com: [0, 0, 0.02], inertia: { xx: 1e-5, yy: 1e-5, zz: 1e-6 }, distal: { xyz: [0, 0, 0.04], rpy: [0, 0, 0.2] } } }
  - { name: far, joint: { revolute: y }, rigid: { mass: 0.04, com: [0, 0, 0.02], inertia: { xx: 1e-5, yy: 1e-5, zz: 1e-6 } } }
frames:
  root: { on: palm, offset: { xyz: [12 mm, 4 mm, -30 mm] } }
  knuckle: { on: palm, offset: { rpy: [90 deg, 0, 0] } }
  middle: { on: near, offset: { xyz: [14 mm, 0, -20 mm] } }
  second: { on: near, offset: { rpy: [90 deg, 0, 0] } }
  tip: { on: far, offset: { xyz: [11 mm, -3 mm, 25 mm] } }
actuators:
  flexor: { along: "-around(root, middle, knuckle, r) - around(middle, tip, second, r)", unit: m }
forces:
  band: { potential: "k/2*(around(pin, root, knuckle, r) - L)^2", frames: { pin: { on: near, at: [-16 mm, 2 mm, -20 mm] } } }
`;

const load = async (text: string, options = {}): Promise<LoadedRobot> => {
  const robot = loadRobotText(text, 'r.robot.yaml');
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot, options))))();
};

const KNUCKLE = `kanegen: 1
name: knuckle
parameters: { r: { value: 16 mm, runtime: true } }
links: [ { name: near, joint: { revolute: y }, rigid: { mass: 0.05, com: [0, 0, 0.02], inertia: { yy: 1e-5 }, distal: { xyz: [0, 0, 0.04] } } } ]
frames: { middle: { on: near, offset: { xyz: [14 mm, 3 mm, -20 mm] } } }
actuators:
  flexor: { along: "-around(root, middle, drum, r)", unit: m, frames: { root: { on: base, at: [0.012, 0.004, -0.03] }, drum: { on: base, offset: { rpy: [90 deg, 0, 0] } } } }
`;

it.each([['a knuckle', KNUCKLE], ...(process.env['KANEGEN_FULL'] === '1' ? [['a finger', FINGER]] : [])])(
  'moves %s as the file says, with all derivatives',
  async (_, text) => {
    const robot = loadRobotText(text, 'r.robot.yaml');
    const compiled = compileRobot(robot, { derivatives: true });
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
    const { checks } = await verifyRobot(robot, dynamics, { seed: 2, states: 2 });
    expect(checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(checks.map(({ name }) => name).join('\n')).toContain('inverse_dynamics_tangent');
  },
);

it('lets two masses move over a wheel as Atwood found', async () => {
  const robot = await load(`kanegen: 1
name: atwood
parameters: { r: 0.1 m, L: 2 m }
links:
  - { name: left, parent: base, offset: { xyz: [-0.1, 0, -0.7] }, joint: { prismatic: -z }, rigid: { mass: 3 } }
  - { name: right, parent: base, offset: { xyz: [0.1, 0, -0.98] }, joint: { prismatic: -z }, rigid: { mass: 2 } }
loops: { rope: { constraint: "around(right, left, wheel, r) - L", frames: { wheel: { on: base, offset: { rpy: [90 deg, 0, 0] } } } } }
`);
  const qdd = new Float64Array(2);
  expect(robot.update([0, 2 - 0.1 * Math.PI - 0.7 - 0.98], [0.4, -0.4])).toBe(0);
  expect(robot.forwardDynamics([0, 0], qdd)).toBe(0);
  expect(qdd[0]).toBeCloseTo(9.81 / 5, 10);
  expect(qdd[1]).toBeCloseTo(-9.81 / 5, 10);
});

it.each([
  ['around(root, middle, knuckle)', /around takes 4 arguments[\s\S]*write around\(FRAME, FRAME, DRUM, RADIUS\)/],
  ['around(root, middle, middle, r)', /around of one frame twice[\s\S]*name different frames/],
  ['around(root, middle, knuckle, k)', /the radius of around must be a length[\s\S]*parameters/],
  ['around(root, middle, knuckle, 0.01)', /the radius of around must be a length/],
  ['around(root, middle, knuckle, [r, r, r])', /around ends with a radius, not a vector/],
])('says what is wrong with %s', (formula, message) => {
  const text = FINGER.replace(/along: ".*"/, () => `along: "${formula}"`);
  let found = 'nothing';
  try {
    loadRobotText(text, 'finger.robot.yaml');
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    found = formatError(error, () => text);
  }
  expect(found).toMatch(message);
});
