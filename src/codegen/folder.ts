/** All files of a robot for the chosen targets, each target in a folder of its own. */
import { host } from '#host';
import type { Robot } from '../description/model/robot.ts';
import type { CompiledRobot } from '../kane/kernels/link-type.ts';
import type { StraightRobot } from '../straight/straight-robot.ts';
import type { ScenarioTable } from './doors/python/scenario-table.ts';
import { FMI_VERSIONS, type FmiVersion } from './doors/fmu/fmi-versions.ts';
import { provenance } from './modules/header.ts';
import { snakeCase } from './naming/identifiers.ts';
import type { GeneratedFile } from './modules/robot-model.ts';
import type { RodStaticsModel } from './rod-statics/rod-statics-model.ts';
import type { StraightModel } from './whole-robot/straight-model.ts';

/** A language that dynamics are generated in. */
export type TargetName = 'ts' | 'c';

/**
 * What can be compiled to: `js` is TypeScript with the types in declarations apart, `wasm` adds WebAssembly for many states at
 * once, in straight-line form, to both.
 */
export const TARGETS = ['ts', 'js', 'c', 'wasm', 'python', 'fmu', 'rust', 'ros2', 'matlab', 'cuda', 'wgsl'] as const;

export type CompileTarget = (typeof TARGETS)[number];

/** `ts,c` as a list, in this order, without repetition, `wasm` not alone; undefined when a name is not a target. */
export function parseTargets(text: string): readonly CompileTarget[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => TARGETS.some((target) => target === name))) return undefined;
  if (names.includes('wasm') && !names.includes('js')) names.push('ts');
  return TARGETS.filter((target) => names.includes(target));
}

/** Kernels of graphics processors are made of straight-line functions, and bring these along. */
export function takesStraight(targets: readonly CompileTarget[]): boolean {
  return targets.includes('cuda') || targets.includes('wgsl');
}

/** How generated code says where it comes from. */
interface Provenances {
  /** `source-map.json`: what each statement is for, and where in the robot file it comes from. */
  readonly sourceMap?: boolean | undefined;
  /** `#line` in C before statements that a line of the robot file says. */
  readonly lineDirectives?: boolean | undefined;
}

/** How the files are written. */
export interface Layout extends Provenances {
  /** C as one header and one source file, without places in the robot file. */
  readonly amalgamate?: boolean | undefined;
  /** C for a shared library with plain names. */
  readonly shared?: boolean | undefined;
  /** C with what PlatformIO, Arduino and Zephyr read. */
  readonly packaging?: boolean | undefined;
  /** Statics of the rod under loads at its end, without coordinates, in TypeScript and C. */
  readonly rodStatics?: boolean | undefined;
  /** Versions of the Functional Mock-up Interface, an archive each; both when missing. */
  readonly fmi?: readonly FmiVersion[] | undefined;
  /** A wheel beside the package for Python, compiled here. */
  readonly wheel?: boolean | undefined;
  /** Environments of the package for Python, by scenario. */
  readonly scenarios?: readonly ScenarioTable[] | undefined;
  /** Hears what is missing: a compiler for the binaries of FMUs. */
  readonly note?: ((text: string) => void) | undefined;
}

/**
 * Paths are relative to the output directory, `typescript/…`, `javascript/…` and `c/…`. Of robots without a choice of functions
 * (`chooseFunctions`): those that are usual.
 * @param straight the same robot in straight-line form, to be added; `straight.json` then says what its functions cost.
 */
