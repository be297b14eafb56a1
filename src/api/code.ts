/** The code of a robot: as files in any language, in a folder, or running in this process. */
import { host } from '#host';
import { TARGETS, takesStraight, type CompileTarget, type Layout } from '../codegen/folder.ts';
import type { BoardOptions } from '../codegen/doors/board/board-options.ts';
import { FMI_VERSIONS } from '../codegen/doors/fmu/fmi-versions.ts';
import type { GeneratedFile } from '../codegen/modules/robot-model.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import { KanegenError } from '../common/error.ts';
import type { KeptTexts } from '../common/kept-texts.ts';
import { demandOptions } from '../common/options.ts';
import { CacheFolder } from '../files/cache-folder.ts';
import type { Derivatives, MaterialPoints } from '../runtime/driver.ts';
import type { Robot } from '../description/model/robot.ts';
import type { CompiledRobot } from '../kane/kernels/link-type.ts';
import type { StraightRobot } from '../straight/straight-robot.ts';
import type { StraightChoice } from './straight.ts';

/** What is compiled beside the dynamics. */
export interface CompileOptions {
  /** Exact derivatives of the dynamics along directions, adjoints, Newton steps: `Derivatives`. */
  readonly derivatives?: boolean;
  /** Places of material points that are given at run time: `MaterialPoints`. */
  readonly points?: boolean;
  /**
   * Functions that files have, by the names of `--functions`: `inverse-dynamics`, `mass-matrix`, …, `default` or `all`; `default` when missing.
   * Code that runs in this process has all.
   */
  readonly functions?: readonly string[];
  /**
   * A folder that keeps generated code from one process to the next, by what the robot says and the version of kanegen.
   * What stands there is run: give one that nobody else writes to.
   */
  readonly cache?: string;
}

/** Running code: what every robot has, and what `Options` added for certain. */
export type RunningRobot<Options extends CompileOptions = CompileOptions> = LoadedRobot &
  (Options extends { readonly derivatives: true } ? Derivatives : unknown) &
  (Options extends { readonly points: true } ? MaterialPoints : unknown);

/** Which files. */
export interface FileOptions extends Layout {
  /**
   * A language, or several: `ts`, `js` (with .d.ts), `c`, `wasm` (with `straight`), `python`, `fmu`, `rust`, `ros2`, `matlab`,
   * `cuda`, `wgsl`; `ts` and `c` when missing.
   */
  readonly target?: CompileTarget | readonly CompileTarget[];
  /** Adds straight-line functions of the complete robot; `cuda` and `wgsl` bring them along. */
  readonly straight?: boolean | StraightChoice;
  /** Link modules, and a driver that assembles robots from them at run time, in place of the complete robot. */
  readonly modules?: boolean;
}

/** How generated code runs. */
export interface RunOptions {
  /** A status other than `KG_OK` is thrown as a KanegenError with the function, the status and its meaning. */
  readonly check?: boolean;
}

interface MadeStraight {
  readonly key: string;
  readonly regressor: StraightChoice['regressor'];
  readonly form: StraightRobot;
}

/**
 * What code is made from, and kept in. Robots that differ in the values of run-time parameters share their code: it is made from one of
 * them, and has the values of the other where it runs.
 * @internal
 */
export interface CodeSource {
  readonly from: Robot;
  /** Code that outlives the process. */
  readonly kept?: KeptTexts;
}

/** The compiled code of a robot; `SymbolicRobot.compile` makes it. */
export class RobotCode<const Options extends CompileOptions = CompileOptions> {
  /** The model that it was compiled from. */
  readonly robot: Robot;
  readonly options: Options;
  private made: CompiledRobot | undefined;
  private create: Promise<() => LoadedRobot> | undefined;
  private readonly straight: MadeStraight[] = [];
  private readonly choices = new Map<string, CompiledRobot>();

  private readonly values: Robot;
  private readonly kept: KeptTexts | undefined;

  /** @internal */
  constructor(robot: Robot, options: Options, { from, kept }: CodeSource = { from: robot }) {
    this.robot = from;
    this.values = robot;
    this.options = options;
    const { cache } = options;
    this.kept = cache === undefined ? kept : new CacheFolder(cache);
  }

