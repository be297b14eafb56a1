import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeGeneratedFolder } from '../../src/files/generated-folder.ts';
import { checkFile, writeFileOrKeep, writeFileWhole } from '../../src/cli/files/output.ts';
import type { KanegenError } from '../../src/common/error.ts';

let directory = '';
beforeEach(() => (directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'kanegen-test-')))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const at = (...names: readonly string[]): string => path.join(directory, ...names);
/** Everything in a folder, files with their texts, without the manifest. */
const tree = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== '.kanegen')
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]),
  );
const c = (...texts: readonly string[]) => texts.map((text, i) => ({ path: `c/${'xyz'[i]}.h`, text }));
const ts = (text: string) => [{ path: 'typescript/x.ts', text }];
const module = (file: string): string => pathToFileURL(path.resolve('src', file)).href;

it('any number of files written in a row share the handlers of signals, which are gone in the end', async () => {
  const handlers = () => process.listenerCount('SIGINT') + process.listenerCount('SIGTERM');
  const before = handlers();
  for (let i = 0; i < 20; i++) writeFileWhole(at(`${i}.txt`), 'text');
  expect(() => writeFileWhole(at('0.txt', 'below'), 'text')).toThrow('cannot write');
  expect(handlers()).toBe(before + 2);
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  expect(handlers()).toBe(before);
  expect(readdirSync(directory)).toHaveLength(20);
});

