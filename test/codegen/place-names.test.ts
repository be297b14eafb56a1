import { expect, it } from 'vitest';
import { PlaceNames } from '../../src/codegen/c/place-names.ts';

it('has a name for every place, whatever links are called', () => {
  const names = new PlaceNames();
  expect(names.of(['arm', 'bodyWrench'], 10)).toBe('ARM_BODY_WRENCH');
  expect(names.of(['arm_body', 'wrench'], 20)).toBe('ARM_BODY_WRENCH_2');
  expect(names.of(['arm', 'bodyWrench'], 10)).toBe('ARM_BODY_WRENCH');
  expect(names.of(['7-é', 'q'], 30)).toMatch(/^[A-Z]\w*$/);
  // A place in blocks is none in the workspace, even where the numbers are equal.
  expect(names.of(['pose'], 31, 'block')).toBe('POSE');
  expect(names.of(['pose'], 31)).toBe('POSE_2');
});

it('defines what the code mentions, in the order of the places', () => {
  const names = new PlaceNames();
  names.of(['hand', 'q'], 40);
  names.of(['arm', 'q'], 12);
  names.of(['arm', 'qd'], 13);
  names.of(['pose'], 31, 'block');
  names.of(['acceleration'], 31, 'block');
  const [workspace, block, ...others] = names.definitions('w[HAND_Q] = w[ARM_Q] + own[ACCELERATION + 2] * own[POSE];');
  expect(workspace).toContain('  ARM_Q = 12, HAND_Q = 40\n');
  expect(block).toContain('  POSE = 31, ACCELERATION = 31\n');
  expect(others).toEqual([]);
  expect(names.definitions('w[0] = 1;')).toEqual([]);
});
