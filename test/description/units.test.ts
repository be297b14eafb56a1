import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { fraction, integer, pi, scale, times } from '../../src/symbolic/graph/expr.ts';
import { ratio } from '../../src/symbolic/graph/rational.ts';
import { dimensionText, parseQuantity, parseUnit } from '../../src/description/values/units.ts';

describe('quantities', () => {
  it('scale by exact rationals: 2.1 g m^2 is 21/10000 kg m^2', () => {
    expect(parseQuantity('2.1 g m^2')!.value).toBe(fraction(21, 10000));
    expect(parseQuantity('0.1 mm')!.value).toBe(fraction(1, 10000));
    expect(parseQuantity('1.06 MPa')!.value).toBe(integer(1_060_000));
    expect(parseQuantity('1 g/cm^3')!.value).toBe(integer(1000));
    expect(parseQuantity('36 km/h')!.value).toBe(integer(10));
    expect(parseQuantity('1 in')!.value).toBe(fraction(254, 10000));
    expect(parseQuantity('-2 bar')!.value).toBe(integer(-200_000));
    expect(parseQuantity('5 N m/rad')!.value).toBe(integer(5));
    expect(parseQuantity('3 kg m^-3')!.value).toBe(integer(3));
    expect(parseQuantity('3 1/m')!.value).toBe(integer(3));
  });

  it('keep angles exact: 90 deg is pi/2, 1 rev/min is pi/30 per second', () => {
    expect(parseQuantity('90 deg')!.value).toBe(scale(ratio(1n, 2n), pi));
    expect(parseQuantity('1 rev/min')!.value).toBe(scale(ratio(1n, 30n), pi));
    expect(evaluate([parseQuantity('1 1/deg')!.value])[0]).toBeCloseTo(180 / Math.PI, 12);
    expect(parseQuantity('1 deg^2')!.value).toBe(times(fraction(1, 32400), pi, pi));
  });

  it('say in which SI unit they are and of which dimension', () => {
    expect(parseQuantity('5 g/cm^3')!.unit).toMatchObject({ si: 'kg/m^3', coherent: false });
    expect(dimensionText(parseUnit('kN/mm').dimension)).toBe('kg/s^2');
    expect(dimensionText(parseUnit('N m/(kg m^2)').dimension)).toBe('1/s^2');
    expect(parseUnit('rad/s')).toMatchObject({ si: 'rad/s', coherent: true });
    expect(parseUnit('N m').si).toBe('N m');
  });

  it('without a unit are bare numbers', () => {
    expect(parseQuantity(' 0.25 ')).toEqual({ value: fraction(1, 4), unit: undefined });
  });

  it('are not formulas: number before a name that is no unit, signs, calls', () => {
    for (const text of ['2 L', '2 cos(q)', '2 m*g', '2*m', '1/2', 'L', '2 pi', '3 + 4', '-x'])
      expect(parseQuantity(text), text).toBeUndefined();
  });
});

describe('wrong units', () => {
  const problem = (text: string): KanegenError => {
    try {
      parseQuantity(text);
    } catch (error) {
      if (error instanceof KanegenError) return error;
      throw error;
    }
    throw new Error(`no error for ${text}`);
  };

  it('are reported at their character, with the likely one', () => {
    expect(problem('3 kg/mn^3')).toMatchObject({ code: 'unknown-unit', offset: 5 });
    expect(problem('5 Nm')).toMatchObject({ code: 'unknown-unit', remedy: 'did you mean `N m`?' });
    expect(problem('5 rev/minn').remedy).toBe('did you mean `min`?');
  });

  it('that can be read in two ways are refused', () => {
    expect(problem('1 kg/m s')).toMatchObject({ code: 'malformed-unit', remedy: 'write kg/(m s) or kg/m/s' });
    expect(problem('9.81 m/s2').code).toBe('malformed-unit');
    expect(problem('9.81 m/(s').code).toBe('malformed-unit');
  });

  it('nested without end are refused, not followed', () => {
    const nested = `${'('.repeat(5000)}m${')'.repeat(5000)}`;
    expect(() => parseUnit(nested)).toThrow(/nested more than 20 deep/);
    expect(parseUnit('((m))').si).toBe('m');
  });

  it('numbers outside double precision are refused', () => {
    expect(problem('1e999 m').code).toBe('number-out-of-range');
  });
});
