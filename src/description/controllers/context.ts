/** What controllers are read with, and what their laws make of their keys. */
import type { ControlLaw, Gain } from '../model/controller.ts';
import type { Robot } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import type { Scope } from '../values/scope.ts';

export interface ControllerContext extends Pick<Robot, 'coordinates' | 'actuators' | 'frames' | 'states'> {
  /** Parameters of the robot. */
  readonly scope: Scope;
}

/** What a law makes of its keys. */
export interface ControllerReading {
  readonly law: ControlLaw;
  readonly gains: readonly Gain[];
}

export function requireActuators(place: Place, { actuators }: ControllerContext): void {
  if (actuators.length === 0) throw place.keyError('underactuated', 'nothing drives this robot', 'add `actuators:`');
}
