/**
 * Generated C built with the system's compiler and run: for `evaluate --target c`, `verify` and tests.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { demandOptions } from '../../common/options.ts';
import type { Robot } from '../../description/model/robot.ts';
import { waterOf } from '../../description/model/what-acts.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import type { StraightRobot } from '../../straight/straight-robot.ts';
import { evaluatorSource, generateC } from './c.ts';
import { loopRows, type GeneratedFile } from '../modules/robot-model.ts';
import {
  resultFromNumbers,
  type FrameLoad,
  type ProgramResult,
  type State,
  type StateResult,
} from '../modules/evaluation.ts';
import { compileObject, objectPlaces } from './objects.ts';
import { generateStraightC } from './straight-c.ts';
import { straightModel } from '../whole-robot/straight-model.ts';

type Precision = 'double' | 'single';

export interface BuildOptions {
  /** `cc` unless given; KANEGEN_CC in the environment overrides the default. */
  readonly compiler?: string;
  readonly precision?: Precision;
  /** Further flags, such as `-fsanitize=address,undefined`. */
  readonly flags?: readonly string[];
  /** Libraries to link, beside that of mathematics. */
  readonly libraries?: readonly string[];
}

/** Flags under which generated C compiles without a word. */
export const STRICT_FLAGS: readonly string[] =
  '-std=c99 -pedantic -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror'.split(' ');

/** The system's C compiler refused or is missing. */
export class CompilerError extends Error {
  override readonly name = 'CompilerError';
}

export interface BuiltProgram {
  readonly directory: string;
  readonly executable: string;
  /** Removes the temporary directory. */
  dispose(): Promise<void>;
}

/**
 * Writes files to a temporary directory and links every C source but those in `leaveOut` into one program.
 * @throws CompilerError with what the compiler said.
 */
export function buildC(
  files: readonly GeneratedFile[],
  options: BuildOptions = {},
  leaveOut: (path: string) => boolean = () => false,
): Promise<BuiltProgram> {
  const single = options.precision === 'single' ? ['-DKG_SINGLE'] : [];
  const flags = ['-O2', '-ffp-contract=off', ...STRICT_FLAGS, ...single, ...(options.flags ?? [])];
  const command = { compiler: compilerOf(options), flags, libraries: [...(options.libraries ?? []), 'm'] };
  return buildProgram(files, command, leaveOut);
}

export const compilerOf = ({ compiler }: BuildOptions): string => compiler ?? process.env['KANEGEN_CC'] ?? 'cc';

/** The same with these flags and libraries alone. */
export async function buildProgram(
  files: readonly GeneratedFile[],
  { compiler, flags, libraries }: { compiler: string; flags: readonly string[]; libraries: readonly string[] },
  leaveOut: (path: string) => boolean = () => false,
): Promise<BuiltProgram> {
  const directory = await mkdtemp(join(tmpdir(), 'kanegen-'));
  const dispose = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await Promise.all(files.map((file) => writeFile(join(directory, file.path), file.text)));
    const sources = files.map((file) => file.path).filter((path) => path.endsWith('.c') && !leaveOut(path));
    const compile = (source: string, object: string): Promise<string> =>
      runCompiler(compiler, [...flags, '-c', source, '-o', object], directory);
    const place = await objectPlaces(compiler, flags, files);
    const objects = await eachInParallel(sources, (source) => compileObject(source, place(source), compile));
    const linked = libraries.map((name) => `-l${name}`);
    await runCompiler(compiler, [...flags, ...objects, '-o', 'program', ...linked], directory);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { directory, executable: join(directory, 'program'), dispose };
}

