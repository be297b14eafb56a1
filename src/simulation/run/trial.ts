/** Generated code run once, before anybody else does: numbers at the defaults and at the named states of a robot. */
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { KanegenError } from '../../common/error.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Status } from '../../runtime/driver.ts';

const ACTUATION = 'what actuators do';

interface Call {
  readonly what: string;
  readonly of: (dynamics: LoadedRobot) => Status;
}

/**
 * @param make generates the code of a robot, and loads it.
 * @returns that of `robot`.
 * @throws KanegenError `not-finite` naming what has no numbers, and where.
 */
export async function tryStates(robot: Robot, make: (robot: Robot) => Promise<LoadedRobot>): Promise<LoadedRobot> {
  const { coordinates, states, actuators } = robot;
  const dynamics = await make(robot);
  const rest = new Float64Array(coordinates.length);
  const configurations = [
    ['the defaults', coordinates.map(({ value }) => value)] as const,
    ...Object.entries(states).map(([name, q]) => [`the state \`${name}\``, q] as const),
  ];
  for (const [where, q] of configurations) {
    const update: Call = { what: 'the motion', of: (own) => own.update(q, rest) };
    const failed = [update, ...callsOf(robot)].find(({ of }) => of(dynamics) !== KG_OK);
    if (failed && failed.what !== ACTUATION) throw notFinite(failed.what, where).at(robot.links[0]!.location);
    if (!failed) continue;
    // Which of them, is seen of each alone.
    for (const actuator of actuators) {
      const alone = { ...robot, actuators: [actuator], controllers: [] };
      const own = await make(alone);
      if ([update, ...callsOf(alone)].some(({ of }) => of(own) !== KG_OK))
        throw notFinite(`the result of the actuator \`${actuator.name}\``, where).at(actuator.location);
    }
    throw notFinite(ACTUATION, where).at(actuators[0]!.location);
  }
  return dynamics;
}

function notFinite(what: string, where: string): KanegenError {
  return new KanegenError('not-finite', `${what} is not finite at ${where}`, {
    remedy:
      'a formula has no value there, or too large a value: choose other defaults or another state, or write the formula so that it has a limit',
  });
}

/** All functions that need no more than a staged state. */
function callsOf({ coordinates, actuators, frames }: Robot): readonly Call[] {
  const n = coordinates.length;
  const vector = (): Float64Array => new Float64Array(n);
  const [y, B] = [new Float64Array(actuators.length), new Float64Array(n * actuators.length)];
  const [yd, ydd0] = [y.slice(), y.slice()];
  return [
    { what: 'the force of inverse dynamics', of: (d) => d.inverseDynamics(vector(), vector()) },
    { what: 'the mass matrix', of: (d) => d.massMatrix(new Float64Array(n * n)) },
    { what: 'one of the terms of the dynamics', of: (d) => d.terms(vector(), vector(), vector(), vector()) },
    { what: 'the energy', of: (d) => d.energies(new Float64Array(3)) },
    ...frames.map(({ name }, i) => ({
      what: `the frame \`${name}\``,
      of: (d: LoadedRobot) => d.frame(i, new Float64Array(9), new Float64Array(3), new Float64Array(6 * n)),
    })),
    ...(actuators.length > 0 ? [{ what: ACTUATION, of: (d: LoadedRobot) => d.actuation(y, yd, ydd0, B) }] : []),
  ];
}
