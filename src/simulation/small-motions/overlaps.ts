/** States in which bodies overlap so far that they are hardly meant: motions from there begin with a jump. */
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { contactPairs, contactsOfPairs } from '../../description/model/contact.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { KG_OK } from '../../runtime/driver.ts';

/** Times the weight of the robot that a pair pushes with. */
const HARDLY_MEANT = 10;

/**
 * At the defaults, or else at named states: the pair that pushes most, where that is far more than the weight.
 * @param dynamics of `robot`, run-time parameters at their defaults.
 * @param mass of the robot, kg.
 */
export function suspectOverlaps(robot: Robot, dynamics: LoadedRobot, mass: number): readonly Warning[] {
  const pairs = contactPairs(robot);
  const weight = mass * Math.hypot(...robot.gravity);
  if (pairs.length === 0 || weight === 0 || robot.silenced?.includes('deep-overlap')) return [];
  const defaults = robot.coordinates.map(({ value }) => value);
  const states = [
    ['the defaults', defaults] as const,
    ...Object.entries(robot.states).map(([name, q]) => [`\`${name}\``, q] as const),
  ];
  for (const [name, q] of states) {
    const [gap, force] = [new Float64Array(pairs.length), new Float64Array(3 * pairs.length)];
    if (dynamics.update(q, new Float64Array(q.length)) !== KG_OK) continue;
    if (dynamics.contact!(gap, null, null, force, null, null, null, null) !== KG_OK) continue;
    const sizes = pairs.map((_, k) => Math.hypot(...force.subarray(3 * k, 3 * k + 3)));
    const most = sizes.indexOf(Math.max(...sizes));
    if (!(sizes[most]! > HARDLY_MEANT * weight)) continue;
    const three = (x: number): string => String(Number(x.toPrecision(3)));
    const times = Math.round(sizes[most]! / weight);
    return [
      {
        name: 'deep-overlap',
        location: contactsOfPairs(robot)[most]!.location,
        message: `at ${name} the bodies of \`${pairs[most]!}\` overlap by ${three(-gap[most]!)} m and push with ${three(sizes[most]!)} N, ${times} times the weight of the robot: move them apart by \`offset\` or \`default\`, or change the law`,
      },
    ];
  }
  return [];
}
