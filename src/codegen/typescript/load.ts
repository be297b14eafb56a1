/**
 * Generated TypeScript run without writing it anywhere: types are stripped, and modules run as functions.
 */
import {
  KG_OK,
  type Contacts,
  type Derivatives,
  type Dynamics,
  type MaterialPoints,
  type LoopDerivatives,
  type Loops,
  type Ropes,
  type SolvedStrains,
  type Prescribed,
  type Momentum,
  type Status,
} from '../../runtime/driver.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { StraightFunctionName } from '../../straight/straight-robot.ts';
import { evaluator, type Exports } from './evaluate-modules.ts';
import { camelCase, pascalCase } from '../naming/identifiers.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';

/** A controller of a robot, as its module has it. */
export interface LoadedController {
  createState(): Readonly<Record<string, Float64Array>>;
  createParameters(): Record<string, Float64Array | number>;
  /** Writes the inputs u at a state for a reference; see the module for what they are. */
  step(
    robot: Dynamics,
    state: ReturnType<LoadedController['createState']>,
    parameters: ReturnType<LoadedController['createParameters']>,
    q: ArrayLike<number>,
    qd: ArrayLike<number>,
    y: ArrayLike<number>,
    yd: ArrayLike<number>,
    ydd: ArrayLike<number>,
    u: Float64Array,
  ): Status;
  /** Of those that have one. */
  readonly shell?: LoadedShell;
}

/** The shell around a controller, as its module has it. */
export interface LoadedShell {
  create(): RunningShell;
  /** One period; see the module. @param wanted 0: off, 1: hold, 3: run. @param dt time since the last step, s. */
  step(
    robot: Dynamics,
    shell: RunningShell,
    wanted: number,
    dt: number,
    q: ArrayLike<number>,
    qd: ArrayLike<number>,
    y: ArrayLike<number>,
    yd: ArrayLike<number>,
    ydd: ArrayLike<number>,
    u: Float64Array,
  ): Status;
}

/** An observer of a robot, as its module has it. */
export interface LoadedObserver {
  create(): RunningObserver;
  /** One period; see the module. @param dt time since the last step, s. @param u inputs that acted in it. */
  step(robot: Dynamics, observer: RunningObserver, dt: number, u: ArrayLike<number>, z: ArrayLike<number>): Status;
}

/** What all observers have; see the module for the rest. */
export interface RunningObserver {
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly U: Float64Array;
  readonly D: Float64Array;
  readonly noise: Float64Array;
  readonly process: Float64Array;
  period: number;
  used: number;
}

/** What all shells have; see the module for the rest. */
export interface RunningShell {
  readonly core: Shell;
  readonly gains: ReturnType<LoadedController['createParameters']>;
  readonly law: ReturnType<LoadedController['createState']>;
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly y: Float64Array;
  readonly u: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly slope: Float64Array;
  readonly lowest: Float64Array;
  readonly highest: Float64Array;
  readonly fastest: Float64Array;
  period: number;
  blend: number;
  tolerate: number;
}

/** A robot made by its generated factory. */
export interface LoadedRobot
  extends
    Dynamics,
    Partial<Derivatives>,
    Partial<MaterialPoints>,
    Partial<Momentum>,
    Partial<Loops>,
    Partial<Ropes>,
    Partial<Contacts>,
    Partial<SolvedStrains>,
    Partial<LoopDerivatives>,
    Partial<Prescribed> {
  /** Of robots whose friction sticks: bristles give way to what slipped, as the generated robot says. */
  hold?(): Status;
  /** By the identifiers of their files: `NAME_CONTROLLER`. */
  readonly controllers: ReadonlyMap<string, LoadedController>;
  /** By the identifiers of their files: `NAME_OBSERVER_observer`. */
  readonly observers: ReadonlyMap<string, LoadedObserver>;
  /** `gravity` (world axes, m/s²) and the robot's run-time parameters. */
  readonly parameters: { readonly gravity: Float64Array } & Record<string, number | Float64Array>;
}

/** A buffer of a straight-line function, null for an optional output that is not wanted, or the kept parameters. */
export type StraightArgument = number | ArrayLike<number> | LoadedRobot['parameters'] | null;

/** Straight-line functions by name; arguments in the order of the generated signature. */
export type LoadedStraight = Partial<
  Record<StraightFunctionName, (...arguments_: readonly StraightArgument[]) => Status>
>;

/**
 * Imports generated modules.
 * @param files what generateTypeScript returned: the robot's module first.
 * @returns the robot's factory `create…`.
 */
