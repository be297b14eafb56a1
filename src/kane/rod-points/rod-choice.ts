/**
 * How many points a rod given by its strain needs: as few as bring its inertial terms to the tolerance, judged by running
 * the rod's own loops with more and more rows at sample configurations.
 */
import { KanegenError } from '../../common/error.ts';
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { identityFrame, frameEntries, zeroVector, vector3 } from '../../symbolic/graph/vector.ts';
import { mayHaveKinks } from '../../symbolic/graph/kinks.ts';
import { ToleranceNotMet } from '../../integration/choice/tolerance-not-met.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { withAffordableRange } from '../kinematics/affordable-range.ts';
import type { BodyPart } from '../body/body-part.ts';
import { FROZEN } from '../equations/composite.ts';
import { LoopProgram, type Samples } from '../loops/evaluate-loops.ts';
import type { RowTable } from '../loops/loop.ts';
import { possiblePoints } from './rod-points.ts';
import type { MagnusOrder } from './rod-rotation.ts';
import type { CoordinateSymbols } from '../equations/recursion.ts';
import { rodSymbol } from './rod-rows.ts';
import { twistEntries } from './rod-twist.ts';
import { rodRanges, withinReach, type StrainedRod } from './rod-ranges.ts';
import { describeRanges, sampleConfigurations, type ParameterValues } from '../kinematics/sample-configurations.ts';

/** A number of points that was tried, and the largest relative error of an inertial term with it. */
export interface PointTrial {
  readonly points: number;
  readonly error: number;
  readonly description: string;
  /** Of inverse dynamics. */
  readonly operations: number;
}

export interface ChosenPoints {
  /** On every panel. */
  readonly points: number;
  readonly order: MagnusOrder;
  readonly error: number;
  readonly trials: readonly PointTrial[];
}

const CONFIGURATIONS = 12;

/** Numbers of points on a panel that are looked at. */
const POINTS: readonly number[] = [
  ...[4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 36, 40, 44, 48, 52, 56, 60, 64, 72, 80, 88, 96],
  ...[112, 128, 144, 160, 176, 192, 208, 224, 256, 288, 320, 352, 384],
].map(possiblePoints);
const MOST_POINTS = POINTS.at(-1)!;
/** The first that is tried. */
const FIRST = POINTS.indexOf(12);
/** Of the points that an error asks for if it falls with the order of the steps. */
const HOPEFUL = 0.9;
/** Errors are differences from this many times the points. */
const FINER = 1.5;

/** A rod with Magnus steps of one order. */
export interface RodOfOrder {
  readonly order: MagnusOrder;
  /** A part of its own for the decision: its loops are not those of the link. */
  readonly part: BodyPart;
  readonly tableOf: (points: number) => RowTable;
  /** Operations of inverse dynamics. */
  readonly operations: (points: number) => number;
}

export interface RodToRefine extends StrainedRod {
  readonly symbols: CoordinateSymbols;
  /** From the highest order to the lowest. */
  readonly orders: readonly [RodOfOrder, ...RodOfOrder[]];
  /** Parameters of the links that share the type. */
  readonly parameters: readonly ParameterValues[];
}

/** @throws KanegenError `tolerance-not-met` at the kinematics. */
export function choosePoints(rod: RodToRefine): ChosenPoints {
  const { tolerance } = rod.type.integration;
  const [highest, ...lower] = rod.orders.map((of) => new RodTerms(rod, of)) as [RodTerms, ...RodTerms[]];
  const trials: (PointTrial & { readonly order: MagnusOrder })[] = [];
  const errorOf = (terms: RodTerms, points: number): number => {
    const { order, operations } = terms.of;
    const error = terms.error(points, highest);
    const description = `${points} Gauss–Legendre points along the rod, rotations by Magnus steps of order ${order}`;
    trials.push({ points, order, error, operations: operations(points), description });
    return error;
  };
  const fewest = fewestPoints((points) => errorOf(highest, points) <= tolerance);
  if (fewest === undefined) throw notMet(rod, highest, trials.find(({ points }) => points === MOST_POINTS)!.error);
  // Cheaper rows may be worth a few more of them.
  for (const terms of lower) {
    const least = (): number => Math.min(...trials.filter(({ error }) => error <= tolerance).map((t) => t.operations));
    let needed = fewest;
    for (const points of POINTS) {
      if (points < needed) continue;
      if (terms.of.operations(points) >= least()) break;
      const error = errorOf(terms, points);
      if (error <= tolerance) break;
      needed = HOPEFUL * points * (error / tolerance) ** (1 / terms.of.order);
    }
  }
  trials.sort((a, b) => a.operations - b.operations);
  const { points, order, error } = trials.find((trial) => trial.error <= tolerance)!;
  return { points, order, error, trials };
}

