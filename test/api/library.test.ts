/** The page of the library: its examples run as one program, and print what they say. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { SymbolicRobot } from '../../src/index.ts';
import { builtCommand } from '../built-command.ts';
import { QUICK } from '../compilers.ts';

const page = readFileSync('docs/library.md', 'utf8');
const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-library-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILES = {
  'arm.robot.yaml': 'examples/identification/soft-arm.robot.yaml',
  'log.csv': 'examples/identification/soft-arm.csv',
  'swing.scenario.yaml': 'examples/scenarios/swing.scenario.yaml',
  'swing.robot.yaml': 'examples/scenarios/swing.robot.yaml',
};

describe('docs/library.md', () => {
  it('prints what its comments say', async () => {
    for (const [name, file] of Object.entries(FILES)) copyFileSync(file, path.join(folder, name));
    const written = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]!).join('\n');
    const built = pathToFileURL(path.join(path.dirname(await builtCommand()), 'index.js')).href;
    const { code: program } = await transform(written, { loader: 'ts' });
    writeFileSync(path.join(folder, 'program.mjs'), program.replace(/from ["']kanegen["']/g, `from '${built}'`));
    const env = { ...process.env, KANEGEN_CC: process.env['KANEGEN_CC'] ?? QUICK.compiler };
    // Most of it runs a few times, as in the command line (src/cli/start.ts).
    const flags = Number.parseInt(process.versions.v8, 10) < 14 ? ['--interrupt-budget=1000000'] : [];
    const printed = execFileSync(process.execPath, [...flags, 'program.mjs'], { cwd: folder, encoding: 'utf8', env });
    const expected = [...written.matchAll(/console\.log\(.*\/\/ → (.*)$/gm)].map((match) => match[1]!);
    expect(expected.length).toBeGreaterThan(20);
    expect(printed.trim().split('\n')).toEqual(expected);
  });

  it('has a row for every verb', () => {
    const accessors = ['name', 'coordinates', 'frames', 'actuators', 'warnings', 'constructor'];
    const internal = ['keeping', 'standing', 'standingCode'];
    const verbs = Object.getOwnPropertyNames(SymbolicRobot.prototype).filter(
      (name) => ![...accessors, ...internal].includes(name),
    );
    const table = page
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .join('\n');
    for (const verb of verbs) expect(table, verb).toMatch(new RegExp(`\\b${verb}\\b`));
    expect(library.simulate).toBeTypeOf('function');
  });
});
