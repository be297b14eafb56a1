/**
 * Actuators that hold on to material points within bodies: lengths and places, their gradients, rates and second derivatives
 * against difference quotients of lengths between places from the formulas as they were written.
 */
import type { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';
import { isInstalled } from '../compilers.ts';
import { randomNumbers } from '../kane/point-masses.ts';
import { derivativesAlong, Wide, writtenPlace, type WrittenPoint } from './written-places.ts';

/** A body in closed form behind a joint, one by points of a formula, a rod by steps, a rigid tool. */
const ARM = `
kanegen: 1
name: held
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
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-x: "q1*cos(2*s/L)/L", bend-y: "(q2 + q3*s/L)/L", twist: "0.3*q1*s/L^2", stretch: "0.05*q3*s/L" }
    integration: { points: 12 }
base: { xyz: [0.01, -0.02, 0.03], rpy: [0.2, 0, 0.4] }
links:
  - { name: first, joint: { revolute: y }, offset: { xyz: [0, 0.01, 0.02] }, mount: { rpy: [0.1, 0.2, 0] }, body: pcc-3d, parameters: { L: 0.2, R: 0.02, rho: 1070 } }
  - { name: second, body: bulging }
  - { name: third, joint: { revolute: x }, body: bending }
  - { name: tool, rigid: { mass: 0.1, com: [0, 0, 0.02], inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 }, distal: { xyz: [0.01, 0, 0.05] } } }
actuators:
  from_base: { tendon: { path: [ { on: base, at: [0.05, 0.01, 0] }, { on: first, at: { s: L/3, x: 0.015 } } ] } }
  across: { tendon: { path: [ { on: first, at: { s: 0.09, y: -0.01 } }, { on: second, at: { z: reach, x: 0.01, y: 0.02 } } ] } }
  on: { tendon: { path: [ { on: second, at: { z: 0.02, y: 0.015 } }, { on: third, at: { s: 2*L/3, x: 0.01 } }, { on: tool, at: [0.01, 0.02, 0] } ] } }
  within: { tendon: { path: [ { on: third, at: { s: 0.04, x: 0.015 } }, { on: third, at: { s: 0.27, x: 0.015 } } ] } }
  proximal: { tendon: { path: [ { on: first, at: { s: 0.1, x: 0.01 } }, { on: third, at: { s: 0, y: 0.03 } } ] } }
  lift: { wrench: { on: third, at: { s: 0.2, y: 0.01 }, axes: world, force: [0, 0.6, 0.8] } }
  push: { wrench: { on: second, at: { z: 0.1, x: 0.02 }, axes: world, force: -x } }
`;

const robot = loadRobotText(ARM, 'held.robot.yaml');
const compiled = compileRobot(robot);
const N = 10;

const PATHS: readonly (readonly WrittenPoint[])[] = [
  [
    { link: -1, at: [0.05, 0.01, 0] },
    { link: 0, at: { s: 0.2 / 3, x: 0.015 } },
  ],
  [
    { link: 0, at: { s: 0.09, y: -0.01 } },
    { link: 1, at: { z: 0.11, x: 0.01, y: 0.02 } },
  ],
  [
    { link: 1, at: { z: 0.02, y: 0.015 } },
    { link: 2, at: { s: 0.2, x: 0.01 } },
    { link: 3, at: [0.01, 0.02, 0] },
  ],
  [
    { link: 2, at: { s: 0.04, x: 0.015 } },
    { link: 2, at: { s: 0.27, x: 0.015 } },
  ],
  [
    { link: 0, at: { s: 0.1, x: 0.01 } },
    { link: 2, at: { s: 0, y: 0.03 } },
  ],
];

const distance = (a: readonly Decimal[], b: readonly Decimal[]): Decimal =>
  Wide.sqrt(a.reduce<Decimal>((sum, x, i) => sum.plus(x.minus(b[i]!).pow(2)), new Wide(0)));

/** Of every actuator. */
const COORDINATES = [
  ...PATHS.map((path) => (q: readonly Decimal[]): Decimal => {
    const places = path.map((point) => writtenPlace(robot, q, point));
    return places.slice(1).reduce<Decimal>((sum, p, i) => sum.minus(distance(places[i]!, p)), new Wide(0));
  }),
  (q: readonly Decimal[]): Decimal => {
    const [, y, z] = writtenPlace(robot, q, { link: 2, at: { s: 0.2, y: 0.01 } });
    return y!.times('0.6').plus(z!.times('0.8'));
  },
  (q: readonly Decimal[]): Decimal => writtenPlace(robot, q, { link: 1, at: { z: 0.1, x: 0.02 } })[0]!.neg(),
];
const NU = COORDINATES.length;

interface Actuation {
  readonly y: readonly number[];
  readonly yd: readonly number[];
  readonly ydd0: readonly number[];
  readonly B: readonly (readonly number[])[];
  readonly actuation: readonly number[];
}

const random = randomNumbers(5);
const numbers = (count: number, size: number): number[] =>
  Array.from({ length: count }, () => size * (2 * random() - 1));
const states = [0, 1].map(() => ({
  q: numbers(N, 0.8),
  qd: numbers(N, 1.5),
  qdd: numbers(N, 0),
  u: numbers(NU, 10),
}));
const targets = isInstalled('cc') ? (['ts', 'c'] as const) : (['ts'] as const);

type Along = readonly ReturnType<typeof derivativesAlong>[];

/** Along the velocity of each state and along another direction. */
const directions = states.map(({ qd }) => [qd, numbers(N, 1)]);
const written = (() => {
  let found: readonly (readonly Along[])[] | undefined;
  return () =>
    (found ??= states.map(({ q }, s) =>
      directions[s]!.map((direction) => COORDINATES.map((f) => derivativesAlong(f, q, direction))),
    ));
})();

function expectClose(found: ArrayLike<number>, expected: readonly number[], within = 1e-12): void {
  expect(found).toHaveLength(expected.length);
  const scale = Math.max(0.1, ...expected.map(Math.abs));
  expected.forEach((value, i) => expect(Math.abs(found[i]! - value) / scale, `entry ${i}`).toBeLessThan(within));
}

describe.each(targets)('actuators on material points (%s)', (target) => {
  let evaluated: readonly Actuation[];
  beforeAll(async () => {
    evaluated = (await evaluateRobot(robot, compiled, states, { target, precision: 'double' })) as never;
  });

  it('have the lengths and places of the formulas, their gradients and rates', () => {
    states.forEach((_, s) => {
      const { y, yd, ydd0, B } = evaluated[s]!;
      const [along, aside] = written()[s]! as [Along, Along];
      expectClose(
        y,
        along.map(({ value }) => value),
      );
      expectClose(
        yd,
        along.map(({ first }) => first),
      );
      expectClose(
        ydd0,
        along.map(({ second }) => second),
      );
      [along, aside].forEach((expected, k) =>
        expectClose(
          expected.map((__, j) => directions[s]![k]!.reduce((sum, d, a) => sum + d * B[a]![j]!, 0)),
          expected.map(({ first }) => first),
        ),
      );
    });
  });

  it('have forces B u without B', () => {
    states.forEach(({ u }, s) => {
      const { B, actuation } = evaluated[s]!;
      expectClose(
        actuation,
        B.map((row) => row.reduce((sum, b, j) => sum + b * u[j]!, 0)),
      );
    });
  });
});

describe('derivatives of forces on material points', () => {
  it('are those of B u at the same inputs', async () => {
    const generated = await generateTypeScript(robot, compileRobot(robot, { derivatives: true }));
    const dynamics = (await loadGenerated(generated))();
    const [{ q, qd, u }] = states as [(typeof states)[0]];
    const direction = directions[0]![1]!;
    const forces = (by: number): Float64Array => {
      dynamics.update(
        q.map((x, a) => x + by * direction[a]!),
        qd,
      );
      const tau = new Float64Array(N);
      dynamics.actuate(u, tau);
      return tau;
    };
    const h = 1e-3;
    const [c, b, d, e] = [-2, -1, 1, 2].map((k) => forces(k * h)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    dynamics.update(q, qd);
    const change = new Float64Array(N);
    dynamics.actuateTangent!(1, u, direction, change);
    const expected = [...c].map((_, a) => (8 * (d[a]! - b[a]!) - (e[a]! - c[a]!)) / (12 * h));
    expectClose(change, expected, 1e-7);

    // Solutions through the links have what turns and changes in the border.
    const qdd = numbers(N, 1);
    const [residual, dq] = [new Float64Array(N), new Float64Array(N)];
    dynamics.inverseDynamicsTangent!(
      1,
      qdd,
      direction,
      direction.map((x) => 2 * x),
      direction.map((x) => 300 * x),
      residual,
    );
    residual.forEach((own, a) => (residual[a] = own - change[a]!));
    dynamics.newtonStep!(2, 300, qdd, u, residual, dq);
    expectClose(dq, direction, 1e-9);
  });
});
