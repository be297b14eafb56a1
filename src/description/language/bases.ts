/**
 * Fields along a rod as sums over a basis: `bend-y: { basis: legendre, coordinates: a, scale: 1/L }` beside formulas, for
 * the whole rod or division by division. The functions themselves are `symbolic/formulas/basis-functions.ts`; formulas can call
 * them too (`a1 + a2*legendre(1, s/L)`).
 */
import * as z from 'zod';
import { basisFunctions, basisNames, countProblem, type RadialShape } from '../../symbolic/formulas/basis-functions.ts';
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import {
  compare,
  divide,
  minus,
  negate,
  one,
  plus,
  rational,
  select,
  splitCoefficient,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { Rational, ZERO } from '../../symbolic/graph/rational.ts';
import { boundariesOf } from '../../symbolic/graph/kinks.ts';
import { dependsOn, substituteOne } from '../../symbolic/graph/traverse.ts';
import type { Quantity } from '../model/robot.ts';
import type { RodVolume } from '../model/reference-volume.ts';
import { name, pair, value } from './schema-values.ts';
import { dues, readScalar, type Due, type RawValue, type Scope } from '../values/scope.ts';
import type { Place } from '../source/source.ts';
import { dimensionName, dimensionless, equalDimensions, multiplyDimensions, parseUnit } from '../values/units.ts';

const basisTerm = z
  .strictObject({
    basis: z.enum(basisNames),
    coordinates: name.describe('coordinates given with `count`: one per function of the basis'),
    scale: value.optional().describe('factor of all functions, such as 1/L for coordinates in rad'),
    over: pair.optional().describe('the division [from, to] of the rod; zero elsewhere. The whole rod when missing'),
    centres: z.array(value).optional().describe('of radial functions, from 0 to 1; equally spaced when missing'),
    width: value.optional().describe('of radial functions; the distance of the centres when missing'),
  })
  .describe('sum of coordinates times functions of a basis; the functions run from 0 to 1 over the division');

/** A field along a rod: a formula, a sum over a basis, or several sums that are added up. */
export const field = z.union([z.number(), z.string(), basisTerm, z.array(basisTerm)], {
  error: 'a formula, or { basis: legendre, coordinates: a }',
});

export type RawField = z.infer<typeof field>;
type RawBasisTerm = z.infer<typeof basisTerm>;

/** What fields along a rod are read with. */
export interface RodContext {
  readonly rod: Pick<RodVolume, 'axial' | 'start' | 'end'>;
  /** Of the body type, in their order. */
  readonly coordinates: readonly Quantity[];
  /** All names of the body type. */
  readonly scope: Scope;
}

/**
 * A field along a rod, in the dimension that is due.
 * @throws KanegenError at the formula or key that is wrong.
 */
export function readField(place: Place, raw: RawField, due: Due, context: RodContext): Expr {
  if (typeof raw !== 'object') return readScalar(place, raw, due, context.scope).value;
  if (Array.isArray(raw)) return plus(...raw.map((term, i) => readTerm(place.at(i), term, due, context)));
  return readTerm(place, raw, due, context);
}

function readTerm(place: Place, raw: RawBasisTerm, due: Due, context: RodContext): Expr {
  const { rod, scope } = context;
  const coordinates = numbered(place.at('coordinates'), raw.coordinates, context.coordinates);
  const scale = raw.scale === undefined ? undefined : readScalar(place.at('scale'), raw.scale, { what: 'this' }, scope);
  // A scale of bare numbers fits anything.
  if (!scale || scale.dimension) checkDimension(place, due, coordinates[0]!, scale?.dimension ?? dimensionless);
  const problem = countProblem(raw.basis, coordinates.length);
  if (problem !== undefined)
    throw place
      .at('coordinates')
      .error('wrong-value', `${problem}, not ${coordinates.length}`, `change \`count\` of \`${raw.coordinates}\``);
  const over = raw.over?.map((end, i) => readScalar(place.at('over', i), end, dues.length, scope).value);
  const [from, to] = (over ?? [rod.start, rod.end]) as [Expr, Expr];
  const u = fractionAlong(rod.axial, from, to);
  const functions = basisFunctions(raw.basis, coordinates.length, u, readShape(place, raw, coordinates.length, scope));
  const sum = plus(...functions.map((e, i) => times(coordinates[i]!.symbol, e)));
  return inDivision(times(scale?.value ?? one, sum), u, from === rod.start, to === rod.end);
}

/** NAME1, NAME2, … as far as they go. */
function numbered(place: Place, wanted: string, coordinates: readonly Quantity[]): readonly Quantity[] {
  const found: Quantity[] = [];
  for (const coordinate of coordinates) if (coordinate.name === `${wanted}${found.length + 1}`) found.push(coordinate);
  if (found.length > 0) return found;
  const families = [...new Set(coordinates.filter((c) => /\d$/.test(c.name)).map((c) => c.name.replace(/\d+$/, '')))];
  const close = nearest(wanted, families);
  throw place.error(
    'unknown-coordinate',
    `there are no coordinates \`${wanted}1\`, \`${wanted}2\`, …`,
    close ? `did you mean \`${close}\`?` : `give them: \`coordinates: { ${wanted}: { count: 3, unit: rad } }\``,
  );
}

function checkDimension(place: Place, due: Due, coordinate: Quantity, scale: readonly number[]): void {
  const unit = parseUnit(coordinate.unit).dimension;
  const given = multiplyDimensions(unit, scale as typeof unit);
  if (!due.dimension || equalDimensions(given, due.dimension)) return;
  throw place.error(
    'wrong-unit',
    `${due.what} must be ${dimensionName(due.dimension)}, these coordinates with their scale make ${dimensionName(given)}`,
    'give `scale:`, for example `scale: 1/L` for coordinates in rad or m',
  );
}

function readShape(place: Place, raw: RawBasisTerm, count: number, scope: Scope): RadialShape {
  const isRadial = raw.basis === 'gaussian' || raw.basis === 'inverse-multiquadric';
  const wrong = isRadial ? undefined : (['centres', 'width'] as const).find((key) => raw[key] !== undefined);
  if (wrong)
    throw place.at(wrong).keyError('unknown-key', `a ${raw.basis} basis has no \`${wrong}\``, `remove \`${wrong}\``);
  if (raw.centres && raw.centres.length !== count)
    throw place
      .at('centres')
      .error('wrong-shape', `there are ${count} functions and ${raw.centres.length} centres`, 'give as many centres');
  const read = (at: Place, v: RawValue): Expr => readScalar(at, v, dues.plain, scope).value;
  return {
    ...(raw.centres ? { centres: raw.centres.map((v, i) => read(place.at('centres', i), v)) } : {}),
    ...(raw.width === undefined ? {} : { width: read(place.at('width'), raw.width) }),
  };
}

/** (s − from)/(to − from), as a multiple of s/length where both ends are rational multiples of one length. */
function fractionAlong(axial: Expr, from: Expr, to: Expr): Expr {
  const end = splitCoefficient(to);
  const start = from === zero ? { coefficient: ZERO, term: end.term } : splitCoefficient(from);
  if (end.term !== start.term) return divide(minus(axial, from), minus(to, from));
  const span = Rational.subtract(end.coefficient, start.coefficient);
  return divide(minus(divide(axial, end.term), rational(start.coefficient)), rational(span));
}

/** The field where 0 ≤ u < 1, zero elsewhere; ends that are those of the rod need no condition. */
function inDivision(value: Expr, u: Expr, fromStart: boolean, toEnd: boolean): Expr {
  const bounded = toEnd ? value : select(compare('<', u, one), value, zero);
  return fromStart ? bounded : select(compare('<', u, zero), zero, bounded);
}

// ---------------------------------------------------------------------------------------------- knots

/**
 * Where conditions of `select` in these formulas change along a rod, and arguments of `abs` and `sign` their sign: knots of
 * piecewise bases and divisions, and users' own case distinctions, as far as they are linear in the axial coordinate.
 */
export function breaksOf(roots: readonly Expr[], axial: SymbolExpr): Expr[] {
  const along = new Set<Expr>([axial]);
  const knots = new Set<Expr>();
  for (const difference of boundariesOf(roots)) {
    if (!dependsOn(difference, along)) continue;
    const slope = differentiate(difference, axial);
    if (slope === zero || dependsOn(slope, along)) continue;
    knots.add(divide(negate(substituteOne(difference, new Map([[axial, zero]]))), slope));
  }
  return [...knots];
}