export async function generateFolder(
  robot: Robot,
  all: CompiledRobot,
  targets: readonly CompileTarget[],
  straight?: StraightRobot,
  {
    sourceMap: isMapped = false,
    lineDirectives = false,
    amalgamate = false,
    shared = false,
    rodStatics = false,
    packaging = false,
    wheel = false,
    scenarios = [],
    fmi,
    note,
  }: Layout = {},
): Promise<GeneratedFile[]> {
  const compiled = all.choice
    ? all
    : (await import('./choice.ts')).chooseFunctions(
        robot,
        all,
        ['default'],
        straight?.functions.map(({ name }) => name),
      );
  const model = straight && (await import('./whole-robot/straight-model.ts')).straightModel(robot, compiled, straight);
  const files: GeneratedFile[] = [];
  const add = (folder: string, added: readonly GeneratedFile[]): void => {
    files.push(...added.map((f) => ({ ...f, path: `${folder}/${f.path}` })));
  };
  const { robotModel } = await import('./modules/robot-model.ts');
  const driver = robotModel(robot, compiled);
  const { interfaceFile, interfaceOf } = await import('./interface/robot-interface.ts');
  const isTyped = targets.includes('ts') || targets.includes('js');
  const hasStatics = rodStatics && (isTyped || targets.includes('c'));
  // What stands once for both languages is read from the run time.
  if (hasStatics) await host.loadTypescript();
  const statics = hasStatics
    ? (await import('./rod-statics/rod-statics-model.ts')).rodStaticsModel(robot, compiled)
    : undefined;
  const modules = isTyped ? await typescriptModules(robot, compiled, targets.includes('wasm'), model) : [];
  if (statics && isTyped)
    modules.push(...(await (await import('./rod-statics/rod-statics-typescript.ts')).rodStaticsTypeScript(statics)));
  const code = (straightForm: StraightModel | undefined, isShared: boolean): Promise<GeneratedFile[]> =>
    cFiles(robot, compiled, straightForm, isShared);
  /** One for each target that has a folder. */
  const writers: Readonly<Record<Exclude<CompileTarget, 'wasm'>, () => Promise<void>>> = {
    ts: async () => {
      const { besideModules } = await import('./typescript/javascript.ts');
      add('typescript', [...modules, ...besideModules(modules)]);
    },
    js: async () => {
      const { javascriptOf } = await import('./typescript/javascript.ts');
      await host.loadTypescript();
      add('javascript', javascriptOf(modules));
    },
    c: async () => {
      const parts = await cFiles(robot, compiled, model, shared, statics);
      const { amalgamated } = await import('./amalgamation/amalgamate.ts');
      const written = amalgamate ? amalgamated(snakeCase(robot.name), parts) : parts;
      add('c', packaging ? (await import('./doors/packaging.ts')).packaged(interfaceOf(driver), written) : written);
    },
    python: async () => {
      const { pythonPackage } = await import('./doors/python/python.ts');
      const found = await pythonPackage(interfaceOf(driver), await code(model, true), provenance(driver), scenarios);
      add('python', found.files);
      if (!wheel) return;
      const { wheelOf } = await import('./doors/python/wheel.ts');
      add('python', [await wheelOf(found.name, found.summary, found.files)]);
    },
    fmu: async () => {
      const { fmus } = await import('./doors/fmu/fmu.ts');
      const [own, parts] = [interfaceOf(driver), await code(undefined, false)];
      add('fmu', await fmus(own, parts, provenance(driver), fmi ?? FMI_VERSIONS, note ?? (() => undefined)));
    },
    rust: async () => {
      const { rustCrate } = await import('./doors/rust/rust.ts');
      add('rust', await rustCrate(interfaceOf(driver), await code(undefined, false), provenance(driver)));
    },
    ros2: async () => {
      const { rosPackage } = await import('./doors/ros2.ts');
      add('ros2', await rosPackage(interfaceOf(driver), await code(undefined, false), provenance(driver)));
    },
    matlab: async () => {
      const { matlabPackage } = await import('./doors/matlab/matlab.ts');
      const [own, parts] = [interfaceOf(driver), await code(undefined, false)];
      add('matlab', await matlabPackage(own, parts, provenance(driver), note ?? (() => undefined)));
    },
    cuda: async () => {
      const { cudaFiles } = await import('./gpu/cuda.ts');
      if (model) add('cuda', await cudaFiles(model));
    },
    wgsl: async () => {
      const { wgslFiles } = await import('./gpu/wgsl.ts');
      if (model) add('wgsl', await wgslFiles(model));
    },
  };
  for (const target of TARGETS) if (target !== 'wasm' && targets.includes(target)) await writers[target]();
  if (model) files.push((await import('./whole-robot/straight-header.ts')).straightManifest(model));
  const ofRod = statics && (await import('./rod-statics/rod-statics-model.ts')).rodStaticsInterface(statics);
  files.push(interfaceFile(driver, ofRod));
  if (!isMapped && !lineDirectives) return files;
  const said = lineDirectives ? (await import('./line-directives.ts')).withLineDirectives(driver, model, files) : files;
  return isMapped ? [...said, (await import('./source-map.ts')).sourceMap(driver, model, said)] : said;
}

