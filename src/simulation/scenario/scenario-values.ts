/** Numbers of scenario files; what is wrong with them is noted, or said where they stand. */
import { KanegenError } from '../../common/error.ts';
import { mapTuple } from '../../common/tuples.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { Problems } from '../../description/source/diagnostics.ts';
import type { SourceFiles } from '../../description/source/files.ts';
import { collected } from '../../description/source/diagnostics.ts';
import type { Place } from '../../description/source/source.ts';
import { constantNumber, dues, readScalar, Scope, type Due, type RawValue } from '../../description/values/scope.ts';
import { parseQuantity, parseUnit } from '../../description/values/units.ts';

/** A number, or NaN after noting what is wrong with it. @param scope without names, which is told what looks like degrees. */
export function readNumber(problems: Problems, at: Place, raw: RawValue, due: Due, scope = new Scope()): number {
  return problems.attempt(() => constantNumber(at, readScalar(at, raw, due, scope).value)) ?? NaN;
}

/** The same, NaN where it is not above zero. @param example of what is. */
export function readPositive(problems: Problems, at: Place, raw: RawValue, due: Due, example = '2 s'): number {
  const value = readNumber(problems, at, raw, due);
  if (!(value <= 0)) return value;
  problems.add(at.error('wrong-value', `${value} is not positive`, `write a value above zero, such as \`${example}\``));
  return NaN;
}

/** What is due of a coordinate, or of its rate. Angles are those of joints: bodies count bends in rad as well, which may be large. */
export function coordinateDue({ coordinates, links }: Robot, index: number, rate = false): Due {
  const { name, unit, link } = coordinates[index]!;
  const { name: of, joint } = links[link]!;
  const isAngle = unit === 'rad' && !rate && joint.coordinates.some((own) => `${of}.${own.name}` === name);
  const { dimension } = parseUnit(unit);
  const perTime = mapTuple(dimension, (exponent, i) => (rate && i === 2 ? exponent - 1 : exponent));
  const what = `${rate ? 'the rate of ' : ''}\`${name}\``;
  return { what, dimension: perTime, ...(isAngle && { isAngle }) };
}

/** Values at times in s, strictly increasing. */
export interface Points {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** A list of [time, value]. @param scope without names, which is told what looks like degrees. @throws KanegenError */
export function readPoints(at: Place, rows: readonly (readonly RawValue[])[], due: Due, scope = new Scope()): Points {
  const numbers = rows.map((row, i) =>
    row.map((value, j) => {
      const place = at.at(i, j);
      return constantNumber(place, readScalar(place, value, j === 0 ? dues.time : due, scope).value);
    }),
  );
  const late = numbers.findIndex((row, i) => i > 0 && !(row[0]! > numbers[i - 1]![0]!));
  if (late >= 0)
    throw at
      .at(late)
      .error('wrong-value', 'this time is not after the previous one', 'write times in increasing order');
  return { times: numbers.map((row) => row[0]!), values: numbers.map((row) => row[1]!) };
}

/** A table that the scenario names: one of its sources. @throws KanegenError */
export function csvAt(files: SourceFiles, at: Place, file: string): { readonly shown: string; readonly text: string } {
  const text = new TextDecoder().decode(files.bytes(at, file));
  return { shown: files.find(at, file).shown, text };
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
