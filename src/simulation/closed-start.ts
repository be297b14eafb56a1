/** The initial state of a run: the equilibrium near that of the scenario, or the nearest state at which loops of the robot are closed. */
import { KanegenError } from '../common/error.ts';
import { TIME, type Robot } from '../description/model/robot.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import { KG_OK, type Loops } from '../runtime/driver.ts';
import { assemble, OpenLoops, openText } from './equilibria/assembly.ts';
import { NoEquilibrium, noEquilibriumText } from './equilibria/equilibrium.ts';
import { standing } from './equilibria/standing.ts';
import type { StaticLoads } from './equilibria/static-loads.ts';
import { equilibrium } from './equilibria/statics.ts';
import { robotOf } from './run/loads-as-actuators.ts';
import type { Load, Scenario } from './scenario/scenario.ts';

/** Of coordinates: moves below are rounding, and not told. */
const ROUNDING = 1e-9;

/** What acts on a robot at rest at the start of a scenario. */
export function loadsAtStart({ start: t, inputs, forces, loads, held = [] }: Scenario, robot: Robot): StaticLoads {
  const wrench = ({ force, moment }: Load): number[] => [...moment, ...force].map((signal) => signal(t));
  return {
    inputs: robot.actuators.map((_, i) => inputs[i]?.(t) ?? 0),
    forces: robot.coordinates.map((_, i) => forces[i]?.(t) ?? 0),
    wrenches: loads.map((load) => ({ frame: load.frame, wrench: wrench(load), follows: load.follows })),
    held,
  };
}

/**
 * @param dynamics of the robot; its staged state is lost.
 * @param stands code of the robot as it stands, with derivatives, where the motion begins in an equilibrium and the robot moves by the time.
 * @throws KanegenError `open-loops` where nothing near by closes them, `no-equilibrium` where none is near.
 */
export function closedStart(scenario: Scenario, dynamics: LoadedRobot, stands?: LoadedRobot): Scenario {
  const { robot, start, exact, held = [] } = scenario;
  if (exact || scenario.statics) return scenario;
  if (robot.time) dynamics.parameters[TIME.name] = start;
  if (scenario.equilibrium) return restingStart(scenario, dynamics, atRest(scenario, dynamics, stands));
  if (!robot.loops) return scenario;
  try {
    const { q, moved } = assemble(robot, dynamics, scenario.q, held);
    const qd = closedRates(robot, dynamics, q, scenario.qd);
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

/** The nearest rates along the loops: rest is one, unless some follow the time. */
function closedRates(
  robot: Robot,
  dynamics: LoadedRobot,
  q: readonly number[],
  given: readonly number[],
): readonly number[] {
  const { loops = [] } = robot;
  if (loops.length === 0 || (given.every((x) => x === 0) && !loops.some(({ time }) => time))) return given;
  const [dq, dqd] = [new Float64Array(q.length), new Float64Array(q.length)];
  const isFound =
    dynamics.update(q, given) === KG_OK && (dynamics as LoadedRobot & Loops).constraintCorrection(dq, dqd) === KG_OK;
  return isFound ? given.map((x, a) => x + dqd[a]!) : given;
}

/** The robot whose equilibrium a scenario asks for, where that is not the one that moves. */
export function standingOf(scenario: Scenario): Robot | undefined {
  if (!scenario.equilibrium && !scenario.statics) return undefined;
  const robot = robotOf(scenario);
  const stands = standing(robot);
  return stands === robot ? undefined : stands;
}

/** At the start of a scenario. @param stands code of `standingOf`. */
export function atRest(scenario: Scenario, dynamics: LoadedRobot, stands: LoadedRobot | undefined): LoadedRobot {
  if (!standingOf(scenario)) return dynamics;
  if (!stands) throw new Error('an equilibrium of a robot that moves by the time needs code of it as it stands');
  for (const [name, value] of Object.entries(dynamics.parameters))
    if (typeof value === 'number') stands.parameters[name] = value;
  stands.parameters.gravity.set(dynamics.parameters.gravity);
  stands.parameters[TIME.name] = scenario.start;
  return stands;
}

function restingStart(scenario: Scenario, dynamics: LoadedRobot, stands: LoadedRobot): Scenario {
  // Loads may be actuators of the compiled robot, behind its own.
  const robot = dynamics.actuators > scenario.robot.actuators.length ? robotOf(scenario) : scenario.robot;
  try {
    const { q } = equilibrium(robot, stands, loadsAtStart(scenario, robot), scenario.q);
    return { ...scenario, q, qd: closedRates(robot, dynamics, q, scenario.qd), exact: true };
  } catch (error) {
    if (!(error instanceof NoEquilibrium)) throw error;
    throw new KanegenError('no-equilibrium', `${robot.name}: ${noEquilibriumText(error)}, near the initial state`, {
      remedy: 'hold coordinates by `hold`, or begin nearer to an equilibrium (kanegen statics finds one)',
    });
  }
}
