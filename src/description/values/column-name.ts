/** Names of columns of tables, which may carry a unit: `tip x [mm]`. */
import { KanegenError } from '../../common/error.ts';
import { nearest } from '../../common/nearest.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { dimensionless, dimensionName, equalDimensions, parseUnit, type Dimension } from './units.ts';

export interface ColumnName {
  readonly name: string;
  /** By which numbers of the column are multiplied to be in SI units. */
  readonly size: number;
  /** Of the unit; undefined without one. */
  readonly dimension?: Dimension;
}

const WITH_UNIT = /^(.*\S)\s*\[([^\]]*)\]$/;

/** Text in brackets that is no unit belongs to the name. */
export function columnName(text: string): ColumnName {
  const [, name, unit] = WITH_UNIT.exec(text) ?? [];
  if (name === undefined || unit === undefined) return { name: text, size: 1 };
  if (unit.trim() === '') return { name, size: 1 };
  if (unit.trim() === '1') return { name, size: 1, dimension: dimensionless };
  try {
    const { size, dimension } = parseUnit(unit);
    return { name, size: evaluate([size])[0]!, dimension };
  } catch (error) {
    if (error instanceof KanegenError) return { name: text, size: 1 };
    throw error;
  }
}

/** A number of a column in SI units; thousandths are divided by a thousand, so that 700 ms are 0.7 s. */
export function inSI({ size }: ColumnName, value: number): number {
  const parts = 1 / size;
  return size < 1 && Number.isInteger(parts) ? value / parts : value * size;
}

/** What is wrong where a column has the unit of something else. */
export function wrongUnit({ name, dimension }: ColumnName, due: Dimension): KanegenError | undefined {
  if (dimension === undefined || equalDimensions(dimension, due)) return undefined;
  const isAngle = equalDimensions(due, dimensionless);
  return new KanegenError(
    'wrong-unit',
    `the unit of \`${name}\` is that of ${dimensionName(dimension)}, not of ${dimensionName(due)}`,
    {
      remedy: `write a unit of that kind${isAngle ? ', such as `[deg]` of angles' : ''}, or none: numbers are in SI units then`,
    },
  );
}

/** What is wrong where a column has one of some names with text in brackets that is no unit. */
export function unreadUnit(text: string, names: readonly string[]): KanegenError | undefined {
  const [, name, unit] = WITH_UNIT.exec(text) ?? [];
  if (name === undefined || unit === undefined || !names.includes(name) || columnName(text).name === name)
    return undefined;
  const remedy = `write a unit such as \`mm\`, \`deg\` or \`rad/s\`, or \`${name}\` for numbers in SI units`;
  return new KanegenError('unknown-unit', `\`${unit}\` of \`${text}\` is not a unit`, { remedy });
}

/** Is a line of names separated by something else than commas? */
export const isWithoutCommas = (header: readonly string[]): boolean => header.length === 1 && /[;\t]/.test(header[0]!);

export const COMMAS = 'separate the columns by commas; decimals have a point';

/**
 * What to write where a table has no column of a name.
 * @param header as the file has it.
 * @param taken names of columns that stand for something else.
 */
export function missingColumnRemedy(name: string, header: readonly string[], taken: readonly string[] = []): string {
  if (header.every((cell) => cell === '')) return 'start the file with a line of names, such as `t,push`';
  if (isWithoutCommas(header)) return COMMAS;
  if (header.every((cell) => Number.isFinite(Number(cell)))) return 'write a line of names above the numbers';
  const [unread] = header.flatMap((cell) => unreadUnit(cell, [name]) ?? []);
  if (unread) return `${unread.message}: ${unread.remedy}`;
  const names = header.map((cell) => columnName(cell).name);
  const free = names.filter((own) => !taken.includes(own));
  const close = nearest(name, free);
  return close === undefined ? `its columns are ${names.slice(0, 20).join(', ')}` : `did you mean \`${close}\`?`;
}
