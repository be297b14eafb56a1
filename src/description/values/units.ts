/**
 * Units and dimensions: "NUMBER UNIT" scaled to SI by exact rationals (and exact multiples of pi for angles).
 */
import { mapTuple } from '../../common/tuples.ts';
import { KanegenError } from '../../common/error.ts';
import { one, pi, power, rational, times, type Expr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { Rational, ratio } from '../../symbolic/graph/rational.ts';

/** Exponents of mass, length, time, electric current and temperature. Angles have no dimension. */
export type Dimension = readonly [kg: number, m: number, s: number, A: number, K: number];

const BASE = ['kg', 'm', 's', 'A', 'K'] as const;

export const dimensionless: Dimension = [0, 0, 0, 0, 0];

/** Unit text of a parameter given as a bare number: SI in a dimension that only its use shows. */
export const BARE_UNIT = 'SI';

/** Of a unit text of the model; undefined of a bare number. */
export const dimensionOf = (unit: string): Dimension | undefined =>
  unit === BARE_UNIT ? undefined : parseUnit(unit).dimension;

export function multiplyDimensions(a: Dimension, b: Dimension): Dimension {
  return mapTuple(a, (exponent, i) => exponent + b[i]!);
}

export function dimensionPower(a: Dimension, exponent: number): Dimension {
  return mapTuple(a, (e) => e * exponent);
}

export function equalDimensions(a: Dimension, b: Dimension): boolean {
  return a.every((exponent, i) => Math.abs(exponent - b[i]!) < 1e-9);
}

/** `kg/m^3`, `m`, `1`: the product of base units. */
export function dimensionText(a: Dimension): string {
  return productText(BASE.map((name, i) => [name, a[i]!]));
}

/** What a dimension is called, where it has a name. */
export function dimensionName(a: Dimension): string {
  const named: readonly (readonly [string, string])[] = [
    ['1', 'a plain number'],
    ['m', 'a length (m)'],
    ['kg', 'a mass (kg)'],
    ['s', 'a time (s)'],
    ['kg/m^3', 'a density (kg/m^3)'],
    ['kg m^2', 'a moment of inertia (kg m^2)'],
    ['1/m', 'a curvature (1/m)'],
    ['m/s^2', 'an acceleration (m/s^2)'],
    ['kg m/s^2', 'a force (N)'],
    ['kg m^2/s^2', 'an energy or a moment (J, N m)'],
  ];
  const text = dimensionText(a);
  return named.find(([unit]) => unit === text)?.[1] ?? `a quantity in ${text}`;
}

function productText(factors: readonly (readonly [string, number])[]): string {
  const write = ([name, exponent]: readonly [string, number]): string =>
    exponent === 1 ? name : `${name}^${exponent}`;
  const above = factors.filter(([, exponent]) => exponent > 0).map(write);
  const below = factors.filter(([, exponent]) => exponent < 0).map(([name, exponent]) => write([name, -exponent]));
  return [above.length > 0 ? above.join(' ') : '1', ...below].join('/');
}

interface UnitAtom {
  /** Size in SI units, times pi^turns. */
  readonly size: Rational;
  readonly turns: number;
  readonly dimension: Dimension;
  /** The SI unit it is written in. */
  readonly si: string;
}

function atom(size: string, si: string, dimension: Dimension, turns = 0): UnitAtom {
  const [numerator, denominator = '1'] = size.split('/');
  return { size: Rational.divide(Rational.parse(numerator!)!, Rational.parse(denominator)!), turns, dimension, si };
}

const MASS: Dimension = [1, 0, 0, 0, 0];
const LENGTH: Dimension = [0, 1, 0, 0, 0];
const TIME: Dimension = [0, 0, 1, 0, 0];
const FORCE: Dimension = [1, 1, -2, 0, 0];
const PRESSURE: Dimension = [1, -1, -2, 0, 0];
const ENERGY: Dimension = [1, 2, -2, 0, 0];
const POWER: Dimension = [1, 2, -3, 0, 0];

const UNITS: ReadonlyMap<string, UnitAtom> = new Map([
  ['m', atom('1', 'm', LENGTH)],
  ['dm', atom('1e-1', 'm', LENGTH)],
  ['cm', atom('1e-2', 'm', LENGTH)],
  ['mm', atom('1e-3', 'm', LENGTH)],
  ['um', atom('1e-6', 'm', LENGTH)],
  ['nm', atom('1e-9', 'm', LENGTH)],
  ['km', atom('1e3', 'm', LENGTH)],
  ['in', atom('0.0254', 'm', LENGTH)],
  ['ft', atom('0.3048', 'm', LENGTH)],
  ['kg', atom('1', 'kg', MASS)],
  ['g', atom('1e-3', 'kg', MASS)],
  ['mg', atom('1e-6', 'kg', MASS)],
  ['t', atom('1e3', 'kg', MASS)],
  ['lb', atom('0.45359237', 'kg', MASS)],
  ['s', atom('1', 's', TIME)],
  ['ms', atom('1e-3', 's', TIME)],
  ['us', atom('1e-6', 's', TIME)],
  ['min', atom('60', 's', TIME)],
  ['h', atom('3600', 's', TIME)],
  ['Hz', atom('1', 'Hz', [0, 0, -1, 0, 0])],
  ['rad', atom('1', 'rad', dimensionless)],
  ['mrad', atom('1e-3', 'rad', dimensionless)],
  ['deg', atom('1/180', 'rad', dimensionless, 1)],
  ['rev', atom('2', 'rad', dimensionless, 1)],
  ['N', atom('1', 'N', FORCE)],
  ['mN', atom('1e-3', 'N', FORCE)],
  ['kN', atom('1e3', 'N', FORCE)],
  ['Pa', atom('1', 'Pa', PRESSURE)],
  ['hPa', atom('1e2', 'Pa', PRESSURE)],
  ['kPa', atom('1e3', 'Pa', PRESSURE)],
  ['MPa', atom('1e6', 'Pa', PRESSURE)],
  ['GPa', atom('1e9', 'Pa', PRESSURE)],
  ['bar', atom('1e5', 'Pa', PRESSURE)],
  ['mbar', atom('1e2', 'Pa', PRESSURE)],
  ['J', atom('1', 'J', ENERGY)],
  ['mJ', atom('1e-3', 'J', ENERGY)],
  ['kJ', atom('1e3', 'J', ENERGY)],
  ['W', atom('1', 'W', POWER)],
  ['kW', atom('1e3', 'W', POWER)],
  ['A', atom('1', 'A', [0, 0, 0, 1, 0])],
  ['V', atom('1', 'V', [1, 2, -3, -1, 0])],
  ['T', atom('1', 'T', [1, 0, -2, -1, 0])],
  ['mT', atom('1e-3', 'T', [1, 0, -2, -1, 0])],
  ['K', atom('1', 'K', [0, 0, 0, 0, 1])],
]);

/** Spellings that are understood and refused, with what to write. */
const MISSPELT: ReadonlyMap<string, string> = new Map([
  ['mt', 'm'],
  ['Nm', 'N m'],
  ['Nmm', 'N mm'],
  ['rpm', 'rev/min'],
  ['°', 'deg'],
  ['degrees', 'deg'],
  ['degree', 'deg'],
  ['radians', 'rad'],
  ['meter', 'm'],
  ['meters', 'm'],
  ['inch', 'in'],
  ['tonne', 't'],
  ['sec', 's'],
  ['psi', '6894.757 Pa'],
]);

export interface Unit {
  /** SI value of one unit, exactly. */
  readonly size: Expr;
  readonly dimension: Dimension;
  /** The same unit written in SI: `kg/m^3` for `g/cm^3`. */
  readonly si: string;
  /** Is the unit itself SI? */
  readonly coherent: boolean;
}

const DEEPEST_NESTING = 20;

/** Products by space or *, quotients by /, integer powers, parentheses. */
class UnitReader {
  private readonly text: string;
  private position = 0;
  /** Open parentheses. */
  private depth = 0;
  private size = ratio(1n);
  private turns = 0;
  private dimension = dimensionless;
  private readonly si = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  read(): Unit {
    this.product(1);
    if (this.position < this.text.length) throw this.error(`\`${this.text}\` is not a unit`);
    const size = times(rational(this.size), power(pi, this.turns));
    return { size, dimension: this.dimension, si: productText([...this.si]), coherent: size === one };
  }

  private error(message: string, remedy?: string, code = 'malformed-unit'): KanegenError {
    return new KanegenError(code, message, {
      offset: this.position,
      remedy: remedy ?? 'write units such as `mm`, `kg/m^3`, `g m^2` or `rad/s`',
    });
  }

  private skip(): void {
    while (this.text[this.position] === ' ') this.position++;
  }

  private product(sign: number): void {
    let direction = sign;
    let divided = false;
    for (;;) {
      this.factor(direction);
      const before = this.position;
      this.skip();
      const next = this.text[this.position];
      if (next === undefined || next === ')') return;
      if (next === '/' || next === '*') this.position++;
      else if (this.position === before)
        throw this.error(
          `\`${this.text}\` is not a unit`,
          /\d/.test(next) ? 'write powers with ^, such as `mm^3`' : undefined,
        );
      if (next === '/') {
        direction = -sign;
        divided = true;
      } else {
        if (divided) throw this.error('a product after a quotient is ambiguous', 'write kg/(m s) or kg/m/s');
        direction = sign;
      }
      this.skip();
    }
  }

  private factor(sign: number): void {
    this.skip();
    if (this.text[this.position] === '(') {
      if (++this.depth > DEEPEST_NESTING) throw this.error(`the unit is nested more than ${DEEPEST_NESTING} deep`);
      this.position++;
      this.product(sign);
      if (this.text[this.position] !== ')') throw this.error(`\`${this.text}\` is not a unit`);
      this.position++;
      this.depth--;
      return;
    }
    const match = /^(1(?![\d.])|[A-Za-z°µ]+)(?:\s*\^\s*(-?\d{1,2}))?/.exec(this.text.slice(this.position));
    if (!match) throw this.error(`\`${this.text}\` is not a unit`);
    const [whole, name, exponent = '1'] = match;
    if (name !== '1') this.multiply(name!, sign * Number(exponent));
    this.position += whole.length;
  }

  private multiply(name: string, exponent: number): void {
    const unit = UNITS.get(name);
    if (!unit) {
      const close = MISSPELT.get(name) ?? nearest(name, [...UNITS.keys()]);
      const known = `known units: ${[...UNITS.keys()].join(', ')}`;
      throw this.error(`unknown unit \`${name}\``, close ? `did you mean \`${close}\`?` : known, 'unknown-unit');
    }
    this.size = Rational.multiply(this.size, Rational.power(unit.size, BigInt(exponent)));
    this.turns += unit.turns * exponent;
    this.dimension = multiplyDimensions(this.dimension, dimensionPower(unit.dimension, exponent));
    const total = (this.si.get(unit.si) ?? 0) + exponent;
    if (total === 0) this.si.delete(unit.si);
    else this.si.set(unit.si, total);
  }
}

/** A unit by itself: `mm`, not `kg/m^3`. */
export const isUnit = (name: string): boolean => UNITS.has(name);

/** @throws KanegenError `unknown-unit` or `malformed-unit` with the offset in `text`. */
export function parseUnit(text: string): Unit {
  return new UnitReader(text).read();
}

/** A number with its unit; `unit` is undefined for a bare number, which is SI in whatever dimension is due. */
export interface QuantityText {
  readonly value: Expr;
  readonly unit: Unit | undefined;
}

const QUANTITY =
  /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?)(?:\s+([A-Za-z°µ(1][^+\-*]*(?:\^-\d+[^+\-*]*)*))?\s*$/;

/**
 * Reads `0.2`, `20 mm`, `1062 kg/m^3`.
 * @returns undefined when the text is a formula: not a number alone, and not a number before the name of a unit.
 */
export function parseQuantity(text: string): QuantityText | undefined {
  const match = QUANTITY.exec(text);
  if (!match) return undefined;
  const value = Rational.parse(match[1]!);
  if (!value) return undefined;
  checkRange(value, match[1]!);
  if (match[2] === undefined) return { value: rational(value), unit: undefined };
  const unitText = match[2].trim();
  // `2 L` and `2 cos(q)` are formulas; `2 N` and `2 kg/qq` are quantities.
  const names = unitText.match(/[A-Za-z°µ]+[0-9_]?/g) ?? [];
  if (!names.some((name) => UNITS.has(name) || MISSPELT.has(name))) return undefined;
  if (/[A-Za-z_0-9]\s*\(/.test(unitText) || /[[\],?<>=]/.test(unitText)) return undefined;
  try {
    const unit = parseUnit(unitText);
    return { value: times(rational(value), unit.size), unit };
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    const offset = text.indexOf(match[2]) + (error.offset ?? 0);
    throw new KanegenError(error.code, error.message, { remedy: error.remedy, offset });
  }
}

function checkRange(value: Rational, text: string): void {
  const double = Rational.toNumber(value);
  if (Number.isFinite(double) && (double !== 0 || Rational.isZero(value))) return;
  throw new KanegenError('number-out-of-range', `${text} is outside the range of double precision`, {
    offset: 0,
    remedy: 'write a number between 1e-300 and 1e300',
  });
}
