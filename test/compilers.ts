/** The C compilers that tests run, and what they can do on this machine. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, vi } from 'vitest';
import { objectPlaces } from '../src/codegen/c/objects.ts';
import type { GeneratedFile } from '../src/codegen/modules/robot-model.ts';

export function isInstalled(command: string): boolean {
  return spawnSync(command, ['--version']).status === 0;
}

/** Can the compiler link programs with these flags here, and do they run? Kernels may refuse those of 32 bits. */
export function supports(compiler: string, ...flags: readonly string[]): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'kanegen-test-'));
  writeFileSync(join(folder, 'probe.c'), 'int main(void) { return 0; }\n');
  const { status } = spawnSync(compiler, [...flags, 'probe.c', '-o', 'probe'], { cwd: folder });
  const runs = status === 0 && spawnSync(join(folder, 'probe')).status === 0;
  rmSync(folder, { recursive: true });
  return runs;
}

/** Unoptimised: nothing is left out that would be checked, and it builds four times as fast. */
export const SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-g', '-O0'];

export interface Compiler {
  readonly compiler: string;
  readonly missing: boolean;
  /** Cannot link programs with sanitizers. */
  readonly unsanitary: boolean;
}

export const COMPILERS: readonly Compiler[] = ['gcc', 'clang'].map((compiler) => ({
  compiler,
  missing: !isInstalled(compiler),
  unsanitary: !isInstalled(compiler) || !supports(compiler, ...SANITIZERS),
}));

/** For programs that run once: compiling takes longer than running, and IEEE arithmetic gives the same bits at every level. */
export const UNOPTIMISED: readonly string[] = ['-O0'];

/** The same by the fastest compiler there is; for C whose warnings other tests look at. */
export const QUICK: { readonly compiler?: string; readonly flags: readonly string[] } = isInstalled('tcc')
  ? { compiler: 'tcc', flags: [] }
  : { flags: UNOPTIMISED };

/** In all tests of a file, C that the code under test builds with the system's compiler is built with the fastest one there is. */
export function buildQuickly(): void {
  beforeAll(() => void vi.stubEnv('KANEGEN_CC', process.env['KANEGEN_CC'] ?? QUICK.compiler));
  afterAll(() => void vi.unstubAllEnvs());
}

/**
 * What a compiler says of the sources among files (names without folders) when it makes nothing of them. Sources that passed
 * without a word before, with all that they include, are not compiled again.
 */
export async function messagesOf(
  compiler: string,
  flags: readonly string[],
  files: readonly GeneratedFile[],
): Promise<string> {
  const all = [...flags, '-fsyntax-only'];
  // In place of an object an empty file.
  const place = await objectPlaces(compiler, all, files);
  const sources = files.map(({ path }) => path).filter((path) => path.endsWith('.c') && !existsSync(place(path)));
  if (sources.length === 0) return '';
  const directory = mkdtempSync(join(tmpdir(), 'kanegen-silent-'));
  try {
    for (const { path, text } of files) writeFileSync(join(directory, path), text);
    const run = promisify(execFile)(compiler, [...all, ...sources], { cwd: directory });
    const { stderr } = await run.catch((error: { stderr: string }) => error);
    if (stderr === '') for (const source of sources) writeFileSync(place(source), '');
    return stderr;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