/**
 * Link modules for robots that are put together at run time, and the driver of these.
 * @throws KanegenError `not-in-modules` at what modules cannot have.
 */
export async function generateModules(
  robot: Robot,
  compiled: CompiledRobot,
  targets: readonly CompileTarget[],
): Promise<GeneratedFile[]> {
  const within = (folder: string, files: readonly GeneratedFile[]): GeneratedFile[] =>
    files.map(({ path, text }) => ({ path: `${folder}/${path}`, text }));
  const files: GeneratedFile[] = [];
  if (targets.includes('ts')) {
    const { assembledTypeScript } = await import('./assembled/assembled-typescript.ts');
    const { besideModules } = await import('./typescript/javascript.ts');
    const modules = await assembledTypeScript(robot, compiled);
    files.push(...within('typescript', [...modules, ...besideModules(modules)]));
  }
  if (targets.includes('c'))
    files.push(...within('c', await (await import('./assembled/assembled-c.ts')).assembledC(robot, compiled)));
  return files;
}

async function typescriptModules(
  robot: Robot,
  compiled: CompiledRobot,
  batches: boolean,
  model: StraightModel | undefined,
): Promise<GeneratedFile[]> {
  const files = await (await import('./typescript/typescript.ts')).generateTypeScript(robot, compiled);
  if (model) {
    files.push((await import('./typescript/straight-typescript.ts')).generateStraightTypeScript(model));
    const { callStumpff } = await import('./whole-robot/straight-model.ts');
    const path = 'runtime/stumpff.ts';
    if (callStumpff(model) && files.every((file) => file.path !== path))
      files.push({ path, text: (await import('./typescript/typescript.ts')).runTimeFile('stumpff') });
  }
  if (model && batches)
    files.push(...(await (await import('./wasm/straight-batch-wasm.ts')).generateStraightBatchWasm(model)));
  return files;
}

async function cFiles(
  robot: Robot,
  compiled: CompiledRobot,
  model: StraightModel | undefined,
  shared: boolean,
  statics?: RodStaticsModel,
): Promise<GeneratedFile[]> {
  const ofRod = statics && (await (await import('./rod-statics/rod-statics-c.ts')).rodStaticsC(statics));
  const files = await (await import('./c/c.ts')).generateC(robot, compiled, model, shared, ofRod?.beside);
  files.push(...(ofRod?.files ?? []));
  if (model) files.push(...(await (await import('./c/straight-c.ts')).generateStraightC(model)));
  if (model) files.push(...(await (await import('./c/straight-batch-c.ts')).generateStraightBatchC(model)));
  if (shared) {
    const { robotModel } = await import('./modules/robot-model.ts');
    const { interfaceOf } = await import('./interface/robot-interface.ts');
    const { sharedLibrary } = await import('./doors/shared-library.ts');
    const driver = robotModel(robot, compiled);
    files.push(...(await sharedLibrary(interfaceOf(driver), provenance(driver))));
  }
  return files;
}
