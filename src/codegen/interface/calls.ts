/** What doors for languages without pointers say of the functions of a robot. */
import type { RobotInterface } from './robot-interface.ts';

type FunctionInterface = RobotInterface['functions'][number];

/** Calls are complete in themselves, state included. */
export const isComplete = (f: FunctionInterface): boolean =>
  f.after === undefined && f.arguments.some(({ role }) => role === 'output');

/** Purposes speak of pointers of C; of functions without one the name says all. */
export function purposeOf({ name, purpose }: FunctionInterface): string {
  if (purpose !== '')
    return purpose.replace(/[;,] (a null pointer|dqdd may not)[^.]*/, '').replace(', by its index', '');
  const words = name.replace(/_at$/, ' in one call').replace(/_/g, ' ');
  return `${words[0]!.toUpperCase()}${words.slice(1)}.`;
}

/** Units of what functions take and give in the order of coordinates or inputs, and of points; undefined where others say them. */
export function unitsOf({ coordinates, inputs }: RobotInterface, name: string): string | undefined {
  const per = (unit: string, time: string): string => (unit === '1' ? `1/${time}` : `${unit}/${time}`);
  const tables: Readonly<Record<string, readonly string[]>> = {
    q: coordinates.map(({ unit }) => unit),
    qd: coordinates.map(({ rateUnit }) => rateUnit),
    qdd: coordinates.map(({ unit }) => per(unit, 's^2')),
    tau: coordinates.map(({ forceUnit }) => forceUnit),
    u: inputs.map(({ unit }) => unit),
    wrench: ['N m', 'N'],
    t: ['m'],
    position: ['m'],
    centre: ['m'],
    mass: ['kg'],
  };
  // Long lists repeat what the table of coordinates says.
  const units = Object.hasOwn(tables, name) ? tables[name]! : [];
  return units.length === 0 ? undefined : [...new Set(units)].join(', ');
}

/** `, 0 to 2` */
export function limitsText({
  lower,
  upper,
}: {
  readonly lower?: number | undefined;
  readonly upper?: number | undefined;
}): string {
  if (lower !== undefined && upper !== undefined) return `, ${lower} to ${upper}`;
  if (lower !== undefined) return `, at least ${lower}`;
  return upper === undefined ? '' : `, at most ${upper}`;
}
