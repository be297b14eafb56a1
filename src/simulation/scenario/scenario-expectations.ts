/** `expect` of a scenario file. */
import { contactPairs } from '../../description/model/contact.ts';
import type { Robot } from '../../description/model/robot.ts';
import { workWithoutSource } from '../../description/model/what-acts.ts';
import type { Problems } from '../../description/source/diagnostics.ts';
import type { SourceFiles } from '../../description/source/files.ts';
import type { Place } from '../../description/source/source.ts';
import { dues, type Due } from '../../description/values/scope.ts';
import { dimensionless, parseUnit } from '../../description/values/units.ts';
import { columnSignal } from './csv-signal.ts';
import type { Expectation, ExpectedValue, Path } from './expectation.ts';
import type { RawPath, ScenarioFile } from './scenario-schema.ts';
import { coordinateDue, csvAt, readNumber, readPositive } from './scenario-values.ts';

type RawExpectation = NonNullable<ScenarioFile['expect']>[number];

export interface ExpectationReading {
  /** Of the file. */
  readonly place: Place;
  readonly file: ScenarioFile;
  readonly robot: Robot;
  readonly problems: Problems;
  readonly files: SourceFiles;
  /** Of the run, s. */
  readonly start: number;
  readonly end: number;
  /** Indices of the frames whose positions are written. */
  readonly frames: readonly number[];
  /** The index of a name among others, or undefined after noting that it is unknown. */
  index(at: Place, name: string, all: readonly { readonly name: string }[], what: string): number | undefined;
}

const AXES = ['x', 'y', 'z'] as const;
const FORCE: Due = { what: 'a force', dimension: parseUnit('N').dimension };
/** Of time, or of results up to one: equilibria have neither. */
const OF_MOTIONS = ['rates', 'estimates', 'balance', 'paths'] as const;

export function readExpectations(reading: ExpectationReading): Expectation[] {
  const { place, file, problems, start, end } = reading;
  return (file.expect ?? []).map((raw, i): Expectation => {
    const own = place.at('expect', i);
    const at = raw.at === undefined ? end : readNumber(problems, own.at('at'), raw.at, dues.time);
    if (at < start || at > end * (1 + 1e-12))
      problems.add(own.at('at').error('wrong-value', `${at} s is outside the run`, `${start} … ${end} s`));
    check(reading, own, raw);
    const isGiven = raw.within !== undefined;
    const within = isGiven
      ? readPositive(problems, own.at('within'), raw.within!, { what: 'this difference' }, '1e-6')
      : Infinity;
    const { source, kind } = raw;
    return {
      at: Math.min(at, end),
      none: raw.equilibrium === 'none',
      values: valuesOf(reading, own, raw),
      ...{ within, source, kind, notMet: raw['not-met'] },
    };
  });
}

/** What must be there, and what does not belong together. */
function check({ file: { statics, observer }, problems }: ExpectationReading, place: Place, raw: RawExpectation): void {
  const { coordinates, rates, estimates, frames, actuators, contacts, multipliers, balance, paths } = raw;
  const named = [coordinates, rates, estimates, frames, actuators, contacts, multipliers, paths].flatMap((own) =>
    Object.keys(own ?? {}),
  );
  const hasValues = named.length > 0 || balance !== undefined;
  const none = raw.equilibrium === 'none';
  if (none && hasValues)
    problems.add(place.error('wrong-shape', 'without an equilibrium there are no values', 'remove the values'));
  if (none && !statics)
    problems.add(
      place.at('equilibrium').keyError('not-allowed', '`equilibrium` needs `statics: true`', 'expect values instead'),
    );
  if (!none && !hasValues)
    problems.add(
      place.error(
        'wrong-shape',
        'this entry expects no values',
        'add coordinates, rates, estimates, frames, actuators, contacts, multipliers, balance or paths',
      ),
    );
  for (const key of OF_MOTIONS)
    if (statics && raw[key] !== undefined)
      problems.add(
        place.at(key).keyError('not-allowed', `\`${key}\` is for motions`, 'remove it, and expect other values'),
      );
  if (estimates && observer === undefined)
    problems.add(
      place
        .at('estimates')
        .keyError('missing-key', 'no observer has estimates', 'add `observer: NAME` to the scenario'),
    );
  if (!statics && multipliers)
    problems.add(
      place
        .at('multipliers')
        .keyError('not-allowed', '`multipliers` are of equilibria', 'expect them with `statics: true`'),
    );
  if (raw.within === undefined && !none)
    problems.add(place.error('missing-key', 'missing `within`', 'write the largest difference, in SI units'));
}

