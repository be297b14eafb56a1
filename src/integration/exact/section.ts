/**
 * Exact area moments ∫ x^a y^b dA of cross-sections in their own centred axes, of their mass too.
 */
import { expandToMonomials, monomialToExpr } from '../../symbolic/graph/expand.ts';
import { fraction, minus, pi, plus, power, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { Rational, ZERO } from '../../symbolic/graph/rational.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';

export type SectionShape =
  | { readonly shape: 'disc'; readonly radius: Expr }
  | { readonly shape: 'annulus'; readonly innerRadius: Expr; readonly outerRadius: Expr }
  | { readonly shape: 'rectangle'; readonly width: Expr; readonly height: Expr }
  | { readonly shape: 'ellipse'; readonly semiAxisX: Expr; readonly semiAxisY: Expr };

/** The dimensions of a section. */
export function sectionSizes(section: SectionShape): readonly [Expr] | readonly [Expr, Expr] {
  switch (section.shape) {
    case 'disc':
      return [section.radius];
    case 'annulus':
      return [section.innerRadius, section.outerRadius];
    case 'rectangle':
      return [section.width, section.height];
    case 'ellipse':
      return [section.semiAxisX, section.semiAxisY];
  }
}

/** n!! with (−1)!! = 1. */
function doubleFactorial(n: number): bigint {
  let value = 1n;
  for (let i = n; i > 1; i -= 2) value *= BigInt(i);
  return value;
}

/** ∫ x^a y^b over the unit disc: 2π (a−1)!! (b−1)!! / (a+b+2)!! for even a, b. */
function unitDiscMoment(a: number, b: number): Expr {
  if (a % 2 === 1 || b % 2 === 1) return zero;
  return times(fraction(2n * doubleFactorial(a - 1) * doubleFactorial(b - 1), doubleFactorial(a + b + 2)), pi);
}

/** ∫ x^a over [−w/2, w/2]. */
function intervalMoment(width: Expr, a: number): Expr {
  if (a % 2 === 1) return zero;
  return times(fraction(1n, BigInt(a + 1) * 2n ** BigInt(a)), power(width, a + 1));
}

/** ∫ x^a y^b dA, in the dimensions of the section (m^(a+b+2)). */
export function sectionMoment(section: SectionShape, a: number, b: number): Expr {
  switch (section.shape) {
    case 'disc':
      return times(unitDiscMoment(a, b), power(section.radius, a + b + 2));
    case 'annulus':
      return times(
        unitDiscMoment(a, b),
        minus(power(section.outerRadius, a + b + 2), power(section.innerRadius, a + b + 2)),
      );
    case 'rectangle':
      return times(intervalMoment(section.width, a), intervalMoment(section.height, b));
    case 'ellipse':
      return times(unitDiscMoment(a, b), power(section.semiAxisX, a + 1), power(section.semiAxisY, b + 1));
  }
}

/** A section with its mass per volume, which may depend on the coordinates of the section and on others. */
export interface DenseSection {
  readonly shape: SectionShape;
  readonly density: Expr;
}

const MOST_MONOMIALS = 200;

/** ∫ density x^a y^b dA, or undefined where the density is not a polynomial in x and y. */
export function densityMoment(
  { shape, density }: DenseSection,
  [x, y]: readonly [Expr, Expr],
  a: number,
  b: number,
): Expr | undefined {
  const own = new Set([x, y]);
  if (!dependsOn(density, own)) return times(density, sectionMoment(shape, a, b));
  const monomials = expandToMonomials(density, MOST_MONOMIALS);
  const terms = monomials?.map(({ coefficient, factors }) => {
    const rest = new Map(factors);
    const [i, j] = [rest.get(x) ?? ZERO, rest.get(y) ?? ZERO];
    rest.delete(x);
    rest.delete(y);
    const isPolynomial = [i, j].every((e) => Rational.isInteger(e) && !Rational.isNegative(e));
    if (!isPolynomial || [...rest.keys()].some((base) => dependsOn(base, own))) return undefined;
    const moment = sectionMoment(shape, a + Number(i.numerator), b + Number(j.numerator));
    return times(monomialToExpr({ coefficient, factors: rest }), moment);
  });
  return terms?.every((term) => term !== undefined) ? plus(...terms) : undefined;
}
