/**
 * Numbers, frames and coordinates of a robot as callers give them: in the order of the robot, or by name. Whatever is no such
 * thing is refused with what was called, which argument it is, and what it takes.
 */
import { KanegenError } from '../common/error.ts';
import { nearest } from '../common/nearest.ts';
import type { Robot } from '../description/model/robot.ts';
import type { StaticLoads, StaticWrench } from '../simulation/equilibria/static-loads.ts';
import type { PoseGoal } from '../simulation/equilibria/pose-search.ts';

/** A number per coordinate or actuator, SI units: a list in the order of the robot, or an object by name. */
export type Numbers = ArrayLike<number> | Readonly<Record<string, number>>;

/** Name, or index into the list of the robot. */
export type NameOrIndex = string | number;

/** A force and a moment on a frame. */
export interface FrameWrench {
  /** A frame of the robot; `tip` is its tip. */
  readonly frame: NameOrIndex;
  /** N, at the origin of the frame; zero when missing. */
  readonly force?: ArrayLike<number>;
  /** N m, about the origin of the frame; zero when missing. */
  readonly moment?: ArrayLike<number>;
  /** In axes of the frame, which it follows; in world axes when missing. */
  readonly follows?: boolean;
}

/** All that acts on a robot beside gravity. */
export interface Loads {
  /** Inputs u of actuators, in their units; zero where missing. */
  readonly inputs?: Numbers;
  /** Generalized forces by coordinate, N m, N or J per unit; zero where missing. */
  readonly forces?: Numbers;
  readonly wrenches?: readonly FrameWrench[];
  /** Coordinates, or links for all of theirs, that brakes hold where the search begins. */
  readonly held?: readonly NameOrIndex[];
}

/** A configuration: a number per coordinate, or the name of a state of the robot file; `default` is that of the defaults. */
export type Configuration = string | Numbers;

/** A pose that a frame is to have. */
export interface FramePose {
  /** The tip when missing. */
  readonly frame?: NameOrIndex;
  /** World axes, m. */
  readonly position: readonly [number, number, number];
  /** 3 × 3, row-major, frame to world; any when missing. */
  readonly rotation?: readonly number[];
}

interface Named {
  readonly name: string;
}

/** How a call refuses an argument. */
export type Refuse = (message: string, remedy: string) => KanegenError;

/** Of a method of the library, by its name: `wrong-argument`. */
export function refusalOf(call: string): Refuse {
  return (message, remedy) => new KanegenError('wrong-argument', `${call}: ${message}`, { remedy });
}

/**
 * Numbers in the order of the robot.
 * @param where the argument in messages: `forces`.
 * @param missing number of a name that an object leaves out.
 */
export function numbersOf<Entry extends Named>(
  refuse: Refuse,
  where: string,
  given: unknown,
  entries: readonly Entry[],
  {
    what,
    missing = () => 0,
  }: { readonly what: 'coordinate' | 'actuator' | 'profile'; readonly missing?: (entry: Entry) => number },
): number[] {
  if (Array.isArray(given) || ArrayBuffer.isView(given)) {
    const list = Array.from(given as unknown as ArrayLike<unknown>);
    if (list.length !== entries.length)
      throw refuse(
        `${where}: ${list.length} numbers, but the robot has ${entries.length} ${what}s`,
        `give one number for each of ${listNames(entries, what)}`,
      );
    return list.map((number, i) => finite(refuse, `${where}[${i}] (${entries[i]!.name})`, number));
  }
  if (typeof given !== 'object' || given === null)
    throw refuse(
      `${where}: ${given === undefined ? 'is missing' : 'is not a list'}`,
      `give a list of ${entries.length} numbers, or an object by name`,
    );
  const known = new Map<string, unknown>(Object.entries(given));
  for (const key of known.keys())
    if (!entries.some((entry) => entry.name === key))
      throw refuse(
        `${where}: the robot has no ${what} ${JSON.stringify(key)}`,
        `its ${what}s are ${listNames(entries, what)}`,
      );
  return entries.map((entry) =>
    known.has(entry.name) ? finite(refuse, `${where}.${entry.name}`, known.get(entry.name)) : missing(entry),
  );
}

/** @throws KanegenError where it is none. */
export function finite(refuse: Refuse, where: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw refuse(
    `${where}: ${JSON.stringify(value) ?? String(value)} is not a finite number`,
    'write a plain number in SI units',
  );
}

