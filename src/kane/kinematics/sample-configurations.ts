/**
 * Configurations of a body at which numerical decisions of the compiler are made and checked: orders of rules, cubature,
 * folding. Always the same ones for the same type: corners of the range of the coordinates, and others spread evenly over it.
 */
import type { BodyType } from '../../description/model/robot.ts';
import type { Volume } from '../../description/model/reference-volume.ts';
import { interiorPoints } from '../../description/volumes/reference-shape.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { evaluate, foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import { plus, square, type Expr } from '../../symbolic/graph/expr.ts';

/** Numbers of a body type's parameters, by symbol. */
export type ParameterValues = ReadonlyMap<Expr, number>;

/** Those of links that give none of their own, in SI units. */
export function defaultParameters(type: BodyType): ParameterValues {
  const values = evaluate(type.parameters.map((p) => p.value));
  return new Map(type.parameters.map((p, i) => [p.symbol, values[i]!]));
}

/** What a coordinate is taken to be between: its limits, and where it has none what suits the body. */
export interface CoordinateRange {
  readonly name: string;
  readonly unit: string;
  /** The default. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Are these limits that the robot file states? */
  readonly stated: boolean;
}

/** @param reaches how far each coordinate goes from its default where it has no limit. */
export function coordinateRanges(
  type: BodyType,
  parameters: ParameterValues,
  reaches = assumedReaches(type, parameters),
): CoordinateRange[] {
  return type.coordinates.map(({ name, unit, value: exact, limits }, i) => {
    const value = foldConstant(exact);
    const [low, high] = limits
      ? (evaluate(limits, parameters) as [number, number])
      : [value - reaches[i]!, value + reaches[i]!];
    return { name, unit, value, low, high, stated: limits !== undefined };
  });
}

/** How far the widest of the limits go, in units of the range that a coordinate without limits is taken to have. */
export function widestRange(type: BodyType, parameters: ParameterValues): number {
  const reaches = assumedReaches(type, parameters);
  return Math.max(
    1,
    ...coordinateRanges(type, parameters, reaches).map(({ low, high }, i) => (high - low) / (2 * reaches[i]!)),
  );
}

const short = (value: number): string => String(Number(value.toPrecision(3)));
const behind = (unit: string): string => (unit === '1' ? '' : ` ${unit}`);

/** For messages: `q1 = -1.5 rad`. */
export const placeText = ({ name, unit }: Pick<CoordinateRange, 'name' | 'unit'>, value: number): string =>
  `${name} = ${short(value)}${behind(unit)}`;

/** For messages: `q1 in [-1.5, 1.5] rad (assumed), q2 in [0, 0.0001] m`. */
export function describeRanges(ranges: readonly CoordinateRange[]): string {
  const text = ({ name, unit, low, high, stated }: CoordinateRange): string =>
    `${name} in [${short(low)}, ${short(high)}]${behind(unit)}${stated ? '' : ' (assumed)'}`;
  return ranges.map(text).join(', ');
}

/** A configuration with coordinates that have no limits at the given share of their way from the default. */
export function drawnTowardsDefaults(
  q: readonly number[],
  ranges: readonly CoordinateRange[],
  share: number,
): number[] {
  return q.map((wanted, i) => {
    const { value, stated } = ranges[i]!;
    return stated ? wanted : value + share * (wanted - value);
  });
}

/** Half-widths of the range of a coordinate without limits, by unit, for a body of size 1. */
const ANGLE = 1.5;
const LENGTH = 0.2;
const PLAIN = 0.3;
/** What a coordinate in metres moves material by, at least, for a body of size 1, however little of it one metre moves. */
const LEAST_DISPLACEMENT = 0.05;

function assumedReaches(type: BodyType, parameters: ParameterValues): number[] {
  const size = bodySize(type.volumes, parameters);
  return type.coordinates.map(({ unit, symbol }) => {
    if (unit === 'rad') return ANGLE;
    if (unit === '1/m' || unit === 'rad/m') return 1 / size;
    if (unit === '1') return PLAIN;
    const effect = effectOf(type, symbol, parameters);
    if (unit !== 'm') return effect > 0 && Number.isFinite(effect) ? (LENGTH * size) / effect : PLAIN;
    return Math.max(LENGTH * size, effect > 0 ? (LEAST_DISPLACEMENT * size) / effect : 0);
  });
}

/**
 * @param count how many configurations are wanted.
 * @returns values in the order of the ranges: the default configuration first, then corners and others in turn.
 */
export function sampleConfigurations(ranges: readonly CoordinateRange[], count: number): number[][] {
  const corners = cornersOf(ranges.length, Math.floor(count / 2)).values();
  const inside = evenly(count - 1, ranges.length).values();
  const shares = Array.from({ length: count - 1 }, (_, k) => {
    const corner = k % 2 === 0 ? corners.next() : undefined;
    return corner && !corner.done ? corner.value : inside.next().value!;
  });
  return [
    ranges.map((range) => range.value),
    ...shares.map((share) => share.map((u, i) => ranges[i]!.low + u * (ranges[i]!.high - ranges[i]!.low))),
  ];
}

/**
 * Corners of the unit cube, all of them if there are no more than wanted. The first is [1, 1, …], every corner is followed by
 * the opposite one, and any two coordinates soon meet in all four ways (rows of a Hadamard matrix).
 */
export function cornersOf(dimension: number, most: number): number[][] {
  const seen = new Set<string>();
  const corners: number[][] = [];
  const add = (corner: number[]): void => {
    if (corners.length >= most || seen.has(corner.join())) return;
    seen.add(corner.join());
    corners.push(corner);
  };
  const rows = 2 ** Math.ceil(Math.log2(dimension + 1));
  for (let row = 0; row < rows; row++) {
    const corner = Array.from({ length: dimension }, (_, i) => 1 - parity(row & (i + 1)));
    add(corner);
    add(corner.map((side) => 1 - side));
  }
  for (let k = 0; k < Math.min(2 ** dimension, 4 * most); k++)
    add(Array.from({ length: dimension }, (_, i) => Math.floor(k / 2 ** i) % 2));
  return corners;
}

function parity(bits: number): number {
  let odd = 0;
  for (let rest = bits; rest > 0; rest >>= 1) odd ^= rest & 1;
  return odd;
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
