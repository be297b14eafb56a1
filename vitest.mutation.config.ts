/** Tests for mutation testing: the quick ones nearest to the mutated files, nothing built before. */
import { defineConfig } from 'vitest/config';
import { chosenArea } from './scripts/mutation-areas.mjs';

const { tests } = chosenArea();

export default defineConfig({
  test: {
    include: tests.filter((pattern) => !pattern.startsWith('!')),
    exclude: tests.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
    env: { KANEGEN_MUTATION: 'running' },
    testTimeout: 60_000,
    // A run is a fresh worker anyway; its files may share what they import.
    isolate: false,
  },
});
