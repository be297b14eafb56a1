/** Columns of CSV files as signals: a line of names, then numbers. */
import type { KanegenError } from '../../common/error.ts';
import { nearest } from '../../common/nearest.ts';
import type { Place } from '../../description/source/source.ts';
import { tableSignal, type Signal } from './signal.ts';

/** Cells by line, without the spaces and the quotation marks around them. */
export function csvCells(text: string): string[][] {
  return text.split(/\r?\n/).map((line) => line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));
}

/**
 * @param at where the file is mentioned.
 * @throws KanegenError naming the line: gaps, text, times that do not increase, an unknown column.
 */
export function columnSignal(
  at: Place,
  text: string,
  names: { readonly time: string; readonly column: string },
): Signal {
  const rows = csvCells(text);
  const [header = []] = rows;
  const indexOf = (name: string): number => {
    const index = header.indexOf(name);
    if (index >= 0) return index;
    const close = nearest(name, header);
    const listed =
      header.join('') === ''
        ? 'begin the file with a line of names, such as `t,push`'
        : `its columns are ${header.slice(0, 20).join(', ')}`;
    throw at.error(
      'unknown-column',
      `the file has no column \`${name}\``,
      close ? `did you mean \`${close}\`?` : listed,
    );
  };
  const [time, column] = [indexOf(names.time), indexOf(names.column)];
  const times: number[] = [];
  const values: number[] = [];
  rows.slice(1).forEach((row, i) => {
    if (row.length === 1 && row[0] === '') return;
    const wrong = (message: string, remedy?: string): KanegenError =>
      at.error('bad-table', `line ${i + 2} of the file: ${message}`, remedy);
    const number = (index: number): number => {
      const cell = row[index] ?? '';
      const value = cell === '' ? NaN : Number(cell);
      if (Number.isFinite(value)) return value;
      throw cell === ''
        ? wrong(
            `\`${header[index]}\` is missing`,
            'write a number there, or leave the line out: values between lines are interpolated',
          )
        : wrong(`\`${cell}\` is not a finite number`, 'write numbers in SI units, such as 0.25 or 3e-4, without units');
    };
    const [t, value] = [number(time), number(column)];
    if (times.length > 0 && !(t > times[times.length - 1]!))
      throw wrong(`${t} s does not come after ${times[times.length - 1]} s`, 'sort the lines by time');
    times.push(t);
    values.push(value);
  });
  if (times.length === 0)
    throw at.error(
      'bad-table',
      'the file has no lines of numbers',
      'add lines such as `0,1.5` below that of the names',
    );
  return tableSignal(times, values);
}
