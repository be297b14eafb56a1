/** Tests run in two worker processes; slow sweeps only with KANEGEN_FULL=1 (npm run test:full). */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: ['test/build.setup.ts'],
    setupFiles: ['test/random.setup.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
