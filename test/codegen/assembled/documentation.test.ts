/** The programs of docs/modules.md as a reader runs them, against the deflection of a cantilever under its own weight. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STRICT_FLAGS } from '../../../src/codegen/c/build-c.ts';
import { generateModules } from '../../../src/codegen/folder.ts';
import { loadRobotText } from '../../../src/description/load.ts';
import { compileRobot } from '../../../src/kane/compile.ts';

function block(language: string): string {
  const text = readFileSync(new URL('../../../docs/modules.md', import.meta.url), 'utf8');
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)![1]!;
}

/** ρ A g L⁴/(8 E I) of a disc, in mm. */
const [L, R, rho, E, g] = [0.1, 0.01, 1100, 1e6, 9.81] as const;
const DEFLECTION = (1000 * (rho * Math.PI * R ** 2 * g * L ** 4)) / (8 * E * ((Math.PI * R ** 4) / 4));

const compiler = process.env['KANEGEN_CC'] ?? 'cc';
const hasCompiler = spawnSync(compiler, ['--version']).status === 0;

describe('docs/modules.md', () => {
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'kanegen-modules-'));
    const robot = loadRobotText(block('yaml'), 'trunk.robot.yaml');
    for (const file of await generateModules(robot, compileRobot(robot), ['ts', 'c'])) {
      const to = path.join(directory, file.path);
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, file.text);
    }
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('has a TypeScript program whose trunks come closer to the rod the more segments they have', () => {
    const folder = path.join(directory, 'typescript');
    writeFileSync(path.join(folder, 'main.ts'), block('ts'));
    symlinkSync(path.resolve('node_modules'), path.join(directory, 'node_modules'));
    const output = execFileSync(process.execPath, ['--import', 'tsx', 'main.ts'], { cwd: folder, encoding: 'utf8' });
    const deflections = output
      .trim()
      .split('\n')
      .map((line) => Number(line.split(' ')[1]));
    const errors = deflections.map((x) => Math.abs(x / DEFLECTION - 1));
    expect(errors).toHaveLength(4);
    expect([...errors].sort((a, b) => b - a)).toEqual(errors);
    expect(errors[3]).toBeLessThan(0.01);
  });

  it.skipIf(!hasCompiler)('has a C program that grows one (needs a C compiler)', () => {
    const folder = path.join(directory, 'c');
    writeFileSync(path.join(folder, 'main.c'), block('c'));
    const sources = readdirSync(folder).filter((name) => name.endsWith('.c'));
    execFileSync(compiler, [...STRICT_FLAGS, '-O1', ...sources, '-lm', '-o', 'trunk'], { cwd: folder });
    const [count, deflection] = execFileSync(path.join(folder, 'trunk'), { encoding: 'utf8' }).trim().split(' ');
    expect(count).toBe('8');
    expect(Math.abs(Number(deflection) / DEFLECTION - 1)).toBeLessThan(0.01);
  });
});
