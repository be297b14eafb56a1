/** Records of quantities: what is missing in one does not compile, and the base hands over all entries of every one. */
import { describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/description/load.ts';
import { baseNeeds, baseValues } from '../../src/kane/kernels/base-values.ts';
import { QUANTITY_RECORDS, type QuantityRecord } from '../../src/kane/kernels/quantities.ts';

const frame = { holds: 'spin', entries: ['spin'], scope: 'spin', read: 'parentSpin', written: 'ownSpin' } as const;
const block = { place: 'velocity', stage: 3 } as const;

// @ts-expect-error the value at the base is missing
export const withoutBase: QuantityRecord = { ...frame, ...block, to: 'children' };
// @ts-expect-error what the base reads is missing
export const unread: QuantityRecord = { ...frame, ...block, to: 'parent' };
// @ts-expect-error the way over the links is missing: outwards, or summed over the children
export const withoutWay: QuantityRecord = { ...frame, ...block, base: 'velocity' };
// @ts-expect-error the base has no such motion
export const ofNothing: QuantityRecord = { ...frame, ...block, to: 'children', base: 'spin' };

describe('records of quantities', () => {
  const robot = loadRobotFile('examples/two-link.robot.yaml');
  const values: Partial<Record<string, readonly unknown[]>> = baseValues(robot);
  const needs: Partial<Record<string, readonly number[]>> = baseNeeds(robot);

  it.each(QUANTITY_RECORDS.map((record) => [record.holds, record] as const))('have the base: %s', (_, record) => {
    if (record.to === 'parent') {
      const read = record.base === 'reads all' ? [...record.entries.keys()] : [];
      expect(needs[record.written]).toEqual(read);
    } else expect(values[record.read]!.length).toBeGreaterThanOrEqual(record.entries.length);
  });
});
