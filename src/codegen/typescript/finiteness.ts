/** Whether numbers are finite, in generated TypeScript: sums that are added up beside the rest of a function. */
import { wrapped } from '../naming/identifiers.ts';

/** Longer arrays, and those that may be left out, are looked at in a loop. */
const FEW = 12;

export interface NumberArray {
  readonly name: string;
  readonly size: number;
  /** May be null. */
  readonly optional?: boolean;
}

/** Is the array added up, without a loop that would hold up the rest of a function? */
export function isShort({ size, optional }: NumberArray): boolean {
  return size <= FEW && !optional;
}

/**
 * A statement, none where no array is short, after which the condition `finite` says whether all numbers are: zero times a
 * finite number is zero, of what is not finite it is no number. Robots without coordinates have arrays without any.
 * @param width columns after which the statement goes on in the next line.
 */
export function finiteness(
  sum: string,
  arrays: readonly NumberArray[],
  width = Infinity,
): { readonly lines: string[]; readonly finite: string } {
  const terms = arrays
    .filter(isShort)
    .flatMap(({ name, size }) => Array.from({ length: size }, (_, i) => `0~*~${name}[${i}]!`));
  const [first, ...rest] = wrapped(`const~${sum}~= ${terms.join('~+ ')};`, width).map((line) =>
    line.replaceAll('~', ' '),
  );
  return {
    lines: terms.length === 0 ? [] : [first!, ...rest.map((line) => `  ${line}`)],
    finite:
      [
        ...(terms.length === 0 ? [] : [`${sum} === 0`]),
        ...arrays.filter((own) => !isShort(own)).map(({ name, size }) => `areFinite(${name}, ${size})`),
      ].join(' && ') || 'true',
  };
}
