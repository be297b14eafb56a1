/** Options by which commands are told what acts on a robot: inputs, forces on coordinates, loads on frames; numbers in SI units, or with units. */
import type { FrameWrench, Loads } from '../../api/by-name.ts';
import { KanegenError } from '../../common/error.ts';
import { forceUnit, type Robot } from '../../description/model/robot.ts';
import {
  dimensionName,
  equalDimensions,
  parseQuantity,
  parseUnit,
  type QuantityText,
} from '../../description/values/units.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { nearest } from '../../common/nearest.ts';
import { mayBeDegrees } from '../../description/values/scope.ts';
import { UsageError } from '../terminal/failure.ts';
import { complain } from '../terminal/terminal.ts';

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

/** NAME=numbers with the index of the name, in SI units; quantities have their unit: `p1=20 kPa`. @throws UsageError */
function assignments<Own extends Named>(
  option: string,
  pairs: readonly string[],
  known: readonly Own[],
  what: string,
  unitOf: (own: Own, position: number) => string,
  form = 'NAME=VALUE',
): { index: number; values: number[] }[] {
  return pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at <= 0) throw new UsageError(`${option} takes ${form}, not ${JSON.stringify(pair)}`);
    const index = indexOf(option, pair.slice(0, at), known, what);
    const texts = pair.slice(at + 1).split(',');
    return { index, values: texts.map((text, i) => siNumber(`${option} ${pair}`, text, unitOf(known[index]!, i))) };
  });
}

/** A number, in SI units where it has no unit. @param due the SI unit. @throws UsageError */
export function siNumber(where: string, text: string, due: string): number {
  const refuse = (message: string): UsageError => new UsageError(`${where}: ${message}`);
  const inSi = due === '1' ? 'a plain number' : `a number of ${due}, or one with a unit`;
  let quantity: QuantityText | undefined;
  try {
    quantity = parseQuantity(text);
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    throw refuse(`${error.message}${error.remedy === undefined ? '' : `; ${error.remedy}`}`);
  }
  const apart = /^\s*([+-]?[\d.]+(?:e[+-]?\d+)?)([a-zA-Zµ°].*)$/i.exec(text);
  const [, unknown] = /^\s*[+-]?[\d.]+(?:e[+-]?\d+)?\s+(\S.*)$/i.exec(text) ?? [];
  if (!quantity)
    throw refuse(
      unknown !== undefined
        ? `unknown unit ${JSON.stringify(unknown.trim())}; write ${inSi}`
        : `${JSON.stringify(text.trim())} is not a number; write ${apart ? `a space before the unit: "${apart[1]} ${apart[2]!.trim()}"` : inSi}`,
    );
  const { value, unit } = quantity;
  if (unit && !equalDimensions(unit.dimension, parseUnit(due).dimension))
    throw refuse(`${text.trim()} is ${dimensionName(unit.dimension)}; write ${inSi}`);
  const found = evaluate([value])[0]!;
  if (due === 'rad' && !unit && mayBeDegrees(found))
    complain(`note: ${where}: ${found} rad is more than a turn: write "${found} deg" if degrees are meant\n`);
  return found;
}

const WRENCH_FORM = 'FRAME=FX,FY,FZ or FRAME=FX,FY,FZ,MX,MY,MZ';

/** What acts on frames. @throws UsageError */
export function frameLoadsOf(robot: Robot, { load, follower }: Pick<LoadOptions, 'load' | 'follower'>): FrameWrench[] {
  const wrenches = (option: string, pairs: readonly string[], follows: boolean): FrameWrench[] =>
    assignments(option, pairs, robot.frames, 'frame', (_, i) => (i < 3 ? 'N' : 'N m'), WRENCH_FORM).map(
      ({ index, values }) => {
        if (values.length !== 3 && values.length !== 6) throw new UsageError(`${option} takes ${WRENCH_FORM}`);
        const moment = values.length === 6 ? { moment: values.slice(3) } : {};
        return { frame: index, force: values.slice(0, 3), ...moment, follows };
      },
    );
  return [...wrenches('--load', load, false), ...wrenches('--follower', follower, true)];
}

/** What acts on a robot, by options of the command line. @throws UsageError */
export function loadsOf(robot: Robot, { input, force, load, follower }: LoadOptions): Loads {
  const numbers = <Own extends Named>(
    option: string,
    pairs: readonly string[],
    all: readonly Own[],
    what: string,
    unitOf: (own: Own) => string,
  ): number[] => {
    const result = all.map(() => 0);
    for (const { index, values } of assignments(option, pairs, all, what, unitOf)) {
      if (values.length !== 1) throw new UsageError(`${option} takes one number for ${all[index]!.name}`);
      result[index] = values[0]!;
    }
    return result;
  };
  return {
    inputs: numbers('--input', input, robot.actuators, 'actuator', ({ unit }) => unit),
    forces: numbers('--force', force, robot.coordinates, 'coordinate', ({ unit }) => forceUnit(unit)),
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
    ({ unit }) => unit,
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
