/** `motor:`: a drive on one coordinate of a joint, y = ratio · q. Without limits of its own it gives the effort that the joint allows. */
import { one } from '../../symbolic/graph/expr.ts';
import { coordinateSymbol } from '../model/actuator.ts';
import type { RawActuator } from '../language/actuators.ts';
import type { Place } from '../source/source.ts';
import { knownNumber, readScalar } from '../values/scope.ts';
import { dimensionless, dimensionText, equalDimensions, multiplyDimensions, parseUnit } from '../values/units.ts';
import { coordinateNamed, type ActuatorContext, type ActuatorReading } from './actuator-context.ts';

/** @throws KanegenError `unknown-coordinate`, `wrong-value`, or what reading the ratio throws. */
export function readMotor(place: Place, raw: RawActuator, context: ActuatorContext): ActuatorReading {
  const at = place.at('motor');
  const { name, link, part, unit, driveLimits } = context.coordinates[coordinateNamed(at, raw.motor!, context)]!;
  if (part === 'body')
    throw at.error(
      'wrong-value',
      `\`${name}\` is a coordinate of a body; motors drive joints`,
      `write \`along: ${name}\``,
    );
  const ratio = raw.ratio === undefined ? undefined : readRatio(place.at('ratio'), raw.ratio, context);
  const dimension = multiplyDimensions(ratio?.dimension ?? dimensionless, parseUnit(unit).dimension);
  const isPlain = !ratio?.dimension || equalDimensions(ratio.dimension, dimensionless);
  const known = ratio ? knownNumber(ratio.value, new Map()) : 1;
  const effort = known === undefined ? undefined : driveLimits?.effort;
  const most = effort === undefined ? undefined : effort / Math.abs(known!);
  const summand = { coefficient: ratio?.value ?? one, value: coordinateSymbol(name) };
  return {
    coordinateUnit: isPlain ? unit : dimensionText(dimension),
    terms: [{ kind: 'formula', link, summands: [summand] }],
    ...(most !== undefined && { lower: -most, upper: most }),
  };
}

function readRatio(place: Place, raw: number | string, { scope, defaults }: ActuatorContext) {
  const reading = readScalar(place, raw, { what: 'the ratio' }, scope);
  if (knownNumber(reading.value, defaults) === 0)
    throw place.error('wrong-value', 'a motor with the ratio 0 drives nothing', 'write another ratio');
  return reading;
}