describe('a generated folder', () => {
  it('is replaced by the next run, what became obsolete and its folders too, and nothing else is left behind', () => {
    const target = at('deep', 'out');
    writeGeneratedFolder(target, [...c('1', '2'), { path: 'c/deep/er.h', text: '3' }]);
    writeGeneratedFolder(target, c('one'));
    expect(tree(target)).toEqual({ 'c/x.h': 'one' });
    expect(readdirSync(path.join(target, 'c'))).toEqual(['x.h']);
    expect(readdirSync(target).sort()).toEqual(['.kanegen', 'c']);
    expect(readdirSync(path.dirname(target))).toEqual(['out']);
  });

  it('keeps the files of other targets, and what stands beside them while they are there', () => {
    const target = at('out');
    writeGeneratedFolder(target, [...c('1'), ...ts('2'), { path: 'straight.json', text: '{}' }]);
    writeGeneratedFolder(target, ts('two'));
    expect(tree(target)).toEqual({ 'c/x.h': '1', 'straight.json': '{}', 'typescript/x.ts': 'two' });
    // The manifest still knows them: they are replaced in their turn.
    writeGeneratedFolder(target, [...c('one'), ...ts('two')]);
    expect(tree(target)).toEqual({ 'c/x.h': 'one', 'typescript/x.ts': 'two' });
  });

  it("keeps a user's own files, among the generated ones too", () => {
    const target = at('mine');
    mkdirSync(path.join(target, 'c'), { recursive: true });
    writeFileSync(path.join(target, 'thesis.tex'), 'x');
    writeFileSync(path.join(target, 'c/main.c'), 'int main');
    writeGeneratedFolder(target, c('1', '2'));
    writeGeneratedFolder(target, c('1'));
    expect(tree(target)).toEqual({ 'c/main.c': 'int main', 'c/x.h': '1', 'thesis.tex': 'x' });
  });

  it('refuses by name what it would overwrite and did not write, or what was changed since, and writes nothing', () => {
    const target = at('out');
    writeGeneratedFolder(target, c('1', '2'));
    writeFileSync(path.join(target, 'c/x.h'), 'mine now');
    writeFileSync(path.join(target, 'c/z.h'), 'mine always');
    const before = tree(target);
    expect(() => writeGeneratedFolder(target, c('one', 'two', 'three'))).toThrow(
      /nothing was written.*c\/x\.h was changed since kanegen wrote it; c\/z\.h was not written by kanegen/,
    );
    expect(tree(target)).toEqual(before);
    // Obsolete files are not deleted either once they were changed.
    expect(() => writeGeneratedFolder(target, [{ path: 'c/y.h', text: '2' }])).toThrow(/c\/x\.h was changed/);
    expect(tree(target)).toEqual(before);
  });

  it('takes over files that hold just what it would write, and files whose line ends were converted', () => {
    const target = at('out');
    writeGeneratedFolder(target, c('a\nb\n'));
    rmSync(path.join(target, '.kanegen'));
    writeGeneratedFolder(target, c('a\nb\n'));
    writeFileSync(path.join(target, 'c/x.h'), 'a\r\nb\r\n');
    writeGeneratedFolder(target, c('new\n'));
    expect(tree(target)).toEqual({ 'c/x.h': 'new\n' });
  });

  it('does not touch files that would not change', () => {
    const target = at('out');
    writeGeneratedFolder(target, c('1', '2'));
    utimesSync(path.join(target, 'c/x.h'), 1000, 1000);
    writeGeneratedFolder(target, c('1', 'two'));
    expect(statSync(path.join(target, 'c/x.h')).mtimeMs).toBe(1000e3);
    expect(tree(target)).toEqual({ 'c/x.h': '1', 'c/y.h': 'two' });
  });

  it('has a manifest that other tools can check', () => {
    writeGeneratedFolder(at('out'), c('1', '2'));
    const said = execFileSync('sha256sum', ['-c', '.kanegen'], { cwd: at('out'), encoding: 'utf8' });
    expect(said).toBe('c/x.h: OK\nc/y.h: OK\n');
  });

  it('never believes a manifest that leads elsewhere', () => {
    mkdirSync(at('out'));
    writeFileSync(at('precious'), 'x');
    writeFileSync(at('out', '.kanegen'), `../precious\n${at('precious')}\nc/../../precious\nc/x.h\n`);
    writeGeneratedFolder(at('out'), c('1'));
    writeGeneratedFolder(at('out'), ts('1'));
    expect(readFileSync(at('precious'), 'utf8')).toBe('x');
  });

  it('replaces what manifests without hashes list', () => {
    mkdirSync(at('out', 'c'), { recursive: true });
    writeFileSync(at('out', 'c/x.h'), 'of old');
    writeFileSync(at('out', 'c/y.h'), 'of old');
    writeFileSync(
      at('out', '.kanegen'),
      '# Written by kanegen: this directory is replaced as a whole.\nc/x.h\nc/y.h\n',
    );
    writeGeneratedFolder(at('out'), c('1'));
    expect(tree(at('out'))).toEqual({ 'c/x.h': '1' });
  });

  it('keeps the old files when writing fails half way, and makes no folder for nothing', () => {
    const target = at('out');
    // A file and a directory of the same name cannot both be written.
    const impossible = [...c('new'), { path: 'c/b', text: '1' }, { path: 'c/b/c', text: '2' }];
    expect(() => writeGeneratedFolder(target, impossible)).toThrow(/cannot write/);
    expect(readdirSync(directory)).toEqual([]);
    writeGeneratedFolder(target, c('old'));
    // In the way of the last file only: those before it are in place by then.
    writeFileSync(at('out', 'typescript'), 'a file of the user');
    expect(() => writeGeneratedFolder(target, [...c('new', 'newer'), ...ts('1')])).toThrow(/cannot write/);
    expect(tree(target)).toEqual({ 'c/x.h': 'old', typescript: 'a file of the user' });
    rmSync(at('out', 'typescript'));
    writeGeneratedFolder(target, c('new'));
    expect(tree(target)).toEqual({ 'c/x.h': 'new' });
  });

  it('is the folder behind a symbolic link, the current one for ., and never a file or nothing', () => {
    mkdirSync(at('real'));
    symlinkSync(at('real'), at('link'));
    writeGeneratedFolder(at('link'), c('1'));
    writeGeneratedFolder(at('link'), c('2'));
    expect(tree(at('real'))).toEqual({ 'c/x.h': '2' });
    expect(realpathSync(at('link'))).toBe(at('real'));
    const script = `import { writeGeneratedFolder } from '${module('files/generated-folder.ts')}';
      for (const text of ['1', '2']) writeGeneratedFolder('.', [{ path: 'c/x.h', text }]);`;
    mkdirSync(at('here'));
    const tsx = pathToFileURL(path.resolve('node_modules/tsx/dist/esm/index.mjs')).href;
    execFileSync(process.execPath, ['--import', tsx, '--input-type=module', '-e', script], { cwd: at('here') });
    expect(tree(at('here'))).toEqual({ 'c/x.h': '2' });
    writeFileSync(at('file'), 'x');
    expect(() => writeGeneratedFolder(at('file'), c('1'))).toThrow(/file exists and is not a directory/);
    expect(readFileSync(at('file'), 'utf8')).toBe('x');
    symlinkSync(at('nowhere'), at('dangling'));
    expect(() => writeGeneratedFolder(at('dangling'), c('1'))).toThrow(/cannot write/);
    expect(() => writeGeneratedFolder('', c('1'))).toThrow(/its name is empty/);
  });
});

