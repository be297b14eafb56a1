/** `controller` and `reference` of a scenario file, or of one of its phases. */
import { coordinateSymbol } from '../../description/model/actuator.ts';
import { actuatorsOf, referencesOf, type Controller } from '../../description/model/controller.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { Problems } from '../../description/source/diagnostics.ts';
import type { SourceFiles } from '../../description/source/files.ts';
import type { Place } from '../../description/source/source.ts';
import { constantNumber, dues, readScalar, Scope, type Due, type RawValue } from '../../description/values/scope.ts';
import { parseUnit } from '../../description/values/units.ts';
import { foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { compare, decimal, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import type { ControlChoice } from './control-choice.ts';
import { coordinateDue, csvAt, hasUnit, readPoints, upwards, type Points } from './scenario-values.ts';
import { formulaReference, scaledReference, waypointReference, type Reference } from './reference.ts';
import { splineReference } from './spline.ts';
import { columnTable } from './csv-signal.ts';
import type { RawDriven } from './scenario-schema.ts';

/** More steps of a controller than anybody waits for. */
const MOST_PERIODS = 1_000_000;

export interface ControlReading {
  /** Of the file, or of the phase. */
  readonly place: Place;
  readonly file: RawDriven;
  readonly robot: Robot;
  readonly problems: Problems;
  /** Of the run, in s. */
  readonly duration: number;
  /** When it begins to act, in s. */
  readonly start: number;
  /** Period of the observer whose estimate controllers are given, s. */
  readonly observed: number | undefined;
  readonly time: SymbolExpr;
  /** With the time as t. */
  readonly ofTime: Scope;
  /** Of numbers without names, which is told what looks like degrees. */
  readonly ofNumbers: Scope;
  /** Is told formulas of the time. */
  readonly formulas: Expr[];
  /** Those that the scenario names. */
  readonly files: SourceFiles;
  /** The index of a name among others, or undefined after noting that it is unknown. */
  index(
    at: Place,
    name: string,
    all: readonly { readonly name: string }[],
    what: string,
    /** Is the name a key of the file, or a value? */
    isKey?: boolean,
  ): number | undefined;
}

/** Undefined where there is no controller, or after noting what is wrong with it. */
export function readControl(reading: ControlReading): ControlChoice | undefined {
  const { place, file, robot, problems } = reading;
  if (file.controller === undefined) {
    if (file.reference)
      problems.add(
        place.at('reference').keyError('unknown-key', 'no controller follows this reference', 'add `controller: NAME`'),
      );
    return undefined;
  }
  const at = place.at('controller');
  const {
    name,
    period: raw,
    encoders,
    lost,
  }: Exclude<typeof file.controller, string> = typeof file.controller === 'string'
    ? { name: file.controller }
    : file.controller;
  const where = typeof file.controller === 'string' ? at : at.at('name');
  const index = reading.index(where, name, robot.controllers ?? [], 'controller', false);
  if (index === undefined) return undefined;
  const controller = robot.controllers![index]!;
  const led = new Set(actuatorsOf(robot, controller).map((i) => robot.actuators[i]!.name));
  for (const input of Object.keys(file.inputs ?? {}))
    if (led.has(input))
      problems.add(
        place
          .at('inputs', input)
          .keyError('wrong-value', `the controller \`${name}\` has this input`, 'remove it, or `controller`'),
      );
  if (controller.law.kind === 'task-space' && controller.law.form === 'velocity')
    problems.add(
      where.error(
        'wrong-value',
        `\`${name}\` computes rates of coordinates, not inputs`,
        'choose a controller with another law',
      ),
    );
  const period =
    raw === undefined ? (periodOf(controller) ?? reading.observed) : positiveTime(at.at('period'), raw, problems);
  if (period !== undefined) demandPeriods(at, reading.duration, period, 'controller', problems);
  if (period === undefined && (encoders !== undefined || lost))
    problems.add(
      at
        .at(encoders === undefined ? 'lost' : 'encoders')
        .keyError('missing-key', 'what is measured in steps needs a `period`', 'add `period: 1 ms`'),
    );
  return {
    controller: index,
    period,
    references: references(reading, controller),
    ...(encoders !== undefined && { encoders }),
    ...(lost && { lost: lost.flatMap((own, i) => lostOf(reading, at.at('lost', i), own) ?? []) }),
  };
}

/** Notes where there are too many of them. */
export function demandPeriods(
  at: Place,
  duration: number,
  period: number,
  what: 'controller' | 'observer',
  problems: Problems,
): void {
  if (duration / period > MOST_PERIODS)
    problems.add(
      at.error(
        'wrong-value',
        `more than ${MOST_PERIODS} steps of the ${what}`,
        `write a longer \`period\`, ${upwards(duration / MOST_PERIODS)} s at least`,
      ),
    );
}

function lostOf(
  reading: ControlReading,
  at: Place,
  { coordinate, from, to }: { readonly coordinate: string; readonly from: RawValue; readonly to: RawValue },
): NonNullable<ControlChoice['lost']>[number] | undefined {
  const index = reading.index(at.at('coordinate'), coordinate, reading.robot.coordinates, 'coordinate', false);
  const time = (key: 'from' | 'to', raw: RawValue): number | undefined =>
    reading.problems.attempt(() =>
      constantNumber(at.at(key), readScalar(at.at(key), raw, dues.time, new Scope()).value),
    );
  const [first, last] = [time('from', from), time('to', to)];
  if (index === undefined || first === undefined || last === undefined) return undefined;
  if (last <= first)
    reading.problems.add(at.at('to').error('wrong-value', 'it ends before it begins', 'write a time after `from`'));
  return { coordinate: index, from: first, to: last };
}

/** Integrals grow in steps, and shells count them: such controllers are asked in periods. */
function periodOf({ gains, shell }: Controller): number | undefined {
  return shell?.period ?? gains.find(({ name }) => name === 'period')?.values[0];
}

function positiveTime(at: Place, raw: RawValue, problems: Problems): number | undefined {
  return problems.attempt(() => {
    const seconds = constantNumber(at, readScalar(at, raw, dues.time, new Scope()).value);
    if (!(seconds > 0)) throw at.error('wrong-value', `${seconds} s cannot be the time between steps`, 'write `1 ms`');
    return seconds;
  });
}

function references(reading: ControlReading, controller: Controller): (Reference | undefined)[] {
  const { robot } = reading;
  const known = referencesOf(robot, controller);
  const drives = known === robot.coordinates ? drivesOf(robot) : [];
  const found: (Reference | undefined)[] = known.map(() => undefined);
  for (const [name, raw] of Object.entries(reading.file.reference ?? {})) {
    const at = reading.place.at('reference', name);
    const all = [...known.map(({ name, unit }, coordinate) => ({ name, unit, coordinate, ratio: 1 })), ...drives];
    const index = reading.index(at, name, all, 'reference');
    if (index === undefined) continue;
    const { unit, coordinate, ratio } = all[index]!;
    const isDirect = known === robot.coordinates && Math.abs(ratio) === 1;
    const isAngle = isDirect && coordinateDue(robot, coordinate).isAngle;
    const due: Due = { what: `\`${name}\``, dimension: parseUnit(unit).dimension, ...(isAngle && { isAngle }) };
    const isTwice = found[coordinate] !== undefined;
    found[coordinate] = reading.problems.attempt(() => {
      if (isTwice)
        throw at.keyError('wrong-value', `the coordinate of \`${name}\` already has a reference`, 'remove one of them');
      return scaledReference(reference(reading, at, name, raw, due), 1 / ratio);
    });
  }
  return found;
}

/** An actuator whose actuation coordinate is `ratio` times one coordinate. */
interface Drive {
  readonly name: string;
  /** Of the actuation coordinate. */
  readonly unit: string;
  readonly coordinate: number;
  readonly ratio: number;
}

function drivesOf({ actuators, coordinates }: Robot): Drive[] {
  return actuators.flatMap(({ name, coordinateUnit: unit, terms: [term, ...others] }) => {
    if (term?.kind !== 'formula' || others.length > 0 || term.summands.length !== 1) return [];
    const { value, coefficient } = term.summands[0]!;
    const coordinate = coordinates.findIndex((own) => coordinateSymbol(own.name) === value);
    if (coordinate < 0 || freeSymbols([coefficient]).length > 0) return [];
    return [{ name, unit, coordinate, ratio: foldConstant(coefficient) }];
  });
}

function reference(
  { time, start, ofTime, ofNumbers, formulas, files }: ControlReading,
  at: Place,
  name: string,
  raw: NonNullable<RawDriven['reference']>[string],
  due: Due,
): Reference {
  if (typeof raw !== 'object') {
    const { what, isAngle } = due;
    const { value } = readScalar(at, raw, hasUnit(raw) ? due : { what, ...(isAngle && { isAngle }) }, ofTime);
    formulas.push(value);
    const formula = formulaReference(value, time);
    demandFinite(at, name, formula, start);
    return formula;
  }
  if ('waypoints' in raw) {
    const { times, values } = readPoints(at.at('waypoints'), raw.waypoints, due, ofNumbers);
    return waypointReference(times, values);
  }
  const place = at.at('spline');
  const columnAt = (file: string): Points => {
    const { shown, text } = csvAt(files, place, file);
    return columnTable(shown, text, {
      time: raw.time ?? 't',
      column: raw.column ?? name,
      dimension: due.dimension,
    });
  };
  const { times, values } =
    typeof raw.spline === 'string' ? columnAt(raw.spline) : readPoints(place, raw.spline, due, ofNumbers);
  if (times.length < 2)
    throw place.error('wrong-value', 'a spline of one point', 'give two points at least, or write the value alone');
  // At both ends the second derivative jumps: runs end steps there.
  for (const end of [times[0]!, times[times.length - 1]!]) formulas.push(compare('<', time, decimal(end)));
  return splineReference(times, values);
}

/** @throws KanegenError where a formula, its rate or its second derivative is no number at the start, such as those of `sqrt(t)`. */
function demandFinite(at: Place, name: string, reference: Reference, start: number): void {
  const out = new Float64Array(3);
  reference(start, out);
  const wrong = out.findIndex((x) => !Number.isFinite(x));
  if (wrong < 0) return;
  const what = ['', 'the rate of ', 'the second derivative of '][wrong]!;
  throw at.error(
    'wrong-value',
    `${what}\`${name}\` is not finite at ${start} s`,
    'write a formula that is smooth there: laws take it with its rate and its second derivative',
  );
}
