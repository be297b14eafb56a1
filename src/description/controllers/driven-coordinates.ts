/** Which coordinates actuators act on. */
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { coordinateSymbol, type Actuator } from '../model/actuator.ts';
import type { Robot } from '../model/robot.ts';

/**
 * Names of coordinates whose row of B is zero, by the structure of some actuators; none where one of them runs or pushes
 * between links, and may act on any.
 */
export function undrivenCoordinates(
  { coordinates }: Pick<Robot, 'coordinates'>,
  actuators: readonly Actuator[],
): readonly string[] {
  const terms = actuators.flatMap((actuator) => [...actuator.terms]);
  // What reaches from link to link may drive any.
  if (terms.some(({ kind }) => kind === 'reaching')) return [];
  const read = new Set(
    freeSymbols(
      terms.flatMap((term) => {
        if (term.kind === 'robot-formula') return [term.value];
        return term.kind === 'formula' ? term.summands.map(({ value }) => value) : [];
      }),
    ),
  );
  const bodies = new Set(
    terms.flatMap((term) =>
      term.kind === 'route' || term.kind === 'chamber' || term.kind === 'field' ? [term.link] : [],
    ),
  );
  return coordinates
    .filter(({ name, link, part }) => !read.has(coordinateSymbol(name)) && !(part === 'body' && bodies.has(link)))
    .map(({ name }) => name);
}

/** Are as many inputs as coordinates given, with no coordinate that nothing acts on: is B square, and can it be solved? */
export function drivesAll(robot: Pick<Robot, 'coordinates' | 'actuators'>, actuators: readonly number[]): boolean {
  const { length } = robot.coordinates;
  return (
    actuators.length === length &&
    robot.actuators.length === length &&
    undrivenCoordinates(robot, robot.actuators).length === 0
  );
}
