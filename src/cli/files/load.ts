/** Robot files as commands read them: with `--set` overrides applied and warnings on standard error. */
import { SymbolicRobot } from '../../api/robot.ts';
import { locationText } from '../../description/source/diagnostics.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { compileBodies } from '../../kane/compile.ts';
import { describeLoss } from '../../kane/kinematics/digit-loss.ts';
import { UsageError } from '../terminal/failure.ts';
import { complain } from '../terminal/terminal.ts';

/** What commands take with a robot file. */
export interface FileOptions {
  readonly set: readonly string[];
  /** Kinds of warnings that are meant so. */
  readonly silence: readonly string[];
}

/** `NAME=VALUE` pairs as an object. @throws UsageError */
function parseOverrides(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new UsageError(`--set takes NAME=VALUE, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/**
 * @param keep parameters that are known at run time only, on top of those that the file says so of.
 * @throws KanegenError with every problem of the file.
 */
export function openRobot(
  file: string,
  { set, silence }: FileOptions = { set: [], silence: [] },
  keep: readonly string[] = [],
): SymbolicRobot {
  const robot = SymbolicRobot.of(file, { set: parseOverrides(set), keep, silence });
  reportWarnings(robot.warnings);
  return robot;
}

export function reportWarnings(warnings: readonly Warning[]): void {
  for (const { name, location, message } of warnings)
    complain(`${locationText(location)}: warning: ${message} [${name}]\n`);
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
