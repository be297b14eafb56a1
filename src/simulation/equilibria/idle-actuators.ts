/** Actuators that move nothing: whose inputs do no work in any of the configurations that are looked at. */
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { randomNumbers } from '../../common/random.ts';
import type { Actuator } from '../../description/model/actuator.ts';
import type { Robot, RobotCoordinate } from '../../description/model/robot.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { KG_OK } from '../../runtime/driver.ts';

/** Beside the defaults. */
const CONFIGURATIONS = 4;
/** Of y, or of what it goes by: what rounding leaves of a gradient that is zero. */
const ROUNDING = 1e-11;

/** @param dynamics of `robot`, as it was generated. */
export function idleActuators(robot: Robot, dynamics: LoadedRobot): readonly Warning[] {
  const { actuators, coordinates } = robot;
  if (actuators.length === 0 || robot.silenced?.includes('no-action')) return [];
  const idle = new Set(actuators.map((_, j) => j));
  const [y, B] = [new Float64Array(actuators.length), new Float64Array(coordinates.length * actuators.length)];
  const rest = new Float64Array(coordinates.length);
  let seen = 0;
  for (const q of configurations(coordinates)) {
    if (dynamics.update(q, rest) !== KG_OK || dynamics.actuation(y, null, null, B) !== KG_OK) continue;
    seen++;
    const size = sizeOf(robot, dynamics);
    for (const j of idle) {
      // Volumes go by themselves, lengths and places by the size of the robot, angles by one radian.
      const unit = actuators[j]!.coordinateUnit;
      const scale = Math.max(Math.abs(y[j]!), unit === 'm' ? size : unit === 'rad' ? 1 : 0);
      const work = coordinates.map((own, a) => Math.abs(B[a * actuators.length + j]!) * reachOf(own));
      if (Math.max(0, ...work) > ROUNDING * scale) idle.delete(j);
    }
  }
  if (seen === 0) return [];
  return [...idle].map((j) => ({
    name: 'no-action',
    location: actuators[j]!.location,
    message: `the actuator \`${actuators[j]!.name}\` moves nothing: ${reasonOf(actuators[j]!)}`,
  }));
}

function reasonOf({ kind }: Actuator): string {
  if (kind === 'wrench') return 'no coordinate moves its point along or about its axis';
  if (kind === 'tendon') return 'no coordinate changes its length';
  if (kind === 'pressure') return 'no coordinate changes the volume of its chamber';
  return 'no coordinate changes its formula';
}

/** The defaults first. */
function configurations(coordinates: readonly RobotCoordinate[]): readonly (readonly number[])[] {
  const random = randomNumbers(1);
  const others = Array.from({ length: CONFIGURATIONS }, () =>
    coordinates.map((own) => {
      const reach = reachOf(own);
      const [low, high] = [own.lower ?? own.value - reach, own.upper ?? own.value + reach];
      return low + (high - low) * random();
    }),
  );
  return [coordinates.map(({ value }) => value), ...others];
}

/** How far a coordinate may go, in its unit. */
function reachOf({ unit, lower = -Infinity, upper = Infinity }: RobotCoordinate): number {
  const reach = unit === 'm' ? 0.02 : unit === 'rad' ? 0.7 : 0.1;
  return Math.min(reach, 0.5 * (upper - lower));
}

/** The distance of the farthest frame from the base, m. */
function sizeOf({ frames }: Robot, dynamics: LoadedRobot): number {
  const [R, t] = [new Float64Array(9), new Float64Array(3)];
  const distances = frames.map((_, frame) => (dynamics.frame(frame, R, t, null) === KG_OK ? Math.hypot(...t) : 0));
  return Math.max(0, ...distances);
}
