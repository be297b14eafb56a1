/**
 * Frames within bodies of all kinds: poses, Jacobians and motions against difference quotients of frames made of places by the formulas
 * as they were written, wrenches on them against their Jacobians, their changes along directions against difference quotients.
 */
import type { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { randomNumbers } from '../kane/point-masses.ts';
import { Wide, writtenPlace, type WrittenPoint } from './written-places.ts';

/** A rod of constant strain behind a joint, a solid by position, a rod by steps, a rod by its pose, a body with a rigid area. */
const ARM = `
kanegen: 1
name: frames
parameters: { reach: { value: 0.11 m, runtime: true } }
body-types:
  bulging:
    parameters: { L: 0.15 m, w: 0.02 m, rho: 1000 kg/m^3 }
    coordinates: { q1: { unit: rad }, q2: { unit: rad } }
    volume: { box: { x: [-w, w], y: [-w, w], z: [0, L] }, density: rho }
    position: [ "x*(1 + 0.3*q1*z*(L - z)/L^2) + q1*z^2/L", "y + q2*z^2/L + 0.2*q1*q2*z", "z*(1 - 0.2*q1^2) + 0.1*q2*x" ]
    distal: { pose: { xyz: [ q1*L, q2*L + 0.2*q1*q2*L, L*(1 - 0.2*q1^2) ] } }
  bending:
    parameters: { L: 0.3 m, R: 0.015 m, rho: 1000 kg/m^3 }
    coordinates: { q1: { unit: rad }, q2: { unit: rad }, q3: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R, polar: [r, phi] }, density: rho }
    strain: { bend-x: "q1*cos(2*s/L)/L", bend-y: "(q2 + q3*s/L)/L", twist: "0.3*q1*s/L^2", stretch: "0.05*q3*s/L" }
    integration: { points: 12 }
  arc:
    parameters: { L: 0.2 m, w: 20 mm, h: 10 mm, rho: 1062 kg/m^3 }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { rectangle: [w, h] }, density: rho }
    let: { theta: q*s/L }
    pose: { xyz: ["L*(1 - cos(theta))/q", 0, L*sin(theta)/q], rpy: [0, theta, 0] }
  stiff:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R, polar: [r, phi] }, density: rho }
    let: { theta: q*s/L, x: r*cos(phi), y: r*sin(phi) }
    position: ["L*(1 - cos(theta))/q + x*cos(theta)", y, "L*sin(theta)/q - x*sin(theta)"]
    distal: none
base: { xyz: [0.01, -0.02, 0.03], rpy: [0.2, 0, 0.4] }
links:
  - { name: first, joint: { revolute: y }, offset: { xyz: [0, 0.01, 0.02] }, mount: { rpy: [0.1, 0.2, 0] }, body: pcc-3d, parameters: { L: 0.2, R: 0.02, rho: 1070 } }
  - { name: second, body: bulging }
  - { name: third, joint: { revolute: x }, body: bending }
  - { name: fourth, parent: first, body: arc }
  - { name: fifth, parent: first, body: stiff, parameters: { L: 0.25 } }
frames:
  f1: { on: first, at: { s: L/3, x: 0.5*R, y: 0.01 } }
  f2: { on: second, at: { z: reach, x: 0.01, y: w/2 } }
  f3: { on: third, at: { s: 0.7*L, r: R, phi: 0.4 } }
  f4: { on: fourth, at: { s: 0.12, x: w/4, y: h/3 } }
  f5: { on: fifth, pivot: { s: 2*L/3 }, x-axis: { s: 2*L/3, r: R }, y-axis: { s: 2*L/3, r: R/2, phi: pi/2 } }
tip: f3
`;

const robot = loadRobotText(ARM, 'frames.robot.yaml');
const N = robot.coordinates.length;
const random = randomNumbers(7);
const numbers = (count: number, size: number): number[] =>
  Array.from({ length: count }, () => size * (2 * random() - 1));
const state = { q: numbers(N, 0.7), qd: numbers(N, 1.2) };

type Line = readonly [WrittenPoint['at'], WrittenPoint['at']];
interface LookedAt {
  readonly link: number;
  readonly origin: WrittenPoint['at'];
  /** Whose image points along x, and one whose image lies in the half plane of x and y. */
  readonly lines: readonly [Line, Line];
}

const h = 1e-9;
const ACROSS: readonly [Line, Line] = [
  [{ s: 0.12 }, { s: 0.12, x: 0.01 }],
  [{ s: 0.12 }, { s: 0.12, y: 0.01 }],
];
const LOOKED_AT: readonly LookedAt[] = [
  {
    link: 0,
    origin: { s: 0.2 / 3, x: 0.01, y: 0.01 },
    lines: [
      [{ s: 0.2 / 3 }, { s: 0.2 / 3, x: 0.01 }],
      [{ s: 0.2 / 3 }, { s: 0.2 / 3, y: 0.01 }],
    ],
  },
  {
    link: 1,
    origin: { z: 0.11, x: 0.01, y: 0.01 },
    lines: [
      [
        { z: 0.11, x: 0.01 - h, y: 0.01 },
        { z: 0.11, x: 0.01 + h, y: 0.01 },
      ],
      [
        { z: 0.11, x: 0.01, y: 0.01 - h },
        { z: 0.11, x: 0.01, y: 0.01 + h },
      ],
    ],
  },
  {
    link: 2,
    origin: { s: 0.21, r: 0.015, phi: 0.4 },
    lines: [
      [{ s: 0.21 }, { s: 0.21, r: 0.01 }],
      [{ s: 0.21 }, { s: 0.21, r: 0.01, phi: Math.PI / 2 }],
    ],
  },
  { link: 3, origin: { s: 0.12, x: 0.005, y: 0.01 / 3 }, lines: ACROSS },
  {
    link: 4,
    origin: { s: 0.5 / 3 },
    lines: [
      [{ s: 0.5 / 3 }, { s: 0.5 / 3, r: 0.02 }],
      [{ s: 0.5 / 3 }, { s: 0.5 / 3, r: 0.02, phi: Math.PI / 2 }],
    ],
  },
];

type Vector = readonly Decimal[];
const cross = ([a, b, c]: Vector, [x, y, z]: Vector): Vector => [
  b!.times(z!).minus(c!.times(y!)),
  c!.times(x!).minus(a!.times(z!)),
  a!.times(y!).minus(b!.times(x!)),
];
const unit = (v: Vector): Vector => v.map((x) => x.div(Wide.hypot(...v)));

/** Rotation by rows, then the origin. */
function written({ link, origin, lines }: LookedAt, q: readonly Decimal[]): Decimal[] {
  const place = (at: WrittenPoint['at']): Vector => writtenPlace(robot, q, { link, at });
  const [along, aside] = lines.map(([from, to]) => {
    const [a, b] = [place(from), place(to)];
    return b.map((x, i) => x.minus(a[i]!));
  }) as unknown as [Vector, Vector];
  const x = unit(along);
  const z = unit(cross(x, aside));
  const columns = [x, cross(z, x), z];
  return [...[0, 1, 2].flatMap((row) => columns.map((column) => column[row]!)), ...place(origin)];
}

interface Moving {
  readonly value: readonly number[];
  /** ω and the velocity of the origin, then α and its acceleration: world axes. */
  readonly twist: readonly number[];
  readonly bias: readonly number[];
}

/** By difference quotients of fourth order along a direction. */
function movingAlong(own: LookedAt, direction: readonly number[]): Moving {
  const step = 2 ** -17;
  const at = (k: number): Decimal[] =>
    written(
      own,
      state.q.map((x, i) => new Wide(x).plus(new Wide(direction[i]!).times(k * step))),
    );
  const [c, b, here, d, e] = [-2, -1, 0, 1, 2].map(at) as [Decimal[], Decimal[], Decimal[], Decimal[], Decimal[]];
  const first = here.map((_, i) =>
    Number(
      d[i]!.minus(b[i]!)
        .times(8)
        .minus(e[i]!.minus(c[i]!))
        .div(12 * step),
    ),
  );
  const second = here.map((x, i) =>
    Number(
      d[i]!.plus(b[i]!)
        .times(16)
        .minus(e[i]!.plus(c[i]!))
        .minus(x.times(30))
        .div(12 * step * step),
    ),
  );
  const value = here.map(Number);
  const spin = (change: readonly number[]): number[] => {
    const entry = (i: number, j: number): number =>
      [0, 1, 2].reduce((sum, k) => sum + change[3 * i + k]! * value[3 * j + k]!, 0);
    return [(entry(2, 1) - entry(1, 2)) / 2, (entry(0, 2) - entry(2, 0)) / 2, (entry(1, 0) - entry(0, 1)) / 2];
  };
  return { value, twist: [...spin(first), ...first.slice(9)], bias: [...spin(second), ...second.slice(9)] };
}

function expectClose(found: ArrayLike<number>, expected: readonly number[], what: string, within = 1e-11): void {
  const scale = Math.max(0.1, ...expected.map(Math.abs));
  expected.forEach((value, i) => expect(Math.abs(found[i]! - value) / scale, `${what} ${i}`).toBeLessThan(within));
}

const vector = (size: number): Float64Array => new Float64Array(size);

describe('frames within bodies', () => {
  let dynamics: LoadedRobot;
  const indices = LOOKED_AT.map((_, k) => robot.frames.findIndex(({ name }) => name === `f${k + 1}`));
  beforeAll(async () => {
    const generated = await generateTypeScript(robot, compileRobot(robot, { derivatives: true }));
    dynamics = (await loadGenerated(generated))();
    dynamics.update(state.q, state.qd);
  });

  it.each(LOOKED_AT.map((own, k) => ({ name: `f${k + 1}`, own, index: indices[k]! })))(
    'has the pose, Jacobian and motion of $name',
    ({ name, own, index }) => {
      const [R, t, J, twist, bias] = [vector(9), vector(3), vector(6 * N), vector(6), vector(6)];
      dynamics.frame(index, R, t, J);
      dynamics.frameMotion(index, twist, bias);
      const along = movingAlong(own, state.qd);
      expectClose([...R, ...t], along.value, `pose of ${name}`);
      expectClose(twist, along.twist, `twist of ${name}`);
      expectClose(bias, along.bias, `acceleration of ${name}`, 1e-10);
      state.q.forEach((_, a) => {
        const column = [0, 1, 2, 3, 4, 5].map((i) => J[N * i + a]!);
        const axis = state.q.map((__, b) => (a === b ? 1 : 0));
        if (column.some((x) => x !== 0) || a % 3 === 0)
          expectClose(column, movingAlong(own, axis).twist, `column ${a} of ${name}`);
      });
    },
  );

  it('carries wrenches in axes of the world and in its own, with their changes', () => {
    const wrench = [0.7, -0.4, 0.9, 1.1, 0.6, -0.8];
    for (const index of indices) {
      const [R, J, tau] = [vector(9), vector(6 * N), vector(N)];
      dynamics.update(state.q, state.qd);
      dynamics.frame(index, R, vector(3), J);
      const turned = [0, 3].flatMap((part) =>
        [0, 1, 2].map((i) => [0, 1, 2].reduce((sum, j) => sum + R[3 * i + j]! * wrench[part + j]!, 0)),
      );
      dynamics.externalInFrame(index, wrench, tau);
      expectClose(
        tau,
        state.q.map((_, a) => turned.reduce((sum, w, i) => sum + J[N * i + a]! * w, 0)),
        'work in own axes',
        1e-13,
      );
      const direction = state.q.map((_, a) => Math.sin(a + 1));
      for (const [call, tangent] of [
        ['external', 'externalTangent'],
        ['externalInFrame', 'externalInFrameTangent'],
      ] as const) {
        const forces = (by: number): Float64Array => {
          const own = vector(N);
          dynamics.update(
            state.q.map((x, a) => x + by * direction[a]!),
            state.qd,
          );
          dynamics[call](index, wrench, own);
          return own;
        };
        const [c, b, d, e] = [-2e-3, -1e-3, 1e-3, 2e-3].map(forces) as [
          Float64Array,
          Float64Array,
          Float64Array,
          Float64Array,
        ];
        dynamics.update(state.q, state.qd);
        const change = vector(N);
        dynamics[tangent]!(1, index, wrench, direction, change);
        const expected = [...c].map((_, a) => (8 * (d[a]! - b[a]!) - (e[a]! - c[a]!)) / 12e-3);
        expectClose(change, expected, `change of ${call}`, 1e-8);
      }
    }
  });
});

describe('frames of the material in polar coordinates', () => {
  const round = (section: string, x: string, y: string, at: string): string => `
kanegen: 1
name: round
body-types:
  swelling:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: { unit: rad }, w: {} }
    volume: { rod: { s: [0, L] }, section: ${section}, density: rho }
    let: { x: ${x}, y: ${y} }
    position: ["x*(1 + w*s/L) + q*s^2/L + 0.3*w*y", "y*(1 - 0.5*w*x/L) + 0.2*q*x", "s*(1 + 0.1*w) - q*x*s/L + w*y"]
    distal: none
links: [ { name: soft, joint: { revolute: y }, body: swelling } ]
frames: { f: { on: soft, at: ${at} } }
`;
  it.each([
    ['off the axis', '{ s: 0.15, r: R/2, phi: 0.7 }', 'R/2*cos(0.7)', 'R/2*sin(0.7)'],
    ['on the axis', '{ s: 0.15 }', '0', '0'],
  ])('are those of the same body in Cartesian ones, %s', async (_, polar, x, y) => {
    const cartesian = round('{ disc: R, cartesian: [X, Y] }', 'X', 'Y', `{ s: 0.15, X: ${x}, Y: ${y} }`);
    const texts = [round('{ disc: R, polar: [r, phi] }', 'r*cos(phi)', 'r*sin(phi)', polar), cartesian];
    const [found, due] = await Promise.all(
      texts.map(async (text) => {
        const robot = loadRobotText(text, 'round.robot.yaml');
        const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
        const index = robot.frames.findIndex(({ name }) => name === 'f');
        const [R, t, J] = [new Float64Array(9), new Float64Array(3), new Float64Array(18)];
        dynamics.update([0.3, 0.8, 0.4], [0, 0, 0]);
        dynamics.frame(index, R, t, J);
        return [...R, ...t, ...J];
      }),
    );
    expect(found).toHaveLength(30);
    found!.forEach((value, k) => expect(Math.abs(value - due![k]!)).toBeLessThan(1e-13));
  });
});

describe('frames that there are not', () => {
  const replaced = (from: RegExp, to: string): string => ARM.replace(from, to);
  it.each([
    ['a rigid link', /f1: .*/, 'f1: { on: base_link, at: { s: 0 } }', /unknown link/],
    [
      'axes of a rod',
      /f1: .*/,
      'f1: { on: first, pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }',
      /sections of this rod are rigid/,
    ],
    ['one axis', /f5: .*/, 'f5: { on: fifth, pivot: { s: L }, x-axis: { s: L, r: R } }', /a `pivot` and two axes/],
    [
      'an area that shears',
      /f2: .*/,
      'f2: { on: second, pivot: { z: L/2 }, x-axis: { z: L/2, x: w }, y-axis: { z: L/2, y: w } }',
      /cannot be built/,
    ],
    [
      'a run-time pivot',
      /f5: .*/,
      'f5: { on: fifth, pivot: { s: reach }, x-axis: { s: reach, r: R }, y-axis: { s: reach, r: R, phi: 1.5 } }',
      /may change while the code runs/,
    ],
    ['both forms', /f5: .*/, 'f5: { on: fifth, at: { s: L }, pivot: { s: L } }', /and no `pivot`/],
    ['no such coordinate', /f5: .*/, 'f5: { on: fifth, at: { z: L } }', /not a material coordinate/],
  ])('refuses %s', (_, from, to, message) => {
    expect(() => compileRobot(loadRobotText(replaced(from, to), 'frames.robot.yaml'))).toThrow(message);
  });
});

describe('the distal frame of a body with a hole along its axis', () => {
  // A cavity moves points by r² → r² + a(z), and by their direction from the axis, which those in the middle of the hole do not have.
  it('is found without points in the hole', () => {
    const robot = loadRobotText(
      `kanegen: 1
name: bladder
body-types:
  bladder:
    parameters: { L: 0.12 m, R: 25 mm, w: 6 mm }
    coordinates: { c: { unit: m^2, limits: [-1e-4, 1e-4] }, k: {} }
    volume: { rod: { z: [0, L] }, section: { annulus: [R - w, R], cartesian: [x, y] }, density: 1090 kg/m^3 }
    compose:
      - cavity: { axis: z, growth: "c*(z/L)^2" }
      - bending: { axis: z, direction: x, deflection: k*L/2*(z/L)^2 }
    distal: { at: { z: L, x: R - w } }
links: [ { body: bladder, name: soft } ]
`,
      'bladder.robot.yaml',
    );
    const place = (c: number): number[] =>
      writtenPlace(robot, [new Wide(c), new Wide(0)], { link: 0, at: [0, 0, 0] }).map(Number);
    for (const c of [0, 8e-5, -8e-5])
      expect(place(c)).toEqual([Math.sqrt(0.019 ** 2 + c), 0, 0.12].map((x) => expect.closeTo(x, 14) as number));
  });
});
