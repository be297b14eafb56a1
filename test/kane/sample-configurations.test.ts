/** Configurations that numerical decisions are made at: within the limits of coordinates, and out to them. */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import type { DeformableBody } from '../../src/description/model/robot.ts';
import {
  coordinateRanges,
  cornersOf,
  defaultParameters,
  describeRanges,
  sampleConfigurations,
} from '../../src/kane/kinematics/sample-configurations.ts';

const text = `
kanegen: 1
name: sampled
body-types:
  block:
    parameters: { L: 0.2 m, rho: 1000 kg/m^3 }
    coordinates:
      a: { unit: rad }
      b: { unit: m, limits: [-10 mm, 50 mm] }
      c: { default: 0.1 }
    volume: { box: { x: [0, L], y: [0, L/2], z: [0, L/4] }, density: rho }
    position: [x*(1 + a), y + b*x/L, z*(1 + c)]
    distal: none
links: [ { body: block } ]
`;

describe('sample configurations', () => {
  const { type } = loadRobotText(text, 'sampled.yaml').links[0]!.body as DeformableBody;

  it.each([4, 12, 18])('go to either end of the range of every coordinate (%i of them)', (count) => {
    const configurations = sampleConfigurations(coordinateRanges(type, defaultParameters(type)), count);
    expect(configurations).toHaveLength(count);
    expect(configurations[0]).toEqual([0, 0, 0.1]);
    // 1.5 rad and 0.3 to either side, and the limits in metres.
    const ends = [
      [-1.5, 1.5],
      [-0.01, 0.05],
      [-0.2, 0.4],
    ];
    ends.forEach(([low, high], i) => {
      const values = configurations.slice(1).map((q) => q[i]!);
      expect(Math.min(...values)).toBeCloseTo(low!, 14);
      expect(Math.max(...values)).toBeCloseTo(high!, 14);
    });
    // Corners, and beside them none like another.
    const inside = configurations
      .slice(1)
      .filter((q) => q.some((x, i) => Math.abs(x - ends[i]![0]!) > 1e-9 && Math.abs(x - ends[i]![1]!) > 1e-9));
    expect(inside.length).toBeGreaterThanOrEqual(Math.floor((count - 1) / 2));
    expect(new Set(configurations.map(String)).size).toBe(count);
  });

  it('take limits at their word, however far they go', () => {
    const wide = loadRobotText(text.replace('a: { unit: rad }', 'a: { unit: rad, limits: [-25, 30] }'), 'wide.yaml');
    const { type: turned } = wide.links[0]!.body as DeformableBody;
    const ranges = coordinateRanges(turned, defaultParameters(turned));
    expect(ranges[0]).toMatchObject({ low: -25, high: 30, stated: true });
    const values = sampleConfigurations(ranges, 12).map((q) => q[0]!);
    expect([Math.min(...values), Math.max(...values)]).toEqual([-25, 30]);
    expect(describeRanges(ranges)).toBe('a in [-25, 30] rad, b in [-0.01, 0.05] m, c in [-0.2, 0.4] (assumed)');
  });

  it('of two and three coordinates are at all corners', () => {
    expect(cornersOf(1, 9)).toEqual([[1], [0]]);
    for (const dimension of [2, 3]) {
      const corners = cornersOf(dimension, 9);
      expect(new Set(corners.map(String)).size).toBe(2 ** dimension);
      expect(corners).toHaveLength(2 ** dimension);
    }
  });

  it.each([4, 6, 9])(
    'of %i coordinates meet any two of them in all four ways at two corners for each and four more',
    (dimension) => {
      const corners = cornersOf(dimension, 2 * dimension + 4);
      for (let i = 0; i < dimension; i++)
        for (let j = 0; j < i; j++) expect(new Set(corners.map((c) => `${c[i]}${c[j]}`)).size).toBe(4);
    },
  );

  it('are the default one alone where no more is asked for', () => {
    expect(sampleConfigurations(coordinateRanges(type, defaultParameters(type)), 1)).toEqual([[0, 0, 0.1]]);
    expect(sampleConfigurations(coordinateRanges(type, defaultParameters(type)), 2)).toHaveLength(2);
  });
});
