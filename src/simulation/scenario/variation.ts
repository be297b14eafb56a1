/**
 * A scenario with other numbers: run-time parameters of its robot, initial coordinates and rates, and constant inputs, each
 * by its name. Tables of such numbers are what a sweep runs through, one row after the other.
 */
import { KanegenError } from '../../common/error.ts';
import { nearest } from '../../common/nearest.ts';
import {
  columnName,
  COMMAS,
  inSI,
  isWithoutCommas,
  unreadUnit,
  wrongUnit,
} from '../../description/values/column-name.ts';
import { dimensionOf } from '../../description/values/units.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { cellLocation, csvCells, isLeftOut } from './csv-signal.ts';
import type { Scenario } from './scenario.ts';
import { rateUnit } from '../../description/model/robot.ts';

/** SI units. */
export type Values = Readonly<Record<string, number>>;

interface Target {
  readonly kind: 'parameter' | 'coordinate' | 'rate' | 'input';
  /** SI unit. */
  readonly unit: string;
}

/** What a name stands for, as columns of tables call it; names that stand for two things have both. */
function targetsOf(scenario: Scenario): Map<string, Target[]> {
  const { robot } = scenario;
  const targets = new Map<string, Target[]>();
  const add = (name: string, kind: Target['kind'], unit: string): unknown =>
    targets.set(name, [...(targets.get(name) ?? []), { kind, unit }]);
  for (const { name, unit } of robot.parameters) add(name, 'parameter', unit);
  for (const { name, unit } of robot.coordinates) {
    add(name, 'coordinate', unit);
    add(`rate of ${name}`, 'rate', rateUnit(unit));
  }
  // Those of a controller are its own.
  const isLed = [scenario, ...(scenario.phases ?? [])].some(({ control }) => control);
  if (!isLed) for (const { name, unit } of robot.actuators) add(name, 'input', unit);
  return targets;
}

/** The scenario with these values in place of its own; what belongs to the robot's code is set there. */
export function vary(scenario: Scenario, values: Values, dynamics: LoadedRobot): Scenario {
  const targets = targetsOf(scenario);
  const [q, qd, inputs] = [[...scenario.q], [...scenario.qd], [...scenario.inputs]];
  const phases = scenario.phases?.map((phase) => ({ ...phase, inputs: [...phase.inputs] }));
  const { coordinates, actuators } = scenario.robot;
  for (const [name, value] of Object.entries(values)) {
    const target = targets.get(name)?.[0]?.kind;
    if (target === 'parameter') dynamics.parameters[name] = value;
    if (target === 'coordinate') q[coordinates.findIndex((c) => c.name === name)] = value;
    if (target === 'rate') qd[coordinates.findIndex((c) => `rate of ${c.name}` === name)] = value;
    if (target === 'input')
      for (const all of [inputs, ...(phases ?? []).map((phase) => phase.inputs)])
        all[actuators.findIndex((a) => a.name === name)] = () => value;
  }
  return { ...scenario, q, qd, inputs, ...(phases && { phases }) };
}

/** What is wrong with a value of a run-time parameter that its bounds exclude. */
function beyondBounds({ robot }: Scenario, name: string, value: number): string | undefined {
  const { lower = -Infinity, upper = Infinity } = robot.parameters.find((own) => own.name === name) ?? {};
  if (value < lower) return `${value} is below the minimum ${lower} of \`${name}\``;
  return value > upper ? `${value} is above the maximum ${upper} of \`${name}\`` : undefined;
}

/**
 * The rows of a table in CSV: a line of names, then numbers.
 * @param file its name, for messages.
 * @throws KanegenError with line and column: unknown names, gaps, text.
 */
export function readVariations(file: string, text: string, scenario: Scenario): Values[] {
  const error = (code: string, line: number, cell: number, message: string, remedy?: string): KanegenError =>
    new KanegenError(code, message, { remedy, location: cellLocation(file, text, line, cell) });
  const [header = [], ...rows] = csvCells(text);
  const columns = header.map(columnName);
  const names = columns.map(({ name }) => name);
  const targets = targetsOf(scenario);
  if (isWithoutCommas(header)) throw error('bad-table', 0, 0, 'the first line has no commas', COMMAS);
  if (header.every((cell) => cell === ''))
    throw error('bad-table', 0, 0, 'the first line has no names', 'write a line of names, then a line for each run');
  names.forEach((name, i) => {
    const found = targets.get(name);
    if (names.indexOf(name) !== i)
      throw error('bad-table', 0, i, `two columns have the name \`${name}\``, 'remove one of them');
    const { unit } = found?.[0] ?? {};
    const due = unit === undefined ? undefined : dimensionOf(unit);
    const wrong = due && wrongUnit(columns[i]!, due);
    if (wrong) throw error(wrong.code, 0, i, wrong.message, wrong.remedy);
    if (found?.length === 1) return;
    if (found) {
      const kinds = found.map((own) => own.kind).join(' and a ');
      throw error('bad-table', 0, i, `\`${name}\` is a ${kinds} of this robot`, 'rename one of them');
    }
    const unread = unreadUnit(header[i]!, [...targets.keys()]);
    if (unread) throw error(unread.code, 0, i, unread.message, unread.remedy);
    const close = nearest(name, [...targets.keys()]);
    const known =
      'columns are run-time parameters (`runtime: true`, or named under `keep`), coordinates, `rate of COORDINATE` and actuators';
    const remedy = close === undefined ? known : `did you mean \`${close}\`?`;
    throw error(
      'unknown-column',
      0,
      i,
      `no parameter, coordinate or actuator of a run has the name \`${name}\``,
      remedy,
    );
  });
  const read = rows.flatMap((cells, i) => {
    if (isLeftOut(cells)) return [];
    if (cells.length > names.length)
      throw error(
        'bad-table',
        i + 1,
        names.length,
        `${cells.length} cells under ${names.length} names`,
        'write a cell for each name',
      );
    const numbers = names.map((name, k) => {
      const cell = cells[k] ?? '';
      const value = cell === '' ? NaN : inSI(columns[k]!, Number(cell));
      if (Number.isFinite(value)) {
        const beyond = beyondBounds(scenario, name, value);
        if (beyond !== undefined)
          throw error('out-of-range', i + 1, k, beyond, 'write a value within the bounds of the robot file');
        return [name, value] as const;
      }
      const what = cell === '' ? `\`${name}\` is missing` : `\`${cell}\` is not a finite number`;
      throw error(
        'bad-table',
        i + 1,
        Math.min(k, cells.length),
        what,
        'write numbers in SI units, such as 0.25 or 3e-4, without units',
      );
    });
    return [Object.fromEntries(numbers)];
  });
  if (read.length === 0)
    throw error('bad-table', 0, 0, 'the table has no lines of numbers', 'add a line for each run below the names');
  return read;
}
