/** Places of material points in self-tests: within the body, whatever its section. */
import { expect, it } from 'vitest';
import { middlesOf } from '../../src/codegen/modules/material-places.ts';
import { loadRobotObject } from '../../src/description/load.ts';

const placeIn = (section: object): readonly number[] =>
  middlesOf(
    loadRobotObject({
      kanegen: 1,
      name: 'rod',
      'body-types': {
        rod: {
          parameters: { L: '0.4 m', a: '20 mm', b: '30 mm', rho: '1000 kg/m^3' },
          coordinates: { q: { unit: 'rad' } },
          volume: { rod: { s: ['L/4', 'L'] }, section, density: 'rho' },
          strain: { 'bend-y': 'q/L' },
        },
      },
      links: [{ name: 'rod', body: 'rod' }],
    }),
  )[0]!;

it.each([
  [{ annulus: ['a', 'b'], polar: ['r', 'phi'] }, [0.025, 1]],
  [{ annulus: ['a', 'b'], cartesian: ['x', 'y'] }, [0.025, 0]],
  [{ disc: 'b*s/L', cartesian: ['x', 'y'] }, [0.009375, 0]],
  [{ disc: 'b', polar: ['r', 'phi'] }, [0.015, 1]],
  [{ ellipse: ['a', 'b'], polar: ['r', 'phi'] }, [0.5, 1]],
  [{ rectangle: ['a', 'b'], cartesian: ['x', 'y'] }, [0.005, 0.0075]],
])('%j', (section, expected) => {
  const place = placeIn(section);
  [...expected, 0.25].forEach((value, i) => expect(place[i]).toBeCloseTo(value, 12));
});
