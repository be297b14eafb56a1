/** Calls of the library say what is wrong with options that JavaScript gives. */
import { describe, expect, it } from 'vitest';
import {
  buildEvaluator,
  compileLagrange,
  compileRegressor,
  compileRobot,
  compileStraight,
  identifiableRobot,
  identify,
  loadRobot,
  verifyRobot,
  type KanegenError,
} from '../../src/index.ts';

const LINK = { joint: { revolute: 'y' }, rigid: { mass: 1, com: [0.1, 0, 0] } };
const DATA = { q: [[0]], qd: [[0]], qdd: [[0]], tau: [[0]] };

describe('options that are none', () => {
  it.each([
    [null, 'null'],
    [5, 'a number'],
    ['all', 'a string'],
    [[], 'a list'],
  ])('are refused by every call: %j', async (given, name) => {
    const { robot, dynamics } = await loadRobot({ kanegen: 1, name: 'one', links: [LINK] });
    const none = given as never;
    const compiled = compileRobot(robot);
    const calls: Readonly<Record<string, () => unknown>> = {
      compileRobot: () => compileRobot(robot, none),
      compileStraight: () => compileStraight(robot, none),
      compileLagrange: () => compileLagrange(robot, none),
      buildEvaluator: () => buildEvaluator(robot, compiled, none),
      verifyRobot: () => verifyRobot(robot, dynamics, none),
      identifiableRobot: () => identifiableRobot(robot, none),
      compileRegressor: () => compileRegressor(robot, none),
      'identify, choice': () => identify(robot, DATA as never, none),
      'identify, settings': () => identify(robot, DATA as never, { inertial: true }, none),
    };
    const said = await Promise.all(Object.entries(calls).map(async ([call, of]) => [call, await errorOf(of)] as const));
    for (const [call, { name: kind, code, message }] of said) {
      expect(kind, call).toBe('KanegenError');
      expect(code, call).toBe('wrong-shape');
      expect(message, call).toContain(`are an object, not ${name}`);
    }
  });
});

async function errorOf(work: () => unknown): Promise<KanegenError> {
  try {
    await work();
  } catch (error) {
    return error as KanegenError;
  }
  throw new Error('nothing was thrown');
}
