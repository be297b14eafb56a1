/** Where numbers lie in a workspace, and that nothing lies in the place of something else. */
import { describe, expect, it } from 'vitest';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { LINK_FUNCTION_NAMES } from '../../src/kane/kernels/link-functions.ts';
import { blockSize, bufferStarts, layOutWorkspace, ownBuffers } from '../../src/codegen/modules/workspace.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { branchedRobot } from './sample-robots.ts';

const robot = branchedRobot();
const model = robotModel(robot, compileRobot(robot));

/** Numbers in the buffers that every block has. */
const FIXED: Readonly<Record<string, number>> = {
  ownVelocity: 3,
  ownAcceleration: 6,
  ownGravity: 3,
  ownPose: 12,
  ownVelocityAndPotential: 10,
  distalWrench: 6,
  distalComposite: 10,
};

describe.each(model.links.map((link) => [link.name, link] as const))('block of link type %s', (_, { staged }) => {
  const sizes = new Map(Object.entries(FIXED));
  for (const { buffer, size } of ownBuffers(staged)) sizes.set(buffer, size);

  it.each(LINK_FUNCTION_NAMES)('keeps apart all that %s reads and writes', (name) => {
    const taken = new Set<string>();
    for (const [buffer, { region, index }] of bufferStarts(staged, name)) {
      if (region !== 'own') continue;
      for (let i = 0; i < sizes.get(buffer)!; i++) {
        expect(taken).not.toContain(`${index + i}`);
        taken.add(`${index + i}`);
        expect(index + i).toBeLessThan(blockSize(staged));
      }
    }
  });

  it('takes from its parent what the parent leaves there', () => {
    const ends = {
      Velocity: 'velocity',
      Acceleration: 'acceleration',
      Gravity: 'gravity',
      Pose: 'pose',
      VelocityAndPotential: 'energy',
    } as const;
    for (const [motion, name] of Object.entries(ends) as [keyof typeof ends, (typeof ends)[keyof typeof ends]][]) {
      const starts = bufferStarts(staged, name);
      const { index, place } = starts.get(`own${motion}`)!;
      expect(place).toBe(motion[0]!.toLowerCase() + motion.slice(1));
      expect(starts.get(`parent${motion}`)).toEqual({ region: 'parent', index, place });
    }
    const [back, composite] = [bufferStarts(staged, 'backward'), bufferStarts(staged, 'composite')];
    expect(back.get('parentWrench')!.index).toBe(back.get('distalWrench')!.index);
    expect(composite.get('parentComposite')!.index).toBe(composite.get('distalComposite')!.index);
  });
});

it('gives every link of a C robot a block of its own', () => {
  const { links, size } = layOutWorkspace(model);
  const starts = [...links.map((link) => link.block.at), size];
  links.forEach((link, i) => {
    const end = link.block.at + blockSize(model.instances[i]!.link.staged);
    expect(end).toBeLessThanOrEqual(starts.find((start) => start > link.block.at)!);
  });
});

it('gives what drivers share places of their own', () => {
  const { shared, links } = layOutWorkspace(model);
  const parts = [...Object.entries(shared), ...links.map((link, i) => [`block ${i}`, link.block] as const)];
  const filled = parts.filter(([, { size }]) => size > 0).sort(([, a], [, b]) => a.at - b.at);
  filled.slice(1).forEach(([name, { at }], i) => {
    const [before, part] = filled[i]!;
    expect(at, `${before} ends before ${name} begins`).toBeGreaterThanOrEqual(part.at + part.size);
  });
});
