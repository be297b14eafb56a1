/** Inverse kinematics: coordinates within their limits at which frames have poses, or come nearest to them. */
import { refuseLoops } from '../../description/model/loop.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { KG_OK } from '../../runtime/driver.ts';
import {
  areNumbers,
  checkSearch,
  takeTime,
  PoseSearch,
  type PoseGoal,
  type PoseSearchOptions,
  type PoseSearchResult,
} from './pose-search.ts';

export interface InverseKinematicsOptions extends PoseSearchOptions {
  /** Where the search begins; the defaults of the coordinates when missing. */
  readonly start?: readonly number[];
}

export interface InverseKinematicsResult extends PoseSearchResult {
  /** The coordinates of the nearest poses that were found. */
  readonly q: readonly number[];
}

/**
 * @param goal of one frame, or of several at once.
 * @throws RangeError where a goal is no pose of a frame of the robot, or an option is no such number.
 */
export function inverseKinematics(
  robot: Robot,
  dynamics: LoadedRobot,
  goal: PoseGoal | readonly PoseGoal[],
  options: InverseKinematicsOptions = {},
): InverseKinematicsResult {
  refuseLoops(robot, 'inverse kinematics');
  const goals = checkSearch(robot, goal, options);
  takeTime(robot, dynamics, options.time);
  const { coordinates } = robot;
  const { start = coordinates.map(({ value }) => value) } = options;
  if (!areNumbers(start, coordinates.length))
    throw new RangeError(`\`start\` takes ${coordinates.length} finite numbers, one per coordinate`);
  const rest = new Float64Array(coordinates.length);
  const { x: q, ...found } = new PoseSearch(goals, options, {
    first: start,
    lower: coordinates.map(({ lower }) => lower ?? -Infinity),
    upper: coordinates.map(({ upper }) => upper ?? Infinity),
    width: Math.PI,
    take: (x) => dynamics.update(x, rest) === KG_OK,
    pose: (frame = robot.tip, R, t, J) => dynamics.frame(frame, R, t, J) === KG_OK,
  }).run();
  return { q, ...found };
}
