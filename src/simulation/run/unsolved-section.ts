/** Where a strain that is an equilibrium is not solved for, in words. */
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK } from '../../runtime/driver.ts';

/** Of the state that is staged; none where all strains are solved for, and where no state is staged. */
export function unsolvedSection({ links }: Robot, dynamics: Pick<LoadedRobot, 'unsolvedSection'>): string | undefined {
  const section = new Float64Array(2);
  if (dynamics.unsolvedSection?.(section) !== KG_OK) return undefined;
  const [index = -1, place = 0] = section;
  if (index < 0) return undefined;
  return `the equilibrium of the strain of \`${links[index]!.name}\` is not found at s = ${Number(place.toPrecision(4))} m`;
}

/** The same at coordinates, whatever is staged. */
export function unsolvedAt(q: ArrayLike<number>, robot: Robot, running: LoadedRobot): string | undefined {
  const asked: LoadedRobot = { ...running, ...running.twin() };
  asked.update(q, new Float64Array(robot.coordinates.length));
  return unsolvedSection(robot, asked);
}
