/**
 * Positive quadrature rules on a tetrahedron, points inside. Weights sum to one: they are shares of the volume.
 * Degrees to 6 are fully symmetric (Keast 1986; Walkington 2000); higher ones are conical products of Gauss rules
 * (Stroud 1971, §2.4). The numbers are the roots of the moment equations of the orbits, found to 25 digits.
 */
import { gaussLegendre, gaussRadial } from './gauss.ts';

export interface TetrahedronRule {
  /** Polynomials up to this total degree are integrated exactly. */
  readonly degree: number;
  readonly points: readonly {
    /** Share of the volume. */
    readonly weight: number;
    /** Of the corners b, c, d: the point is a + Σ share (corner − a). */
    readonly shares: readonly [number, number, number];
  }[];
}

type Barycentric = readonly [number, number, number, number];

/** Degrees of the rules that exist; higher ones are 7, 9, 11, … */
export const TETRAHEDRON_DEGREES: readonly number[] = [2, 5, 6, 7, 9, 11, 13, 15, 17, 19, 21];

/** The smallest rule of at least a degree. */
export function tetrahedronRule(degree: number): TetrahedronRule {
  if (degree <= 2) return symmetricRule(2, [{ weight: 0.25, orbit: corners((5 - Math.sqrt(5)) / 20) }]);
  if (degree <= 5)
    return symmetricRule(5, [
      { weight: 0.11268792571801585, orbit: corners(0.3108859192633006) },
      { weight: 0.07349304311636195, orbit: corners(0.09273525031089123) },
      { weight: 0.04254602077708147, orbit: edges(0.04550370412564965) },
    ]);
  if (degree <= 6)
    return symmetricRule(6, [
      { weight: 0.039922750258167494, orbit: corners(0.21460287125915203) },
      { weight: 0.010077211055320643, orbit: corners(0.04067395853461135) },
      { weight: 0.05535718154365472, orbit: corners(0.3223378901422755) },
      { weight: 27 / 560, orbit: pairs(0.06366100187501753, 0.2696723314583158) },
    ]);
  return conicalRule(Math.ceil((degree + 1) / 2));
}

/** Four points with three equal coordinates. */
function corners(a: number): Barycentric[] {
  return [0, 1, 2, 3].map((i) => barycentric((k) => (k === i ? 1 - 3 * a : a)));
}

/** Six points with two and two equal coordinates. */
function edges(a: number): Barycentric[] {
  return orderedPairs()
    .filter(([i, j]) => i < j)
    .map(([i, j]) => barycentric((k) => (k === i || k === j ? a : 0.5 - a)));
}

/** Twelve points with two equal coordinates a, one b and the rest 1 − 2a − b. */
function pairs(a: number, b: number): Barycentric[] {
  return orderedPairs().map(([i, j]) => barycentric((k) => (k === i ? b : k === j ? 1 - 2 * a - b : a)));
}

function orderedPairs(): [number, number][] {
  return [0, 1, 2, 3].flatMap((i) => [0, 1, 2, 3].filter((j) => j !== i).map((j): [number, number] => [i, j]));
}

function barycentric(coordinate: (corner: number) => number): Barycentric {
  return [coordinate(0), coordinate(1), coordinate(2), coordinate(3)];
}

function symmetricRule(
  degree: number,
  orbits: readonly { readonly weight: number; readonly orbit: readonly Barycentric[] }[],
): TetrahedronRule {
  return {
    degree,
    points: orbits.flatMap(({ weight, orbit }) => orbit.map(([, b, c, d]) => ({ weight, shares: [b, c, d] as const }))),
  };
}

/**
 * ∫ f dV = 6V ∫∫∫ f(1−r, r (1−t), r t (1−w)) r² t dw dt dr. The rule along r has one point more than the others, because it
 * knows the weight r only.
 */
function conicalRule(n: number): TetrahedronRule {
  const [along, across, last] = [gaussRadial(n + 1), gaussRadial(n), gaussLegendre(n)];
  return {
    degree: 2 * n - 1,
    points: along.nodes.flatMap((r, i) =>
      across.nodes.flatMap((t, j) =>
        last.nodes.map((w, k) => ({
          weight: 1.5 * r * along.weights[i]! * across.weights[j]! * last.weights[k]!,
          shares: [1 - r, r * (1 - t), r * t * (1 - w)] as const,
        })),
      ),
    ),
  };
}
