/** Scenarios of equilibria: what acts, where the search begins, what is expected, and that there may be none. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/api/simulation.ts';
import { KanegenError } from '../../src/common/error.ts';
import { loadScenarioText, type Scenario } from '../../src/simulation/scenario/scenario.ts';
import type { Run } from '../../src/simulation/run/simulate.ts';

const [MASS, LENGTH, G, STIFFNESS] = [0.5, 0.3, 9.81, 8];
const ROBOT = `
kanegen: 1
name: cart
gravity: [0, 0, -${G}]
links:
  - { name: cart, joint: { prismatic: x, stiffness: ${STIFFNESS} N/m }, rigid: { mass: 2 kg } }
  - { name: arm, joint: { revolute: y }, rigid: { mass: ${MASS} kg, com: [0, 0, -${LENGTH}], inertia: { yy: 0.01 } } }
actuators: { push: { motor: cart.displacement }, turn: { motor: arm.angle } }
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-equilibria-'));
  writeFileSync(path.join(folder, 'cart.robot.yaml'), ROBOT);
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (text: string): Scenario =>
  loadScenarioText(`kanegen-scenario: 1\nrobot: cart.robot.yaml\nstatics: true\n${text}`, path.join(folder, 'a.yaml'));
const run = (text: string): Promise<Run> => simulate(read(text));

function mistakes(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof KanegenError)
      return error.problems.map(({ location, message }) => `${location?.line}: ${message}`);
    throw error;
  }
  return [];
}

describe('scenarios of equilibria', () => {
  it('have the coordinates at which springs and gravity balance inputs, forces and loads at the start', async () => {
    const { samples, comparisons, failure } = await run(`
start: 2 s
inputs: { push: 0.5*t }
forces: { arm.angle: 0.2*t }
loads: { cart: { force: [0.3*t, 0, 0] } }
expect:
  - coordinates: { cart.displacement: ${(1 + 0.6) / STIFFNESS}, arm.angle: asin(0.4/${MASS * G * LENGTH}) }
    actuators: { push: ${(1 + 0.6) / STIFFNESS} }
    within: 1e-12
    source: by hand
`);
    expect(failure).toBeUndefined();
    expect(comparisons.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
    expect(samples).toHaveLength(1);
    expect(samples[0]).toMatchObject({ t: 2, qd: [0, 0], u: [1, 0] });
    expect(samples[0]!.energy.elastic).toBeCloseTo(0.2 ** 2 * 4, 12);
  });

  it('begin the search at the initial coordinates: an arm may stand', async () => {
    const { samples } = await run('initial: { coordinates: { arm.angle: 3 } }');
    expect(samples[0]!.q[1]).toBeCloseTo(Math.PI, 12);
  });

  it('fail where there is none, unless that is expected', async () => {
    const overloaded = `inputs: { turn: ${1.1 * MASS * G * LENGTH} }\n`;
    const { failure, samples } = await run(overloaded);
    expect(samples).toEqual([]);
    expect(failure?.message).toBe('no equilibrium: nothing balances the forces on arm.angle');
    const none = 'expect: [{ equilibrium: none, source: by hand, kind: exact }]';
    const expected = await run(overloaded + none);
    expect(expected.failure).toBeUndefined();
    expect(expected.comparisons).toMatchObject([{ outcome: 'ok', found: 0 }]);
    expect((await run(none)).comparisons).toMatchObject([{ outcome: 'FAILED', found: 1 }]);
    const mixed = await run(
      `${overloaded}expect: [{ equilibrium: none, source: a }, { coordinates: { arm.angle: 1 }, within: 1, source: b }]`,
    );
    expect(mixed.failure).toBeDefined();
  });

  it('refuse what only motions have, and expectations that make no sense', () => {
    expect(mistakes('duration: 1 s\nintegrator: { method: rosenbrock }')).toEqual([
      '4: `duration` is for motions',
      '5: `integrator` is for motions',
    ]);
    expect(mistakes('expect: [{ rates: { arm.angle: 0 }, within: 1, source: a }]')).toEqual([
      '4: `rates` is for motions',
    ]);
    expect(mistakes('expect: [{ coordinates: { arm.angle: 1 }, source: a }]')).toEqual(['4: missing `within`']);
    expect(mistakes('expect: [{ equilibrium: none, coordinates: { arm.angle: 1 }, source: a }]')).toEqual([
      '4: without an equilibrium there are no values',
    ]);
  });

  it('are found in TypeScript', async () => {
    await expect(simulate(read(''), { target: 'c' })).rejects.toThrow('equilibria are found in TypeScript');
  });
});