export async function loadGenerated(files: readonly GeneratedFile[]): Promise<() => LoadedRobot> {
  return loadModules((await import('./stripped.ts')).modulesOf(files));
}

/** The same from what modulesOf made of the files. */
export async function loadModules(modules: readonly GeneratedFile[]): Promise<() => LoadedRobot> {
  const [robot] = modules;
  if (!robot) throw new Error('nothing was generated');
  const exportsOf = evaluator(modules);
  const create = exportsOf(robot.path)[`create${pascalCase(robot.path.replace(/\.js$/, ''))}`] as () => Generated;
  const controllers = loadControllers(modules, robot, exportsOf);
  const observers = loadObservers(modules, robot, exportsOf);
  return () => ({ ...completed(create()), controllers, observers });
}

/** Functions of what not all robots have. */
type OfSome = 'fluid' | 'stiffness' | 'dissipation' | 'actuation' | 'actuate';
type Generated = Omit<LoadedRobot, OfSome> & Partial<Pick<LoadedRobot, OfSome>>;

/** With all of these: they find zeros where the robot has nothing of the kind. */
function completed(own: Generated): LoadedRobot {
  const zeros = (...arrays: readonly (Float64Array | null)[]): Status => {
    const status = own.terms(null, null, null, null);
    if (status === KG_OK) for (const array of arrays) array?.fill(0);
    return status;
  };
  return {
    fluid: (fluid) => zeros(fluid),
    stiffness: (K) => zeros(K),
    dissipation: (D) => zeros(D),
    actuation: (...outputs) => zeros(...outputs),
    actuate: () => zeros(),
    ...('inverseDynamicsTangent' in own && { actuateTangent: () => zeros() }),
    ...own,
    twin: () => completed(own.twin() as Generated),
  };
}

/** The modules called NAME_CONTROLLER with a step in them. */
function loadControllers(
  modules: readonly GeneratedFile[],
  robot: GeneratedFile,
  exportsOf: (path: string) => Exports,
): ReadonlyMap<string, LoadedController> {
  const prefix = robot.path.replace(/\.js$/, '_');
  const found = new Map<string, LoadedController>();
  for (const module of modules) {
    const name = module.path.replace(/\.js$/, '').slice(prefix.length);
    const [pascal, camel] = [pascalCase(name), camelCase(name)];
    // Shells and observers have steps, too, but no state of that name.
    const isController = [`${camel}Step`, `create${pascal}State`].every((own) =>
      module.text.includes(`export function ${own}(`),
    );
    if (!module.path.startsWith(prefix) || !isController) continue;
    const own = exportsOf(module.path);
    const around = modules.find(({ path }) => path === module.path.replace(/\.js$/, '_shell.js'));
    const shell = around?.text.includes(`export function ${camel}ShellStep(`) ? exportsOf(around.path) : undefined;
    found.set(module.path.replace(/\.js$/, ''), {
      createState: own[`create${pascal}State`],
      createParameters: own[`create${pascal}Parameters`],
      step: own[`${camel}Step`],
      ...(shell && { shell: { create: shell[`create${pascal}Shell`], step: shell[`${camel}ShellStep`] } }),
    } as LoadedController);
  }
  return found;
}

/** The modules called NAME_OBSERVER_observer with a step in them. */
function loadObservers(
  modules: readonly GeneratedFile[],
  robot: GeneratedFile,
  exportsOf: (path: string) => Exports,
): ReadonlyMap<string, LoadedObserver> {
  const prefix = robot.path.replace(/\.js$/, '_');
  const found = modules.flatMap(({ path, text }): [string, LoadedObserver][] => {
    const name = path.replace(/\.js$/, '').slice(prefix.length);
    const [pascal, camel] = [pascalCase(name), camelCase(name)];
    const isObserver = name.endsWith('_observer') && text.includes(`export function ${camel}Step(`);
    if (!path.startsWith(prefix) || !isObserver || text.includes(`export function create${pascal}State(`)) return [];
    const own = exportsOf(path);
    return [
      [path.replace(/\.js$/, ''), { create: own[`create${pascal}`], step: own[`${camel}Step`] } as LoadedObserver],
    ];
  });
  return new Map(found);
}

/** Imports the straight-line module, which may import others of `files`. */
export async function loadStraight(files: readonly GeneratedFile[], straight: GeneratedFile): Promise<LoadedStraight> {
  const modules = (await import('./stripped.ts')).modulesOf([straight, ...files]);
  return evaluator(modules)(modules[0]!.path);
}
