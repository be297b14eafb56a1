/**
 * Where the formulas of a body lose digits in double precision: near configurations at which something that is divided by
 * vanishes and its pole was not removed. Compared with the same formulas in many digits, at the places and at every distance
 * from them; measured, not estimated.
 */
import type { Decimal } from 'decimal.js';
import { KanegenError } from '../../common/error.ts';
import { decimalOfPrecision, evaluate, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { denominators } from '../../symbolic/poles/removable-poles.ts';
import { interiorPoints } from '../../description/volumes/reference-shape.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { Volume } from '../../description/model/reference-volume.ts';
import { FormulaField } from './point-field.ts';
import { regularStrain, type PointKinematics } from './point-kinematics.ts';
import { timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';
import {
  coordinateRanges,
  sampleConfigurations,
  type CoordinateRange,
  type ParameterValues,
} from './sample-configurations.ts';

/** Digits lost when a coordinate, or all of them together, come close to a value. */
export interface DigitLoss {
  /** Name of the coordinate; null for all together. */
  readonly coordinate: string | null;
  /** Value of the coordinate that is approached. */
  readonly value: number;
  /** Distance up to which digits are lost. */
  readonly reach: number;
  /** Largest error relative to the size of what is computed, infinite where there is no result; and the distance of it. */
  readonly error: number;
  readonly distance: number;
  /** The defaults of the coordinates are among the places. */
  readonly atDefault: boolean;
}

const Wide = decimalOfPrecision(90);
const DISTANCES = [0, ...[-12, -10, -8, -7, -6, -5, -4, -3.5, -3, -2.5, -2, -1.5, -1].map((digits) => 10 ** digits)];
/** A denominator below this share of its usual size is worth a look. */
const SMALL = 0.2;
/** What double precision is expected to keep where nothing better is asked for. */
const LEAST_TOLERANCE = 1e-11;
const MATERIAL_POINTS = 2;

/** Numbers of the parameters, and configurations within the domain of the formulas, the default one first. */
export interface Samples {
  readonly parameters: ParameterValues;
  readonly configurations: readonly (readonly number[])[];
}

/** How many configurations are enough. */
export const CONFIGURATIONS = 4;

/** One approach to a special configuration: configurations by distance. */
interface Approach {
  readonly coordinate: string | null;
  readonly value: number;
  readonly atDefault: boolean;
  at(distance: number): readonly number[];
}

/** Losses of a body given by the position of its points: of position, velocities, accelerations and the distal frame. */
export function positionLosses(
  type: BodyType,
  { position, distal }: PointKinematics,
  symbols: CoordinateSymbols,
  { parameters, configurations }: Samples,
): DigitLoss[] {
  const field = new FormulaField(position, symbols);
  const { velocity, acceleration, partials } = field.at({ partials: true, velocity: true, acceleration: 'coasting' });
  const { rotation, translation } = distal.frame;
  const moved = [position, partials.flat(), velocity, acceleration];
  const frame = [rotation, translation, distal.linear.flat(), distal.angular.flat()];
  return findDigitLoss(type, [...moved, ...frame], ratesOf(symbols), { parameters, configurations });
}

/** Losses of a rod given by its strain: of the strain and its derivatives along the motion. */
export function strainLosses(type: BodyType, symbols: CoordinateSymbols, parameters: ParameterValues): DigitLoss[] {
  if (type.kinematics.kind !== 'strain') throw new Error('a rod given by its strain expected');
  const { angular, linear } = regularStrain(type, type.kinematics);
  const groups = [angular, linear].flatMap((strain) => {
    const rate = timeDerivative(strain, symbols);
    const coasting = { ...symbols, qdd: symbols.qdd.map(() => zero) };
    return [strain, symbols.q.flatMap((q) => differentiateAll(strain, q)), rate, timeDerivative(rate, coasting)];
  });
  const configurations = sampleConfigurations(coordinateRanges(type, parameters), CONFIGURATIONS);
  return findDigitLoss(type, groups, ratesOf(symbols), { parameters, configurations });
}

function ratesOf({ qd, time }: CoordinateSymbols): Map<Expr, number> {
  const rates = new Map<Expr, number>(qd.map((s, i) => [s, Math.sin(1.3 * i + 1)] as const));
  if (time) rates.set(time, 0);
  return rates;
}

/**
 * @param groups formulas over coordinates, material coordinates, parameters and `rates`; those of one group are of one kind
 * and size.
 * @param rates values of everything else that occurs.
 */
function findDigitLoss(
  type: BodyType,
  groups: readonly (readonly Expr[])[],
  rates: ReadonlyMap<Expr, number>,
  { parameters, configurations: samples }: Samples,
): DigitLoss[] {
  const coordinates = new Set<Expr>(type.coordinates.map((c) => c.symbol));
  const divisors = denominators(groups.flat(), coordinates);
  if (divisors.length === 0) return [];
  const places = type.volumes.flatMap((volume) => materialPlaces(volume, parameters));
  const states = (q: readonly number[]): Map<Expr, number>[] =>
    places.map((place) => {
      const state = new Map<Expr, number>([...parameters, ...rates, ...place]);
      type.coordinates.forEach((c, i) => state.set(c.symbol, q[i]!));
      return state;
    });
  const ranges = coordinateRanges(type, parameters);
  const usual = largest(samples.slice(1).flatMap(states), (state) => evaluate(divisors, state));
  const isSuspect = (state: Map<Expr, number>): boolean =>
    evaluate(divisors, state).some((value, i) => !(Math.abs(value) > SMALL * usual[i]!));
  let scales: number[] | undefined;
  const tolerance = Math.max(type.integration.tolerance, LEAST_TOLERANCE);
  return approaches(type, samples).flatMap((approach) => {
    let reach = -1;
    let worst = { error: 0, distance: 0 };
    for (const distance of DISTANCES) {
      const q = approach.at(distance);
      if (!isWithinLimits(ranges, q)) continue;
      for (const state of states(q)) {
        if (!isSuspect(state)) continue;
        scales ??= groupScales(groups, samples.slice(1).flatMap(states));
        const error = errorAt(groups, state, scales);
        if (error <= tolerance) continue;
        reach = Math.max(reach, distance);
        if (error > worst.error) worst = { error, distance };
      }
    }
    if (reach < 0) return [];
    const { coordinate, value, atDefault } = approach;
    return [{ coordinate, value, atDefault, reach, ...worst }];
  });
}

/** @throws KanegenError `irregular-kinematics` at the kinematics where the defaults are among the places. */
export function requireDigitsAtDefault(type: BodyType, losses: readonly DigitLoss[]): void {
  const loss = losses.find((l) => l.atDefault);
  if (!loss) return;
  throw new KanegenError('irregular-kinematics', `the kinematics ${describeLoss(loss)}, around the default values`, {
    remedy:
      'write the 0/0 with analytic functions of the coordinates and without conditions on them, so that it can be removed (docs/mathematics.md, "Removable poles"), or keep vanishing terms out of denominators',
  }).at(type.locations.kinematics);
}

/** What happens and where, to follow "the kinematics" or the name of a body. */
export function describeLoss({ coordinate, value, reach, error, distance }: DigitLoss): string {
  const name = coordinate ?? 'all coordinates';
  const near = reach === 0 ? `at ${name} = ${value}` : `for ${name} within ${rounded(reach)} of ${value}`;
  if (error === Infinity) return `is not finite at ${name} = ${value}${reach > 0 ? ` and loses digits ${near}` : ''}`;
  return `loses digits ${near} (relative error ${error.toExponential(0)} at a distance of ${rounded(distance)})`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(1)));
}

