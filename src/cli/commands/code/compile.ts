/** `kanegen compile`: writes the dynamics code of a robot as TypeScript and C; what did not change since the last time is not compiled. */
import { createHash } from 'node:crypto';
import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { BUILD, VERSION } from '../../../codegen/modules/version.ts';
import type { KeptTexts } from '../../../common/kept-texts.ts';
import { sameFiles } from '../../../description/source/files.ts';
import { writeGeneratedFolder } from '../../../files/generated-folder.ts';
import { cacheOf } from '../../files/cache.ts';
import { checkOutFolder } from '../../files/output.ts';
import type { Compiled, CompileOptions } from '../../options/compiled.ts';
import { reportFailure } from '../../terminal/failure.ts';
import { complain, hearing, isSaid, print } from '../../terminal/terminal.ts';

interface Kept extends Compiled {
  /** On standard error. */
  readonly said: readonly string[];
}

export async function compileCommand(file: string, options: CompileOptions): Promise<void> {
  if (options.out !== undefined) checkOutFolder(options.out);
  const run = async (): Promise<void> => {
    const start = performance.now();
    const kept = cacheOf(options);
    const found = (kept && compiledBefore(kept, file, options)) ?? (await compile(file, options, kept));
    const milliseconds = Math.round(performance.now() - start);
    const { summary, head, rest } = found;
    print(
      options.json
        ? `${JSON.stringify({ ...summary, milliseconds }, null, 2)}\n`
        : `${head} (${milliseconds} ms)\n${withoutNotes(rest)}\n`,
    );
  };
  await run();
  if (options.watch) watchFile(file, run);
}

/** `--quiet` leaves notes out. */
const withoutNotes = (text: string): string => (isSaid() ? text : text.replace(/^note: .*\n/gm, ''));

async function compile(file: string, options: CompileOptions, kept: KeptTexts | undefined): Promise<Compiled> {
  const { compileAnew } = await import('./compile-anew.ts');
  const { result, said } = await hearing(() => compileAnew(file, options));
  // What a C compiler makes depends on more than the robot.
  const isMachineCode = result.files.some(({ encoding }) => encoding !== undefined);
  if (kept && result.read && !isMachineCode)
    kept.write(nameOf(file, options), JSON.stringify({ ...result, said } satisfies Kept));
  return result;
}

/** Written from the cache; undefined where a file of the robot is another than then. */
function compiledBefore(kept: KeptTexts, file: string, options: CompileOptions): Compiled | undefined {
  const text = kept.read(nameOf(file, options));
  if (text === undefined) return undefined;
  const before = JSON.parse(text) as Kept;
  if (!before.read || !sameFiles(before.read)) return undefined;
  for (const line of before.said) complain(line);
  writeGeneratedFolder(before.out, before.files);
  return before;
}

/** By all that the result depends on beside the contents of files. */
function nameOf(file: string, options: CompileOptions): string {
  const told = Object.entries(options).filter(([name]) => !['json', 'watch', 'cache'].includes(name));
  const key = JSON.stringify([VERSION, BUILD, file, path.resolve(file), told.sort()]);
  return `folder-${createHash('sha256').update(key).digest('hex')}`;
}

/** Runs again after every change; errors are reported and the watch goes on. */
function watchFile(file: string, run: () => Promise<void>): void {
  let pending: NodeJS.Timeout | undefined;
  const again = (): void => {
    clearTimeout(pending);
    pending = setTimeout(() => {
      if (existsSync(file)) run().catch((error: unknown) => reportFailure(error));
    }, 100);
  };
  // The folder, not the file: editors replace files when they save.
  watch(path.dirname(path.resolve(file)), (_, name) => {
    if (name === path.basename(file)) again();
  });
  complain(`watching ${file}; Ctrl-C ends it\n`);
}
