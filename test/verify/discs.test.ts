/**
 * Tendons that discs hold beside the body, against a disc-by-disc arm of the test's own: frames of sections by Runge-Kutta steps along
 * the strain, threads from hole to hole, derivatives by difference quotients.
 */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';
import { locationText } from '../../src/description/source/diagnostics.ts';
import { KanegenError } from '../../src/common/error.ts';
import { isInstalled } from '../compilers.ts';

const L = 0.2;
/** Of the backbone, 2 mm thick; tendons run 30 mm away from it. */
const ARM = `kanegen: 1
name: disced
parameters: { d: 30 mm, D: 40 mm }
body-types:
  backbone: { extends: gvs-affine-3d, parameters: { L: ${L} m, R: 2 mm } }
  sheet: { extends: planar-cc, parameters: { L: ${L} m, R: 2 mm } }
`;
const LINKS = 'links:\n  - { name: soft, repeat: 2, body: backbone }\nactuators:\n';
const HOLES = [0.02, 0.06, 0.11, 0.16, 0.2];
const ROUTE = 'route: { x: d*cos(0.7 + S), y: d*sin(0.7 + S) }';

type Vector = readonly [number, number, number];
interface Section {
  /** Columns x, y, z. */
  readonly axes: readonly [Vector, Vector, Vector];
  readonly at: Vector;
}

const add = (a: Vector, b: Vector, factor = 1): Vector => [
  a[0] + factor * b[0],
  a[1] + factor * b[1],
  a[2] + factor * b[2],
];
const along = ({ axes }: Section, v: Vector): Vector =>
  v.reduce<Vector>((sum, value, i) => add(sum, axes[i]!, value), [0, 0, 0]);
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const distance = (a: Vector, b: Vector): number => Math.hypot(...add(a, b, -1));

/** Steps per body. */
const STEPS = 400;

/** Sections of two bodies one on the other at all steps; strains of the library's body, by its coordinates. */
function sections(q: readonly number[]): Section[] {
  let here: Section = { axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], at: [0, 0, 0] }; // prettier-ignore
  const all = [here];
  for (const body of [0, 1]) {
    const [q1, q2, q3, q4, q5, q6] = q.slice(6 * body) as [number, number, number, number, number, number];
    const change = (own: Section, s: number): Section => {
      const bend: Vector = [(q1 + (q2 * s) / L) / L, (q3 + (q4 * s) / L) / L, q5 / L];
      const turning = along(own, bend);
      const axes = own.axes.map((axis) => cross(turning, axis)) as unknown as Section['axes'];
      return { axes, at: along(own, [0, 0, 1 + q6 / L]) };
    };
    const moved = (own: Section, by: Section, h: number): Section => ({
      axes: own.axes.map((axis, i) => add(axis, by.axes[i]!, h)) as unknown as Section['axes'],
      at: add(own.at, by.at, h),
    });
    const h = L / STEPS;
    for (let k = 0; k < STEPS; k++) {
      const s = k * h;
      const k1 = change(here, s);
      const k2 = change(moved(here, k1, h / 2), s + h / 2);
      const k3 = change(moved(here, k2, h / 2), s + h / 2);
      const k4 = change(moved(here, k3, h), s + h);
      here = [k1, k2, k2, k3, k3, k4].reduce((own, by) => moved(own, by, h / 6), here);
      all.push(here);
    }
  }
  return all;
}

/** Where the thread is at a length along the backbones at rest. */
function thread(all: readonly Section[], travelled: number, ending: number): Vector {
  const own = all[Math.round((travelled / L) * STEPS)]!;
  const angle = 0.7 + travelled / ending;
  return add(own.at, along(own, [0.03 * Math.cos(angle), 0.03 * Math.sin(angle), 0]));
}

function polyline(points: readonly Vector[]): number {
  return points.slice(1).reduce((sum, point, i) => sum + distance(points[i]!, point), 0);
}

/** Straight from hole to hole of both bodies, or of the first. */
const discByDisc =
  (bodies: number, extra: readonly number[] = []) =>
  (q: readonly number[]): number => {
    const all = sections(q);
    const holes = Array.from({ length: bodies }, (_, body) => HOLES.map((s) => body * L + s)).flat();
    return -polyline([...extra, ...holes].map((travelled) => thread(all, travelled, bodies * L)));
  };

/** The curve through all sections, by chords of two sizes, of whose errors the first is taken away. */
function curve(q: readonly number[]): number {
  const all = sections(q);
  const chords = (every: number): number =>
    polyline(Array.from({ length: (2 * STEPS) / every + 1 }, (_, k) => thread(all, (k * every * L) / STEPS, 2 * L)));
  return -(4 * chords(1) - chords(2)) / 3;
}

const H = 1e-3;
function quotient(f: (q: readonly number[]) => number, q: readonly number[], a: number): number {
  const at = (k: number): number => f(q.map((x, i) => (i === a ? x + k * H : x)));
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * H);
}

const Q = [0.5, -0.3, 0.8, 0.4, -0.2, 0.01, -0.6, 0.2, 0.3, -0.5, 0.3, -0.004];
const QD = Q.map((_, i) => Math.sin(3 * i + 1));

