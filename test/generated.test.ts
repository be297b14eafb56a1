/** What stands in generated/ is what the sources produce, and the code of every example compiles without a word. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHOICE, EXAMPLES, generateExample, manifestText } from '../scripts/generated-examples.ts';
import type { GeneratedExample } from '../scripts/generated-examples.ts';
import { buildProgram, runProgram, STRICT_FLAGS } from '../src/codegen/c/build-c.ts';
import type { GeneratedFile } from '../src/codegen/modules/robot-model.ts';
import { COMPILERS, isInstalled, messagesOf, SANITIZERS, supports } from './compilers.ts';

const isFull = process.env['KANEGEN_FULL'] === '1';
/** In every run, beside those that are kept in full: a robot in water, a trained one, an implicit one. */
const SAMPLE = ['eel', 'implicit-arm', 'learned'];
const names = EXAMPLES.filter((name) => isFull || CHOICE.inFull.includes(name) || SAMPLE.includes(name));

const generated = new Map<string, Promise<GeneratedExample>>();

/** The code of an example, generated once. */
function exampleOf(name: string): Promise<GeneratedExample> {
  const known = generated.get(name) ?? generateExample(name);
  generated.set(name, known);
  return known;
}

/** The C of an example, without folders. */
async function sourcesOf(name: string): Promise<readonly GeneratedFile[]> {
  const { files } = await exampleOf(name);
  return files
    .filter((file) => file.path.startsWith('c/'))
    .map((file) => ({ ...file, path: path.basename(file.path) }));
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort();
}

describe('generated/', () => {
  it.each(CHOICE.inFull)('%s is byte for byte what its example compiles to', async (name) => {
    const { files } = await exampleOf(name);
    const directory = path.join('generated', name);
    expect(files.map((f) => f.path).sort()).toEqual(filesBelow(directory));
    for (const file of files)
      expect(
        readFileSync(path.join(directory, file.path), 'utf8') === file.text,
        `${file.path} is out of date: npm run generate`,
      ).toBe(true);
  });

  it(`says of ${isFull ? 'all' : 'some'} other examples what they compile to`, { timeout: 1_200_000 }, async () => {
    const examples: GeneratedExample[] = [];
    for (const name of names) examples.push(await exampleOf(name));
    type Manifest = Readonly<Record<string, unknown>>;
    const [found, due] = [readFileSync('generated/manifest.json', 'utf8'), manifestText(examples)].map(
      (text) => JSON.parse(text) as Manifest,
    ) as [Manifest, Manifest];
    const others = EXAMPLES.filter((name) => !CHOICE.inFull.includes(name));
    expect(Object.keys(found).sort()).toEqual([...others].sort());
    for (const [name, files] of Object.entries(due))
      expect(found[name], 'generated/manifest.json is out of date: npm run generate').toEqual(files);
    expect(Object.keys(due)).toHaveLength(names.length - CHOICE.inFull.length);
  });

  it('holds the examples that are kept in full, the manifest, and nothing else', () => {
    expect(readdirSync('generated').sort()).toEqual([...CHOICE.inFull, 'manifest.json'].sort());
    expect(EXAMPLES).toEqual(expect.arrayContaining([...CHOICE.inFull, ...SAMPLE, ...CHOICE.straight]));
  });
});

/** What the self-test of an example says, built from its sources. @throws when it fails. */
async function selfTest(name: string, compiler: string, flags: readonly string[]): Promise<string> {
  const program = await buildProgram(await sourcesOf(name), { compiler, flags, libraries: ['m'] });
  try {
    return await runProgram(program);
  } finally {
    await program.dispose();
  }
}

