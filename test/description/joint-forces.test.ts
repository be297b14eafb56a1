/** Springs, friction and drives of joints, energies of body coordinates: what the file may say, and what it must not. */
import { describe, expect, it } from 'vitest';
import { formatError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { CoordinateForces } from '../../src/description/model/robot.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';
import { KanegenError } from '../../src/common/error.ts';

const withJoint = (joint: string): string => `kanegen: 1
name: driven
parameters: { k: { value: 3 N m/rad, runtime: true } }
links:
  - { name: a, joint: ${joint}, rigid: { mass: 1 kg } }
`;

const withBody = (lines: string): string => `kanegen: 1
name: bag
body-types:
  bag:
    parameters: { L: 0.2 m, k: 2 N m, d: 0.1 N m s }
    coordinates: { q: { unit: rad }, e: { unit: m } }
    volume: { rod: { s: [0, L] }, section: { disc: 10 mm }, density: 1000 kg/m^3 }
    strain: { bend-x: q/L, stretch: e/L }
    ${lines}
links: [ { body: bag } ]
`;

function numbers(joint: string): Record<keyof CoordinateForces, number>[] {
  const robot = loadRobotText(withJoint(joint), 'driven.robot.yaml');
  const values = new Map<Expr, number>(robot.parameters.map((p) => [p.symbol, 3]));
  return robot.links[0]!.joint.forces!.map(
    (forces) =>
      Object.fromEntries(Object.entries(forces).map(([key, e]) => [key, evaluate([e as Expr], values)[0]])) as Record<
        keyof CoordinateForces,
        number
      >,
  );
}

function failure(text: string): string {
  try {
    loadRobotText(text, 'bad.robot.yaml');
  } catch (error) {
    if (error instanceof KanegenError) return formatError(error);
    throw error;
  }
  return 'nothing wrong';
}

describe('forces along the coordinates of a joint', () => {
  it('are read in any unit, with run-time parameters, for the only coordinate', () => {
    const joint =
      '{ revolute: y, stiffness: k, rest: 90 deg, damping: 0.2 N m s/rad, friction: { coulomb: 300 N mm, at: 0.6 deg/s }, armature: 20 kg cm^2 }';
    expect(numbers(joint)).toEqual([
      {
        stiffness: 3,
        rest: Math.PI / 2,
        damping: 0.2,
        friction: 0.3,
        slowness: expect.closeTo((0.6 * Math.PI) / 180, 15) as number,
        armature: 2e-3,
      },
    ]);
  });

  it('are given by name where there are several, each with the unit of its coordinate', () => {
    const joint =
      '{ cylindrical: z, stiffness: { displacement: 4 N/cm }, damping: { angle: 0.2, displacement: 3 N s/m }, friction: { displacement: { coulomb: 2 N, at: 1 mm/s } } }';
    const none = { stiffness: 0, rest: 0, damping: 0, friction: 0, slowness: 1, armature: 0 };
    expect(numbers(joint)).toEqual([
      { ...none, damping: 0.2 },
      { ...none, stiffness: 400, damping: 3, friction: 2, slowness: 1e-3 },
    ]);
  });

  it('are no part of a joint that says nothing of them', () => {
    const robot = loadRobotText(withJoint('{ revolute: y }'), 'driven.robot.yaml');
    expect(robot.links[0]!.joint).not.toHaveProperty('forces');
  });

  it.each([
    ['{ revolute: y, damping: -1 }', /bad\.robot\.yaml:5:\d+.*the damping is -1[\s\S]*zero or more/],
    ['{ revolute: y, stiffness: 3 N/m }', /the stiffness must be/],
    ['{ revolute: y, armature: 3 kg }', /the armature must be/],
    ['{ revolute: y, rest: 1 }', /`rest` needs a spring[\s\S]*add `stiffness`/],
    [
      '{ revolute: y, friction: 0.3 N m }',
      /dry friction needs a force and a speed[\s\S]*coulomb: 0\.3 N m, at: 0\.01 rad\/s/,
    ],
    ['{ revolute: y, friction: { coulomb: 0.3 N m } }', /`at` is missing/],
    ['{ revolute: y, friction: { coulomb: 0.3 N m, at: 0 } }', /the speed of `friction` is 0/],
    ['{ revolute: y, friction: { coulomb: 0.3 N m, at: 1, mu: 2 } }', /unknown key `mu`/],
    ['{ revolute: y, friction: { viscous: 0.3 } }', /unknown key `viscous`[\s\S]*viscous friction is `damping`/],
    ['{ revolute: y, friction: { coulomb: -0.3 N m, at: 1 } }', /dry friction is -0\.3/],
    ['{ cylindrical: z, damping: 3 }', /of several coordinates needs their names[\s\S]*write damping: \{ angle: … \}/],
    ['{ cylindrical: z, damping: { turn: 3 } }', /no coordinate `turn`[\s\S]*coordinates: angle, displacement/],
    ['{ fixed: , damping: 3 }', /a fixed joint has no `damping`/],
    ['{ revolute: y, damping: [1, 2] }', /the damping is one value/],
    ['{ revolute: y, damping: 1/(1 - 1) }', /not a finite number|division by zero/],
    ['{ cylindrical: z, friction: { coulomb: 1, at: 1 } }', /of several coordinates needs their names/],
  ])('refuse %s', (joint, message) => {
    expect(failure(withJoint(joint))).toMatch(message);
  });
});

describe('energies of the coordinates of a body', () => {
  it('are formulas of coordinates, rates and parameters', () => {
    const robot = loadRobotText(withBody('potential: k*(1 - cos(q))\n    dissipation: d/2*q_dot^2'), 'bag.robot.yaml');
    const { body } = robot.links[0]!;
    expect(body.kind === 'deformable' && body.type.potential && body.type.dissipation).toBeTruthy();
  });

  it.each([
    ['potential: k*s', /a potential must be/],
    ['potential: k*s/L', /a potential of a body cannot depend on `s`/],
    ['dissipation: k*q_dot*exp(t*q_dot)', /cannot depend on `t`/],
    ['potential: k*q_dot', /unknown symbol `q_dot`/],
    ['dissipation: d*q^2', /a dissipation function must be/],
  ])('refuse %s', (lines, message) => {
    expect(failure(withBody(lines))).toMatch(message);
  });
});
