/** Coordinates that do not move beyond the noise of their sensors: rates and accelerations measured there are noise, and tell nothing. */
import type { Robot } from '../../description/model/robot.ts';
import { rangesOf } from '../exciting-states.ts';
import type { Measurements } from '../measurements.ts';

/** Of the half-width of a range: a motion that is smaller may be noise. */
const SMALL = 0.02;
/** Squares of differences of neighbours over those from the mean: 2 of white noise (von Neumann 1941), next to 0 of motion. */
const LEAST_NOISE = 1;

/** The data with such coordinates at rest where they are in the mean, and the names of these. */
export function withRest(robot: Robot, data: Measurements): { data: Measurements; names: readonly string[] } {
  const ranges = rangesOf(robot);
  const still = robot.coordinates.map((_, a) =>
    restOf(
      data.q.map((q) => q[a]!),
      ranges[a]!.half,
    ),
  );
  const names = robot.coordinates.filter((_, a) => still[a] !== undefined).map(({ name }) => name);
  if (names.length === 0) return { data, names };
  const held = (rows: Measurements['q'], value: (a: number) => number): number[][] =>
    rows.map((row) => row.map((x, a) => (still[a] === undefined ? x : value(a))));
  const { qd, qdd } = data;
  return {
    data: {
      ...data,
      q: held(data.q, (a) => still[a]!),
      ...(qd && { qd: held(qd, () => 0) }),
      ...(qdd && { qdd: held(qdd, () => 0) }),
    },
    names,
  };
}

/** The mean of what does not move; undefined of what does. */
function restOf(values: readonly number[], half: number): number | undefined {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const spread = values.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  const rounding = values.length * (1e-12 * Math.abs(mean)) ** 2;
  if (spread <= rounding) return mean;
  if (spread > values.length * (SMALL * half) ** 2) return undefined;
  const steps = values.slice(1).reduce((sum, x, i) => sum + (x - values[i]!) ** 2, 0);
  return steps > LEAST_NOISE * spread ? mean : undefined;
}
