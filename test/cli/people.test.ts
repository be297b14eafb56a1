/** The command line for people: colours, silence, standard input, completion, files to start from. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TARGETS } from '../../src/codegen/folder.ts';
import { VALUES } from '../../src/cli/commands/completion.ts';
import { KINDS } from '../../src/cli/commands/init.ts';
import { FORMATS } from '../../src/cli/commands/simulate.ts';
import { buildCommandLine } from '../../src/cli/main.ts';
import { coloured, isColoured } from '../../src/cli/terminal/colours.ts';
import { isSaid } from '../../src/cli/terminal/terminal.ts';
import { LAWS_OF_IMPORTS } from '../../src/description/law-of-import.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { C_INTEGRATORS } from '../../src/simulation/run/run-in-c.ts';
import { loadScenario } from '../../src/index.ts';
import { builtCommand } from '../built-command.ts';
import { runInProcess } from './in-process.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-people-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('colours', () => {
  it('are for terminals, NO_COLOR and FORCE_COLOR decide otherwise', () => {
    const [terminal, pipe] = [{ isTTY: true }, {}];
    expect(isColoured(terminal, {})).toBe(true);
    expect(isColoured(pipe, {})).toBe(false);
    expect(isColoured(terminal, { TERM: 'dumb' })).toBe(false);
    expect(isColoured(terminal, { NO_COLOR: '1' })).toBe(false);
    expect(isColoured(terminal, { NO_COLOR: '' })).toBe(true);
    expect(isColoured(pipe, { FORCE_COLOR: '1' })).toBe(true);
    expect(isColoured(terminal, { FORCE_COLOR: '0' })).toBe(false);
    expect(isColoured(terminal, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false);
  });

  it('mark words, and leave JSON and all else alone', () => {
    const before = process.env['FORCE_COLOR'];
    process.env['FORCE_COLOR'] = '1';
    try {
      expect(coloured('a.yaml:1:2: warning: thin\n  → thicker\n', {})).toBe(
        'a.yaml:1:2: \u001b[33mwarning:\u001b[0m thin\n\u001b[36m  →\u001b[0m thicker\n',
      );
      expect(coloured('ok  mass\nFAILED  drag\nok_then\n', {})).toBe(
        '\u001b[32mok\u001b[0m  mass\n\u001b[31mFAILED\u001b[0m  drag\nok_then\n',
      );
      expect(coloured('{ "outcome": "FAILED" }', {})).toBe('{ "outcome": "FAILED" }');
    } finally {
      if (before === undefined) delete process.env['FORCE_COLOR'];
      else process.env['FORCE_COLOR'] = before;
    }
  });
});

const WARNED = `kanegen: 1\nname: thin\nlinks: [{ name: arm, joint: { revolute: y }, rigid: { mass: 1 kg } }]\nparameters: { unused: 2 kg }\n`;

it('--quiet leaves out warnings, and no error', async () => {
  writeFileSync(path.join(folder, 'thin.robot.yaml'), WARNED);
  const loud = await runInProcess(folder, ['check', 'thin.robot.yaml']);
  expect(loud.err).toContain('warning: ');
  const quiet = await runInProcess(folder, ['check', 'thin.robot.yaml', '--quiet']);
  expect(quiet).toEqual({ ...loud, err: '' });
  // It is over with the command: programs and tests go on in this process.
  expect(isSaid()).toBe(true);
  const wrong = await runInProcess(folder, ['check', 'none.robot.yaml', '-q']);
  expect(wrong.err).toContain('none.robot.yaml');
  expect((await runInProcess(folder, ['check', 'thin.robot.yaml'])).err).toBe(loud.err);
});

it('- is standard input where a robot is read, and messages have its lines', async () => {
  const command = await builtCommand();
  const run = (words: readonly string[], input: string): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [command, ...words], { input, cwd: folder, encoding: 'utf8' });
  const { stdout, status } = run(['evaluate', '-', '--json'], WARNED);
  expect(status).toBe(0);
  expect(JSON.parse(String(stdout))).toHaveProperty('states');
  const wrong = run(['check', '-'], WARNED.replace('revolute', 'revolt'));
  expect(wrong.status).toBe(1);
  expect(String(wrong.stderr)).toMatch(/^-:3:\d+: .*revolt/m);
  expect(run(['view', '-'], WARNED).status).toBe(2);
});

it.each(['README.md', 'docs/commands.md'])('%s has all commands', async (page) => {
  const { out } = await runInProcess(folder, ['--help']);
  const commands = [...out.matchAll(/^ {2}(\w+) \[options\]/gm)].map((match) => match[1]!);
  expect(commands).toContain('compile');
  const text = readFileSync(page, 'utf8');
  const has = (command: string): boolean =>
    page === 'README.md'
      ? new RegExp(`^\\| \`kanegen ${command}\\b`, 'm').test(text)
      : text.includes(`kanegen ${command}`);
  expect(commands.filter((command) => !has(command))).toEqual([]);
});

describe('completion', () => {
  it('knows all commands and options of this version', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out, code } = await runInProcess(folder, ['completion', shell]);
      expect(code).toBe(0);
      for (const word of ['simulate', 'identify', shell === 'fish' ? '-l markers' : '--markers'])
        expect(out).toContain(word);
    }
    expect((await runInProcess(folder, ['completion', 'cmd'])).code).toBe(2);
  });

  it('has the values of options that exist', () => {
    const options = new Set(
      buildCommandLine().commands.flatMap((command) => command.options.map(({ long }) => `${command.name()} ${long}`)),
    );
    expect(Object.keys(VALUES).filter((key) => !options.has(key))).toEqual([]);
    expect(VALUES).toMatchObject({
      'compile --target': TARGETS,
      'import --controller': LAWS_OF_IMPORTS,
      'simulate --format': FORMATS,
      'simulate --integrator': C_INTEGRATORS,
    });
  });

  it('completes in bash', async () => {
    const { out } = await runInProcess(folder, ['completion', 'bash']);
    const complete = (...words: string[]): string =>
      execFileSync(
        'bash',
        [
          '-c',
          `${out}\nCOMP_WORDS=(kanegen ${words.join(' ')}); COMP_CWORD=${words.length}; _kanegen; echo "\${COMPREPLY[@]}"`,
        ],
        { encoding: 'utf8' },
      ).trim();
    expect(complete('sim')).toBe('simulate');
    expect(complete('identify', '--mark')).toBe('--markers');
    expect(complete('evaluate', '--markers')).toBe('');
    expect(complete('init', '--kind', 'f')).toBe('finger');
    expect(complete('compile', '--target', 'ru')).toBe('rust');
    expect(complete('compile', '--target', 'ts,wa')).toBe('ts,wasm');
    expect(complete('board', '--board', 'stm')).toBe('stm32f4');
    expect(complete('evaluate', '--precision', 'si')).toBe('single');
  });
});

describe('files to start from', () => {
  it.each([...KINDS])('of the kind %s are read without a warning', async (kind) => {
    const own = path.join(folder, kind);
    const { code } = await runInProcess(folder, ['init', kind, '--kind', kind]);
    expect(code).toBe(0);
    const robot = loadRobotFile(`${own}.robot.yaml`);
    expect(robot.name).toBe(kind);
    expect(robot.warnings).toEqual([]);
    expect(readFileSync(`${own}.robot.yaml`, 'utf8')).toMatch(
      /^# yaml-language-server: \$schema=.*robot\.schema\.json\n/,
    );
    if (kind === 'scenario') expect(loadScenario(`${own}.scenario.yaml`).robot.name).toBe(kind);
    const before = readdirSync(folder).length;
    expect(await runInProcess(folder, ['init', kind, '--kind', kind])).toMatchObject({ code: 1, out: '' });
    expect(readdirSync(folder)).toHaveLength(before);
  });

  it('are of no other kind', async () => {
    expect((await runInProcess(folder, ['init', 'some', '--kind', 'boat'])).err).toContain('--kind takes arm, ');
  });
});
