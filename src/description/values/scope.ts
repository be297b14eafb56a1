/**
 * Names with their values and dimensions, and the reading of values: number, "NUMBER UNIT", or formula.
 */
import { KanegenError } from '../../common/error.ts';
import { evaluate, foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { decimal, type Expr } from '../../symbolic/graph/expr.ts';
import { formulaValue, isVector, type FormulaValue } from '../../symbolic/formulas/formula.ts';
import { parseFormula } from '../../symbolic/formulas/parse.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import { formulaDimension, type DimensionScope, type FurtherDimensions, type MaybeDimension } from './dimensions.ts';
import { requireFiniteConstants, requireUsableSize } from './finite-values.ts';
import { Provenance } from '../model/provenance.ts';
import type { Remark } from '../model/warnings.ts';
import type { Place } from '../source/source.ts';
import {
  dimensionName,
  dimensionText,
  dimensionless,
  equalDimensions,
  isUnit,
  parseQuantity,
  parseUnit,
  type Dimension,
} from './units.ts';

interface Meaning {
  readonly value: FormulaValue;
  readonly dimension: MaybeDimension;
}

/** Names in order of definition; an inner scope sees the outer one. */
export class Scope {
  private readonly own = new Map<string, Meaning>();
  private readonly implied = new Set<string>();
  private readonly outer: Scope | undefined;
  /** Of all formulas that were read in this scope, and in those around and within it. */
  readonly provenance: Provenance;
  /** Angles that were read there and look like degrees. */
  readonly suspicions: Remark[];
  /** Values that formulas there asked for by name. */
  readonly readValues: Set<FormulaValue>;
  private readonly read = new Set<string>();
  private readonly further: FurtherDimensions | undefined;

  /** @param further functions that formulas read in this scope have. */
  constructor(outer?: Scope, further?: FurtherDimensions) {
    this.outer = outer;
    this.further = further ?? outer?.further;
    this.provenance = outer?.provenance ?? new Provenance();
    this.suspicions = outer?.suspicions ?? [];
    this.readValues = outer?.readValues ?? new Set();
  }

  define(name: string, value: FormulaValue, dimension: MaybeDimension): void {
    this.own.set(name, { value, dimension });
    this.implied.delete(name);
  }

  /** A name that has a meaning unless somebody gives it another one; never suggested. */
  imply(name: string, value: FormulaValue, dimension: MaybeDimension): void {
    this.define(name, value, dimension);
    this.implied.add(name);
  }

  find(name: string): Meaning | undefined {
    const own = this.own.get(name);
    if (!own) return this.outer?.find(name);
    this.read.add(name);
    this.readValues.add(own.value);
    return own;
  }

  /** Has anything asked for what a name of this scope means? */
  isRead(name: string): boolean {
    return this.read.has(name);
  }

  get names(): string[] {
    return [...(this.outer?.names ?? []), ...[...this.own.keys()].filter((name) => !this.implied.has(name))];
  }

  /** For the formula at `place`: with the functions of its file. */
  within(place: Place): DimensionScope {
    const { document } = place;
    return {
      further: this.further,
      value: (name) => this.find(name)?.value,
      dimension: (name) => this.find(name)?.dimension,
      macro: (name) => document.macros.get(name),
      names: () => [...this.names, ...document.macros.keys()],
      isUnit,
      remedyFor: (name) => comesLater(place, name) ?? (isOfRobot(place, name) ? remedyInType(name) : undefined),
      note: (part, offset) => this.provenance.note(part, place, offset),
    };
  }
}

/** What to do where names see only those before them, if this one is defined after the formula at `place`. */
function comesLater({ path, document }: Place, name: string): string | undefined {
  let mapping = document.data;
  for (const [i, key] of path.entries()) {
    mapping = mapping instanceof Object ? (mapping as Readonly<Record<string, unknown>>)[key] : undefined;
    if (!(mapping instanceof Object)) return undefined;
    // Those of links are chosen in sight of the robot's alone.
    if (key !== 'let' && !(key === 'parameters' && path[0] !== 'links')) continue;
    const names = Object.keys(mapping);
    const own = names.indexOf(String(path[i + 1]));
    if (own >= 0 && names.indexOf(name) > own) return `\`${name}\` comes later: move it above \`${names[own]!}\``;
  }
  return undefined;
}

/** Is this a parameter of the robot, which the body type at `place` does not see? */
function isOfRobot({ path, document }: Place, name: string): boolean {
  const { parameters } = (document.data ?? {}) as { readonly parameters?: unknown };
  return path[0] === 'body-types' && parameters instanceof Object && Object.hasOwn(parameters, name);
}

const remedyInType = (name: string): string =>
  `body types do not see parameters of the robot: declare \`${name}\` under parameters of the type, too, and pass it to the links: \`parameters: { ${name}: ${name} }\``;

/** What a value is for: a name for messages, and the dimension it must have (undefined: any). */
export interface Due {
  readonly what: string;
  readonly dimension?: Dimension;
  /** An angle, whose dimension is that of numbers. */
  readonly isAngle?: true;
  /** What to call its unit, where that has a plainer name: N/m for kg/s^2. */
  readonly unit?: string;
}

export const dues = {
  length: { what: 'this value', dimension: [0, 1, 0, 0, 0] },
  angle: { what: 'this value', dimension: dimensionless, isAngle: true },
  plain: { what: 'this value', dimension: dimensionless },
  mass: { what: 'this value', dimension: [1, 0, 0, 0, 0] },
  inertia: { what: 'this value', dimension: [1, 2, 0, 0, 0] },
  density: { what: 'this value', dimension: [1, -3, 0, 0, 0] },
  curvature: { what: 'a bending or twisting strain', dimension: [0, -1, 0, 0, 0] },
  stretch: { what: 'a shear or stretch', dimension: dimensionless },
  acceleration: { what: 'this value', dimension: [0, 1, -2, 0, 0] },
  velocity: { what: 'this value', dimension: [0, 1, -1, 0, 0] },
  pressure: { what: 'this value', dimension: [1, -1, -2, 0, 0] },
  viscosity: { what: 'this value', dimension: [1, -1, -1, 0, 0] },
  time: { what: 'this value', dimension: [0, 0, 1, 0, 0] },
  position: { what: 'a position', dimension: [0, 1, 0, 0, 0] },
  rotation: { what: 'an entry of a rotation', dimension: dimensionless },
} as const satisfies Record<string, Due>;

export interface Reading {
  readonly value: Expr;
  readonly dimension: MaybeDimension;
  /** SI unit as the file wrote it, when the value is a quantity. */
  readonly unit?: string;
}

/** A value of a robot file as a number or text. */
export type RawValue = string | number;

function wrongUnit(due: Due, dimension: Dimension, text: string, quantity: boolean): KanegenError {
  const expected = due.dimension!;
  const wanted = due.unit === undefined ? dimensionName(expected) : `a quantity in ${due.unit}`;
  const message = `${due.what} must be ${wanted}, not ${dimensionName(dimension)}`;
  return new KanegenError('wrong-unit', message, {
    offset: 0,
    remedy: unitRemedy(due, dimension, text.trim(), quantity),
  });
}

function unitRemedy(due: Due, dimension: Dimension, text: string, quantity: boolean): string {
  const expected = due.dimension!;
  const unit = due.unit ?? dimensionText(expected);
  if (quantity)
    return equalDimensions(expected, dimensionless)
      ? 'write a plain number, or an angle such as `30 deg`'
      : `write a number with a unit such as \`${unit}\`, or a bare number in SI`;
  if (/^\w+$/.test(text)) return `check the unit of \`${text}\` where it is given`;
  if (equalDimensions(dimension, dimensionless))
    return `multiply by a quantity in ${unit}; numbers inside a formula have no unit: name one under parameters (\`c: 1 ${unit}\`)`;
  return 'check the powers of the lengths in this formula, or divide by a parameter such as `c: 1 m`';
}

/** NUMBER followed by one word: meant as a quantity. */
const NUMBER_AND_WORD = /^\s*[+-]?[\d.]+(?:[eE][+-]?\d+)?\s*([A-Za-z°µ][\w^/ ]*)$/;

function readText(text: string, due: Due, scope: DimensionScope): Reading & { value: FormulaValue } {
  const quantity = parseQuantity(text);
  if (quantity) {
    if (!quantity.unit) return { value: quantity.value, dimension: due.dimension };
    const { dimension, si } = quantity.unit;
    if (due.dimension && !equalDimensions(due.dimension, dimension)) throw wrongUnit(due, dimension, text, true);
    return { value: quantity.value, dimension, unit: si };
  }
  const formula = parseFormula(text);
  const value = valueOrUnknownUnit(() => formulaValue(formula, scope), text);
  const dimension = formulaDimension(formula, scope);
  if (due.dimension && dimension && !equalDimensions(due.dimension, dimension))
    throw wrongUnit(due, dimension, text, false);
  return { value: value as Expr, dimension: dimension ?? due.dimension };
}

function valueOrUnknownUnit<T>(work: () => T, text: string): T {
  try {
    return work();
  } catch (error) {
    const word = NUMBER_AND_WORD.exec(text)?.[1];
    if (!(error instanceof KanegenError) || error.code !== 'unknown-symbol' || word === undefined) throw error;
    throw unitProblem(text, word);
  }
}

function unitProblem(text: string, word: string): KanegenError {
  const offset = text.indexOf(word);
  try {
    parseUnit(word);
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    return new KanegenError('unknown-unit', `\`${word}\` is neither a unit nor a name known here`, {
      offset,
      remedy: error.remedy,
    });
  }
  const remedy = `write \`${text.slice(0, offset).trim()} ${word}\``;
  return new KanegenError('malformed-unit', 'there is no space between the number and its unit', { offset, remedy });
}

/** Formulas that YAML took apart leave half brackets. */
function openBrackets(text: string): number {
  const count = (sign: string): number => text.split(sign).length - 1;
  return count('(') - count(')') + count('[') - count(']');
}

/** Is this list one in which the commas of a formula were read as ends of entries? */
function isTornList(rows: unknown): boolean {
  if (!Array.isArray(rows)) return false;
  const open = rows.map((row) => (typeof row === 'string' ? openBrackets(row) : 0));
  return open.some((n) => n !== 0) && open.reduce((total, n) => total + n, 0) === 0;
}

function tornFormula(place: Place, text: string): KanegenError {
  return place.error(
    'unquoted-formula',
    `\`${text}\` is half a formula: YAML splits lists at every comma`,
    'quote this formula: "…"',
  );
}

function located(place: Place, error: unknown, text: string): unknown {
  if (!(error instanceof KanegenError)) return error;
  const torn = error.code === 'malformed-formula' && openBrackets(text) !== 0 && isTornList(place.parentValue);
  if (torn) return tornFormula(place, text);
  return place.located(error.code === 'malformed-formula' ? (quantityWithin(text) ?? error) : error);
}

/** NUMBER UNIT UNIT, which a formula reads as names without a sign between them. */
const NUMBER_AND_UNITS = /(?<![\w.])\d[\d.]*(?:[eE][+-]?\d+)?\s+((?:[A-Za-z°µ]+\s+)+[A-Za-z°µ]+)(?![\w(])/;

/** Units at the end of a formula, as behind a number. */
const UNITS_AT_THE_END = /[)\]\w]\s+((?:[A-Za-z°µ]+\s+)*[A-Za-z°µ]+)\s*$/;

