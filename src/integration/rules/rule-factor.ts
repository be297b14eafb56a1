/**
 * Factors of product rules: points and weights in one or two coordinates that are normalised to the unit interval, the unit
 * disc, a turn. A coordinate cut by breaks counts panels: 2.25 is a quarter into the third panel.
 */
import { discRule, LARGEST_DISC_DEGREE } from './disc-rules.ts';
import { gaussLegendre, gaussRadial, type IntervalRule, type WeightedPoints } from './gauss.ts';

export interface RuleFactor {
  /** What the factor covers: `along s`, `on the disc`. */
  readonly place: string;
  /** Number of coordinates of a point. */
  readonly dimension: 1 | 2;
  readonly lowest: number;
  readonly highest: number;
  /** More points with growing order. */
  rule(order: number): WeightedPoints;
  describe(order: number): string;
  /** The coordinate, for factors of one. Several of them can be thinned out together. */
  readonly axis?: Axis;
}

/** One normalised coordinate. */
export interface Axis {
  /** `radial` has the weight r of a disc; `periodic` is a whole turn. */
  readonly family: 'legendre' | 'radial' | 'periodic';
  /** Share of every panel in the whole: fractions that add up to 1, or 1 for each when their lengths are not known yet. */
  readonly shares: readonly number[];
}

/** Weight of the coordinate beside the share of its panel: 2t on (0, 1) for radii. */
export function axisDensity(axis: Axis, t: number): number {
  return axis.family === 'radial' ? 2 * t : 1;
}

const HIGHEST_ORDER = 160;

/** Gauss rules on every panel, equally spaced points on a whole turn. */
export function axisFactor(place: string, axis: Axis): RuleFactor {
  const panels = axis.shares.length;
  return {
    place,
    dimension: 1,
    lowest: 1,
    highest: HIGHEST_ORDER,
    axis,
    rule(order) {
      const { nodes, weights } = intervalRule(axis, order);
      const points: number[][] = [];
      const shares: number[] = [];
      for (let panel = 0; panel < panels; panel++)
        nodes.forEach((t, i) => {
          points.push([panel + t]);
          shares.push(axis.shares[panel]! * weights[i]!);
        });
      return { points, weights: shares };
    },
    describe: (order) => `${panels > 1 ? `${panels} × ` : ''}${order} ${NAMES[axis.family]} points ${place}`,
  };
}

const NAMES = { legendre: 'Gauss-Legendre', radial: 'Gauss-Jacobi', periodic: 'equally spaced' } as const;

function intervalRule({ family }: Axis, order: number): IntervalRule {
  if (family === 'legendre') return gaussLegendre(order);
  if (family === 'radial') return gaussRadial(order);
  const share = 1 / order;
  return {
    nodes: Array.from({ length: order }, (_, i) => i / order),
    weights: Array.from({ length: order }, () => share),
  };
}

/** Rules on the unit disc in Cartesian coordinates by degree: of few points where they are known, else rings of points. */
export function discFactor(place: string): RuleFactor {
  return {
    place,
    dimension: 2,
    lowest: 1,
    highest: 60,
    rule: (degree) => (degree <= LARGEST_DISC_DEGREE ? discRule(degree) : ringRule(degree)),
    describe(degree) {
      const { weights } = this.rule(degree);
      return `${weights.length} points of degree ${degree} ${place}`;
    },
  };
}

/** Gauss points in r² times equally spaced angles: exact for polynomials of the degree on the unit disc. */
function ringRule(degree: number): WeightedPoints {
  const angles = degree + 1;
  const { nodes, weights } = gaussLegendre(Math.ceil((degree + 1) / 4));
  const points: number[][] = [];
  const shares: number[] = [];
  nodes.forEach((squared, i) => {
    const r = Math.sqrt(squared);
    for (let k = 0; k < angles; k++) {
      const phi = (2 * Math.PI * k) / angles;
      points.push([r * Math.cos(phi), r * Math.sin(phi)]);
      shares.push(weights[i]! / angles);
    }
  });
  return { points, weights: shares };
}

/** Every point of one with every point of the next; the first changes slowest. */
export function productRule(factors: readonly WeightedPoints[]): WeightedPoints {
  let points: readonly (readonly number[])[] = [[]];
  let weights: readonly number[] = [1];
  for (const factor of factors) {
    points = points.flatMap((left) => factor.points.map((right) => [...left, ...right]));
    weights = weights.flatMap((left) => factor.weights.map((right) => left * right));
  }
  return { points, weights };
}
