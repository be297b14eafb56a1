/** What controllers are read with, and what their laws make of their keys. */
import { nearest } from '../../common/nearest.ts';
import type { WarningName } from '../model/warnings.ts';
import type { ControlLaw, Gain } from '../model/controller.ts';
import { rowsOf, type Loop } from '../model/loop.ts';
import type { Robot } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { constantNumber, readScalar, type Due, type RawValue, type Scope } from '../values/scope.ts';
import { undrivenCoordinates } from './driven-coordinates.ts';

export interface ControllerContext extends Pick<Robot, 'links' | 'coordinates' | 'actuators' | 'frames' | 'states'> {
  /** Rows of them add their multipliers to what actuators can do. */
  readonly loops: readonly Loop[];
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
  // Loops move what no actuator acts on.
  const left = rowsOf(context) > 0 ? [] : undrivenCoordinates(context, context.actuators);
  const names = left.map((name) => `\`${name}\``).join(', ');
  if (left.length > 0) context.warn(place, 'undriven-coordinate', `no actuator acts on ${names}: ${without}`);
}

/** Actuators by their names, each once; all where none are named. */
export function indicesOf(
  place: Place,
  names: readonly string[] | undefined,
  { actuators }: ControllerContext,
): readonly number[] {
  const known = actuators.map(({ name }) => name);
  if (names === undefined) return known.map((_, i) => i);
  return names.map((name, i) => {
    const at = place.at(i);
    const index = known.indexOf(name);
    if (index < 0) {
      const close = nearest(name, known);
      throw at.error(
        'unknown-actuator',
        `unknown actuator \`${name}\``,
        close ? `did you mean \`${close}\`?` : `actuators: ${known.slice(0, 30).join(', ')}`,
      );
    }
    if (names.indexOf(name) < i) throw at.error('duplicate-name', `\`${name}\` appears twice`, 'remove it');
    return index;
  });
}

/** The index of a name among those that are known. @throws KanegenError `unknown-WHAT` */
export function indexOf(at: Place, name: string, known: readonly string[], what: string): number {
  const index = known.indexOf(name);
  if (index >= 0) return index;
  const close = nearest(name, known);
  throw at.error(
    `unknown-${what}`,
    `unknown ${what} \`${name}\``,
    close === undefined ? `${what}s: ${known.slice(0, 30).join(', ') || 'none'}` : `did you mean \`${close}\`?`,
  );
}

/** A number above zero. @throws KanegenError `wrong-value`, or what scalars throw. */
export function above(at: Place, raw: RawValue, due: Due, scope: Scope): number {
  const number = constantNumber(at, readScalar(at, raw, due, scope).value);
  if (!(number > 0)) throw at.error('wrong-value', `${number} is not above zero`, 'write a value above zero');
  return number;
}
