/** Where numbers lie in a workspace, and that both run times say the same about it. */
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../src/codegen/modules/assets.ts';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { SIGNATURES, type LinkFunctionName } from '../../src/codegen/programs/stages.ts';
import {
  BLOCK,
  blockSize,
  bufferStarts,
  layOutWorkspace,
  ownBuffers,
  regionSignature,
} from '../../src/codegen/modules/workspace.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { branchedRobot } from './sample-robots.ts';

const robot = branchedRobot();
const model = robotModel(robot, compileRobot(robot));
const functions = Object.keys(SIGNATURES) as LinkFunctionName[];

/** Numbers in the buffers that every block has. */
const FIXED: Readonly<Record<string, number>> = {
  ownVelocity: 3,
  ownAcceleration: 6,
  ownGravity: 3,
  ownPose: 12,
  ownTravel: 10,
  distalWrench: 6,
  distalComposite: 10,
};

describe.each(model.links.map((link) => [link.name, link] as const))('block of link type %s', (_, { staged }) => {
  const sizes = new Map(Object.entries(FIXED));
  for (const { buffer, size } of ownBuffers(staged)) sizes.set(buffer, size);

  it.each(functions)('keeps apart all that %s reads and writes', (name) => {
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
      Velocity: 'move',
      Acceleration: 'accelerate',
      Gravity: 'weigh',
      Pose: 'pose',
      Travel: 'energy',
    } as const;
    for (const [motion, name] of Object.entries(ends)) {
      const starts = bufferStarts(staged, name);
      expect(starts.get(`parent${motion}`)).toEqual({ region: 'parent', index: starts.get(`own${motion}`)!.index });
    }
    const [back, composite] = [bufferStarts(staged, 'backward'), bufferStarts(staged, 'composite')];
    expect(back.get('parentWrench')!.index).toBe(back.get('distalWrench')!.index);
    expect(composite.get('parentComposite')!.index).toBe(composite.get('distalComposite')!.index);
  });
});

it('gives the functions of every link type the same parameters', () => {
  for (const name of functions) {
    const [first, ...others] = model.links.map((link) => regionSignature(link.staged, name));
    for (const other of others) expect(other).toEqual(first);
  }
});

it('gives every link of a C robot a block of its own', () => {
  const { links, size } = layOutWorkspace(model);
  const starts = [...links.map((link) => link.block), size];
  links.forEach((link, i) => {
    const end = link.block + blockSize(model.instances[i]!.link.staged);
    expect(end).toBeLessThanOrEqual(starts.find((start) => start > link.block)!);
  });
});

it('has the same places in TypeScript, in C and in the code generator', () => {
  const [link] = model.links;
  const driver = packageFile('src/runtime/driver.ts');
  const header = packageFile('templates/c/kanegen_runtime.h.eta');
  const places = {
    COMPOSITE: bufferStarts(link!.staged, 'composite').get('distalComposite')!.index,
    PASSED: bufferStarts(link!.staged, 'pose').get('ownPose')!.index,
    WRENCH: bufferStarts(link!.staged, 'backward').get('distalWrench')!.index,
    BLOCK,
  };
  for (const [name, index] of Object.entries(places)) {
    expect(driver).toContain(`const ${name} = ${index};`);
    expect(header).toMatch(new RegExp(`enum \\{.* KG_${name} = ${index}\\b`));
  }
  expect(header).toContain(`KG_VELOCITY = ${bufferStarts(link!.staged, 'move').get('ownVelocity')!.index}`);
});
