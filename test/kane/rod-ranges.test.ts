/** Assumed ranges of coordinates of rods by strain, of those that act in a small part of the rod as well. */
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import type { DeformableBody, StrainKinematics } from '../../src/description/model/robot.ts';
import type { RodVolume } from '../../src/description/model/reference-volume.ts';
import { rodRanges } from '../../src/kane/rod-points/rod-ranges.ts';
import { defaultParameters, type CoordinateRange } from '../../src/kane/kinematics/sample-configurations.ts';

function rangesOf(coordinates: object, strain: object, from = '0', to = 'L'): CoordinateRange[] {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'ranged',
    'body-types': {
      rod: {
        parameters: { L: 0.2, R: 0.01, rho: 1000 },
        coordinates,
        volume: { rod: { s: [from, to] }, section: { disc: 'R' }, density: 'rho' },
        strain,
      },
    },
    links: [{ body: 'rod' }],
  });
  const { type } = robot.links[0]!.body as DeformableBody;
  const symbols = { q: type.coordinates.map(({ symbol }) => symbol) };
  const kinematics = type.kinematics as StrainKinematics;
  return rodRanges(
    { type, volume: type.volumes[0] as RodVolume, strain: kinematics, symbols },
    defaultParameters(type),
  );
}

const basis = (name: string, count: number, strain: string, unit: string, scale: string): CoordinateRange[] =>
  rangesOf({ f: { count, unit } }, { [strain]: { basis: name, coordinates: 'f', scale } });

/**
 * Of 101 places one is within 1/202 of the top: a hat of half-width 1/39 has 0.81 of its height there, the function of an end of a cubic
 * element of a tenth of the rod, which falls by 5.5 − 9 ξ + 4.5 ξ², 0.749.
 */
const BESIDE_TOP = { linear: 1.24, cubic: 1.34, legendre: 1 };

describe('assumed ranges of coordinates of a rod by strain', () => {
  it('are half a turn of the rod, or a strain of a fifth, by each alone', () => {
    expect(rangesOf({ b: { unit: 'rad' } }, { 'bend-y': 'b/L' })[0]!.high).toBeCloseTo(Math.PI, 12);
    expect(rangesOf({ e: { unit: 'm' } }, { stretch: 'e/L' })[0]!.high).toBeCloseTo(0.04, 12);
  });

  it('do not depend on where the rod begins', () => {
    const growing = rangesOf({ b: { unit: 'rad' } }, { 'bend-y': 'b*s/L^2' })[0]!;
    const moved = rangesOf({ b: { unit: 'rad' } }, { 'bend-y': 'b*(s - L)/L^2' }, 'L', '2*L')[0]!;
    expect(growing.high).toBeGreaterThan(Math.PI);
    expect(moved.high).toBeCloseTo(growing.high, 12);
  });

  it.each([
    ['cubic', 31],
    ['linear', 40],
    ['legendre', 6],
  ] as const)('of %s functions (%i) are no more than ten times that, wherever they act', (name, count) => {
    for (const { low, high, stated } of basis(name, count, 'bend-y', 'rad', '1/L')) {
      expect(stated).toBe(false);
      expect(low).toBe(-high);
      expect(high).toBeGreaterThanOrEqual(Math.PI * 0.99);
      expect(high).toBeLessThan(10 * Math.PI * BESIDE_TOP[name]);
    }
  });

  it('of stretches that act between the places of a coarse grid are no more than twice the largest strain', () => {
    for (const { high } of basis('linear', 40, 'stretch', 'm', '1/L'))
      expect(high).toBeLessThan(2 * 0.04 * BESIDE_TOP.linear);
  });
});
