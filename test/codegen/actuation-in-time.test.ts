/** Actuation coordinates of bodies that move with the time: their rates know what the time does by itself. */
import { expect, it } from 'vitest';
import { loadRobot } from '../../src/index.ts';

it.each([
  ['a closed form', 'bend-y: (b + sin(w*t))/L'],
  ['sums over points', 'bend-y: "(b*(1 + s/L) + sin(w*t - s/L))/L"'],
] as const)('a tendon in a body that swims has ẏ and ÿ of difference quotients in time: %s', async (_, strain) => {
  const { dynamics } = await loadRobot({
    kanegen: 1,
    name: 'swimmer',
    'body-types': {
      tail: {
        parameters: { L: '0.2 m', R: '10 mm', rho: 1000, w: '3 rad/s' },
        coordinates: { b: { unit: 'rad', limits: [-1, 1] } },
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
        strain: Object.fromEntries([strain.split(': ').map((part) => part.replaceAll('"', ''))]),
      },
    },
    links: [{ name: 'tail', body: 'tail' }],
    actuators: { pull: { tendon: { through: 'tail', route: { x: 'R/2', y: 'R/4' } } } },
  });
  const [b, rate, acceleration] = [0.4, -0.7, 0];
  const at = (t: number): [number, number, number, number] => {
    const [y, yd, ydd0, B] = [0, 0, 0, 0].map(() => new Float64Array(1)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    (dynamics.parameters as unknown as Record<string, number>)['time'] = 0.9 + t;
    const q = b + rate * t + (acceleration * t * t) / 2;
    expect(dynamics.update([q], [rate])).toBe(0);
    expect(dynamics.actuation(y, yd, ydd0, B)).toBe(0);
    return [y[0]!, yd[0]!, ydd0[0]!, B[0]!];
  };
  const h = 1e-3;
  const [, yd, ydd0, B] = at(0);
  const quotient = (of: 0 | 1): number => (8 * (at(h)[of] - at(-h)[of]) - at(2 * h)[of] + at(-2 * h)[of]) / (12 * h);
  expect(quotient(0)).toBeCloseTo(yd, 11);
  expect(quotient(1)).toBeCloseTo(ydd0, 10);
  // The time by itself is most of it.
  expect(Math.abs(yd - B * rate)).toBeGreaterThan(1e-3);
});
