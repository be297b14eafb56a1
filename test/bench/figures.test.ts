import { describe, expect, it } from 'vitest';
import { figures } from '../../bench/figures.ts';
import { measurements, withFigures } from '../../bench/plan.ts';
import { keyOf } from '../../bench/row.ts';

const names = measurements(() => true, '').flatMap((measurement) => measurement.names.map(keyOf));

describe('rows of the benchmark', () => {
  it('have names of their own', () => {
    expect(new Set(names).size).toBe(names.length);
  });

  it('are measured wherever there is a bar or a goal', () => {
    expect(figures.map(keyOf).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('carry the bar and the goal of their figure', () => {
    const row = withFigures({
      workload: 'ur10e',
      metric: 'operations, inverse dynamics',
      value: 300,
      unit: 'operations',
    });
    expect(row).toMatchObject({ value: 300, bar: 341, goal: 310 });
  });

  it('carry null where others have no number and none was aimed at', () => {
    const row = withFigures({ workload: 'ur10e', metric: 'straight-line inverse dynamics, C', value: 200, unit: 'ns' });
    expect(row).toMatchObject({ bar: null, goal: null });
  });

  it('can be asked for one by one', () => {
    const wanted = 'planar-cc-6: batch / single calls, C';
    const chosen = measurements((name) => keyOf(name) === wanted, '');
    expect(chosen.map((measurement) => measurement.names.map(keyOf))).toEqual([[wanted]]);
  });
});
