import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const module = (file: string): string => JSON.stringify(path.resolve('src/cli/terminal', file));

/** Standard error of a process that computes for two seconds, without a pause, after it said what it is at. */
async function said(before = ''): Promise<string> {
  const script = `
    import { Progress } from ${module('progress.ts')};
    import { setQuiet } from ${module('terminal.ts')};
    ${before}
    const progress = new Progress(0.25);
    const compute = (until) => { while (performance.now() < until); };
    progress.show('compiling\\u001b[2J');
    compute(performance.now() + 2000);
    progress.clear();
    compute(performance.now() + 500);`;
  const { stderr } = await promisify(execFile)(process.execPath, [
    ...['--import', 'tsx', '--input-type', 'module', '--eval', script],
  ]);
  return stderr;
}

describe('progress where standard error is no terminal', () => {
  it('is a line from time to time, while the process computes', async () => {
    const lines = (await said()).split('\n');
    expect(lines[0]).toMatch(/^compiling\S* …, 0\.25 s$/);
    expect(lines[0]).not.toContain('\u001b');
    expect(lines.length).toBeLessThanOrEqual(10);
  });

  it('is left out where remarks are', async () => {
    expect(await said('setQuiet(true);')).toBe('');
  });
});
