/** What actuators are read with: the robot as far as it is known when they are. */
import type { KanegenError } from '../../common/error.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import type { Actuator } from '../model/actuator.ts';
import type { WarningName } from '../model/warnings.ts';
import { prescribedNames, type Link, type NamedFrame, type RobotCoordinate } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import type { Scope } from '../values/scope.ts';

/** What a kind of actuator makes of its keys. */
export type ActuatorReading = Pick<Actuator, 'terms' | 'drives' | 'coordinateUnit' | 'lower' | 'upper'>;

export interface ActuatorContext {
  /** Parameters of the robot, with their defaults where they are known at run time only. */
  readonly scope: Scope;
  readonly defaults: ReadonlyMap<Expr, number>;
  readonly links: readonly Link[];
  readonly coordinates: readonly RobotCoordinate[];
  /** Indices of the links that a name means: all of them for the common name of repeated ones. */
  readonly named: ReadonlyMap<string, readonly number[]>;
  /** Of links and named frames. */
  readonly frameNames: readonly string[];
  /** The frame that a name means. @throws KanegenError `unknown-frame`. */
  frameNamed(place: Place, name: string): NamedFrame;
  readonly warn: (place: Place, name: WarningName, message: string) => void;
}

/** Index of the coordinate of this name. @throws KanegenError `unknown-coordinate`. */
export function coordinateNamed(place: Place, name: string, { coordinates, links }: ActuatorContext): number {
  const known = coordinates.map((coordinate) => coordinate.name);
  const index = known.indexOf(name);
  if (index >= 0) return index;
  if (prescribedNames({ links }).includes(name))
    throw place.error(
      'unknown-coordinate',
      `\`${name}\` follows the time`,
      'remove this: nothing else drives it, and what moves it is an output (`prescribed_forces`)',
    );
  const within = known.find((other) => other.startsWith(`${name}.`));
  throw unknown(place, 'coordinate', name, within ?? nearest(name, known), known);
}

/** Indices of the links of this name. @throws KanegenError `unknown-link`. */
export function linksNamed(place: Place, name: string, { named }: ActuatorContext): readonly number[] {
  const found = named.get(name);
  if (found) return found;
  const known = [...named.keys()];
  throw unknown(place, 'link', name, nearest(name, known), known);
}

function unknown(
  place: Place,
  what: string,
  name: string,
  close: string | undefined,
  known: readonly string[],
): KanegenError {
  return place.error(
    `unknown-${what}`,
    `unknown ${what} \`${name}\``,
    close ? `did you mean \`${close}\`?` : `${what}s: ${known.slice(0, 30).join(', ')}`,
  );
}
