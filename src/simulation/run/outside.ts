/** Where a run left the limits of its coordinates, their rates and inputs: a model is stated within those, and drives give no more. */
import type { Scenario } from '../scenario/scenario.ts';
import type { Run } from './simulate.ts';

export interface Outside {
  /** A coordinate, `the rate of` one, or an actuator. */
  readonly name: string;
  readonly lower: number;
  readonly upper: number;
  /** Of the first sample outside, s. */
  readonly from: number;
  /** The value that is furthest outside, SI units. */
  readonly value: number;
}

/** Beyond rounding. */
const NEGLIGIBLE = 1e-9;

/** By what was sampled: coordinates, rates, inputs. */
export function outsideOfLimits({ robot }: Pick<Scenario, 'robot'>, { samples }: Pick<Run, 'samples'>): Outside[] {
  const look = (
    limited: readonly { readonly name: string; readonly lower?: number; readonly upper?: number }[],
    of: 'q' | 'qd' | 'u',
  ): Outside[] =>
    limited.flatMap(({ name, lower = -Infinity, upper = Infinity }, i) => {
      let [from, value, most] = [NaN, NaN, 0];
      for (const sample of samples) {
        const x = sample[of][i]!;
        const distance = Math.max(lower - x, x - upper);
        if (distance <= NEGLIGIBLE * Math.max(1, Math.abs(x))) continue;
        if (Number.isNaN(from)) from = sample.t;
        if (distance > most) [most, value] = [distance, x];
      }
      return Number.isNaN(from) ? [] : [{ name, lower, upper, from, value }];
    });
  const rates = robot.coordinates.map(({ name, driveLimits: { velocity = Infinity } = {} }) => ({
    name: `the rate of ${name}`,
    lower: -velocity,
    upper: velocity,
  }));
  return [...look(robot.coordinates, 'q'), ...look(rates, 'qd'), ...look(robot.actuators, 'u')];
}

/** In words, numbers to four digits. */
export function outsideText({ name, lower, upper, from, value }: Outside, isRest = false): string {
  const short = (x: number): string => String(Number(x.toPrecision(4)));
  const when = isRest ? '' : ` from ${short(from)} s on`;
  return `${name} leaves ${short(lower)} to ${short(upper)}${when}: ${short(value)}`;
}
