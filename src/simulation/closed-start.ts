/** The initial state of a scenario whose robot has loops: taken to the nearest one at which they are closed. */
import { KanegenError } from '../common/error.ts';
import { TIME } from '../description/model/robot.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import { KG_OK, type Loops } from '../runtime/driver.ts';
import { assemble, OpenLoops, openText } from './equilibria/assembly.ts';
import type { Scenario } from './scenario/scenario.ts';

/** Of coordinates: moves below are rounding, and not told. */
const ROUNDING = 1e-9;

/**
 * @param dynamics of the robot; its staged state is lost.
 * @throws KanegenError `open-loops` where nothing near by closes them.
 */
export function closedStart(scenario: Scenario, dynamics: LoadedRobot): Scenario {
  const { robot, start, exact } = scenario;
  if (!robot.loops || exact) return scenario;
  if (robot.time) dynamics.parameters[TIME.name] = start;
  try {
    const { q, moved } = assemble(robot, dynamics, scenario.q);
    const qd = [...scenario.qd];
    if (qd.some((x) => x !== 0)) {
      const [dq, dqd] = [new Float64Array(q.length), new Float64Array(q.length)];
      const loops = dynamics as LoadedRobot & Loops;
      if (dynamics.update(q, qd) === KG_OK && loops.constraintCorrection(dq, dqd) === KG_OK)
        dqd.forEach((x, a) => (qd[a]! += x));
    }
    const sizes = moved.map(Math.abs);
    const largest = sizes.indexOf(Math.max(...sizes));
    const { name, unit } = robot.coordinates[largest]!;
    const closing = sizes[largest]! > ROUNDING ? { closing: { name, unit, by: moved[largest]! } } : {};
    return { ...scenario, q, qd, exact: true, ...closing };
  } catch (error) {
    if (!(error instanceof OpenLoops)) throw error;
    throw new KanegenError('open-loops', `${robot.name}: ${openText(error)} near the initial state`, {
      remedy: 'begin nearer to a closed state (kanegen assemble finds one), or correct the loops of the robot',
    });
  }
}
