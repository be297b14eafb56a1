/**
 * Configurations of a body at which numerical decisions of the compiler are made and checked: orders of rules, cubature,
 * folding. Always the same ones for the same type, spread evenly over what the coordinates may be.
 */
import type { BodyType, Quantity, Volume } from '../description/robot.ts';
import { interiorPoints } from '../description/reference-shape.ts';
import { differentiateAll } from '../symbolic/differentiate.ts';
import { evaluate, foldConstant } from '../symbolic/evaluate.ts';
import { evaluateRows } from '../symbolic/evaluate-rows.ts';
import { plus, square, type Expr } from '../symbolic/expr.ts';

/** Numbers of a body type's parameters, by symbol. */
export type ParameterValues = ReadonlyMap<Expr, number>;

/** Those of links that give none of their own, in SI units. */
export function defaultParameters(type: BodyType): ParameterValues {
  const values = evaluate(type.parameters.map((p) => p.value));
  return new Map(type.parameters.map((p, i) => [p.symbol, values[i]!]));
}

/** Half-widths of the range of a coordinate without limits, by unit, for a body of size 1. */
const ANGLE = 1.5;
const LENGTH = 0.2;
const PLAIN = 0.3;
/** What a coordinate in metres moves material by, at least, for a body of size 1, however little of it one metre moves. */
const LEAST_DISPLACEMENT = 0.05;

/**
 * @param count how many configurations are wanted.
 * @returns values in the order of the type's coordinates; the first configuration is the default one. Limits of a
 * coordinate bound its values; a side without limit reaches as far from the default as suits the unit.
 */
export function sampleConfigurations(type: BodyType, parameters: ParameterValues, count: number): number[][] {
  const size = bodySize(type.volumes, parameters);
  const values = evaluate(
    type.coordinates.map((c) => c.value),
    new Map(parameters),
  );
  const effects = type.coordinates.map((c) => (c.unit === 'm' ? effectOf(type, c.symbol, parameters) : Infinity));
  const ranges = type.coordinates.map((c, i) => rangeOf(c, values[i]!, size, effects[i]!));
  const shares = evenly(count - 1, ranges.length);
  return [values, ...shares.map((share) => share.map((u, i) => ranges[i]![0] + u * (ranges[i]![1] - ranges[i]![0])))];
}

/** @param effect largest displacement of the material by a unit of the coordinate; infinite when it is not of interest. */
function rangeOf(coordinate: Quantity, value: number, size: number, effect: number): [number, number] {
  const { lower, upper, unit } = coordinate;
  const usual =
    unit === 'rad' ? ANGLE : unit === 'm' ? LENGTH * size : unit === '1/m' || unit === 'rad/m' ? 1 / size : PLAIN;
  const reach = effect > 0 ? Math.max(usual, (LEAST_DISPLACEMENT * size) / effect) : usual;
  // A limit may be a formality (±100 turns): nothing is learnt from configurations that far out.
  const low = Math.max(lower ?? value - reach, value - 4 * reach);
  const high = Math.min(upper ?? value + reach, value + 4 * reach);
  return [low, high];
}

/** max |∂p/∂q| over the body at the default configuration; infinite where the position is no formula. */
function effectOf(type: BodyType, coordinate: Expr, parameters: ParameterValues): number {
  const { kinematics } = type;
  if (kinematics.kind !== 'position') return Infinity;
  const scalars = new Map<Expr, number>(parameters);
  for (const { symbol, value } of type.coordinates) scalars.set(symbol, foldConstant(value));
  if (type.time) scalars.set(type.time, 0);
  const partial = differentiateAll(kinematics.position, coordinate);
  const squared = plus(...partial.map(square));
  let largest = 0;
  for (const volume of type.volumes) {
    const { columns, rows } = interiorPoints(volume, parameters);
    // Where the formula has no value at the default there is nothing to compare.
    for (const value of evaluateRows([squared], columns, scalars, rows)[0]!) if (value > largest) largest = value;
  }
  return Math.sqrt(largest);
}

/**
 * Points of an additive sequence in the unit cube of the given dimension (Roberts' generalised golden ratio), stretched so
 * that some point is at either end of every side.
 */
function evenly(count: number, dimension: number): number[][] {
  let ratio = 2;
  for (let i = 0; i < 60; i++) ratio = (1 + ratio) ** (1 / (dimension + 1));
  const sides = Array.from({ length: dimension }, (_, i) => {
    const places = Array.from({ length: count }, (__, k) => (0.5 + (k + 1) * ratio ** -(i + 1)) % 1);
    const [low, high] = [Math.min(...places), Math.max(...places)];
    return count < 2 ? places : places.map((place) => (place - low) / (high - low));
  });
  return Array.from({ length: count }, (_, k) => sides.map((side) => side[k]!));
}

/** Largest extent of the volumes, m. */
export function bodySize(volumes: readonly Volume[], parameters: ParameterValues): number {
  const extents = volumes.flatMap((volume) => {
    if (volume.kind === 'mesh') return meshExtents(volume.mesh.nodes);
    const limits = volume.kind === 'rod' ? [[volume.start, volume.end] as const] : volume.ranges;
    return limits.map((pair) => {
      const [low, high] = evaluate(pair, new Map(parameters));
      return Math.abs(high! - low!);
    });
  });
  return Math.max(...extents);
}

function meshExtents(nodes: Float64Array): number[] {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  nodes.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3]!, value);
    high[i % 3] = Math.max(high[i % 3]!, value);
  });
  return low.map((value, axis) => high[axis]! - value);
}
