/**
 * Exact rational numbers on bigint, always in lowest terms with a positive denominator.
 * The constants of every expression are of this kind: nothing is rounded before code is printed.
 */
import { KanegenError } from '../../common/error.ts';

export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let x = a < 0n ? -a : a;
  let y = b < 0n ? -b : b;
  // Powers of two, the denominators of doubles: Euclid's algorithm would take a step for every other bit.
  if (x !== 0n && y > SAFE && (y & (y - 1n)) === 0n) {
    const shared = x & -x;
    return shared < y ? shared : y;
  }
  while (y !== 0n) {
    if (x <= SAFE && y <= SAFE) return BigInt(greatestCommonDivisorOfSafe(Number(x), Number(y)));
    [x, y] = [y, x % y];
  }
  return x;
}

/** Of powers. */
const MOST_BITS = 1_000_000n;

/** Of the larger of numerator and denominator, beyond one: ±1 have none. */
function bitsOf({ numerator, denominator }: Rational): number {
  const bits = (n: bigint): number => (n < 0n ? -n : n).toString(2).length - 1;
  return Math.max(bits(numerator), bits(denominator));
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Of integers that doubles hold: many times faster than on bigint. */
function greatestCommonDivisorOfSafe(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** numerator / denominator in lowest terms. @throws KanegenError `irregular-kinematics` when the denominator is zero. */
export function ratio(numerator: bigint | number, denominator: bigint | number = 1n): Rational {
  let n = BigInt(numerator);
  let d = BigInt(denominator);
  if (d === 0n)
    throw new KanegenError('irregular-kinematics', 'a formula divides by zero', {
      remedy: 'write the limit, or divide by a quantity that is zero at isolated points only',
    });
  if (d === 1n) return { numerator: n, denominator: d };
  if (d < 0n) {
    n = -n;
    d = -d;
  }
  const divisor = greatestCommonDivisor(n, d);
  return divisor === 1n ? { numerator: n, denominator: d } : { numerator: n / divisor, denominator: d / divisor };
}

export const ZERO: Rational = ratio(0n);
export const ONE: Rational = ratio(1n);
export const MINUS_ONE: Rational = ratio(-1n);
export const HALF: Rational = ratio(1n, 2n);

export const Rational = {
  add(a: Rational, b: Rational): Rational {
    if (a.denominator === 1n && b.denominator === 1n) return { numerator: a.numerator + b.numerator, denominator: 1n };
    return ratio(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
  },
  subtract(a: Rational, b: Rational): Rational {
    return Rational.add(a, Rational.negate(b));
  },
  multiply(a: Rational, b: Rational): Rational {
    if (a === ONE) return b;
    if (b === ONE) return a;
    return ratio(a.numerator * b.numerator, a.denominator * b.denominator);
  },
  divide(a: Rational, b: Rational): Rational {
    return ratio(a.numerator * b.denominator, a.denominator * b.numerator);
  },
  negate(a: Rational): Rational {
    return { numerator: -a.numerator, denominator: a.denominator };
  },
  /**
   * a^exponent for an integer exponent of either sign.
   * @throws KanegenError `formula-too-large` of numbers of more than a million bits.
   */
  power(a: Rational, exponent: bigint): Rational {
    const times = exponent < 0n ? -exponent : exponent;
    if (times > 64n && BigInt(bitsOf(a)) * times > MOST_BITS)
      throw new KanegenError('formula-too-large', 'a power of a constant is too large to be exact', {
        remedy: 'write smaller exponents; constants of material coordinates at the ends of bodies count, too',
      });
    if (exponent < 0n) return ratio(a.denominator ** -exponent, a.numerator ** -exponent);
    return { numerator: a.numerator ** exponent, denominator: a.denominator ** exponent };
  },
  equals(a: Rational, b: Rational): boolean {
    return a.numerator === b.numerator && a.denominator === b.denominator;
  },
  compare(a: Rational, b: Rational): number {
    const difference = a.numerator * b.denominator - b.numerator * a.denominator;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  },
  isZero(a: Rational): boolean {
    return a.numerator === 0n;
  },
  isOne(a: Rational): boolean {
    return a.numerator === 1n && a.denominator === 1n;
  },
  isInteger(a: Rational): boolean {
    return a.denominator === 1n;
  },
  isNegative(a: Rational): boolean {
    return a.numerator < 0n;
  },
  absolute(a: Rational): Rational {
    return a.numerator < 0n ? Rational.negate(a) : a;
  },
  /** The exact n-th root when it is rational, else undefined (n ≥ 1, a ≥ 0). */
  root(a: Rational, n: bigint): Rational | undefined {
    const numerator = integerRoot(a.numerator, n);
    const denominator = integerRoot(a.denominator, n);
    return numerator === undefined || denominator === undefined ? undefined : { numerator, denominator };
  },
  /** The nearest double, correctly rounded. */
  toNumber(a: Rational): number {
    return toNearestDouble(a);
  },
  toString(a: Rational): string {
    return a.denominator === 1n ? a.numerator.toString() : `${a.numerator}/${a.denominator}`;
  },
  /**
   * Reads a decimal literal (`12`, `-0.25`, `1e-9`, `.5`) exactly.
   * @returns undefined when the text is not a number.
   */
  parse(text: string): Rational | undefined {
    const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text.trim());
    if (!match) return undefined;
    const [, sign, whole = '', fraction = '', exponent = '0'] = match;
    if (whole === '' && fraction === '') return undefined;
    const shift = Number(exponent) - fraction.length;
    const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
    return shift >= 0 ? ratio(digits * 10n ** BigInt(shift)) : ratio(digits, 10n ** BigInt(-shift));
  },
  /** The exact value of a finite double, as its shortest decimal that reads back the same (0.1 is 1/10). */
  fromNumber(value: number): Rational {
    if (!Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
    const parsed = Rational.parse(String(value));
    if (!parsed) throw new RangeError(`not a decimal number: ${value}`);
    return parsed;
  },
  /** The binary value of a finite double, exactly (0.1 is 3602879701896397/2^55). */
  fromDouble(value: number): Rational {
    if (!Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
    if (Number.isInteger(value)) return ratio(BigInt(value));
    const bits = new DataView(new ArrayBuffer(8));
    bits.setFloat64(0, value);
    const high = bits.getUint32(0);
    const exponentBits = (high >>> 20) & 0x7ff;
    const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
    const mantissa = exponentBits === 0 ? fraction : fraction | (1n << 52n);
    const exponent = (exponentBits === 0 ? 1 : exponentBits) - 1075;
    const signed = high >>> 31 ? -mantissa : mantissa;
    return exponent >= 0 ? ratio(signed << BigInt(exponent)) : ratio(signed, 1n << BigInt(-exponent));
  },
} as const;

function integerRoot(value: bigint, n: bigint): bigint | undefined {
  if (value < 0n) return undefined;
  if (value < 2n) return value;
  if (n > BigInt(value.toString(2).length)) return undefined; // 2^n is larger than the value already
  let low = 1n;
  let high = 1n << (BigInt(value.toString(2).length) / n + 1n);
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** n <= value) low = middle;
    else high = middle - 1n;
  }
  return low ** n === value ? low : undefined;
}

function toNearestDouble({ numerator, denominator }: Rational): number {
  const small = 1n << 53n;
  const magnitude = numerator < 0n ? -numerator : numerator;
  if (magnitude <= small && denominator <= small) return Number(numerator) / Number(denominator); // one rounding only
  // Scale the quotient to 66 significant bits with a sticky bit, round once when converting.
  const shift = 66 - (magnitude.toString(2).length - denominator.toString(2).length);
  const scaled = shift >= 0 ? magnitude << BigInt(shift) : magnitude;
  const divisor = shift >= 0 ? denominator : denominator << BigInt(-shift);
  let quotient = scaled / divisor;
  if (quotient * divisor !== scaled) quotient |= 1n;
  const value = Number(quotient); // BigInt → Number rounds to nearest, ties to even
  // Two steps keep the scale factor finite; results in the subnormal range may be rounded twice.
  const half = Math.trunc(shift / 2);
  const result = value * 2 ** -half * 2 ** -(shift - half);
  return numerator < 0n ? -result : result;
}
