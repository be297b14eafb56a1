/**
 * Configurations that a verification visits: random ones, the straight one and ones close to it, and those that the robot
 * names. Random with a seed, so that a failure can be repeated.
 */
import { isSound } from '../description/reference-shape.ts';
import { dependsOnTime, type BodyType, type Robot, type RobotCoordinate } from '../description/robot.ts';
import { evaluate, foldConstant } from '../symbolic/evaluate.ts';
import type { Expr } from '../symbolic/expr.ts';
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

/**
 * Half-width of the range that random values of a coordinate come from, where the robot states no limits: no wider than
 * the range over which the compiler chooses rules for integrals.
 */
function spread(coordinate: RobotCoordinate, length: number): number {
  if (coordinate.unit === 'm') return 0.1 * length;
  if (coordinate.unit === '1/m') return 1 / length;
  if (coordinate.part === 'joint') return 2.5;
  return coordinate.unit === 'rad' ? 1.2 : 0.3;
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
  const reachable = soundConfigurations(robot);
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
  const states = Array.from({ length: count }, (_, i) =>
    state(`random ${i + 1}`, reachable(coordinates.map(position))),
  );
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

/** A configuration is kept if going on by this factor does no harm either. */
const MARGIN = 1.3;
const SHRINK = 0.7;
const MOST_SHRINKS = 12;

/**
 * Draws the coordinates of a body towards their defaults until no material is turned inside out and all formulas have a
 * value: nobody asks for the dynamics beyond, and formulas may have none.
 */
export function soundConfiguration(
  type: BodyType,
  parameters: ReadonlyMap<Expr, number>,
  q: readonly number[],
): number[] {
  const start = type.coordinates.map((c) => foldConstant(c.value));
  const scaled = (factor: number): number[] => start.map((value, i) => value + factor * (q[i]! - value));
  let factor = 1;
  for (let shrinks = 0; shrinks < MOST_SHRINKS; shrinks++, factor *= SHRINK)
    if (isSound(type, parameters, scaled(MARGIN * factor))) break;
  return scaled(factor);
}

/** The same for all bodies of a robot. */
function soundConfigurations(robot: Robot): (q: readonly number[]) => number[] {
  const defaults = new Map<Expr, number>(robot.parameters.map((p) => [p.symbol, foldConstant(p.value)]));
  let first = 0;
  const bodies = robot.links.flatMap(({ joint, body }) => {
    first += joint.coordinates.length;
    if (body.kind === 'rigid') return [];
    const { type } = body;
    const values = evaluate(body.parameters, defaults);
    const parameters = new Map<Expr, number>(type.parameters.map((p, i) => [p.symbol, values[i]!]));
    const from = first;
    first += type.coordinates.length;
    return [{ type, parameters, from, to: first }];
  });
  return (q) => {
    const reached = [...q];
    for (const { type, parameters, from, to } of bodies)
      reached.splice(from, to - from, ...soundConfiguration(type, parameters, q.slice(from, to)));
    return reached;
  };
}
