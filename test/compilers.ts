/** The C compilers that tests run, and what they can do on this machine. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
