/** The mechanisms of the examples keep their loops, and meet solutions that were made for them without kanegen. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/api/simulation.ts';
import { loadScenario } from '../../src/simulation/scenario/scenario.ts';

const FOLDER = 'examples/mechanisms';
const ENDING = '.scenario.yaml';
const mechanisms = readdirSync(FOLDER).flatMap((file) =>
  file.endsWith(ENDING) ? [file.slice(0, -ENDING.length)] : [],
);

describe('mechanisms of the examples', () => {
  it.each(mechanisms)('%s meets what it expects', async (name) => {
    const { comparisons, failure } = await simulate(loadScenario(path.join(FOLDER, `${name}${ENDING}`)), {
      target: 'ts',
    });
    expect(failure).toBeUndefined();
    expect(comparisons.length).toBeGreaterThan(0);
    expect(comparisons.filter(({ outcome }) => outcome === 'FAILED' || outcome === 'met now')).toEqual([]);
  });
});
