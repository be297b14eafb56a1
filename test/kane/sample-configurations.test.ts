/** Configurations that numerical decisions are made at: within the limits of coordinates, and out to them. */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import type { DeformableBody } from '../../src/description/robot.ts';
import { defaultParameters, sampleConfigurations } from '../../src/kane/sample-configurations.ts';

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
    const configurations = sampleConfigurations(type, defaultParameters(type), count);
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
      expect(new Set(values).size).toBe(count - 1);
    });
  });

  it('are the default one alone where no more is asked for', () => {
    expect(sampleConfigurations(type, defaultParameters(type), 1)).toEqual([[0, 0, 0.1]]);
    expect(sampleConfigurations(type, defaultParameters(type), 2)).toHaveLength(2);
  });
});