describe.each(['ts', 'c'] as const)('tendons in discs (%s)', (target) => {
  it.skipIf(target === 'c' && !isInstalled('cc'))('are as long as those of a disc-by-disc arm', async () => {
    const at = `at: [${HOLES.join(', ')}]`;
    const text = `${ARM}${LINKS}
  both: { tendon: { through: soft, ${ROUTE}, discs: { ${at} } } }
  first: { tendon: { through: soft1, ${ROUTE}, from: { s: 0 }, to: { s: L }, discs: { radius: 31 mm, ${at} } } }
  smooth: { tendon: { through: soft, ${ROUTE}, discs: true } }
  far: { tendon: { through: soft, ${ROUTE}, discs: 30 mm } }
`;
    const robot = loadRobotText(text, 'disced.robot.yaml');
    const states = [{ q: Q, qd: QD, qdd: Q.map(() => 0), u: [1, 2, 3, 4] }];
    const [found] = await evaluateRobot(robot, compileRobot(robot), states, { target, precision: 'double' });
    const { y, yd, B } = found!;
    [discByDisc(2), discByDisc(1, [0]), curve, curve].forEach((model, j) => {
      expect(y![j]! / model(Q), `length of ${j}`).toBeCloseTo(1, 9);
      const gradient = Q.map((_, a) => quotient(model, Q, a));
      gradient.forEach((slope, a) => expect(B![a]![j]!, `${j} by coordinate ${a}`).toBeCloseTo(slope, 9));
      expect(yd![j]!).toBeCloseTo(
        gradient.reduce((sum, slope, a) => sum + slope * QD[a]!, 0),
        8,
      );
    });
    // Chords are shorter than the curve that they cut off.
    expect(-y![0]!).toBeLessThan(-y![2]! * (1 - 1e-3));
  });
});

describe('a sheet that is given by the positions of its points', () => {
  it('carries discs at arm’s length: chords of a circle', async () => {
    const text = `${ARM}links: [ { name: soft, body: sheet } ]
actuators:
  inner: { tendon: { through: soft, route: { x: 40 mm, y: 0 }, discs: { at: [0, L/4, L/2, 3*L/4, L] } } }
  outer: { tendon: { through: soft, route: { x: -40 mm, y: 0 }, from: { s: L/8 }, to: { s: 7*L/8 }, discs: { at: [0, L/4, L/2, 3*L/4, L] } } }
  around: { tendon: { through: soft, route: { x: 40 mm, y: 0 }, discs: true } }
`;
    const robot = loadRobotText(text, 'sheet.robot.yaml');
    const q = 1.1;
    const states = [{ q: [q], qd: [0], qdd: [0], u: [0, 0, 0] }];
    const [found] = await evaluateRobot(robot, compileRobot(robot), states, { target: 'ts', precision: 'double' });
    const chord = (x: number, part: number): number => 2 * (L / q - x) * Math.sin((part * q) / 2);
    const expected = [4 * chord(0.04, 1 / 4), 2 * chord(-0.04, 1 / 4) + 2 * chord(-0.04, 1 / 8), L - 0.04 * q];
    expected.forEach((length, j) => expect(-found!.y![j]! / length).toBeCloseTo(1, 12));
  });
});

describe('discs', () => {
  const failing = (tendon: string, body = 'backbone'): KanegenError => {
    const text = `${ARM}links: [ { name: soft, body: ${body} } ]\nactuators:\n  t: { tendon: { through: soft, ${tendon} } }\n`;
    try {
      compileRobot(loadRobotText(text, 'd.robot.yaml'));
    } catch (error) {
      if (error instanceof KanegenError) return error;
      throw error;
    }
    throw new Error('nothing was wrong');
  };

  it.each([
    ['route: { x: 30 mm, y: 0 }', 'backbone', /leaves the body of `soft`/],
    ['route: { x: 30 mm, y: 0 }, discs: 20 mm', 'backbone', /leaves the discs on `soft` at s = 0/],
    ['route: { x: 30 mm, y: 0 }, discs: D - s', 'backbone', /leaves the discs on `soft` at s = 0\.0125/],
    [
      'route: { x: 30 mm, y: 0 }, discs: { radius: D - s, at: [0, L/2] }',
      'backbone',
      /the discs on `soft` at s = 0\.1/,
    ],
    ['route: { x: 30 mm, y: 0 }, discs: {}', 'backbone', /these discs have no size and no place/],
    [
      'route: { x: 30 mm, y: 0 }, discs: { at: [0, 2*L] }',
      'backbone',
      /outside the body, where `s` runs from 0 to 0\.2/,
    ],
    ['route: { x: 30 mm, y: 0 }, discs: { at: [0, L, L/2] }', 'backbone', /this disc comes before the previous one/],
    ['route: { x: 30 mm, y: 0 }, discs: { at: [L/2] }', 'backbone', /one place alone holds this tendon/],
    ['route: { x: 30 mm, y: 0 }, discs: 3 kg', 'backbone', /the radius of the discs must be a length/],
    ['route: { r: 30 mm, phi: 0 }, discs: true', 'variable-radius', /discs need a rod with rigid sections/],
  ])('are refused where they hold nothing: %s on %s', (tendon, body, message) => {
    const error = failing(tendon, body);
    expect(error.message).toMatch(message);
    expect(error.remedy).toBeTruthy();
    expect(locationText(error.location!)).toMatch(/^d\.robot\.yaml:9:\d+$/);
  });
});
