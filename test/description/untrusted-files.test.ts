/** What robot files of strangers may read and what not, as SECURITY.md says. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotFile, type LoadOptions } from '../../src/description/load.ts';

const SECRET = 'the-secret-of-the-house';
let root = '';
let inside = '';

const LINK = '{ name: a, joint: { revolute: z }, rigid: { mass: 1, com: [0.1, 0, 0] } }';
const mesh = (file: string): string =>
  `body-types: { b: { volume: { mesh: { file: "${file}" }, density: 1000 }, coordinates: { q: {} }, position: ["x + q*z", y, z], distal: none } }\nlinks: [{ body: b }]`;
const network = (file: string): string =>
  `body-types: { b: { parameters: { L: 0.2, R: 0.02 }, volume: { rod: { s: [0, L] }, section: { disc: R }, density: 1000 }, coordinates: { q: {} }, network: { file: "${file}", inputs: [x, y, s, q] }, distal: none } }\nlinks: [{ body: b }]`;
/** Robot files that name a file, by what it is to be. */
const NAMING: readonly (readonly [string, (file: string) => string])[] = [
  ['an import', (file) => `import: { lab: "${file}" }\nlinks: [${LINK}]`],
  ['a URDF file', (file) => `links: [{ name: arm, urdf: { file: "${file}" } }]`],
  ['a mesh', mesh],
  ['a network', network],
];

/** The only problem of a robot file in the folder, undefined where there is none. */
function problemOf(text: string, options: LoadOptions = { within: inside }): KanegenError | undefined {
  const file = path.join(inside, 'own.robot.yaml');
  writeFileSync(file, `kanegen: 1\nname: own\n${text}\n`);
  try {
    loadRobotFile(file, options);
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  return undefined;
}

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'kanegen-untrusted-'));
  inside = path.join(root, 'inside');
  mkdirSync(path.join(inside, 'deep'), { recursive: true });
  mkdirSync(path.join(root, 'inside-too'));
  for (const folder of ['', 'inside-too', 'inside/deep']) writeFileSync(path.join(root, folder, 'file'), SECRET);
  writeFileSync(path.join(root, 'lab.yaml'), 'kanegen: 1\nname: lab\n');
  writeFileSync(path.join(inside, 'lab.yaml'), 'kanegen: 1\nname: lab\n');
  symlinkSync(path.join(root, 'file'), path.join(inside, 'linked'));
  symlinkSync(root, path.join(inside, 'out'));
  symlinkSync(inside, path.join(inside, 'self'));
  symlinkSync('lab.yaml', path.join(inside, 'also-lab.yaml'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.each(NAMING)('%s within a folder', (_, naming) => {
  it.each([
    ['by ..', '../file'],
    ['by .. and back', '../inside-too/file'],
    ['by a symbolic link', 'linked'],
    ['through a folder that is one', 'out/file'],
    ['through one that holds itself', 'self/self/out/file'],
  ])('does not lead out of it %s', (_way, file) => {
    const problem = problemOf(naming(file));
    expect(problem).toMatchObject({ code: 'outside' });
    expect(problem!.location).toMatchObject({ line: 3 });
    expect(JSON.stringify([problem!.message, problem!.remedy])).not.toContain(SECRET);
  });

  it('does not lead out of it by an absolute path, to what is there or not', () => {
    for (const file of ['file', 'no-file']) expect(problemOf(naming(path.join(root, file)))?.code).toBe('outside');
  });

  it('is read there', () => {
    // That is, tried: the file is of no such kind.
    for (const file of ['deep/file', 'self/deep/../deep/file', path.join(inside, 'deep/file')])
      expect(problemOf(naming(file))?.code).not.toMatch(/outside|missing-file/);
  });

  it('is not read where it is no regular file, however it is reached', () => {
    execFileSync('mkfifo', [path.join(inside, 'pipe')]);
    symlinkSync('/dev/zero', path.join(inside, 'zero'));
    try {
      for (const file of ['pipe', 'zero', 'deep', '/dev/zero', '/dev/stdin'])
        expect(problemOf(naming(file), {})?.code).toBe('missing-file');
    } finally {
      for (const file of ['pipe', 'zero']) rmSync(path.join(inside, file));
    }
  });

  it('is no address', () => {
    for (const address of ['https://example.org/x', 'file:///etc/hosts', 'package://lab/x.stl'])
      expect(problemOf(naming(address), {})?.code).toBe('not-supported');
  });
});

describe('files that are named by files', () => {
  it('are held by the same bounds', () => {
    writeFileSync(path.join(inside, 'deep/next.yaml'), 'kanegen: 1\nname: next\nimport: { far: ../../lab.yaml }\n');
    expect(problemOf(`import: { next: deep/next.yaml }\nlinks: [${LINK}]`)).toMatchObject({
      code: 'outside',
      location: { file: path.join(inside, 'deep/next.yaml'), line: 3 },
    });
    expect(problemOf(`import: { next: deep/next.yaml }\nlinks: [${LINK}]`, {})).toBeUndefined();
  });

  it('may be anywhere where no folder is given, and links within a folder lead where they lead', () => {
    expect(problemOf(`import: { lab: out/lab.yaml }\nlinks: [${LINK}]`, {})).toBeUndefined();
    expect(problemOf(`import: { lab: self/also-lab.yaml }\nlinks: [${LINK}]`)).toBeUndefined();
  });

  it('that import themselves through folders that hold themselves are said to', () => {
    writeFileSync(path.join(inside, 'loop.yaml'), 'kanegen: 1\nname: loop\nimport: { again: self/loop.yaml }\n');
    expect(problemOf(`import: { loop: loop.yaml }\nlinks: [${LINK}]`)).toMatchObject({ code: 'import-cycle' });
  });

  it('are not what entities of XML name', () => {
    const document = `<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY leak SYSTEM "file://${path.join(root, 'file')}">]><robot name="&leak;"><link name="&leak;"/></robot>`;
    writeFileSync(path.join(inside, 'leak.urdf'), document);
    const problem = problemOf('links: [{ name: arm, urdf: { file: leak.urdf } }]', {});
    expect(problem).toBeInstanceOf(KanegenError);
    expect(JSON.stringify([problem!.message, problem!.remedy])).not.toContain(SECRET);
  });
});

it('reads UTF-16 by its byte order mark, either way round, as UTF-8', () => {
  const file = path.join(inside, 'wide.robot.yaml');
  const little = Buffer.from(`\uFEFFkanegen: 1\nname: wide\nsummary: Größe\nlinks: [${LINK}]\n`, 'utf16le');
  for (const bytes of [little, Buffer.from(little).swap16()]) {
    writeFileSync(file, bytes);
    expect(loadRobotFile(file)).toMatchObject({ name: 'wide', summary: 'Größe' });
  }
});
