/** The scenarios of the examples: those that take seconds are run here, by generated C where it takes the steps, and meet what they expect. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/api/simulation.ts';
import { loadScenario } from '../../src/simulation/scenario/scenario.ts';
import { isInstalled } from '../compilers.ts';

const FOLDER = 'examples/scenarios';
const ENDING = '.scenario.yaml';
const FULL = process.env['KANEGEN_FULL'] === '1';

/** Too slow for every run of the suite; `npm run test:full` runs them but for those that take minutes. */
const SLOW = [
  'arm-loaded',
  'arm-shape-10',
  'arm-shape-16',
  'arm-shape-feedback-10',
  'arm-validation-10',
  'arm-validation-16',
  'arm-validation-48',
  'bar',
  'bases',
  'bases-force',
  'cable-manipulator-statics',
  'cable-manipulator-elements-statics',
  'cable-robot-statics',
  'concentric-tubes',
  'concentric-tubes-snap',
  'growing-rod',
  'hybrid-grasp',
  'magnetised-cantilever',
  'pneumatic-bulges',
  'pneumatic-rod-law',
  'pneumatic-rod-law-full',
  'pneumatic-walls',
  'pneumatic-walls-half',
  'stiff-rod',
  'stiff-rod-generalized-alpha',
  'ten-tendons',
  'tendon-control',
  'tendon-point',
  'tentacle',
  'travelling-bend-motion',
  'travelling-step-motion',
  'two-rods-legendre',
  'two-rods-spatial',
  'ur10e-steer',
  'wind',
];
const verySlow = Object.keys(JSON.parse(readFileSync(path.join(FOLDER, 'slow.json'), 'utf8')) as object);

const all = readdirSync(FOLDER).flatMap((file) => (file.endsWith(ENDING) ? [file.slice(0, -ENDING.length)] : []));
const run = all.filter((name) => !verySlow.includes(name) && (FULL || !SLOW.includes(name)));

describe('scenarios of the examples', () => {
  it.skipIf(!isInstalled('cc')).each(run)('%s meets what it expects (needs cc)', async (name) => {
    const scenario = loadScenario(path.join(FOLDER, `${name}${ENDING}`));
    const inC = !scenario.control && !scenario.phases && !scenario.statics;
    const { comparisons, failure } = await simulate(scenario, { target: inC ? 'c' : 'ts' });
    expect(failure).toBeUndefined();
    expect(comparisons.length).toBeGreaterThan(0);
    expect(comparisons.filter(({ outcome }) => outcome === 'FAILED' || outcome === 'met now')).toEqual([]);
  });

  it('are counted by kind in the README and on the page of the experiments', () => {
    const kinds = all.flatMap((name) => {
      const { expectations } = loadScenario(path.join(FOLDER, `${name}${ENDING}`));
      return expectations.map(({ kind }) => kind);
    });
    const counts = ['independent', 'identity', 'regression', 'paper', 'exact'].map(
      (wanted) => kinds.filter((kind) => kind === wanted).length,
    );
    const told = (file: string, pattern: RegExp): number[] =>
      pattern.exec(readFileSync(file, 'utf8'))!.slice(1).map(Number);
    expect(
      told(
        'README.md',
        /(\d+) entries from\s+independent sources, (\d+) identities [^,]*, (\d+) earlier results [^,]*, (\d+) printed[^,]*, as[^,]*, (\d+) in closed form/,
      ),
    ).toEqual(counts);
    expect(
      told(
        'docs/experiments.md',
        /(\d+) entries `independent`, (\d+) `identity`, (\d+) `regression`, (\d+) `paper` [^,]*, (\d+) `exact`/,
      ),
    ).toEqual(counts);
    expect(kinds).not.toContain(undefined);
  });
});
