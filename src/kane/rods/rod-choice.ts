/**
 * How many points a rod given by its strain needs: as few as bring its inertial terms to the tolerance, judged by running
 * the rod's own loops with more and more rows at sample configurations.
 */
import { differentiateAll } from '../../symbolic/differentiate.ts';
import { KanegenError } from '../../symbolic/error.ts';
import { evaluate } from '../../symbolic/evaluate.ts';
import { decimal, minus, zero, type Expr } from '../../symbolic/expr.ts';
import { substituteOne } from '../../symbolic/traverse.ts';
import { identityFrame, frameEntries, zeroVector, type Vector3 } from '../../symbolic/vector.ts';
import { mayHaveKinks } from '../../integration/kinks.ts';
import { ToleranceNotMet } from '../../integration/tolerance-not-met.ts';
import type { BodyType, RodVolume } from '../../description/model/robot.ts';
import { withAffordableRange } from '../kinematics/affordable-range.ts';
import type { BodyPart } from '../link/body-part.ts';
import { LoopProgram, type Samples } from '../loops/evaluate-loops.ts';
import type { RowTable } from '../loops/loop.ts';
import type { CoordinateSymbols } from '../equations/recursion.ts';
import { rodSymbol } from './rod-rows.ts';
import { twistEntries, type Twist } from './rod-twist.ts';
import {
  coordinateRanges,
  describeRanges,
  drawnTowardsDefaults,
  sampleConfigurations,
  type CoordinateRange,
  type ParameterValues,
} from '../kinematics/sample-configurations.ts';

/** A number of points that was tried, and the largest relative error of an inertial term with it. */
export interface PointTrial {
  readonly points: number;
  readonly error: number;
  readonly description: string;
}

export interface ChosenPoints {
  /** On every panel. */
  readonly points: number;
  readonly error: number;
  readonly trials: readonly PointTrial[];
}

const MOST_POINTS = 400;
const FIRST_POINTS = 24;
const CONFIGURATIONS = 12;

/** A coordinate alone turns the end of the rod by as much as this (rad), or strains it by as much. */
const LARGEST_TURN = Math.PI;
const LARGEST_STRAIN = 0.2;
/** Sums are compared in floating-point arithmetic. */
const MARGIN = 1.001;

export interface RodToRefine {
  readonly type: BodyType;
  readonly volume: RodVolume;
  readonly strain: Twist;
  readonly symbols: CoordinateSymbols;
  /** A part of its own for the decision: its loops are not those of the link. */
  readonly part: BodyPart;
  readonly tableOf: (points: number) => RowTable;
  /** Parameters of the links that share the type. */
  readonly parameters: readonly ParameterValues[];
}

/** @throws KanegenError `tolerance-not-met` at the kinematics. */
export function choosePoints(rod: RodToRefine): ChosenPoints {
  const { tolerance, magnus } = rod.type.integration;
  const terms = new RodTerms(rod);
  const trials: PointTrial[] = [];
  const attempt = (points: number): number => {
    const error = terms.error(points);
    trials.push({ points, error, description: `${points} Gauss–Legendre points along the rod` });
    return error;
  };
  /** Where the error would meet the tolerance if it fell with the order of the steps. */
  const predict = (points: number, error: number): number =>
    inFours(Math.max(4, 1.02 * points * (error / tolerance) ** (1 / magnus)));
  let points = FIRST_POINTS;
  let error = attempt(points);
  while (!(error <= tolerance)) {
    if (points === MOST_POINTS) throw notMet(rod, terms, error, predict(points, error));
    points = Math.min(MOST_POINTS, Math.max(points + 4, predict(points, error)));
    error = attempt(points);
  }
  // It may have fallen faster.
  for (;;) {
    const tooFew = trials
      .filter((trial) => !(trial.error <= tolerance))
      .map((trial) => predict(trial.points, trial.error));
    const fewer = Math.max(predict(points, error), ...tooFew.filter((candidate) => candidate < points));
    if (fewer >= points || trials.some((trial) => trial.points === fewer)) break;
    const fewerError = attempt(fewer);
    if (fewerError <= tolerance) [points, error] = [fewer, fewerError];
  }
  trials.sort((a, b) => a.points - b.points);
  return { points, error, trials };
}

function inFours(points: number): number {
  return Number.isFinite(points) ? 4 * Math.ceil(points / 4) : MOST_POINTS;
}

function notMet(rod: RodToRefine, terms: RodTerms, error: number, needed: number): KanegenError {
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
  const guess = mayHaveKinks(formulas) ? '' : ` of about ${needed} that would be needed`;
  const problem = new ToleranceNotMet(
    `${MOST_POINTS} points along the rod${guess} leave a relative error of ${error.toExponential(1)} where ${tolerance} is asked for`,
    error,
    { location: type.locations.kinematics },
  );
  const pointsFor = (narrower: BodyType): number => {
    const least = terms.within(narrower).error(MOST_POINTS);
    if (!(least <= tolerance)) throw problem;
    return inFours(MOST_POINTS * (least / tolerance) ** (1 / type.integration.magnus));
  };
  return withAffordableRange(problem, { type, ranges, formulas, pointsFor });
}

/** The inertial terms of a rod at the samples, by number of points. */
class RodTerms {
  private readonly rod: RodToRefine;
  private readonly samples: number;
  private readonly bindings: ReadonlyMap<Expr, Samples>;
  private readonly terms: TermExpressions;
  private readonly values = new Map<number, Samples[]>();

