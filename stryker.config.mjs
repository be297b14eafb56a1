/** Mutation testing with Stryker, one area at a time (scripts/mutation-areas.mjs). */
import { chosenArea } from './scripts/mutation-areas.mjs';

const { name, mutate } = chosenArea();
/** With `--sample`: where the result goes. Half a sample must not stand as the result of an area. */
const report = process.env.KANEGEN_MUTATION_REPORT;
const sample = {
  plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation-sample.mjs'],
  checkers: ['sample'],
  incremental: false,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: report },
  thresholds: { break: null },
};

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
  ...(report && sample),
};
