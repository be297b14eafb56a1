/** Mutation testing with Stryker, one area at a time (scripts/mutation-areas.mjs). */
import { chosenArea } from './scripts/mutation-areas.mjs';

const { name, mutate } = chosenArea();

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate,
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // What is computed when a module is loaded would need a new process per mutant.
  ignoreStatic: true,
  // Texts of messages and names are data.
  mutator: { excludedMutations: ['StringLiteral'] },
  concurrency: 1,
  incremental: true,
  incrementalFile: `reports/mutation/${name}.json`,
  tempDirName: `.stryker-tmp/${name}`,
  ignorePatterns: ['generated', 'dist', 'reports', 'demo-output', 'bench', '.stryker-tmp'],
  reporters: ['clear-text', 'html'],
  htmlReporter: { fileName: `reports/mutation/${name}.html` },
  clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: true },
  thresholds: { high: 95, low: 85, break: 85 },
  timeoutMS: 20_000,
};
