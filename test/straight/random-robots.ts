/** Random robots of rigid links and soft bodies, serial and branched, for laws that must hold whatever the robot. */
import fc from 'fast-check';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';

const number = (size: number): fc.Arbitrary<number> => fc.integer({ min: -50, max: 50 }).map((k) => (k * size) / 50);
const positive = (size: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: 50 }).map((k) => (k * size) / 50);

/** Right angles often, others sometimes: both kinds of frames occur in real robots. */
const angle = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 90, -90, 180) },
  { weight: 1, arbitrary: fc.integer({ min: -170, max: 170 }) },
);
const length = fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: number(0.5) });
const pose = fc.record({
  xyz: fc.tuple(length, length, length),
  rpy: fc.tuple(angle, angle, angle).map((angles) => angles.map((a) => `${a} deg`)),
});
const axis = fc.constantFrom('x', 'y', 'z', '-x', '-y', '-z');
const joint = fc.oneof(
  { weight: 6, arbitrary: axis.map((a) => ({ revolute: a })) },
  { weight: 2, arbitrary: axis.map((a) => ({ prismatic: a })) },
  { weight: 1, arbitrary: fc.constant('fixed') },
  { weight: 1, arbitrary: fc.constant({ revolute: [0.6, 0, 0.8] }) },
);
const rigid = fc
  .record({
    mass: positive(4),
    com: fc.tuple(number(0.3), number(0.3), number(0.3)),
    radii: fc.tuple(positive(0.2), positive(0.2), positive(0.2)),
    products: fc.tuple(number(0.01), number(0.01), number(0.01)),
    distal: pose,
  })
  .map(({ mass, com, radii: [a, b, c], products: [xy, xz, yz], distal }) => ({
    rigid: {
      frame: 'proximal',
      mass,
      com,
      inertia: {
        about: 'com',
        xx: mass * (b * b + c * c) + 0.05,
        yy: mass * (a * a + c * c) + 0.05,
        zz: mass * (a * a + b * b) + 0.05,
        xy,
        xz,
        yz,
      },
      distal,
    },
  }));
const soft = fc.constantFrom(
  { body: 'planar-cc', parameters: { L: 0.2, R: 0.02, rho: 1062 } },
  { body: 'pcc-3d', parameters: { L: 0.15, R: 0.02, rho: 900 } },
);
const body = fc.oneof({ weight: 6, arbitrary: rigid }, { weight: 1, arbitrary: soft });

/** @param links how many, at most. */
export function randomRobot(links: number): fc.Arbitrary<Robot> {
  const link = fc.record({ joint, offset: pose, body, isBranch: fc.boolean() });
  return fc
    .record({ base: pose, list: fc.array(link, { minLength: 1, maxLength: links }) })
    .filter(({ list }) => list.some((l) => l.joint !== 'fixed' || 'body' in l.body))
    .map(({ base, list }) =>
      loadRobotObject({
        kanegen: 1,
        name: 'random-robot',
        gravity: [1.5, -2.5, -9],
        base,
        links: list.map(({ joint: j, offset, body: b, isBranch }, i) => ({
          name: `l${i}`,
          ...(isBranch && i > 1 ? { parent: `l${i - 2}` } : {}),
          offset,
          joint: j,
          ...b,
        })),
      }),
    );
}

/** A state with every coordinate different. */
export function stateOf(robot: Robot): { q: number[]; qd: number[]; qdd: number[] } {
  const fill = (f: (i: number) => number): number[] => robot.coordinates.map((_, i) => f(i));
  return {
    q: fill((i) => 0.4 * Math.sin(3 * i + 1)),
    qd: fill((i) => Math.cos(2 * i + 0.3)),
    qdd: fill((i) => Math.sin(5 * i)),
  };
}
