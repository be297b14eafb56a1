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
  const [robotFile] = files;
  if (!robotFile) throw new Error('nothing was generated');
  const module = await importModule(files, robotFile);
  return module[`create${pascalCase(robotFile.path.replace(/\.ts$/, ''))}`] as () => LoadedRobot;
}

/** Imports the straight-line module, which may import others of `files`. */
export async function loadStraight(files: readonly GeneratedFile[], straight: GeneratedFile): Promise<LoadedStraight> {
  return (await importModule([...files, straight], straight)) as LoadedStraight;
}

/** A generated module with its types removed and its imports replaced, wherever they are, by data: URLs. */
async function importModule(files: readonly GeneratedFile[], wanted: GeneratedFile): Promise<Record<string, unknown>> {
  // Where a folder also has `x.js` for Node, it only leads to `x.ts`.
  const modules = files.filter((file) => file.path.endsWith('.ts'));
  const sources = new Map(modules.map((file) => [file.path.replace(/\.ts$/, '.js'), file.text]));
  const urls = new Map<string, string>();
  const urlOf = (path: string): string => {
    const known = urls.get(path);
    if (known) return known;
    const source = sources.get(path);
    if (source === undefined) throw new Error(`generated module ${path} is missing`);
    const linked = transpiled(source).replace(/from '\.\/([^']+)'/g, (_, target: string) => `from '${urlOf(target)}'`);
    const url = `data:text/javascript;base64,${Buffer.from(linked).toString('base64')}`;
    urls.set(path, url);
    return url;
  };
  return (await import(/* @vite-ignore */ urlOf(wanted.path.replace(/\.ts$/, '.js')))) as Record<string, unknown>;
}
