/**
 * Arithmetic with about 32 digits for the independent check of bodies with many material points: a number is the unevaluated
 * sum of two doubles. A hundred times faster than decimal arithmetic; difference quotients of fourth order still keep
 * eighteen digits. Nothing here is used by the compiler.
 *
 * Functions leave their result in `high` and `low` of the module's one register, so that loops over columns allocate nothing.
 * Sources: T. J. Dekker, A floating-point technique for extending the available precision (1971); Y. Hida, X. S. Li,
 * D. H. Bailey, Library for double-double and quad-double arithmetic (2007).
 */

/** The result of the last operation: high + low, |low| ≤ ulp(high)/2. */
export const result = { high: 0, low: 0 };

function give(high: number, low: number): void {
  const sum = high + low;
  result.high = sum;
  result.low = Number.isFinite(sum) ? low - (sum - high) : 0;
}

export function add(ah: number, al: number, bh: number, bl: number): void {
  const sum = ah + bh;
  if (!Number.isFinite(sum)) return give(sum, 0);
  const virtual = sum - ah;
  const error = ah - (sum - virtual) + (bh - virtual);
  const lows = al + bl;
  const virtualLow = lows - al;
  const lowError = al - (lows - virtualLow) + (bl - virtualLow);
  const first = sum + (error + lows);
  give(first, error + lows - (first - sum) + lowError);
}

/** Veltkamp's: takes the upper half of the digits of a double. */
export const SPLITTER = 134217729;

export function multiply(ah: number, al: number, bh: number, bl: number): void {
  const product = ah * bh;
  if (!Number.isFinite(product)) return give(product, 0);
  const ta = SPLITTER * ah;
  const a1 = ta - (ta - ah);
  const a2 = ah - a1;
  const tb = SPLITTER * bh;
  const b1 = tb - (tb - bh);
  const b2 = bh - b1;
  const error = a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2;
  give(product, error + (ah * bl + al * bh));
}

/** Numbers in two arrays; of one entry for all rows. */
export interface Rows {
  readonly high: Float64Array;
  readonly low: Float64Array;
}

/** `add` in every row, the same operations without calls: most of what the independent check does. */
export function addRows(a: Rows, b: Rows, { high, low }: Rows, count = high.length): void {
  const aStep = a.high.length === 1 ? 0 : 1;
  const bStep = b.high.length === 1 ? 0 : 1;
  for (let i = 0, j = 0, k = 0; i < count; i++, j += aStep, k += bStep) {
    const ah = a.high[j]!;
    const al = a.low[j]!;
    const bh = b.high[k]!;
    const bl = b.low[k]!;
    const sum = ah + bh;
    const virtual = sum - ah;
    const error = ah - (sum - virtual) + (bh - virtual);
    const lows = al + bl;
    const virtualLow = lows - al;
    const lowError = al - (lows - virtualLow) + (bl - virtualLow);
    const first = sum + (error + lows);
    const rest = error + lows - (first - sum) + lowError;
    const whole = first + rest;
    high[i] = Number.isFinite(sum) ? whole : sum;
    low[i] = Number.isFinite(sum) && Number.isFinite(whole) ? rest - (whole - first) : 0;
  }
}

/** `multiply` in every row. */
export function multiplyRows(a: Rows, b: Rows, { high, low }: Rows, count = high.length): void {
  const aStep = a.high.length === 1 ? 0 : 1;
  const bStep = b.high.length === 1 ? 0 : 1;
  for (let i = 0, j = 0, k = 0; i < count; i++, j += aStep, k += bStep) {
    const ah = a.high[j]!;
    const al = a.low[j]!;
    const bh = b.high[k]!;
    const bl = b.low[k]!;
    const product = ah * bh;
    const ta = SPLITTER * ah;
    const a1 = ta - (ta - ah);
    const a2 = ah - a1;
    const tb = SPLITTER * bh;
    const b1 = tb - (tb - bh);
    const b2 = bh - b1;
    const rest = a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2 + (ah * bl + al * bh);
    const whole = product + rest;
    high[i] = Number.isFinite(product) ? whole : product;
    low[i] = Number.isFinite(product) && Number.isFinite(whole) ? rest - (whole - product) : 0;
  }
}

/** A number times every row. */
export function scaleRows(
  bh: number,
  bl: number,
  { high: xh, low: xl }: Rows,
  { high, low }: Rows,
  count: number,
): void {
  if (bl === 0 && (bh === 1 || bh === -1)) {
    for (let i = 0; i < count; i++) {
      high[i] = bh * xh[i]!;
      low[i] = bh * xl[i]!;
    }
    return;
  }
  const tb = SPLITTER * bh;
  const b1 = tb - (tb - bh);
  const b2 = bh - b1;
  for (let i = 0; i < count; i++) {
    const ah = xh[i]!;
    const product = ah * bh;
    const ta = SPLITTER * ah;
    const a1 = ta - (ta - ah);
    const a2 = ah - a1;
    const rest = a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2 + (ah * bl + xl[i]! * bh);
    const whole = product + rest;
    high[i] = Number.isFinite(product) ? whole : product;
    low[i] = Number.isFinite(product) && Number.isFinite(whole) ? rest - (whole - product) : 0;
  }
}

