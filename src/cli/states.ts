/**
 * State files of `evaluate`: { "states": [{ "q": […], "qd": […], "qdd": […] }] }, where each vector is a list in the order of
 * the robot's coordinates or an object by name (missing names: the default for q, zero for rates); without "qd" or "qdd" the
 * rates are zero. States of robots that depend on the time explicitly have "t", in seconds. Without a file, the robot's own
 * states are taken: its defaults and those that it names.
 */
import { KanegenError } from '../symbolic/error.ts';
import { dependsOnTime, type Robot } from '../description/model/robot.ts';
import type { SourceLocation } from '../symbolic/error.ts';

export interface RobotState {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
  readonly t?: number;
}

const VECTORS = ['q', 'qd', 'qdd'] as const;
const EXAMPLE = 'write { "states": [{ "q": […], "qd": […], "qdd": […] }] }';

function bad(file: string, message: string, remedy: string): KanegenError {
  return new KanegenError('bad-states', `${file}: ${message}`, { remedy });
}

/** The defaults and the named states of a robot, at rest, by name. */
export function ownStates(robot: Robot): Record<string, RobotState> {
  const zero = robot.coordinates.map(() => 0);
  const time = dependsOnTime(robot) ? { t: 0 } : {};
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
  if (!Array.isArray(list)) throw bad(file, 'there is no list "states"', EXAMPLE);
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
        throw new KanegenError('bad-states', `the key ${JSON.stringify(key)} is given twice`, {
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
    throw bad(file, `${where}unknown key ${JSON.stringify(unknown)}`, `the keys here are ${known.join(', ')}`);
}

function parseState(entry: unknown, index: number, file: string, robot: Robot): RobotState {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw bad(file, `state ${index} is not an object`, 'write { "q": […], "qd": […], "qdd": […] }');
  refuseUnknown(entry, [...VECTORS, 't'], `state ${index}: `, file);
  const vectors = VECTORS.map((name) =>
    parseVector((entry as Record<string, unknown>)[name], name, index, file, robot),
  );
  const time = parseTime((entry as Record<string, unknown>)['t'], index, file, robot);
  return { q: vectors[0]!, qd: vectors[1]!, qdd: vectors[2]!, ...(time === undefined ? {} : { t: time }) };
}

/** The time belongs to a state exactly where it matters. */
function parseTime(value: unknown, index: number, file: string, robot: Robot): number | undefined {
  const where = `state ${index}, t`;
  if (dependsOnTime(robot)) {
    if (value === undefined)
      throw bad(file, `${where}: is missing`, 'the robot depends on the time: give "t" in seconds');
    return finite(value, where, file);
  }
  if (value === undefined) return undefined;
  throw bad(file, `${where}: nothing of the robot depends on the time`, 'remove "t"');
}

function parseVector(
  value: unknown,
  name: (typeof VECTORS)[number],
  index: number,
  file: string,
  robot: Robot,
): number[] {
  const where = `state ${index}, ${name}`;
  const { coordinates } = robot;
  if (value === undefined && name !== 'q') return coordinates.map(() => 0);
  if (Array.isArray(value)) {
    if (value.length !== coordinates.length)
      throw bad(
        file,
        `${where}: ${value.length} numbers, but the robot has ${coordinates.length} coordinates`,
        `give one number for each of ${listNames(robot)}`,
      );
    return value.map((number, i) => finite(number, `${where}[${i}] (${coordinates[i]!.name})`, file));
  }
  if (typeof value !== 'object' || value === null)
    throw bad(
      file,
      `${where}: ${value === undefined ? 'is missing' : 'is not a list'}`,
      `give a list of ${coordinates.length} numbers, or an object by name`,
    );
  const given = new Map(Object.entries(value));
  for (const key of given.keys())
    if (!coordinates.some((c) => c.name === key))
      throw bad(
        file,
        `${where}: the robot has no coordinate ${JSON.stringify(key)}`,
        `its coordinates are ${listNames(robot)}`,
      );
  return coordinates.map((c) =>
    given.has(c.name) ? finite(given.get(c.name), `${where}.${c.name}`, file) : name === 'q' ? c.value : 0,
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

function listNames(robot: Robot): string {
  const names = robot.coordinates.map((c) => c.name);
  return names.length > 8 ? `${names.slice(0, 8).join(', ')}, … (kanegen explain --coordinates)` : names.join(', ');
}
