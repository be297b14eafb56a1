/** `wrench:`: a force or a moment of the size of the input along an axis, at a point of a link: a thruster, a pull, a wind. */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { readAxis } from '../joints/joint.ts';
import { unitWrench } from '../model/frame-terms.ts';
import type { RawActuator } from '../language/actuators.ts';
import type { Place } from '../source/source.ts';
import { readAnchor } from './anchor.ts';
import type { ActuatorContext, ActuatorReading } from './actuator-context.ts';

/** @throws KanegenError `wrong-value`, `wrong-shape`, `zero-axis`, or what reading the point throws. */
export function readWrench(place: Place, actuator: RawActuator, context: ActuatorContext): ActuatorReading {
  const at = place.at('wrench');
  const raw = actuator.wrench!;
  if ((raw.force === undefined) === (raw.moment === undefined))
    throw at.error(
      'wrong-value',
      'a wrench is a force or a moment along an axis',
      'write `force: z` or `moment: z`; for both write two actuators',
    );
  const kind = raw.force === undefined ? 'moment' : 'force';
  const axis = evaluate(readAxis(at.at(kind), raw[kind], context.scope));
  const wrench = kind === 'force' ? [0, 0, 0, ...axis] : [...axis, 0, 0, 0];
  const on = readAnchor(at, raw, context);
  return {
    coordinateUnit: kind === 'force' ? 'm' : 'rad',
    terms: [unitWrench(on, raw.axes === 'world' ? 'world' : 'frame', wrench)],
  };
}