/** A number times every row, added. */
export function addScaledRows(bh: number, bl: number, x: Rows, out: Rows, count: number): void {
  if (scaled.high.length < count) scaled = { high: new Float64Array(count), low: new Float64Array(count) };
  scaleRows(bh, bl, x, scaled, count);
  addRows(out, scaled, out, count);
}

let scaled: Rows = { high: new Float64Array(0), low: new Float64Array(0) };

export function divide(ah: number, al: number, bh: number, bl: number): void {
  const first = ah / bh;
  if (!Number.isFinite(first)) return give(first, 0);
  multiply(first, 0, bh, bl);
  add(ah, al, -result.high, -result.low);
  const rh = result.high;
  const rl = result.low;
  const second = rh / bh;
  multiply(second, 0, bh, bl);
  add(rh, rl, -result.high, -result.low);
  const third = result.high / bh;
  add(first, second, third, 0);
}

export function squareRoot(h: number, l: number): void {
  if (!(h > 0)) return give(h === 0 ? 0 : NaN, 0);
  const root = Math.sqrt(h);
  multiply(root, 0, root, 0);
  add(h, l, -result.high, -result.low);
  give(root, result.high / (2 * root));
}

export function integerPower(h: number, l: number, exponent: number): void {
  let n = Math.abs(exponent);
  if (n === 0) return give(1, 0);
  let baseHigh = h;
  let baseLow = l;
  for (; n % 2 === 0; n /= 2) {
    multiply(baseHigh, baseLow, baseHigh, baseLow);
    baseHigh = result.high;
    baseLow = result.low;
  }
  let powerHigh = baseHigh;
  let powerLow = baseLow;
  for (n = (n - 1) / 2; n > 0; n = Math.floor(n / 2)) {
    multiply(baseHigh, baseLow, baseHigh, baseLow);
    baseHigh = result.high;
    baseLow = result.low;
    if (n % 2 === 0) continue;
    multiply(powerHigh, powerLow, baseHigh, baseLow);
    powerHigh = result.high;
    powerLow = result.low;
  }
  if (exponent < 0) divide(1, 0, powerHigh, powerLow);
  else give(powerHigh, powerLow);
}

const LN2 = [0.6931471805599453, 2.3190468138462996e-17] as const;
const HALF_PI = [1.5707963267948966, 6.123233995736766e-17] as const;

/** 1/n! for n = 0 … 29. */
const INVERSE_FACTORIALS: readonly (readonly [number, number])[] = (() => {
  const list: [number, number][] = [[1, 0]];
  for (let n = 1; n < 30; n++) {
    divide(list[n - 1]![0], list[n - 1]![1], n, 0);
    list.push([result.high, result.low]);
  }
  return list;
})();

const HALVINGS = 9;

/** e^x by the series of e^(r/512) − 1 with x = k ln 2 + r, then nine doublings. */
export function exponential(h: number, l: number): void {
  if (h > 709) return give(Infinity, 0);
  if (h < -745) return give(0, 0);
  const k = Math.round(h / LN2[0]);
  multiply(LN2[0], LN2[1], k, 0);
  add(h, l, -result.high, -result.low);
  const scale = 2 ** -HALVINGS;
  const [rh, rl] = [result.high * scale, result.low * scale];
  let [sumHigh, sumLow] = INVERSE_FACTORIALS[10]!;
  for (let n = 9; n >= 1; n--) {
    multiply(sumHigh, sumLow, rh, rl);
    add(result.high, result.low, INVERSE_FACTORIALS[n]![0], INVERSE_FACTORIALS[n]![1]);
    [sumHigh, sumLow] = [result.high, result.low];
  }
  multiply(sumHigh, sumLow, rh, rl);
  let [eh, el] = [result.high, result.low];
  for (let i = 0; i < HALVINGS; i++) {
    multiply(eh, el, eh, el);
    add(2 * eh, 2 * el, result.high, result.low);
    [eh, el] = [result.high, result.low];
  }
  add(eh, el, 1, 0);
  // Two steps, so that neither factor overflows or is subnormal.
  const [first, second] = [2 ** Math.trunc(k / 2), 2 ** (k - Math.trunc(k / 2))];
  give(result.high * first * second, result.low * first * second);
}

/** One Newton step from the double: y + x e^(−y) − 1. */
export function logarithm(h: number, l: number): void {
  const start = Math.log(h);
  if (!Number.isFinite(start)) return give(start, 0);
  exponential(-start, 0);
  multiply(h, l, result.high, result.low);
  add(result.high, result.low, -1, 0);
  add(start, 0, result.high, result.low);
}

