/** Robots for commands that run code: read and compiled by an earlier command where the cache has them, and the file is the same. */
import { SymbolicRobot } from '../../api/robot.ts';
import { BUILD, VERSION } from '../../codegen/modules/version.ts';
import type { LoadOptions } from '../../description/load.ts';
import { keepRobot, keptRobot } from '../../description/kept-robot.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { CacheFolder } from '../../files/cache-folder.ts';
import { cacheOf } from './cache.ts';
import { parseOverrides, reportWarnings, type FileOptions } from './file-options.ts';

/**
 * A robot whose code has the values of `--set` where it runs, if these are of run-time parameters: nothing is compiled for them.
 * @throws KanegenError with every problem of the file.
 */
export async function openToRun(file: string, options: FileOptions): Promise<SymbolicRobot> {
  const kept = cacheOf(options);
  const settings = parseOverrides(options.set);
  const { silence } = options;
  const model = await read(file, { set: settings, silence }, kept);
  const isRunTime = (name: string): boolean => model.parameters.some((parameter) => parameter.name === name);
  const compiledIn = Object.entries(settings).filter(([name]) => !isRunTime(name));
  const isShared = compiledIn.length < Object.keys(settings).length;
  const from = isShared ? await read(file, { set: Object.fromEntries(compiledIn), silence }, kept) : model;
  reportWarnings(model.warnings);
  const again = (): never => {
    throw new Error('commands that load a robot again open it with openRobot');
  };
  return new SymbolicRobot(model, file, again, { from, ...(kept && { kept }) });
}

async function read(file: string, options: LoadOptions, kept: CacheFolder | undefined): Promise<Robot> {
  const how = [VERSION, BUILD, options];
  const known = kept && keptRobot(kept, file, how);
  if (known) return known;
  const { loadRobotFile } = await import('../../description/load.ts');
  const robot = loadRobotFile(file, options);
  if (kept) keepRobot(kept, file, how, robot);
  return robot;
}
