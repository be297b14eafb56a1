/** `kanegen compile`: writes the dynamics code of a robot as TypeScript and C; what did not change since the last time is not compiled. */
import { createHash } from 'node:crypto';
import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { BUILD, VERSION } from '../../codegen/modules/version.ts';
import type { KeptTexts } from '../../common/kept-texts.ts';
import { sameFiles, type ReadFile } from '../../description/source/files.ts';
import { writeGeneratedFolder, type OutputFile } from '../../files/generated-folder.ts';
import { cacheOf } from '../files/cache.ts';
import type { FileOptions } from '../files/file-options.ts';
import { checkOutFolder } from '../files/output.ts';
import type { StraightCommandOptions } from '../options/straight.ts';
import { reportFailure } from '../terminal/failure.ts';
import { complain, hearing, print } from '../terminal/terminal.ts';

export interface CompileOptions extends StraightCommandOptions, FileOptions {
  readonly target: string;
  readonly out?: string;
  readonly derivatives?: boolean;
  readonly points?: boolean;
  readonly modules?: boolean;
  readonly terms?: boolean;
  readonly sourceMap?: boolean;
  readonly lineDirectives?: boolean;
  readonly amalgamate?: boolean;
  readonly shared?: boolean;
  readonly watch?: boolean;
  readonly json?: boolean;
}

/** What a compilation wrote and said. */
export interface Compiled {
  readonly out: string;
  readonly files: readonly OutputFile[];
  /** What the robot was read from. */
  readonly read: readonly ReadFile[] | undefined;
  /** As `--json` prints it, but for the time. */
  readonly summary: object;
  /** As people read it, before and after the time. */
  readonly head: string;
  readonly rest: string;
}

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
        : `${head} (${milliseconds} ms)\n${rest}\n`,
    );
  };
  await run();
  if (options.watch) watchFile(file, run);
}

async function compile(file: string, options: CompileOptions, kept: KeptTexts | undefined): Promise<Compiled> {
  const { compileAnew } = await import('./compile-anew.ts');
  const { result, said } = await hearing(() => compileAnew(file, options));
  if (kept && result.read) kept.write(nameOf(file, options), JSON.stringify({ ...result, said } satisfies Kept));
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
