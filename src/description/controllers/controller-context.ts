/** What controllers are read with, and what their laws make of their keys. */
import type { WarningName } from '../model/warnings.ts';
import type { ControlLaw, Gain } from '../model/controller.ts';
import type { Robot } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import type { Scope } from '../values/scope.ts';
import { undrivenCoordinates } from './driven-coordinates.ts';

export interface ControllerContext extends Pick<Robot, 'coordinates' | 'actuators' | 'frames' | 'states'> {
  /** Parameters of the robot. */
  readonly scope: Scope;
  readonly warn: (place: Place, name: WarningName, message: string) => void;
}

/** What a law makes of its keys. */
export interface ControllerReading {
  readonly law: ControlLaw;
  readonly gains: readonly Gain[];
}

export function requireActuators(place: Place, { actuators }: ControllerContext): void {
  if (actuators.length === 0) throw place.keyError('underactuated', 'this robot has no actuators', 'add `actuators:`');
}

/** Says which coordinates a law leaves to themselves that has inputs for all actuators. @param without what that means for them. */
export function warnOfUndriven(place: Place, context: ControllerContext, without: string): void {
  const left = undrivenCoordinates(context, context.actuators);
  const names = left.map((name) => `\`${name}\``).join(', ');
  if (left.length > 0) context.warn(place, 'undriven-coordinate', `no actuator acts on ${names}: ${without}`);
}
