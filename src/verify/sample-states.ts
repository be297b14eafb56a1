/**
 * Configurations that a verification visits: random ones, the straight one and ones close to it, and those that the robot
 * names. Random with a seed, so that a failure can be repeated.
 */
import { dependsOnTime, type Robot, type RobotCoordinate } from '../description/robot.ts';
import type { State } from './evaluation.ts';

export interface SampledState extends State {
  /** For reports: `random 2`, `straight`, `state home`. */
  readonly name: string;
}

/** Uniform numbers in [0, 1), the same for the same seed everywhere (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Half-width of the range that random values of a coordinate come from, where the robot states no limits. */
function spread(coordinate: RobotCoordinate, length: number): number {
  if (coordinate.unit === 'm') return 0.1 * length;
  if (coordinate.unit === '1/m') return 1 / length;
  return coordinate.part === 'joint' ? 2.5 : 1.2;
}

/** `length`: a typical length of a link, m. */
export function sampleStates(robot: Robot, count: number, seed: number, length: number): SampledState[] {
  const random = randomNumbers(seed);
  const { coordinates } = robot;
  const signed = (): number => 2 * random() - 1;
  const position = (c: RobotCoordinate): number => {
    const width = spread(c, length);
    const lower = Math.max(c.lower ?? c.value - width, c.value - 2 * width);
    const upper = Math.min(c.upper ?? c.value + width, c.value + 2 * width);
    return lower + (upper - lower) * random();
  };
  const rates = (): number[] => coordinates.map((c) => signed() * 2 * spread(c, length));
  const timed = dependsOnTime(robot);
  const state = (name: string, q: readonly number[]): SampledState => ({
    name,
    q,
    qd: rates(),
    qdd: rates(),
    ...(timed ? { t: random() } : {}),
  });
  const straight = (deviation: number): number[] =>
    coordinates.map((c) =>
      c.part === 'body' ? deviation * (random() < 0.5 ? -1 : 1) * spread(c, length) : position(c),
    );
  const states = Array.from({ length: count }, (_, i) => state(`random ${i + 1}`, coordinates.map(position)));
  if (coordinates.some((c) => c.part === 'body'))
    states.push(
      state('straight', straight(0)),
      state('straight within 1e-9', straight(1e-9)),
      state('straight within 1e-3', straight(1e-3)),
    );
  states.push(
    state(
      'all coordinates zero',
      coordinates.map(() => 0),
    ),
  );
  for (const [name, q] of Object.entries(robot.states)) states.push(state(`state ${name}`, q));
  return states;
}
