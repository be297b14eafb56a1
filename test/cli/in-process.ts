/**
 * Commands in the process of the tests, from the sources: many times as fast as a process each. test/package.test.ts runs all of them
 * as users do; what belongs to a process (pipes, signals) has one of its own in the tests that are about it.
 */
import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/main.ts';
import { allowSeconds, DEFAULT_SECONDS } from '../../src/common/work-limit.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What the words after `kanegen` do in a folder. */
export async function runInProcess(folder: string, words: readonly string[]): Promise<Outcome> {
  const [before, exitCode] = [process.cwd(), process.exitCode];
  const said = { out: '', err: '' };
  const keep = (key: keyof typeof said) => (chunk: unknown) => (said[key] += String(chunk)) !== '';
  const out = vi.spyOn(process.stdout, 'write').mockImplementation(keep('out'));
  const err = vi.spyOn(process.stderr, 'write').mockImplementation(keep('err'));
  process.exitCode = undefined;
  process.chdir(folder);
  try {
    await runCommandLine(words);
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    out.mockRestore();
    err.mockRestore();
    process.chdir(before);
    process.exitCode = exitCode;
    // An option may have allowed the whole process another time.
    allowSeconds(DEFAULT_SECONDS);
  }
}