  /**
   * Link types with their kernels, for functions that print or count.
   * @internal
   */
  async compiled(): Promise<CompiledRobot> {
    const { compileRobot } = await import('../kane/compile.ts');
    const { derivatives = false, points = false } = this.options;
    const { controllers = [], observers = [] } = this.robot;
    // Their laws are functions in TypeScript, which all that is made of the robot reads.
    if (controllers.length + observers.length > 0) await host.loadTypescript();
    this.made ??= compileRobot(this.robot, { derivatives, points });
    return this.made;
  }

  /**
   * With the choice of functions that files have.
   * @param straight straight-line functions beside them.
   * @throws KanegenError `unknown-function` at names of none, and at functions that the robot cannot have.
   * @internal
   */
  async ofFiles(straight?: StraightChoice): Promise<CompiledRobot> {
    const { functions = ['default'] } = this.options;
    const names = straight?.regressor ? [...functions, 'active-inverse-dynamics'] : functions;
    const beside = straight ? (straight.functions ?? 'usual') : [];
    const key = JSON.stringify([names, beside]);
    const { chooseFunctions } = await import('../codegen/choice.ts');
    const made = this.choices.get(key) ?? chooseFunctions(this.robot, await this.compiled(), names, beside);
    this.choices.set(key, made);
    return made;
  }

  /**
   * The code of the files once more, running, where that has the usual functions; otherwise these.
   * @internal
   */
  async trial(straight?: StraightChoice): Promise<LoadedRobot> {
    const [{ chooseFunctions }, { generateTypeScript }, { loadGenerated }] = await Promise.all([
      import('../codegen/choice.ts'),
      import('../codegen/typescript/typescript.ts'),
      import('../codegen/typescript/load.ts'),
    ]);
    const [chosen, usual] = [
      await this.ofFiles(straight),
      chooseFunctions(this.robot, await this.compiled(), ['default']),
    ];
    const hasUsual = [...usual.choice!.functions].every((name) => chosen.choice!.functions.has(name));
    return (await loadGenerated(await generateTypeScript(this.robot, hasUsual ? chosen : usual)))();
  }

  /**
   * Compiles now what it has not: with a cache, only where that has nothing.
   * @internal
   */
  async prepare(): Promise<this> {
    if (!this.kept) await this.compiled();
    else await this.factory();
    return this;
  }

  /**
   * The generated files; paths begin with the folder of their language: `c/NAME.h`, `typescript/NAME.ts`. Equal robots give
   * equal bytes.
   * @throws KanegenError `wrong-argument` for unknown targets, `too-large` for straight-line functions beyond their limits, and what the
   * compilation of a robot throws.
   */
  async files(options: FileOptions = {}): Promise<GeneratedFile[]> {
    demandOptions(options);
    const { target = ['ts', 'c'], modules = false, fmi } = options;
    const strange = fmi?.find((version) => !FMI_VERSIONS.includes(version));
    if (strange !== undefined)
      throw wrong('files', `versions of FMI are 2 and 3, not ${String(strange)}`, 'write one of these');
    const straight = options.straight || takesStraight([target].flat());
    const targets = targetsOf(target, { straight: Boolean(straight), modules });
    const { demandTargets } = await import('../codegen/target-demands.ts');
    demandTargets(this.robot, targets, Boolean(straight));
    const { generateFolder, generateModules } = await import('../codegen/folder.ts');
    if (modules) return generateModules(this.robot, await this.compiled(), targets);
    const choice = straight === true ? {} : straight || undefined;
    const form = choice && (await this.straightForm(choice, 'files'));
    return generateFolder(this.robot, await this.ofFiles(choice), targets, form, options);
  }

  /**
   * A controller in closed loop on a processor: the files of `kanegen board`, in a folder `board-NAME`.
   * @param board `qemu-m4`, `qemu-m7` or `stm32f4`.
   * @throws KanegenError `unknown-board`; `no-board` for robots without a controller that boards can run, and unknown names.
   */
  async board(board: string, options: BoardOptions = {}): Promise<GeneratedFile[]> {
    demandOptions(options);
    const [{ boardFiles }, { generateC }, { robotModel }, { interfaceOf }, { provenance }] = await Promise.all([
      import('../codegen/doors/board/board.ts'),
      import('../codegen/c/c.ts'),
      import('../codegen/modules/robot-model.ts'),
      import('../codegen/interface/robot-interface.ts'),
      import('../codegen/modules/header.ts'),
    ]);
    const compiled = await this.ofFiles();
    const model = robotModel(this.robot, compiled);
    const code = await generateC(this.robot, compiled);
    const files = await boardFiles(board, interfaceOf(model), code, provenance(model), options);
    return files.map((file) => ({ ...file, path: `board-${board}/${file.path}` }));
  }

