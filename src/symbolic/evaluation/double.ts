/**
 * The gate that every constant of generated code passes where it becomes a double.
 */
import { KanegenError } from '../../common/error.ts';
import type { Expr } from '../graph/expr.ts';

/**
 * @param value the double nearest to a constant.
 * @param exact the constant itself, where it is known.
 * @returns the value.
 * @throws KanegenError `not-finite` when it is infinite or no number, or zero for an exact number that is not.
 */
export function requireDouble(value: number, exact?: Expr): number {
  const vanished = value === 0 && exact?.kind === 'rational' && exact.value.numerator !== 0n;
  if (Number.isFinite(value) && !vanished) return value;
  throw new KanegenError(
    'not-finite',
    vanished
      ? 'a constant of the generated code is too small for double precision'
      : Number.isNaN(value)
        ? 'a constant of the generated code is not a number'
        : 'a constant of the generated code is too large for double precision',
    { remedy: 'check the sizes of the values that go into it, in SI units, and the domains of the functions' },
  );
}

/** Every entry through the same gate. */
export function requireDoubles(values: readonly number[]): number[] {
  return values.map((value) => requireDouble(value));
}
