/** Records of quantities: what is missing in one does not compile, and the base hands over all entries of every one. Those of kernels have their ends. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/description/load.ts';
import { baseNeeds, baseValues } from '../../src/kane/kernels/base-values.ts';
import { PRIMAL_FUNCTIONS, type LinkFunctionRecord } from '../../src/kane/kernels/kernels.ts';
import { QUANTITY_RECORDS, type QuantityRecord, type ReadByBase } from '../../src/kane/kernels/quantities.ts';

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
// @ts-expect-error the base reads nothing of it: it may not be computed
export const neverRead: ReadByBase = 'wrench';

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

describe('records of kernels', () => {
  const textBelow = (folder: string): string =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
      .join('\n');
  const builders = textBelow('src/kane/link') + readFileSync('src/kane/body/force-terms.ts', 'utf8');
  const drivers = textBelow('src/codegen');

  it.each<[string, LinkFunctionRecord]>(Object.entries(PRIMAL_FUNCTIONS))('have their ends: %s', (name, record) => {
    const { stage, kernel = name } = record;
    const fillsTables = stage === 'parameters' || stage === 'configuration';
    expect(fillsTables || builders.includes(`'${kernel}'`), 'a method of LinkKernelBuilder traces it').toBe(true);
    expect(drivers.includes(`'${name}'`), 'a sweep or a walk calls it').toBe(true);
  });
});
