/** `kanegen evaluate` prints finite numbers or says why there are none. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInstalled } from '../compilers.ts';
import { runInProcess, type Outcome } from './in-process.ts';

const robot = path.resolve('examples/two-link.robot.yaml');
let directory = '';
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'kanegen-undefined-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function evaluate(state: object, ...options: readonly string[]): Promise<Outcome> {
  const states = [{ q: [0, 0], qd: [0, 0], qdd: [0, 0] }, state];
  writeFileSync(path.join(directory, 's.json'), JSON.stringify({ states }));
  return runInProcess(directory, ['evaluate', robot, '--states', 's.json', ...options]);
}

describe('kanegen evaluate', () => {
  const fast = { q: [0, 1], qd: [1e200, 1e200], qdd: [0, 0] };

  it('names the state and the quantity that overflows, and prints nothing', async () => {
    const { code, out, err } = await evaluate(fast);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/s\.json: state 1: c\[0\] is not a finite number: the formulas overflow or have a pole/);
  });

  it.skipIf(!isInstalled('cc'))(
    'says the same of C, and which number is beyond float (needs a C compiler)',
    async () => {
      expect((await evaluate(fast, '--target', 'c')).err).toContain('state 1: c[0] is not a finite number');
      const { code, err } = await evaluate({ ...fast, qd: [0, 1e200] }, '--target', 'c', '--precision', 'single');
      expect(code).toBe(1);
      expect(err).toContain('state 1: qd[1] (elbow.angle) is beyond the range of float');
    },
  );

  it('refuses a run-time parameter outside its bounds', async () => {
    const { code, out, err } = await evaluate({ ...fast, qd: [0, 0] }, '--set', 'load=-1 kg');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('-1 is below the minimum 0');
  });
});
