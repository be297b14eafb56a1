/** Inverse kinematics: coordinates within their limits at which a frame has a pose, or comes nearest to it. */
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Dynamics } from '../../runtime/driver.ts';
import { PoseSearch, type PoseGoal, type PoseSearchOptions, type PoseSearchResult } from './pose-search.ts';

export interface InverseKinematicsOptions extends PoseSearchOptions {
  /** Where the search begins; the defaults of the coordinates when missing. */
  readonly start?: readonly number[];
}

export interface InverseKinematicsResult extends PoseSearchResult {
  /** The coordinates of the nearest pose that was found. */
  readonly q: readonly number[];
}

/** @throws RangeError when numbers are missing or not finite. */
export function inverseKinematics(
  robot: Robot,
  dynamics: Dynamics,
  goal: PoseGoal,
  options: InverseKinematicsOptions = {},
): InverseKinematicsResult {
  const { coordinates } = robot;
  const frame = goal.frame ?? robot.tip;
  const rest = new Float64Array(coordinates.length);
  const { x: q, ...found } = new PoseSearch(goal, options, {
    first: options.start ?? coordinates.map(({ value }) => value),
    lower: coordinates.map(({ lower }) => lower ?? -Infinity),
    upper: coordinates.map(({ upper }) => upper ?? Infinity),
    width: Math.PI,
    pose: (x, R, t, J) => dynamics.update(x, rest) === KG_OK && dynamics.frame(frame, R, t, J) === KG_OK,
  }).run();
  return { q, ...found };
}
