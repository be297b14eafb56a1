/** Actuation of generated code held against what the file says, and forces against B u. */
import type { Robot } from '../description/model/robot.ts';
import { expectedActuation, isKnown } from './actuation.ts';
import { relative } from './deviation.ts';
import type { Evaluation, State } from './evaluation.ts';
import { TOLERANCE } from './laws.ts';
import type { Ledger } from './ledger.ts';

export const ACTUATION = {
  coordinates: 'actuation coordinates of motors, formulas and tendons are what the file says',
  rates: 'their rates and second derivatives are difference quotients of it',
  gradients: 'B has the difference quotients of actuation coordinates',
} as const;

/** Lengths by sums over points, of the error that integrals of the body may have. */
const OF_INTEGRALS = 10;

/** States that are looked at: among them a straight one. */
const STATES = 4;

export function checkActuation(
  ledger: Ledger,
  robot: Robot,
  states: readonly (State & { readonly name: string })[],
  results: readonly Evaluation[],
): void {
  const { actuators } = robot;
  actuators.forEach((actuator, j) => {
    if (!isKnown(actuator)) return;
    ledger.expect(...Object.values(ACTUATION));
    const tolerance = toleranceOf(robot, j);
    states.slice(0, STATES).forEach((state, i) => {
      if (i === 2) return; // a third random state adds nothing but time
      const { y, yd, ydd0, B } = results[i]!;
      const expected = expectedActuation(robot, actuator, state);
      if (typeof expected === 'string') {
        for (const name of Object.values(ACTUATION))
          ledger.cannot(name, `${actuator.name}, ${state.name}: ${expected}`);
        return;
      }
      const { scale } = expected;
      const note = (name: string, what: string, found: number, due: number, size: number): void =>
        ledger.note(name, tolerance, relative(found, due, size), `${what} of ${actuator.name}, ${state.name}`);
      note(ACTUATION.coordinates, 'y', y![j]!, expected.y, scale.y);
      note(ACTUATION.rates, 'yd', yd![j]!, expected.yd, scale.yd);
      note(ACTUATION.rates, 'ydd0', ydd0![j]!, expected.ydd0, scale.ydd0);
      expected.gradient.forEach((slope, a) =>
        note(ACTUATION.gradients, `derivative by ${robot.coordinates[a]!.name}`, B![a]![j]!, slope, scale.gradient),
      );
    });
  });
}

function toleranceOf({ actuators, links }: Robot, index: number): number {
  const integrals = actuators[index]!.terms.map((term) => {
    if (term.kind !== 'route') return 0;
    const { body } = links[term.link]!;
    return body.kind === 'deformable' ? body.type.integration.tolerance : 0;
  });
  return Math.max(TOLERANCE.identity, OF_INTEGRALS * Math.max(0, ...integrals));
}
