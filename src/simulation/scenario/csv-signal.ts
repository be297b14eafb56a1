/** Columns of CSV files as tables over time, and as signals: a line of names, then numbers. */
import { KanegenError, type SourceLocation } from '../../common/error.ts';
import { columnName, inSI, missingColumnRemedy, wrongUnit } from '../../description/values/column-name.ts';
import { parseUnit, type Dimension } from '../../description/values/units.ts';
import type { Points } from './scenario-values.ts';
import { tableSignal, type Signal } from './signal.ts';

/** Cells by line, without the spaces and the quotation marks around them. */
export function csvCells(text: string): string[][] {
  return text.split(/\r?\n/).map((line) => line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));
}

/** Empty lines and remarks, which begin with `#`. */
export const isLeftOut = ([first = '', ...others]: readonly string[]): boolean =>
  first.startsWith('#') || (first === '' && others.length === 0);

/** Line and cell, both from 0, of a file as messages show it. */
export function cellLocation(file: string, text: string, line: number, cell: number): SourceLocation {
  const own = text.split(/\r?\n/)[line]!;
  const before = own.split(',').slice(0, cell).join(',').length + (cell > 0 ? 2 : 1);
  return { file, line: line + 1, column: Math.min(before, own.length + 1), path: '' };
}

/** Which columns are read. */
export interface ColumnChoice {
  readonly time: string;
  readonly column: string;
  /** Of what the column holds; any when missing. */
  readonly dimension?: Dimension | undefined;
}

const TIME = parseUnit('s').dimension;

/**
 * @param file its name, for messages.
 * @throws KanegenError with line and column: gaps, text, times that do not increase, an unknown column, a unit of something else.
 */
export function columnTable(file: string, text: string, names: ColumnChoice): Points {
  const rows = csvCells(text);
  const [header = []] = rows;
  const error = (code: string, line: number, cell: number, message: string, remedy: string): KanegenError =>
    new KanegenError(code, message, { remedy, location: cellLocation(file, text, line, cell) });
  const columns = header.map(columnName);
  const indexOf = (name: string, due: Dimension | undefined): number => {
    const index = columns.findIndex((own, i) => own.name === name || header[i] === name);
    if (index < 0)
      throw error('unknown-column', 0, 0, `the file has no column \`${name}\``, missingColumnRemedy(name, header));
    const wrong = due && wrongUnit(columns[index]!, due);
    if (wrong) throw error(wrong.code, 0, index, wrong.message, wrong.remedy!);
    return index;
  };
  const [time, column] = [indexOf(names.time, TIME), indexOf(names.column, names.dimension)];
  const times: number[] = [];
  const values: number[] = [];
  rows.slice(1).forEach((row, i) => {
    if (isLeftOut(row)) return;
    const wrong = (cell: number, message: string, remedy: string): KanegenError =>
      error('bad-table', i + 1, Math.min(cell, row.length), message, remedy);
    if (row.length > header.length)
      throw wrong(header.length, `${row.length} cells under ${header.length} names`, 'write a cell for each name');
    const number = (index: number): number => {
      const cell = row[index] ?? '';
      const value = cell === '' ? NaN : inSI(columns[index]!, Number(cell));
      if (Number.isFinite(value)) return value;
      throw cell === ''
        ? wrong(
            index,
            `\`${header[index]}\` is missing`,
            'write a number, or remove the line: values between lines are interpolated',
          )
        : wrong(
            index,
            `\`${cell}\` is not a finite number`,
            'write numbers in SI units, such as 0.25 or 3e-4, without units',
          );
    };
    const [t, value] = [number(time), number(column)];
    if (times.length > 0 && !(t > times[times.length - 1]!))
      throw wrong(time, `${t} s does not come after ${times[times.length - 1]} s`, 'sort the lines by time');
    times.push(t);
    values.push(value);
  });
  if (times.length === 0)
    throw error(
      ...(['bad-table', 0, 0] as const),
      'the file has no lines of numbers',
      'add lines such as `0,1.5` below that of the names',
    );
  return { times, values };
}

/** Straight lines between the points of a column. @throws KanegenError, see `columnTable`. */
export function columnSignal(...source: Parameters<typeof columnTable>): Signal {
  const { times, values } = columnTable(...source);
  return tableSignal(times, values);
}
