/** Bytes that compiled C takes of a processor, as the GNU tools count them. */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { CompilerError, eachInParallel, runCompiler } from './build-c.ts';

/** Before the names of the compiler and its tools for small processors. */
export const CROSS = 'arm-none-eabi-';

/** Flags for a Cortex-M4 with a floating-point unit for `float`. */
const CORTEX_M4F = '-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard';

/** Code and constants; numbers that have a value at the start; others. */
export interface CodeSize {
  readonly text: number;
  readonly data: number;
  readonly bss: number;
}

/** Is there a compiler for small processors? */
export async function hasCrossCompiler(): Promise<boolean> {
  return runCompiler(`${CROSS}gcc`, ['--version'], tmpdir()).then(
    () => true,
    () => false,
  );
}

/**
 * Of all functions of the sources, called or not, compiled as `float` for a Cortex-M4F.
 * @throws CompilerError with what the compiler said, or that there is none.
 */
export async function sizeOfSources(files: readonly GeneratedFile[]): Promise<CodeSize> {
  return within(files, async (directory) => {
    const sources = files
      .map(({ path }) => path)
      .filter((path) => path.endsWith('.c') && !path.endsWith('_selftest.c'));
    const flags = ['-std=c99', '-O2', '-ffp-contract=off', '-DKG_SINGLE', ...CORTEX_M4F.split(' ')];
    const objects = await eachInParallel(sources, async (source) => {
      await runCompiler(`${CROSS}gcc`, [...flags, '-c', source, '-o', `${source}.o`], directory);
      return `${source}.o`;
    });
    return sizeOf(objects, directory);
  });
}

/** Of the image of a board, as its Makefile links it. @throws CompilerError */
export async function sizeOfImage(files: readonly GeneratedFile[]): Promise<CodeSize> {
  return within(files, async (directory) => {
    await runCompiler('make', ['-s', 'board.elf'], directory);
    return sizeOf(['board.elf'], directory);
  });
}

async function within<Result>(
  files: readonly GeneratedFile[],
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'kanegen-'));
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Objects together. */
async function sizeOf(objects: readonly string[], directory: string): Promise<CodeSize> {
  const [, ...lines] = (await runCompiler(`${CROSS}size`, objects, directory)).trim().split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const total = (column: number): number => rows.reduce((sum, row) => sum + row[column]!, 0);
  if (rows.some((row) => !Number.isFinite(row[0])))
    throw new CompilerError(`${CROSS}size: what it says has no numbers`);
  return { text: total(0), data: total(1), bss: total(2) };
}
