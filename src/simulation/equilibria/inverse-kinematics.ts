/** Inverse kinematics: coordinates within their limits at which frames have poses, or come nearest to them. */
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Dynamics } from '../../runtime/driver.ts';
import {
  demandObject,
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
 * @throws RangeError when numbers are missing or not finite.
 */
export function inverseKinematics(
  robot: Robot,
  dynamics: Dynamics,
  goal: PoseGoal | readonly PoseGoal[],
  options: InverseKinematicsOptions = {},
): InverseKinematicsResult {
  demandObject(options);
  const { coordinates } = robot;
  const rest = new Float64Array(coordinates.length);
  const { x: q, ...found } = new PoseSearch([goal].flat(), options, {
    first: options.start ?? coordinates.map(({ value }) => value),
    lower: coordinates.map(({ lower }) => lower ?? -Infinity),
    upper: coordinates.map(({ upper }) => upper ?? Infinity),
    width: Math.PI,
    take: (x) => dynamics.update(x, rest) === KG_OK,
    pose: (frame = robot.tip, R, t, J) => dynamics.frame(frame, R, t, J) === KG_OK,
  }).run();
  return { q, ...found };
}