function quantityWithin(text: string): KanegenError | undefined {
  return numberWithUnits(text) ?? formulaWithUnits(text);
}

function formulaWithUnits(text: string): KanegenError | undefined {
  const units = UNITS_AT_THE_END.exec(text)?.[1];
  if (!units?.split(/\s+/).every(isUnit)) return undefined;
  return new KanegenError('malformed-formula', `a formula has no unit, such as \`${units}\``, {
    offset: text.lastIndexOf(units),
    remedy: 'its numbers and its value are in SI units: leave the unit out (a product has a `*`)',
  });
}

function numberWithUnits(text: string): KanegenError | undefined {
  const match = NUMBER_AND_UNITS.exec(text);
  if (!match?.[1]!.split(/\s+/).every(isUnit)) return undefined;
  return new KanegenError('malformed-formula', `\`${match[0]}\` is a quantity within a formula`, {
    offset: match.index,
    remedy: `formulas have no units: name the quantity under parameters (\`c: ${match[0]}\`) and write c`,
  });
}

function finite(value: number, place: Place, { provenance }: Scope): Expr {
  if (!Number.isFinite(value))
    throw place.error('not-finite', `${value} is not a finite number`, 'write a finite number');
  const e = decimal(value);
  provenance.noteFormula(e, place);
  return e;
}