function materialPlaces(volume: Volume, parameters: ParameterValues): Map<Expr, number>[] {
  const { columns, rows } = interiorPoints(volume, parameters);
  return Array.from({ length: MATERIAL_POINTS }, (_, k) => {
    const row = Math.floor(((k + 0.6) * rows) / MATERIAL_POINTS);
    return new Map([...columns].map(([s, values]) => [s, values[row]!] as const));
  });
}

/** Every coordinate alone, and all together, towards zero and towards their defaults. */
function approaches(type: BodyType, samples: readonly (readonly number[])[]): Approach[] {
  const [start, generic] = samples as [readonly number[], readonly number[]];
  const origin = start.map(() => 0);
  const isOrigin = start.every((value) => value === 0);
  const centres = isOrigin ? [start] : [start, origin];
  return centres.flatMap((centre) => {
    const together: Approach = {
      coordinate: type.coordinates.length === 1 ? type.coordinates[0]!.name : null,
      value: centre[0]!,
      atDefault: centre === start,
      at: (d) => centre.map((value, i) => value + d * direction(generic[i]! - value)),
    };
    if (type.coordinates.length === 1) return [together];
    const single = type.coordinates.map((c, a): Approach => ({
      coordinate: c.name,
      value: centre[a]!,
      atDefault: false,
      at: (d) => generic.map((value, i) => (i === a ? centre[a]! + d * direction(value - centre[a]!) : value)),
    }));
    return [together, ...single];
  });
}

/** A little off the unit step, so that nothing cancels by accident. */
function direction(towards: number): number {
  return towards < 0 ? -1.0173 : 1.0173;
}

function isWithinLimits(ranges: readonly CoordinateRange[], q: readonly number[]): boolean {
  return ranges.every(({ low, high, stated }, i) => !stated || (q[i]! >= low && q[i]! <= high));
}

function largest(states: readonly Map<Expr, number>[], values: (state: Map<Expr, number>) => number[]): number[] {
  const all = states.map(values);
  return (all[0] ?? []).map((_, i) => Math.max(0, ...all.map((list) => Math.abs(list[i]!)).filter(Number.isFinite)));
}

function groupScales(groups: readonly (readonly Expr[])[], states: readonly Map<Expr, number>[]): number[] {
  return groups.map((group) => Math.max(0, ...largest(states, (state) => evaluate(group, state))));
}

/** Largest error of double precision over all groups, each relative to its size. */
function errorAt(
  groups: readonly (readonly Expr[])[],
  state: ReadonlyMap<Expr, number>,
  scales: readonly number[],
): number {
  const rough = groups.map((group) => evaluate(group, state));
  if (!rough.flat().every(Number.isFinite)) return Infinity;
  const exact = new Map<Expr, Decimal>([...state].map(([s, value]) => [s, exactDecimal(value, Wide)] as const));
  const fine = evaluateDecimal(groups.flat(), exact, Wide);
  let worst = 0;
  let offset = 0;
  for (const [k, group] of groups.entries()) {
    const own = fine.slice(offset, (offset += group.length));
    const size = Math.max(scales[k]!, ...own.map((x) => x.abs().toNumber()));
    own.forEach((x, i) => {
      const error = x.minus(rough[k]![i]!).abs().toNumber();
      if (error > 0) worst = Math.max(worst, error / size);
    });
  }
  return worst;
}
