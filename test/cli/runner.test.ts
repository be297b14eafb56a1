/** What goes wrong in the thread of a run reaches the user like anything else: place, what is wrong, what to write instead. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Runner } from '../../src/cli/runs/runner.ts';
import { packed, unpacked } from '../../src/cli/runs/thread-error.ts';
import { reportFailure } from '../../src/cli/terminal/failure.ts';
import { KanegenError } from '../../src/common/error.ts';
import { loadScenario } from '../../src/simulation/scenario/scenario.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-runner-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What `work` throws. */
async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function reported(error: unknown): { readonly code: number; readonly text: string } {
  let text = '';
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => (text += String(chunk)) !== '');
  try {
    return { code: reportFailure(error), text };
  } finally {
    write.mockRestore();
  }
}

it('errors of the user keep place and remedy on their way from a thread, all of them', async () => {
  const file = path.join(folder, 'bad.scenario.yaml');
  writeFileSync(file, 'kanegen-scenario: 1\nrobot: swing.robot.yaml\nduraton: 1 s\noutputs: { evry: 1 s }\n');
  const due = await failureOf(() => loadScenario(file));
  expect(due).toBeInstanceOf(KanegenError);
  expect((due as KanegenError).problems.length).toBeGreaterThan(1);
  const runner = new Runner(file);
  try {
    const found = await failureOf(() => runner.run({}));
    expect(found).toBeInstanceOf(KanegenError);
    expect(reported(found)).toEqual({ code: 1, text: reported(due).text });
    expect(reported(found).text).toMatch(/bad\.scenario\.yaml:3:1: /);
    expect(reported(found).text).not.toContain('bug in kanegen');
  } finally {
    await runner.close();
  }
});

it('other errors keep their message and their trace, which is shown on demand only', () => {
  const error = unpacked(structuredClone(packed(new RangeError('out of bounds'))));
  expect(error).not.toBeInstanceOf(KanegenError);
  expect(error.stack).toContain('runner.test.ts');
  const { text } = reported(error);
  expect(text).toMatch(/^internal error: out of bounds\n/);
  expect(text).toContain('bug in kanegen');
  expect(text).not.toContain('runner.test.ts');
});
