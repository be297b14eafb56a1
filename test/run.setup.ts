/** A folder that lasts as long as a run of the tests: what processes of it tell each other (see built-command.ts). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly folderOfRun: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-run-'));
  project.provide('folderOfRun', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
