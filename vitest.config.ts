/**
 * Tests run in two worker processes. Each keeps its modules from one file of tests to the next: loading them anew takes longer than
 * most files, and what modules remember is the same for all. Slow sweeps only with KANEGEN_FULL=1 (npm run test:full).
 */
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { OBJECTS } from './test/run.setup.ts';

/** Files that take long, the longest first: without a memory of earlier runs vitest would go by size, and end with some of these. */
const LONG = [
  'package',
  'generated',
  'verify/reference',
  'simulation/examples',
  'codegen/c',
  'verify/catalogue',
  'codegen/linking',
  'verify/mutants',
  'codegen/assembled/assembled-c',
  'verify/reference-loops',
  'cli/commands',
  'codegen/every-option',
  'codegen/choice',
  'cli/compare',
  'straight/passive-forces',
  'verify/natural-strain',
  'codegen/newton-step',
  'codegen/straight',
  'api/library',
  'straight/written-out',
  'codegen/batch',
  'verify/derivatives',
  'verify/verify',
  'codegen/status-promises',
];

/**
 * Compilers make many small objects that live for a moment: a larger nursery leaves fewer of them to collect twice. And most code
 * of a test runs a few times: machine code of it is made late, as by the command line (`src/cli/start.ts`, with the same caution).
 */
const V8 = [
  '--max-semi-space-size=64',
  ...(Number.parseInt(process.versions.v8, 10) < 14 ? ['--interrupt-budget=1000000'] : []),
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification): number =>
      LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    const long = sorted.filter((file) => placeOf(file) >= 0).sort((a, b) => placeOf(a) - placeOf(b));
    return [...long, ...sorted.filter((file) => placeOf(file) < 0)];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    execArgv: V8,
    isolate: false,
    sequence: { sequencer: LongFirst },
    globalSetup: ['test/run.setup.ts'],
    setupFiles: ['test/random.setup.ts', 'test/full.setup.ts'],
    // Commands from dist/ keep nothing in the cache of the user.
    env: { KANEGEN_OBJECTS: path.resolve(OBJECTS), XDG_CACHE_HOME: path.resolve('node_modules/.cache/xdg') },
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