describe('an interruption', () => {
  const status = (signal: 'SIGINT' | 'SIGKILL'): number | null => {
    // The signal comes half way: with the third of the renamings.
    const script = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { renameSync } = fs;
      let renamed = 0;
      fs.renameSync = (...names) => {
        if (++renamed === 3) process.kill(process.pid, '${signal}');
        renameSync(...names);
      };
      syncBuiltinESMExports();
      const { writeGeneratedFolder } = await import('${module('files/generated-folder.ts')}');
      writeGeneratedFolder(${JSON.stringify(at('out'))}, ${JSON.stringify(c('one', 'two', 'three'))});
      setTimeout(() => {}, 60000);
    `;
    return spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]).status;
  };

  it('takes effect after the files are written', () => {
    writeGeneratedFolder(at('out'), c('1', '2'));
    expect(status('SIGINT')).toBe(130);
    expect(tree(at('out'))).toEqual({ 'c/x.h': 'one', 'c/y.h': 'two', 'c/z.h': 'three' });
    expect(readdirSync(at('out')).sort()).toEqual(['.kanegen', 'c']);
  });

  it('that cannot be met leaves what the next run knows as its own, and clears away', () => {
    writeGeneratedFolder(at('out'), c('1', '2'));
    expect(status('SIGKILL')).toBe(null);
    expect(readdirSync(at('out')).some((name) => name.startsWith('.kanegen-'))).toBe(true);
    writeGeneratedFolder(at('out'), c('eins', 'zwei'));
    expect(tree(at('out'))).toEqual({ 'c/x.h': 'eins', 'c/y.h': 'zwei' });
    expect(readdirSync(at('out')).sort()).toEqual(['.kanegen', 'c']);
  });

  it('is not what a live process is taken for', () => {
    const alive = at('out', `.kanegen-${process.ppid}-abc123`);
    mkdirSync(alive, { recursive: true });
    writeGeneratedFolder(at('out'), c('1'));
    expect(existsSync(alive)).toBe(true);
  });
});

describe('a single file', () => {
  it('is written whole', () => {
    const target = at('r.json');
    writeFileWhole(target, '{}');
    expect(readFileSync(target, 'utf8')).toBe('{}');
    expect(readdirSync(directory)).toEqual(['r.json']);
    expect(() => writeFileWhole(path.join(target, 'below-a-file'), 'x')).toThrow(/cannot write/);
    expect(() => writeFileWhole('', 'x')).toThrow(/--out takes/);
  });

  it('is written into folders that are made with it, or refused where none can be made', () => {
    writeFileWhole(at('a/b/r.json'), '{}');
    expect(readFileSync(at('a/b/r.json'), 'utf8')).toBe('{}');
    if (existsSync('/proc/self')) expect(() => writeFileWhole('/proc/none/r.json', 'x')).toThrow(/cannot write/);
  });

  it('is refused before there is anything to write, and nothing is made', () => {
    writeFileSync(at('file'), 'x');
    mkdirSync(at('folder'));
    for (const fine of ['file', 'new', 'a/b/new']) checkFile(at(fine), '--plot');
    checkFile('/dev/null');
    expect(() => checkFile(at('folder'), '--plot')).toThrow(
      expect.objectContaining({
        message: `cannot write ${at('folder')}: it is a directory`,
        remedy: 'choose another place with --plot',
      }),
    );
    expect(() => checkFile(at('file/below'))).toThrow('not a directory');
    expect(() => checkFile('', '--plot')).toThrow('--plot takes the name of a file');
    expect(readdirSync(directory).sort()).toEqual(['file', 'folder']);
  });

  it('is kept elsewhere where it cannot be written after all', () => {
    mkdirSync(at('result.csv'));
    let remedy: string | undefined;
    try {
      writeFileOrKeep(at('result.csv'), 'long computed', '--out');
    } catch (error) {
      remedy = (error as KanegenError).remedy;
    }
    const [, kept] = /^the content is in (.*)$/.exec(remedy!)!;
    expect(readFileSync(kept!, 'utf8')).toBe('long computed');
    expect(path.basename(kept!)).toBe('result.csv');
    rmSync(path.dirname(kept!), { recursive: true });
  });

  it('goes where a symbolic link leads, and into a device', () => {
    writeFileSync(at('real'), 'old');
    symlinkSync(at('real'), at('link'));
    writeFileWhole(at('link'), 'new');
    expect(readFileSync(at('real'), 'utf8')).toBe('new');
    writeFileWhole('/dev/null', 'x');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});
