/**
 * Near-minimax polynomials for Stumpff functions on [−1/100, π²]: interpolation at Chebyshev nodes, which needs about a
 * third fewer terms than the power series for the same error over the whole range.
 *
 * Computed with fifty digits and rounded once: the same numbers on every machine. Forms that need fewer multiplications
 * than Horner's rule (Knuth, Eve) were tried and lose up to three digits of accuracy at the orders that robots need.
 */
import type { Decimal } from 'decimal.js';
import { decimalOfPrecision, stumpffDecimal } from '../../symbolic/evaluation/evaluate.ts';

/** Scalar type that the coefficients are for. */
export type Precision = 'double' | 'single';

/** Where the polynomials hold. Arguments are squares, and rounding can make a sum of squares slightly negative. */
export const LOWEST_ARGUMENT = -0.01;
export const HIGHEST_ARGUMENT = 9.869604401089358; // π²

/** Error of the polynomial relative to the function, before rounding. */
const FIT_ERROR = { double: 2e-15, single: 4e-7 } as const;

const Precise = decimalOfPrecision(50);
const PI = Precise.acos(-1);

interface Range {
  readonly middle: Decimal;
  /** Half of its length. */
  readonly half: Decimal;
}
const BELOW_HALF_A_TURN: Range = rangeOf(new Precise('-0.01'), PI.times(PI));
/** Squares of angles up to a little more than π/4. */
const EIGHTH_OF_A_TURN: Range = rangeOf(new Precise('-0.001'), new Precise('0.63'));

function rangeOf(low: Decimal, high: Decimal): Range {
  return { middle: high.plus(low).div(2), half: high.minus(low).div(2) };
}

const known = new Map<string, readonly number[]>();

/** Coefficients of the polynomial for c_order, constant first; signs alternate. */
export function stumpffPolynomial(order: number, precision: Precision): readonly number[] {
  return coefficients(order, degree(order, precision), precision, BELOW_HALF_A_TURN);
}

/**
 * Coefficients, constant first, of c_3 or c_4 of r² for |r| ≤ π/4: sin r = r − r³ c_3(r²), cos r = 1 − r²/2 + r⁴ c_4(r²),
 * both to within 10⁻¹⁷ of their values, in single precision 10⁻⁸.
 */
export function trigonometricPolynomial(order: 3 | 4, precision: Precision): readonly number[] {
  return coefficients(order, precision === 'single' ? 2 : 5, precision, EIGHTH_OF_A_TURN);
}

/** Every module of generated code that has sines asks for the same: worked out once. */
function coefficients(order: number, highest: number, precision: Precision, range: Range): readonly number[] {
  const key = `${precision} ${order} ${highest} ${range.middle.toString()}`;
  let found = known.get(key);
  if (!found) {
    const round = precision === 'single' ? Math.fround : (value: number): number => value;
    found = interpolant(order, highest, range).map((c) => round(c.toNumber()));
    known.set(key, found);
  }
  return found;
}

/** The lowest degree whose first neglected Chebyshev coefficient, 2 (half/2)^n/(order + 2n)!, is small enough. */
function degree(order: number, precision: Precision): number {
  let coefficient = 2;
  for (let n = 1; ; n++) {
    coefficient *= BELOW_HALF_A_TURN.half.toNumber() / 2 / ((order + 2 * n) * (order + 2 * n - 1));
    if (coefficient <= FIT_ERROR[precision]) return n - 1;
  }
}

/** Coefficients, constant first, of the polynomial through c_order at the Chebyshev nodes of the range. */
function interpolant(order: number, highest: number, { middle, half }: Range): Decimal[] {
  const nodes = Array.from({ length: highest + 1 }, (_, i) =>
    middle.plus(half.times(Precise.cos(PI.times(2 * i + 1).div(2 * highest + 2)))),
  );
  const differences = nodes.map((x) => stumpffDecimal(x, order, Precise));
  for (let step = 1; step <= highest; step++)
    for (let i = highest; i >= step; i--)
      differences[i] = differences[i]!.minus(differences[i - 1]!).div(nodes[i]!.minus(nodes[i - step]!));
  // Newton's form multiplied out from the inside: p ← p (x − node) + difference.
  let powers: Decimal[] = [];
  for (let i = highest; i >= 0; i--) {
    const shifted = [new Precise(0), ...powers];
    powers = shifted.map((c, j) => (j < powers.length ? c.minus(powers[j]!.times(nodes[i]!)) : c));
    powers[0] = powers[0]!.plus(differences[i]!);
  }
  return powers;
}
