/** Robots as text and back hold the same. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/description/load.ts';
import { Provenance } from '../../src/description/model/provenance.ts';
import { robotOfText, robotText } from '../../src/description/robot-text.ts';

/** Bodies of every kind, actuators, controllers, loops, contacts, solved strains. */
const VARIED =
  /(planar-cc|tendon-arm|fem-cantilever|learned|lvp|pneumatic|ur10e-motors|octopus|bar|stewart|panda|ten-tendons)\.robot/;

const EXAMPLES = ['examples', 'examples/scenarios', 'examples/mechanisms']
  .flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.robot.yaml'))
      .map((name) => `${folder}/${name}`),
  )
  .filter((file) => process.env['KANEGEN_FULL'] === '1' || VARIED.test(file));

/**
 * The first place at which two values differ. Expressions are the same objects: equal formulas are, in one process. What is one object
 * in the one is one in the other, as links of one body type have it.
 */
function difference(a: unknown, b: unknown, path: string, pairs: Map<object, object>): string | undefined {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null)
    return Object.is(a, b) ? undefined : path;
  if (pairs.has(a)) return pairs.get(a) === b ? undefined : `${path}, shared`;
  pairs.set(a, b);
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return `${path}, kind`;
  if ('id' in a && 'hash' in a && 'kind' in a) return a === b ? undefined : `${path}, formula`;
  if (a instanceof Provenance) return undefined;
  const parts = (value: object): [unknown, unknown][] =>
    value instanceof Map
      ? [...value].flatMap(([key, part], i) => [
          [`key ${i}`, key],
          [i, part],
        ])
      : Object.entries(value);
  const [left, right] = [parts(a), parts(b)];
  if (left.length !== right.length) return `${path}, length`;
  for (const [i, [key, part]] of left.entries()) {
    if (key !== right[i]![0]) return `${path}.${String(key)}`;
    const found = difference(part, right[i]![1], `${path}.${String(key)}`, pairs);
    if (found) return found;
  }
  return undefined;
}

describe('the text of a robot', () => {
  it.each(EXAMPLES)('gives %s back', (file) => {
    const robot = loadRobotFile(file);
    const text = robotText(robot);
    expect(text).toBeDefined();
    expect(difference(robot, robotOfText(text!), 'robot', new Map())).toBeUndefined();
  });

  it('notices what differs', () => {
    const robot = loadRobotFile('examples/planar-cc.robot.yaml');
    const changed = { ...robot, gravity: [0, -0, -9.81] };
    expect(
      difference({ ...robot, gravity: [0, 0, -9.81] }, robotOfText(robotText(changed as never)!), 'robot', new Map()),
    ).toBe('robot.gravity.1');
  });
});
