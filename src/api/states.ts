/**
 * State files of `evaluate`: { "states": [{ "q": […], "qd": […], "qdd": […] }] }, where each vector is a list in the order of
 * the robot's coordinates or an object by name (missing names: the default for q, zero for rates); without "qd" or "qdd" the
 * rates are zero. Inputs of actuators are "u", by index or by name, zero without. States of robots that depend on the time explicitly have "t", in seconds. Without a file, the robot's own
 * states are taken: its defaults and those that it names.
 */
import { KanegenError } from '../common/error.ts';
import type { Robot } from '../description/model/robot.ts';
import type { SourceLocation } from '../common/error.ts';
import type { State } from '../codegen/modules/evaluation.ts';
import { finite, numbersOf, type Numbers, type Refuse } from './by-name.ts';

/** A state as callers and state files give it: numbers in the order of the robot, or by name; SI units. */
export interface GivenState {
  /** Of coordinates; where an object leaves a name out, its default. */
  readonly q: Numbers;
  /** Zero where missing. */
  readonly qd?: Numbers;
  readonly qdd?: Numbers;
  /** s; of robots that depend on the time, and of no others. */
  readonly t?: number;
  /** Inputs of actuators; zero where missing. */
  readonly u?: Numbers;
  /** Generalized forces whose accelerations are wanted; those that the motion takes when missing. */
  readonly tau?: Numbers;
}

const VECTORS = ['q', 'qd', 'qdd'] as const;
type VectorName = (typeof VECTORS)[number] | 'u' | 'tau';
const EXAMPLE = 'write { "states": [{ "q": […], "qd": […], "qdd": […] }] }';

const refusing =
  (file: string): Refuse =>
  (message, remedy) =>
    bad(file, message, remedy);

function bad(file: string, message: string, remedy: string): KanegenError {
  return new KanegenError('bad-states', `${file}: ${message}`, { remedy });
}

/** The defaults and the named states of a robot, at rest, by name. */
export function ownStates(robot: Robot): Record<string, State> {
  const zero = robot.coordinates.map(() => 0);
  const time = robot.time ? { t: 0 } : {};
  const configurations = { default: robot.coordinates.map((c) => c.value), ...robot.states };
  return Object.fromEntries(
    Object.entries(configurations).map(([name, q]) => [name, { q, qd: zero, qdd: zero, ...time }]),
  );
}

/** @throws KanegenError `bad-states` naming the index of the state. */
export function parseStates(text: string, file: string, robot: Robot): State[] {
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
  return statesOf(list, file, robot);
}

/** States as callers give them. @throws KanegenError `bad-states` naming the index of the state. @param file or call, for messages. */
export function statesOf(list: readonly unknown[], file: string, robot: Robot): State[] {
  return list.map((entry, index) => parseState(entry, index, file, robot));
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

function parseState(entry: unknown, index: number, file: string, robot: Robot): State {
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
    return finite(refusing(file), where, value);
  }
  if (value === undefined) return undefined;
  throw bad(file, `${where}: the robot does not depend on the time`, 'remove "t"');
}

function parseVector(value: unknown, name: VectorName, index: number, file: string, robot: Robot): number[] {
  const where = `state ${index}, ${name}`;
  const what = name === 'u' ? 'actuator' : 'coordinate';
  const entries: readonly { readonly name: string; readonly value?: number }[] =
    name === 'u' ? robot.actuators.map((actuator) => ({ name: actuator.name })) : robot.coordinates;
  if (value === undefined && name !== 'q') return entries.map(() => 0);
  const missing = ({ value: usual }: (typeof entries)[number]): number => (name === 'q' ? usual! : 0);
  return numbersOf(refusing(file), where, value, entries, { what, missing });
}