/** Makes the formula at `place` known to the provenance of its scope. @throws KanegenError `not-finite`. */
function note(value: FormulaValue, place: Place, { provenance }: Scope): void {
  const entries = isVector(value) ? value : [value];
  for (const e of entries) provenance.noteFormula(e, place);
  requireFiniteConstants(entries, place, provenance);
}

/**
 * A scalar value of a robot file.
 * @throws KanegenError at the character that is wrong.
 */
export function readScalar(place: Place, raw: RawValue, due: Due, scope: Scope): Reading {
  const reading = readOne(place, raw, due, scope);
  requireUsableSize(reading.value, place);
  return reading;
}

/** Whole numbers beyond a turn, without a unit: few angles in rad are, and most in degrees. */
export const mayBeDegrees = (value: number): boolean => Number.isInteger(value) && Math.abs(value) > 2 * Math.PI;

function suspectDegrees(place: Place, raw: RawValue, { suspicions }: Scope): void {
  const value = Number(raw);
  if (!mayBeDegrees(value)) return;
  const message = `${value} rad is ${Number((value / (2 * Math.PI)).toPrecision(3))} turns: is ${value} deg intended? Bare numbers are in rad`;
  suspicions.push({ location: place.location, message });
}

function readOne(place: Place, raw: RawValue, due: Due, scope: Scope): Reading {
  if (due.isAngle) suspectDegrees(place, raw, scope);
  if (typeof raw === 'number') return { value: finite(raw, place, scope), dimension: due.dimension };
  try {
    const reading = readText(raw, due, scope.within(place));
    if (isVector(reading.value))
      throw new KanegenError('wrong-shape', `${due.what} is one number, not a vector`, {
        offset: 0,
        remedy: 'name a component',
      });
    note(reading.value, place, scope);
    return reading;
  } catch (error) {
    throw located(place, error, raw);
  }
}

