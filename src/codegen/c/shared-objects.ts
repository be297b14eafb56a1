/** Shared libraries of generated C for this machine, in memory. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KanegenError } from '../../common/error.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { compilerOf, CompilerError, eachInParallel, runCompiler } from './build-c.ts';
import { compileObject, objectPlaces } from './objects.ts';

export interface SharedLibrary {
  readonly files: readonly GeneratedFile[];
  /** Further flags of a source, by its name. */
  readonly flags: Readonly<Record<string, readonly string[]>>;
}

/** Names are seen from outside where the source exports them, and nowhere else; arithmetic is that of the source. */
const FLAGS = ['-std=c99', '-O2', '-ffp-contract=off', '-fPIC', '-fvisibility=hidden'];

/**
 * Libraries that share sources; equal ones are compiled once.
 * @returns their bytes, or what there is in place of a compiler.
 * @throws KanegenError `compiler-failed` with what the compiler says first.
 */
export async function sharedLibraries(libraries: readonly SharedLibrary[]): Promise<readonly Uint8Array[] | string> {
  const compiler = compilerOf({});
  if (!(await isInstalled(compiler)))
    return `no C compiler \`${compiler}\` is found; install one (Debian: apt-get install gcc), or name one in KANEGEN_CC`;
  const directory = await mkdtemp(join(tmpdir(), 'kanegen-'));
  try {
    const all = new Map(libraries.flatMap(({ files }) => files.map((file) => [file.path, file.text])));
    await Promise.all([...all].map(([path, text]) => writeFile(join(directory, path), text)));
    const compiled = new Map<string, Promise<string>>();
    const objectOf = async ({ files, flags }: SharedLibrary, source: string): Promise<string> => {
      const own = [...FLAGS, ...(flags[source] ?? [])];
      const place = await objectPlaces(compiler, own, files);
      return compileObject(source, place(source), (from, object) =>
        runCompiler(compiler, [...own, '-c', from, '-o', object], directory),
      );
    };
    return await Promise.all(
      libraries.map(async (library, i) => {
        const sources = library.files.map(({ path }) => path).filter((path) => path.endsWith('.c'));
        const objects = await eachInParallel(sources, (source) => {
          const known = compiled.get(source) ?? objectOf(library, source);
          compiled.set(source, known);
          return known;
        });
        const output = `library${i}`;
        await runCompiler(compiler, [...FLAGS, '-shared', ...objects, '-o', output, '-lm'], directory);
        return readFile(join(directory, output));
      }),
    );
  } catch (error) {
    if (!(error instanceof CompilerError)) throw error;
    throw new KanegenError('compiler-failed', error.message.split('\n').slice(0, 5).join('\n'), {
      remedy: 'name another compiler in KANEGEN_CC',
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function isInstalled(compiler: string): Promise<boolean> {
  try {
    await promisify(execFile)(compiler, ['--version']);
    return true;
  } catch (error) {
    // Any answer is one.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT' && (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}