/** Wall time of compiling one of the files, s. @throws CompilerError with what the compiler said. */
export async function timeCompiler(files: readonly GeneratedFile[], source: string): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'kanegen-'));
  try {
    await Promise.all(files.map((file) => writeFile(join(directory, file.path), file.text)));
    const start = performance.now();
    await runCompiler(compilerOf({}), ['-O2', '-ffp-contract=off', ...STRICT_FLAGS, '-c', source], directory);
    return (performance.now() - start) / 1000;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Results in the order of the items; at most as many at once as there are processors. */
export async function eachInParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const pending = items.entries();
  const worker = async (): Promise<void> => {
    for (const [i, item] of pending) results[i] = await work(item);
  };
  // All have ended before anybody removes their folder.
  const ends = await Promise.allSettled(Array.from({ length: availableParallelism() }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return results;
}

/** @throws CompilerError with what the compiler said. */
export function runCompiler(command: string, parameters: readonly string[], directory: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, [...parameters], { cwd: directory, maxBuffer: 1 << 28 }, (error, output, problems) => {
      if (error) reject(new CompilerError(`${command}: ${problems.trim() || error.message}`));
      else resolve(output);
    });
  });
}

/** Runs a built program. @param input text for its standard input. @returns its standard output. */
export function runProgram(program: BuiltProgram, input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program.executable, [], { maxBuffer: 1 << 28 }, (error, output, problems) => {
      if (error)
        reject(new Error(`the generated program failed: ${problems.trim() || output.trim() || error.message}`));
      else resolve(output);
    });
    child.stdin?.on('error', () => undefined); // a program that ends early is reported by its exit code
    child.stdin?.end(input);
  });
}

/** A robot compiled to C and to machine code; evaluates any number of states. */
export interface CEvaluator {
  evaluate(states: readonly State[]): Promise<StateResult[]>;
  /** With what verification compares besides. */
  evaluateAll(states: readonly State[]): Promise<ProgramResult[]>;
  dispose(): Promise<void>;
}

/**
 * @param straight takes M, c, g, tau and what else they compute from these functions instead of the driver's.
 * @param loads act at every state.
 * @throws CompilerError with what the compiler said; KanegenError `wrong-shape` where options are none.
 */
export async function buildEvaluator(
  robot: Robot,
  compiled: CompiledRobot,
  options: BuildOptions = {},
  straight?: StraightRobot,
  loads: readonly FrameLoad[] = [],
): Promise<CEvaluator> {
  demandOptions(options);
  const model = straight && straightModel(robot, compiled, straight);
  const files = [
    ...(await generateC(robot, compiled, model)),
    ...(model ? await generateStraightC(model) : []),
    await evaluatorSource(robot, compiled, model, loads),
  ];
  // A few states: compiling takes longer than running, and IEEE arithmetic gives the same bits at every level.
  const flags = ['-O0', ...(options.flags ?? [])];
  const program = await buildC(files, { ...options, flags }, (path) => path.endsWith('_selftest.c'));
  const n = robot.coordinates.length;
  const loops = loopRows({ robot });
  const evaluateAll = async (states: readonly State[]): Promise<ProgramResult[]> => {
    const time = ({ t = 0 }: State): number[] => (robot.time ? [t] : []);
    const inputs = ({ u }: State): readonly number[] => u ?? robot.actuators.map(() => 0);
    const load = (s: State): readonly number[] => s.forces ?? s.q.map(() => NaN);
    const feedback = ({ feedback: own }: State): number[] => (loops > 0 ? [own?.alpha ?? 0, own?.beta ?? 0] : []);
    const all = (s: State): number[] => [
      ...time(s),
      ...s.q,
      ...s.qd,
      ...s.qdd,
      ...load(s),
      ...inputs(s),
      ...feedback(s),
    ];
    const input = states.map((s) => all(s).map(numberText).join(' ')).join('\n');
    const output = await runProgram(program, `${input}\n`);
    const lines = output.trim().split('\n');
    const numbers = (i: number): number[] =>
      (lines[n === 0 && !robot.time ? 0 : i] ?? '').trim().split(/\s+/).map(Number);
    const inWater = waterOf(robot).forces;
    const has = robot.actuators.length;
    return states.map((_, i) => resultFromNumbers(numbers(i), n, has, inWater, loads.length > 0, loops));
  };
  return {
    evaluate: async (states) => (await evaluateAll(states)).map(({ terms }) => terms),
    evaluateAll,
    dispose: () => program.dispose(),
  };
}

/** Shortest decimal that reads back as the same double. */
function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
