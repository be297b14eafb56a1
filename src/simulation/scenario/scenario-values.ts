/** Numbers of scenario files; what is wrong with them is noted, or said where they stand. */
import { KanegenError } from '../../common/error.ts';
import type { Problems } from '../../description/source/diagnostics.ts';
import { collected, type Place } from '../../description/source/source.ts';
import { constantNumber, readScalar, Scope, type Due, type RawValue } from '../../description/values/scope.ts';
import { parseQuantity } from '../../description/values/units.ts';

/** A number, or NaN after noting what is wrong with it. */
export function readNumber(problems: Problems, at: Place, raw: RawValue, due: Due): number {
  return problems.attempt(() => constantNumber(at, readScalar(at, raw, due, new Scope()).value)) ?? NaN;
}

/** The same, NaN where it is not above zero. @param example of what is. */
export function readPositive(problems: Problems, at: Place, raw: RawValue, due: Due, example = '2 s'): number {
  const value = readNumber(problems, at, raw, due);
  if (!(value <= 0)) return value;
  problems.add(at.error('wrong-value', `${value} is not positive`, `write a value above zero, such as \`${example}\``));
  return NaN;
}

/** With two digits, and not less. */
export function upwards(value: number): number {
  const digit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / digit) * digit).toPrecision(2));
}

export const hasUnit = (raw: RawValue): boolean => typeof raw === 'string' && parseQuantity(raw)?.unit !== undefined;

/**
 * What `work` says of parameters of its robot that a file sets, or keeps open, is said where they stand.
 * @param place of the file.
 * @throws KanegenError
 */
export function settingsWithin<T>(place: Place, kept: readonly string[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    throw collected(
      error.problems.map((problem) => {
        const [, choice, name] = /^(set|keep) (.*)$/.exec(problem.location?.path ?? '') ?? [];
        if (name === undefined) return problem;
        const { code, message, remedy } = problem;
        if (choice === 'keep') return place.at('keep', kept.indexOf(name)).error(code, message, remedy);
        const at = place.at('set', name);
        return code === 'unknown-parameter' ? at.keyError(code, message, remedy) : at.error(code, message, remedy);
      }),
    );
  }
}
