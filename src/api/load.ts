/** Loading: from a file, a text or an object to a robot with verbs. */
import { host } from '#host';
import { demandOptions } from '../common/options.ts';
import { loadRobotFile, loadRobotObject, loadRobotText, type LoadOptions } from '../description/load.ts';
import type { Robot } from '../description/model/robot.ts';
import { SymbolicRobot } from './robot.ts';

/** How a robot is loaded. */
export interface RobotOptions extends LoadOptions {
  /** Of a text: the name in messages, relative to whose folder imports are found; `robot.yaml` when missing. */
  readonly fileName?: string;
}

/**
 * Loads a robot.
 * @param source path or URL of a robot file, its text (a string with a line break), or the same thing as an object.
 * @throws KanegenError with every problem of the robot, each with its place.
 */
export async function load(source: string | object, options: RobotOptions = {}): Promise<SymbolicRobot> {
  demandOptions(options);
  return robotFrom(source, options);
}

/** The same at once. */
export function robotFrom(source: string | object, options: RobotOptions): SymbolicRobot {
  const { model, file } = modelOf(source, options);
  return new SymbolicRobot(model, file, loadingAgain(source, options));
}

/** Loads the same with further options. */
export function loadingAgain(source: string | object, options: RobotOptions): (others: LoadOptions) => SymbolicRobot {
  return (others) =>
    robotFrom(source, {
      ...options,
      ...others,
      set: { ...options.set, ...others.set },
      keep: [...new Set([...(options.keep ?? []), ...(others.keep ?? [])])],
    });
}

function modelOf(source: string | object, options: RobotOptions): { readonly model: Robot; readonly file: string } {
  if (typeof source !== 'string' && !(source instanceof URL)) {
    const model = loadRobotObject(source, options);
    return { model, file: model.name };
  }
  const { fileName = 'robot.yaml' } = options;
  if (typeof source === 'string' && source.includes('\n'))
    return { model: loadRobotText(source, fileName, options), file: fileName };
  const file = typeof source === 'string' ? source : host.pathOf(source);
  return { model: loadRobotFile(file, options), file };
}
