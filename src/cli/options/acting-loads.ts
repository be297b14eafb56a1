/** Options by which commands are told what acts on a robot: inputs, forces on coordinates, loads on frames; SI numbers. */
import type { Robot } from '../../description/model/robot.ts';
import type { StaticLoads, StaticWrench } from '../../simulation/equilibria/statics.ts';
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
}

/** NAME=numbers with the index of the name. @throws UsageError */
function assignments(
  option: string,
  pairs: readonly string[],
  known: readonly { readonly name: string }[],
  what: string,
): { index: number; values: number[] }[] {
  return pairs.map((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0));
    const values = pair
      .slice(at + 1)
      .split(',')
      .map((text) => (text.trim() === '' ? NaN : Number(text)));
    if (at <= 0 || !values.every(Number.isFinite))
      throw new UsageError(`${option} takes NAME=NUMBER in SI units, not ${JSON.stringify(pair)}`);
    const index = known.findIndex((one) => one.name === name);
    if (index >= 0) return { index, values };
    const names = known.map((one) => one.name);
    const close = nearest(name, names);
    const remedy =
      close === undefined ? `${what}s: ${names.slice(0, 30).join(', ') || 'none'}` : `did you mean ${close}?`;
    throw new UsageError(`${option}: unknown ${what} ${JSON.stringify(name)}; ${remedy}`);
  });
}

/** What acts on a robot, by options of the command line. @throws UsageError */
export function loadsOf(robot: Robot, { input, force, load, follower }: LoadOptions): StaticLoads {
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
  const wrenches = (option: string, pairs: readonly string[], follows: boolean): StaticWrench[] =>
    assignments(option, pairs, robot.frames, 'frame').map(({ index, values }) => {
      if (values.length !== 3 && values.length !== 6)
        throw new UsageError(`${option} takes FRAME=FX,FY,FZ or FRAME=FX,FY,FZ,MX,MY,MZ`);
      const moment = values.length === 6 ? values.slice(3) : [0, 0, 0];
      return { frame: index, wrench: [...moment, ...values.slice(0, 3)], follows };
    });
  return {
    inputs: numbers('--input', input, robot.actuators, 'actuator'),
    forces: numbers('--force', force, robot.coordinates, 'coordinate'),
    wrenches: [...wrenches('--load', load, false), ...wrenches('--follower', follower, true)],
  };
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