/** The smallest of POINTS that is enough, by growing and halving steps: who has enough has enough with more. */
function fewestPoints(isEnough: (points: number) => boolean): number | undefined {
  let [low, high] = [-1, FIRST];
  for (let stride = 3; !isEnough(POINTS[high]!); stride *= 2) {
    if (high === POINTS.length - 1) return undefined;
    [low, high] = [high, Math.min(high + stride, POINTS.length - 1)];
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(POINTS[middle]!)) high = middle;
    else low = middle;
  }
  return POINTS[high];
}

function notMet(rod: RodToRefine, terms: RodTerms, error: number): KanegenError {
  const { type, strain } = rod;
  const ranges = rodRanges(rod, rod.parameters[0]!);
  if (!Number.isFinite(error))
    return new KanegenError(
      'irregular-kinematics',
      `the inertial terms of this rod are not finite numbers everywhere over ${describeRanges(ranges)}`,
      {
        remedy:
          'write a strain that is finite all along the rod, its ends included, for all coordinates in their `limits`',
      },
    ).at(type.locations.kinematics);
  const { tolerance } = type.integration;
  const formulas = twistEntries(strain);
  const needed = Math.ceil(MOST_POINTS * (error / tolerance) ** (1 / terms.of.order));
  const guess = mayHaveKinks(formulas) ? '' : ` of about ${needed} that would be needed`;
  const problem = new ToleranceNotMet(
    `${MOST_POINTS} points along the rod${guess} leave a relative error of ${error.toExponential(1)} where ${tolerance} is asked for`,
    error,
    { location: type.locations.kinematics },
  );
  const pointsFor = (narrower: BodyType): number => {
    const within = terms.within(narrower);
    const points = fewestPoints((count) => within.error(count, within) <= tolerance);
    if (points === undefined) throw problem;
    return points;
  };
  return withAffordableRange(problem, { type, ranges, formulas, pointsFor });
}

/** The inertial terms of a rod at the samples, by number of points. */
class RodTerms {
  private readonly rod: RodToRefine;
  private readonly samples: number;
  private readonly bindings: ReadonlyMap<Expr, Samples>;
  readonly of: RodOfOrder;
  private readonly terms: TermExpressions;
  private readonly values = new Map<number, Samples[]>();

  /** @param terms of the part, which can be asked for them once. */
  constructor(rod: RodToRefine, of: RodOfOrder, terms = termExpressions(of.part, rod.symbols.q.length)) {
    this.rod = rod;
    this.of = of;
    const states = rod.parameters.flatMap((parameters) => statesOf(rod, parameters));
    this.samples = states.length;
    const symbols = [...states[0]!.keys()];
    this.bindings = new Map(symbols.map((s) => [s, Float64Array.from(states, (state) => state.get(s)!)]));
    this.terms = terms;
  }

  /** The same rod with other limits. */
  within(type: BodyType): RodTerms {
    return new RodTerms({ ...this.rod, type }, this.of, this.terms);
  }

  private at(points: number): Samples[] {
    const known = this.values.get(points);
    if (known) return known;
    const values = this.terms.program.run(this.bindings, this.samples, this.of.tableOf(points));
    this.values.set(points, values);
    return values;
  }

  /**
   * Largest relative error of a term: its difference from what more points give.
   * @param better the same rod with steps of the highest order.
   */
  error(points: number, better: RodTerms): number {
    const [coarse, fine] = [this.at(points), better.at(possiblePoints(Math.ceil(FINER * points)))];
    let largest = 0;
    for (let k = 0; k < this.samples; k++) {
      const [a, b] = [coarse, fine].map((columns) => columns.map((column) => column[k]!));
      const scales = this.terms.scales(b!);
      a!.forEach((value, i) => {
        const change = Math.abs(value - b![i]!);
        // Terms that are zero, of a coordinate that moves nothing or a body without mass, have no scale.
        const error = change === 0 ? 0 : change / scales[i]!;
        if (!(error <= largest)) largest = Number.isNaN(error) ? Infinity : error;
      });
    }
    return largest;
  }
}

