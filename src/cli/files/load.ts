/** Robot files as commands read them: with `--set` overrides applied and warnings on standard error. */
import { loadingAgain } from '../../api/load.ts';
import { SymbolicRobot } from '../../api/robot.ts';
import { loadRobotFile } from '../../description/load.ts';
import { locationText } from '../../description/source/diagnostics.ts';
import type { Robot } from '../../description/model/robot.ts';
import { compileBodies } from '../../kane/compile.ts';
import { describeLoss } from '../../kane/kinematics/digit-loss.ts';
import { complain } from '../terminal/terminal.ts';
import { cacheOf } from './cache.ts';
import { parseOverrides, reportWarnings, type FileOptions } from './file-options.ts';

/**
 * @param keep parameters that are known at run time only, on top of those that the file says so of.
 * @throws KanegenError with every problem of the file.
 */
export function openRobot(
  file: string,
  options: FileOptions = { set: [], silence: [] },
  keep: readonly string[] = [],
): SymbolicRobot {
  const loadOptions = { set: parseOverrides(options.set), keep, silence: options.silence };
  const model = loadRobotFile(file, loadOptions);
  const kept = cacheOf(options);
  reportWarnings(model.warnings);
  return new SymbolicRobot(model, file, loadingAgain(file, loadOptions), { from: model, ...(kept && { kept }) });
}

/** What was decided while reading imported files, on standard error. */
export function reportNotes(robot: Robot): void {
  for (const note of robot.notes) complain(`${locationText(note.location)}: note: ${note.message}\n`);
}

/** Notes where formulas lose digits within the limits of the coordinates. */
export function reportLosses(robot: Robot): void {
  for (const { type, losses } of compileBodies(robot).values())
    for (const loss of losses) {
      const place = locationText(type.locations.kinematics);
      complain(`${place}: note: the kinematics of ${type.name} ${describeLoss(loss)}\n`);
    }
}
