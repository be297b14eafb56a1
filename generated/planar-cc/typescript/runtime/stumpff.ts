/**
 * Stumpff functions c_k(x) = Σ_j (−x)^j / (k + 2j)! in double precision, all orders 0 … K of one argument at once.
 *
 * Below π² the two highest orders come from their nested power series and the rest from the recurrence
 * c_k = 1/k! − x c_{k+2} going down: no trigonometric call, nothing singular at 0. Above, the recurrence goes up from
 * c_0 … c_3, by orders k, k + 1 while k(k + 1) ≤ 2x, where it is stable, and to c_7 in any case; higher orders come
 * from above as before. As many steps go down as do not go up, and series have a fixed length: the work is the same for
 * all x ≥ π². Below −π², where the functions are hyperbolic, the same is done with |x|, and c_4 … c_7 are not excepted.
 * This file is copied beside generated modules; it imports nothing.
 */

/** The highest order that is tabulated. */
export const MAXIMUM_STUMPFF_ORDER = 32;

const PI_SQUARED = 9.869604401089358;
/** Squares of angles below this do not show in their cosine. */
const ROUNDING = 1e-16;
/** Orders that come from below for all x ≥ π²; c_7 loses two bits beside π². Series would cost more. */
export const ALWAYS_BELOW = 7;

/** 1/k!, to one beyond: orders come in pairs. */
export const inverseFactorial = new Float64Array(MAXIMUM_STUMPFF_ORDER + 2);
/** 1/(n (n − 1)), the ratio of neighbouring terms of series without x: 26, more than the highest order wants. */
export const inverseProduct = new Float64Array(MAXIMUM_STUMPFF_ORDER + 54);
/** Terms that reach double precision for every x < π², by order. */
const termsBelow = new Uint8Array(MAXIMUM_STUMPFF_ORDER + 1);
/** The same wherever an order comes from above beyond π². */
const termsAbove = new Uint8Array(MAXIMUM_STUMPFF_ORDER + 1);

tabulate();

/** Exact integers rounded once: k! in bigint, the quotient of two exact doubles for the products. */
function tabulate(): void {
  let factorial = 1n;
  for (let k = 0; k < inverseFactorial.length; k++) {
    if (k > 0) factorial *= BigInt(k);
    inverseFactorial[k] = reciprocal(factorial);
  }
  for (let n = 2; n < inverseProduct.length; n++) inverseProduct[n] = 1 / (n * (n - 1));
  for (let k = 0; k <= MAXIMUM_STUMPFF_ORDER; k++) {
    termsBelow[k] = seriesTerms(k, PI_SQUARED, 2e-17);
    termsAbove[k] = seriesTerms(k, largestFromAbove(k), 2e-17);
  }
}

/** Terms of the nested series of an order until what is left is below `tolerance` for every x < `largest`. */
export function seriesTerms(order: number, largest: number, tolerance: number): number {
  let remainder = 1;
  let terms = 0;
  while (remainder > tolerance) {
    terms++;
    remainder *= largest * inverseProduct[order + 2 * terms]!;
  }
  return terms;
}

/** No order k, k + 1 comes from above beyond this x: see `reach` of `stumpff`. */
export function largestFromAbove(order: number): number {
  return 0.5 * (order + 0.5) ** 2;
}

/** 1/n correctly rounded for an integer beyond 2^53: 2^s/n with 66 significant bits and a sticky bit. */
function reciprocal(n: bigint): number {
  if (n <= 9007199254740992n) return 1 / Number(n);
  const shift = n.toString(2).length + 65;
  const scaled = (1n << BigInt(shift)) / n;
  return Number(scaled | 1n) * 2 ** -shift;
}

/** c_order(x) by the nested series 1/k! (1 − x r_1 (1 − x r_2 (…))), r_j = 1/((k + 2j − 1)(k + 2j)). */
function nestedSeries(x: number, order: number, terms: number): number {
  let sum = 1;
  for (let n = order + 2 * terms; n > order; n -= 2) sum = 1 - x * inverseProduct[n]! * sum;
  return inverseFactorial[order]! * sum;
}

/** x − r² exactly, for the rounded square root r of x (Dekker's product; 2^27 + 1 splits a double in halves). */
function squareRootRemainder(x: number, r: number): number {
  const wide = 134217729 * r;
  const high = wide - (wide - r);
  const low = r - high;
  const square = r * r;
  return x - square - (high * high - square + 2 * high * low + low * low);
}