interface TermExpressions {
  readonly program: LoopProgram;
  /** What an error of each term is measured by, from the terms themselves. */
  readonly scales: (values: readonly number[]) => number[];
}

/** Distal frame, mass moments, block of the mass matrix, unit wrenches; wrench and generalized forces of the velocities. */
function termExpressions(part: BodyPart, count: number): TermExpressions {
  const nothing = { force: zeroVector, moment: zeroVector };
  const pose = frameEntries(part.pose(identityFrame));
  const {
    inertia: moments,
    block,
    columns,
  } = part.composite(FROZEN, {
    mass: zero,
    first: zeroVector,
    inertia: [zero, zero, zero, zero, zero, zero],
  });
  const spinning = { angularVelocity: TURNING, angularAcceleration: zeroVector, acceleration: zeroVector };
  const { loops, wrench } = part.accelerate(spinning, 'direct');
  const velocity = part.backward(nothing, wrench);
  const values = [
    ...pose,
    moments.mass,
    ...moments.first,
    ...moments.inertia,
    ...block.flat(),
    ...columns.flatMap((w) => [...w.force, ...w.moment]),
    ...velocity.wrench.force,
    ...velocity.wrench.moment,
    ...velocity.generalized,
  ];
  return {
    program: new LoopProgram(part.loops(), values, loops),
    scales: (numbers) => termScales(numbers, count),
  };
}

const TURNING = vector3(['x', 'y', 'z'].map((axis) => rodSymbol(`turning_${axis}`)));

function termScales(values: readonly number[], count: number): number[] {
  let next = 0;
  const take = (length: number): readonly number[] => values.slice(next, (next += length));
  const size = (list: readonly number[]): number => Math.max(...list.map(Math.abs), Number.MIN_VALUE);
  const repeated = (value: number, times: number): number[] => Array.from({ length: times }, () => value);
  next = 9;
  const length = size(take(3));
  const [mass] = take(1) as [number];
  take(3);
  const turning = size(take(6));
  const block = take(count * count);
  const own = Array.from({ length: count }, (_, a) => Math.sqrt(Math.abs(block[a * (count + 1)]!)) || Number.MIN_VALUE);
  take(6 * count);
  const [root, rootTurning] = [mass, turning].map((size) => Math.sqrt(size) || Number.MIN_VALUE) as [number, number];
  const velocity = [...repeated(root, 3), ...repeated(rootTurning, 3), ...own];
  const strength = size(take(6 + count).map((force, i) => force / velocity[i]!));
  return [
    ...repeated(1, 9),
    ...repeated(length, 3),
    mass,
    ...repeated(root * rootTurning, 3),
    ...repeated(turning, 6),
    ...own.flatMap((a) => own.map((b) => a * b)),
    ...own.flatMap((a) => [...repeated(a * root, 3), ...repeated(a * rootTurning, 3)]),
    ...velocity.map((scale) => scale * strength),
  ];
}

/** Values of everything the terms are over, for every sample. */
function statesOf(rod: RodToRefine, parameters: ParameterValues): ReadonlyMap<Expr, number>[] {
  const { symbols } = rod;
  const ranges = rodRanges(rod, parameters);
  const within = withinReach(rod, parameters, ranges);
  return sampleConfigurations(ranges, CONFIGURATIONS).map((configuration, k) => {
    const state = new Map<Expr, number>(parameters);
    within(configuration).forEach((value, a) => {
      const { low, high } = ranges[a]!;
      state.set(symbols.q[a]!, value);
      state.set(symbols.qd[a]!, 0.5 * (high - low) * Math.cos(1 + 2 * a + k));
      state.set(symbols.qdd[a]!, 0);
    });
    if (symbols.time) state.set(symbols.time, 0.4 * k);
    TURNING.forEach((s, i) => state.set(s, Math.sin(1 + i + 3 * k)));
    return state;
  });
}