/** A scalar or vector, for `let:`. */
export function readAny(place: Place, raw: RawValue, scope: Scope): { value: FormulaValue; dimension: MaybeDimension } {
  if (typeof raw === 'number') return { value: finite(raw, place, scope), dimension: undefined };
  try {
    const reading = readText(raw, { what: 'this' }, scope.within(place));
    note(reading.value, place, scope);
    return reading;
  } catch (error) {
    throw located(place, error, raw);
  }
}

/** Three rows, or one vector formula. */
export function readVector(place: Place, raw: RawValue | readonly RawValue[], due: Due, scope: Scope): Vector3 {
  if (Array.isArray(raw)) {
    const rows = raw as readonly RawValue[];
    if (rows.length !== 3) throw wrongLength(place, rows);
    return vector3(rows.map((row, i) => readScalar(place.at(i), row, due, scope).value));
  }
  const text = String(raw);
  try {
    const { value } = readText(text, due, scope.within(place)) as { value: FormulaValue };
    if (!isVector(value))
      throw new KanegenError('wrong-shape', `${due.what} has three components, not one number`, {
        offset: 0,
        remedy: 'write three rows, or a vector formula such as "[x, y, 0]"',
      });
    if (value.length !== 3)
      throw new KanegenError('wrong-shape', `${due.what} has three components, not ${value.length}`, {
        offset: 0,
        remedy: 'write a vector such as "[x, y, 0]"',
      });
    note(value, place, scope);
    return vector3(value);
  } catch (error) {
    throw located(place, error, text);
  }
}

export function wrongLength(place: Place, rows: readonly unknown[], due = 3): KanegenError {
  const torn = rows.findIndex((row) => typeof row === 'string' && openBrackets(row) !== 0);
  if (torn >= 0 && isTornList(rows)) return tornFormula(place.at(torn), String(rows[torn]));
  if (rows.length === 0 && due === 1)
    return place.error('wrong-shape', 'this list is empty', 'write a value, or remove the key');
  const remedy = due === 3 ? 'write [x, y, z]' : due === 2 ? 'write [A, B]' : `write ${due} values in brackets`;
  return place.error('wrong-shape', `expected a list of ${due}, not of ${rows.length}`, remedy);
}

/** The double of an expression that must not depend on anything that is known at run time only. */
export function constantNumber(place: Place, e: Expr): number {
  const [free] = freeSymbols([e]);
  if (free)
    throw place.error(
      'not-constant',
      `${free.name.replace(/^[a-z]+\./, '')} is known at run time only; expected a constant`,
      'use parameters without `runtime: true` here',
    );
  const value = foldConstant(e);
  if (!Number.isFinite(value))
    throw place.error('not-finite', 'this value is not a finite number', 'check for divisions by zero');
  return value;
}

/** The value with run-time parameters at their defaults; undefined when it still depends on something. */
export function knownNumber(e: Expr, defaults: ReadonlyMap<Expr, number>): number | undefined {
  if (freeSymbols([e]).some((name) => !defaults.has(name))) return undefined;
  return evaluate([e], defaults)[0];
}
