/**
 * Families of functions on [0, 1] as expressions, with exact rational coefficients: what fields along a rod are built of.
 * Polynomials come from their three-term recurrences, which keep their digits at high degree and share lower degrees.
 * Piecewise polynomials are `select`s whose conditions compare `u` with their knots.
 */
import { KanegenError } from '../../common/error.ts';
import {
  call,
  compare,
  cos,
  divide,
  fraction,
  integer,
  minus,
  negate,
  one,
  pi,
  plus,
  power,
  scale,
  select,
  sin,
  square,
  times,
  zero,
  type Expr,
} from '../graph/expr.ts';
import { HALF, Rational, ratio } from '../graph/rational.ts';

/** Degrees and numbers of functions beyond which no rod makes sense and formulas explode. */
const LARGEST_INDEX = 200;

// ---------------------------------------------------------------------------------------------- polynomials

/** 2u − 1: [0, 1] to [−1, 1]. */
function centred(u: Expr): Expr {
  return minus(times(integer(2), u), one);
}

/** Legendre polynomial P_degree(2u − 1): orthogonal on [0, 1], ∫ P² = 1/(2 degree + 1). */
function legendre(degree: number, u: Expr): Expr {
  const x = centred(u);
  let [before, current]: [Expr, Expr] = [zero, one];
  for (let n = 0; n < degree; n++) {
    const next = minus(times(fraction(2 * n + 1, n + 1), x, current), times(fraction(n, n + 1), before));
    [before, current] = [current, next];
  }
  return current;
}

/** Chebyshev polynomial of the first kind T_degree(2u − 1). */
function chebyshev(degree: number, u: Expr): Expr {
  const x = centred(u);
  if (degree === 0) return one;
  let [before, current]: [Expr, Expr] = [one, x];
  for (let n = 1; n < degree; n++) [before, current] = [current, minus(times(integer(2), x, current), before)];
  return current;
}

/** 1, sin 2πu, cos 2πu, sin 4πu, cos 4πu, … for index 0, 1, 2, 3, 4, … */
function fourier(index: number, u: Expr): Expr {
  if (index === 0) return one;
  const angle = times(integer(2 * Math.ceil(index / 2)), pi, u);
  return index % 2 === 1 ? sin(angle) : cos(angle);
}

// ---------------------------------------------------------------------------------------------- radial functions

/** exp(−((u − centre)/width)²) */
function gaussian(u: Expr, centre: Expr, width: Expr): Expr {
  return call('exp', negate(square(divide(minus(u, centre), width))));
}

/** 1/√(1 + ((u − centre)/width)²) */
function inverseMultiquadric(u: Expr, centre: Expr, width: Expr): Expr {
  return power(plus(one, square(divide(minus(u, centre), width))), Rational.negate(HALF));
}

// ---------------------------------------------------------------------------------------------- finite elements

/** pieces[e] where u lies in [e/n, (e+1)/n), n pieces; the outer ones go on beyond [0, 1]. */
function piecewise(pieces: readonly Expr[], u: Expr): Expr {
  const last = pieces.length - 1;
  let result = pieces[last]!;
  for (let e = last - 1; e >= 0; e--)
    if (pieces[e] !== pieces[e + 1])
      result = select(compare('<', u, fraction(e + 1, pieces.length)), pieces[e]!, result);
  return result;
}

/** Lagrange polynomial of `order` on the nodes 0, 1/order, …, 1: one at node `index`, zero at the others. */
function nodalPolynomial(order: number, index: number, t: Expr): Expr {
  const factors: Expr[] = [];
  for (let j = 0; j <= order; j++)
    if (j !== index) factors.push(scale(ratio(1, index - j), minus(times(integer(order), t), integer(j))));
  return times(...factors);
}

/**
 * Continuous piecewise polynomial of `order` on count = order · elements + 1 equally spaced nodes: one at node `index`
 * (from 0), zero at the others.
 */
function nodalElement(order: number, index: number, count: number, u: Expr): Expr {
  const elements = (count - 1) / order;
  const pieces = Array.from({ length: elements }, (_, e) => {
    const node = index - e * order;
    return node < 0 || node > order ? zero : nodalPolynomial(order, node, local(u, e, elements));
  });
  return piecewise(pieces, u);
}

/**
 * Cubic Hermite function with continuous slope on count/2 equally spaced nodes. Even `index` (from 0): value one at node
 * index/2; odd: slope du one at node (index − 1)/2; all other values and slopes at nodes are zero.
 */
function hermiteElement(index: number, count: number, u: Expr): Expr {
  const elements = count / 2 - 1;
  const pieces = Array.from({ length: elements }, (_, e) => {
    const node = Math.floor(index / 2) - e;
    if (node < 0 || node > 1) return zero;
    const t = local(u, e, elements);
    // From the node at hand outwards: t from the left end, 1 − t from the right one, where slopes change their sign.
    const distance = node === 0 ? t : minus(one, t);
    const rest = minus(one, distance);
    if (index % 2 === 0) return times(square(rest), plus(one, times(integer(2), distance)));
    return times(fraction(node === 0 ? 1 : -1, elements), distance, square(rest));
  });
  return piecewise(pieces, u);
}

