/** Names of columns with units: what they are multiplied by, and what is wrong with them. */
import { describe, expect, it } from 'vitest';
import {
  columnName,
  inSI,
  missingColumnRemedy,
  unreadUnit,
  wrongUnit,
} from '../../src/description/values/column-name.ts';
import { parseUnit } from '../../src/description/values/units.ts';

describe('columns', () => {
  it('are told by their names, in SI units', () => {
    expect(columnName('tip x')).toEqual({ name: 'tip x', size: 1 });
    expect(columnName('arm.angle [1]').name).toBe('arm.angle');
    expect(columnName('a[3]')).toMatchObject({ name: 'a[3]', size: 1 });
    const angle = columnName('a [deg]');
    expect(inSI(angle, 90)).toBeCloseTo(Math.PI / 2, 15);
    // As decimals are written: 700 × 0.001 is another double.
    expect([700, 1900, 35].map((t) => inSI(columnName('t [ms]'), t))).toEqual([0.7, 1.9, 0.035]);
    expect(inSI(columnName('x [km]'), 0.3)).toBe(300);
  });

  it('have units of what they hold', () => {
    const due = (unit: string) => parseUnit(unit).dimension;
    expect(wrongUnit(columnName('a [deg/s]'), due('rad/s'))).toBeUndefined();
    expect(wrongUnit(columnName('a'), due('N m'))).toBeUndefined();
    expect(wrongUnit(columnName('a [mN]'), due('N m'))).toMatchObject({
      message: 'the unit of `a` is that of a force (N), not of an energy or a moment (J, N m)',
    });
    expect(wrongUnit(columnName('a [mm]'), due('rad'))?.remedy).toContain('`[deg]`');
  });

  it('that are missing are told apart from those that are misspelt', () => {
    const remedy = (header: string, taken: readonly string[] = []) =>
      missingColumnRemedy('arm.b', header.split(','), taken);
    expect(remedy('')).toContain('line of names');
    expect(remedy('t;arm.a;arm.b')).toContain('commas');
    expect(remedy('t\tarm.b')).toContain('commas');
    expect(remedy('0,1.5,-2e3')).toBe('write a line of names above the numbers');
    expect(remedy('t,arm.b [degree Celsius]')).toMatch(
      /^`degree Celsius` of .* is not a unit: .* `arm\.b` for numbers in SI units$/,
    );
    expect(remedy('t,arm.a [deg]')).toBe('did you mean `arm.a`?');
    expect(remedy('t,arm.a [deg]', ['t', 'arm.a'])).toBe('its columns are t, arm.a');
    expect(unreadUnit('m [kg]', ['m'])).toBeUndefined();
  });
});
