/**
 * Tests run in two worker processes. Each keeps its modules from one file of tests to the next: loading them anew takes longer than
 * most files, and what modules remember is the same for all. Slow sweeps only with KANEGEN_FULL=1 (npm run test:full).
 */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files that take long: without a memory of earlier runs vitest would begin with the largest files, and end with these. */
const LONG = [
  'fuzz/robot-files',
  'straight/recursion',
  'straight/written-out',
  'verify/time',
  'verify/water',
  'verify/point-body',
  'verify/reference-actuators',
  'verify/reference-water',
  'simulation/run-in-c',
  'codegen/force-matrices',
  'codegen/every-option',
  'codegen/line-lengths',
  'codegen/optimise/gate',
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
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONG.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
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
    setupFiles: ['test/random.setup.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
