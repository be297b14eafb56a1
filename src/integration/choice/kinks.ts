/**
 * Places where integrands change their formula: conditions of `select`, arguments of `abs` and `sign` that change sign at a
 * fixed fraction of the range of one material coordinate. No rule should reach across them.
 */
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import {
  decimal,
  divide,
  half,
  integer,
  minus,
  negate,
  one,
  pi,
  plus,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { boundariesOf } from '../../symbolic/graph/kinks.ts';
import { freeSymbols, substituteOne } from '../../symbolic/graph/traverse.ts';
import type { StateSample } from '../rules/compress.ts';
import { sectionSizes } from '../exact/section.ts';
import type { ProductDomain } from '../rules/volume-layout.ts';

/** The range of a material coordinate; over parameters, and over `axial` where a section varies along a rod. */
interface MaterialRange {
  readonly coordinate: SymbolExpr;
  readonly low: Expr;
  readonly high: Expr;
}

const CELLS = 96;
/** Fractions found at different states are the same place when they agree this well. */
const SAME = 1e-11;

/**
 * The volume with the breaks that formulas over it imply.
 * @param samples values of everything else that occurs: kinks that do not move between them are found.
 * @param constants symbols among these whose values differ between links only.
 */
export function cutAtKinks<Volume extends ProductDomain>(
  volume: Volume,
  formulas: readonly Expr[],
  samples: readonly StateSample[],
  constants: ReadonlySet<Expr> = new Set(),
): Volume {
  const boundaries = boundariesOf([...formulas, ...massFormulas(volume)]);
  if (boundaries.length === 0) return volume;
  const ranges = rangesOf(volume);
  // Those of a round section in Cartesian coordinates have no range of their own.
  const material = new Set<Expr>(volume.kind === 'box' ? volume.axes : [volume.axial, ...volume.section]);
  const breaks = new Map<SymbolExpr, readonly Expr[]>(volume.breaks);
  for (const range of ranges) {
    const own = boundaries.filter((g) => {
      const symbols = freeSymbols([g]).filter((s) => material.has(s));
      return symbols.length === 1 && symbols[0] === range.coordinate;
    });
    const movesAlong = freeSymbols([range.low, range.high]).some((s) => material.has(s));
    if (own.length === 0 || movesAlong) continue;
    const given = volume.breaks.get(range.coordinate) ?? [];
    const found = own.flatMap((g) => fixedFractions(g, range, samples));
    const fresh = distinct(found).filter((f) => !isGiven(f, range, given, samples[0]!));
    const span = minus(range.high, range.low);
    const added = [
      ...fresh.map((f) => plus(range.low, times(decimal(f), span))),
      ...new Set(own.flatMap((g) => parametricRoot(g, range, samples, constants))),
    ];
    if (added.length > 0) breaks.set(range.coordinate, [...given, ...added]);
  }
  return { ...volume, breaks };
}

/** What the mass at a place depends on beside the integrands. */
function massFormulas(volume: ProductDomain): readonly Expr[] {
  return volume.kind === 'box' ? [volume.density] : [volume.density, ...sectionSizes(volume.shape)];
}

function rangesOf(volume: ProductDomain): MaterialRange[] {
  if (volume.kind === 'box')
    return volume.axes.map((coordinate, i) => ({ coordinate, low: volume.ranges[i]![0], high: volume.ranges[i]![1] }));
  const { axial, section, shape, start, end } = volume;
  const along = { coordinate: axial, low: start, high: end };
  if (shape.shape === 'rectangle') {
    const sides = [shape.width, shape.height];
    const across = section.map((coordinate, i) => {
      const reach = times(half, sides[i]!);
      return { coordinate, low: times(integer(-1), reach), high: reach };
    });
    return [along, ...across];
  }
  if (volume.coordinates === 'cartesian') return [along];
  const [r, phi] = section;
  const [low, high] =
    shape.shape === 'disc'
      ? [zero, shape.radius]
      : shape.shape === 'annulus'
        ? [shape.innerRadius, shape.outerRadius]
        : [zero, one];
  return [along, { coordinate: r, low, high }, { coordinate: phi, low: zero, high: times(integer(2), pi) }];
}

/** Fractions of the range where g changes sign, if they are the same at every state. */
function fixedFractions(g: Expr, range: MaterialRange, samples: readonly StateSample[]): number[] {
  const isLinear = linearRoot(g, range.coordinate) !== undefined;
  const lists = samples.map((sample) => (isLinear ? linearChange : signChanges)(g, range, sample));
  const [first, ...others] = lists;
  return first!.filter((f) => others.every((list) => list.some((other) => Math.abs(other - f) < SAME)));
}

/** Where g is zero, if it is linear in the coordinate. */
function linearRoot(g: Expr, coordinate: SymbolExpr): Expr | undefined {
  const slope = differentiate(g, coordinate);
  if (slope === zero || freeSymbols([slope]).includes(coordinate)) return undefined;
  return negate(divide(substituteOne(g, new Map([[coordinate, zero]])), slope));
}

/** The place of a change of sign that depends on parameters, where it lies inside for all links and at another fraction. */
function parametricRoot(
  g: Expr,
  range: MaterialRange,
  samples: readonly StateSample[],
  constants: ReadonlySet<Expr>,
): Expr[] {
  const root = linearRoot(g, range.coordinate);
  if (!root || !freeSymbols([root]).every((s) => constants.has(s))) return [];
  const fractions = samples.flatMap((sample) => linearChange(g, range, sample));
  const isFixed = fractions.every((f) => Math.abs(f - fractions[0]!) < SAME);
  return fractions.length === samples.length && !isFixed ? [root] : [];
}

/** The fraction where g changes sign, if it does so inside: g is linear. */
function linearChange(g: Expr, { coordinate, low, high }: MaterialRange, sample: StateSample): number[] {
  const [a, b] = [low, high].map((end) => evaluate([substituteOne(g, new Map([[coordinate, end]]))], sample)[0]!);
  const fraction = a! / (a! - b!);
  return fraction > SAME && fraction < 1 - SAME ? [snapped(fraction)] : [];
}

function signChanges(g: Expr, { coordinate, low, high }: MaterialRange, sample: StateSample): number[] {
  const [a, b] = evaluate([low, high], sample) as [number, number];
  const values = (fractions: Float64Array): Float64Array =>
    evaluateRows([g], new Map([[coordinate, fractions.map((f) => a + (b - a) * f)]]), sample, fractions.length)[0]!;
  // Cells are shifted off the fractions that people write, so that no end of a cell is a kink.
  const ends = Float64Array.from({ length: CELLS + 1 }, (_, i) => (i + 0.0123) / (CELLS + 0.0321));
  const signs = values(ends).map(Math.sign);
  const found: number[] = [];
  for (let i = 0; i < CELLS; i++) {
    if (signs[i]! * signs[i + 1]! >= 0) continue;
    let [left, right] = [ends[i]!, ends[i + 1]!];
    for (let step = 0; step < 60; step++) {
      const middle = (left + right) / 2;
      if (Math.sign(values(Float64Array.of(middle))[0]!) === signs[i]) left = middle;
      else right = middle;
    }
    found.push(snapped((left + right) / 2));
  }
  return found;
}

/** Halves, thirds, … as exactly as doubles have them. */
function snapped(fraction: number): number {
  for (const parts of [2, 3, 5, 8, 10, 12, 100, 1000]) {
    const near = Math.round(fraction * parts) / parts;
    if (Math.abs(near - fraction) < 1e-13) return near;
  }
  return fraction;
}

function distinct(fractions: readonly number[]): number[] {
  const sorted = [...fractions].sort((a, b) => a - b);
  return sorted.filter((f, i) => f > SAME && f < 1 - SAME && (i === 0 || f - sorted[i - 1]! > SAME));
}

function isGiven(fraction: number, { low, high }: MaterialRange, given: readonly Expr[], sample: StateSample): boolean {
  if (given.length === 0) return false;
  const [a, b, ...places] = evaluate([low, high, ...given], sample) as [number, number, ...number[]];
  return places.some((place) => Math.abs((place - a) / (b - a) - fraction) < SAME);
}
