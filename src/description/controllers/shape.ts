/** `shape` of `controllers:`: the shape of rods in equilibrium, by the tensions that their actuators drive. */
import type { Actuator } from '../model/actuator.ts';
import type { RawController } from '../language/controllers.ts';
import type { Place } from '../source/source.ts';
import { dimensionless, dimensionPower, multiplyDimensions, parseUnit, type Dimension } from '../values/units.ts';
import { indicesOf, requireActuators, type ControllerContext, type ControllerReading } from './controller-context.ts';
import { readGain, type GainDue } from './gains.ts';

/** @throws KanegenError `underactuated`, `wrong-value`, `overactuated`, or what gains throw. */
export function readShape(
  place: Place,
  raw: NonNullable<RawController['shape']>,
  context: ControllerContext,
): ControllerReading {
  requireActuators(place, context);
  const { actuators, coordinates, scope } = context;
  const used = indicesOf(place.at('actuators'), raw.actuators, context);
  const tensions = used.map((index, k) => {
    const { name, drives = [] } = actuators[index]!;
    const at = raw.actuators ? place.at('actuators', k) : place;
    const [only] = drives;
    if (only === undefined || drives.length > 1)
      throw at[raw.actuators ? 'error' : 'keyError'](
        'wrong-value',
        only === undefined
          ? `\`${name}\` drives no tension of an equilibrium`
          : `\`${name}\` drives the tensions of ${drives.length} rods, which have shapes of their own`,
        only === undefined
          ? `write \`${name}: { drives: LINK.COORDINATE }\`, or list the actuators that do: \`actuators: [ … ]\``
          : 'give each rod an actuator of its own',
      );
    return only;
  });
  const twice = tensions.findIndex((own, k) => tensions.indexOf(own) < k);
  if (twice >= 0)
    throw place.keyError(
      'overactuated',
      `two actuators drive \`${coordinates[tensions[twice]!]!.name}\``,
      'list one of them: `actuators: [ … ]`',
    );
  const all = tensions.length === coordinates.length;
  const dueOf = (power: number): GainDue[] =>
    used.map((index) => ({
      of: actuators[index]!.name,
      dimension: multiplyDimensions(all ? dimensionless : gainOf(actuators[index]!), perTime(power)),
    }));
  const read = (name: 'kp' | 'kd', power: number, summary: string) =>
    readGain(place.at(name), raw[name], { name, summary }, dueOf(power), 'actuator', scope);
  return {
    law: { kind: 'shape', actuators: used, tensions, all },
    gains: [read('kp', 0, 'by the error of the shape'), read('kd', 1, 'by the error of its rate')],
  };
}

const perTime = (power: number): Dimension => dimensionPower(parseUnit('s').dimension, power);
/** Of an input by what it does work on. */
const gainOf = ({ unit, coordinateUnit }: Actuator): Dimension =>
  multiplyDimensions(parseUnit(unit).dimension, dimensionPower(parseUnit(coordinateUnit).dimension, -1));
