/** What all steps do beside their law: limits, integrals, and numbers, gains and states that cannot be used. */
import { describe, expect, it } from 'vitest';
import { KG_NO_STATE, KG_NON_FINITE, KG_OK, KG_OUT_OF_RANGE, type Status } from '../../../src/runtime/driver.ts';
import { arm, soft } from './controlled-robots.ts';
import { inTypeScript, numbers, type Reference } from './controllers-at-work.ts';

describe('a step', () => {
  const at = (y: readonly number[]): Reference => ({ y, yd: numbers(6, 2, 0), ydd: numbers(6, 2, 0) });
  const [q, rest] = [numbers(6, 1), numbers(6, 2, 0)];

  it('keeps to the limits of the inputs', async () => {
    const { status, u } = await inTypeScript(arm, 'track')(q, rest, at(q.map((v) => v + 3)));
    expect(status).toBe(KG_OK);
    u.forEach((value, i) => expect(Math.abs(value)).toBeLessThanOrEqual(arm.robot.actuators[i]!.upper!));
    expect(u[1]).toBe(330);
  });

  it('keeps to its last inputs where a number is not one', async () => {
    const step = inTypeScript(arm, 'hold');
    const { u: before } = await step(q, rest, at(q));
    expect(before.some((value) => Math.abs(value) > 1)).toBe(true);
    for (const wrong of [NaN, Infinity, -Infinity])
      for (const spoil of [0, 1, 2, 3, 4]) {
        const [own, rates, y, yd, ydd] = [q, rest, q, rest, rest].map((v, i) =>
          i === spoil ? [...v.slice(1), wrong] : v,
        );
        const { status, u } = await step(own!, rates!, { y: y!, yd: yd!, ydd: ydd! });
        expect(status).toBe(KG_NON_FINITE);
        expect(u).toEqual(before);
      }
  });

  it('refuses gains and limits that are not numbers', () => {
    const controller = arm.dynamics.controllers.get('ur10e_motors_hold')!;
    for (const [name, value] of Object.entries(controller.createParameters())) {
      const parameters = controller.createParameters();
      if (typeof value === 'number') parameters[name] = NaN;
      else (parameters[name] as Float64Array)[3] = NaN;
      const u = new Float64Array(6);
      expect(controller.step(arm.dynamics, controller.createState(), parameters, q, rest, q, rest, rest, u)).toBe(
        KG_NON_FINITE,
      );
      expect([...u]).toEqual([0, 0, 0, 0, 0, 0]);
    }
  });

  it('refuses gains below zero, a period of nothing, and lower limits above upper ones', () => {
    const controller = arm.dynamics.controllers.get('ur10e_motors_hold')!;
    const status = (change: (parameters: ReturnType<typeof controller.createParameters>) => void): Status => {
      const parameters = controller.createParameters();
      change(parameters);
      const u = new Float64Array(6);
      return controller.step(arm.dynamics, controller.createState(), parameters, q, rest, q, rest, rest, u);
    };
    for (const name of ['kp', 'kd', 'ki'])
      expect(status((p) => ((p[name] as Float64Array)[3] = -2000))).toBe(KG_OUT_OF_RANGE);
    for (const period of [-1, 0]) expect(status((p) => (p['period'] = period))).toBe(KG_OUT_OF_RANGE);
    expect(status((p) => ((p['lower'] as Float64Array)[5] = 400))).toBe(KG_OUT_OF_RANGE);
    expect(status((p) => ((p['upper'] as Float64Array)[0] = -400))).toBe(KG_OUT_OF_RANGE);
    // One value for both is an input that is given, and a gain of nothing leaves its part out.
    const both = (p: ReturnType<typeof controller.createParameters>): void => {
      (p['lower'] as Float64Array)[5] = (p['upper'] as Float64Array)[5] = 3;
      (p['kd'] as Float64Array).fill(0);
    };
    expect(status(both)).toBe(KG_OK);
  });

  it('takes positions of any sign where one is a parameter', () => {
    const controller = arm.dynamics.controllers.get('ur10e_motors_reach')!;
    const parameters = controller.createParameters();
    (parameters['posture'] as Float64Array)[2] = -1.5;
    const y = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.2, 0.4];
    const [state, u] = [controller.createState(), new Float64Array(6)];
    expect(controller.step(arm.dynamics, state, parameters, q, rest, y, rest, rest, u)).toBe(KG_OK);
  });

  it.each(['never was reset', 'has a number in it that is none'])('hands out zeros of a state that %s', (what) => {
    const controller = arm.dynamics.controllers.get('ur10e_motors_hold')!;
    const state = controller.createState();
    if (what === 'never was reset') for (const field of Object.values(state)) field.fill(3.7e5);
    else state['integral']![2] = NaN;
    const u = new Float64Array(6).fill(7);
    expect(controller.step(arm.dynamics, state, controller.createParameters(), q, rest, q, rest, rest, u)).toBe(
      KG_NO_STATE,
    );
    expect([...u]).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('integrals', () => {
  it('grow by period and error, but for those of inputs at their limits, which may shrink', () => {
    const controller = arm.dynamics.controllers.get('ur10e_motors_hold')!;
    const [state, parameters] = [controller.createState(), controller.createParameters()];
    const rest = numbers(6, 0, 0);
    const q = numbers(6, 1, 0.3);
    const step = (y: readonly number[]): Status =>
      controller.step(arm.dynamics, state, parameters, q, rest, y, rest, rest, new Float64Array(6));
    const error = [0.001, -0.002, 0.001, 0.003, -0.001, 0.002];
    step(q.map((v, i) => v + error[i]!));
    step(q.map((v, i) => v + error[i]!));
    error.forEach((e, i) => expect(state['integral']![i]).toBeCloseTo(0.002 * e, 12));
    const before = [...state['integral']!];
    step(q.map((v, i) => v + 2 * error[i]! + (i === 0 ? 2 : 0)));
    expect(state['u']![0]).toBe(330);
    // The input of the first joint is at its limit: what the others add up goes on.
    before.forEach((value, i) =>
      expect(state['integral']![i]).toBeCloseTo(i === 0 ? value : value + 0.002 * error[i]!, 12),
    );
    expect(state['integral']![0]).toBe(before[0]);
    state['integral']![0] = -0.001;
    step(q.map((v, i) => v + (i === 0 ? 0.5 : 0)));
    expect(state['u']![0]).toBe(330);
    expect(state['integral']![0]).toBeCloseTo(-0.001 + 0.001 * 0.5, 12);
  });

  it('of coordinates on which no input at its limit acts are not held where actuators share coordinates', () => {
    const controller = soft.dynamics.controllers.get('soft_sum')!;
    const n = soft.robot.coordinates.length;
    const [state, parameters] = [controller.createState(), controller.createParameters()];
    const q = numbers(n, 1, 0.2);
    const rest = numbers(n, 0, 0);
    const error = numbers(n, 2, 0.01);
    (parameters['lower'] as Float64Array).fill(-1e9);
    (parameters['upper'] as Float64Array).fill(1e9);
    const bounds = (which: number): void => {
      (parameters['lower'] as Float64Array)[which] = (parameters['upper'] as Float64Array)[which] = 1e-4;
    };
    const y = q.map((v, i) => v + error[i]!);
    const u = new Float64Array(3);
    const step = (): Status => controller.step(soft.dynamics, state, parameters, q, rest, y, rest, rest, u);
    expect(step()).toBe(KG_OK);
    error.forEach((e, i) => expect(state['integral']![i]).toBeCloseTo(0.002 * e, 12));
    bounds(soft.robot.actuators.findIndex(({ name }) => name === 'turn'));
    expect(step()).toBe(KG_OK);
    const column = soft.robot.coordinates.findIndex(({ name }) => name.startsWith('column'));
    error.forEach((e, i) => expect(state['integral']![i]).toBeCloseTo((i === column ? 0.002 : 0.004) * e, 12));
  });
});
