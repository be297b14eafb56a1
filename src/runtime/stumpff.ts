/**
 * Stumpff functions c_k(x) = Σ_j (−x)^j / (k + 2j)! in double precision, all orders 0 … K of one argument at once.
 *
 * Below π² the two highest orders come from their nested power series and the rest from the recurrence
 * c_k = 1/k! − x c_{k+2} going down: no trigonometric call, nothing singular at 0. From there to 16 π² they are those
 * of x/16, the argument doubled twice, whatever x; beyond, the recurrence goes up from c_0, c_1, c_2 while
 * k(k − 1) ≤ 2x, where it is stable (for orders up to 18: to the top), and the remaining orders come from above as
 * before. Below −π², where the functions are hyperbolic, the same is done with |x|.
 * This file is copied beside generated modules; it imports nothing.
 */

/** The highest order that is tabulated. */
export const MAXIMUM_STUMPFF_ORDER = 32;

const PI_SQUARED = 9.869604401089358;
/** Squares of angles below this do not show in their cosine. */
const ROUNDING = 1e-16;
/** Terms of the nested series where x ≤ (k² − k)/2, enough for every order up to the maximum. */
export const TERMS_ABOVE = 26;

/** 1/k! */
export const inverseFactorial = new Float64Array(MAXIMUM_STUMPFF_ORDER + 1);
/** 1/(n (n − 1)), the ratio of neighbouring terms of the series without x. */
export const inverseProduct = new Float64Array(MAXIMUM_STUMPFF_ORDER + 2 * TERMS_ABOVE + 1);
/** Terms that reach double precision for every x < π², by order. */
const termsBelow = new Uint8Array(MAXIMUM_STUMPFF_ORDER + 1);

tabulate();

/** Exact integers rounded once: k! in bigint, the quotient of two exact doubles for the products. */
function tabulate(): void {
  let factorial = 1n;
  for (let k = 0; k <= MAXIMUM_STUMPFF_ORDER; k++) {
    if (k > 0) factorial *= BigInt(k);
    inverseFactorial[k] = reciprocal(factorial);
  }
  for (let n = 2; n < inverseProduct.length; n++) inverseProduct[n] = 1 / (n * (n - 1));
  for (let k = 0; k <= MAXIMUM_STUMPFF_ORDER; k++) termsBelow[k] = seriesTerms(k, 2e-17);
}

/** Terms of the nested series of an order until what is left is below `tolerance` for every x < π². */
export function seriesTerms(order: number, tolerance: number): number {
  let remainder = 1;
  let terms = 0;
  while (remainder > tolerance) {
    terms++;
    remainder *= PI_SQUARED * inverseProduct[order + 2 * terms]!;
  }
  return terms;
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
function firstThree(x: number, out: Float64Array): void {
  const root = Math.sqrt(x);
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
function firstThreeBelow(x: number, out: Float64Array): void {
  const root = Math.sqrt(-x);
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
 * From c_0(x) … c_top(x) to those of 4x, twice the angle: 2^n c_n(4x) = Σ_j c_(n−j)/j! + c_0 c_n + c_1 c_(n−1),
 * j = 0 … n − 2, sums of numbers of one sign but for the last one.
 */
function doubleAngle(top: number, out: Float64Array): void {
  let scale = 2 ** -top;
  for (let n = top; n > 0; n--) {
    let sum = out[0]! * out[n]! + out[1]! * out[n - 1]!;
    for (let j = 0; j <= n - 2; j++) sum += inverseFactorial[j]! * out[n - j]!;
    out[n] = scale * sum;
    scale *= 2;
  }
  out[0] = 2 * out[0]! * out[0]! - 1;
}

/**
 * Writes c_0(x) … c_top(x) to out[0 … top]. Allocates nothing.
 * @param x any number: the square of an angle, or minus the square of a hyperbolic one.
 * @param top highest order wanted, 2 … MAXIMUM_STUMPFF_ORDER.
 * @param out at least top + 1 numbers.
 */
export function stumpff(x: number, top: number, out: Float64Array): void {
  const size = Math.abs(x);
  if (size < PI_SQUARED) {
    firstTurn(x, top, out);
    return;
  }
  const isNear = size < 16 * PI_SQUARED;
  if (isNear) {
    firstTurn(x / 16, top, out);
    doubleAngle(top, out);
    doubleAngle(top, out);
  }
  // These three keep their digits where they are zero.
  if (x > 0) firstThree(x, out);
  else firstThreeBelow(x, out);
  if (isNear) return;
  const inverse = 1 / x;
  let stable = 2;
  while (stable < top && (stable + 1) * stable <= 2 * size) {
    stable++;
    out[stable] = (inverseFactorial[stable - 2]! - out[stable - 2]!) * inverse;
  }
  if (stable >= top) return;
  out[top] = nestedSeries(x, top, TERMS_ABOVE);
  if (top - 1 > stable) out[top - 1] = nestedSeries(x, top - 1, TERMS_ABOVE);
  for (let k = top - 2; k > stable; k--) out[k] = inverseFactorial[k]! - x * out[k + 2]!;
}
