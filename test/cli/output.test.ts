import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeDirectoryWhole, writeFileWhole } from '../../src/cli/output.ts';

let directory = '';
beforeEach(() => (directory = mkdtempSync(path.join(tmpdir(), 'kanegen-test-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('output', () => {
  it('replaces a directory as a whole and leaves nothing else behind', () => {
    const target = path.join(directory, 'deep', 'out');
    writeDirectoryWhole(target, [
      { path: 'a/x.c', text: '1' },
      { path: 'y.h', text: '2' },
    ]);
    writeDirectoryWhole(target, [{ path: 'z.h', text: '3' }]);
    expect(readdirSync(target).sort()).toEqual(['.kanegen', 'z.h']);
    expect(readdirSync(path.dirname(target))).toEqual(['out']);
  });

  it('does not touch a directory that kanegen did not write', () => {
    const target = path.join(directory, 'mine');
    mkdirSync(target);
    writeFileSync(path.join(target, 'thesis.tex'), 'x');
    expect(() => writeDirectoryWhole(target, [{ path: 'z.h', text: '3' }])).toThrow(/not written by kanegen/);
    expect(readdirSync(target)).toEqual(['thesis.tex']);
  });

  it('keeps the old files when writing fails half way', () => {
    const target = path.join(directory, 'out');
    writeDirectoryWhole(target, [{ path: 'a.h', text: 'old' }]);
    // A file and a directory of the same name cannot both be written.
    expect(() =>
      writeDirectoryWhole(target, [
        { path: 'b', text: '1' },
        { path: 'b/c', text: '2' },
      ]),
    ).toThrow(/cannot write/);
    expect(readFileSync(path.join(target, 'a.h'), 'utf8')).toBe('old');
  });

  it('finishes before an interrupt takes effect', () => {
    const target = path.join(directory, 'out');
    // The second file is asked for while the first is on disk already: the interrupt comes half way.
    const script = `
      import { writeDirectoryWhole } from '${pathToFileURL(path.resolve('src/cli/output.ts')).href}';
      const interrupted = { path: 'b.h', get text() { process.kill(process.pid, 'SIGINT'); return 'b'; } };
      writeDirectoryWhole(${JSON.stringify(target)}, [{ path: 'a.h', text: 'a' }, interrupted, { path: 'c.h', text: 'c' }]);
      setTimeout(() => {}, 60000);
    `;
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
    expect(status).toBe(130);
    expect(readdirSync(target).sort()).toEqual(['.kanegen', 'a.h', 'b.h', 'c.h']);
    expect(readdirSync(directory)).toEqual(['out']);
  });

  it('writes single files whole', () => {
    const target = path.join(directory, 'r.json');
    writeFileWhole(target, '{}');
    expect(readFileSync(target, 'utf8')).toBe('{}');
    expect(existsSync(path.join(directory, '.r.json'))).toBe(false);
    expect(() => writeFileWhole(path.join(target, 'below-a-file'), 'x')).toThrow(/cannot write/);
  });
});
