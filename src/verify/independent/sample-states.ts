/**
 * Configurations that a verification visits: random ones, the straight one and ones close to it, and those that the robot
 * names. Random with a seed, so that a failure can be repeated.
 */
import { interiorPoints, isSound } from '../../description/volumes/reference-shape.ts';
import type { BodyType, Robot, RobotCoordinate } from '../../description/model/robot.ts';
import { evaluate, foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { bodySize } from '../../kane/kinematics/sample-configurations.ts';
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import { randomNumbers } from '../../common/random.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { fieldFormulas } from '../written/material-field.ts';
import { roomBetween } from '../arithmetic/columns.ts';
import { smoothFrames } from './frame-terms.ts';
import { besideEdges, touchingConfigurations, type Gaps } from './touching-states.ts';
import type { State } from '../generated/evaluation.ts';

export interface SampledState extends State {
  /** For reports: `random 2`, `straight`, `state home`. */
  readonly name: string;
}

/** What the range of a coordinate depends on. */
type Ranged = Pick<RobotCoordinate, 'unit' | 'lower' | 'upper'> & { readonly part?: RobotCoordinate['part'] };

/** Half-width of the range of a coordinate without limits, and never more than what limits leave. @param length of the body, m. */
function spread({ lower, upper, ...own }: Ranged, length: number): number {
  return roomBetween(usualSpread(own, length), lower, upper);
}

function usualSpread({ unit, part }: Ranged, length: number): number {
  if (unit === 'm') return 0.1 * length;
  if (unit === '1/m') return 1 / length;
  if (part === 'joint') return 2.5;
  return unit === 'rad' ? 1.2 : 0.3;
}

/**
 * Where values of a coordinate come from: between its limits, on a side without limit as far from the default as suits its unit.
 * @param value default.
 * @param length of a body or a link, m.
 */
export function rangeOf(coordinate: Ranged, value: number, length: number): [number, number] {
  const width = spread(coordinate, length);
  return [coordinate.lower ?? value - width, coordinate.upper ?? value + width];
}

const clamp = (x: number, { lower = -Infinity, upper = Infinity }: Pick<Ranged, 'lower' | 'upper'>): number =>
  Math.min(Math.max(x, lower), upper);

/**
 * States within the limits of all coordinates and the domain of all formulas; those of the robot file as they are.
 * @param length a typical length of a link, m.
 * @param gaps of contacts: with them, states in which bodies touch are looked for, and none is where they begin to.
 */
export function sampleStates(robot: Robot, count: number, seed: number, length: number, gaps?: Gaps): SampledState[] {
  const random = randomNumbers(seed);
  const { coordinates } = robot;
  const signed = (): number => 2 * random() - 1;
  const ranges = coordinates.map((c) => rangeOf(c, c.value, length));
  const position = (_: RobotCoordinate, i: number): number => {
    const [lower, upper] = ranges[i]!;
    return lower + (upper - lower) * random();
  };
  const reachable = reachableConfigurations(robot);
  const rates = (): number[] => coordinates.map((c) => signed() * 2 * spread(c, length));
  const timed = robot.time !== undefined;
  /** Of no particular size: forces are linear in them. */
  const inputs = robot.actuators.map((_, j) => (j % 2 === 0 ? 1 : -1) * (1 + j / 4));
  const state = (name: string, q: readonly number[]): SampledState => ({
    name,
    q,
    qd: rates(),
    qdd: rates(),
    ...(timed ? { t: random() } : {}),
    ...(inputs.length > 0 && { u: inputs }),
  });
  /** A configuration wanted for what it is: its name says when it had to be another one. */
  const special = (name: string, wanted: readonly number[]): SampledState => {
    const bounded = wanted.map((x, i) => clamp(x, coordinates[i]!));
    const q = reachable(bounded, 1);
    const isMoved = q.some((x, i) => x !== wanted[i]);
    return state(isMoved ? `${name} as far as limits and formulas allow` : name, q);
  };
  const straight = (deviation: number): number[] =>
    coordinates.map((c, i) =>
      c.part === 'body' ? deviation * (random() < 0.5 ? -1 : 1) * spread(c, length) : position(c, i),
    );
  const states = Array.from({ length: count }, (_, i) =>
    state(`random ${i + 1}`, reachable(coordinates.map(position), MARGIN)),
  );
  if (coordinates.some((c) => c.part === 'body'))
    states.push(
      special('straight', straight(0)),
      special('straight within 1e-9', straight(1e-9)),
      special('straight within 1e-3', straight(1e-3)),
    );
  states.push(
    special(
      'all coordinates zero',
      coordinates.map(() => 0),
    ),
  );
  for (const [name, q] of Object.entries(robot.states)) states.push(state(`state ${name}`, q));
  if (gaps) {
    const limited = (q: readonly number[]): number[] => q.map((x, i) => clamp(x, coordinates[i]!));
    const allowed = (q: readonly number[]): number[] => reachable(limited(q), 1);
    const search = { gaps, random, ranges, limited, allowed, length, draw: () => coordinates.map(position) };
    states.forEach(({ name, q }, i) => {
      const moved = besideEdges(q, search);
      if (moved) states[i] = { ...states[i]!, name: `${name} but for where bodies begin to touch`, q: moved };
    });
    touchingConfigurations(
      states.map(({ q }) => q),
      search,
    ).forEach((q, i) => states.push(state(`touching ${i + 1}`, q)));
  }
  return states;
}

/**
 * The state with a path through it that stays within limits and domain: rates smaller where there is little room, the
 * configuration moved a little where it is at a limit. Undefined where there is no such path.
 * @param ends configurations at the ends of the path.
 */
export function pathWithin<S extends SampledState>(
  robot: Robot,
  state: S,
  ends: (state: S) => readonly (readonly number[])[],
): S | undefined {
  const { coordinates } = robot;
  const reachable = reachableConfigurations(robot);
  let slower = state;
  for (let attempt = 0; attempt < MOST_SHRINKS; attempt++) {
    const places = ends(slower);
    const shift = coordinates.map(({ lower = -Infinity, upper = Infinity }, i) => {
      const own = places.map((q) => q[i]!);
      return Math.max(0, lower - Math.min(...own)) - Math.max(0, Math.max(...own) - upper);
    });
    // A little further than to the limit: sums round.
    const moved = { ...slower, q: slower.q.map((x, i) => x + (1 + SHARE_ASIDE) * shift[i]!) };
    const isWithin = ends(moved).every(
      (q) => q.every((x, i) => x === clamp(x, coordinates[i]!)) && reachable(q, 1).every((x, i) => x === q[i]),
    );
    if (isWithin) return moved;
    slower = { ...slower, qd: slower.qd.map((v) => v / 2), qdd: slower.qdd.map((v) => v / 2) };
  }
  return undefined;
}

/** A random configuration is kept if going on by this factor does no harm either. */
const MARGIN = 1.3;
const SHRINK = 0.7;
const MOST_SHRINKS = 24;
const SHARE_ASIDE = 1e-3;
/** Of the range of a coordinate: formulas may read 0/0 at a configuration, and must have values on both sides of it. */
const ASIDE = 1.37e-3;

/**
 * Draws the coordinates of a body towards their defaults until no material is turned inside out and all formulas have a
 * value, on both sides: nobody asks for the dynamics beyond, and formulas may have none.
 * @param margin 1, or how much further it must be possible to go.
 */
export function soundConfiguration(
  type: BodyType,
  parameters: ReadonlyMap<Expr, number>,
  q: readonly number[],
  margin: number = MARGIN,
): number[] {
  const length = bodySize(type.volumes, parameters) || 1;
  const start = type.coordinates.map((c) => evaluate([c.value], parameters)[0]!);
  const aside = type.coordinates.map(({ unit, limits = [] }, i) => {
    const [lower, upper] = evaluate(limits, parameters);
    return ASIDE * Math.sqrt(i + 1) * roomBetween(usualSpread({ unit }, length), lower, upper);
  });
  const scaled = (factor: number): number[] => start.map((value, i) => value + factor * (q[i]! - value));
  const isReachable = (x: readonly number[]): boolean =>
    [1, -1].every((side) => {
      const beside = x.map((value, i) => value + side * aside[i]!);
      return isSound(type, parameters, beside) && hasValues(type, parameters, beside);
    });
  let factor = 1;
  for (let shrinks = 0; shrinks < MOST_SHRINKS; shrinks++, factor *= SHRINK)
    if (isReachable(scaled(margin * factor))) break;
  // The numbers that were asked for, to the last digit, where nothing stands against them.
  return factor === 1 ? [...q] : scaled(factor);
}

/** Have all formulas of a body a value at points of every volume? */
function hasValues(type: BodyType, parameters: ReadonlyMap<Expr, number>, q: readonly number[]): boolean {
  const scalars = new Map(parameters);
  type.coordinates.forEach((c, i) => scalars.set(c.symbol, q[i]!));
  if (type.time) scalars.set(type.time, 0);
  return type.volumes.every((volume) => {
    const { columns, rows } = interiorPoints(volume, parameters);
    return evaluateRows(fieldFormulas(type, volume), columns, scalars, rows).every((values) =>
      values.every(Number.isFinite),
    );
  });
}

/** The same for all bodies of a robot; and all of it is drawn towards the defaults until formulas of frames are smooth. */
function reachableConfigurations(robot: Robot): (q: readonly number[], margin: number) => number[] {
  const defaults = new Map<Expr, number>(robot.parameters.map((p) => [p.symbol, foldConstant(p.value)]));
  const areSmooth = smoothFrames(robot);
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
  return (q, margin) => {
    const reached = [...q];
    for (const { type, parameters, from, to } of bodies)
      reached.splice(from, to - from, ...soundConfiguration(type, parameters, q.slice(from, to), margin));
    const scaled = (factor: number): number[] =>
      factor === 1 ? reached : robot.coordinates.map(({ value }, i) => value + factor * (reached[i]! - value));
    let factor = 1;
    for (let shrinks = 0; areSmooth && shrinks < MOST_SHRINKS; shrinks++, factor *= SHRINK)
      if ([factor, margin * factor].every((own) => areSmooth(scaled(own)))) break;
    return scaled(factor);
  };
}