function valuesOf(reading: ExpectationReading, place: Place, raw: RawExpectation): ExpectedValue[] {
  const { robot, problems } = reading;
  const number = (at: Place, value: string | number, due: Due): number => readNumber(problems, at, value, due);
  /** By name, after noting names that are unknown. */
  const each = <Value>(
    key: 'coordinates' | 'rates' | 'estimates' | 'frames' | 'actuators' | 'contacts' | 'multipliers',
    all: readonly { readonly name: string }[],
    what: string,
    of: (value: Value, index: number, name: string, at: Place) => readonly ExpectedValue[],
  ): ExpectedValue[] =>
    Object.entries((raw[key] ?? {}) as Record<string, Value>).flatMap(([name, value]) => {
      const at = place.at(key, name);
      const index = reading.index(at, name, all, what);
      return index === undefined ? [] : of(value, index, name, at);
    });
  type Raw = string | number;
  const rows = (robot.loops ?? []).flatMap((loop) => loop.rows);
  return [
    ...each<Raw>('coordinates', robot.coordinates, 'coordinate', (value, index, name, at) => [
      { name, of: { coordinate: index }, value: number(at, value, coordinateDue(robot, index)) },
    ]),
    ...each<Raw>('rates', robot.coordinates, 'coordinate', (value, index, name, at) => [
      { name: `rate of ${name}`, of: { rate: index }, value: number(at, value, coordinateDue(robot, index, true)) },
    ]),
    ...each<Raw>('estimates', robot.coordinates, 'coordinate', (value, index, name, at) => [
      { name: `estimate of ${name}`, of: { estimate: index }, value: number(at, value, coordinateDue(robot, index)) },
    ]),
    ...each<readonly Raw[]>('frames', robot.frames, 'frame', (position, frame, name, at) =>
      position.map((value, axis) => ({
        name: `${name} ${AXES[axis]!}`,
        of: { frame, axis },
        value: number(at.at(axis), value, dues.length),
      })),
    ),
    ...each<Raw>('actuators', robot.actuators, 'actuator', (value, index, name, at) => {
      const { dimension } = parseUnit(robot.actuators[index]!.coordinateUnit);
      const due = { what: `the coordinate of \`${name}\``, dimension };
      return [{ name: `y of ${name}`, of: { actuator: index }, value: number(at, value, due) }];
    }),
    ...each<Raw>('multipliers', rows, 'row of loops', (value, index, name, at) => {
      const due = { what: `the multiplier of \`${name}\``, dimension: parseUnit(rows[index]!.forceUnit).dimension };
      return [{ name: `multiplier of ${name}`, of: { multiplier: index }, value: number(at, value, due) }];
    }),
    ...each<{ readonly gap?: Raw | undefined; readonly force?: readonly Raw[] | undefined }>(
      'contacts',
      contactPairs(robot).map((name) => ({ name })),
      'pair of contacts',
      ({ gap, force = [] }, contact, name, at) => [
        ...(gap === undefined
          ? []
          : [{ name: `gap of ${name}`, of: { contact }, value: number(at.at('gap'), gap, dues.length) }]),
        ...force.map((value, axis) => ({
          name: `force of ${name} ${AXES[axis]!}`,
          of: { contact, axis },
          value: number(at.at('force', axis), value, FORCE),
        })),
      ],
    ),
    ...balanceOf(reading, place.at('balance'), raw.balance),
    ...Object.entries(raw.paths ?? {}).flatMap(([name, path]) =>
      pathValues(reading, place.at('paths', name), name, path),
    ),
  ];
}

function balanceOf(
  { robot, problems }: ExpectationReading,
  at: Place,
  raw: RawExpectation['balance'],
): readonly ExpectedValue[] {
  if (raw === undefined) return [];
  const due = { what: 'the defect of a balance', dimension: parseUnit('J').dimension };
  const uncounted = workWithoutSource(robot);
  if (uncounted === undefined)
    return [{ name: 'balance', of: { balance: true }, value: readNumber(problems, at, raw, due) }];
  problems.add(
    at.error(
      'wrong-value',
      `the energy of this robot has no balance: ${uncounted}`,
      'remove this, and expect other values',
    ),
  );
  return [];
}

function pathValues(reading: ExpectationReading, place: Place, name: string, raw: RawPath): ExpectedValue[] {
  const { robot, problems, files, frames } = reading;
  const index = reading.index(place, name, robot.frames, 'frame');
  if (index === undefined) return [];
  if (!frames.includes(index)) {
    problems.add(place.error('wrong-value', `\`${name}\` is not among the results`, 'add it to `frames` of `outputs`'));
    return [];
  }
  const columns = raw.columns ?? AXES.map((axis) => `${name} ${axis}`);
  const { shown, text } = csvAt(files, place.at('csv'), raw.csv);
  const path: Path = {
    frame: frames.indexOf(index),
    position: columns.map((column) =>
      columnSignal(shown, text, { time: 't', column, dimension: dues.length.dimension }),
    ),
    over: readPositive(problems, place.at('over'), raw.over, dues.length, '0.2 m'),
  };
  const due = { what: 'a distance over a length', dimension: dimensionless };
  const values = (['largest', 'mean'] as const).flatMap((of): ExpectedValue[] => {
    const value = raw[of];
    if (value === undefined) return [];
    return [
      { name: `${of} distance of ${name}`, of: { path, of }, value: readNumber(problems, place.at(of), value, due) },
    ];
  });
  if (values.length === 0)
    problems.add(place.error('wrong-shape', 'this path expects no distance', 'add `largest` or `mean`'));
  return values;
}
