/**
 * State files of `evaluate`: { "states": [{ "q": […], "qd": […], "qdd": […] }] }, where each vector is a list in the order of
 * the robot's coordinates or an object by name (missing names: the default for q, zero for rates); without "qd" or "qdd" the
 * rates are zero. Inputs of actuators are "u", by index or by name, zero without. States of robots that depend on the time explicitly have "t", in seconds. Without a file, the robot's own
 * states are taken: its defaults and those that it names.
 */
import { KanegenError } from '../../common/error.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { SourceLocation } from '../../common/error.ts';

export interface RobotState {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
  readonly t?: number;
  readonly u?: readonly number[];
  readonly forces?: readonly number[];
}

const VECTORS = ['q', 'qd', 'qdd'] as const;
type VectorName = (typeof VECTORS)[number] | 'u' | 'tau';
const EXAMPLE = 'write { "states": [{ "q": […], "qd": […], "qdd": […] }] }';

function bad(file: string, message: string, remedy: string): KanegenError {
  return new KanegenError('bad-states', `${file}: ${message}`, { remedy });
}

/** The defaults and the named states of a robot, at rest, by name. */
export function ownStates(robot: Robot): Record<string, RobotState> {
  const zero = robot.coordinates.map(() => 0);
  const time = robot.time ? { t: 0 } : {};
  const configurations = { default: robot.coordinates.map((c) => c.value), ...robot.states };
  return Object.fromEntries(
    Object.entries(configurations).map(([name, q]) => [name, { q, qd: zero, qdd: zero, ...time }]),
  );
}

/** @throws KanegenError `bad-states` naming the index of the state. */
export function parseStates(text: string, file: string, robot: Robot): RobotState[] {
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw bad(file, `not JSON: ${(error as Error).message}`, EXAMPLE);
  }
  refuseDuplicates(text, file);
  const list = (data as { states?: unknown } | null)?.states;
  if (!Array.isArray(list)) throw bad(file, 'the list "states" is missing', EXAMPLE);
  refuseUnknown(data as object, ['states'], '', file);
  return list.map((entry: unknown, index) => parseState(entry, index, file, robot));
}

/** JSON.parse takes the last of equal keys without a word. @param text valid JSON */
function refuseDuplicates(text: string, file: string): void {
  const open: (Set<string> | undefined)[] = [];
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[[\]{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const key = JSON.parse(token.slice(0, -1)) as string;
      const keys = open[open.length - 1]!;
      if (keys.has(key))
        throw new KanegenError('bad-states', `the key ${JSON.stringify(key)} appears twice`, {
          location: locationAt(text, index, file),
          remedy: 'remove one of them',
        });
      keys.add(key);
    }
  }
}

function locationAt(text: string, index: number, file: string): SourceLocation {
  const before = text.slice(0, index).split('\n');
  return { file, line: before.length, column: before[before.length - 1]!.length + 1, path: '' };
}

function refuseUnknown(data: object, known: readonly string[], where: string, file: string): void {
  const unknown = Object.keys(data).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw bad(file, `${where}unknown key ${JSON.stringify(unknown)}`, `the keys are ${known.join(', ')}`);
}

function parseState(entry: unknown, index: number, file: string, robot: Robot): RobotState {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw bad(file, `state ${index} is not an object`, 'write { "q": […], "qd": […], "qdd": […] }');
  const isDriven = robot.actuators.length > 0;
  refuseUnknown(entry, [...VECTORS, 't', 'tau', ...(isDriven ? ['u'] : [])], `state ${index}: `, file);
  const vector = (name: VectorName): number[] =>
    parseVector((entry as Record<string, unknown>)[name], name, index, file, robot);
  const vectors = VECTORS.map(vector);
  const inputs = isDriven ? { u: vector('u') } : {};
  const time = parseTime((entry as Record<string, unknown>)['t'], index, file, robot);
  const isLoaded = (entry as Record<string, unknown>)['tau'] !== undefined;
  const forces = isLoaded ? { forces: vector('tau') } : {};
  return {
    q: vectors[0]!,
    qd: vectors[1]!,
    qdd: vectors[2]!,
    ...(time === undefined ? {} : { t: time }),
    ...inputs,
    ...forces,
  };
}

/** The time belongs to a state exactly where it matters. */
function parseTime(value: unknown, index: number, file: string, robot: Robot): number | undefined {
  const where = `state ${index}, t`;
  if (robot.time) {
    if (value === undefined)
      throw bad(file, `${where}: is missing`, 'the robot depends on the time: give "t" in seconds');
    return finite(value, where, file);
  }
  if (value === undefined) return undefined;
  throw bad(file, `${where}: the robot does not depend on the time`, 'remove "t"');
}

function parseVector(value: unknown, name: VectorName, index: number, file: string, robot: Robot): number[] {
  const where = `state ${index}, ${name}`;
  const what = name === 'u' ? 'actuator' : 'coordinate';
  const entries: readonly { readonly name: string; readonly value?: number }[] =
    name === 'u' ? robot.actuators.map((actuator) => ({ name: actuator.name })) : robot.coordinates;
  const missing = ({ value: usual }: (typeof entries)[number]): number => (name === 'q' ? usual! : 0);
  if (value === undefined && name !== 'q') return entries.map(() => 0);
  if (Array.isArray(value)) {
    if (value.length !== entries.length)
      throw bad(
        file,
        `${where}: ${value.length} numbers, but the robot has ${entries.length} ${what}s`,
        `give one number for each of ${listNames(entries, what)}`,
      );
    return value.map((number, i) => finite(number, `${where}[${i}] (${entries[i]!.name})`, file));
  }
  if (typeof value !== 'object' || value === null)
    throw bad(
      file,
      `${where}: ${value === undefined ? 'is missing' : 'is not a list'}`,
      `give a list of ${entries.length} numbers, or an object by name`,
    );
  const given = new Map(Object.entries(value));
  for (const key of given.keys())
    if (!entries.some((entry) => entry.name === key))
      throw bad(
        file,
        `${where}: the robot has no ${what} ${JSON.stringify(key)}`,
        `its ${what}s are ${listNames(entries, what)}`,
      );
  return entries.map((entry) =>
    given.has(entry.name) ? finite(given.get(entry.name), `${where}.${entry.name}`, file) : missing(entry),
  );
}

function finite(value: unknown, where: string, file: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw bad(
    file,
    `${where}: ${JSON.stringify(value) ?? String(value)} is not a finite number`,
    'write a plain number in SI units',
  );
}

function listNames(entries: readonly { readonly name: string }[], what: string): string {
  const names = entries.map((entry) => entry.name);
  const list = what === 'coordinate' ? ' (kanegen explain --coordinates)' : '';
  return names.length > 8 ? `${names.slice(0, 8).join(', ')}, …${list}` : names.join(', ');
}
