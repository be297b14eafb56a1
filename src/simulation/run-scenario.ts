/** Runs of scenarios: of motions by steps, of equilibria by a search. */
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import { TIME } from '../description/model/robot.ts';
import { NoEquilibrium, noEquilibriumText, type Equilibrium } from './equilibria/equilibrium.ts';
import { equilibrium } from './equilibria/statics.ts';
import type { IntegrationCounts } from './integrators/integrator.ts';
import { atRest, closedStart, loadsAtStart } from './closed-start.ts';
import { MechanicalSystem } from './run/mechanical-system.ts';
import { compared, outcomes, simulate, valueOf, type Comparison, type Run, type RunWith } from './run/simulate.ts';
import type { Expectation } from './scenario/expectation.ts';
import type { Scenario } from './scenario/scenario.ts';

export function runScenario(scenario: Scenario, dynamics: LoadedRobot, given: RunWith = {}): Run {
  const closed = closedStart(scenario, dynamics, given.stands);
  return closed.statics ? rest(closed, dynamics, given.stands) : simulate(closed, dynamics, given);
}

/** A run of one sample, the equilibrium. Its failure is that there is none, unless that is expected. */
function rest(scenario: Scenario, dynamics: LoadedRobot, stands: LoadedRobot | undefined): Run {
  const { robot, start: t, expectations } = scenario;
  if (robot.time) dynamics.parameters[TIME.name] = t;
  const resting = atRest(scenario, dynamics, stands);
  const found = searched(() => equilibrium(robot, resting, loadsAtStart(scenario, robot), scenario.q));
  const ofNone = expectations.filter(({ none }) => none).map((due) => noneCompared(due, found));
  const common = { events: [], balance: undefined, integrator: 'equilibrium by Newton’s method' };
  if (found instanceof NoEquilibrium) {
    const isExpected = ofNone.length > 0 && ofNone.length === expectations.length;
    const failure = isExpected ? undefined : { message: noEquilibriumText(found) };
    return { ...common, samples: [], comparisons: ofNone, failure, counts: countsOf(0) };
  }
  const system = new MechanicalSystem(scenario, dynamics);
  const n = robot.coordinates.length;
  const y = Float64Array.from([...found.q, ...new Array<number>(n + 2).fill(0)]);
  const { frames, kinetic, potential, elastic, contacts } = system.observe(t, y, scenario.frames);
  const u = [...system.inputsAt(t, y.subarray(0, n), y.subarray(n, 2 * n)).subarray(0, robot.actuators.length)];
  const energy = { kinetic, potential, elastic, dissipated: 0, work: 0 };
  const values = expectations.filter(({ none }) => !none);
  return {
    ...common,
    samples: [
      { t, q: found.q, qd: [...y.subarray(n, 2 * n)], u, frames, energy, ...(contacts.length > 0 && { contacts }) },
    ],
    comparisons: [
      ...ofNone,
      ...values.flatMap((due) =>
        compared(due, (of) => ('multiplier' in of ? found.multipliers![of.multiplier]! : valueOf(system, of, t, y))),
      ),
    ],
    failure: undefined,
    counts: countsOf(found.iterations),
  };
}

const countsOf = (iterations: number): IntegrationCounts => ({
  steps: iterations,
  rejected: 0,
  evaluations: iterations,
  factorisations: iterations,
});

function searched(search: () => Equilibrium): Equilibrium | NoEquilibrium {
  try {
    return search();
  } catch (error) {
    if (error instanceof NoEquilibrium) return error;
    throw error;
  }
}

/** The number of equilibria that were found, where none is expected. */
function noneCompared(due: Expectation, found: Equilibrium | NoEquilibrium): Comparison {
  const { at, source, kind, notMet } = due;
  const isMet = found instanceof NoEquilibrium;
  const [outcome] = outcomes(due, [isMet]);
  const name = isMet ? `equilibria (${noEquilibriumText(found)})` : 'equilibria';
  return { at, name, expected: 0, found: isMet ? 0 : 1, within: 0, source, kind, outcome: outcome!, notMet };
}
