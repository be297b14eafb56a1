import { describe, expect, it } from 'vitest';
import {
  baselineOf,
  compareWithBaseline,
  describeDifference,
  isRegression,
  readBaseline,
} from '../../bench/baseline.ts';
import { countMeasurements } from '../../bench/counts.ts';
import type { MeasuredRow } from '../../bench/row.ts';

const row = (workload: string, value: number): MeasuredRow => ({
  workload,
  metric: 'operations',
  value,
  unit: 'operations',
});

const baseline = { arm: { operations: 100 }, leg: { operations: 50 } };

describe('operation counts against the baseline', () => {
  it('differ in nothing when they are the same', () => {
    expect(compareWithBaseline([row('arm', 100), row('leg', 50)], baseline)).toEqual([]);
  });

  it('are a regression when one rises, however little', () => {
    const [difference, ...others] = compareWithBaseline([row('arm', 101), row('leg', 50)], baseline);
    expect(others).toEqual([]);
    expect(isRegression(difference!)).toBe(true);
    expect(describeDifference(difference!)).toBe('risen  arm: operations: 100 → 101 (+1, +1.0 %)');
  });

  it('are reported, but no regression, when one falls', () => {
    const [difference] = compareWithBaseline([row('arm', 80), row('leg', 50)], baseline);
    expect(isRegression(difference!)).toBe(false);
    expect(describeDifference(difference!)).toBe('fallen arm: operations: 100 → 80 (-20, -20.0 %)');
  });

  it('are not guarded, and therefore refused, when a row is new or gone', () => {
    const differences = compareWithBaseline([row('arm', 100), row('wing', 7)], baseline);
    expect(differences.map(isRegression)).toEqual([true, true]);
    expect(differences.map(describeDifference)).toEqual([
      'new    wing: operations: 7, not in the baseline',
      'gone   leg: operations: no longer counted, 50 in the baseline',
    ]);
  });

  it('become a baseline that they do not differ from', () => {
    const rows = [row('arm', 3), row('leg', 4)];
    expect(compareWithBaseline(rows, baselineOf(rows))).toEqual([]);
  });
});

describe('bench/baseline.json', () => {
  it('holds every count that the benchmark makes, and no other', () => {
    const all = countMeasurements(() => true).flatMap(({ names }) => names);
    const counted = all.filter(({ metric }) => !metric.includes(' / '));
    const held = Object.entries(readBaseline()).flatMap(([workload, counts]) =>
      Object.keys(counts).map((metric) => ({ workload, metric })),
    );
    expect(held).toEqual(expect.arrayContaining(counted));
    expect(held).toHaveLength(counted.length);
  });
});
