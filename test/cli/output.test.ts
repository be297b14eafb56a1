import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

  it('writes single files whole', () => {
    const target = path.join(directory, 'r.json');
    writeFileWhole(target, '{}');
    expect(readFileSync(target, 'utf8')).toBe('{}');
    expect(existsSync(path.join(directory, '.r.json'))).toBe(false);
    expect(() => writeFileWhole(path.join(target, 'below-a-file'), 'x')).toThrow(/cannot write/);
  });
});
