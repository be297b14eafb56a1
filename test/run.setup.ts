/**
 * A folder that lasts as long as a run of the tests: what processes of it tell each other (see built-command.ts). And the folder of
 * compiled C, which later runs find again (see src/codegen/c/objects.ts): those used last are kept.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly folderOfRun: string;
  }
}

/** Relative to the root of the project. */
export const OBJECTS = 'node_modules/.cache/kanegen-objects';
const MOST_BYTES_OF_OBJECTS = 1e9;

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-run-'));
  project.provide('folderOfRun', folder);
  return () => {
    rmSync(folder, { recursive: true, force: true });
    keepLatest(path.join(project.config.root, OBJECTS), MOST_BYTES_OF_OBJECTS);
  };
}

function keepLatest(folder: string, bytes: number): void {
  mkdirSync(folder, { recursive: true });
  const files = readdirSync(folder).map((name) => {
    const file = path.join(folder, name);
    const { size, mtimeMs } = statSync(file);
    return { file, size, mtimeMs };
  });
  let sum = 0;
  for (const { file, size } of files.sort((a, b) => b.mtimeMs - a.mtimeMs))
    if ((sum += size) > bytes) rmSync(file, { force: true });
}
