/**
 * How normalised coordinates cover a reference volume: factors of product rules, columns of the table, and the expressions
 * that carry the columns to material coordinates and to mass. One layout serves all parameters of a body type.
 */
import { KanegenError, type SourceLocation } from '../../common/error.ts';
import { isConstant, foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import {
  divide,
  half,
  integer,
  minus,
  one,
  pi,
  plus,
  sqrt,
  square,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { substituteOne } from '../../symbolic/graph/traverse.ts';
import { axisFactor, discFactor, type Axis, type RuleFactor } from './rule-factor.ts';
import type { SectionShape } from '../exact/section.ts';

type Breakpoints = ReadonlyMap<SymbolExpr, readonly Expr[]>;

/** A rod as `description/` has it: see RodVolume there. */
export interface RodDomain {
  readonly kind: 'rod';
  readonly axial: SymbolExpr;
  readonly section: readonly [SymbolExpr, SymbolExpr];
  readonly coordinates: 'cartesian' | 'polar';
  readonly start: Expr;
  readonly end: Expr;
  readonly shape: SectionShape;
  readonly density: Expr;
  readonly breaks: Breakpoints;
}

/** A box as `description/` has it: see BoxVolume there; also of fewer axes, and with ranges that depend on those before. */
export interface BoxDomain {
  readonly kind: 'box';
  /** One to three. */
  readonly axes: readonly SymbolExpr[];
  readonly ranges: readonly (readonly [Expr, Expr])[];
  readonly density: Expr;
  readonly breaks: Breakpoints;
  /** An axis that runs through a whole turn. */
  readonly turn?: SymbolExpr;
}

export type ProductDomain = RodDomain | BoxDomain;

interface LayoutColumn {
  readonly symbol: SymbolExpr;
  /** The number of a point, from its normalised coordinates. */
  value(point: readonly number[]): number;
}

export interface VolumeLayout {
  readonly factors: readonly RuleFactor[];
  readonly columns: readonly LayoutColumn[];
  readonly material: ReadonlyMap<SymbolExpr, Expr>;
  /** Mass of a point of weight 1, over columns and parameters. */
  readonly measure: Expr;
  /** Indices of factors that may be thinned out, one after the other; those of one group together. */
  readonly groups: readonly (readonly number[])[];
}

/** Column of the weights, in every rule. */
export const WEIGHT = symbol('row.weight');

/** An interval [low, high] cut at breaks: position and length element over its columns. */
interface Interval {
  readonly axis: Axis;
  readonly position: Expr;
  /** Length per weight; times `shares` where they are fractions. */
  readonly length: Expr;
  columns(index: number): readonly LayoutColumn[];
}

/**
 * @param name of the columns: `s`, `x`, …
 * @param low, high the limits; may depend on coordinates that are placed before.
 */
function interval(name: string, low: Expr, high: Expr, breaks: readonly Expr[], family: Axis['family']): Interval {
  const span = minus(high, low);
  const fractions = breaks.map((b) => divide(minus(b, low), span));
  if (!fractions.every(isConstant)) return movingInterval(name, [low, ...breaks, high], family);
  const inner = fractions.map(foldConstant).filter((f) => f > 0 && f < 1);
  const ends = [0, ...[...new Set(inner)].sort((a, b) => a - b), 1];
  const shares = ends.slice(1).map((end, i) => end - ends[i]!);
  const column = symbol(`row.${name}`);
  return {
    axis: { family, shares },
    position: plus(low, times(span, column)),
    length: span,
    columns: (index) => [
      {
        symbol: column,
        value(point) {
          const { panel, t } = split(point[index]!, shares.length);
          return ends[panel]! + shares[panel]! * t;
        },
      },
    ],
  };
}

/** Breaks that move with the parameters: position Σ c_k b_k and length Σ e_k b_k, with columns c and e per end of a panel. */
function movingInterval(name: string, ends: readonly Expr[], family: Axis['family']): Interval {
  const panels = ends.length - 1;
  const places = ends.map((_, k) => symbol(`row.${name}_at${k}`));
  const lengths = ends.map((_, k) => symbol(`row.${name}_length${k}`));
  const combination = (symbols: readonly Expr[]): Expr => plus(...symbols.map((c, k) => times(c, ends[k]!)));
  return {
    axis: { family, shares: Array.from({ length: panels }, () => 1) },
    position: combination(places),
    length: combination(lengths),
    columns: (index) =>
      ends.flatMap((_, k) => [
        {
          symbol: places[k]!,
          value(point: readonly number[]) {
            const { panel, t } = split(point[index]!, panels);
            return panel === k ? 1 - t : panel + 1 === k ? t : 0;
          },
        },
        {
          symbol: lengths[k]!,
          value(point: readonly number[]) {
            const { panel } = split(point[index]!, panels);
            return panel === k ? -1 : panel + 1 === k ? 1 : 0;
          },
        },
      ]),
  };
}

/** Panel and position in the panel of a coordinate that counts panels. */
export function split(coordinate: number, panels: number): { panel: number; t: number } {
  const panel = Math.min(Math.floor(coordinate), panels - 1);
  return { panel, t: coordinate - panel };
}

/** @throws KanegenError `unsupported-section` for polar coordinates on a rectangle, or breaks across a round section. */
export function volumeLayout(volume: ProductDomain, location: SourceLocation): VolumeLayout {
  return volume.kind === 'box' ? boxLayout(volume) : rodLayout(volume, location);
}

function boxLayout({ axes, ranges, density, breaks, turn }: BoxDomain): VolumeLayout {
  const material = new Map<SymbolExpr, Expr>();
  const intervals = axes.map((axis, i) => {
    const [low, high] = ranges[i]!.map((e) => substituteOne(e, material)) as [Expr, Expr];
    const cuts = (breaks.get(axis) ?? []).map((e) => substituteOne(e, material));
    const part = interval('xyz'[i]!, low, high, cuts, axis === turn && cuts.length === 0 ? 'periodic' : 'legendre');
    material.set(axis, part.position);
    return part;
  });
  return {
    factors: intervals.map(({ axis }, i) => axisFactor(`along ${nameOf(axes[i]!)}`, axis)),
    columns: intervals.flatMap((part, i) => part.columns(i)),
    material,
    measure: times(substituteOne(density, material), ...intervals.map((part) => part.length)),
    groups: axes.length === 1 ? [[0]] : axes.length === 2 ? [[0, 1]] : [[0, 1], [2]],
  };
}

/** What a section adds to a rod. Its coordinates follow that along the rod, which has index 0. */
interface SectionLayout {
  readonly factors: readonly RuleFactor[];
  readonly columns: readonly LayoutColumn[];
  readonly material: readonly (readonly [SymbolExpr, Expr])[];
  /** Area per weight. */
  readonly area: Expr;
  readonly thinnable: boolean;
}

function rodLayout(volume: RodDomain, location: SourceLocation): VolumeLayout {
  const { axial, start, end, density, breaks } = volume;
  const along = interval('s', start, end, breaks.get(axial) ?? [], 'legendre');
  const section = sectionLayout(volume, location);
  const onRod = new Map<Expr, Expr>([[axial, along.position]]);
  const placed = (e: Expr): Expr => substituteOne(e, onRod);
  const material = new Map<SymbolExpr, Expr>([[axial, along.position]]);
  for (const [coordinate, value] of section.material) material.set(coordinate, placed(value));
  return {
    factors: [axisFactor(`along ${nameOf(axial)}`, along.axis), ...section.factors],
    columns: [...along.columns(0), ...section.columns],
    material,
    measure: substituteOne(times(density, along.length, section.area), material),
    groups: [...(section.thinnable ? [section.factors.map((_, i) => i + 1)] : []), [0]],
  };
}

function sectionLayout(volume: RodDomain, location: SourceLocation): SectionLayout {
  const { section, shape, breaks } = volume;
  const cut = section.map((c) => breaks.get(c) ?? []) as [readonly Expr[], readonly Expr[]];
  if (shape.shape === 'rectangle') {
    if (volume.coordinates === 'polar') throw unsupported('polar coordinates on a rectangle', location);
    return rectangleSection(section, [shape.width, shape.height], cut);
  }
  if (volume.coordinates === 'polar') return polarSection(volume, cut);
  if (cut.some((list) => list.length > 0))
    throw unsupported('breaks of Cartesian coordinates on a round section', location);
  return shape.shape === 'annulus' ? ringSection(section, shape) : discSection(section, shape);
}

function unsupported(what: string, location: SourceLocation): KanegenError {
  return new KanegenError('unsupported-section', `${what} are not supported`, {
    remedy: 'use Cartesian coordinates on rectangles and polar ones, with breaks of the angle, on round sections',
    location,
  });
}

function rectangleSection(
  section: RodDomain['section'],
  sides: readonly [Expr, Expr],
  cut: readonly [readonly Expr[], readonly Expr[]],
): SectionLayout {
  const parts = sides.map((side, i) => {
    const reach = times(half, side);
    return interval('xy'[i]!, times(integer(-1), reach), reach, cut[i]!, 'legendre');
  });
  return {
    factors: parts.map(({ axis }, i) => axisFactor(`along ${nameOf(section[i]!)}`, axis)),
    columns: parts.flatMap((part, i) => part.columns(i + 1)),
    material: parts.map((part, i) => [section[i]!, part.position]),
    area: times(parts[0]!.length, parts[1]!.length),
    thinnable: true,
  };
}

const X = symbol('row.x');
const Y = symbol('row.y');

/** Disc or ellipse in Cartesian coordinates: the unit disc, scaled. */
function discSection(
  section: RodDomain['section'],
  shape: SectionShape & { shape: 'disc' | 'ellipse' },
): SectionLayout {
  const [a, b] = shape.shape === 'disc' ? [shape.radius, shape.radius] : [shape.semiAxisX, shape.semiAxisY];
  return {
    factors: [discFactor('on the section')],
    columns: [
      { symbol: X, value: (point) => point[1]! },
      { symbol: Y, value: (point) => point[2]! },
    ],
    material: [
      [section[0], times(a, X)],
      [section[1], times(b, Y)],
    ],
    area: times(pi, a, b),
    thinnable: false,
  };
}

/** Annulus in Cartesian coordinates: Gauss points in r², since odd powers of r vanish when averaged over the angle. */
function ringSection(section: RodDomain['section'], shape: SectionShape & { shape: 'annulus' }): SectionLayout {
  const { innerRadius, outerRadius } = shape;
  const ratio = divide(innerRadius, outerRadius);
  const share = minus(one, square(ratio));
  const known = isConstant(ratio) ? foldConstant(ratio) : undefined;
  const t = symbol('row.r');
  const radius = (squared: number): number => Math.sqrt(known! ** 2 + (1 - known! ** 2) * squared);
  const angle = (point: readonly number[]): number => 2 * Math.PI * point[2]!;
  const factors = [
    axisFactor('in r^2', { family: 'legendre', shares: [1] }),
    axisFactor('around the section', { family: 'periodic', shares: [1] }),
  ];
  const area = times(pi, square(outerRadius), share);
  if (known !== undefined)
    return {
      factors,
      columns: [
        { symbol: X, value: (point) => radius(point[1]!) * Math.cos(angle(point)) },
        { symbol: Y, value: (point) => radius(point[1]!) * Math.sin(angle(point)) },
      ],
      material: [
        [section[0], times(outerRadius, X)],
        [section[1], times(outerRadius, Y)],
      ],
      area,
      thinnable: false,
    };
  const r = times(outerRadius, sqrt(plus(square(ratio), times(share, t))));
  return {
    factors,
    columns: [
      { symbol: t, value: (point) => point[1]! },
      { symbol: X, value: (point) => Math.cos(angle(point)) },
      { symbol: Y, value: (point) => Math.sin(angle(point)) },
    ],
    material: [
      [section[0], times(r, X)],
      [section[1], times(r, Y)],
    ],
    area,
    thinnable: false,
  };
}

/** r and phi of a round section; kinematics may do with them what they like, also at the centre. */
function polarSection(
  { section, shape }: RodDomain,
  [radialCuts, angularCuts]: readonly [readonly Expr[], readonly Expr[]],
): SectionLayout {
  const [r, phi] = section;
  const [low, high, scale] = polarLimits(shape);
  const isWhole = low === zero && radialCuts.length === 0;
  const radial = interval('r', low, high, radialCuts, isWhole ? 'radial' : 'legendre');
  const angular = interval(
    'phi',
    zero,
    times(integer(2), pi),
    angularCuts,
    angularCuts.length > 0 ? 'legendre' : 'periodic',
  );
  // ∫ f r dr = ½ high² Σ w f for the Gauss rule with weight 2t, and ∫ f r dr as it stands otherwise.
  const ring = isWhole ? times(half, square(high)) : times(radial.length, r);
  return {
    factors: [axisFactor(`along ${nameOf(r)}`, radial.axis), axisFactor('around the section', angular.axis)],
    columns: [...radial.columns(1), ...angular.columns(2)],
    material: [
      [r, radial.position],
      [phi, angular.position],
    ],
    area: times(scale, ring, angular.length),
    thinnable: true,
  };
}

/** Limits of r, and what r dr dphi is to be multiplied with. */
function polarLimits(shape: SectionShape): [Expr, Expr, Expr] {
  if (shape.shape === 'disc') return [zero, shape.radius, one];
  if (shape.shape === 'annulus') return [shape.innerRadius, shape.outerRadius, one];
  if (shape.shape === 'ellipse') return [zero, one, times(shape.semiAxisX, shape.semiAxisY)];
  throw new Error('a rectangle has no polar coordinates');
}

/** `body.s` and `material.s` are s to the reader. */
function nameOf(coordinate: SymbolExpr): string {
  return coordinate.name.replace(/^.*\./, '');
}
