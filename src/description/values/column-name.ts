/** Names of columns of tables, which may carry a unit: `tip x [mm]`. */
import { KanegenError } from '../../common/error.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { parseUnit } from './units.ts';

interface ColumnName {
  readonly name: string;
  /** By which numbers of the column are multiplied to be in SI units. */
  readonly size: number;
}

const WITH_UNIT = /^(.*\S)\s*\[([^\]]*)\]$/;

/** Text in brackets that is no unit belongs to the name. */
export function columnName(text: string): ColumnName {
  const [, name, unit] = WITH_UNIT.exec(text) ?? [];
  if (name === undefined || unit === undefined) return { name: text, size: 1 };
  if (unit.trim() === '' || unit.trim() === '1') return { name, size: 1 };
  try {
    return { name, size: evaluate([parseUnit(unit).size])[0]! };
  } catch (error) {
    if (error instanceof KanegenError) return { name: text, size: 1 };
    throw error;
  }
}
