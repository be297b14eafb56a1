/**
 * Generated TypeScript run without writing it anywhere: types are stripped and modules imported from data: URLs.
 */
import type { Dynamics, Status } from '../../runtime/driver.ts';
import type { StraightFunctionName } from '../../straight/straight-robot.ts';
import { transpiled } from './javascript.ts';
import { pascalCase } from '../programs/names.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';

/** A robot made by its generated factory. */
export interface LoadedRobot extends Dynamics {
  /** `gravity` (world axes, m/s²) and the robot's run-time parameters. */
  readonly parameters: { readonly gravity: Float64Array } & Record<string, number | Float64Array>;
}

/** A buffer of a straight-line function, null for an optional output that is not wanted, or the kept parameters. */
export type StraightArgument = ArrayLike<number> | LoadedRobot['parameters'] | null;

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
  return loadModules(modulesOf(files));
}

/** The same from what modulesOf made of the files. */
export async function loadModules(modules: readonly GeneratedFile[]): Promise<() => LoadedRobot> {
  const [robot] = modules;
  if (!robot) throw new Error('nothing was generated');
  const module = await importModule(modules, robot);
  return module[`create${pascalCase(robot.path.replace(/\.js$/, ''))}`] as () => LoadedRobot;
}

/** Imports the straight-line module, which may import others of `files`. */
export async function loadStraight(files: readonly GeneratedFile[], straight: GeneratedFile): Promise<LoadedStraight> {
  const modules = modulesOf([straight, ...files]);
  return (await importModule(modules, modules[0]!)) as LoadedStraight;
}

/** Generated TypeScript as JavaScript modules. Where a folder also has `x.js` for Node, it only leads to `x.ts`. */
export function modulesOf(files: readonly GeneratedFile[]): GeneratedFile[] {
  return files
    .filter((file) => file.path.endsWith('.ts'))
    .map(({ path, text }) => ({ path: path.replace(/\.ts$/, '.js'), text: transpiled(text) }));
}

/** A module with its imports replaced, wherever they are, by data: URLs. */
async function importModule(
  modules: readonly GeneratedFile[],
  wanted: GeneratedFile,
): Promise<Record<string, unknown>> {
  const sources = new Map(modules.map(({ path, text }) => [path, text]));
  const urls = new Map<string, string>();
  const urlOf = (path: string): string => {
    const known = urls.get(path);
    if (known) return known;
    const source = sources.get(path);
    if (source === undefined) throw new Error(`generated module ${path} is missing`);
    const linked = source.replace(/from '\.\/([^']+)'/g, (_, target: string) => `from '${urlOf(target)}'`);
    const url = `data:text/javascript;base64,${Buffer.from(linked).toString('base64')}`;
    urls.set(path, url);
    return url;
  };
  return (await import(/* @vite-ignore */ urlOf(wanted.path))) as Record<string, unknown>;
}
