/**
 * Places of markers at rest from CSV: columns `NAME x`, `NAME y`, `NAME z` of frames of the robot, as `simulate` writes them, and inputs of
 * actuators by name. A line is an equilibrium; empty cells are markers that nobody saw.
 */
import type { Robot } from '../../description/model/robot.ts';
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
}

const AXES = ['x', 'y', 'z'] as const;

/** @param fileName shown in messages. @throws KanegenError with all problems of the text, at file:line:column. */
export function readMarkers({ frames, actuators }: Robot, text: string, fileName: string): MarkerTable {
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
  const values = found.map(({ index }) => table.numbers(index, NaN));
  const columns = actuators.map(({ name }) => table.find([name]));
  const given = columns.map((index) => (index === undefined ? undefined : table.numbers(index)));
  table.finish();
  const lines = Array.from({ length: table.count }, (_, k) => k);
  return {
    columns: found.map(({ name, frame, axis }) => ({ name, frame, axis })),
    places: lines.map((k) => values.map((column) => column[k]!)),
    inputs: lines.map((k) => given.map((column) => column?.[k] ?? 0)),
    idle: actuators.flatMap(({ name }, i) => (columns[i] === undefined ? [name] : [])),
  };
}
