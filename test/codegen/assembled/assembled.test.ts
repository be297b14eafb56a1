/** Robots put together of link modules at run time do what the robots compiled whole do. */
import { beforeAll, describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../../src/codegen/typescript/load.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import { assemble, FUNCTIONS, outputsOf, ROBOTS, type Assembled } from './assembled-robots.ts';

export function expectEqual(found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  const scale = Math.max(1e-3, ...expected.map(Math.abs));
  found.forEach((x, i) => expect(Math.abs(x - expected[i]!) / scale).toBeLessThanOrEqual(1e-14));
}

describe.each(ROBOTS)('a robot of modules: %s', (_, load) => {
  let assembled: Assembled;
  let whole: LoadedRobot;
  beforeAll(async () => {
    const robot = load();
    const compiled = compileRobot(robot);
    assembled = await assemble(robot, compiled);
    whole = (await loadGenerated(await generateTypeScript(robot, compiled)))();
  });

  it.each(FUNCTIONS)('%s', (name) => {
    for (const state of [0, 1]) {
      const found = outputsOf(assembled, name, state);
      expect(found[0]).toBe(0);
      expectEqual(found, outputsOf(whole, name, state));
    }
  });
});
