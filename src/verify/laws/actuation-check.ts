/** Actuation of generated code held against what the file says, and forces against B u. */
import { KanegenError } from '../../common/error.ts';
import { rubs, type Actuator } from '../../description/model/actuator.ts';
import type { Chamber } from '../../description/model/chamber.ts';
import type { Robot } from '../../description/model/robot.ts';
import { expectedActuation, type ExpectedActuation } from '../independent/actuation.ts';
import { LEAST_FORCE, relative, type ActuationScales } from '../generated/deviation.ts';
import type { Evaluation, State } from '../generated/evaluation.ts';
import { TOLERANCE } from './laws.ts';
import type { Ledger } from './ledger.ts';

export const ACTUATION = {
  coordinates: 'actuation coordinates agree with the file',
  rates: 'their rates and second derivatives are difference quotients of it',
  gradients: 'B has the difference quotients of actuation coordinates',
  forces: 'forces of actuators are B u',
  friction: 'friction of tendons takes energy',
} as const;

/** Lengths and volumes by sums over points, of the error that integrals of the body may have. */
const OF_INTEGRALS = 10;

/** What independent volumes may miss, of what they are compared to. */
const OF_TOLERANCE = 0.02;

/** Terms that are summed over points, or make a robot's whole kinematics. */
const SLOW: ReadonlySet<string> = new Set(['chamber', 'reaching']);

/** States that are looked at: among them a straight one. */
const STATES = 4;

/**
 * What `actuate` adds at the inputs u of the states (one for each actuator, in its unit), against rows of B times u.
 * @param scales by state: of straight pieces and wrenches, in whose forces large numbers may cancel.
 */
export function checkActuatorForces(
  ledger: Ledger,
  states: readonly (State & { readonly name: string })[],
  results: readonly Evaluation[],
  scales: readonly ActuationScales[],
  rounding: number,
): void {
  states.forEach(({ name, u = [] }, i) => {
    const { B = [], actuation = [] } = results[i]!;
    const sizes = B.map((row) => row.reduce((sum, b, j) => sum + Math.abs(b * u[j]!), 0));
    const largest = Math.max(0, ...sizes);
    const parts = scales[i]!.gradients.reduce((sum, size, j) => sum + Math.abs(size * u[j]!), 0);
    B.forEach((row, a) => {
      const due = row.reduce((sum, b, j) => sum + b * u[j]!, 0);
      const error = relative(actuation[a]!, due, Math.max(sizes[a]!, LEAST_FORCE * largest, parts));
      ledger.note(ACTUATION.forces, rounding * TOLERANCE.identity, error, `coordinate ${a}, ${name}`);
    });
  });
}

/**
 * @param inTime runs a piece of work, to an error where it takes too long.
 * @param worst relative error that integrals of bodies may have: places of points are made of them.
 * @returns by state, what rates, second derivatives and gradients of coordinates in which large numbers cancel are compared on at least.
 */