/** Coordinate of element e of n, from 0 to 1. */
function local(u: Expr, element: number, elements: number): Expr {
  return minus(times(integer(elements), u), integer(element));
}

// ---------------------------------------------------------------------------------------------- families by name

export const basisNames = [
  'monomial',
  'legendre',
  'chebyshev',
  'fourier',
  'gaussian',
  'inverse-multiquadric',
  'linear',
  'quadratic',
  'cubic',
  'hermite',
] as const;
export type BasisName = (typeof basisNames)[number];

/** Centres and width of radial functions; equally spaced and as wide as their distance when missing. */
export interface RadialShape {
  readonly centres?: readonly Expr[];
  readonly width?: Expr;
}

/** What is wrong with so many functions of a family; undefined when there can be so many. */
export function countProblem(basis: BasisName, count: number): string | undefined {
  const { [basis]: order }: Partial<Record<BasisName, number>> = ORDERS;
  if (order !== undefined && (count < order + 1 || (count - 1) % order !== 0))
    return `elements of order ${order} take ${order === 1 ? 'at least 2' : `${order} per element and one more`} functions`;
  if (basis === 'hermite' && (count < 4 || count % 2 !== 0))
    return 'Hermite elements take a value and a slope at every node: an even number of at least 4 functions';
  return undefined;
}

const ORDERS = { linear: 1, quadratic: 2, cubic: 3 } as const satisfies Partial<Record<BasisName, number>>;

/** The first `count` functions of a family. */
export function basisFunctions(basis: BasisName, count: number, u: Expr, shape: RadialShape = {}): Expr[] {
  const spacing = count > 1 ? fraction(1, count - 1) : one;
  const centre = (i: number): Expr => shape.centres?.[i] ?? (count > 1 ? times(integer(i), spacing) : fraction(1, 2));
  const width = shape.width ?? spacing;
  return Array.from({ length: count }, (_, i) => {
    switch (basis) {
      case 'linear':
      case 'quadratic':
      case 'cubic':
        return nodalElement(ORDERS[basis], i, count, u);
      case 'hermite':
        return hermiteElement(i, count, u);
      case 'monomial':
        return power(u, i);
      case 'legendre':
        return legendre(i, u);
      case 'chebyshev':
        return chebyshev(i, u);
      case 'fourier':
        return fourier(i, u);
      case 'gaussian':
        return gaussian(u, centre(i), width);
      case 'inverse-multiquadric':
        return inverseMultiquadric(u, centre(i), width);
    }
  });
}

// ---------------------------------------------------------------------------------------------- calls in formulas

interface BasisCall {
  /** As messages show it. */
  readonly signature: string;
  readonly count: number;
  apply(operands: readonly Expr[]): Expr;
}

/** What formulas may call: `legendre(2, s/L)`. Functions of a family of elements are counted from 1, degrees from 0. */
export const BASIS_CALLS: ReadonlyMap<string, BasisCall> = new Map<string, BasisCall>([
  ['legendre', byIndex('legendre(degree, u)', legendre)],
  ['chebyshev', byIndex('chebyshev(degree, u)', chebyshev)],
  ['fourier', byIndex('fourier(index, u)', fourier)],
  ['gaussian', { signature: 'gaussian(u, centre, width)', count: 3, apply: ([u, c, w]) => gaussian(u!, c!, w!) }],
  [
    'inverse_multiquadric',
    {
      signature: 'inverse_multiquadric(u, centre, width)',
      count: 3,
      apply: ([u, c, w]) => inverseMultiquadric(u!, c!, w!),
    },
  ],
  ...(['linear', 'quadratic', 'cubic', 'hermite'] as const).map((name) => [name, byElement(name)] as const),
]);

function byIndex(signature: string, of: (index: number, u: Expr) => Expr): BasisCall {
  return { signature, count: 2, apply: ([n, u]) => of(wholeNumber(n!, 0, LARGEST_INDEX, signature), u!) };
}

function byElement(name: 'linear' | 'quadratic' | 'cubic' | 'hermite'): BasisCall {
  const signature = `${name}(i, n, u)`;
  return {
    signature,
    count: 3,
    apply: ([i, n, u]) => {
      const count = wholeNumber(n!, 1, LARGEST_INDEX, signature);
      const problem = countProblem(name, count);
      if (problem !== undefined)
        throw new KanegenError('wrong-value', `${signature}: ${problem}`, { remedy: 'change n, the second argument' });
      return basisFunctions(name, count, u!)[wholeNumber(i!, 1, count, signature) - 1]!;
    },
  };
}

function wholeNumber(e: Expr, least: number, most: number, signature: string): number {
  const n = e.kind === 'rational' && Rational.isInteger(e.value) ? Rational.toNumber(e.value) : Number.NaN;
  if (n >= least && n <= most) return n;
  throw new KanegenError('wrong-value', `${signature} takes a whole number from ${least} to ${most}`, {
    remedy: 'write the number itself, not a name',
  });
}
