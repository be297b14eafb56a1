/**
 * Places of markers from CSV: columns `NAME x`, `NAME y`, `NAME z` of frames of the robot, as `simulate` writes them, and inputs of
 * actuators by name. A line is an equilibrium, or, with the column `t`, an instant of one motion; empty cells are markers that nobody saw.
 */
import { rateUnit, type Robot } from '../../description/model/robot.ts';
import { CsvTable } from '../csv-table.ts';

/** One coordinate of one marker, world axes. */
interface MarkerColumn {
  /** `tip x` */
  readonly name: string;
  readonly frame: number;
  readonly axis: 0 | 1 | 2;
}

export interface MarkerTable {
  readonly columns: readonly MarkerColumn[];
  /** By line, in the order of `columns`, m; NaN where nothing was seen. */
  readonly places: readonly (readonly number[])[];
  /** By line, inputs of the actuators in SI units. */
  readonly inputs: readonly (readonly number[])[];
  /** Actuators without a column, which rest. */
  readonly idle: readonly string[];
  /** Columns of places of what is no frame of the robot. */
  readonly strange?: readonly string[];
  /** By line, s, increasing: markers move. */
  readonly times?: readonly number[];
  /** Where a motion begins, if the table says so: coordinates and rates of its first line. */
  readonly start?: { readonly q: readonly number[]; readonly qd: readonly number[] };
}

const AXES = ['x', 'y', 'z'] as const;

/**
 * @param fileName shown in messages.
 * @param moving whether lines are instants of one motion, else equilibria.
 * @throws KanegenError with all problems of the text, at file:line:column.
 */
export function readMarkers(robot: Robot, text: string, fileName: string, moving = false): MarkerTable {
  const { frames, actuators } = robot;
  const table = new CsvTable(text, fileName);
  const found = frames.flatMap(({ name }, frame) =>
    AXES.flatMap((axis, i) => {
      const index = table.find([`${name} ${axis}`]);
      return index === undefined ? [] : [{ name: `${name} ${axis}`, frame, axis: i as 0 | 1 | 2, index }];
    }),
  );
  if (found.length === 0)
    table.missing(
      `${frames[frames.length - 1]!.name} x`,
      `give places of frames of the robot: ${frames
        .slice(0, 8)
        .map(({ name }) => `${name} x`)
        .join(', ')}, and y, z`,
    );
  const values = found.map(({ index }) => table.numbers(index, 'm', NaN));
  const columns = actuators.map(({ name }) => table.find([name]));
  const given = columns.map((index, i) => (index === undefined ? undefined : table.numbers(index, actuators[i]!.unit)));
  const motion = moving ? motionIn(robot, table) : {};
  table.finish();
  const lines = Array.from({ length: table.count }, (_, k) => k);
  return {
    columns: found.map(({ name, frame, axis }) => ({ name, frame, axis })),
    places: lines.map((k) => values.map((column) => column[k]!)),
    inputs: lines.map((k) => given.map((column) => column?.[k] ?? 0)),
    idle: actuators.flatMap(({ name }, i) => (columns[i] === undefined ? [name] : [])),
    strange: table.others.filter((name) => / [xyz]$/.test(name)),
    ...motion,
  };
}

function motionIn({ coordinates }: Robot, table: CsvTable): Pick<MarkerTable, 'times' | 'start'> {
  const time = table.column('t');
  const q = table.allOrNone(coordinates.map(({ name }) => [name]));
  const qd = table.allOrNone(coordinates.map(({ name }) => [`rate of ${name}`, `${name}_d`]));
  table.finish();
  const times = table.numbers(time, 's');
  const first = (index: number, unit: string): number => table.numbers(index, unit, NaN)[0]!;
  const begun = q?.map((index, i) => first(index, coordinates[i]!.unit)) ?? [];
  const rates = qd?.map((index, i) => first(index, rateUnit(coordinates[i]!.unit))) ?? coordinates.map(() => 0);
  table.finish();
  table.demandIncreasing(time, times);
  const isGiven = begun.length > 0 && [...begun, ...rates].every(Number.isFinite);
  return { times, ...(isGiven && { start: { q: begun, qd: rates } }) };
}
