/**
 * The tutorial and the README as a reader follows them: robot files load, the C program builds without a warning and prints
 * the torques that the independent evaluation gives.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { STRICT_FLAGS } from '../src/codegen/c/build-c.ts';
import { generateC } from '../src/codegen/c/c.ts';
import { loadGenerated } from '../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { prepareAlembert } from '../src/verify/independent/alembert.ts';

function blocks(file: string, language: string): string[] {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((m) => m[1]!);
}

const finger = loadRobotText(blocks('docs/tutorial.md', 'yaml')[0]!, 'finger.robot.yaml');
const state = { q: [0, 0.5, 0], qd: [0, 0, 0], qdd: [1, 0, 0] };
const expected = (): number[] =>
  prepareAlembert(finger, { load: 0.05 })
    .evaluate(state)
    .torque.map((x) => x.toNumber());
const compiler = process.env['KANEGEN_CC'] ?? 'cc';
const hasCompiler = spawnSync(compiler, ['--version']).status === 0;

describe('the tutorial', () => {
  it('names its coordinates as it says', () => {
    expect(finger.coordinates.map((c) => c.name)).toEqual(['motor.angle', 'soft1.q', 'soft2.q']);
  });

  it.skipIf(!hasCompiler)('has a C program that prints the right torques (needs a C compiler)', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'kanegen-tutorial-'));
    try {
      const files = [
        ...(await generateC(finger, compileRobot(finger))),
        { path: 'main.c', text: blocks('docs/tutorial.md', 'c')[0]! },
      ];
      for (const file of files) writeFileSync(path.join(directory, file.path), file.text);
      const sources = files.map((f) => f.path).filter((p) => p.endsWith('.c') && !p.endsWith('_selftest.c'));
      execFileSync(compiler, [...STRICT_FLAGS, '-O2', '-ffp-contract=off', ...sources, '-lm', '-o', 'finger'], {
        cwd: directory,
      });
      const lines = execFileSync(path.join(directory, 'finger'), { encoding: 'utf8' }).trim().split('\n');
      expect(lines.map((line) => line.split(' ')[0])).toEqual(['motor.angle', 'soft1.q', 'soft2.q']);
      lines.forEach((line, i) => expect(Number(line.split(' ')[1])).toBeCloseTo(expected()[i]!, 8));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('gives the same torques in TypeScript, with a run-time parameter set', async () => {
    const create = await loadGenerated(await generateTypeScript(finger, compileRobot(finger)));
    const dynamics = create();
    (dynamics.parameters as Record<string, unknown>)['load'] = 0.05;
    const tau = new Float64Array(3);
    dynamics.update(state.q, state.qd);
    dynamics.inverseDynamics(state.qdd, tau);
    tau.forEach((value, i) => expect(Math.abs(value - expected()[i]!)).toBeLessThan(1e-15));
  });
});

describe('the README', () => {
  it('shows a robot file that loads', () => {
    const [text] = blocks('README.md', 'yaml');
    expect(loadRobotText(text!, 'arm.robot.yaml').coordinates).toHaveLength(3);
  });
});