/**
 * c_0, c_1, c_2 above π² from the half angle h = √x / 2: c_1 = sin h cos h / h and c_2 = ½ (sin h / h)² keep their
 * relative accuracy at their zeros, once the rounding of the square root is put right; beyond angles of 10⁸ it is
 * no small angle any more, and the digits are lost in x anyway.
 */
function firstThree(x: number, root: number, out: Float64Array): void {
  const angle = 0.5 * root;
  const remainder = (0.25 * squareRootRemainder(x, root)) / root;
  const correction = remainder * remainder < ROUNDING ? remainder : 0;
  const sine = Math.sin(angle);
  const cosine = Math.cos(angle);
  const s = sine + cosine * correction;
  const c = cosine - sine * correction;
  const sinc = s / angle;
  out[0] = (c - s) * (c + s);
  out[1] = sinc * c;
  out[2] = 0.5 * (sinc * sinc);
}

/** The same below −π²: c_0 = cosh √−x, c_1 = sinh √−x/√−x, c_2 = ½ (sinh h/h)² with h = √−x/2. */
function firstThreeBelow(root: number, out: Float64Array): void {
  const sinhc = Math.sinh(0.5 * root) / (0.5 * root);
  out[0] = Math.cosh(root);
  out[1] = Math.sinh(root) / root;
  out[2] = 0.5 * (sinhc * sinhc);
}

/** c_0(x) … c_top(x) below π² in size. */
function firstTurn(x: number, top: number, out: Float64Array): void {
  const terms = termsBelow[top - 1]!;
  out[top] = nestedSeries(x, top, terms);
  out[top - 1] = nestedSeries(x, top - 1, terms);
  for (let k = top - 2; k >= 0; k--) out[k] = inverseFactorial[k]! - x * out[k + 2]!;
}

/**
 * The pairs of orders from `highest` down to above `below` beyond π².
 * @param highest odd.
 * @param below odd: the highest order that comes from below.
 */
function fromAbove(x: number, highest: number, below: number, out: Float64Array): void {
  const y = below < highest ? x : 0;
  let even = 1;
  let odd = 1;
  for (let n = highest + 2 * termsAbove[highest - 1]!; n > highest; n -= 2) {
    even = 1 - y * inverseProduct[n - 1]! * even;
    odd = 1 - y * inverseProduct[n]! * odd;
  }
  even *= inverseFactorial[highest - 1]!;
  odd *= inverseFactorial[highest]!;
  for (let k = highest - 1; k > below; k -= 2) {
    out[k] = even;
    out[k + 1] = odd;
    even = inverseFactorial[k - 2]! - y * even;
    odd = inverseFactorial[k - 1]! - y * odd;
  }
}

/** Numbers that `stumpff` needs room for: orders 0 … top, and one more where top is even. */
export function stumpffRoom(top: number): number {
  return (top | 1) + 1;
}

/**
 * Writes c_0(x) … c_top(x) to out[0 … top]. Allocates nothing.
 * @param x any number: the square of an angle, or minus the square of a hyperbolic one.
 * @param top highest order wanted, 2 … MAXIMUM_STUMPFF_ORDER.
 * @param out `stumpffRoom(top)` numbers.
 */
export function stumpff(x: number, top: number, out: Float64Array): void {
  if (Math.abs(x) < PI_SQUARED) {
    firstTurn(x, top, out);
    return;
  }
  const root = Math.sqrt(Math.abs(x));
  let least = 3;
  // These three keep their digits where they are zero.
  if (x > 0) {
    firstThree(x, root, out);
    least = ALWAYS_BELOW;
  } else {
    firstThreeBelow(root, out);
  }
  const highest = top | 1;
  let below = highest;
  if (highest > least) {
    // Half of the even number k with k (k + 1) = 2 |x|.
    const reach = Math.SQRT1_2 * root - 0.25;
    if (2 * reach < highest - 1) below = Math.max(2 * Math.trunc(reach) + 1, least);
    fromAbove(x, highest, below, out);
  }
  const inverse = 1 / x;
  let even = out[2]!;
  let odd = (1 - out[1]!) * inverse;
  out[3] = odd;
  for (let k = 4; k < below; k += 2) {
    even = (inverseFactorial[k - 2]! - even) * inverse;
    odd = (inverseFactorial[k - 1]! - odd) * inverse;
    out[k] = even;
    out[k + 1] = odd;
  }
}