describe.each(COMPILERS)('with $compiler', ({ compiler, missing, unsanitary }) => {
  // gcc takes all, and has more to say; clang one in three, unless everything is asked for.
  const silent = names.filter((_, i) => isFull || compiler === 'gcc' || i % 3 === 0);
  it.skipIf(missing).each(silent)(`%s compiles silently (needs ${compiler})`, async (name) => {
    // The front ends of both differ little in this: single precision in turn, unless everything is asked for.
    const index = names.indexOf(name);
    const inTurn = index % COMPILERS.length === COMPILERS.findIndex((own) => own.compiler === compiler);
    for (const precision of isFull || inTurn ? [[], ['-DKG_SINGLE']] : [[]])
      expect(await messagesOf(compiler, [...STRICT_FLAGS, ...precision], await sourcesOf(name))).toBe('');
  });

  // All compilers and flags with KANEGEN_FULL; otherwise each example once, with compilers, precisions and standards in turn.
  const native = ['-std=gnu17', '-march=native'];
  const ways = [['-std=c99'], native, ...(process.arch === 'x64' ? [['-march=haswell']] : [])].flatMap((flags) =>
    [[], ['-DKG_SINGLE']].map((precision) => [...flags, ...precision]),
  );
  const turns = [[...native], ['-std=c99', '-DKG_SINGLE'], [...native, '-DKG_SINGLE'], ['-std=c99']];
  /** Others of their kind are among the rest; tcc builds them below. */
  const ALIKE = ['iiwa', 'lvp', 'panda', 'pcc-3d', 'pcs', 'planar-cc-20'];
  const selfTests = names.flatMap((name, i) => {
    const inTurn = i % COMPILERS.length === COMPILERS.findIndex((own) => own.compiler === compiler);
    const turn = turns[Math.floor(i / COMPILERS.length) % turns.length]!;
    // Native code may contract when it is optimised; the standard's has the same bits at every level.
    const level = turn.includes('-march=native') ? '-O1' : '-O0';
    const once = inTurn && !ALIKE.includes(name) ? [[level, ...turn]] : [];
    const chosen = isFull ? ways.map((way) => ['-O2', ...way]) : once;
    return chosen.map((flags) => ({ name, flags, text: flags.join(' ') }));
  });
  it.skipIf(missing).each(selfTests)(
    `the self-test of $name passes with $text (needs ${compiler})`,
    async ({ name, flags }) => {
      expect(await selfTest(name, compiler, flags)).toMatch(/: ok\n$/);
    },
  );

  it.skipIf(unsanitary).each(isFull ? ['planar-cc', 'ur10e'] : [compiler === 'gcc' ? 'planar-cc' : 'two-link'])(
    `the self-test of %s passes under sanitizers (needs ${compiler} with ASan and UBSan)`,
    async (name) => {
      expect(await selfTest(name, compiler, [...STRICT_FLAGS, ...SANITIZERS])).toMatch(/: ok\n$/);
    },
  );
});

describe('other compilers', () => {
  /** Batches, loops in lanes, learned maps. */
  const varied = isFull ? names : ['two-link', 'elastic-rod', 'learned'];

  it.skipIf(!supports('gcc', '-m32')).each(varied)(
    'gcc -m32 -std=c99 takes %s, and its self-test passes (needs gcc with 32-bit libraries)',
    async (name) => {
      const flags = ['-m32', '-std=c99', '-O1', '-pedantic', '-Wall', '-Wextra', '-Werror'];
      expect(await selfTest(name, 'gcc', flags)).toMatch(/: ok\n$/);
    },
  );

  it.skipIf(!isInstalled('tcc')).each(names)('tcc takes %s, and its self-test passes (needs tcc)', async (name) => {
    expect(await selfTest(name, 'tcc', ['-Wall', '-Werror'])).toMatch(/: ok\n$/);
  });

  const inCpp = [
    { compiler: 'g++', standard: 'c++17' },
    { compiler: 'clang++', standard: 'c++20' },
  ];
  for (const { compiler, standard } of inCpp)
    it.skipIf(!isInstalled(compiler))(
      `${compiler} -std=${standard} takes all headers, together (needs ${compiler})`,
      async () => {
        const directory = mkdtempSync(path.join(tmpdir(), 'kanegen-headers-'));
        const headers: string[] = [];
        for (const name of names) {
          mkdirSync(path.join(directory, name));
          for (const file of await sourcesOf(name)) {
            writeFileSync(path.join(directory, name, file.path), file.text);
            if (file.path.endsWith('.h')) headers.push(`${name}/${file.path}`);
          }
        }
        const source = headers.map((header) => `#include "${header}"`).join('\n');
        const flags = [
          `-std=${standard}`,
          '-pedantic',
          '-Wall',
          '-Wextra',
          '-Werror',
          '-fsyntax-only',
          '-x',
          'c++',
          '-',
        ];
        const { status, stderr } = spawnSync(compiler, flags, {
          input: `${source}\n`,
          encoding: 'utf8',
          cwd: directory,
        });
        rmSync(directory, { recursive: true });
        expect(stderr).toBe('');
        expect(status).toBe(0);
      },
    );
});
