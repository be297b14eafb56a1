/** The rods that a body given by its strain is made of, and how many points integrals along them need. */
import { describe, expect, it } from 'vitest';
import type { BodyType } from '../../src/description/model/robot.ts';
import type { RodVolume } from '../../src/description/model/reference-volume.ts';
import { linePoints } from '../../src/kane/rod-points/line-points.ts';
import { panelEnds } from '../../src/kane/rod-points/rod-points.ts';
import { rodVolumes } from '../../src/kane/rods/rod-section.ts';
import {
  call,
  decimal,
  divide,
  minus,
  plus,
  power,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { L, s } from './bodies.ts';
import { planarAffine } from './rods.ts';

describe('rods of a body', () => {
  const type = planarAffine();
  const own = type.volumes[0] as RodVolume;
  const withVolumes = (...volumes: BodyType['volumes']): BodyType => ({ ...type, volumes });

  it('are all of its volumes, one inside the other', () => {
    const second = { ...own, density: decimal(7) };
    expect(rodVolumes(withVolumes(own, second))).toEqual([own, second]);
  });

  it.each([
    ['another end', { end: times(decimal(2), L) }],
    ['another start', { start: divide(L, decimal(9)) }],
    ['another axis', { axial: symbol('material.z') }],
  ] as [string, Partial<RodVolume>][])('are refused with %s', (_, change) => {
    for (const volumes of [
      [own, { ...own, ...change }],
      [{ ...own, ...change }, own],
    ])
      expect(() => rodVolumes(withVolumes(...volumes))).toThrow(
        expect.objectContaining({ code: 'not-supported', location: type.locations.volume }) as Error,
      );
  });

  it('are refused beside volumes of other kinds, and where there are none', () => {
    const box = { ...own, kind: 'box' } as unknown as BodyType['volumes'][number];
    expect(() => rodVolumes(withVolumes(own, box))).toThrow('rods over the same length');
    expect(() => rodVolumes(withVolumes())).toThrow('rods over the same length');
  });

  it('are cut at breaks within them, in order, each once', () => {
    const at = (part: number): Expr => times(decimal(part), L);
    const breaks = new Map([[s, [at(0.5), at(0.25), at(0.5), zero, L, at(1.5), at(-0.1)]]]);
    expect(panelEnds(type, { ...own, breaks })).toEqual([own.start, at(0.25), at(0.5), own.end]);
  });
});

describe('points along a line', () => {
  const sample = { values: new Map<Expr, number>(), ends: [0, 1] };
  const points = (...integrands: Expr[]): number => linePoints(integrands, s, [sample], 1e-9).points;

  it('are as many as a polynomial needs by the rule of Gauss', () => {
    for (const [degree, count] of [
      [1, 2],
      [3, 2],
      [5, 3],
      [7, 4],
      [15, 8],
    ] as const)
      expect(points(power(s, degree))).toBe(count);
  });

  it('do not depend on the size of integrands', () => {
    const f = call('exp', times(decimal(6), s));
    for (const size of [1e-9, 1e-3, 1e7, -1]) expect(points(times(decimal(size), f))).toBe(points(f));
    // Each by its own: a large one beside a small one hides nothing.
    expect(points(decimal(1e12), f)).toBe(points(f));
  });

  it('are judged by the absolute value where an integral is zero', () => {
    const odd = minus(power(plus(s, decimal(-0.5)), 9), decimal(0));
    const { points: count, error } = linePoints([odd], s, [sample], 1e-9);
    expect(count).toBeLessThan(6);
    expect(error).toBeLessThan(1e-9);
  });

  it('of what is never within the tolerance are the most there are', () => {
    const jump = call('abs', minus(s, decimal(Math.SQRT1_2)));
    const { points: count, error } = linePoints([jump], s, [sample], 1e-13);
    expect(count).toBe(64);
    expect(error).toBeGreaterThan(1e-13);
  });
});
