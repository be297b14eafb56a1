/** Options by which commands are told what acts on a robot: inputs, forces on coordinates, loads on frames; SI numbers. */
import type { FrameWrench, Loads } from '../../api/by-name.ts';
import type { Robot } from '../../description/model/robot.ts';
import { nearest } from '../../common/nearest.ts';
import { UsageError } from '../terminal/failure.ts';

export interface LoadOptions {
  /** NAME=VALUE of actuators. */
  readonly input: readonly string[];
  /** NAME=VALUE of coordinates. */
  readonly force: readonly string[];
  /** FRAME=FX,FY,FZ[,MX,MY,MZ] in world axes. */
  readonly load: readonly string[];
  /** The same in axes of the frame. */
  readonly follower: readonly string[];
  /** NAME or NAME=VALUE of coordinates. */
  readonly hold: readonly string[];
}

interface Named {
  readonly name: string;
}

/** The index of a name among those known. @throws UsageError */
function indexOf(option: string, name: string, known: readonly Named[], what: string): number {
  const index = known.findIndex((one) => one.name === name);
  if (index >= 0) return index;
  const names = known.map((one) => one.name);
  const close = nearest(name, names);
  const remedy =
    close === undefined ? `${what}s: ${names.slice(0, 30).join(', ') || 'none'}` : `did you mean ${close}?`;
  throw new UsageError(`${option}: unknown ${what} ${JSON.stringify(name)}; ${remedy}`);
}

/** NAME=numbers with the index of the name. @throws UsageError */
function assignments(
  option: string,
  pairs: readonly string[],
  known: readonly Named[],
  what: string,
  form = 'NAME=NUMBER',
): { index: number; values: number[] }[] {
  return pairs.map((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0));
    const values = pair
      .slice(at + 1)
      .split(',')
      .map((text) => (text.trim() === '' ? NaN : Number(text)));
    if (at <= 0 || !values.every(Number.isFinite))
      throw new UsageError(`${option} takes ${form} in SI units, not ${JSON.stringify(pair)}`);
    return { index: indexOf(option, name, known, what), values };
  });
}

const WRENCH_FORM = 'FRAME=FX,FY,FZ or FRAME=FX,FY,FZ,MX,MY,MZ';

/** What acts on frames. @throws UsageError */
export function frameLoadsOf(robot: Robot, { load, follower }: Pick<LoadOptions, 'load' | 'follower'>): FrameWrench[] {
  const wrenches = (option: string, pairs: readonly string[], follows: boolean): FrameWrench[] =>
    assignments(option, pairs, robot.frames, 'frame', WRENCH_FORM).map(({ index, values }) => {
      if (values.length !== 3 && values.length !== 6) throw new UsageError(`${option} takes ${WRENCH_FORM}`);
      const moment = values.length === 6 ? { moment: values.slice(3) } : {};
      return { frame: index, force: values.slice(0, 3), ...moment, follows };
    });
  return [...wrenches('--load', load, false), ...wrenches('--follower', follower, true)];
}

/** What acts on a robot, by options of the command line. @throws UsageError */
export function loadsOf(robot: Robot, { input, force, load, follower }: LoadOptions): Loads {
  const numbers = (
    option: string,
    pairs: readonly string[],
    all: readonly { name: string }[],
    what: string,
  ): number[] => {
    const result = all.map(() => 0);
    for (const { index, values } of assignments(option, pairs, all, what)) {
      if (values.length !== 1) throw new UsageError(`${option} takes one number for ${all[index]!.name}`);
      result[index] = values[0]!;
    }
    return result;
  };
  return {
    inputs: numbers('--input', input, robot.actuators, 'actuator'),
    forces: numbers('--force', force, robot.coordinates, 'coordinate'),
    wrenches: frameLoadsOf(robot, { load, follower }),
  };
}

/** The state with the values of what is held, which is told by index; a link stands for all of its coordinates. @throws UsageError */
export function heldStartOf(
  robot: Robot,
  { hold }: Pick<LoadOptions, 'hold'>,
  state: readonly number[] | undefined,
): { readonly start: readonly number[] | undefined; readonly held: readonly number[] } {
  const { coordinates } = robot;
  const given = assignments(
    '--hold',
    hold.filter((text) => text.includes('=')),
    coordinates,
    'coordinate',
  );
  const bare = hold
    .filter((text) => !text.includes('='))
    .flatMap((name) => {
      const ofLink = coordinates.flatMap((own, index) => (own.name.startsWith(`${name}.`) ? [index] : []));
      return ofLink.length > 0 ? ofLink : [indexOf('--hold', name, coordinates, 'coordinate')];
    });
  const held = [...new Set([...bare, ...given.map(({ index }) => index)])].sort((a, b) => a - b);
  if (held.length > 0 && held.length === coordinates.length)
    throw new UsageError('--hold: no coordinate is left to move');
  if (given.length === 0) return { start: state, held };
  const begin = [...(state ?? coordinates.map(({ value }) => value))];
  for (const { index, values } of given) {
    if (values.length !== 1) throw new UsageError(`--hold takes one number for ${coordinates[index]!.name}`);
    begin[index] = values[0]!;
  }
  return { start: begin, held };
}

/** A named state. @throws UsageError */
export function startOf(robot: Robot, option: string, from: string | undefined): readonly number[] | undefined {
  if (from === undefined) return undefined;
  if (from === 'default') return robot.coordinates.map(({ value }) => value);
  const state = Object.hasOwn(robot.states, from) ? robot.states[from] : undefined;
  if (state) return state;
  const names = ['default', ...Object.keys(robot.states)];
  throw new UsageError(`${option}: unknown state ${JSON.stringify(from)}; states: ${names.join(', ')}`);
}