/** Sine (shift 0) or cosine (shift 1) by series after reduction to |r| ≤ π/4. */
function wave(h: number, l: number, shift: 0 | 1): void {
  if (!Number.isFinite(h)) return give(NaN, 0);
  const k = Math.round(h / HALF_PI[0]);
  multiply(HALF_PI[0], HALF_PI[1], k, 0);
  add(h, l, -result.high, -result.low);
  const [rh, rl] = [result.high, result.low];
  multiply(rh, rl, rh, rl);
  const [sh, sl] = [-result.high, -result.low];
  const quadrant = (((k + shift) % 4) + 4) % 4;
  const parity = quadrant % 2;
  // Σ (−r²)^j / (2j + 1)! times r, or Σ (−r²)^j / (2j)!
  const top = parity === 0 ? 27 : 28;
  let [sumHigh, sumLow] = INVERSE_FACTORIALS[top]!;
  for (let n = top - 2; n >= 0; n -= 2) {
    multiply(sumHigh, sumLow, sh, sl);
    add(result.high, result.low, INVERSE_FACTORIALS[n]![0], INVERSE_FACTORIALS[n]![1]);
    [sumHigh, sumLow] = [result.high, result.low];
  }
  if (parity === 0) multiply(sumHigh, sumLow, rh, rl);
  if (quadrant >= 2) give(-result.high, -result.low);
}

export const sine = (h: number, l: number): void => wave(h, l, 0);
export const cosine = (h: number, l: number): void => wave(h, l, 1);

/** Angle of (x, y): z + (y cos z − x sin z)/r from the double z. */
export function angle(yh: number, yl: number, xh: number, xl: number): void {
  const start = Math.atan2(yh, xh);
  if (!Number.isFinite(start) || (xh === 0 && yh === 0)) return give(start, 0);
  sine(start, 0);
  const [sh, sl] = [result.high, result.low];
  cosine(start, 0);
  multiply(yh, yl, result.high, result.low);
  const [ah, al] = [result.high, result.low];
  multiply(xh, xl, sh, sl);
  add(ah, al, -result.high, -result.low);
  add(start, 0, result.high / Math.hypot(xh, yh), 0);
}

/** Hyperbolic functions of large arguments from e^|x|; near zero sinh by its series. */
export function hyperbolic(name: 'sinh' | 'cosh' | 'tanh', h: number, l: number): void {
  if (name !== 'cosh' && Math.abs(h) < 0.3) return hyperbolicSine(h, l, name === 'tanh');
  exponential(h, l);
  const [eh, el] = [result.high, result.low];
  divide(1, 0, eh, el);
  const [fh, fl] = [result.high, result.low];
  const sign = name === 'cosh' ? 1 : -1;
  if (name === 'tanh' && Math.abs(h) > 40) return give(Math.sign(h), 0);
  add(eh, el, sign * fh, sign * fl);
  const [nh, nl] = [result.high, result.low];
  if (name !== 'tanh') return give(nh / 2, nl / 2);
  add(eh, el, fh, fl);
  divide(nh, nl, result.high, result.low);
}

function hyperbolicSine(h: number, l: number, isTangent: boolean): void {
  multiply(h, l, h, l);
  const [sh, sl] = [result.high, result.low];
  let [sumHigh, sumLow] = INVERSE_FACTORIALS[21]!;
  for (let n = 19; n >= 1; n -= 2) {
    multiply(sumHigh, sumLow, sh, sl);
    add(result.high, result.low, INVERSE_FACTORIALS[n]![0], INVERSE_FACTORIALS[n]![1]);
    [sumHigh, sumLow] = [result.high, result.low];
  }
  multiply(sumHigh, sumLow, h, l);
  if (!isTangent) return;
  const [nh, nl] = [result.high, result.low];
  multiply(nh, nl, nh, nl);
  add(1, 0, result.high, result.low);
  squareRoot(result.high, result.low);
  divide(nh, nl, result.high, result.low);
}

/** c_order(x) by its series: for the moderate arguments of formulas. */
export function stumpffSeries(order: number, h: number, l: number): void {
  let [termHigh, termLow] = INVERSE_FACTORIALS[order]!;
  let [sumHigh, sumLow] = [termHigh, termLow];
  for (let j = 1; Math.abs(termHigh) > 1e-36 * Math.abs(sumHigh) && j < 200; j++) {
    multiply(termHigh, termLow, -h, -l);
    divide(result.high, result.low, (order + 2 * j) * (order + 2 * j - 1), 0);
    [termHigh, termLow] = [result.high, result.low];
    add(sumHigh, sumLow, termHigh, termLow);
    [sumHigh, sumLow] = [result.high, result.low];
  }
  give(sumHigh, sumLow);
}