  /** @param terms of the part, which can be asked for them once. */
  constructor(rod: RodToRefine, terms = termExpressions(rod.part, rod.symbols.q.length)) {
    this.rod = rod;
    const states = rod.parameters.flatMap((parameters) => statesOf(rod, parameters));
    this.samples = states.length;
    const symbols = [...states[0]!.keys()];
    this.bindings = new Map(symbols.map((s) => [s, Float64Array.from(states, (state) => state.get(s)!)]));
    this.terms = terms;
  }

  /** The same rod with other limits. */
  within(type: BodyType): RodTerms {
    return new RodTerms({ ...this.rod, type }, this.terms);
  }

  private at(points: number): Samples[] {
    const known = this.values.get(points);
    if (known) return known;
    const values = this.terms.program.run(this.bindings, this.samples, this.rod.tableOf(points));
    this.values.set(points, values);
    return values;
  }

  /** Largest relative error of a term, from its change when there are a quarter more points. */
  error(points: number): number {
    const more = inFours(1.25 * points);
    return this.difference(points, more) / (1 - (points / more) ** this.rod.type.integration.magnus);
  }

  private difference(points: number, more: number): number {
    const [coarse, fine] = [this.at(points), this.at(more)];
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
  const { moments, block, columns } = part.composite({
    mass: zero,
    first: zeroVector,
    inertia: [zero, zero, zero, zero, zero, zero],
  });
  const spinning = { angularVelocity: TURNING, angularAcceleration: zeroVector, acceleration: zeroVector };
  const { loops } = part.accelerate(spinning, 'direct');
  const velocity = part.backward(nothing, []);
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

const TURNING = ['x', 'y', 'z'].map((axis) => rodSymbol(`turning_${axis}`)) as unknown as Vector3;

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

/** The range that each coordinate is taken to have: without limits, a large turn or strain of the rod by it alone. */
export function rodRanges(rod: RodToRefine, parameters: ParameterValues): CoordinateRange[] {
  const { type, strain } = rod;
  const defaults = defaultsOf(type);
  const reaches = type.coordinates.map((c, a) => {
    const { turn, stretch } = sizeAlong(rod, parameters, differentiateAll(twistEntries(strain), c.symbol), defaults);
    const reach = Math.min(LARGEST_TURN / turn, LARGEST_STRAIN / stretch);
    return Number.isFinite(reach) ? reach : Math.max(0.5 * Math.abs(defaults[a]!), 0.3);
  });
  return coordinateRanges(type, parameters, reaches);
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

const SHRINK = 0.8;
const MOST_SHRINKS = 40;

/**
 * Draws coordinates without limits towards their defaults where the coordinates together turn or strain the rod by more
 * than the sum of what each does alone: products of coordinates grow without bound, and formulas end.
 */
function withinReach(
  rod: RodToRefine,
  parameters: ParameterValues,
  ranges: readonly CoordinateRange[],
): (q: readonly number[]) => readonly number[] {
  const defaults = ranges.map((range) => range.value);
  const strain = twistEntries(rod.strain);
  const atRest = new Map(rod.symbols.q.map((q, a) => [q as Expr, decimal(defaults[a]!)]));
  const change = strain.map((entry) => minus(entry, substituteOne(entry, atRest)));
  const sizeAt = (q: readonly number[]): { turn: number; stretch: number } => sizeAlong(rod, parameters, change, q);
  let [turn, stretch] = [0, 0];
  ranges.forEach(({ low, high, stated }, a) => {
    const ends = stated ? [low, high].map((end) => sizeAt(defaults.map((value, b) => (a === b ? end : value)))) : [];
    turn += Math.max(LARGEST_TURN, ...ends.map((end) => end.turn));
    stretch += Math.max(LARGEST_STRAIN, ...ends.map((end) => end.stretch));
  });
  return (q) => {
    if (ranges.every((range) => range.stated)) return q;
    let reached: readonly number[] = q;
    for (let shrinks = 0; shrinks < MOST_SHRINKS; shrinks++) {
      const size = sizeAt(reached);
      if (size.turn <= MARGIN * turn && size.stretch <= MARGIN * stretch) return reached;
      reached = drawnTowardsDefaults(reached, ranges, SHRINK);
    }
    return drawnTowardsDefaults(q, ranges, 0);
  };
}

function defaultsOf(type: BodyType): number[] {
  return evaluate(type.coordinates.map((c) => c.value));
}

/** ∫ |κ| ds and max |ν| of a field (κ, ν) along the rod, from a few places. */
function sizeAlong(
  { volume, symbols }: RodToRefine,
  parameters: ParameterValues,
  field: readonly Expr[],
  q: readonly number[],
): { turn: number; stretch: number } {
  const [start, end] = evaluate([volume.start, volume.end], new Map(parameters)) as [number, number];
  let [turn, stretch] = [0, 0];
  for (let i = 0; i <= 8; i++) {
    const at = new Map<Expr, number>([...parameters, [volume.axial, start + ((end - start) * (i + 0.5)) / 9]]);
    symbols.q.forEach((symbol, b) => at.set(symbol, q[b]!));
    if (symbols.time) at.set(symbols.time, 0);
    const entries = evaluate(field, at);
    turn += (Math.hypot(entries[0]!, entries[1]!, entries[2]!) * (end - start)) / 9;
    stretch = Math.max(stretch, Math.hypot(entries[3]!, entries[4]!, entries[5]!));
  }
  return { turn, stretch };
}
