/** What `explain` says of the price of accuracy. */
import { expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { explainRobot } from '../../src/report/explain.ts';

it('shows for the rules that were tried what they cost and for which tolerance they would do', () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'rod',
    'body-types': {
      rod: {
        parameters: { L: '0.2 m', R: '20 mm' },
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 1000 },
        coordinates: { q: { count: 2, unit: 'rad' } },
        strain: { 'bend-y': '(q1 + q2*s/L)/L' },
      },
    },
    links: [{ body: 'rod' }],
  });
  const [body] = explainRobot(robot).bodies;
  const way = body!.ways.find(({ chosen }) => chosen)!;
  const { trials } = way;
  expect(trials.length).toBeGreaterThan(1);
  expect(trials.map(({ points }) => points)).toEqual(trials.map(({ points }) => points).sort((a, b) => a - b));
  const taken = trials.find(({ error }) => error === way.error)!;
  expect(taken.operations).toBe(way.operations);
  expect(taken.tolerance).toBeLessThanOrEqual(1e-8);
  for (const [i, { operations, error, tolerance }] of trials.entries()) {
    if (i > 0) expect(operations).toBeGreaterThan(trials[i - 1]!.operations!);
    expect(tolerance).toBeGreaterThanOrEqual(error);
    expect(tolerance).toBeLessThan(10.001 * error);
  }
});