  /**
   * Writes the generated files into a folder, which is made when it is missing, in place of those that an earlier run wrote for
   * the same targets: all or none. Other files stay.
   * @returns their paths, relative to the folder.
   * @throws KanegenError as `files` does, `foreign-files` where a file would be replaced that kanegen did not write or that was changed
   * since, `not-a-directory`, `cannot-write`.
   */
  async write(folder: string, options: FileOptions = {}): Promise<string[]> {
    const { checkFolder, writeGeneratedFolder } = await import('../files/generated-folder.ts');
    if (typeof folder !== 'string')
      throw wrong('write', `the folder is a ${typeof folder}`, 'give the path of a folder');
    checkFolder(folder);
    const files = await this.files(options);
    writeGeneratedFolder(folder, files);
    return files.map(({ path }) => path);
  }

  /**
   * The generated TypeScript, running: `update`, `inverseDynamics`, `massMatrix`, … on Float64Array. Every call makes one with a workspace
   * and parameters of its own. Its stack traces name `kanegen:NAME/…` with lines of the files that `write` writes.
   * @throws KanegenError of the compilation.
   */
  async run(options: RunOptions = {}): Promise<RunningRobot<Options>> {
    demandOptions(options);
    // What the options add is there because it was compiled with them.
    const running = (await this.factory())() as RunningRobot<Options>;
    if (this.values !== this.robot) (await import('./run-time-values.ts')).take(running, this.values);
    return options.check ? (await import('./checked.ts')).checked(running, this.robot) : running;
  }

  /**
   * Made once per choice.
   * @param beside the driver that it stands beside: that of the files, or the whole one.
   * @internal
   */
  async straightForm(choice: StraightChoice, beside: 'files' | 'whole' = 'whole'): Promise<StraightRobot> {
    demandOptions(choice, '`straight`');
    const { regressor, functions } = choice;
    const [{ straightForm }, { demandStraightFunctions }] = await Promise.all([
      import('./straight.ts'),
      import('../straight/straight-robot.ts'),
    ]);
    if (functions !== undefined) demandStraightFunctions(functions);
    const key = JSON.stringify([{ ...choice, regressor: undefined, progress: undefined }, beside]);
    const known = this.straight.find((made) => made.key === key && made.regressor === regressor);
    if (known) return known.form;
    const compiled = beside === 'files' ? await this.ofFiles(choice) : await this.compiled();
    const form = straightForm(this.robot, compiled, choice);
    this.straight.push({ key, regressor, form });
    return form;
  }

  private factory(): Promise<() => LoadedRobot> {
    const made = this.create ?? this.load();
    this.create = made;
    // A failure is tried again.
    made.catch(() => (this.create = undefined));
    return made;
  }

  private async load(): Promise<() => LoadedRobot> {
    const { loadCached, variantOf } = await import('../codegen/typescript/code-cache.ts');
    const generate = async (): Promise<GeneratedFile[]> => {
      const { generateTypeScript } = await import('../codegen/typescript/typescript.ts');
      return generateTypeScript(this.robot, await this.compiled());
    };
    return loadCached(this.robot, generate, this.kept, variantOf(this.options));
  }
}

function targetsOf(
  given: CompileTarget | readonly CompileTarget[],
  { straight, modules }: { readonly straight: boolean; readonly modules: boolean },
): CompileTarget[] {
  const list: readonly unknown[] = [given].flat();
  const strange = list.find((one) => !TARGETS.some((target) => target === one));
  if (strange !== undefined || list.length === 0)
    throw wrong('target', `unknown target ${JSON.stringify(strange)}`, `targets: ${TARGETS.join(', ')}`);
  if (list.includes('wasm') && !straight)
    throw wrong('target', '`wasm` computes straight-line functions', 'add `straight: true`');
  const other = list.find((one) => modules && one !== 'ts' && one !== 'c');
  if (other !== undefined) throw wrong('target', `modules have ts and c, not ${String(other)}`, 'leave it out');
  return TARGETS.filter(
    (target) => list.includes(target) || (target === 'ts' && list.includes('wasm') && !list.includes('js')),
  );
}

function wrong(call: string, message: string, remedy: string): KanegenError {
  return new KanegenError('wrong-argument', `${call}: ${message}`, { remedy });
}