export function checkActuation(
  ledger: Ledger,
  robot: Robot,
  states: readonly (State & { readonly name: string })[],
  results: readonly Evaluation[],
  inTime: <T>(work: () => T) => T | KanegenError,
  worst = 0,
): readonly ActuationScales[] {
  const { actuators } = robot;
  const seen = new Set<Chamber>();
  /** Why volumes are not looked at any more. */
  let late: string | undefined;
  const expectedOf = (actuator: Actuator, state: State, tolerance: number): ExpectedActuation | string => {
    if (!actuator.terms.some(({ kind }) => SLOW.has(kind))) return expectedActuation(robot, actuator, state, 0);
    if (late !== undefined) return late;
    const found = inTime(() => expectedActuation(robot, actuator, state, OF_TOLERANCE * tolerance));
    return found instanceof KanegenError ? (late = found.message) : found;
  };
  /** By actuator, then by state. */
  const parts = actuators.map((actuator, j) => {
    ledger.expect(...lawsOf(actuator));
    checkFriction(ledger, j, actuator, states, results);
    const known = new Map<number, ExpectedActuation['parts'] & { readonly ydd0: number }>();
    const tolerance = toleranceOf(robot, j, worst);
    const chambers = actuator.terms.flatMap((term) => (term.kind === 'chamber' ? [term.chamber] : []));
    // Of many links of one type one moves through all states: volumes take time.
    const isRepeated = chambers.length > 0 && chambers.every((own) => seen.has(own));
    for (const own of chambers) seen.add(own);
    states.slice(0, isRepeated ? 1 : STATES).forEach((state, i) => {
      if (i === 2) return; // a third random state adds nothing but time
      const { y, yd, ydd0, B } = results[i]!;
      const expected = expectedOf(actuator, state, tolerance);
      if (typeof expected === 'string') {
        for (const name of lawsOf(actuator)) ledger.cannot(name, `${actuator.name}, ${state.name}: ${expected}`);
        return;
      }
      const { scale } = expected;
      known.set(i, { ...expected.parts, ydd0: scale.ydd0 });
      const note = (name: string, what: string, found: number, due: number, size: number): void =>
        ledger.note(name, tolerance, relative(found, due, size), `${what} of ${actuator.name}, ${state.name}`);
      note(ACTUATION.coordinates, 'y', y![j]!, expected.y, scale.y);
      note(ACTUATION.rates, 'yd', yd![j]!, expected.yd, scale.yd);
      note(ACTUATION.rates, 'ydd0', ydd0![j]!, expected.ydd0, scale.ydd0);
      expected.gradient.forEach((slope, a) =>
        note(ACTUATION.gradients, `derivative by ${robot.coordinates[a]!.name}`, B![a]![j]!, slope, scale.gradient),
      );
    });
    // Elsewhere the largest of these: rates are of the same size everywhere.
    const largest = (key: 'yd' | 'ydd0' | 'gradient'): number =>
      Math.max(0, ...[...known.values()].map((own) => own[key]));
    const others = { yd: largest('yd'), ydd0: largest('ydd0'), gradient: largest('gradient') };
    return states.map((_, i) => known.get(i) ?? others);
  });
  return states.map((_, i) => ({
    rates: parts.map((own) => own[i]!.yd),
    accelerations: parts.map((own) => own[i]!.ydd0),
    gradients: parts.map((own) => own[i]!.gradient),
  }));
}

const lawsOf = (actuator: Actuator): readonly string[] =>
  Object.values(ACTUATION).filter((name) => name !== ACTUATION.friction || rubs(actuator));

/** Of a unit tension: what the robot is given, no more than the end that pulls puts in. */
function checkFriction(
  ledger: Ledger,
  index: number,
  actuator: Actuator,
  states: readonly (State & { readonly name: string })[],
  results: readonly Evaluation[],
): void {
  if (!rubs(actuator)) return;
  states.forEach(({ name, qd }, i) => {
    const { yd, B } = results[i]!;
    const parts = qd.map((rate, a) => B![a]![index]! * rate);
    const given = parts.reduce((sum, x) => sum + x, 0);
    const size = parts.reduce((sum, x) => sum + Math.abs(x), Math.abs(yd![index]!));
    const made = Math.max(0, given - yd![index]!);
    ledger.note(ACTUATION.friction, TOLERANCE.identity, relative(made, 0, size), `${actuator.name}, ${name}`);
  });
}

function toleranceOf({ actuators, links }: Robot, index: number, worst: number): number {
  const integrals = actuators[index]!.terms.map((term) => {
    switch (term.kind) {
      case 'reaching':
        return worst;
      case 'formula':
      case 'robot-formula':
        return 0;
      case 'route':
      case 'field':
      case 'chamber': {
        const { body } = links[term.link]!;
        return body.kind === 'deformable' ? body.type.integration.tolerance : 0;
      }
    }
  });
  return Math.max(TOLERANCE.identity, OF_INTEGRALS * Math.max(0, ...integrals));
}