function listNames(entries: readonly Named[], what: string): string {
  const names = entries.map((entry) => entry.name);
  const list = what === 'coordinate' ? ' (kanegen explain --coordinates)' : '';
  return names.length > 8 ? `${names.slice(0, 8).join(', ')}, …${list}` : names.join(', ') || 'none';
}

function indexOf(refuse: Refuse, where: string, given: NameOrIndex, known: readonly Named[], what: string): number {
  const names = known.map(({ name }) => name);
  const index = typeof given === 'string' ? names.indexOf(given) : given;
  if (Number.isInteger(index) && index >= 0 && index < names.length) return index;
  const close = typeof given === 'string' ? nearest(given, names) : undefined;
  const remedy =
    close === undefined ? `${what}s: ${names.slice(0, 30).join(', ') || 'none'}` : `did you mean ${close}?`;
  throw refuse(`${where}: the robot has no ${what} ${JSON.stringify(given) ?? String(given)}`, remedy);
}

/** The index of a frame. */
function frameOf(refuse: Refuse, { frames, tip }: Robot, where: string, given: NameOrIndex): number {
  const isTip = given === 'tip' && !frames.some(({ name }) => name === 'tip');
  return isTip ? tip : indexOf(refuse, where, given, frames, 'frame');
}

/** Three numbers, zeros when missing. */
function vectorOf(refuse: Refuse, where: string, given: ArrayLike<number> | undefined): number[] {
  if (given === undefined) return [0, 0, 0];
  if (given?.length !== 3) throw refuse(`${where}: takes 3 numbers`, 'give [x, y, z]');
  return Array.from(given, (number, i) => finite(refuse, `${where}[${i}]`, number));
}

/** Wrenches as generated code takes them: by index, moment first. */
export function wrenchesOf(refuse: Refuse, robot: Robot, wrenches: readonly FrameWrench[]): StaticWrench[] {
  return wrenches.map(({ frame, force, moment, follows = false }, i) => ({
    frame: frameOf(refuse, robot, `wrenches[${i}].frame`, frame),
    wrench: [...vectorOf(refuse, `wrenches[${i}].moment`, moment), ...vectorOf(refuse, `wrenches[${i}].force`, force)],
    follows,
  }));
}

/** Loads as searches of equilibria take them: by index. */
export function staticLoadsOf(refuse: Refuse, robot: Robot, loads: Loads): Required<StaticLoads> {
  const { coordinates, actuators } = robot;
  const { inputs = {}, forces = {}, wrenches = [], held = [] } = loads;
  const heldBy = (given: NameOrIndex): number[] => {
    const ofLink = coordinates.flatMap(({ name }, i) => (name.startsWith(`${given}.`) ? [i] : []));
    return ofLink.length > 0 ? ofLink : [indexOf(refuse, 'held', given, coordinates, 'coordinate')];
  };
  const holds = [...new Set(held.flatMap(heldBy))].sort((a, b) => a - b);
  if (holds.length > 0 && holds.length === coordinates.length)
    throw refuse('held: no coordinate is left to move', 'hold fewer');
  return {
    inputs: numbersOf(refuse, 'inputs', inputs, actuators, { what: 'actuator' }),
    forces: numbersOf(refuse, 'forces', forces, coordinates, { what: 'coordinate' }),
    wrenches: wrenchesOf(refuse, robot, wrenches),
    held: holds,
  };
}

/** A number per coordinate; the defaults when nothing is given, and where an object leaves a name out. */
export function configurationOf(
  refuse: Refuse,
  { coordinates, states }: Robot,
  where: string,
  given: Configuration = {},
): readonly number[] {
  if (typeof given !== 'string')
    return numbersOf(refuse, where, given, coordinates, { what: 'coordinate', missing: ({ value }) => value });
  if (given === 'default') return coordinates.map(({ value }) => value);
  const state = Object.hasOwn(states, given) ? states[given] : undefined;
  if (state) return state;
  throw refuse(
    `${where}: unknown state ${JSON.stringify(given)}`,
    `states: ${['default', ...Object.keys(states)].join(', ')}`,
  );
}

/** Goals with frames by index. */
export function goalsOf(refuse: Refuse, robot: Robot, goal: FramePose | readonly FramePose[]): PoseGoal[] {
  return [goal].flat().map(({ frame = robot.tip, ...pose }: FramePose, i) => ({
    ...pose,
    frame: frameOf(refuse, robot, `goal ${i}`, frame),
  }));
}
