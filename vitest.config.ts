/**
 * Tests run in two worker processes. Each keeps its modules from one file of tests to the next: loading them anew takes longer than
 * most files, and what modules remember is the same for all. Slow sweeps only with KANEGEN_FULL=1 (npm run test:full).
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    globalSetup: ['test/build.setup.ts'],
    setupFiles: ['test/random.setup.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
