/** The programs of docs/python.md are programs; with KANEGEN_FULL=1 they run, and end as they say. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../cli/in-process.ts';
import { isInstalled } from '../../compilers.ts';

const page = readFileSync(new URL('../../../docs/python.md', import.meta.url), 'utf8');
const programs = new Map(
  [...page.matchAll(/```python\n(# (\w+)\.py:[\s\S]*?)```/g)].map(([, text, name]) => [name!, text!]),
);
const isFull = process.env['KANEGEN_FULL'] === '1';
const has = (interpreter: string, modules: string): boolean =>
  spawnSync(interpreter, ['-c', `import ${modules}`]).status === 0;

it.skipIf(!isInstalled('python3'))('are three, in the language (needs python3)', () => {
  expect([...programs.keys()]).toEqual(['statics', 'policy', 'identify']);
  for (const text of programs.values())
    execFileSync('python3', ['-c', 'import sys; compile(sys.stdin.read(), "program", "exec")'], { input: text });
});

describe.runIf(isFull)('they', () => {
  const interpreter = ['python3', '/usr/bin/python3'].find((own) => has(own, 'numpy, torch'));
  const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-python-programs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.skipIf(interpreter === undefined || !isInstalled('gcc'))(
    'run (needs NumPy, PyTorch, gcc)',
    async () => {
      await runInProcess(folder, ['init', 'arm', '--kind', 'tendon-arm']);
      const made = await runInProcess(folder, ['compile', 'arm.robot.yaml', '--target', 'python', '--derivatives']);
      expect(made.code, made.err).toBe(0);
      const root = path.join(folder, 'generated/arm/python');
      const env = { ...process.env, CC: 'gcc', PYTHONPATH: root };
      const build = 'import kanegen_build; kanegen_build.build_editable(".")';
      execFileSync(interpreter!, ['-c', build], { cwd: root, env });
      const printed = (name: string): string => {
        writeFileSync(path.join(folder, `${name}.py`), programs.get(name)!);
        return execFileSync(interpreter!, [`${name}.py`], { cwd: folder, env, encoding: 'utf8' });
      };
      const number = (text: string, before: RegExp): number => Number(before.exec(text)![1]);

      const statics = printed('statics');
      expect(statics).toContain(' 4.0 N: tip at [180.33');
      expect(number(statics, /bring it within (\S+) mm/)).toBeLessThan(1e-6);

      const policy = printed('policy');
      const [before, after] = [number(policy, /distance (\S+) mm before/), number(policy, /before, (\S+) mm after/)];
      expect(after).toBeLessThan(before / 4);

      const identified = printed('identify');
      const [modulus, deviation] = [number(identified, /modulus (\S+) kPa/), number(identified, /deviation (\S+) kPa/)];
      expect(Math.abs(modulus - 240)).toBeLessThan(3 * deviation);
      expect(deviation).toBeLessThan(0.1);
    },
    1_800_000,
  );
});
