/**
 * Motion by difference quotients: how a function of coordinates changes with each coordinate and along the path
 * q(t) = q + q̇ t (accelerations zero), from its values alone. At 110 digits and steps of 1e-16 the quotients are good to about 30 digits.
 */
import type { Decimal } from 'decimal.js';
import type { DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';

export interface Motion {
  readonly value: readonly Decimal[];
  /** ∂/∂q_a, one per coordinate. */
  readonly partials: readonly (readonly Decimal[])[];
  /** d/dt along the path. */
  readonly rate: readonly Decimal[];
  /** d²/dt² along the path, q̈ = 0. */
  readonly acceleration: readonly Decimal[];
}

const STEP = '1e-16';

/** The motion of `f` at (q, q̇); results are rounded to the precision of `Result`. */
export function differentiateMotion(
  f: (q: readonly Decimal[]) => readonly Decimal[],
  q: readonly Decimal[],
  qd: readonly Decimal[],
  Number_: DecimalConstructor,
  Result: DecimalConstructor,
): Motion {
  const step = new Number_(STEP);
  const round = (x: Decimal): Decimal => new Result(x.toSignificantDigits(Result.precision));
  const displaced = (direction: readonly Decimal[], factor: 1 | -1): readonly Decimal[] =>
    f(q.map((x, i) => x.plus(direction[i]!.times(step).times(factor))));
  const slope = (after: readonly Decimal[], before: readonly Decimal[]): Decimal[] =>
    after.map((x, i) => round(x.minus(before[i]!).div(step).div(2)));
  const value = f(q);
  const partials = q.map((_, a) => {
    const unit = q.map((_, b) => new Number_(a === b ? 1 : 0));
    return slope(displaced(unit, 1), displaced(unit, -1));
  });
  const nothing = value.map(() => new Result(0));
  if (q.length === 0) return { value: value.map(round), partials, rate: nothing, acceleration: nothing };
  const after = displaced(qd, 1);
  const before = displaced(qd, -1);
  const acceleration = value.map((x, i) => round(after[i]!.plus(before[i]!).minus(x.times(2)).div(step).div(step)));
  return { value: value.map(round), partials, rate: slope(after, before), acceleration };
}

/** The error of the quotients is of the order of its fourth power. */
const WIDE_STEP = 2 ** -17;

/** Value and partial derivatives of what is known to some thirty digits only: to twenty of them. */
export function partialsOf(
  f: (q: readonly Decimal[]) => readonly Decimal[],
  q: readonly Decimal[],
  Result: DecimalConstructor,
): Pick<Motion, 'value' | 'partials'> {
  const rounded = (x: Decimal): Decimal => new Result(x.toSignificantDigits(Result.precision));
  const partials = q.map((_, a) => {
    const at = (k: number): readonly Decimal[] => f(q.map((x, b) => (a === b ? x.plus(k * WIDE_STEP) : x)));
    const [ahead, behind, far, further] = [at(1), at(-1), at(2), at(-2)];
    return ahead.map((x, i) =>
      rounded(
        x
          .minus(behind[i]!)
          .times(8)
          .minus(far[i]!.minus(further[i]!))
          .div(12 * WIDE_STEP),
      ),
    );
  });
  return { value: f(q).map(rounded), partials };
}

/** A number, its rate and its second derivative along a path. */
export type OnPath = readonly [value: number, rate: number, acceleration: number];

/** Of either, what a finer rule may change. */
const SETTLED = [1e-11, 1e-10, 1e-9] as const;

/** Less than this, in SI units, is rounding of zero, in decimals as in doubles. */
const NOTHING = 1e-40;

export const withoutRounding = (x: number): number => (Math.abs(x) < NOTHING ? 0 : x);

/**
 * Does a finer rule along a rod change nothing? What changes quickly there, or has a kink in a higher derivative, settles later in its second
 * derivative than in its value. Where terms cancel in one of the three, they are as large as the others times or over the rates.
 * @param fastest the largest rate of a coordinate, 1/s times its unit.
 */
export function settles(coarse: OnPath, fine: OnPath, fastest: number): boolean {
  const rate = fastest || 1;
  const size = Math.max(...fine.map((value, i) => Math.abs(value) / rate ** i));
  return fine.every(
    (value, i) => Math.abs(coarse[i]! - value) <= SETTLED[i]! * (Math.abs(value) + size * rate ** i) + NOTHING,
  );
}
