/**
 * Quantities of robot files: parameters with their bounds, coordinates with their limits, in SI units; the time in formulas of body
 * types.
 */
import { foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { minus, symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import type { Requirement } from '../values/requirement.ts';
import type { BodyCoordinate, Quantity } from '../model/robot.ts';
import type { RawCoordinate, RawParameter } from '../language/schema.ts';
import { constantNumber, dues, readScalar, Scope, type Due, type RawValue } from '../values/scope.ts';
import { within, type Place } from '../source/source.ts';
import { BARE_UNIT, dimensionless, parseUnit, type Dimension } from '../values/units.ts';

export interface Bounds {
  summary?: string;
  lower?: number;
  upper?: number;
}

export interface ParameterReading {
  /** Undefined when the parameter must be given by every link. */
  readonly value: Expr | undefined;
  readonly dimension: Dimension | undefined;
  readonly unit: string;
  readonly bounds: Bounds;
}

function siUnit(place: Place, text: string): { dimension: Dimension; si: string } {
  const unit = within(place, () => parseUnit(text));
  if (unit.coherent) return unit;
  throw place.error(
    'wrong-unit',
    `coordinates and interfaces are in SI units; \`${text}\` is not one`,
    `write \`${unit.si}\`; values may still be given in ${text}`,
  );
}

/** A parameter of a body type or of the robot. */
export function readParameter(place: Place, raw: RawParameter, scope: Scope): ParameterReading {
  if (typeof raw !== 'object') {
    const { value, dimension, unit } = readScalar(place, raw, { what: 'this parameter' }, scope);
    return { value, dimension, unit: unit ?? BARE_UNIT, bounds: {} };
  }
  const stated = raw.unit === undefined ? undefined : siUnit(place.at('unit'), raw.unit);
  const due: Due = { what: 'this parameter', ...(stated ? { dimension: stated.dimension } : {}) };
  const read = raw.value === undefined ? undefined : readScalar(place.at('value'), raw.value, due, scope);
  const dimension = stated?.dimension ?? read?.dimension;
  const bounds: Bounds = {};
  const boundDue: Due = { what: 'this bound', ...(dimension ? { dimension } : {}) };
  const bound = (key: 'min' | 'max'): number =>
    constantNumber(place.at(key), readScalar(place.at(key), raw[key]!, boundDue, scope).value);
  if (raw.summary !== undefined) bounds.summary = raw.summary;
  if (raw.min !== undefined) bounds.lower = bound('min');
  if (raw.max !== undefined) bounds.upper = bound('max');
  if (bounds.lower !== undefined && bounds.upper !== undefined && bounds.lower > bounds.upper)
    throw place.at('max').error('wrong-value', '`max` is below `min`', 'swap them');
  return { value: read?.value, dimension, unit: stated?.si ?? read?.unit ?? BARE_UNIT, bounds };
}

/** Refuses a value outside of `min`, `max`. */
export function checkBounds(
  place: Place,
  value: number | undefined,
  { lower, upper }: Pick<Bounds, 'lower' | 'upper'>,
): void {
  if (value === undefined) return;
  if (lower !== undefined && value < lower) throw place.error('out-of-range', `${value} is below the minimum ${lower}`);
  if (upper !== undefined && value > upper) throw place.error('out-of-range', `${value} is above the maximum ${upper}`);
}

/** NAME, or NAME1 … NAMEcount. */
export function coordinateNames(name: string, { count }: RawCoordinate): readonly string[] {
  return count === undefined ? [name] : Array.from({ length: count }, (_, i) => `${name}${i + 1}`);
}

type BodyLimits = NonNullable<BodyCoordinate['limits']>;

/** A quantity without limits. */
export type Unlimited = Omit<Quantity, 'lower' | 'upper'>;

/** One coordinate, or NAME1 … NAMEcount, without its limits. */
export function readCoordinate(
  place: Place,
  name: string,
  raw: RawCoordinate,
  scope: 'body' | 'joint',
): { quantity: Unlimited; dimension: Dimension }[] {
  const unit = raw.unit === undefined ? { dimension: dimensionless, si: '1' } : siUnit(place.at('unit'), raw.unit);
  const due: Due = { what: 'this', dimension: unit.dimension };
  const value = raw.default === undefined ? zero : readScalar(place.at('default'), raw.default, due, new Scope()).value;
  const summary = raw.summary === undefined ? {} : { summary: raw.summary };
  return coordinateNames(name, raw).map((own) => ({
    quantity: { ...summary, name: own, symbol: symbol(`${scope}.${own}`), unit: unit.si, value },
    dimension: unit.dimension,
  }));
}

/**
 * Limits of a coordinate of a body type, over the parameters of the type.
 * @returns what must hold of them where the parameters have numbers, too.
 */
export function readBodyLimits(
  place: Place,
  raw: readonly RawValue[],
  { quantity, dimension }: { readonly quantity: Unlimited; readonly dimension: Dimension },
  parameters: Scope,
): { limits: BodyLimits; requirements: Requirement[] } {
  const limits = limitFormulas(place, raw, { dimension, unit: quantity.unit }, parameters);
  return { limits, requirements: limitRequirements(place, limits, quantity.value) };
}

const short = (value: number): string => String(Number(value.toPrecision(4)));

/** Limits are in order, and the default lies between them. */
function limitRequirements(place: Place, [lower, upper]: BodyLimits, value: Expr): Requirement[] {
  const number = short(foldConstant(value));
  const outside = (i: number, distance: Expr): Requirement => ({
    place: place.at(i),
    value: distance,
    holds: (left) => left >= 0,
    code: 'wrong-value',
    message: (left) => `the default ${number} lies ${short(-left)} ${i === 0 ? 'below' : 'above'} this limit`,
    remedy: 'write limits that contain it, or a `default` within them',
  });
  return [
    {
      place,
      value: minus(upper, lower),
      holds: (width) => width > 0,
      code: 'wrong-value',
      message: () => 'the lower limit is not below the upper limit',
      remedy: 'write [lower, upper]',
    },
    outside(0, minus(value, lower)),
    outside(1, minus(upper, value)),
  ];
}

function limitFormulas(place: Place, raw: readonly RawValue[], { dimension, unit }: Limited, scope: Scope): BodyLimits {
  const due: Due = { what: 'this limit', dimension, ...(unit === 'rad' && { isAngle: true }) };
  return raw.map((value, i) => readScalar(place.at(i), value, due, scope).value) as unknown as BodyLimits;
}

/** What limits are of; as a number, an angle is told by its unit. */
interface Limited {
  readonly dimension: Dimension;
  readonly unit?: string;
}

/** Limits that are numbers. */
export function readLimits(
  place: Place,
  raw: readonly RawValue[],
  limited: Limited,
  scope: Scope,
): { lower: number; upper: number } {
  const [lower, upper] = limitFormulas(place, raw, limited, scope).map((e, i) => constantNumber(place.at(i), e)) as [
    number,
    number,
  ];
  if (!(lower < upper))
    throw place.error(
      'wrong-value',
      `the lower limit ${lower} is not below the upper limit ${upper}`,
      'write [lower, upper]',
    );
  return { lower, upper };
}

/**
 * The default of the coordinate of a joint, a number.
 * @param range - where it has limits.
 * @throws KanegenError `wrong-shape`, `wrong-value` outside of the limits, or what reading values throws.
 */
export function readDefault(
  place: Place,
  raw: unknown,
  { dimension, unit }: Limited,
  range: { readonly lower: number; readonly upper: number } | undefined,
  scope: Scope,
): Expr {
  if (typeof raw !== 'number' && typeof raw !== 'string') throw place.error('wrong-shape', 'a default is one value');
  const { value } = readScalar(
    place,
    raw,
    { what: 'this default', dimension, ...(unit === 'rad' && { isAngle: true }) },
    scope,
  );
  const number = constantNumber(place, value);
  if (range && (number < range.lower || number > range.upper))
    throw place.error(
      'wrong-value',
      `the default ${short(number)} lies outside of the limits, ${short(range.lower)} to ${short(range.upper)}`,
      'write a value between them',
    );
  return value;
}

/** What formulas call the time, unless the type calls something else so. */
export const TIME = 't';
/** Stands for it, in s. */
export const TIME_OF_BODY = symbol(`body.${TIME}`);

/** Lets formulas of a scope call the time by its name, unless something else has that name. */
export function implyTime(scope: Scope): void {
  if (!scope.find(TIME)) scope.imply(TIME, TIME_OF_BODY, dues.time.dimension);
}
