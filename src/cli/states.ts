/**
 * State files of `evaluate`: { "states": [{ "q": […], "qd": […], "qdd": […] }] }, where each vector is a list in the order of
 * the robot's coordinates or an object by name (missing names: the default for q, zero for rates). States of robots that
 * depend on the time explicitly have "t", in seconds.
 */
import { KanegenError } from '../symbolic/error.ts';
import { dependsOnTime, type Robot } from '../description/robot.ts';

export interface RobotState {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
  readonly t?: number;
}

const VECTORS = ['q', 'qd', 'qdd'] as const;

function bad(file: string, message: string, remedy: string): KanegenError {
  return new KanegenError('bad-states', `${file}: ${message}`, { remedy });
}

/** @throws KanegenError `bad-states` naming the index of the state. */
export function parseStates(text: string, file: string, robot: Robot): RobotState[] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw bad(
      file,
      `not JSON: ${(error as Error).message}`,
      'write { "states": [{ "q": […], "qd": […], "qdd": […] }] }',
    );
  }
  const list = (data as { states?: unknown } | null)?.states;
  if (!Array.isArray(list))
    throw bad(file, 'there is no list "states"', 'write { "states": [{ "q": […], "qd": […], "qdd": […] }] }');
  return list.map((entry: unknown, index) => parseState(entry, index, file, robot));
}

function parseState(entry: unknown, index: number, file: string, robot: Robot): RobotState {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw bad(file, `state ${index} is not an object`, 'write { "q": […], "qd": […], "qdd": […] }');
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
