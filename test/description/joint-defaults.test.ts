/** Where joints stand unless a state says otherwise, and frames at three lengths from the ends of links. */
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { formatError } from '../../src/description/source/diagnostics.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';

const withJoint = (joint: string): string => `kanegen: 1
name: home
parameters: { reach: 40 mm }
links:
  - { name: a, joint: ${joint}, rigid: { mass: 1 kg } }
`;

const withFrame = (frame: string): string => `kanegen: 1
name: posts
parameters: { h: 0.3 m }
links:
  - name: post
    joint: { revolute: z }
    rigid: { mass: 1 kg, distal: { xyz: [0.5, 0, h], rpy: [0, 0, 90 deg] } }
  - { name: soft, body: gvs-affine-planar }
frames: { hook: ${frame} }
`;

function failure(text: string): string {
  try {
    loadRobotText(text, 'bad.robot.yaml');
  } catch (error) {
    if (error instanceof KanegenError) return formatError(error);
    throw error;
  }
  return 'no error';
}

describe('defaults of joints', () => {
  it.each([
    ['{ revolute: y, default: 30 deg }', [Math.PI / 6]],
    ['{ prismatic: z, limits: [10 mm, 80 mm], default: 2*reach }', [0.08]],
    ['{ prismatic: z, limits: [10 mm, 80 mm] }', [0.01]],
    ['{ revolute: z, limits: [-2, -1] }', [-1]],
    ['{ universal: [x, y], default: { angle2: 0.5 } }', [0, 0.5]],
    ['{ free: , default: { d3: 0.4 m }, names: [x, y, z, r1, r2, r3] }', /no coordinate `d3`/],
    ['{ free: , default: { d3: 0.4 m } }', [0, 0, 0.4, 0, 0, 0]],
    ['{ prismatic: z, default: 2 rad }', /this default must be/],
    [
      '{ prismatic: z, limits: [10 mm, 80 mm], default: 0 }',
      /bad\.robot\.yaml:5:\d+.*the default 0 lies outside of the limits, 0\.01 to 0\.08/,
    ],
    ['{ universal: [x, y], default: 0.5 }', /of several coordinates needs their names/],
    ['{ revolute: y, default: [1] }', /a default is one value/],
    ['{ fixed: , default: 1 }', /a fixed joint has no `default`/],
    ['{ revolute: y, default: 1, prescribed: t }', /`angle` follows the time/],
  ])('%s', (joint, expected) => {
    if (expected instanceof RegExp) {
      expect(failure(withJoint(joint))).toMatch(expected);
      return;
    }
    const { coordinates } = loadRobotText(withJoint(joint), 'home.robot.yaml').links[0]!.joint;
    const values = evaluate(
      coordinates.map(({ value }) => value),
      new Map(loadRobotText(withJoint(joint), 'home.robot.yaml').parameters.map((own) => [own.symbol, 0.04])),
    );
    values.forEach((value, i) => expect(value).toBeCloseTo(expected[i]!, 14));
    expect(values).toHaveLength(expected.length);
  });
});

describe('frames of links', () => {
  it.each([
    ['{ on: post, at: [0, 0.1, 0] }', [0, 0.1, 0]],
    ['{ on: post, frame: proximal }', [0, 0.5, -0.3]], // in axes of the distal frame, turned by 90° about z
    ['{ on: post, frame: proximal, at: [0.1, 0, 0.2] }', [0, 0.4, -0.1]],
    ['{ on: post, frame: proximal, at: [0.1, 0, 0.2], offset: { xyz: [0.1, 0, 0] } }', [0, 0.3, -0.1]],
    ['{ on: soft, frame: proximal }', /no rigid body with a proximal frame/],
    ['{ on: soft, frame: proximal, at: { s: L } }', /a frame within a body has no `frame`/],
    ['{ on: post, at: { s: L } }', /not a deformable body[\s\S]*at: \[x, y, z\]/],
    ['{ on: post, at: [0, 1 kg, 0] }', /must be/],
  ])('%s', (frame, expected) => {
    if (expected instanceof RegExp) {
      expect(failure(withFrame(frame))).toMatch(expected);
      return;
    }
    const robot = loadRobotText(withFrame(frame), 'posts.robot.yaml');
    const { offset } = robot.frames.find(({ name }) => name === 'hook')!;
    const values = new Map(robot.parameters.map((own) => [own.symbol, 0.3]));
    evaluate(offset.translation, values).forEach((value, i) => expect(value).toBeCloseTo(expected[i]!, 14));
  });
});
