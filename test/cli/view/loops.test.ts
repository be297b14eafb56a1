/** A closed chain that is looked at: it begins closed, and what a slider moves takes the rest along. */
import { beforeAll, expect, it } from 'vitest';
import { NotNow } from '../../../src/cli/view/not-now.ts';
import { ViewedRobot } from '../../../src/cli/view/viewed-robot.ts';
import { load } from '../../../src/index.ts';
import type { Description } from '../../../src/report/viewer/live-messages.ts';

let view: ViewedRobot;
let shown: Description;
beforeAll(async () => {
  view = new ViewedRobot(await load('examples/mechanisms/four-bar.robot.yaml'));
  shown = view.answer({ ask: 'robot' });
  await view.compile();
});

const acting = { inputs: [], parameters: [], gravity: [0, -9.81, 0] } as const;

/** Between the ends of coupler and rocker, by hand, m. */
function gap([crank = 0, coupler = 0, rocker = 0]: readonly number[]): number {
  const x = 0.15 * Math.cos(crank) + 0.45 * Math.cos(crank + coupler) - 0.5 - 0.35 * Math.cos(rocker);
  const y = 0.15 * Math.sin(crank) + 0.45 * Math.sin(crank + coupler) - 0.35 * Math.sin(rocker);
  return Math.hypot(x, y);
}

it('begins in the state that has a name', () => {
  expect(shown.states.map(({ name }) => name)).toEqual(['start']);
  const q = shown.coordinates.map(({ value }) => value);
  expect(q).toEqual(shown.states[0]!.q);
  expect(gap(q)).toBeLessThan(1e-9);
});

it('stays closed while a coordinate is moved', () => {
  const [, ...others] = shown.states[0]!.q;
  const { q } = view.answer({ ask: 'place', q: [1.4, ...others], held: [0], ...acting });
  expect(q[0]).toBe(1.4);
  expect(gap([1.4, ...others])).toBeGreaterThan(0.05);
  expect(gap(q)).toBeLessThan(1e-9);
});

it('says where it does not close', () => {
  // Crank and rocker point away from each other.
  const place = (): unknown => view.answer({ ask: 'place', q: [Math.PI, 0, 0], held: [0, 2], ...acting });
  expect(place).toThrow(NotNow);
  expect(place).toThrow(/open are `pin/);
});
